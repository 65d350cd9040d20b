/* SPDX-License-Identifier: BSD-3-Clause */
#include <math.h>
#include <stdlib.h>

#include "policies/host/ask.h"
#include "policies/plugged.h"
#include "sim/engine/measure.h"
#include "sim/systems/packing/packing.h"

void packing_set_speeds(struct packing *p)
{
        const struct sim_spec *spec = p->spec;
        for (int32_t i = 0; i < p->nprocess; i++) {
                struct process *process = &p->process[i];
                process->speed = 1 / measure_time_factor(spec, process->node, p->iteration);
                process->overhead_ns = llround((double)p->network.message_cpu_ns / process->speed);
        }
}

static int set_processes(struct packing *p, struct lb_error *err)
{
        const struct sim_spec *spec = p->spec;
        p->process = calloc((size_t)p->nprocess, sizeof(*p->process));
        if (!p->process)
                return lb_error_fail(err, "out of memory for %d processes", p->nprocess);
        int32_t domains = (int32_t)p->param[PACKING_DOMAINS];
        for (int32_t i = 0; i < p->nprocess; i++) {
                struct process *process = &p->process[i];
                process->node = i / spec->appranks_per_node;
                process->machine = process->node / domains;
                process->cpu = i;
        }
        packing_set_speeds(p);
        return 0;
}

/* The parameters of the policy. */
static const double *policy_param(const struct packing *p)
{
        int which = (int)p->param[PACKING_POLICY];
        for (int i = 0; p->spec->system->pack && pack_types[i]; i++)
                which = i + 1;
        return p->spec->host_param[PACKING_TABLE_PACK + which];
}

/* Sets of processes are aligned to the platform's nodes where several are a machine. */
static int set_policy(struct packing *p, struct machine_node *machine, struct lb_error *err)
{
        double param[PLUGGED_PARAM_MAX];
        const double *given = policy_param(p);
        size_t count = lb_param_count(p->policy->params);
        for (size_t i = 0; i < count; i++)
                param[i] = given[i];
        if (p->param[PACKING_DOMAINS] > 1)
                p->policy->align(param, p->spec->appranks_per_node);
        machine->pack_state = ask_pack_make(
            p->policy, machine->count, param,
            sim_decisions_of(&p->decisions_log, (int32_t)(machine - p->machine)), err);
        return machine->pack_state ? 0 : -1;
}

static int set_machines(struct packing *p, struct lb_error *err)
{
        int32_t nnode = p->spec->graph->nnode, domains = (int32_t)p->param[PACKING_DOMAINS];
        p->nmachine = (nnode + domains - 1) / domains;
        p->machine = calloc((size_t)p->nmachine, sizeof(*p->machine));
        if (!p->machine)
                return lb_error_fail(err, "out of memory for %d machines", p->nmachine);
        if (sim_decisions_open(&p->decisions_log, p->spec, p->nmachine, err) < 0)
                return -1;
        for (int32_t m = 0; m < p->nmachine; m++) {
                struct machine_node *machine = &p->machine[m];
                int32_t nodes = nnode - m * domains < domains ? nnode - m * domains : domains;
                machine->first = m * domains * p->spec->appranks_per_node;
                machine->count = nodes * p->spec->appranks_per_node;
                if (machine->count > PACK_PROCESS_MAX)
                        return lb_error_set(err,
                                            "pack_domains: found %d, which makes machines of %d "
                                            "processes; allowed are at most %d",
                                            domains, machine->count, PACK_PROCESS_MAX);
                if (set_policy(p, machine, err) < 0)
                        return -1;
        }
        return 0;
}

static int make_arrays(struct packing *p, struct lb_error *err)
{
        const struct workload_exchange *exchange = workload_exchange(p->spec->workload);
        size_t n = (size_t)p->nprocess;
        size_t nmessage = exchange->first ? (size_t)exchange->first[p->nprocess] : 0;
        p->on_cpu = calloc(n, sizeof(*p->on_cpu));
        p->cpu_first = calloc(n + 1, sizeof(*p->cpu_first));
        p->job = calloc(n, sizeof(*p->job));
        p->time_s = calloc(n, sizeof(*p->time_s));
        p->target = calloc(n, sizeof(*p->target));
        p->arrival_ns = calloc(n, sizeof(*p->arrival_ns));
        p->work = calloc(n, sizeof(*p->work));
        p->core_free_ns = calloc((size_t)p->cores, sizeof(*p->core_free_ns));
        p->event = calloc(nmessage + 1, sizeof(*p->event));
        p->when_state = calloc(1, pack_when_size(p->nprocess));
        if (p->on_cpu && p->cpu_first && p->job && p->time_s && p->target && p->arrival_ns &&
            p->work && p->core_free_ns && p->event && p->when_state &&
            (!exchange->first || packing_links(p, exchange) == 0))
                return 0;
        return lb_error_fail(err, "out of memory for %d processes", p->nprocess);
}

static void set_costs(struct packing *p)
{
        const double *param = p->param;
        p->cost = (struct share_cost){
                .waiting = (enum share_waiting)(int)param[PACKING_WAITING],
                .slice_ns = llround(param[PACKING_SLICE_MS] * 1e6),
                .switch_ns = llround(param[PACKING_SWITCH_US] * 1e3),
                .refill_ns = llround(param[PACKING_REFILL_US] * 1e3),
                .poll_ns = llround(param[PACKING_POLL_US] * 1e3),
                .wake_ns = llround(param[PACKING_WAKE_US] * 1e3),
        };
}

static int set_up(struct packing *p, struct lb_error *err)
{
        if (sim_network_init(&p->network, p->spec->graph->nnode, p->spec, err) < 0)
                return -1;
        if (set_processes(p, err) < 0 || set_machines(p, err) < 0 || make_arrays(p, err) < 0)
                return -1;
        p->ledger = packing_measure_create(p, err);
        return p->ledger ? 0 : -1;
}

struct packing *packing_create(const struct sim_spec *spec, struct lb_error *err)
{
        struct packing *p = calloc(1, sizeof(*p));
        if (!p) {
                lb_error_fail(err, "out of memory");
                return NULL;
        }
        p->spec = spec;
        p->err = err;
        p->param = spec->host_param[PACKING_TABLE_HOST];
        p->policy = spec->system->pack ? pack_find(spec->system->pack)
                                       : pack_types[(int)p->param[PACKING_POLICY]];
        p->nprocess = workload_napprank(spec->workload);
        p->cores = spec->cores_per_node / spec->appranks_per_node;
        set_costs(p);
        if (p->cores < 1)
                lb_error_set(err,
                             "found %d processes on %d CPUs of a node, allowed are at most as many "
                             "processes as CPUs",
                             spec->appranks_per_node, spec->cores_per_node);
        if (p->cores < 1 || set_up(p, err) < 0) {
                packing_destroy(p);
                return NULL;
        }
        pack_when_init(p->when_state, p->nprocess, spec->host_param[PACKING_TABLE_WHEN],
                       p->policy->tolerance(policy_param(p)));
        packing_place(p);
        return p;
}

void packing_destroy(struct packing *p)
{
        if (!p)
                return;
        sim_decisions_close(&p->decisions_log);
        for (int32_t m = 0; p->machine && m < p->nmachine; m++)
                free(p->machine[m].pack_state);
        free(p->machine);
        free(p->process);
        free(p->on_cpu);
        free(p->cpu_first);
        free(p->job);
        free(p->time_s);
        free(p->target);
        free(p->arrival_ns);
        free(p->work);
        free(p->core_free_ns);
        free(p->event);
        links_destroy(p->links);
        free(p->when_state);
        ledger_destroy(p->ledger);
        packing_tracing_abandon(p);
        network_finish(&p->network);
        free(p);
}
