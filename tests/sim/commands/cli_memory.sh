#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Memory does not grow with the number of runs: neither while they are simulated, nor when they are read again and all
# files written anew. A run takes some 500 bytes where all are held.
. "$(dirname "$0")/cli.sh"
cat >peak.py <<'END'
import os, resource, subprocess, sys
def peak(replicates):
    call = [sys.argv[1], "tiny.json", "--quiet", "--no-figure", "--out", f"out-{replicates}", "--set", f"replicates={replicates}"]
    with open(f"{replicates}.txt", "w") as out:
        child = subprocess.Popen(call, stdout=out)
        _, status, usage = os.wait4(child.pid, 0)
    assert status == 0
    return usage.ru_maxrss / 1024
few, many, runs = peak(50), peak(200), 150 * 200
os.unlink("out-200/seal.json")
again = peak(200)
for name, found in (("simulated", many), ("read again", again)):
    print(f"{name}: {few:.1f} MiB for 10000 runs, {found:.1f} for 40000")
    assert (found - few) * 2**20 < 150 * runs, f"{name}: memory grows with the number of runs"
END
cat >tiny.json <<END
{ "name": "many", "platform": { "nodes": 1, "cores_per_node": 1 }, "graph": { "degree": 1 },
  "workload": { "iterations": 1, "tasks_per_core": 1, "imbalance": 1 }, "system": { "name": "baseline" },
  "sweep": { "workload.task_ms": [$(seq -s, 1 200)] } }
END
python3 peak.py "$lbsim" || fail "memory"
# A time series that memory does not hold is the parameter's fault: as the run begins, and while it lasts.
for more in platform.nodes=64 workload.iterations=10000; do
    # shellcheck disable=SC2016 # the inner shell's
    expect 2 'output.series_s: found 1e-06, and there is no memory for so many samples of .*, allowed is 0 (no time series) or longer' \
        sh -c 'ulimit -v 200000; exec "$@"' sh "$lbsim" tiny.json --set 'sweep={}' --set output.series_s=1e-6 --set $more --quiet
done
finish
