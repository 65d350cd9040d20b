/* SPDX-License-Identifier: BSD-3-Clause */
#include <errno.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "graphs/judge.h"
#include "graphs/near.h"
#include "graphs/cache.h"
#include "sim/commands/graph_cache.h"
#include "sim/commands/graph_catalogue.h"
#include "sim/commands/graph_print.h"
#include "sim/commands/commands.h"

/* lbsim graph: make or read a graph, judge it, draw or export it. */

enum option_id {
        OPTION_APPRANKS,
        OPTION_NODES,
        OPTION_DEGREE,
        OPTION_METHOD,
        OPTION_SEED_OF_GRAPH,
        OPTION_TRIALS,
        OPTION_NODES_PER_SWITCH,
        OPTION_DISTANCES,
        OPTION_BUDGET,
        OPTION_OUT,
        OPTION_FORMAT,
        OPTION_FILE,
        OPTION_CATALOGUE,
        OPTION_VERIFY,
        OPTION_EXTEND,
        OPTION_CACHE,
        OPTION_COUNT
};

struct request {
        int64_t appranks, nodes, budget, extend;
        double param[GRAPH_NPARAM];
        const char *out, *file, *catalogue, *distances, *cache;
        int format; /* 0 or FORMAT_JSON */
        bool verify;
        bool given[OPTION_COUNT];
};

enum { FORMAT_JSON = 1 };
static const char *const formats[] = { "table", "json", NULL };
static const char *const cache_words[] = { "list", "clear", NULL };

static int read_out(const char *text, void *to, struct lb_error *err)
{
        (void)to;
        return graph_export_check(text, err) < 0 ? -1 : lb_file_check(text, err);
}

static int read_cache(const char *text, void *to, struct lb_error *err)
{
        (void)to;
        return graph_cache_check(text, err);
}

#define GRAPH_OPTION(name, place)                                                                  \
        {                                                                                          \
                name, LB_OPTION_PARAM, .param = &graph_params[place],                              \
                                       LB_OPTION_TO(struct request, param[place])                  \
        }

static const struct lb_option options[] = {
        [OPTION_APPRANKS] = { "appranks", LB_OPTION_WHOLE, "V", "appranks",
                              LB_OPTION_TO(struct request, appranks), .min = 1,
                              .max = GRAPH_APPRANK_MAX },
        [OPTION_NODES] = { "nodes", LB_OPTION_WHOLE, "N", "nodes, at most as many as appranks",
                           LB_OPTION_TO(struct request, nodes), .min = 1, .max = GRAPH_NODE_MAX },
        [OPTION_DEGREE] = GRAPH_OPTION("degree", GRAPH_DEGREE),
        [OPTION_METHOD] = GRAPH_OPTION("method", GRAPH_METHOD),
        [OPTION_SEED_OF_GRAPH] = GRAPH_OPTION("seed", GRAPH_SEED),
        [OPTION_TRIALS] = GRAPH_OPTION("trials", GRAPH_TRIALS),
        [OPTION_NODES_PER_SWITCH] = GRAPH_OPTION("nodes_per_switch", GRAPH_NODES_PER_SWITCH),
        [OPTION_DISTANCES] = { "distances", LB_OPTION_FILE, "FILE",
                               "distances between nodes, a CSV file of a header and a row per "
                               "node: "
                               "helpers are put near where that costs no expansion",
                               LB_OPTION_TO(struct request, distances) },
        [OPTION_BUDGET] = { "budget", LB_OPTION_WHOLE, "B",
                            "vertices of the search tree to look at before the isoperimetric "
                            "number "
                            "is only bounded; default a second's worth",
                            LB_OPTION_TO(struct request, budget), .min = 1, .max = 1e12 },
        [OPTION_OUT] = { "out", LB_OPTION_FILE, "FILE",
                         "draw or export the graph: .svg, .dot, .graphml or .json",
                         LB_OPTION_TO(struct request, out), .read = read_out, .written = true },
        [OPTION_FORMAT] = { "format", LB_OPTION_CHOICE, NULL, "what is printed",
                            LB_OPTION_TO(struct request, format), .choices = formats,
                            .fallback = "table" },
        [OPTION_FILE] = { "file", LB_OPTION_FILE, "FILE",
                          "judge a stored graph instead of making one",
                          LB_OPTION_TO(struct request, file) },
        [OPTION_CATALOGUE] = { "catalogue", LB_OPTION_FILE, "FILE",
                               "list the catalogue of the best known graphs, which method "
                               "catalogue "
                               "takes them from: the user's own and the shipped one, or FILE",
                               LB_OPTION_TO(struct request, catalogue), .optional = true },
        [OPTION_VERIFY] = { "verify", LB_OPTION_FLAG, NULL,
                            "with --catalogue: is each graph what the catalogue says?",
                            LB_OPTION_TO(struct request, verify) },
        [OPTION_EXTEND] = { "extend", LB_OPTION_WHOLE, "T",
                            "look at T more graphs of a size, and put the best into the catalogue "
                            "(the user's own, or --catalogue=FILE)",
                            LB_OPTION_TO(struct request, extend), .min = 1, .max = INT32_MAX },
        [OPTION_CACHE] = { "cache", LB_OPTION_TEXT, "list|clear",
                           "list the graphs that are kept, the last used first, or remove them "
                           "(the "
                           "user's catalogue stays)",
                           LB_OPTION_TO(struct request, cache), .choices = cache_words,
                           .read = read_cache },
        [OPTION_COUNT] = { .name = NULL },
};

/* Options that do not go together, or are missing. */
static int check_request(const struct request *request, struct lb_error *err)
{
        static const enum option_id made_only[] = { OPTION_METHOD, OPTION_SEED_OF_GRAPH,
                                                    OPTION_TRIALS, OPTION_NODES_PER_SWITCH };
        if (!request->file && (!request->given[OPTION_APPRANKS] || !request->given[OPTION_NODES]))
                return lb_error_set(err,
                                    "--appranks and --nodes, or --file, are needed, see --help");
        for (int i = 0; request->file && i < 4; i++)
                if (request->given[made_only[i]])
                        return lb_error_set(err,
                                            "--%s does not go with --file, which makes no graph",
                                            options[made_only[i]].name);
        if (request->distances && request->given[OPTION_NODES_PER_SWITCH])
                return lb_error_set(err, "--distances and --nodes_per_switch do not go together");
        if (!request->file && !request->given[OPTION_DEGREE] &&
            request->param[GRAPH_DEGREE] > (double)request->nodes)
                return lb_error_set(
                    err, "--degree is needed: its default %g is more than %" PRId64 " nodes",
                    request->param[GRAPH_DEGREE], request->nodes);
        return 0;
}

static int check_size(const struct request *request, enum option_id id, int64_t asked, int32_t read,
                      struct lb_error *err)
{
        if (!request->given[id] || asked == read)
                return 0;
        return lb_error_set(err, "%s: %" PRId32 " is its number of %s, --%s is %" PRId64,
                            request->file, read, options[id].name, options[id].name, asked);
}

static struct graph *read_graph(const struct request *request, struct lb_error *err)
{
        struct graph *graph = graph_read_json(request->file, err);
        if (!graph)
                return NULL;
        if (check_size(request, OPTION_APPRANKS, request->appranks, graph->napprank, err) ||
            check_size(request, OPTION_NODES, request->nodes, graph->nnode, err)) {
                graph_destroy(graph);
                return NULL;
        }
        if (request->given[OPTION_DEGREE] && request->param[GRAPH_DEGREE] != graph->degree) {
                lb_error_set(err, "%s: its degree is %" PRId32 ", --degree is %g", request->file,
                             graph->degree, request->param[GRAPH_DEGREE]);
                graph_destroy(graph);
                return NULL;
        }
        return graph;
}

/* The distances asked for; none (between = NULL) where all nodes are equally near. */
static int find_distances(const struct request *request, int32_t nnode, struct distances *out,
                          struct lb_error *err)
{
        int32_t per_switch = (int32_t)request->param[GRAPH_NODES_PER_SWITCH];
        *out = (struct distances){ 0 };
        if (request->distances)
                return distances_read(request->distances, nnode, out, err);
        return per_switch > 1 ? distances_of_switches(nnode, per_switch, out, err) : 0;
}

/* Judge, write --out, then print: nothing is printed of what failed. */
static int report(const struct request *request, const struct graph *graph,
                  const struct graph_spec *spec, struct lb_error *err)
{
        struct graph_judgement judgement;
        struct distances distances;
        if (find_distances(request, graph->nnode, &distances, err))
                return -1;
        double near = distances.between ? near_mean(graph, &distances) : -1;
        distances_finish(&distances);
        if (graph_judge(graph, request->budget, &judgement, err))
                return -1;
        int failed = request->out ? graph_export(graph, spec, request->out, err) : 0;
        if (!failed && request->format == FORMAT_JSON)
                graph_print_json(stdout, graph, spec, &judgement, near);
        else if (!failed)
                graph_print_table(stdout, graph, spec, &judgement, near);
        graph_judgement_finish(&judgement);
        return failed;
}

/* --distances: the graph, which is taken over, with its helpers nearer. */
static struct graph *arrange(const struct request *request, struct graph *graph,
                             struct lb_error *err)
{
        struct distances distances;
        struct graph *near = NULL;
        if (!distances_read(request->distances, graph->nnode, &distances, err)) {
                near = near_arrange(graph, &distances, (uint64_t)request->param[GRAPH_SEED], err);
                distances_finish(&distances);
        }
        graph_destroy(graph);
        return near;
}

static int make_and_report(const struct request *request, struct lb_error *err)
{
        if (check_request(request, err))
                return -1;
        struct graph_spec spec =
            graph_spec_from((int32_t)request->appranks, (int32_t)request->nodes, request->param);
        struct graph *graph = request->file ? read_graph(request, err) : graph_obtain(&spec, err);
        if (graph && request->distances)
                graph = arrange(request, graph, err);
        if (!graph)
                return -1;
        bool made = !request->file && !request->distances;
        int failed = report(request, graph, made ? &spec : NULL, err);
        graph_destroy(graph);
        return failed;
}

/* Options that say nothing about the catalogue, and what extending it needs. */
static int check_catalogue(const struct request *request, struct lb_error *err)
{
        static const enum option_id strange[] = {
                OPTION_METHOD, OPTION_TRIALS,           OPTION_OUT,
                OPTION_FILE,   OPTION_NODES_PER_SWITCH, OPTION_DISTANCES
        };
        static const enum option_id needed[] = { OPTION_APPRANKS, OPTION_NODES, OPTION_DEGREE };
        for (size_t i = 0; i < sizeof(strange) / sizeof(strange[0]); i++)
                if (request->given[strange[i]])
                        return lb_error_set(err, "--%s does not go with --catalogue and --extend",
                                            options[strange[i]].name);
        for (size_t i = 0; request->extend && i < sizeof(needed) / sizeof(needed[0]); i++)
                if (!request->given[needed[i]])
                        return lb_error_set(err, "--extend needs --%s", options[needed[i]].name);
        return 0;
}

static int work_on_catalogue(const struct request *request, struct lb_error *err)
{
        if (check_catalogue(request, err))
                return -1;
        bool any = !request->given[OPTION_DEGREE];
        struct catalogue_request what = {
                .file = request->catalogue,
                .napprank = (int32_t)request->appranks,
                .nnode = (int32_t)request->nodes,
                .degree = any ? 0 : (int32_t)request->param[GRAPH_DEGREE],
                .budget = request->budget,
                .seed = (uint64_t)request->param[GRAPH_SEED],
                .trials = request->extend,
                .json = request->format == FORMAT_JSON,
        };
        if (request->extend)
                return catalogue_extend(&what, err);
        return request->verify ? catalogue_verify_all(&what, err) : catalogue_list(&what, err);
}

/* --cache is on its own, but for the format. */
static int work_on_cache(const struct request *request, struct lb_error *err)
{
        for (int i = 0; i < OPTION_COUNT; i++)
                if (request->given[i] && i != OPTION_CACHE && i != OPTION_FORMAT)
                        return lb_error_set(err, "--%s does not go with --cache", options[i].name);
        return graph_cache_work(request->cache, request->format == FORMAT_JSON, err);
}

static int work(const struct request *request, struct lb_error *err)
{
        if (request->cache)
                return work_on_cache(request, err);
        if (request->given[OPTION_CATALOGUE] || request->extend)
                return work_on_catalogue(request, err);
        return make_and_report(request, err);
}

static int run(const struct lb_call *call, void *given, struct lb_error *err)
{
        const struct request *request = given;
        (void)call;
        bool catalogue = request->given[OPTION_CATALOGUE] || request->extend;
        if (request->verify && (!catalogue || request->extend))
                return lb_error_set(err, "--verify goes with --catalogue only");
        int failed = work(request, err);
        if (!failed && (fflush(stdout) || ferror(stdout)))
                failed =
                    lb_error_fail(err, "standard output cannot be written: %s", strerror(errno));
        return failed;
}

const struct lb_command command_graph = {
        .program = &lbsim_program,
        .name = "graph",
        .summary = "make, judge, draw and store an apprank-node graph",
        .usage = "--appranks V --nodes N [OPTION]...\n"
                 "--file GRAPH.json [OPTION]...\n"
                 "--catalogue[=FILE] [--verify] [--appranks V] [--nodes N] [--degree D]\n"
                 "--extend T --appranks V --nodes N --degree D\n"
                 "--cache list|clear",
        .about = "Make an apprank-node graph, or read a stored one, and judge it.",
        .more = "Graphs, and the user's catalogue.csv, are kept in $LBSIM_CACHE, else "
                "$XDG_CACHE_HOME/lbsim, else ~/.cache/lbsim: $LBSIM_CACHE_MB of graphs at most "
                "(default 256, 0: none), those that were not used longest leave.",
        .options = options,
        .size = sizeof(struct request),
        .given = offsetof(struct request, given),
        .run = run,
};
