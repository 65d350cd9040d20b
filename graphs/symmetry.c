/* SPDX-License-Identifier: BSD-3-Clause */
#include "graphs/symmetry.h"

#include <stdlib.h>
#include <string.h>

#include "graphs/library.h"

/* The graph as igraph's; colours keep appranks and nodes apart. */
static igraph_error_t build_bipartite(const struct graph *graph, igraph_t *both,
                                      igraph_vector_int_t *colour)
{
        igraph_error_t code = library_graph(graph, both);
        if (code != IGRAPH_SUCCESS)
                return code;
        igraph_integer_t count = igraph_vcount(both);
        code = igraph_vector_int_init(colour, count);
        if (code != IGRAPH_SUCCESS) {
                igraph_destroy(both);
                return code;
        }
        for (igraph_integer_t i = graph->napprank; i < count; i++)
                VECTOR(*colour)[i] = 1;
        return IGRAPH_SUCCESS;
}

static igraph_error_t find_generators(const struct graph *graph,
                                      igraph_vector_int_list_t *generators)
{
        igraph_t both;
        igraph_vector_int_t colour;
        igraph_error_t code = build_bipartite(graph, &both, &colour);
        if (code != IGRAPH_SUCCESS)
                return code;
        code = igraph_automorphism_group(&both, &colour, generators, IGRAPH_BLISS_FL, NULL);
        igraph_vector_int_destroy(&colour);
        igraph_destroy(&both);
        return code;
}

static bool is_known(const struct symmetry *symmetry, const int32_t *image_of)
{
        size_t n = (size_t)symmetry->nnode;
        bool same = true;
        for (size_t i = 0; i < n && same; i++)
                same = image_of[i] == (int32_t)i;
        for (int32_t k = 0; k < symmetry->count && !same; k++)
                same =
                    memcmp(symmetry->image_of + (size_t)k * n, image_of, n * sizeof(int32_t)) == 0;
        return same;
}

/* One symmetry after a generator, or the generator alone (first = NULL), into the next free place;
 * counted if it is new. */
static void compose(struct symmetry *symmetry, const int32_t *first, int32_t napprank,
                    const igraph_vector_int_t *generator)
{
        size_t n = (size_t)symmetry->nnode;
        int32_t *image_of = symmetry->image_of + (size_t)symmetry->count * n;
        for (size_t i = 0; i < n; i++) {
                igraph_integer_t from = napprank + (first ? first[i] : (int32_t)i);
                image_of[i] = (int32_t)VECTOR(*generator)[from] - napprank;
        }
        if (!is_known(symmetry, image_of))
                symmetry->count++;
}

/* Breadth first from no renaming: each one found, after each generator. */
static void generate(struct symmetry *symmetry, int32_t count_max, int32_t napprank,
                     const igraph_vector_int_list_t *generators)
{
        igraph_integer_t ngenerator = igraph_vector_int_list_size(generators);
        for (int32_t k = -1; k < symmetry->count; k++) {
                const int32_t *first =
                    k < 0 ? NULL : symmetry->image_of + (size_t)k * (size_t)symmetry->nnode;
                for (igraph_integer_t g = 0; g < ngenerator && symmetry->count < count_max; g++)
                        compose(symmetry, first, napprank,
                                igraph_vector_int_list_get_ptr(generators, g));
        }
}

int symmetry_create(const struct graph *graph, int32_t count_max, struct symmetry *out,
                    struct lb_error *err)
{
        library_quiet();
        *out = (struct symmetry){ .nnode = graph->nnode };
        out->image_of =
            calloc(((size_t)count_max + 1) * (size_t)graph->nnode, sizeof(*out->image_of));
        if (!out->image_of)
                return lb_error_fail(err, "out of memory for the symmetries of %d nodes",
                                     graph->nnode);
        igraph_vector_int_list_t generators;
        igraph_error_t code = igraph_vector_int_list_init(&generators, 0);
        if (code == IGRAPH_SUCCESS) {
                code = find_generators(graph, &generators);
                if (code == IGRAPH_SUCCESS)
                        generate(out, count_max, graph->napprank, &generators);
                igraph_vector_int_list_destroy(&generators);
        }
        if (code == IGRAPH_SUCCESS)
                return 0;
        symmetry_finish(out);
        return library_error(err, "symmetries", code);
}

void symmetry_finish(struct symmetry *symmetry)
{
        free(symmetry->image_of);
        *symmetry = (struct symmetry){ 0 };
}
