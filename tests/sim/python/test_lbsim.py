#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""The Python package gives what lbsim gives, to the last bit and without copies; a policy in Python decides as the same
one in C. Usage: test_lbsim.py PACKAGE_FOLDER LBSIM LATEST.so SOURCE_DIR"""
import csv
import json
import os
import subprocess
import sys
import tempfile

package, lbsim_program, latest, source = sys.argv[1:5]
try:
    import cffi  # noqa: F401
    import numpy
except ImportError as missing:
    print(f"skipped: {missing} (python3-cffi, python3-numpy)")
    sys.exit(77)
sys.path.insert(0, package)
import lbsim

CASE = {"sweep": {}, "platform.nodes": 4, "platform.cores_per_node": 6, "workload.iterations": 6, "workload.tasks_per_core": 10, "graph.degree": 2,
        "replicates": 2, "sweep.system.name": ["baseline", "local"], "sweep.workload.imbalance": [1, 2.25], "output.figure": "none"}
SCENARIO = os.path.join(source, "scenarios", "imbalance_sweep.json")


def words(settings):
    return [w for k, v in settings.items() for w in ("--set", f"{k}={v if isinstance(v, str) else json.dumps(v)}")]


def rows(settings, *options):
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run([lbsim_program, *options, SCENARIO, "--quiet", "--no-figure", "--out", folder + "/r", *words(settings)], check=True,
                       stdout=subprocess.DEVNULL)
        return list(csv.DictReader(open(folder + "/r/results.csv")))


def raises(kind, text, call):
    try:
        call()
    except kind as error:
        assert text in str(error), error
        return
    raise AssertionError(f"nothing was raised, expected {text}")


# Every metric of every run is that of results.csv.
run = lbsim.run(SCENARIO, CASE, jobs=2)
told = rows(CASE)
assert run.npoint == 4 and run.nreplicate == 2 and len(told) == 8
for name in lbsim.METRICS:
    if name in told[0]:
        ours = run.metric(name).reshape(-1)
        theirs = [float(row[name] or "nan") for row in told]
        assert numpy.array_equal(ours, theirs, equal_nan=True), (name, ours, theirs)
assert run["system.name"] == [row["system.name"] for row in told[::2]] and run["workload.imbalance"][:2] == [1, 2.25]

# Where points need unequally many replicates for their precision, the others are none, and no part of a mean.
precise = dict(CASE, **{"precision": 0.05, "replicates_most": 9, "workload.jitter": "gamma", "workload.jitter_cv": 0.3})
needed = rows(precise)
some = lbsim.run(SCENARIO, precise)
counts = [sum(row["system.name"] == s and float(row["workload.imbalance"]) == i for row in needed)
          for s, i in zip(some["system.name"], some["workload.imbalance"])]
assert some.nreplicate == 9 and min(counts) < 9 and sum(counts) == len(needed), counts
times = [float(row["time_per_iteration_s"]) for row in needed]
for point, count in enumerate(counts):
    ours, needed_s = some.metric("time_per_iteration_s")[point], times[sum(counts[:point]):][:count]
    assert numpy.array_equal(ours[:count], needed_s) and numpy.isnan(ours[count:]).all()
    assert abs(some.mean("time_per_iteration_s")[point] - sum(needed_s) / count) < 1e-12
raises(IndexError, "replicate 8", lambda: some.iterations(counts.index(min(counts)), 8))

# No copies, not to be written, and alive as long as an array is.
a, b = run.metric("optimal_s"), run.metric("optimal_s")
assert numpy.shares_memory(a, b) and a.strides[0] == 2 * a.strides[1] > 8
raises(ValueError, "read-only", lambda: a.__setitem__((0, 0), 1))
iterations = run.iterations(3, 1)
total = float(iterations.sum())
del run
assert float(iterations.sum()) == total and abs(total - float(told[7]["total_s"])) < 1e-9

# Time series, as many workers as the graph has edges.
one = {**CASE, "system.name": "local", "workload.imbalance": 2.25, "output.series_s": 0.1, "output.workers": True}
run = lbsim.run(SCENARIO, one)
assert run.busy().shape == run.owned().shape and run.busy().shape[1] == 8
assert (run.owned().sum(axis=1) == 24).all()
raises(lbsim.Error, "no time series", lambda: lbsim.run(SCENARIO, CASE).busy())

# What lbsim refuses is refused in its words.
raises(lbsim.Error, "did you mean", lambda: lbsim.run(SCENARIO, {"graph.degre": 2}))
raises(lbsim.Error, "cannot read", lambda: lbsim.run("nosuch.json"))
raises(lbsim.Error, "no policy", lambda: lbsim.run(SCENARIO, {**CASE, "sweep.system.name": ["python"]}))
raises(IndexError, "point 9", lambda: run.iterations(9))
raises(KeyError, "nosuch", lambda: run.metric("nosuch"))

# The policy of policies/examples/latest.c, in Python: the same decisions, so the same times.
@lbsim.policy
def mine(cores, busy, owned):
    assert len(busy) == len(owned) and owned.sum() == cores
    return lbsim.share(cores, numpy.maximum(busy, 0.5))


changing = {**CASE, "runtime.poll_s": 0.05, "sweep.workload.imbalance": [1.5, 2.25]}
ours = lbsim.run(SCENARIO, {**changing, "sweep.system.name": ["python"]})
theirs = rows({**changing, "sweep.system.name": ["latest"]}, "--policy", latest)
assert ours.metric("total_s").reshape(-1).tolist() == [float(row["total_s"]) for row in theirs]
assert ours.metric("ownership_changes").sum() > 0

# One that is wrong, or fails, is an error where it was run, and no crash.
lbsim.policy(lambda cores, busy, owned: numpy.full(len(busy), cores))
raises(lbsim.Error, "gives out", lambda: lbsim.run(SCENARIO, {**changing, "sweep.system.name": ["python"]}))
lbsim.policy(lambda cores, busy, owned: 1 / 0)
raises(ZeroDivisionError, "", lambda: lbsim.run(SCENARIO, {**changing, "sweep.system.name": ["python"]}))
# So is an answer that is no whole numbers of cores: a fraction was cut off before.
for wrong in ([float("nan")] * 2, [2.5, 1.5], [1e300, 1], [4], None, "22"):
    lbsim.policy(lambda cores, busy, owned: wrong if wrong != [2.5, 1.5] else owned + 0.5)
    raises(ValueError, "the policy answered", lambda: lbsim.run(SCENARIO, {**changing, "sweep.system.name": ["python"]}))

# The notebook's cells run, one after the other.
os.chdir(source)
names = {}
for cell in json.load(open("sim/python/example.ipynb"))["cells"]:
    if cell["cell_type"] == "code":
        exec("".join(cell["source"]), names)
print("all as lbsim says")
