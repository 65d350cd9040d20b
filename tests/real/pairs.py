#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Programs that nobody rewrote, under each system of lbrun for launch lines, against plain runs.

pairs.py BUILD [even] [real] [virtual] [sleep] [cpus] [--pairs N] [--only WORD] [--systems LIST]: each system and a plain run in
turns, N pairs; prints ratios of times (of the fastest runs, which other work of the machine disturbs
least, and the median over the pairs), and what was another result, exit code, or a hang.
even: balanced programs, in which a system finds nothing to do; real: what is installed here of the
distribution's programs; virtual: uneven ones on 8 and 16 virtual CPUs; sleep: on 2 to 16 that
are not there, as their work is to sleep; cpus: on two real ones, beside another DLB (--dlb)
(tests/real/pairs/*.cases). What is not there is skipped with a line.
Exit code: 0; 1 where a run failed or had another result. Times are printed, never judged here.
"""
import argparse
import os
import pathlib
import re
import shlex
import shutil
import signal
import statistics
import subprocess
import sys
import tempfile
import time

HERE = pathlib.Path(__file__).resolve().parent
SYSTEMS = "packing,dpb,dlb,auto"
LIMIT_S = 120
BEFORE = [""]
DLB = [""]
ENVIRONMENT = {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
               "OMPI_MCA_rmaps_base_oversubscribe": "1"}


def read_cases(path):
    """Blocks of "key: value" between empty lines; "file: NAME" takes the indented lines below it."""
    for block in re.split(r"\n\s*\n", path.read_text()):
        case, file = {"files": {}, "env": ""}, None
        for line in block.splitlines():
            if line.startswith("#"):
                continue
            if line.startswith("    ") and file:
                case["files"][file] += line[4:] + "\n"
                continue
            key, value = (part.strip() for part in line.split(":", 1))
            file = value if key == "file" else None
            if file:
                case["files"][file] = ""
            else:
                case[key] = value
        if "name" in case:
            yield case


class Quota:
    """A control group in which a command has no more processor time than so many virtual CPUs: its
    processes are the kernel's to schedule."""
    BASE = pathlib.Path("/sys/fs/cgroup")
    PERIOD_US = 5000

    def __init__(self, cpus):
        one = (self.BASE / "cpu").exists()
        self.folder = self.BASE / ("cpu" if one else "") / f"pairs-{os.getpid()}"
        self.folder.mkdir()
        quota = round(cpus * self.PERIOD_US)
        if one:
            (self.folder / "cpu.cfs_period_us").write_text(str(self.PERIOD_US))
            (self.folder / "cpu.cfs_quota_us").write_text(str(quota))
            (self.folder / "cpu.shares").write_text("262144")
        else:
            (self.folder / "cpu.max").write_text(f"{quota} {self.PERIOD_US}")
            (self.folder / "cpu.weight").write_text("10000")

    def enter(self):
        (self.folder / "cgroup.procs").write_text(str(os.getpid()))

    def remove(self):
        for _ in range(100):
            try:
                return self.folder.rmdir()
            except OSError:
                time.sleep(0.05)


class Job:
    """A case with one MPI, in a folder of its own."""

    def __init__(self, case, mpi, build, folder):
        words = {"MPI": mpi, "BUILD": str(build), "HERE": str(HERE),
                 "DLB": DLB[0], "NP": {"mpich": "mpich2"}.get(mpi, mpi)}
        self.fill = lambda text: re.sub(r"\$(\w+)", lambda m: words.get(m[1], m[0]), text)
        self.name = f"{case['name']} {mpi}"
        self.case, self.folder, self.build = case, folder, build
        self.speed = 1.0  # of a virtual CPU, as lbrun says
        self.line = [f"mpirun.{mpi}", "-n", case.get("ranks", "2"), *shlex.split(BEFORE[0]),
                     *shlex.split(self.fill(case["run"]))]
        self.env = dict(os.environ, **ENVIRONMENT)
        self.env.update(word.split("=", 1) for word in shlex.split(case["env"]))
        if "OMP_NUM_THREADS" not in case["env"]:
            self.env.pop("OMP_NUM_THREADS", None)

    def missing(self):
        for program in shlex.split(self.fill(self.case.get("needs", ""))) + [self.line[0]]:
            if not shutil.which(program) and not os.path.exists(program):
                return program
        return None

    def set_up(self):
        for name, text in self.case["files"].items():
            (self.folder / name).write_text(self.fill(text))
        if "setup" in self.case:
            subprocess.run(self.fill(self.case["setup"]), shell=True, cwd=self.folder, env=self.env,
                           check=True, capture_output=True, timeout=LIMIT_S)

    def result(self, output):
        """What is the same in every run: lines of the output, or a file."""
        if "result" in self.case:
            output = (self.folder / self.case["result"]).read_text(errors="replace")
        return [m[0] for m in re.finditer(self.case.get("keep", "^.*$"), output, re.M)]

    def line_of(self, system):
        """system: of lbrun; None: the run that it is held against; "NAME = WORDS": such words before the
        program, "NAME = quota N": the plain line with the processor time of N virtual CPUs."""
        options, line = shlex.split(self.case.get("options", "")), list(self.line)
        if system and "=" in system:
            words = shlex.split(self.fill(system.split("=", 1)[1]))
            return line if words[0] == "quota" else line[:3] + words + line[3:]
        if system:
            options += ["--system", system, "--or-run"]
        elif options:
            options += shlex.split(self.case["plain"])
        else:
            return line
        return [str(self.build / "lbrun"), *options, "--", *line]

    def run(self, system):
        line, quota = self.line_of(system), None
        if system and "= quota" in system:
            quota = Quota(self.speed * float(system.split()[-1]))
        begin = time.monotonic()
        program = subprocess.Popen(line, cwd=self.folder, env=self.env, stdin=subprocess.DEVNULL,
                                   stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                                   errors="replace", start_new_session=True,
                                   preexec_fn=quota.enter if quota else None)
        try:
            output, said = program.communicate(timeout=LIMIT_S)
        except subprocess.TimeoutExpired:
            os.killpg(program.pid, signal.SIGTERM)
            output, said = program.communicate()
            return {"time_s": LIMIT_S, "wrong": "hangs", "said": said, "result": None}
        finally:
            if program.poll() is None:  # we are told to end
                os.killpg(program.pid, signal.SIGTERM)
            if quota:
                quota.remove()
        speed = re.search(r"virtual CPUs that compute at ([\d.e-]+)", said)
        self.speed = float(speed[1]) if speed else self.speed
        took_s = time.monotonic() - begin
        own = re.search(self.case["time"], output, re.M) if "time" in self.case else None
        took_s = float(own[1]) if own else took_s
        return {"time_s": took_s, "said": said, "output": output, "result": self.result(output),
                "wrong": f"exit code {program.returncode}" if program.returncode else ""}


def what_was_done(said):
    """The lines of lbrun that tell what came of it, in short."""
    found = []
    for pattern, text in ((r"auto: ([a-z]+)[;,]", "{}"), (r"not balanced: (.{0,60})", "not: {}"),
                          (r"CPUs freed +([1-9]\d*)", "{} freed"), (r"(undone) +\d", "{}"),
                          (r"(left as it is)", "{}"), (r"CPUs lent +([1-9]\d*) times", "lent {} times"),
                          (r"iterations (?:\(median\))? +([\d.e-]+ s balanced, [\d.e-]+ s before)", "{}"),
                          (r"predicted +([\d.e-]+ s)", "predicted {}")):
        found += [text.format(m[1]) for m in list(re.finditer(pattern, said))[:1]]
    return ", ".join(found)


def compare(job, system, pairs, log):
    ratios, plain_s, run_s, wrong, done = [], [], [], [], ""
    for i in range(pairs):
        order = [None, system] if i % 2 == 0 else [system, None]
        runs = {which: job.run(which) for which in order}
        plain, run = runs[None], runs[system]
        print(f"==== {job.name} {system}\n{run['said']}", file=log, flush=True)
        if plain["wrong"]:
            wrong.append("plain: " + plain["wrong"])
        elif run["wrong"]:
            wrong.append(run["wrong"])
        elif run["result"] != plain["result"] or not run["result"]:
            wrong.append("another result")
        ratios.append(run["time_s"] / plain["time_s"])
        plain_s.append(plain["time_s"])
        run_s.append(run["time_s"])
        done = what_was_done(run["said"])
    print(f"| {job.name} | {system.split('=')[0].strip()} | {min(plain_s):.2f} | {min(run_s) / min(plain_s):.3f} | "
          f"{statistics.median(ratios):.3f} | {'; '.join(sorted(set(wrong))) or 'same'} | {done} |",
          flush=True)
    return not wrong


def measure(job, systems, pairs, log):
    lacks = job.missing()
    if lacks:
        print(f"skipped: {job.name}: no {lacks}", flush=True)
        return True
    job.set_up()
    if "systems" in job.case:
        systems = [system for system in job.case["systems"].split(",") if system in systems]
    if "beside" in job.case and (DLB[0] or "$DLB" not in job.case["beside"]):
        systems = systems + [job.case["beside"]]
    return all([compare(job, system, pairs, log) for system in systems])


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("build", type=pathlib.Path)
    parser.add_argument("what", nargs="*", default=["even"], help="even, real, virtual, sleep, cpus")
    parser.add_argument("--pairs", type=int, default=3)
    parser.add_argument("--only", default="", help="of cases whose name has this")
    parser.add_argument("--systems", default=SYSTEMS)
    parser.add_argument("--dlb", default="", help="where another DLB is installed")
    parser.add_argument("--before", default="", help='of each program, as "chrt -f 1" on a busy machine')
    parser.add_argument("--log", default=os.devnull, help="what lbrun said")
    arguments = parser.parse_args()
    BEFORE[0], DLB[0] = arguments.before, arguments.dlb
    good = True
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    print("| program | system | plain, s | fastest runs | median of pairs | result | done |\n|---|---|---|---|---|---|---|")
    with open(arguments.log, "w") as log:
        for what in arguments.what:
            for case in read_cases(HERE / "pairs" / f"{what}.cases"):
                for mpi in case.get("mpi", "openmpi mpich").split():
                    if arguments.only not in f"{case['name']} {mpi}":
                        continue
                    with tempfile.TemporaryDirectory() as folder:
                        job = Job(case, mpi, arguments.build.resolve(), pathlib.Path(folder))
                        good &= measure(job, arguments.systems.split(","), arguments.pairs, log)
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
