#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Makes the archive that users link: one object, whose global names are those that HEADER declares and those of
# MPI that it intercepts. A user's program may call its own functions as it likes: none of ours is in its way,
# and none of its own is called by us.
#
# The object is made by the compiler (LINK..., without "-o"), not by "ld -r", because objects may be those of
# link-time optimisation, which only the compiler's driver can finish.
#
# Usage: archive.sh OUT HEADER NM OBJCOPY AR LINK...
set -eu
export LC_ALL=C # one order for sort and comm
out=$1 header=$2 nm=$3 objcopy=$4 ar=$5
shift 5
work=$out.parts
trap 'rm -rf "$work"' EXIT
rm -rf "$work"
mkdir -p "$work"

"$@" -o "$work/lbrun.o"
# Names that the header mentions as functions; its comments mention those it declares, which does no harm.
grep -o 'lbrun_[a-z0-9_]*(' "$header" | tr -d '(' | sort -u >"$work/declared"
"$nm" -g --defined-only -P "$work/lbrun.o" | cut -d ' ' -f 1 | sort -u >"$work/defined"
{
    comm -12 "$work/declared" "$work/defined"
    grep -E '^(MPI|mpi|PMPI)_' "$work/defined"
} >"$work/kept"
"$objcopy" --keep-global-symbols="$work/kept" "$work/lbrun.o"
"$ar" rcsD "$work/lbrun.a" "$work/lbrun.o"
mv "$work/lbrun.a" "$out"
