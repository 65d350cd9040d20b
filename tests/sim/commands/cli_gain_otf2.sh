#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Traces of Score-P's: ranks in the order of MPI, threads, what is no load; damaged ones are refused.
# Usage: cli_gain_otf2.sh LBSIM WRITE_OTF2
write=$2
. "$(dirname "$0")/cli.sh"

"$write" trace && "$write" team threads && "$write" late twisted || exit 1
expect 0 '' "$lbsim" gain trace/traces.otf2 --quiet --format json
cp out.txt one.txt
expect 0 '' "$lbsim" gain trace --quiet --format json # the folder as well
sed 's,trace\([" ]\),trace/traces.otf2\1,' out.txt | cmp -s - one.txt || fail "another answer for the folder: $(diff out.txt one.txt)"
expect 0 '' "$lbsim" gain team/traces.otf2 --quiet --format json
cp out.txt two.txt
if command -v python3 >/dev/null; then
    python3 - one.txt two.txt <<'PY' || fail "what is in the traces"
import json, sys
one, two = (json.load(open(name)) for name in sys.argv[1:])
for gain, threads in ((one, 1), (two, 2)):
    assert gain["format"] == "OTF2" and gain["ranks"] == 4 and gain["nodes"] == 2
    assert gain["threads_per_rank"] == threads and gain["predicted"]
    assert [round(load, 6) for load in gain["load_s"]] == [8, 8, 2, 2], gain["load_s"]
    assert abs(gain["time"]["measured_s"] - 8.2) < 1e-9
    assert abs(gain["time"]["bound_s"] * threads - 5) < 1e-9
    assert abs(gain["time"]["imbalance_between_nodes_s"] * threads - 3) < 1e-9
PY
fi

# What is under way where the trace ends counts up to there, and is said.
"$write" open open || exit 1
expect 0 '' "$lbsim" gain open --quiet --format json
grep -q '"load_s":[[:space:]]*\[8.2, *8, *2, *2\]' out.txt || fail "a region without end: $(grep load_s out.txt)"
grep -q '"complete":[[:space:]]*false' out.txt || fail "a region without end: complete"
expect 0 '' "$lbsim" gain open --quiet
grep -q "^  1 thread is in a region that has no end in the trace: it counts up to the trace's end" out.txt || fail "no word of a region without end"

# Damage is said, whatever the file; nothing crashes.
expect 2 'late/traces.otf2: found an event outside of the trace' "$lbsim" gain late/traces.otf2 --quiet
# What the library leaves of a file that it refuses is its own affair.
export ASAN_OPTIONS="${ASAN_OPTIONS:+$ASAN_OPTIONS:}detect_leaks=0"
for file in traces.otf2 traces.def traces/0.evt traces/1.def; do
    for part in 0 40 55 300 -1; do
        rm -rf damaged && cp -r trace damaged
        head -c $part trace/$file >damaged/$file
        "$lbsim" gain damaged/traces.otf2 --quiet >out.txt 2>err.txt
        code=$?
        [ $code -eq 0 ] || [ $code -eq 2 ] || fail "$file cut at $part: exit code $code: $(cat err.txt)"
        [ $code -eq 0 ] || grep -q "damaged/traces.otf2" err.txt || fail "$file cut at $part: no name in $(cat err.txt)"
    done
    rm damaged/$file
    "$lbsim" gain damaged/traces.otf2 --quiet >out.txt 2>err.txt
    code=$?
    [ $code -eq 0 ] || [ $code -eq 2 ] || fail "without $file: exit code $code"
done
finish
