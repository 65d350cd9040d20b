#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# A program that looks MPI's functions up itself, and OpenMP's, is balanced and measured as any other; who asks what comes behind it
# gets what comes behind it. Usage: looked_up.sh MPI LBRUN SOURCE
mpi=$1 lbrun=$2 source=$3
. "$(dirname "$0")/../job.sh"
set_launch
make_work
mpicc.$mpi -O1 -fopenmp "$source" -Wl,--as-needed -o "$work/program" -ldl || exit 1
printf '#include <mpi.h>\nint main(void) { return MPI_Init(0, 0) || MPI_Barrier(MPI_COMM_WORLD) || MPI_Finalize(); }\n' >"$work/linked.c"
mpicc.$mpi "$work/linked.c" -o "$work/linked" || exit 1
library=$(ldd "$work/linked" | sed -n 's/.*=> \(.*libmpi[^ ]*\) .*/\1/p' | head -n 1)
! ldd "$work/program" | grep -q libmpi || fail "the program is linked with MPI"

# run LAYER COMMAND...: same result; whose MPI_Barrier is found, and is next
run() {
    layer=$1
    shift
    timeout 60 "$@" $launch -n 2 "$work/program" "$library" 200 >"$work/out" 2>"$work/err" || fail "$*: exit code $?, $(cat "$work/err")"
    [ "$(head -n 1 "$work/out")" = "40000 0" ] || fail "$*: result $(cat "$work/out")"
    grep -q "^found $layer, next $layer, PMPI libmpi[^ ]*$" "$work/err" || fail "$*: $(cat "$work/err")"
}

timeout 60 $launch -n 2 "$work/program" "$library" 200 >"$work/out" 2>"$work/err" || fail "plain: $(cat "$work/err")"
grep -qE '^found (libmpi[^ ]*), next (nobody|\1), PMPI \1$' "$work/err" || fail "plain: $(cat "$work/err")"
run liblbrun-balance-$mpi.so "$lbrun" --system dlb --
grep -q '^lbrun: dlb: 2 ranks' "$work/err" || fail "not balanced: $(cat "$work/err")"
run liblbrun-measure-$mpi.so "$lbrun" measure --out "$work/measured" --
grep -q '^2 ranks on 1 node, .* 4[0-9][0-9] MPI calls' "$work/err" "$work/out" || fail "not measured: $(cat "$work/out" "$work/err")"

# Python without mpi4py: its lines are the call sites.
printf '%s\n' 'import ctypes, sys' 'mpi = ctypes.CDLL(sys.argv[1])' 'mpi.MPI_Init(None, None)' 'mpi.MPI_Finalize()' >"$work/own.py"
rm -rf "$work/measured"
timeout 60 "$lbrun" measure --out "$work/measured" -- $launch -n 2 python3 "$work/own.py" "$library" >"$work/out" 2>"$work/err" ||
    fail "ctypes: exit code $?"
grep -q 'MPI_Finalize own.py:4$' "$work/err" "$work/out" || fail "ctypes: $(cat "$work/out" "$work/err")"

# A tool behind the layer that looks up in MPI's library what it calls gets nothing that calls the tool.
printf '%s\n' '#include <dlfcn.h>' '#include <mpi.h>' '#include <stdio.h>' '#include <stdlib.h>' \
    'int MPI_Barrier(MPI_Comm comm) {' '    void *library = dlopen(getenv("LIBRARY"), RTLD_NOW);' '    fputs("tool\n", stderr);' \
    '    return ((int (*)(MPI_Comm))dlsym(library, "MPI_Barrier"))(comm);' '}' >"$work/tool.c"
mpicc.$mpi -shared -fPIC "$work/tool.c" -o "$work/tool.so" -ldl || exit 1
for layer in "--system dlb" "measure --out $work/measured"; do
    rm -rf "$work/measured"
    LIBRARY=$library timeout 60 "$lbrun" $layer -- $launch -n 2 env LD_PRELOAD="$work/tool.so" "$work/linked" >"$work/out" 2>"$work/err" ||
        fail "$layer, a tool: exit code $?"
    [ "$(grep -o tool "$work/err" | wc -l)" = 2 ] || fail "$layer, a tool: $(cat "$work/out" "$work/err")"
done
exit $failures
