#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# lbrun --system dpb|dlb of several programs, of C++'s and Fortran's multizone, whose results do not depend on who has how
# many CPUs, and of what is told to the OpenMP library.
#
# zones.sh MPI LBRUN LBSIM SOURCE...    SOURCE: team.c; multizone-plain-MPI; multizone-fortran-MPI or ""
mpi=$1 lbrun=$2 lbsim=$3 source=$4 multizone=$5 fortran=$6
. "$(dirname "$0")/hybrid.sh"

# gcc's teams can be told how long to spin before they begin alone, unless the user says how they wait.
# What is no MPI program is not balanced, but has its environment.
spins() {
    expected=$1
    shift
    "$@" -n 2 sh -c 'env | grep ^GOMP_SPIN || echo as ever' >"$work/out" 2>&1
    [ "$(grep -c "^$expected\$" "$work/out")" = 2 ] || die "$*: not told to spin $expected"
}
spins 'GOMP_SPINCOUNT=[1-9][0-9]*' env OMP_NUM_THREADS=1 "$lbrun" --system dlb -- $launch
[ "$(nproc)" -lt 2 ] || ! grep -q '=1000$' "$work/out" || die "one thread a rank: told to spin as where there are more than CPUs"
spins GOMP_SPINCOUNT=1000 env OMP_NUM_THREADS=$(nproc) "$lbrun" --system dlb -- $launch
spins GOMP_SPINCOUNT=1000 env -u OMP_NUM_THREADS "$lbrun" --system dpb -- $launch
spins 'GOMP_SPINCOUNT=[1-9][0-9]*' env OMP_NUM_THREADS=$(nproc) PE_HOSTFILE=/dev/null "$lbrun" --system dpb -- $launch
! grep -q '=1000$' "$work/out" || die "on machines that are not known: told to spin as where there are more threads than CPUs"
spins 'as ever' env OMP_WAIT_POLICY=active "$lbrun" --system dlb -- $launch
spins GOMP_SPINCOUNT=77 env GOMP_SPINCOUNT=77 "$lbrun" --system dpb -- $launch

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
compile gcc "$source" "$work/team"
timeout 300 "$lbrun" --system dpb --param node_cpus=8 --param loss_part=10 -- $launch -n 1 "$work/none" : -n 1 "$work/team" free 20 \
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
