/* SPDX-License-Identifier: BSD-3-Clause */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "models/taskgraph.h"
#include "models/workload.h"

#define HEADER "apprank,seconds,bytes,after\n"
#define ITERATIONS "iteration," HEADER
#define WITHIN "apprank,seconds,bytes,within,after\n"

static void write_file(const char *name, const char *text)
{
        FILE *out = fopen(name, "w");
        assert_non_null(out);
        assert_true(fputs(text, out) >= 0);
        assert_int_equal(fclose(out), 0);
}

static struct taskgraph *read_text(const char *name, const char *text)
{
        struct lb_error err;
        write_file(name, text);
        struct taskgraph *graph = taskgraph_read(name, &err);
        if (!graph)
                fail_msg("%s", err.text);
        return graph;
}

static void assert_successors(const struct taskgraph_part *part, int32_t task, int32_t count,
                              const int32_t *expected)
{
        assert_int_equal(part->first[task + 1] - part->first[task], count);
        for (int32_t i = 0; i < count; i++)
                assert_int_equal(part->successor[part->first[task] + (uint32_t)i], expected[i]);
}

/* Where a column says so, and only there. */
static void some_tasks_stay(void **state)
{
        (void)state;
        struct taskgraph *graph = read_text("tasks.csv", "apprank,seconds,bytes,stays,after\n"
                                                         "0,1,8,0,\n0,1,8,1,0\n1,1,8,0,\n");
        struct taskgraph *plain = read_text("plain.csv", HEADER "0,1,8,\n0,1,8,0\n1,1,8,\n");
        const struct taskgraph_part *part = taskgraph_part(graph, 0, 0);
        assert_true(!part->stays[0] && part->stays[1]);
        assert_null(taskgraph_part(graph, 0, 1)->stays);
        assert_null(taskgraph_part(plain, 0, 0)->stays);
        assert_true(taskgraph_hash(graph) != taskgraph_hash(plain));
        taskgraph_destroy(graph);
        taskgraph_destroy(plain);
}

/* Likewise; those before the first that has one are as all others. */
static void some_tasks_are_more_urgent(void **state)
{
        (void)state;
        struct taskgraph *graph =
            read_text("tasks.csv", "priority,apprank,seconds,bytes,after\n0,0,1,8,\n"
                                   "-2147483648,0,1,8,0\n2147483647,0,1,8,\n0,0,1,8,\n"
                                   "0,0,1,8,\n0,1,1,8,\n");
        struct taskgraph *plain =
            read_text("plain.csv", HEADER "0,1,8,\n0,1,8,0\n0,1,8,\n0,1,8,\n0,1,8,\n1,1,8,\n");
        const struct taskgraph_part *part = taskgraph_part(graph, 0, 0);
        const int32_t expected[] = { 0, INT32_MIN, INT32_MAX, 0, 0 };
        for (int32_t t = 0; t < part->ntask; t++)
                assert_int_equal(taskgraph_priority(part, t), expected[t]);
        assert_null(taskgraph_part(graph, 0, 1)->priority);
        assert_true(taskgraph_has_priorities(graph) && !taskgraph_has_priorities(plain));
        assert_true(taskgraph_hash(graph) != taskgraph_hash(plain));
        taskgraph_destroy(graph);
        taskgraph_destroy(plain);
}

/* Likewise; who is within one that is within a third is within that. */
static void some_tasks_are_within_others(void **state)
{
        (void)state;
        struct taskgraph *graph =
            read_text("tasks.csv", "apprank,seconds,bytes,within,after\n0,1,8,,\n0,1,8,,\n"
                                   "0,1,8,1,1\n0,1,8,2,2 1\n0,1,8,0,0\n0,1,8,,3\n1,1,8,,\n");
        struct taskgraph *plain = read_text(
            "plain.csv", HEADER "0,1,8,\n0,1,8,\n0,1,8,1\n0,1,8,2 1\n0,1,8,0\n0,1,8,3\n1,1,8,\n");
        const struct taskgraph_part *part = taskgraph_part(graph, 0, 0);
        const int32_t expected[] = { TASKGRAPH_NONE, TASKGRAPH_NONE, 1, 1, 0, TASKGRAPH_NONE };
        struct taskgraph_whole whole[6];
        for (int32_t t = 0; t < part->ntask; t++) {
                assert_int_equal(taskgraph_within(part, t), expected[t]);
                assert_int_equal(taskgraph_moves(part, t), expected[t] == TASKGRAPH_NONE);
        }
        assert_int_equal(taskgraph_gather_wholes(part, whole), 3);
        assert_true(whole[0].left == 2 && whole[1].left == 3 && whole[5].left == 1);
        assert_true(whole[1].next == 2 && whole[2].next == 3 && whole[3].next == TASKGRAPH_NONE);
        assert_null(taskgraph_part(graph, 0, 1)->within);
        assert_true(taskgraph_has_wholes(graph) && !taskgraph_has_wholes(plain));
        assert_true(taskgraph_hash(graph) != taskgraph_hash(plain));
        taskgraph_destroy(graph);
        taskgraph_destroy(plain);
}

/* Tasks are numbered by apprank, wherever their lines are; columns have names, lines any end. */
static void rows_become_tasks(void **state)
{
        (void)state;
        static const char *const texts[] = {
                HEADER "0,0.5,80000,\n2,1e-9,0,\n0,0.25,7,0\n0,0.125,0,0 1\n2,3600,1e12,0\n",
                "after,label,bytes,seconds,apprank\r\n,a,80000,0.5,0\r\n0,b,7,.25,0\r\n"
                "  0   1 ,c,0,0.125,0\r\n,\"d,e\",0,0.000000001,2\r\n0,f,1000000000000,3600,2",
        };
        uint64_t hash = 0;
        for (int i = 0; i < 2; i++) {
                struct taskgraph *graph = read_text("tasks.csv", texts[i]);
                assert_int_equal(taskgraph_napprank(graph), 3);
                assert_true(taskgraph_ntask(graph) == 5);
                const struct taskgraph_part *part = taskgraph_part(graph, 0, 0);
                assert_int_equal(part->ntask, 3);
                assert_int_equal(part->work_ns, 875000000);
                assert_int_equal(part->path_ns, 875000000);
                assert_true(part->bytes_of_all == 80007);
                assert_successors(part, 0, 2, (int32_t[]){ 1, 2 });
                assert_successors(part, 1, 1, (int32_t[]){ 2 });
                assert_successors(part, 2, 0, NULL);
                assert_int_equal(taskgraph_part(graph, 0, 1)->ntask, 0);
                assert_int_equal(taskgraph_part(graph, 0, 77)->ntask, 0);
                assert_int_equal(taskgraph_part(graph, 0, 2)->task_ns[0], 1);
                assert_int_equal(taskgraph_part(graph, 0, 2)->path_ns, INT64_C(3600000000001));
                assert_true(i == 0 || taskgraph_hash(graph) == hash);
                hash = taskgraph_hash(graph);
                taskgraph_destroy(graph);
        }
        struct taskgraph *other = read_text("tasks.csv", HEADER "0,1,0,\n0,1,0,\n0,2,0,\n");
        assert_null(taskgraph_part(other, 0, 0)->first);
        assert_int_equal(taskgraph_part(other, 0, 0)->path_ns, 2000000000);
        assert_true(taskgraph_hash(other) != hash);
        taskgraph_destroy(other);
}

/* Who comes after one of a whole waits for all of it, also for tasks that have later numbers; who
 * is within it waits for those alone that it says. In milliseconds, worked out by hand. */
static void a_chain_goes_on_when_a_whole_has_ended(void **state)
{
        (void)state;
        static const struct {
                const char *text;
                int64_t path_ms;
        } cases[] = {
                { WITHIN "0,.1,0,,\n0,.3,0,0,0\n0,.1,0,,0\n0,.1,0,,2\n", 600 },
                { WITHIN "0,.1,0,,\n0,.1,0,,0\n0,.3,0,0,0\n0,.1,0,,1\n", 600 },
                { WITHIN "0,.1,0,,\n0,.3,0,0,0\n0,.1,0,0,0\n0,.05,0,0,2\n", 400 },
                { WITHIN "0,.1,0,,\n0,.3,0,0,0\n0,.2,0,,0\n0,.1,0,2,2\n0,.4,0,,2\n", 1100 },
                { WITHIN "0,.1,0,,\n0,.3,0,0,0\n0,.5,0,,\n", 500 },
        };
        for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
                struct taskgraph *graph = read_text("tasks.csv", cases[i].text);
                int64_t path_ns = taskgraph_part(graph, 0, 0)->path_ns;
                if (path_ns != cases[i].path_ms * 1000000)
                        fail_msg("case %zu: %lld ns", i, (long long)path_ns);
                taskgraph_destroy(graph);
        }
}

static uint64_t hash_of(const char *text)
{
        struct taskgraph *graph = read_text("tasks.csv", text);
        uint64_t hash = taskgraph_hash(graph);
        taskgraph_destroy(graph);
        return hash;
}

/* Tasks are numbered by iteration and apprank, and a run begins anew after the last iteration. */
static void iterations_are_apart(void **state)
{
        (void)state;
        struct taskgraph *graph = read_text("tasks.csv", "apprank,iteration,seconds,bytes,after\n"
                                                         "0,0,0.5,8,\n"
                                                         "0,2,0,0,\n"
                                                         "1,1,0.125,1,\n"
                                                         "0,0,0.25,8,0\n"
                                                         "1,1,0.5,1,0\n"
                                                         "0,1,2,4,\n");
        static const int32_t ntask[3][2] = { { 2, 0 }, { 1, 2 }, { 1, 0 } };
        static const int64_t path_ms[3][2] = { { 750, 0 }, { 2000, 625 }, { 0, 0 } };
        assert_int_equal(taskgraph_niteration(graph), 3);
        assert_int_equal(taskgraph_napprank(graph), 2);
        assert_true(taskgraph_ntask(graph) == 6);
        for (int32_t i = 0; i < 12; i++)
                for (int32_t a = 0; a < 2; a++) {
                        const struct taskgraph_part *part = taskgraph_part(graph, i, a);
                        assert_ptr_equal(part, taskgraph_part(graph, i % 3, a));
                        assert_int_equal(part->ntask, ntask[i % 3][a]);
                        assert_int_equal(part->path_ns, path_ms[i % 3][a] * 1000000);
                }
        assert_successors(taskgraph_part(graph, 1, 1), 0, 1, (int32_t[]){ 1 });
        assert_null(taskgraph_part(graph, 1, 0)->first);
        taskgraph_destroy(graph);
        uint64_t one = hash_of(HEADER "0,1,0,\n0,2,0,0\n");
        assert_true(one == hash_of(ITERATIONS "0,0,1,0,\n0,0,2,0,0\n"));
        assert_true(one != hash_of(ITERATIONS "0,0,1,0,\n0,0,2,0,0\n1,0,1,0,\n1,0,2,0,0\n"));
        assert_true(hash_of(ITERATIONS "0,0,1,0,\n1,0,2,0,\n") !=
                    hash_of(ITERATIONS "0,0,1,0,\n0,1,2,0,\n"));
}

/* So is a workload of them: as many tasks, as long, and as much data in each. */
static void a_workload_has_its_iterations(void **state)
{
        (void)state;
        static const int64_t ntask[] = { 1, 2, 0 }, first_ms[] = { 1000, 500, 0 };
        double param[WORKLOAD_NPARAM];
        struct lb_error err;
        struct taskgraph *graph = read_text("tasks.csv", ITERATIONS "0,0,1,30,\n1,0,0.5,0,\n"
                                                                    "1,0,0.25,0,0\n2,1,3,10,\n");
        lb_param_defaults(workload_params, param);
        param[WORKLOAD_MODEL] = lb_param_choice(&workload_params[WORKLOAD_MODEL], "graph");
        struct workload_spec spec = { .nnode = 2,
                                      .cores_per_node = 4,
                                      .appranks_per_node = 1,
                                      .param = param,
                                      .graph = graph };
        struct workload *workload = workload_create(&spec, &err);
        assert_non_null(workload);
        assert_true(workload_tasks_about(&spec) > 13.3 && workload_tasks_about(&spec) < 13.4);
        for (int32_t i = 0; i < 10; i++) {
                struct work work[2];
                workload_iteration(workload, i, work);
                assert_int_equal(work[0].ntask, ntask[i % 3]);
                assert_int_equal(work[1].ntask, i % 3 == 2);
                assert_int_equal(work[0].task_bytes, 10);
                assert_int_equal(workload_task_ns(workload, 0, i, 0), first_ms[i % 3] * 1000000);
                assert_int_equal(workload_task_ns(workload, 0, i, 1),
                                 i % 3 == 1 ? INT64_C(250000000) : 0);
        }
        workload_destroy(workload);
        taskgraph_destroy(graph);
}

/* What is wrong is named, with its place and what is allowed. */
static void bad_files_are_refused(void **state)
{
        (void)state;
        static const char *const cases[][2] = {
                { "", "bad.csv: not CSV: the file is empty" },
                { "apprank,seconds,bytes,afer\n0,1,0,\n",
                  "bad.csv:1:1: found no column \"after\", allowed is a header with apprank, "
                  "seconds, bytes and after, and iteration where these differ" },
                { ITERATIONS "0,0,1,0,\n-1,0,1,0,\n",
                  "bad.csv:3:1: iteration: found -1, allowed is a whole number from 0 to 999999" },
                { "apprank,seconds,bytes,iteration,after\n0,1,0,1000000,\n",
                  "bad.csv:2:7: iteration: found 1000000, allowed is a whole number from 0 to "
                  "999999" },
                { ITERATIONS "0,0,1,0,\n3,0,1,0,\n1,0,1,0,\n3,0,1,0,\n",
                  "bad.csv:3:1: iteration: found 3, but no task in iteration 2; each of 0 to 3 "
                  "needs one, of 0 seconds where there is nothing to do" },
                { ITERATIONS "999999,0,1,0,\n",
                  "bad.csv:2:1: iteration: found 999999, but no task in iteration 0; " },
                { ITERATIONS "0,0,1,0,\n0,0,1,0,0\n1,0,1,0,\n1,0,1,0,1\n",
                  "bad.csv:5:9: after: found task 1, allowed are earlier tasks of the same "
                  "apprank and iteration, which are numbered from 0; this one is 1" },
                { HEADER, "bad.csv: found no rows, allowed is at least one" },
                { HEADER "0,1,0\n", "bad.csv:2: found 3 cells, the header has 4" },
                { HEADER "0,1,0,\n\n", "bad.csv:3: found 1 cells, the header has 4" },
                { HEADER "0,1,0,\n-1,1,0,\n",
                  "bad.csv:3:1: apprank: found -1, allowed is a whole number from 0 to 65535" },
                { HEADER "65536,1,0,\n",
                  "bad.csv:2:1: apprank: found 65536, allowed is a whole number from 0 to 65535" },
                { HEADER "0,soon,0,\n", "bad.csv:2:3: seconds: found 'soon'" },
                { HEADER "0,3601,0,\n",
                  "bad.csv:2:3: seconds: found 3601, allowed is a number from 0 to 3600 s" },
                { HEADER "0,1,0.5,\n", "bad.csv:2:5: bytes: found '0.5', allowed is a whole number "
                                       "from 0 to 1000000000000" },
                { "apprank,stays,seconds,bytes,after\n0,2,1,0,\n",
                  "bad.csv:2:3: stays: found 2, allowed is a whole number from 0 to 1" },
                { "apprank,priority,seconds,bytes,after\n0,2147483648,1,0,\n",
                  "bad.csv:2:3: priority: found 2147483648, allowed is a whole number from "
                  "-2147483648 to 2147483647" },
                { HEADER "0,1,0,0\n",
                  "bad.csv:2:7: after: found task 0, allowed are earlier tasks of the same "
                  "apprank, which are numbered from 0; this one is 0" },
                { WITHIN "0,1,0,,\n0,1,0,1,0\n",
                  "bad.csv:3:7: within: found task 1, allowed are earlier tasks; this one is 1" },
                { WITHIN "0,1,0,,\n0,1,0,-1,0\n",
                  "bad.csv:3:7: within: found -1, allowed is a whole number from 0 to" },
                { WITHIN "0,1,0,,\n0,1,0,0,\n",
                  "bad.csv:3:7: within: found task 0, but this one comes after no task" },
                { WITHIN "0,1,0,,\n0,1,0,,\n0,1,0,0,1 0\n",
                  "bad.csv:4:7: within: found task 0, but this one comes after task 1; allowed is "
                  "after task 0, or tasks within that one" },
                { WITHIN "0,1,0,,\n0,1,0,0,0\n0,1,0,1,\n",
                  "bad.csv:4:7: within: found task 1, but this one comes after no task; allowed is "
                  "after task 0, or tasks within that one" },
                { HEADER "1,1,0,\n0,1,0,\n0,1,0,0 17\n", "bad.csv:4:9: after: found task 17, " },
                { HEADER "0,1,0,\n0,1,0,99999999999999999999999\n",
                  "bad.csv:3:7: after: found task 99999999999999999999999, " },
                { HEADER "0,1,0,\n0,1,0,0;0\n",
                  "bad.csv:3:7: after: found \"0;0\", allowed are numbers of tasks, separated by "
                  "spaces" },
                { HEADER "0,1,0,\n0,1,0,0 -1\n", "bad.csv:3:9: after: found \"-1\", " },
                { HEADER "0,0,5,\n0,0,5,0\n",
                  "bad.csv: found no work in any row, allowed is some" },
        };
        for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
                struct lb_error err = { 0 };
                write_file("bad.csv", cases[i][0]);
                assert_null(taskgraph_read("bad.csv", &err));
                if (strncmp(err.text, cases[i][1], strlen(cases[i][1])) != 0)
                        fail_msg("case %zu: %s", i, err.text);
        }
        struct lb_error err;
        assert_null(taskgraph_read("no_such_file.csv", &err));
        assert_non_null(strstr(err.text, "cannot read 'no_such_file.csv'"));
        assert_null(taskgraph_read(".", &err));
}

/* Memory goes by iterations x appranks: no more of both than there may be tasks. */
static void too_many_iterations_of_too_many_appranks_are_refused(void **state)
{
        (void)state;
        struct lb_error err;
        FILE *out = fopen("bad.csv", "w");
        assert_non_null(out);
        fputs(ITERATIONS "0,65535,1,0,\n", out);
        for (int i = 0; i < 153; i++)
                fprintf(out, "%d,0,1,0,\n", i);
        assert_int_equal(fclose(out), 0);
        assert_null(taskgraph_read("bad.csv", &err));
        assert_string_equal(err.text, "bad.csv: found 153 iterations of 65536 appranks, allowed "
                                      "are at most 10000000 of both together");
}

/* A file is one of tasks if its first line has a column that only those have. */
static void files_of_tasks_are_known_by_their_header(void **state)
{
        (void)state;
        write_file("a.csv", "iteration,apprank,work_s,tasks\n");
        write_file("b.csv", "apprank,seconds,bytes,afer\n");
        assert_false(taskgraph_is_file("a.csv"));
        assert_true(taskgraph_is_file("b.csv"));
        write_file("b.csv", "\"apprank\",\"seconds\",\"bytes\",\"after\"\n");
        assert_true(taskgraph_is_file("b.csv"));
        assert_false(taskgraph_is_file("no_such_file.csv"));
}

static struct workload *cholesky(double *param, int32_t nnode)
{
        struct lb_error err;
        param[WORKLOAD_MODEL] = lb_param_choice(&workload_params[WORKLOAD_MODEL], "cholesky");
        struct workload_spec spec = { .nnode = nnode,
                                      .cores_per_node = 4,
                                      .appranks_per_node = 1,
                                      .param = param,
                                      .seed = 1 };
        struct workload *workload = workload_create(&spec, &err);
        if (!workload)
                fail_msg("%s", err.text);
        return workload;
}

/* 3 x 3 tiles of 100 rows at 1 GFLOP/s: 16 tasks, worked out by hand. */
static void a_small_factorisation_is_known(void **state)
{
        (void)state;
        double param[WORKLOAD_NPARAM];
        lb_param_defaults(workload_params, param);
        param[WORKLOAD_CHOLESKY_SIZE] = 250;
        param[WORKLOAD_CHOLESKY_BLOCK] = 100;
        param[WORKLOAD_CHOLESKY_GFLOPS] = 1;
        param[WORKLOAD_CHOLESKY_FILL_NS] = 10;
        param[WORKLOAD_CHOLESKY_MATRICES] = 2;
        param[WORKLOAD_IMBALANCE] = 1;
        struct workload *workload = cholesky(param, 1);
        const struct taskgraph_part *part = taskgraph_part(workload_graph_of(workload), 0, 0);
        assert_int_equal(part->ntask, 2 * 16);
        /* fills 0-5; factor 6; solves 7, 8; updates (1,1) 9, (2,1) 10, (2,2) 11; factor 12; ... */
        assert_int_equal(part->task_ns[5], 100000);
        assert_int_equal(part->task_ns[6], 333333);
        assert_int_equal(part->task_ns[7], 1000000);
        assert_int_equal(part->task_ns[9], 1000000);
        assert_int_equal(part->task_ns[10], 2000000);
        assert_successors(part, 0, 1, (int32_t[]){ 6 });
        assert_successors(part, 6, 2, (int32_t[]){ 7, 8 });
        assert_successors(part, 7, 2, (int32_t[]){ 9, 10 });
        assert_successors(part, 8, 2, (int32_t[]){ 10, 11 });
        assert_successors(part, 15, 0, NULL);
        assert_successors(part, 16, 1, (int32_t[]){ 22 });
        assert_true(part->bytes[10] == 3 * 80000 && part->bytes[0] == 0);
        /* fill, factor, solve, update (2,1), solve (2,1), update (2,2), factor */
        assert_int_equal(part->path_ns,
                         100000 + 333333 + 1000000 + 2000000 + 1000000 + 1000000 + 333333);
        assert_int_equal(part->work_ns,
                         2 * (6 * 100000 + 3 * 333333 + 3 * 1000000 + 3 * 1000000 + 2000000));
        workload_destroy(workload);
}

/* Unequal numbers of matrices: as many in all as without imbalance, the most where it should be. */
static void imbalance_is_in_the_numbers_of_matrices(void **state)
{
        (void)state;
        double param[WORKLOAD_NPARAM];
        lb_param_defaults(workload_params, param);
        param[WORKLOAD_CHOLESKY_MATRICES] = 10;
        param[WORKLOAD_IMBALANCE] = 2.5;
        param[WORKLOAD_WORST] = lb_param_choice(&workload_params[WORKLOAD_WORST], "last");
        struct workload *workload = cholesky(param, 8);
        const struct taskgraph *graph = workload_graph_of(workload);
        int64_t sum = 0, one = 952;
        for (int32_t a = 0; a < 8; a++) {
                const struct taskgraph_part *part = taskgraph_part(graph, 0, a);
                assert_int_equal(part->ntask % one, 0);
                sum += part->ntask;
        }
        assert_int_equal(sum, 80 * one);
        assert_in_range(taskgraph_part(graph, 0, 7)->ntask, 24 * one, 26 * one);
        assert_false(workload_alike(workload));
        workload_destroy(workload);
}

/* Loads of a file for more appranks than there are, none, and jitter: all refused. */
static void impossible_workloads_are_refused(void **state)
{
        (void)state;
        struct taskgraph *graph = read_text("tasks.csv", HEADER "0,1,0,\n5,1,0,\n");
        double param[WORKLOAD_NPARAM];
        lb_param_defaults(workload_params, param);
        param[WORKLOAD_MODEL] = lb_param_choice(&workload_params[WORKLOAD_MODEL], "graph");
        struct workload_spec spec = {
                .nnode = 5, .cores_per_node = 4, .appranks_per_node = 1, .param = param, .seed = 1
        };
        struct lb_error err;
        assert_null(workload_create(&spec, &err));
        assert_non_null(strstr(err.text, "found no file"));
        spec.graph = graph;
        assert_null(workload_create(&spec, &err));
        assert_non_null(strstr(err.text, "found tasks of apprank 5, allowed is at most 4"));
        spec.nnode = 6;
        struct workload *workload = workload_create(&spec, &err);
        assert_non_null(workload);
        workload_destroy(workload);
        param[WORKLOAD_JITTER] = lb_param_choice(&workload_params[WORKLOAD_JITTER], "gamma");
        assert_null(workload_create(&spec, &err));
        assert_non_null(strstr(err.text, "jitter: found gamma"));
        taskgraph_destroy(graph);
}

int main(void)
{
        static const struct CMUnitTest tests[] = {
                cmocka_unit_test(some_tasks_stay),
                cmocka_unit_test(some_tasks_are_more_urgent),
                cmocka_unit_test(some_tasks_are_within_others),
                cmocka_unit_test(a_chain_goes_on_when_a_whole_has_ended),
                cmocka_unit_test(rows_become_tasks),
                cmocka_unit_test(iterations_are_apart),
                cmocka_unit_test(a_workload_has_its_iterations),
                cmocka_unit_test(bad_files_are_refused),
                cmocka_unit_test(too_many_iterations_of_too_many_appranks_are_refused),
                cmocka_unit_test(files_of_tasks_are_known_by_their_header),
                cmocka_unit_test(a_small_factorisation_is_known),
                cmocka_unit_test(imbalance_is_in_the_numbers_of_matrices),
                cmocka_unit_test(impossible_workloads_are_refused),
        };
        return cmocka_run_group_tests(tests, NULL, NULL);
}
