#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Policy latest, as a shared object, against what is expected of it: simulated, decided again, live, and decided again.
# LBSIM, LBRUN: the programs; PROGRAM: one that is linked with lbrun's runtime, with its
# arguments, as called from the folder FROM (that where make was called, also by make -C), or else from this one.
set -eu
LBSIM=${LBSIM:-lbsim} LBRUN=${LBRUN:-lbrun} here=$PWD
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
from=${FROM:-$here}
# shellcheck disable=SC2086 # words
set -- ${PROGRAM:-}
if [ $# -gt 0 ]; then
    [ -x "$from/$1" ] || from=$here
elif [ -x "$build/real/apps/synthetic-openmpi" ]; then
    set -- "$build/real/apps/synthetic-openmpi" --imbalance 1.5 --iterations 3 --tasks-per-core 20 --task-ms 20
elif [ -e job.c ] && pkg-config --exists lbrun-openmpi; then
    # shellcheck disable=SC2046 # words
    mpicc.openmpi -O2 $(pkg-config --cflags lbrun-openmpi) job.c -o test.out/job $(pkg-config --libs lbrun-openmpi)
    set -- "$here/test.out/job"
fi
if [ $# -eq 0 ] || ! command -v "$LBRUN" >/dev/null; then
    echo "live: not tried; PROGRAM='./app arguments' names a program that is linked with lbrun's runtime"
    exit 0
fi
(cd "$from" && "$LBRUN" --policy "$here/latest.so" --nodes 2 --cores 4 --degree 2 --decisions "$here/test.out/live.log" -- "$@")
"$LBSIM" --policy ./latest.so replay test.out/live.log
