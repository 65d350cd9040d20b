#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Compressed results hold what plain ones hold, and are read as well.
. "$(dirname "$0")/cli.sh"
scenario >tiny.json
"$lbsim" tiny.json --quiet --out plain >/dev/null || fail "no results to compare with"
expect 0 'wrote small/results.csv.zst' "$lbsim" tiny.json --out small --compress --set output.series_s=0.5
for name in results series; do
    [ ! -e small/$name.csv ] || fail "$name.csv should be compressed only"
done
if command -v zstd >/dev/null; then
    zstd -q -d -c small/results.csv.zst | cmp - plain/results.csv || fail "other results than without --compress"
    # what another writer has put together of two
    { head -n 5 plain/results.csv | zstd -q; tail -n +6 plain/results.csv | zstd -q; } >two.csv.zst
    mkdir -p two && mv two.csv.zst two/results.csv.zst
    expect 0 '0 points better, 0 worse' "$lbsim" compare two plain
fi
"$lbsim" tiny.json --format csv >plain.csv
expect 0 'as they were written' "$lbsim" tiny.json --out small --compress --format csv --set output.series_s=0.5
cmp out.txt plain.csv || fail "compressed results, expanded, are others"
expect 0 '0 points better, 0 worse' "$lbsim" compare small plain
"$lbsim" show plain >plain.txt
"$lbsim" show small | cmp - plain.txt || fail "lbsim show does not read compressed results"
head -c 40 small/results.csv.zst >cut
mv cut small/results.csv.zst
expect 2 'results.csv.zst' "$lbsim" show small
rm small/results.csv.zst
(ulimit -f 1 && expect 1 "results.csv.zst': File too large" "$lbsim" tiny.json --quiet --out small --compress --set output.series_s=0.5
 finish) || fail "what cannot be written is no error"

# The other form of earlier results does not stay.
expect 0 '' "$lbsim" tiny.json --quiet --out small --set output.series_s=0.5
[ -e small/results.csv ] && [ ! -e small/results.csv.zst ] || fail "old compressed results are still there"
finish
