#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# What is preloaded does not change how a program's memory is kept: malloc() gives blocks from the same size on pages of
# their own as it does without us.
# Usage: heap.sh MPI LBRUN SOURCE
mpi=$1 lbrun=$2 source=$3
. "$(dirname "$0")/../job.sh"
set_launch
make_work
mpicc.$mpi -O1 "$source" -o "$work/heap" -lpthread || exit 1

# tells WORD...: of the program started with these before its line.
tells() {
    timeout 60 "$@" $launch -n 2 "$work/heap" 2>"$work/err" || fail "$*: exit code $?: $(cat "$work/err")"
}

plain=$(tells env)
case $plain in
"own pages from "*) ;;
*) fail "alone: '$plain'" ;;
esac
for system in packing dpb dlb auto; do
    found=$(tells "$lbrun" --or-run --system $system --)
    [ "$found" = "$plain" ] || fail "$system: '$found', alone '$plain'"
done
found=$(tells "$lbrun" measure --out "$work/measured" --)
[ "$found" = "$plain" ] || fail "measured: '$found', alone '$plain'"
exit $failures
