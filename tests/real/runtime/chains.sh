#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# How long tasks wait for each other, as the report says, wherever they run; what --tasks writes of it, and that a
# simulation of that lasts as long as the job did. Usage: chains.sh LBRUN PROGRAM
lbrun=$1 program=$2
. "$(dirname "$0")/../job.sh"
with_mpi_in_process
make_work

# measured HOW TASKS OPTION...: the chain is one of so many tasks of 20 ms, as on the fastest node.
measured() {
    how=$1 tasks=$2
    shift 2
    timeout 60 "$lbrun" --quiet --virtual --nodes 2 --cores 6 --report "$work/report.json" "$@" -- "$program" "$how" >"$work/out" 2>&1 ||
        fail "$how $*: exit code $?, $(cat "$work/out")"
    awk -v tasks="$tasks" '/"chain_s"/ { s = $2 + 0 } END { exit !(s >= 0.0199 * tasks && s < 0.0259 * tasks) }' "$work/report.json"
}

# chain HOW TASKS OPTION...: in one of three jobs, as other work of the machine lengthens some.
chain() {
    measured "$@" || measured "$@" || measured "$@" || fail "$*: $(grep chain_s "$work/report.json")"
}

for system in baseline global chameleon; do
    degree=
    [ $system != global ] || degree='--degree 2'
    chain free 1 --system $system $degree
    chain line 6 --system $system $degree
    chain waits 2 --system $system $degree
    chain on 2 --system $system $degree
    chain children 6 --system $system $degree
    chain weak 6 --system $system $degree
done
chain many 1 --system global --degree 2
chain many 1 --system chameleon
chain line 6 --system baseline --speed 1:0.5
chain second 3 --system baseline --speed 1:0.5 # half as long on the other node

# tidy: what the main program itself took, where it lost its processor for a moment, is left out of standard input, and so
# is a wait that only that comes after. A line is seconds, and what the task comes after.
tidy() {
    awk -F, '
        function before(i, list, k, n, all) {
            n = split(after[i], list, " ")
            all = ""
            for (k = 1; k <= n; k++)
                all = all (small[list[k]] ? before(list[k]) : list[k] " ")
            return all
        }
        { i = NR - 1; seconds[i] = $3; after[i] = $8; small[i] = $5 == 1 && $3 > 0 && $3 < 0.015 }
        END {
            for (i = NR - 1; i >= 0; i--) {
                left_out[i] = small[i] || (seconds[i] == 0 && !followed[i])
                n = split(left_out[i] ? "" : before(i), list, " ")
                for (k = 1; k <= n; k++)
                    followed[list[k]] = 1
            }
            for (i = 0; i < NR; i++)
                if (!left_out[i]) {
                    number[i] = kept++
                    n = split(before(i), list, " ")
                    text = ""
                    for (k = 1; k <= n; k++)
                        text = text (k > 1 ? " " : "") number[list[k]]
                    print seconds[i] "," text
                }
        }'
}

# written LINES HOW: the tasks of an apprank in the last iteration, with what is there for waits and ends.
written() {
    timeout 60 "$lbrun" --quiet --virtual --nodes 2 --cores 2 --tasks "$work/tasks.csv" -- "$program" "$2" >"$work/out" 2>&1 ||
        fail "--tasks, $2: exit code $?, $(cat "$work/out")"
    lines=$(awk -F, '$1 == 5 && $2 == 1' "$work/tasks.csv" | tidy)
    [ "$(echo "$lines" | wc -l)" -eq "$1" ] || fail "--tasks, $2: found $lines, $(cat "$work/tasks.csv")"
}
written 6 free
[ "$(echo "$lines" | grep -c ',$')" -eq 6 ] || fail "free tasks that wait: $lines"
written 6 line
[ "$(echo "$lines" | cut -d, -f2 | tr '\n' ,)" = ,0,1,2,3,4, ] || fail "a line: $lines"
written 7 waits
[ "$(echo "$lines" | cut -d, -f2 | tail -n 4 | tr '\n' ,)" = '2 1 0,3,3,3,' ] || fail "a wait: $lines"
written 36 wave
[ "$(echo "$lines" | cut -d, -f2 | tail -n 2 | tr '\n' ,)" = '28 33,29 34,' ] || fail "a wave: $lines"

# Children are within their parents, and run where these do.
timeout 60 "$lbrun" --quiet --virtual --nodes 2 --cores 2 --tasks "$work/tasks.csv" -- "$program" children || fail "children: exit code $?"
[ "$(awk -F, '$1 == 5 && $2 == 1 && $3 > 0.015 && $7 != ""' "$work/tasks.csv" | wc -l)" -eq 12 ] || fail "children: $(cat "$work/tasks.csv")"

written 30 urgent
[ "$(awk -F, '$1 == 5 && $2 == 1 && $6 == 1' "$work/tasks.csv" | wc -l)" -eq 6 ] || fail "priorities: $(cat "$work/tasks.csv")"

# simulates HOW OPTION...: within 6 % of the live job, with the order of tasks; in one of three jobs.
compares() {
    how=$1
    shift
    timeout 60 "$lbrun" --quiet --virtual --nodes 2 --cores 4 --compare "$@" -- "$program" "$how" >"$work/out" 2>&1 ||
        fail "--compare, $how $*: exit code $?, $(cat "$work/out")"
    sed -n 's/.*difference \(.*\) %.*/\1/p' "$work/out" | awk '{ n++; d = $1 < 0 ? -$1 : $1 } END { exit !(n == 1 && d <= 6) }' &&
        ! grep -q 'without their order' "$work/out"
}
simulates() {
    compares "$@" || compares "$@" || compares "$@" || fail "$*: $(grep lbrun: "$work/out")"
}
for how in line waits on children weak wave unequal urgent tree; do
    simulates $how --system baseline
done
simulates wave --system global --degree 2
simulates wave --system local
simulates tree --system global --degree 2
simulates many --system chameleon
simulates wave --system baseline --speed 1:0.5

# What tasks that stay took, as one of weak accesses with its children, says nothing of those that are placed.
# Their children, which go elsewhere, are tasks of their own, and counted where they ran.
timeout 60 "$lbrun" --quiet --virtual --nodes 2 --cores 4 --system tight --degree 2 --decisions "$work/d" --report "$work/report.json" -- "$program" trees ||
    fail "trees: exit code $?"
awk '/"offloaded_tasks"/ { away = $2 + 0 } /"node_imbalance"/ { imbalance = $2 + 0 } END { exit !(away > 0 && imbalance > 0 && imbalance < 1.5) }' \
    "$work/report.json" || fail "what ran elsewhere is counted at home: $(grep -E 'offloaded_tasks|node_imbalance' "$work/report.json")"
awk '$3 == "finished" { n++; wrong += $4 > 159000000 } END { exit n == 0 || wrong > 0 }' "$work/d.0" ||
    fail "what stays is learned from, or nothing is: $(grep finished "$work/d.0" | head -3)"
exit $failures
