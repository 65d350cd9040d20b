/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What every policy of the registries must keep to, whoever writes it: no allocation in decide(),
 * same calls same decisions, targets that add up, state that can be copied.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "base/random.h"
#include "policies/alloc.h"
#include "policies/grow.h"
#include "policies/lend.h"
#include "policies/migrate.h"
#include "policies/place.h"
#include "policies/system.h"
#include "tests/policies/allocations.h"

/* A ring of nodes, two appranks each, degree 3: small enough to see through, with all kinds of
 * edges. */
enum { NNODE = 6, NAPPRANK = 12, DEGREE = 3, NWORKER = NAPPRANK * DEGREE, CORES = 16 };

struct world {
        int32_t cores[NNODE], apprank_first[NAPPRANK + 1], worker_node[NWORKER];
        int32_t worker_apprank[NWORKER], node_first[NNODE + 1], node_worker[NWORKER];
        bool worker_home[NWORKER], talk_only[NWORKER];
        struct lb_shape shape;
};

static void world_init(struct world *w, int32_t nnode)
{
        int32_t napprank = nnode == 1 ? 6 : NAPPRANK, degree = nnode == 1 ? 1 : DEGREE, at = 0;
        for (int32_t n = 0; n < nnode; n++)
                w->cores[n] = CORES;
        for (int32_t a = 0; a <= napprank; a++)
                w->apprank_first[a] = a * degree;
        for (int32_t e = 0; e < napprank * degree; e++) {
                int32_t a = e / degree, k = e % degree;
                w->worker_apprank[e] = a;
                w->worker_node[e] = (a * nnode / napprank + k * (1 + a % 2)) % nnode;
                w->worker_home[e] = nnode == 1 ? e < 2 : k == 0;
        }
        for (int32_t n = 0; n < nnode; n++) {
                w->node_first[n] = at;
                for (int32_t e = 0; e < napprank * degree; e++)
                        if (w->worker_node[e] == n)
                                w->node_worker[at++] = e;
        }
        w->node_first[nnode] = at;
        w->shape = (struct lb_shape){
                .nnode = nnode,
                .napprank = napprank,
                .nworker = napprank * degree,
                .cores = w->cores,
                .apprank_first = w->apprank_first,
                .worker_node = w->worker_node,
                .worker_apprank = w->worker_apprank,
                .worker_home = w->worker_home,
                .node_first = w->node_first,
                .node_worker = w->node_worker,
                .poll_s = 0.5,
        };
}

/* As above, but helpers need own nothing, and there are cores for homes alone. */
static void world_init_talk(struct world *w, int32_t nnode)
{
        world_init(w, nnode);
        for (int32_t n = 0; n < nnode; n++)
                w->cores[n] = 3;
        alloc_talk_only(&w->shape, NULL, ALLOC_TALK_SCARCE, w->talk_only);
        w->shape.talk_only = w->talk_only;
}

static void *made_state(const struct alloc_type *type, const struct lb_shape *shape,
                        const double *param)
{
        struct lb_error err;
        void *state = calloc(1, type->state_size(shape, param));
        assert_non_null(state);
        assert_int_equal(type->init(state, shape, param, &err), 0);
        return state;
}

static void random_busy(struct lb_random *random, const struct lb_shape *shape, double *busy)
{
        for (int32_t w = 0; w < shape->nworker; w++)
                busy[w] = lb_random_unit(random) < 0.2 ? 0 : 7.31 * lb_random_unit(random);
}

/* One policy, 200 random polls: valid targets, no allocation, a copy of the state decides alike. */
static void try_alloc(const struct alloc_type *type, bool talk, uint64_t seed)
{
        struct world world;
        int32_t nnode = type->scope == ALLOC_SCOPE_NODE ? 1 : NNODE;
        if (talk)
                world_init_talk(&world, nnode);
        else
                world_init(&world, nnode);
        double param[32], busy[NWORKER];
        lb_param_defaults(type->params, param);
        size_t size = type->state_size(&world.shape, param);
        void *state = made_state(type, &world.shape, param), *copy = calloc(1, size);
        int32_t owned[NWORKER], target[NWORKER], again[NWORKER];
        struct lb_error err;
        assert_int_equal(alloc_initial(&world.shape, owned, &err), 0);

        struct lb_random random;
        lb_random_init(&random, seed, LB_RANDOM_TEST, 0);
        for (int64_t step = 1; step <= 200; step++) {
                random_busy(&random, &world.shape, busy);
                if (step < 3)
                        memset(busy, 0, sizeof(busy)); /* nothing measured yet */
                struct alloc_view view = { step * 500000000, 500000000, busy, owned, 0 };
                type->observe(state, &view);
                memcpy(copy, state, size);
                long before = nallocation;
                type->decide(state, &view, target);
                assert_int_equal(nallocation, before);
                type->decide(copy, &view, again);
                assert_memory_equal(target, again, (size_t)world.shape.nworker * sizeof(int32_t));
                assert_int_equal(alloc_check(&world.shape, target, &err), 0);
                memcpy(owned, target, sizeof(owned));
        }
        type->release(state);
        free(state);
        free(copy);
}

static void allocation_policies_keep_the_contract(void **unused)
{
        (void)unused;
        for (const struct alloc_type *const *type = alloc_types; *type; type++)
                for (uint64_t seed = 1; seed <= 5; seed++)
                        try_alloc(*type, seed % 2 == 0, seed);
}

/* Lending answers concern workers of the node and cores that are there. */
static void lending_policies_keep_the_contract(void **unused)
{
        (void)unused;
        enum { N = 5 };
        struct lb_random random;
        lb_random_init(&random, 3, LB_RANDOM_TEST, 1);
        for (const struct lend_type *const *type = lend_types; *type; type++) {
                double param[32];
                lb_param_defaults((*type)->params, param);
                char state[4096] = { 0 };
                struct lb_error err;
                assert_true((*type)->state_size(N, param) <= sizeof(state));
                assert_int_equal((*type)->init(state, N, param, &err), 0);
                for (int32_t i = 0; i < 20000; i++) {
                        int32_t number[9][N];
                        for (int32_t k = 0; k < 9; k++)
                                for (int32_t w = 0; w < N; w++)
                                        number[k][w] = (int32_t)lb_random_below(&random, 9);
                        for (int32_t w = 0; w < N; w++) { /* owned >= lent >= reclaiming */
                                number[1][w] = number[1][w] % (number[0][w] + 1);
                                number[3][w] = number[3][w] % (number[1][w] + 1);
                        }
                        struct lend_view view = {
                                .occasion =
                                    (enum lend_occasion)(1 + lb_random_below(&random, LEND_POLLED)),
                                .worker = (int32_t)lb_random_below(&random, N),
                                .nworker = N,
                                .pool = (int32_t)lb_random_below(&random, 6),
                                .owned_cores = number[0],
                                .lent_cores = number[1],
                                .borrowed_cores = number[2],
                                .reclaiming_cores = number[3],
                                .running_tasks = number[4],
                                .tasks = number[5],
                                .ready_tasks = number[6],
                                .held_tasks_known = number[7],
                                .task_us = number[8],
                        };
                        struct lend_decision one, two;
                        long before = nallocation;
                        (*type)->decide(state, &view, &one);
                        (*type)->decide(state, &view, &two);
                        assert_int_equal(nallocation, before);
                        assert_int_equal(one.action, two.action);
                        assert_int_equal(one.count, two.count);
                        if (one.action == LEND_BORROW && view.occasion == LEND_CORE_LENT)
                                assert_in_range(one.borrower, 0, N - 1);
                        if (one.action == LEND_RECLAIM)
                                assert_in_range(one.count, 1,
                                                number[1][view.worker] - number[3][view.worker]);
                }
        }
}

/* Placement answers name a worker of the apprank, and never more tasks than are held. */
static void placement_policies_keep_the_contract(void **unused)
{
        (void)unused;
        enum { N = 4 };
        struct lb_random random;
        lb_random_init(&random, 4, LB_RANDOM_TEST, 2);
        for (const struct place_type *const *type = place_types; *type; type++) {
                double param[32];
                lb_param_defaults((*type)->params, param);
                char state[4096] = { 0 };
                struct lb_error err;
                assert_true((*type)->state_size(N, param) <= sizeof(state));
                assert_int_equal((*type)->init(state, N, param, &err), 0);
                for (int32_t i = 0; i < 20000; i++) {
                        int32_t number[4][N];
                        for (int32_t k = 0; k < 4; k++)
                                for (int32_t w = 0; w < N; w++)
                                        number[k][w] = 1 + (int32_t)lb_random_below(&random, 24);
                        struct place_view view = {
                                .occasion = PLACE_READY,
                                .nworker = N,
                                .worker = (int32_t)lb_random_below(&random, N),
                                .data_worker = (int32_t)lb_random_below(&random, N),
                                .held_tasks = (int64_t)lb_random_below(&random, 40),
                                .tasks = number[0],
                                .owned_cores = number[1],
                                .target_cores = number[2],
                                .usable_cores = number[3],
                        };
                        long before = nallocation;
                        int32_t to = (*type)->place(state, &view);
                        assert_int_equal(to, (*type)->place(state, &view));
                        view.occasion = PLACE_FINISHED;
                        int64_t count = (*type)->refill(state, &view);
                        assert_in_range(count, 0, view.held_tasks);
                        view.occasion = PLACE_ASKED;
                        view.asked_cores = 3;
                        count = (*type)->refill(state, &view);
                        assert_in_range(count, 0, view.held_tasks);
                        view.occasion = PLACE_WAITING;
                        count = (*type)->refill(state, &view);
                        assert_int_equal(nallocation, before);
                        assert_in_range(to + 1, 0, N);
                        assert_in_range(count, 0, view.held_tasks);
                }
        }
}

enum { NRANK = 7 };

/* Ranks by load, as the host sorts them; position[] is the inverse. */
static void sort_ranks(const int64_t *load, int32_t *order, int32_t *position)
{
        for (int32_t i = 0; i < NRANK; i++) {
                int32_t at = i;
                for (; at > 0 && load[order[at - 1]] > load[i]; at--)
                        order[at] = order[at - 1];
                order[at] = i;
        }
        for (int32_t i = 0; i < NRANK; i++)
                position[order[i]] = i;
}

/* What one rank is asked, from random queues. */
static struct migrate_view random_migrate_view(struct lb_random *random, int64_t *load,
                                               int32_t *order, int32_t *sending)
{
        int32_t position[NRANK];
        struct migrate_view view = {
                .rank = (int32_t)lb_random_below(random, NRANK),
                .nrank = NRANK,
                .local = { .nthread = 1 + (int32_t)lb_random_below(random, 8),
                           .queued = (int64_t)lb_random_below(random, 60),
                           .received = (int64_t)lb_random_below(random, 9) },
                .load = load,
                .order = order,
                .sending = sending,
                .changes = (int64_t)lb_random_below(random, 50),
        };
        for (int32_t i = 0; i < NRANK; i++) {
                load[i] = (int64_t)lb_random_below(random, 60);
                sending[i] = lb_random_below(random, 4) == 0;
                view.load_sum += load[i];
        }
        sort_ranks(load, order, position);
        view.position = position[view.rank];
        return view;
}

/* Who is not among those that may push does not, and stays as it is. */
static void expect_pusher(const struct migrate_type *type, const void *before, const void *after,
                          const struct migrate_view *view, int32_t nmove)
{
        if (!type->pushers || view->position >= NRANK - type->pushers(before, view))
                return;
        assert_int_equal(nmove, 0);
        assert_memory_equal(before, after, 4096);
}

/* A migration policy's moves are possible ones, made without allocation, and a copy of its state
 * makes the same. */
static void try_migrate(const struct migrate_type *type, struct lb_random *random,
                        const double *param)
{
        char state[4096] = { 0 }, copy[4096], old[4096];
        struct lb_error err;
        assert_true(type->state_size(NRANK, param) <= sizeof(state));
        assert_int_equal(type->init(state, NRANK, param, &err), 0);
        for (int32_t i = 0; i < 5000; i++) {
                int64_t load[NRANK];
                int32_t order[NRANK], sending[NRANK];
                struct migrate_view view = random_migrate_view(random, load, order, sending);
                struct migrate_move one[NRANK], two[NRANK];
                memcpy(copy, state, sizeof(copy));
                memcpy(old, state, sizeof(old));
                long before = nallocation;
                int32_t count = type->decide(state, &view, one);
                expect_pusher(type, old, state, &view, count);
                assert_int_equal(count, type->decide(copy, &view, two));
                assert_true(type->load(state, &view.local) >= 0);
                assert_int_equal(nallocation, before);
                for (int32_t m = 0; m < count; m++) {
                        assert_int_equal(one[m].rank, two[m].rank);
                        assert_int_equal(one[m].ntask, two[m].ntask);
                }
                assert_int_equal(migrate_check(&view, one, count, &err), 0);
                count = type->replicate(state, &view, one);
                assert_int_equal(migrate_check(&view, one, count, &err), 0);
        }
}

static void migration_policies_keep_the_contract(void **unused)
{
        (void)unused;
        struct lb_random random;
        lb_random_init(&random, 5, LB_RANDOM_TEST, 3);
        for (int i = 0; migrate_types[i]; i++) {
                double param[32];
                assert_string_equal(migrate_types[i]->name, migrate_names[i]);
                assert_ptr_equal(migrate_find(migrate_names[i]), migrate_types[i]);
                lb_param_defaults(migrate_types[i]->params, param);
                try_migrate(migrate_types[i], &random, param);
                int share = lb_param_find(migrate_types[i]->params, "replicate_share");
                int at_once = lb_param_find(migrate_types[i]->params, "migrate_at_once");
                param[share] = 0.7;
                param[at_once] = 1000;
                try_migrate(migrate_types[i], &random, param);
        }
}

/* Every system without a host of its own names policies that exist. */
static void systems_name_policies_that_exist(void **unused)
{
        (void)unused;
        for (const struct system_type *type = system_types; type->name; type++) {
                assert_ptr_equal(system_find(type->name), type);
                if (type->host)
                        continue; /* it knows its policies */
                assert_non_null(alloc_find(type->alloc));
                assert_non_null(lend_find(type->lend));
                assert_non_null(place_find(type->place));
                assert_true(!type->grow || grow_find(type->grow));
        }
        assert_null(system_find("none such"));
        assert_null(alloc_find("none such"));
}

/* What each system of papers and README is, line by line; there may be further ones. */
static void systems_are_what_they_are_said_to_be(void **unused)
{
        (void)unused;
        static const struct {
                const char *name, *alloc, *grow, *host;
                bool offloads, lewi, drom;
        } rows[] = {
                { "baseline", "static", NULL, NULL, false, false, false },
                { "dlb", "local", NULL, NULL, false, true, true },
                { "local", "local", NULL, NULL, true, true, true },
                { "global", "global", NULL, NULL, true, true, true },
                { "dynamic", "global", "cut", NULL, false, true, true },
                { "chameleon", NULL, NULL, "chameleon", false, false, false },
                { "dpb", NULL, NULL, "dpb", false, false, false },
                { "packing", NULL, NULL, "packing", false, false, false },
                { "tight", "global", "cut", NULL, true, true, true },
        };
        size_t count = sizeof(rows) / sizeof(rows[0]);
        for (size_t i = 0; i < count; i++) {
                const struct system_type *s = system_find(rows[i].name);
                assert_non_null(s);
                assert_string_equal(s->alloc ? s->alloc : "", rows[i].alloc ? rows[i].alloc : "");
                assert_string_equal(s->grow ? s->grow : "", rows[i].grow ? rows[i].grow : "");
                assert_string_equal(s->host ? s->host : "", rows[i].host ? rows[i].host : "");
                assert_int_equal(s->offloads, rows[i].offloads);
                assert_int_equal(s->lewi, rows[i].lewi);
                assert_int_equal(s->drom, rows[i].drom);
        }
}

int main(void)
{
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(allocation_policies_keep_the_contract),
                cmocka_unit_test(lending_policies_keep_the_contract),
                cmocka_unit_test(placement_policies_keep_the_contract),
                cmocka_unit_test(migration_policies_keep_the_contract),
                cmocka_unit_test(systems_name_policies_that_exist),
                cmocka_unit_test(systems_are_what_they_are_said_to_be),
        };
        return cmocka_run_group_tests(tests, NULL, NULL);
}
