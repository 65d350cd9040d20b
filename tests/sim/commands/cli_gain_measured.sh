#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# What was measured of a program as it is: the verdict, where its time goes, what is predicted and what is not.
here=$(cd "$(dirname "$0")" && pwd)
. "$here/cli.sh"

# measurement DIR NODES WALL_S "LOAD..." "MPI..." WINDOWS: every window has the same loads
measurement() {
    mkdir -p "$1"
    awk -v nodes="$2" -v wall="$3" -v loads="$4" -v mpi="$5" -v windows="$6" -v more="${7:-}" -v dir="$1" 'BEGIN {
        n = split(loads, load, " "); split(mpi, in_mpi, " ")
        for (i = 1; i <= n; i++) {
            comma = i < n ? "," : ""
            l = l windows * load[i] comma; m = m in_mpi[i] comma
            h = h "\"n" int((i - 1) * nodes / n) "\"" comma
        }
        printf "{\"ranks\":%d,\"nodes\":%d,\"wall_s\":%s,\"load_s\":[%s],\"mpi_s\":[%s],\"host\":[%s]%s}\n",
            n, nodes, wall, l, m, h, more > (dir "/measured.json")
        print "iteration,apprank,work_s,tasks" > (dir "/loads.csv")
        for (w = 0; w < windows; w++)
            for (i = 1; i <= n; i++) print w "," i - 1 "," load[i] "," (load[i] > 0) > (dir "/loads.csv")
    }'
}

# says TEXT COMMAND...: in what it prints
says() {
    text=$1
    shift
    expect 0 '' "$@"
    grep -q -e "$text" out.txt || fail "no '$text' in: $(cat out.txt)"
}

# part NAME SECONDS
part() {
    awk -v name="$1" -v s="$2" 'index($0, "  " name "  ") { for (i = 2; i <= NF; i++) if ($i == "s" && $(i + 2) == "%") t = $(i - 1) }
        END { exit !(t != "" && t >= s - 0.002 && t <= s + 0.002) }' out.txt || fail "$1: not $2 s: $(cat out.txt)"
}

# predicted SYSTEM LEAST MOST: its range lies within these
predicted() {
    awk -v name="$1" -v least="$2" -v most="$3" 'index($0, "  " name "  ") && !/ s +[0-9.]+ %/ {
        line = substr($0, index($0, "  " name "  ") + length(name) + 2); split(line, f, " ")
        if (f[2] >= least && f[3] <= most && f[2] <= f[3]) found = 1 } END { exit !found }' out.txt ||
        fail "$1: not within $2 to $3 s: $(cat out.txt)"
}

# A rank that hands out work has none to weigh, and what more of it would take is not known.
measurement master 1 8 '0.001 0.399' '7.98 0.02' 20
expect 0 '' "$lbsim" gain master --quiet --html master.html
grep -q '^No weights: a rank has hardly any work' out.txt || fail "weights of a rank without work: $(cat out.txt)"
grep -q 'weights for the partition' out.txt master.html && fail "a remedy of a rank without work: $(cat out.txt)"
expect 0 '' "$lbsim" gain master --quiet --format json
grep -q '"weights":[[:space:]]*\[\]' out.txt || fail "weights of a rank without work: $(grep -A3 weights out.txt)"

# Ranks that compute one after the other: what their imbalance costs is no time that even loads would save, which is said;
# not of ranks that are outside MPI together. On shared CPUs, too, by the time outside MPI.
for more in '' ',"runnable_part":0.8'; do
    measurement chain 1 2.4 '0.04 0.08' '1.6 0.8' 20 "$more"
    says '^But on average no more than one rank was outside MPI at a time' "$lbsim" gain chain --quiet --html chain.html
    grep -q 'no more than one rank was outside MPI' chain.html || fail "turns are not on the page"
    says '"in_turns":.*"But on average' "$lbsim" gain chain --quiet --format json
    measurement beside 1 1.7 '0.04 0.08' '0.9 0.1' 20 "$more"
    expect 0 '' "$lbsim" gain beside --quiet
    grep -q '^Imbalance 1.33' out.txt || fail "beside: no verdict: $(cat out.txt)"
    grep -q 'no more than one rank' out.txt && fail "turns of ranks that compute together: $(cat out.txt)"
done

# One is one, on the page, too.
printf 'rank,load_s\n0,10\n1,10\n2,5\n3,5\n' >freed.csv
expect 0 '' "$lbsim" gain freed.csv --quiet --html freed.html
grep -q ' s, 1 core free<' freed.html || fail "1 cores free"
grep -q '>7.5 s<' freed.html && ! grep -q '>\([0-9.-]*\) to \1[ <]' freed.html || fail "a range from a value to itself"

# More cores than the ranks use: the bound is of those in use, and what all would save is said, which no system exceeds.
printf 'rank,load_s,node\n0,100,a\n1,300,a\n2,200,b\n3,100,b\n' >unused.csv
says '^That is with the cores that the ranks use, 4 of 8: systems that use all could save up to 71 %\.$' \
    "$lbsim" gain unused.csv --cores 4 --quiet --html unused.html
part '  bound' 175
grep -q 'systems that use all could save up to 71 %' unused.html || fail "unused cores are not on the page"
expect 0 '' "$lbsim" gain unused.csv --cores 4 --quiet --format json
python3 - out.txt <<'END' || fail "bounds in: $(cat out.txt)"
import json, sys
gain = json.load(open(sys.argv[1]))
assert gain["unused_cores"] and abs(gain["time"]["bound_of_all_cores_s"] - 87.5) < 1e-9
least = 100 * (1 - gain["time"]["bound_of_all_cores_s"] / 300)
assert all(s["least_s"] >= 87.5 for s in gain["systems"]) and abs(least - 70.83) < 0.01
END
for cores in '' '--cores 2'; do
    expect 0 '' "$lbsim" gain unused.csv $cores --quiet
    grep -q 'the cores that the ranks use' out.txt && fail "unused cores where there are none: $(cat out.txt)"
done

# How it runs as it is: on its OpenMP threads, where it has some.
measurement teams 1 8.1 '0.4 0.05' '0.1 7.1' 20 ",\"openmp\":true,\"launch\":\"mpirun -n 2 ./app 'a b'\""
says "^As it is, the best runs as: lbrun --system dlb -- mpirun -n 2 ./app 'a b'$" "$lbsim" gain teams --quiet --html teams.html
grep -q 'As it is, the best runs as: lbrun --system dlb -- mpirun' teams.html || fail "not on the page"
sed 's/"openmp":true/"openmp":false/' teams/measured.json >tmp.json && mv tmp.json teams/measured.json
expect 0 '' "$lbsim" gain teams --quiet
grep -q '^As it is' out.txt && fail "threads of a program without: $(cat out.txt)"

# Ranks that wait for each other in turns, between two synchronisations, do not communicate.
mkdir -p turns
awk 'BEGIN { print "iteration,apprank,work_s,tasks"; for (w = 0; w < 20; w++) print w ",0," (w < 10 ? 0.3 : 0.1) ",1\n" w ",1," (w < 10 ? 0.1 : 0.3) ",1" }' >turns/loads.csv
echo '{"ranks":2,"nodes":1,"wall_s":6.1,"transfer_s":2.1,"load_s":[4,4],"mpi_s":[2.1,2.1],"host":["n0","n0"],"rows":"iterations","imbalance":{"synchronisations":1,"iterations":1.5}}' >turns/measured.json
expect 0 '' "$lbsim" gain turns --quiet
head -1 out.txt | grep -q '^Imbalance 1.50 (max/avg): up to 33 % of the time could be saved' || fail "turns: $(cat out.txt)"
part communication 0.1
part 'simulated as it is' 6.1

# With a fifteenth of a CPU for each, what imbalance costs is hardly seen in the time that passed.
measurement starved 1 120 '0.4 0.2' '2 2' 20 ',"runnable_part":0.93'
says '^Imbalance 1.33 (max/avg), of ranks that shared CPUs.$' "$lbsim" gain starved --quiet
grep -q '^With a CPU for each: up to 25 % of the time could be saved' out.txt || fail "starved: $(cat out.txt)"

# Ranks that wait for others which they spawned: nothing is known of these.
measurement spawned 1 8.1 '0.01 0.01' '7.9 7.9' 20 ',"spawned_ranks":4'
says '^No verdict: it spawned 4 ranks, and what they did was not measured' "$lbsim" gain spawned --quiet
grep -q '^No prediction: it spawned 4 ranks' out.txt || fail "predicted: $(cat out.txt)"

# What is lost once, before the iterations, is told from what each of them loses.
measurement setup 1 8.1 '0.4 0.2' '0.1 4.1' 20 ',"imbalance":{"iterations":1.02},"iterations":{"count":90,"part_of_load":0.75}'
says '^9[0-9] % of that is lost before the first iteration or after the last' "$lbsim" gain setup --quiet --html setup.html
grep -q 'in them imbalance is 1.02' out.txt setup.html || fail "not said: $(cat out.txt)"
measurement each 1 8.1 '0.4 0.2' '0.1 4.1' 20 ',"imbalance":{"iterations":1.33},"iterations":{"count":90,"part_of_load":0.95}'
expect 0 '' "$lbsim" gain each --quiet
grep -q 'before the first iteration' out.txt && fail "imbalance of iterations is outside them: $(cat out.txt)"

# Two nodes, the first with the heavy ranks: all imbalance is between them.
measurement two 2 8.2 '0.4 0.4 0.1 0.1' '0.2 0.2 6.2 6.2' 20
expect 0 '' "$lbsim" gain two --quiet
head -1 out.txt | grep -q '^Imbalance 1.60 (max/avg): up to 37 % of the time could be saved, 0 % within nodes$' || fail "verdict: $(head -1 out.txt)"
part measured 8.2
part bound 5
part 'between nodes' 3
part 'within nodes' 0
part communication 0.2
part 'simulated as it is' 8.2
predicted 'weights for the partition' 5.19 5.21
predicted packing 8.19 8.21
predicted dlb 8.19 8.21
predicted 'dlb, placed' 5.2 6.3   # heavy beside light: what is left is within nodes
predicted 'global, joined' 5.2 5.9 # where messages are dear, too
grep -q '^Weights .*: 0.625 0.625 2.5 2.5$' out.txt || fail "no weights"
grep -q 'Assumed above all: .*divides into 2 to 20 equal parts' out.txt || fail "no assumption"
awk '/^threads / { live = " as it is  " }
     /^tasks / { live = " ported  " }
     /^(threads|tasks) / && !index($0, live) { exit 1 }' out.txt ||
    fail "what runs live, once ported: $(cat out.txt)"
grep -q '^Ported, the best runs as: lbrun --nodes 2 --cores 2 --appranks-per-node 1 --degree 2 --system [a-z]* -- PROGRAM$' out.txt ||
    fail "how it runs once ported: $(cat out.txt)"
# The next command is one that runs, and a known number of parts leaves no range.
next=$(sed -n 's/^Next: lbsim \(.*[^ ]\)   (.*/\1/p' out.txt)
[ -n "$next" ] || fail "no next command"
expect 0 '' "$lbsim" $next --quiet
awk '$1 == "threads" && / dlb, placed / { for (i = 2; i < NF; i++) if ($i == "placed" && $(i + 3) - $(i + 2) < 0.01) found = 1 } END { exit !found }' out.txt ||
    fail "a range where the parts are known: $(cat out.txt)"

# What tasks and messages cost is in the ranges: by assumption; as measured, narrow or wide; not where it is known.
# width: most less least of global, joined
width() { awk '/ global, joined / { for (i = 1; i < NF; i++) if ($i == "joined") print $(i + 3) - $(i + 2) }' out.txt | head -1; }
machine() { # FILE POLL_US LOW HIGH
    echo '{ "platform": { "network": { "latency_us": 20, "bandwidth_GBps": 4, "message_cpu_us": 1 } },
      "runtime": { "create_us": 1, "task_us": 1, "message_poll_us": '$2' },
      "measured": { "runtime.message_poll_us": { "median": '$2', "low": '$3', "high": '$4', "repetitions": 15 } } }' >"$1"
}
machine narrow.json 100 99 101
machine wide.json 100 99 20000
machine known.json 100 100 100
expect 0 '' "$lbsim" gain two --quiet --tasks 40
grep -q 'costs of tasks and messages: assumed, not measured here (lbsim calibrate); ranges hold a third to three times of them' out.txt ||
    fail "assumed costs: $(cat out.txt)"
expect 0 '' "$lbsim" gain two --quiet --tasks 40 --platform wide.json
grep -q 'costs of tasks and messages: wide.json; ranges hold their 95 % intervals' out.txt || fail "measured costs: $(cat out.txt)"
wide=$(width)
expect 0 '' "$lbsim" gain two --quiet --tasks 40 --platform narrow.json
narrow=$(width)
expect 0 '' "$lbsim" gain two --quiet --tasks 40 --platform known.json
grep -q 'costs of tasks and messages: known.json$' out.txt || fail "known costs: $(cat out.txt)"
known=$(width)
awk -v wide="$wide" -v narrow="$narrow" -v known="$known" 'BEGIN { exit !(wide > narrow + 0.1 && narrow >= known && narrow < known + 0.05) }' ||
    fail "ranges: wide '$wide', narrow '$narrow', known '$known'"
expect 0 '' "$lbsim" gain two --quiet --tasks 40 --platform wide.json --set runtime.message_poll_us=100
awk -v set="$(width)" -v known="$known" 'BEGIN { exit !(set <= known + 0.001) }' || fail "what is set has a range"
expect 0 '' "$lbsim" gain two --quiet --format json --platform wide.json
grep -q '"costs_measured":	true' out.txt && grep -q '"costs_in_ranges":	true' out.txt || fail "costs in JSON: $(cat out.txt)"
machine upside_down.json 100 200 100
expect 2 'upside_down.json:.* runtime.message_poll_us: low 200 is above high 100' "$lbsim" gain two --quiet --platform upside_down.json
machine text.json 100 '"few"' 100
expect 2 'text.json:3.*/measured/runtime.message_poll_us/low: "low" must be a number from 0 to 1e+06' "$lbsim" gain two --quiet --platform text.json

# A file that is still compressed.
gzip -c two/loads.csv >loads.csv.gz
expect 2 'loads.csv.gz: not CSV: it is compressed, expand it first (gunzip)' "$lbsim" gain loads.csv.gz --quiet

# The rankfile puts heavy ranks beside light ones.
expect 0 '' "$lbsim" gain two --quiet --rankfile ranks
sort ranks >sorted
printf 'rank 0=n0 slot=0\nrank 1=n1 slot=0\nrank 2=n0 slot=1\nrank 3=n1 slot=1\n' | cmp - sorted || fail "rankfile: $(cat ranks)"

expect 2 "^lbsim gain: --rankfile: the ranks of .*two.* were on other nodes than of 4 ranks each" "$lbsim" gain two --quiet --appranks-per-node 4 --rankfile other
[ ! -e other ] || fail "a rankfile of nodes that nobody knows"

# The same as a node for each rank: Open MPI's seq mapping, MPICH's -f and srun's arbitrary distribution read it.
expect 0 '' "$lbsim" gain two --quiet --hostfile hosts
printf 'n0\nn1\nn0\nn1\n' | cmp - hosts || fail "hostfile: $(cat hosts)"

# Other numbers of nodes: a rank each on four, all on one, and none on three.
expect 0 '' "$lbsim" gain two --quiet --nodes 1,4,3
awk '$1 == "any" && $2 == "baseline" && $7 == 4 && $8 == 8 && $9 == -4 { four = 1 } $1 == "tasks" && $7 == 4 { tasks = 1 } END { exit !(four && tasks) }' out.txt ||
    fail "four nodes: $(cat out.txt)"
grep -q '^Left out: 1 node (4 ranks are more than their cores), 3 nodes (4 ranks are no multiple of it)\.$' out.txt || fail "left out: $(cat out.txt)"
expect 2 '^lbsim gain: --nodes 2,x: allowed are up to 16 whole numbers' "$lbsim" gain two --nodes 2,x
expect 2 '^lbsim gain: --nodes 2,: allowed are' "$lbsim" gain two --nodes 2,

# Threads of the ranks are what was measured; where ranks differ in them, nothing is predicted.
measurement hybrid 2 8.2 '1.6 0.8 0.4 0.4' '0.2 4 6 6' 20 ',"threads":[4,4,4,4]'
expect 0 '' "$lbsim" gain hybrid --quiet
grep -q '^4 ranks of 4 threads on 2 nodes (lbrun measure):$' out.txt || fail "threads: $(cat out.txt)"
part bound 4
predicted dlb 6 8.3
grep -q '^ranks as they are ' out.txt && fail "packing has no ranks of several threads"
measurement differ 2 8.2 '1.6 0.8 0.4 0.4' '0.2 4 6 6' 20 ',"threads":[4,4,2,2]'
says '^No prediction: ranks have different numbers of threads' "$lbsim" gain differ --quiet
measurement zero 2 8.2 '1.6 0.8 0.4 0.4' '0.2 4 6 6' 20 ',"threads":[4,4,0,4]'
expect 2 'zero/measured.json.*/threads: allowed are numbers from 1 to 4096' "$lbsim" gain zero --quiet

# Imbalance within a node: packing frees a core, lending helps, and no node is to blame.
measurement one 1 4.3 '0.1 0.2 0.3 0.4' '3.3 2.3 1.3 0.3' 10
expect 0 '' "$lbsim" gain one --quiet
part 'within nodes' 1.5
predicted dlb 2.8 3.9
awk '/ packing / && $0 ~ / 3 +1 +as it is / { found = 1 } END { exit !found }' out.txt || fail "packing frees a core: $(cat out.txt)"
# A serial program: nothing is divided.
expect 0 '' "$lbsim" gain one --quiet --serial
predicted dlb 4.29 4.31
# A rank's threads run on all CPUs that the others lend, however few are its own.
measurement alone 1 9.5 '0.9 0.1 0.1 0.1' '0.5 8.5 8.5 8.5' 10
expect 0 '' "$lbsim" gain alone --quiet --tasks 200
predicted dlb 3.5 3.6

# Where regions were counted, threads move with a rank's next region. Loads of 3 and 1 on a CPU each: with one region
# nothing is gained, with two the second has both CPUs (0.75 of the time), with many two thirds; as many as rank 1 has do
# not matter. Without lending nothing. What is said of tasks stays a range, which no number of tasks takes from regions.
counted() { # REGIONS[/SERIAL/FIXED] LEAST MOST OPTION...
    regions=${1%%/*} least=$2 most=$3 also=
    case $1 in */*) also=${1#*/} also=",\"serial_s\":[${also%/*}],\"fixed_s\":[${also#*/}]" ;; esac
    shift 3
    measurement counted 1 6.05 '0.3 0.1' '0.05 4.05' 20 ",\"openmp\":true,\"rows\":\"iterations\",\"alike_regions\":[$regions]$also"
    expect 0 '' "$lbsim" gain counted --quiet --html counted.html "$@"
    predicted dlb "$least" "$most"
}
counted 1,1 6 6.15
grep -q 'has 1 parallel region,' out.txt counted.html || fail "regions are not said: $(cat out.txt)"
counted 1,8 6 6.15
counted 2,1 4.5 4.65
grep -q 'has 2 parallel regions,' out.txt || fail "regions are not said: $(cat out.txt)"
counted 100,100 4.01 4.3
counted 2,1 4.5 4.65 --tasks 40
counted 2,1 6 6.1 --serial
counted 2,1 6 6.15 --set system.lewi=false
counted 0,0 3.9 6.1
grep -q 'parallel region' out.txt && fail "regions where there are none: $(cat out.txt)"
counted null,null 3.9 6.1
# Half of rank 0's work is in no region: until rank 1 has ended, after 0.1 of 0.3 s, it has done a third of either; then the rest
# of what is in regions has two CPUs. Regions that keep their number of threads gain nothing.
counted 100,100/3,0/0,0 5.0 5.3
counted 100,100/0,0/6,2 6 6.15
counted 100,100/null,null/null,null 4.01 4.3
# On two CPUs each owners that move take 3 of 4, with whole CPUs and one region.
measurement moves 1 6.05 '0.6 0.2' '0.05 4.05' 20 ',"threads":[2,2],"rows":"iterations","alike_regions":[1,1]'
expect 0 '' "$lbsim" gain moves --quiet
predicted dlb 4 4.3
expect 0 '' "$lbsim" gain moves --quiet --set system.drom=false
predicted dlb 6 6.15
expect 0 '' "$lbsim" gain moves --quiet --format json
grep -q '"alike_regions":	1,' out.txt || fail "regions in JSON: $(cat out.txt)"
measurement wrong 1 6.05 '0.3 0.1' '0.05 4.05' 20 ',"alike_regions":[1]'
expect 2 'wrong/measured.json.*/alike_regions: allowed is a list of 2' "$lbsim" gain wrong --quiet

# Runs that differ give an interval, which ends where all work on all cores would.
printf 'rank,load_s,mpi_s,wall_s,node,cores\n0,3,1,4,a,1\n1,1,3,4,a,1\n2,2,2,4,b,1\n3,2,2,4,b,1\n' >interval.csv
expect 0 '' "$lbsim" gain interval.csv --quiet --format json
python3 - out.txt <<'END' || fail "less than is possible"
import json, sys
gain = json.load(open(sys.argv[1]))
least_s = gain["time"]["bound_of_all_cores_s"] + gain["time"]["communication_s"]
divided = [s for s in gain["systems"] if s["for"] == "tasks"]
assert any(s["least_s"] < s["time_s"] for s in divided) and all(s["least_s"] > least_s * 0.9999 for s in divided), divided
END

# Balanced: not worth it; and communication is called by its name.
measurement even 2 8.2 '0.4 0.4 0.4 0.4' '0.2 0.2 0.2 0.2' 20
says '^Not worth it: imbalance 1.00' "$lbsim" gain even --quiet
grep -q '^Next: nothing' out.txt || fail "a balanced program needs nothing"
measurement talk 2 8.2 '0.1 0.1 0.1 0.1' '6.2 6.2 6.2 6.2' 20 ',"imbalance":{"synchronisations":1.01}'
says '^Not worth it: .*communication, which no balancing gives back\.$' "$lbsim" gain talk --quiet
# A measurement that does not see what is between synchronisations cannot say so for certain.
measurement unseen 2 8.2 '0.1 0.1 0.1 0.1' '6.2 6.2 6.2 6.2' 20
says 'or load that moves faster than it was measured\.$' "$lbsim" gain unseen --quiet
# Waiting of ranks in turn is neither imbalance in windows nor communication: no verdict, and least of all "leave it".
measurement turns 1 16 '0.4 0.4' '0.5 0.5' 20
says '^No verdict: imbalance 1.00 .* 47 % is waiting that it does not explain' "$lbsim" gain turns --quiet
grep -q '^Next: nothing' out.txt && fail "a program that waits is not well"

# Nor where load may be waiting, of a rank whose other threads were in MPI: of no rank much, and it is load.
measurement handed 1 4.3 '0.2 0.2' '0.1 0.1' 20 ',"unseen_s":[3.9,0]'
says '^No verdict: of its load 3.9 s of a rank may be waiting for other ranks' "$lbsim" gain handed --quiet
grep -q '^No prediction: 3.9 s of a rank.s load may be waiting' out.txt || fail "predicted from what may be waiting: $(cat out.txt)"
grep -q '^Next: nothing' out.txt && fail "a program that may wait is well"
says '"worth_it":.*null' "$lbsim" gain handed --quiet --format json
measurement handed_little 1 4.3 '0.2 0.2' '0.1 0.1' 20 ',"unseen_s":[null,0.3]'
says '^Not worth it' "$lbsim" gain handed_little --quiet

# Calls on files are not all communication.
measurement files 2 8.2 '0.1 0.1 0.1 0.1' '6.2 6.2 6.2 6.2' 20 ',"imbalance":{"synchronisations":1.01},"files_s":[5,6,4,5]'
says "^Not worth it: .*communication and MPI's calls on files, which no balancing gives back\.$" "$lbsim" gain files --quiet
part 'in files, at most' 4
measurement one_file 2 8.2 '0.1 0.1 0.1 0.1' '6.2 6.2 6.2 6.2' 20 ',"imbalance":{"synchronisations":1.01},"files_s":[5,6,0,null]'
says '^Not worth it: .*communication, which no balancing' "$lbsim" gain one_file --quiet
grep -q 'in files' out.txt && fail "a rank without files had all its time in them"

# Waiting that loads do not explain is no input: nothing is predicted, and the reason said.
measurement chain 1 12 '0.4 0.1' '0.5 6' 20
says '^No prediction: without balancing it simulates to .* s were measured' "$lbsim" gain chain --quiet
grep -q ' dlb ' out.txt && fail "predicted all the same"
measurement shared 1 12 '0.4 0.1' '0.5 6' 20 ',"runnable_part":0.3'
says 'ranks shared CPUs; measure again' "$lbsim" gain shared --quiet
# The saving is of the time that it would take without sharing: 3 of 8 s, not of 12.
head -2 out.txt | tr '\n' ' ' |
    grep -q '^Imbalance 1.60 (max/avg), of ranks that shared CPUs. With a CPU for each: up to 38 % of the time could be saved, 38 % within nodes' ||
    fail "verdict: $(head -2 out.txt)"
# In a window one of two ranks may have had the CPU of the other: what is seen in windows alone says nothing.
mkdir -p by_turns
awk 'BEGIN { print "iteration,apprank,work_s,tasks"; for (w = 0; w < 20; w++) print w ",0," (w % 2 ? 0.3 : 0.2) ",1\n" w ",1," (w % 2 ? 0.2 : 0.3) ",1" }' >by_turns/loads.csv
for synchronisations in 1.006 1.15; do
    echo '{"ranks":2,"nodes":1,"wall_s":10,"load_s":[5,5],"mpi_s":[2.5,2.5],"host":["n0","n0"],"rows":"windows","window_s":0.5,"runnable_part":0.3,"imbalance":{"synchronisations":'$synchronisations'}}' >by_turns/measured.json
    expect 0 '' "$lbsim" gain by_turns --quiet
    if [ $synchronisations = 1.15 ]; then
        head -1 out.txt | grep -q '^Imbalance 1.20 (max/avg), of ranks that shared CPUs' || fail "by turns, unequal: $(cat out.txt)"
    else
        head -2 out.txt | tr '\n' ' ' | grep -q '^No verdict: ranks shared CPUs, and imbalance is 1.20 (max/avg) in windows, .* and 1.01 between synchronisations' ||
            fail "by turns: $(cat out.txt)"
        says '"worth_it":.*null' "$lbsim" gain by_turns --quiet --format json
    fi
done
# What every rank of eight on two CPUs spends in MPI is waiting for a CPU, not communication.
measurement crowded 1 30 '0.4 0.1' '22 28' 20 ',"runnable_part":0.3,"transfer_s":21.9'
says 'ranks shared CPUs; measure again' "$lbsim" gain crowded --quiet
head -2 out.txt | tr '\n' ' ' | grep -q 'With a CPU for each: up to 38 %' || fail "verdict: $(head -2 out.txt)"
# What transfer was measured counts.
measurement known 1 12 '0.4 0.1' '0.5 6' 20 ',"transfer_s":3.9'
expect 0 '' "$lbsim" gain known --quiet
part communication 3.9
predicted dlb 8.9 12
# Nodes with different numbers of ranks.
printf '{"ranks":3,"nodes":2,"wall_s":1,"load_s":[0.9,0.5,0.5],"mpi_s":[0.1,0.5,0.5],"host":["a","a","b"]}' >uneven.json
mkdir -p uneven && mv uneven.json uneven/measured.json
printf 'iteration,apprank,work_s\n0,0,0.9\n0,1,0.5\n0,2,0.5\n' >uneven/loads.csv
says 'No prediction: nodes have different numbers of ranks' "$lbsim" gain uneven --quiet

# The page stands for itself: well-formed, with figures, and nothing from elsewhere.
expect 0 '' "$lbsim" gain two --quiet --html page.html
[ "$(grep -c '<svg ' page.html)" -eq 4 ] || fail "four figures"
grep -q 'up to 37 % of the time' page.html || fail "the verdict is on the page"
grep -Eq 'https?:|src=|@import' page.html && fail "the page needs something else"
if command -v python3 >/dev/null; then
    sed -e 1d -e 's/<meta [^>]*>//' -e 's/<input [^>]*>//' -e '/<script>/,/<.script>/d' page.html >page.xml
    python3 -c 'import sys, xml.dom.minidom as x; x.parse(sys.argv[1])' page.xml || fail "the page is not well-formed"
    python3 "$here/../../plots/check_page.py" page.html packing no-figure
    code=$?
    [ $code -eq 0 ] || [ $code -eq 77 ] || fail "the page in a browser"
fi
# Call sites and the program are on it, harmless, and those that say little leave cells empty.
measurement sites 2 8.2 '0.4 0.4 0.1 0.1' '0.2 0.2 6.2 6.2' 20 ',"program":"/bin/so<l>ver","sites":[{"call":"MPI_Allreduce",
    "place":"solve<double> (solve.cpp:42)","calls":80,"mpi_s":12.4,"load_before_s":20,"imbalance_before":1.6},{"imbalance_before":null},3]'
expect 0 '' "$lbsim" gain sites --quiet --html sites.html
grep -q '<td>solve&lt;double&gt; (solve.cpp:42)</td>' sites.html && grep -q '/bin/so&lt;l&gt;ver, sites: 4 ranks' sites.html || fail "call sites"
expect 2 'none/page.html' "$lbsim" gain two --quiet --html none/page.html

# Of few iterations, what they say of more: jackknife and Student's t, computed by hand. Not of windows, nor of many.
measurement few 1 12.2 '1 3' '8.2 0.2' 4 ',"rows":"iterations"'
printf '0,0,1,1\n0,1,3,1\n1,0,1,1\n1,1,2.4,1\n2,0,1,1\n2,1,3.6,1\n3,0,1,1\n3,1,3,1\n' | sed '1i iteration,apprank,work_s,tasks' >few/loads.csv
says 'With so few, imbalance costs 29 to 38 % of the time of computing (95 %' "$lbsim" gain few --quiet
says '"imbalance_costs_least_percent":	29\.' "$lbsim" gain few --quiet --format json
measurement windows 1 12.2 '1 3' '8.2 0.2' 4
expect 0 '' "$lbsim" gain windows --quiet
grep -q 'With so few' out.txt && fail 'windows are no iterations'
measurement many 1 30.2 '1 3' '20.2 0.2' 10 ',"rows":"iterations"'
expect 0 '' "$lbsim" gain many --quiet
grep -q 'With so few' out.txt && fail 'ten iterations are few'

# As rows for programs.
expect 0 '' "$lbsim" gain two --quiet --format json
if command -v python3 >/dev/null; then
    python3 - out.txt <<'END' || fail "JSON: $(cat out.txt)"
import json, sys
gain = json.load(open(sys.argv[1]))
time = gain["time"]
assert gain["schema"] == "lbsim-gain-1" and gain["worth_it"] is True and gain["predicted"] is True
assert abs(sum(time[k] for k in ("bound_s", "imbalance_between_nodes_s", "imbalance_within_nodes_s",
                                 "communication_s", "other_waiting_s")) - time["measured_s"]) < 1e-9
assert gain["imbalance"]["nodes"] == 1.6 and gain["imbalance"]["within_nodes"] == 1
assert gain["weights"] == [0.625, 0.625, 2.5, 2.5] and gain["node_placed"] == [0, 1, 0, 1]
placed = [s for s in gain["systems"] if s["system"] == "dlb" and s["heavy_beside_light"]]
assert len(placed) == 1 and placed[0]["less_percent_least"] < placed[0]["less_percent_most"] <= 37
assert all(s["least_s"] <= s["time_s"] <= s["most_s"] and s["runs_as_it_is"] == (s["system"] in ("packing", "dlb", "dpb")) for s in gain["systems"])
assert {s["for"] for s in gain["systems"]} == {"ranks as they are", "threads", "tasks"}
assert gain["next"].startswith("lbsim gain two --tasks ") and "\n" not in gain["verdict"]
END
fi
# What is to be typed next runs as it is printed, whatever the folder's name.
cp -r two "it's two"
expect 0 '' "$lbsim" gain "it's two" --quiet
grep -qF "Next: lbsim gain 'it'\\''s two' --" out.txt || fail "what is next: $(grep Next out.txt)"
rm -rf "it's two"
expect 0 '' "$lbsim" gain chain --quiet --format json
grep -q '"predicted":.false' out.txt && grep -q '"why_not":."without balancing it simulates' out.txt || fail "JSON without a prediction: $(cat out.txt)"
expect 0 '' "$lbsim" gain two --quiet --format csv
grep -q '^threads,"dlb, placed",1,' out.txt || fail "rows: $(cat out.txt)"

# ---- Other people's measurements: the same program in each ----
same() {
    expect 0 '' "$lbsim" gain "$@" --quiet
    head -1 out.txt | grep -q '^Imbalance 1.60 (max/avg): up to 3[67] %' || fail "$*: $(head -1 out.txt)"
    part bound 5
    part 'between nodes' 3
    predicted 'dlb, placed' 5 6.4
}
awk 'BEGIN { printf "{\"dlbVersion\":\"3.6\",\"Application\":{},\"Process\":{\"Global\":["
    split("8 8 2 2", u, " "); for (i = 0; i < 4; i++)
        printf "%s{\"rank\":%d,\"nodeId\":%d,\"hostname\":\"n%d\",\"cpuset\":\"[0]\",\"numCpus\":1,\"elapsedTime\":8200000000,\"usefulTime\":%d000000000,\"mpiTime\":%d00000000}",
            i ? "," : "", i, i / 2, i / 2, u[i + 1], 82 - 10 * u[i + 1]
    print "]}}" }' >talp.json
same talp.json
grep -q 'the imbalance of the whole run holds all the time' out.txt || fail "TALP has no windows"
# It says how many ranks there were: of one that is not there nobody knows what it did.
sed 's/{"dlbVersion"/{"resources":{"numMpiRanks":4},"dlbVersion"/; s/"Application":{}/"Application":{"Global":{"numMpiRanks":4}}/' talp.json >talp-all.json
same talp-all.json
for says in '"resources":{"numMpiRanks":5}' '"Application":{"Global":{"numMpiRanks":5}}'; do
    sed "s/{\"dlbVersion\":\"3.6\",\"Application\":{}/{$says/" talp.json >talp-less.json
    expect 2 'talp-less.json:.*found 4 processes of "Global", and 5 ranks ("numMpiRanks")' "$lbsim" gain talp-less.json
done
cat >app.mpiP <<'END'
@ mpiP
@ Command : ./app
@ MPI Task Assignment      : 0 n0
@ MPI Task Assignment      : 1 n0
@ MPI Task Assignment      : 2 n1
@ MPI Task Assignment      : 3 n1

---------------------------------------------------------------------------
@--- MPI Time (seconds) ---------------------------------------------------
---------------------------------------------------------------------------
Task    AppTime    MPITime     MPI%
   0        8.2        0.2     2.44
   1        8.2        0.2     2.44
   2        8.2        6.2    75.61
   3        8.2        6.2    75.61
   *       32.8       12.8    39.02
---------------------------------------------------------------------------
@--- Callsites: 1 ---------------------------------------------------------
 ID Lev File/Address        Line Parent_Funct             MPI_Call
  1   0 app.c                 10 main                     Allreduce
END
same app.mpiP
{
    echo '#Paraver (01/02/2026 at 10:00):8200000000_ns:2(2,2):1:4(1:1,1:1,1:2,1:2),1'
    echo 'c:1:1:4:1:2:3:4'
    for i in 0 1 2 3 4 5 6 7 8 9; do
        b=$((i * 800000000))
        for t in 1 2; do echo "1:$t:1:$t:1:$b:$((b + 800000000)):1"; done
        for t in 3 4; do
            echo "1:$t:1:$t:1:$b:$((b + 200000000)):1"
            echo "2:$t:1:$t:1:$((b + 200000000)):50000002:8"
            echo "1:$t:1:$t:1:$((b + 200000000)):$((b + 800000000)):5"
        done
    done
    for t in 1 2 3 4; do echo "1:$t:1:$t:1:8000000000:8200000000:13"; done
} >app.prv
expect 0 '' "$lbsim" gain app.prv --quiet
part measured 8.2
part bound 5
# Excel's: a byte order mark, semicolons, decimal commas, quotes; further columns, any order, milliseconds.
printf '\357\273\277"Host";"Useful Time (ms)";"comment";"MPI rank";"Elapsed";"MPI_s"\r\n' >excel.csv
printf '"n1";2000,0;"a;b";2;8,2;6,2\r\n"n0";8000;;1;8,2;0,2\r\n"n0";8000;"x ""y""";0;8,2;0,2\r\n"n1";2000;;3;8,2;6,2\r\n\r\n' >>excel.csv
same excel.csv
{ printf '\357\273\277sep=;\r\n' && tail -c +4 excel.csv; } >separator.csv # which Excel writes, and reads, before all else
same separator.csv
# Micro is a letter that no keyboard agrees on, and TALP's rows have a node's number and its name.
for micro in '\302\265' '\316\274' '\265'; do
    printf "rank,nodeId,hostname,Useful Time [${micro}s],wall (s)\n" >micro.csv
    printf '0,0,n0,8e6,8.2\n1,0,n0,8e6,8.2\n2,1,n1,2e6,8.2\n3,1,n1,2e6,8.2\n' >>micro.csv
    same micro.csv
done
# TALP's of DLB 3.5: regions in a list, hosts for nodes; the whole run's counts.
awk 'BEGIN { printf "\357\273\277{\"dlbVersion\":\"3.5\",\"region\":["
    for (g = 0; g < 2; g++) {
        printf "%s{\"name\":\"%s\",\"process\":[", g ? "," : "", g ? "Global" : "loop"
        split(g ? "8 8 2 2" : "1 2 3 4", u, " ")
        for (i = 3; i >= 0; i--)
            printf "{\"rank\":%d,\"hostname\":\"n%d\",\"numCpus\":1,\"elapsedTime\":8200000000,\"usefulTime\":%d000000000,\"mpiTime\":%d00000000}%s",
                i, i / 2, u[i + 1], 82 - 10 * u[i + 1], i ? "," : ""
        printf "]}"
    }
    print "]}" }' >talp35.json
same talp35.json
# With Windows' line ends.
sed 's/$/\r/' app.mpiP >crlf.mpiP
same crlf.mpiP
sed 's/$/\r/' app.prv >crlf.prv
"$lbsim" gain app.prv --quiet | sed 's/app.prv/crlf.prv/g' >unix.txt
"$lbsim" gain crlf.prv --quiet | cmp - unix.txt || fail "a Paraver trace with other line ends"
# Neither wall time nor nodes: said, and the user says how many are on a node.
printf 'work_s,rank,window\n' >bare.csv
for w in 0 1 2; do printf '8,0,%d\n8,1,%d\n2,2,%d\n2,3,%d\n' $w $w $w $w; done >>bare.csv
says 'the whole time was not measured' "$lbsim" gain bare.csv --appranks-per-node 2 --quiet
grep -q 'taken to be on one' out.txt && fail "nodes were said: $(cat out.txt)"
part 'between nodes' 9
# Nodes that nobody named are said to be assumed.
says '^  bare.csv does not say which nodes its ranks were on: all are taken to be on one (--appranks-per-node' \
    "$lbsim" gain bare.csv --quiet --systems dlb
says '"nodes_assumed":.*bare.csv does not say' "$lbsim" gain bare.csv --quiet --systems dlb --format json
says '"nodes_assumed":.*""' "$lbsim" gain excel.csv --quiet --systems dlb --format json

# More work than time: nothing follows from that, and what to say is said.
printf 'rank,load_s,wall_s\n0,5,1\n1,4,1\n' >threads.csv
says '^No verdict: the rank with most load computed 5 s on each of its cores (1), and only 1 s passed' "$lbsim" gain threads.csv --quiet
grep -q 'could be saved' out.txt && fail "a saving of time that did not pass"
# One rank has nobody to share with.
printf 'rank,load_s,wall_s\n0,5,5.1\n' >alone.csv
says '^1 rank of 1 thread on 1 node (CSV):$' "$lbsim" gain alone.csv --quiet
grep -q '^Not worth it: imbalance 1.00' out.txt || fail "one rank: $(cat out.txt)"
# Days without windows.
printf 'rank,load_s,wall_s\n0,5e6,5.1e6\n1,2e6,5.1e6\n' >days.csv
says '^Imbalance 1.43' "$lbsim" gain days.csv --quiet --systems baseline,dlb

# ---- Many ranks ----
# many FILE RANKS PER_NODE: rank r has 1 + r mod 4
many() {
    awk -v n="$2" -v per="$3" 'BEGIN { print "rank,node,load_s,wall_s"
        for (r = 0; r < n; r++) print r "," int(r / per) "," 1 + r % 4 ",4" }' >"$1"
}
# As many on a node as it has cores.
many wide.csv 384 128
says '^Imbalance 1.60' "$lbsim" gain wide.csv --quiet --systems dlb
predicted dlb 2.5 4
# More ranks on one node than are simulated: said, not a parameter's name.
printf 'rank,load_s\n' >flat.csv
awk 'BEGIN { for (r = 0; r < 2000; r++) print r "," 1 + r % 4 }' >>flat.csv
says 'up to 1024 (--appranks-per-node K says' "$lbsim" gain flat.csv --quiet

# ---- Bad input ----
expect 2 "found 'magic', allowed is one of baseline" "$lbsim" gain excel.csv --systems dlb,magic
# A parameter that one system alone has, of all that are asked for.
expect 0 '' "$lbsim" gain excel.csv --quiet --systems dlb,chameleon --set 'system.comm_core="shared"'
expect 2 'none of the systems that are swept uses system.comm_core, but chameleon' \
    "$lbsim" gain excel.csv --quiet --systems dlb,dynamic --set 'system.comm_core="shared"'
bad() {
    printf "$2" >"$1"
    expect 2 "$3" "$lbsim" gain "$1" --quiet
}
bad rank.csv 'load_s\n1\n' 'rank.csv:1: found no column of the rank'
bad time.csv 'rank,time_s\n0,1\n1,2\n' 'time.csv:1: found no column of the load, allowed is one of load, work, .*busy, with a unit .*without waiting'
bad thousands.csv 'rank,load_s\n0,"2,000"\n1,"1,000"\n' "thousands.csv:2: load_s: found '2,000', allowed is a number"
bad twice.csv 'rank,load_s\n0,1\n0,1\n' 'twice.csv: found 2 rows for ranks 0 to 0'
bad same.csv 'rank,load_s\n0,1\n0,1\n2,1\n' 'same.csv:3: rank 0 has a second row'
bad both.csv 'rank,load_s,useful\n0,1,1\n' 'columns "load_s" and "useful" could both be the load'
bad word.csv 'rank,load_s\n0,fast\n' "word.csv:2: load_s: found 'fast'"
bad none.csv 'rank,load_s\n0,0\n1,0\n' 'none.csv: found no load of any rank'
bad tiny.csv 'rank,load_s\n0,1e-12\n1,1e-13\n' 'tiny.csv: found no load of any rank'
bad ages.csv 'rank,load_s\n0,1e12\n1,1\n' 'ages.csv: rank 0 computes 1e+12 s on each of its cores'
bad half.json '{"dlbVersion":"3.6","Application":{}}' 'half.json.*neither "Process" nor "region" nor "node".*talp-summary=process'
bad less.json '{"Process":{"Global":[{"rank":0,"nodeId":0}]}}' 'less.json.*"usefulTime" is needed'
bad app.mpiP '@ mpiP\n@ Version: 3.5\n' 'app.mpiP: found no times of tasks'
bad head.prv '#Paraver (x):10_ns:0:1:2(1:1\n' 'head.prv:1: this is no header'
bad past.prv '#Paraver (x):10_ns:0:1:1(1:1)\n1:1:1:1:1:5:11:1\n' "past.prv:2: .*past the trace's end"
bad back.prv '#Paraver (x):10_ns:0:1:1(1:1)\n1:1:1:1:1:5:9:1\n1:1:1:1:1:8:9:1\n' 'back.prv:3: a state that begins before'
bad thread.prv '#Paraver (x):10_ns:0:1:1(2:1)\n1:1:1:1:3:5:9:1\n' 'thread.prv:2: a state of a thread that the header does not have'
bad twice.prv '#Paraver (x):10_ns:0:1:1(2:1)\n1:1:1:1:2:5:9:1\n1:1:1:1:1:0:9:1\n1:1:1:1:2:8:9:1\n' 'twice.prv:4: a state that begins before'
bad aeons.prv '#Paraver (x):9223372036854775807_ns:0:1:1(1:1)\n1:1:1:1:1:5:9:1\n' 'aeons.prv:1: found more than 2^61 units of time'
bad percent.csv 'rank,load (%%)\n0,80\n1,20\n' 'percent.csv:1: found no column of the load'
bad units.csv 'rank,usefulTime\n0,8000000000\n1,2000000000\n' 'units.csv:2: usefulTime: found 8000000000 and no unit.*load_ns'
bad points.csv 'rank;load_s;wall_s\n0;8,5;9.000\n1;2,5;9.000\n' "points.csv:2: found '8,5', and '9.000' in line 2: allowed is a decimal point or"
bad hex.csv 'rank,load\n0,0x10\n' "hex.csv:2: load: found '0x10'"
bad nan.csv 'rank,load\n0,NaN\n1,2\n' "nan.csv:2: load: found 'NaN'"
bad part.csv 'rank,load,cores\n0,8,1.9\n1,2,2\n' 'part.csv:2: cores: found 1.9, allowed are whole numbers'
bad nowhere.csv 'rank,load,host\n0,8,\n1,2,a\n' "nowhere.csv:2: host: found ''"
bad moves.csv 'rank,load,window,node\n0,8,0,a\n0,8,1,b\n' "moves.csv:3: node: found 'b' and, of the same rank, 'a'"
bad regions.csv 'region,rank,load\nGlobal,0,8\nloop,0,3\n' 'regions.csv:3: found regions "Global" and "loop"'
bad middle.csv 'rank,load\n0,8\n\n1,2\n' 'middle.csv:3: found 1 cells, the header has 2'
process='{"rank":0,"nodeId":0,"numCpus":1,"elapsedTime":9e9,"usefulTime":8e9,"mpiTime":1e9}'
bad loops.json "{\"Process\":{\"a\":[$process],\"b\":[$process]}}" 'loops.json.*found regions "a" and "b".*"Global"'
bad half.json '{"Process":{"Global":[{"rank":0.5,"nodeId":0,"usefulTime":1,"mpiTime":1},{"rank":0}]}}' 'found rank 0.5, allowed is a whole one'
head -n 13 crlf.mpiP >cut.mpiP
sed -i '/^@ MPI Task/d' cut.mpiP
expect 2 'cut.mpiP: its table .* does not end with the row of all tasks' "$lbsim" gain cut.mpiP --quiet
bad more.mpiP '@ mpiP\n@--- MPI Time (seconds) ---\nTask AppTime MPITime MPI%%\n0 8.2 90.2 2\n' 'more.mpiP:4: found more MPITime than AppTime'
bad apps.prv '#Paraver (x):8_ms:1(2):2:1(1:1),1:1(1:1)\n1:1:1:1:1:0:8:1\n' 'apps.prv:1: found 2 applications, allowed is one'
bad cut.prv '#Paraver (x):80_ms:1(2):1:1(1:1)\n1:1:1:1:1:0:8:1\n1:1:1:1:1:8:80:1' 'cut.prv:3: the line does not end: the trace is cut off'
mkdir -p empty
expect 2 "'empty' has no measured.json" "$lbsim" gain empty --quiet
sed 's/"ranks":4/"ranks":5/' two/measured.json >tmp.json && mkdir -p more && cp two/loads.csv more/ && mv tmp.json more/measured.json
expect 2 'more/measured.json.*/load_s: allowed is a list of 5' "$lbsim" gain more --quiet
expect 2 'allowed is a measurement' "$lbsim" gain two/loads.csv --cores 2 --html x.html
expect 2 'has 2 ranks of 1 thread on a node' "$lbsim" gain two --cores 1 --quiet
expect 2 'no multiple of it' "$lbsim" gain two --appranks-per-node 3 --quiet
finish
