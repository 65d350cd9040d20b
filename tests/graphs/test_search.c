/* SPDX-License-Identifier: BSD-3-Clause */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "graphs/judge.h"
#include "graphs/search.h"

static struct graph *search(int32_t napprank, int32_t nnode, int32_t degree, int32_t trials)
{
        struct graph_spec spec = { napprank, nnode, degree, GRAPH_METHOD_BEST, 1, trials, 0 };
        struct lb_error err = { 0 };
        struct graph *graph = graph_search(&spec, &err);
        if (!graph)
                fail_msg("%s", err.text);
        return graph;
}

static double isoperimetric(const struct graph *graph)
{
        struct graph_judgement judgement;
        struct lb_error err = { 0 };
        if (graph_judge(graph, 0, &judgement, &err))
                fail_msg("%s", err.text);
        double value = judgement.isoperimetric;
        graph_judgement_finish(&judgement);
        return value;
}

/* More trials never give a worse graph, and the best of many is better than the first. */
static void test_more_is_better(void **state)
{
        (void)state;
        double last = 0, first = 0;
        for (int32_t trials = 1; trials <= 81; trials *= 3) {
                struct graph *graph = search(24, 24, 3, trials);
                assert_true(graph->biregular);
                double value = isoperimetric(graph);
                assert_true(value >= last);
                first = trials == 1 ? value : first;
                last = value;
                graph_destroy(graph);
        }
        assert_true(last > first);
}

/* Best of twenty is at least as good as the published graphs of the original (isoperimetric
 * numbers). */
static void test_as_good_as_published(void **state)
{
        (void)state;
        static const struct {
                int32_t napprank, nnode, degree;
                double published;
        } cases[] = {
                { 8, 8, 2, 1.25 },      { 8, 8, 3, 1.5 },         { 8, 8, 4, 1.75 },
                { 16, 16, 3, 4.0 / 3 }, { 32, 16, 3, 11.0 / 15 }, { 32, 16, 4, 0.8125 },
                { 32, 32, 4, 1.5 },
        };
        for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
                struct graph *graph =
                    search(cases[i].napprank, cases[i].nnode, cases[i].degree, 20);
                double value = isoperimetric(graph);
                if (value < cases[i].published - 1e-9)
                        fail_msg("%d,%d,%d: published %f, found %f", cases[i].napprank,
                                 cases[i].nnode, cases[i].degree, cases[i].published, value);
                graph_destroy(graph);
        }
}

/* Sizes where no graph is biregular are searched as well, and carry the note. */
static void test_irregular(void **state)
{
        (void)state;
        struct graph *graph = search(10, 4, 3, 6);
        assert_false(graph->biregular);
        assert_string_equal(graph->note,
                            "not biregular: 3 to 3 nodes per apprank, 7 to 8 appranks per node");
        graph_destroy(graph);
}

static int count_files(const char *directory)
{
        DIR *dir = opendir(directory);
        int count = 0;
        assert_non_null(dir);
        for (struct dirent *entry; (entry = readdir(dir));)
                count += entry->d_name[0] != '.';
        closedir(dir);
        return count;
}

static void use_cache(const char *directory)
{
        assert_int_equal(setenv("LBSIM_CACHE", directory, 1), 0);
}

/* An empty cache directory below the current one. */
static void fresh_cache(const char *directory, const struct graph_spec *spec)
{
        char path[512], name[128];
        graph_cache_name(spec, name, sizeof(name));
        snprintf(path, sizeof(path), "%s/%s", directory, name);
        unlink(path);
        use_cache(directory);
}

static struct graph *obtain(const struct graph_spec *spec)
{
        struct lb_error err = { 0 };
        struct graph *graph = graph_obtain(spec, &err);
        if (!graph)
                fail_msg("%s", err.text);
        return graph;
}

/* A graph is made once: the second time it is the stored one, even if that is not what would be
 * made. */
static void test_made_once(void **state)
{
        (void)state;
        struct graph_spec spec = { 8, 8, 2, GRAPH_METHOD_RANDOM, 3, 1, 0 };
        fresh_cache("made_once", &spec);
        struct graph *made = obtain(&spec);
        assert_int_equal(access("made_once/graph-v2-8x8-d2-random-s3.json", F_OK), 0);

        struct graph_spec ring = { 8, 8, 2, GRAPH_METHOD_CIRCULANT, 3, 1, 0 };
        struct lb_error err = { 0 };
        struct graph *other = graph_create(&ring, &err);
        assert_non_null(other);
        size_t size = (size_t)made->nedge * sizeof(int32_t);
        assert_memory_not_equal(made->edge_node, other->edge_node, size);
        assert_int_equal(
            graph_write_json(other, NULL, "made_once/graph-v2-8x8-d2-random-s3.json", &err), 0);
        struct graph *stored = obtain(&spec);
        assert_memory_equal(stored->edge_node, other->edge_node, size);
        graph_destroy(made);
        graph_destroy(other);
        graph_destroy(stored);
}

/* A stored graph of another size than its name says is an error that names the file. */
static void test_wrong_name(void **state)
{
        (void)state;
        struct graph_spec spec = { 8, 8, 3, GRAPH_METHOD_RANDOM, 3, 1, 0 };
        struct graph_spec small = { 6, 6, 3, GRAPH_METHOD_RANDOM, 3, 1, 0 };
        struct lb_error err = { 0 };
        fresh_cache("wrong_name", &spec);
        graph_destroy(obtain(&spec));
        struct graph *graph = graph_create(&small, &err);
        assert_int_equal(
            graph_write_json(graph, &small, "wrong_name/graph-v2-8x8-d3-random-s3.json", &err), 0);
        assert_null(graph_obtain(&spec, &err));
        assert_int_equal(err.kind, LB_ERROR_INPUT);
        assert_non_null(strstr(err.text, "wrong_name/graph-v2-8x8-d3-random-s3.json"));
        assert_non_null(strstr(err.text, "6 appranks"));
        graph_destroy(graph);
}

/* A cache that cannot be written is no error. */
static void test_no_cache(void **state)
{
        (void)state;
        struct graph_spec spec = { 8, 4, 2, GRAPH_METHOD_BEST, 3, 4, 0 };
        use_cache("/dev/null/nowhere");
        graph_destroy(obtain(&spec));
        unsetenv("LBSIM_CACHE");
        unsetenv("XDG_CACHE_HOME");
        unsetenv("HOME");
        graph_destroy(obtain(&spec));
}

/* Processes that ask for a graph at the same time all get the same one, and one whole file is left.
 */
static void test_concurrent(void **state)
{
        (void)state;
        enum { NPROCESS = 12 };
        struct graph_spec spec = { 24, 12, 3, GRAPH_METHOD_BEST, 8, 3, 0 };
        fresh_cache("concurrent", &spec);
        struct graph *expected = search(24, 12, 3, 3);
        graph_destroy(expected);
        struct lb_error err = { 0 };
        expected = graph_search(&spec, &err);
        assert_non_null(expected);
        pid_t child[NPROCESS];
        for (int i = 0; i < NPROCESS; i++) {
                child[i] = fork();
                assert_true(child[i] >= 0);
                if (child[i] > 0)
                        continue;
                struct graph *graph = graph_obtain(&spec, &err);
                bool same = graph && memcmp(graph->edge_node, expected->edge_node,
                                            (size_t)expected->nedge * sizeof(int32_t)) == 0;
                graph_destroy(graph);
                graph_destroy(expected);
                _exit(same ? 0 : 1);
        }
        for (int i = 0; i < NPROCESS; i++) {
                int status;
                assert_int_equal(waitpid(child[i], &status, 0), child[i]);
                assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
        }
        assert_int_equal(count_files("concurrent"), 1);
        graph_destroy(expected);
}

/* No offloading and the complete graph are not worth a file. */
static void test_unique(void **state)
{
        (void)state;
        assert_true(mkdir("unique", 0777) == 0 || count_files("unique") == 0);
        use_cache("unique");
        struct graph_spec specs[] = { { 6, 6, 1, GRAPH_METHOD_BEST, 1, 5, 0 },
                                      { 6, 3, 3, GRAPH_METHOD_BEST, 1, 5, 0 } };
        for (int i = 0; i < 2; i++) {
                struct graph *graph = obtain(&specs[i]);
                assert_int_equal(graph->nedge, 6 * specs[i].degree);
                graph_destroy(graph);
        }
        assert_int_equal(count_files("unique"), 0);
}

/* Every spec has a file name of its own. */
static void test_names_differ(void **state)
{
        (void)state;
        static const struct graph_spec specs[] = {
                { 8, 8, 2, GRAPH_METHOD_RANDOM, 1, 1, 0 },
                { 8, 4, 2, GRAPH_METHOD_RANDOM, 1, 1, 0 },
                { 8, 8, 3, GRAPH_METHOD_RANDOM, 1, 1, 0 },
                { 8, 8, 2, GRAPH_METHOD_GREEDY, 1, 1, 0 },
                { 8, 8, 2, GRAPH_METHOD_RANDOM, 2, 1, 0 },
                { 8, 8, 2, GRAPH_METHOD_BEST, 1, 1, 0 },
                { 8, 8, 2, GRAPH_METHOD_BEST, 1, 2, 0 },
                { 16, 8, 2, GRAPH_METHOD_RANDOM, 1, 1, 0 },
                { 8, 8, 2, GRAPH_METHOD_CIRCULANT, 1, 1, 0 },
        };
        enum { NSPEC = sizeof(specs) / sizeof(specs[0]) };
        char name[NSPEC][128];
        for (int i = 0; i < NSPEC; i++) {
                graph_cache_name(&specs[i], name[i], sizeof(name[i]));
                for (int j = 0; j < i; j++)
                        assert_string_not_equal(name[i], name[j]);
        }
}

int main(void)
{
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(test_more_is_better), cmocka_unit_test(test_as_good_as_published),
                cmocka_unit_test(test_irregular),      cmocka_unit_test(test_made_once),
                cmocka_unit_test(test_wrong_name),     cmocka_unit_test(test_no_cache),
                cmocka_unit_test(test_concurrent),     cmocka_unit_test(test_unique),
                cmocka_unit_test(test_names_differ),
        };
        return cmocka_run_group_tests(tests, NULL, NULL);
}
