/* SPDX-License-Identifier: BSD-3-Clause */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/random.h"
#include "models/trace.h"
#include "models/workload.h"

#define HEADER "iteration,apprank,work_s,tasks\n"

static void write_file(const char *name, const char *text, size_t size)
{
        FILE *out = fopen(name, "w");
        assert_non_null(out);
        assert_int_equal(fwrite(text, 1, size, out), size);
        assert_int_equal(fclose(out), 0);
}

static struct trace *read_text(const char *name, const char *text)
{
        struct lb_error err;
        write_file(name, text, strlen(text));
        struct trace *trace = trace_read(name, &err);
        if (!trace)
                fail_msg("%s", err.text);
        return trace;
}

/* Tasks that nobody has counted are one for each rank with work, and known to be unknown. */
static void test_without_tasks(void **state)
{
        (void)state;
        static const char *const texts[][2] = {
                { "t.csv", "iteration,apprank,work_s\n0,0,12.5\n0,1,0\n" },
                { "t.json", "[{\"iteration\": 0, \"apprank\": 0, \"work_s\": 12.5},\n"
                            "{\"iteration\": 0, \"apprank\": 1, \"work_s\": 0}]" },
        };
        for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
                struct trace *trace = read_text(texts[i][0], texts[i][1]);
                assert_false(trace_has_tasks(trace));
                assert_true(trace_tasks(trace, 0, 0) == 1 && trace_tasks(trace, 0, 1) == 0);
                assert_true(trace_work_s(trace, 0, 0) == 12.5);
                trace_destroy(trace);
        }
        struct trace *trace = read_text("t.csv", HEADER "0,0,12.5,1\n");
        assert_true(trace_has_tasks(trace));
        trace_destroy(trace);
}

/* The same work as CSV, as CSV in another order with other line ends, and as JSON reads the same.
 */
static void test_formats(void **state)
{
        (void)state;
        static const char *const texts[][2] = {
                { "t.csv", HEADER "0,0,12.5,800\n0,1,4.25,80\n1,0,0,0\n1,1,1e-3,1\n" },
                { "t.csv", "iteration,apprank,work_s,tasks\r\n1,1,0.001,1\r\n0,0,12.50,800\r\n"
                           "1,0,-0.0,0\r\n0,1,4.25,80" },
                { "t.json",
                  "[{\"iteration\": 0, \"apprank\": 1, \"tasks\": 80, \"work_s\": 4.25},\n"
                  "{\"iteration\": 1, \"apprank\": 0, \"tasks\": 0, \"work_s\": 0},\n"
                  "{\"iteration\": 0, \"apprank\": 0, \"tasks\": 800, \"work_s\": 12.5},\n"
                  "{\"iteration\": 1, \"apprank\": 1, \"tasks\": 1, \"work_s\": 0.001}]" },
                { "t.csv", "iteration,apprank,work_s,tasks,cost\n0,0,12.5,800,3e12\n0,1,4.25,80,0\n"
                           "1,0,0,0,0\n1,1,1e-3,1,7.5\n" },
                { "t.csv", "cost,tasks,apprank,work_s,iteration\n3e12,800,0,12.5,0\n"
                           "0,80,1,4.25,0\n0,0,0,0,1\n7.5,1,1,1e-3,1\n" },
        };
        uint64_t hash = 0;
        for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
                struct trace *trace = read_text(texts[i][0], texts[i][1]);
                assert_int_equal(trace_napprank(trace), 2);
                assert_int_equal(trace_niteration(trace), 2);
                assert_true(trace_work_s(trace, 0, 0) == 12.5 && trace_tasks(trace, 0, 0) == 800);
                assert_true(trace_work_s(trace, 0, 1) == 4.25 && trace_tasks(trace, 0, 1) == 80);
                assert_true(trace_work_s(trace, 1, 0) == 0 && trace_tasks(trace, 1, 0) == 0);
                assert_true(trace_work_s(trace, 1, 1) == 0.001 && trace_tasks(trace, 1, 1) == 1);
                assert_true(i == 0 || trace_hash(trace) == hash);
                hash = trace_hash(trace);
                trace_destroy(trace);
        }
        struct trace *serial =
            read_text("t.csv", "iteration,apprank,work_s,tasks,serial_s\n0,0,12.5,800,2.5\n"
                               "0,1,4.25,80,0\n1,0,0,0,0\n1,1,1e-3,1,0\n");
        assert_true(trace_serial_s(serial, 0, 0) == 2.5 && trace_serial_s(serial, 0, 1) == 0);
        assert_true(trace_hash(serial) != hash);
        trace_destroy(serial);
        struct trace *other = read_text("t.csv", HEADER "0,0,12.5,800\n0,1,4.25,80\n");
        assert_true(trace_serial_s(other, 0, 0) == 0);
        assert_true(trace_hash(other) != hash);
        trace_destroy(other);
}

struct bad {
        const char *name, *text, *message;
};

static void check_bad(const struct bad *row)
{
        struct lb_error err = { 0 };
        write_file(row->name, row->text, strlen(row->text));
        assert_null(trace_read(row->name, &err));
        if (err.kind != LB_ERROR_INPUT || !strstr(err.text, row->message))
                fail_msg("got '%s', expected '%s'", err.text, row->message);
}

/* What is wrong with a value or a line is said with line and column. */
static void test_bad_lines(void **state)
{
        (void)state;
        static const struct bad rows[] = {
                { "t.csv", "", "t.csv:1:1: found \"\", allowed is the line \"iteration,apprank" },
                { "t.csv", "0,0,1,1\n", "t.csv:1:1: found \"0,0,1,1\", allowed is the line" },
                { "t.csv", HEADER, "t.csv: found no rows" },
                { "t.csv", "iteration,apprank,work_s,work_s\n0,0,1,1\n", "t.csv:1:1: found" },
                { "t.csv", "iteration,apprank,tasks\n0,0,1\n", "t.csv:1:1: found" },
                { "t.csv", "iteration,apprank,work_s,cost\n0,0,1,1\n", "t.csv:1:1: found" },
                { "t.csv", "work_s,apprank,iteration\n1,0\n",
                  "t.csv:2:1: found 2 values, allowed are 3: work_s, apprank, iteration" },
                { "t.csv", "work_s,apprank,iteration\n1,-1,0\n", "t.csv:2:3: apprank: found -1" },
                { "t.csv", HEADER "0,0,1\n", "t.csv:2:1: found 3 values, allowed are 4" },
                { "t.csv", HEADER "0,0,1,1,1\n", "t.csv:2:1: found 5 values" },
                { "t.csv", "iteration,apprank,work_s,tasks,cost\n0,0,1,1,-2\n",
                  "t.csv:2:9: cost: found -2, allowed is a number from 0" },
                { "t.csv", "iteration,apprank,work_s,tasks,serial_s\n0,0,2,1,2\n",
                  "t.csv:2:9: found 2 s of 2 s of work before any task" },
                { "t.csv", HEADER "0,0,1,1\n\n", "t.csv:3:1: found an empty line" },
                { "t.csv", HEADER "0,0,nan,1\n",
                  "t.csv:2:5: work_s: found 'nan', allowed is a number from 0" },
                { "t.csv", HEADER "0,0,inf,1\n", "t.csv:2:5: work_s: found 'inf'" },
                { "t.csv", HEADER "0,0,1e999,1\n", "t.csv:2:5: work_s: found '1e999'" },
                { "t.csv", HEADER "0,0,0x10,1\n", "t.csv:2:5: work_s: found '0x10'" },
                { "t.csv", HEADER "0,0,,1\n", "t.csv:2:5: work_s: found ''" },
                { "t.csv", HEADER "0,0,1 s,1\n", "t.csv:2:5: work_s: found '1 s'" },
                { "t.csv", HEADER "0,0,-0.5,1\n", "t.csv:2:5: work_s: found -0.5, allowed is" },
                { "t.csv", HEADER "0,0,0,5\n",
                  "t.csv:2:5: found no work in 5 tasks, allowed is more than 0 s" },
                { "t.csv", HEADER "0,0,0.25,0\n",
                  "t.csv:2:10: found 0 tasks with 0.25 s of work, allowed is at least 1" },
                { "t.csv", HEADER "0,0,7201,2\n",
                  "t.csv:2:5: found 7201 s of work in 2 tasks, allowed is at most 3600 s a task" },
                { "t.csv", HEADER "0,0,1,1.5\n", "t.csv:2:7: tasks: found '1.5'" },
                { "t.csv", HEADER "0,0,1,3000000000\n", "t.csv:2:7: tasks: found 3000000000" },
                { "t.csv", HEADER "-1,0,1,1\n", "t.csv:2:1: iteration: found -1" },
                { "t.csv", HEADER "0,65536,1,1\n", "t.csv:2:3: apprank: found 65536" },
                { "t.csv", HEADER "1000000,0,1,1\n", "t.csv:2:1: iteration: found 1000000" },
                { "t.csv", HEADER "0,\"0\",1,1\n", "t.csv:2:3: apprank: found '\"0\"'" },
                { "t.csv", HEADER "0,0,0,0\n", "t.csv:2:1: found no work in any row" },
                { "t.json", "{}", "t.json:1:1: found an object, allowed is an array of objects" },
                { "t.json", "[]", "t.json: found no rows" },
                { "t.json", "[1]", "t.json:1:2: /0: found a number, allowed is an object" },
                { "t.json", "[\n{\"iteration\": 0, \"apprank\": 0, \"work_s\": -1, \"tasks\": 1}]",
                  "t.json:2:42: /0/work_s: found -1, allowed is a number from 0" },
                { "t.json", "[{\"iteration\": 0, \"apprank\": 0, \"work_s\": \"1\"}]",
                  "/0/work_s: found \"1\", allowed is a number" },
                { "t.json", "[{\"iteration\": 0, \"apprank\": 0, \"tasks\": 1}]",
                  "t.json:1:2: /0: \"work_s\" is needed" },
                { "t.csv", "iteration,apprank,work_s\n0,0,1,4\n",
                  "t.csv:2:1: found 4 values, allowed are 3: iteration, apprank, work_s" },
                { "t.json", "[{\"work\": 0}]", "t.json:1:2: /0: unknown key \"work\"" },
                { "t.json", "[{\"iteration\": 0, \"apprank\": 0, \"work_s\": NaN}]", "not JSON" },
        };
        for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
                check_bad(&rows[i]);
}

/* Rows that are missing or there twice are named, at a line of the file. */
static void test_bad_rows(void **state)
{
        (void)state;
        static const struct bad rows[] = {
                { "t.csv", HEADER "0,0,1,1\n0,2,1,1\n",
                  "t.csv:3:1: apprank 1 has no row in iteration 0; each of appranks 0 to 2 needs "
                  "one in each of iterations 0 to 0" },
                { "t.csv", HEADER "0,1,1,1\n", "t.csv:2:1: apprank 0 has no row in iteration 0" },
                { "t.csv", HEADER "0,0,1,1\n0,1,1,1\n1,0,1,1\n",
                  "t.csv:4:1: apprank 1 has no row in iteration 1" },
                { "t.csv", HEADER "0,0,1,1\n0,1,1,1\n1,1,1,1\n2,0,1,1\n2,1,1,1\n",
                  "t.csv:4:1: apprank 0 has no row in iteration 1" },
                { "t.csv", HEADER "0,0,1,1\n999999,0,1,1\n",
                  "t.csv:3:1: apprank 0 has no row in iteration 1" },
                { "t.csv", HEADER "0,1,1,1\n0,0,1,1\n0,1,2,1\n",
                  "t.csv:4:1: apprank 1 has a second row in iteration 0, allowed is one (the first "
                  "is in line 2)" },
                { "t.json",
                  "[{\"iteration\": 0, \"apprank\": 0, \"work_s\": 1, \"tasks\": 1},\n"
                  "{\"iteration\": 0, \"apprank\": 0, \"work_s\": 1, \"tasks\": 1}]",
                  "t.json:2:1: /1: apprank 0 has a second row in iteration 0, allowed is one (the "
                  "first is in line 1)" },
        };
        for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
                check_bad(&rows[i]);
}

/* Files that are not text, or no files at all, are refused; nothing is read without end. */
static void test_bad_files(void **state)
{
        (void)state;
        static const char nul[] = HEADER "0,0,1,1\n0,1,\0,1\n";
        static const struct {
                const char *name, *message;
        } rows[] = {
                { "nul.csv", "nul.csv:3:1: found a NUL byte or more than 254 characters" },
                { "absent.csv", "cannot read 'absent.csv': No such file" },
                { "absent.json", "cannot read 'absent.json': No such file" },
                { ".", "cannot read '.': it is a directory" },
                { "/dev/zero", "/dev/zero:1:1: found a NUL byte" },
                { "/dev/null", "/dev/null:1:1: found \"\"" },
        };
        write_file("nul.csv", nul, sizeof(nul) - 1);
        for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
                struct lb_error err = { 0 };
                assert_null(trace_read(rows[i].name, &err));
                if (err.kind != LB_ERROR_INPUT || !strstr(err.text, rows[i].message))
                        fail_msg("got '%s', expected '%s'", err.text, rows[i].message);
        }
}

/* One row more than allowed is refused before all of them are looked at together. */
static void test_too_many_rows(void **state)
{
        (void)state;
        FILE *out = fopen("many.csv", "w");
        struct lb_error err = { 0 };
        assert_non_null(out);
        fputs(HEADER, out);
        for (int i = 0; i <= TRACE_ROW_MAX; i++)
                fputs("0,0,1,1\n", out);
        assert_int_equal(fclose(out), 0);
        assert_null(trace_read("many.csv", &err));
        remove("many.csv");
        assert_string_equal(err.text, "many.csv:10000002:1: found more rows, allowed are at most "
                                      "10000000");
}

/* ---- Random traces ---- */

enum { NROW_MAX = 200 };

struct row {
        int iteration, apprank, tasks;
        double work_s;
};

static int make_rows(struct row *row, int32_t napprank, int32_t niteration,
                     struct lb_random *random)
{
        int n = 0;
        for (int i = 0; i < niteration; i++) {
                for (int a = 0; a < napprank; a++, n++) {
                        int tasks = (int)lb_random_below(random, 4);
                        tasks = n == 0 && tasks == 0 ? 1 : tasks;
                        double work_s = tasks > 0 ? 1e-9 + 100 * lb_random_unit(random) : 0;
                        row[n] = (struct row){ i, a, tasks, work_s };
                }
        }
        return n;
}

static void shuffle(struct row *row, int n, struct lb_random *random)
{
        for (int i = n - 1; i > 0; i--) {
                int j = (int)lb_random_below(random, (uint64_t)i + 1);
                struct row last = row[i];
                row[i] = row[j];
                row[j] = last;
        }
}

static const char *write_rows(const struct row *row, int n, bool json)
{
        const char *name = json ? "random.json" : "random.csv";
        FILE *out = fopen(name, "w");
        assert_non_null(out);
        fputs(json ? "[" : HEADER, out);
        for (int i = 0; i < n; i++) {
                if (json)
                        fprintf(out,
                                "%s{\"iteration\": %d, \"apprank\": %d, \"work_s\": %.17g, "
                                "\"tasks\": %d}",
                                i ? ",\n" : "", row[i].iteration, row[i].apprank, row[i].work_s,
                                row[i].tasks);
                else
                        fprintf(out, "%d,%d,%.17g,%d\n", row[i].iteration, row[i].apprank,
                                row[i].work_s, row[i].tasks);
        }
        fputs(json ? "]" : "", out);
        assert_int_equal(fclose(out), 0);
        return name;
}

static void check_rows(const struct trace *trace, const struct row *row, int n)
{
        double tasks = 0;
        for (int i = 0; i < n; i++) {
                assert_true(trace_work_s(trace, row[i].iteration, row[i].apprank) == row[i].work_s);
                assert_true(trace_tasks(trace, row[i].iteration, row[i].apprank) == row[i].tasks);
                tasks += row[i].tasks;
        }
        assert_true(trace_all_tasks(trace, trace_niteration(trace)) == tasks);
        assert_true(trace_all_tasks(trace, 3 * trace_niteration(trace)) == 3 * tasks);
}

/* Writes one row twice, then leaves one out: each time the trace is refused. */
static void check_damaged(struct row *row, int n, bool json, struct lb_random *random)
{
        struct lb_error err = { 0 };
        row[n] = row[lb_random_below(random, (uint64_t)n)];
        assert_null(trace_read(write_rows(row, n + 1, json), &err));
        assert_non_null(strstr(err.text, "has a second row in iteration"));
        assert_null(trace_read(write_rows(row, n - 1, json), &err));
        assert_non_null(strstr(err.text, "has no row in iteration"));
}

/* A trace reads back as it was written, in whatever order; with a row less or twice, not at all. */
static void test_random(void **state)
{
        (void)state;
        struct lb_random random;
        lb_random_init(&random, 11, LB_RANDOM_LOADS, 0);
        for (int round = 0; round < 60; round++) {
                struct row row[NROW_MAX + 1];
                struct lb_error err;
                int32_t napprank = 2 + (int32_t)lb_random_below(&random, 9);
                int32_t niteration = 2 + (int32_t)lb_random_below(&random, 15);
                int n = make_rows(row, napprank, niteration, &random);
                bool json = round % 2 == 1;
                shuffle(row, n, &random);
                struct trace *trace = trace_read(write_rows(row, n, json), &err);
                assert_non_null(trace);
                assert_int_equal(trace_napprank(trace), napprank);
                assert_int_equal(trace_niteration(trace), niteration);
                check_rows(trace, row, n);
                trace_destroy(trace);
                check_damaged(row, n, json, &random);
        }
}

/* ---- As a workload ---- */

struct setting {
        double param[WORKLOAD_NPARAM];
        struct workload_spec spec;
};

static void setting_init(struct setting *s, const struct trace *trace)
{
        struct lb_error err;
        lb_param_defaults(workload_params, s->param);
        assert_int_equal(lb_param_parse(&workload_params[WORKLOAD_MODEL], "trace",
                                        &s->param[WORKLOAD_MODEL], &err),
                         0);
        s->spec = (struct workload_spec){ .nnode = 2,
                                          .cores_per_node = 3,
                                          .appranks_per_node = 1,
                                          .param = s->param,
                                          .trace = trace,
                                          .seed = 1 };
}

/* Each iteration has the tasks and the work that the trace says; beyond its end it begins again. */
static void test_workload(void **state)
{
        (void)state;
        struct trace *trace =
            read_text("t.csv", HEADER "0,0,12.5,800\n0,1,4.25,80\n1,0,0,0\n1,1,1,3\n");
        struct setting s;
        struct lb_error err;
        setting_init(&s, trace);
        s.param[WORKLOAD_ITERATIONS] = 5;
        struct workload *workload = workload_create(&s.spec, &err);
        assert_non_null(workload);
        assert_int_equal(workload_niteration(workload), 5);
        assert_true(workload_alike(workload));
        for (int32_t i = 0; i < 5; i++) {
                struct work work[2];
                workload_iteration(workload, i, work);
                assert_int_equal(work[0].ntask, i % 2 ? 0 : 800);
                assert_int_equal(work[0].task_ns, i % 2 ? 0 : 15625000);
                assert_int_equal(work[1].ntask, i % 2 ? 3 : 80);
                assert_int_equal(work[1].task_ns, i % 2 ? 333333333 : 53125000);
                assert_int_equal(work[1].task_bytes, 1);
                assert_int_equal(workload_task_ns(workload, 1, i, 2), work[1].task_ns);
        }
        workload_destroy(workload);
        trace_destroy(trace);
}

/* Jitter is about the mean of the iteration, and the slow node that of the most work in all. */
static void test_workload_options(void **state)
{
        (void)state;
        struct trace *trace =
            read_text("t.csv", HEADER "0,0,10,1000\n0,1,1,1000\n1,0,1,1000\n1,1,30,1000\n");
        struct setting s;
        struct lb_error err;
        setting_init(&s, trace);
        s.param[WORKLOAD_SLOW] = lb_param_choice(&workload_params[WORKLOAD_SLOW], "most");
        s.param[WORKLOAD_JITTER] = lb_param_choice(&workload_params[WORKLOAD_JITTER], "gamma");
        struct workload *workload = workload_create(&s.spec, &err);
        assert_non_null(workload);
        assert_true(workload_node_factor(workload, 0, 0) == 1);
        assert_true(workload_node_factor(workload, 1, 0) == 3);
        assert_false(workload_alike(workload));
        double mean_ns[2] = { 0, 0 };
        for (int32_t i = 0; i < 2; i++)
                for (int task = 0; task < 1000; task++)
                        mean_ns[i] += (double)workload_task_ns(workload, 0, i, task) / 1000;
        assert_true(fabs(mean_ns[0] - 10e6) < 4.5 * 0.1 * 10e6 / sqrt(1000));
        assert_true(fabs(mean_ns[1] - 1e6) < 4.5 * 0.1 * 1e6 / sqrt(1000));
        workload_destroy(workload);
        trace_destroy(trace);
}

/* Without a trace, or with one of other appranks, there is no workload. */
static void test_workload_refused(void **state)
{
        (void)state;
        struct trace *trace = read_text("t.csv", HEADER "0,0,1,1\n0,1,1,1\n");
        struct setting s;
        struct lb_error err;
        setting_init(&s, NULL);
        assert_null(workload_create(&s.spec, &err));
        assert_non_null(strstr(err.text, "model \"trace\": found no file"));
        setting_init(&s, trace);
        s.spec.nnode = 3;
        assert_null(workload_create(&s.spec, &err));
        assert_non_null(strstr(err.text, "found work of 2 appranks, allowed is 3"));
        trace_destroy(trace);
        trace_destroy(NULL);
}

int main(void)
{
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(test_formats),          cmocka_unit_test(test_without_tasks),
                cmocka_unit_test(test_bad_lines),        cmocka_unit_test(test_bad_rows),
                cmocka_unit_test(test_bad_files),        cmocka_unit_test(test_too_many_rows),
                cmocka_unit_test(test_random),           cmocka_unit_test(test_workload),
                cmocka_unit_test(test_workload_options), cmocka_unit_test(test_workload_refused),
        };
        return cmocka_run_group_tests(tests, NULL, NULL);
}
