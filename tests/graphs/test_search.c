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
#include "graphs/cache.h"
#include "graphs/search.h"
#include "tests/graphs/made.h"

static struct graph *search(int32_t napprank, int32_t nnode, int32_t degree, int32_t trials)
{
        struct graph_spec spec = { napprank, nnode, degree, GRAPH_METHOD_BEST, 1, trials, 0 };
        return graph_made(graph_search, &spec);
}

static double isoperimetric(const struct graph *graph)
{
        struct graph_judgement judgement = judged(graph, 0);
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
static void fresh_cache(const char *directory)
{
        char command[256];
        snprintf(command, sizeof(command), "rm -rf '%s'", directory);
        assert_int_equal(system(command), 0);
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

/* The path of a spec's entry. */
static const char *path_of(const char *directory, const struct graph_spec *spec)
{
        static char path[512];
        char name[GRAPH_CACHE_NAME_SIZE];
        graph_cache_name(spec, name);
        snprintf(path, sizeof(path), "%s/%s", directory, name);
        return path;
}

static bool same_edges(const struct graph *a, const struct graph *b)
{
        return a->nedge == b->nedge &&
               memcmp(a->edge_node, b->edge_node, (size_t)a->nedge * sizeof(int32_t)) == 0;
}

/* Obtain the graph, with what is said on standard error in said[size]. */
static struct graph *obtain_saying(const struct graph_spec *spec, char *said, size_t size)
{
        fflush(stderr);
        int before = dup(STDERR_FILENO);
        FILE *out = tmpfile();
        assert_true(before >= 0 && out);
        dup2(fileno(out), STDERR_FILENO);
        struct graph *graph = obtain(spec);
        fflush(stderr);
        dup2(before, STDERR_FILENO);
        close(before);
        rewind(out);
        said[fread(said, 1, size - 1, out)] = '\0';
        fclose(out);
        return graph;
}

/* A graph is made once: the second time it is the stored one, whose file stays as it is. */
static void test_made_once(void **state)
{
        (void)state;
        struct graph_spec spec = { 8, 8, 2, GRAPH_METHOD_RANDOM, 3, 1, 0 };
        struct stat first, second;
        char said[512];
        fresh_cache("made_once");
        struct graph *made = obtain(&spec);
        const char *path = path_of("made_once", &spec);
        assert_int_equal(stat(path, &first), 0);
        struct graph *stored = obtain_saying(&spec, said, sizeof(said));
        assert_int_equal(stat(path, &second), 0);
        assert_true(first.st_ino == second.st_ino && same_edges(made, stored));
        assert_string_equal(said, "");
        graph_destroy(made);
        graph_destroy(stored);
}

/* What is good in itself but not the graph of this spec: another size, another graph of the same
 * size, the entry of another seed, and one without a check. All are made anew, with a line. */
static void test_foreign(void **state)
{
        (void)state;
        static const struct graph_spec spec = { 8, 8, 3, GRAPH_METHOD_RANDOM, 3, 1, 0 };
        static const struct graph_spec others[] = { { 6, 6, 3, GRAPH_METHOD_RANDOM, 3, 1, 0 },
                                                    { 8, 8, 3, GRAPH_METHOD_CIRCULANT, 3, 1, 0 },
                                                    { 8, 8, 3, GRAPH_METHOD_RANDOM, 4, 1, 0 },
                                                    { 8, 8, 3, GRAPH_METHOD_RANDOM, 3, 1, 0 } };
        struct lb_error err = { 0 };
        char said[512], kept[1100], good[512];
        fresh_cache("foreign");
        struct graph *made = obtain(&spec);
        snprintf(good, sizeof(good), "%s", path_of("foreign", &spec));
        for (int i = 0; i < 8; i++) {
                struct graph *other = obtain(&others[i / 2]);
                if (i % 2)
                        snprintf(kept, sizeof(kept), "cp %s %s", path_of("foreign", &others[i / 2]),
                                 good);
                else
                        snprintf(kept, sizeof(kept), "true");
                if (i % 2 == 0)
                        assert_int_equal(graph_write_json(other, &spec, good, &err), 0);
                if (i < 7) /* the last is the good one itself */
                        assert_int_equal(system(kept), 0);
                struct graph *found = obtain_saying(&spec, said, sizeof(said));
                assert_true(same_edges(found, made));
                assert_int_equal(strstr(said, good) && strstr(said, "made anew"), i < 7);
                graph_destroy(found);
                found = obtain_saying(&spec, said, sizeof(said));
                assert_string_equal(said, "");
                graph_destroy(found);
                graph_destroy(other);
        }
        graph_destroy(made);
}

/* Whatever bit of an entry is flipped and wherever it is cut off, the same graph comes. */
static void test_damaged(void **state)
{
        (void)state;
        static const struct graph_spec spec = { 6, 6, 2, GRAPH_METHOD_RANDOM, 12, 1, 0 };
        static char bytes[4096];
        char said[512];
        fresh_cache("damaged");
        struct graph *made = obtain(&spec);
        const char *path = path_of("damaged", &spec);
        FILE *in = fopen(path, "rb");
        assert_non_null(in);
        size_t size = fread(bytes, 1, sizeof(bytes), in), anew = 0;
        fclose(in);
        for (size_t at = 0; at < 2 * size; at++) {
                FILE *out = fopen(path, "wb");
                assert_non_null(out);
                size_t length = at < size ? size : at - size;
                char flipped = (char)(1 << at % 8);
                bytes[at % size] = (char)(bytes[at % size] ^ (at < size ? flipped : 0));
                assert_int_equal(fwrite(bytes, 1, length, out), length);
                fclose(out);
                bytes[at % size] = (char)(bytes[at % size] ^ (at < size ? flipped : 0));
                struct graph *found = obtain_saying(&spec, said, sizeof(said));
                assert_true(same_edges(found, made));
                anew += strstr(said, "made anew") != NULL;
                graph_destroy(found);
        }
        assert_true(anew > size); /* white space and the spec's words do not matter */
        graph_destroy(made);
}

static int32_t count_entries(void)
{
        struct graph_cache_list list;
        struct lb_error err = { 0 };
        assert_int_equal(graph_cache_list(&list, &err), 0);
        int32_t count = list.count;
        for (int32_t i = 1; i < count; i++)
                assert_true(list.entry[i - 1].used_s >= list.entry[i].used_s);
        graph_cache_list_finish(&list);
        return count;
}

/* The cache is bounded, those that were not used longest leave, and other files stay. */
static void test_bounded(void **state)
{
        (void)state;
        assert_int_equal(system("rm -rf bounded && mkdir bounded && touch bounded/catalogue.csv"),
                         0);
        use_cache("bounded");
        struct graph_spec spec = { 2048, 1024, 16, GRAPH_METHOD_GREEDY, 1, 1, 0 }; /* 170 kB */
        setenv("LBSIM_CACHE_MB", "1", 1);
        char command[600];
        for (int i = 1; i <= 9; i++) {
                spec.seed = (uint64_t)i;
                graph_destroy(obtain(&spec));
                snprintf(command, sizeof(command), "touch -d '%d minutes ago' %s", 60 - i,
                         path_of("bounded", &spec));
                assert_int_equal(system(command), 0);
                spec.seed = 1; /* used all the time */
                graph_destroy(obtain(&spec));
        }
        assert_in_range(count_entries(), 4, 8);
        assert_int_equal(access(path_of("bounded", &spec), F_OK), 0);
        spec.seed = 2;
        assert_int_equal(access(path_of("bounded", &spec), F_OK), -1);
        int32_t count, before = count_entries();
        int64_t bytes;
        struct lb_error err = { 0 };
        assert_int_equal(graph_cache_clear(&count, &bytes, &err), 0);
        assert_int_equal(count, before);
        assert_in_range(bytes, 400000, 1 << 20);
        assert_int_equal(count_files("bounded"), 1);
        setenv("LBSIM_CACHE_MB", "0", 1);
        graph_destroy(obtain(&spec));
        assert_int_equal(count_files("bounded"), 1);
        setenv("LBSIM_CACHE_MB", "-1", 1);
        assert_null(graph_obtain(&spec, &err));
        assert_int_equal(err.kind, LB_ERROR_INPUT);
        assert_non_null(strstr(err.text, "LBSIM_CACHE_MB is '-1'"));
        unsetenv("LBSIM_CACHE_MB");
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
        fresh_cache("concurrent");
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
        char name[NSPEC][GRAPH_CACHE_NAME_SIZE];
        for (int i = 0; i < NSPEC; i++) {
                graph_cache_name(&specs[i], name[i]);
                for (int j = 0; j < i; j++)
                        assert_string_not_equal(name[i], name[j]);
        }
}

int main(void)
{
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(test_more_is_better), cmocka_unit_test(test_as_good_as_published),
                cmocka_unit_test(test_irregular),      cmocka_unit_test(test_made_once),
                cmocka_unit_test(test_foreign),        cmocka_unit_test(test_no_cache),
                cmocka_unit_test(test_damaged),        cmocka_unit_test(test_bounded),
                cmocka_unit_test(test_concurrent),     cmocka_unit_test(test_unique),
                cmocka_unit_test(test_names_differ),
        };
        return cmocka_run_group_tests(tests, NULL, NULL);
}
