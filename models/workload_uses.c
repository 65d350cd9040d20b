/* SPDX-License-Identifier: BSD-3-Clause */
#include "models/workload.h"
#include "models/workload_impl.h"

#define M(name) (1u << MODEL_##name)
#define DRAWN (M(SYNTHETIC) | M(CHOLESKY))
#define BY_CORE                                                                                    \
        (M(SYNTHETIC) | M(GIVEN) | M(PHASES) | M(MICROPP) | M(MESH) | M(LIMITER) | M(FT) |         \
         M(MINIFE))
#define TIMED (M(SYNTHETIC) | M(PHASES) | M(MESH) | M(LIMITER))
#define WITHOUT_BYTES (M(MATMUL) | M(GRAPH) | M(CHOLESKY))

/* Who reads a parameter; those that are not here are read whatever the model is. */
static const unsigned users[WORKLOAD_NPARAM] = {
        [WORKLOAD_IMBALANCE] = DRAWN,
        [WORKLOAD_WORST] = DRAWN,
        [WORKLOAD_TASKS_PER_CORE] = BY_CORE,
        [WORKLOAD_TASK_MS] = TIMED,
        [WORKLOAD_TASK_BYTES] = ~WITHOUT_BYTES,
        [WORKLOAD_PHASE_ITERATIONS] = M(PHASES),
        [WORKLOAD_MICROPP_NONLINEAR] = M(MICROPP),
        [WORKLOAD_MICROPP_LINEAR_STEPS] = M(MICROPP),
        [WORKLOAD_MICROPP_NEWTON] = M(MICROPP),
        [WORKLOAD_MICROPP_CG_LINEAR] = M(MICROPP),
        [WORKLOAD_MICROPP_CG_NONLINEAR] = M(MICROPP),
        [WORKLOAD_MICROPP_CG_MS] = M(MICROPP),
        [WORKLOAD_MICROPP_ASSEMBLY_MS] = M(MICROPP),
        [WORKLOAD_NBODY_BODIES] = M(NBODY),
        [WORKLOAD_NBODY_BLOCK] = M(NBODY),
        [WORKLOAD_NBODY_THETA] = M(NBODY),
        [WORKLOAD_NBODY_INTERACTION_NS] = M(NBODY),
        [WORKLOAD_MATMUL_SIZE] = M(MATMUL),
        [WORKLOAD_MATMUL_TASKS] = M(MATMUL),
        [WORKLOAD_MATMUL_RANKS] = M(MATMUL),
        [WORKLOAD_MATMUL_GFLOPS] = M(MATMUL),
        [WORKLOAD_MESH_STEPS] = M(MESH) | M(LIMITER),
        [WORKLOAD_MESH_REFINE] = M(MESH),
        [WORKLOAD_MESH_WIDTH] = M(MESH),
        [WORKLOAD_LIMITER_FACTOR] = M(LIMITER),
        [WORKLOAD_LIMITER_BAND] = M(LIMITER),
        [WORKLOAD_TRACE_TASKS] = M(TRACE),
        [WORKLOAD_LIMITER_SHARE] = M(LIMITER),
        [WORKLOAD_REGIONS] = ~M(MULTIZONE),
        [WORKLOAD_MULTIZONE_BENCHMARK] = M(MULTIZONE),
        [WORKLOAD_MULTIZONE_CLASS] = M(MULTIZONE),
        [WORKLOAD_MULTIZONE_MAP] = M(MULTIZONE),
        [WORKLOAD_MULTIZONE_MFLOPS] = M(MULTIZONE),
        [WORKLOAD_FT_CLASS] = M(FT),
        [WORKLOAD_FT_GFLOPS] = M(FT),
        [WORKLOAD_MINIFE_ELEMENTS] = M(MINIFE),
        [WORKLOAD_MINIFE_GBPS] = M(MINIFE),
        [WORKLOAD_CHOLESKY_SIZE] = M(CHOLESKY),
        [WORKLOAD_CHOLESKY_BLOCK] = M(CHOLESKY),
        [WORKLOAD_CHOLESKY_MATRICES] = M(CHOLESKY),
        [WORKLOAD_CHOLESKY_GFLOPS] = M(CHOLESKY),
        [WORKLOAD_CHOLESKY_FILL_NS] = M(CHOLESKY),
        [WORKLOAD_CHOLESKY_DIAGONAL] = M(CHOLESKY),
};

bool workload_uses(int model, enum workload_param param)
{
        return !users[param] || users[param] >> model & 1;
}

bool workload_uses_loads(int model)
{
        return model == MODEL_GIVEN;
}

bool workload_uses_file(int model)
{
        return model == MODEL_TRACE || model == MODEL_GRAPH;
}
