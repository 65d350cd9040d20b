#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Figures: drawn whole where gnuplot is there, skipped with a note where not, refused where the axes are missing.
. "$(dirname "$0")/cli.sh"

# figure NAME SWEEP OUTPUT [SLOW]: a small scenario with that figure.
figure() {
    cat <<END
{ "name": "$1", "description": "a figure of a small machine",
  "platform": { "nodes": 4, "cores_per_node": 4 },
  "workload": { "iterations": 4, "tasks_per_core": 10, "slow": "${4:-none}" },
  "system": { "name": "global" },
  "output": { "figure": "$1"$3 },
  "sweep": { $2 } }
END
}
lines='"platform.nodes": [2, 4], "graph.degree": [1, 2, 3], "workload.imbalance": [1, 1.5, 2]'
systems='"system.name": ["baseline", "local", "global"]'
figure imbalance_sweep "$lines, $systems" '' >imbalance_sweep.json
figure slow_node "$lines, \"workload.slow\": [\"most\", \"least\"]" '' most >slow_node.json
figure weak_scaling "\"platform.nodes\": [2, 4], \"platform.appranks_per_node\": [1, 2], \"graph.degree\": [1, 2], \"system.name\": [\"baseline\", \"dlb\", \"local\", \"global\"]" '' >weak_scaling.json
figure cores '"system.name": ["local", "global"]' ', "series_s": 0.1' >cores.json
figure tornado '"runtime.task_us,runtime.create_us,workload.task_ms": [[2, 1, 50], [200, 1, 50], [0, 1, 50], [2, 100, 25]]' '' >tornado.json
figure speedup '"workload.imbalance": [1, 2], "system.name": ["baseline", "dlb", "dpb"]' '' >speedup.json
figure convergence '"system.lewi": [true, false], "system.drom": [true, false]' ', "series_s": 0.1' >convergence.json

# A figure for each system besides the baseline, as SVG, PDF and PNG, from a data file beside them; any name of a
# directory will do.
drawn() {
    for kind in svg pdf png; do
        [ -s "$1.$kind" ] || fail "no $1.$kind"
    done
    grep -q '</svg>' "$1.svg" || fail "$1.svg is not whole"
    [ -s "$1.dat" ] || fail "no $1.dat"
}
if command -v gnuplot >/dev/null; then
    out="it's a \"dir\""
    expect 0 'wrote .*/imbalance_sweep_local.svg' "$lbsim" imbalance_sweep.json --out "$out"
    grep -q -e 'warning:' -e 'note:' err.txt && fail "remarks on figures: $(cat err.txt)"
    # The terminal of the user's own sessions, which is not to be had here.
    expect 0 'wrote .*/speedup.svg' env GNUTERM=nowhere "$lbsim" speedup.json --set graph.degree=1 --out "$out-speedup"
    drawn "$out-speedup/speedup"
    grep -q 'no interval: one run each' "$out-speedup/speedup.svg" || fail "no word of why there are no intervals"
    drawn "$out/imbalance_sweep_local"
    drawn "$out/imbalance_sweep_global"
    [ -e "$out/imbalance_sweep_baseline.svg" ] && fail "a figure of the baseline alone"
    grep -q '2 nodes' "$out/imbalance_sweep_local.svg" || fail "no panel for 2 nodes"
    expect 0 '' "$lbsim" slow_node.json --quiet --out slow
    drawn slow/slow_node_global
    expect 0 '' "$lbsim" convergence.json --quiet --out convergence
    drawn convergence/convergence
    grep -q '>LeWI and DROM<' convergence/convergence.svg || fail "no legend in words"
    # The words at the axis stay on the page where its numbers are long, and where a run goes on beyond it, that is said.
    figure convergence '"workload.imbalance": [1, 2], "system.name": ["local", "packing"]' ', "series_s": 0.5' >ends.json
    expect 0 '' "$lbsim" ends.json --set workload.jitter=gamma --set workload.jitter_cv=0.5 --quiet --out ends
    grep -q '>1.15<' ends/convergence.svg || fail "no test: no long numbers"
    sed -n 's/.*translate(\([-0-9.]*\),.*rotate(270).*/\1/p' ends/convergence.svg | awk '$1 < 8 { exit 1 }' || fail "half of the words at the axis"
    grep -q '>Time (s), until the first run ends; the last one: [3-5]' ends/convergence.svg || fail "cut off without a word"
    # What ends before it is sampled has no figure, and says why.
    expect 0 'note: no figure: a run ended before output.series_s' "$lbsim" ends.json --set output.series_s=100 --out unsampled
    expect 0 '' "$lbsim" weak_scaling.json --set workload.model=micropp --quiet --out scaling
    drawn scaling/weak_scaling_local
    drawn scaling/weak_scaling_global
    grep -q 'MicroPP on more and more nodes, local' scaling/weak_scaling_local.svg || fail "no model in the title"
    grep -q '2 appranks per node' scaling/weak_scaling_local.svg || fail "no panel for 2 appranks per node"
    # 2 and 4 nodes, 1 and 2 appranks per node, no DLB, DLB alone, degree 2
    [ "$(grep -vc '^#' scaling/weak_scaling_global.dat)" -eq 12 ] || fail "not a row for each point"
    expect 0 '' "$lbsim" cores.json --quiet --out cores
    drawn cores/cores
    grep -q 'apprank 3' cores/cores.svg || fail "no apprank 3 in the legend"
    # Systems to which the degree makes no difference contend in every cell: chameleon wins at imbalance 4 whatever others have.
    cat >winner.json <<'END'
{ "name": "winner", "platform": { "nodes": 4, "cores_per_node": 4 },
  "workload": { "model": "synthetic", "iterations": 6, "tasks_per_core": 20, "task_ms": 10 },
  "sweep": { "graph.degree": [1, 2, 3], "workload.imbalance": [2, 4], "system.name": ["baseline", "chameleon", "local"] },
  "output": { "figure": "winner" } }
END
    expect 0 '' "$lbsim" winner.json --quiet --out winner
    [ "$(grep -c '^0 .* "4" .* "chameleon" chameleon "' winner/winner.dat)" -eq 3 ] || fail "not the fastest of all: $(cat winner/winner.dat)"
    grep -q '^0 "" 2 "3" 0 "2" .* local "chameleon"' winner/winner.dat || fail "not the fastest of all: $(cat winner/winner.dat)"
    # With a precision points have unequally many runs: who is fastest, and who is the best of the others, is of those that both have.
    sed -e 's/"task_ms": 10/"task_ms": 10, "jitter": "gamma", "jitter_cv": 1/; s/"iterations": 6, "tasks_per_core": 20/"iterations": 3, "tasks_per_core": 4/' \
        -e 's/\[1, 2, 3\]/[2, 3]/; s/\[2, 4\]/[1, 1.25]/; s/"output"/"precision": 0.05, "replicates": 2, "replicates_most": 12, "output"/' winner.json >precise.json
    for seed in 1 6 18 37; do
        expect 0 '' "$lbsim" precise.json --seed $seed --quiet --out precise$seed
        awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) at = $i == "replicates" ? i : at } NR > 1 { n[$at] } END { exit !(length(n) > 1) }' precise$seed/summary.csv ||
            fail "no test: equally many runs"
        grep -v '^#' precise$seed/winner.dat | awk 'NF > 10 && $7 < 1 { exit 1 }' || fail "the next one is faster: $(cat precise$seed/winner.dat)"
    done
    sed 's/"winner" }/"claim", "claim_at_most": 1 }/' precise.json >rival.json
    expect 0 '' "$lbsim" rival.json --seed 37 --quiet --out rival
    # So the notes of `systems`: seed 4's `local` is the better of all its runs, but not of those that `tight` has, too.
    cat >shared.json <<'END'
{ "name": "shared", "platform": { "nodes": 4, "cores_per_node": 4 }, "graph": { "degree": 2 },
  "workload": { "model": "synthetic", "iterations": 3, "tasks_per_core": 4, "task_ms": 10, "jitter": "gamma", "jitter_cv": 1, "imbalance": 2 },
  "output": { "figure": "systems" }, "replicates": 2, "precision": 0.15, "replicates_most": 12, "seed": 4,
  "sweep": { "workload.imbalance": [1, 1.25], "system.name": ["baseline", "local", "tight"] } }
END
    expect 0 'imbalance 1.25 (of the [0-9]* runs that all have): ' "$lbsim" shared.json --out shared
    awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) c[$i] = i; next } $c["workload.imbalance"] == 1.25 { s = $c["system.name"]; n[s]++; if (n[s] == 1) name[++k] = s; v[s, n[s]] = $c["ratio_to_optimal"] }
        END { least = 99; for (i = 1; i <= k; i++) least = n[name[i]] < least ? n[name[i]] : least
              for (i = 1; i <= k; i++) { for (r = 1; r <= least; r++) sum[i] += v[name[i], r]; if (!best || sum[i] < sum[best]) best = i }
              printf "%s, %.2f of the bound\n", name[best], sum[best] / least }' shared/results.csv >best.txt
    grep -q "imbalance 1.25 .*: $(cat best.txt)" err.txt || fail "not the best of what all have, $(cat best.txt): $(cat err.txt)"
    expect 0 '' "$lbsim" show shared --html shared.html
    grep -q 'of unequally many, so not of the same work' shared.html && grep -q 'seed 4, [2-9] to [0-9]* replicates of each point' shared.html ||
        fail "a page of unequally many runs, and not a word of it"
    awk '$6 == "\"1.25\"" && $7 < 0.95 { exit 1 }' rival/claim.dat || fail "against another than the best: $(cat rival/claim.dat)"
    # Variants of one system have colours of their own, in the legend and in the cells.
    sed -e 's/"graph.degree": \[1, 2, 3\]/"workload.task_ms": [1000, 20000]/; s/"system.name": \["baseline", "chameleon", "local"\]/"graph.degree": [1, 2, 4]/' \
        -e 's/"sweep"/"system": { "name": "global" }, "sweep"/; s/\[2, 4\], "graph/[1, 2, 4], "graph/' winner.json >variants.json
    expect 0 '' "$lbsim" variants.json --quiet --out variants
    best=$(awk 'NF > 10 && $NF == 1 { print $11 $12 }' variants/winner.dat | sort -u | wc -l)
    colours=$(grep -o "<polygon fill = 'rgb([^)]*)'" variants/winner.svg | grep -v '255, 255, 255' | sort -u | wc -l)
    [ "$best" -gt 1 ] && [ "$colours" -ge "$best" ] || fail "$best variants of one system are fastest somewhere, in $colours colours: $(cat variants/winner.dat)"
    # Who is as fast as another wins no cell, and has no colour in the legend.
    sed -e 's/"graph.degree": \[1, 2, 3\]/"graph.degree": [1, 2]/; s/\[2, 4\]/[1, 4]/; s/"baseline", "chameleon", "local"/"local", "global", "chameleon"/' winner.json >even.json
    expect 0 '' "$lbsim" even.json --quiet --out even
    grep -q ' local "global" 0$' even/winner.dat && ! grep -q ' local ".*" 1$' even/winner.dat || fail "no test: $(cat even/winner.dat)"
    grep -q '>open: none is fastest for certain<' even/winner.svg && ! grep -q '>local<' even/winner.svg || fail "a colour that no cell has"
    # One run of each is no evidence, and says so.
    grep -q 'no interval: one run each' variants/winner.svg || fail "winners of one run each, and not a word of it"
    expect 0 '' "$lbsim" show variants --html variants.html
    grep -q 'no case has an interval: one run each' variants.html || fail "certain of one run each"
    expect 0 '' "$lbsim" tornado.json --quiet --out tornado
    drawn tornado/tornado
    expect 0 '' "$lbsim" show tornado --html tornado.html
    grep -q 'no run has an interval: one run each' tornado.html || fail "the scatter of one run each"
    expect 0 '' "$lbsim" tornado.json --set replicates=2 --quiet --out tornado_two
    expect 0 '' "$lbsim" show tornado_two --html tornado_two.html
    grep -q '; 1 of 2 values that were changed move it beyond the scatter of 2 pairs' tornado_two.html || fail "the scatter of two runs each"
    # With a precision, and of a study of degrees: what is changed moves the time from that of the base over the replicates
    # that all points of the system have, in pairs; one system behind the other.
    cat >pairs.json <<'END'
{ "name": "pairs", "platform": { "nodes": 4, "cores_per_node": 4 }, "output": { "figure": "tornado" },
  "workload": { "model": "synthetic", "iterations": 3, "tasks_per_core": 4, "task_ms": 10, "jitter": "gamma", "jitter_cv": 1, "imbalance": 1.5 },
  "sweep": { "system.name": ["local", "global"], "graph.degree,workload.task_ms,workload.jitter_cv": [[2, 10, 1], [3, 10, 1], [2, 10, 0.2], [2, 1, 1]] },
  "replicates": 2, "precision": 0.1, "replicates_most": 12, "seed": 4 }
END
    expect 0 '' "$lbsim" pairs.json --quiet --out pairs
    python3 - pairs <<'END' || fail "not of pairs: $(cat pairs/tornado.dat)"
import csv, shlex, statistics, sys
runs = {}
for row in csv.DictReader(open(sys.argv[1] + "/results.csv")):
    change = row["graph.degree"], row["workload.task_ms"], row["workload.jitter_cv"]
    runs.setdefault((row["system.name"], change), []).append(float(row["ratio_to_optimal"]))
assert len({len(r) for r in runs.values()}) > 1, "no test: equally many runs"
lines = [shlex.split(line) for line in open(sys.argv[1] + "/tornado.dat") if line[0] != "#"]
assert [line[0] for line in lines] == 3 * ["local"] + 3 * ["global"]
for name, what, _, *numbers, shared in lines:
    base = "2", "10", "1"
    place = {"Offloading degree": 0, "Length of a task (ms)": 1, "Jitter of tasks (std. dev. / mean)": 2}[what]
    shared = int(shared)
    assert shared == min(len(r) for (system, _), r in runs.items() if system == name)
    at = lambda value: runs[name, base[:place] + (value,) + base[place + 1:]][:shared]
    mean = statistics.mean(at(base[place]))
    assert abs(float(numbers[0]) - mean) < 1e-8 * mean
    for value, its, low, high in (numbers[3:7], numbers[7:11]):
        assert abs(float(its) - statistics.mean(at(value))) < 1e-8 * mean
        off = [mean + a - b for a, b in zip(at(value), at(base[place]))]
        assert min(off) - 1e-8 <= float(low) <= float(its) <= float(high) <= max(off) + 1e-8
END
    # Runs of other appranks in one figure: the cores that are owned fill each node.
    figure cores '"system.name,platform.nodes": [["local", 2], ["global", 4]]' ', "series_s": 0.1' >wider.json
    expect 0 '' "$lbsim" wider.json --set graph.degree=2 --quiet --out wider
    grep -q 'apprank 3' wider/cores.svg || fail "no apprank 3 of the second run in the legend"
    python3 - wider/cores.svg <<'END' || fail "cores that nobody owns"
import re, sys
full = {}
for points in re.findall(r"<polygon [^>]*points = '([^']*)'", open(sys.argv[1]).read()):
    at = [tuple(map(float, p.split(','))) for p in points.split()]
    if min(x for x, y in at) > 390: # at the right: owned
        bottom = max(y for x, y in at)
        full[bottom] = max(full.get(bottom, 0), *(bottom - y for x, y in at))
nodes = sorted(full.values())
sys.exit(not (len([h for h in nodes if h > 37]) == 6 and nodes[-1] - nodes[-6] < 0.1))
END
    # What differs only in what goes without saying elsewhere is two lines, not one with two values at each place.
    figure lines '"workload.iterations": [3, 6], "graph.degree": [1, 2]' '' >silent.json
    expect 0 '' "$lbsim" silent.json --quiet --out silent
    [ "$(grep -c '^"iterations [36]|' silent/lines.dat)" -eq 2 ] || fail "two values of iterations on one line: $(cat silent/lines.dat)"
    # Migration: a line for each value of what else is swept of the workload, from left to right.
    figure migration '"workload.task_ms": [8, 2, 4], "workload.imbalance": [1, 2], "system.name": ["baseline", "chameleon"]' '' >unsorted.json
    expect 0 '' "$lbsim" unsorted.json --quiet --out unsorted
    [ "$(grep -c '^"' unsorted/migration.dat)" -eq 4 ] || fail "not a line for each imbalance: $(cat unsorted/migration.dat)"
    awk '/^"/ { x = 0 } /^[0-9]/ { if ($1 <= x) bad = 1; x = $1 } END { exit bad }' unsorted/migration.dat || fail "lines go back: $(cat unsorted/migration.dat)"
    # Intervals hold the mean, to the last digit.
    for data in */*.dat; do
        case $data in winner/* | precise* | variants/* | unsorted/*) ;; *) continue ;; esac
        awk '/^#|^"|^$/ { next } { for (i = data ~ /winner/ ? 7 : 2; i == 7 || (data !~ /winner/ && i + 2 <= NF); i += 3) if ($i < $(i + 1) || $i > $(i + 2)) bad = 1 } END { exit bad }' \
            data=$data $data || fail "a mean outside of its interval: $data"
    done
    # Names that gnuplot would take for something else, and long ones of which no character is cut.
    long=$(printf 'é%.0s' 1 2 3 4 5 6 7 8 9 10)
    long=x$long$long$long$long$long$long$long$long$long$long
    for file in 'lo"a|d.csv' "$long.csv" plain_1.csv; do
        printf 'iteration,apprank,work_s,tasks\n0,0,1,4\n0,1,2,8\n0,2,1,4\n0,3,1,4\n' >"$file"
    done
    figure lines '"platform.cores_per_node": [2, 4], "workload.file": ["lo\"a|d.csv", "'"$long"'.csv", "plain_1.csv"], "system.name": ["baseline", "global"]' '' |
        sed 's/"workload": {.*}/"workload": { "model": "trace" }/' >names.json
    expect 0 '' "$lbsim" names.json --quiet --out names
    for name in lines winner systems speedup; do
        expect 0 'svg' "$lbsim" show names --scenario names.json --figure $name
        python3 -c 'import sys, xml.dom.minidom as x; x.parse(sys.argv[1])' names/$name.svg || fail "$name.svg is no XML"
        grep -q 'lo”a∣d.csv' names/$name.svg || fail "no name with a quote in $name.svg"
    done
    grep -q '>plain_1.csv<' names/winner.svg || fail "a name with a subscript"
    grep -q '^"global" "Creating a task (µs), Length of a task (ms)" "1, 50" .* "100, 25" ' tornado/tornado.dat || fail "no bar of two values"
    [ "$(grep -vc '^#' tornado/tornado.dat)" -eq 2 ] || fail "not a bar for each change"
fi

# What was published is marked where a row of the published values is about the scenario; other rows are not.
mkdir -p data/scenarios marked
cp imbalance_sweep.json slow_node.json cores.json convergence.json data/scenarios
sed 's/"workload": {/"workload": { "model": "micropp",/' weak_scaling.json >data/scenarios/weak_scaling.json
row() { # SCENARIO METRIC MORE: a row of published values
    printf '{"paper": "p", "place": "1", "quantity": "q", "metric": "%s", "scenario": "%s.json", %s}' "$2" "$1" "$3"
}
limit='"claim": "at most", "value": 1.25, "set": ["platform.nodes=4", "system.name=global", "graph.degree=3"'
pair='"set": ["system.name=global"], "against": ["system.name=local"]'
cat >data/scenarios/published.json <<END
{ "rows": [
  $(row imbalance_sweep ratio_to_optimal "$limit]"),
  $(row imbalance_sweep ratio_to_optimal "$limit, \"system.as=original\"], \"reading\": \"another system\""),
  $(row slow_node ratio_to_optimal "$limit, \"workload.slow=least\"], \"reading\": \"words\""),
  $(row weak_scaling time_per_iteration_s '"as": "reduction", "value": 0.25, "set": ["platform.nodes=4", "platform.appranks_per_node=2", "system.name=global", "graph.degree=2"], "against": ["system.name=dlb"]'),
  $(row cores total_s "\"as\": \"ratio\", \"value\": 0.5, $pair"),
  $(row convergence steady_node_imbalance '"value": 1.25, "set": ["system.lewi=true", "system.drom=false"]')
] }
END
marked() { # SCENARIO FIGURE OPTIONS...: run with these published values
    name=$1 file=marked/$1/$2.dat
    rm -rf "marked/$1"
    shift 2
    expect 0 '' env LBSIM_DATA="$PWD/data" "$lbsim" "$name.json" --quiet --out "marked/$name" "$@"
}
marked imbalance_sweep imbalance_sweep_global
# nodes, degree, imbalance, 1.25 times the bound, no reading: once for each imbalance of the sweep
[ "$(grep -A9 '^# published' $file | grep -c '^4 3 [0-9.]* 0.6[0-9]* 0$')" -eq 3 ] || fail "no published limit in $file"
marked imbalance_sweep imbalance_sweep_global --set platform.cores_per_node=5
grep -q '^# published' $file && fail "a published limit of another machine"
marked imbalance_sweep imbalance_sweep_global --set workload.task_ms=40
grep -q '^# published' $file && fail "a published limit of other work"
marked imbalance_sweep imbalance_sweep_global
marked imbalance_sweep imbalance_sweep_local
grep -q '^# published' $file && fail "a limit of global among the lines of local"
marked slow_node slow_node_global
[ "$(grep -A9 '^# published' $file | grep -c '^4 3 -*[0-9.]* [0-9.]* 1$')" -eq 3 ] || fail "no limit read from words in $file"
marked weak_scaling weak_scaling_global --set workload.model=micropp
awk '$1 == 2 && $2 == 4 && NF == 7 && $3 == 1 { dlb = $4 } $1 == 2 && $2 == 4 && NF == 4 { ok = $4 > 0.7499 * dlb && $4 < 0.7501 * dlb }
     END { exit !ok }' $file || fail "no reduction by a quarter in $file"
marked cores cores
[ "$(grep -c '^"4 4 4|global, LeWI and DROM|[0-9.]*"$' $file)" -eq 1 ] || fail "no published end in $file"
grep -q '^"4 4 4|local, LeWI and DROM"$' $file || fail "an end that is not published in $file"
marked convergence convergence
[ "$(grep -c '|1.25"$' $file)" -eq 1 ] && grep -q '^"4 2|global|LeWI only|1.25"$' $file || fail "no published imbalance in $file"
if command -v gnuplot >/dev/null; then
    for name in imbalance_sweep/imbalance_sweep_global weak_scaling/weak_scaling_global cores/cores convergence/convergence; do
        drawn "marked/$name"
        grep -q 'published' "marked/$name.svg" || fail "nothing published in $name.svg"
    done
    grep -q 'in words, as read' marked/slow_node/slow_node_global.svg || fail "no words as read in slow_node_global.svg"
fi
echo '{"rows": 1}' >data/scenarios/published.json
expect 0 'note: nothing published in the figure: .*"rows" must be a list' env LBSIM_DATA="$PWD/data" "$lbsim" cores.json --out marked/bad

# Without gnuplot, or with one that fails, the results are there all the same.
expect 0 'gnuplot is not installed' env PATH="$PWD/nowhere" "$lbsim" slow_node.json --out without
[ -s without/results.csv ] || fail "no results without gnuplot"
ls without | grep -q -e svg -e png && fail "figures without gnuplot"
mkdir bin
printf '#!/bin/sh\necho "out of ink" >&2\nexit 1\n' >bin/gnuplot
chmod +x bin/gnuplot
expect 0 'out of ink' env PATH="$PWD/bin:$PATH" "$lbsim" slow_node.json --out failing
ls failing | grep -q -e svg -e png && fail "a failing gnuplot left figures"

# --no-figure, and figure "none": no data file either.
expect 0 . "$lbsim" slow_node.json --out no_figure --no-figure
expect 0 . "$lbsim" slow_node.json --out none --set output.figure=none
ls no_figure none | grep -q -e svg -e dat && fail "a figure that nobody wanted"

# Every system on every workload: a point for each, and which wins and why.
expect 0 'note: synthetic: tight, 1.[0-9]* of the bound, [0-9]* % of the tasks away from home, .*against baseline (2.00): load balance' \
    "$lbsim" "$(dirname "$0")/../../../scenarios/all_systems.json" --out every \
    --set 'sweep.workload.model,workload.slow,workload.iterations=[["synthetic","none",12],["phases","none",3]]'
grep -q 'note: phases: ' err.txt || fail "not a word on the second workload"
grep -q "note: synthetic: .*packing does as baseline with 48 of its 64 cores" err.txt || fail "nothing on the cores that packing frees"
! command -v gnuplot >/dev/null || python3 "$(dirname "$0")/../../plots/check_svg.py" every/systems.svg || fail "every system on every workload"
for system in baseline dlb dpb local global dynamic chameleon packing tight; do
    [ "$(grep -c "\"$system\" $system " every/systems.dat)" -eq 2 ] || fail "$system should be there for both workloads"
done

# What cannot be drawn is refused before anything is run.
refused() {
    expect 2 "$1" "$lbsim" refused.json --out refused
    [ -e refused/results.csv ] && fail "results although the figure is refused"
}
figure imbalance_sweep '"graph.degree": [1, 2]' '' >refused.json
refused 'refused.json:[0-9]*:[0-9]*: /output/figure: .*workload.imbalance is not in sweep'
figure imbalance_sweep "$lines, \"runtime.poll_s\": [0.5, 1]" '' >refused.json
refused 'not by runtime.poll_s'
figure slow_node "$lines" '' >refused.json
refused 'workload.slow is none'
for name in cores weak_scaling estimator; do # places do not tell imbalances apart
    figure $name '"workload.imbalance": [1, 2], "platform.nodes": [2, 4]' ', "series_s": 0.1' >refused.json
    refused 'not by workload.imbalance'
done
figure convergence '"workload.imbalance": [1, 2]' ', "series_s": 0.1' >apart.json
expect 0 '' "$lbsim" apart.json --quiet --out apart
[ "$(grep '^"' apart/convergence.dat | sort -u | wc -l)" -eq 2 ] || fail "heads of two imbalances: $(cat apart/convergence.dat)"
figure convergence "$systems" '' >refused.json
refused 'output.series_s is 0'
figure convergence '"graph.degree": [2, 3]' ', "series_s": 0.1' >refused.json
refused 'not by graph.degree'
figure cores '"graph.degree": [1, 2]' '' >refused.json
refused 'output.series_s is 0'
figure cores '"platform.nodes": [4, 9]' ', "series_s": 0.1' >refused.json
refused 'it has room for 8 nodes and 16 appranks, not for 9 and 9'
figure weak_scaling '"graph.degree": [1, 2]' '' >refused.json
refused 'platform.nodes is not in sweep'
figure systems '"system.name": ["local", "global"], "workload.iterations": [4, 5]' '' >refused.json
refused 'local is there twice for the workload'
many=$(python3 -c 'print([[2, 1, 50, 0.5, 1, 1.5, 12.5] + [9] * 8] + [[9 + (i == a or i == b) if i > 6 else [2, 1, 50, 0.5, 1, 1.5, 12.5][i] + (i == a or i == b) for i in range(15)] for a in range(15) for b in range(a, 15)])')
figure tornado '"runtime.task_us,runtime.create_us,workload.task_ms,runtime.poll_s,platform.network.message_cpu_us,platform.network.latency_us,platform.network.bandwidth_GBps,system.period_s,workload.tasks_per_core,runtime.message_poll_us,workload.task_bytes,workload.imbalance,system.global_average_s,graph.seed,system.place_reserve_cores": '"$many" '' |
    sed 's/"nodes": 4/"nodes": 16/' >refused.json
refused 'it has room for 100 changes, not for 120'
figure tornado '"system.name": ["local", "global"]' '' >refused.json
refused 'nothing but the system is swept'
figure tornado '"graph.degree": [2, 3], "workload.imbalance": [1, 2], "runtime.poll_s": [0.5, 1]' '' >refused.json
refused 'differs from the first in 3 values'
figure convergence '"graph.degree": [2, 3]' ', "series_s": 0.1' >refused.json
expect 0 . "$lbsim" refused.json --out refused --no-figure
finish
