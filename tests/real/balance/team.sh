#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# lbrun --system dpb|dlb: CPUs move among the ranks of hybrid programs that nobody rewrote, whose regions
# have as many threads as they may, and whose results stay right. Threads sleep, and a node has 8
# CPUs: so many are at work on any machine. Decisions are decided again.
#
# team.sh MPI LBRUN LBSIM SOURCE...    SOURCE: team.c; multizone-plain-MPI; multizone-fortran-MPI or ""
mpi=$1 lbrun=$2 lbsim=$3 source=$4 multizone=$5 fortran=$6
. "$(dirname "$0")/../job.sh"
. "$(dirname "$0")/../../clang.sh"
export OMPI_MCA_rmaps_base_oversubscribe=1
export OMPI_MCA_btl_vader_single_copy_mechanism=none
unset OMP_NUM_THREADS OMP_WAIT_POLICY
launch="mpirun.$mpi"
make_work

die() {
    echo "failed: $*"
    cat "$work/out"
    exit 1
}

# balance SYSTEM PROGRAM...: ends well, and its log is decided again without a difference.
balance() {
    system=$1 also=
    shift
    [ "$1" = --param ] && also="$1 $2" && shift 2
    rm -f "$work"/log.*
    timeout 300 "$lbrun" --system "$system" $also --param node_cpus=8 --param loss_part=10 --decisions "$work/log" \
        --report "$work/report" -- $launch -n 2 "$@" >"$work/out" 2>&1 || die "$system $*: exit code $?"
    "$lbsim" replay "$work/log.0" >"$work/replay" 2>&1 || { cat "$work/replay"; die "$system $*: replay"; }
}

# first_of SYSTEM: a team as large as it could ever be; with dlb another may lend its last CPU
first_of() {
    [ $1 = dpb ] && echo '7\.\.7' || echo '8\.\.8'
}

# says RANK PATTERN: what the program found of its teams.
says() {
    grep -q "^rank $1: .*, 0 wrong, teams $2\$" "$work/out" || die "rank $1 has not teams $2"
}

# gcc's teams can be told how long to spin before they begin alone, unless the user says how they wait.
# What is no MPI program is not balanced, but has its environment.
spins() {
    expected=$1
    shift
    "$@" -n 2 sh -c 'env | grep ^GOMP_SPIN || echo as ever' >"$work/out" 2>&1
    [ "$(grep -c "^$expected\$" "$work/out")" = 2 ] || die "$*: not told to spin $expected"
}
spins 'GOMP_SPINCOUNT=[1-9][0-9]*' "$lbrun" --system dlb -- $launch
spins 'as ever' env OMP_WAIT_POLICY=active "$lbrun" --system dlb -- $launch
spins GOMP_SPINCOUNT=77 env GOMP_SPINCOUNT=77 "$lbrun" --system dpb -- $launch

find_clang -fopenmp
compilers="gcc $clang"

for compiler in $compilers; do
    team=$work/team-$compiler
    MPICH_CC=$compiler OMPI_CC=$compiler mpicc.$mpi -O1 -fopenmp -D_POSIX_C_SOURCE=200809L "$source" -o "$team" ||
        die "$compiler"
    # Loads 4 to 1 on 4 CPUs each: rank 0 gets more, rank 1 gives, whatever the program asks for.
    for way in free asks; do
        balance dpb "$team" $way
        says 0 '[1-7]\.\.7'
        says 1 '[1-3]\.\.7'
        grep -q 'moving .* 4 4 = 1 [5-7] [1-3] ' "$work/log.0" || die "dpb $way moved no CPUs to rank 0"
    done
    # Nothing moves before iterations of equal parts were timed, from which lbsim predicts.
    grep -q 'predicted .* by lbsim from the loads that were measured' "$work/out" ||
        die "dpb: no prediction of lbsim's"
    # An iteration of another kind is timed with equal parts as well, before CPUs move again.
    # Without the policy's undo, which may have equal parts by chance.
    balance dpb --param dpb_undo=off "$team" free 80 20
    grep -q 'iterations are others than before' "$work/out" || die "dpb: not timed again"
    # The same where they change hands at once, in the middle of regions.
    balance dpb --param dpb_when=asynchronous "$team" free
    says 0 '[1-7]\.\.7'
    grep -q 'moving .* 4 4 = 1 [5-7] [1-3] ' "$work/log.0" || die "dpb at once moved no CPUs to rank 0"
    # Who creates tasks and is done before others have begun has a team as large as any.
    OMP_WAIT_POLICY=passive balance dpb --param processors=fixed "$team" tasks
    says 0 '4\.\.7'
    says 1 '4\.\.7'
    # Iterations of ranks that never meet are timed by their own calls.
    balance dpb "$team" free 160 apart
    says 0 '[1-7]\.\.7'
    grep -q '"rounds": [1-9]' "$work/report" || die "dpb, apart: no rounds: $(cat "$work/report")"
    grep -q 'predicted .* by lbsim from the loads that were measured' "$work/out" || die "dpb, apart: not timed"
    # Where nothing times them in a short run, what ranks have measured themselves is enough; and what is too
    # short even for that says so.
    balance dpb "$team" free 40 apart
    grep -q 'moving .* 4 4 = 1 [5-7] [1-3] ' "$work/log.0" || die "dpb, apart: a short run waited for rounds"
    balance dpb "$team" free 3 apart
    grep -q 'so nothing was tried: let it run for more' "$work/out" || die "dpb, too short: what is said"
    # What rank 0 does alone now and then is no loss by balancing, and undoes nothing.
    for try in 1 2 3; do # other work of the machine does
        timeout 300 "$lbrun" --system dpb --param node_cpus=4 --report "$work/report" -- $launch -n 2 "$team" writes 130 \
            >"$work/out" 2>&1 || die "dpb writes: exit code $?"
        grep -q '"undone": 0,' "$work/report" && break
        [ $try != 3 ] || die "dpb: undone though it gained"
    done
    grep -q '"changes": [1-9]' "$work/report" || die "dpb writes: nothing moved: $(cat "$work/report")"
    # While rank 1 waits, rank 0 has its CPUs.
    balance dlb "$team" parts
    grep -q 'CPUs lent *[1-9][0-9]* times, [1-9]' "$work/out" || die "dlb lent no CPUs"
    # Predicted are regions that have what is lent when they begin, and owners that change as they do live: loads of 4 and 1, one
    # region an iteration, gain nothing by lending from 1 CPU each, and a third by 3 and 1 CPUs in place of 2 and 2. What is in no
    # region gains nothing, nor do regions that name their threads.
    for case in 2,0.97,1.001,free 4,0.62,0.7,free 4,0.66,0.75,half 4,0.97,1.001,named; do
        way=${case##*,}
        [ $compiler = gcc ] || break
        for try in 1 2 3; do # other work of the machine lengthens iterations, not loads
            timeout 300 "$lbrun" --system dlb --param node_cpus=${case%%,*} --report "$work/report" -- $launch -n 2 "$team" $way 30 \
                >"$work/out" 2>&1 || die "dlb $way: exit code $?"
            python3 -c 'import json, sys
r, (cpus, least, most) = json.load(open(sys.argv[1])), map(float, sys.argv[2].split(",")[:3])
sys.exit(not least < r["predicted_s"] / r["unbalanced_s"] < most)' "$work/report" $case && break
            [ $try != 3 ] || die "dlb $way: predicted otherwise than $case: $(cat "$work/report")"
        done
        # And so by lbsim gain, before it ever ran under dlb: of a measurement with as many threads in all. (Where
        # ranks that wait keep the CPUs busy on which threads sleep, nothing is predicted.)
        for try in 1 2 3; do
            rm -rf "$work/measured"
            OMP_NUM_THREADS=$((${case%%,*} / 2)) timeout 300 "$lbrun" measure --out "$work/measured" -- $launch -n 2 "$team" $way 30 \
                >"$work/out" 2>&1 || die "measure $way: exit code $?"
            "$lbsim" gain "$work/measured" --quiet --format json >"$work/gain" || die "gain $way: exit code $?"
            grep -q '"predicted":[[:space:]]*true' "$work/gain" && break
        done
        grep -q '"predicted":[[:space:]]*true' "$work/gain" || continue
        python3 -c 'import json, sys
gain, (cpus, least, most) = json.load(open(sys.argv[1])), map(float, sys.argv[2].split(",")[:3])
dlb = [s["time_s"] for s in gain["systems"] if s["system"] == "dlb"]
sys.exit(not least < dlb[0] / gain["simulated_as_it_is_s"] < most)' "$work/gain" $case ||
            die "gain $way: predicted otherwise than $case: $(cat "$work/gain")"
    done
    # Two ranks 2.2:1 on 4 CPUs, two regions each: who owns 3 and 1 is slower than who lends of 2 and 2, and goes back.
    back='CPUs back to their first owners: iterations took .* longer than with lending alone'
    for try in 1 2 3; do
        [ $compiler = gcc ] || break
        timeout 300 "$lbrun" --system dlb --param node_cpus=4 --decisions "$work/log" -- $launch -n 2 "$team" halves 50 \
            >"$work/out" 2>&1 || die "dlb halves: exit code $?"
        "$lbsim" replay "$work/log.0" >"$work/replay" 2>&1 || { cat "$work/replay"; die "dlb halves: replay"; }
        grep -q "$back" "$work/out" && break
        [ $try = 3 ] && die "dlb halves: owners that are slower than lending were kept"
    done
    # Work that is divided by a number known before, or by a program that sets it itself, keeps its teams.
    for system in dpb dlb; do
        balance $system "$team" fixed
        says 0 "$(first_of $system)"
        says 1 "$(first_of $system)"
        balance $system "$team" sets
        says 0 '3\.\.3'
        says 1 '3\.\.3'
        grep -q ' moving ' "$work/log.0" && die "$system decided for teams that can use no other CPU"
    done
    # No CPU beyond their own is of use to these.
    grep -q 'CPUs lent' "$work/out" && die "dlb lent to teams that stay smaller than what they own"
    # Teams whose threads have data of their own stay, and with them the data.
    MPICH_CC=$compiler OMPI_CC=$compiler mpicc.$mpi -O1 -fopenmp -D_POSIX_C_SOURCE=200809L -DKEEPS "$source" -o "$team-keeps" ||
        die "$compiler: keeps"
    for system in dpb dlb auto; do
        balance $system "$team-keeps" keeps
        says 0 "$(first_of $system)"
        says 1 "$(first_of $system)"
    done
    # What it would gain is simulated from what it does, and it gets the best; and nothing where nothing would.
    balance auto "$team" free 160
    grep -q 'auto: d[lp]b; predicted of iterations of .*: dlb [-+][0-9.]* %, dpb [-+][0-9.]* %, packing' "$work/out" ||
        die "auto chose nothing"
    grep -q '"chosen": "d[lp]b"' "$work/report" || die "auto: $(cat "$work/report")"
    says 0 '[1-7]\.\.[78]' # all 8 where the other lends
    if [ $compiler = gcc ]; then
        balance auto "$team" free 280 apart
        grep -q '"chosen": "d[lp]b"' "$work/report" || die "auto, apart: $(cat "$work/report")"
        says 0 '[1-7]\.\.[78]'
    fi
    balance auto "$team" fixed 80
    grep -q 'auto: nothing to gain' "$work/out" || die "auto chose something for fixed"
    says 0 "$(first_of auto)"
    # That they would not stand another number is found when it is tried.
    timeout 300 "$lbrun" doctor -- $launch -n 2 "$team" fixed >"$work/out" 2>&1 && die "doctor: fixed"
    grep -q 'BAD *threads *with other numbers of threads .* ends with [1-9][0-9]*, else with 0' "$work/out" ||
        die "doctor: what is said of fixed"
    # Nothing that was sized by an answer is too small, whoever asked, and when.
    for system in dpb dlb; do
        for way in early procs counts; do
            balance $system "$team" $way
        done
        balance $system "$team" again 80
        for way in single some reads; do
            OMP_NUM_THREADS=3 balance $system "$team" $way
            says 0 '[1-3]\.\.3'
        done
    done
    OMP_NUM_THREADS=3 balance dpb "$team" both
    says 0 '[1-3]\.\.[4-7]'
    # A user's own number is the most that a program is told.
    OMP_NUM_THREADS=3 balance dpb "$team" asks
    says 0 '[1-3]\.\.3'
    # Nor does it use CPUs beyond a limit of its threads, of which no gain is predicted and nothing is moved.
    OMP_THREAD_LIMIT=4 balance dpb "$team" free
    [ "$(grep -c '"cpus": 4, "cpus_first": 4, "threads_max": 4,' "$work/report")" -eq 2 ] || die "dpb: a limit of threads: $(cat "$work/report")"
done

# A job of several programs: what is said of threads is said of the ranks of each.
cat >"$work/none.c" <<'END'
#include <mpi.h>
#include <time.h>
int main(int argc, char **argv)
{
        MPI_Init(&argc, &argv);
        for (int i = 0; i < 22; i++) {
                nanosleep(&(struct timespec){ .tv_nsec = 20000000 }, NULL);
                MPI_Barrier(MPI_COMM_WORLD);
        }
        return MPI_Finalize();
}
END
mpicc.$mpi -O1 -D_POSIX_C_SOURCE=200809L "$work/none.c" -o "$work/none" || die "none"
timeout 300 "$lbrun" --system dpb --param node_cpus=8 --param loss_part=10 -- $launch -n 1 "$work/none" : -n 1 "$work/team-gcc" free 20 \
    >"$work/out" 2>&1 || die "two programs: exit code $?"
grep -q 'threads *as many as CPUs (rank 1)$' "$work/out" || die "two programs: threads of rank 1"
grep -q '^ *one: no OpenMP library is seen, only CPUs move (rank 0)$' "$work/out" || die "two programs: threads of rank 0"

# Results do not depend on who has how many CPUs: to the last bit.
checksum() {
    sed -n 's/^checksum: //p' "$work/out"
}
timeout 300 $launch -n 2 "$multizone" --steps 12 --nx 48 --ny 48 --line-us 20 >"$work/out" 2>&1 || die "multizone"
right=$(checksum)
[ "$right" ] || die "multizone has no result"
timeout 300 "$lbrun" doctor -- $launch -n 2 "$multizone" --steps 8 --nx 48 --ny 48 >"$work/out" 2>&1 ||
    die "doctor: multizone"
grep -q 'ok *malleable *threads of its regions: as many as CPUs' "$work/out" || die "doctor: what is said of multizone"
for system in dpb dlb; do
    balance $system "$multizone" --steps 12 --nx 48 --ny 48 --line-us 20
    [ "$(checksum)" = "$right" ] || die "$system: another result"
done
# What keeps the books is an option, too, as are dlb's mechanisms; others have none.
dlb=$(dirname "$lbrun")/tests/real/dlb/libdlb.so
if [ -f "$dlb" ]; then
    LBRUN_DLB_LIB=$dlb timeout 300 "$lbrun" --system dlb --cores-by dlb --drom off --param node_cpus=8 -- $launch -n 2 "$multizone" \
        --steps 12 --nx 48 --ny 48 >"$work/out" 2>&1 || die "--cores-by dlb: exit code $?"
    grep -q 'managed by the built-in manager' "$work/out" && die "--cores-by dlb was not used"
    [ "$(checksum)" = "$right" ] || die "--cores-by dlb: another result"
fi
# Whether teams may change is said by an option or a parameter.
for option in "--malleable affinity" "--param malleable=affinity"; do
    timeout 300 "$lbrun" --system dpb $option --param node_cpus=8 -- $launch -n 2 "$multizone" --steps 12 --nx 48 --ny 48 \
        >"$work/out" 2>&1 || die "$option: exit code $?"
    grep -q 'threads *as the program has them: its work' "$work/out" || die "$option: not heeded"
done
for option in "--malleable never" "--system packing --malleable affinity" "--cores-by nobody" "--system packing --lewi on" "--policy mine.so" "--html page"; do
    timeout 60 "$lbrun" --system dlb $option -- $launch -n 2 "$multizone" >"$work/out" 2>&1
    [ $? -eq 2 ] || die "$option: exit code $?, must be 2"
done
# Each of two nodes decides for itself, in a log of its own; where CPUs can be control groups.
for system in dpb dlb; do
    rm -f "$work"/log.*
    timeout 300 "$lbrun" --system $system --nodes 2 --virtual-cpus --cores 4 --param loss_part=10 --decisions "$work/log" \
        -- $launch -n 4 "$multizone" --steps 12 --nx 48 --ny 48 >"$work/out" 2>&1
    code=$?
    grep -q "control group" "$work/out" && break
    [ $code -eq 0 ] || die "$system, two nodes: exit code $code"
    [ "$(cd "$work" && echo log.*)" = "log.0 log.1" ] || die "$system, two nodes: $(ls "$work")"
    "$lbsim" replay "$work/log" >"$work/replay" 2>&1 || { cat "$work/replay"; die "$system, two nodes: replay"; }
done
if [ -x "$fortran" ]; then
    OMP_NUM_THREADS=1 timeout 300 $launch -n 2 "$fortran" 12 4 48 48 >"$work/out" 2>&1 || die "multizone in Fortran"
    right=$(checksum)
    for system in dpb dlb; do
        balance $system "$fortran" 12 4 48 48
        [ "$(checksum)" = "$right" ] || die "$system: another result in Fortran"
    done
fi
echo passed
