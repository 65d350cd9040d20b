/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The global solvers: 2 appranks per node, degree 4, 48 cores per node, loads of imbalance 2.0.
 * One table: processor time of the exact solver and of the linear program (cold, and warm after
 * loads changed by up to 2.5 %), how they grow, and how far rounding the program's answer is from
 * the integer optimum. `bench_solve MOST` stops at MOST nodes (default 256, up to 1024).
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "policies/lp.h"
#include "tests/policies/solve_instance.h"

enum { RUNS_MOST = 64 };

enum timing { EXACT, KEEPING, COLD, WARM, NTIMING };

/* All runs of one size. */
struct sample {
        int32_t nnode, nrun;
        double time_ms[NTIMING][RUNS_MOST];
        double rounding[RUNS_MOST];    /* rounded over integer objective, less 1 */
        double granularity[RUNS_MOST]; /* integer over fractional objective, less 1 */
};

static double now_ms(void)
{
        struct timespec t;
        clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
        return (double)t.tv_sec * 1e3 + (double)t.tv_nsec * 1e-6;
}

static void must(int status, const struct lb_error *err)
{
        if (status == 0)
                return;
        fprintf(stderr, "bench_solve: %s\n", err->text);
        exit(1);
}

static void change_loads(struct instance *x, uint64_t seed)
{
        struct lb_random random;
        lb_random_init(&random, seed, LB_RANDOM_TEST, 3);
        for (int32_t a = 0; a < x->shape.napprank; a++)
                x->load[a] *= 1 + 0.05 * (lb_random_unit(&random) - 0.5);
}

/* Time of the best of three runs; `now` is the ownership to keep to, or NULL. */
static double time_exact(struct instance *x, const int32_t *now, struct solve_result *result)
{
        struct solve_instance in = { &x->shape, x->load, now };
        struct lb_error err = { 0 };
        double best = INFINITY;
        for (int i = 0; i < 3; i++) {
                double start = now_ms();
                must(solve_exact(&in, x->workspace, x->owned, result, &err), &err);
                best = fmin(best, now_ms() - start);
        }
        return best;
}

static double time_lp(struct solve_lp *lp, const struct instance *x, int32_t *rounded,
                      double *objective)
{
        struct lb_error err = { 0 };
        double start = now_ms();
        must(solve_lp_run(lp, x->load, NULL, rounded, objective, &err), &err);
        return now_ms() - start;
}

static void run(struct sample *s, int32_t i)
{
        struct instance x;
        struct lb_error err = { 0 };
        struct solve_result exact, rounded;
        double fractional;
        instance_machine(&x, s->nnode, 2, 4, 48, (uint64_t)i + 1);
        instance_loads(&x, 2.0, (uint64_t)i + 1);
        struct solve_instance in = { &x.shape, x.load, NULL };
        int32_t *cores = instance_array(x.shape.nworker, sizeof(*cores));
        struct solve_lp *lp = solve_lp_create(&x.shape, &err);
        must(lp ? 0 : -1, &err);

        s->time_ms[EXACT][i] = time_exact(&x, NULL, &exact);
        s->time_ms[COLD][i] = time_lp(lp, &x, cores, &fractional);
        solve_evaluate(&in, cores, &rounded);
        s->rounding[i] = rounded.objective / exact.objective - 1;
        s->granularity[i] = exact.objective / fractional - 1;

        memcpy(cores, x.owned, (size_t)x.shape.nworker * sizeof(*cores));
        change_loads(&x, (uint64_t)i);
        s->time_ms[KEEPING][i] = time_exact(&x, cores, &exact);
        s->time_ms[WARM][i] = time_lp(lp, &x, cores, &fractional);
        solve_lp_destroy(lp);
        free(cores);
        instance_free(&x);
}

static int by_value(const void *a, const void *b)
{
        double x = *(const double *)a, y = *(const double *)b;
        return (x > y) - (x < y);
}

static double mean(const double *value, int32_t count)
{
        double sum = 0;
        for (int32_t i = 0; i < count; i++)
                sum += value[i];
        return sum / count;
}

/* Sorts the values of one size; the median is then in the middle. */
static double median(double *value, int32_t count)
{
        qsort(value, (size_t)count, sizeof(*value), by_value);
        return (value[(count - 1) / 2] + value[count / 2]) / 2;
}

static void print_heading(void)
{
        printf("%6s | %-17s | %-17s | %-19s | %-19s | %-13s | %-15s | %-15s\n", "", "exact, ms",
               "exact, keeping", "lp cold, ms", "lp warm, ms", "over exact", "rounded over",
               "integer over");
        printf("%6s | %8s %8s | %8s %8s | %9s %9s | %9s %9s | %6s %6s | %7s %7s | %7s %7s\n",
               "nodes", "min", "median", "min", "median", "min", "median", "min", "median", "cold",
               "warm", "int. %", "worst", "frac. %", "worst");
}

static void print_row(struct sample *s, double middle[NTIMING])
{
        printf("%6d |", s->nnode);
        for (int t = 0; t < NTIMING; t++) {
                middle[t] = median(s->time_ms[t], s->nrun);
                int width = t < COLD ? 8 : 9;
                printf(" %*.4f %*.4f |", width, s->time_ms[t][0], width, middle[t]);
        }
        median(s->rounding, s->nrun);
        median(s->granularity, s->nrun);
        printf(" %6.1f %6.1f |", middle[COLD] / middle[EXACT], middle[WARM] / middle[KEEPING]);
        printf(" %7.2f %7.2f |", 100 * mean(s->rounding, s->nrun), 100 * s->rounding[s->nrun - 1]);
        printf(" %7.2f %7.2f\n", 100 * mean(s->granularity, s->nrun),
               100 * s->granularity[s->nrun - 1]);
        fflush(stdout);
}

int main(int argc, char **argv)
{
        static struct sample sample;
        int32_t most = argc > 1 ? atoi(argv[1]) : 256;
        double first[NTIMING] = { 0 }, last[NTIMING] = { 0 };
        int32_t from = 32, to = 0;
        print_heading();
        for (int32_t nnode = 8; nnode <= most && nnode <= 1024; nnode *= 2) {
                sample.nnode = nnode;
                sample.nrun = nnode <= 64 ? RUNS_MOST : nnode <= 256 ? 12 : 3;
                for (int32_t i = 0; i < sample.nrun; i++)
                        run(&sample, i);
                print_row(&sample, nnode == from ? first : last);
                to = nnode;
        }
        if (to <= from)
                return 0;
        static const char *const names[] = { "exact", "exact keeping", "lp cold", "lp warm" };
        printf("growth with nodes, %d to %d:", from, to);
        for (int t = 0; t < NTIMING; t++)
                printf("%s %s n^%.2f", t ? "," : "", names[t],
                       log(last[t] / first[t]) / log((double)to / from));
        printf("\n");
        return 0;
}
