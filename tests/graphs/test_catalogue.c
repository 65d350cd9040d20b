/* SPDX-License-Identifier: BSD-3-Clause */
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

#include "base/csv.h"
#include "graphs/contest.h"
#include "graphs/cache.h"
#include "graphs/search.h"

static const char *const shipped = LB_SOURCE_DIR "/graphs/catalogue.csv";

static void read_catalogue(const char *file, struct catalogue *catalogue)
{
        struct lb_error err = { 0 };
        if (catalogue_read(file, catalogue, &err))
                fail_msg("%s", err.text);
}

/*
 * Every graph that is shipped is what its row says. Up to 32 nodes the whole proof is redone;
 * beyond, as much as a few thousand vertices of the search tree tell (lbsim graph --catalogue
 * --verify --budget does the rest).
 */
static void test_certificates(void **state)
{
        (void)state;
        struct catalogue catalogue;
        struct lb_error err = { 0 };
        read_catalogue(shipped, &catalogue);
        assert_true(catalogue.count > 300);
        for (int32_t i = 0; i < catalogue.count; i++) {
                const struct catalogue_entry *entry = &catalogue.entry[i];
                bool whole, small = entry->nnode <= 32;
                if (catalogue_verify(entry, small ? 0 : 2000, &whole, &err))
                        fail_msg("%s", err.text);
                if (small && (!whole || !catalogue_is_exact(entry)))
                        fail_msg("%d appranks on %d nodes, degree %d: not proven", entry->napprank,
                                 entry->nnode, entry->degree);
        }
        catalogue_finish(&catalogue);
}

static struct ratio parse_ratio(const char *text)
{
        struct ratio ratio;
        assert_int_equal(sscanf(text, "%d/%d", &ratio.nnode, &ratio.size), 2);
        return ratio;
}

/* For every size of the published table there is a graph that is at least as good as the published
 * one (published_numbers.csv: its exact isoperimetric number and second singular value); most have
 * a greater number, or one that no graph exceeds. */
static void test_as_good_as_published(void **state)
{
        (void)state;
        struct catalogue catalogue;
        struct lb_csv csv;
        struct lb_error err = { 0 };
        read_catalogue(shipped, &catalogue);
        assert_int_equal(
            lb_csv_open(&csv, LB_SOURCE_DIR "/tests/graphs/published_numbers.csv", &err), 0);
        int64_t proud = 0;
        for (int64_t row = 0; row < csv.nrow; row++) {
                const struct catalogue_entry *entry = catalogue_find(
                    &catalogue, atoi(lb_csv_cell(&csv, row, 0)), atoi(lb_csv_cell(&csv, row, 1)),
                    atoi(lb_csv_cell(&csv, row, 2)));
                assert_non_null(entry);
                struct ratio published = parse_ratio(lb_csv_cell(&csv, row, 3));
                int order = ratio_compare(entry->proven, published);
                double second = strtod(lb_csv_cell(&csv, row, 5), NULL);
                if (order < 0 || (order == 0 && entry->second_singular > second + 1e-6))
                        fail_msg("row %ld: published %s", (long)row, lb_csv_cell(&csv, row, 3));
                proud += order > 0 || catalogue_is_optimal(entry);
        }
        assert_true(csv.nrow > 300 && proud > csv.nrow * 9 / 10);
        lb_csv_close(&csv);
        catalogue_finish(&catalogue);
}

/* There are graphs for sizes on to 128 nodes. */
static void test_large_sizes(void **state)
{
        (void)state;
        struct catalogue catalogue;
        read_catalogue(shipped, &catalogue);
        static const int32_t sizes[][3] = { { 64, 64, 4 },   { 128, 64, 4 },  { 96, 96, 3 },
                                            { 128, 128, 4 }, { 256, 128, 3 }, { 256, 128, 4 } };
        for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++)
                assert_non_null(catalogue_find(&catalogue, sizes[i][0], sizes[i][1], sizes[i][2]));
        catalogue_finish(&catalogue);
}

static void assert_same_text(const char *a, const char *b)
{
        FILE *x = fopen(a, "r"), *y = fopen(b, "r");
        assert_true(x && y);
        int c;
        do {
                c = getc(x);
                assert_int_equal(c, getc(y));
        } while (c != EOF);
        fclose(x);
        fclose(y);
}

/* What is read and written again is the same file. */
static void test_round_trip(void **state)
{
        (void)state;
        struct catalogue catalogue;
        struct lb_error err = { 0 };
        read_catalogue(shipped, &catalogue);
        assert_int_equal(catalogue_write(&catalogue, "again.csv", &err), 0);
        catalogue_finish(&catalogue);
        assert_same_text(shipped, "again.csv");
}

#define HEADER "appranks,nodes,degree,set,proven,ceiling,second_singular,method,seed,period,graph\n"
#define RING "4,4,2,3/2,3/2,3/2,0.707106781,lift,1,1,"

/* A bad row is an error that names file, row and column. */
static void test_bad_rows(void **state)
{
        (void)state;
        static const struct {
                const char *text, *message;
        } cases[] = {
                { "appranks,nodes\n4,4\n", "column degree is missing" },
                { HEADER RING "0.x\n", "row 1, column graph: found \"0.x\"" },
                { HEADER RING "0.4\n", "row 1, column graph: found \"0.4\"" },
                { HEADER RING "1.2\n", "row 1, column graph: apprank 0: first node 1" },
                { HEADER RING "0.0\n", "row 1, column graph: apprank 0: node 0 twice" },
                { HEADER RING "0.1.2\n", "row 1, column graph" },
                { HEADER RING "0.1\n" RING "0.1\n", "row 2, column appranks" },
                { HEADER "5,4,2,3/2,3/2,3/2,0.7,lift,1,1,0.1\n", "allowed is a multiple" },
                { HEADER "4,4,5,3/2,3/2,3/2,0.7,lift,1,1,0.1\n", "from 1 to 4" },
                { HEADER "4,4,2,3/2,4/2,3/2,0.7,lift,1,1,0.1\n", "column proven" },
                { HEADER "4,4,2,3:2,3/2,3/2,0.7,lift,1,1,0.1\n", "column set: found \"3:2\"" },
                { HEADER "4,4,2,3/2,3/2,3/2,0.7,lift,1,3,0.1\n", "column period" },
                { HEADER "4,4,2,3/2,3/2,3/2,0.7,,1,1,0.1\n", "column method" },
                { HEADER "4,4,2,3/2,3/2,3/2,0.7,lift,-1,1,0.1\n", "column seed" },
                { HEADER "4,4,2,3/2,3/2,3/2,x,lift,1,1,0.1\n", "column second_singular" },
                { HEADER "4,2,2,1/1,1/1,1/1,0,lift,1,2,0.1;0.1;1.0\n", "column graph" },
        };
        for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
                FILE *file = fopen("bad.csv", "w");
                assert_non_null(file);
                fputs(cases[i].text, file);
                fclose(file);
                struct catalogue catalogue;
                struct lb_error err = { 0 };
                assert_int_equal(catalogue_read("bad.csv", &catalogue, &err), -1);
                assert_int_equal(err.kind, LB_ERROR_INPUT);
                if (!strstr(err.text, cases[i].message) || !strstr(err.text, "bad.csv"))
                        fail_msg("'%s' is not in '%s'", cases[i].message, err.text);
        }
}

/* A certificate that says too much, or too little, is found out. */
static void test_false_certificates(void **state)
{
        (void)state;
        static const struct {
                const char *row, *message;
        } cases[] = {
                { RING, NULL },
                { "4,4,2,2/1,2/1,3/2,0.707106781,lift,1,1,", "proven 2/1" },
                { "4,4,2,1/1,1/1,3/2,0.707106781,lift,1,1,", "set 1/1" },
                { "4,4,2,3/2,3/2,2/1,0.707106781,lift,1,1,", "ceiling 2/1: it is 3/2" },
                { "4,4,2,3/2,3/2,3/2,0.6,lift,1,1,", "second_singular 0.6" },
        };
        for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
                FILE *file = fopen("false.csv", "w");
                assert_non_null(file);
                fprintf(file, "%s%s0.1\n", HEADER, cases[i].row);
                fclose(file);
                struct catalogue catalogue;
                struct lb_error err = { 0 };
                bool whole;
                read_catalogue("false.csv", &catalogue);
                int failed = catalogue_verify(&catalogue.entry[0], 0, &whole, &err);
                assert_int_equal(failed, cases[i].message ? -1 : 0);
                if (cases[i].message && !strstr(err.text, cases[i].message))
                        fail_msg("'%s' is not in '%s'", cases[i].message, err.text);
                catalogue_finish(&catalogue);
        }
}

/* Method catalogue takes the graph from the user's own catalogue, else from the shipped one; a size
 * that neither has is an error. */
static void test_lookup(void **state)
{
        (void)state;
        struct lb_error err = { 0 };
        struct graph_spec spec = { .napprank = 4,
                                   .nnode = 4,
                                   .degree = 2,
                                   .method = GRAPH_METHOD_CATALOGUE,
                                   .seed = 1,
                                   .trials = 1 };
        assert_true(mkdir("lookup", 0777) == 0 || access("lookup", F_OK) == 0);
        assert_int_equal(setenv("LBSIM_CACHE", "lookup", 1), 0);
        assert_int_equal(setenv("LBSIM_DATA", LB_SOURCE_DIR, 1), 0);
        unlink("lookup/catalogue.csv");
        struct catalogue catalogue;
        read_catalogue(shipped, &catalogue);
        struct graph *graph = graph_obtain(&spec, &err);
        assert_non_null(graph);
        const struct graph *expected = catalogue_find(&catalogue, 4, 4, 2)->graph;
        assert_memory_equal(graph->edge_node, expected->edge_node, 8 * sizeof(int32_t));
        graph_destroy(graph);
        catalogue_finish(&catalogue);

        FILE *file = fopen("lookup/catalogue.csv", "w");
        assert_non_null(file);
        fputs(HEADER "4,4,2,1/1,1/1,3/2,1,own,1,4,0.1;1.0;2.3;3.2\n", file);
        fclose(file);
        graph = graph_obtain(&spec, &err);
        assert_non_null(graph);
        static const int32_t own[] = { 0, 1, 1, 0, 2, 3, 3, 2 };
        assert_memory_equal(graph->edge_node, own, sizeof(own));
        graph_destroy(graph);

        spec.napprank = spec.nnode = 127;
        assert_null(graph_obtain(&spec, &err));
        assert_int_equal(err.kind, LB_ERROR_INPUT);
        assert_non_null(strstr(err.text, "127 appranks on 127 nodes and degree 2"));
}

static struct catalogue_entry contest(const struct graph_spec *spec,
                                      const struct catalogue_entry *defender, bool *won)
{
        struct catalogue_entry entry;
        struct lb_error err = { 0 };
        if (contest_run(spec, defender, 0, &entry, won, &err))
                fail_msg("%s", err.text);
        return entry;
}

/* A contest's winner is what its entry says, the same every time, and only the better replace it.
 */
static void test_contest(void **state)
{
        (void)state;
        static const int32_t sizes[][3] = {
                { 12, 12, 3 }, { 20, 10, 3 }, { 18, 6, 2 }, { 7, 7, 4 }
        };
        for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
                struct graph_spec spec = { .napprank = sizes[i][0],
                                           .nnode = sizes[i][1],
                                           .degree = sizes[i][2],
                                           .method = GRAPH_METHOD_CATALOGUE,
                                           .seed = 1,
                                           .trials = 40 };
                bool won, won_again, won_later, whole;
                struct lb_error err = { 0 };
                struct catalogue_entry entry = contest(&spec, NULL, &won);
                struct catalogue_entry again = contest(&spec, NULL, &won_again);
                assert_true(won && won_again);
                assert_int_equal(catalogue_verify(&entry, 0, &whole, &err), 0);
                assert_true(whole);
                assert_memory_equal(entry.graph->edge_node, again.graph->edge_node,
                                    (size_t)entry.graph->nedge * sizeof(int32_t));
                spec.seed = 2;
                struct catalogue_entry later = contest(&spec, &entry, &won_later);
                int order = won_later ? ratio_compare(later.set, entry.set) : 0;
                assert_true(order >= 0);
                assert_true(!won_later || order > 0 ||
                            later.second_singular < entry.second_singular);
                assert_true(won_later == (later.graph != NULL));
                graph_destroy(entry.graph);
                graph_destroy(again.graph);
                graph_destroy(later.graph);
        }
}

/* Sizes that the catalogue is not of are refused. */
static void test_no_contest(void **state)
{
        (void)state;
        static const int32_t sizes[][3] = { { 8, 8, 1 }, { 8, 8, 8 }, { 9, 8, 3 }, { 8, 8, 9 } };
        for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
                struct graph_spec spec = { .napprank = sizes[i][0],
                                           .nnode = sizes[i][1],
                                           .degree = sizes[i][2],
                                           .method = GRAPH_METHOD_CATALOGUE,
                                           .trials = 5 };
                struct catalogue_entry entry;
                struct lb_error err = { 0 };
                bool won;
                assert_int_equal(contest_run(&spec, NULL, 0, &entry, &won, &err), -1);
                assert_int_equal(err.kind, LB_ERROR_INPUT);
        }
}

int main(void)
{
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(test_certificates), cmocka_unit_test(test_as_good_as_published),
                cmocka_unit_test(test_large_sizes),  cmocka_unit_test(test_round_trip),
                cmocka_unit_test(test_bad_rows),     cmocka_unit_test(test_false_certificates),
                cmocka_unit_test(test_lookup),       cmocka_unit_test(test_contest),
                cmocka_unit_test(test_no_contest),
        };
        return cmocka_run_group_tests(tests, NULL, NULL);
}
