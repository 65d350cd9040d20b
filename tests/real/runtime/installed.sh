#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# What is installed is enough to build and run programs in C, C++ and Fortran, as the README says, and takes no
# names from them. Usage:
# installed.sh BUILD_DIR LBRUN SOURCE_DIR MPI
set -eu
build=$1 lbrun=$2 source=$3 mpi=$4
. "$(dirname "$0")/../job.sh"
rm -rf prefix && mkdir prefix
cmake --install "$build" --prefix "$PWD/prefix" >install.log
for file in man/man1/lbsim.1 man/man1/lbsim-graph.1 man/man1/lbrun.1 man/man1/lbrun-doctor.1 \
            bash-completion/completions/lbsim bash-completion/completions/lbrun \
            zsh/site-functions/_lbsim zsh/site-functions/_lbrun fish/vendor_completions.d/lbsim.fish \
            fish/vendor_completions.d/lbrun.fish doc/lbsim/LICENSE lbsim/built.txt; do
    [ -s "prefix/share/$file" ] || { echo "FAILED: share/$file is not installed"; exit 1; }
done
PKG_CONFIG_PATH=$(find "$PWD/prefix" -name pkgconfig)
export PKG_CONFIG_PATH
cflags=$(pkg-config --cflags lbrun-$mpi) libs=$(pkg-config --libs lbrun-$mpi)

# run PROGRAM [options of lbrun]
run() {
    program=$1
    shift
    "$lbrun" --nodes 2 --cores 2 --degree 2 --system global "$@" -- "./$program" >"$program.out"
    grep -q '^  tasks ' "$program.out"
}

mpicc.$mpi -O2 $cflags "$source/real/apps/port/after.c" -o port $libs
run port
echo '#include <lbrun.h>' >c99.c
mpicc.$mpi -std=c99 -pedantic -Wall -Wextra -Werror $cflags -c c99.c
# no path of where it was built, in no file
! grep -rlF "$source" prefix >paths.txt || { echo "FAILED: files that name the source tree: $(cat paths.txt)"; exit 1; }
prefix/bin/lbsim --version | grep -q '^commit ' || { echo "FAILED: --version knows no commit"; exit 1; }

# the shared library; a CMake project, with both
lib=$(dirname "$(find "$PWD/prefix" -name "liblbrun-$mpi.a")")
mpicc.$mpi -O2 $cflags "$source/real/apps/port/after.c" -o port-shared -L"$lib" -llbrun-$mpi -Wl,-rpath,"$lib"
readelf -d port-shared | grep -q "liblbrun-$mpi.so.[0-9]"
run port-shared
rm -rf project && mkdir project && cp "$source/real/apps/port/after.c" project
cat >project/CMakeLists.txt <<END
cmake_minimum_required(VERSION 3.20)
project(user C)
find_package(lbrun $(pkg-config --modversion lbrun-$mpi) REQUIRED)
add_executable(port-cmake after.c)
target_link_libraries(port-cmake PRIVATE lbrun::$mpi)
add_executable(port-cmake-shared after.c)
target_link_libraries(port-cmake-shared PRIVATE lbrun::${mpi}_shared)
END
cmake -S project -B project/build -DCMAKE_C_COMPILER="$(command -v mpicc.$mpi)" -DCMAKE_PREFIX_PATH="$PWD/prefix" >project.log
cmake --build project/build >>project.log
run project/build/port-cmake
run project/build/port-cmake-shared

# a policy of one's own that calls what we bring
{
    sed 's/latest/averaging/g' "$source/policies/examples/latest.c"
    echo '#include "policies/average.h"'
    echo 'size_t averaging_size(void); size_t averaging_size(void) { return average_size(4, AVERAGE_WINDOW, 1, 0.1); }'
} >averaging.c
cc -shared -fPIC $(pkg-config --cflags lbsim-policy) averaging.c -o averaging.so \
    $(pkg-config --libs lbsim-policy)
prefix/bin/lbsim --policy ./averaging.so params >params.txt
grep -q averaging params.txt || { echo "FAILED: lbsim does not know the plugin"; exit 1; }
# by pkg-config alone, as a program's own build would
cc -O2 $cflags "$source/real/apps/port/after.c" -o port-cc $libs
run port-cc

cp "$source/tests/real/runtime/names.c" own_names.c
mpicc.$mpi -O1 $cflags own_names.c -o own_names $libs
# the program's locale has a decimal comma, what is written for programs has points
printf 'LC_NUMERIC\ndecimal_point ","\nthousands_sep ""\ngrouping -1\nEND LC_NUMERIC\n' >comma.source
localedef -c --no-archive -i comma.source -f ANSI_X3.4-1968 ./comma >comma.txt 2>&1 || [ -s comma/LC_NUMERIC ]
(
    export LOCPATH="$PWD" LC_NUMERIC=comma
    run own_names --report own_names.json --loads own_names.csv --trace own_names.prv --decisions own_names.log
)
grep -Eq '^  "total_s": [0-9]+[.][0-9]+,$' own_names.json
if grep '[0-9],[0-9]' own_names.json; then exit 1; fi
grep -Eq '^2,1,[0-9]([.][0-9]+)?(e-[0-9]+)?,20$' own_names.csv
"$build/lbsim" replay own_names.log >own_names.replay
[ -s own_names.prv ]
mpicc.$mpi -shared -fPIC $cflags "$source/real/apps/port/after.c" -o port.so $libs # in a library of the user's, too
sh "$source/tests/real/runtime/names.sh" "$(find "$PWD/prefix" -name "liblbrun-$mpi.a")" "$PWD/prefix/include/lbrun.h" \
    mpicc.$mpi ./port "$build/real/mpi/liblb_real_mpi_$mpi.a" "$build/real/runtime/liblb_real_runtime_$mpi.a"

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
    # a function is elsewhere in each process
    printf '#include <lbrun.hpp>\nstatic void f() {}\nvoid g() { lbrun::task([] { f(); }); }\n' >called.cc
    sed 's/\[\] { f(); }/f/' called.cc >captured.cc
    mpicxx.$mpi -std=c++17 $cflags -c called.cc
    ! mpicxx.$mpi -std=c++17 $cflags -c captured.cc 2>captured.txt
    grep -q 'a function is at another address in each process' captured.txt
fi

if command -v mpifort.$mpi >/dev/null && command -v gfortran >/dev/null; then
    mpifort.$mpi -O1 -fcheck=bounds "$PWD/prefix/include/lbrun.f90" "$source/tests/real/runtime/fortran.f90" -o fortran $libs
    run fortran
    rm -rf project-fortran && mkdir project-fortran && cp "$source/tests/real/runtime/fortran.f90" prefix/include/lbrun.f90 project-fortran
    cat >project-fortran/CMakeLists.txt <<END
cmake_minimum_required(VERSION 3.20)
project(user Fortran)
find_package(lbrun REQUIRED)
add_executable(fortran-cmake lbrun.f90 fortran.f90)
target_link_libraries(fortran-cmake PRIVATE lbrun::$mpi)
END
    cmake -S project-fortran -B project-fortran/build -DCMAKE_Fortran_COMPILER="$(command -v mpifort.$mpi)" \
        -DCMAKE_PREFIX_PATH="$PWD/prefix" >project-fortran.log
    cmake --build project-fortran/build >>project-fortran.log
    run project-fortran/build/fortran-cmake
    # a program with variables of the names of all procedures that are the module's own
    {
        printf 'program own_variables\n    use lbrun\n    implicit none\n'
        sed -n 's/^ *\([a-z].* \)\{0,1\}\(subroutine\|function\) \([a-z0-9_]*\)(.*/    integer :: \3 = 1/p' \
            prefix/include/lbrun.f90 | grep -v ' lbrun_' | sort -u
        printf 'end program\n'
    } >own_variables.f90
    [ "$(grep -c integer own_variables.f90)" -ge 50 ]
    mpifort.$mpi "$PWD/prefix/include/lbrun.f90" own_variables.f90 -c
fi
