/* SPDX-License-Identifier: BSD-3-Clause */
#define _GNU_SOURCE
#include "real/balance/cpus.h"

#include <errno.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "real/node/process.h"

struct cpus_saved {
        pid_t thread;
        cpu_set_t mask;
};

/* ---- Text ---- */

void cpus_format(const cpu_set_t *set, char *text, size_t size)
{
        size_t used = 0;
        text[0] = '\0';
        for (size_t first = 0, last; first < CPU_SETSIZE; first = last + 1) {
                for (last = first; last < CPU_SETSIZE && CPU_ISSET(last, set); last++)
                        ;
                if (last == first)
                        continue;
                int more = last - first == 1
                               ? snprintf(text + used, size - used, "%s%zu", used ? "," : "", first)
                               : snprintf(text + used, size - used, "%s%zu-%zu", used ? "," : "",
                                          first, last - 1);
                if (more < 0 || (size_t)more >= size - used)
                        return;
                used += (size_t)more;
        }
}

bool cpus_parse(const char *text, cpu_set_t *set)
{
        CPU_ZERO(set);
        while (*text) {
                char *end;
                long first = strtol(text, &end, 10), last = first;
                if (end == text)
                        return false;
                if (*end == '-') {
                        text = end + 1;
                        last = strtol(text, &end, 10);
                }
                if (end == text || first < 0 || last < first || last >= CPU_SETSIZE ||
                    (*end != '\0' && *end != ','))
                        return false;
                for (long cpu = first; cpu <= last; cpu++)
                        CPU_SET((size_t)cpu, set);
                text = *end ? end + 1 : end;
        }
        return true;
}

/* ---- What there is ---- */

/* Volatile: libc's declaration says that the call never comes back to this file. */
static _Thread_local __attribute__((tls_model("initial-exec"))) volatile bool asks;

int cpus_mask(pid_t thread, cpu_set_t *mask)
{
        asks = true;
        int code = sched_getaffinity(thread, sizeof(*mask), mask);
        asks = false;
        return code;
}

int cpus_set(pid_t thread, const cpu_set_t *mask)
{
        asks = true;
        int code = sched_setaffinity(thread, sizeof(*mask), mask);
        asks = false;
        return code;
}

bool cpus_asks(void)
{
        return asks;
}

int cpus_look(struct cpus *cpus, const char *limit, struct lb_error *err)
{
        cpu_set_t all, within;
        *cpus = (struct cpus){ .moved = false };
        memset(&all, 0xff, sizeof(all));
        if (cpus_mask(0, &cpus->own) < 0 || cpus_set(0, &all) < 0 ||
            cpus_mask(0, &cpus->allowed) < 0 || cpus_set(0, &cpus->own) < 0)
                return lb_error_fail(err, "CPU masks may not be set here: %s", strerror(errno));
        cpus->last = cpus->own;
        if (limit[0] && cpus_parse(limit, &within)) {
                CPU_AND(&within, &within, &cpus->allowed);
                CPU_OR(&within, &within, &cpus->own);
                cpus->allowed = within;
        }
        return 0;
}

void cpus_finish(struct cpus *cpus)
{
        free(cpus->saved);
        cpus->saved = NULL;
        cpus->nsaved = 0;
}

/* No two share a CPU. */
static bool are_apart(const cpu_set_t *own, int32_t n)
{
        cpu_set_t seen, both;
        CPU_ZERO(&seen);
        for (int32_t i = 0; i < n; i++) {
                CPU_AND(&both, &seen, &own[i]);
                if (CPU_COUNT(&both) > 0 || CPU_COUNT(&own[i]) == 0)
                        return false;
                CPU_OR(&seen, &seen, &own[i]);
        }
        return true;
}

int cpus_homes(const cpu_set_t *own, int32_t n, const cpu_set_t *allowed, cpu_set_t *home,
               struct lb_error *err)
{
        int32_t ncpu = CPU_COUNT(allowed), part = ncpu / n;
        if (are_apart(own, n)) {
                memcpy(home, own, (size_t)n * sizeof(*own));
                return 0;
        }
        if (part < 1)
                return lb_error_set(err,
                                    "found %d ranks on %d CPUs of a node, allowed are at most "
                                    "as many ranks as CPUs",
                                    n, ncpu);
        size_t cpu = 0;
        for (int32_t i = 0; i < n; i++) {
                CPU_ZERO(&home[i]);
                for (int32_t k = 0; k < part && cpu < CPU_SETSIZE; cpu++)
                        if (CPU_ISSET(cpu, allowed)) {
                                CPU_SET(cpu, &home[i]);
                                k++;
                        }
        }
        return 0;
}

/* ---- Moving ---- */

/* To where. */
struct moving {
        struct cpus *cpus;
        const cpu_set_t *to;
};

static bool save(void *user, int32_t thread)
{
        struct cpus *cpus = user;
        size_t size = (size_t)(cpus->nsaved + 1) * sizeof(*cpus->saved);
        struct cpus_saved *saved = realloc(cpus->saved, size);
        if (!saved)
                return false;
        cpus->saved = saved;
        saved[cpus->nsaved].thread = thread;
        if (cpus_mask(thread, &saved[cpus->nsaved].mask) == 0)
                cpus->nsaved++;
        return true;
}

/* One that has ended meanwhile is no failure. */
static bool move(void *user, int32_t thread)
{
        const struct moving *moving = user;
        const cpu_set_t *to = moving->to, *last = &moving->cpus->last;
        cpu_set_t now, both;
        if (cpus_mask(thread, &now) < 0)
                return errno == ESRCH;
        CPU_AND(&both, &now, to);
        bool within = CPU_EQUAL(&both, &now), bound = !CPU_EQUAL(&now, last);
        if (CPU_EQUAL(&now, to) || (within && bound))
                return true;
        return cpus_set(thread, to) == 0 || errno == ESRCH;
}

static bool put_back(void *user, int32_t thread)
{
        const struct cpus *cpus = user;
        const cpu_set_t *mask = &cpus->own;
        for (int32_t i = 0; i < cpus->nsaved; i++)
                if (cpus->saved[i].thread == thread)
                        mask = &cpus->saved[i].mask;
        return cpus_set(thread, mask) == 0;
}

static bool put_back_unbound(void *user, int32_t thread)
{
        const struct cpus *cpus = user;
        cpu_set_t now;
        if (cpus_mask(thread, &now) == 0 && CPU_EQUAL(&now, &cpus->last))
                return put_back(user, thread);
        return true;
}

/* A process moves itself: one that asks knows of no struct. It may ask while this is written, and
 * finds its mask to be none of these. */
static struct {
        atomic_bool moved;
        cpu_set_t last, told;
} telling;

static void tell(const struct cpus *cpus)
{
        bool fewer = CPU_COUNT(&cpus->own) < CPU_COUNT(&cpus->last);
        atomic_store(&telling.moved, false);
        telling.told = fewer ? cpus->last : cpus->own;
        telling.last = cpus->last;
        atomic_store(&telling.moved, cpus->moved);
}

static bool copy(const cpu_set_t *set, cpu_set_t *mask)
{
        bool moved = atomic_load(&telling.moved);
        if (moved)
                *mask = *set;
        return moved;
}

bool cpus_of_all(cpu_set_t *mask)
{
        return copy(&telling.last, mask);
}

bool cpus_told(cpu_set_t *mask)
{
        return copy(&telling.told, mask);
}

bool cpus_move(struct cpus *cpus, const cpu_set_t *to)
{
        if (!cpus->moved && !process_threads(0, save, cpus))
                return false;
        cpus->moved = true;
        bool done = process_threads(0, move, &(struct moving){ cpus, to });
        cpus->last = *to;
        tell(cpus);
        return done;
}

static void restore(struct cpus *cpus, bool (*visit)(void *user, int32_t thread))
{
        if (!cpus->moved)
                return;
        (void)process_threads(0, visit, cpus);
        cpus->moved = false;
        cpus->last = cpus->own;
        tell(cpus);
        cpus_finish(cpus);
}

void cpus_restore(struct cpus *cpus)
{
        restore(cpus, put_back);
}

void cpus_restore_unbound(struct cpus *cpus)
{
        restore(cpus, put_back_unbound);
}
