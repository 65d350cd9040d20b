#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""One fault at a time: every write, fsync, rename, mmap, fork, thread and allocation of a command fails
once in turn. Whatever fails: no crash, no hang, an exit code that is not 0 goes with a message, 0 means that
the output is whole, and the next call without a fault goes on to the same result.

    one.py LIBRARY SECONDS SEED -- sweep LBSIM | stored LBSIM | live LBRUN PROGRAM | line LBRUN MPI PLAIN_PROGRAM

A sweep; commands on what it has stored (show, its page, explain, gain), and those that have sweeps of their own (contest, reproduce); a job
of virtual nodes, and the doctor before it; a program as it is under its own launch line (measure, advise, balanced).

Faults are drawn by the seed until the seconds are over, which the commands share; 0 s: all of them. Prints "n tried, n survived" for each
call."""

import hashlib
import os
import random
import shutil
import subprocess
import sys
import time

CALLS = {"write": 28, "fsync": 5, "rename": 28, "ftruncate": 28, "fclose": 28, "fopen": 24, "mmap": 12,
         "fork": 11, "pthread_create": 11, "malloc": 12, "calloc": 12, "realloc": 12}
SCENARIO = """{"name": "faults", "platform": {"nodes": 2, "cores_per_node": 4},
 "workload": {"model": "synthetic", "imbalance": 1.5, "iterations": 3, "tasks_per_core": 10},
 "system": {"name": "local"}, "graph": {"degree": 2},
 "sweep": {"workload.imbalance": [1, 1.5, 2]}, "replicates": 2, "seed": 1}"""


class Sweep:
    """lbsim with a sweep: journal, results, figures."""

    hides = ()

    def __init__(self, lbsim):
        with open("faults.json", "w") as f:
            f.write(SCENARIO)
        self.line = [lbsim, "faults.json", "--out", "swept", "--jobs", "2", "--quiet"]

    def prepare(self):
        shutil.rmtree("swept", ignore_errors=True)

    def result(self):
        """What must be the same: the table, but not what says when and how it was made."""
        with open("swept/results.csv", "rb") as f:
            return hashlib.sha256(f.read()).hexdigest()


class Run:
    """lbrun with a job of two virtual nodes: segments, launch, report."""

    def __init__(self, lbrun, program):
        self.line = [lbrun, "--nodes", "2", "--cores", "2", "--degree", "2", "--system", "local", "--quiet",
                     "--report", "report.json", "--start-s", "20", "--", program,
                     "--iterations", "1", "--tasks-per-core", "4"]

    def prepare(self):
        if os.path.exists("report.json"):
            os.remove("report.json")

    def result(self):
        with open("report.json") as f:
            return "whole" if f.read().rstrip().endswith("}") else "cut"


class Stored:
    """lbsim on the results of a sweep, or on loads: what it prints, and its page."""

    def __init__(self, lbsim, words):
        Sweep(lbsim)
        if not os.path.exists("stored/results.csv"):
            subprocess.run([lbsim, "faults.json", "--out", "stored", "--quiet"], check=True, stdout=subprocess.DEVNULL)
        with open("faults.csv", "w") as f:
            f.write("rank,load_s\n0,1.0\n1,2.0\n2,1.5\n3,1.0\n")
        self.line = [lbsim, *words]

    def prepare(self):
        if os.path.exists("page.html"):
            os.remove("page.html")

    def result(self):
        page = ""
        if "page.html" in self.line:
            with open("page.html") as f:
                page = "whole" if f.read().rstrip().endswith("</html>") else "cut"
        with open("said.out", "rb") as f:
            return hashlib.sha256(f.read()).hexdigest() + page


class Doctor:
    """That it says of each thing that it looks at whether it is good, and what is bad there; what fails in it may be that."""

    def __init__(self, lbrun):
        self.line = [lbrun, "doctor"]

    def prepare(self):
        pass

    def result(self):
        with open("said.out") as f:
            lines = [line.split(maxsplit=1) for line in f if line.startswith(("ok  ", "note", "BAD"))]
        return [(word[1].split("  ")[0], len(word[1].split("  ", 1)[1].strip()) > 0) for word in lines]


class Line:
    """lbrun with a program as it is, under its own launcher; `file`: what it leaves in measured."""

    def __init__(self, lbrun, options, file, launch):
        self.line, self.file = [lbrun, *options, *launch], file

    def prepare(self):
        shutil.rmtree("measured", ignore_errors=True)
        os.mkdir("measured")

    def is_whole(self):
        """Also where only what came after it, the advice, has failed."""
        return os.path.exists(self.file) and self.result() == "whole"

    def result(self):
        with open(self.file) as f:
            return "whole" if f.read().rstrip().endswith(("}", "</html>")) else "cut"


def subjects_of(kind, words):
    if kind == "sweep":
        return [Sweep(words[0])]
    if kind == "live":
        return [Run(words[0], words[1]), Doctor(words[0])]
    if kind == "stored":
        return [Stored(words[0], line.split()) for line in
                ("show stored", "show stored --html page.html", "explain stored", "gain faults.csv --cores 4",
                 "contest %s --bank faults.json --replicates 2 --quiet --html page.html" %
                 os.path.join(os.path.dirname(words[0]), "policies", "latest.so"),
                 "reproduce --only 10(a) --replicates 1 --quick --format csv")]
    lbrun, mpi, program = words
    launch = ["--", "mpirun." + mpi, *(["--oversubscribe"] if mpi == "openmpi" else []), "-n", "2", program,
              "--iterations", "3", "--tasks-per-core", "4"]
    return [Line(lbrun, ["measure", "--out", "measured"], "measured/measured.json", launch),
            Line(lbrun, ["advise", "--out", "measured"], "measured/measured.json", launch),
            Line(lbrun, ["--system", "packing", "--quiet", "--report", "measured/report.json"], "measured/report.json", launch),
            Line(lbrun, ["--system", "dlb", "--quiet", "--report", "measured/report.json"], "measured/report.json", launch)]


def call(line, library=None, fault="", count=None):
    env = dict(os.environ, LC_ALL="C")
    if library:
        env.update(LD_PRELOAD=library, FAULT=fault)
        if count:
            env["FAULT_COUNT"] = count
    try:
        with open("said.out", "w") as out:
            done = subprocess.run(line, env=env, stdin=subprocess.DEVNULL, stdout=out, stderr=subprocess.PIPE, timeout=60)
        return done.returncode, done.stderr.decode(errors="replace")
    except subprocess.TimeoutExpired:
        return None, ""


def count_calls(subject, library):
    counts = {}
    for name in CALLS:
        subject.prepare()
        code, _ = call(subject.line, library, "%s 0 0" % name, "count")
        if code == 0 and os.path.exists("count"):
            with open("count") as f:
                counts[name] = int(f.read() or 0)
            os.remove("count")
    return counts


def verdict(subject, library, expected, name, nth):
    """What is wrong with this fault's run; None: nothing."""
    subject.prepare()
    code, said = call(subject.line, library, "%s %d %d" % (name, nth, CALLS[name]))
    if code is None:
        return "hangs"
    if code < 0 or code in (128 + 6, 128 + 7, 128 + 11):
        return "crashes: %d" % code
    if code == 0 and subject.result() != expected:
        return "exit code 0, and another result"
    if code != 0 and not said.strip() and not isinstance(subject, Doctor):
        return "exit code %d without a word" % code
    if code == 0 or (isinstance(subject, Line) and subject.is_whole()):
        subject.prepare()  # what is whole is not written over by some
    code, said = call(subject.line)
    if code != 0:
        return "the next call fails: %s" % said.strip()[-200:]
    return None if subject.result() == expected else "the next call has another result"


def draw(counts, seconds, seed):
    everything = [(name, nth) for name, count in counts.items() for nth in range(1, count + 1)]
    if seconds == 0:
        yield from everything
        return
    chooser, until = random.Random(seed), time.monotonic() + seconds
    names = sorted(name for name in counts if counts[name])
    while time.monotonic() < until:
        name = chooser.choice(names)
        # every second one by its logarithm: what is read, and prepared, comes before thousands of the simulator
        high = counts[name] ** chooser.random() if chooser.random() < 0.5 else counts[name]
        yield name, chooser.randint(1, max(1, round(high)))


def try_all(subject, library, seconds, seed):
    """Returns how many were tried, and how many survived."""
    subject.prepare()
    code, said = call(subject.line)
    if code != 0:
        sys.exit("without a fault: exit code %s: %s" % (code, said))
    expected = subject.result()
    tried, survived = {}, {}
    for name, nth in draw(count_calls(subject, library), seconds, seed):
        why = verdict(subject, library, expected, name, nth)
        tried[name] = tried.get(name, 0) + 1
        survived[name] = survived.get(name, 0) + (why is None)
        if why:
            print("FAILED: %s %d: %s: %s" % (name, nth, why, " ".join(subject.line)), flush=True)
    for name in sorted(tried):
        print("%-15s %d tried, %d survived" % (name, tried[name], survived[name]))
    return sum(tried.values()), sum(survived.values())


def main(words):
    library, seconds, seed = words[0], float(words[1]), words[2]
    subjects = subjects_of(words[4], words[5:])
    sums = [0, 0]
    for subject in subjects:
        print(" ".join(os.path.basename(word) for word in subject.line), flush=True)
        found = try_all(subject, library, seconds / len(subjects), seed)
        sums = [sums[0] + found[0], sums[1] + found[1]]
    print("seed %s: %d tried, %d survived" % (seed, *sums))
    return 1 if sums[0] != sums[1] else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
