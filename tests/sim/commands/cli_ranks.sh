#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Processes that a launcher started together share a sweep through its folder, whatever the launcher. Usage:
# cli_ranks.sh LBSIM [MPIRUN...]
. "$(dirname "$0")/cli.sh"
shift
unset OMPI_COMM_WORLD_SIZE PMI_SIZE MV2_COMM_WORLD_SIZE SLURM_STEP_NUM_TASKS
scenario 60 60 >tiny.json
scenario "$slow" "$slow" >slow.json
same() {
    cmp "$1/results.csv" "$2/results.csv" || fail "results differ: $1 and $2"
    cmp "$1/summary.csv" "$2/summary.csv" || fail "summaries differ: $1 and $2"
    [ ! -e "$2/ranks" ] || fail "$2/ranks should be gone"
}
# as RANK SIZE COMMAND...: as a launcher would start it
as() {
    rank=$1 size=$2
    shift 2
    env PMI_RANK="$rank" PMI_SIZE="$size" "$@"
}
"$lbsim" tiny.json --quiet --out whole >/dev/null || fail "no results to compare with"
"$lbsim" slow.json --quiet --out slow >/dev/null || fail "no results to compare with"

# Three processes do what one does; only rank 0 prints.
PMI_RANK=1 PMI_SIZE=3 "$lbsim" tiny.json --out three >one.txt 2>&1 &
one=$!
PMI_RANK=2 PMI_SIZE=3 "$lbsim" tiny.json --out three >two.txt 2>&1 &
two=$!
expect 0 'runs merged' as 0 3 "$lbsim" tiny.json --out three
wait $one && wait $two || fail "a rank failed"
[ ! -s one.txt ] && [ ! -s two.txt ] || fail "only rank 0 should print: $(cat one.txt two.txt)"
same whole three

# Everything is done: nothing is simulated again.
PMI_RANK=1 PMI_SIZE=2 "$lbsim" tiny.json --out three >/dev/null 2>&1 &
expect 0 '24 of 24 runs taken from an earlier call' as 0 2 "$lbsim" tiny.json --out three
wait
! grep -q 'runs in' err.txt || fail "nothing was to be simulated"
same whole three

# A rank so late that the others have done everything has nothing to do, and leaves nothing.
expect 0 'runs' as 0 2 "$lbsim" tiny.json --out late
expect 0 '' as 1 2 timeout 30 "$lbsim" tiny.json --out late
same whole late

# A rank that is killed is reported, and what it had begun is done by another.
PMI_RANK=1 PMI_SIZE=2 "$lbsim" slow.json --out killed >/dev/null 2>&1 &
victim=$!
PMI_RANK=0 PMI_SIZE=2 "$lbsim" slow.json --out killed >out.txt 2>err.txt &
zero=$!
for _ in $(seq 1500); do
    [ "$(runs killed/ranks/1)" -ge 1 ] && break
    sleep 0.02
done
kill -9 $victim
wait $victim 2>/dev/null
wait $zero || fail "rank 0 failed: $(cat err.txt)"
grep -q 'a rank ended before its time' err.txt || fail "the killed rank is not reported: $(cat err.txt)"
same slow killed

# All are killed: what was finished is taken over by whoever comes next, here a process alone.
PMI_RANK=1 PMI_SIZE=2 "$lbsim" slow.json --out all >/dev/null 2>&1 &
one=$!
PMI_RANK=0 PMI_SIZE=2 "$lbsim" slow.json --out all >/dev/null 2>&1 &
zero=$!
for _ in $(seq 1500); do
    [ "$(runs all/ranks/1)" -ge 2 ] && break
    sleep 0.02
done
kill -9 $one $zero
wait $one $zero 2>/dev/null
had=$(runs all all/ranks/1)
expect 0 "$had of 24 runs taken from an earlier call" "$lbsim" slow.json --out all
same slow all

# Replicates until the interval is narrow enough: the same, shared or not.
precise="--set precision=0.02 --set replicates_most=12"
"$lbsim" tiny.json --quiet --out precise $precise >/dev/null || fail "no adaptive sweep"
PMI_RANK=1 PMI_SIZE=2 "$lbsim" tiny.json --out precise2 $precise >/dev/null 2>&1 &
expect 0 'runs' as 0 2 "$lbsim" tiny.json --out precise2 $precise
wait
same precise precise2

# Refusals.
expect 2 '2 processes need --out DIR' as 0 2 "$lbsim" tiny.json
expect 2 '--shard is for processes on their own' as 0 2 "$lbsim" tiny.json --out x --shard 1/2
expect 2 'PMI_RANK=2 and PMI_SIZE=2, must be a rank' as 2 2 "$lbsim" tiny.json --out x
expect 0 '' as 0 2 "$lbsim" tiny.json --quiet --alone --format csv
cmp out.txt whole/results.csv || fail "--alone should do everything"

# The launchers that are there.
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
for mpirun; do
    name=$(basename "$mpirun")
    options=
    "$mpirun" --version 2>&1 | grep -qi 'open.*mpi\|OpenRTE' && options=--oversubscribe
    expect 0 'runs' "$mpirun" $options -n 3 "$lbsim" tiny.json --out "$name"
    same whole "$name"
done
finish
