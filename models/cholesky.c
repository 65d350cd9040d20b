/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Blocked Cholesky factorisations, A = L L^T, a task for each operation on a tile: the same tasks,
 * in the same order and with the same dependencies as those of the live example
 * (real/apps/cholesky). For a matrix of n x n tiles of b x b doubles:
 *
 *   fill n (n + 1) / 2 times; then for k = 0 .. n - 1: factor tile (k, k): b^3 / 3,
 *   solve tiles (i, k), i > k: b^3, update tiles (i, j), k < j <= i: 2 b^3, or b^3 where i = j
 *
 * floating-point operations (LAPACK Working Note 41: potrf, trsm, gemm, syrk). So n = 16 makes 952
 * tasks, 136 of them fills, and n b x n b / 3 operations per row within O(1 / n).
 *
 * - A task waits for those that wrote what it reads and overwrites: nobody overwrites what others
 *   still read. Its data are the tiles that it reads and updates; a fill has none.
 * - Every apprank factors its own matrices one after the other, cholesky_matrices on average; with
 *   an imbalance above 1 the numbers are drawn as loads of the synthetic model are, and rounded so
 *   that their sum stays.
 * - The live example updates the whole of a tile on the diagonal, 2 b^3: cholesky_diagonal = whole.
 */
#include <math.h>
#include <stdlib.h>

#include "models/load.h"
#include "models/taskgraph.h"
#include "models/workload_impl.h"

/* What others wait for goes first, as in the live example. */
enum priority { FILL, UPDATE, SOLVE, FACTOR };

/* One matrix after the other is added. */
struct maker {
        struct taskgraph *graph;
        int32_t apprank, ntile, count; /* tasks so far */
        int64_t task_ns[FACTOR + 1];   /* by priority */
        int64_t diagonal_ns, tile_bytes;
        int32_t *writer; /* [tiles] the last task that wrote each */
        struct lb_error *err;
        bool failed;
};

static int32_t tile_at(int32_t row, int32_t column)
{
        return row * (row + 1) / 2 + column;
}

/* A task that writes a tile, and reads those that are named; -1: none. */
static void add(struct maker *m, enum priority priority, int32_t tile, int32_t read_0,
                int32_t read_1)
{
        bool diagonal = priority == UPDATE && read_1 < 0;
        int32_t read[] = { m->writer[tile], read_0 < 0 ? -1 : m->writer[read_0],
                           read_1 < 0 ? -1 : m->writer[read_1] };
        int32_t after[3], nafter = 0;
        for (int i = 0; i < 3; i++)
                if (read[i] >= 0)
                        after[nafter++] = read[i];
        if (!m->failed)
                m->failed =
                    taskgraph_add(m->graph, 0, m->apprank,
                                  &(struct taskgraph_task){
                                      .task_ns = diagonal ? m->diagonal_ns : m->task_ns[priority],
                                      .bytes = nafter * m->tile_bytes,
                                      .priority = (int32_t)priority,
                                      .after = after,
                                      .nafter = nafter },
                                  m->err) < 0;
        m->writer[tile] = m->count++;
}

static void add_matrix(struct maker *m)
{
        int32_t n = m->ntile;
        for (int32_t tile = 0; tile < tile_at(n, 0); tile++) {
                m->writer[tile] = -1;
                add(m, FILL, tile, -1, -1);
        }
        for (int32_t k = 0; k < n && !m->failed; k++) {
                add(m, FACTOR, tile_at(k, k), -1, -1);
                for (int32_t i = k + 1; i < n; i++)
                        add(m, SOLVE, tile_at(i, k), tile_at(k, k), -1);
                for (int32_t i = k + 1; i < n; i++) {
                        for (int32_t j = k + 1; j < i; j++)
                                add(m, UPDATE, tile_at(i, j), tile_at(i, k), tile_at(j, k));
                        add(m, UPDATE, tile_at(i, i), tile_at(i, k), -1);
                }
        }
}

static int32_t tiles_of(const struct workload_spec *spec)
{
        double block = spec->param[WORKLOAD_CHOLESKY_BLOCK];
        return (int32_t)ceil(spec->param[WORKLOAD_CHOLESKY_SIZE] / block);
}

/* Tasks of one matrix. */
static double tasks_of_matrix(const struct workload_spec *spec)
{
        double n = tiles_of(spec);
        return n * (n + 1) / 2 + n + n * (n - 1) / 2 + (n + 1) * n * (n - 1) / 6;
}

static double cholesky_tasks_of_node(const struct workload_spec *spec)
{
        return tasks_of_matrix(spec) * spec->param[WORKLOAD_CHOLESKY_MATRICES] *
               spec->appranks_per_node;
}

static void set_costs(struct maker *m, const struct workload_spec *spec)
{
        double block = spec->param[WORKLOAD_CHOLESKY_BLOCK];
        double cube_ns = block * block * block / spec->param[WORKLOAD_CHOLESKY_GFLOPS];
        bool whole = spec->param[WORKLOAD_CHOLESKY_DIAGONAL] != 0;
        m->task_ns[FILL] = llround(block * block * spec->param[WORKLOAD_CHOLESKY_FILL_NS]);
        m->task_ns[FACTOR] = llround(cube_ns / 3);
        m->task_ns[SOLVE] = llround(cube_ns);
        m->task_ns[UPDATE] = llround(2 * cube_ns);
        m->diagonal_ns = m->task_ns[whole ? UPDATE : SOLVE];
        m->tile_bytes = llround(8 * block * block);
}

/* Whole matrices, as many in all as loads drawn for the imbalance say. */
static int draw_matrices(const struct workload_spec *spec, int32_t *matrices, int32_t n,
                         struct lb_error *err)
{
        double *load = malloc((size_t)n * sizeof(*load)), sum = 0;
        if (!load)
                return lb_error_fail(err, "out of memory for %d appranks", n);
        int status =
            workload_draw_loads(spec, spec->param[WORKLOAD_CHOLESKY_MATRICES], load, n, err);
        for (int32_t a = 0; status == 0 && a < n; a++) {
                double before = sum;
                sum += load[a];
                matrices[a] = (int32_t)(llround(sum) - llround(before));
        }
        free(load);
        return status;
}

static int32_t index_of_most(const int32_t *matrices, int32_t n)
{
        int32_t most = 0;
        for (int32_t a = 1; a < n; a++)
                if (matrices[a] > matrices[most])
                        most = a;
        return most;
}

/* The apprank with most matrices has the tasks, the others the first of them. */
static int make_tasks(struct taskgraph *graph, const struct workload_spec *spec,
                      const int32_t *matrices, int32_t n, struct lb_error *err)
{
        int32_t most = index_of_most(matrices, n);
        struct maker m = { .graph = graph, .apprank = most, .ntile = tiles_of(spec), .err = err };
        set_costs(&m, spec);
        m.writer = malloc((size_t)tile_at(m.ntile, 0) * sizeof(*m.writer));
        if (!m.writer)
                return lb_error_fail(err, "out of memory for %d tiles", tile_at(m.ntile, 0));
        for (int32_t i = 0; i < matrices[most] && !m.failed; i++)
                add_matrix(&m);
        free(m.writer);
        if (m.failed || taskgraph_close(graph, err) < 0)
                return -1;
        int32_t of_matrix = matrices[most] > 0 ? m.count / matrices[most] : 0;
        for (int32_t a = 0; a < n; a++)
                if (a != most && taskgraph_share(graph, a, most, matrices[a] * of_matrix, err) < 0)
                        return -1;
        return 0;
}

static int check_size(const struct workload_spec *spec, const int32_t *matrices, int32_t n,
                      struct lb_error *err)
{
        double most = matrices[index_of_most(matrices, n)];
        if (most * tasks_of_matrix(spec) <= TASKGRAPH_TASK_MAX)
                return 0;
        return lb_error_set(err,
                            "model \"cholesky\": found %.0f matrices of %d x %d tiles of one "
                            "apprank, which makes %.3g tasks; allowed are at most %d",
                            most, tiles_of(spec), tiles_of(spec), most * tasks_of_matrix(spec),
                            TASKGRAPH_TASK_MAX);
}

static int cholesky_fill(struct plan *plan, const struct workload_spec *spec, struct lb_error *err)
{
        int32_t n = workload_spec_napprank(spec);
        int32_t *matrices = calloc((size_t)n, sizeof(*matrices));
        struct taskgraph *graph = matrices ? taskgraph_create(1, n, err) : NULL;
        int status = -1;
        if (!matrices)
                lb_error_fail(err, "out of memory for %d appranks", n);
        else if (graph && draw_matrices(spec, matrices, n, err) == 0 &&
                 check_size(spec, matrices, n, err) == 0)
                status = make_tasks(graph, spec, matrices, n, err);
        free(matrices);
        if (status == 0)
                status = plan_graph(plan, n, graph, err);
        if (status < 0)
                taskgraph_destroy(graph);
        else
                plan->own_graph = graph;
        return status;
}

const struct workload_model workload_cholesky = {
        .fill = cholesky_fill,
        .tasks_of_node = cholesky_tasks_of_node,
};
