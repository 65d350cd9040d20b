#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""What is around a job and not as usual: around.py BUILD MPI [NAME...]

A shell's Ctrl-Z, fg and Ctrl-C, a terminal that goes away, standard streams that are closed, a working or temporary
directory that is not there or goes, no HOME, a clock that is set back or forward, names with blanks, quotes and line
ends, long command lines, jobs of one and of two users at once. Each ends, with the exit code that it should have, a
message where that is not 0, whole results where it is, and nothing left. Programs that are ported (lbrun -- PROGRAM)
and as they are (lbrun measure and --system packing -- mpirun ... PROGRAM)."""
import json
import os
import pty
import shutil
import signal
import subprocess
import sys
import time

BUILD, MPI = os.path.abspath(sys.argv[1]), sys.argv[2]
LBRUN = BUILD + "/lbrun"
APP, PLAIN = BUILD + "/real/apps/synthetic-" + MPI, BUILD + "/real/apps/synthetic-plain-" + MPI
MARK = "around-%d" % os.getpid()
PATIENCE_S = 60
OURS = [LBRUN, "--quiet", "--nodes", "2", "--cores", "2", "--degree", "2", "--param", "finalize_s=2"]
SHORT, LONG = ["--iterations", "3", "--tasks-per-core", "5"], ["--iterations", "100000", "--tasks-per-core", "5"]
LAUNCH = ["mpirun." + MPI] + ["--oversubscribe"] * (MPI == "openmpi") + ["-n", "2"]
failures = []


def environment(**more):
    env = dict(os.environ, LBRUN_AROUND=MARK, OMP_NUM_THREADS="2", **more)
    return {k: v for k, v in env.items() if v is not None}


def left():
    """Processes of this test's jobs, found by their environment."""
    found = []
    for entry in os.listdir("/proc"):
        try:
            with open("/proc/%s/environ" % entry, "rb") as f:
                ours = entry.isdigit() and MARK.encode() in f.read()
            with open("/proc/%s/stat" % entry) as f:
                state = f.read().rpartition(")")[2].split()[0]
            with open("/proc/%s/cmdline" % entry, "rb") as f:
                line = f.read().replace(b"\0", b" ")[:100]
        except OSError:
            continue
        if ours and state != "Z":
            found.append((int(entry), state, line))
    return found


def gone():
    for _ in range(150):
        if not left():
            return True
        time.sleep(0.1)
    return False


def check(what, held, found=""):
    if not held:
        failures.append(what)
        print("FAILED: %s\n%s" % (what, str(found)[-2500:]), flush=True)


def no_trace(what):
    check(what + ": left", gone(), left())
    for pid, _, _ in left():
        os.kill(pid, signal.SIGKILL)


def run(what, line, code=0, text="", env=None, **how):
    """It ends with that code, or one of several, and says that."""
    codes = code if isinstance(code, tuple) else (code,)
    how = dict({"stdin": subprocess.DEVNULL, "stdout": subprocess.PIPE, "stderr": subprocess.STDOUT}, **how)
    process = subprocess.Popen(line, env=env or environment(), **how)
    try:
        said = (process.communicate(timeout=PATIENCE_S)[0] or b"").decode(errors="replace")
    except subprocess.TimeoutExpired:
        check(what + ": hangs", False, left())
        process.kill()
        said = (process.communicate()[0] or b"").decode(errors="replace")
    check("%s: exit code %d, not %s" % (what, process.returncode, codes), process.returncode in codes, said)
    check("%s: no '%s'" % (what, text), text in said, said)
    check("%s: no message" % what, process.returncode == 0 or said or how["stdout"] != subprocess.PIPE)
    no_trace(what)
    return said


def is_whole(path):
    try:
        with open(path) as f:
            return bool(json.load(f)["iterations"])
    except (OSError, ValueError, KeyError):
        return False


def ported(*options):
    return OURS + list(options) + ["--", APP]


def measured(out, *options):
    return [LBRUN, "measure", "--out", out] + list(options) + ["--"] + LAUNCH + [PLAIN]


def packed(*options):
    return [LBRUN, "--quiet", "--system", "packing"] + list(options) + ["--"] + LAUNCH + [PLAIN]


# ---- Terminals ----

class Shell:
    """An interactive one, on a terminal of its own."""

    def __init__(self):
        self.pid, self.fd = pty.fork()
        if self.pid == 0:
            os.execvpe("bash", ["bash", "--norc", "--noprofile", "-i"], environment(PS1="$ "))
        self.heard = b""
        os.set_blocking(self.fd, False)

    def type(self, text):
        os.write(self.fd, text.encode())

    def prompts(self):
        """Takes words again: until then they go to the job's standard input."""
        for _ in range(PATIENCE_S):
            self.type("echo co''de=$?\n")
            if self.hears("code=", 1):
                return True
        return False

    def hears(self, text, patience_s=PATIENCE_S):
        for _ in range(patience_s * 10):
            try:
                self.heard += os.read(self.fd, 1 << 16)
            except (BlockingIOError, OSError):
                pass
            if text.encode() in self.heard:
                return True
            time.sleep(0.1)
        return False

    def close(self):
        os.close(self.fd)
        for _ in range(100):
            if os.waitpid(self.pid, os.WNOHANG)[0]:
                return
            time.sleep(0.1)
        os.kill(self.pid, signal.SIGKILL)
        os.waitpid(self.pid, 0)


def lines(path):
    try:
        with open(path) as f:
            return f.read().count("iteration ")
    except OSError:
        return 0


def goes_on(path, count):
    for _ in range(PATIENCE_S * 10):
        if lines(path) >= count:
            return True
        time.sleep(0.1)
    return False


def started(what, line):
    """In a shell of its own, and printing."""
    shutil.rmtree("m.terminal", ignore_errors=True)
    if os.path.exists("out"):
        os.remove("out")
    shell = Shell()
    shell.type(" ".join(line) + " >out\n")
    check(what + ": does not start", goes_on("out", 3), shell.heard)
    return shell


def in_shell(what, line, stops):
    """Ctrl-Z, fg, Ctrl-C. Without lbrun Open MPI's launcher stops the ranks, not itself, and no fg continues them."""
    shell = started(what, line)
    shell.type("\x1a")
    check(what + ": Ctrl-Z: no 'Stopped'", shell.hears("Stopped"), shell.heard)
    time.sleep(0.5)
    before = lines("out")
    time.sleep(1.5)
    check(what + ": goes on when stopped", lines("out") == before or not stops, (lines("out"), before))
    shell.heard = b""
    shell.type("fg\n")
    if stops:
        check(what + ": fg", goes_on("out", before + 3), (left(), shell.heard))
    shell.type("\x03")
    check(what + ": Ctrl-C", shell.prompts(), (left(), shell.heard))
    first = shell.heard.partition(b"code=")[2][:2]  # further words were typed before the shell took them
    check(what + ": Ctrl-C: exit code 0", first.strip() != b"0", shell.heard)
    shell.close()
    no_trace(what)


def hung_up(what, line):
    started(what, line).close()
    no_trace(what)


def terminal():
    for name, line, stops in (("ported", ported(), True), ("measured", measured("m.terminal"), MPI == "mpich"), ("packed", packed(), MPI == "mpich")):
        in_shell("a terminal, " + name, line + LONG, stops)
        hung_up("a terminal that goes, " + name, line + LONG)


# ---- Streams ----

def streams():
    def closed(which):
        return ["sh", "-c", 'exec "$@" ' + " ".join("%d>&-" % fd for fd in which), "sh"]
    for which in ((0,), (1,), (2,), (0, 1), (0, 1, 2), (0, 2)):
        what = "closed streams " + "".join(map(str, which))
        run(what + ", ported", closed(which) + ported("--report", "closed.json") + SHORT, (0,) if 1 not in which else (0, 125))
        check(what + ": report", is_whole("closed.json"))
        run(what + ", measured", closed(which) + measured("m.closed%s" % "".join(map(str, which))) + SHORT, tuple(range(256)) if 1 in which else 0)
        run(what + ", packed", closed(which) + packed() + SHORT, tuple(range(256)) if 1 in which else 0)
    for name, line in (("ported", ported()), ("measured", measured("m.head")), ("packed", packed())):
        command = " ".join(line + ["--iterations", "30", "--tasks-per-core", "5"])
        run("a pipe that is closed, " + name, ["bash", "-c", command + " | head -n 1; exit ${PIPESTATUS[0]}"],
            0 if name == "ported" else tuple(range(256)), "iteration 0")


# ---- Directories ----

def directories():
    os.makedirs("goes", exist_ok=True)
    for name, line in (("ported", ported()), ("measured", measured("m.goes")), ("packed", packed())):
        run("no working directory, " + name, ["sh", "-c", 'mkdir -p goes; cd goes && rmdir "$PWD"; exec "$@"', "sh"] + line + SHORT,
            tuple(range(256)))
        os.makedirs("goes", exist_ok=True)
        text = 'rm -f out; cd goes; "$@" >../out & i=0; while ! grep -q "iteration 3" ../out && [ $i -lt 300 ]; do sleep 0.1; i=$((i + 1)); done; cd ..; rm -r goes; wait $!'
        run("a working directory that goes, " + name, ["sh", "-c", text, "sh"] + line + ["--iterations", "40", "--tasks-per-core", "5"],
            tuple(range(256)) if name == "measured" else 0,  # what is measured is written in there
            "removed while the program ran" if name == "packed" else "")
    os.makedirs("goes", exist_ok=True)
    said = run("a report into a directory that goes", ["sh", "-c", text, "sh"] + ported("--report", os.path.abspath("goes/r.json")) +
               ["--iterations", "40", "--tasks-per-core", "5"], tuple(range(1, 256)), "r.json")
    check("a report into a directory that goes: named by errno alone", "No such file" in said, said)
    with open("file", "w"):
        pass
    for where in ("/nowhere/at/all", os.path.abspath("file"), "/proc", ""):
        for name, line in (("ported", ported()), ("measured", measured("m.tmp%d" % len(where))), ("packed", packed())):
            run("TMPDIR=%s, %s" % (where, name), line + SHORT, tuple(range(256)), env=environment(TMPDIR=where))


def names():
    """Blanks, quotes, line ends."""
    for i, name in enumerate(("two words", "it's \"so\"", "line\nend", "-x", "$HOME;`id`", "semi;colon&", "ünïcode", "100%s")):
        shutil.rmtree(name, ignore_errors=True)
        os.makedirs(name)
        app, plain = os.path.join(os.path.abspath(name), "a " + name), os.path.join(os.path.abspath(name), "p " + name)
        shutil.copy2(APP, app)
        shutil.copy2(PLAIN, plain)
        run("%r, ported" % name, OURS + ["--report", "r " + name, "--loads", "l " + name, "--decisions", "d " + name, "--", app] + SHORT, cwd=name)
        check("%r: report" % name, is_whole(os.path.join(name, "r " + name)))
        refused = MPI == "openmpi" and ";" in name  # its list of variables is divided so
        code, why = (2, "is divided by ';'") if refused else (0, "")
        run("%r, measured" % name, [LBRUN, "measure", "--out", "m " + name, "--"] + LAUNCH + [plain] + SHORT, code, why, cwd=name)
        run("%r, packed" % name, [LBRUN, "--quiet", "--system", "packing", "--report", "pr " + name, "--"] + LAUNCH + [plain] + SHORT, code, why, cwd=name)
        shutil.rmtree(name)


def words():
    """Long command lines: one long word, many short ones."""
    for what, more in (("a word of 100 KB", ["x" * 100000]), ("a word of 131071 bytes", ["x" * 131071]), ("20000 words", ["word"] * 20000),
                       ("1 MB", ["y" * 10000] * 100), ("an empty word, a line end", ["", "\n", "a\nb"])):
        script = ["/bin/sh", "-c", 'echo $# "$(printf "%s|" "$@" | wc -c)"', "sh"]
        expected = "%d %d" % (len(more), sum(len(w.encode()) + 1 for w in more))
        for name, line in (("measured", [LBRUN, "measure", "--out", "m.words"]), ("packed", [LBRUN, "--quiet", "--system", "packing"])):
            run("%s, %s" % (what, name), line + ["--"] + LAUNCH + script + more, tuple(range(256)))
        said = run(what + ", ported", ported() + SHORT + more, tuple(range(256)))
        check(what + ": nothing said", said, expected)


# ---- Others ----

def home():
    for name, line in (("ported", ported("--report", "home.json")), ("measured", measured("m.home")), ("packed", packed())):
        for what, env in (("no HOME", {"HOME": None}), ("HOME is nowhere", {"HOME": "/nowhere"}),
                          ("no PATH but mpirun's", {"PATH": os.path.dirname(shutil.which(LAUNCH[0]))})):
            shutil.rmtree("m.home", ignore_errors=True)
            run("%s, %s" % (what, name), line + SHORT, env=environment(**env))
    check("no HOME: report", is_whole("home.json"))


def clock():
    """All of the job's processes find it changed while they run (tests/faults/clock.c)."""
    library = BUILD + "/tests/faults/libfault_clock.so"
    if not os.path.exists(library):
        return
    for by in (-86400, 86400, -3):
        for name, line in (("ported", ported("--report", "clock.json")), ("measured", measured("m.clock%d" % by)), ("packed", packed())):
            env = environment(LD_PRELOAD=library, CLOCK_BY=str(by), CLOCK_AT=str(time.clock_gettime(time.CLOCK_MONOTONIC) + 2))
            run("a clock that is set by %d s, %s" % (by, name), line + ["--iterations", "60", "--tasks-per-core", "5"], env=env)
        check("a clock that is set by %d s: report" % by, is_whole("clock.json"))


def many():
    """Jobs at once: of this user, and of another where this one may."""
    other = ["setpriv", "--reuid", "65534", "--regid", "65534", "--clear-groups"]
    can = os.geteuid() == 0 and subprocess.call(other + ["test", "-x", APP], stderr=subprocess.DEVNULL) == 0
    os.makedirs("nobody", exist_ok=True)
    os.chmod("nobody", 0o777)
    jobs = []
    for i in range(4):
        who = other if can and i % 2 else []
        where = "nobody" if who else "."
        line = ported("--report", "many%d.json" % i) if i < 2 else packed("--report", "many%d.json" % i)
        jobs.append((i, where, subprocess.Popen(who + line + ["--iterations", "20", "--tasks-per-core", "5"], cwd=where, env=environment(),
                                                stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)))
    for i, where, job in jobs:
        try:
            said = job.communicate(timeout=2 * PATIENCE_S)[0].decode(errors="replace")
        except subprocess.TimeoutExpired:
            job.kill()
            said = "hangs"
        check("four jobs at once: %d: exit code %s" % (i, job.returncode), job.returncode == 0, said)
        check("four jobs at once: %d: report" % i, os.path.exists(where + "/many%d.json" % i), said)
    no_trace("four jobs at once")


def main():
    shared = set(os.listdir("/dev/shm"))
    chosen = sys.argv[3:]
    for name in os.listdir("."):  # measurements of an earlier run
        if name.startswith("m."):
            shutil.rmtree(name)
    for test in (terminal, streams, directories, names, words, home, clock, many):
        if not chosen or test.__name__ in chosen:
            begin = time.monotonic()
            test()
            print("%s: %.0f s" % (test.__name__, time.monotonic() - begin), flush=True)
    new = [f for f in set(os.listdir("/dev/shm")) - shared if f.startswith("lbrun")]
    print("%d failures; new in /dev/shm: %s" % (len(failures), new))
    return len(failures) > 0


if __name__ == "__main__":
    sys.exit(main())
