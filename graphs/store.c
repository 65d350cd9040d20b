/* SPDX-License-Identifier: BSD-3-Clause */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/json.h"
#include "graphs/graph.h"

/* Graphs as JSON files, and where they are kept. */

static void print_graph(FILE *out, const struct graph *graph, const struct graph_spec *spec,
                        const char *check)
{
        fprintf(out, "{\n  \"appranks\": %d,\n  \"nodes\": %d,\n  \"degree\": %d,\n",
                graph->napprank, graph->nnode, graph->degree);
        if (spec) {
                fprintf(out, "  \"method\": \"%s\",\n  \"seed\": %llu,\n",
                        graph_method_name(spec->method), (unsigned long long)spec->seed);
                if (spec->method == GRAPH_METHOD_BEST)
                        fprintf(out, "  \"trials\": %d,\n", spec->trials);
                if (spec->nodes_per_switch > 0)
                        fprintf(out, "  \"nodes_per_switch\": %d,\n", spec->nodes_per_switch);
        }
        if (check)
                fprintf(out, "  \"check\": \"%s\",\n", check);
        fprintf(out, "  \"graph\": [\n");
        for (int32_t a = 0; a < graph->napprank; a++) {
                int32_t first = graph->apprank_first[a];
                fprintf(out, "    [%d", graph->edge_node[first]);
                for (int32_t e = first + 1; e < graph->apprank_first[a + 1]; e++)
                        fprintf(out, ", %d", graph->edge_node[e]);
                fprintf(out, a + 1 < graph->napprank ? "],\n" : "]\n");
        }
        fprintf(out, "  ]\n}\n");
}

int graph_write_checked(const struct graph *graph, const struct graph_spec *spec, const char *check,
                        const char *file, struct lb_error *err)
{
        struct lb_file out;
        if (lb_file_create(&out, file, err))
                return -1;
        print_graph(out.stream, graph, spec, check);
        return lb_file_commit(&out, err);
}

int graph_write_json(const struct graph *graph, const struct graph_spec *spec, const char *file,
                     struct lb_error *err)
{
        return graph_write_checked(graph, spec, NULL, file, err);
}

/* A file being read. */
struct stored {
        struct lb_json json;
        int32_t napprank, nnode, degree;
        int32_t *first; /* [napprank + 1] */
        int32_t *node;  /* [first[napprank]] */
};

static int complain(const struct stored *stored, const char *pointer, const cJSON *item,
                    const char *allowed, struct lb_error *err)
{
        char shown[64];
        lb_json_show(item, shown, sizeof(shown));
        return lb_json_complain(&stored->json, pointer, err, "%s: %s", shown, allowed);
}

static bool is_whole(const cJSON *item, double min, double max)
{
        double value = cJSON_IsNumber(item) ? item->valuedouble : NAN;
        return value >= min && value <= max && value == floor(value);
}

/* A whole number from 1 to max under a key of the root. */
static int read_size(const struct stored *stored, const char *key, int32_t max, int32_t *value,
                     struct lb_error *err)
{
        char pointer[32], allowed[64];
        const cJSON *item = cJSON_GetObjectItemCaseSensitive(stored->json.root, key);
        if (!item)
                return lb_json_complain(&stored->json, "", err, "\"%s\" is missing", key);
        snprintf(pointer, sizeof(pointer), "/%s", key);
        snprintf(allowed, sizeof(allowed), "a whole number from 1 to %d is allowed", max);
        if (!is_whole(item, 1, max))
                return complain(stored, pointer, item, allowed, err);
        *value = (int32_t)item->valuedouble;
        return 0;
}

static int check_keys(const struct stored *stored, struct lb_error *err)
{
        static const char *const keys[] = { "appranks",         "nodes", "degree",
                                            "method",           "seed",  "trials",
                                            "nodes_per_switch", "graph", "check" };
        enum { NKEY = sizeof(keys) / sizeof(keys[0]) };
        if (!cJSON_IsObject(stored->json.root))
                return complain(stored, "", stored->json.root, "an object is allowed", err);
        for (const cJSON *item = stored->json.root->child; item; item = item->next) {
                size_t i = 0;
                while (i < NKEY && strcmp(keys[i], item->string) != 0)
                        i++;
                if (i < NKEY)
                        continue;
                const char *near = lb_nearest_name(item->string, keys, NKEY);
                return lb_json_complain(&stored->json, "", err, "unknown key \"%.60s\"%s%s%s",
                                        item->string, near ? ", did you mean \"" : "",
                                        near ? near : "", near ? "\"?" : "");
        }
        return 0;
}

/* Where the file says how the graph was made, it must say so rightly. */
static int check_origin(const struct stored *stored, struct lb_error *err)
{
        const struct lb_param *method = &graph_params[GRAPH_METHOD];
        char allowed[128];
        const cJSON *item = cJSON_GetObjectItemCaseSensitive(stored->json.root, "method");
        if (item && (!cJSON_IsString(item) || lb_param_choice(method, item->valuestring) < 0)) {
                lb_param_allowed(method, allowed, sizeof(allowed));
                return complain(stored, "/method", item, allowed, err);
        }
        static const enum graph_param number[] = { GRAPH_SEED, GRAPH_TRIALS,
                                                   GRAPH_NODES_PER_SWITCH };
        for (int i = 0; i < 3; i++) {
                const struct lb_param *param = &graph_params[number[i]];
                item = cJSON_GetObjectItemCaseSensitive(stored->json.root, param->name);
                if (!item || is_whole(item, param->min, param->max))
                        continue;
                char pointer[32];
                snprintf(pointer, sizeof(pointer), "/%s", param->name);
                lb_param_allowed(param, allowed, sizeof(allowed));
                return complain(stored, pointer, item, allowed, err);
        }
        return 0;
}

/* The nodes of one apprank, appended to `node`. */
static int read_apprank(struct stored *stored, const cJSON *row, int32_t apprank,
                        struct lb_error *err)
{
        char pointer[64], allowed[64];
        int32_t at = stored->first[apprank], degree = 0;
        snprintf(pointer, sizeof(pointer), "/graph/%d", apprank);
        snprintf(allowed, sizeof(allowed), "an array of 1 to %d nodes is allowed", stored->degree);
        if (!cJSON_IsArray(row))
                return complain(stored, pointer, row, allowed, err);
        for (const cJSON *item = row->child; item; item = item->next, degree++) {
                if (degree == stored->degree)
                        return lb_json_complain(&stored->json, pointer, err,
                                                "more than the degree, %d nodes", stored->degree);
                snprintf(pointer, sizeof(pointer), "/graph/%d/%d", apprank, degree);
                snprintf(allowed, sizeof(allowed), "a node from 0 to %d is allowed",
                         stored->nnode - 1);
                if (!is_whole(item, 0, stored->nnode - 1))
                        return complain(stored, pointer, item, allowed, err);
                stored->node[at + degree] = (int32_t)item->valuedouble;
                snprintf(pointer, sizeof(pointer), "/graph/%d", apprank);
        }
        stored->first[apprank + 1] = at + degree;
        return 0;
}

static int read_edges(struct stored *stored, struct lb_error *err)
{
        const cJSON *list = cJSON_GetObjectItemCaseSensitive(stored->json.root, "graph");
        if (!list)
                return lb_json_complain(&stored->json, "", err, "\"graph\" is missing");
        if (!cJSON_IsArray(list))
                return complain(stored, "/graph", list, "an array of nodes per apprank is allowed",
                                err);
        int count = cJSON_GetArraySize(list);
        if (count != stored->napprank)
                return lb_json_complain(&stored->json, "/graph", err,
                                        "%d appranks: %d are needed (\"appranks\")", count,
                                        stored->napprank);
        size_t napprank = (size_t)stored->napprank;
        stored->first = calloc(napprank + 1, sizeof(*stored->first));
        stored->node = calloc(napprank * (size_t)stored->degree, sizeof(*stored->node));
        if (!stored->first || !stored->node)
                return lb_error_fail(err, "out of memory for a graph of %d appranks",
                                     stored->napprank);
        int32_t apprank = 0;
        for (const cJSON *row = list->child; row; row = row->next)
                if (read_apprank(stored, row, apprank++, err))
                        return -1;
        return 0;
}

static int read_stored(struct stored *stored, struct lb_error *err)
{
        if (check_keys(stored, err) ||
            read_size(stored, "appranks", GRAPH_APPRANK_MAX, &stored->napprank, err) ||
            read_size(stored, "nodes", GRAPH_NODE_MAX, &stored->nnode, err) ||
            read_size(stored, "degree", stored->nnode, &stored->degree, err) ||
            check_origin(stored, err))
                return -1;
        if ((int64_t)stored->napprank * stored->degree > GRAPH_EDGE_MAX)
                return lb_json_complain(&stored->json, "/degree", err,
                                        "%d for %d appranks: at most %d edges are allowed",
                                        stored->degree, stored->napprank, GRAPH_EDGE_MAX);
        return read_edges(stored, err);
}

/* Build the graph, and see that "degree" is what it says. */
static struct graph *build_stored(const struct stored *stored, struct lb_error *err)
{
        struct graph *graph =
            graph_from_edges(stored->napprank, stored->nnode, stored->first, stored->node, err);
        if (!graph) {
                struct lb_error why = *err;
                lb_json_complain(&stored->json, "/graph", err, "%s", why.text);
                err->kind = why.kind;
                return NULL;
        }
        if (graph->degree != stored->degree) {
                lb_json_complain(&stored->json, "/degree", err,
                                 "%d: the graph's largest degree is %d", stored->degree,
                                 graph->degree);
                graph_destroy(graph);
                return NULL;
        }
        return graph;
}

struct graph *graph_read_checked(const char *file, char check[static GRAPH_CHECK_SIZE],
                                 struct lb_error *err)
{
        struct stored stored = { 0 };
        *check = '\0';
        if (lb_json_open(&stored.json, file, err))
                return NULL;
        struct graph *graph = NULL;
        if (!read_stored(&stored, err))
                graph = build_stored(&stored, err);
        const cJSON *item = cJSON_GetObjectItemCaseSensitive(stored.json.root, "check");
        if (cJSON_IsString(item))
                snprintf(check, GRAPH_CHECK_SIZE, "%s", item->valuestring);
        free(stored.first);
        free(stored.node);
        lb_json_close(&stored.json);
        return graph;
}

struct graph *graph_read_json(const char *file, struct lb_error *err)
{
        char check[GRAPH_CHECK_SIZE];
        return graph_read_checked(file, check, err);
}

const char *graph_cache_directory(char *path, unsigned size)
{
        static const struct {
                const char *variable, *below;
        } places[] = { { "LBSIM_CACHE", "" },
                       { "XDG_CACHE_HOME", "/lbsim" },
                       { "HOME", "/.cache/lbsim" } };
        for (size_t i = 0; i < sizeof(places) / sizeof(places[0]); i++) {
                const char *value = getenv(places[i].variable);
                if (!value || !*value)
                        continue;
                int length = snprintf(path, size, "%s%s", value, places[i].below);
                return length >= 0 && (unsigned)length < size ? path : NULL;
        }
        return NULL;
}
