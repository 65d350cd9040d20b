/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * FT of the NAS Parallel Benchmarks (Task Packing paper 5.2): a 3-D Fourier transform per
 * iteration over planes that lie on the appranks in equal blocks; the transposition between its
 * dimensions is an all-to-all, the only communication. All appranks have the same work: imbalance
 * comes from the nodes' speeds.
 *
 * - Work: the benchmark's own count of operations (ft.f, "mflops"), per iteration
 *
 *      N (5.23518 + 7.21113 ln N)   of N points: class C, 512^3, 1.88e10
 *
 * - Rate: 0.7 GFLOP/s per core is what is usual for FT on Sandy Bridge with all cores of a node
 *   busy; the paper's Figure 5 (0.2 s with 128 tasks) says 0.73. It sets the scale of time only.
 * - All-to-all: 16 bytes per point, N / appranks^2 points from each to each.
 * - An apprank's work is cut into equal tasks, workload.tasks_per_core for each of its cores.
 *
 * Known value: class C, 1.882e10 operations (tests/models/test_programs.c).
 */
#include <math.h>

#include "models/workload_impl.h"

static const double points[][3] = {
        { 64, 64, 64 },    { 128, 128, 32 },  { 256, 256, 128 },
        { 512, 256, 256 }, { 512, 512, 512 }, { 2048, 1024, 1024 },
};

static double points_of(const struct workload_spec *spec)
{
        const double *n = points[(int)spec->param[WORKLOAD_FT_CLASS]];
        return n[0] * n[1] * n[2];
}

static int ft_fill(struct plan *plan, const struct workload_spec *spec, struct lb_error *err)
{
        int32_t napprank = workload_spec_napprank(spec);
        int64_t ntask = workload_tasks_per_apprank(spec);
        double n = points_of(spec);
        double flop = n * (5.23518 + 7.21113 * log(n)) / napprank;
        double ms = flop / spec->param[WORKLOAD_FT_GFLOPS] * 1e-6;
        if (plan_init(plan, 1, napprank, err) != 0)
                return -1;
        for (int32_t a = 0; a < napprank; a++)
                if (plan_alike(plan, 0, a, ntask, ms / (double)ntask, err) != 0)
                        return -1;
        return 0;
}

static int ft_exchange(struct workload_exchange *exchange, const struct workload_spec *spec,
                       struct lb_error *err)
{
        (void)err;
        double napprank = workload_spec_napprank(spec);
        exchange->meeting = WORKLOAD_ALLTOALL;
        exchange->meeting_bytes = llround(16 * points_of(spec) / napprank / napprank);
        return 0;
}

const struct workload_model workload_ft = { .fill = ft_fill, .exchange = ft_exchange };
