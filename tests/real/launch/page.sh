#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# lbrun --html: a live job's page has its cores over time, its moves and figures, and is fine in a browser; a page that
# cannot be is refused. Usage: page.sh LBRUN PROGRAM CHECK_PAGE
set -u
lbrun=$1 program=$2 check=$3
. "$(dirname "$0")/../job.sh"
rm -rf page_work
mkdir page_work
cd page_work || exit 1
timeout 300 "$lbrun" --quiet --virtual --nodes 2 --cores 2 --degree 2 --system local --compare --html live.html -- \
    "$program" --imbalance 1.5 --iterations 4 --tasks-per-core 4 --task-ms 30 >out.txt 2>err.txt || fail "the job"
for words in 'class="lead">Under local an iteration takes' 'Cores that each apprank owns' 'Cores that execute its tasks' \
    '<span>node 1</span>' 'Decisions: cores that changed owner' '<td>time_per_iteration_s</td>' '<td>degree</td>' \
    '<pre>.*--system local' '<h2[^>]*>Simulated against live' '<td>tasks away, %</td>' 'Time of each iteration' \
    '>simulated<' '>bound<' '</html>'; do
    grep -q -e "$words" live.html || fail "no '$words' on the page"
done
grep -Eq '(src|href)="?https?:|@import|<link' live.html && fail "the page needs something else"
# four iterations live, and four simulated
[ "$(grep -o '<polyline.*' live.html | grep -o '[0-9.]*,[0-9.]*' | wc -l)" -eq 8 ] || fail "iterations: $(grep '<polyline' live.html)"
# each apprank owns cores: a polygon for each apprank, node and time line
[ "$(grep -c '<polygon' live.html)" -eq 12 ] || fail "$(grep -c '<polygon' live.html) areas in the time lines, not 3 x 2 x 2"
# Of two appranks on two nodes, under a policy that moves no cores to speak of, the one with more work executes tasks on
# cores of the other: there is lending in the last time line, in most iterations (one core owned by each on the other's node).
python3 - <<'END' || fail "the time line of borrowed cores does not go up and down with the iterations"
import re, sys
lines = open('live.html').read().split('class="timeline"')
areas = re.findall(r'<polygon[^>]* points="([^"]*)"', lines[3])
heights = [len(set(zip(a.split()[0::2], a.split()[1::2]))) for a in areas]
sys.exit(max(heights) < 8)
END
[ -s live.html.report.json ] && [ -s live.html.trace.json ] || fail "no report and trace beside it"
python3 "$check" live.html total_s
code=$?
[ $code -eq 0 ] || [ $code -eq 77 ] || fail "the page in a browser"

# A job that is ended before its end has the page of what was measured; one that did not start leaves an older page alone.
cut() { # SIGNAL CODE
    rm -f cut.*
    "$lbrun" --virtual --nodes 2 --cores 2 --degree 2 --system local --html cut.html -- \
        "$program" --iterations 100000 --tasks-per-core 4 --task-ms 10 >out.txt 2>err.txt &
    job=$!
    for round in $(seq 600); do
        grep -q 'iteration 1:' out.txt && break
        sleep 0.1
    done
    kill -"$1" $job
    wait $job
    code=$?
    [ $code -eq "$2" ] || fail "SIG$1: code $code"
    for words in 'class="lead">Under local an iteration takes' 'ended before its end' '<span>node 1</span>' '</html>'; do
        grep -q -e "$words" cut.html || fail "SIG$1: no '$words' on the page"
    done
}
cut INT 130
cut TERM 143
cut HUP 129
# Where a rank is killed without a word there is the same page, which says whose end it was.
rm -f cut.*
copy=$PWD/killed-$$
cp "$program" "$copy"
"$lbrun" --virtual --nodes 2 --cores 2 --degree 2 --html cut.html -- \
    "$copy" --iterations 100000 --tasks-per-core 4 --task-ms 10 >out.txt 2>err.txt &
job=$!
for round in $(seq 600); do
    grep -q 'iteration 9:' out.txt && break
    sleep 0.1
done
for process in /proc/[0-9]*; do
    [ "$(readlink "$process/exe")" != "$copy" ] || rank=${process#/proc/}
done 2>/dev/null
kill -KILL "$rank"
wait $job
code=$?
rm -f "$copy"
[ $code -eq 137 ] || fail "a killed rank: code $code"
for words in 'ended before its end, since .*signal 9' 's after its start' '<td>total_s</td>' '<span>node 1</span>' '</html>'; do
    grep -q -e "$words" cut.html || fail "a killed rank: no '$words' on the page"
done
echo older >cut.html
"$lbrun" --quiet --virtual --nodes 2 --cores 2 --html cut.html -- ./missing >out.txt 2>err.txt &&
    fail "a program that is missing ends well"
[ "$(cat cut.html)" = older ] || fail "a job that did not start has a page"

"$lbrun" --quiet --virtual --nodes 2 --cores 2 --html x.html --trace x.prv -- "$program" >out.txt 2>err.txt
[ $? -eq 2 ] && grep -q 'must be FILE.json' err.txt || fail "a Paraver trace is refused"
[ $failures -eq 0 ] || exit 1
