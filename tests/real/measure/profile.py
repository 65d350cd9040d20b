#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""lbrun measure beside a profiler that shares nothing with it, on real programs.

profile.py BUILD [--only WORD] [--mpi LIST] [--runs N]: the programs of profile.cases and
../pairs/real.cases that are installed, N runs with each in turns. The profiler is made here from each MPI's own
header: a wrapper of every function, C and Fortran, that reads the thread's processor clock at each entry and
exit; no sampling, no proportion; what one reading takes between two calls is taken off. Not both in one run: the one
that lies outside would count the other as the program's (but --together).
A row per program: CPU seconds outside MPI of the ranks (least of the runs, which other work of the machine disturbs
least), their mean by lbrun over that by the profiler, imbalance (max/avg) of the median run by both, how far runs with the
same one are apart, MPI's part of the time by both in the runs that were fastest.
--readings: the profiler keeps all that it read, and the meter of lbrun is fed with it afterwards (replay.c), as if it had
read when it wanted: one run, so that neither the machine nor the runs differ. A row per program: seconds outside MPI and
imbalance by all readings and by the meter's. What the meter's readings take, and blocked time, are not in it.
--together: N runs with both in each, the profiler behind lbrun's layer, which it sees as the program: calls a second of the
rank with most, and of the run whose imbalances are furthest apart seconds outside MPI and imbalance by lbrun and by the
profiler. Of programs with very many calls, and of very short ones, the profiler's second is lbrun's as well.
Exit code: 0; 1 where a run failed or nothing was run. Deviations are printed, never judged: they are of the machine
as it is.
"""
import argparse
import json
import pathlib
import re
import shutil
import signal
import statistics
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))
import pairs  # noqa: E402

ROOT = HERE.parent.parent.parent
READINGS = ["-DREADINGS", f"-I{ROOT}", str(ROOT / "real/measure/kept.c")]

OWN = {"MPI_Init", "MPI_Init_thread", "MPI_Finalize", "MPI_Pcontrol", "MPI_Abort"}
# Names, callbacks and argument vectors are passed otherwise from Fortran.
C_ONLY = re.compile(r"char|_function|\(\*|MPI_Status_f|MPI_Fint|MPI_F08")

FRAME = r"""
#define _GNU_SOURCE
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <stdint.h>
#include <sys/resource.h>
#include <time.h>
#ifdef OPEN_MPI
#pragma weak ompi_mpi_comm_world /* launchers have none */
#endif
static __thread int depth;
static __thread int counted; /* the thread that began MPI */
static double begin_cpu, begin_wall, in_cpu, in_wall, start_cpu, start_wall, reading = 1;
static long calls;
static double now(clockid_t clock)
{
        struct timespec t;
        clock_gettime(clock, &t);
        return t.tv_sec + 1e-9 * t.tv_nsec;
}
#ifdef READINGS
#include "real/measure/kept.h"
enum { MOST = 2000000 };
static struct row {
        struct timespec in[2], out[2]; /* wall, CPU */
        int64_t kept_out, kept_in;     /* as replay.c has it */
} *row;
static int read_both(struct timespec *both)
{
        bool kept;
        int64_t now_ns = kept_look(&kept);
        both[0] = (struct timespec){ .tv_sec = now_ns / 1000000000, .tv_nsec = now_ns % 1000000000 };
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &both[1]);
        return kept;
}
static void in(void)
{
        if (depth++ || !counted || calls >= MOST)
                return;
        row[calls].kept_out = read_both(row[calls].in);
}
static void out(void)
{
        if (--depth || !counted || calls >= MOST)
                return;
        row[calls].kept_in = read_both(row[calls].out);
        calls++;
}
static void begin(void)
{
        if (counted)
                return; /* MPICH's Fortran begins by way of C's name */
        row = calloc(MOST, sizeof(*row));
        for (long i = 0; i < MOST; i += 32)
                row[i].kept_out = 1; /* its pages are there */
        kept_begin();
        read_both(row[0].in);
        read_both(row[calls++].out);
        counted = 1;
}
static void end(void)
{
        int rank;
        char name[4096];
        counted = 0;
        PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
        snprintf(name, sizeof(name), "%s.%d", getenv("PROFILE_OUT"), rank);
        FILE *file = fopen(name, "w");
        if (!file)
                return;
        fwrite(row, sizeof(*row), calls, file);
        fclose(file);
}
#else
static void in(void)
{
        if (depth++ || !counted)
                return;
        calls++;
        begin_cpu = now(CLOCK_THREAD_CPUTIME_ID);
        begin_wall = now(CLOCK_MONOTONIC);
}
static void out(void)
{
        if (--depth || !counted)
                return;
        in_wall += now(CLOCK_MONOTONIC) - begin_wall;
        in_cpu += now(CLOCK_THREAD_CPUTIME_ID) - begin_cpu;
}
static void begin(void)
{
        if (counted)
                return;
        for (int i = 0; i < 64; i++) {
                double first = now(CLOCK_THREAD_CPUTIME_ID), took = now(CLOCK_THREAD_CPUTIME_ID) - first;
                reading = took < reading ? took : reading;
        }
        start_wall = now(CLOCK_MONOTONIC);
        start_cpu = now(CLOCK_THREAD_CPUTIME_ID);
        counted = 1;
}
static void end(void)
{
        int rank;
        char name[4096];
        double cpu = now(CLOCK_THREAD_CPUTIME_ID) - start_cpu;
        struct rusage used;
        if (!counted)
                return;
        counted = 0;
        getrusage(RUSAGE_SELF, &used);
        PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
        snprintf(name, sizeof(name), "%s.%d", getenv("PROFILE_OUT"), rank);
        FILE *file = fopen(name, "w");
        if (!file)
                return;
        fprintf(file, "%.9f %.9f %.9f %ld %.6f\n", cpu - in_cpu - calls * reading, in_wall, now(CLOCK_MONOTONIC) - start_wall, calls,
                used.ru_utime.tv_sec + used.ru_stime.tv_sec + 1e-6 * (used.ru_utime.tv_usec + used.ru_stime.tv_usec));
        fclose(file);
}
#endif
int MPI_Init(int *argc, char ***argv)
{
        depth++;
        int e = PMPI_Init(argc, argv);
        depth--;
        begin();
        return e;
}
int MPI_Init_thread(int *argc, char ***argv, int asked, int *given)
{
        depth++;
        int e = PMPI_Init_thread(argc, argv, asked, given);
        depth--;
        begin();
        return e;
}
int MPI_Finalize(void)
{
        end();
        depth++;
        return PMPI_Finalize();
}
void pmpi_init_(int *), pmpi_init_thread_(int *, int *, int *), pmpi_finalize_(int *);
void mpi_init_(int *e)
{
        depth++;
        pmpi_init_(e);
        depth--;
        begin();
}
void mpi_init_thread_(int *asked, int *given, int *e)
{
        depth++;
        pmpi_init_thread_(asked, given, e);
        depth--;
        begin();
}
void mpi_finalize_(int *e)
{
        end();
        depth++;
        pmpi_finalize_(e);
}
"""


def source(mpi, folder):
    """The profiler's source: what the MPI's header declares, each wrapped."""
    (folder / "h.c").write_text("#include <mpi.h>\n")
    text = subprocess.run([f"mpicc.{mpi}", "-E", "-P", "h.c"], cwd=folder, check=True, capture_output=True, text=True).stdout
    text = re.sub(r"__attribute__\s*\(\((?:[^()]|\([^()]*\))*\)\)", "", re.sub(r"\s+", " ", text))
    parts, seen = [FRAME], set(OWN)
    for name, args in re.findall(r"\bint (MPI_\w+) ?\(((?:[^()]|\([^()]*\))*)\) ?;", text):
        words = [w.strip() for w in args.split(",")] if args.strip() != "void" else []
        names = [re.search(r"(\w+)\s*(?:\[[^\]]*\]\s*)*$", w) for w in words]
        if name in seen or name.startswith(("MPI_T_", "MPI_Status_c2f", "MPI_Status_f2c")) or "..." in args:
            continue
        if not all(names) or "(*" in args:
            continue
        seen.add(name)
        parts.append(f"int {name}({args}) {{ in(); int e = P{name}({', '.join(n[1] for n in names)}); out(); return e; }}")
        if C_ONLY.search(args):
            continue
        low, count = name.lower() + "_", len(words) + 1
        parts.append(f"void p{low}({', '.join(['void *'] * count)});")
        parts.append(f"void {low}({', '.join(f'void *a{i}' for i in range(count))}) "
                     f"{{ in(); p{low}({', '.join(f'a{i}' for i in range(count))}); out(); }}")
    return "\n".join(parts), len(seen) - len(OWN)


def build_profiler(mpi, folder, *options):
    text, count = source(mpi, folder)
    path = folder / f"profile_{mpi}.so"
    (folder / f"profile_{mpi}.c").write_text(text)
    # With MPI's library, which Python would load for itself alone; Fortran's, if any, comes with the program.
    subprocess.run([f"mpicc.{mpi}", "-O2", "-w", "-fPIC", "-shared", "-Wl,-z,lazy", *options, "-o", str(path), f"profile_{mpi}.c"],
                   cwd=folder, check=True)
    print(f"{mpi}: {count} functions are profiled", flush=True)
    return path


def started(job, line, limit_s, **env):
    program = subprocess.Popen(line, cwd=job.folder, env=dict(job.env, OMPI_MCA_mpi_yield_when_idle="1", **env), stdin=subprocess.DEVNULL,
                               stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace")
    try:
        said = program.communicate(timeout=limit_s)[0]
    except subprocess.TimeoutExpired:
        program.send_signal(signal.SIGTERM)
        program.communicate()
        raise ValueError(f"not done after {limit_s} s")
    if program.returncode:
        raise ValueError(f"exit code {program.returncode}: {said.strip()[-400:]}")


class Run:
    """Of each rank: CPU seconds outside MPI, seconds in MPI; the whole time."""

    def __init__(self, cpu_s, mpi_s, wall_s):
        self.cpu_s, self.mpi_s, self.wall_s = cpu_s, mpi_s, wall_s


def run_measured(job, line, limit_s):
    shutil.rmtree(job.folder / "m", ignore_errors=True)
    started(job, [str(job.build / "lbrun"), "measure", "--out", "m", "--", *line], limit_s)
    m = json.loads((job.folder / "m/measured.json").read_text())
    return Run(m["cpu_s"], m["mpi_s"], m["wall_s"])


def start_profiled(job, profiler, limit_s):
    line = list(job.line)
    if line[0].endswith("openmpi"):
        line[1:1] = ["--oversubscribe", "--bind-to", "none", "-x", "PROFILE_OUT", "-x", "LD_PRELOAD"]
    for old in job.folder.glob("profile.*"):
        old.unlink()
    started(job, line, limit_s, LD_PRELOAD=str(profiler), PROFILE_OUT=str(job.folder / "profile"))
    files = sorted(job.folder.glob("profile.*"))
    if len(files) != int(job.case.get("ranks", "2")):
        raise ValueError(f"{len(files)} ranks reported to the profiler")
    return files


def run_profiled(job, profiler, limit_s):
    rows = [[float(x) for x in path.read_text().split()] for path in start_profiled(job, profiler, limit_s)]
    return Run([r[0] for r in rows], [r[1] for r in rows], max(r[2] for r in rows))


def imbalance(load_s):
    return max(load_s) * len(load_s) / sum(load_s)


def together(job, profiler, limit_s):
    """Load by lbrun and by the profiler, and calls a second, of one run."""
    for old in job.folder.glob("profile.*"):
        old.unlink()
    shutil.rmtree(job.folder / "m", ignore_errors=True)
    line = list(job.line)
    if line[0].endswith("openmpi"):
        line[1:1] = ["--oversubscribe", "--bind-to", "none", "-x", "PROFILE_OUT"]
    started(job, [str(job.build / "lbrun"), "measure", "--out", "m", "--", *line], limit_s,
            LD_PRELOAD=str(profiler), PROFILE_OUT=str(job.folder / "profile"))
    ours = json.loads((job.folder / "m/measured.json").read_text())["cpu_s"]
    rows = [[float(x) for x in path.read_text().split()] for path in sorted(job.folder.glob("profile.*"))]
    if len(rows) != len(ours):
        raise ValueError(f"{len(rows)} ranks reported to the profiler, {len(ours)} to lbrun")
    return ours, [r[0] for r in rows], max(r[3] / r[2] for r in rows)


def row_of_both(job, profiler, runs, limit_s):
    each = [together(job, profiler, limit_s) for _ in range(runs)]
    ours, theirs, calls = max(each, key=lambda e: abs(imbalance(e[0]) - imbalance(e[1])))
    a, b = imbalance(ours), imbalance(theirs)
    return (f"| {job.name} | {len(ours)} | {calls:.0f} | {min(ours):.3g} to {max(ours):.3g} | {min(theirs):.3g} to {max(theirs):.3g} | "
            f"{a:.3f} | {b:.3f} | {a - b:+.3f} |")


def row(job, profiler, runs, limit_s):
    ours, theirs = [], []
    for _ in range(runs):
        ours.append(run_measured(job, job.line, limit_s))
        theirs.append(run_profiled(job, profiler, limit_s))
    cpu = [[min(r.cpu_s[i] for r in some) for i in range(len(some[0].cpu_s))] for some in (ours, theirs)]
    part = [sum(r.mpi_s) / (r.wall_s * len(r.mpi_s)) for r in (min(some, key=lambda r: r.wall_s) for some in (ours, theirs))]
    imbalances = [[imbalance(r.cpu_s) for r in some] for some in (ours, theirs)]
    a, b = (statistics.median(some) for some in imbalances)
    apart = [max(some) - min(some) for some in imbalances]
    seconds = [f"{min(c):.3g} to {max(c):.3g}" for c in cpu]
    return (f"| {job.name} | {len(cpu[0])} | {seconds[0]} | {seconds[1]} | {100 * (sum(cpu[0]) / sum(cpu[1]) - 1):+.1f} % | "
            f"{a:.3f} | {b:.3f} | {a - b:+.3f} | {apart[0]:.3f} / {apart[1]:.3f} | {100 * part[0]:.0f} / {100 * part[1]:.0f} % |")


def row_of_readings(job, profiler, limit_s):
    files = start_profiled(job, profiler, limit_s)
    said = subprocess.run([str(job.build / "tests/real/measure/measure_replay"), *map(str, files)],
                          check=True, capture_output=True, text=True).stdout
    calls, wall, all_s, meter_s, divided_s = zip(*([float(x) for x in line.split()] for line in said.splitlines()))
    a, b = imbalance(meter_s), imbalance(all_s)
    return (f"| {job.name} | {len(calls)} | {max(c / w for c, w in zip(calls, wall)):.0f} | {min(all_s):.3g} to {max(all_s):.3g} | "
            f"{100 * sum(divided_s) / sum(meter_s):.0f} % | {100 * (sum(meter_s) / sum(all_s) - 1):+.1f} % | {a:.3f} | {b:.3f} | {a - b:+.3f} |")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build", type=pathlib.Path)
    parser.add_argument("--only", default="", help="cases with this word (a regular expression)")
    parser.add_argument("--mpi", default="openmpi,mpich")
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--limit", type=float, default=60)
    way = parser.add_mutually_exclusive_group()
    way.add_argument("--readings", action="store_true", help="one run, replayed")
    way.add_argument("--together", action="store_true", help="both in each run")
    args = parser.parse_args()
    cases = [c for path in (HERE / "profile.cases", HERE.parent / "pairs/real.cases") for c in pairs.read_cases(path)]
    done = failed = 0
    with tempfile.TemporaryDirectory(prefix="profile.") as name:
        for mpi in args.mpi.split(","):
            profiler = build_profiler(mpi, pathlib.Path(name), *(READINGS if args.readings else []))
            for number, case in enumerate(cases):
                folder = pathlib.Path(name) / f"{mpi}.{number}"
                folder.mkdir()
                job = pairs.Job(case, mpi, args.build.resolve(), folder)
                if mpi not in case.get("mpi", mpi).split() or not re.search(args.only, job.name):
                    continue
                if job.missing():
                    print(f"left out: {job.name} ({job.missing()} is not installed)", flush=True)
                    continue
                try:
                    job.set_up()
                    if args.readings:
                        print(row_of_readings(job, profiler, args.limit), flush=True)
                    else:
                        print((row_of_both if args.together else row)(job, profiler, args.runs, args.limit), flush=True)
                    done += 1
                except (ValueError, OSError, subprocess.SubprocessError) as error:
                    print(f"FAILED: {job.name}: {error}", flush=True)
                    failed += 1
    sys.exit(1 if failed or not done else 0)


if __name__ == "__main__":
    main()
