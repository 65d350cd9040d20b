#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""What the tests went through, for each file of a folder: lines and branches, of what the compiler was told in the
preset coverage. A file that is compiled more than once (for each MPI) counts what any of its objects went through.

Usage: coverage.py BUILD_DIR FOLDER..."""
import gzip
import json
import os
import subprocess
import sys
import tempfile
from collections import defaultdict


def notes(build):
    for folder, _, names in os.walk(os.path.abspath(build)):
        for name in names:
            if name.endswith(".gcda"):
                yield os.path.join(folder, name)


def read(build, root, lines, branches):
    """Adds counts to lines[file][line] and branches[file][line, place]."""
    with tempfile.TemporaryDirectory() as work:
        for note in notes(build):
            done = subprocess.run(["gcov", "--json-format", "--branch-probabilities", "--stdout", note], cwd=work,
                                  stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
            if done.returncode != 0:
                sys.stderr.write("note: %s is of an older build\n" % os.path.relpath(note, build))
                continue
            data = done.stdout if done.stdout[:2] != b"\x1f\x8b" else gzip.decompress(done.stdout)
            for part in map(json.loads, data.splitlines()):
                for file in part["files"]:
                    path = os.path.join(part["current_working_directory"], file["file"])
                    add(os.path.relpath(os.path.realpath(path), root), file, lines, branches)


def add(name, file, lines, branches):
    for line in file["lines"]:
        lines[name][line["line_number"]] += line["count"]
        for place, branch in enumerate(line["branches"]):
            branches[name][line["line_number"], place] += branch["count"]


def share(counts):
    return "%6.1f %% of %5d" % (100 * sum(c > 0 for c in counts) / len(counts), len(counts)) if counts else "%17s" % "-"


def main(build, folders):
    root = os.getcwd()
    lines, branches = defaultdict(lambda: defaultdict(int)), defaultdict(lambda: defaultdict(int))
    read(build, root, lines, branches)
    for folder in folders:
        names = sorted(n for n in lines if n.startswith(folder.rstrip("/") + "/"))
        print("%-36s %17s %17s" % (folder, "lines", "branches"))
        for name in names:
            print("  %-34s %s %s" % (name, share(lines[name].values()), share(branches[name].values())))
        print("  %-34s %s %s" % ("all", share([c for n in names for c in lines[n].values()]),
                                 share([c for n in names for c in branches[n].values()])))


main(sys.argv[1], sys.argv[2:])
