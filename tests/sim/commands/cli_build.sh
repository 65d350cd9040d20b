#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Runs that another build has simulated are never taken for this one's. Usage: cli_build.sh LBSIM OTHER NAMELESS: OTHER
# is linked from the same, with another build id, NAMELESS without one.
. "$(dirname "$0")/cli.sh"
other=$2 nameless=$3
scenario >tiny.json
same() {
    cmp whole/results.csv "$1/results.csv" || fail "results differ: whole and $1"
}
"$lbsim" --version | grep -q '^build [0-9a-f]\{40\}$' || fail "no build id: $("$lbsim" --version)"
"$lbsim" tiny.json --quiet --no-figure --out whole >/dev/null || fail "no results to compare with"

# The loop of who changes a policy: the same command again simulates anew, and what was there can be compared with.
expect 0 '24 runs in' "$lbsim" tiny.json --no-figure --out loop
expect 0 '^lbsim: 24 runs in .loop. are of another build' "$other" tiny.json --no-figure --out loop
grep -q '^lbsim: 24 runs in [0-9]' err.txt || fail "the other build simulates nothing"
same loop
first=$(echo loop/build-*)
expect 0 'points' "$lbsim" compare "$first" loop
same "$first"

# Back again, nothing is lost; and so on, with one folder for each build.
expect 0 '24 of 24 runs taken from an earlier call' "$lbsim" tiny.json --no-figure --out loop
[ ! -e "$first" ] || fail "what was taken back is still in $first"
expect 0 '24 of 24 runs taken from an earlier call' "$other" tiny.json --no-figure --out loop
[ "$(echo loop/build-*)" = "$first" ] || fail "folders of builds: $(echo loop/build-*)"
same loop

# Kept, if asked for, and that is said; never mixed silently later.
expect 0 '24 of them simulated by another build, and kept' "$nameless" tiny.json --no-figure --out loop --other-build keep
grep -q '"other_build_runs": 24' loop/results.json || fail "results.json does not tell of the other build"
expect 0 '24 of them simulated by another build, and kept' "$nameless" tiny.json --no-figure --out loop --other-build keep
expect 0 'are of another build' "$nameless" tiny.json --no-figure --out loop
grep -q '^lbsim: 24 runs in [0-9]' err.txt || fail "kept runs of another build are taken without being asked for"
expect 2 "--other-build: found 'both', allowed is one of anew, keep" "$lbsim" tiny.json --out loop --other-build both

# A program without a build id is known by its file.
expect 0 '24 runs in' "$nameless" tiny.json --no-figure --out nameless
expect 0 '24 of 24 runs taken from an earlier call' "$nameless" tiny.json --no-figure --out nameless --jobs 2
! grep -q 'another build' err.txt || fail "a build is not itself"
cp "$nameless" copied
expect 0 '24 of 24 runs taken from an earlier call' ./copied tiny.json --no-figure --out nameless

# Shards of different builds.
expect 0 '' "$lbsim" tiny.json --quiet --no-figure --out part1 --shard 1/2
expect 0 '' "$other" tiny.json --quiet --no-figure --out part2 --shard 2/2
expect 2 '12 runs in .part2. are of another build' "$lbsim" merge tiny.json part1 part2 --out merged --no-figure
expect 0 '24 of 24 runs merged' "$lbsim" merge tiny.json part1 part2 --out kept --no-figure --other-build keep
grep -q '"other_build_runs": 12' kept/results.json || fail "a merge does not tell of the other build"
expect 0 '12 of 24 runs merged' "$lbsim" merge tiny.json part1 part2 --out anew --no-figure --other-build anew
grep -q '^lbsim: 12 runs in [0-9]' err.txt || fail "the other build's shard is not simulated anew"
[ "$(runs part2)" -eq 12 ] && [ ! -e part2/build-* ] || fail "a merge changed what it reads"
for directory in kept anew; do
    same $directory
done

# What ranks of another build have left when they were killed.
mkdir -p ranks/ranks/1
cp part2/runs.journal ranks/ranks/1
expect 0 '12 runs in .ranks/ranks/1. are of another build' "$lbsim" tiny.json --no-figure --out ranks
[ "$(runs ranks/build-*)" -eq 12 ] && [ ! -e ranks/ranks ] || fail "the other build's runs are lost"
same ranks
expect 0 '12 of 24 runs taken from an earlier call' "$other" tiny.json --no-figure --out ranks
same ranks

# Another catalogue of graphs is as another build, where graphs are taken from it.
expect 0 '24 runs in' "$lbsim" tiny.json --no-figure --out catalogue --set graph.method=catalogue
mkdir -p cache
head -n 3 "$(dirname "$0")/../../../graphs/catalogue.csv" >cache/catalogue.csv
expect 0 'are of this lbsim with other plug-ins or another catalogue of graphs' "$lbsim" tiny.json --no-figure --out catalogue --set graph.method=catalogue
expect 0 '24 of 24 runs taken' "$lbsim" tiny.json --no-figure --out whole
rm cache/catalogue.csv

# Time series belong to their runs.
for program in "$lbsim" "$other" "$lbsim"; do
    expect 0 '' "$program" tiny.json --quiet --no-figure --out series --set output.series_s=0.5
done
expect 0 '24 of 24 runs taken' "$lbsim" tiny.json --no-figure --out series --set output.series_s=0.5
finish
