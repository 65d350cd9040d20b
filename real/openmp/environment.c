/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Who reads OMP_NUM_THREADS may have sized something by it, as one who asks OpenMP. OpenMP
 * libraries read it, too, and others that use no threads of OpenMP's: it counts where the same
 * object opens regions, whichever comes first. (gcc's loops call omp_get_thread_num() themselves,
 * and where the program does in one as well it is one call.)
 */
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "real/openmp/openmp_impl.h"

enum { ROOM = 16 };

/* Only ever more. Each side writes before it looks at the other, so that one sees both. */
static struct {
        _Atomic uintptr_t from;
        int32_t threads;
} reading[ROOM]; /* from: the caller; 0: none yet */
static struct {
        _Atomic uintptr_t begin;
        uintptr_t end;
} opener[ROOM]; /* an object with regions */
static atomic_int nreading, nopener;

/* ROOM: there is none left. */
static int take_place(atomic_int *count)
{
        return atomic_load(count) < ROOM ? atomic_fetch_add(count, 1) : ROOM;
}

static bool opens_regions(uintptr_t address)
{
        for (int i = 0; i < ROOM; i++) {
                uintptr_t begin = atomic_load(&opener[i].begin);
                if (begin != 0 && address >= begin && address < opener[i].end)
                        return true;
        }
        return false;
}

static void note_reading(const void *caller, const char *value)
{
        int32_t threads = (int32_t)strtol(value, NULL, 10);
        if (threads < 1)
                return;
        int at = take_place(&nreading);
        if (at < ROOM) {
                reading[at].threads = threads;
                atomic_store(&reading[at].from, (uintptr_t)caller);
        }
        if (opens_regions((uintptr_t)caller))
                openmp_asks_hold(threads);
}

void openmp_environment_opens(uintptr_t begin, uintptr_t end)
{
        if (end == 0 || opens_regions(begin)) /* of another thread as well */
                return;
        int at = take_place(&nopener);
        if (at < ROOM) {
                opener[at].end = end;
                atomic_store(&opener[at].begin, begin);
        }
        for (int i = 0; i < ROOM; i++) {
                uintptr_t from = atomic_load(&reading[i].from);
                if (from >= begin && from < end)
                        openmp_asks_hold(reading[i].threads);
        }
}

char *getenv(const char *name)
{
        OPENMP_NEXT(getenv)
        char *value = hand_on(name);
        if (value && strcmp(name, "OMP_NUM_THREADS") == 0 && openmp_guest.wanted())
                note_reading(__builtin_return_address(0), value);
        return value;
}
