#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# A finished sweep is sealed: called again it is checked and printed, not read and written anew; whatever is not as it
# was is made again.
. "$(dirname "$0")/cli.sh"
scenario >tiny.json
# flip FILE BYTE: change a bit of a byte.
flip() {
    byte=$(od -An -tu1 -j "$2" -N 1 "$1" | tr -d ' ')
    printf "\\$(printf '%03o' $((byte ^ 1)))" | dd of="$1" bs=1 seek="$2" conv=notrunc 2>dd.txt
}
files='results.csv results.json summary.csv overview.txt'
same() {
    for name in results.csv summary.csv overview.txt; do
        cmp "whole/$name" "$1/$name" || fail "$name differs: whole and $1"
    done
}
"$lbsim" tiny.json --quiet --no-figure --out whole >whole.txt || fail "no results to compare with"
cmp whole.txt whole/overview.txt || fail "overview.txt is not what is printed"

# Nothing is written, and the same is printed, in every format.
expect 0 'wrote' "$lbsim" tiny.json --no-figure --out out
before=$(cd out && ls -i $files runs.journal seal.json)
for format in table csv json; do
    expect 0 'its files in out are as they were written' "$lbsim" tiny.json --no-figure --out out --format $format
    ! grep -q 'wrote' err.txt || fail "files of a sealed sweep are written"
    case $format in
    table) cmp out.txt out/overview.txt ;;
    csv) cmp out.txt out/results.csv ;;
    json) cmp out.txt out/results.json ;;
    esac || fail "what is printed of a sealed sweep in format $format"
done
[ "$(cd out && ls -i $files runs.journal seal.json)" = "$before" ] || fail "a sealed sweep was written"
expect 0 '' "$lbsim" tiny.json --no-figure --out out --quiet

# Each file that was changed or removed is written anew.
for name in $files; do
    cp out/$name kept
    flip out/$name 40
    [ $name != results.csv ] || expect 0 "'out/results.csv' is not as lbsim wrote it" "$lbsim" show out
    expect 0 "'out/$name' is not as lbsim wrote it" "$lbsim" tiny.json --no-figure --out out
    [ $name = results.json ] || cmp kept out/$name || fail "$name differs after it was damaged"
    rm out/$name
    expect 0 "'out/$name' is gone" "$lbsim" tiny.json --no-figure --out out
    expect 0 'as they were written' "$lbsim" tiny.json --no-figure --out out
done
same out

# No byte of the seal or of a result can be changed so that another results.csv is printed with exit code 0.
size=$(wc -c <out/seal.json)
for at in $(seq 0 17 $((size - 1))); do
    flip out/seal.json $at
    expect 0 '' "$lbsim" tiny.json --no-figure --out out --quiet --format csv
    cmp out.txt whole/results.csv || fail "other results with byte $at of the seal changed"
done
size=$(wc -c <out/runs.journal)
for at in $(seq 1000 371 $((size - 1))); do
    flip out/runs.journal $at
    expect 0 'is damaged' "$lbsim" tiny.json --no-figure --out out --format csv
    cmp out.txt whole/results.csv || fail "other results with byte $at of the journal changed"
done
same out

# Another form, name or number of replicates is not what was sealed.
sed 's/a few nodes/some nodes/' tiny.json >renamed.json
expect 0 'wrote' "$lbsim" renamed.json --no-figure --out out
grep -q 'some nodes' out/results.json || fail "results.json is of another scenario"
expect 0 '24 of 36 runs' "$lbsim" renamed.json --no-figure --out out --set replicates=3
expect 0 'wrote' "$lbsim" tiny.json --no-figure --out out
same out
expect 0 'wrote out/results.csv.zst' "$lbsim" tiny.json --no-figure --out out --compress
expect 0 'as they were written' "$lbsim" tiny.json --no-figure --out out --compress --format csv
cmp out.txt whole/results.csv || fail "compressed results of a sealed sweep"
if command -v gnuplot >/dev/null; then
    expect 0 'wrote' "$lbsim" tiny.json --out drawn --no-figure --set output.figure=imbalance_sweep
    expect 0 'wrote drawn/imbalance.*svg' "$lbsim" tiny.json --out drawn --set output.figure=imbalance_sweep
    expect 0 'as they were written' "$lbsim" tiny.json --out drawn --set output.figure=imbalance_sweep
    rm drawn/imbalance*.svg
    expect 0 'wrote drawn/imbalance.*svg' "$lbsim" tiny.json --out drawn --set output.figure=imbalance_sweep
fi

# Killed while it writes results, here while they go to a disk that takes its time: nothing half-written, and no temporary file.
expect 0 'wrote late/results.csv.zst' "$lbsim" tiny.json --no-figure --out late --compress
if [ -n "${SLOW_SYNC:-}" ]; then
    SYNC_STARTED=$PWD/started LD_PRELOAD=$SLOW_SYNC "$lbsim" tiny.json --quiet --no-figure --out late >/dev/null 2>&1 &
    pid=$!
    for _ in $(seq 600); do
        [ -e started ] && break
        sleep 0.05
    done
    [ -e started ] || fail "no results are written"
    kill -9 $pid
    wait $pid 2>/dev/null
    : >started.go
    [ ! -e late/results.csv ] || fail "half of the results"
fi
# A file system that has no files without a name leaves one until the next call.
if [ "$(stat -f -c %T .)" != nfs ]; then
    [ "$(cd late && echo *.??????)" = '*.??????' ] || fail "a killed sweep leaves $(cd late && echo *.??????)"
fi
: >late/results.csv.0123ab
: >late/notes.0123ab
expect 0 '24 of 24 runs' "$lbsim" tiny.json --no-figure --out late
[ ! -e late/results.csv.0123ab ] || fail "what a killed sweep left is still there"
[ -e late/notes.0123ab ] || fail "a file of somebody else is gone"
same late
finish
