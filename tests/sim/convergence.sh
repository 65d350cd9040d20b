#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Do the policies still converge as soon, and to as good a balance, as they did? Runs
# scenarios/convergence.json and compares with tests/sim/convergence_baseline.csv. Fails, with a table of
# both, where a policy converges later by more than 1 s and 10 %, or settles at a node imbalance more
# than 0.02 higher. Usage: convergence.sh LBSIM [--renew]
set -eu
lbsim=$1
source=$(cd "$(dirname "$0")/../.." && pwd)
baseline=$source/tests/sim/convergence_baseline.csv
now=$(mktemp)
trap 'rm -f "$now"' EXIT

"$lbsim" "$source/scenarios/convergence.json" --format csv --quiet --no-figure |
        awk -F, 'NR == 1 {
                        for (i = 1; i <= NF; i++) column[$i] = i
                        print "case,converged_s,steady_node_imbalance"
                        next
                }
                {
                        key = ""
                        for (i = 1; i < column["seed"]; i++) key = key (i > 1 ? " " : "") $i
                        n[key]++; c[key] += $column["converged_s"]; s[key] += $column["steady_node_imbalance"]
                        if (n[key] == 1) order[++count] = key
                }
                END {
                        for (k = 1; k <= count; k++) {
                                key = order[k]
                                printf "%s,%.2f,%.4f\n", key, c[key] / n[key], s[key] / n[key]
                        }
                }' >"$now"

if [ "${2:-}" = --renew ]; then
        cp "$now" "$baseline"
        echo "renewed $baseline"
        exit 0
fi

awk -F, 'NR == FNR { if (FNR > 1) { c[$1] = $2; s[$1] = $3; known++ } next }
        FNR == 1 { printf "%-34s %12s %12s %12s %12s\n", "case", "converged_s", "baseline", "imbalance", "baseline"; next }
        {
                seen++
                late = !($1 in c) || $2 > c[$1] + 1 + 0.1 * c[$1]
                worse = !($1 in s) || $3 > s[$1] + 0.02
                bad += late || worse
                printf "%-34s %12s %12s %12s %12s%s\n", $1, $2, c[$1], $3, s[$1], late ? "  LATER" : worse ? "  WORSE" : ""
        }
        END { if (seen != known) { print "cases: " seen " now, " known " in the baseline"; bad++ }; exit bad > 0 }' \
        "$baseline" "$now"
