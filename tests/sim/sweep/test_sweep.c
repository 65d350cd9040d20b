/* SPDX-License-Identifier: BSD-3-Clause */
#include <dirent.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/file.h"
#include "sim/sweep/journal_print.h"
#include "sim/output/results.h"
#include "sim/sweep/sweep.h"

static const char text[] =
    "{ \"name\": \"tiny\", \"description\": \"two systems, two degrees, two imbalances\",\n"
    "  \"platform\": { \"nodes\": 4, \"cores_per_node\": 4 },\n"
    "  \"workload\": { \"iterations\": 5, \"tasks_per_core\": 8 },\n"
    "  \"output\": { \"series_s\": 0.25, \"workers\": true },\n"
    "  \"sweep\": { \"graph.degree\": [2, 3], \"workload.imbalance\": [1.25, 2.5],\n"
    "             \"system.name\": [\"local\", \"global\"] },\n"
    "  \"replicates\": 2, \"seed\": 7 }\n";

static void open_scenario(struct scenario *scenario, const char *set)
{
        struct lb_error err = { .kind = LB_ERROR_NONE };
        const char *const sets[] = { set };
        struct scenario_options options = { .set = sets, .nset = set ? 1 : 0 };
        FILE *out = fopen("tiny.json", "w");
        assert_non_null(out);
        fputs(text, out);
        fclose(out);
        if (scenario_open(scenario, "tiny.json", &options, &err) < 0)
                fail_msg("%s", err.text);
}

/* An empty directory of this name. */
static void make_empty(const char *directory)
{
        char command[256];
        struct lb_error err;
        snprintf(command, sizeof(command), "rm -rf '%s'", directory);
        assert_int_equal(system(command), 0);
        assert_int_equal(lb_make_directory(directory, &err), 0);
}

static struct sweep run(const struct scenario *scenario, const char *directory, int32_t jobs)
{
        struct sweep sweep;
        struct lb_error err = { .kind = LB_ERROR_NONE };
        struct sweep_options options = { .directory = directory, .jobs = jobs };
        if (sweep_run(&sweep, scenario, &options, &err) < 0)
                fail_msg("%s", err.text);
        return sweep;
}

static void assert_same_series(const struct sim_series *a, const struct sim_series *b)
{
        assert_int_equal(a->nsample, b->nsample);
        assert_int_equal(a->nworker, b->nworker);
        assert_true(a->nsample > 0);
        size_t nsample = (size_t)a->nsample, ncell = nsample * (size_t)a->nworker;
        assert_memory_equal(a->node_imbalance, b->node_imbalance, nsample * sizeof(double));
        assert_memory_equal(a->busy_cores, b->busy_cores, ncell * sizeof(float));
        assert_memory_equal(a->owned_cores, b->owned_cores, ncell * sizeof(int32_t));
}

static void assert_same(const struct sweep *a, const struct sweep *b)
{
        assert_int_equal(a->nrun, b->nrun);
        assert_int_equal(a->ndone, a->nrun);
        assert_int_equal(b->ndone, b->nrun);
        for (int64_t r = 0; r < a->nrun; r++) {
                const struct sim_result *x = &a->result[r], *y = &b->result[r];
                assert_memory_equal(x->metric, y->metric, sizeof(x->metric));
                assert_int_equal(x->niteration, y->niteration);
                assert_memory_equal(x->iteration_s, y->iteration_s,
                                    (size_t)x->niteration * sizeof(double));
                assert_same_series(&x->series, &y->series);
        }
}

/* Results do not depend on the number of threads, nor on being kept on disk. */
static void test_jobs(void **state)
{
        (void)state;
        struct scenario scenario;
        open_scenario(&scenario, NULL);
        make_empty("jobs");
        struct sweep one = run(&scenario, NULL, 1);
        struct sweep many = run(&scenario, "jobs", 5);
        assert_int_equal(one.nrun, 16);
        assert_same(&one, &many);
        sweep_finish(&one);
        sweep_finish(&many);
        scenario_close(&scenario);
}

/* A second sweep takes everything from disk, time series included, bit for bit. */
static void test_reuse(void **state)
{
        (void)state;
        struct scenario scenario;
        open_scenario(&scenario, NULL);
        make_empty("reuse");
        struct sweep first = run(&scenario, "reuse", 2);
        assert_int_equal(first.nreused, 0);
        struct sweep whole = run(&scenario, NULL, 2);
        sweep_finish(&first);
        struct sweep second = run(&scenario, "reuse", 2);
        assert_int_equal(second.nreused, second.nrun);
        assert_same(&whole, &second);
        sweep_finish(&whole);
        sweep_finish(&second);
        scenario_close(&scenario);
}

/* What is missing from the disk, a line or a series, is run again; the rest is not. */
static void test_missing(void **state)
{
        (void)state;
        struct scenario scenario;
        open_scenario(&scenario, NULL);
        make_empty("missing");
        struct sweep whole = run(&scenario, NULL, 2);
        struct sweep sweep = run(&scenario, "missing", 2);
        sweep_finish(&sweep);
        assert_int_equal(unlink("missing/series/3-1.bin"), 0);
        assert_int_equal(truncate("missing/series/5-0.bin", 100), 0);
        struct stat status;
        assert_int_equal(stat("missing/runs.journal", &status), 0);
        assert_int_equal(truncate("missing/runs.journal", status.st_size - 3), 0);
        sweep = run(&scenario, "missing", 2);
        assert_in_range(sweep.nreused, sweep.nrun - 3, sweep.nrun - 2);
        assert_same(&whole, &sweep);
        sweep_finish(&sweep);
        sweep_finish(&whole);
        scenario_close(&scenario);
}

/* ---- Damage ---- */

static void journal_is_whole(const char *directory, int64_t nrun)
{
        struct lb_error err;
        FILE *out = fopen("printed.txt", "w");
        assert_non_null(out);
        assert_int_equal(journal_print(directory, out, &err), 0);
        fclose(out);
        char command[64];
        snprintf(command, sizeof(command), "test $(grep -c '\"point\"' printed.txt) = %lld",
                 (long long)nrun);
        assert_int_equal(system(command), 0);
}

enum { JOURNAL_MAX = 1 << 16 };

static size_t load(const char *file, unsigned char *bytes)
{
        FILE *in = fopen(file, "rb");
        assert_non_null(in);
        size_t size = fread(bytes, 1, JOURNAL_MAX, in);
        assert_true(size > 0 && size < JOURNAL_MAX);
        fclose(in);
        return size;
}

static void store(const char *file, const unsigned char *bytes, size_t size)
{
        FILE *out = fopen(file, "wb");
        assert_non_null(out);
        assert_int_equal(fwrite(bytes, 1, size, out), size);
        assert_int_equal(fclose(out), 0);
}

/* Run with this journal: the results are those of `whole`, or it is refused as the user's. */
static bool survives(const struct scenario *scenario, const struct sweep *whole,
                     const unsigned char *bytes, size_t size)
{
        struct sweep sweep;
        struct lb_error err = { .kind = LB_ERROR_NONE };
        struct sweep_options options = { .directory = "damaged", .jobs = 1 };
        store("damaged/runs.journal", bytes, size);
        if (sweep_run(&sweep, scenario, &options, &err) < 0) {
                assert_int_equal(err.kind, LB_ERROR_INPUT);
                assert_non_null(strstr(err.text, "damaged/runs.journal"));
                return false;
        }
        assert_int_equal(sweep.ndone, sweep.nrun);
        for (int64_t run = 0; run < whole->nslot; run++)
                assert_memory_equal(sweep.result[run].metric, whole->result[run].metric,
                                    sizeof(whole->result[run].metric));
        sweep_finish(&sweep);
        return true;
}

/* Whatever byte of a journal (here every third; tests of blocks flip every bit) is changed, and
 * wherever it is cut off: the same results, with what was lost simulated again, or a refusal; and
 * then the journal is whole again. */
/* A thread sanitizer takes twenty times as long, and it is threads that it looks for. */
#ifdef __SANITIZE_THREAD__
enum { EACH = 17 };
#else
enum { EACH = 1 };
#endif

static void test_damage(void **state)
{
        (void)state;
        static unsigned char bytes[JOURNAL_MAX];
        struct scenario scenario;
        open_scenario(&scenario, NULL); /* writes tiny.json */
        scenario_close(&scenario);
        const char *const sets[] = { "sweep={\"system.name\": [\"local\", \"global\"]}",
                                     "output.series_s=0", "output.workers=false" };
        struct scenario_options options = { .set = sets, .nset = 3 };
        struct lb_error err;
        if (scenario_open(&scenario, "tiny.json", &options, &err) < 0)
                fail_msg("%s", err.text);
        make_empty("damaged");
        struct sweep whole = run(&scenario, "damaged", 1);
        journal_is_whole("damaged", whole.nrun);
        size_t size = load("damaged/runs.journal", bytes), refused = 0;
        for (size_t at = 0; at < size; at += 3 * EACH) {
                bytes[at] ^= (unsigned char)(1u << at % 8);
                refused += !survives(&scenario, &whole, bytes, size);
                bytes[at] ^= (unsigned char)(1u << at % 8);
        }
        assert_true(refused > 0 && refused < size / 2);
        for (size_t cut = 0; cut < size; cut += EACH)
                assert_true(survives(&scenario, &whole, bytes, cut));
        sweep_finish(&whole);
        journal_is_whole("damaged", 4);
        scenario_close(&scenario);
}

/* ---- Other builds ---- */

static struct sweep run_as(const struct scenario *scenario, enum other_build choice)
{
        struct sweep sweep;
        struct lb_error err = { .kind = LB_ERROR_NONE };
        struct sweep_options options = { .directory = "builds", .jobs = 2, .other_build = choice };
        if (sweep_run(&sweep, scenario, &options, &err) < 0)
                fail_msg("%s", err.text);
        return sweep;
}

static int count_aside(void)
{
        int count = 0;
        DIR *folder = opendir("builds");
        assert_non_null(folder);
        for (struct dirent *entry; (entry = readdir(folder));)
                count += strncmp(entry->d_name, "build-", 6) == 0;
        closedir(folder);
        return count;
}

/* Runs of another build are not used, but kept elsewhere, and of use again to that build; with
 * `keep` they are used, which is counted. Time series go with them. */
static void test_other_build(void **state)
{
        (void)state;
        struct scenario first, second;
        open_scenario(&first, NULL);
        open_scenario(&second, NULL);
        second.build = second.built_in ^= UINT64_C(0x5555555500000000);
        make_empty("builds");
        struct sweep a = run_as(&first, OTHER_BUILD_ANEW);
        sweep_finish(&a);
        struct sweep b = run_as(&second, OTHER_BUILD_ANEW);
        assert_int_equal(b.nreused, 0);
        assert_int_equal(count_aside(), 1);
        sweep_finish(&b);
        a = run_as(&first, OTHER_BUILD_ANEW);
        assert_int_equal(a.nreused, a.nrun);
        assert_int_equal(a.nother, 0);
        assert_int_equal(count_aside(), 1);
        sweep_finish(&a);
        b = run_as(&second, OTHER_BUILD_KEEP);
        assert_int_equal(b.nreused, b.nrun);
        assert_int_equal(b.nother, 0); /* its own are there, too */
        sweep_finish(&b);
        first.build = first.built_in ^= 1;
        a = run_as(&first, OTHER_BUILD_KEEP);
        assert_int_equal(a.nreused, a.nrun);
        assert_int_equal(a.nother, a.nrun);
        sweep_finish(&a);
        scenario_close(&first);
        scenario_close(&second);
}

/* Other defaults are another scenario in all but what is written: they cannot be kept. */
static void test_other_defaults(void **state)
{
        (void)state;
        struct scenario first, second;
        struct sweep sweep;
        struct lb_error err = { .kind = LB_ERROR_NONE };
        open_scenario(&first, NULL);
        open_scenario(&second, NULL);
        second.defaults ^= 1;
        make_empty("builds");
        sweep = run_as(&first, OTHER_BUILD_ANEW);
        sweep_finish(&sweep);
        struct sweep_options options = { .directory = "builds",
                                         .jobs = 1,
                                         .other_build = OTHER_BUILD_KEEP };
        assert_int_equal(sweep_run(&sweep, &second, &options, &err), -1);
        assert_int_equal(err.kind, LB_ERROR_INPUT);
        assert_non_null(strstr(err.text, "other defaults"));
        sweep = run_as(&second, OTHER_BUILD_ANEW);
        assert_int_equal(sweep.nreused, 0);
        assert_int_equal(count_aside(), 1);
        sweep_finish(&sweep);
        sweep = run_as(&second, OTHER_BUILD_ANEW);
        assert_int_equal(sweep.nreused, sweep.nrun);
        sweep_finish(&sweep);
        scenario_close(&first);
        scenario_close(&second);
}

/* A directory of another scenario is refused as the user's mistake, and left as it is. */
static void test_other_scenario(void **state)
{
        (void)state;
        struct scenario scenario, other;
        struct sweep sweep;
        struct lb_error err = { .kind = LB_ERROR_NONE };
        open_scenario(&scenario, NULL);
        open_scenario(&other, "workload.tasks_per_core=9");
        make_empty("other");
        sweep = run(&scenario, "other", 2);
        sweep_finish(&sweep);
        struct sweep_options options = { .directory = "other", .jobs = 1 };
        assert_int_equal(sweep_run(&sweep, &other, &options, &err), -1);
        assert_int_equal(err.kind, LB_ERROR_INPUT);
        assert_non_null(strstr(err.text, "another scenario"));
        assert_null(sweep.result);
        sweep = run(&scenario, "other", 2);
        assert_int_equal(sweep.nreused, sweep.nrun);
        sweep_finish(&sweep);
        scenario_close(&scenario);
        scenario_close(&other);
}

/* A request to stop that is there from the start: nothing is run, and that is no failure. */
static void test_stop(void **state)
{
        (void)state;
        struct scenario scenario;
        struct sweep sweep;
        struct lb_error err = { .kind = LB_ERROR_NONE };
        volatile int stop = 1;
        open_scenario(&scenario, NULL);
        struct sweep_options options = { .jobs = 2, .stop = &stop };
        assert_int_equal(sweep_run(&sweep, &scenario, &options, &err), -1);
        assert_int_equal(err.kind, LB_ERROR_STOPPED);
        assert_int_equal(sweep.nrun, 16);
        assert_int_equal(sweep.ndone, 0);
        sweep_finish(&sweep);
        scenario_close(&scenario);
}

/* Parts of the results are all of them, each run once. */
static void test_parts_of_results(void **state)
{
        (void)state;
        struct scenario scenario;
        open_scenario(&scenario, NULL);
        struct sweep sweep = run(&scenario, NULL, 2);
        for (int64_t first = 0; first <= sweep.nslot; first++) {
                for (int64_t end = first; end <= sweep.nslot; end++) {
                        struct table *table = results_runs(&sweep, first, end);
                        assert_non_null(table);
                        assert_int_equal(table_rows(table), end - first);
                        table_destroy(table);
                }
        }
        sweep_finish(&sweep);
        scenario_close(&scenario);
}

int main(void)
{
        setenv("LBSIM_CACHE", "cache", 1);
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(test_parts_of_results),
                cmocka_unit_test(test_jobs),
                cmocka_unit_test(test_reuse),
                cmocka_unit_test(test_missing),
                cmocka_unit_test(test_stop),
                cmocka_unit_test(test_other_scenario),
                cmocka_unit_test(test_damage),
                cmocka_unit_test(test_other_build),
                cmocka_unit_test(test_other_defaults),
        };
        return cmocka_run_group_tests(tests, NULL, NULL);
}
