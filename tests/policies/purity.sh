#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Policies decide and nothing else: their library has no writable data, and calls no clock, I/O,
# thread or allocation function. What surrounds them in hosts may allocate, and no more.
# Usage: purity.sh LIBRARY [allocates]
set -eu
library=$1
allocation='malloc|calloc|realloc|free|'
[ "${2:-}" != allocates ] || allocation=

writable=$(nm "$library" | awk '$2 ~ /^[bBdDC]$/ { print $3 }' | grep -v '\.rel\.ro' || true)
# Tables of pointers are constant but relocated: .data.rel.ro counts as d for nm; ask for sections.
sections=$(objdump -h "$library" | awk '$2 ~ /^\.(data|bss|tdata|tbss)$/ && $3 !~ /^0+$/ { print $2, $3 }')
if [ -n "$sections" ]; then
        echo "writable data in $library: $sections ($writable)"
        exit 1
fi

calls=$(nm -u "$library" | awk '$1 == "U" { print $2 }' |
        grep -xE "${allocation}f?printf|puts|f?open|write|read|time|clock|clock_gettime|gettimeofday|rand|random|drand48|getenv|pthread_.*|MPI_.*|glp_.*|gsl_.*|igraph_.*" || true)
if [ -n "$calls" ]; then
        echo "impure calls in $library:" $calls
        exit 1
fi
echo "pure: $library"
