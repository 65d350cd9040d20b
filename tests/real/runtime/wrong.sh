#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Wrong use of the runtime in real jobs ends the job, with a message; a program's own end is as it would be.
# Usage: wrong.sh LBRUN WRONG_USE CHAMELEON_CALLS
set -u
lbrun=$1 wrong=$2 calls=$3
. "$(dirname "$0")/../job.sh"
with_mpi_in_process

# run WORD...: lbrun with these, of which nothing is left in /dev/shm; its exit code
run() {
    timeout 60 sh -c 'echo $$ >pid.txt && exec "$@"' sh "$lbrun" --nodes 2 "$@" >out.txt 2>err.txt
    code=$?
    no_segments "$(cat pid.txt)" "$*"
    return $code
}

# says MESSAGE CASE [PROGRAM [CODE]]: the job ends with this code, or any other than 0, and says so.
says() {
    run --cores 4 $system -- "${3:-$wrong}" "$2"
    code=$?
    if [ $code -eq 0 ] || [ $code -eq 124 ] || [ $code -ne "${4:-$code}" ]; then
        fail "$2: exit code $code, expected ${4:-one that is not 0}"
    elif ! grep -q -e "$1" err.txt; then
        fail "$2: no '$1' in its messages"
    fi
}
system="--degree 2 --system global"
expect() {
    beside says "$@"
}

expect 'lbrun_task: access 0: 2000 bytes from .* lie in no block' outside
expect 'lbrun_task: access 0: found mode 7' mode
expect 'lbrun_task: found an argument of 8192 bytes, allowed are 4096' argument
expect 'lbrun_task: no function' no-function
expect 'lbrun_task: found an argument of 8 bytes at NULL' null-argument
expect 'lbrun_task: found 1 accesses at NULL' null-access
expect 'lbrun_task: access 0: 8 bytes from .* on are no memory' null-address
expect 'lbrun_taskwait_on: found 1 accesses at NULL' null-wait
expect 'lbrun_constant: 16 bytes from .* on lie in no block that lbrun_alloc() returned' constant-nowhere
expect 'lbrun_constant: a task that has not finished uses some of the 8 bytes from .* on: lbrun_taskwait() first' constant-used
expect 'lbrun_task: found flags 0x4d, allowed are 0 and LBRUN_HERE' flags
expect 'lbrun_taskloop: found 1 accesses at NULL' null-slice
expect 'lbrun_taskloop: found -1 accesses' slices
expect 'lbrun_taskloop: no range' no-range
expect 'lbrun_taskloop: found iterations -9223372036854775808 to' long-range
expect 'lbrun_taskloop: slice 0: a stride of 18446744073709551608 bytes in 4 iterations' backwards
expect 'lbrun_taskloop: slice 0 reduces 8 of every 16 bytes' reduces-gaps
expect 'lbrun_task: access 0: 8 bytes from .* one reduces: allowed is its own value, lbrun_private()' reads-reduced
expect 'lbrun_task: access 0: 8 bytes from .* one reduces: allowed is its own value, lbrun_private()' reduces-reduced
expect 'lbrun_world: called by a task in a helper rank, which is no part of it; .*LBRUN_HERE' world-in-task
expect 'lbrun_fail: no text' fail-null
expect 'exit: the program ended without lbrun_stop()' exit
# The exit code is the program's: of the first rank to fail, whatever the others do; 1 where it says that all is well.
exits() { # CODE CASE
    expect 'exit: the program ended without lbrun_stop()' "$2" "$wrong" "$1"
}
exits 1 leave
exits 6 leave-6
exits 11 return-11
exits 6 exit-6
expect 'rank .*' abort
expect 'lbrun_alloc: called from a task' alloc-in-task
expect 'access 0, which is weak, overlaps access 1' weak-twice
expect 'lbrun_free: .* was not allocated by lbrun_alloc()' free
expect 'lbrun_free: a task that has not finished uses .*: lbrun_taskwait() first' free-used
expect 'lbrun_alloc: no room for 70368744177664 bytes in 64 GiB' too-much
expect 'lbrun_taskwait: called before lbrun_start()' early
expect 'rank 3: lbrun_taskwait: called before lbrun_start()' early-last
expect 'pthread_exit: called in a task' end-thread
expect 'MPI_Finalize: called before lbrun_stop()' finalize

# The same of CHAMELEON's calls, whose programs have no helpers.
expect 'chameleon_init: MPI_COMM_WORLD has helper ranks, .* start it with lbrun --system chameleon' null-task "$calls"
system="--system chameleon"
expect 'chameleon_create_task: no function' null-function "$calls"
expect 'chameleon_create_task: the arguments are at NULL' null-arguments "$calls"
expect 'chameleon_create_task: a task has 0 to 64 arguments' many-arguments "$calls"
expect 'chameleon_create_task: an argument that is mapped is at NULL' null-mapped "$calls"
expect 'chameleon_add_task: no task' null-task "$calls"
system="--degree 2 --system global"

# What helpers never take part in is refused, with the line to change; with their number zero it is fine.
place='call it on lbrun_world() instead, at [a-z_]* (wrong_use.c:[0-9]*)'
expect "MPI_Barrier: called on MPI_COMM_WORLD, .*; $place" world
expect "MPI_Iallreduce: called on MPI_COMM_WORLD, .*; $place" world-start
expect "MPI_Allreduce: called on a communicator made from MPI_COMM_WORLD, .*; $place" world-early
# ends_well WORD...: of lbrun and the program
ends_well() {
    run "$@" || fail "$*: exit code $?"
}
beside ends_well --cores 4 --degree 1 --system dlb -- "$wrong" world

# A rank that stops first leaves its node's only core to the helper there, whose task another rank waits for.
for name in global tight dynamic; do
    beside ends_well --quiet --cores 1 --degree 2 --system $name -- "$wrong" stop-early
done

# The program's MPI_Abort() gives the exit code.
expect 'exit code 9\|Abort(9)' abort-world "$wrong" 9

# What MPI_Comm_spawn() starts is no part of the job, and runs alone. MPICH as packaged does not spawn.
case $wrong in
*openmpi) beside ends_well --cores 4 --degree 2 -- "$wrong" spawn ;;
esac
all_ended
[ "$failures" -eq 0 ]
