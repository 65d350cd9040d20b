#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Half an hour of a real allocation as one archive, to send: what the machine is, what tasks and messages cost on
it, live runs beside simulated ones, and faults.

    evidence.py BUILD [OPTION]... [-- PROGRAM ARGUMENT...]

Inside of a Slurm allocation, or with --hostfile, its nodes are used; else virtual nodes of this machine. Steps, each
with its share of the time, in an order that leaves the most telling where time runs out:

    about      lbrun doctor, lscpu, the kernel
    calibrate  lbrun calibrate: machine.json, by which the next step simulates
    table      tests/real/compare.py: the synthetic example live and simulated
    own        lbrun --compare of PROGRAM, or of the synthetic example
    faults     tests/faults/attack.py and one.py, on virtual nodes of the first node

A step that fails is part of the evidence: manifest.json has each step's command, exit code and seconds. Names of
hosts, users and folders are replaced in all texts. Exits with 0 where an archive was written, with 1 where a step
failed as well, with 2 for a mistake in the command line.
"""
import argparse
import hashlib
import json
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import tarfile
import tempfile
import time

HERE = pathlib.Path(__file__).resolve().parent
SHARES = {"about": 0.05, "calibrate": 0.1, "table": 0.5, "own": 0.1, "faults": 0.25}  # of the time, at most
TEXT = {".txt", ".json", ".md", ".csv"}


def end(process):
    """As a user would, then for good."""
    for number in (signal.SIGINT, signal.SIGKILL):
        try:
            os.killpg(process.pid, number)
            process.wait(timeout=15)
            return
        except subprocess.TimeoutExpired:
            continue
        except ProcessLookupError:
            return


def call(command, out, limit_s, folder, env):
    """Its exit code, or "took too long"; its output goes to the end of a file."""
    with open(out, "ab") as file:
        try:
            process = subprocess.Popen(command, cwd=folder, env=env, stdin=subprocess.DEVNULL, stdout=file,
                                       stderr=subprocess.STDOUT, start_new_session=True)
        except OSError as error:
            return str(error)
        try:
            return process.wait(timeout=limit_s)
        except subprocess.TimeoutExpired:
            end(process)
            return "took too long"
        except BaseException:
            end(process)
            raise


class Evidence:
    def __init__(self, options, folder):
        self.options, self.folder = options, folder
        self.build = pathlib.Path(options.build).resolve()
        self.begin, self.steps = time.time(), []
        self.where = ["--hostfile", str(pathlib.Path(options.hostfile).resolve())] if options.hostfile else []
        self.shape = [*self.where, "--nodes", str(options.nodes), "--cores", str(options.cores)]
        self.example = str(self.build / "real/apps" / f"synthetic-{options.mpi}")

    def step(self, name, commands, env=None):
        """Commands one after the other into NAME.txt; what did not end well stays in the manifest."""
        left_s = 60 * self.options.minutes - (time.time() - self.begin)
        limit_s = min(left_s, SHARES[name] * 60 * self.options.minutes)
        print(f"evidence.py: {name}, at most {limit_s:.0f} s", file=sys.stderr, flush=True)
        for command in commands:
            begin = time.time()
            code = call(command, self.folder / f"{name}.txt", max(limit_s, 1), self.folder, env)
            seconds = time.time() - begin
            limit_s -= seconds
            self.steps.append({"step": name, "command": command, "exit": code, "seconds": round(seconds, 1)})

    def about(self):
        self.step("about", [[str(self.build / "lbrun"), "doctor", *self.where], [str(self.build / "lbsim"), "--version"],
                            ["uname", "-srvm"], ["lscpu"], ["git", "-C", str(HERE), "rev-parse", "HEAD"]])

    def calibrate(self):
        between = ["--", *self.options.launcher.split()] if self.options.launcher else []
        self.step("calibrate", [[str(self.build / "lbrun"), "calibrate", "--mpi", self.options.mpi, "--out",
                                 str(self.folder / "machine.json"), *between]])

    def scenario(self):
        """compare.py's own, on this machine's shape, by what was measured of it."""
        scenario = json.loads((HERE / "compare.json").read_text())
        scenario.pop("$schema")
        if (self.folder / "machine.json").exists():
            machine = json.loads((self.folder / "machine.json").read_text())
            scenario["platform"]["network"].update(machine["platform"]["network"])
            scenario["runtime"].update(machine["runtime"])
        scenario["platform"]["cores_per_node"] = self.options.cores
        scenario["sweep"]["platform.nodes"] = [self.options.nodes]
        scenario["sweep"]["graph.degree"] = sorted({min(d, self.options.nodes) for d in (2, 3)})
        file = self.folder / "scenario.json"
        file.write_text(json.dumps(scenario, indent=1) + "\n")
        return file

    def table(self):
        command = [sys.executable, str(HERE / "compare.py"), str(self.build), "--mpi", self.options.mpi, "--markdown",
                   "--scenario", str(self.scenario()), "--keep", str(self.folder / "reports")]
        for text in self.options.set:
            command += ["--set", text]
        self.step("table", [command + (["--", *self.where] if self.where else [])])

    def own(self):
        program = self.options.program or [self.example, "--imbalance", "1.5", "--iterations", "8"]
        self.step("own", [[str(self.build / "lbrun"), "--compare", "--system", "global", "--degree", "2", *self.shape, "--report",
                           str(self.folder / "own.json"), "--", *program]])

    def faults(self):
        seed = str(self.options.seed)
        env = {key: value for key, value in os.environ.items() if not key.startswith("SLURM_")}
        tests, half_s = HERE.parent / "faults", int(SHARES["faults"] * 60 * self.options.minutes / 2)
        with tempfile.TemporaryDirectory() as scratch:
            folder, self.folder = self.folder, pathlib.Path(scratch)
            attacks = [sys.executable, str(tests / "attack.py"), str(self.build), self.options.mpi, str(max(1, half_s // 15)), seed]
            calls = [sys.executable, str(tests / "one.py"), str(self.build / "tests/faults/libfault_one.so"),
                     str(max(1, half_s * 2 // 3)), seed, "--", "live", str(self.build / "lbrun"), self.example]
            self.step("faults", [attacks, calls], env)
            shutil.copy(self.folder / "faults.txt", folder / "faults.txt")
            self.folder = folder


def words_of(options):
    """What is not to be sent, and what stands there instead."""
    words = {str(pathlib.Path.home()): "HOME", str(pathlib.Path(options.build).resolve()): "BUILD",
             str(HERE.parents[1]): "SOURCE", os.uname().nodename: "HOST0", os.uname().nodename.split(".")[0]: "HOST0"}
    names = [os.environ.get("SLURMD_NODENAME", "")]
    if options.hostfile:
        lines = [line.split("#")[0] for line in pathlib.Path(options.hostfile).read_text().splitlines()]
        names += [re.split(r"[\s:]", line.strip())[0] for line in lines if line.strip()]
    if os.environ.get("SLURM_JOB_NODELIST") and shutil.which("scontrol"):
        names += subprocess.run(["scontrol", "show", "hostnames"], capture_output=True, text=True).stdout.split()
    for number, name in enumerate(n for n in names if n):
        words.setdefault(name, f"HOST{number}")
    for key in ("USER", "LOGNAME"):
        if os.environ.get(key):
            words[os.environ[key]] = "USER"
    return {word: "/" + new if word.startswith("/") else new for word, new in words.items() if len(word) > 1}


def hide(folder, words):
    """A word only as a whole, the longest first."""
    order = sorted(words, key=len, reverse=True)
    pattern = re.compile(r"(?<![A-Za-z0-9_])(" + "|".join(map(re.escape, order)) + r")(?![A-Za-z0-9_])")
    for file in folder.rglob("*"):
        if file.is_file() and file.suffix in TEXT:
            text = file.read_text(errors="replace")
            file.write_text(pattern.sub(lambda found: words[found.group(1)], text))


def pack(evidence, out):
    """Whole or not at all, with a sum of each file."""
    folder = evidence.folder
    manifest = {"minutes": round((time.time() - evidence.begin) / 60, 1), "nodes": evidence.options.nodes,
                "cores_per_node": evidence.options.cores, "real_nodes": evidence.options.real, "mpi": evidence.options.mpi,
                "steps": evidence.steps}
    (folder / "manifest.json").write_text(json.dumps(manifest, indent=1) + "\n")
    hide(folder, words_of(evidence.options))
    files = sorted(f for f in folder.rglob("*") if f.is_file())
    sums = [f"{hashlib.sha256(f.read_bytes()).hexdigest()}  {f.relative_to(folder)}\n" for f in files]
    (folder / "SHA256SUMS").write_text("".join(sums))
    part = out.with_name(out.name + ".part")
    with tarfile.open(part, "w:gz") as archive:
        archive.add(folder, arcname=out.name.split(".")[0], filter=anonymous)
    part.replace(out)


def anonymous(member):
    member.uid = member.gid = 0
    member.uname = member.gname = ""
    return member


def parse():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    slurm = os.environ.get("SLURM_JOB_NUM_NODES")
    parser.add_argument("build", help="build directory, as in build/release")
    parser.add_argument("--mpi", choices=("openmpi", "mpich"), default="openmpi")
    parser.add_argument("--hostfile", metavar="FILE", help="as lbrun --hostfile: lines 'host slots=CORES'")
    parser.add_argument("--nodes", type=int, default=int(slurm or 2), metavar="N", help="default those of the allocation, else 2")
    parser.add_argument("--cores", type=int, default=int(os.environ.get("SLURM_CPUS_ON_NODE", 4)), metavar="C",
                        help="of each node; default those of the allocation, else 4")
    parser.add_argument("--launcher", metavar="WORDS", help="between which nodes to measure the network: 'mpirun -n 2 --host a,b'")
    parser.add_argument("--minutes", type=float, default=30, metavar="M", help="in all, at most (default 30)")
    parser.add_argument("--set", action="append", default=[], metavar="PATH=VALUE", help="change the table, as in compare.py")
    parser.add_argument("--steps", nargs="+", choices=list(SHARES), default=list(SHARES))
    parser.add_argument("--seed", type=int, default=1, help="of the faults")
    parser.add_argument("--out", default="lbsim-evidence.tar.gz", metavar="FILE")
    words = sys.argv[1:]
    cut = words.index("--") if "--" in words else len(words)
    options = parser.parse_args(words[:cut])
    options.program, options.real = words[cut + 1:], bool(slurm or options.hostfile)
    missing = [f for f in ("lbsim", "lbrun", f"real/apps/synthetic-{options.mpi}") if not (pathlib.Path(options.build) / f).exists()]
    if missing:
        parser.error(f"{options.build}: no '{missing[0]}': build it, or give another build directory")
    if options.nodes < 1 or options.cores < 1 or options.minutes <= 0:
        parser.error("--nodes and --cores: allowed are whole numbers from 1 on; --minutes: above 0")
    if options.hostfile and not pathlib.Path(options.hostfile).is_file():
        parser.error(f"--hostfile: no file '{options.hostfile}'")
    return options


def main():
    options = parse()
    out = pathlib.Path(options.out).resolve()
    with tempfile.TemporaryDirectory() as scratch:
        evidence = Evidence(options, pathlib.Path(scratch))
        for name in SHARES:
            if name in options.steps:
                getattr(evidence, name)()
        pack(evidence, out)
    failed = [s for s in evidence.steps if s["exit"] != 0]
    for step in failed:
        print(f"evidence.py: {step['step']}: {step['exit']}: {' '.join(step['command'][:3])}", file=sys.stderr)
    print(out)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
