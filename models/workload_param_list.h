/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The parameters of all workload models, in the order of lbsim params: key, which models read it
 * (ANY, or M() of their places), fields of struct lb_param. Included where PARAM is defined: the
 * enum is in models/workload.h, the tables are in models/workload_params.c. A new model's own go
 * behind all others; those of the others that it reads as well get an M() of its place.
 */

PARAM(MODEL, ANY, .name = "model", .type = LB_PARAM_CHOICE, .fallback = MODEL_SYNTHETIC,
      .choices = workload_models,
      .help = "where the loads come from: drawn for an imbalance, given, "
              "traced in a real run, explicit tasks, or those of a program")
PARAM(IMBALANCE, M(SYNTHETIC) | M(CHOLESKY), .name = "imbalance", .type = LB_PARAM_NUMBER,
      .fallback = 2.0, .min = 1, .max = 1e6,
      .help = "load of the worst apprank over the mean load; at most the "
              "number of appranks")
PARAM(ITERATIONS, ANY, .name = "iterations", .type = LB_PARAM_INTEGER, .fallback = 10, .min = 1,
      .max = 1e6, .help = "iterations, each ended by a barrier")
PARAM(TASKS_PER_CORE,
      M(SYNTHETIC) | M(GIVEN) | M(PHASES) | M(MICROPP) | M(MESH) | M(LIMITER) | M(FT) | M(MINIFE),
      .name = "tasks_per_core", .type = LB_PARAM_INTEGER, .fallback = 100, .min = 1, .max = 1e6,
      .help = "tasks created per core and iteration")
PARAM(TASK_MS, M(SYNTHETIC) | M(PHASES) | M(MESH) | M(LIMITER), .name = "task_ms", .unit = "ms",
      .type = LB_PARAM_NUMBER, .fallback = 50, .min = 0, .max = 3.6e6,
      .help = "mean duration of a task over all appranks")
PARAM(SERIAL_S, ANY, .name = "serial_s", .unit = "s", .type = LB_PARAM_NUMBER, .fallback = 0,
      .min = 0, .max = 3600,
      .help =
          "serial part of an iteration: for so long each apprank's main program computes on one "
          "core of its home, before it creates tasks; no task, so nobody else can do it")
PARAM(TASK_BYTES, ~(M(MATMUL) | M(GRAPH) | M(CHOLESKY)), .name = "task_bytes", .unit = "bytes",
      .type = LB_PARAM_INTEGER, .fallback = 1, .min = 0, .max = 1e12,
      .help = "data moved when a task runs elsewhere than its data")
PARAM(WRITEBACK, ANY, .name = "writeback", .type = LB_PARAM_SWITCH, .max = 1,
      .help = "the taskwait of an iteration brings the data home")
PARAM(JITTER, ANY, .name = "jitter", .type = LB_PARAM_CHOICE, .fallback = JITTER_NONE,
      .choices = jitter_names, .help = "distribution of the durations of one apprank's tasks")
PARAM(JITTER_CV, ANY, .name = "jitter_cv", .type = LB_PARAM_NUMBER, .fallback = 0.1, .min = 0,
      .max = 10,
      .help = "standard deviation over mean of the jitter; at most 0.577 "
              "for uniform, 0.5 for gaussian (cut off at 0 and twice "
              "the mean), 1 for exponential (shifted below 1)")
PARAM(SLOW, ANY, .name = "slow", .type = LB_PARAM_CHOICE, .fallback = SLOW_NONE,
      .choices = slow_names,
      .help = "emulate a slow node: the home of the apprank with most or "
              "least work, or the first")
PARAM(SLOW_FACTOR, ANY, .name = "slow_factor", .type = LB_PARAM_NUMBER, .fallback = 3, .min = 1,
      .max = 1000, .help = "how many times longer tasks last on the slow node")
PARAM(SLOW_ITERATIONS, ANY, .name = "slow_iterations", .type = LB_PARAM_INTEGER, .fallback = 0,
      .max = 1e6,
      .help = "the slow node comes and goes: for so many iterations it is as fast as the others, "
              "then slow for as many, and so on; 0: always slow")
PARAM(WORST, M(SYNTHETIC) | M(CHOLESKY), .name = "worst", .type = LB_PARAM_CHOICE,
      .fallback = WORST_RANDOM, .choices = worst_names, .help = "which apprank is the worst")
PARAM(PHASE_ITERATIONS, M(PHASES), .name = "phase_iterations", .type = LB_PARAM_INTEGER,
      .fallback = 10, .min = 1, .max = 1e6,
      .help = "model phases: iterations with all work on the "
              "first apprank, then as many with equal work")
PARAM(MICROPP_NONLINEAR, M(MICROPP), .name = "micropp_nonlinear", .type = LB_PARAM_NUMBER,
      .fallback = 0.25, .max = 1,
      .help = "model micropp: share of the Gauss points that "
              "are non-linear, the first ones")
PARAM(MICROPP_LINEAR_STEPS, M(MICROPP), .name = "micropp_linear_steps", .type = LB_PARAM_INTEGER,
      .fallback = 1, .max = 1e6,
      .help = "model micropp: iterations before any point "
              "turns non-linear")
PARAM(MICROPP_NEWTON, M(MICROPP), .name = "micropp_newton", .type = LB_PARAM_INTEGER, .fallback = 4,
      .min = 1, .max = 1000,
      .help = "model micropp: Newton iterations, with an assembly "
              "each, of a non-linear point; a linear one has 1")
PARAM(MICROPP_CG_LINEAR, M(MICROPP), .name = "micropp_cg_linear", .type = LB_PARAM_INTEGER,
      .fallback = 20, .max = 1e6, .help = "model micropp: CG iterations of a linear point")
PARAM(MICROPP_CG_NONLINEAR, M(MICROPP), .name = "micropp_cg_nonlinear", .type = LB_PARAM_INTEGER,
      .fallback = 68, .max = 1e6,
      .help = "model micropp: CG iterations of a non-linear "
              "point, all Newton iterations together")
PARAM(MICROPP_CG_MS, M(MICROPP), .name = "micropp_cg_ms", .unit = "ms", .type = LB_PARAM_NUMBER,
      .fallback = 3.73, .max = 1e5, .help = "model micropp: time of a CG iteration")
PARAM(MICROPP_ASSEMBLY_MS, M(MICROPP), .name = "micropp_assembly_ms", .unit = "ms",
      .type = LB_PARAM_NUMBER, .fallback = 12.0, .max = 1e5,
      .help = "model micropp: time of an assembly")
PARAM(NBODY_BODIES, M(NBODY), .name = "nbody_bodies", .type = LB_PARAM_INTEGER, .fallback = 20000,
      .min = 1, .max = 1e6, .help = "model nbody: bodies per node, uniform in a cube")
PARAM(NBODY_BLOCK, M(NBODY), .name = "nbody_block", .type = LB_PARAM_INTEGER, .fallback = 100,
      .min = 1, .max = 1e6, .help = "model nbody: bodies whose forces one task calculates")
PARAM(NBODY_THETA, M(NBODY), .name = "nbody_theta", .type = LB_PARAM_NUMBER, .fallback = 1,
      .max = 100,
      .help = "model nbody: a cell is opened by a body nearer to it "
              "than its side over this")
PARAM(NBODY_INTERACTION_NS, M(NBODY), .name = "nbody_interaction_ns", .unit = "ns",
      .type = LB_PARAM_NUMBER, .fallback = 213, .max = 1e9,
      .help = "model nbody: time of one interaction of a "
              "body with another or with a cell")
PARAM(MATMUL_SIZE, M(MATMUL), .name = "matmul_size", .type = LB_PARAM_INTEGER, .fallback = 600,
      .min = 1, .max = 10000, .help = "model matmul: rows and columns of the matrices")
PARAM(MATMUL_TASKS, M(MATMUL), .name = "matmul_tasks", .type = LB_PARAM_INTEGER, .fallback = 2400,
      .max = 1e7, .help = "model matmul: products of an apprank, a task each")
PARAM(MATMUL_RANKS, M(MATMUL), .name = "matmul_ranks", .type = LB_PARAM_INTEGER, .max = 262144,
      .help = "model matmul: appranks with tasks, the first ones; 0: "
              "all")
PARAM(MATMUL_GFLOPS, M(MATMUL), .name = "matmul_gflops", .unit = "GFLOP/s", .type = LB_PARAM_NUMBER,
      .fallback = 2.6, .min = 1e-3, .max = 1e6, .help = "model matmul: rate of a core")
PARAM(MESH_STEPS, M(MESH) | M(LIMITER), .name = "mesh_steps", .unit = "iterations",
      .type = LB_PARAM_INTEGER, .fallback = 60, .min = 1, .max = 100000,
      .help = "model mesh: until the wave has crossed the domain and "
              "begins again; model limiter: until the lake has swung "
              "round")
PARAM(MESH_REFINE, M(MESH), .name = "mesh_refine", .type = LB_PARAM_NUMBER, .fallback = 4, .min = 1,
      .max = 1e6,
      .help = "model mesh: cells that one is refined into where the "
              "wave is (assumed: half the side)")
PARAM(MESH_WIDTH, M(MESH), .name = "mesh_width", .type = LB_PARAM_NUMBER, .fallback = 0.1, .max = 2,
      .help = "model mesh: width of the wave, of the domain's side "
              "(assumed)")
PARAM(LIMITER_FACTOR, M(LIMITER), .name = "limiter_factor", .type = LB_PARAM_NUMBER, .fallback = 2,
      .min = 1, .max = 1e6,
      .help = "model limiter: cost of a limited cell over that of "
              "another (assumed: two schemes, equally dear)")
PARAM(LIMITER_DRY, M(LIMITER), .name = "limiter_dry", .type = LB_PARAM_NUMBER, .fallback = 1,
      .min = 0.01, .max = 1e6,
      .help = "model limiter: cost of a cell beyond the shore over that of "
              "one in the lake (assumed: two schemes, equally dear)")
PARAM(LIMITER_BAND, M(LIMITER), .name = "limiter_band", .type = LB_PARAM_NUMBER, .fallback = 0.05,
      .max = 2,
      .help = "model limiter: width of the shore, of the domain's "
              "side, where cells may be limited (assumed)")
PARAM(TRACE_TASKS, M(TRACE), .name = "trace_tasks", .type = LB_PARAM_INTEGER, .max = 1e6,
      .help = "model trace: an apprank's work of an iteration is so "
              "many tasks; 0: as many as the file says")
PARAM(LIMITER_SHARE, M(LIMITER), .name = "limiter_share", .type = LB_PARAM_NUMBER, .fallback = 0.5,
      .max = 1,
      .help = "model limiter: chance of a cell there to be limited, "
              "drawn in every iteration (assumed)")
PARAM(LIMITER_PREDICTOR, M(LIMITER), .name = "limiter_predictor", .type = LB_PARAM_NUMBER,
      .fallback = 0, .max = 1e6,
      .help = "model limiter: what a cell of the lake costs outside of tasks, over its cost in its "
              "task: a rank's threads predict the next step, each for sections of its own; adds to "
              "serial_s")
PARAM(REGIONS, ~M(MULTIZONE), .name = "regions", .type = LB_PARAM_INTEGER, .fallback = 1, .min = 1,
      .max = 1000,
      .help = "parallel regions of an iteration where a host runs it as "
              "fork and join; model multizone has its own")
PARAM(MULTIZONE_BENCHMARK, M(MULTIZONE), .name = "multizone_benchmark", .type = LB_PARAM_CHOICE,
      .fallback = MULTIZONE_BT, .choices = multizone_benchmarks,
      .help = "model multizone: which of NPB-MZ; bt has zones "
              "of unequal size")
PARAM(MULTIZONE_CLASS, M(MULTIZONE), .name = "multizone_class", .type = LB_PARAM_CHOICE,
      .fallback = MULTIZONE_A, .choices = multizone_classes,
      .help = "model multizone: class of NPB-MZ, which gives the "
              "mesh and the number of zones")
PARAM(MULTIZONE_MAP, M(MULTIZONE), .name = "multizone_map", .type = LB_PARAM_CHOICE,
      .fallback = MULTIZONE_PACKED, .choices = multizone_maps,
      .help = "model multizone: zones to appranks by the benchmark's "
              "bin packing, in blocks of equal number, or in turn")
PARAM(MULTIZONE_MFLOPS, M(MULTIZONE), .name = "multizone_mflops", .unit = "Mflop/s",
      .type = LB_PARAM_NUMBER, .fallback = 150, .min = 0.001, .max = 1e6,
      .help = "model multizone: rate of a core of speed 1; a "
              "tenth of the peak of a 375 MHz POWER3")
PARAM(FT_CLASS, M(FT), .name = "ft_class", .type = LB_PARAM_CHOICE, .fallback = 4,
      .choices = (const char *const[]){ "S", "W", "A", "B", "C", "D", NULL },
      .help = "model ft: the benchmark's class")
PARAM(FT_GFLOPS, M(FT), .name = "ft_gflops", .unit = "GFLOP/s", .type = LB_PARAM_NUMBER,
      .fallback = 0.7, .min = 1e-3, .max = 1e6,
      .help = "model ft: rate of a core of speed 1, all of its node "
              "busy")
PARAM(MINIFE_ELEMENTS, M(MINIFE), .name = "minife_elements", .type = LB_PARAM_INTEGER,
      .fallback = 200, .min = 1, .max = 10000,
      .help = "model minife: elements along each side of the "
              "cube")
PARAM(MINIFE_GBPS, M(MINIFE), .name = "minife_GBps", .unit = "GB/s", .type = LB_PARAM_NUMBER,
      .fallback = 4.8, .min = 1e-3, .max = 1e6,
      .help = "model minife: memory bandwidth of a core of speed 1, "
              "all of its node busy")
PARAM(CHOLESKY_SIZE, M(CHOLESKY), .name = "cholesky_size", .unit = "rows", .type = LB_PARAM_INTEGER,
      .fallback = 1024, .min = 1, .max = 1e6, .help = "model cholesky: rows of each matrix")
PARAM(CHOLESKY_BLOCK, M(CHOLESKY), .name = "cholesky_block", .unit = "rows",
      .type = LB_PARAM_INTEGER, .fallback = 64, .min = 1, .max = 10000,
      .help = "model cholesky: rows of a tile")
PARAM(CHOLESKY_MATRICES, M(CHOLESKY), .name = "cholesky_matrices", .type = LB_PARAM_NUMBER,
      .fallback = 4, .max = 1e5,
      .help = "model cholesky: matrices of an apprank, on "
              "average; workload.imbalance says how unequal")
PARAM(CHOLESKY_GFLOPS, M(CHOLESKY), .name = "cholesky_gflops", .unit = "GFLOP/s",
      .type = LB_PARAM_NUMBER, .fallback = 10, .min = 1e-3, .max = 1e6,
      .help = "model cholesky: rate of a core of speed 1; the "
              "live example does 13 in updates and 6 in solves "
              "(measured, tiles of 64)")
PARAM(CHOLESKY_FILL_NS, M(CHOLESKY), .name = "cholesky_fill_ns", .unit = "ns",
      .type = LB_PARAM_NUMBER, .fallback = 7, .max = 1e6,
      .help = "model cholesky: time to make one entry of a "
              "matrix")
PARAM(CHOLESKY_DIAGONAL, M(CHOLESKY), .name = "cholesky_diagonal", .type = LB_PARAM_CHOICE,
      .choices = (const char *const[]){ "half", "whole", NULL },
      .help = "model cholesky: what is updated of a tile on the "
              "diagonal, half of it (syrk) or the whole, as the "
              "live example does")
