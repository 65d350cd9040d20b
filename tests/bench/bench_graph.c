/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The vertex isoperimetric number, exactly: branch and bound against plain enumeration of all sets
 * of at most half the appranks, on the same random graphs of degree 4, in the same run. Enumeration
 * adds one apprank to a set at a time, as bits, so a set costs a few instructions; it leaves
 * nothing out, and doubles with each apprank. `bench_graph MOST` enumerates up to MOST appranks
 * (default 28, at most 64).
 */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "graphs/judge.h"
#include "graphs/ratio.h"

static double now_s(void)
{
        struct timespec t;
        clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
        return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static void must(int status, const struct lb_error *err)
{
        if (status == 0)
                return;
        fprintf(stderr, "bench_graph: %s\n", err->text);
        exit(1);
}

/* All sets that are this one and some of the appranks from `next` on. */
struct enumeration {
        uint64_t nodes[64]; /* of each apprank */
        int32_t napprank, size_max;
        struct ratio least;
};

static void enumerate(struct enumeration *all, int32_t next, uint64_t covered, int32_t size)
{
        for (int32_t a = next; a < all->napprank; a++) {
                uint64_t more = covered | all->nodes[a];
                struct ratio ratio = { __builtin_popcountll(more), size + 1 };
                if (ratio_compare(ratio, all->least) < 0)
                        all->least = ratio;
                if (size + 1 < all->size_max)
                        enumerate(all, a + 1, more, size + 1);
        }
}

static struct ratio enumerate_all(const struct graph *graph)
{
        struct enumeration all = { .napprank = graph->napprank,
                                   .size_max = graph->napprank / 2,
                                   .least = { graph->nnode, 1 } };
        for (int32_t e = 0; e < graph->nedge; e++)
                all.nodes[graph->edge_apprank[e]] |= UINT64_C(1) << graph->edge_node[e];
        enumerate(&all, 0, 0, 0);
        return all.least;
}

static void run(int32_t napprank, int32_t nnode, int32_t most)
{
        struct graph_spec spec = { .napprank = napprank,
                                   .nnode = nnode,
                                   .degree = 4,
                                   .method = GRAPH_METHOD_RANDOM,
                                   .seed = 1 };
        struct lb_error err = { 0 };
        struct graph_judgement judgement;
        struct graph *graph = graph_create(&spec, &err);
        must(graph ? 0 : -1, &err);
        double start = now_s();
        must(graph_judge(graph, (int64_t)1 << 40, &judgement, &err), &err);
        double judged_s = now_s() - start;
        printf("%8d %5d %10.6f %11.4f", napprank, nnode, judgement.isoperimetric, judged_s);
        if (napprank <= most) {
                start = now_s();
                struct ratio least = enumerate_all(graph);
                double plain_s = now_s() - start;
                struct ratio found = { judgement.set_nnode, judgement.set_size };
                printf(" %11.4f %9.0f  %s", plain_s, plain_s / judged_s,
                       ratio_compare(least, found) == 0 ? "same" : "DIFFERENT");
        }
        printf("\n");
        graph_judgement_finish(&judgement);
        graph_destroy(graph);
}

int main(int argc, char **argv)
{
        static const int32_t sizes[][2] = { { 20, 20 }, { 24, 24 }, { 28, 28 }, { 28, 14 },
                                            { 32, 32 }, { 32, 16 }, { 40, 40 }, { 48, 48 },
                                            { 64, 32 }, { 64, 64 }, { 128, 64 } };
        int32_t most = argc > 1 ? atoi(argv[1]) : 28;
        printf("%8s %5s %10s %11s %11s %9s\n", "appranks", "nodes", "number", "judged s", "plain s",
               "ratio");
        for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++)
                run(sizes[i][0], sizes[i][1], most);
        return 0;
}
