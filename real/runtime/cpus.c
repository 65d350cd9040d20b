/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Cores that are virtual CPUs (real/node/cpu_groups.h). Each core of a process has a thread of its
 * own, which enters the core's group when it first has it and stays: lending moves nobody. A thread
 * that goes on after a wait on another core than before moves there. Threads that do not compute
 * (messages, polls) are beside them, without a quota.
 *
 * What threads run, and how long they wait for a CPU while ready, is counted while they have a core
 * and no longer: a main program that waits in MPI wakes for moments, into a group that is held.
 */
#include <stdlib.h>
#include <string.h>

#include "real/node/cpu_groups.h"
#include "real/runtime/process.h"

struct cpus {
        struct cpu_groups groups;
        struct cpu_times *used; /* [ncore] by this process */
        double message_delay_us;
};

void cpus_start(struct process *p)
{
        struct lb_error err;
        if (p->alone || p->job->param[JOB_VIRTUAL_CPUS] == 0)
                return;
        p->cpus = calloc(1, sizeof(*p->cpus));
        if (p->cpus)
                p->cpus->used = calloc((size_t)p->ncore, sizeof(*p->cpus->used));
        if (!p->cpus || !p->cpus->used)
                fail("lbrun_start", "out of memory");
        if (cpu_groups_find(&p->cpus->groups, "/proc/self", p->job->id, &err) < 0)
                fail("lbrun_start", "%s", err.text);
        cpus_leave(p); /* and with it the thread for messages, which is started later */
}

void cpus_stop(struct process *p)
{
        if (p->cpus)
                free(p->cpus->used);
        free(p->cpus);
        p->cpus = NULL;
}

void cpus_enter(struct process *p, struct thread *t)
{
        struct lb_error err;
        if (!p->cpus)
                return;
        if (t->pinned != t->core && cpu_groups_enter(&p->cpus->groups, p->node, t->core, &err) < 0)
                fail("lbrun", "%s", err.text);
        t->pinned = t->core;
        t->cpu_from = cpu_times_now();
}

void cpus_count(struct process *p, struct thread *t)
{
        if (!p->cpus)
                return;
        struct cpu_times now = cpu_times_now(), *used = &p->cpus->used[t->core];
        used->run_ns += now.run_ns - t->cpu_from.run_ns;
        used->delay_ns += now.delay_ns - t->cpu_from.delay_ns;
}

static double speed_of(const struct process *p, int32_t node)
{
        return p->job->param[JOB_CPU_SPEED] * p->job->speed[node];
}

int64_t cpus_slowed_ns(const struct process *p, int64_t cpu_ns)
{
        return p->cpus ? (int64_t)((double)cpu_ns / speed_of(p, p->node)) : cpu_ns;
}

void cpus_leave(const struct process *p)
{
        if (p->cpus)
                cpu_groups_leave(&p->cpus->groups);
}

/* ---- Figures ---- */

/* Processes on one core take turns, and one may have what another has left over: a CPU's quota is
 * seen in their sum only. */
double cpus_missed_by_any(const struct process *p)
{
        double most = 0;
        if (!p->cpus)
                return 0;
        int32_t count = p->job->nnode * p->ncore; /* virtual nodes are equal */
        struct cpu_times *used = calloc((size_t)count, sizeof(*used));
        if (!used)
                fail("lbrun_stop", "out of memory for the report");
        memcpy(used + p->node * p->ncore, p->cpus->used, (size_t)p->ncore * sizeof(*used));
        MPI_Allreduce(MPI_IN_PLACE, used, 2 * count, MPI_INT64_T, MPI_SUM, p->all);
        for (int32_t i = 0; i < count; i++) {
                double missed =
                    cpu_groups_missed(used[i].run_ns, used[i].delay_ns, speed_of(p, i / p->ncore));
                most = missed > most ? missed : most;
        }
        free(used);
        return most;
}

double cpus_missed(const struct process *p)
{
        struct cpu_times sum = { 0 };
        for (int32_t c = 0; p->cpus && c < p->ncore; c++) {
                sum.run_ns += p->cpus->used[c].run_ns;
                sum.delay_ns += p->cpus->used[c].delay_ns;
        }
        return cpu_groups_missed(sum.run_ns, sum.delay_ns, speed_of(p, p->node));
}

static int ascending(const void *a, const void *b)
{
        int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
        return (x > y) - (x < y);
}

/* What a sum over all appranks takes the program, from within its CPUs. */
void cpus_meet(struct process *p)
{
        enum { TIMES = 21, WARM = 5 };
        int64_t took_ns[TIMES];
        if (!p->cpus || !p->home || p->job->napprank == 1)
                return;
        for (int i = -WARM; i < TIMES; i++) {
                double mine = 1, sum;
                int64_t begin = now_ns();
                MPI_Allreduce(&mine, &sum, 1, MPI_DOUBLE, MPI_SUM, p->world);
                took_ns[i < 0 ? 0 : i] = now_ns() - begin;
        }
        qsort(took_ns, TIMES, sizeof(took_ns[0]), ascending);
        p->cpus->message_delay_us = (double)took_ns[TIMES / 2] * 1e-3;
}

double cpus_message_delay_us(const struct process *p)
{
        return p->cpus ? p->cpus->message_delay_us : 0;
}

struct cpu_stat cpus_stat(const struct process *p)
{
        return p->cpus ? cpu_groups_stat(&p->cpus->groups) : (struct cpu_stat){ 0 };
}
