#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# From measured loads to what each system would gain, and how to run the best.
. "$(dirname "$0")/cli.sh"
{
    echo iteration,apprank,work_s,tasks
    for i in 0 1; do echo "$i,0,6.4,160"; echo "$i,1,3.2,160"; echo "$i,2,1.6,160"; echo "$i,3,1.6,160"; done
} >loads.csv

# Every system, each degree that the nodes allow; the least time first.
expect 0 '' "$lbsim" gain loads.csv --cores 8 --quiet
grep -q '^4 appranks on 4 nodes x 8 cores, 2 measured iterations$' out.txt || fail "no first line"
grep -q '160 tasks on average, as measured' out.txt || fail "not said that tasks were counted"
for system in baseline dlb local global; do
    grep -q "^$system " out.txt || fail "system $system is missing"
done
grep -q '^Few iterations were measured' out.txt || fail "two iterations are enough"
awk '$1 == "baseline" && $3 >= 0.8 && $3 < 0.81 { found = 1 } END { exit !found }' out.txt ||
    fail "without balancing an iteration takes what the first apprank's work takes on its cores: 0.8 s"
awk 'NF == 10 && $3 ~ /^[0-9.]+$/ { if ($3 < last) exit 1; last = $3 }' out.txt || fail "not sorted by time"
grep -q '^  lbrun --nodes 4 --cores 8 --system [a-z]*\( --degree [1-4]\)\{0,1\} -- PROGRAM$' out.txt || fail "no command to run"

# An apprank without helpers holds no task back: with LeWI its one core, and all that the others lend, are the bound's 0.125 s.
{
    echo iteration,apprank,work_s,tasks
    for i in 0 1 2 3; do echo "$i,0,0.3,60"; echo "$i,1,0.1,20"; echo "$i,2,0.1,20"; done
} >one_node.csv
expect 0 '' "$lbsim" gain one_node.csv --cores 4 --appranks-per-node 3 --quiet --systems dlb --set system.drom=false
awk '$1 == "dlb" && $3 >= 0.125 && $3 < 0.131 { found = 1 } END { exit !found }' out.txt ||
    fail "dlb: what others lend is not used"

# The same with the sums of the program's hints, as lbrun --loads writes them, and with the columns in another order.
expect 0 '' "$lbsim" gain loads.csv --cores 8 --quiet --systems baseline,global
cp out.txt plain.txt
sed 's/$/,7/; 1s/7$/cost/' loads.csv >cost.csv
awk -F, -v OFS=, '{ print $4, $2, $1, $3 }' loads.csv >order.csv
for name in cost order; do
    expect 0 '' "$lbsim" gain $name.csv --cores 8 --quiet --systems baseline,global
    cmp out.txt plain.txt || fail "$name.csv is not the same loads"
done

# The imbalance is that of iterations: another rank is the slow one in each, and the totals are even.
{
    echo iteration,apprank,work_s,tasks
    for i in 0 1; do for a in 0 1; do echo "$i,$a,$([ $i -eq $a ] && echo 3.2 || echo 0.8),80"; done; done
} >turns.csv
expect 0 '' "$lbsim" gain turns.csv --cores 8 --quiet --systems baseline,local --degrees 2
grep -q '^imbalance (max/mean): 1.6 of iterations, on average; 1 of the totals$' out.txt || fail "which imbalance?"

for i in 2 3 4 5 6 7 8 9; do for a in 0 1; do echo "$i,$a,1.6,80"; done; done >>turns.csv
expect 0 '' "$lbsim" gain turns.csv --cores 8 --quiet --systems baseline,local --degrees 2
grep -q '^Few iterations' out.txt && fail "ten iterations are few"

# Without known numbers of tasks there is a range and no verdict: no column, or one task each.
no_verdict() {
    expect 0 '' "$lbsim" gain "$1" --cores 8 --quiet --systems baseline,local,global
    grep -q "^No verdict: $1 does not say" out.txt || fail "$1: a verdict on a guess"
    grep -q '^ *1 task  *nothing' out.txt || fail "$1: a serial rank's work was divided"
    grep -q '^ *160 tasks  *[1-9][0-9] % less time' out.txt || fail "$1: no range"
    grep -q -e '-- PROGRAM' out.txt && fail "$1: a command without a verdict"
}
cut -d, -f1-3 loads.csv >plain.csv
no_verdict plain.csv
sed 's/,160$/,1/' loads.csv >single.csv
no_verdict single.csv

# Said by the user: a serial rank takes what it took, nothing is divided; and no command for what is not ported.
said() {
    expect 0 '' "$lbsim" gain plain.csv --cores 8 --quiet --systems baseline,local --degrees 2,4 $1
    awk -v t="$2" '$1 == "baseline" && $3 >= 0.99 * t && $3 <= 1.01 * t { found = 1 } END { exit !found }' out.txt ||
        fail "$1: without balancing an iteration takes $2 s"
    grep -q -e "$3" out.txt || fail "$1: no '$3'"
    grep -q -e '-- PROGRAM' out.txt && fail "$1: a command that cannot run"
}
said --serial 6.4 'A serial rank.s work cannot be divided'
said '--threads 4' 1.6 '4 equal parts, one for each thread'
said '--tasks 160' 0.8 'this one is to be ported first'

expect 2 "^lbsim gain: --systems local,baseline,local: found 'local' twice" "$lbsim" gain loads.csv --cores 8 --systems local,baseline,local
expect 2 '^lbsim gain: --degrees 2,4,2: found 2 twice' "$lbsim" gain loads.csv --cores 8 --systems local --degrees 2,4,2

# A choice of systems and degrees, two ranks a node, as JSON.
expect 0 '' "$lbsim" gain loads.csv --cores 8 --quiet --systems baseline,local --degrees 2 --appranks-per-node 2 \
    --iterations 5 --format json
[ "$(grep -c '"system":' out.txt)" -eq 2 ] || fail "two systems were asked for"
grep -q '"less_time_percent": 0' out.txt || fail "baseline is what gains are compared with"

# How long each iteration would take: a line each, and their mean over the last third is the table's.
expect 0 '' "$lbsim" gain loads.csv --cores 8 --quiet --systems baseline,local --degrees 2 --iterations 6 --format json --iteration-times each.csv
[ "$(head -n 1 each.csv)" = system,degree,iteration,time_s ] && [ "$(wc -l <each.csv)" -eq 13 ] || fail "iterations: $(cat each.csv)"
for system in baseline local; do
    of_table=$(sed -n "s/.*\"system\": \"$system\".*\"time_per_iteration_s\": \([0-9.e-]*\).*/\1/p" out.txt)
    awk -F, -v s=$system -v t="$of_table" '$1 == s && $3 >= 4 { sum += $4 } END { off = sum / 2 / t - 1; exit !(off < 1e-6 && off > -1e-6) }' each.csv ||
        fail "the iterations of $system are not those of the table, $of_table: $(cat each.csv)"
done
expect 0 '' "$lbsim" gain plain.csv --cores 8 --quiet --systems baseline --iterations 2 --iteration-times each.csv
[ "$(head -n 1 each.csv)" = tasks,system,degree,iteration,time_s ] || fail "iterations of unknown tasks: $(cat each.csv)"
expect 2 "iteration-times: " "$lbsim" gain loads.csv --cores 8 --iteration-times none/each.csv

# Balanced loads: nothing to gain, and no command for it.
sed 's/,[0-9.]*,160/,1.6,160/' loads.csv >even.csv
expect 0 '' "$lbsim" gain even.csv --cores 8 --quiet
grep -q 'None of these that run live gains a percent' out.txt || fail "balanced loads have nothing to gain"

# A system that the nodes are too small for is left out, and the others compared.
expect 0 '' "$lbsim" gain loads.csv --cores 4 --appranks-per-node 4 --quiet
grep -q '^dlb ' out.txt || fail "dlb can run on one core for each rank"
grep -q '^chameleon ' out.txt || fail "lbrun's chameleon can run on one core for each rank"
expect 0 '' "$lbsim" gain loads.csv --cores 4 --appranks-per-node 4 --quiet --set 'system.comm_core="taken"'
grep -q '^chameleon ' out.txt && fail "with a core taken chameleon needs two for each rank"

# lbrun's helpers only wake.
for start_s in '' 0 1; do
    expect 0 '' "$lbsim" gain loads.csv --cores 8 --quiet --systems baseline,dynamic --iterations 6 \
        --set system.grow_period_s=0.1 --set runtime.poll_s=0.05 ${start_s:+--set system.start_s=$start_s}
    grep '^dynamic ' out.txt | head -1 >start$start_s.txt
done
cmp start.txt start0.txt || fail "helpers of a live run are started, not woken"
cmp -s start.txt start1.txt && fail "it takes no time to start a helper"

# Bad input.
expect 2 "'loads.csv' is no measurement, and --cores is not given" "$lbsim" gain loads.csv
expect 2 'no multiple of it' "$lbsim" gain loads.csv --cores 8 --appranks-per-node 3
expect 2 "cores: found '0', allowed is a whole number from 1 to 4096" "$lbsim" gain loads.csv --cores 0
expect 2 "^lbsim gain: --cores 1: found 1, allowed is at least 2: " "$lbsim" gain loads.csv --cores 1 --appranks-per-node 2
expect 2 "^lbsim gain: --set platform.cores_per_node=1: " "$lbsim" gain loads.csv --cores 8 --appranks-per-node 2 --set platform.cores_per_node=1
expect 2 'allowed is one of baseline' "$lbsim" gain loads.csv --cores 8 --systems magic
# Options are named as they were given, of loads and of what was measured; degrees that no node has are not left out.
printf 'rank,load_s,node\n0,1,a\n1,3,b\n' >two.csv
for of in 'loads.csv --cores 8' two.csv; do
    expect 2 '^lbsim gain: --degrees 0: allowed are up to 16 whole numbers from 1 to [24], the number of nodes' "$lbsim" gain $of --degrees 0
    expect 2 '^lbsim gain: --degrees 2,,3: allowed' "$lbsim" gain $of --degrees 2,,3
    expect 2 '^lbsim gain: --degrees 9: allowed' "$lbsim" gain $of --degrees 9
    expect 2 "^lbsim gain: --systems foo: found 'foo', allowed is one of baseline" "$lbsim" gain $of --systems foo
    expect 2 "^lbsim gain: --systems local,,global: found ''" "$lbsim" gain $of --systems local,,global
done
expect 0 '' "$lbsim" gain two.csv --quiet --degrees 2
expect 2 "two.csv' is a measurement, allowed are loads" "$lbsim" gain two.csv --iteration-times each.csv
expect 2 'none.csv' "$lbsim" gain none.csv --cores 8
expect 2 'allowed is one of them' "$lbsim" gain plain.csv --cores 8 --serial --tasks 3
expect 2 "threads: found '0'" "$lbsim" gain plain.csv --cores 8 --threads 0
expect 2 'found work without its number of tasks, allowed is with column "tasks"' "$lbsim" \
    "$(dirname "$0")/../../../scenarios/gain.json" --set workload.file=plain.csv
expect 2 "unknown option '--fast'" "$lbsim" gain loads.csv --cores 8 --fast
sed 's/,1.6,/,nan,/' loads.csv >nan.csv
expect 2 'nan.csv:4:' "$lbsim" gain nan.csv --cores 8

# Loads that are even at the end alone: what is judged is all that was measured, whatever part of a minute it takes.
for n in 7 30 100; do
    awk -v n=$n 'BEGIN { print "iteration,apprank,work_s,tasks"
        for (i = 0; i < n; i++) for (a = 0; a < 4; a++) printf "%d,%d,%g,80\n", i, a, 8 * (i >= 0.6 * n ? 1 : a ? 0.5 : 2.5) }' >ends.csv
    expect 0 '' "$lbsim" gain ends.csv --cores 4 --quiet --systems baseline,tight --degrees 4 --format csv
    awk -F, -v n=$n 'BEGIN { for (i = 0; i < n; i++) mean += (i >= 0.6 * n ? 2 : 5) / n }
        $1 == "baseline" { ok = $3 / mean > 0.999 && $3 / mean < 1.001 }  $1 == "tight" { gains = $4 > 35 }
        END { exit !(ok && gains) }' out.txt || fail "not all $n iterations are judged: $(cat out.txt)"
done

# Time and what is offloaded are of the same iterations: of a rank with three times the work of the other, as much is
# away, by number of tasks, as the time asks for.
{
    echo iteration,apprank,work_s,tasks
    for i in 0 1 2; do echo "$i,0,1,100"; echo "$i,1,3,100"; done
} >uneven.csv
expect 0 '' "$lbsim" gain uneven.csv --cores 2 --quiet --systems baseline,local,global,dynamic --degrees 2 --iterations 12
awk 'NR > 5 && NF == 10 && $3 ~ /^[0-9.]+$/ { n++; if ($6 < (3 - 2 * $3) / 0.03 / 2 - 0.5) { print; exit 1 } } END { exit n < 4 }' out.txt ||
    fail "less is offloaded than the time asks for: $(cat out.txt)"

# Half of apprank 0's work is before its tasks, on one core: 3 s, and 3 s on two cores, on all that are lent, on three;
# 8 s of work on four cores are 2 s.
printf 'iteration,apprank,work_s,tasks,serial_s\n0,0,6,100,3\n0,1,2,100,0\n' >half.csv
expect 0 '' "$lbsim" gain half.csv --cores 4 --appranks-per-node 2 --quiet --systems baseline,dlb,dpb
for row in baseline,4.5 dlb,3.75 dpb,4.0; do
    awk -v row=$row 'BEGIN { split(row, want, ",") }
        $1 == want[1] && $3 > want[2] - 0.01 && $3 < want[2] + 0.05 && $5 > $3 / 2 - 0.01 && $5 < $3 / 2 + 0.01 { found = 1 }
        END { exit !found }' out.txt || fail "serial parts: not $row: $(cat out.txt)"
done

# Packing has the tolerance that it has live, unless one is set: 20.4 and 40 beside 60 ms are two CPUs' work.
{
    echo iteration,apprank,work_s,tasks
    for i in 0 1 2 3 4 5 6 7 8 9 10 11; do echo "$i,0,0.0204,1"; echo "$i,1,0.04,1"; echo "$i,2,0.06,1"; done
} >nearly.csv
nearly="nearly.csv --serial --cores 3 --appranks-per-node 3 --quiet --format json --systems"
expect 0 '' "$lbsim" gain $nearly baseline,packing
grep -q '"system": "packing".*"cores_used": 2' out.txt || fail "packing is not on 2 cores: $(cat out.txt)"
expect 0 '' "$lbsim" gain $nearly baseline,packing --set system.pack_tolerance=0
grep -q '"system": "packing".*"cores_used": 3' out.txt || fail "packing is not on 3 cores: $(cat out.txt)"

# A tree that was moved with what was built in it finds its data where it now is; one that was built elsewhere, where it was.
tree() {
    mkdir -p "$1/build" && ln -f "$lbsim" "$1/build/lbsim" 2>/dev/null || cp "$lbsim" "$1/build/lbsim"
    printf 'CMAKE_CACHEFILE_DIR:INTERNAL=%s\nCMAKE_HOME_DIRECTORY:INTERNAL=%s\n' "$2" "$3" >"$1/build/CMakeCache.txt"
}
data() { mkdir -p "$1/scenarios" && cp "$(dirname "$0")/../../../scenarios/gain.json" "$1/scenarios"; }
unset LBSIM_DATA
tree moved /nowhere/here/build /nowhere/here
expect 1 'gain.json is not installed' moved/build/lbsim gain loads.csv --cores 4 --quiet
data moved
expect 0 '' moved/build/lbsim gain loads.csv --cores 4 --quiet
tree apart "$PWD/apart/build" "$PWD/other"
data other
expect 0 '' apart/build/lbsim gain loads.csv --cores 4 --quiet
finish
