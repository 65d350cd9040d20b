#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Traces of a run, read by a reader that is not our writer.
checker=$(cd "$(dirname "$0")/../plots" && pwd)/check_prv.py
cfg_checker=${checker%/*}/check_cfg.py
views=$(cd "$(dirname "$0")/../../plots/paraver" && pwd)
. "$(dirname "$0")/cli.sh"
scenario >tiny.json
point="--set graph.degree=3 --set workload.imbalance=2.25 --set system.name=global"

# A trace is of one run.
expect 2 'has 12 points, a trace is of one' "$lbsim" trace tiny.json t.prv
[ ! -e t.prv ] || fail "a trace of nothing"

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
                    "Node imbalance, thousandths"}, counters
named = {(e["pid"], e.get("tid")) for e in events if e["ph"] == "M"}
assert {(e["pid"], e["tid"]) for e in slices} <= named and {(e["pid"], None) for e in events} <= named
times = [e["ts"] for e in events if e["ph"] != "M"]
assert times == sorted(times) and times[0] >= 0
END

# What cannot be done is said, and leaves nothing.
expect 2 'end in .prv (Paraver) or .json' "$lbsim" trace tiny.json t.txt $point
expect 2 'window 3:2, allowed is FROM:TO' "$lbsim" trace tiny.json t.prv $point --window 3:2
expect 2 'core-step 0, allowed' "$lbsim" trace tiny.json t.prv $point --core-step 0
expect 1 "cannot write 'none/t.prv'" "$lbsim" trace tiny.json none/t.prv $point
expect 2 'a scenario and a file are needed' "$lbsim" trace tiny.json
finish
