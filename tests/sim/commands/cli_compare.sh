#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Comparing two folders of results: only what the replicates cannot explain has changed.
. "$(dirname "$0")/cli.sh"
scenario >tiny.json
"$lbsim" tiny.json --set replicates=5 --quiet --no-figure --out a >/dev/null || fail "no results to compare"
cp -r a same

# Equal results: nothing has changed, and --all shows every point.
expect 0 '0 points better, 0 worse, 12 the same' "$lbsim" compare a same --fail-if-worse 0
[ ! -s out.txt ] || fail "a table of nothing"
expect 0 '12 the same' "$lbsim" compare a same --all --format csv
[ "$(wc -l <out.txt)" -eq 13 ] || fail "--all should show 12 points"

# One point 10 to 12 % slower in its five replicates: worse; with a margin of 20 % that is no failure.
mkdir worse
awk -F, -v OFS=, 'NR > 1 && $1 == 3 && $2 == 1.5 && $3 == "global" { $5 *= $4 == 1 ? 1.10 : 1.12 } { print }' \
    a/results.csv >worse/results.csv
expect 3 '0 points better, 1 worse, 11 the same' "$lbsim" compare a worse --fail-if-worse 5
grep -q '^ *3 *1.5 *global .*worse$' out.txt || fail "not the point that was made worse"
expect 0 '1 worse' "$lbsim" compare a worse --fail-if-worse 20
expect 0 '1 point better' "$lbsim" compare worse a

# One replicate slower, the others faster: within the interval.
mkdir noise
awk -F, -v OFS=, 'NR > 1 { $5 *= $4 == 1 ? 1.20 : 0.97 } { print }' a/results.csv >noise/results.csv
expect 0 '0 points better, 0 worse, 12 the same' "$lbsim" compare a noise

# Of an efficiency less is worse; runs without a partner are counted.
mkdir less
awk -F, -v OFS=, 'NR == 1 { for (i = 1; i <= NF; i++) if ($i == "parallel_efficiency") c = i }
    NR > 1 { $c *= 0.5 } NR != 3 { print }' a/results.csv >less/results.csv
expect 0 '12 worse, 0 the same; without a partner: 1 run of A, 0 of B' \
    "$lbsim" compare a less --metric parallel_efficiency

# Of CPUs that are freed more is better.
mkdir few many
printf 'x,seed,freed_fraction\n1,1,0.25\n2,1,0.5\n' >few/results.csv
printf 'x,seed,freed_fraction\n1,1,0.5\n2,1,0.25\n' >many/results.csv
expect 0 '1 point better, 1 worse' "$lbsim" compare few many --metric freed_fraction --format csv
grep -q '^1,1,0.25,0.5,100,better' out.txt || fail "fewer CPUs freed are said to be better: $(cat out.txt)"

# A comparison of nothing passes no check.
mkdir none_left && head -n 1 a/results.csv >none_left/results.csv
expect 0 'A, 0 of B' "$lbsim" compare a none_left
expect 2 'have no run in common' "$lbsim" compare a none_left --fail-if-worse 5

# What cannot be compared.
expect 2 "cannot read 'none/results.csv'" "$lbsim" compare a none
expect 2 'no column "speed"' "$lbsim" compare a same --metric speed
expect 2 'two folders' "$lbsim" compare a
mkdir bad other
printf 'a,seed,time_per_iteration_s\n1,1,"2' >bad/results.csv
expect 2 'bad/results.csv:2: a quote that does not end' "$lbsim" compare bad bad
printf 'a,seed,time_per_iteration_s\n1,1\n' >bad/results.csv
expect 2 'bad/results.csv:2: found 2 cells, the header has 3' "$lbsim" compare bad bad
printf 'a,seed,time_per_iteration_s\n1,1,nan\n' >bad/results.csv
expect 2 'found "nan", allowed is a number' "$lbsim" compare bad bad
printf '' >bad/results.csv
expect 2 'the file is empty' "$lbsim" compare bad bad
printf 'a,seed,time_per_iteration_s\n1,1,2\n' >other/results.csv
expect 2 'sweeps over different paths' "$lbsim" compare a other
finish
