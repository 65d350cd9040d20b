#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# What is installed is enough to build and run programs in C, C++ and Fortran, as the README says. Usage:
# installed.sh BUILD_DIR LBRUN SOURCE_DIR MPI
set -eu
build=$1 lbrun=$2 source=$3 mpi=$4
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
rm -rf prefix && mkdir prefix
cmake --install "$build" --prefix "$PWD/prefix" >install.log
PKG_CONFIG_PATH=$(find "$PWD/prefix" -name pkgconfig)
export PKG_CONFIG_PATH
cflags=$(pkg-config --cflags lbrun-$mpi) libs=$(pkg-config --libs lbrun-$mpi)

run() {
    "$lbrun" --nodes 2 --cores 2 --degree 2 --system global -- "./$1" >"$1.out"
    grep -q '^  tasks ' "$1.out"
}

mpicc.$mpi -O2 $cflags "$source/real/apps/port/after.c" -o port $libs
run port
# by pkg-config alone, as a program's own build would
cc -O2 $cflags "$source/real/apps/port/after.c" -o port-cc $libs
run port-cc

cat >cpp.cc <<'END'
#include <lbrun.h>
static void twice(void *argument) { **static_cast<double **>(argument) *= 2; }
int main(int argc, char **argv)
{
    lbrun_start(&argc, &argv);
    double *x = static_cast<double *>(lbrun_alloc(sizeof(double)));
    *x = 21;
    lbrun_access access = { LBRUN_INOUT, x, sizeof(double) };
    lbrun_task(twice, &x, sizeof(x), 1, &access, nullptr);
    lbrun_taskwait();
    bool right = *x == 42;
    lbrun_iteration();
    lbrun_stop();
    return right ? 0 : 1;
}
END
if command -v mpicxx.$mpi >/dev/null && command -v g++ >/dev/null; then
    mpicxx.$mpi $cflags cpp.cc -o cpp $libs
    run cpp
fi

if command -v mpifort.$mpi >/dev/null && command -v gfortran >/dev/null; then
    mpifort.$mpi -O1 "$PWD/prefix/include/lbrun.f90" "$source/tests/real/runtime/fortran.f90" -o fortran $libs
    run fortran
fi
