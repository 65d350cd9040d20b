/* SPDX-License-Identifier: BSD-3-Clause */
#include "graphs/spectrum.h"

#include <gsl/gsl_eigen.h>
#include <gsl/gsl_sort_vector.h>
#include <math.h>
#include <stdlib.h>

#include "graphs/library.h"

/* Up to so many nodes all eigenvalues are computed (cubic time), beyond only the two largest. */
enum { DENSE_NODE_MAX = 512 };

/* The degree of an edge's apprank times that of its node, square root. */
static double edge_scale(const struct graph *graph, int32_t edge)
{
        int32_t apprank = graph->edge_apprank[edge];
        double degree = graph->apprank_first[apprank + 1] - graph->apprank_first[apprank];
        return sqrt(degree * graph_node_degree(graph, graph->edge_node[edge]));
}

/* B'B, B being the scaled biadjacency matrix: [nnode][nnode]. */
static void fill_gram(const struct graph *graph, gsl_matrix *gram)
{
        gsl_matrix_set_zero(gram);
        for (int32_t e = 0; e < graph->nedge; e++) {
                int32_t apprank = graph->edge_apprank[e];
                for (int32_t f = graph->apprank_first[apprank];
                     f < graph->apprank_first[apprank + 1]; f++) {
                        double *cell = gsl_matrix_ptr(gram, (size_t)graph->edge_node[e],
                                                      (size_t)graph->edge_node[f]);
                        *cell += 1 / (edge_scale(graph, e) * edge_scale(graph, f));
                }
        }
}

static int compute_dense(const struct graph *graph, double *second, struct lb_error *err)
{
        size_t n = (size_t)graph->nnode;
        gsl_matrix *gram = gsl_matrix_alloc(n, n);
        gsl_vector *value = gsl_vector_alloc(n);
        gsl_eigen_symm_workspace *work = gsl_eigen_symm_alloc(n);
        int failed = -1;
        if (!gram || !value || !work) {
                lb_error_fail(err, "out of memory for the spectrum of %d nodes", graph->nnode);
                goto done;
        }
        fill_gram(graph, gram);
        if (gsl_eigen_symm(gram, value, work)) {
                lb_error_fail(err, "the spectrum of %d nodes did not converge", graph->nnode);
                goto done;
        }
        gsl_sort_vector(value);
        *second = sqrt(fmax(0, gsl_vector_get(value, n - 2)));
        failed = 0;
done:
        if (gram)
                gsl_matrix_free(gram);
        if (value)
                gsl_vector_free(value);
        if (work)
                gsl_eigen_symm_free(work);
        return failed;
}

struct product {
        const struct graph *graph;
        double *apprank; /* [napprank] */
};

/* to[] = B'B from[], for ARPACK. */
static igraph_error_t multiply(igraph_real_t *to, const igraph_real_t *from, int n, void *extra)
{
        const struct product *product = extra;
        const struct graph *graph = product->graph;
        for (int i = 0; i < n; i++)
                to[i] = 0;
        for (int32_t a = 0; a < graph->napprank; a++)
                product->apprank[a] = 0;
        for (int32_t e = 0; e < graph->nedge; e++)
                product->apprank[graph->edge_apprank[e]] +=
                    from[graph->edge_node[e]] / edge_scale(graph, e);
        for (int32_t e = 0; e < graph->nedge; e++)
                to[graph->edge_node[e]] +=
                    product->apprank[graph->edge_apprank[e]] / edge_scale(graph, e);
        return IGRAPH_SUCCESS;
}

static int compute_sparse(const struct graph *graph, double *second, struct lb_error *err)
{
        struct product product = { .graph = graph };
        product.apprank = calloc((size_t)graph->napprank, sizeof(double));
        if (!product.apprank)
                return lb_error_fail(err, "out of memory for the spectrum of %d nodes",
                                     graph->nnode);
        igraph_vector_t value;
        igraph_error_t code = igraph_vector_init(&value, 0);
        if (code == IGRAPH_SUCCESS) {
                igraph_arpack_options_t options;
                igraph_arpack_options_init(&options);
                options.n = graph->nnode;
                options.nev = 2;
                options.ncv = 40;
                options.which[0] = 'L';
                options.which[1] = 'A';
                options.tol = 1e-6;
                igraph_rng_seed(igraph_rng_default(), 1); /* ARPACK's start: the same every time */
                code = igraph_arpack_rssolve(multiply, &product, &options, NULL, &value, NULL);
                if (code == IGRAPH_SUCCESS)
                        *second = sqrt(fmax(0, VECTOR(value)[1]));
                igraph_vector_destroy(&value);
        }
        free(product.apprank);
        return code == IGRAPH_SUCCESS ? 0 : library_error(err, "second singular value", code);
}

int spectrum_compute(const struct graph *graph, struct spectrum *out, struct lb_error *err)
{
        library_quiet();
        *out = (struct spectrum){ .complete = true };
        if (graph->nnode == 1 || graph->nedge == (int64_t)graph->napprank * graph->nnode)
                return 0; /* one node, or all: a matrix of rank one */
        if (graph->degree == 1) {
                out->second_singular = 1; /* each node by itself */
                return 0;
        }
        out->complete = graph->nnode <= DENSE_NODE_MAX;
        return out->complete ? compute_dense(graph, &out->second_singular, err)
                             : compute_sparse(graph, &out->second_singular, err);
}

static int compare_ints(const void *a, const void *b)
{
        int32_t x = *(const int32_t *)a, y = *(const int32_t *)b;
        return (x > y) - (x < y);
}

/* Sorted: how small sets of appranks, and how large sets of nodes can be, by degrees and homes. */
struct volumes {
        int32_t *apprank_degree; /* [napprank] ascending */
        int32_t *node_degree;    /* [nnode] ascending */
        int32_t *home;           /* [nnode] appranks at home on a node, ascending */
};

static void volumes_finish(struct volumes *volumes)
{
        free(volumes->apprank_degree);
        free(volumes->node_degree);
        free(volumes->home);
}

static int volumes_init(struct volumes *volumes, const struct graph *graph, struct lb_error *err)
{
        size_t napprank = (size_t)graph->napprank, nnode = (size_t)graph->nnode;
        volumes->apprank_degree = calloc(napprank, sizeof(int32_t));
        volumes->node_degree = calloc(nnode, sizeof(int32_t));
        volumes->home = calloc(nnode, sizeof(int32_t));
        if (!volumes->apprank_degree || !volumes->node_degree || !volumes->home) {
                volumes_finish(volumes);
                return lb_error_fail(err, "out of memory for judging a graph of %d appranks",
                                     graph->napprank);
        }
        for (int32_t a = 0; a < graph->napprank; a++) {
                volumes->apprank_degree[a] = graph->apprank_first[a + 1] - graph->apprank_first[a];
                volumes->home[graph_home(a, graph->napprank, graph->nnode)]++;
        }
        for (int32_t n = 0; n < graph->nnode; n++)
                volumes->node_degree[n] = graph_node_degree(graph, n);
        qsort(volumes->apprank_degree, napprank, sizeof(int32_t), compare_ints);
        qsort(volumes->node_degree, nnode, sizeof(int32_t), compare_ints);
        qsort(volumes->home, nnode, sizeof(int32_t), compare_ints);
        return 0;
}

/* The least volume of N(A) when A has volume `volume`. */
static double least_volume(const struct graph *graph, const struct spectrum *spectrum,
                           double volume)
{
        if (!spectrum->complete)
                return volume;
        double p = volume / graph->nedge;
        double square = fmin(1, spectrum->second_singular * spectrum->second_singular + 1e-12);
        return volume / (p + square * (1 - p)) * (1 - 1e-9);
}

int spectrum_bound(const struct graph *graph, const struct spectrum *spectrum, int32_t size_max,
                   int32_t *nnode, int32_t *size, struct lb_error *err)
{
        struct volumes volumes;
        if (volumes_init(&volumes, graph, err))
                return -1;
        int32_t n = graph->nnode;
        int32_t m = 0, h = 0; /* nodes that are needed for the volume, and for the homes */
        double volume = 0, node_volume = 0;
        int64_t homes = 0;
        *nnode = *size = 0;
        for (int32_t k = 1; k <= size_max; k++) {
                volume += volumes.apprank_degree[k - 1];
                double least = least_volume(graph, spectrum, volume);
                while (m < n && (node_volume < least - 1e-6 || m < volumes.apprank_degree[0]))
                        node_volume += volumes.node_degree[n - 1 - m++];
                while (h < n && homes < k)
                        homes += volumes.home[n - 1 - h++];
                int32_t need = m > h ? m : h;
                if (*size == 0 || (int64_t)need * *size < (int64_t)*nnode * k) {
                        *nnode = need;
                        *size = k;
                }
        }
        volumes_finish(&volumes);
        return 0;
}
