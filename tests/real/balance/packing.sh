#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# lbrun --system packing of a program as it is: CPUs are freed, results and exit codes are the program's, decisions
# replay, what cannot be packed is said before it starts, and nothing is left behind. Times are not looked at.
# Usage: packing.sh MPI LBRUN LBSIM LOADS
set -u
mpi=$1 lbrun=$2 lbsim=$3 loads=$4
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
failures=0
launch="mpirun.$mpi"
[ "$mpi" = openmpi ] && launch="$launch --oversubscribe"
# Loads are asleep, so that other work of this machine does not change them, and slower rounds are no reason to undo.
free="--param pack_tolerance=0.2 --param pack_confidence=0.5 --param loss_part=10"

fail() {
    echo "FAILED: $*: $(cat err.txt)"
    failures=$((failures + 1))
}

# pack EXPECTED_CODE WORD...
pack() {
    expected=$1
    shift
    rm -f decisions.* report.json
    timeout 120 "$lbrun" --system packing --decisions decisions --report report.json "$@" >out.txt 2>err.txt
    code=$?
    [ $code -eq "$expected" ] || fail "$*: exit code $code, expected $expected"
    left=$(find . -name '.lbrun-*')
    [ -z "$left" ] || fail "$*: left $left"
}

# holds CLAIM: in Python, of the report r
holds() {
    python3 -c 'import json, sys; r = json.load(open("report.json")); sys.exit(not eval(sys.argv[1]))' "$1" ||
        fail "does not hold: $1: $(cat report.json)"
}

if [ "$(nproc)" -lt 2 ]; then
    echo "needs two CPUs"
    exit 77
fi

# Two ranks of which one has little to do: one CPU is freed, the sum is the same to the last bit.
timeout 120 $launch -n 2 "$loads" rest+sub 30 0.02 1 0.05 >plain.txt 2>err.txt || fail "plain"
pack 0 $free -- $launch -n 2 "$loads" rest+sub 30 0.02 1 0.05
cmp -s plain.txt out.txt || fail "results differ: $(cat plain.txt out.txt)"
holds 'r["changes"] >= 1 and r["freed"] == 1 and r["balanced_s"] > 0 and r["predicted_s"] > 0'
"$lbsim" replay decisions >replay.txt 2>&1 || fail "replay: $(cat replay.txt)"
grep -q 'subset-sum *packing *1 ' replay.txt || fail "replay: $(cat replay.txt)"

# Nothing to do: both have the same.
pack 0 $free -- $launch -n 2 "$loads" rest 12 0.02 1
holds 'r["changes"] == 0 and r["freed"] == 0'

# Exit codes pass, and one that was killed hangs nobody.
pack 3 $free -- $launch -n 2 "$loads" rest+code 4 0.01 1
pack 3 $free -- $launch -n 2 "$loads" rest+abort 12 0.02 1 0.05
pack 7 $free -- $launch -n 2 "$loads" rest+leave 12 0.02 1 0.05

# What cannot be packed ends before it begins, or runs as it is.
many=$(($(nproc) + 1))
pack 2 -- $launch -n $many "$loads" rest 4 0.01 1
grep -q "found $many ranks on $(nproc) CPUs of a node" err.txt || fail "more ranks than CPUs"
grep -q sum out.txt && fail "it ran: $(cat out.txt)"
pack 0 --or-run -- $launch -n $many "$loads" rest 4 0.01 1
grep -q sum out.txt || fail "it did not run"
grep -q "not balanced: found $many ranks" err.txt || fail "more ranks than CPUs, run all the same"
pack 2 -- $launch -n 1 "$loads" rest 4 0.01 1
grep -q "found a program of one rank" err.txt || fail "one rank"
pack 125 -- $launch -n 2 true
grep -q "no rank could be balanced" err.txt || fail "no MPI"
pack 2 -- "$loads" rest 4 0.01 1
grep -q "is no launcher" err.txt || fail "no launcher"
pack 2 --degree 2 -- $launch -n 2 "$loads" rest 4 0.01 1
grep -q -e "--degree is for programs that are linked" err.txt || fail "an option of other programs"
pack 2 --param pack_unit=3 -- $launch -n 2 "$loads" rest 4 0.01 1
grep -q "unknown parameter 'pack_unit'" err.txt || fail "an unknown parameter"
timeout 60 "$lbrun" --system global -- $launch -n 2 "$loads" rest 4 0.01 1 >out.txt 2>err.txt
[ $? -eq 2 ] || fail "another system"

[ $failures -eq 0 ]
