#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# lbrun measure: known loads are found in C, Fortran and Python; what cannot be measured is said; exit codes pass.
# Usage: measure.sh MPI OTHER_MPI LBRUN LBSIM BURN BURN_OTHER TOOL SOURCE_DIR
set -u
mpi=$1 other=$2 lbrun=$3 lbsim=$4 burn=$5 burn_other=$6 tool=$7 source=$8
. "$(dirname "$0")/../job.sh"
. "$(dirname "$0")/../../clang.sh"
set_launch

# measure EXPECTED_CODE [--mpi MPI --] LINE...: into directory m
measure() {
    expected=$1
    shift
    rm -rf m
    options=
    while [ "${1#--}" != "$1" ]; do
        [ "$1" != -- ] && options="$options $1 $2" && shift
        shift
    done
    timeout 120 "$lbrun" measure --out m $options -- "$@" >out.txt 2>err.txt
    code=$?
    [ $code -eq "$expected" ] || fail "$*: exit code $code, expected $expected"
}

# holds CLAIM: in Python, of the measurement m and close(a, b, within)
holds() {
    python3 - "$1" <<'END' || fail "does not hold: $1: $(cat m/measured.json err.txt)"
import json, sys
m = json.load(open("m/measured.json"))
close = lambda a, b, within: abs(a / b - 1) <= within
sys.exit(not eval(sys.argv[1]))
END
}

# says TEXT: and there is no measurement
says() {
    grep -q -e "$1" err.txt || fail "no '$1'"
    [ ! -e m ] || fail "there is a measurement: $(ls m)"
}

# Processor time 1:2:3:4 on whatever CPUs there are, and its parts. (0.5 % of a second of load are 5 ms.)
truth='m["ranks"] == 4 and close(m["imbalance"]["run"], 1.6, 0.005) and close(m["imbalance"]["synchronisations"], 1.6, 0.005)'
measure 0 $launch -n 4 "$burn" 0.1 10 tell
holds "$truth"
holds 'all(close(m["cpu_s"][i], i + 1, 0.01) for i in range(4))'
holds 'm["mpi_calls"] == 44 and m["synchronisations"] == 10 and m["complete"] and m["overhead_percent"] < 1'
! grep -q 'no computing' err.txt || fail "of computing: $(grep 'no computing' err.txt)"
holds 'm["launch"] == "'"$launch -n 4 $burn 0.1 10 tell"'" and not m["openmp"]'
holds 'm["parallel_regions"] == m["alike_regions"] == [0] * 4'
holds '(m["pop"]["parallel_efficiency"] is None) == (m["runnable_part"] > 0.1)'
[ "$(ls m | tr '\n' ' ')" = 'loads.csv measured.json talp.json windows.csv ' ] || fail "left in m: $(ls m)"

# Its iterations: nine between ten meetings, what was before them and after.
holds 'm["iterations"]["count"] == 9 and m["rows"] == "iterations" and close(m["imbalance"]["iterations"], 1.6, 0.005)'
holds 'm["iterations"]["begin_with"] == "MPI_Allreduce" and 0.85 < m["iterations"]["part_of_load"] < 0.95'
# Rows are held against what the program itself read of its clock: on a busy machine a burn may be longer than it was
# to be (the time of a hypervisor's other guests looks like its own).
holds '(used := {tuple(map(int, w[1:3])): float(w[3]) for w in map(str.split, open("out.txt")) if w[0] == "used"}) and len(used) == 40 and (rows := [line.split(",") for line in open("m/loads.csv")][1:]) and len(rows) == 44 and all(close(float(r[2]), used[int(r[0]), int(r[1])], 0.005) for r in rows[4:40])'
holds 'm["sites"][0]["call"] == "MPI_Allreduce" and m["sites"][0]["calls"] == 40 and m["sites"][0]["module"].endswith("'"${burn##*/}"'") and close(m["sites"][0]["imbalance_before"], 1.6, 0.01)'
holds '(t := json.load(open("m/talp.json"))) and t["resources"]["numMpiRanks"] == 4 and close(t["Application"]["Global"]["usefulTime"], 1e9 * sum(m["load_s"]), 1e-6) and len(t["Process"]["Global"]) == 4'

# It leaves no canaries on the program's stack: programs that read what they never set (ScaLAPACK's) would notice.
library=${lbrun%/*}/lib/liblbrun-measure-$mpi.so
nm -D "$library" | grep -q ' U .*clock_gettime' || fail "no names in $library"
nm -D "$library" | grep -q 'stack_chk' && fail "$library has a stack protector"

# What is measured is a workload.
echo '{ "name": "m", "platform": { "nodes": 1, "cores_per_node": 4, "appranks_per_node": 4 }, "graph": { "degree": 1 },
  "workload": { "model": "trace", "file": "m/loads.csv" }, "system": { "name": "baseline" } }' >m.json
"$lbsim" m.json --quiet >simulated.txt || fail "lbsim: the loads"

# A measurement that is there is not written over.
timeout 60 "$lbrun" measure --out m -- $launch -n 2 "$burn" >out.txt 2>err.txt
[ $? -eq 2 ] && grep -q "'m': it has a measurement already" err.txt || fail "a measurement was there"

# Nor one that another job is writing.
rm -rf m
for job in 1 2; do
    (timeout 100 "$lbrun" measure --out m -- $launch -n 1 "$burn" 0.1 10 >job$job.txt 2>&1
    echo "code $?" >>job$job.txt) &
done
wait
[ "$(cat job1.txt job2.txt | grep -c '^code 0$')" -eq 1 ] || fail "two jobs, one directory: $(cat job1.txt job2.txt)"
grep -q -e "another job is writing 'm/measured.json'" -e 'has a measurement already' job1.txt job2.txt ||
    fail "two jobs, one directory: $(cat job1.txt job2.txt)"

# Without a name for it, each takes one that no other has.
rm -rf measured measured-*
for job in 1 2; do
    (timeout 100 "$lbrun" measure -- $launch -n 1 "$burn" 0.1 10 >job$job.txt 2>&1
    echo "code $?" >>job$job.txt) &
done
wait
[ "$(cat job1.txt job2.txt | grep -c '^code 0$')" -eq 2 ] && [ -e measured/measured.json ] && [ -e measured-2/measured.json ] ||
    fail "two jobs, no directory: $(ls -d measured*; cat job1.txt job2.txt)"

# What an lbrun that was killed has left of its ranks goes with the next measurement there, and nothing else.
rm -rf m
"$lbrun" measure --out m -- $launch -n 1 "$burn" 0.1 100 >out.txt 2>&1 &
tries=0
until ls m/ranks-*/*.rank >/dev/null 2>&1 || [ $tries -gt 300 ]; do
    sleep 0.1
    tries=$((tries + 1))
done
kill -9 $!
wait $! 2>/dev/null
[ "$(ls -d m/ranks-* | wc -l)" -eq 1 ] || fail "nothing was left by kill -9: $(ls -R m)"
mkdir m/ranks-mine && echo kept >m/ranks-mine/file
timeout 100 "$lbrun" measure --out m -- $launch -n 1 "$burn" 0.02 3 >out.txt 2>err.txt || fail "after kill -9"
[ "$(echo m/ranks-*)" = m/ranks-mine ] && [ -e m/ranks-mine/file ] || fail "after kill -9: $(ls -R m)"

# Load that moves: none over the run, all of it between synchronisations.
measure 0 $launch -n 4 "$burn" 0.05 4 drift
holds 'close(m["imbalance"]["run"], 1, 0.02) and close(m["imbalance"]["synchronisations"], 1.6, 0.02)'
# Each rank waits, but never the last one.
holds '0 < m["transfer_s"] < 0.5 * min(m["mpi_s"])'

# Who spins on memory that it shares with another is said to work, and so is that there is such memory.
cat >window.c <<'END'
#include <mpi.h>
int main(int argc, char **argv)
{
    int rank, unit;
    volatile int *word;
    MPI_Aint size;
    MPI_Win window;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Win_allocate_shared(rank == 0 ? sizeof(*word) : 0, sizeof(*word), MPI_INFO_NULL, MPI_COMM_WORLD, (void *)&word, &window);
    MPI_Win_shared_query(window, 0, &size, &unit, (void *)&word);
    MPI_Win_lock_all(MPI_MODE_NOCHECK, window);
    if (rank == 0)
        *word = 0;
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 0)
        *word = 1;
    while (*word != 1)
        ;
    MPI_Win_unlock_all(window);
    MPI_Win_free(&window);
    MPI_Finalize();
    return 0;
}
END
mpicc.$mpi -O1 window.c -o window || exit 1
measure 0 $launch -n 2 ./window
holds 'm["shared_windows"] == 1'
grep -q 'it has 1 window of shared memory' err.txt || fail "a shared window"

# Blocked is load, too, and no computing, which is said.
measure 0 $launch -n 2 "$burn" 0.2 3 sleep
holds 'm["cpu_s"][1] < 0.1 and m["blocked_s"][1] > 1.1 * m["blocked_s"][0] and m["imbalance"]["run"] > 1.2'
grep -q '  \(9[0-9]\|100\) % of the load was no computing: ranks were blocked outside MPI' err.txt || fail "blocked: what is said"

# What its own user has set setuid has no other rights, and is measured as any.
cp "$burn" own && chmod u+s own || exit 1
measure 0 $launch -n 2 ./own 0.05 2
grep -q setuid err.txt && fail "setuid to who starts it"

# Parts: of the program's code, and of its time. What is asked for must be there.
mpicc.$mpi -g -O1 "$source/tests/real/measure/parts.c" -o parts || exit 1
measure 0 $launch -n 2 ./parts regions
holds '[r["visits"] for r in m["regions"]] == [5, 5] and close(m["regions"][0]["load_s"], 0.6, 0.02) and close(m["regions"][1]["load_s"], 0.5, 0.02)'
holds 'sorted(json.load(open("m/talp.json"))["Application"]) == ["Global", "Region 1", "Region 2"]'
measure 0 --from 0.3 --for 1 -- $launch -n 2 ./parts change
holds 'close(m["wall_s"], 1, 0.001) and m["imbalance"]["run"] < 1.3'
measure 0 --from 2.5 --for 1.5 -- $launch -n 2 ./parts change
holds 'm["wall_s"] <= 1.5001 and m["imbalance"]["run"] > 1.3'
# ... where the program's numbers have a comma, too.
printf 'LC_NUMERIC\ndecimal_point ","\nthousands_sep ""\ngrouping -1\nEND LC_NUMERIC\n' >source
localedef -c --no-archive -i source -f ANSI_X3.4-1968 ./comma >locale.txt 2>&1
export LOCPATH="$PWD" LC_NUMERIC=comma
measure 0 --from 0.3 --for 1.5 -- $launch -n 2 ./parts change
unset LOCPATH LC_NUMERIC
holds 'close(m["wall_s"], 1.5, 0.001)'
measure 125 --from 1000 -- $launch -n 2 ./parts regions
says 'not measured: rank 0 ended .* before the time of --from'
measure 2 --for soon -- $launch -n 2 ./parts regions
says "measure: --for: found 'soon', allowed is a number from 0"

# Sessions without MPI_Init are measured; ranks that are spawned are counted.
./parts session
if [ $? -ne 77 ]; then
    measure 0 $launch -n 2 ./parts session
    holds 'm["ranks"] == 2 and m["complete"] and close(m["imbalance"]["synchronisations"], 4 / 3, 0.02) and close(m["load_s"][1], 0.4, 0.03)'
fi
if [ "$mpi" = openmpi ]; then # the other cannot spawn here
    measure 0 $launch -n 2 ./parts spawn
    holds 'm["ranks"] == 2 and m["spawned_ranks"] == 2'
fi

# Threads of a team count in regions, not while they wait or spin after one.
find_clang -fopenmp
teams="gcc $clang"
for compiler in $teams; do
    MPICH_CC=$compiler OMPI_CC=$compiler mpicc.$mpi -O1 -fopenmp "$source/tests/real/measure/team.c" -o team-$compiler || exit 1
    measure 0 $launch -n 2 ./team-$compiler 10
    holds 'm["openmp"] and m["threads"] == [2, 2] and close(m["load_s"][0], 0.4, 0.05) and close(m["load_s"][1], 0.7, 0.05)'
    holds 'close(m["team_s"][0], 0.1, 0.05) and close(m["team_s"][1], 0.2, 0.05)'
    # One region a step, and a step an iteration.
    holds 'm["parallel_regions"] == [10, 10] and m["rows"] == "iterations" and all(close(n, 1, 1e-6) for n in m["alike_regions"])'
    # 10 ms of each step are in none, and regions name their number (of which clang's library says nothing where it is the usual one).
    holds 'all(close(s, 0.1, 0.1) for s in m["serial_s"])'
    [ $compiler != gcc ] || holds 'all(close(f, l - 0.1, 0.05) for f, l in zip(m["fixed_s"], m["load_s"]))'
    # Where they spin on CPUs that others need, what lets them sleep is said.
    if [ $compiler = gcc ]; then
        unbound=$([ "$mpi" != openmpi ] || echo '--bind-to none')
        export GOMP_SPINCOUNT=1000000000
        measure 0 $launch $unbound -n "$(nproc)" ./team-gcc 10
        unset GOMP_SPINCOUNT
        grep -q 'OMP_WAIT_POLICY=passive' err.txt || fail "threads spin on CPUs that others need, and nothing is said"
    fi
    # In regions within regions, too, whichever thread opens them.
    measure 0 $launch -n 2 ./team-$compiler 10 nested
    holds 'm["threads"] == [4, 4] and close(m["load_s"][0], 0.4, 0.05) and close(m["load_s"][1], 0.7, 0.05)'
    holds 'm["parallel_regions"] == [10, 10]'
    # A part begins before the regions that follow have read the clocks, though the next call to MPI is behind them.
    measure 0 --from 0.3 -- $launch -n 2 ./team-$compiler 0 late
    holds 'all(close(cpu, 0.2, 0.1) for cpu in m["cpu_s"]) and m["parallel_regions"] == [10, 10]'
    # Regions of one thread have nobody to wait for: all that they take is work, however small they are.
    for how in single inner; do
        measure 0 $launch -n 2 ./team-$compiler 0 $how
        holds '(used := {int(w[1]): float(w[2]) for w in map(str.split, open("out.txt")) if w[0] == "used"}) and all(close(m["load_s"][i], used[i], 0.05) for i in range(2))'
        # They are counted, some of them for those between, but not within regions; and they are OpenMP's.
        holds 'm["openmp"] and all('"$([ $how = single ] && echo 'close(n, 200000, 0.001)' || echo 'n == 1')"' for n in m["parallel_regions"])'
    done
    # What the measurement takes in regions is in what it says that it takes.
    measure 0 $launch -n 1 ./team-$compiler 0 wait
    holds 'm["overhead_percent"] > (5 if m["runnable_part"] < 0.1 else 1)'
done

# So do tasks, wherever the threads that wait run them, with what they were given; asleep is blocked, which is load.
for how in "gcc barrier" "gcc sleep" "gcc wait" "gcc loop" ${teams#gcc}; do
    compiler=${how%% *}
    [ "$compiler" = "$how" ] && how="$compiler loop"
    MPICH_CC=$compiler OMPI_CC=$compiler mpicc.$mpi -O1 -fopenmp "$source/tests/real/measure/tasks.c" -o tasks-$compiler || exit 1
    measure 0 $launch -n 4 ./tasks-$compiler 10 "${how#* }"
    holds 'close(m["imbalance"]["run"], 1.6, 0.015) and close(m["load_s"][3], 0.8, 0.05) and m["team_s"][3] > 0.2'
    grep -q 'it has OpenMP tasks' err.txt out.txt && fail "$how: tasks were not seen"
done

# Threads of its own, for which the first waits outside MPI, on fewer CPUs than there are threads: waiting is load as far
# as they have a CPU.
mpicc.$mpi -O1 -pthread "$source/tests/real/measure/threads.c" -o threads || exit 1
for how in join pool; do
    measure 0 $launch -n 3 ./threads 12 $how
    holds 'close(m["imbalance"]["run"], 4 / 3, 0.1) and all(close(m["load_s"][i], 0.24 * (i + 2), 0.3) for i in range(3))'
done

# What the first waits for the end of a thread that waits in MPI is no load. Where that polls now and then, and sleeps
# meanwhile, how long is said, since that may be waiting for another rank. What the first waits for threads that
# compute, or for a disk where no other calls MPI, is not.
mpicc.$mpi -O1 -pthread "$source/tests/real/measure/handed.c" -o handed || exit 1
measure 0 $launch -n 2 ./handed receive
holds 'm["unseen_s"][0] > 0.8 * m["load_s"][0] > 0.25 and m["unseen_s"][1] == 0'
grep -q 'in which it may have waited for another' err.txt || fail "not said"
measure 0 $launch -n 2 ./handed spin
holds 'm["load_s"][0] < 0.05 and m["mpi_s"][0] > 0.4 and m["load_s"][1] > 0.4'
measure 0 $launch -n 2 ./handed compute
holds 'm["unseen_s"][0] < 0.3 * m["load_s"][0] and m["load_s"][0] > 0.4'
measure 0 $launch -n 2 "$burn" 0.1 3 sleep
holds 'm["unseen_s"] == [0, 0] and m["files_s"] == [0, 0]'

# A second thread that communicates while the first computes takes nothing from that one's load and adds none; what it
# computes itself is load, wherever the first is. Who ends MPI does not matter. One that polls for seconds beside much
# other work is told to a percent of that.
mpicc.$mpi -O1 -pthread "$source/tests/real/measure/helpers.c" -o helpers || exit 1
for how in talk chat; do
    measure 0 $launch -n 2 ./helpers 30 $how
    holds 'all(close(m["cpu_s"][i], 0.3 * (i + 1), 0.06) for i in range(2)) and all(t < 0.04 for t in m["team_s"])'
    holds 'all(close(m["load_s"][i] - m["unseen_s"][i], m["cpu_s"][i], 0.12) for i in range(2)) and m["threads"] == [1, 1]'
done
measure 0 $launch -n 2 ./helpers 30 work
holds 'all(close(m["load_s"][i] - m["unseen_s"][i], 0.3 * (i + 1) + 0.6 * (2 - i), 0.06 if m["runnable_part"] < 0.45 else 0.12) for i in range(2)) and m["threads"] == [2, 2]'
measure 0 $launch -n 2 ./helpers 30 last
holds 'm["complete"] and all(close(m["load_s"][i] - m["unseen_s"][i], 0.3 * (i + 1), 0.06) for i in range(2))'
grep -q 'ended without' err.txt && fail "MPI ended in another thread"
for how in all rest; do
    measure 0 $launch -n 4 ./helpers 15 $how
    holds 'close(m["imbalance"]["run"], 1.6, 0.015) and all(close(m["load_s"][i], 0.3 * (i + 1), 0.06) for i in range(4)) and max(m["unseen_s"]) < 0.05'
done

# Nor does it matter that a part begins and ends while the first thread waits for the end of others.
measure 0 --from 0.3 --for 2.5 -- $launch -n 4 ./helpers 40 rest
holds 'close(m["imbalance"]["run"], 1.6, 0.25) and m["load_s"] == sorted(m["load_s"]) and m["load_s"][0] > 0.01'
# Where threads are far more than CPUs a wait that ends late may count some of what the other did then as MPI.
holds 'm["mpi_s"][0] > 0.1 and all(2.45 < m["load_s"][i] + m["mpi_s"][i] + m["runnable_s"][i] < 3.5 for i in range(4))'

# What a rank waits for a process that it runs is load, as far as that computes or sleeps, not where it has no CPU; and
# once. What they used the program says; to begin takes some ms.
mpicc.$mpi -O1 "$source/tests/real/measure/runs.c" -o runs || exit 1
used='(used := {int(w[1]): float(w[2]) for w in map(str.split, open("out.txt")) if w[0] == "used"})'
for how in system popen spawn fork poll; do
    measure 0 $launch -n 3 "$PWD/runs" 8 $how
    holds "$used"' and all(0.4 * (i + 1) <= used[i] and close(m["load_s"][i], used[i], 0.06) for i in range(3))'
done
measure 0 $launch -n 3 "$PWD/runs" 8 beside
holds "$used"' and all(0.4 * (i + 2) <= used[i] and close(m["load_s"][i], used[i], 0.06) for i in range(3))'
# Beside other work it is not told from waiting for a CPU.
measure 0 $launch -n 2 "$PWD/runs" 3 sleep
holds 'm["runnable_part"] > 0.1 or all(close(m["load_s"][i], 1.5 * (i + 1), 0.3) for i in range(2))'

# Who polls waits between two polls that find nothing, not who works there.
mpicc.$mpi -O1 "$source/tests/real/measure/polls.c" -o polls || exit 1
./polls part 0 >part.txt 2>&1 # alone it has nobody to send to
[ $? -eq 77 ] && part= || part=part
for how in at-once turn nap status memory $part meanwhile; do
    measure 0 $launch -n 2 ./polls $how 10
    holds 'close(m["imbalance"]["run"], 1.5, 0.07) and all(close(m["load_s"][i], 0.2 * (2 * i + 1), 0.3) for i in range(2))'
done

# Calls on files are in MPI, and told apart.
measure 0 $launch -n 2 ./handed files
holds 'all(0.5 * m["mpi_s"][i] < m["files_s"][i] <= m["mpi_s"][i] for i in range(2))'
grep -q ' % of the time in MPI was in calls on files' err.txt || fail "files are not said"

# Ends: exit codes pass, what there is of a rank that was killed is kept and said.
measure 3 $launch -n 2 "$burn" 0.01 2 code
holds 'm["ranks"] == 2 and m["complete"]'
measure 0 $launch -n 2 sh -c "\"$burn\" 0.05 2; true"
holds 'm["ranks"] == 2 and close(m["imbalance"]["run"], 4 / 3, 0.05)'
rm -rf m
timeout 60 "$lbrun" measure --out m -- $launch -n 2 "$burn" 0.05 3 kill >out.txt 2>err.txt && fail "a killed rank: exit code 0"
holds 'm["ranks"] == 2 and not m["complete"] and m["imbalance"]["run"] > 1.1'
grep -q 'ended without a word' err.txt || fail "a killed rank"

# What is not measured is said, with what to do.
measure 125 $launch -n 2 sleep 0.2
says 'not measured: no MPI call was seen'
rm -rf m
timeout -s INT 1 "$lbrun" measure --out m -- $launch -n 2 sleep 30 >out.txt 2>err.txt && fail "interrupted: exit code 0"
says 'not measured: ended by signal 2, Interrupt: no MPI call was seen'
[ -e m ] && fail "interrupted before anything was measured: a directory is left"

# Interrupted it leaves none of the files that its ranks had in /dev/shm.
rm -rf m
leaves_no_files measure --out m -- $launch -n 2 "$burn" 0.05 2000
if [ -n "$burn_other" ]; then
    rm -rf m
    timeout 60 "$lbrun" measure --out m -- $launch -n 2 "$burn_other" 0.01 2 >out.txt 2>err.txt && fail "another MPI: exit code 0"
    says "not measured: .*burn.* is built with .*, its launcher is that of .*: each rank would run alone; start it with"
fi
measure 125 --mpi $mpi -- sh -c "$launch -n 2 '$burn' 0.01 1; $launch -n 2 '$burn' 0.01 1"
says 'more than one MPI program ran'
measure 0 --mpi $mpi -- sh -c "exec $launch -n 2 '$burn' 0.05 2"
holds 'm["ranks"] == 2 and close(m["imbalance"]["run"], 4 / 3, 0.05)'
echo 'int main(void) { return 0; }' >static.c
if cc -static static.c -o static; then
    measure 125 $launch -n 2 ./static
    says "'./static' is linked statically, so nothing can be measured of it: link it with MPI's shared library"
fi
measure 2 nosuch -n 2 "$burn"
says "'nosuch' is no launcher"
measure 2 mpirun.nowhere -n 2 "$burn"
says "program 'mpirun.nowhere' is not found on PATH"
measure 2 env A=1 $launch -n 2 "$burn"
says "(what is before 'mpirun.$mpi' belongs before lbrun)"

# Another tool that the user preloads sees its calls, and we do.
if [ "$mpi" = openmpi ]; then
    rm -f tool.[01]
    LD_PRELOAD=$tool measure 0 $launch -x TOOL_OUT=tool -n 2 "$burn" 0.01 3
else
    LD_PRELOAD=$tool TOOL_OUT=tool measure 0 $launch -n 2 "$burn" 0.01 3
fi
grep -q '^Allreduce 3$' tool.0 && grep -q '^Allreduce 3$' tool.1 || fail "the tool: $(cat tool.?)"
# Also where the launch line preloads it itself.
rm -f tool.[01]
TOOL_OUT=tool measure 0 $launch -n 2 env LD_PRELOAD="$tool" "$burn" 0.01 3
grep -q '^Allreduce 3$' tool.0 && grep -q '^Allreduce 3$' tool.1 || fail "the tool of env: $(cat tool.?)"
rm -f tool.[01]
case $mpi in
openmpi) measure 0 $launch -x TOOL_OUT=tool -x LD_PRELOAD="$tool" -n 2 "$burn" 0.01 3 ;;
mpich) TOOL_OUT=tool measure 0 $launch -genv LD_PRELOAD "$tool" -n 2 "$burn" 0.01 3 ;;
esac
grep -q '^Allreduce 3$' tool.0 && grep -q '^Allreduce 3$' tool.1 || fail "the tool of the line: $(cat tool.?)"
holds 'm["mpi_calls"] == 8'

# A disk that is full: said, and the program goes on to its end.
cat >full.sh <<'END'
mount -t tmpfs -o size=$1 tmpfs full || exit 77
lbrun=$2
shift 2
timeout 120 "$lbrun" measure --out full/m -- "$@"
END
mkdir -p full
for size in 64k 1500k; do
    rm -rf m
    unshare -m sh full.sh $size "$lbrun" $launch -n 2 "$burn" 0.01 3 >out.txt 2>err.txt
    code=$?
    if [ $code -eq 77 ] || grep -q "not permitted" err.txt; then
        echo "full disk: not tried, needs a mount"
        break
    fi
    [ $code -eq 125 ] || fail "full disk: exit code $code"
    says 'not measured: .*cannot be written: No space left on device'
done

# Libraries for GPUs: the program's own are named, and those that it loads later, not one that MPI brings (here: a tool behind us).
cat >gpu.c <<'END'
#include <dlfcn.h>
#include <mpi.h>
int main(int argc, char **argv)
{
        MPI_Init(&argc, &argv);
        if (argc > 1)
                dlopen("libze_loader.so.1", RTLD_NOW);
        MPI_Finalize();
}
END
cat >brings.c <<'END'
#include <dlfcn.h>
#include <mpi.h>
int MPI_Init(int *argc, char ***argv)
{
        dlopen("libhsa-runtime64.so.1", RTLD_NOW);
        return PMPI_Init(argc, argv);
}
END
for library in libcudart.so.12 libhsa-runtime64.so.1 libze_loader.so.1; do
    echo "int a_name_of_it_$(echo $library | tr -dc a-z);" | ${CC:-cc} -shared -fPIC -x c - -Wl,-soname,$library -o $library || exit 1
done
mpicc.$mpi -w -shared -fPIC brings.c -o brings.so && mpicc.$mpi -w gpu.c -o gpu-none &&
    mpicc.$mpi -w gpu.c -Wl,--no-as-needed ./libcudart.so.12 -o gpu-linked || exit 1
for row in "none - :" "linked - :CUDA" "none later :oneAPI" "linked later :CUDA, oneAPI"; do
    set -- $row
    argument=$2
    [ "$2" = - ] && argument=
    LD_LIBRARY_PATH=$PWD LD_PRELOAD=$PWD/brings.so measure 0 $launch -n 2 ./gpu-$1 $argument
    holds "m['gpu_libraries'] == '${row#*:}'"
done

# Fortran, each way.
if command -v mpifort.$mpi >/dev/null && command -v gfortran >/dev/null; then
    for way in HEADER MODULE MODULE_08; do
        mpifort.$mpi -O1 -D$way "$source/tests/real/measure/burn.F90" -o burn-$way || exit 1
        measure 0 $launch -n 4 ./burn-$way
        holds "$truth and m['mpi_calls'] == 24 and m['iterations']['count'] == 4"
        holds "m['sites'][0]['module'].endswith('burn-$way')"
    done
fi

# Python, where mpi4py is of this MPI.
cat >burn.py <<'END'
import time
from mpi4py import MPI
for step in range(5):
    end = time.thread_time() + 0.1 * (MPI.COMM_WORLD.rank + 1)
    while time.thread_time() < end:
        pass
    MPI.COMM_WORLD.Barrier()
END
python=
for each in python3 /usr/bin/python3; do
    command -v $each >/dev/null && $each -c 'import mpi4py' 2>/dev/null && python=$each && break
done
vendor=$([ -n "$python" ] && $python -c 'from mpi4py import MPI; print(MPI.get_vendor()[0])' 2>/dev/null)
case "$mpi $vendor" in
"openmpi Open MPI" | "mpich MPICH")
    measure 0 $launch -n 4 $python burn.py
    holds 'm["ranks"] == 4 and close(m["imbalance"]["run"], 1.6, 0.01)' # starting Python's module is some load
    holds 'm["sites"][0]["call"] == "MPI_Barrier" and m["sites"][0]["place"] == "burn.py:7" and m["sites"][0]["calls"] == 20'
    ;;
esac
[ "$failures" -eq 0 ]
