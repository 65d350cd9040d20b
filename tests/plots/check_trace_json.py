#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Check a Chrome/Perfetto JSON trace as a strict reader would, and print its totals as JSON.

Checked: events in the order of time; no negative or empty duration, nothing before the beginning or
past the end; one slice at a time on a core; a core of a node that is named; slices of an apprank that
are at home on one node alone, and of its main program there; counters that say whose they are, of
figures that are known. Usage: check_trace_json.py TRACE.json
"""
import json
import re
import sys
from decimal import Decimal

FIGURES = {"Owned cores", "Borrowed cores", "Busy cores", "Held tasks", "Offloaded tasks", "Node imbalance, thousandths",
           "Iteration", "Bytes moved in the iteration", "Processes on the CPU"}


def fail(number, what):
    sys.exit(f"{sys.argv[1]}: event {number}: {what}")


def ns(number, value):
    """Times are in us with three digits: whole ns."""
    if not isinstance(value, Decimal) or value != value.quantize(Decimal("0.001")):
        fail(number, f"{value} is no time in us with ns")
    return int(value * 1000)


def main():
    trace = json.load(open(sys.argv[1]), parse_float=Decimal)
    begin_ns, end_ns = trace["otherData"]["begin_ns"], trace["otherData"]["end_ns"]
    named, last, until, home, total, counters = set(), begin_ns, {}, {}, {"running": 0, "main": 0}, 0
    for number, event in enumerate(trace["traceEvents"]):
        kind, node = event["ph"], event["pid"]
        if kind == "M":
            named.add((node, event.get("tid")))
            continue
        at = ns(number, event["ts"])
        if at < last:
            fail(number, "out of order")
        if at > end_ns:
            fail(number, "past the end")
        if (node, None) not in named:
            fail(number, "a node without a name")
        last = at
        match = re.fullmatch(r"(.*), apprank (\d+)" if kind == "C" else r"()apprank (\d+)( main)?", event["name"])
        if not match:
            fail(number, f"whose is '{event['name']}'?")
        if kind == "C":
            counters += 1
            if match[1] not in FIGURES or not isinstance(event["args"]["value"], int):
                fail(number, "a counter without meaning")
            continue
        if kind != "X":
            fail(number, f"a kind of event that is not known: {kind}")
        core, length = (node, event["tid"]), ns(number, event["dur"])
        if core not in named:
            fail(number, "a core that the node does not have")
        if length <= 0 or at + length > end_ns:
            fail(number, "a duration that cannot be")
        if at < until.get(core, begin_ns):
            fail(number, "a core that runs two things")
        until[core] = at + length
        apprank, main_program = int(match[2]), bool(match[3])
        if event["cat"] == "home" and home.setdefault(apprank, node) != node:
            fail(number, "an apprank with two homes")
        if event["cat"] not in ("home", "offloaded") or (main_program and event["cat"] != "home"):
            fail(number, "neither at home nor offloaded")
        total["main" if main_program else "running"] += length
    print(json.dumps({"begin_ns": begin_ns, "end_ns": end_ns, "counters": counters, "cores": len(until),
                      "running_s": total["running"] / 1e9, "main_s": total["main"] / 1e9}))


main()
