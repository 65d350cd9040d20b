/* SPDX-License-Identifier: BSD-3-Clause */
#include <stdlib.h>

#include "policies/host/ask.h"
#include "sim/engine/measure.h"
#include "sim/systems/dpb/processors.h"

static struct profile_setup profile_setup(const double *param)
{
        return (struct profile_setup){
                .window = (int32_t)param[SMP_WINDOW],
                .confirm = (int32_t)param[SMP_CONFIRM],
                .periods = (int32_t)param[SMP_PERIODS],
                .discard = param[SMP_DISCARD] != 0,
        };
}

static int make_arrays(struct smp *m, struct lb_error *err)
{
        size_t nprocess = (size_t)m->nprocess, nnode = (size_t)m->nnode;
        m->time_factor = calloc(nnode, sizeof(*m->time_factor));
        m->process = calloc(nprocess, sizeof(*m->process));
        m->node = calloc(nnode, sizeof(*m->node));
        m->compute_s = calloc(nprocess, sizeof(*m->compute_s));
        m->mpi_s = calloc(nprocess, sizeof(*m->mpi_s));
        m->cpus = calloc(nprocess, sizeof(*m->cpus));
        m->wanted = calloc(nprocess, sizeof(*m->wanted));
        m->thread_ns = calloc((size_t)m->ncore, sizeof(*m->thread_ns));
        m->memory = calloc(nprocess + nnode, sizeof(*m->memory));
        m->work = calloc(nprocess, sizeof(*m->work));
        if (m->time_factor && m->process && m->node && m->compute_s && m->mpi_s && m->cpus &&
            m->wanted && m->thread_ns && m->memory && m->work)
                return 0;
        return lb_error_fail(err, "out of memory for %d processes", m->nprocess);
}

static int make_profiles(struct smp *m, struct lb_error *err)
{
        struct profile_setup setup = profile_setup(m->param);
        for (int32_t a = 0; a < m->nprocess; a++) {
                m->memory[a] = calloc(1, profile_size(&setup));
                if (!m->memory[a])
                        return lb_error_fail(err, "out of memory for the detectors of %d processes",
                                             m->nprocess);
                m->process[a].profile = m->memory[a];
                profile_init(m->process[a].profile, &setup);
        }
        return 0;
}

/* The work of the whole first iteration that is not empty, per process: what a program knows of its
 * data beforehand. */
static void known_work(const struct smp *m, double *work)
{
        double sum = 0;
        for (int32_t i = 0; i < workload_niteration(m->spec->workload) && !(sum > 0); i++) {
                workload_iteration(m->spec->workload, i, m->work);
                for (int32_t a = 0; a < m->nprocess; a++) {
                        work[a] = work_meant_ns(&m->work[a]);
                        sum += work[a];
                }
        }
}

/* After those of dpb_types[] that of a policy which the system names. */
static const double *policy_param(const struct smp *m)
{
        int which = (int)m->param[SMP_POLICY];
        for (int i = 0; m->spec->system->dpb && dpb_types[i]; i++)
                which = i + 1;
        return m->spec->host_param[1 + which];
}

static int start_node(struct smp *m, int32_t node, struct lb_error *err)
{
        struct smp_node *n = &m->node[node];
        const double *param = policy_param(m);
        n->nprocess = m->spec->appranks_per_node;
        n->first = node * n->nprocess;
        n->state = m->memory[m->nprocess + node] =
            ask_dpb_make(m->policy, n->nprocess, param, sim_decisions_of(&m->decisions, node), err);
        if (!n->state)
                return -1;
        bool equal = m->param[SMP_START] == SMP_START_EQUAL;
        int32_t *cpus = m->cpus + n->first;
        int status = equal ? dpb_equal(m->ncore, n->nprocess, cpus, err)
                           : dpb_by_work(m->ncore, n->nprocess, m->compute_s + n->first, cpus, err);
        for (int32_t a = n->first; a < n->first + n->nprocess; a++) {
                m->process[a].node = node;
                m->process[a].cpus = m->process[a].target = m->cpus[a];
        }
        return status < 0 ? lb_error_prefix(err, "node %d: ", node) : 0;
}

static int start_nodes(struct smp *m, struct lb_error *err)
{
        const struct sim_spec *spec = m->spec;
        known_work(m, m->compute_s);
        for (int32_t n = 0; n < m->nnode; n++) {
                m->time_factor[n] = measure_time_factor(spec, n, 0);
                if (start_node(m, n, err) < 0)
                        return -1;
        }
        return 0;
}

static int fill(struct smp *m, struct lb_error *err)
{
        int32_t nslot = 1;
        while (nslot < m->nprocess + m->nnode + 1)
                nslot *= 2;
        if (nslot > 1 << QUEUE_SLOT_BITS_MOST)
                return lb_error_set(err, "found %d processes on %d nodes, allowed are %d in all",
                                    m->nprocess, m->nnode, (1 << QUEUE_SLOT_BITS_MOST) - 1);
        if (sim_decisions_open(&m->decisions, m->spec, m->nnode, err) < 0 ||
            make_arrays(m, err) < 0 || make_profiles(m, err) < 0 || start_nodes(m, err) < 0 ||
            queue_init(&m->queue, nslot, err) < 0 ||
            sim_network_init(&m->network, m->nnode, m->spec, err) < 0)
                return -1;
        m->ledger = smp_measure_create(m, err);
        return m->ledger ? 0 : -1;
}

struct smp *smp_create(const struct sim_spec *spec, struct lb_error *err)
{
        struct smp *m = calloc(1, sizeof(*m));
        if (!m) {
                lb_error_fail(err, "out of memory");
                return NULL;
        }
        *m = (struct smp){
                .spec = spec,
                .err = err,
                .param = spec->host_param[0],
                .policy = spec->system->dpb ? dpb_find(spec->system->dpb)
                                            : dpb_types[(int)spec->host_param[0][SMP_POLICY]],
                .nprocess = workload_napprank(spec->workload),
                .nnode = workload_napprank(spec->workload) / spec->appranks_per_node,
                .ncore = spec->cores_per_node,
                .alike = workload_alike(spec->workload),
        };
        if (fill(m, err) == 0)
                return m;
        smp_destroy(m);
        return NULL;
}

void smp_destroy(struct smp *m)
{
        if (!m)
                return;
        sim_decisions_close(&m->decisions);
        for (int32_t i = 0; m->memory && i < m->nprocess + m->nnode; i++)
                free(m->memory[i]);
        queue_finish(&m->queue);
        network_finish(&m->network);
        ledger_destroy(m->ledger);
        trace_abandon(m->tracing);
        free(m->core_owner);
        free(m->time_factor);
        free(m->process);
        free(m->node);
        free(m->compute_s);
        free(m->mpi_s);
        free(m->cpus);
        free(m->wanted);
        free(m->thread_ns);
        free(m->memory);
        free(m->work);
        free(m);
}
