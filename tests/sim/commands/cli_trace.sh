#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Traces of a run, read by a reader that is not our writer.
checker=$(cd "$(dirname "$0")/../../plots" && pwd)/check_prv.py
cfg_checker=${checker%/*}/check_cfg.py
views=$(cd "$(dirname "$0")/../../../plots/paraver" && pwd)
. "$(dirname "$0")/cli.sh"
scenario >tiny.json
point="--set graph.degree=3 --set workload.imbalance=2.25 --set system.name=global"

# A trace is of one run.
expect 2 'has 12 points, a trace is of one' "$lbsim" trace tiny.json t.prv
[ ! -e t.prv ] || fail "a trace of nothing"

# Two outputs, or what is read and an output, are never one file.
cp tiny.json both.json
expect 2 "the command line's file and --decisions: both are 'both.json'" "$lbsim" trace tiny.json both.json $point --decisions both.json
expect 2 "the scenario and the trace: both are './both.json'" "$lbsim" trace both.json ./both.json $point
expect 2 "the trace's further file and --decisions: both are 't.pcf'" "$lbsim" trace tiny.json t.prv $point --decisions t.pcf
expect 2 "the command line's file and --decisions: both are 'both.json'" "$lbsim" trace both.json t.json $point --decisions both.json
cmp tiny.json both.json || fail "what was read has been written over"

# Its three files are all written or none, and what cannot be is said before anything is simulated.
mkdir t.row
expect 2 "cannot write 't.row'" "$lbsim" trace tiny.json t.prv $point
[ ! -e t.prv ] && [ ! -e t.pcf ] || fail "a trace without names"
rmdir t.row

# The whole run: 960 tasks of 50 ms, and a little overhead, were running.
expect 0 'wrote t.prv: 6 iterations' "$lbsim" trace tiny.json t.prv $point
expect 0 '' python3 "$checker" t.prv
python3 - out.txt <<'END' || fail "not the work that there was"
import json, sys
total = json.load(open(sys.argv[1]))
assert total["begin_ns"] == 0 and total["threads"] == 4 * 3 * 4, total
assert 48 <= total["running_s"] < 48.1, total
END

# Paraver's views: on every node each core has one owner, nobody is busier than a node, and work is offloaded.
expect 0 '' python3 "$cfg_checker" t.prv "$views"/*.cfg
python3 - out.txt <<'END' || fail "not what the views should show: $(cat out.txt)"
import json, sys
view = json.load(open(sys.argv[1]))
assert sorted(view) == ["borrowed_cores", "busy_cores", "node_imbalance", "offloaded_tasks", "owned_cores"], view
assert view["owned_cores"]["nodes"] == [[4, 4]] * 4 and view["owned_cores"]["least"] == 1, view
assert all(0 <= low and high <= 4 for low, high in view["busy_cores"]["nodes"]), view
assert view["borrowed_cores"]["least"] == 0 < view["borrowed_cores"]["largest"] <= 4, view
assert view["offloaded_tasks"]["objects"] == 4 and 0 < view["offloaded_tasks"]["largest"] <= 40, view
assert view["node_imbalance"]["objects"] == 1 and 1 <= view["node_imbalance"]["least"] <= view["node_imbalance"]["largest"] <= 4
END
expect 0 "views for Paraver: $views" "$lbsim" trace tiny.json t.prv $point
# A view of another event, or by a function that Paraver does not have, is found to be wrong.
sed 's/evt_type 1 91000000/evt_type 1 91000009/' "$views/owned_cores.cfg" >wrong.cfg
expect 1 'the trace has no event 91000009' python3 "$cfg_checker" t.prv wrong.cfg
sed 's/Last Evt Val/Last Event/' "$views/owned_cores.cfg" >wrong.cfg
expect 1 'no function of that level' python3 "$cfg_checker" t.prv wrong.cfg

# A window, and every other core.
expect 0 '' python3 "$checker" t.prv
expect 0 'wrote w.prv' "$lbsim" trace tiny.json w.prv $point --window 0.5:1.25 --core-step 2
expect 0 '' python3 "$cfg_checker" w.prv "$views"/*.cfg # values are complete all the same
expect 0 '' python3 "$checker" w.prv
python3 - out.txt <<'END' || fail "not the window that was asked for"
import json, sys
total = json.load(open(sys.argv[1]))
assert (total["begin_ns"], total["end_ns"], total["threads"]) == (5e8, 1.25e9, 4 * 3 * 2), total
assert 0 < total["running_s"] <= 0.75 * 4 * 2, total
END

# Helpers that come and go: all that there ever are have their rows, and no work is lost.
expect 0 'wrote d.prv: 6 iterations' "$lbsim" trace tiny.json d.prv --set workload.imbalance=2.25 \
    --set system.name=dynamic --set system.grow_period_s=0.5 --set system.start_s=0.1 \
    --set system.start_cpu_s=0
expect 0 '' python3 "$checker" d.prv
python3 - out.txt <<'END' || fail "not the work that there was, or no helpers"
import json, sys
total = json.load(open(sys.argv[1]))
assert total["begin_ns"] == 0 and total["threads"] > 4 * 4, total
assert 48 <= total["running_s"] < 48.2, total
END

# Chrome's JSON: the same running time, one slice at a time on a core.
expect 0 'wrote t.json' "$lbsim" trace tiny.json t.json $point
python3 - t.json <<'END' || fail "not a trace that Perfetto reads"
import json, sys
events = json.load(open(sys.argv[1]))["traceEvents"]
slices = [e for e in events if e["ph"] == "X"]
until = {}
for e in slices:
    core = e["pid"], e["tid"]
    assert 0 <= e["pid"] < 4 and 0 <= e["tid"] < 4
    assert e["ts"] >= until.get(core, 0) - 1e-3, e
    until[core] = e["ts"] + e["dur"]
assert 48e6 <= sum(e["dur"] for e in slices if not e["name"].endswith("main")) < 48.1e6
assert any(e["cat"] == "offloaded" for e in slices)
assert {e["ph"] for e in events} == {"M", "X", "C"}
counters = {e["name"].split(", apprank")[0] for e in events if e["ph"] == "C"}
assert counters == {"Owned cores", "Borrowed cores", "Busy cores", "Held tasks", "Offloaded tasks",
                    "Node imbalance, thousandths", "Iteration", "Bytes moved in the iteration"}, counters
named = {(e["pid"], e.get("tid")) for e in events if e["ph"] == "M"}
assert {(e["pid"], e["tid"]) for e in slices} <= named and {(e["pid"], None) for e in events} <= named
times = [e["ts"] for e in events if e["ph"] != "M"]
assert times == sorted(times) and times[0] >= 0
END

# Every system, in both formats: what ran is the work that was done, the same in both, and what is known of cores and
# iterations is shown. Packed processes take turns; processors change hands.
checker_json=${checker%/*}/check_trace_json.py
cat >eight.json <<'END'
{ "name": "eight", "platform": { "nodes": 4, "cores_per_node": 4, "appranks_per_node": 2 },
  "graph": { "degree": 2 }, "workload": { "imbalance": 3.0, "iterations": 12, "tasks_per_core": 10 },
  "sweep": { "system.name": ["baseline", "dlb", "local", "global", "dynamic", "chameleon", "dpb", "packing"] },
  "seed": 1 }
END
"$lbsim" eight.json --quiet --format csv >eight.csv || fail "no runs to trace"
for system in baseline dlb local global dynamic chameleon dpb packing; do
    expect 0 "wrote $system.prv: 12 iterations" "$lbsim" trace eight.json $system.prv --set system.name=$system
    expect 0 "wrote $system.json: 12 iterations" "$lbsim" trace eight.json $system.json --set system.name=$system
    expect 0 '' python3 "$checker" $system.prv
    mv out.txt prv.txt
    expect 0 '' python3 "$checker_json" $system.json
    python3 - $system prv.txt out.txt eight.csv $system.prv <<'END' || fail "$system: not what happened: $(cat prv.txt out.txt)"
import csv, json, sys
system, prv, chrome = sys.argv[1], json.load(open(sys.argv[2])), json.load(open(sys.argv[3]))
run = {row["system.name"]: row for row in csv.DictReader(open(sys.argv[4]))}[system]
for key in "begin_ns", "end_ns":
    assert prv[key] == chrome[key], key
for key in "running_s", "main_s":
    assert abs(prv[key] - chrome[key]) < 1e-6, key
assert abs(prv["end_ns"] * 1e-9 - float(run["total_s"])) < 1e-9
# threads that wait in a parallel region count as running
assert 96 - 1e-6 <= prv["running_s"] < (98 if system == "dpb" else 96.5), prv["running_s"]
figures = {}
for line in open(sys.argv[5]):
    f = line.split(":")
    if f[0] == "2":
        figures.setdefault(int(f[6]) - 91000000, []).append(int(f[7]))
assert figures[6] == list(range(13)), figures[6] # iterations
assert set(figures) >= {0, 2, 5, 6}, sorted(figures) # owned and busy cores, imbalance
assert all(1 <= x <= 4 for x in figures[0] if x) and all(1000 <= x <= 4000 for x in figures[5])
moved = sum(figures.get(7, [0]))
assert (moved > 0) == (run["offloaded_bytes"] not in ("", "0")), (moved, run["offloaded_bytes"])
if system == "packing":
    assert max(figures[8]) > 1 and float(run["freed_fraction"]) > 0
if system == "dpb":
    assert len(figures[0]) > 8 and float(run["ownership_changes"]) > 0
if system == "chameleon":
    assert max(figures[4]) > 0
END
done
# Where processes move between NUMA domains, each core is still on its own node.
expect 0 'wrote numa.prv' "$lbsim" trace eight.json numa.prv --set system.name=packing --set system.pack_domains=2
expect 0 '' python3 "$checker" numa.prv
expect 0 'wrote w.json' "$lbsim" trace eight.json w.json --set system.name=packing --window 2.5:7 --core-step 2
expect 0 '' python3 "$checker_json" w.json
# A trace with a fault is found to be wrong.
sed '0,/"ph":"X"/s/\("ph":"X".*"dur":\)[0-9.]*/\1999999999.000/' chameleon.json >wrong.json
expect 1 'a duration that cannot be' python3 "$checker_json" wrong.json
sed '0,/"ph":"X"/s/\("ph":"X".*"tid":\)[0-9]*/\19/' chameleon.json >wrong.json
expect 1 'a core that the node does not have' python3 "$checker_json" wrong.json

# What the policies saw and decided, decided again; being written down changes nothing.
for system in baseline dlb local global 'global --set system.solver="lp"'; do
    expect 0 'wrote t.json' "$lbsim" trace tiny.json t.json $point --set system.name=$system
    cp t.json before.json
    expect 0 'wrote t.json' "$lbsim" trace tiny.json t.json $point --decisions log --set system.name=$system
    cmp -s t.json before.json || fail "$system: a run that is written down is another"
    expect 0 '' "$lbsim" replay log
    placed='[1-9][0-9]*' # where there is but home, nobody is asked
    case $system in baseline | dlb) placed=0 ;; esac
    grep -q "^locality  *placement  *4  *0  *$placed  *0\$" out.txt || fail "$system: not $placed placements were replayed"
    case $system in
    *lp*) grep -q '^global-lp  *allocation  *1  *[1-9][0-9]*  *[1-9][0-9]*  *0$' out.txt || fail "no global-lp" ;;
    global) grep -q '^global  *allocation  *1  *[1-9][0-9]*  *[1-9][0-9]*  *0$' out.txt || fail "no global" ;;
    local) grep -q '^local  *allocation  *4  *[1-9][0-9]*  *[1-9][0-9]*  *0$' out.txt || fail "no local" ;;
    esac
done
sed 's/^\([0-9]* [0-9]* lending .* = \)1 /\12 /' log >other
expect 2 'damaged: its checksum' "$lbsim" replay other
expect 2 'graph changes: found system "dynamic"' "$lbsim" trace tiny.json t.json --decisions no.log \
    --set system.name=dynamic --set workload.imbalance=2.25
[ ! -e no.log ] || fail "half a log is left"
expect 1 "cannot write 'cut.log': " sh -c "ulimit -f 16; exec \"\$0\" \"\$@\"" "$lbsim" trace tiny.json t.json $point --decisions cut.log --window 0:0.001
[ ! -e cut.log ] || fail "a log that does not fit is left, cut"
expect 2 "cannot write 'none/log'" "$lbsim" trace tiny.json t.json $point --decisions none/log

for system in dpb packing chameleon; do
    few= # ranks of chameleon decide every millisecond
    [ $system = chameleon ] && few='--set workload.iterations=1'
    expect 0 'wrote p.json' "$lbsim" trace eight.json p.json --decisions $system.log --set system.name=$system $few
    expect 0 '' "$lbsim" replay $system.log
    grep -q '^[a-z-]*  *\(processors\|packing\|migration\)  *[1-9][0-9]*  *0  *[1-9][0-9]*  *0$' out.txt || fail "$system: not replayed"
    cut -d' ' -f3 $system.log | grep -q "^\(moving\|packing\|migrating\)$" || fail "$system: no such record"
    # Another decision, with its checksum put right, is a difference; one that no policy can be shown is damage.
    another='s/ = \([0-9]*\) / = \19 /'
    [ $system = chameleon ] && another='s/ = 0 / = 1 1 1 /' # a move where there was none
    for change in "$another" 's/ = .*~/ = 1 ~/' 's/ \(moving\|packing\|migrating\) / \1 -/'; do
        python3 - $system.log "$change" >other <<'END'
import re, subprocess, sys
done = False
for line in open(sys.argv[1]):
    if not done and re.search(" (moving|packing|migrating) ", line):
        text = subprocess.run(["sed", sys.argv[2]], input=line, capture_output=True, text=True).stdout
        text, check = text[:text.rindex("~") - 1], 2166136261
        for c in text.encode():
            check = (check ^ c) * 16777619 % 2**32
        line, done = "%s ~%08x\n" % (text, check), True
    sys.stdout.write(line)
END
        "$lbsim" replay other >out.txt 2>err.txt
        code=$?
        case $change in
        "$another") [ $code = 1 ] && grep -q 'first difference' out.txt || fail "$system: the difference is not seen: $code" ;;
        *) [ $code = 2 ] && [ -s err.txt ] || fail "$system: damage is not seen ($change): $code" ;;
        esac
    done
done

# What cannot be done is said, and leaves nothing.
expect 2 'end in .prv (Paraver) or .json' "$lbsim" trace tiny.json t.txt $point
expect 2 "window: found '3:2', allowed is FROM:TO" "$lbsim" trace tiny.json t.prv $point --window 3:2
expect 2 "core-step: found '0', allowed" "$lbsim" trace tiny.json t.prv $point --core-step 0
expect 2 "cannot write 'none/t.prv'" "$lbsim" trace tiny.json none/t.prv $point
expect 2 'a scenario and a file are needed' "$lbsim" trace tiny.json
finish
