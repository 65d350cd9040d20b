#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Shards of a sweep, each into a directory of its own, make up the whole when they are merged.
. "$(dirname "$0")/cli.sh"
scenario >tiny.json
"$lbsim" tiny.json --quiet --no-figure --out whole >/dev/null || fail "no results to compare with"

# Three shards of 24 runs: none is missing, none is done twice.
for i in 1 2 3; do
    expect 0 '8 runs in' "$lbsim" tiny.json --no-figure --out part$i --shard $i/3 --jobs $i
    [ "$(runs part$i)" -eq 8 ] || fail "shard $i should have 8 runs"
done

# Their results say that they are a part.
[ ! -e part1/results.csv ] && [ "$(wc -l <part1/results.partial.csv)" -eq 9 ] || fail "a shard's results look whole"

# Merged, they are the whole to the last bit; nothing was simulated again.
expect 0 '24 of 24 runs merged' "$lbsim" merge tiny.json part1 part2 part3 --out merged --no-figure
cmp whole/results.csv merged/results.csv || fail "merged results differ"
cmp whole/summary.csv merged/summary.csv || fail "merged summaries differ"
! grep -q 'runs in' err.txt || fail "a merge should simulate nothing"

# A shard that is missing is simulated; one that is interrupted goes on; shards may overlap.
expect 0 '16 of 24 runs merged' "$lbsim" merge tiny.json part1 part3 part1 --out partly --no-figure
grep -q '8 runs in' err.txt || fail "the missing shard should be simulated"
cmp whole/results.csv partly/results.csv || fail "results differ after a partial merge"
cut_journal part2
expect 0 "$(runs part2) of 24 runs taken from an earlier call" "$lbsim" tiny.json --no-figure --out part2 --shard 2/3
[ "$(runs part2)" -eq 8 ] || fail "an interrupted shard should be completed"

# Time series come along.
"$lbsim" tiny.json --set output.series_s=0.5 --quiet --no-figure --out series >/dev/null
"$lbsim" tiny.json --set output.series_s=0.5 --quiet --no-figure --out half --shard 1/2 >/dev/null
expect 0 '12 of 24 runs merged' "$lbsim" merge tiny.json half --set output.series_s=0.5 --out both --no-figure
cmp series/series.csv both/series.csv || fail "merged time series differ"

# More shards than runs: some have nothing to do.
expect 0 '' "$lbsim" tiny.json --no-figure --quiet --out none --shard 100/100

# What cannot be merged or cut.
expect 2 'holds no results of lbsim to merge' "$lbsim" merge tiny.json nowhere --out merged --no-figure
expect 2 'holds results of another scenario' "$lbsim" merge tiny.json part1 --set graph.seed=2 --out other --no-figure
grep -q 'remove\|anew' err.txt && fail "advice that would cost what is merged: $(cat err.txt)"
expect 2 'holds no results of lbsim to merge' "$lbsim" merge tiny.json part1 nowhere --out other --no-figure
[ ! -e other ] || fail "a merge that was refused left a folder"
head -c 40 part1/runs.journal >cut && mkdir -p torn && tr 'a-z' 'b-za' <cut >torn/runs.journal
expect 2 'torn/runs.journal' "$lbsim" merge tiny.json part1 torn --out other --no-figure
grep -q 'remove\|anew' err.txt && fail "advice that would cost what is merged: $(cat err.txt)"
[ ! -e other/runs.journal ] || fail "a merge that is refused has begun its directory"
expect 2 'a merge needs directories to merge, and --out DIR' "$lbsim" merge tiny.json part1
expect 2 'a merge needs directories to merge, and --out DIR' "$lbsim" merge tiny.json --out merged
for shard in 0/3 4/3 x 1/ 1/2x /3 1/99999999; do
    expect 2 'must be I/N with 1 <= I <= N' "$lbsim" tiny.json --out bad --shard $shard
done
finish
