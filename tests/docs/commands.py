#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""The manual's list of commands holds every command of the programs, and no other command or option.

The list is the first block of text below the heading "Commands"; commands are those of the programs' own tables, as
--help prints them.

Usage: commands.py PAGE PROGRAM...
"""
import os
import re
import subprocess
import sys


def said(*line):
    return subprocess.run([*line, "--help"], check=True, text=True, stdout=subprocess.PIPE).stdout


def commands_of(program):
    """name: its --help; "" for the program itself."""
    text = said(program)
    listed = text.split("\nCommands:\n", 1)[1].split("\n\n", 1)[0] if "\nCommands:\n" in text else ""
    names = re.findall(r"^  ([a-z]+) ", listed, re.M)
    return {"": text, **{name: said(program, name) for name in names}}


def main(page, *programs):
    text = open(page, encoding="utf-8").read()
    block = re.search(r"^## Commands\n.*?^```text\n(.*?)^```", text, re.M | re.S).group(1)
    wrong = []
    for program in programs:
        name = os.path.basename(program)
        helps = commands_of(program)
        there = set()
        for line in re.findall(rf"^{name} .*", block, re.M):
            usage = re.split(r" {3,}", line)[0]
            word = usage.split()[1]
            command = word if word in helps else ""
            if re.fullmatch("[a-z]+", word) and not command:
                wrong.append(f"'{usage}': {name} has no command '{word}'")
            there.add(command)
            own = usage.split(" -- ")[0]
            for option in re.findall(r"--[a-z_-]+", own):
                if not re.search(rf"^  {option}\b", helps[command], re.M):
                    wrong.append(f"'{usage}': no option {option}")
        wrong += [f"'{name} {command}' is not in the list" for command in helps if command not in there]
    for line in wrong:
        print(f"FAILED: {page}: {line}")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
