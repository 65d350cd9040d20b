#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# lbsim calibrate: constants of this machine, which scenarios include and lbsim gain uses.
# Usage: calibrate.sh MPI LBRUN LBSIM
set -u
mpi=$1 lbrun=$2 lbsim=$3
. "$(dirname "$0")/../job.sh"
rm -rf work
mkdir work
cd work || exit 1

# refused TEXT COMMAND...: exit code 1 or 2, a message, and no file
refused() {
    text=$1
    shift
    timeout 300 "$@" >out.txt 2>err.txt
    code=$?
    { [ $code -eq 1 ] || [ $code -eq 2 ] || [ $code -eq 125 ]; } && grep -q -e "$text" err.txt || fail "exit code $code, no '$text'"
    [ ! -e no.json ] || fail "half a machine"
}

# Where it goes by default, by lbsim, which starts lbrun.
LBSIM_MACHINE=$PWD/settings/machine.json timeout 500 "$lbsim" calibrate --mpi "$mpi" >out.txt 2>err.txt || fail "calibrate"
cp settings/machine.json m.json || exit 1
if command -v python3 >/dev/null; then
    python3 - "$mpi" <<'END' || fail "not what was measured: $(cat m.json)"
import json, sys
machine = json.load(open("m.json"))
measured = machine["measured"]
assert measured["mpi"] == sys.argv[1] and measured["same_node"] is True
assert set(machine["platform"]["network"]) == {"latency_us", "bandwidth_GBps", "message_cpu_us"}
assert set(machine["runtime"]) == {"create_us", "task_us", "message_poll_us"}
for section, values in (("platform.network", machine["platform"]["network"]), ("runtime", machine["runtime"])):
    for name, value in values.items():
        of = measured[f"{section}.{name}"]
        assert of["repetitions"] == 15 and 0 <= of["low"] <= of["median"] <= of["high"] and of["median"] == value, name
        assert value > 0 or name == "message_poll_us", name
END
fi
for name in latency_us bandwidth_GBps message_cpu_us create_us task_us message_poll_us; do
    grep -q "^$name  *[0-9.e-]*  *[0-9.e-]*  *[0-9.e+-]*  *15$" out.txt || fail "$name is not in the table: $(cat out.txt)"
done

# A scenario includes it; lbsim gain uses it where it is, or where it is said to be.
echo '{ "include": "m.json", "platform": { "nodes": 4, "cores_per_node": 2 }, "workload": { "iterations": 3, "tasks_per_core": 4 } }' >s.json
"$lbsim" s.json --set graph.degree=2 >/dev/null 2>err.txt || fail "include"
printf 'rank,load_s,wall_s\n0,2,2\n1,1,2\n' >loads.csv
LBSIM_MACHINE=$PWD/m.json "$lbsim" gain loads.csv --quiet >out.txt 2>err.txt || fail "gain"
grep -q "costs of tasks and messages: $PWD/m.json" out.txt || fail "gain does not use it: $(cat out.txt)"
"$lbsim" gain loads.csv --quiet --platform m.json >again.txt 2>err.txt || fail "gain --platform"
sed "s,$PWD/,," out.txt | cmp -s - again.txt || fail "--platform: $(diff out.txt again.txt)"
refused "none.json" "$lbsim" gain loads.csv --quiet --platform none.json

# A line of the user's; what is wrong with it.
launch="mpirun.$mpi"
refused 'started one rank' "$lbrun" calibrate --out no.json -- $launch -n 1
refused 'no launcher whose MPI is known' "$lbrun" calibrate --out no.json -- nosuchlauncher -n 2
refused 'none/no.json' "$lbrun" calibrate --mpi "$mpi" --out none/no.json
[ "$failures" -eq 0 ]
