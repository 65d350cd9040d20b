/* SPDX-License-Identifier: BSD-3-Clause */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/random.h"
#include "graphs/graph.h"
#include "policies/alloc.h"
#include "policies/grow.h"
#include "policies/system.h"
#include "real/control/job.h"
#include "real/launch/sleepers.h"
#include "real/node/cores.h"

/* A random value that a parameter can have, with all its digits. */
static double random_value(const struct lb_param *param, struct lb_random *random)
{
        int choices = 0;
        double value = param->min + lb_random_unit(random) * (param->max - param->min);
        while (param->choices && param->choices[choices])
                choices++;
        if (param->type == LB_PARAM_CHOICE)
                return (double)lb_random_below(random, (uint64_t)choices);
        if (param->type == LB_PARAM_SWITCH)
                return (double)lb_random_below(random, 2);
        return param->type == LB_PARAM_INTEGER ? (double)(int64_t)value : value;
}

static void random_values(const struct lb_param *table, double *values, struct lb_random *random)
{
        for (size_t i = 0; table && table[i].name; i++)
                values[i] = random_value(&table[i], random);
}

static struct job *random_job(struct lb_random *random)
{
        struct lb_error err;
        struct job *job = job_create(&err);
        assert_non_null(job);
        static const char *const systems[] = { "baseline",  "dlb",     "local", "global",
                                               "chameleon", "dynamic", "tight" };
        assert_int_equal(job_set_system(job, systems[lb_random_below(random, 7)], &err), 0);
        job->nnode = 1 + (int32_t)lb_random_below(random, 9);
        job->napprank = job->nnode * (1 + (int32_t)lb_random_below(random, 3));
        struct graph_spec spec = { .napprank = job->napprank,
                                   .nnode = job->nnode,
                                   .degree =
                                       1 + (int32_t)lb_random_below(random, (uint64_t)job->nnode),
                                   .method = GRAPH_METHOD_RANDOM,
                                   .seed = lb_random_below(random, 1000) };
        struct graph *graph = graph_create(&spec, &err);
        assert_non_null(graph);
        job->degree = graph->degree;
        job->cores = calloc((size_t)job->nnode, sizeof(*job->cores));
        for (int32_t n = 0; n < job->nnode; n++) {
                job->cores[n] = 40 + (int32_t)lb_random_below(random, 30);
                if (job->cores[n] > job->cores_per_node)
                        job->cores_per_node = job->cores[n];
        }
        job->lewi = lb_random_below(random, 2);
        job->drom = lb_random_below(random, 2);
        job->virtual_nodes = lb_random_below(random, 2);
        snprintf(job->id, sizeof(job->id), "%u-x", (unsigned)lb_random_below(random, 100000));
        size_t length =
            lb_random_below(random, 2) ? lb_random_below(random, 20) : JOB_PATH_SIZE - 1;
        for (size_t i = 0; i < length; i++)
                job->report[i] = (char)(1 + lb_random_below(random, 255));
        random_values(job_params, job->param, random);
        if ((enum alloc_talk)job->param[JOB_TALK_ONLY] == ALLOC_TALK_HELPERS)
                job->param[JOB_CORES_BY] = CORES_BY_BUILTIN;
        job->param[JOB_COMM_CORE] = JOB_COMM_CORE_SHARED; /* which any degree has the cores for */
        for (enum job_policy p = 0; p < JOB_NPOLICY; p++)
                random_values(job_policy_params(job, p), job_policy_values(job, p), random);
        if (sleepers_add(job, graph, &err) < 0)
                fail_msg("%s", err.text);
        for (int32_t n = 0; n < job->nnode; n++)
                job->speed[n] = 0.001 + lb_random_unit(random);
        graph_destroy(graph);
        return job;
}

static void assert_same(const void *a, const void *b, int32_t count, size_t size)
{
        assert_memory_equal(a, b, (size_t)count * size);
}

static void assert_same_job(const struct job *a, const struct job *b)
{
        assert_string_equal(a->id, b->id);
        assert_string_equal(a->system, b->system);
        assert_string_equal(a->report, b->report);
        assert_int_equal(a->lewi, b->lewi);
        assert_int_equal(a->drom, b->drom);
        assert_int_equal(a->virtual_nodes, b->virtual_nodes);
        assert_int_equal(a->nnode, b->nnode);
        assert_int_equal(a->cores_per_node, b->cores_per_node);
        assert_int_equal(a->napprank, b->napprank);
        assert_int_equal(a->nworker, b->nworker);
        assert_int_equal(a->degree, b->degree);
        assert_int_equal(job_sleeping(a), job_sleeping(b));
        if (a->sleeps)
                assert_same(a->sleeps, b->sleeps, a->nworker, sizeof(bool));
        assert_same(a->param, b->param, JOB_NPARAM, sizeof(double));
        assert_same(a->speed, b->speed, a->nnode, sizeof(double));
        assert_same(a->cores, b->cores, a->nnode, sizeof(int32_t));
        assert_same(a->shape.cores, a->cores, a->nnode, sizeof(int32_t));
        for (enum job_policy p = 0; p < JOB_NPOLICY; p++)
                assert_same(job_policy_values(a, p), job_policy_values(b, p),
                            (int32_t)lb_param_count(job_policy_params(a, p)), sizeof(double));
        assert_same(a->shape.worker_node, b->shape.worker_node, a->nworker, sizeof(int32_t));
        assert_same(a->shape.worker_apprank, b->shape.worker_apprank, a->nworker, sizeof(int32_t));
        assert_same(a->rank_worker, b->rank_worker, a->nworker, sizeof(int32_t));
        assert_true(memcmp(&a->shape.poll_s, &b->shape.poll_s, sizeof(double)) == 0);
}

/* Beside its graph a system that grows has helpers that sleep, on nodes with a core for each, as
 * many as it may wish for; others have none. Who is in the graph is awake. */
static void test_sleepers(void **state)
{
        (void)state;
        struct lb_error err;
        static const struct {
                const char *system;
                int32_t cores, cores_by, talk_only, most, sleeping;
        } rows[] = {
                { "tight", 16, CORES_BY_BUILTIN, ALLOC_TALK_SCARCE, 6, 16 * 3 },
                { "tight", 16, CORES_BY_AUTO, ALLOC_TALK_NEVER, 64, 16 * 5 },
                { "tight", 8, CORES_BY_BUILTIN, ALLOC_TALK_SCARCE, 8, 8 * 2 },
                { "tight", 6, CORES_BY_BUILTIN, ALLOC_TALK_SCARCE, 8, 0 },
                { "tight", 16, CORES_BY_BUILTIN, ALLOC_TALK_SCARCE, 2, 0 },
                { "tight", 16, CORES_BY_DLB, ALLOC_TALK_NEVER, 8, 0 },
                { "tight", 16, CORES_BY_BUILTIN, ALLOC_TALK_HELPERS, 8, 0 },
                { "global", 16, CORES_BY_BUILTIN, ALLOC_TALK_SCARCE, 8, 0 },
        };
        struct graph_spec spec = {
                .napprank = 16, .nnode = 8, .degree = 3, .method = GRAPH_METHOD_RANDOM
        };
        struct graph *graph = graph_create(&spec, &err);
        assert_non_null(graph);
        for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
                struct job *job = job_create(&err);
                assert_int_equal(job_set_system(job, rows[i].system, &err), 0);
                job->nnode = 8;
                job->napprank = 16;
                job->degree = 3;
                job->cores_per_node = rows[i].cores;
                job->param[JOB_CORES_BY] = rows[i].cores_by;
                job->param[JOB_TALK_ONLY] = rows[i].talk_only;
                if (system_find(rows[i].system)->grow)
                        job->grow_param[GROW_DEGREE] = rows[i].most;
                assert_int_equal(sleepers_add(job, graph, &err), 0);
                assert_int_equal(job_sleeping(job), rows[i].sleeping);
                assert_int_equal(job_grows(job), rows[i].sleeping > 0);
                assert_int_equal(job->nworker, graph->nedge + rows[i].sleeping);
                int32_t *owned = calloc((size_t)job->nworker, sizeof(*owned));
                assert_int_equal(job_initial(job, owned, &err), 0);
                for (int32_t w = 0; w < job->nworker; w++)
                        assert_int_equal(job->sleeps && job->sleeps[w] ? owned[w] : 0, 0);
                for (int32_t e = 0; e < graph->nedge; e++) {
                        int32_t a = graph->edge_apprank[e], w = job->shape.apprank_first[a];
                        while (job->shape.worker_node[w] != graph->edge_node[e])
                                w++;
                        assert_in_range(w, 0, job->shape.apprank_first[a + 1] - 1);
                        assert_false(job->sleeps && job->sleeps[w]);
                }
                free(owned);
                job_destroy(job);
        }
        graph_destroy(graph);
}

/* Any job survives the way through its text, every bit of every number, and the text is one line.
 */
static void test_round_trip(void **state)
{
        (void)state;
        struct lb_random random;
        struct lb_error err;
        lb_random_init(&random, 20261, LB_RANDOM_TEST, 0);
        for (int i = 0; i < 300; i++) {
                struct job *job = random_job(&random);
                char *text = job_format(job);
                assert_non_null(text);
                assert_null(strchr(text, '\n'));
                struct job *again = job_parse(text, &err);
                if (!again)
                        fail_msg("%s", err.text);
                assert_same_job(job, again);
                free(text);
                job_destroy(again);
                job_destroy(job);
        }
}

/* Ranks are numbered node by node, on a node by ascending worker, and the two maps are inverse. */
static void test_rank_maps(void **state)
{
        (void)state;
        struct lb_random random;
        lb_random_init(&random, 7, LB_RANDOM_TEST, 1);
        for (int i = 0; i < 200; i++) {
                struct job *job = random_job(&random);
                for (int32_t rank = 0; rank < job->nworker; rank++) {
                        int32_t worker = job->rank_worker[rank];
                        assert_int_equal(job->worker_rank[worker], rank);
                        if (rank == 0)
                                continue;
                        int32_t before = job->rank_worker[rank - 1];
                        int32_t node = job->shape.worker_node[worker];
                        int32_t node_before = job->shape.worker_node[before];
                        assert_true(node_before < node || (node_before == node && before < worker));
                }
                job_destroy(job);
        }
}

/* Replace the first `from` in a text; NULL `from`: the text itself. */
static char *changed(const char *text, const char *from, const char *to)
{
        const char *at = strstr(text, from);
        assert_non_null(at);
        size_t size = strlen(text) + strlen(to) + 1;
        char *copy = malloc(size);
        assert_non_null(copy);
        snprintf(copy, size, "%.*s%s%s", (int)(at - text), text, to, at + strlen(from));
        return copy;
}

/* Parsing is strict, and says which member is wrong. */
static void test_strict(void **state)
{
        (void)state;
        static const struct {
                const char *from, *to, *message;
        } rows[] = {
                { "version=5", "version=6", "found version 6, allowed is 5: link the program" },
                { "version=5", "version=1", "found version 1, allowed is 5" },
                { "version=5", "{\"version\":1,\"id\":", "found version 1 (JSON), allowed is 5" },
                {
                    "version=5 ",
                    "",
                    "found 'id=alone",
                },
                { "version=5 ", "", "must begin with version=5" },
                { "version=5 ", "version=5  ", "found '', allowed is NAME=VALUE" },
                { "lewi=false", "lewi", "found 'lewi', allowed is NAME=VALUE" },
                { "id=alone", "id=../x", "id: found '../x" },
                { "lewi=false", "lewi=0", "lewi: found '0', allowed is true or false" },
                { "lewi=false ", "", "lewi: found nothing, allowed is true or false: link the" },
                { "lewi=false", "lewi=true lewi=false", "lewi: found twice" },
                { "nodes=1", "nodes=0", "nodes: found '0', allowed is a whole number from 1" },
                { "nodes=1", "nodes=2", "speed: found '1', allowed is a number per node" },
                { "nodes=1", "nodes=1.5", "nodes: found '1.5'" },
                { "nodes=1", "nodes=", "nodes: found ''" },
                { "appranks=1", "appranks=2", "graph: found '0', allowed is nodes per apprank" },
                { "baseline", "best", "system: found 'best', allowed is one of baseline, dlb" },
                { "report=", "report=/a%", "report: found '/a%', allowed is text with %25" },
                { "report=", "report=/a%2", "report: found '/a%2'" },
                { "report=", "report=%00", "report: found '%00'" },
                { "system=baseline", "system=much-too-long-a-name-of-a-system", "less than 32" },
                { "poll_s=0.5", "poll_s=0", "runtime.poll_s: found '0', allowed is a number from" },
                { "poll_s=0.5", "pole_s=0.5", "runtime.poll_s: found nothing" },
                { "load=wall", "load=moon", "runtime.load: found 'moon', allowed is one of wall" },
                { "load=wall", "load=wall runtime.x=1",
                  "'runtime.x', which is no member of a job: link" },
                { "builtin", "brick", "runtime.cores_by: found 'brick'" },
                { "lend_keep_last=false", "lend_keep_last=3", "lend.lend_keep_last: found '3'" },
                { "speed=1", "speed=0", "speed: found '0'" },
                { "speed=1", "speed=1,1", "speed: found '1,1', allowed is a number per node" },
                { " cores=1", " cores=0", "cores: found '0', allowed is a whole number from 1" },
                { " cores=1", " cores=1,2", "cores: found '1,2', allowed is a number per node" },
                { " cores=1 ", " ", "cores: found nothing" },
                { "graph=0", "graph=1", "graph: found '1', allowed is a whole number from 0 to 0" },
                { "graph=0", "graph=", "graph: found ''" },
                { "graph=0", "graph=0,0", "graph: apprank 0: node 0 twice" },
                { "graph=0", "graph=0/0", "graph: found '0/0', allowed is nodes per apprank" },
        };
        struct lb_error err;
        struct job *job = job_alone(&err);
        char *text = job_format(job);
        for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
                char *bad = changed(text, rows[i].from, rows[i].to);
                assert_null(job_parse(bad, &err));
                if (!strstr(err.text, rows[i].message))
                        fail_msg("row %zu: '%s' lacks '%s'", i, err.text, rows[i].message);
                free(bad);
        }
        free(text);
        job_destroy(job);
}

/* No text whatever makes the parser do more than complain. */
static void test_garbled(void **state)
{
        (void)state;
        struct lb_random random;
        struct lb_error err;
        lb_random_init(&random, 99, LB_RANDOM_TEST, 2);
        struct job *job = random_job(&random);
        char *text = job_format(job);
        size_t size = strlen(text);
        for (int i = 0; i < 3000; i++) {
                char *copy = strdup(text);
                for (int k = 0; k < 3; k++)
                        copy[lb_random_below(&random, size)] =
                            "0123456789=%/,. -x\1"[lb_random_below(&random, 19)];
                job_destroy(job_parse(copy, &err));
                free(copy);
        }
        free(text);
        job_destroy(job);
}

/* A process is known as a job's by the text in its environment: by the whole id. */
static void test_text_is(void **state)
{
        (void)state;
        struct lb_error err;
        struct job *job = job_alone(&err);
        assert_non_null(job);
        snprintf(job->id, sizeof(job->id), "471-12");
        snprintf(job->report, sizeof(job->report), "/tmp/ id=471-1 x");
        char *text = job_format(job);
        assert_non_null(text);
        assert_true(job_text_is(text, "471-12"));
        assert_false(job_text_is(text, "471-1"));
        assert_false(job_text_is(text, "71-12"));
        assert_false(job_text_is(text, "0123456789-0123456789-0123456789-0123456789"));
        assert_false(job_text_is("", "471-12"));
        free(text);
        job_destroy(job);
}

/* A program that was started without lbrun: one apprank on one core. */
static void test_alone(void **state)
{
        (void)state;
        struct lb_error err;
        struct job *job = job_alone(&err);
        assert_non_null(job);
        assert_int_equal(job->nworker, 1);
        assert_int_equal(job->cores_per_node, 1);
        assert_string_equal(job->system, "baseline");
        assert_true(job->virtual_nodes);
        assert_true(job->shape.worker_home[0]);
        job_destroy(job);
}

/* Edges that cannot be a job: the graph's own messages, and nodes without a core for each worker.
 */
static void test_bad_edges(void **state)
{
        (void)state;
        static const struct {
                int32_t cores, first[3], node[4];
                const char *message;
                bool lends_not;
        } rows[] = {
                { 2, { 0, 2, 4 }, { 0, 1, 1, 0 }, NULL, false },
                { 1, { 0, 2, 4 }, { 0, 1, 1, 0 }, NULL, false },
                { 1, { 0, 2, 4 }, { 0, 1, 1, 0 }, "node 0 has 1 cores for 2 workers", true },
                { 4, { 0, 2, 4 }, { 1, 0, 1, 0 }, "home", false },
                { 4, { 0, 2, 4 }, { 0, 0, 1, 0 }, "twice", false },
                { 4, { 0, 2, 4 }, { 0, 7, 1, 0 }, "7", false },
        };
        for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
                struct lb_error err = { 0 };
                struct job *job = job_create(&err);
                assert_int_equal(job_set_system(job, "local", &err), 0);
                job->nnode = job->napprank = 2;
                job->cores_per_node = rows[i].cores;
                job->lewi = !rows[i].lends_not;
                int status = job_set_edges(job, rows[i].first, rows[i].node, &err);
                assert_int_equal(status, rows[i].message ? -1 : 0);
                assert_true(status < 0 || !job->shape.talk_only == (rows[i].cores > 1));
                if (rows[i].message && !strstr(err.text, rows[i].message))
                        fail_msg("row %zu: '%s' lacks '%s'", i, err.text, rows[i].message);
                job_destroy(job);
        }
}

/* An apprank with more nodes than a runtime has places for its data: its home and all others. */
static void test_too_many_places(void **state)
{
        (void)state;
        static int32_t first[JOB_PLACE_MAX + 2], node[2 * JOB_PLACE_MAX + 2];
        for (int32_t nnode = JOB_PLACE_MAX; nnode <= JOB_PLACE_MAX + 1; nnode++) {
                struct lb_error err = { 0 };
                struct job *job = job_create(&err);
                for (int32_t n = 0; n < nnode; n++) {
                        node[n] = n;
                        node[nnode + n] = n + 1;
                        first[n + 1] = nnode + n;
                }
                assert_int_equal(job_set_system(job, "local", &err), 0);
                job->nnode = job->napprank = nnode;
                job->cores_per_node = 2;
                int status = job_set_edges(job, first, node, &err);
                assert_int_equal(status, nnode > JOB_PLACE_MAX ? -1 : 0);
                assert_true(status == 0 || strstr(err.text, "found 1025 nodes of apprank 0"));
                job_destroy(job);
        }
}

/* A job of any length survives the way through the environment, and nothing of a longer one around
 * it stays. The parts that a launcher is told of before the contact is known are those that there
 * are. */
static void test_environment(void **state)
{
        (void)state;
        static const size_t sizes[] = { 400000, 120001, 120000, 119000, 118976, 118975, 1, 250000 };
        for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
                char *text = malloc(sizes[i] + 1);
                for (size_t k = 0; k < sizes[i]; k++)
                        text[k] = (char)('a' + k % 23);
                text[sizes[i]] = '\0';
                assert_int_equal(job_to_environment(text), 0);
                char *again = job_from_environment(), name[JOB_PART_NAME_SIZE];
                assert_string_equal(again, text);
                for (int32_t part = 0; part < job_text_parts(text); part++) {
                        assert_non_null(getenv(job_part_name(part, name)));
                        assert_true(strlen(getenv(name)) + sizeof(name) < 128 << 10);
                }
                size_t shorter = sizes[i] > JOB_PATH_SIZE ? JOB_PATH_SIZE : 0;
                assert_true(job_text_parts(text + shorter) <= job_text_parts(text));
                assert_true(((size_t)job_text_parts(text + shorter) - 1) * 120000 <
                            sizes[i] + 1024);
                free(again);
                free(text);
        }
        unsetenv("LBRUN_JOB");
        unsetenv("LBRUN_JOB_1");
        unsetenv("LBRUN_JOB_2");
        assert_null(job_from_environment());
}

int main(void)
{
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(test_round_trip),  cmocka_unit_test(test_rank_maps),
                cmocka_unit_test(test_strict),      cmocka_unit_test(test_garbled),
                cmocka_unit_test(test_text_is),     cmocka_unit_test(test_alone),
                cmocka_unit_test(test_bad_edges),   cmocka_unit_test(test_too_many_places),
                cmocka_unit_test(test_environment), cmocka_unit_test(test_sleepers),
        };
        return cmocka_run_group_tests(tests, NULL, NULL);
}
