#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# The archive of evidence.py: whole, with true sums, without names of host or user, and also where a step fails.
# Usage: evidence.sh SOURCE_DIR BUILD MPI
set -u
script=$1/tests/real/evidence.py build=$2 mpi=$3
. "$(dirname "$0")/job.sh"
rm -rf work && mkdir work && cd work || exit 1
export USER=someone-here

few="--mpi $mpi --nodes 2 --cores 2 --minutes 10 --set workload.iterations=3 --set workload.task_ms=10"
one='--set sweep.workload.imbalance=[1.5] --set sweep.graph.degree=[2] --set sweep.system.name=["local"]'
# shellcheck disable=SC2086 # they are words
"$script" "$build" $few $one --steps about table own --out sent.tar.gz -- sh -c 'echo by someone-here on "$(uname -n)"; exit 3' >out.txt 2>err.txt
[ $? -eq 1 ] || fail "a program that ends with 3 should make it end with 1"
tar xzf sent.tar.gz && cd sent || exit 1
sha256sum --quiet -c SHA256SUMS || fail "sums"
grep -q '|  *1.5 |  *local |' table.txt && [ -s reports/report-0.json ] || fail "no table: $(cat table.txt)"
grep -rqw "$(uname -n)\|someone-here" . && fail "names: $(grep -rw "$(uname -n)\|someone-here" . | head -3)"
grep -q 'processors' about.txt || fail "nothing of the machine"
python3 -c '
import json
manifest = json.load(open("manifest.json"))
ends = {s["step"]: s["exit"] for s in manifest["steps"]}
assert ends["table"] in (0, 1) and ends["own"] != 0 and manifest["nodes"] == 2, ends' || fail "manifest: $(cat manifest.json)"
cd ..

refuse() { # TEXT OPTION...
    text=$1
    shift
    "$script" "$@" --out no.tar.gz >out.txt 2>err.txt
    [ $? -eq 2 ] && grep -q -e "$text" err.txt || fail "no '$text'"
    [ ! -e no.tar.gz ] || fail "an archive"
}
refuse "no 'lbsim'" nowhere
refuse 'above 0' "$build" --mpi "$mpi" --minutes 0
refuse "no file 'none'" "$build" --mpi "$mpi" --hostfile none
[ "$failures" -eq 0 ]
