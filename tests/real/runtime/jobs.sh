#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# More real jobs: graphs of tasks of all kinds are executed as if serially, in the right order, also without
# lbrun; a rank that dies at any moment ends its job, and nothing is left of it.
# Usage: jobs.sh LBRUN MPIRUN GRAPHS ORDER DIES
set -u
lbrun=$1 mpirun=$2 graphs=$3 order=$4 dies=$5
. "$(dirname "$0")/../job.sh"
with_mpi_in_process
seed=0

# good WORDS COMMAND...: ends well, and says so.
good() {
    words=$1
    shift
    timeout 120 "$@" >out.txt 2>err.txt
    code=$?
    if [ $code -ne 0 ] || ! grep -q -x -e "$words" out.txt; then
        fail "$*: exit code $code"
        cat out.txt err.txt
    fi
}

graph() {
    seed=$((seed + 10))
    good 'as if serial' "$lbrun" --quiet "$@" -- "$graphs" $seed 4
}

graph --nodes 1 --cores 1 --degree 1 --system baseline
graph --nodes 1 --cores 3 --degree 1 --system dlb --appranks-per-node 2 --param poll_s=0.01
graph --nodes 2 --cores 2 --degree 2 --system local --param poll_s=0.01
graph --nodes 3 --cores 4 --degree 3 --system global --param poll_s=0.01 --param system.period_s=0.05
graph --nodes 2 --cores 6 --degree 2 --system local --appranks-per-node 2 --lewi off --param poll_s=0.01
graph --nodes 2 --cores 6 --degree 2 --system local --appranks-per-node 2 --drom off --param spin_us=0
graph --nodes 4 --cores 4 --degree 3 --system global --load cpu --param poll_s=0.01 --param ownership=boundary
graph --nodes 3 --cores 4 --system dynamic --param poll_s=0.01 --param grow_period_s=0.02 --param grow_idle_s=0.05 --param grow_gain=0
graph --nodes 3 --cores 2 --system chameleon
graph --nodes 2 --cores 2 --system chameleon --appranks-per-node 2 --param migrate=least --param exchange_us=0

good 'in order' "$lbrun" --quiet --nodes 1 --cores 1 --degree 1 --system baseline --param spin_us=0 -- "$order"
good 'in order' "$lbrun" --quiet --nodes 1 --cores 4 --degree 1 --system dlb -- "$order"
good 'in order' "$lbrun" --quiet --nodes 2 --cores 2 --degree 2 --system local -- "$order"
good 'in order' "$lbrun" --quiet --nodes 2 --cores 1 --system chameleon -- "$order"

# Nobody listens, and nobody speaks.
"$lbrun" --nodes 2 --cores 2 --degree 2 -- "$order" <&- >&- 2>&- || fail "without standard streams: exit code $?"

# Without lbrun every rank is alone, with one core.
good 'as if serial' $mpirun -n 2 "$graphs" 7 3
good 'in order' $mpirun -n 1 "$order"

# Rank 0 decides, 1 is a helper or at home, on the other node or not.
copy=$(pwd)/dies-$$
cp "$dies" "$copy"
# dies RANK DELAY_MS options: of a job of 4 ranks.
dies() {
    rank=$1 delay_ms=$2
    shift 2
    "$lbrun" "$@" -- "$copy" $rank $delay_ms >out.txt 2>err.txt &
    lbrun_pid=$!
    wait $lbrun_pid
    code=$?
    # While MPI starts it may end the job itself, and says of which rank it has not heard.
    if [ $code -ne 0 ] && ! grep -q -e "rank $rank" -e 'internal_Init' err.txt; then
        fail "rank $rank dies after $delay_ms ms: exit code $code, and it is not named"
    fi
    for process in /proc/[0-9]*; do
        [ "$(readlink "$process/exe")" != "$copy" ] || fail "rank $rank, $delay_ms ms: process ${process#/proc/} is left"
    done 2>/dev/null
    ! ls /dev/shm 2>/dev/null | grep "^lbrun-$(id -u)-$lbrun_pid-" || fail "rank $rank, $delay_ms ms: segments are left"
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
    { "$lbrun" --nodes 2 --cores 4 --degree 2 -- "$copy" "$@" >out.txt; echo $? >code.txt; } 2>&1 | head -n 1 >err.txt
    [ "$(cat code.txt)" -eq $expected ] || fail "messages not read, $*: exit code $(cat code.txt), not $expected"
}

unread 0 none
unread 142 0 50 started
unread 142 3 50 started
rm -f "$copy"
[ "$failures" -eq 0 ]
