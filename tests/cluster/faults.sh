#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Faults on one of four nodes of a job: it ends soon, with the node or the rank named and the exit code of
# that, and nothing is left on the others; what is measured is written where the job is told to end.
set -u
. "$(dirname "$0")/common.sh"
long="--iterations 100000 --tasks-per-core 10"
printf 'n1:2\nn2:2\nn3:2\nn4:2\n' >hosts
printf 'n1:2\nn2:2\nn5:2\n' >hosts.5
printf 'n1:2\nn2:2\nn6:2\n' >hosts.6
printf 'n1:2\nn2:2\nn7:2\n' >hosts.7

# start WORD...: lbrun on n1, until its program is at work
start() {
    : >out
    python3 "$here/cluster.py" on n1 "exec timeout 100 $lbrun $*" >out 2>err &
    job=$!
    for round in $(seq 300); do
        grep -q 'iteration 3' out && return
        sleep 0.2
    done
    fail "the job did not start"
}

# begin HOSTS OPTION...: a job that runs until something happens to it
begin() {
    file=$1
    shift
    start "--hostfile $file --degree 2 --system local $* $(agent) -- $synthetic $long"
}

# ends CODE TEXT: within ten seconds (and some, where the machine is busy), saying that. On a busy machine a rank of
# MPICH's may abort for a lost partner before that loss is known, and its launcher has killed all keepers then: as
# for any error of MPI's own (the printed one), lbrun has the launcher's code alone.
ends() {
    since=$(date +%s)
    wait $job
    code=$?
    took=$(($(date +%s) - since))
    [ $took -lt 40 ] || fail "it took $took s"
    if [ "$MPI" = mpich ] && [ $code -eq 15 ] && grep -q 'Other MPI error' err; then
        says 'mpirun ended with exit code 15'
        return
    fi
    [ $code -eq $1 ] || fail "exit code $code, not $1"
    says "$2"
}

# process NAME NODE: number of its first process of that name there
process() {
    on $2 "pgrep -x -o $1"
}

node_fault() {
    begin hosts.$2 ${3:-}
    python3 "$here/cluster.py" $1 n$2
    ends 137 "lbrun: host n$2, node 2, "
    clean n1 n2
}

node_fault fail 5
node_fault lose 6
node_fault hang 7 "--hung-s 12"

# What was measured until then is written, of all nodes.
is_written() {
    python3 - <<'END' || fail "what was measured is not written"
import json
r, t = json.load(open("killed.json")), json.load(open("killed.trace.json"))
assert r["complete"] is False and r["iterations"] >= 1 and r["nodes"] == 4 and 0 < r["until_s"] < 3600, r
assert {e["pid"] for e in t["traceEvents"] if e["ph"] == "X"} >= {0, 1, 2, 3}, "nodes of the trace"
END
}
killed="--report killed.json --trace killed.trace.json"

# A rank on another node: named with its node, its signal is the exit code.
rm -f killed.*
begin hosts $killed
on n3 'kill -KILL $(pgrep -o -x synthetic-.*)'
ends 137 'rank [45], .* of apprank [0-9] on host n3, node 2, was ended by signal 9'
is_written
clean n1 n2 n3 n4

# A keeper there, with its rank.
rm -f killed.*
begin hosts $killed
on n4 'kill -KILL $(ps -o ppid= $(pgrep -o -x synthetic-.*))'
ends 137 'the keeper of rank [67], .* on host n4'
is_written
clean n1 n2 n3 n4

# The same where what is known of that node comes after what the launcher does to others for it: its post stands
# still for a moment.
begin hosts
on n4 'for p in $(pgrep -x lbrun); do [ $(ps -o sid= $p) = $p ] || [ $(ps -o ppid= $p) -gt 1 ] || kill -STOP $p; done
    kill -KILL $(ps -o ppid= $(pgrep -o -x synthetic-.*)); sleep 1; pkill -CONT -x lbrun'
ends 137 'the keeper of rank [67], .* on host n4'
clean n1 n2 n3 n4
begin hosts
on n3 'for p in $(pgrep -x lbrun); do [ $(ps -o sid= $p) = $p ] || [ $(ps -o ppid= $p) -gt 1 ] || kill -STOP $p; done
    kill -KILL $(pgrep -o -x synthetic-.*); sleep 1; pkill -CONT -x lbrun'
ends 137 'rank [45], .* of apprank [0-9] on host n3, node 2, was ended by signal 9'
clean n1 n2 n3 n4

# The post of a node: the next takes its place, and the job goes on to its end by a signal, which goes to
# the ranks of all nodes, so that the report is whole.
rm -f report.json
begin hosts --report report.json
on n3 'for p in $(pgrep -x lbrun); do [ $(ps -o sid= $p) = $p ] || [ $(ps -o ppid= $p) -gt 1 ] || kill -KILL $p; done'
sleep 4
on n1 'kill -TERM $(pgrep -o -x lbrun)'
ends 143 'ended by signal 15'
python3 -c 'import json; assert json.load(open("report.json"))["iterations"]' || fail "no report"
clean n1 n2 n3 n4

# MPICH's proxy of a node, by a signal of which its launcher is told nothing, of a program as it is, which has nobody
# else: MPI may end the ranks, or they and the launcher would wait for ever, and the node is named.
lost_proxy() {
    node=$1
    shift
    rm -rf measured
    start "$* -- mpirun.mpich -launcher-exec $here/ssh -hosts n1:2,n2:2,n3:2 -n 6 $plain $long"
    on $node 'kill -PIPE $(pgrep -o -x hydra_pmi_proxy)'
    wait $job
    code=$?
    case $code in 0 | 124) fail "the proxy on $node: exit code $code" ;; esac # the second: it did not end
    if grep -q 'the launcher waits: it is killed' err; then
        says "for host $node has ended before the ranks there"
    fi
    clean n1 n2 n3
}

if [ "$MPI" = mpich ]; then
    for node in n1 n2 n3 n2; do
        lost_proxy $node measure --out measured
    done
    lost_proxy n3 --quiet --system packing
    lost_proxy n1 --quiet --system dpb
    lost_proxy n2 --quiet --system dlb
fi

# All of a node's at once: the next job would clean up, or an epilog.
begin hosts
on n2 'pkill -KILL -x "lbrun|synthetic.*|orted|hydra_pmi_proxy"'
wait $job
on n2 "$lbrun clean" >out
says "files removed"
clean n1 n2 n3 n4

# lbrun itself: nodes end what is theirs.
begin hosts
on n1 'kill -KILL $(pgrep -o -x lbrun)'
wait $job
clean n1 n2 n3 n4
finish
