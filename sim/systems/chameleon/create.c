/* SPDX-License-Identifier: BSD-3-Clause */
#include <assert.h>
#include <math.h>
#include <stdlib.h>

#include "policies/host/ask.h"
#include "sim/engine/measure.h"
#include "sim/systems/chameleon/chameleon.h"

/* The table of numbers of messages under way between any two ranks ends here. */
enum { RANK_MAX = 8192 };

/* Cores of a rank; the last of a node has what remains. */
static int32_t cores_of(const struct sim_spec *spec, int32_t rank)
{
        int32_t share = spec->cores_per_node / spec->appranks_per_node;
        bool last = (rank + 1) % spec->appranks_per_node == 0;
        return share + (last ? spec->cores_per_node % spec->appranks_per_node : 0);
}

int32_t cham_cores_least(const double *param, const char **what_for)
{
        *what_for = "one of them for its communication thread; or system.comm_core = \"extra\"";
        return param[CHAM_COMM_CORE] == COMM_CORE_TAKEN ? 2 : 1;
}

static int check(const struct sim_spec *spec, struct lb_error *err)
{
        const char *what_for;
        int32_t least = cham_cores_least(spec->host_param[CHAM_TABLE_HOST], &what_for);
        int32_t nrank = workload_napprank(spec->workload), cores = cores_of(spec, 0);
        if (spec->cores_per_node / spec->appranks_per_node < least)
                return lb_error_set(err,
                                    "system \"chameleon\": found %d cores for an apprank, allowed "
                                    "are at least %d, %s",
                                    cores, least, what_for);
        if (nrank > RANK_MAX)
                return lb_error_set(err,
                                    "system \"chameleon\": found %d appranks, allowed are at most "
                                    "%d",
                                    nrank, RANK_MAX);
        return 0;
}

static void set_params(struct cham *c, const struct sim_spec *spec)
{
        c->spec = spec;
        c->param = spec->host_param[CHAM_TABLE_HOST];
        c->type = spec->system->migrate ? migrate_find(spec->system->migrate)
                                        : migrate_types[(int)c->param[CHAM_MIGRATE]];
        c->nnode = spec->graph->nnode;
        c->nrank = workload_napprank(spec->workload);
        c->alike = workload_alike(spec->workload);
        while (1 << c->stride_bits < cores_of(spec, spec->appranks_per_node - 1) + 1)
                c->stride_bits++;
        c->stride = 1 << c->stride_bits;
        c->turn_ns = (int64_t)(c->param[CHAM_TURN_US] * 1e3 + 0.5);
        c->known.outstanding = -1;
        c->npusher = -1;
        for (int i = 0; i < CHAM_NOWN; i++)
                c->own_event_ns[i] = CHAM_NEVER;
        c->own_ns = CHAM_NEVER;
}

/* A gather takes as long as its messages, and ends at a turn. */
static void set_exchange(struct cham *c)
{
        double asked = c->param[CHAM_EXCHANGE_US] * 1e3 / (double)c->turn_ns;
        int64_t turns = (int64_t)fmax(c->param[CHAM_EXCHANGE_TURNS], round(asked));
        int64_t gather_ns = network_barrier_ns(&c->network, c->nrank);
        int64_t needed = (gather_ns + c->turn_ns - 1) / c->turn_ns;
        c->hurries = c->param[CHAM_EXCHANGE_US] > 0;
        c->exchange_ns = (needed > turns ? needed : turns) * c->turn_ns;
}

static int make_arrays(struct cham *c, struct lb_error *err)
{
        size_t n = (size_t)c->nrank, stride = (size_t)c->stride;
        c->work = calloc(n, sizeof(*c->work));
        c->drawn_ns = calloc(n, WORKLOAD_BLOCK * sizeof(*c->drawn_ns));
        c->rank = calloc(n, sizeof(*c->rank));
        c->runs = calloc(n * stride, sizeof(*c->runs));
        c->copied = calloc(n * stride, sizeof(*c->copied));
        c->idle = calloc(n * stride, sizeof(*c->idle));
        c->sample.load = calloc(n, sizeof(int64_t));
        c->known.load = calloc(n, sizeof(int64_t));
        c->touched = calloc(n, sizeof(*c->touched));
        c->moved = calloc(n, sizeof(*c->moved));
        c->asked = calloc(n / 64 + 1, sizeof(*c->asked));
        c->sending = calloc(n * n, sizeof(*c->sending));
        c->move = calloc(n, sizeof(*c->move));
        if (c->work && c->rank && c->runs && c->copied && c->idle && c->sample.load &&
            c->known.load && cham_order_init(&c->order, c->nrank) == 0 && c->drawn_ns &&
            c->touched && c->moved && c->asked && c->sending && c->move)
                return cham_ordered_create(c, err) < 0 ? -1 : cham_under_way_create(c, err);
        return lb_error_fail(err, "out of memory for %d ranks", c->nrank);
}

static void set_up_rank(struct cham *c, int32_t rank)
{
        const struct sim_spec *spec = c->spec;
        struct cham_rank *r = &c->rank[rank];
        r->node = rank / spec->appranks_per_node;
        r->local.nthread = cores_of(spec, rank) - (c->param[CHAM_COMM_CORE] == COMM_CORE_TAKEN);
        r->runs = &c->runs[(size_t)rank * (size_t)c->stride];
        r->copied = &c->copied[(size_t)rank * (size_t)c->stride];
        r->idle = &c->idle[(size_t)rank * (size_t)c->stride];
        double slowness = 1 / spec->node_speed[r->node];
        r->time_factor = measure_time_factor(spec, r->node, 0);
        r->overhead_ns = (int64_t)(spec->runtime[RUNTIME_TASK_US] * 1e3 * slowness + 0.5);
        r->create_ns = (int64_t)(spec->runtime[RUNTIME_CREATE_US] * 1e3 * slowness + 0.5);
        r->queue_ns = (int64_t)(c->param[CHAM_QUEUE_US] * 1e3 * slowness + 0.5);
        r->contention_ns = (int64_t)(c->param[CHAM_QUEUE_CONTENTION_US] * 1e3 * slowness + 0.5);
        for (int32_t t = 0; t < r->local.nthread; t++)
                r->idle[r->nidle++] = r->local.nthread - 1 - t;
}

/* States lie one after another, each aligned for any type. */
static int make_policies(struct cham *c, struct lb_error *err)
{
        bool own = c->spec->system->migrate != NULL;
        const double *param = c->spec->host_param[own ? CHAM_TABLE_OWN : CHAM_TABLE_POLICY];
        if (sim_decisions_open(&c->decisions, c->spec, c->nrank, err) < 0)
                return -1;
        c->all_asked = !c->type->pushers || c->decisions.log;
        for (int32_t i = 0; i < c->nrank; i++) {
                c->rank[i].policy = ask_migrate_make(c->type, c->nrank, param,
                                                     sim_decisions_of(&c->decisions, i), err);
                if (!c->rank[i].policy)
                        return -1;
        }
        return 0;
}

struct cham *cham_create(const struct sim_spec *spec, struct lb_error *err)
{
        if (check(spec, err) < 0)
                return NULL;
        struct cham *c = calloc(1, sizeof(*c));
        if (!c) {
                lb_error_fail(err, "out of memory");
                return NULL;
        }
        set_params(c, spec);
        if (sim_network_init(&c->network, c->nnode, spec, err) < 0)
                goto error;
        set_exchange(c);
        if (queue_init(&c->queue, c->nrank * c->stride, err) < 0 || make_arrays(c, err) < 0)
                goto error;
        c->view.nrank = c->nrank;
        for (int32_t i = 0; i < c->nrank; i++)
                set_up_rank(c, i);
        if (make_policies(c, err) < 0)
                goto error;
        c->ledger = cham_measure_create(c, err);
        if (c->ledger)
                return c;
error:
        cham_destroy(c);
        return NULL;
}

void cham_destroy(struct cham *c)
{
        if (!c)
                return;
        sim_decisions_close(&c->decisions);
        for (int32_t i = 0; c->rank && i < c->nrank; i++) {
                free(c->rank[i].received.item);
                free(c->rank[i].replicas.item);
                free(c->rank[i].copy);
                free(c->rank[i].policy);
        }
        ledger_destroy(c->ledger);
        trace_abandon(c->tracing);
        free(c->first_core);
        queue_finish(&c->queue);
        network_finish(&c->network);
        free(c->heap.item);
        free(c->work);
        free(c->rank);
        free(c->runs);
        free(c->copied);
        free(c->idle);
        free(c->sample.load);
        free(c->known.load);
        cham_order_finish(&c->order);
        cham_under_way_destroy(c->under_way);
        cham_ordered_destroy(c);
        free(c->drawn_ns);
        free(c->touched);
        free(c->moved);
        free(c->asked);
        free(c->sending);
        free(c->move);
        free(c);
}

void cham_fail(struct cham *c, const char *what)
{
        if (!c->failed)
                lb_error_fail(c->err, "%s", what);
        c->failed = true;
}
