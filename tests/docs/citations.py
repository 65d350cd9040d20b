#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Whatever a source file or a document cites is in the repository: paths that begin with a room, documents, and the
numbered facts of docs/facts.md, each of which is cited somewhere. Usage: citations.py SOURCE_DIR"""
import os
import re
import sys

ROOMS = "base|graphs|policies|models|plots|sim|real|scenarios|tests|docs"
# Not PREFIX/include/lbsim/policies or $build/real: a path of the repository begins where it stands.
PATH = re.compile(r"(?<![\w./$}{<*@-])((?:%s)/[\w./-]*\.(?:c|h|md|py|sh|json|csv|gp|f90|cfg|in))(?![\w*])" % ROOMS)
DOCUMENT = re.compile(r"(?<![\w./-])((?:docs/)?[\w-]+\.md)\b")
FACT = re.compile(r"docs/facts\.md ((?:[OCP]\d+(?:, | to )?)+)")
ELSEWHERE = re.compile(r"(?<![\w/])(papers/[\w-]+|facts (?:section )?\d[\w.]*)")
TEXT = (".c", ".h", ".md", ".py", ".sh", ".json", ".gp", ".f90", ".cpp", ".txt", ".in")
# what programs write, and what is being written
NOT_YET = {"reproduce.md"}
# a place to be filled in: plots/NAME.gp, sim/output/figure_NAME.c
PLACEHOLDER = re.compile(r"[\w/]*/(\w+_)?[A-Z_]+\.\w+")
# files that are put into a copy of the tree cite each other as they lie there
COPIED = "tests/recipes/"
WRITES_FILES = re.compile(r"^tests/(real|sim)/.*\.sh$")


def files(root):
    for folder, inside, names in os.walk(root):
        inside[:] = [d for d in inside if d not in (".git", "build", "results")]
        for name in sorted(names):
            if name.endswith(TEXT) or folder.endswith(".ci"):
                yield os.path.relpath(os.path.join(folder, name), root)


def numbers(text):
    """ "O2, O10" and "C1 to C6" as sets """
    found = set(re.findall(r"[OCP]\d+", text))
    for kind, first, last in re.findall(r"([OCP])(\d+) to [OCP](\d+)", text):
        found |= {kind + str(n) for n in range(int(first), int(last) + 1)}
    return found


def main(root):
    here = sorted(files(root))
    assert len(here) > 300, "%d files: not the repository" % len(here)
    with open(os.path.join(root, "docs/facts.md"), encoding="utf-8") as f:
        facts = set(re.findall(r"^### ([OCP]\d+)\.", f.read(), re.M))
    wrong, cited, paths = [], set(), 0
    for file in here:
        if file == "tests/docs/citations.py":
            continue
        with open(os.path.join(root, file), encoding="utf-8", errors="replace") as f:
            text = f.read()
        # a citation may be broken where a comment's line ends
        flat = re.sub(r"\s*\n\s*(?:\*|//|#|!)?\s*", " ", text)
        wrong += ["%s cites '%s'" % (file, m) for m in ELSEWHERE.findall(flat)]
        for m in PATH.findall(text) + DOCUMENT.findall(text):
            paths += 1
            if m in NOT_YET or PLACEHOLDER.fullmatch(m):
                continue
            base = os.path.join(root, m)
            beside = os.path.join(root, os.path.dirname(file), m)
            copied = os.path.join(root, COPIED if file.startswith(COPIED) else "", m)
            if not (any(map(os.path.exists, (base, beside, copied))) or WRITES_FILES.match(file)):
                wrong.append("%s cites '%s', which is not there" % (file, m))
        for m in FACT.findall(flat):
            cited |= numbers(m)
            wrong += ["%s cites docs/facts.md %s, which is not there" % (file, n) for n in sorted(numbers(m) - facts)]
    wrong += ["docs/facts.md has %s, which nothing cites" % n for n in sorted(facts - cited)]
    assert paths > 500, "only %d paths were seen" % paths
    for line in wrong:
        print(line)
    return 1 if wrong else 0


sys.exit(main(sys.argv[1]))
