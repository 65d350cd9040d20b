/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Sets of dense matrix products C = A B (CHAMELEON paper 4.1 and listing 1): each task is one
 * product of S x S matrices of doubles.
 *
 *   duration = 2 S^3 / rate,  inputs 16 S^2 bytes and a literal of 16, outputs 8 S^2 bytes
 *
 * - Bytes: docs/facts.md C3.
 * - Experiments 1 and 2 give every rank 2400 tasks of S = 600; experiment 3 gives the first of two
 *   ranks 2400 and the other none.
 * - Rate: the triple loop, not a library's product. The paper's one run with all figures,
 * experiment 1 at 60 W, did 2400 products of S = 600 on 23 threads in 17.42 s: 2.6 GFLOP/s for a
 * core. That is under a power cap, so a lower bound; measured with gcc on another machine it is 2.5
 * at S = 50 and 1.7 at 600 (docs/facts.md C8). The same for all sizes.
 */
#include "models/workload_impl.h"

static bool has_tasks(const struct workload_spec *spec, int32_t apprank)
{
        double nrank = spec->param[WORKLOAD_MATMUL_RANKS];
        return nrank < 1 || apprank < nrank;
}

static int matmul_fill(struct plan *plan, const struct workload_spec *spec, struct lb_error *err)
{
        int32_t n = workload_spec_napprank(spec);
        int64_t size = (int64_t)spec->param[WORKLOAD_MATMUL_SIZE];
        int64_t ntask = (int64_t)spec->param[WORKLOAD_MATMUL_TASKS];
        double flop = 2 * (double)size * (double)size * (double)size;
        double task_ms = flop / spec->param[WORKLOAD_MATMUL_GFLOPS] * 1e-6;
        if (plan_init(plan, 1, n, err) != 0)
                return -1;
        plan->task_bytes = 16 * size * size + 16;
        plan->result_bytes = 8 * size * size;
        for (int32_t a = 0; a < n; a++)
                if (plan_alike(plan, 0, a, has_tasks(spec, a) ? ntask : 0, task_ms, err) != 0)
                        return -1;
        return 0;
}

static double matmul_tasks_of_node(const struct workload_spec *spec)
{
        return spec->param[WORKLOAD_MATMUL_TASKS] * spec->appranks_per_node;
}

const struct workload_model workload_matmul = {
        .fill = matmul_fill,
        .tasks_of_node = matmul_tasks_of_node,
};
