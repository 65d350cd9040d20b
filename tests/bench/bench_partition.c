/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What is lost by deciding for groups of 32 nodes apart (ICPP'22 5.4.2)? 2
 * appranks per node, degree 4, 48 cores per node; the largest load per core over that of perfect
 * balance, by the exact solver:
 *
 * - whole: one graph over all nodes, solved at once;
 * - groups: a graph of its own for each group of 32 nodes, so that nothing is lost by solving
 * apart;
 * - apart: the one graph, each group solved by itself: helpers outside their apprank's group keep
 *   the one core they must have.
 *
 * Loads: one apprank of imbalance 2, independent exponential ones, and a slope over the machine
 * from 0.5 to 1.5, whose heavy and light appranks are in different groups.
 */
#include <math.h>
#include <stdio.h>

#include "tests/policies/solve_instance.h"

enum { PER_NODE = 2, DEGREE = 4, CORES = 48, GROUP = 32, RUNS = 5 };

enum loads { LOADS_ONE, LOADS_EXPONENTIAL, LOADS_SLOPE, NLOADS };

static void fill_loads(struct instance *x, enum loads loads, uint64_t seed)
{
        struct lb_random random;
        int32_t n = x->shape.napprank;
        lb_random_init(&random, seed, LB_RANDOM_TEST, 4);
        if (loads == LOADS_ONE)
                instance_loads(x, 2, seed);
        for (int32_t a = 0; a < n && loads != LOADS_ONE; a++)
                x->load[a] =
                    loads == LOADS_SLOPE ? 0.5 + (a + 0.5) / n : -log(lb_random_open(&random));
}

static double objective(const struct instance *x)
{
        struct solve_instance in = { &x->shape, x->load, NULL };
        struct solve_result result;
        struct lb_error err = { 0 };
        if (solve_exact(&in, x->workspace, x->owned, &result, &err) < 0) {
                fprintf(stderr, "bench_partition: %s\n", err.text);
                exit(1);
        }
        return result.objective;
}

/* Every apprank's load is that of the whole machine; its graph lies within its group. */
static double by_groups(const struct instance *whole, int32_t size, uint64_t seed)
{
        double worst = 0;
        for (int32_t first = 0; first < whole->shape.nnode; first += size) {
                struct instance x;
                instance_machine(&x, size, PER_NODE, DEGREE, CORES, seed + (uint64_t)first);
                memcpy(x.load, whole->load + first * PER_NODE,
                       (size_t)(size * PER_NODE) * sizeof(double));
                worst = fmax(worst, objective(&x));
                instance_free(&x);
        }
        return worst;
}

/* The part of the whole graph within a group, with the cores that other groups' helpers leave. */
static void cut_out(const struct instance *whole, struct instance *x, int32_t first, int32_t size)
{
        int32_t at = 0, napprank = size * PER_NODE;
        instance_start(x, napprank, size, whole->shape.nworker);
        for (int32_t n = 0; n < size; n++)
                x->cores[n] = CORES;
        for (int32_t w = 0; w < whole->shape.nworker; w++) {
                int32_t node = whole->node[w] - first, a = whole->apprank[w] - first * PER_NODE;
                bool here = node >= 0 && node < size, ours = a >= 0 && a < napprank;
                if (here && !ours)
                        x->cores[node]--;
                if (!here || !ours)
                        continue;
                x->home[at] = whole->home[w];
                x->node[at++] = node;
                x->first[a + 1] = at;
        }
        memcpy(x->load, whole->load + first * PER_NODE, (size_t)napprank * sizeof(double));
        instance_finish(x);
}

/* Helpers outside hold a core each and work on it: an apprank's load is less by their share. */
static double apart(const struct instance *whole, int32_t size)
{
        double worst = 0;
        for (int32_t first = 0; first < whole->shape.nnode; first += size) {
                struct instance x;
                cut_out(whole, &x, first, size);
                objective(&x);
                for (int32_t a = 0; a < x.shape.napprank; a++) {
                        int64_t cores = DEGREE - (x.first[a + 1] - x.first[a]);
                        for (int32_t w = x.first[a]; w < x.first[a + 1]; w++)
                                cores += x.owned[w];
                        worst = fmax(worst, x.load[a] / (double)cores);
                }
                instance_free(&x);
        }
        return worst;
}

static void run(int32_t nnode, enum loads loads, const char *name)
{
        double sum[3] = { 0 };
        int32_t size = nnode < GROUP ? nnode : GROUP;
        for (uint64_t seed = 1; seed <= RUNS; seed++) {
                struct instance x;
                double total = 0;
                instance_machine(&x, nnode, PER_NODE, DEGREE, CORES, seed);
                fill_loads(&x, loads, seed);
                for (int32_t a = 0; a < x.shape.napprank; a++)
                        total += x.load[a];
                double perfect = total / ((double)nnode * CORES);
                sum[0] += objective(&x) / perfect;
                sum[1] += by_groups(&x, size, seed) / perfect;
                sum[2] += apart(&x, size) / perfect;
                instance_free(&x);
        }
        printf("%6d %-12s %8.3f %8.3f %8.3f\n", nnode, name, sum[0] / RUNS, sum[1] / RUNS,
               sum[2] / RUNS);
}

int main(void)
{
        static const char *const names[] = { "one of 2", "exponential", "slope" };
        printf("largest load per core over perfect balance, groups of %d nodes\n", GROUP);
        printf("%6s %-12s %8s %8s %8s\n", "nodes", "loads", "whole", "groups", "apart");
        for (int loads = 0; loads < NLOADS; loads++)
                for (int32_t nnode = 32; nnode <= 4096; nnode *= 2)
                        run(nnode, (enum loads)loads, names[loads]);
        return 0;
}
