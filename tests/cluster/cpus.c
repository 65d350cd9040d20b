/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The CPUs of an emulated node, for programs that preload this: $CLUSTER/HOST.cpus, "FIRST COUNT
 * ALL", are the numbers that a process may use, COUNT from FIRST on, and how many the node has.
 * What is pinned to one of them runs on the machine's CPU of that number modulo the machine's. A
 * thread sees the affinity that it has set; a new one begins with the node's.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int get_nprocs(void);
int get_nprocs_conf(void);

static int first, count, all;
static __thread cpu_set_t own; /* as this thread has set it; empty: the node's */

/* By name, as MPICH's launcher hands on the environment of one node to all. */
__attribute__((constructor)) static void read_cpus(void)
{
        char host[256] = "", path[4096];
        const char *directory = getenv("CLUSTER");
        gethostname(host, sizeof(host) - 1);
        snprintf(path, sizeof(path), "%s/%s.cpus", directory ? directory : "", host);
        FILE *in = fopen(path, "re");
        if (!in || fscanf(in, "%d %d %d", &first, &count, &all) != 3)
                count = 0;
        if (in)
                fclose(in);
}

static void *next(const char *name)
{
        return dlsym(RTLD_NEXT, name);
}

static void allowed(cpu_set_t *set)
{
        CPU_ZERO(set);
        for (int c = first; c < first + count; c++)
                CPU_SET((size_t)c, set);
}

static int real_count(void)
{
        long (*real)(int) = (long (*)(int))next("sysconf");
        long processors = real(_SC_NPROCESSORS_ONLN);
        return processors < 1 ? 1 : (int)processors;
}

int sched_getaffinity(pid_t pid, size_t size, cpu_set_t *set)
{
        int (*real)(pid_t, size_t, cpu_set_t *) =
            (int (*)(pid_t, size_t, cpu_set_t *))next("sched_getaffinity");
        if (count == 0)
                return real(pid, size, set);
        cpu_set_t seen = own;
        if (CPU_COUNT(&own) == 0 || (pid != 0 && pid != getpid() && pid != gettid()))
                allowed(&seen);
        memset(set, 0, size);
        memcpy(set, &seen, size < sizeof(seen) ? size : sizeof(seen));
        return 0;
}

/* All of the machine's: who looks into /sys (hwloc) does not know better, and unpins by that. */
static bool is_all(const cpu_set_t *set)
{
        int c = 0;
        while (c < real_count() && CPU_ISSET((size_t)c, set))
                c++;
        return c == real_count() && CPU_COUNT(set) == c;
}

/* What of a set is the node's, and where that is on this machine; false: nothing. */
static bool translate(const cpu_set_t *set, size_t size, cpu_set_t *kept, cpu_set_t *here)
{
        cpu_set_t asked, may;
        CPU_ZERO(&asked);
        memcpy(&asked, set, size < sizeof(asked) ? size : sizeof(asked));
        allowed(&may);
        CPU_AND(kept, is_all(&asked) ? &may : &asked, &may);
        CPU_ZERO(here);
        for (int c = 0; c < CPU_SETSIZE; c++)
                if (CPU_ISSET((size_t)c, kept))
                        CPU_SET((size_t)(c % real_count()), here);
        return CPU_COUNT(kept) > 0;
}

int sched_setaffinity(pid_t pid, size_t size, const cpu_set_t *set)
{
        int (*real)(pid_t, size_t, const cpu_set_t *) =
            (int (*)(pid_t, size_t, const cpu_set_t *))next("sched_setaffinity");
        cpu_set_t kept, here;
        if (count == 0)
                return real(pid, size, set);
        if (!translate(set, size, &kept, &here)) {
                errno = EINVAL;
                return -1;
        }
        if (pid == 0 || pid == gettid())
                own = kept;
        real(pid, sizeof(here), &here);
        return 0;
}

int pthread_setaffinity_np(pthread_t thread, size_t size, const cpu_set_t *set)
{
        int (*real)(pthread_t, size_t, const cpu_set_t *) =
            (int (*)(pthread_t, size_t, const cpu_set_t *))next("pthread_setaffinity_np");
        cpu_set_t kept, here;
        if (count == 0)
                return real(thread, size, set);
        if (!translate(set, size, &kept, &here))
                return EINVAL;
        if (pthread_equal(thread, pthread_self()))
                own = kept;
        real(thread, sizeof(here), &here);
        return 0;
}

int pthread_getaffinity_np(pthread_t thread, size_t size, cpu_set_t *set)
{
        int (*real)(pthread_t, size_t, cpu_set_t *) =
            (int (*)(pthread_t, size_t, cpu_set_t *))next("pthread_getaffinity_np");
        if (count == 0)
                return real(thread, size, set);
        return sched_getaffinity(pthread_equal(thread, pthread_self()) ? 0 : -1, size, set);
}

long sysconf(int name)
{
        long (*real)(int) = (long (*)(int))next("sysconf");
        bool processors = name == _SC_NPROCESSORS_ONLN || name == _SC_NPROCESSORS_CONF;
        return processors && all > 0 ? all : real(name);
}

int get_nprocs(void)
{
        return (int)sysconf(_SC_NPROCESSORS_ONLN);
}

int get_nprocs_conf(void)
{
        return (int)sysconf(_SC_NPROCESSORS_CONF);
}
