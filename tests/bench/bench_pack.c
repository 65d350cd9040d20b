/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The packing policies: processor time of one decision for a node of 16 to 4096 processes, in sets
 * of the paper's 30 and all together, and how many CPUs it takes beyond the sum of times. Times of
 * processes are uniform between 5 % of the bound and all of it, or between 5 % and half.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "base/random.h"
#include "policies/pack.h"

enum { PROCESSES = 4096, RUNS = 5 };

static double now_ms(void)
{
        struct timespec t;
        clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
        return (double)t.tv_sec * 1e3 + (double)t.tv_nsec * 1e-6;
}

static void draw(double *time_s, int32_t count, double most, uint64_t seed, double *sum)
{
        struct lb_random random;
        lb_random_init(&random, seed, LB_RANDOM_TEST, 1);
        *sum = 0;
        for (int32_t i = 0; i < count; i++) {
                time_s[i] = 0.05 + (most - 0.05) * lb_random_unit(&random);
                *sum += time_s[i];
        }
}

static void measure(const struct pack_type *type, int32_t count, int32_t set, double most)
{
        static double time_s[PROCESSES];
        static int32_t cpu[PROCESSES];
        double param[16], worst_ms = 0, sum, all = 0, used = 0;
        struct lb_error err;
        lb_param_defaults(type->params, param);
        param[lb_param_find(type->params, "pack_set")] = set;
        void *state = malloc(type->state_size(count, param));
        if (!state || type->init(state, count, param, &err) < 0)
                exit(1);
        for (uint64_t r = 0; r < RUNS; r++) {
                draw(time_s, count, most, r, &sum);
                struct pack_view view = { .bound_s = 1, .time_s = time_s };
                double begin = now_ms();
                used += type->decide(state, &view, cpu);
                worst_ms = fmax(worst_ms, now_ms() - begin);
                all += ceil(sum);
        }
        free(state);
        printf("%-11s %9d %6d %6.2f %10.3f %12.2f %14.3f\n", type->name, count, set, most, worst_ms,
               worst_ms * 1e3 / count, used / all);
}

int main(void)
{
        static const int32_t counts[] = { 16, 64, 256, 1000, PROCESSES };
        static const double most[] = { 1, 0.5 };
        printf("%-11s %9s %6s %6s %10s %12s %14s\n", "policy", "processes", "set", "most",
               "worst_ms", "us/process", "CPUs/sum");
        for (int m = 0; m < 2; m++)
                for (size_t c = 0; c < sizeof(counts) / sizeof(counts[0]); c++)
                        for (int t = 0; t < 2; t++) {
                                measure(pack_types[t], counts[c], 30, most[m]);
                                if (counts[c] > 30)
                                        measure(pack_types[t], counts[c], counts[c], most[m]);
                        }
        return 0;
}
