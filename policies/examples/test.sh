#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Policy latest, as a shared object, against what is expected of it: simulated, decided again, live, and decided again.
# LBSIM, LBRUN: the programs; PROGRAM: one that is linked with lbrun's runtime, with its arguments.
set -eu
LBSIM=${LBSIM:-lbsim} LBRUN=${LBRUN:-lbrun}
fail() { echo "FAILED: $*"; exit 1; }
rm -rf test.out
mkdir test.out

# mean NAME: what the time per iteration of a system is in the results
mean() { "$LBSIM" show test.out --where "system.name=$1" --metric time_per_iteration_s --format csv | sed -n '2s/^[^,]*,[^,]*,\([^,]*\).*/\1/p'; }

# Of imbalance 2 it leaves much less than doing nothing does.
"$LBSIM" --policy ./latest.so latest.json --no-figure --quiet --out test.out
awk -v mine="$(mean latest)" -v none="$(mean baseline)" 'BEGIN { exit !(mine > 0 && mine < 0.75 * none) }' ||
    fail "an iteration takes $(mean latest) s, without balancing $(mean baseline) s"
echo "simulated: $(mean latest) s per iteration, without balancing $(mean baseline) s"

# The same view, the same decision: what it decided is decided again, to the last bit.
"$LBSIM" --policy ./latest.so trace latest.json test.out/run.json --decisions test.out/simulated.log --set system.name=latest
"$LBSIM" --policy ./latest.so replay test.out/simulated.log

# Live, by the very same object.
build=$(dirname "$(command -v "$LBSIM")")
if [ -z "${PROGRAM:-}" ] && [ -x "$build/real/apps/synthetic-openmpi" ]; then
    PROGRAM="$build/real/apps/synthetic-openmpi --imbalance 1.5 --iterations 3 --tasks-per-core 20 --task-ms 20"
elif [ -z "${PROGRAM:-}" ] && [ -e job.c ] && pkg-config --exists lbrun-openmpi; then
    # shellcheck disable=SC2046 # words
    mpicc.openmpi -O2 $(pkg-config --cflags lbrun-openmpi) job.c -o test.out/job $(pkg-config --libs lbrun-openmpi)
    PROGRAM=test.out/job
fi
if [ -z "${PROGRAM:-}" ] || ! command -v "$LBRUN" >/dev/null; then
    echo "live: not tried; PROGRAM='./app arguments' names a program that is linked with lbrun's runtime"
    exit 0
fi
# shellcheck disable=SC2086 # words
"$LBRUN" --policy ./latest.so --nodes 2 --cores 4 --degree 2 --decisions test.out/live.log -- $PROGRAM
"$LBSIM" --policy ./latest.so replay test.out/live.log
