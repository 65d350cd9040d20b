/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The models of workloads, in the order of their choice: place MODEL_SYNTHETIC, name "synthetic",
 * struct workload_synthetic of its file. Included where MODEL is defined (models/workload_impl.h,
 * models/workload.c, models/workload_params.c).
 */
MODEL(SYNTHETIC, synthetic)
MODEL(GIVEN, given)
MODEL(TRACE, trace)
MODEL(PHASES, phases)
MODEL(MICROPP, micropp)
MODEL(NBODY, nbody)
MODEL(MATMUL, matmul)
MODEL(MESH, mesh)
MODEL(LIMITER, limiter)
MODEL(MULTIZONE, multizone)
MODEL(FT, ft)
MODEL(MINIFE, minife)
MODEL(GRAPH, graph)
MODEL(CHOLESKY, cholesky)
