#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Are two data files of a figure alike, numbers to 1e-6 of their size? Usage: compare.py WANTED FOUND"""
import math
import shlex
import sys


def rows(name):
    with open(name, encoding='utf-8') as file:
        return [line.rstrip('\n') for line in file]


def alike(a, b):
    try:
        x, y = float(a), float(b)
    except ValueError:
        return a == b
    return (math.isnan(x) and math.isnan(y)) or abs(x - y) <= 1e-6 * max(abs(x), abs(y), 1e-6)


wanted, found = rows(sys.argv[1]), rows(sys.argv[2])
faults = [] if len(wanted) == len(found) else [f'{len(found)} lines, not {len(wanted)}']
for number, (a, b) in enumerate(zip(wanted, found), 1):
    left, right = shlex.split(a), shlex.split(b)
    if len(left) != len(right) or not all(map(alike, left, right)):
        faults.append(f'{sys.argv[2]}:{number}: {b}\n  wanted: {a}')
print('\n'.join(faults[:5]))
sys.exit(1 if faults else 0)
