/* SPDX-License-Identifier: BSD-3-Clause */
#include <string.h>

#include "base/file.h"
#include "graphs/draw.h"
#include "graphs/judge.h"
#include "graphs/library.h"

/* Writing a graph in the formats of others. */

static int write_svg(FILE *out, const struct graph *graph, struct lb_error *err)
{
        if (graph->napprank > DRAW_APPRANK_MAX)
                return lb_error_set(err, "%d appranks: a drawing has at most %d", graph->napprank,
                                    DRAW_APPRANK_MAX);
        draw_svg(out, graph);
        return 0;
}

static bool is_home(const struct graph *graph, int32_t edge)
{
        return edge == graph->apprank_first[graph->edge_apprank[edge]];
}

static int write_dot(FILE *out, const struct graph *graph, struct lb_error *err)
{
        (void)err;
        fprintf(out, "graph lbsim {\n  rankdir=LR;\n  node [shape=circle];\n");
        fprintf(out, "  subgraph appranks {\n    rank=same;\n");
        for (int32_t a = 0; a < graph->napprank; a++)
                fprintf(out, "    a%d [label=\"%d\"];\n", a, a);
        fprintf(out, "  }\n  subgraph nodes {\n    rank=same;\n    node [shape=box];\n");
        for (int32_t n = 0; n < graph->nnode; n++)
                fprintf(out, "    n%d [label=\"node %d\"];\n", n, n);
        fprintf(out, "  }\n");
        for (int32_t e = 0; e < graph->nedge; e++)
                fprintf(out, "  a%d -- n%d%s;\n", graph->edge_apprank[e], graph->edge_node[e],
                        is_home(graph, e) ? " [penwidth=3]" : "");
        fprintf(out, "}\n");
        return 0;
}

/* Vertices: kind (apprank or node) and number; edges: home. */
static igraph_error_t set_attributes(const struct graph *graph, igraph_t *to)
{
        igraph_error_t code = IGRAPH_SUCCESS;
        for (int32_t v = 0; v < graph->napprank + graph->nnode && code == IGRAPH_SUCCESS; v++) {
                bool apprank = v < graph->napprank;
                code = SETVAS(to, "kind", v, apprank ? "apprank" : "node");
                if (code == IGRAPH_SUCCESS)
                        code = SETVAN(to, "number", v, apprank ? v : v - graph->napprank);
        }
        for (int32_t e = 0; e < graph->nedge && code == IGRAPH_SUCCESS; e++)
                code = SETEAB(to, "home", e, is_home(graph, e));
        return code;
}

static int write_graphml(FILE *out, const struct graph *graph, struct lb_error *err)
{
        library_quiet();
        igraph_t copy;
        igraph_error_t code = library_graph(graph, &copy);
        if (code != IGRAPH_SUCCESS)
                return library_error(err, "GraphML", code);
        code = set_attributes(graph, &copy);
        if (code == IGRAPH_SUCCESS)
                code = igraph_write_graph_graphml(&copy, out, false);
        igraph_destroy(&copy);
        return code == IGRAPH_SUCCESS ? 0 : library_error(err, "GraphML", code);
}

static const struct format {
        const char *ending;
        int (*write)(FILE *out, const struct graph *graph, struct lb_error *err);
} formats[] = {
        { ".svg", write_svg },
        { ".dot", write_dot },
        { ".graphml", write_graphml },
        { ".json", NULL }, /* graph_write_json(), which writes the spec as well */
};

static const struct format *find_format(const char *file)
{
        size_t length = strlen(file);
        for (size_t i = 0; i < sizeof(formats) / sizeof(formats[0]); i++) {
                size_t ending = strlen(formats[i].ending);
                if (length > ending && strcmp(file + length - ending, formats[i].ending) == 0)
                        return &formats[i];
        }
        return NULL;
}

int graph_export_check(const char *file, struct lb_error *err)
{
        if (find_format(file))
                return 0;
        return lb_error_set(err, "unknown ending of '%s', allowed is .svg, .dot, .graphml or .json",
                            file);
}

int graph_export(const struct graph *graph, const struct graph_spec *spec, const char *file,
                 struct lb_error *err)
{
        if (graph_export_check(file, err))
                return -1;
        const struct format *format = find_format(file);
        if (!format->write)
                return graph_write_json(graph, spec, file, err);
        struct lb_file out;
        if (lb_file_create(&out, file, err))
                return -1;
        if (format->write(out.stream, graph, err)) {
                lb_file_abandon(&out);
                return -1;
        }
        return lb_file_commit(&out, err);
}
