/* SPDX-License-Identifier: BSD-3-Clause */
#include <errno.h>
#include <getopt.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "graphs/judge.h"
#include "graphs/near.h"
#include "graphs/cache.h"
#include "sim/commands/graph_cache.h"
#include "sim/commands/graph_catalogue.h"
#include "sim/commands/graph_print.h"
#include "sim/commands/commands.h"

/* lbsim graph: make or read a graph, judge it, draw or export it. */

enum option_id {
        OPTION_NONE = 0,
        OPTION_APPRANKS,
        OPTION_NODES,
        OPTION_DEGREE,
        OPTION_METHOD,
        OPTION_SEED,
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
        OPTION_HELP,
        OPTION_COUNT
};

static const struct option options[] = {
        { "appranks", required_argument, NULL, OPTION_APPRANKS },
        { "nodes", required_argument, NULL, OPTION_NODES },
        { "degree", required_argument, NULL, OPTION_DEGREE },
        { "method", required_argument, NULL, OPTION_METHOD },
        { "seed", required_argument, NULL, OPTION_SEED },
        { "trials", required_argument, NULL, OPTION_TRIALS },
        { "nodes_per_switch", required_argument, NULL, OPTION_NODES_PER_SWITCH },
        { "distances", required_argument, NULL, OPTION_DISTANCES },
        { "budget", required_argument, NULL, OPTION_BUDGET },
        { "out", required_argument, NULL, OPTION_OUT },
        { "format", required_argument, NULL, OPTION_FORMAT },
        { "file", required_argument, NULL, OPTION_FILE },
        { "catalogue", optional_argument, NULL, OPTION_CATALOGUE },
        { "verify", no_argument, NULL, OPTION_VERIFY },
        { "extend", required_argument, NULL, OPTION_EXTEND },
        { "cache", required_argument, NULL, OPTION_CACHE },
        { "help", no_argument, NULL, OPTION_HELP },
        { NULL, 0, NULL, 0 },
};

static const int64_t budget_max = 1000000000000;

struct request {
        bool given[OPTION_COUNT];
        int64_t appranks, nodes, budget, extend;
        double param[GRAPH_NPARAM];
        const char *out, *file, *catalogue, *distances, *cache;
        bool json;
};

static void print_help(void)
{
        printf("Usage: lbsim graph --appranks V --nodes N [options]\n"
               "       lbsim graph --file GRAPH.json [options]\n"
               "       lbsim graph --catalogue[=FILE] [--verify] [--appranks V] [--nodes N] "
               "[--degree D]\n"
               "       lbsim graph --extend T --appranks V --nodes N --degree D\n"
               "       lbsim graph --cache list|clear\n"
               "\n"
               "Make an apprank-node graph, or read a stored one, and judge it.\n"
               "\n"
               "  --appranks V     appranks, 1 to %d\n"
               "  --nodes N        nodes, 1 to %d, at most as many as appranks\n",
               GRAPH_APPRANK_MAX, GRAPH_NODE_MAX);
        for (const struct lb_param *param = graph_params; param->name; param++) {
                char allowed[128], fallback[64];
                lb_param_allowed(param, allowed, sizeof(allowed));
                lb_param_format(param, param->fallback, fallback, sizeof(fallback));
                printf("  --%-14s %s\n%19s%s; default %s\n", param->name, param->help, "", allowed,
                       fallback);
        }
        printf(
            "  --file FILE      judge a stored graph instead of making one\n"
            "  --distances FILE distances between nodes, a CSV file of a header and a row per "
            "node:\n"
            "                   helpers are put near where that costs no expansion\n"
            "  --budget B       vertices of the search tree to look at before the isoperimetric\n"
            "                   number is only bounded, 1 to %" PRId64
            "; default: a second's worth\n"
            "  --out FILE       draw or export the graph: .svg, .dot, .graphml or .json\n"
            "  --format F       table (default) or json\n"
            "  --catalogue      list the catalogue of the best known graphs, which method "
            "catalogue\n"
            "                   takes them from: the user's own and the shipped one, or FILE\n"
            "  --verify         with --catalogue: is each graph what the catalogue says?\n"
            "  --extend T       look at T more graphs of a size, 1 to 2147483647, and put the "
            "best\n"
            "                   into the catalogue (the user's own, or --catalogue=FILE)\n"
            "  --cache list     the graphs that are kept, the last used first\n"
            "  --cache clear    remove them (the user's catalogue stays)\n"
            "  --help           this text\n"
            "\n"
            "Graphs, and the user's catalogue.csv, are kept in $LBSIM_CACHE, else\n"
            "$XDG_CACHE_HOME/lbsim, else ~/.cache/lbsim: $LBSIM_CACHE_MB of graphs at most\n"
            "(default 256, 0: none), those that were not used longest leave.\n",
            budget_max);
}

static int parse_whole(const char *text, int64_t max, int64_t *value, struct lb_error *err)
{
        char *end;
        errno = 0;
        long long number = strtoll(text, &end, 10);
        bool digits = text[0] >= '0' && text[0] <= '9' && *end == '\0';
        if (!digits || errno == ERANGE || number < 1 || number > max)
                return lb_error_set(err, "found '%s', allowed is a whole number from 1 to %" PRId64,
                                    text, max);
        *value = number;
        return 0;
}

static int parse_format(const char *text, bool *json, struct lb_error *err)
{
        *json = strcmp(text, "json") == 0;
        if (*json || strcmp(text, "table") == 0)
                return 0;
        return lb_error_set(err, "found '%s', allowed is table or json", text);
}

static int parse_param(enum graph_param which, const char *text, struct request *request,
                       struct lb_error *err)
{
        return lb_param_parse(&graph_params[which], text, &request->param[which], err);
}

static int parse_option(enum option_id id, const char *text, struct request *request,
                        struct lb_error *err)
{
        switch (id) {
        case OPTION_APPRANKS:
                return parse_whole(text, GRAPH_APPRANK_MAX, &request->appranks, err);
        case OPTION_NODES:
                return parse_whole(text, GRAPH_NODE_MAX, &request->nodes, err);
        case OPTION_DEGREE:
                return parse_param(GRAPH_DEGREE, text, request, err);
        case OPTION_METHOD:
                return parse_param(GRAPH_METHOD, text, request, err);
        case OPTION_SEED:
                return parse_param(GRAPH_SEED, text, request, err);
        case OPTION_TRIALS:
                return parse_param(GRAPH_TRIALS, text, request, err);
        case OPTION_NODES_PER_SWITCH:
                return parse_param(GRAPH_NODES_PER_SWITCH, text, request, err);
        case OPTION_DISTANCES:
                request->distances = text;
                return 0;
        case OPTION_BUDGET:
                return parse_whole(text, budget_max, &request->budget, err);
        case OPTION_OUT:
                request->out = text;
                return graph_export_check(text, err);
        case OPTION_FORMAT:
                return parse_format(text, &request->json, err);
        case OPTION_FILE:
                request->file = text;
                return 0;
        case OPTION_CATALOGUE:
                request->catalogue = text;
                return 0;
        case OPTION_CACHE:
                request->cache = text;
                return graph_cache_check(text, err);
        case OPTION_EXTEND:
                return parse_whole(text, INT32_MAX, &request->extend, err);
        default:
                return 0;
        }
}

/* What getopt found wrong with an argument. */
static int complain_option(int code, const char *argument, struct lb_error *err)
{
        if (code == ':')
                return lb_error_set(err, "'%s' needs a value", argument);
        const char *names[OPTION_COUNT];
        for (size_t i = 0; i + 1 < OPTION_COUNT; i++)
                names[i] = options[i].name;
        const char *word = argument + strspn(argument, "-");
        const char *near = lb_nearest_name(word, names, OPTION_COUNT - 1);
        if (near)
                return lb_error_set(err, "unknown option '%s', did you mean '--%s'?", argument,
                                    near);
        return lb_error_set(err, "unknown option '%s', see --help", argument);
}

static int parse_arguments(int argc, char **argv, struct request *request, struct lb_error *err)
{
        lb_param_defaults(graph_params, request->param);
        optind = 0; /* start afresh */
        opterr = 0;
        int id, place = 0;
        while ((id = getopt_long(argc, argv, ":", options, &place)) != -1) {
                if (id == '?' || id == ':')
                        return complain_option(id, argv[optind - 1], err);
                request->given[id] = true;
                if (parse_option((enum option_id)id, optarg, request, err))
                        return lb_error_prefix(err, "--%s: ", options[id - 1].name);
        }
        if (optind < argc)
                return lb_error_set(err, "unexpected argument '%s', see --help", argv[optind]);
        return 0;
}

/* Options that do not go together, or are missing. */
static int check_request(const struct request *request, struct lb_error *err)
{
        static const enum option_id made_only[] = { OPTION_METHOD, OPTION_SEED, OPTION_TRIALS,
                                                    OPTION_NODES_PER_SWITCH };
        if (!request->file && (!request->given[OPTION_APPRANKS] || !request->given[OPTION_NODES]))
                return lb_error_set(err,
                                    "--appranks and --nodes, or --file, are needed, see --help");
        for (int i = 0; request->file && i < 4; i++)
                if (request->given[made_only[i]])
                        return lb_error_set(err,
                                            "--%s does not go with --file, which makes no graph",
                                            options[made_only[i] - 1].name);
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
                            request->file, read, options[id - 1].name, options[id - 1].name, asked);
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
        if (!failed && request->json)
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
                                            options[strange[i] - 1].name);
        for (size_t i = 0; request->extend && i < sizeof(needed) / sizeof(needed[0]); i++)
                if (!request->given[needed[i]])
                        return lb_error_set(err, "--extend needs --%s",
                                            options[needed[i] - 1].name);
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
                .json = request->json,
        };
        if (request->extend)
                return catalogue_extend(&what, err);
        return request->given[OPTION_VERIFY] ? catalogue_verify_all(&what, err)
                                             : catalogue_list(&what, err);
}

/* --cache is on its own, but for the format. */
static int work_on_cache(const struct request *request, struct lb_error *err)
{
        for (int i = 1; i < OPTION_COUNT; i++)
                if (request->given[i] && i != OPTION_CACHE && i != OPTION_FORMAT)
                        return lb_error_set(err, "--%s does not go with --cache",
                                            options[i - 1].name);
        return graph_cache_work(request->cache, request->json, err);
}

static int work(const struct request *request, struct lb_error *err)
{
        if (request->cache)
                return work_on_cache(request, err);
        if (request->given[OPTION_CATALOGUE] || request->extend)
                return work_on_catalogue(request, err);
        return make_and_report(request, err);
}

static int run(const struct request *request, struct lb_error *err)
{
        bool catalogue = request->given[OPTION_CATALOGUE] || request->extend;
        if (request->given[OPTION_VERIFY] && (!catalogue || request->extend))
                return lb_error_set(err, "--verify goes with --catalogue only");
        int failed = work(request, err);
        if (!failed && (fflush(stdout) || ferror(stdout)))
                failed =
                    lb_error_fail(err, "standard output cannot be written: %s", strerror(errno));
        return failed;
}

int command_graph(int argc, char **argv)
{
        struct request request = { 0 };
        struct lb_error err = { 0 };
        int failed = parse_arguments(argc, argv, &request, &err);
        if (!failed && request.given[OPTION_HELP])
                print_help();
        else if (!failed)
                failed = run(&request, &err);
        if (failed)
                fprintf(stderr, "lbsim graph: %s\n", err.text);
        return lb_error_exit_code(&err);
}
