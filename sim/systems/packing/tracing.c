/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What the observer is told: a process has its CPU's cores, runs there or on another one, slice by
 * slice where several share it; a CPU that nobody is on any more is lent. An iteration is told when
 * it is over, since CPUs are calculated one after the other.
 */
#include <stdlib.h>

#include "sim/systems/packing/packing.h"

/* From so long after the iteration's start on a process runs on a CPU, or none does. */
struct packing_slice {
        int64_t time_ns;
        int32_t cpu, process; /* OBSERVED_NOBODY: none */
};

/* The worker of a process on a node of its machine; its home comes first. */
static int32_t worker_on(const struct packing *p, int32_t process, int32_t node)
{
        const struct process *home = &p->process[process];
        int32_t worker = p->traced->first_worker[process];
        if (node == home->node)
                return worker;
        int32_t first = p->process[p->machine[home->machine].first].node;
        return worker + 1 + node - first - (node > home->node);
}

static void tell(struct packing *p, int64_t time_ns, int32_t cpu, int32_t process,
                 enum observed_state state)
{
        const struct process *c = &p->process[cpu];
        int32_t first = cpu % p->spec->appranks_per_node * p->cores;
        int32_t user = process == OBSERVED_NOBODY ? process : worker_on(p, process, c->node);
        for (int32_t i = 0; i < p->cores; i++)
                observe_core(p->ledger->observer, time_ns, c->node, first + i,
                             worker_on(p, cpu, c->node), user, state);
}

/* ---- Slices ---- */

static void add(struct packing *p, int64_t time_ns, int32_t cpu, int32_t process)
{
        struct packing_traced *t = p->traced;
        if (t->count == t->room) {
                int64_t room = t->room ? 2 * t->room : 1024;
                struct packing_slice *grown = realloc(t->slice, (size_t)room * sizeof(*grown));
                t->failed = t->failed || !grown;
                if (!grown)
                        return;
                t->slice = grown;
                t->room = room;
        }
        t->slice[t->count++] = (struct packing_slice){ time_ns, cpu, process };
}

/* A slice that goes on where the last one of this CPU ended is the same. */
static void ran(void *watch, int32_t job, int64_t from_ns, int64_t until_ns)
{
        struct packing *p = watch;
        struct packing_traced *t = p->traced;
        int32_t process = p->on_cpu[p->cpu_first[t->cpu] + job];
        if (t->last == process && t->count > 0 && t->slice[t->count - 1].time_ns == from_ns) {
                t->slice[t->count - 1].time_ns = until_ns;
                return;
        }
        add(p, from_ns, t->cpu, process);
        add(p, until_ns, t->cpu, OBSERVED_NOBODY);
        t->last = process;
}

const struct share_watch *packing_tracing_cpu(struct packing *p, int32_t cpu)
{
        if (!p->traced)
                return NULL;
        p->traced->cpu = cpu;
        p->traced->last = OBSERVED_NOBODY;
        return &p->traced->watch;
}

/* What ends on a CPU comes before what begins there. */
static int by_time(const void *a, const void *b)
{
        const struct packing_slice *x = a, *y = b;
        if (x->time_ns != y->time_ns)
                return x->time_ns < y->time_ns ? -1 : 1;
        if (x->cpu != y->cpu)
                return x->cpu < y->cpu ? -1 : 1;
        return (x->process > y->process) - (x->process < y->process);
}

void packing_tracing_work(struct packing *p)
{
        struct packing_traced *t = p->traced;
        qsort(t->slice, (size_t)t->count, sizeof(*t->slice), by_time);
        for (int64_t i = 0; i < t->count; i++) {
                const struct packing_slice *s = &t->slice[i];
                bool runs = s->process != OBSERVED_NOBODY;
                tell(p, p->start_ns + s->time_ns, s->cpu, s->process,
                     runs ? OBSERVED_TASK : OBSERVED_IDLE);
        }
        t->count = 0;
}

/* Who is on which CPU, from a time on. */
static void tell_places(struct packing *p, int64_t time_ns)
{
        for (int32_t c = 0; c < p->nprocess; c++) {
                bool used = p->cpu_first[c + 1] > p->cpu_first[c];
                tell(p, time_ns, c, OBSERVED_NOBODY, used ? OBSERVED_IDLE : OBSERVED_LENT);
                observe_figure(p->ledger->observer, time_ns, p->traced->first_worker[c],
                               OBSERVED_SHARED_BY, p->process[c].mates + 1);
        }
}

void packing_tracing_places(struct packing *p, int64_t time_ns)
{
        if (p->traced)
                tell_places(p, time_ns);
}

/* ---- Life ---- */

/* A worker for each process and node of its machine; their number. */
static int32_t number_workers(struct packing *p, int32_t *node, int32_t *apprank)
{
        int32_t count = 0;
        for (int32_t i = 0; i < p->nprocess; i++) {
                const struct machine_node *machine = &p->machine[p->process[i].machine];
                int32_t first = p->process[machine->first].node;
                int32_t last = p->process[machine->first + machine->count - 1].node;
                p->traced->first_worker[i] = count;
                for (int32_t n = first; n <= last; n++) {
                        apprank[count + n - first] = i;
                        node[worker_on(p, i, n)] = n;
                }
                count += last - first + 1;
        }
        return count;
}

static int open_tracing(struct packing *p, struct lb_error *err)
{
        size_t most = (size_t)p->nprocess * (size_t)p->param[PACKING_DOMAINS];
        int32_t *node = calloc(most, sizeof(*node)), *apprank = calloc(most, sizeof(*apprank));
        p->traced->first_worker = calloc((size_t)p->nprocess, sizeof(int32_t));
        if (node && apprank && p->traced->first_worker) {
                int32_t count = number_workers(p, node, apprank);
                p->traced->tracing =
                    tracing_open(p->spec,
                                 &(struct tracing_shape){ .nnode = p->spec->graph->nnode,
                                                          .nworker = count,
                                                          .worker_node = node,
                                                          .worker_apprank = apprank,
                                                          .derives = true },
                                 err);
        } else {
                lb_error_fail(err, "out of memory for the trace");
        }
        free(node);
        free(apprank);
        return p->traced->tracing ? 0 : -1;
}

int packing_tracing_start(struct packing *p, struct lb_error *err)
{
        if (!p->spec->trace)
                return 0;
        p->traced = calloc(1, sizeof(*p->traced));
        if (!p->traced)
                return lb_error_fail(err, "out of memory for the trace");
        p->traced->watch = (struct share_watch){ .watch = p, .ran = ran };
        if (open_tracing(p, err) < 0)
                return -1;
        p->ledger->observer = trace_observer(p->traced->tracing);
        tell_places(p, 0);
        return 0;
}

int packing_tracing_close(struct packing *p, struct sim_result *result, struct lb_error *err)
{
        if (!p->traced)
                return 0;
        if (!p->traced->failed)
                return tracing_close(&p->traced->tracing, p->start_ns, result, err);
        sim_result_finish(result);
        return lb_error_fail(err, "out of memory for the trace");
}

void packing_tracing_abandon(struct packing *p)
{
        if (!p->traced)
                return;
        trace_abandon(p->traced->tracing);
        free(p->traced->first_worker);
        free(p->traced->slice);
        free(p->traced);
}
