#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# lbrun --fill: the second job takes nothing of the program's, is no part of what is balanced, ends when the job is told
# to, wherever that is, and how it ended is said. A job that is told to end waits for no prediction that takes long.
# Usage: fill.sh MPI LBRUN LOADS
set -u
mpi=$1 lbrun=$2 loads=$3
. "$(dirname "$0")/../job.sh"
set_launch
make_work
cd "$work" || exit 1
needs_two_cpus

# fill COMMAND STEPS: what sleeps, so that other work does not change it, and leaves a CPU
fill() {
    echo kept | timeout 120 "$lbrun" --system packing $free --report report.json --fill "$1" -- \
        $launch -n 2 "$loads" rest "$2" 0.02 1 0.05 >out.txt 2>err.txt || fail "$1: exit code $?"
}

fill 'cat >eaten; echo read >>eaten; exit 3' 60
[ "$(cat eaten)" = read ] || fail "standard input of the program: $(cat eaten)"
grep -q '^lbrun: --fill: the second job ended with exit code 3$' err.txt || fail "exit code 3"
fill 'kill -9 $$' 60
grep -q '^lbrun: --fill: the second job was ended by signal 9, Killed$' err.txt || fail "killed"
fill 'touch none' 2
grep -q '^lbrun: --fill: no CPU of this machine was free: the second job did not run$' err.txt || fail "not run"

fill "$launch -n 2 '$loads' rest 30 0.01 1 1 >second" 60
[ -s second ] || fail "a job of MPI: $(cat second)"
python3 -c 'import json; r = json.load(open("report.json")); assert r["ranks"] == 2 and len(r["nodes"]) == 1, r' ||
    fail "ranks of the second job were balanced"

# The program runs for long, or has ended.
for steps in 3000 60; do
    for signal in TERM INT HUP; do
        rm -f begun
        setsid env --default-signal=INT timeout --foreground 120 "$lbrun" --system packing $free \
            --fill 'sleep 300 & echo $! >begun; setsid sleep 300' -- \
            $launch -n 2 "$loads" rest $steps 0.02 1 0.05 >out.txt 2>err.txt &
        job=$!
        for round in $(seq 300); do
            [ ! -s begun ] || break
            sleep 0.1
        done
        [ $steps = 3000 ] || sleep 2.5
        child=$(pgrep -P $job)
        kill -$signal $child
        ended=
        for round in $(seq 200); do
            kill -0 $child 2>/dev/null || { ended=1; break; }
            sleep 0.1
        done
        [ -n "$ended" ] || fail "SIG$signal, $steps steps: it goes on"
        [ -n "$ended" ] || kill -KILL $child
        wait $job
        kill -0 "$(cat begun)" 2>/dev/null && fail "SIG$signal, $steps steps: the second job goes on"
        grep -q 'the second job was ended by signal' err.txt || fail "SIG$signal, $steps steps"
    done
done

# An lbsim that does not come to its end, beside this lbrun: told before it is asked, and after.
mkdir bin
cp "$lbrun" bin/lbrun
ln -s "$(dirname "$lbrun")/lib" bin/lib
printf '#!/bin/sh\necho $$ >asked\nexec sleep 100\n' >bin/lbsim
chmod +x bin/lbsim
for steps in 3000 60; do
    rm -f asked
    setsid timeout --foreground 120 bin/lbrun --system packing $free --report report.json -- \
        $launch -n 2 "$loads" rest $steps 0.02 1 0.05 >out.txt 2>err.txt &
    job=$!
    for round in $(seq 100); do
        [ $steps = 3000 ] && [ $round -gt 30 ] || [ -s asked ] && break
        sleep 0.1
    done
    child=$(pgrep -P $job)
    kill -TERM $child
    for round in $(seq 150); do
        kill -0 $child 2>/dev/null || break
        sleep 0.1
    done
    [ -s asked ] || fail "$steps steps: lbsim was not asked"
    [ $round -lt 150 ] || fail "$steps steps: a prediction is waited for"
    [ $round -lt 150 ] || kill -KILL $child
    wait $job
    kill -0 "$(cat asked)" 2>/dev/null && fail "$steps steps: lbsim goes on"
    grep -q '"complete"' report.json || fail "$steps steps: no report"
done
exit $((failures > 0))
