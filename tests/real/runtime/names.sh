#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# The installed library takes no names from its user but those that lbrun.h declares and those of MPI that are
# intercepted, and needs none but those of the C library, its parts for mathematics and threads, MPI, and libgcc_s, which
# each compiler links where an exception may pass.
# Usage: names.sh ARCHIVE HEADER MPICC PROGRAM ROOM..., PROGRAM is linked with that MPI, ROOMs are libraries that
# intercept its functions
set -eu
export LC_ALL=C # one order for sort and comm
archive=$1 header=$2 mpicc=$3 program=$4
shift 4

# All names (of functions, objects; T, W, V, B and so on) that nm finds with the options given.
names() {
    nm -P "$@" | awk 'NF >= 2 && $1 !~ /:$/ { print $1 }' | sort -u
}

# What the compiler takes for declared in the header: "/* lbrun.h:100:NC */ extern void lbrun_stop (void);"
echo "#include \"$header\"" >names.c
$mpicc -aux-info names.aux -fsyntax-only names.c
{
    sed -n '\|lbrun\.h:|s/.*[ *]\(lbrun_[a-z_]*\) (.*/\1/p' names.aux
    names -g --defined-only "$@" | grep -E '^(MPI|mpi|PMPI)_'
} | sort -u >meant.txt
[ "$(grep -c '^lbrun_' meant.txt)" -ge 14 ] && [ "$(grep -c '^MPI_' meant.txt)" -ge 39 ] || {
    echo "too few names are meant:"
    cat meant.txt
    exit 1
}
names -g --defined-only "$archive" >defined.txt
diff meant.txt defined.txt || {
    echo "'$archive' defines other global names (>) than those meant (<)"
    exit 1
}

ldd "$program" | awk '$2 == "=>" { print $3 } $1 ~ /ld-linux/ { print $1 }' |
    grep -E '/(libc|libm|libpthread|libdl|librt|libmpi|libmpich|ld-linux[^/]*)\.so[.0-9]*$' >libraries.txt
{
    while read -r library; do
        names -D --defined-only "$library"
    done <libraries.txt
    names -g --defined-only "$($mpicc -print-file-name=libc_nonshared.a)" # the C library's part that is linked in
    names -D --defined-only "$($mpicc -print-file-name=libgcc_s.so.1)" | grep -xE '(_Unwind_Resume|__gcc_personality_v0)(@.*)?'
} | sed 's/@.*//' | sort -u >offered.txt
rm names.c names.aux
grep -q '^PMPI_Send$' offered.txt && grep -q '^malloc$' offered.txt && grep -q '^exp$' offered.txt
names -u "$archive" | grep -vx _GLOBAL_OFFSET_TABLE_ >undefined.txt
grep -qx malloc undefined.txt
if comm -23 undefined.txt offered.txt | grep .; then
    echo "'$archive' needs these, which are in none of:" && cat libraries.txt
    exit 1
fi
