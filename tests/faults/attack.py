#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Attacks on live jobs, counted: a signal to a process of a running job, drawn by a seed.

    attack.py BUILD MPI COUNT SEED [only:KIND] [from:NUMBER] [again] [all|SYSTEM...]     on virtual nodes of this machine
    cluster.py with n1:2 n2:2 ... -- attack.py BUILD MPI COUNT SEED ...     on the cluster's nodes

Who is hit: a rank, its keeper, lbrun, mpirun, a daemon or proxy of MPI's; by what: any signal that ends or
stops, or a stop that goes on after a second. A job survives where it ends within 10 s of what it was hit by
(30 where the machine is busy, and what hung is said), not with exit code 0 unless it is done, with the rank or
node named where that is the cause, and with nothing left of it. Jobs are in a process namespace of their own
(cluster.py) or found by their environment, so that nobody else's are touched. Each attack is drawn by the seed and its
number: what is printed of one that was not survived repeats that one. With `again` that is done once, and counts.
Who is there to be hit is what the moment gives, so a repetition is not the same to the millisecond."""

import os
import random
import re
import signal
import subprocess
import sys
import time

SIGNALS = [signal.SIGKILL, signal.SIGSEGV, signal.SIGABRT, signal.SIGBUS, signal.SIGTERM, signal.SIGHUP,
           signal.SIGINT, signal.SIGQUIT, signal.SIGPIPE, signal.SIGUSR2, signal.SIGXFSZ]
PATIENCE_S = 30
SYSTEMS = ["local", "global", "dlb", "baseline"]
PLAIN = ["plain-packing", "plain-dpb", "plain-dlb", "plain-auto", "measure"]  # systems for programs as they are, and what measures these
ALL = SYSTEMS + ["dynamic", "chameleon", "tight"] + PLAIN


class Job:
    """lbrun over a cluster's nodes, or over virtual ones."""

    def __init__(self, build, mpi, system):
        here = os.path.dirname(os.path.abspath(__file__))
        self.ssh = os.path.join(here, "..", "cluster", "ssh")
        self.system = system
        self.names = []
        if "CLUSTER" in os.environ:
            self.names = sorted(f[:-4] for f in os.listdir(os.environ["CLUSTER"]) if f.endswith(".pid"))
        line = self.plain(build, mpi) if system in PLAIN else self.ported(build, mpi)
        line += ["--iterations", "100000", "--tasks-per-core", "5"]
        if self.names:
            line = [self.ssh, self.names[0], "OMP_NUM_THREADS=2 exec " + " ".join(line)]
        self.out = open("attack.out", "w+")
        self.mark = "attack-%d-%d" % (os.getpid(), time.monotonic_ns())
        env = dict(os.environ, LBRUN_ATTACK=self.mark, OMP_NUM_THREADS="2")
        self.process = subprocess.Popen(line, stdin=subprocess.DEVNULL, stdout=self.out, stderr=self.out, env=env)

    def ported(self, build, mpi):
        degree = "1" if self.system in ("dlb", "baseline", "chameleon") else "2"
        line = [build + "/lbrun", "--quiet", "--degree", degree, "--system", self.system, "--param", "finalize_s=2"]
        if self.names:
            with open("hosts", "w") as f:
                f.writelines("%s:2\n" % name for name in self.names)
            line += ["--hostfile", "hosts"]
            for word in self.agent(mpi):
                line += ["--mpi-option", word]
        else:
            line += ["--nodes", "2", "--cores", "2"]
        return line + ["--", build + "/real/apps/synthetic-" + mpi]

    def plain(self, build, mpi):
        """A program as it is, under its own launcher: two ranks a node."""
        how = ["measure", "--out", "measured-%d" % time.monotonic_ns()] if self.system == "measure" else ["--system", self.system[6:]]
        line = [build + "/lbrun", *how, "--", "mpirun." + mpi]
        line += ["--oversubscribe"] if mpi == "openmpi" else []
        if self.names:
            hosts = ",".join(name + ":2" for name in self.names)
            line += self.agent(mpi) + ["-hosts" if mpi == "mpich" else "--host", hosts]
        return line + ["-n", str(2 * max(1, len(self.names))), build + "/real/apps/synthetic-plain-" + mpi]

    def agent(self, mpi):
        return ["-launcher-exec", self.ssh] if mpi == "mpich" else ["--mca", "plm_rsh_agent", self.ssh]

    def said(self):
        with open("attack.out", errors="replace") as f:
            return f.read()

    def processes(self):
        """(pid, what it is) of all, wherever."""
        for entry in os.listdir("/proc"):
            if not entry.isdigit():
                continue
            try:
                with open("/proc/%s/environ" % entry, "rb") as f:
                    env = f.read()
                with open("/proc/%s/cmdline" % entry, "rb") as f:
                    line = f.read().split(b"\0")
                with open("/proc/%s/stat" % entry) as f:
                    state = f.read().rpartition(")")[2].split()[0]
            except OSError:
                continue
            ours = (b"LBRUN_JOB=version" in env or
                    any(word in line[0] for word in (b"lbrun", b"orted", b"proxy", b"synthetic", b"mpirun", b"mpiexec"))
                    ) if self.names else self.mark.encode() in env
            if ours and state != "Z" and line[0]:
                yield int(entry), kind_of(line, entry)


def kind_of(line, pid):
    name = os.path.basename(line[0].decode(errors="replace"))
    try:
        if name == "lbrun" and os.readlink("/proc/%s/fd/1" % pid) == "/dev/null":
            return "janitor"  # or a node's post: the job goes on without
    except OSError:
        return "other"
    if name == "lbrun":
        return "keeper" if b"--keep" in line else "lbrun"
    if name.startswith("synthetic"):
        return "rank"
    if name.startswith(("mpirun", "mpiexec")):
        return "mpirun"
    return "daemon" if name in ("orted", "hydra_pmi_proxy") else "other"


def starts(job):
    for _ in range(600):
        if "iteration 1" in job.said():
            return True
        if job.process.poll() is not None:
            return False
        time.sleep(0.1)
    return False


def hit(job, chooser, only):
    """Returns what was hit by what."""
    there = [p for p in job.processes() if p[1] != "other"]
    kinds = sorted({kind for _, kind in there if only in (None, kind)})
    kind = chooser.choice(kinds)
    pid = chooser.choice(sorted(p for p, k in there if k == kind))
    blow = chooser.choice(SIGNALS + [signal.SIGSTOP])
    os.kill(pid, blow)
    if blow == signal.SIGSTOP:
        time.sleep(1)
        os.kill(pid, signal.SIGCONT)
        time.sleep(1)
        os.kill(pid, signal.SIGKILL)
    return kind, blow


def end_what_goes_on(job):
    """Some take some signals for nothing, and without a janitor a job goes on: then a rank is killed."""
    before = len(job.said())
    for _ in range(16):  # an iteration may take two seconds where balancing is tried
        time.sleep(0.5)
        if job.process.poll() is not None or len(job.said()) > before:
            break
    ranks = [pid for pid, kind in job.processes() if kind == "rank"]
    if job.process.poll() is None and ranks and len(job.said()) > before:
        try:
            os.kill(ranks[0], signal.SIGKILL)
        except ProcessLookupError:
            pass  # it has ended by itself in the meantime


def waits(job):
    try:
        return job.process.wait(PATIENCE_S)
    except subprocess.TimeoutExpired:
        return None


def left_over(job):
    for _ in range(150):
        left = [kind for _, kind in job.processes()]
        if not left:
            return None
        time.sleep(0.1)
    return "left: " + " ".join(left)


def verdict(job, kind, blow):
    code = waits(job)
    if code is None:
        return "hangs"
    why = left_over(job)
    if why:
        return why
    if code == 0:
        return "exit code 0"
    own = r"lbrun: (the keeper of )?rank \d+|lbrun: host |mpirun|ended by signal"
    launchers = (r"|KILLED BY SIGNAL|EXIT (CODE|STRING)|exited on signal|PID \d+ (on node|EXIT)|Fatal error in"
                 r"|process manager error|lost communication with a remote daemon|lbrun: ranks were killed")  # of a program that is its own
    named = re.search(own + launchers * (job.system in PLAIN), job.said())
    by_itself = kind == "lbrun" or (kind == "mpirun" and job.system in PLAIN)  # has ended as it does
    if not by_itself and not named:
        return "nobody is named: exit code %d" % code
    exact = kind == "rank" and blow in (signal.SIGKILL, signal.SIGSEGV) and job.system not in PLAIN
    if exact and code != 128 + blow:
        return "exit code %d, not %d" % (code, 128 + blow)
    return None


def clear(job):
    for pid, _ in list(job.processes()):
        try:
            os.kill(pid, signal.SIGKILL)
        except OSError:
            pass
    job.process.kill()
    job.process.wait()


def attack(words, number, systems, only):
    """One of them, which its number and the seed draw. Returns (what was hit, why it is not survived)."""
    build, mpi, seed = words[0], words[1], words[3]
    chooser = random.Random("%s/%s/%d" % (seed, mpi, number))
    job = Job(build, mpi, chooser.choice(systems))
    if not starts(job):
        kind, why = "start", "does not start"
    else:
        kind, blow = hit(job, chooser, only)
        time.sleep(1)
        end_what_goes_on(job)
        why = verdict(job, kind, blow)
        if why:
            why = "%s by %s: %s" % (kind, blow.name, why)
    if why:
        print("FAILED: %s, %s\n%s\nagain: attack.py %s 1 %s from:%d %s" % (job.system, why, "\n".join(
            line for line in job.said().split("\n") if not line.startswith("iteration"))[-1500:],
            " ".join(words[:2]), seed, number, " ".join(w for w in words[4:] if not w.startswith("from:"))), flush=True)
    clear(job)
    return kind, why


def main(words):
    count, first = int(words[2]), 0
    only, again, systems = None, False, []
    for word in words[4:]:
        if word.startswith("only:"):
            only = word[5:]
        elif word.startswith("from:"):
            first = int(word[5:])
        elif word == "again":
            again = True
        else:
            systems.append(word)
    systems = ALL if systems == ["all"] else systems or SYSTEMS
    tried, survived = {}, {}
    for number in range(first, first + count):
        kind, why = attack(words, number, systems, only)
        if why and again:
            kind, why = attack(words, number, systems, only)
        tried[kind] = tried.get(kind, 0) + 1
        survived[kind] = survived.get(kind, 0) + (why is None)
    for kind in sorted(tried):
        print("%-8s %d tried, %d survived" % (kind, tried[kind], survived[kind]))
    print("seed %s, %s: %d tried, %d survived" % (words[3], words[1], sum(tried.values()), sum(survived.values())))
    return sum(tried.values()) != sum(survived.values())


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
