/* SPDX-License-Identifier: BSD-3-Clause */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/json.h"
#include "base/random.h"
#include "models/trace.h"
#include "policies/host/metrics.h"
#include "real/control/report.h"

enum { NODE_MAX = 8, APPRANK_MAX = 16, ITERATION_MAX = 40 };

/* A run put together by hand: the job, what its appranks measured, the report of it. */
struct run {
        struct job job;
        double speed[NODE_MAX];
        int32_t apprank_first[APPRANK_MAX + 1], worker_node[APPRANK_MAX];
        struct report_apprank apprank[APPRANK_MAX];
        double start_s[APPRANK_MAX][ITERATION_MAX], end_s[APPRANK_MAX][ITERATION_MAX];
        double work_s[APPRANK_MAX][ITERATION_MAX], mpi_s[APPRANK_MAX][ITERATION_MAX];
        double chain_s[APPRANK_MAX][ITERATION_MAX];
        int64_t tasks[APPRANK_MAX][ITERATION_MAX], offloaded[APPRANK_MAX][ITERATION_MAX];
        double useful_s[ITERATION_MAX * NODE_MAX];
        struct report report;
};

/* Appranks at home, block by block; all else zero. */
static struct run *make_run(int32_t nnode, int32_t cores, int32_t appranks_per_node,
                            int32_t niteration)
{
        struct run *run = calloc(1, sizeof(*run));
        assert_non_null(run);
        int32_t napprank = nnode * appranks_per_node;
        run->job.nnode = nnode;
        run->job.cores_per_node = cores;
        run->job.napprank = run->job.nworker = napprank;
        run->job.degree = 1;
        run->job.speed = run->speed;
        run->job.shape.apprank_first = run->apprank_first;
        run->job.shape.worker_node = run->worker_node;
        strcpy(run->job.system, "baseline");
        for (int32_t n = 0; n < nnode; n++)
                run->speed[n] = 1;
        for (int32_t a = 0; a < napprank; a++) {
                run->apprank_first[a] = a;
                run->worker_node[a] = a / appranks_per_node;
                run->apprank[a] = (struct report_apprank){ .niteration = niteration,
                                                           .start_s = run->start_s[a],
                                                           .end_s = run->end_s[a],
                                                           .work_s = run->work_s[a],
                                                           .mpi_s = run->mpi_s[a],
                                                           .chain_s = run->chain_s[a],
                                                           .tasks = run->tasks[a],
                                                           .offloaded_tasks = run->offloaded[a] };
        }
        run->apprank_first[napprank] = napprank;
        run->report = (struct report){ .job = &run->job,
                                       .apprank = run->apprank,
                                       .node_useful_s = run->useful_s };
        return run;
}

/* An apprank ends iteration i at time end_s, having had work_s. */
static void set(struct run *run, int32_t apprank, int32_t i, double end_s, double work_s)
{
        run->start_s[apprank][i] = i > 0 ? run->end_s[apprank][i - 1] : 0;
        run->end_s[apprank][i] = end_s;
        run->work_s[apprank][i] = work_s;
        run->tasks[apprank][i] = 10;
}

/* ---- JSON ---- */

static void open_report(const struct run *run, struct lb_json *doc)
{
        struct lb_error err;
        assert_int_equal(report_write(&run->report, "report.json", &err), 0);
        if (lb_json_open(doc, "report.json", &err) < 0)
                fail_msg("%s", err.text);
}

static void assert_figure(const struct lb_json *doc, const char *key, double expected)
{
        const cJSON *item = cJSON_GetObjectItemCaseSensitive(doc->root, key);
        if (isnan(expected) ? !cJSON_IsNull(item) : !cJSON_IsNumber(item))
                fail_msg("%s is %s", key, lb_json_kind(item));
        if (!isnan(expected) && !(fabs(item->valuedouble - expected) <= 1e-12 * fabs(expected)))
                fail_msg("%s is %.17g, not %.17g", key, item->valuedouble, expected);
}

static void assert_list(const struct lb_json *doc, const char *key, int count,
                        const double *expected)
{
        const cJSON *list = cJSON_GetObjectItemCaseSensitive(doc->root, key);
        assert_true(cJSON_IsArray(list));
        assert_int_equal(cJSON_GetArraySize(list), count);
        for (int i = 0; i < count; i++)
                assert_true(fabs(cJSON_GetArrayItem(list, i)->valuedouble - expected[i]) <= 1e-12);
}

/* Two nodes of four cores, one of them half as fast; three iterations, the last of which counts. */
static struct run *example(void)
{
        struct run *run = make_run(2, 4, 1, 3);
        strcpy(run->job.system, "global");
        run->job.degree = 2;
        run->job.lewi = run->job.drom = run->job.virtual_nodes = true;
        run->speed[1] = 0.5;
        static const double ends[2][3] = { { 3.5, 6.25, 8.5 }, { 3, 6, 8.75 } };
        static const double works[2][3] = { { 8, 9, 9.5 }, { 1, 2, 0.5 } };
        for (int32_t a = 0; a < 2; a++)
                for (int32_t i = 0; i < 3; i++)
                        set(run, a, i, ends[a][i], works[a][i]);
        run->start_s[0][0] = 0.5;
        run->start_s[1][0] = 0.25;
        run->offloaded[0][1] = 5;
        run->offloaded[0][2] = 4;
        run->mpi_s[1][2] = 0.5;
        run->useful_s[4] = 7.5; /* iteration 2 */
        run->useful_s[5] = 4;
        run->report.bytes_offloaded = 123456789;
        run->chain_s[0][1] = 3;
        run->chain_s[0][2] = 0.25;
        run->chain_s[1][2] = 0.375;
        run->report.copy_s = 0.125;
        run->report.cores_lent = 7;
        run->report.cores_borrowed = 6;
        run->report.cores_reclaimed = 2;
        run->report.ownership_changes = 3;
        run->report.decisions = 5;
        run->report.mpi = "Open MPI";
        run->report.core_manager = "builtin";
        return run;
}

/* The figures of a small run are those worked out by hand. */
static void test_figures(void **state)
{
        (void)state;
        static const double iteration_s[] = { 3.25, 2.75, 2.5 };
        static const double work_s[] = { 9.5, 0.5 }, useful_s[] = { 7.5, 4 };
        struct run *run = example();
        struct lb_json doc;
        run->report.mpi = "Open \"MPI\"\t\\";
        open_report(run, &doc);
        assert_list(&doc, "iteration_s", 3, iteration_s);
        assert_list(&doc, "apprank_work_s", 2, work_s);
        assert_list(&doc, "node_useful_s", 2, useful_s);
        assert_figure(&doc, "time_per_iteration_s", 2.5);
        assert_figure(&doc, "optimal_s", 10.0 / 6);
        assert_figure(&doc, "ratio_to_optimal", 1.5);
        assert_figure(&doc, "without_balancing_s", 9.5 / 4);
        assert_figure(&doc, "first_iteration_s", 3.25);
        assert_figure(&doc, "total_s", 8.5);
        assert_figure(&doc, "apprank_imbalance", 1.9);
        assert_figure(&doc, "node_imbalance", 15.0 / 11.5);
        assert_figure(&doc, "parallel_efficiency", 11.5 / 20);
        assert_figure(&doc, "load_balance", 11.5 / 15);
        assert_figure(&doc, "communication_efficiency", 0.75);
        assert_figure(&doc, "mpi_fraction", 0.1);
        assert_figure(&doc, "tasks", 60);
        assert_figure(&doc, "offloaded_tasks", 9);
        assert_figure(&doc, "offloaded_fraction", 0.15);
        assert_figure(&doc, "offloaded_bytes", 123456789);
        assert_figure(&doc, "chain_s", 0.375);
        assert_figure(&doc, "ends_apart_s", 0.25);
        assert_figure(&doc, "copy_s", 0.125);
        assert_figure(&doc, "steady_offloaded_fraction", 0.2);
        assert_figure(&doc, "imbalance_fraction", 0.25); /* node 1 is slower */
        assert_figure(&doc, "ownership_changes", 3);
        assert_figure(&doc, "decisions", 5);
        for (int m = 0; m < METRIC_ALL; m++) {
                bool live = (metric_table[m].hosts & METRIC_OF_LIVE) != 0;
                assert_true(cJSON_HasObjectItem(doc.root, metric_table[m].name) == live);
        }
        assert_figure(&doc, "nodes", 2);
        assert_figure(&doc, "cores", 4);
        assert_figure(&doc, "degree", 2);
        assert_figure(&doc, "appranks", 2);
        const cJSON *system = cJSON_GetObjectItemCaseSensitive(doc.root, "system");
        assert_string_equal(cJSON_GetStringValue(system), "global");
        const cJSON *mpi = cJSON_GetObjectItemCaseSensitive(doc.root, "mpi");
        assert_string_equal(cJSON_GetStringValue(mpi), "Open \"MPI\"\t\\");
        lb_json_close(&doc);
        free(run);
}

/* The last third begins where lbsim's does: ceil(2 n / 3), the last iteration where there are few.
 */
static void test_last_third(void **state)
{
        (void)state;
        static const int32_t first[] = { 0, 1, 2, 3, 4, 4, 5, 6, 6, 7 }; /* of 1 to 10 iterations */
        for (int32_t n = 1; n <= 10; n++) {
                struct run *run = make_run(1, 1, 1, n);
                struct lb_json doc;
                double end_s = 0, sum_s = 0;
                for (int32_t i = 0; i < n; i++) {
                        end_s += i + 1;
                        sum_s += i >= first[n - 1] ? i + 1 : 0;
                        set(run, 0, i, end_s, 1);
                }
                open_report(run, &doc);
                assert_figure(&doc, "time_per_iteration_s", sum_s / (n - first[n - 1]));
                lb_json_close(&doc);
                free(run);
        }
}

/* Without balancing each apprank has its part of its home's cores, as baseline gives them: 2, 2 and
 * 4 of 8. */
static void test_without_balancing(void **state)
{
        (void)state;
        static const struct {
                double work_s[6], expected_s;
        } cases[] = {
                { { 12, 1, 1, 1, 1, 1 }, 6 },
                { { 1, 12, 1, 1, 1, 1 }, 6 },
                { { 1, 1, 18, 1, 1, 1 }, 4.5 },
                { { 1, 1, 1, 12, 1, 1 }, 24 }, /* the second node is slow */
                { { 0, 0, 0, 0, 0, 0 }, 0 },
        };
        for (size_t c = 0; c < sizeof(cases) / sizeof(cases[0]); c++) {
                struct run *run = make_run(2, 8, 3, 1);
                struct lb_json doc;
                run->speed[1] = 0.25;
                for (int32_t a = 0; a < 6; a++)
                        set(run, a, 0, 5, cases[c].work_s[a]);
                open_report(run, &doc);
                assert_figure(&doc, "without_balancing_s", cases[c].expected_s);
                lb_json_close(&doc);
                free(run);
        }
}

/* A run without iterations has counts, and null for all that is by iteration. */
static void test_no_iterations(void **state)
{
        (void)state;
        struct run *run = make_run(2, 4, 1, 3);
        struct lb_json doc;
        set(run, 0, 0, 1, 1);
        run->apprank[1].niteration = 0;
        open_report(run, &doc);
        assert_figure(&doc, "iterations", 0);
        assert_figure(&doc, "time_per_iteration_s", NAN);
        assert_figure(&doc, "apprank_imbalance", NAN);
        assert_figure(&doc, "tasks", 10);
        assert_list(&doc, "iteration_s", 0, NULL);
        lb_json_close(&doc);
        free(run);
}

/* An apprank that is an iteration ahead does not change those that all have ended. */
static void test_unequal_iterations(void **state)
{
        (void)state;
        struct run *run = make_run(2, 4, 1, 2);
        struct lb_json doc;
        set(run, 0, 0, 2, 4);
        set(run, 0, 1, 100, 400);
        set(run, 1, 0, 3, 8);
        run->apprank[1].niteration = 1;
        open_report(run, &doc);
        assert_figure(&doc, "iterations", 1);
        assert_figure(&doc, "time_per_iteration_s", 3);
        assert_figure(&doc, "optimal_s", 1.5);
        assert_figure(&doc, "tasks", 30);
        lb_json_close(&doc);
        free(run);
}

/* What cannot be written is an error, and leaves nothing. */
static void test_unwritable(void **state)
{
        (void)state;
        struct run *run = example();
        struct lb_error err;
        assert_int_equal(report_write(&run->report, "absent/report.json", &err), -1);
        assert_non_null(strstr(err.text, "cannot write 'absent/report.json'"));
        assert_int_equal(report_write_loads(&run->report, "absent/loads.csv", &err), -1);
        assert_non_null(strstr(err.text, "cannot write 'absent/loads.csv'"));
        assert_int_equal(report_write(&run->report, "/dev/full/x", &err), -1);
        free(run);
}

/* ---- Loads ---- */

/* The measured work reads back as a trace, digit for digit. */
static void test_loads(void **state)
{
        (void)state;
        struct lb_random random;
        struct lb_error err;
        lb_random_init(&random, 5, LB_RANDOM_LOADS, 0);
        struct run *run = make_run(3, 4, 2, 20);
        for (int32_t a = 0; a < 6; a++) {
                for (int32_t i = 0; i < 20; i++) {
                        set(run, a, i, i, lb_random_unit(&random) * 1000 + 1e-9);
                        run->tasks[a][i] = 1 + (int64_t)lb_random_below(&random, 1000);
                }
        }
        run->work_s[4][7] = 0;
        run->tasks[4][7] = 0;
        assert_int_equal(report_write_loads(&run->report, "loads.csv", &err), 0);
        struct trace *trace = trace_read("loads.csv", &err);
        if (!trace)
                fail_msg("%s", err.text);
        assert_int_equal(trace_napprank(trace), 6);
        assert_int_equal(trace_niteration(trace), 20);
        for (int32_t a = 0; a < 6; a++) {
                for (int32_t i = 0; i < 20; i++) {
                        assert_true(trace_work_s(trace, i, a) == run->work_s[a][i]);
                        assert_int_equal(trace_tasks(trace, i, a), run->tasks[a][i]);
                }
        }
        trace_destroy(trace);
        double cost[20] = { [3] = 1e9 }; /* one apprank's tasks had some */
        char line[64];
        run->apprank[1].cost = cost;
        assert_int_equal(report_write_loads(&run->report, "loads.csv", &err), 0);
        FILE *in = fopen("loads.csv", "r");
        assert_non_null(in);
        assert_non_null(fgets(line, sizeof(line), in));
        assert_string_equal(line, "iteration,apprank,work_s,tasks,cost\n");
        int64_t with_cost = 0;
        while (fgets(line, sizeof(line), in))
                with_cost += strncmp(line, "3,1,", 4) == 0 && strstr(line, ",1000000000\n");
        fclose(in);
        assert_int_equal(with_cost, 1);
        trace = trace_read("loads.csv", &err);
        assert_non_null(trace);
        trace_destroy(trace);
        free(run);
}

/* ---- The table ---- */

static void print(const struct run *run, char *text, size_t size)
{
        FILE *out = fopen("table.txt", "w+");
        assert_non_null(out);
        report_print(&run->report, out);
        rewind(out);
        size_t length = fread(text, 1, size - 1, out);
        text[length] = '\0';
        fclose(out);
}

static void check_size(const char *text)
{
        int nline = 0;
        for (const char *end; *text; text = end + 1, nline++) {
                end = strchr(text, '\n');
                assert_non_null(end);
                if (end - text > 80)
                        fail_msg("%.*s", (int)(end - text), text);
        }
        assert_in_range(nline, 1, 25);
}

/* The verdict stands first, and the table says what the figures are. */
static void test_table(void **state)
{
        (void)state;
        static const char *const parts[] = {
                "\n  2 virtual nodes x 4 cores, 2 appranks, Open MPI, core manager builtin\n",
                "2.500 s   last 1 of 3; the first took 3.250 s\n",
                "max/avg of work, load balance 0.53\n",
                "15.0 % of them\n",
                "123.5 MB   between nodes\n",
                "borrowed 6, reclaimed 2\n",
                "most work: appranks     0 (1.90)\n",
        };
        struct run *run = example();
        char text[4096];
        print(run, text, sizeof(text));
        check_size(text);
        static const char verdict[] =
            "imbalance 1.90 (max/avg) among appranks; balanced by global at degree 2: 50.0 %\n"
            "above the bound; without balancing an estimated 2.375 s per iteration\n";
        assert_memory_equal(text, verdict, strlen(verdict));
        for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++)
                if (!strstr(text, parts[i]))
                        fail_msg("'%s' is not in\n%s", parts[i], text);
        assert_null(strstr(text, "note:"));
        for (size_t length = 1; length < sizeof(run->job.system); length++) {
                memset(run->job.system, 'x', length); /* wherever the line is broken */
                run->job.system[length] = '\0';
                print(run, text, sizeof(text));
                assert_null(strstr(text, "\n%"));
        }
        free(run);
}

/* Appranks that do not wait for each other: the last third is over before its work could be done,
 * which is said, and not where they are no more apart than an iteration is long. */
static void test_apart(void **state)
{
        (void)state;
        struct run *run = example();
        char text[4096];
        for (int32_t a = 0; a < 2; a++)
                run->start_s[a][2] = run->end_s[a][1] = a ? 8.5 : 2;
        print(run, text, sizeof(text));
        check_size(text);
        assert_non_null(strstr(text, "below the bound; "));
        assert_non_null(strstr(text, "note: below the bound, as appranks do not wait for each"));
        assert_non_null(strstr(text, "6.500 s before"));
        run->start_s[0][2] = run->end_s[0][1] = 8.5;
        print(run, text, sizeof(text));
        assert_null(strstr(text, "note:"));
        free(run);
}

/* What was not balanced says what it could gain; shared cores get a note. */
static void test_verdicts(void **state)
{
        (void)state;
        struct run *run = example();
        char text[4096];
        run->job.degree = 1;
        run->job.lewi = run->job.drom = false;
        strcpy(run->job.system, "baseline");
        run->report.load_gap = 0.234;
        print(run, text, sizeof(text));
        assert_non_null(strstr(text, "not balanced (baseline): 50.0 % above"));
        assert_non_null(strstr(text, "up to 33 % of the time could be saved"));
        assert_non_null(
            strstr(text, "note: up to 23 % of the tasks' time was not processor time:"));
        for (int32_t a = 0; a < 2; a++)
                set(run, a, 2, 8.5, 0);
        print(run, text, sizeof(text));
        assert_memory_equal(text, "no task ran in the iterations that count", 40);
        assert_null(strstr(text, "the bound;"));
        assert_null(strstr(text, "above"));
        run->apprank[0].niteration = 0;
        print(run, text, sizeof(text));
        assert_memory_equal(text, "no figures by iteration", 23);
        check_size(text);
        free(run);
}

/* Virtual CPUs: their speed is told; a run in which one missed its quota is marked before all else,
 * in text and JSON. */
static void test_virtual_cpus(void **state)
{
        (void)state;
        struct run *run = example();
        char text[4096];
        run->job.param[JOB_VIRTUAL_CPUS] = 1;
        run->job.param[JOB_CPU_SPEED] = 0.25;
        run->report.cpus = (struct cpu_stat){ 812, 790, 2.5 };
        run->report.message_delay_us = 21;
        run->report.cpus_missed = 0.04;
        run->report.load_gap = 0.75; /* what a quota of a quarter makes of it */
        print(run, text, sizeof(text));
        assert_null(strstr(text, "INVALID"));
        assert_null(strstr(text, "note:"));
        assert_non_null(strstr(text,
                               "speed of virtual CPUs          0.25   of real ones; the least "
                               "had 96.0 %"));
        assert_non_null(strstr(text, "21.000 us   MPI between virtual CPUs"));
        run->report.cpus_missed = 0.3;
        print(run, text, sizeof(text));
        assert_memory_equal(text, "INVALID: a virtual CPU missed 30 % of its quota", 47);
        check_size(text);
        struct lb_json doc;
        open_report(run, &doc);
        assert_true(cJSON_IsFalse(cJSON_GetObjectItem(doc.root, "valid")));
        const cJSON *cpus = cJSON_GetObjectItem(doc.root, "virtual_cpus");
        static const struct {
                const char *name;
                double value;
        } rows[] = { { "speed", 0.25 },      { "quota_us", 1000 },      { "period_us", 4000 },
                     { "missed", 0.3 },      { "periods", 812 },        { "throttled", 790 },
                     { "throttled_s", 2.5 }, { "message_delay_us", 21 } };
        for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
                const cJSON *figure = cJSON_GetObjectItem(cpus, rows[i].name);
                assert_true(figure && figure->valuedouble == rows[i].value);
        }
        lb_json_close(&doc);
        run->job.param[JOB_VIRTUAL_CPUS] = 0;
        run->report.cpus_missed = 0;
        open_report(run, &doc);
        assert_true(cJSON_IsTrue(cJSON_GetObjectItem(doc.root, "valid")));
        assert_true(cJSON_IsNull(cJSON_GetObjectItem(doc.root, "virtual_cpus")));
        lb_json_close(&doc);
        free(run);
}

/* Whatever was measured, the table has at most 25 lines of 80 columns. */
static void test_table_size(void **state)
{
        (void)state;
        struct lb_random random;
        lb_random_init(&random, 3, LB_RANDOM_LOADS, 0);
        for (int round = 0; round < 200; round++) {
                struct run *run = make_run(1 + (int32_t)lb_random_below(&random, NODE_MAX),
                                           1 + (int32_t)lb_random_below(&random, 1024),
                                           1 + (int32_t)lb_random_below(&random, 2),
                                           (int32_t)lb_random_below(&random, ITERATION_MAX));
                double scale = pow(10, 24 * lb_random_unit(&random) - 12);
                for (int32_t a = 0; a < run->job.napprank; a++)
                        for (int32_t i = 0; i < run->apprank[a].niteration; i++)
                                set(run, a, i, scale * (i + 1), scale * lb_random_unit(&random));
                run->job.lewi = round % 2;
                run->job.degree = 1 + round % 9;
                run->report.mpi =
                    "an MPI library of a rather long name and version 10.20.30, and more";
                run->report.core_manager = "one of a rather long name";
                run->report.bytes_offloaded = INT64_MAX >> lb_random_below(&random, 63);
                run->report.cores_lent = run->report.cores_borrowed = INT64_MAX;
                run->report.cores_reclaimed = run->report.ownership_changes = INT64_MAX;
                run->report.load_gap = scale;
                run->job.param[JOB_VIRTUAL_CPUS] = round % 3 == 0;
                run->job.param[JOB_CPU_SPEED] = lb_random_unit(&random);
                run->report.cpus_missed = round % 3 == 0 ? lb_random_unit(&random) : 0;
                run->report.message_delay_us = scale;
                char text[8192];
                print(run, text, sizeof(text));
                check_size(text);
                free(run);
        }
}

int main(void)
{
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(test_figures),
                cmocka_unit_test(test_last_third),
                cmocka_unit_test(test_without_balancing),
                cmocka_unit_test(test_no_iterations),
                cmocka_unit_test(test_unequal_iterations),
                cmocka_unit_test(test_unwritable),
                cmocka_unit_test(test_loads),
                cmocka_unit_test(test_table),
                cmocka_unit_test(test_apart),
                cmocka_unit_test(test_verdicts),
                cmocka_unit_test(test_virtual_cpus),
                cmocka_unit_test(test_table_size),
        };
        return cmocka_run_group_tests(tests, NULL, NULL);
}
