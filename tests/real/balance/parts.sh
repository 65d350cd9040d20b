#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Loads on virtual CPUs: regions that end before a quota is used up take what they would on a CPU as slow
# as that, by the thread that computes longest. Skipped (77) where control groups cannot be had.
#
# parts.sh MPI LBRUN SOURCE    SOURCE: parts.c
mpi=$1 lbrun=$2 source=$3
. "$(dirname "$0")/../job.sh"
export OMPI_MCA_rmaps_base_oversubscribe=1
export OMPI_MCA_btl_vader_single_copy_mechanism=none
unset OMP_NUM_THREADS OMP_WAIT_POLICY
make_work

mpicc."$mpi" -O1 -fopenmp -D_POSIX_C_SOURCE=200809L "$source" -o "$work/parts" || die "compiling"

# Half of it in regions, half outside; what a virtual CPU takes for a region of 0.25 ms beside that is a tenth of it.
takes=no
for run in 1 2 3; do
    timeout 120 "$lbrun" --system dpb --param processors=fixed --virtual-cpus --cores 4 --report "$work/report" -- \
        "mpirun.$mpi" -n 2 "$work/parts" 0.25 400 >"$work/out" 2>&1
    code=$?
    grep -q "control groups with a quota cannot be" "$work/out" && { cat "$work/out"; exit 77; }
    [ $code = 0 ] || die "exit code $code"
    speed=$(sed -n "s/.*virtual CPUs that compute at \([0-9.]*\).*/\1/p" "$work/out")
    grep '"load_s"' "$work/report" >"$work/loads"
    awk -v speed="$speed" -F '[:,]' 'NR == 2 { ratio = $2 * speed / 0.5e-3; print "load over what it is:", ratio }
        END { exit !(ratio > 0.95 && ratio < 1.3) }' "$work/loads" && takes=yes
    [ $takes = no ] || break
done
[ $takes = yes ] || die "rank 1's load: $(cat "$work/loads")"
echo "passed"
