/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Who asks the system how many processors there are may have sized something by it, as one who
 * asks OpenMP. MPI libraries ask, too, and others without threads: it counts where the object that
 * asks needs an OpenMP library, outside of regions, as the process's first thread. There the CPUs
 * that it may run on are those that it was launched with, wherever it has been moved meanwhile.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <link.h>
#include <sched.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/sysinfo.h>
#include <unistd.h>

#include "real/openmp/openmp_impl.h"

/* The tables' addresses are those in memory already, but on some machines. */
static const char *names_of(const struct link_map *map)
{
        for (const ElfW(Dyn) *entry = map->l_ld; entry->d_tag != DT_NULL; entry++)
                if (entry->d_tag == DT_STRTAB) {
                        uintptr_t at = entry->d_un.d_ptr;
                        return (const char *)(at < map->l_addr ? at + map->l_addr : at);
                }
        return NULL;
}

static bool needs_openmp(const void *address)
{
        Dl_info info;
        struct link_map *map = NULL;
        if (!dladdr1(address, &info, (void **)&map, RTLD_DL_LINKMAP) || !map || !map->l_ld)
                return false;
        const char *names = names_of(map);
        for (const ElfW(Dyn) *entry = map->l_ld; names && entry->d_tag != DT_NULL; entry++)
                if (entry->d_tag == DT_NEEDED && openmp_is_name(names + entry->d_un.d_val))
                        return true;
        return false;
}

static bool counts(const void *caller)
{
        return openmp_guest.wanted() && gettid() == getpid() && needs_openmp(caller);
}

static long note(const void *caller, long number)
{
        if (number > 0 && number < INT32_MAX && counts(caller))
                openmp_asks_processors((int32_t)number);
        return number;
}

/* Of whatever size. */
static void copy(void *to, size_t to_size, const void *from, size_t from_size)
{
        size_t both = to_size < from_size ? to_size : from_size;
        memset(to, 0, to_size);
        memcpy(to, from, both);
}

int sched_getaffinity(pid_t process, size_t size, cpu_set_t *set)
{
        OPENMP_NEXT(sched_getaffinity)
        cpu_set_t now, launched;
        int code = hand_on(process, size, set);
        const void *caller = __builtin_return_address(0);
        if (code != 0 || (process != 0 && process != getpid()) || !counts(caller) ||
            openmp_asks_within())
                return code;
        copy(&now, sizeof(now), set, size);
        if (openmp_guest.launched && openmp_guest.launched(&now, &launched))
                copy(set, size, &launched, sizeof(launched));
        openmp_asks_processors(CPU_COUNT_S(size, set));
        return code;
}

int get_nprocs(void)
{
        OPENMP_NEXT(get_nprocs)
        return (int)note(__builtin_return_address(0), hand_on());
}

int get_nprocs_conf(void)
{
        OPENMP_NEXT(get_nprocs_conf)
        return (int)note(__builtin_return_address(0), hand_on());
}

long sysconf(int name)
{
        OPENMP_NEXT(sysconf)
        long value = hand_on(name);
        if (name != _SC_NPROCESSORS_ONLN && name != _SC_NPROCESSORS_CONF)
                return value;
        return note(__builtin_return_address(0), value);
}
