# SPDX-License-Identifier: BSD-3-Clause
"""lbrun --watch on a pseudo-terminal: what is seen, and that the terminal is as before whatever ends the job, the view
or lbrun. Where lbrun has no ncurses, or there is no terminal, it is refused. Usage: watch.py LBRUN PROGRAM [few]
"few": what differs among MPIs. Or watch.py LBRUN PROGRAM nodes N OPTIONS...: the cores of N machines are seen, of 4 cores each."""
import fcntl
import os
import pty
import re
import select
import signal
import struct
import subprocess
import sys
import termios
import time

LBRUN, PROGRAM = sys.argv[1:3]
ALTERNATE, PLAIN = b"\x1b[?1049h", b"\x1b[?1049l"
NODES = ["--virtual", "--nodes", "2", "--cores", "4"] if "nodes" not in sys.argv else sys.argv[5:]
JOB = ["--quiet", *NODES, "--degree", "2", "--system", "local", "--watch", "--",
       PROGRAM, "--imbalance", "1.8", "--tasks-per-core", "4", "--task-ms", "20"]
failures = []


def check(what, held, found=""):
    if not held:
        failures.append(what)
        print("FAILED:", what, "\n", found[-3000:], flush=True)


TERMINAL = r"""lbtest|a terminal with little,
	am, cols#110, lines#30, colors#8, pairs#64,
	clear=\E[H\E[J, cup=\E[%i%p1%d;%p2%dH, ed=\E[J, el=\E[K, smcup=\E[?1049h, rmcup=\E[?1049l, civis=\E[?25l, cnorm=\E[?25h,
	sgr0=\E[m, bold=\E[1m, op=\E[39;49m, setaf=\E[3%p1%dm, setab=\E[4%p1%dm, cr=\r, ind=\n, bel=^G,
"""
PIECE = re.compile(rb"\x1b\[(\??[0-9;]*)([A-Za-z])|\r|\n|[^\x1b\r\n]+|\x1b")


class Screen:
    """What such a terminal shows, and each line that it has shown."""

    def __init__(self):
        self.rows, self.row, self.column, self.shown = [" " * 110] * 30, 0, 0, set()

    def put(self, text):
        line = self.rows[self.row]
        self.rows[self.row] = (line[:self.column] + text + line[self.column + len(text):])[:110]
        self.column += len(text)

    def take(self, raw):
        for piece in PIECE.finditer(raw):
            argument, letter = piece.group(1), piece.group(2)
            if letter == b"H":
                place = [int(n) for n in argument.split(b";") if n] or [1, 1]
                self.row, self.column = place[0] - 1, place[1] - 1
            elif letter in (b"J", b"K"):
                self.rows[self.row] = self.rows[self.row][:self.column].ljust(110)
                if letter == b"J":
                    self.rows[self.row + 1:] = [" " * 110] * (29 - self.row)
            elif piece.group() == b"\r":
                self.column = 0
            elif piece.group() == b"\n":
                self.shown.add(self.rows[self.row])  # what comes with it may be drawn over it
                self.row = min(self.row + 1, 29)
            elif letter is None and piece.group() != b"\x1b":
                self.put(piece.group().decode("latin1"))
        self.shown.update(self.rows)


class Session:
    """lbrun in front of a shell-like leader of a pseudo-terminal, which stays when lbrun is gone."""

    def __init__(self, iterations, redirect=None, term="lbtest"):
        self.raw, self.screen = b"", Screen()
        self.leader, self.fd = pty.fork()
        if self.leader == 0:
            os.environ["TERM"] = term
            signal.signal(signal.SIGINT, lambda *_: None)
            child = subprocess.Popen([LBRUN, *JOB, "--iterations", str(iterations)], stdout=redirect,
                                     preexec_fn=lambda: os.write(2, b"lbrun is %d \n" % os.getpid()))  # before it draws
            code = child.wait()
            time.sleep(1.0)  # for the viewer, when lbrun was killed
            print("\nended with", code, "", flush=True)
            os._exit(0)
        fcntl.ioctl(self.fd, termios.TIOCSWINSZ, struct.pack("HHHH", 30, 110, 0, 0))
        self.before = termios.tcgetattr(self.fd)
        self.until(r"lbrun is \d+ ")
        self.lbrun = int(re.search(rb"lbrun is (\d+)", self.raw).group(1))

    def read(self):
        try:
            new = os.read(self.fd, 65536)
        except OSError:
            return False
        self.raw += new
        self.screen.take(new)
        return True

    def until(self, pattern, at_most_s=60):
        """On the screen, drawn or printed."""
        end = time.monotonic() + at_most_s
        while not self.has_shown(pattern) and time.monotonic() < end:
            if select.select([self.fd], [], [], 0.2)[0] and not self.read():
                break
        check(f"'{pattern}' comes", self.has_shown(pattern), "\n".join(self.screen.rows))

    def has_shown(self, pattern):
        return any(re.search(pattern, line) for line in self.screen.shown)

    def viewer(self):
        for pid in filter(str.isdigit, os.listdir("/proc")):
            try:
                words_of = open(f"/proc/{pid}/cmdline", "rb").read()
                parent = open(f"/proc/{pid}/stat").read().rsplit(")", 1)[1].split()
            except OSError:
                continue
            if words_of.startswith(LBRUN.encode() + b"\0--quiet") and int(parent[3]) == os.getsid(self.lbrun) and \
                    int(pid) != self.lbrun and os.readlink(f"/proc/{pid}/fd/1").startswith("/dev/pts"):
                return int(pid)
        return 0

    def finish(self, what, code):
        self.until(r"ended with -?\d+ ")
        found = re.search(rb"ended with (-?\d+)", self.raw)
        if not found:
            subprocess.run(["ps", "-eL", "-o", "pid,ppid,stat,wchan:24,etimes,args"])
        check(f"{what}: exit code {code}", found and int(found.group(1)) == code, self.raw)
        modes = termios.tcgetattr(self.fd)
        check(f"{what}: the terminal's modes", modes == self.before, f"{modes}, not {self.before}")
        left = self.raw.rfind(ALTERNATE) < self.raw.rfind(PLAIN)
        check(f"{what}: the terminal's screen is back", ALTERNATE not in self.raw or left)
        hidden, back = self.raw.rfind(b"\x1b[?25l"), self.raw.rfind(b"\x1b[?25h")
        check(f"{what}: the cursor is back", hidden < back or hidden < 0)
        os.close(self.fd)
        os.waitpid(self.leader, 0)


SEEN = r"busy [1-9]"


def ends_by_itself():
    s = Session(25)
    s.until(r"node \d: cores to own a\(0\) \d ->")
    s.finish("the job's end", 0)
    for text in ("local, 2 nodes of 4 cores, 2 appranks", r"node 0 +aa aa", "node 1 .*bb", r"imbalance of nodes [12]\.\d\d",
                 r"node \d: cores to own", r"node \d.* (ab|ba)", "iteration 3:"):
        check(f"'{text}' is seen", s.has_shown(text), "\n".join(sorted(s.screen.shown)))
    after = s.raw[s.raw.rfind(PLAIN):]
    check("what was printed is there afterwards", b"iteration 3:" in after and b"time per iteration" in after, after)


def nodes_are_seen(nnode):
    """Of other machines, too: their cores, how busy they are, what was decided there."""
    s = Session(40)
    s.until(r"node \d: cores to own .*->")
    s.until(rf"node {nnode - 1}: cores to own")
    s.finish("a job of several machines", 0)
    for node in range(nnode):
        letter = "abcdefgh"[node]
        for text in (rf"node {node} .*{letter}{letter} .*busy \d\.\d of 4", rf"node {node} .*busy [1-9]",
                     rf"s  node {node}: cores to own"):
            check(f"'{text}' is seen", s.has_shown(text), "\n".join(sorted(s.screen.shown)))
    for text in ("imbalance of nodes [12]\\.\\d\\d", "iteration 3:"):
        check(f"'{text}' is seen", s.has_shown(text), "\n".join(sorted(s.screen.shown)))


def ends_by(what, act, code, iterations=2000):
    s = Session(iterations)
    s.until(SEEN)
    act(s)
    s.finish(what, code)


def kill_viewer(s):
    viewer = s.viewer()
    check("there is a viewer", viewer > 0)
    if viewer:
        os.kill(viewer, signal.SIGKILL)


def descends(pid, ancestor):
    while pid > 1 and pid != ancestor:
        try:
            pid = int(open(f"/proc/{pid}/stat").read().rsplit(")", 1)[1].split()[1])
        except OSError:
            return False
    return pid == ancestor


def kill_rank(s):
    ranks = []
    for pid in filter(str.isdigit, os.listdir("/proc")):
        try:
            if os.path.samefile(f"/proc/{pid}/exe", PROGRAM) and descends(int(pid), s.lbrun):
                ranks.append(int(pid))
        except OSError:
            continue
    check("there are ranks", len(ranks) > 0)
    if ranks:
        os.kill(ranks[-1], signal.SIGKILL)


def resize(s):
    """What fits is drawn anew, also where nearly nothing does."""
    for rows, columns in (1, 1), (8, 40), (16, 40), (30, 110):
        s.screen.shown.clear()
        fcntl.ioctl(s.fd, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))
        if rows > 1:
            s.until("2 nodes of 4 cores")
        if rows > 8:
            s.until(r"node 0 +[ab-]{2} [ab-]{2} .* busy \d\.\d of 4")
            s.until(r"imbalance .*[12]\.\d\d")
    s.screen.shown.clear()
    s.until(SEEN)
    leave(s)


def leave(s):
    os.write(s.fd, b"q")


def main():
    with open("lbtest.ti", "w") as out:
        out.write(TERMINAL)
    os.environ["TERMINFO"] = os.path.abspath("terminfo")
    if subprocess.run(["tic", "-o", "terminfo", "lbtest.ti"], capture_output=True).returncode:
        print("no tic")
        return 77
    if "nodes" in sys.argv:
        nodes_are_seen(int(sys.argv[4]))
        return 1 if failures else 0
    refused = subprocess.run([LBRUN, *JOB], capture_output=True, text=True, stdin=subprocess.DEVNULL, timeout=60)
    if "built without ncurses" in refused.stderr:
        print("lbrun has no ncurses")
        return 77
    check("no terminal", refused.returncode == 2 and "neither standard output nor" in refused.stderr,
          refused.stderr)
    ends_by_itself()
    ends_by("Ctrl-C", lambda s: os.write(s.fd, b"\x03"), 130)
    ends_by("lbrun killed", lambda s: os.kill(s.lbrun, signal.SIGKILL), -9)
    if "few" in sys.argv:
        return 1 if failures else 0
    ends_by("SIGTERM", lambda s: os.kill(s.lbrun, signal.SIGTERM), 143)
    ends_by("the viewer killed", kill_viewer, 0, 25)
    ends_by("q", leave, 0, 25)
    ends_by("other sizes, then q", resize, 0, 25)
    ends_by("a rank killed", kill_rank, 137)
    dumb = Session(1, term="dumb")
    dumb.until("not one to draw on")
    dumb.finish("a terminal that cannot be drawn on", 2)
    return 1 if failures else 0


sys.exit(main())
