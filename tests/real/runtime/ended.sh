#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# A job that is told to end (time limit, scancel, Ctrl-C) writes the report, loads, trace and decisions that there
# are, however it is told; --report-every writes while it runs. Usage: ended.sh LBRUN LBSIM SYNTHETIC
set -u
lbrun=$1 lbsim=$2 synthetic=$3
checker=$(cd "$(dirname "$0")/../../plots" && pwd)/check_prv.py
. "$(dirname "$0")/../job.sh"
with_mpi_in_process
copy=$PWD/long-running-$$
cp "$synthetic" "$copy"
trap 'rm -f "$copy"' EXIT

# begin [options]: a job that would last for an hour; returns when two iterations are over.
begin() {
    rm -f r.json l.csv t.prv d.0 d.1 out.txt err.txt
    "$lbrun" --nodes 2 --cores 2 --degree 2 --system global --param poll_s=0.05 --param period_s=0.1 "$@" -- \
        "$copy" --iterations 100000 --tasks-per-core 10 --task-ms 4 >out.txt 2>err.txt &
    lbrun_pid=$!
    for round in $(seq 600); do
        grep -q 'iteration 1:' out.txt 2>/dev/null && return
        sleep 0.1
    done
    fail "the job does not start"
}

ranks() { # their processes
    for process in /proc/[0-9]*; do
        [ "$(readlink "$process/exe")" != "$copy" ] || echo "${process#/proc/}"
    done 2>/dev/null
}

# check CODE HOW: what is written is of the iterations so far, and nobody is left.
check() {
    wait $lbrun_pid
    code=$?
    [ "$1" = any ] && [ $code -ne 0 ] || [ $code = "$1" ] || fail "$2: exit code $code"
    [ -z "$(ranks)" ] || fail "$2: ranks are left"
    grep -q '^ended before its end: figures are of the [1-9]' out.txt || fail "$2: no report is printed"
    python3 "$checker" t.prv >trace.json || fail "$2: the trace"
    python3 - r.json l.csv trace.json <<'END' || fail "$2: the report"
import json, sys
r = json.load(open(sys.argv[1]))
rows = open(sys.argv[2]).read().splitlines()
assert r["complete"] is False and r["iterations"] >= 1 and r["tasks"] > 0 and r["total_s"] > 0, r
assert len(rows) == 1 + 2 * r["iterations"], rows
trace = json.load(open(sys.argv[3]))
assert trace["events"] > 0 and trace["running_s"] > 0, trace
END
    "$lbsim" replay d >replay.txt || fail "$2: the decisions: $(cat replay.txt)"
    grep -q '^global' replay.txt || fail "$2: no decisions"
}

all="--report r.json --loads l.csv --trace t.prv --decisions d"
for signal in TERM:143 INT:130 HUP:129; do
    begin $all
    kill -"${signal%:*}" $lbrun_pid
    check "${signal#*:}" "SIG${signal%:*} to lbrun"
    grep -q '"ended_by": "\(signal \|a signal to \)' r.json || fail "SIG${signal%:*} to lbrun: the report does not say by what"
done

# As batch systems do: all processes at once, ranks included; or one rank is told.
begin $all
kill -TERM $(ranks)
check any "SIGTERM to all ranks"
begin $all
kill -TERM $(ranks | head -n 1)
check any "SIGTERM to one rank"

# A rank that is killed without a word has left what it measured to lbrun, which says whose end it was.
for which in 1 3; do
    begin $all --param poll_s=0.02
    kill -KILL $(ranks | sed -n ${which}p)
    check 137 "SIGKILL to a rank"
    python3 -c 'import json; r = json.load(open("r.json")); assert "signal 9" in r["ended_by"] and 0 < r["until_s"] < 3600, r' ||
        fail "SIGKILL to a rank: who, and when"
done

# Where lbrun is killed, there is what was written last.
begin --report r.json --loads l.csv --report-every 0.2
for round in $(seq 600); do
    [ -s r.json ] && [ -s l.csv ] && break
    sleep 0.1
done
kill -KILL $lbrun_pid
wait $lbrun_pid
python3 -c 'import json; r = json.load(open("r.json")); assert r["complete"] is False, r' || fail "--report-every"
head -n 1 l.csv | grep -q '^iteration,apprank,work_s,tasks$' || fail "--report-every: the loads"
for round in $(seq 600); do
    [ -z "$(ranks)" ] && break
    sleep 0.1
done

# A job that comes to its end is complete, however often it was written before; --quiet prints nothing of it.
timeout 100 "$lbrun" --quiet --nodes 2 --cores 2 --degree 2 --report r.json --report-every 0.05 -- "$copy" --iterations 3 \
    --tasks-per-core 20 --task-ms 10 >out.txt 2>err.txt || fail "--quiet: exit code $?"
python3 -c 'import json; r = json.load(open("r.json")); assert r["complete"] is True and r["iterations"] == 3, r' ||
    fail "a whole job"
grep -q 'bound' out.txt && fail "--quiet prints the report"
[ -s err.txt ] && fail "--quiet says something"

"$lbrun" --report-every 5 -- "$copy" >out.txt 2>err.txt
[ $? -eq 2 ] && grep -q -e '--report-every needs a file' err.txt || fail "--report-every without a file"
[ $failures -eq 0 ]
