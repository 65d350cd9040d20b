#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# A node that stands still and goes on is named, and the job goes on, too; one that does not is ended where --hung-s says
# so; one that does before the start is named; one that is cut off is lost.
set -u
. "$(dirname "$0")/common.sh"
printf 'n1:2\nn2:2\n' >hosts

# begin OPTION...: a job that runs until something happens to it
begin() {
    : >out
    python3 "$here/cluster.py" on n1 "exec timeout 100 $lbrun --hostfile hosts --quiet --degree 2 --param finalize_s=2 --param node_s=3 $* $(agent) -- $synthetic --iterations 100000 --tasks-per-core 10" >out 2>err &
    job=$!
    await 'iteration 3:' out || fail "the job did not start"
}

# await TEXT FILE: until it is there, a minute at most
await() {
    for round in $(seq 300); do
        grep -q "$1" $2 && return
        sleep 0.2
    done
    return 1
}

begin
# A job that takes the same processors says so.
timeout 60 python3 "$here/cluster.py" on n1 "$lbrun --hostfile hosts --quiet --degree 2 --param finalize_s=2 $(agent) -- $synthetic --iterations 1 --tasks-per-core 4" >out2 2>err2
grep -q 'another job runs on 2 of the 2 processors that this one takes on host n2' err2 || fail "nothing of the other job: $(cat err2)"
python3 "$here/cluster.py" hang n2
await 'host n2, node 1, has been silent for .* its kernel answers' err || fail "not named"
sleep 3
python3 "$here/cluster.py" go n2
await 'host n2, node 1, does answer again' err || fail "not heard again"
before=$(wc -l <out)
for round in $(seq 100); do
    [ $(wc -l <out) -gt $((before + 5)) ] && break
    sleep 0.2
done
[ $(wc -l <out) -gt $((before + 5)) ] || fail "it does not go on"
on n1 'kill -TERM $(pgrep -o -x lbrun)'
wait $job
code=$?
[ $code = 143 ] || fail "exit code $code, not 143"
clean n1 n2

begin --hung-s 5
python3 "$here/cluster.py" hang n2
wait $job
code=$?
[ $code = 137 ] || fail "exit code $code, not 137"
says 'host n2, node 1, has not answered for .* it is hung'
python3 "$here/cluster.py" go n2
clean n1 n2

# So is one that stands still before the job begins: the launcher waits for it, and for how long is start_s.
python3 "$here/cluster.py" hang n2
try 125 n1 "$lbrun --hostfile hosts --quiet --degree 2 --start-s 4 $(agent) -- $synthetic --iterations 1"
case $MPI in # whose launcher starts no rank before it has reached all nodes
openmpi) says 'mpirun has started no rank for' ;;
*) says 'host n2, node 1, has not been started by mpirun' ;;
esac
python3 "$here/cluster.py" go n2
clean n1 n2

begin
python3 "$here/cluster.py" cut n2
wait $job
code=$?
[ $code = 137 ] || fail "exit code $code, not 137"
says 'host n2, node 1, has not answered for .* down, or cut off'
finish
