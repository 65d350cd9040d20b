#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Programs of the distribution, as they are installed, do under lbrun measure what they do without it, and are measured:
# ScaLAPACK's LU test (Fortran and C, each MPI; without its iterative refinement, which reads variables that were never set
# and may hang) and Meep (C++, Open MPI).
# Those that are not installed are left out. Usage: programs.sh MPI LBRUN
set -u
mpi=$1 lbrun=$2
. "$(dirname "$0")/../job.sh"
export OMPI_MCA_mpi_yield_when_idle=1 OMP_NUM_THREADS=1
ran=0
set_launch

# measured RANKS PROGRAM...: it ends well; what it prints, in out.txt
measured() {
    ranks=$1
    shift
    ran=$((ran + 1))
    rm -rf m
    timeout 200 "$lbrun" measure --out m -- $launch -n "$ranks" "$@" >out.txt 2>err.txt </dev/null ||
        fail "$*: exit code $?: $(tail -n 5 out.txt err.txt)"
    python3 - "$ranks" <<'END' || fail "$*: $(cat m/measured.json)"
import json, sys
m = json.load(open("m/measured.json"))
sys.exit(not (m["ranks"] == int(sys.argv[1]) and m["complete"] and sum(m["cpu_s"]) > 0 and m["mpi_calls"] > 100
              and 1 <= m["imbalance"]["run"] <= m["ranks"] and m["sites"][0]["module"]))
END
}

scalapack=$(ls /usr/lib/*/scalapack/$mpi-tests/xdlu 2>/dev/null | head -n 1)
if [ -n "$scalapack" ]; then
    cat >LU.dat <<'END'
'ScaLAPACK, LU factorization input file'
'MPI machine'
'LU.out'  output file name (if any)
6         device out
2         number of problem sizes
13 10     values of M
13 12     values of N
2         number of NBs
2 3       values of NB
2         number of NRHSs
1 3       values of NRHS
2         number of NBRHSs
1 3       values of NBRHS
1         number of process grids
2         values of P
2         values of Q
1.0       threshold
F         (T or F) test condition estimation and iterative refinement
END
    timeout 200 $launch -n 4 "$scalapack" >bare.txt 2>/dev/null </dev/null || fail "xdlu alone: exit code $?"
    measured 4 "$scalapack"
    passed=$(grep -c ' PASSED$' bare.txt)
    [ "$passed" -ge 8 ] && [ "$(grep -c ' PASSED$' out.txt)" -eq "$passed" ] || fail "xdlu: not $passed that pass: $(cat out.txt)"
else
    echo "left out: xdlu (scalapack-mpi-test)"
fi

if [ "$mpi" = openmpi ] && command -v meep >/dev/null; then
    cat >wave.ctl <<'END'
(set! geometry-lattice (make lattice (size 8 4 no-size)))
(set! geometry (list (make block (center 0 0) (size infinity 1 infinity) (material (make dielectric (epsilon 12))))))
(set! sources (list (make source (src (make continuous-src (frequency 0.15))) (component Ez) (center -3 0))))
(set! pml-layers (list (make pml (thickness 1.0))))
(set! resolution 10)
(run-until 20 (at-every 5 (lambda () (print "field: " (get-field-point Ez (vector3 2 0)) "\n"))))
END
    timeout 200 $launch -n 3 meep wave.ctl >bare.txt 2>/dev/null </dev/null || fail "meep alone: exit code $?"
    measured 3 meep wave.ctl
    grep '^field:' bare.txt >expected.txt
    grep '^field:' out.txt | cmp -s - expected.txt && [ -s expected.txt ] || fail "meep: other fields: $(cat expected.txt out.txt)"
elif [ "$mpi" = openmpi ]; then
    echo "left out: meep (meep-openmpi)"
fi
[ "$failures" -eq 0 ] || exit 1
[ "$ran" -gt 0 ] || exit 77
