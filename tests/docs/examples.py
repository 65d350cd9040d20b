#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Every example of the documents runs as it is printed.

A block marked `sh` is run by bash, one after the other in the order of the page, from a folder that looks like the
root of the source tree; a command that fails, fails the test, with the page and line of its block. A comment line
right above a block says what else is to be done with it:

    <!-- file: NAME -->      the block is the text of a file, which is there from the start
    <!-- not run: REASON --> shown only
    <!-- ends: CODE -->      its last command ends with this code

Usage: examples.py SOURCE BINARY PAGE...
"""
import os
import re
import subprocess
import sys
import tempfile

FENCE = re.compile(r"^```(\w*)$")
NOTE = re.compile(r"^<!-- (file|not run|ends): (.*) -->$")
LINKED = ("base", "docs", "graphs", "models", "policies", "plots", "real", "scenarios", "tests")
SECONDS_AT_MOST = 300


def blocks(path):
    """(line, language, text, notes) of each fenced block."""
    notes, language, text, start = {}, None, [], 0
    for number, line in enumerate(open(path, encoding="utf-8").read().split("\n"), 1):
        fence = FENCE.match(line)
        if language is None:
            note = NOTE.match(line)
            if fence:
                language, text, start = fence.group(1), [], number + 1
            elif note:
                notes[note.group(1)] = note.group(2)
            elif line.strip():
                notes = {}
        elif line == "```":
            yield start, language, "\n".join(text) + "\n", notes
            language, notes = None, {}
        else:
            text.append(line)


def tree(source, binary, folder):
    """A folder that looks like the root of the source tree, with its build."""
    for name in LINKED:
        if os.path.exists(os.path.join(source, name)):
            os.symlink(os.path.join(source, name), os.path.join(folder, name))
    os.mkdir(os.path.join(folder, "build"))
    os.symlink(binary, os.path.join(folder, "build", "release"))


def run(text, folder, binary, code):
    environment = dict(os.environ, LBSIM_CACHE=os.path.join(folder, "cache"))
    environment["PATH"] = binary + os.pathsep + environment["PATH"]
    done = subprocess.run(["bash", "-eu", "-o", "pipefail", "-c", text], cwd=folder, env=environment, text=True,
                          stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                          timeout=SECONDS_AT_MOST)
    return None if done.returncode == code else f"ended with {done.returncode}:\n{text}\n{done.stdout[-3000:]}"


def check(page, source, binary):
    ran = 0
    with tempfile.TemporaryDirectory() as folder:
        tree(source, binary, folder)
        for _, _, text, notes in blocks(page):
            if "file" in notes:
                with open(os.path.join(folder, notes["file"]), "w", encoding="utf-8") as file:
                    file.write(text)
        for line, language, text, notes in blocks(page):
            if language == "sh" and "not run" not in notes:
                fault = run(text, folder, binary, int(notes.get("ends", 0)))
                if fault:
                    sys.exit(f"{page}:{line}: the example {fault}")
                ran += 1
    print(f"{page}: {ran} examples ran")
    return ran


def main():
    source, binary = map(os.path.abspath, sys.argv[1:3])
    if sum(check(page, source, binary) for page in sys.argv[3:]) == 0:
        sys.exit("no example was found")


main()
