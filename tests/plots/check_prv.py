#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Check a Paraver trace as a strict reader would, and print its totals as JSON.

Checked: the header; records in the order of their beginning; states of a thread without gap or
overlap from the first to the last instant; no negative duration, nothing past the end; a CPU on the
node of its task; a CPU that runs one thread at a time; events of types that the .pcf names; .row
sizes that match. Usage: check_prv.py TRACE.prv
"""
import json
import re
import sys

RUNNING, MAIN = 1, 7


def fail(line, what):
    sys.exit(f"{sys.argv[1]}:{line}: {what}")


def read_header(text):
    match = re.match(r"#Paraver \(\d\d/\d\d/\d\d\d\d at \d\d:\d\d *\):(\d+)_ns:(\d+)\(([\d,]+)\):(\d+):(.*)$",
                     text)
    if not match:
        fail(1, "not a header")
    end, nnode, cpus, nappl = int(match[1]), int(match[2]), match[3].split(","), int(match[4])
    if len(cpus) != nnode:
        fail(1, "nodes and CPUs differ")
    node_of_cpu = [n + 1 for n, count in enumerate(cpus) for _ in range(int(count))]
    appls = re.findall(r"(\d+)\(([\d:,]+)\)", match[5])
    if len(appls) != nappl:
        fail(1, f"{nappl} applications announced, {len(appls)} described")
    threads = {}
    for a, (ntask, tasks) in enumerate(appls, 1):
        tasks = tasks.split(",")
        if len(tasks) != int(ntask):
            fail(1, f"application {a}: {ntask} tasks announced, {len(tasks)} described")
        for t, task in enumerate(tasks, 1):
            nthread, node = map(int, task.split(":"))
            for thread in range(1, nthread + 1):
                threads[(a, t, thread)] = node
    return end, node_of_cpu, threads


def read_types(path):
    return {int(m[1]) for m in re.finditer(r"^0 +(\d+) ", open(path).read(), re.M)}


def check_row(path, sizes):
    level, count = None, {}
    for text in open(path):
        match = re.match(r"LEVEL (\w+) SIZE (\d+)$", text.strip())
        if match:
            level = match[1]
            count[level] = [int(match[2]), 0]
        elif text.strip():
            count[level][1] += 1
    for name, size in sizes.items():
        if count.get(name) != [size, size]:
            sys.exit(f"{path}: {name}: expected {size}, found {count.get(name)}")


def main():
    path = sys.argv[1]
    lines = open(path)
    end, node_of_cpu, threads = read_header(next(lines).rstrip("\n"))
    types = read_types(path[:-4] + ".pcf")
    check_row(path[:-4] + ".row", {"CPU": len(node_of_cpu), "THREAD": len(threads)})
    last_time, last_state, busy_until, state_ns, events, first = 0, {}, {}, {}, 0, None
    for number, text in enumerate(lines, 2):
        field = [int(x) for x in text.split(":")]
        kind, cpu, thread, begin = field[0], field[1], tuple(field[2:5]), field[5]
        if begin < last_time:
            fail(number, "out of order")
        last_time = begin
        if first is None:
            first = begin
        if thread not in threads or not 1 <= cpu <= len(node_of_cpu):
            fail(number, "unknown object")
        if node_of_cpu[cpu - 1] != threads[thread]:
            fail(number, "a CPU of another node")
        if kind == 2:
            events += 1
            if len(field) % 2 or any(t not in types for t in field[6::2]):
                fail(number, "an event without meaning")
            continue
        if kind != 1 or len(field) != 8:
            fail(number, "neither state nor event")
        until, state = field[6], field[7]
        if until <= begin or until > end:
            fail(number, "a duration that cannot be")
        if last_state.get(thread, first) != begin:
            fail(number, f"thread {thread} has a gap or an overlap")
        last_state[thread] = until
        state_ns[state] = state_ns.get(state, 0) + until - begin
        if state in (RUNNING, MAIN):
            if busy_until.get(cpu, 0) > begin:
                fail(number, "a CPU that runs two threads")
            busy_until[cpu] = until
    for thread in threads:
        if last_state.get(thread, first) != end:
            sys.exit(f"{path}: thread {thread} does not last to the end")
    print(json.dumps({"begin_ns": first, "end_ns": end, "events": events, "threads": len(threads),
                      "running_s": state_ns.get(RUNNING, 0) / 1e9,
                      "main_s": state_ns.get(MAIN, 0) / 1e9}))


main()
