#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Compressed results hold what plain ones hold, and are read as well.
. "$(dirname "$0")/cli.sh"
scenario >tiny.json
"$lbsim" tiny.json --quiet --out plain >/dev/null || fail "no results to compare with"
expect 1 'cannot run zstd' env PATH=/nowhere "$lbsim" tiny.json --out none --compress
command -v zstd >/dev/null || finish
expect 0 'wrote small/results.csv.zst' "$lbsim" tiny.json --out small --compress --set output.series_s=0.5
for name in results series; do
    [ ! -e small/$name.csv ] || fail "$name.csv should be compressed only"
done
zstd -q -d -c small/results.csv.zst | cmp - plain/results.csv || fail "other results than without --compress"
expect 0 '0 points better, 0 worse' "$lbsim" compare small plain
"$lbsim" show plain >plain.txt
"$lbsim" show small | cmp - plain.txt || fail "lbsim show does not read compressed results"
head -c 40 small/results.csv.zst >cut
mv cut small/results.csv.zst
expect 2 'results.csv.zst' "$lbsim" show small

# The other form of earlier results does not stay.
expect 0 '' "$lbsim" tiny.json --quiet --out small --set output.series_s=0.5
[ -e small/results.csv ] && [ ! -e small/results.csv.zst ] || fail "old compressed results are still there"
finish
