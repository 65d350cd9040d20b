#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# A policy from a shared object is a system like any other. Usage: cli_policy.sh LBSIM POLICY.so WRONG.so
# REBUILT.so CHANGED.so MAGIC.so...; the fourth and fifth are POLICY.so built anew, and with another default.
. "$(dirname "$0")/cli.sh"
plugin=$2 wrong=$3 rebuilt=$4 changed=$5
shift 5
scenario >tiny.json

# Beside the others in a sweep, with a figure's worth of results and its own parameter.
expect 0 '' "$lbsim" --policy "$plugin" tiny.json --set 'sweep.system.name=["local","latest"]' \
    --set system.latest_floor_cores=0.25 --quiet --no-figure --out both
grep -q '^.*latest' both/results.csv || fail "no results of the plugin's system"
grep -q -- '--policy' both/results.json || fail "results.json does not tell of the plugin"
"$lbsim" --policy "$plugin" params >params.txt
grep -q 'latest_floor_cores' params.txt || fail "its parameter is not listed"

# Without it there is no such system, and no such parameter.
expect 2 "found 'latest', allowed is one of" "$lbsim" tiny.json --set system.name=latest
expect 2 'latest_floor_cores' "$lbsim" tiny.json --set system.latest_floor_cores=1

# Earlier results are of use only with the very same plugin; its place does not matter.
expect 0 'runs taken from an earlier call' "$lbsim" --policy "$plugin" tiny.json --no-figure --out both \
    --set 'sweep.system.name=["local","latest"]' --set system.latest_floor_cores=0.25
cp "$plugin" other.so
expect 0 '24 of 24 runs taken from an earlier call' "$lbsim" --policy ./other.so tiny.json --no-figure --out both \
    --set 'sweep.system.name=["local","latest"]' --set system.latest_floor_cores=0.25
# Which plugin was built anew is said, by its name, where the program is the same.
mkdir anew changed
cp "$rebuilt" "anew/${plugin##*/}"
cp "$changed" "changed/${plugin##*/}"
expect 0 "^lbsim: 12 runs in .both. are of another build of the plug-in '.*/anew/.*' (" "$lbsim" --policy "anew/${plugin##*/}" tiny.json --no-figure --out both \
    --set 'sweep.system.name=["local","latest"]' --set system.latest_floor_cores=0.25
# It decides in the runs of its system alone.
grep -q '^lbsim: 12 of 24 runs taken from an earlier call$' err.txt && grep -q '^lbsim: 12 runs in .* s$' err.txt ||
    fail "not the rebuilt plugin's runs alone are simulated anew: $(cat err.txt)"
cmp both/results.csv both/build-*/results.csv || fail "results that a rebuilt plugin is a part of"
expect 0 '24 of 24 runs taken from an earlier call' "$lbsim" --policy "$plugin" tiny.json --no-figure --out both \
    --set 'sweep.system.name=["local","latest"]' --set system.latest_floor_cores=0.25
[ "$(runs both/build-*)" -eq 24 ] || fail "the runs of the rebuilt plugin are not kept: $(ls both)"
expect 0 '24 of 24 runs taken from an earlier call' "$lbsim" --policy "anew/${plugin##*/}" tiny.json --no-figure --out both \
    --set 'sweep.system.name=["local","latest"]' --set system.latest_floor_cores=0.25
expect 2 "are of another build of the plug-in '.*/changed/.*', with other metrics or other defaults" "$lbsim" --policy "changed/${plugin##*/}" tiny.json --no-figure --out both --other-build keep \
    --set 'sweep.system.name=["local","latest"]' --set system.latest_floor_cores=0.25
expect 0 '24 runs in' "$lbsim" tiny.json --no-figure --out without
expect 0 "24 runs in .without. are of this lbsim without the plug-in '$plugin' (" "$lbsim" --policy "$plugin" tiny.json --no-figure --out without

# What is no plugin.
expect 2 'needs a value' "$lbsim" --policy
expect 2 'cannot be loaded' "$lbsim" --policy tiny.json tiny.json
expect 2 'cannot be found' "$lbsim" --policy none.so tiny.json

# One that decides what cannot be ends the run, and says what.
wrongly() {
    expect "$1" "$3" "$lbsim" --policy "$wrong" tiny.json --quiet --set 'sweep.system.name=["wrong"]' \
        --set "system.wrong=\"$2\"" --set runtime.poll_s=0.1
}
wrongly 0 nothing ''
wrongly 0 only_lend ''
wrongly 1 cores "policy 'wrong' on node [0-3]: 5 cores are given out, there are 4"
wrongly 1 no_core "policy 'wrong' on node [0-3]: worker [0-9]* is given 0 cores, allowed is at least 1"
wrongly 1 place "policy 'wrong': a task goes to place [23], there are [23]"
wrongly 1 borrower "policy 'wrong' on node [0-3]: worker [23] borrows, there are [23]"
wrongly 1 action "policy 'wrong' on node [0-3]: lending action 77, allowed is 0 to 4"
wrongly 1 reclaimed "policy 'wrong' on node [0-3]: -5 cores are reclaimed, allowed is 0 or more"
wrongly 1 refill "policy 'wrong': place [0-2] takes -1 held tasks, allowed is 0 or more"
wrongly 1 hold "policy 'wrong' holds [0-9]* tasks of apprank [0-3] and nothing runs"
wrongly 1 hold "^lbsim: point [0-9]*: .*system.name wrong; replicate [0-9]*: at [0-9.]* s, iteration 0: policy 'wrong' holds"
wrongly 1 start "policy 'wrong' does not start, and does not say why"

# Parameters may be called anything: what is taken has the policy's name before it, and keeps its own
# type, default and meaning; the host takes period, groups and cost from where the policy says them.
for magic; do
    expect 0 '' "$lbsim" --policy "$magic" tiny.json --set 'sweep.system.name=["magic","global"]' --quiet --no-figure \
        --out "$(basename "$magic").out" --set runtime.poll_s=0.05 --set workload.iterations=12
    "$lbsim" --policy "$magic" params >params.txt
    for name in period_s solver partition_nodes global_average lend_when comm_core name as lewi drom; do
        grep -q "system.magic_$name\$" params.txt || fail "system.magic_$name is not listed"
    done
    for name in poll_s seed; do
        grep -q "system.$name\$" params.txt || fail "system.$name is not listed"
    done
done
# A decision every 0.75 s, which takes 0.125 s for each node of a group: in 6.3 s these are 6, and 8 at no cost.
decisions() {
    awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) if ($i == "decisions") at = i } NR == 2 { print $at }' "$1/results.csv"
}
expect 0 '' "$lbsim" --policy "$1" tiny.json --set 'sweep.system.name=["magic"]' --quiet --no-figure --out free.out \
    --set runtime.poll_s=0.05 --set workload.iterations=12 --set runtime.solver_time=none
[ "$(decisions "$(basename "$1").out")" = 6 ] || fail "period and cost are not those of the policy's table"
[ "$(decisions free.out)" = 8 ] || fail "the period is not that of the policy's table"
magically() {
    expect "$1" "$2" "$lbsim" --policy "$3" tiny.json --quiet --no-figure --set 'sweep.system.name=["magic"]' \
        --set system.but="$4" --set "$5"
}
magically 2 'found period_s of value 3.5' "$1" 0 system.magic_period_s=3.5
magically 0 '' "$1" 2 system.magic_period_s=3.5
magically 0 '' "$1" 3 system.magic_solver=3.5
magically 0 '' "$2" 4 system.magic_partition_nodes=false
magically 0 '' "$3" 3 'system.magic_solver="lp"'
magically 0 '' "$3" 14 'system.poll_s="red"'
magically 2 'allowed is one of red, lp, blue' "$3" 14 system.poll_s=3
# One that takes the program down is named, with the point; what was done before is kept.
falls() {
    expect 1 "$2 (point 2: system.name wrong; replicate [01])" "$lbsim" --policy "$wrong" tiny.json --jobs 2 \
        --set 'sweep={"system.name":["local","global","wrong"]}' --set "system.wrong=\"$1\"" \
        --set runtime.poll_s=0.1 --quiet --no-figure --out "falls_$1" --hung-s "${3:-300}"
    [ "$("$lbsim" journal "falls_$1" | grep -c replicate)" -ge 4 ] || fail "$1: runs that were done are lost"
}
falls fault "policy 'wrong' crashed in decide(): segmentation fault"
falls recursion "policy 'wrong' crashed in decide(): segmentation fault"
falls division "policy 'wrong' crashed in decide(): arithmetic exception"
falls abort "policy 'wrong' crashed in decide(): aborted"
falls exit "policy 'wrong' ended the program in decide(): exit()"
falls _exit "policy 'wrong' ended the program in decide(): _exit()"
falls pthread_exit "policy 'wrong' ended the program in decide(): pthread_exit()"
falls hang "policy 'wrong' has not returned from decide() for 0.5 s, the limit of --hung-s" 0.5
grep -q 'the same command continues' err.txt || fail "not said that runs are kept"
expect 1 'policy .wrong. has not returned' "$lbsim" --policy "$wrong" tiny.json --set 'sweep.system.name=["wrong"]' \
    --set 'system.wrong="hang"' --set runtime.poll_s=0.1 --hung-s 0.3
grep -q 'runs that are done are kept' err.txt && fail "nothing is kept without --out"
expect 2 "hung-s: found '0', allowed is a number from 0.1" "$lbsim" tiny.json --hung-s 0

finish
