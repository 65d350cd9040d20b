#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Bad input ends in a message that names what was found, and exit code 2 (1 where it is not the input's fault).
. "$(dirname "$0")/cli.sh"
scenario >good.json

# Files that are not there, or no scenario.
expect 2 'missing.json' "$lbsim" missing.json
expect 2 "cannot read 'goood.json': No such file or directory, did you mean 'good.json'" "$lbsim" goood.json
expect 2 "did you mean './good.json'" "$lbsim" ./goo
expect 2 "did you mean '/.*/scenarios/imbalance_sweep.json'" "$lbsim" imbalance_swep.json
expect 2 "cannot read 'zzzzzzzz': No such file or directory\$" "$lbsim" zzzzzzzz
expect 2 'no scenario' "$lbsim"
expect 2 . "$lbsim" .
: >empty.json
expect 2 'empty.json' "$lbsim" empty.json
head -c 100 good.json >cut.json
expect 2 'cut.json:[0-9]*:[0-9]*' "$lbsim" cut.json
awk 'BEGIN { for (i = 0; i < 100000; i++) printf "["; }' >deep.json
expect 2 'deep.json' "$lbsim" deep.json
printf '{ "name": "a\0b" }' >nul.json
expect 2 'nul.json' "$lbsim" nul.json
printf '[1, 2]' >list.json
expect 2 'list.json' "$lbsim" list.json

# What some editors and spreadsheets put before UTF-8 is none of the text.
mark() {
    printf '\357\273\277' | cat - "$1"
}
mark good.json >marked.json
"$lbsim" good.json --quiet >plain.txt
expect 0 '' "$lbsim" marked.json --quiet
cmp -s plain.txt out.txt || fail "a byte order mark changes results"
printf 'iteration,apprank,work_s,tasks\n0,0,1,4\n0,1,2,4\n' >plain.csv
mark plain.csv >marked.csv
expect 0 '' "$lbsim" gain marked.csv --cores 4 --quiet --systems baseline
printf 'apprank,seconds,bytes,after\n0,1,0,\n0,1,0,0\n' >plain.csv
mark plain.csv >marked.csv
expect 0 '' "$lbsim" good.json --quiet --set 'sweep={}' --set workload.model=graph --set workload.file=marked.csv \
    --set graph.degree=1 --set platform.nodes=1
printf '{"nodes":2,' >plain.json
mark plain.json >cut.json
expect 2 'cut.json:1:15: not JSON' "$lbsim" cut.json

# change 'SED EXPRESSION' MESSAGE: the good scenario with one thing changed, with file, line, column and pointer.
change() {
    sed "$1" good.json >changed.json
    cmp -s good.json changed.json && fail "nothing changed by: $1"
    expect 2 "changed.json:[0-9][0-9]*:[0-9][0-9]*: .*$2" "$lbsim" changed.json
}
change 's/"nodes": 4/"nodes": 0/' /platform/nodes
change 's/"nodes": 4/"nodes": -4/' /platform/nodes
change 's/"nodes": 4/"nodes": 2.5/' /platform/nodes
change 's/"nodes": 4/"nodes": "four"/' /platform/nodes
change 's/"nodes": 4/"nodse": 4/' 'nodes'
change 's/"cores_per_node": 4/"cores_per_node": 1000000000/' /platform/cores_per_node
change 's/"platform": {[^}]*}/"platform": 3/' /platform
change 's/"name": "global"/"name": "globl"/' global
change 's/"name": "global"/"name": 7/' /system/name
change 's/"imbalance": 2.0/"imbalance": 0.5/' /workload/imbalance
change 's/"imbalance": 2.0/"imbalance": 1e999/' 'too large'
change 's/"replicates": 2/"replicates": 0/' replicates
change 's/"graph.degree": \[2, 3\]/"graph.degree": []/' 'graph.degree'
change 's/"graph.degree": \[2, 3\]/"graph.degre": [2]/' 'graph.degre'
change 's/"graph.degree": \[2, 3\]/"graph.degree": [2, "x"]/' 'graph.degree'

# Combinations that cannot be.
expect 2 degree "$lbsim" good.json --set 'sweep={}' --set graph.degree=5
expect 2 imbalance "$lbsim" good.json --set 'sweep={}' --set workload.imbalance=4.5

expect 2 'multizone_class=S: found a class of 4 zones for 6 appranks' "$lbsim" good.json --set 'sweep={}' \
    --set graph.degree=1 --set platform.nodes=1 --set platform.appranks_per_node=6 --set platform.cores_per_node=6 \
    --set workload.model=multizone --set workload.multizone_class=S
# Tasks that wait for each other.
graph="$lbsim good.json --set sweep={} --set workload.model=graph"
printf 'apprank,seconds,bytes,after\n0,1,0,\n0,1,0,1\n' >cycle.csv
printf 'apprank,seconds,bytes,after\n0,1,0,\n99,1,0,\n' >many.csv
printf 'iteration,apprank,work_s,tasks\n0,0,1,1\n' >loads.csv
expect 2 '"graph" without workload.file' $graph
expect 2 'cycle.csv:3:7: after: found task 1, allowed are earlier tasks' $graph --set workload.file=cycle.csv
printf 'iteration,apprank,seconds,bytes,after\n0,0,1,0,\n2,0,1,0,\n' >gap.csv
expect 2 'gap.csv:3:1: iteration: found 2, but no task in iteration 1; each of 0 to 2 needs one' $graph --set workload.file=gap.csv
expect 2 'found tasks of apprank 99, allowed are those below' $graph --set workload.file=many.csv
expect 2 '"graph" with a file of loads' $graph --set workload.file=loads.csv
expect 2 'jitter=gamma: found gamma' "$lbsim" good.json --set 'sweep={}' --set workload.model=cholesky --set workload.jitter=gamma
expect 2 'makes 1000 tiles a side' "$lbsim" good.json --set 'sweep={}' --set workload.model=cholesky \
    --set workload.cholesky_size=100000 --set workload.cholesky_block=100
expect 2 'which need a core each' "$lbsim" good.json --set 'sweep={}' --set system.name=dpb \
    --set platform.appranks_per_node=5
expect 2 'dpb_periods=0: found 0, allowed is' "$lbsim" good.json --set system.dpb_periods=0
expect 2 'lends no cores' "$lbsim" good.json --set 'sweep={}' --set system.name=dpb --set system.lewi=true

# The command line.
expect 2 'jobs' "$lbsim" good.json --jobs 0
expect 2 'jobs' "$lbsim" good.json --jobs 2x
expect 2 'jobs' "$lbsim" good.json --jobs
expect 2 'seed' "$lbsim" good.json --seed -1
expect 2 'seed' "$lbsim" good.json --seed 1.5
expect 2 'format' "$lbsim" good.json --format xml
expect 2 "did you mean '--out'" "$lbsim" good.json --uot x
expect 2 "'--out' needs a value, allowed is DIR" "$lbsim" good.json --out
expect 2 "format: found 'jsn', allowed is one of table, csv, json, did you mean 'json'?" "$lbsim" good.json --format jsn
expect 2 "'--quiet' takes no value" "$lbsim" good.json --quiet=yes
expect 2 "'grahp' is neither a command nor a file, did you mean 'graph'?" "$lbsim" grahp --appranks 4
expect 2 "unknown option '--solvr', did you mean '--solver'?" "$lbsim" solve --solvr lp
expect 2 'one scenario' "$lbsim" good.json good.json
expect 2 'set' "$lbsim" good.json --set graph.degree
expect 2 'graph.degre' "$lbsim" good.json --set graph.degre=3
expect 2 'graph.degree' "$lbsim" good.json --set graph.degree=many

# Output that cannot be written. (The superuser may write anywhere but under a file.)
: >file
expect 2 "out: cannot make directory 'file': Not a directory" "$lbsim" good.json --out file/results
expect 2 "out: cannot make directory 'file': Not a directory" "$lbsim" good.json --out file
expect 2 "html: cannot write 'file/x': Not a directory" "$lbsim" good.json --out unwritten --html file/x
[ -e unwritten/results.csv ] && fail "a page that cannot be written was found out after the sweep"
expect 2 "html: cannot write '.': Is a directory" "$lbsim" gain loads.csv --cores 4 --html .
expect 2 "html: cannot write 'none/x': No such file or directory" "$lbsim" contest none.so --html none/x
expect 2 "decisions: cannot write 'file/x': Not a directory" "$lbsim" trace good.json t.prv --decisions file/x
expect 2 "cannot write 'file/t.prv': Not a directory" "$lbsim" trace good.json file/t.prv
expect 2 "out: cannot make directory 'file': Not a directory" "$lbsim" reproduce --quick --out file/x
expect 2 "cannot write 'file/x.json': Not a directory" "$lbsim" init file/x.json --nodes 2
if [ -c /dev/full ]; then
        expect 1 'standard output' sh -c "exec \"\$0\" good.json --quiet >/dev/full" "$lbsim"
        expect 1 'standard output' sh -c "exec \"\$0\" --help >/dev/full" "$lbsim"
fi
expect 1 'standard output' sh -c "exec \"\$0\" good.json --quiet --out closed >&-" "$lbsim"
expect 0 '' "$lbsim" good.json --quiet --out closed

# A full disk: nothing half-written, and what is finished is still good afterwards.
scenario 6 10 >full.json
expect 0 '' "$lbsim" full.json --quiet --out whole
expect 1 "cannot write 'small/runs.journal': File too large" sh -c "ulimit -f 8; exec \"\$0\" full.json --quiet --out small" "$lbsim"
[ -e small/results.csv ] && fail "a full disk left a results.csv"
ls small | grep -q '\.[A-Za-z0-9]\{6\}$' && fail "a full disk left a temporary file"
expect 0 . "$lbsim" full.json --out small
grep -q 'earlier' err.txt || fail "no run was kept from the full disk"
cmp whole/results.csv small/results.csv || fail "results differ after a full disk"

# What only a run finds names the file, the point and what gives it; where no run is kept, the folder takes the scenario as
# it was put right, and where some are it does not.
cat >long.json <<'END'
{ "name": "long", "platform": { "nodes": 2, "cores_per_node": 2 }, "graph": { "degree": 2 }, "system": { "name": "global" },
  "workload": { "iterations": 3, "task_ms": 3600000, "tasks_per_core": 2 }, "sweep": { "workload.imbalance": [2, 1] } }
END
expect 2 'long\.json: point 0: workload\.imbalance 2: task_ms, imbalance: apprank [01]: found tasks of 7200000 ms' \
    "$lbsim" long.json --quiet --jobs 1 --out long
sed 's/3600000/1800000/' long.json >right.json
expect 0 '' "$lbsim" right.json --quiet --no-figure --out long
sed 's/\[2, 1\]/[1, 2]/' long.json >later.json
expect 2 'later\.json: point 1: workload\.imbalance 2: ' "$lbsim" later.json --quiet --jobs 1 --out later
[ "$(runs later)" -ge 1 ] || fail "the first point was not kept"
expect 2 'another scenario' "$lbsim" right.json --quiet --no-figure --out later
expect 2 'long\.json: task_ms, imbalance: ' "$lbsim" long.json --set sweep='{}' --set workload.imbalance=2 --quiet

# The directory of something else.
sed 's/"iterations": 6/"iterations": 7/' good.json >other.json
expect 0 '' "$lbsim" good.json --quiet --out mine
expect 2 'another scenario' "$lbsim" other.json --quiet --out mine
expect 2 'another scenario' "$lbsim" good.json --quiet --out mine --seed 2
mkdir foreign && echo 'not ours' >foreign/runs.journal
expect 2 'not written by lbsim' "$lbsim" good.json --quiet --out foreign
[ "$(cat foreign/runs.journal)" = 'not ours' ] || fail "a foreign file was changed"
# flip FILE BYTE: change a bit of a byte.
flip() {
    byte=$(od -An -tu1 -j "$2" -N 1 "$1" | tr -d ' ')
    printf "\\$(printf '%03o' $((byte ^ 4)))" | dd of="$1" bs=1 seek="$2" conv=notrunc 2>dd.txt
}
size=$(wc -c <mine/runs.journal)
cp mine/results.csv mine.csv
flip mine/runs.journal $((size - 100))
expect 2 'damaged at 1 place' "$lbsim" journal mine
expect 0 "'mine/runs.journal' is damaged at 1 place, first in block [0-9]*, bytes [0-9]* to $size: the runs in there are simulated anew" \
    "$lbsim" good.json --out mine
cmp mine.csv mine/results.csv || fail "other results after damage"
expect 0 '' "$lbsim" good.json --quiet --out mine
flip mine/runs.journal 50
expect 2 "'mine/runs.journal' is damaged in its first block" "$lbsim" good.json --quiet --out mine
mkdir old && echo '{"lbsim":"runs"}' >old/runs.jsonl
expect 2 'the runs of an earlier lbsim' "$lbsim" good.json --quiet --out old
finish
