#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Which tests see a fault? Puts single faults into a copy of the tree, one after the other, builds what
each touches and runs the quick tests in order, the convergence regression first.

Faults are lines of tests/mutants/*.txt:

    file | what stands there, once in that file | what is put there [| survives: why]

The last field says that no test can see it, and why; such a fault is not drawn. Where it is "by NAME...", the fault is
of live programs, and these tests (ctest's, without the MPI at the end) must see it, tried in that order in place of the
stages. Lines that begin with # are comments. In a list of faults whose text holds " | " the fields are parted by tabs.

    mutants.py                        all of all lists
    mutants.py --lists policies live  those of two lists
    mutants.py --part 2/5             the second fifth
    mutants.py --copy DIR             into a copy that is made once and kept
    mutants.py --draw 10 --by HASH    ten, drawn by a commit's hash
    mutants.py --draw 10 --running 1  and one of faults of live programs, whose tests are not tried without a fault first
    mutants.py --mpi mpich            with which MPI live programs run
    mutants.py --only text            those whose line holds a text
    mutants.py --all-stages           every stage's verdict, not only the first that sees it
    mutants.py --table FILE           the results as a table in Markdown as well
    mutants.py --check                only how many lines still fit the tree
    mutants.py --check --build DIR    and that each compiles, by the commands of a build there, which has the tests it names

A line that no longer fits, since the code has changed, is left out and named. Exits with 1 where a fault survives that is
not said to, does not build, or one in ten lines no longer fits.
"""
import argparse
import concurrent.futures
import hashlib
import json
import os
import pathlib
import random
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
LIMIT_S = 150  # of one stage; what takes longer does not end
PROGRAM_LIMIT_S = 240  # of one test of live programs

# name, files that it can see, build targets, command; {build} and {copy} are put in
STAGES = [
    ("convergence", r"(?!real/)", ["lbsim"], "sh {copy}/tests/sim/convergence.sh {build}/lbsim"),
    ("golden", r"(?!real/)", ["lbsim"], "sh {copy}/tests/sim/golden.sh {build}/lbsim"),
    ("policies", r"policies/", r"^policies_(?!grow$|plugged$|called$)", None),
    ("models", r"models/", r"^models_", None),
    ("protocol", r"policies/|sim/|real/", r"^real_(protocol|control|mails|rules|migrate)$", None),
    ("sim", r"(?!real/)", r"^sim_(?!command|interval|memory|scenario|sweep)", None),
]


class Fault:
    def __init__(self, where, line):
        fields = line.split("\t") if "\t" in line else line.split(" | ")
        if len(fields) not in (3, 4):
            sys.exit(f"mutants: {where}: found {len(fields)} fields, allowed are 3 or 4: {line}")
        self.where, self.file, self.old, self.new = where, *[f.strip() for f in fields[:3]]
        last = fields[3].strip() if len(fields) == 4 else ""
        self.by = last.split()[1:] if last.startswith("by ") else []
        self.survives = last if last and not self.by else None

    def misfit(self):
        count = (ROOT / self.file).read_text().count(self.old) if (ROOT / self.file).exists() else 0
        return None if count == 1 else f"'{self.old}' stands {count} times in {self.file}, allowed is once"

    def line_number(self):
        return (ROOT / self.file).read_text().split(self.old)[0].count("\n") + 1


def read_faults(lists):
    faults = []
    for file in sorted((ROOT / "tests/mutants").glob("*.txt")):
        if file.name == "CMakeLists.txt" or (lists and file.stem not in lists):
            continue
        for number, line in enumerate(file.read_text().splitlines(), 1):
            if line.strip() and not line.startswith("#"):
                faults.append(Fault(f"{file.name}:{number}", line))
    return faults


def run(command, limit_s=LIMIT_S, cwd=None):
    """Its exit code and output; None where it does not end."""
    process = subprocess.Popen(command, shell=isinstance(command, str), cwd=cwd, text=True, start_new_session=True,
                               errors="replace", stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    try:
        out, _ = process.communicate(timeout=limit_s)
        return process.returncode, out
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, 9)
        process.communicate()
        return None, "does not end"


def tests_of(build, *options):
    """As ctest knows them, by its options those that are wanted."""
    _, out = run(["ctest", "--test-dir", str(build), "--show-only=json-v1", *options], 600)
    return json.loads(out[out.index("{"):])["tests"] if "{" in out else []


class Compiler:
    """Does the code of a fault compile? By a build's own commands, in an overlay of the one file that the fault changes."""

    def __init__(self, build):
        commands = json.loads((pathlib.Path(build) / "compile_commands.json").read_text())
        self.command = {os.path.relpath(c["file"], ROOT): c for c in reversed(commands)}

    def unit(self, file):
        """The source whose compilation reads the file: itself, or one that includes it."""
        if file in self.command:
            return file
        include = f'#include "{file}"'
        return next((u for u in self.command if (ROOT / u).exists() and include in (ROOT / u).read_text(errors="replace")), None)

    def broken(self, fault):
        """None where it compiles, else the first error. What no source of this build reads is not judged."""
        unit = self.unit(fault.file)
        if unit is None:
            return None
        entry = self.command[unit]
        words = shlex.split(entry["command"])
        with tempfile.TemporaryDirectory(prefix="mutants-") as overlay:
            changed = pathlib.Path(overlay) / fault.file
            changed.parent.mkdir(parents=True)
            changed.write_text((ROOT / fault.file).read_text().replace(fault.old, fault.new))
            source = str(changed) if unit == fault.file else entry["file"]
            begin = next(i for i, w in enumerate(words) if w.startswith("-"))  # after the compiler, and what it is called by
            flags = [w for w in words[begin:words.index("-o")] if not w.startswith("-Werror")]
            code, out = run([*words[:begin], "-fsyntax-only", "-Werror=implicit-function-declaration", "-I" + overlay,
                             "-iquote", os.path.dirname(entry["file"]), *flags, source], cwd=entry["directory"])
        return None if code == 0 else next((line for line in out.splitlines() if "error" in line), out[:300])


class Copy:
    """A copy of the tree as it is, and its build."""

    def __init__(self, folder, jobs):
        self.tree, self.build, self.jobs = folder / "tree", folder / "build", jobs
        self.sound = set()
        self.refresh()
        if not self.build.exists():
            self.configure()
        self.make(["build.ninja"])  # a copy that was kept may lack tests that have come since
        _, out = run(["ninja", "-C", str(self.build), "-t", "targets", "all"])
        self.tests = re.findall(r"^test_(\w+): phony", out, re.M)

    def refresh(self):
        """The tree as it is, whatever an earlier run left; what is the same keeps its date."""
        names = subprocess.run(["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"], cwd=ROOT,
                               check=True, capture_output=True, text=True).stdout.split("\0")
        for name in names:
            here, there = ROOT / name, self.tree / name
            if not here.is_file() or (there.is_file() and here.read_bytes() == there.read_bytes()):
                continue
            there.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(here, there)
            shutil.copymode(here, there)

    def configure(self):
        command = ["cmake", "-S", str(self.tree), "-B", str(self.build), "-G", "Ninja", "-DCMAKE_C_FLAGS=-O1",
                   "-DCMAKE_BUILD_TYPE=None"]
        code, out = run(command, 600)
        if code != 0:
            sys.exit(f"mutants: the copy cannot be configured\n{out}")

    def make(self, targets):
        code, out = run(["ninja", "-C", str(self.build), "-j", str(self.jobs), *targets], 3600)
        return None if code == 0 else out

    def program_test(self, name, mpi):
        """Its name in ctest, and what of the build it runs; ctest tells no command whose program is not built."""
        self.make(["lbrun"])
        tests = tests_of(self.build, "-R", f"^{name}(_{mpi})?$")
        if len(tests) != 1:
            sys.exit(f"mutants: found {len(tests)} tests '{name}', with {mpi}, allowed is one")
        _, known = run(["ninja", "-C", str(self.build), "-t", "targets", "all"])
        known = {line.split(": ")[0] for line in known.splitlines()}
        command = tests[0].get("command", [])
        words = [os.path.relpath(w, self.build) for w in command if w.startswith(str(self.build))]
        # lbrun's auto runs lbsim, and so does --compare.
        if any(w.endswith(".sh") and re.search("auto|--compare", pathlib.Path(w).read_text()) for w in command):
            words.append("lbsim")
        # A test may have lines of both MPIs, or be of the other one.
        preloaded = [f"lbrun_{what}_{m}" for what in ("measure", "balance") for m in ("openmpi", "mpich")]
        own = [t for t in ["test_" + tests[0]["name"], *preloaded] if t in known]
        return tests[0]["name"], [w for w in words if w in known] + own + ["lbrun"]

    def run_program(self, name, mpi):
        """As a stage, of one test of live programs."""
        test, targets = self.program_test(name, mpi)
        broken = self.make(targets)
        if broken is not None:
            return "does not build: " + "\n".join(l for l in broken.splitlines() if "error" in l)[:300]
        code, out = run(["ctest", "--test-dir", str(self.build), "-R", f"^{test}$"], PROGRAM_LIMIT_S)
        return None if code == 0 else f"{test}: {'does not end' if code is None else 'fails'}"

    def try_running(self, fault, mpi, all_stages, trusted):
        """The tests that see a fault of live programs; trusted ones are known to pass without."""
        file, seen = self.tree / fault.file, []
        text = file.read_text()
        for name in fault.by:
            if name not in self.sound and not trusted and (how := self.run_program(name, mpi)):
                sys.exit(f"mutants: {name} fails without a fault: {how}")
            self.sound.add(name)
            try:
                file.write_text(text.replace(fault.old, fault.new))
                how = self.run_program(name, mpi)
            finally:
                file.write_text(text)
            if how:
                seen.append(how)
            if how and (not all_stages or how.startswith("does not build")):
                break
        return seen

    def stage(self, stage):
        """None where nothing is seen, else how."""
        name, _, what, command = stage
        tests = [] if command else [t for t in self.tests if re.search(what, t)]
        broken = self.make(["test_" + t for t in tests] or what)
        if broken is not None:
            return "does not build: " + "\n".join(l for l in broken.splitlines() if "error" in l)[:300]
        if command:
            code, out = run(command.format(build=self.build, copy=self.tree))
        else:
            code, out = run(["ctest", "--test-dir", str(self.build), "-R", f"^({'|'.join(tests)})$", "-j", str(self.jobs),
                             "--stop-on-failure"])
        if code == 0:
            return None
        failed = re.findall(r"(\S+) \((?:Failed|Timeout|Subprocess|SEGFAULT|Child)", out)
        return name if code is not None and not failed else f"{name}: {failed[0] if failed else out.strip()}"

    def must_pass(self, stage):
        """Without a fault, before its word counts."""
        if stage[0] not in self.sound and (how := self.stage(stage)):
            sys.exit(f"mutants: {stage[0]} fails without a fault: {how}")
        self.sound.add(stage[0])

    def try_fault(self, fault, all_stages):
        """The stages that see it."""
        file, seen = self.tree / fault.file, []
        text = file.read_text()
        try:
            for stage in STAGES:
                if not re.match(stage[1], fault.file):
                    continue
                self.must_pass(stage)
                file.write_text(text.replace(fault.old, fault.new))
                how = self.stage(stage)
                file.write_text(text)
                if how:
                    seen.append(how)
                if how and (not all_stages or how.startswith("does not build")):
                    break
        finally:
            file.write_text(text)
        return seen


def draw(faults, count, by, running=False):
    number = int(hashlib.sha256(by.encode()).hexdigest(), 16)
    able = [f for f in faults if not f.survives and bool(f.by) == running]
    return random.Random(number).sample(able, min(count, len(able)))


def table(results):
    lines = ["| fault | instead of | there is | seen by |", "|---|---|---|---|"]
    code = lambda text: "`" + text.replace("|", "\\|") + "`"
    for fault, seen in results:
        how = ", ".join(seen) if seen else "**nothing**" + (f" ({fault.survives})" if fault.survives else "")
        lines.append(f"| {fault.file} | {code(fault.old)} | {code(fault.new)} | {how} |")
    return "\n".join(lines) + "\n"


def summary(results):
    first = {}
    for _, seen in results:
        name = seen[0].split(":")[0] if seen else "nothing"
        first[name] = first.get(name, 0) + 1
    order = [s[0] for s in STAGES]
    order += sorted(n for n in first if n not in order and n not in ("does not build", "nothing")) + ["does not build", "nothing"]
    return f"{len(results)} faults, first seen by: " + ", ".join(f"{n} {first[n]}" for n in order if n in first)


def try_all(faults, options):
    results = []
    folder = pathlib.Path(options.copy or tempfile.mkdtemp(prefix="mutants-", dir=options.dir))
    try:
        copy = Copy(folder, options.jobs)
        for fault in faults:
            begin = time.time()
            seen = (copy.try_running(fault, options.mpi, options.all_stages, bool(options.draw)) if fault.by else
                    copy.try_fault(fault, options.all_stages))
            results.append((fault, seen))
            what = ", ".join(seen) or ("survives, as is said" if fault.survives else "SURVIVES")
            print(f"{fault.where}: {fault.file}:{fault.line_number()}: {what} ({time.time() - begin:.0f} s)", flush=True)
    finally:
        if not options.copy:
            shutil.rmtree(folder, ignore_errors=True)
    return results


def compiled(faults, options):
    """Those that fit the tree and do not compile, each with why."""
    compiler = Compiler(options.build)
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        able = [f for f in faults if not f.misfit()]
        return [(f, why) for f, why in zip(able, pool.map(compiler.broken, able)) if why]


def unknown_tests(faults, build):
    """The faults of live programs that name a test which the build has not, with each of its MPIs."""
    tests = {t["name"] for t in tests_of(build)}
    mpis = [m for m in ("openmpi", "mpich") if any(t.endswith("_" + m) for t in tests)]
    return [(f, f"no test '{name}' with {m}") for f in faults for name in f.by for m in mpis
            if name not in tests and f"{name}_{m}" not in tests]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--lists", nargs="+")
    parser.add_argument("--draw", type=int)
    parser.add_argument("--by", default="")
    parser.add_argument("--running", type=int, default=0)
    parser.add_argument("--mpi", default="mpich")
    parser.add_argument("--only")
    parser.add_argument("--part", default="1/1")
    parser.add_argument("--copy")
    parser.add_argument("--all-stages", action="store_true")
    parser.add_argument("--table")
    parser.add_argument("--check", action="store_true")
    parser.add_argument("--build")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--dir", help="where the copy is made, of its own accord in $TMPDIR")
    options = parser.parse_args()
    lists = options.lists + ["running"] if options.lists and options.running else options.lists
    faults = read_faults(lists)
    misfits = [(f, m) for f in faults if (m := f.misfit())]
    for fault, why in misfits:
        print(f"{fault.where}: left out: {why}")
    broken = compiled(faults, options) if options.build else []
    for fault, why in broken:
        print(f"{fault.where}: does not compile: {why}")
    unknown = unknown_tests(faults, options.build) if options.build else []
    for fault, why in unknown:
        print(f"{fault.where}: {why}")
    if options.check or 10 * len(misfits) > len(faults):
        print(f"{len(faults) - len(misfits)} of {len(faults)} faults fit")
        return 1 if 10 * len(misfits) > len(faults) or broken or unknown else 0
    faults = [f for f in faults if not f.misfit()]
    if options.only:
        faults = [f for f in faults if options.only in f"{f.file} | {f.old} | {f.new}"]
    part, parts = map(int, options.part.split("/"))
    faults = faults[len(faults) * (part - 1) // parts:len(faults) * part // parts]
    if options.draw:
        faults = draw(faults, options.draw, options.by) + draw(faults, options.running, options.by, True)
    results = try_all(faults, options)
    print(summary(results))
    if options.table:
        pathlib.Path(options.table).write_text(table(results))
    bad = [f for f, seen in results if (not seen and not f.survives) or any("does not build" in s for s in seen)]
    said = [f for f, seen in results if seen and f.survives]
    for fault in said:
        print(f"{fault.where}: is said to survive, and is seen")
    return 1 if bad or said else 0


if __name__ == "__main__":
    sys.exit(main())
