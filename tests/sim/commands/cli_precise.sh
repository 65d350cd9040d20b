#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Replicates are added until the interval is narrow enough, and their number depends on nothing else.
. "$(dirname "$0")/cli.sh"
scenario 12 20 >tiny.json
# precise WIDTH MOST DIR OPTIONS...
precise() {
    width=$1 most=$2 directory=$3
    shift 3
    "$lbsim" tiny.json --quiet --no-figure --set precision="$width" --set replicates_most="$most" --out "$directory" "$@" >/dev/null || fail "no results in $directory"
}
same() {
    cmp "$1/results.csv" "$2/results.csv" || fail "results differ: $1 and $2"
}
precise 0.04 20 one --jobs 1
precise 0.04 20 four --jobs 4
same one four

# Every point is narrow enough or has the most; one fewer would not have been enough for all.
awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
    { n = $at["replicates"]; half = $at["time_ci95_s"] / $at["time_per_iteration_s"] }
    n < 2 || n > 20 || (half > 0.04 && n < 20) { print "point " NR - 1 ": " n " replicates, " half }
    n > 2 { more = 1 }
    n < 20 { fewer = 1 }
    END { if (!more || !fewer) print "all points have as many replicates" }' one/summary.csv >strange.txt
[ -s strange.txt ] && fail "$(cat strange.txt)"

# Where the most are not enough it is said, how many and how wide, as the columns have it; again when the sweep is finished.
few='--set precision=0.02 --set replicates_most=4'
precise 0.02 4 few
awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
    { half = $at["time_ci95_s"] / $at["time_per_iteration_s"]; few += half > 0.02; widest = half > widest ? half : widest }
    END { printf "note: %d of %d points are not within precision, 2 %%, after 4 replicates (replicates_most): the widest is within %.3g %%", \
                 few, NR - 1, 100 * widest; exit !(few && few < NR - 1) }' few/summary.csv >note.txt || fail "no test: $(cat note.txt)"
expect 0 "$(cat note.txt)" "$lbsim" tiny.json --no-figure $few --out few
rm few/seal.json
expect 0 "$(cat note.txt)" "$lbsim" tiny.json --no-figure $few --out few
expect 0 "$(cat note.txt)" "$lbsim" tiny.json --no-figure $few --out few
expect 0 "$(cat note.txt)" "$lbsim" tiny.json $few
expect 0 . "$lbsim" tiny.json --set precision=0.9 --set replicates_most=4
grep -q 'not within precision' err.txt && fail "precise enough, and said not to be: $(cat err.txt)"

# Narrower adds to what is there; wider again forgets it; a sweep that was cut off continues.
precise 0.03 20 fresh
precise 0.03 20 one
same fresh one
precise 0.04 20 one
same four one
cut_journal four
precise 0.04 20 four
same one four

# One system without offloading, no scatter: two are enough. Shards add up.
"$lbsim" tiny.json --quiet --set precision=0.5 --set workload.imbalance=1 --set workload.jitter=none --set system.name=baseline --set workload.iterations=3 --format csv >two.txt
[ "$(wc -l <two.txt)" -eq 3 ] || fail "two replicates of one point should be enough: $(wc -l <two.txt) lines"
precise 0.04 20 part1 --shard 1/2
precise 0.04 20 part2 --shard 2/2
expect 0 'runs merged' "$lbsim" merge tiny.json part1 part2 --out parts --no-figure --set precision=0.04 --set replicates_most=20
same one parts

expect 2 'precision=2: found 2, allowed is' "$lbsim" tiny.json --set precision=2
expect 2 '/replicates_most: found 4, must be at least replicates, 5' "$lbsim" tiny.json --set precision=0.1 --set replicates=5 --set replicates_most=4
finish
