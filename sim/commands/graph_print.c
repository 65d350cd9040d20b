/* SPDX-License-Identifier: BSD-3-Clause */
#include "sim/commands/graph_print.h"

#include <inttypes.h>

#include "base/text.h"

enum { SET_SHOWN_MAX = 64, SET_PER_LINE = 16 };

struct range {
        int32_t low, high;
};

static struct range node_degrees(const struct graph *graph)
{
        struct range range = { .low = INT32_MAX };
        for (int32_t n = 0; n < graph->nnode; n++) {
                int32_t degree = graph_node_degree(graph, n);
                range.low = degree < range.low ? degree : range.low;
                range.high = degree > range.high ? degree : range.high;
        }
        return range;
}

static void print_label(FILE *out, const char *label)
{
        fprintf(out, "%-30s", label);
}

static void print_isoperimetric(FILE *out, const struct graph_judgement *judgement)
{
        print_label(out, "vertex isoperimetric number");
        if (judgement->exact)
                fprintf(out, "%.6f (exact)\n", judgement->isoperimetric);
        else
                fprintf(out, "%.6f to %.6f (bounds)\n", judgement->isoperimetric_lower,
                        judgement->isoperimetric);
        print_label(out, "  x appranks / nodes");
        fprintf(out, "%.6f\n", judgement->scaled);
}

static void print_set(FILE *out, const struct graph_judgement *judgement)
{
        print_label(out, judgement->exact ? "  minimising set" : "  best set found");
        fprintf(out, "%" PRId32 " apprank%s with %" PRId32 " node%s:", judgement->set_size,
                lb_s(judgement->set_size), judgement->set_nnode, lb_s(judgement->set_nnode));
        for (int32_t i = 0; i < judgement->set_size && i < SET_SHOWN_MAX; i++) {
                if (i % SET_PER_LINE == 0)
                        fprintf(out, "\n%30s", "");
                fprintf(out, i % SET_PER_LINE == 0 ? "%" PRId32 : " %" PRId32, judgement->set[i]);
        }
        if (judgement->set_size > SET_SHOWN_MAX)
                fprintf(out, " and %" PRId32 " more", judgement->set_size - SET_SHOWN_MAX);
        fprintf(out, "\n");
}

static void print_title(FILE *out, const struct graph *graph, const struct graph_spec *spec)
{
        fprintf(out, "%" PRId32 " apprank%s on %" PRId32 " node%s, degree %" PRId32,
                graph->napprank, lb_s(graph->napprank), graph->nnode, lb_s(graph->nnode),
                graph->degree);
        if (spec)
                fprintf(out, " (method %s, seed %" PRIu64, graph_method_name(spec->method),
                        spec->seed);
        if (spec && spec->method == GRAPH_METHOD_BEST)
                fprintf(out, ", trials %" PRId32, spec->trials);
        fprintf(out, spec ? ")\n\n" : "\n\n");
}

void graph_print_table(FILE *out, const struct graph *graph, const struct graph_spec *spec,
                       const struct graph_judgement *judgement, double helper_distance)
{
        struct range degrees = node_degrees(graph);
        print_title(out, graph, spec);
        print_isoperimetric(out, judgement);
        print_set(out, judgement);
        print_label(out, "appranks per node");
        if (degrees.low == degrees.high)
                fprintf(out, "%" PRId32 "\n", degrees.low);
        else
                fprintf(out, "%" PRId32 " to %" PRId32 "\n", degrees.low, degrees.high);
        print_label(out, "second singular value");
        fprintf(out, "%.6f of the first\n", judgement->second_singular);
        print_label(out, "worst load always balanced");
        fprintf(out, "%s%.6f x mean\n", judgement->worst_load_exact ? "" : "at most ",
                judgement->worst_load);
        print_label(out, "connected");
        fprintf(out, "%s\n", judgement->connected ? "yes" : "no");
        if (helper_distance >= 0) {
                print_label(out, "distance of helpers");
                fprintf(out, "%.6f (mean)\n", helper_distance);
        }
        if (graph->note[0]) {
                print_label(out, "note");
                fprintf(out, "%s\n", graph->note);
        }
}

static const char *truth(bool value)
{
        return value ? "true" : "false";
}

void graph_print_json(FILE *out, const struct graph *graph, const struct graph_spec *spec,
                      const struct graph_judgement *judgement, double helper_distance)
{
        struct range degrees = node_degrees(graph);
        fprintf(out,
                "{\n  \"appranks\": %" PRId32 ",\n  \"nodes\": %" PRId32 ",\n  \"degree\": %" PRId32
                ",\n  \"appranks_per_node\": { \"min\": %" PRId32 ", \"max\": %" PRId32 " },\n",
                graph->napprank, graph->nnode, graph->degree, degrees.low, degrees.high);
        if (spec)
                fprintf(out, "  \"method\": \"%s\",\n  \"seed\": %" PRIu64 ",\n",
                        graph_method_name(spec->method), spec->seed);
        if (spec && spec->method == GRAPH_METHOD_BEST)
                fprintf(out, "  \"trials\": %" PRId32 ",\n", spec->trials);
        fprintf(out,
                "  \"isoperimetric\": %.17g,\n  \"isoperimetric_lower\": %.17g,\n"
                "  \"exact\": %s,\n  \"scaled\": %.17g,\n  \"set_nodes\": %" PRId32
                ",\n  \"set\": [",
                judgement->isoperimetric, judgement->isoperimetric_lower, truth(judgement->exact),
                judgement->scaled, judgement->set_nnode);
        for (int32_t i = 0; i < judgement->set_size; i++)
                fprintf(out, i == 0 ? "%" PRId32 : ", %" PRId32, judgement->set[i]);
        fprintf(out, "],\n");
        if (helper_distance >= 0)
                fprintf(out, "  \"helper_distance\": %.17g,\n", helper_distance);
        fprintf(out,
                "  \"second_singular\": %.17g,\n  \"worst_load\": %.17g,\n"
                "  \"worst_load_exact\": %s,\n  \"connected\": %s,\n  \"biregular\": %s,\n"
                "  \"note\": \"%s\"\n}\n",
                judgement->second_singular, judgement->worst_load,
                truth(judgement->worst_load_exact), truth(judgement->connected),
                truth(graph->biregular), graph->note);
}
