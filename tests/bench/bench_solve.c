/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The global solvers: 2 appranks per node, degree 4, 48 cores per node, loads of imbalance 2.0.
 * One table: processor time of the exact solver and of the linear program (cold, and warm after
 * loads changed by up to 2.5 %: the exact solver from the last allocation, which it keeps to), how
 * they grow, and how far rounding the program's answer is from the integer optimum.
 * `bench_solve MOST LP_MOST` stops at MOST nodes (default 4096), the linear program at LP_MOST
 * (default 512: a minute at 2048).
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "policies/lp.h"
#include "tests/policies/solve_instance.h"

enum { RUNS_MOST = 64 };

enum timing { EXACT, EXACT_WARM, COLD, WARM, NTIMING };

/* All runs of one size. */
struct sample {
        int32_t nnode, nrun;
        bool lp; /* the linear program, too */
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

/* The linear program on the present loads: time, and what rounding and whole cores cost. */
static void run_lp(struct sample *s, int32_t i, struct solve_lp *lp, const struct instance *x,
                   enum timing timing)
{
        struct solve_instance in = { &x->shape, x->load, NULL };
        struct solve_result exact, rounded;
        double fractional;
        int32_t *cores = instance_array(x->shape.nworker, sizeof(*cores));
        s->time_ms[timing][i] = time_lp(lp, x, cores, &fractional);
        solve_evaluate(&in, cores, &rounded);
        solve_evaluate(&in, x->owned, &exact);
        s->rounding[i] = rounded.objective / exact.objective - 1;
        s->granularity[i] = exact.objective / fractional - 1;
        free(cores);
}

static void run(struct sample *s, int32_t i)
{
        struct instance x;
        struct lb_error err = { 0 };
        struct solve_result result;
        struct solve_lp *lp = NULL;
        instance_machine(&x, s->nnode, 2, 4, 48, (uint64_t)i + 1);
        instance_loads(&x, 2.0, (uint64_t)i + 1);
        if (s->lp) {
                lp = solve_lp_create(&x.shape, &err);
                must(lp ? 0 : -1, &err);
        }
        s->time_ms[EXACT][i] = time_exact(&x, NULL, &result);
        if (lp)
                run_lp(s, i, lp, &x, COLD);

        int32_t *now = instance_array(x.shape.nworker, sizeof(*now));
        memcpy(now, x.owned, (size_t)x.shape.nworker * sizeof(*now));
        change_loads(&x, (uint64_t)i);
        s->time_ms[EXACT_WARM][i] = time_exact(&x, now, &result);
        if (lp)
                run_lp(s, i, lp, &x, WARM);
        solve_lp_destroy(lp);
        free(now);
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
        printf("%6s | %-19s | %-19s | %-19s | %-19s | %-13s | %-15s | %-15s\n", "",
               "exact cold, ms", "exact warm, ms", "lp cold, ms", "lp warm, ms", "lp over exact",
               "rounded over", "integer over");
        printf("%6s | %9s %9s | %9s %9s | %9s %9s | %9s %9s | %6s %6s | %7s %7s | %7s %7s\n",
               "nodes", "min", "median", "min", "median", "min", "median", "min", "median", "cold",
               "warm", "int. %", "worst", "frac. %", "worst");
}

static void print_row(struct sample *s, double middle[NTIMING])
{
        printf("%6d |", s->nnode);
        for (int t = 0; t < (s->lp ? NTIMING : COLD); t++) {
                middle[t] = median(s->time_ms[t], s->nrun);
                printf(" %9.4f %9.4f |", s->time_ms[t][0], middle[t]);
        }
        if (s->lp) {
                median(s->rounding, s->nrun);
                median(s->granularity, s->nrun);
                printf(" %6.1f %6.1f |", middle[COLD] / middle[EXACT],
                       middle[WARM] / middle[EXACT_WARM]);
                printf(" %7.2f %7.2f |", 100 * mean(s->rounding, s->nrun),
                       100 * s->rounding[s->nrun - 1]);
                printf(" %7.2f %7.2f", 100 * mean(s->granularity, s->nrun),
                       100 * s->granularity[s->nrun - 1]);
        }
        printf("\n");
        fflush(stdout);
}

/* How times grow from `from` nodes to the most that were run. */
static void print_growth(int32_t from, const double *first, const double last[NTIMING],
                         const int32_t to[NTIMING])
{
        static const char *const names[] = { "exact cold", "exact warm", "lp cold", "lp warm" };
        printf("growth with nodes from %d:", from);
        for (int t = 0; t < NTIMING; t++)
                if (to[t] > from)
                        printf("%s %s n^%.2f to %d", t ? "," : "", names[t],
                               log(last[t] / first[t]) / log((double)to[t] / from), to[t]);
        printf("\n");
}

int main(int argc, char **argv)
{
        static struct sample sample;
        int32_t most = argc > 1 ? atoi(argv[1]) : 4096, lp_most = argc > 2 ? atoi(argv[2]) : 512;
        double first[NTIMING] = { 0 }, last[NTIMING] = { 0 };
        int32_t from = 32, to[NTIMING] = { 0 };
        print_heading();
        for (int32_t nnode = 8; nnode <= most; nnode *= 2) {
                sample.nnode = nnode;
                sample.nrun = nnode <= 64 ? RUNS_MOST : nnode <= 256 ? 12 : 3;
                sample.lp = nnode <= lp_most;
                for (int32_t i = 0; i < sample.nrun; i++)
                        run(&sample, i);
                print_row(&sample, nnode == from ? first : last);
                for (int t = 0; t < (sample.lp ? NTIMING : COLD); t++)
                        to[t] = nnode;
        }
        print_growth(from, first, last, to);
        return 0;
}
