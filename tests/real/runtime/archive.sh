#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# real/runtime/archive.sh makes one object with the declared names and MPI's alone, whichever compiler there is and
# however it was told to compile: for link-time optimisation, with all debugging information (whose sections are
# in groups), or for a sanitizer. Usage: archive.sh SOURCE_DIR
set -eu
source=$1
. "$source/tests/clang.sh"
cat >inner.c <<'END_C'
#define MARK 42
int now_ns(void);
int fail_count;
int now_ns(void) { return MARK + fail_count; }
END_C
cat >outer.c <<'END_C'
int now_ns(void);
int lbrun_toy(void);
int MPI_Toy(void);
void mpi_toy_(void);
int lbrun_inner(void);
int lbrun_inner(void) { return now_ns(); }
int lbrun_toy(void) { return lbrun_inner(); }
int MPI_Toy(void) { return lbrun_inner(); }
void mpi_toy_(void) { }
END_C
echo 'int lbrun_toy(void);' >toy.h
cat >user.c <<'END_C'
int now_ns(void);
int fail_count = 7;
int lbrun_inner(void);
int now_ns(void) { return 1; }
int lbrun_inner(void) { return now_ns(); }
int lbrun_toy(void);
int main(void) { return lbrun_toy() == 42 && lbrun_inner() == 1 ? 0 : 1; }
END_C

# try COMPILER LINK_FLAG [compiler's flags]
try() {
    cc=$1 link=$2
    shift 2
    echo "$cc $*"
    "$cc" -O2 -fPIC "$@" -c inner.c outer.c
    rm -f libinner.a
    ar rcs libinner.a inner.o
    flags=$(echo " $* " | sed 's/ -fsanitize[^ ]*//')
    sh "$source/real/runtime/archive.sh" libtoy.a toy.h nm objcopy ar "$cc" -O2 -r -nostdlib \
        -Wl,--force-group-allocation $link $flags outer.o libinner.a
    nm -P -g --defined-only libtoy.a | awk 'NF >= 2 && $1 !~ /:$/ { print $1 }' | sort | tr '\n' ' ' >names.txt
    [ "$(cat names.txt)" = "MPI_Toy lbrun_toy mpi_toy_ " ] || {
        echo "FAILED: it defines $(cat names.txt)"
        exit 1
    }
    "$cc" "$@" user.c -o user libtoy.a
    ./user || {
        echo "FAILED: the library calls its user's functions"
        exit 1
    }
}

export LC_ALL=C ASAN_OPTIONS=detect_leaks=0
find_clang
for cc in gcc $clang; do
    command -v "$cc" >/dev/null || continue
    link=
    [ $cc != gcc ] || link=-flinker-output=nolto-rel
    try $cc "$link"
    try $cc "$link" -g3
    try $cc "$link" -fsanitize=address,undefined
    # link-time optimisation needs the linker's plugin, which clang has in a package of its own
    ! "$cc" -flto user.c -r -nostdlib -o lto.o 2>lto.txt || {
        try $cc "$link" -flto
        try $cc "$link" -flto -g3
    }
done
