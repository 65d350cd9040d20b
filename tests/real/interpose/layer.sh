#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# The layer of real/interpose between the program and other tools, before them and behind them, in C and Fortran:
# what a tool sees is what it sees without the layer, the layer counts each call once, and Fortran's ranks that
# wait lend their cores. Usage:
# layer.sh MPI LBRUN SOURCE_DIR ARCHIVE KNOWN KNOWN_POLITE TOOL TOOL_FORTRAN COUNT
set -u
mpi=$1 lbrun=$2 source=$3 archive=$4 known=$5 polite=$6 tool=$7 tool_fortran=$8 count=$9
. "$(dirname "$0")/../job.sh"
oversubscribe=
[ "$mpi" = openmpi ] && oversubscribe=--oversubscribe

# run PROGRAM PRELOAD: the tool's counts to out.RANK, the layer's to count.RANK; env(1) is the program that
# mpirun starts, so that mpirun itself loads nothing
run() {
    rm -f out.[01] count.[01]
    timeout 60 mpirun.$mpi $oversubscribe -n 2 env LD_PRELOAD="$2" TOOL_OUT=out COUNT_OUT=count "$1" ||
        fail "$1 with '$2' before it: exit code $?"
}

# same PROGRAM REFERENCE PRELOAD: the tool sees what it saw in REFERENCE.RANK
same() {
    run "$1" "$3"
    for rank in 0 1; do
        cmp -s "$2.$rank" out.$rank || fail "$1 with '$3': rank $rank: $(diff "$2.$rank" out.$rank)"
    done
}

# counts PROGRAM: the layer has counted each call once, and none of those that it was to let pass
counts() {
    for rank in 0 1; do
        message='Send 2'
        [ $rank -eq 1 ] && message='Recv 2'
        sed 's/^MPI_//; s/Init_thread/Init/' count.$rank | sort >sorted
        printf '%s\n' 'Allreduce 5' 'Barrier 3' 'Finalize 1' 'Init 1' 'Reduce 4' >expected
        [ -n "${COUNT_PASS-}" ] || printf '%s\n' 'Irecv 1' 'Isend 1' "$message" 'Waitall 1' >>expected
        sort -o expected expected
        cmp -s expected sorted || fail "$1: rank $rank: $(diff expected sorted)"
    done
}

# around PROGRAM TOOL: on both sides of the layer the tool sees what it sees alone
around() {
    run "$1" "$2"
    for rank in 0 1; do mv out.$rank alone.$rank; done
    for order in "$count:$2" "$2:$count"; do
        same "$1" alone "$order"
        counts "$1 with '$order'"
    done
}

run "$known" "$count"
counts "$known alone"
around "$known" "$tool"
grep -q '^Allreduce 5$' alone.0 && grep -q '^Ibarrier 0$' alone.0 || fail "the tool alone: $(cat alone.0)"
export COUNT_PASS=1
for order in "$count:$tool" "$tool:$count"; do
    same "$known" alone "$order"
    counts "$known with '$order', lone calls pass"
done
unset COUNT_PASS
# The program that has the layer itself and waits politely, with and without a second layer. (Where a tool is before
# the second one, that sees only how the first one waits: tools call PMPI_X, which comes to the program first.)
same "$polite" alone "$tool"
same "$polite" alone "$count:$tool"
counts "$polite"
same "$polite" alone "$tool:$count"

command -v mpifort.$mpi >/dev/null && command -v gfortran >/dev/null || exit $((failures > 0))
${CC:-cc} -O1 -c "$source/tests/real/interpose/lends.c" -o lends.o || exit 1
for way in HEADER MODULE MODULE_08; do
    mpifort.$mpi -O1 -D$way "$source/tests/real/interpose/known.F90" -o known-$way || exit 1
    run ./known-$way "$count"
    counts "known.F90 $way"
    around ./known-$way "$tool"
    around ./known-$way "$tool_fortran"

    mpifort.$mpi -O1 -D$way "$source/real/runtime/lbrun.f90" "$source/tests/real/interpose/lends.F90" lends.o \
        -o lends-$way "$archive" -lcjson -lm -ldl -pthread || exit 1
    timeout 60 "$lbrun" --quiet --nodes 1 --cores 2 --appranks-per-node 2 --system dlb -- ./lends-$way >lends.txt 2>&1
    grep -q '^ *at most 2$' lends.txt || fail "lends.F90 $way: $(cat lends.txt)"
done
[ "$failures" -eq 0 ]
