#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Random scenarios that the schema allows, run: whatever a scenario says, it is simulated, or refused by a message.

    valid.py LBSIM MANY SECONDS SEED [COUNT]    drawn by the seed until the seconds are over, COUNT at most

LBSIM says the schema; MANY (many.c, of a build with sanitizers) runs them all in one process.
Each has a few parameters of any section, values near their defaults and at their limits, small enough to be quick, and
sometimes a sweep. Survived: it is simulated, or refused by a message (what goes together is more than a schema says), the process goes on
without a word of a sanitizer, the same comes out with two threads, and all that ends within 60 s. A scenario that was not survived stays in
failed-N.json."""

import json
import math
import os
import random
import re
import select
import subprocess
import sys
import time

# So that thousands can be run: limits below the schema's.
CAPS = {"nodes": 6, "cores_per_node": 8, "appranks_per_node": 3, "iterations": 6, "tasks_per_core": 12, "degree": 4,
        "trials": 10, "task_ms": 60, "nbody_bodies": 600, "nbody_block": 100, "matmul_size": 60, "matmul_tasks": 60,
        "matmul_ranks": 8, "mesh_steps": 8, "cholesky_size": 128, "cholesky_block": 64, "cholesky_matrices": 3,
        "minife_elements": 12, "trace_tasks": 20, "regions": 4, "micropp_newton": 3, "imbalance": 4,
        "micropp_cg_linear": 10, "micropp_cg_nonlinear": 20, "micropp_linear_steps": 3, "replicates": 3,
        "replicates_most": 10}
FLOORS = {"cholesky_block": 16, "period_s": 0.01, "local_average_s": 0.01, "global_average_s": 0.01,
          "grow_period_s": 0.01, "turn_us": 1, "bandwidth_GBps": 0.001, "multizone_mflops": 50, "ft_gflops": 0.1,
          "minife_GBps": 0.5, "matmul_gflops": 0.5, "cholesky_gflops": 1, "nbody_block": 20}
ONLY = {"multizone_class": ["S"], "ft_class": ["S"]}
LEFT = {"file", "include", "sweep", "replicates", "seed", "plot", "$schema", "name", "description", "load_ms"}
PATIENCE_S = 60


def number(draw, name, rule):
    """Of a rule's range: its ends, its default, or something between, small ones as often as large ones."""
    whole = rule["type"] == "integer"
    low, default = max(rule.get("minimum", 0), FLOORS.get(name, -math.inf)), rule.get("default", 1)
    high = min(rule.get("maximum", 1e6), CAPS.get(name, max(50, 20 * default) if whole else max(10, 20 * default)))
    high = max(low, high)
    kind = draw.random()
    if kind < 0.15:
        return low
    if kind < 0.25:
        return high
    if kind < 0.35 and low <= default <= high:
        return default
    least = max(low, 1e-3)
    value = min(high, max(low, least * (max(high, least) / least) ** draw.random()))
    return int(round(value)) if whole else float("%.4g" % value)


def value(draw, name, rule):
    if name in ONLY:
        return draw.choice(ONLY[name])
    if "enum" in rule:
        return draw.choice(rule["enum"])
    if rule.get("type") == "boolean":
        return draw.random() < 0.5
    return number(draw, name, rule) if rule.get("type") in ("integer", "number") else None


def section(draw, rules, share):
    made = {}
    for name, rule in rules["properties"].items():
        if name in LEFT or draw.random() > share:
            continue
        found = section(draw, rule, share) if "properties" in rule else value(draw, name, rule)
        if found not in (None, {}):
            made[name] = found
    return made


def scenario(draw, schema):
    made = section(draw, schema, draw.choice([0.05, 0.15, 0.4]))
    for name, rule in schema["properties"].items():  # what decides how much there is to do
        if name in ("platform", "workload", "system"):
            for key in sorted({"nodes", "cores_per_node", "iterations", "tasks_per_core", "model", "name", "task_ms",
                        *FLOORS, *CAPS, *ONLY} & set(rule["properties"])):
                made.setdefault(name, {}).setdefault(key, value(draw, key, rule["properties"][key]))
    graph = made.setdefault("graph", {})
    graph["degree"] = min(graph.get("degree", 2), made["platform"]["nodes"])
    models = [m for m in schema["properties"]["workload"]["properties"]["model"]["enum"]
              if m not in ("trace", "measured", "file", "graph")]
    if made["workload"]["model"] not in models:
        made["workload"]["model"] = draw.choice(models)
    if "precision" in made:
        made.setdefault("replicates_most", CAPS["replicates_most"])
    if draw.random() < 0.3:
        systems = schema["properties"]["system"]["properties"]["name"]["enum"]
        made["sweep"] = {"system.name": draw.sample(systems, 2)}
    return dict(made, name="valid", seed=draw.randint(0, 1000), replicates=draw.choice([1, 1, 2]))


class Many:
    """The process that runs them; a new one where it has ended."""

    def __init__(self, program):
        self.program, self.process = program, None

    def start(self):
        env = dict(os.environ, LC_ALL="C", UBSAN_OPTIONS="print_stacktrace=1:halt_on_error=1", ASAN_OPTIONS="exitcode=99")
        self.said = open("said", "w+")
        self.process = subprocess.Popen([self.program], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=self.said,
                                        text=True, env=env)

    def end(self):
        """Its exit code, and what it said."""
        self.process.stdin.close()
        code = self.process.wait()
        self.process = None
        self.said.seek(0)
        return code, self.said.read()

    def run(self, threads):
        """(0, sum), (1 or 2, message), or (None, why)."""
        if not self.process:
            self.start()
        self.process.stdin.write("%d valid.json\n" % threads)
        self.process.stdin.flush()
        if not select.select([self.process.stdout], [], [], PATIENCE_S)[0]:
            self.process.kill()
            self.end()
            return None, "no end within %d s" % PATIENCE_S
        code, _, rest = self.process.stdout.readline().partition(" ")
        if not code:
            return None, "exit code %d\n%s" % self.end()
        return int(code), rest.strip()


def remove(made, path):
    """False where it is not there."""
    for name in path[:-1]:
        made = made.get(name, {}) if isinstance(made, dict) else {}
    return isinstance(made, dict) and made.pop(path[-1], None) is not None


def run_fitting(many, made, useless):
    """A parameter that its system or model has no use for is refused, and left out then: useless[those] has it."""
    kind = made["system"]["name"], made["workload"]["model"], "sweep" in made
    for path in useless.setdefault(kind, []):
        remove(made, path)
    for _ in range(60):
        with open("valid.json", "w") as f:
            json.dump(made, f, indent=1)
        code, said = many.run(1)
        found = re.search(r": /([\w/]+): ", said) if code == 2 else None
        if not found or not remove(made, found.group(1).split("/")):
            break
        if "does not use" in said:
            useless[kind].append(found.group(1).split("/"))
    return code, said


def run_alone(lbsim):
    line = [lbsim, "valid.json", "--jobs", "1"]
    return subprocess.run(line, stdin=subprocess.DEVNULL, capture_output=True, timeout=PATIENCE_S).returncode


def main(words):
    lbsim, many, seconds, seed = words[0], Many(words[1]), float(words[2]), words[3]
    most = int(words[4]) if len(words) > 4 else sys.maxsize
    schema = json.loads(subprocess.run([lbsim, "schema"], stdout=subprocess.PIPE, check=True).stdout)
    draw, until = random.Random(seed), time.monotonic() + seconds
    tried = ran = failed = 0
    useless = {}
    while tried < most and time.monotonic() < until:
        made = scenario(draw, schema)
        code, said = run_fitting(many, made, useless)
        if code == 1 and run_alone(lbsim) == 2:  # the input's fault, which is known when a point is made
            code = 2
        why = None if code == 0 or (code == 2 and said) else said
        tried, ran = tried + 1, ran + (code == 0)
        if code == 0 and draw.random() < 0.1 and many.run(2) != (code, said):
            why = "another result at the second time"
        if why:
            failed += 1
            os.replace("valid.json", "failed-%d.json" % tried)
            print("FAILED: failed-%d.json: %s" % (tried, why[-2000:]), flush=True)
    code, said = many.end() if many.process else (0, "")
    if code or "Sanitizer" in said or "runtime error" in said:
        failed += 1
        print("FAILED: exit code %d\n%s" % (code, said[-2000:]))
    print("seed %s: %d tried, %d of them simulated, the others refused; %d survived" % (seed, tried, ran, tried - failed))
    return 1 if failed or ran == 0 else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
