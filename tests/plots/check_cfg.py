#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Read Paraver's configuration files as Paraver does, show a trace by them, and print what they show as JSON.

Checked of each file: its head; one window; every line a tag that Paraver knows; levels, semantic and compose functions
that exist, one for each level; an event type that the trace's .pcf names, by that name. Then the window is computed:
the last value of that event on each thread, added up to the window's level, through the compose function. Printed:
the least and the largest value of any object after all have been set, and how many objects there are; at level "task"
also the sums over the tasks of each node. Usage: check_cfg.py TRACE.prv FILE.cfg...
"""
import json
import re
import sys

TAGS = {"name", "type", "id", "position_x", "position_y", "width", "height", "comm_lines_enabled", "flags_enabled",
        "noncolor_mode", "color_mode", "logical_filtered", "physical_filtered", "comm_fromto", "comm_tagsize",
        "comm_typeval", "units", "maximum_y", "minimum_y", "compute_y_max", "level", "scale_relative",
        "end_time_relative", "object", "begin_time_relative", "open", "drawmode", "drawmode_rows", "pixel_size",
        "labels_to_draw", "selected_functions", "compose_functions", "semantic_module", "filter_module"}
LEVELS = ["workload", "appl", "task", "thread", "system", "node", "cpu"]
NOT_THREAD = {"Adding", "Adding Sign", "Average", "Maximum", "Minimum"}
THREAD = {"State As Is", "Useful", "State Sign", "Last Evt Val", "Next Evt Val"}
CPU = {"Active Thd", "Active Thd Sign"}
FILTERS = {"from_obj": {"All"}, "to_obj": {"All"}, "tag_msg": {"All"}, "size_msg": {"All"}, "bw_msg": {"All"},
           "evt_type": {"=", "All"}, "evt_value": {"All"}}
COMPOSE = {"As Is", "Sign", "Div", "Prod"}
MODES = {"window_in_code_mode", "window_in_gradient_mode", "window_in_null_gradient_mode"}


def fail(path, what):
    sys.exit(f"{path}: {what}")


def read_pairs(path, text, count):
    """{ 2, { {a, b}, {c, d} } } as a dict; `count` says how many there must be."""
    match = re.fullmatch(r"\{ (\d+), \{ (.*) \} \}", text)
    pairs = dict(re.findall(r"\{([^,{}]+), ([^{}]+)\}", match[2])) if match else {}
    if not match or int(match[1]) != count or len(pairs) != count:
        fail(path, f"not {count} pairs: {text}")
    return pairs


def read_cfg(path):
    lines = open(path).read().split("\n")
    if lines[0] != "#ParaverCFG" or "ConfigFile.Version: 3.4" not in lines or "ConfigFile.NumWindows: 1" not in lines:
        fail(path, "not a configuration of one window")
    begin = [i for i, line in enumerate(lines) if line.startswith("< NEW DISPLAYING WINDOW ")]
    if len(begin) != 1:
        fail(path, f"{len(begin)} windows")
    tags, modules = {}, {}
    for line in lines[begin[0] + 1:]:
        if not line or line.startswith("#"):
            continue
        match = re.match(r"window_(\w+) (.+)$", line)
        if not match or match[1] not in TAGS:
            fail(path, f"no tag of Paraver: {line}")
        if match[1].endswith("_module"):
            key, value = match[2].split(" ", 1)
            modules[key] = value
        elif match[1] in tags:
            fail(path, f"twice: {line}")
        else:
            tags[match[1]] = match[2]
    return tags, modules


def check_functions(path, tags):
    selected = read_pairs(path, tags["selected_functions"], 14)
    compose = read_pairs(path, tags["compose_functions"], 9)
    allowed = {"cpu": CPU, "thread": THREAD, **FILTERS}
    for key, name in selected.items():
        if name not in allowed.get(key, NOT_THREAD) or (key not in FILTERS and key not in LEVELS):
            fail(path, f"no function of that level: {key}, {name}")
    if set(compose) != {"compose_" + level for level in LEVELS} | {"topcompose1", "topcompose2"}:
        fail(path, "not a compose function for each level")
    for name in compose.values():
        if name not in COMPOSE:
            fail(path, f"no compose function: {name}")
    return selected, compose


def check_cfg(path, types):
    tags, modules = read_cfg(path)
    missing = TAGS - set(tags) - {"semantic_module", "filter_module"}
    if missing:
        fail(path, f"tags are missing: {sorted(missing)}")
    if tags["level"] not in LEVELS or tags["type"] != "single" or tags["color_mode"] not in MODES:
        fail(path, "no such level, type or color mode")
    selected, compose = check_functions(path, tags)
    count, event = map(int, modules["evt_type"].split())
    if count != 1 or types.get(event) is None:
        fail(path, f"the trace has no event {event}")
    if modules["evt_type_label"] != f'1 "{types[event]}"':
        fail(path, f"event {event} is {types[event]}, not {modules['evt_type_label']}")
    divisor = 1.0
    for top in ("topcompose1", "topcompose2"):
        if compose[top] == "Div":
            divisor *= float(re.fullmatch(r"Div \{ 1, \{ 1 ([\d.]+) \} \}", modules[top])[1])
    if selected["thread"] != "Last Evt Val":
        fail(path, "values of events are not shown by another function")
    return event, tags["level"], divisor


def read_trace(path):
    """What the tasks are, and each event's (time, (application, task), value)."""
    lines = open(path)
    tasks = {}
    for a, body in enumerate(re.findall(r"\d+\(([\d:,]+)\)", next(lines).split(":", 5)[5]), 1):
        for t, task in enumerate(body.split(","), 1):
            tasks[(a, t)] = int(task.split(":")[1])
    events = {}
    for line in lines:
        field = line.rstrip("\n").split(":")
        if field[0] == "2":
            for i in range(6, len(field), 2):
                record = int(field[5]), (int(field[2]), int(field[3])), int(field[i + 1])
                events.setdefault(int(field[i]), []).append(record)
    return tasks, events


def show(level, divisor, tasks, events):
    group = {"workload": lambda task: 0, "appl": lambda task: task[0], "task": lambda task: task}[level]
    wanted = {task for _, task, _ in events}
    last, low, high, nodes = {}, float("inf"), float("-inf"), {}
    for i, (time, task, value) in enumerate(events):
        last[task] = value
        at_end = i + 1 == len(events) or events[i + 1][0] > time
        if not at_end or set(last) != wanted:
            continue
        sums, on_node = {}, {}
        for t, v in last.items():
            sums[group(t)] = sums.get(group(t), 0) + v / divisor
            on_node[tasks[t]] = on_node.get(tasks[t], 0) + v / divisor
        low, high = min(low, *sums.values()), max(high, *sums.values())
        for node, v in on_node.items():
            nodes.setdefault(node, [v, v])
            nodes[node] = [min(nodes[node][0], v), max(nodes[node][1], v)]
    return {"objects": len({group(t) for t in wanted}), "least": low, "largest": high,
            **({"nodes": list(nodes.values())} if level == "task" else {})}


def main():
    trace = sys.argv[1]
    types = {int(m[1]): m[2] for m in re.finditer(r"^0 +(\d+) +(.+)$", open(trace[:-4] + ".pcf").read(), re.M)}
    tasks, events = read_trace(trace)
    result = {}
    for path in sys.argv[2:]:
        event, level, divisor = check_cfg(path, types)
        if event not in events:
            fail(path, f"event {event} never happens")
        result[re.sub(r".*/|\.cfg$", "", path)] = show(level, divisor, tasks, events[event])
    print(json.dumps(result))


main()
