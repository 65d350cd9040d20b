/* SPDX-License-Identifier: BSD-3-Clause */
#include "graphs/library.h"

#include <gsl/gsl_errno.h>
#include <gsl/gsl_version.h>

#include "graphs/judge.h"

void library_quiet(void)
{
        igraph_set_error_handler(igraph_error_handler_ignore);
        igraph_set_warning_handler(igraph_warning_handler_ignore);
        igraph_set_attribute_table(&igraph_cattribute_table);
        gsl_set_error_handler_off();
}

int library_error(struct lb_error *err, const char *what, igraph_error_t code)
{
        return lb_error_fail(err, "%s: igraph: %s", what, igraph_strerror(code));
}

igraph_error_t library_graph(const struct graph *graph, igraph_t *out)
{
        igraph_vector_int_t ends;
        igraph_error_t code = igraph_vector_int_init(&ends, 2 * (igraph_integer_t)graph->nedge);
        if (code != IGRAPH_SUCCESS)
                return code;
        for (int32_t e = 0; e < graph->nedge; e++) {
                VECTOR(ends)[2 * e] = graph->edge_apprank[e];
                VECTOR(ends)[2 * e + 1] = graph->napprank + graph->edge_node[e];
        }
        igraph_integer_t count = (igraph_integer_t)graph->napprank + graph->nnode;
        code = igraph_create(out, &ends, count, IGRAPH_UNDIRECTED);
        igraph_vector_int_destroy(&ends);
        return code;
}

struct graph_libraries graph_libraries(void)
{
        struct graph_libraries libraries = { .gsl = gsl_version, .igraph = "" };
        igraph_version(&libraries.igraph, NULL, NULL, NULL);
        return libraries;
}
