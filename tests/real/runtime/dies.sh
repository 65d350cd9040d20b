#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# A rank that dies at any moment ends its job, and nothing is left of it.
# Usage: dies.sh LBRUN DIES
set -u
lbrun=$1 dies=$2
. "$(dirname "$0")/../job.sh"
with_mpi_in_process

# Of a job of 4 ranks, whose program is one of its own: rank 0 decides, 1 is a helper or at home, on the other node or not.
# dies RANK DELAY_MS options
dies() {
    beside left_by "$@"
}

left_by() {
    rank=$1 delay_ms=$2 copy=$PWD/dies
    shift 2
    cp "$dies" "$copy"
    "$lbrun" "$@" -- "$copy" $rank $delay_ms >out.txt 2>err.txt &
    lbrun_pid=$!
    wait $lbrun_pid
    code=$?
    # While MPI starts it may end the job itself, and says of which rank it has not heard.
    if [ $code -ne 0 ] && ! grep -q -e "rank $rank" -e 'internal_Init' err.txt; then
        fail "rank $rank dies after $delay_ms ms: exit code $code, and it is not named"
    fi
    left=$(find /proc/[0-9]*/exe -maxdepth 0 -lname "$copy" 2>/dev/null)
    [ -z "$left" ] || fail "rank $rank, $delay_ms ms: left are $left"
    no_segments $lbrun_pid "rank $rank, $delay_ms ms"
}

for delay_ms in 1 60 130 210 300 450 700 1000 1400; do
    dies $(((delay_ms / 10 + 1) % 4)) $delay_ms --nodes 2 --cores 4 --degree 2 --system global
done
# Of system dynamic ranks 1 and 3 are helpers, asleep or not.
dies 2 600 --nodes 2 --cores 4 --system dynamic
dies 1 300 --nodes 2 --cores 4 --system dynamic
dies 3 900 --nodes 2 --cores 4 --system dynamic --param grow_period_s=0.05 --param grow_gain=0
dies 3 400 --nodes 4 --cores 1 --system chameleon --param replicate_share=0.8
for delay_ms in 200 500 900; do
    dies $((delay_ms / 100 % 4)) $delay_ms --nodes 4 --cores 1 --system chameleon
done

# Whoever reads lbrun's messages may leave before it has said all, and what ranks print there: the exit code is the
# same, as mpirun still writes to lbrun. (MPICH's would die of that, and ranks with it, whose end may be known first.)
# unread CODE ARGUMENTS: of the program
unread() {
    expected=$1
    shift
    { "$lbrun" --nodes 2 --cores 4 --degree 2 -- "$dies" "$@" >out.txt; echo $? >code.txt; } 2>&1 | head -n 1 >err.txt
    [ "$(cat code.txt)" -eq $expected ] || fail "messages not read, $*: exit code $(cat code.txt), not $expected"
}

beside unread 0 none
beside unread 142 0 50 started
beside unread 142 3 50 started
all_ended
[ "$failures" -eq 0 ]
