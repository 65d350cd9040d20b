#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# The runtime in real jobs: random tasks give what a serial run gives, for any system, degree and number of
# virtual nodes; what a run writes is what lbsim reads. Usage: live.sh LBRUN LBSIM RANDOM_TASKS SYNTHETIC [ROUNDS]
set -u
lbrun=$1 lbsim=$2 random=$3 synthetic=$4 rounds=${5:-4}
checker=$(cd "$(dirname "$0")/../../plots" && pwd)/check_prv.py
. "$(dirname "$0")/../job.sh"
with_mpi_in_process
seed=1

# random NODES CORES DEGREE SYSTEM [options]
random_job() {
    nodes=$1 cores=$2 degree=$3 system=$4
    shift 4
    seed=$((seed + 1))
    timeout 120 sh -c 'echo $$ >pid.txt && exec "$@"' sh "$lbrun" --nodes "$nodes" --cores "$cores" --degree "$degree" --system "$system" "$@" -- \
        "$random" $seed "$rounds" >out.txt 2>err.txt || {
        fail "seed $seed, $nodes nodes x $cores cores, degree $degree, $system $*: exit code $?"
    }
    no_segments "$(cat pid.txt)" "seed $seed"
}

random_job 1 2 1 baseline
random_job 1 4 1 dlb --appranks-per-node 2
random_job 2 4 2 global
random_job 2 4 2 local
random_job 3 4 3 global --param poll_s=0.02 --param period_s=0.05
random_job 3 4 2 local --param poll_s=0.02
random_job 2 8 2 global --appranks-per-node 2 --param poll_s=0.02 --param ownership=boundary
random_job 4 6 4 global --lewi off --param poll_s=0.05
random_job 2 4 2 local --drom off --param poll_s=0.02
random_job 3 4 3 dynamic --param poll_s=0.02 --param period_s=0.05 --param grow_period_s=0.05 --param grow_idle_s=0.1 --param grow_gain=0
random_job 3 2 1 chameleon
random_job 2 1 1 chameleon --param migrate_at_once=8 --param migrate_share=0.5
random_job 3 2 1 chameleon --param replicate_share=0.8 --param comm_core=taken
random_job 2 1 1 chameleon --param replicate_share=1 --param migrate=none

# What a run writes: decisions that lbsim decides again, loads that it simulates, a trace that a reader takes.
rm -f d.0 d.1
random_job 2 4 2 global --param poll_s=0.02 --param period_s=0.05 --decisions d --loads loads.csv --report r.json --trace t.prv
"$lbsim" replay d >replay.txt || fail "lbsim replay: $(cat replay.txt)"
grep -q 'global' replay.txt || fail "no decision of global was replayed"
rm -f m.0 m.1
random_job 2 1 1 chameleon --decisions m
"$lbsim" replay m >replay.txt || fail "lbsim replay of migrations: $(cat replay.txt)"
grep -q '^pairs *migration' replay.txt || fail "no decision of pairs was replayed"
python3 "$checker" t.prv >trace.json || fail "the trace"

# Tasks that wait at two ranks: whoever is first has them, and each is done once.
rm -f c.0 c.1
timeout 120 "$lbrun" --quiet --nodes 2 --cores 2 --system chameleon --param replicate_share=1 --param migrate=none --decisions c --report c.json -- \
    "$synthetic" --imbalance 2 --iterations 3 --tasks-per-core 10 --task-ms 10 >out.txt 2>&1 || fail "replication: $(cat out.txt)"
"$lbsim" replay c >replay.txt || fail "lbsim replay of replication: $(cat replay.txt)"
python3 - c.json <<'END' || fail "the report of replication"
import json, sys
r = json.load(open(sys.argv[1]))
assert 1 <= r["replicas_used"] <= r["replicas"] and r["offloaded_tasks"] == r["replicas_used"] and r["tasks"] == 120, r
END
python3 - r.json <<'END' || fail "the report"
import json, sys
r = json.load(open(sys.argv[1]))
assert (r["system"], r["nodes"], r["cores"], r["degree"], r["appranks"]) == ("global", 2, 4, 2, 2), r
# 60 a round and apprank, and those of kinds.h
assert r["tasks"] > 2 * 60 * len(r["iteration_s"]) and r["time_per_iteration_s"] > 0, r
END
echo '{ "name": "l", "platform": { "nodes": 2, "cores_per_node": 4 }, "graph": { "degree": 2 },
  "workload": { "model": "trace", "file": "loads.csv" }, "system": { "name": "global" } }' >l.json
"$lbsim" l.json --quiet >simulated.txt || fail "the loads"

# Tasks that sleep are no sign of shared cores, the first of the main program's thread neither.
timeout 120 "$lbrun" --quiet --nodes 2 --cores 2 --system baseline --param poll_s=0.1 --report s.json -- \
    "$synthetic" --imbalance 1 --iterations 3 --tasks-per-core 2 --task-ms 50 >out.txt 2>&1 || fail "asleep: $(cat out.txt)"
grep -q '"load_gap": 0,*$' s.json || fail "asleep: $(grep load_gap s.json)"

# Helpers sleep at first, and come where the load needs them; those that are of no use go again.
timeout 120 "$lbrun" --quiet --nodes 3 --cores 4 --system dynamic --param poll_s=0.02 --param period_s=0.05 --param grow_period_s=0.05 \
    --report g.json --decisions g -- "$synthetic" --imbalance 2 --iterations 8 --tasks-per-core 20 --task-ms 10 >out.txt 2>&1 || fail "dynamic: $(cat out.txt)"
python3 - g.json <<'END' || fail "the report of system dynamic"
import json, sys
r = json.load(open(sys.argv[1]))
assert (r["system"], r["degree"], r["workers"]) == ("dynamic", 3, 9) and 1 <= r["helpers_woken"] and r["offloaded_tasks"] > 0, r
END

"$lbsim" replay g >replay.txt || fail "lbsim replay of system dynamic: $(cat replay.txt)"
grep -q '^cut *growth .* 0$' replay.txt && grep -q '^global *allocation' replay.txt || fail "growth was not replayed: $(cat replay.txt)"

# Who lends a core by what tasks take is told so by the node's board: of two workers, after four figures and eight of each, what theirs took.
rm -f k.0 k.1
timeout 120 "$lbrun" --quiet --nodes 2 --cores 4 --degree 2 --system tight --decisions k -- \
    "$synthetic" --imbalance 2 --iterations 3 --tasks-per-core 10 --task-ms 10 >out.txt 2>&1 || fail "tight: $(cat out.txt)"
python3 - k.0 k.1 <<'END' || fail "what tasks took is not in the views of lending"
import sys
views = [line.split("=")[0].split()[3:] for name in sys.argv[1:] for line in open(name) if line.split()[2] == "lending"]
took_us = [int(figure) for view in views for figure in view[4 + 8 * 2:]]
assert max(took_us, default=0) >= 20000, took_us  # the tasks of the apprank with all the work sleep so long
END

# A helper that is wished for and cannot be: said once, and the job goes on without it.
timeout 120 "$lbrun" --quiet --nodes 3 --cores 4 --system dynamic --degree 1 --param poll_s=0.02 --param period_s=0.05 --param grow_period_s=0.05 \
    -- "$synthetic" --imbalance 2 --iterations 4 --tasks-per-core 20 --task-ms 10 >out.txt 2>err.txt || fail "dynamic without helpers"
[ "$(grep -c 'has no process that sleeps on node [0-2], where a helper was wished for' err.txt)" -eq 1 ] ||
    fail "dynamic without helpers"

# Paraver's views of a run that lasts many polls.
timeout 120 "$lbrun" --quiet --nodes 2 --cores 4 --degree 2 --system global --param poll_s=0.02 --trace s.prv -- \
    "$synthetic" --imbalance 1.5 --iterations 2 --tasks-per-core 10 --task-ms 20 >out.txt 2>&1 || fail "synthetic: $(cat out.txt)"
python3 "${checker%/*}/check_cfg.py" s.prv "${checker%/tests/*}"/plots/paraver/*.cfg >views.json || fail "Paraver's views of the trace"
python3 - views.json <<'END' || fail "what Paraver's views show"
import json, sys
view = json.load(open(sys.argv[1]))
assert len(view) == 5 and view["owned_cores"]["least"] >= 1 and view["owned_cores"]["largest"] <= 4, view
assert 0 < view["busy_cores"]["largest"] <= 4 and 1 <= view["node_imbalance"]["least"], view
END

# What cannot be written is said, and costs nothing but itself. lbrun has looked at the directory before its note.
rm -rf gone r.json loads.csv t.json err.txt
mkdir gone
"$lbrun" --nodes 2 --cores 4 --degree 2 --report gone/r.json --loads loads.csv --trace t.json -- "$random" 9 40 "went on" >out.txt 2>err.txt &
lbrun_pid=$!
until [ -s err.txt ]; do sleep 0.1; done
rmdir gone
wait $lbrun_pid && fail "a report in a directory that is gone: exit code 0"
grep -q "lbrun_stop: cannot write '.*/gone/r.json'" err.txt || fail "a report in a directory that is gone: no message"
[ -s loads.csv ] && [ -s t.json ] || fail "a report in a directory that is gone: no loads or no trace"
grep -q 'went on' out.txt || fail "a report in a directory that is gone: the program did not go on"
# The same states in the other format, and what the job did: 2 appranks' tasks, 40 rounds of iterations.
python3 "${checker%/*}/check_trace_json.py" t.json >trace.json || fail "the trace for Perfetto"
python3 - trace.json t.json <<'END' || fail "what the trace for Perfetto shows: $(cat trace.json)"
import json, sys
total, events = json.load(open(sys.argv[1])), json.load(open(sys.argv[2]))["traceEvents"]
assert total["running_s"] > 0 and total["main_s"] > 0 and 0 < total["cores"] <= 8, total
rounds = [e["args"]["value"] for e in events if e["ph"] == "C" and e["name"].startswith("Iteration,")]
assert rounds == list(range(1, len(rounds) + 1)) and rounds, rounds
assert {e["pid"] for e in events} == {0, 1}
END
[ "$failures" -eq 0 ]
