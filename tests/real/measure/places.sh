#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# lbrun measure names the places that call MPI, wherever a program is loaded, and what that takes is not the program's.
# Usage: places.sh MPI LBRUN
set -u
mpi=$1 lbrun=$2
. "$(dirname "$0")/../job.sh"
. "$(dirname "$0")/measured.sh"
set_launch

# Where it was linked for, as many compilers do unless told otherwise, or anywhere.
cat >place.c <<'END'
#include <mpi.h>
void meet(void)
{
    MPI_Barrier(MPI_COMM_WORLD);
    __asm__ volatile("");
}
int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    for (int i = 0; i < 20; i++)
        meet();
    MPI_Finalize();
    return 0;
}
END
for way in "-fno-pie -no-pie" "-fPIE -pie"; do
    mpicc.$mpi -O1 -fno-inline $way place.c -o place || exit 1
    measure 0 $launch -n 2 ./place
    holds '[s["place"] for s in m["sites"] if s["call"] == "MPI_Barrier"] == ["meet"]'
done

# Debug information is asked of no server, which may not answer. (libdw does so where it was built to.)
cat >server.py <<'END'
import socket
server = socket.create_server(("127.0.0.1", 0))
open("port.new", "w").write(str(server.getsockname()[1]))
__import__("os").rename("port.new", "port")
kept = []
while True:
    kept.append(server.accept())
    open("asked", "w").close()
END
rm -f port asked
python3 server.py &
server=$!
until [ -e port ]; do sleep 0.1; done
DEBUGINFOD_URLS=http://127.0.0.1:$(cat port)/ DEBUGINFOD_TIMEOUT=5 DEBUGINFOD_CACHE_PATH=$PWD/cache measure 0 $launch -n 2 ./place
kill $server
[ ! -e asked ] || fail "a server of debug information was asked"

# In a library with 200000 functions, with 300 places that call MPI: who calls is known without a search for symbols.
cat >library.c <<'END'
#include <mpi.h>
__asm__(".text\n.altmacro\n.macro function number\n.globl many_\\number\n.type many_\\number, %function\nmany_\\number:\n"
        ".skip 4\n.size many_\\number, 4\n.endm\n.set number, 0\n.rept 200000\nfunction %number\n.set number, number + 1\n.endr\n.noaltmacro\n");
#define ONE MPI_Barrier(MPI_COMM_SELF);
#define TEN ONE ONE ONE ONE ONE ONE ONE ONE ONE ONE
void call(void)
{
    TEN TEN TEN TEN TEN TEN TEN TEN TEN TEN TEN TEN TEN TEN TEN
    TEN TEN TEN TEN TEN TEN TEN TEN TEN TEN TEN TEN TEN TEN TEN
}
END
cat >calls.c <<'END'
#define _GNU_SOURCE
#include <dlfcn.h>
#include <mpi.h>
#include <stdio.h>
void call(void);
static int searches;
int dladdr(const void *address, Dl_info *info)
{
    int (*real)(const void *, Dl_info *) = (int (*)(const void *, Dl_info *))dlsym(RTLD_NEXT, "dladdr");
    searches++;
    return real(address, info);
}
int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    searches = 0;
    call();
    printf("%d searches\n", searches);
    MPI_Finalize();
    return 0;
}
END
mpicc.$mpi -O1 -fPIC -shared library.c -o libmany.so && mpicc.$mpi -O1 -rdynamic calls.c -o calls -L. -lmany -Wl,-rpath,"$PWD" || exit 1
measure 0 $launch -n 1 ./calls
holds 'm["sites"][0]["place"] in ("call", "main")'
[ "$(sed -n 's/ searches$//p' out.txt)" -eq 0 ] || fail "300 places in a big library: $(cat out.txt)"
[ "$failures" -eq 0 ]
