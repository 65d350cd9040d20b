/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * After each iteration: have times settled, and then, in the next one, does the first process to
 * arrive at each machine decide where its processes run; they move when they arrive.
 */
#include "policies/host/ask.h"
#include "sim/systems/packing/packing.h"

/* Which processes are on which CPU: lists by CPU, and how many share it. */
void packing_place(struct packing *p)
{
        p->placed_anew = true;
        for (int32_t c = 0; c <= p->nprocess; c++)
                p->cpu_first[c] = 0;
        for (int32_t i = 0; i < p->nprocess; i++)
                p->cpu_first[p->process[i].cpu + 1]++;
        for (int32_t m = 0; m < p->nmachine; m++) {
                struct machine_node *machine = &p->machine[m];
                machine->used = 0;
                for (int32_t i = machine->first; i < machine->first + machine->count; i++) {
                        p->process[i].mates = p->cpu_first[p->process[i].cpu + 1] - 1;
                        machine->used += p->cpu_first[i + 1] > 0;
                }
        }
        for (int32_t c = 0; c < p->nprocess; c++)
                p->cpu_first[c + 1] += p->cpu_first[c];
        for (int32_t i = 0; i < p->nprocess; i++)
                p->on_cpu[p->cpu_first[p->process[i].cpu]++] = i;
        for (int32_t c = p->nprocess; c > 0; c--)
                p->cpu_first[c] = p->cpu_first[c - 1];
        p->cpu_first[0] = 0;
}

/* Move all processes to target[]; a CPU takes its new ones one after the other. Returns the longest
 * time that takes. */
static int64_t move(struct packing *p)
{
        int64_t cost_ns = (int64_t)(p->param[PACKING_MIGRATE_US] * 1e3), longest_ns = 0;
        int32_t *arriving = p->on_cpu; /* rewritten by packing_place() */
        for (int32_t c = 0; c < p->nprocess; c++)
                arriving[c] = 0;
        for (int32_t i = 0; i < p->nprocess; i++) {
                if (p->process[i].cpu == p->target[i])
                        continue;
                p->process[i].cpu = p->target[i];
                p->moved++;
                int64_t taken_ns = ++arriving[p->target[i]] * cost_ns;
                longest_ns = taken_ns > longest_ns ? taken_ns : longest_ns;
        }
        packing_place(p);
        return longest_ns;
}

/* All machines decide by time_s[]; the CPUs named by the policy are those of the processes that are
 * at home there. */
static void pack(struct packing *p)
{
        for (int32_t m = 0; m < p->nmachine; m++) {
                struct machine_node *machine = &p->machine[m];
                struct pack_view view = { .time_ns = p->start_ns,
                                          .bound_s = p->bound_s,
                                          .time_s = p->time_s + machine->first };
                int32_t *cpu = p->target + machine->first;
                p->failed |= ask_pack(p->policy, machine->pack_state, machine->count, &view, cpu,
                                      sim_decisions_of(&p->decisions_log, m), p->err) < 0;
                for (int32_t i = 0; i < machine->count; i++)
                        cpu[i] += machine->first;
        }
        p->decisions++;
}

/* The first to arrive at each machine has decided so long after: does that hold up the others? */
static int64_t late_ns(const struct packing *p, int64_t slowest_ns)
{
        int64_t latest_ns = slowest_ns;
        for (int32_t m = 0; m < p->nmachine; m++) {
                const struct machine_node *machine = &p->machine[m];
                int64_t first_ns = INT64_MAX;
                for (int32_t i = machine->first; i < machine->first + machine->count; i++)
                        if (p->process[i].arrival_ns < first_ns)
                                first_ns = p->process[i].arrival_ns;
                double ns = machine->count * p->param[PACKING_DECIDE_US] * 1e3;
                if (first_ns + (int64_t)ns > latest_ns)
                        latest_ns = first_ns + (int64_t)ns;
        }
        return latest_ns - slowest_ns;
}

/* Times within machines, then the longest of the job: two more collectives of small messages, as
 * long as barriers. */
static int64_t gather_ns(const struct packing *p)
{
        return network_barrier_ns(&p->network, p->nprocess) +
               network_barrier_ns(&p->network, p->machine[0].count);
}

static void read_times(struct packing *p)
{
        for (int32_t i = 0; i < p->nprocess; i++) {
                const struct process *process = &p->process[i];
                int64_t ns = process->mates > 0 ? process->cpu_ns : process->arrival_ns;
                p->time_s[i] = (double)ns * 1e-9;
        }
}

static void begin_packing(struct packing *p)
{
        p->bound_s = 0;
        for (int32_t i = 0; i < p->nprocess; i++)
                if (p->time_s[i] > p->bound_s)
                        p->bound_s = p->time_s[i];
        pack(p);
        p->decided = true;
        p->extra_ns = gather_ns(p);
}

void packing_decide(struct packing *p, int64_t slowest_ns)
{
        p->extra_ns = 0;
        if (p->decided) {
                p->decided = false;
                p->extra_ns = late_ns(p, slowest_ns) + move(p);
                return;
        }
        read_times(p);
        struct pack_when_view view = { .time_s = p->time_s,
                                       .slowest_s = (double)slowest_ns * 1e-9 };
        enum pack_step step = pack_when_step(p->when_state, &view);
        if (step == PACK_STEP_PACK)
                begin_packing(p);
        if (step != PACK_STEP_EXPAND)
                return;
        for (int32_t i = 0; i < p->nprocess; i++)
                p->target[i] = i;
        p->extra_ns = move(p);
}
