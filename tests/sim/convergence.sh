#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Do the systems still converge as they did: as soon, as smoothly, to the same balance, with as much work
# elsewhere? Runs the cases of tests/sim/convergence/cases.txt and compares with its baseline.csv: results are
# the same to the digit in every build, so any difference fails, with a table of what was and is.
# Usage: convergence.sh LBSIM [--renew]
set -eu
lbsim=$1
folder=$(cd "$(dirname "$0")" && pwd)/convergence
columns="converged_s overshoot oscillation steady_node_imbalance steady_offloaded_fraction time_per_iteration_s
         first_iteration_s total_s ownership_changes borrowed_core_s offloaded_bytes"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# one CASE SCENARIO PATH=VALUE...: a row for each of its points
one()
{
        name=$1 scenario=$folder/$2
        shift 2
        for set; do
                set -- "$@" --set "$set"
                shift
        done
        "$lbsim" "$scenario" "$@" --format csv --quiet --no-figure >"$work/rows" || return 1
        awk -F, -v name="$name" -v columns="$columns" '
                NR == 1 {
                        for (i = 1; i <= NF; i++) column[$i] = i
                        n = split(columns, want, /[ \n]+/)
                        next
                }
                {
                        line = name
                        for (i = 1; i < column["seed"]; i++) line = line " " $i
                        for (i = 1; i <= n; i++) line = line "," ($column[want[i]] == "" ? "" : sprintf("%.7g", $column[want[i]]))
                        print line
                }' "$work/rows"
}

echo "case $columns" | tr -s ' \n' ',' | sed 's/,$//' >"$work/now"
echo >>"$work/now"
grep -v '^#' "$folder/cases.txt" >"$work/cases"
while read -r case; do
        # shellcheck disable=SC2086 # a case is words
        one $case >>"$work/now" || { echo "case '$case' fails"; exit 1; }
done <"$work/cases"

if [ "${2:-}" = --renew ]; then
        cp "$work/now" "$folder/baseline.csv"
        echo "renewed $folder/baseline.csv"
        exit 0
fi

awk -F, 'NR == FNR { was[$1] = $0; known += FNR > 1; next }
        FNR == 1 { for (i = 2; i <= NF; i++) name[i] = $i; next }
        {
                seen++
                if (!($1 in was)) { print $1 ": not in the baseline"; bad++; next }
                split(was[$1], before, ",")
                said = ""
                for (i = 2; i <= NF; i++)
                        if ($i != before[i])
                                said = said sprintf("  %s %s, was %s%s", name[i], $i, before[i],
                                                    i > 9 ? "" : i == 6 ? "" : $i + 0 > before[i] + 0 ? " WORSE" : " better")
                if (said != "") { print $1 ":" said; bad++ }
        }
        END {
                if (seen != known) { print "cases: " seen + 0 " now, " known + 0 " in the baseline"; bad++ }
                print (bad + 0) " of " (seen + 0) " cases differ from the baseline"
                exit bad > 0
        }' "$folder/baseline.csv" "$work/now"
