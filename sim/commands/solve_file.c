/* SPDX-License-Identifier: BSD-3-Clause */
#include "sim/commands/solve_file.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/param.h"

/* The file being read: what the functions below fill, and where they complain. */
struct reader {
        const struct lb_json *doc;
        struct lb_error *err;
        int32_t nnode, napprank, nworker;
        int32_t *cores, *apprank_first, *worker_node, *worker_apprank, *node_first, *node_worker;
        bool *worker_home;
        double *load;
        int32_t *owned_cores;
        int32_t *mark; /* [nnode] */
};

enum { POINTER_SIZE = 64 };

static int complain_kind(const struct reader *r, const char *pointer, const cJSON *item,
                         const char *allowed)
{
        char found[80];
        lb_json_show(item, found, sizeof(found));
        return lb_json_complain(r->doc, pointer, r->err, "found %s, must be %s", found, allowed);
}

/* Complain about a key of the object at `pointer`, where possible at the key's own place. */
static int complain_key(const struct reader *r, const char *pointer, const char *key,
                        const char *nearest)
{
        char place[2 * POINTER_SIZE];
        bool plain = strlen(key) < POINTER_SIZE && !strpbrk(key, "~/");
        snprintf(place, sizeof(place), "%s%s%s", pointer, plain ? "/" : "", plain ? key : "");
        if (!nearest)
                return lb_json_complain(r->doc, place, r->err, "unknown key \"%.60s\"", key);
        return lb_json_complain(r->doc, place, r->err, "unknown key \"%.60s\", did you mean \"%s\"",
                                key, nearest);
}

/* All keys of an object are among names[count]. */
static int check_keys(const struct reader *r, const char *pointer, const cJSON *object,
                      const char *const *names, size_t count)
{
        const cJSON *item;
        cJSON_ArrayForEach(item, object)
        {
                bool known = false;
                for (size_t i = 0; i < count; i++)
                        known |= strcmp(item->string, names[i]) == 0;
                if (known)
                        continue;
                return complain_key(r, pointer, item->string,
                                    lb_nearest_name(item->string, names, count));
        }
        return 0;
}

/* A member that must be there and be an array of 1..most items. */
static int check_array(const struct reader *r, const char *pointer, const cJSON *item, int32_t most)
{
        if (!cJSON_IsArray(item))
                return complain_kind(r, pointer, item, "an array");
        int size = cJSON_GetArraySize(item);
        if (size < 1 || size > most)
                return lb_json_complain(r->doc, pointer, r->err,
                                        "found an array of %d, must have 1 to %d items", size,
                                        most);
        return 0;
}

static const cJSON *member(const struct reader *r, const char *pointer, const cJSON *object,
                           const char *name)
{
        const cJSON *item = cJSON_GetObjectItemCaseSensitive(object, name);
        if (!item)
                lb_json_complain(r->doc, pointer, r->err, "\"%s\" is missing", name);
        return item;
}

/* A whole number from min to max. */
static int read_whole(const struct reader *r, const char *pointer, const cJSON *item,
                      const int32_t range[static 2], int32_t *value)
{
        char allowed[80];
        snprintf(allowed, sizeof(allowed), "a whole number from %d to %d", range[0], range[1]);
        if (!cJSON_IsNumber(item))
                return complain_kind(r, pointer, item, allowed);
        double v = item->valuedouble;
        if (!(v >= range[0] && v <= range[1]) || v != floor(v))
                return complain_kind(r, pointer, item, allowed);
        *value = (int32_t)v;
        return 0;
}

static int read_cores(struct reader *r, const cJSON *cores)
{
        static const int32_t range[] = { 1, SOLVE_FILE_CORES_MAX };
        char pointer[POINTER_SIZE];
        const cJSON *item;
        int32_t n = 0;
        cJSON_ArrayForEach(item, cores)
        {
                snprintf(pointer, sizeof(pointer), "/cores/%d", n);
                if (read_whole(r, pointer, item, range, &r->cores[n]))
                        return -1;
                n++;
        }
        return 0;
}

/* The nodes of one apprank: workers from r->nworker on. */
static int read_nodes(struct reader *r, int32_t apprank, const cJSON *nodes)
{
        const int32_t range[] = { 0, r->nnode - 1 };
        char pointer[POINTER_SIZE];
        const cJSON *item;
        int32_t i = 0, node;
        cJSON_ArrayForEach(item, nodes)
        {
                snprintf(pointer, sizeof(pointer), "/appranks/%d/nodes/%d", apprank, i);
                if (read_whole(r, pointer, item, range, &node))
                        return -1;
                if (r->mark[node] == apprank)
                        return lb_json_complain(r->doc, pointer, r->err,
                                                "node %d is listed twice, must be once", node);
                r->mark[node] = apprank;
                r->worker_node[r->nworker] = node;
                r->worker_apprank[r->nworker] = apprank;
                r->worker_home[r->nworker++] = i++ == 0;
        }
        return 0;
}

static int read_apprank(struct reader *r, int32_t apprank, const cJSON *object)
{
        char pointer[POINTER_SIZE];
        snprintf(pointer, sizeof(pointer), "/appranks/%d/load", apprank);
        const cJSON *load = cJSON_GetObjectItemCaseSensitive(object, "load");
        if (!cJSON_IsNumber(load) || !(load->valuedouble >= 0) || !isfinite(load->valuedouble))
                return complain_kind(r, pointer, load, "a number >= 0");
        r->load[apprank] = load->valuedouble;
        r->apprank_first[apprank] = r->nworker;
        return read_nodes(r, apprank, cJSON_GetObjectItemCaseSensitive(object, "nodes"));
}

/* One apprank's object has the right form; returns how many workers it has, or -1. */
static int check_apprank(const struct reader *r, int32_t apprank, const cJSON *object)
{
        static const char *const names[] = { "load", "nodes" };
        char pointer[POINTER_SIZE];
        snprintf(pointer, sizeof(pointer), "/appranks/%d", apprank);
        if (!cJSON_IsObject(object))
                return complain_kind(r, pointer, object, "an object");
        if (check_keys(r, pointer, object, names, 2) || !member(r, pointer, object, "load"))
                return -1;
        const cJSON *nodes = member(r, pointer, object, "nodes");
        if (!nodes)
                return -1;
        snprintf(pointer, sizeof(pointer), "/appranks/%d/nodes", apprank);
        if (check_array(r, pointer, nodes, SOLVE_FILE_NODES_MAX))
                return -1;
        return cJSON_GetArraySize(nodes);
}

/* The document has the right form; counts nodes, appranks and workers. */
static int check_form(struct reader *r, const cJSON *root)
{
        static const char *const names[] = { "cores", "appranks", "owned" };
        if (!cJSON_IsObject(root))
                return complain_kind(r, "", root, "an object");
        if (check_keys(r, "", root, names, 3))
                return -1;
        const cJSON *cores = member(r, "", root, "cores"), *item;
        if (!cores || check_array(r, "/cores", cores, SOLVE_FILE_NODES_MAX))
                return -1;
        const cJSON *appranks = member(r, "", root, "appranks");
        if (!appranks || check_array(r, "/appranks", appranks, SOLVE_FILE_APPRANKS_MAX))
                return -1;
        r->nnode = cJSON_GetArraySize(cores);
        cJSON_ArrayForEach(item, appranks)
        {
                int count = check_apprank(r, r->napprank, item);
                if (count < 0)
                        return -1;
                r->napprank++;
                r->nworker += count;
                if (r->nworker > SOLVE_FILE_WORKERS_MAX)
                        return lb_json_complain(r->doc, "/appranks", r->err,
                                                "more than %d workers (nodes of all appranks)",
                                                SOLVE_FILE_WORKERS_MAX);
        }
        return 0;
}

/* Workers by node; every node has a core for each. */
static int fill_nodes(struct reader *r)
{
        char pointer[POINTER_SIZE];
        memset(r->node_first, 0, ((size_t)r->nnode + 1) * sizeof(*r->node_first));
        for (int32_t w = 0; w < r->nworker; w++)
                r->node_first[r->worker_node[w] + 1]++;
        for (int32_t n = 0; n < r->nnode; n++) {
                int32_t count = r->node_first[n + 1];
                snprintf(pointer, sizeof(pointer), "/cores/%d", n);
                if (count > r->cores[n])
                        return lb_json_complain(r->doc, pointer, r->err,
                                                "node %d has %d cores for %d workers, each needs "
                                                "one",
                                                n, r->cores[n], count);
                r->node_first[n + 1] += r->node_first[n];
                r->mark[n] = r->node_first[n];
        }
        for (int32_t w = 0; w < r->nworker; w++)
                r->node_worker[r->mark[r->worker_node[w]]++] = w;
        return 0;
}

/* One apprank's list of cores owned now; counts them in mark[]. */
static int read_owned_list(struct reader *r, int32_t apprank, const cJSON *list)
{
        static const int32_t range[] = { 0, SOLVE_FILE_CORES_MAX };
        char pointer[POINTER_SIZE];
        int32_t w = r->apprank_first[apprank], count = r->apprank_first[apprank + 1] - w;
        snprintf(pointer, sizeof(pointer), "/owned/%d", apprank);
        if (!cJSON_IsArray(list))
                return complain_kind(r, pointer, list, "an array");
        if (cJSON_GetArraySize(list) != count)
                return lb_json_complain(r->doc, pointer, r->err,
                                        "found an array of %d, must have %d items like the "
                                        "apprank's nodes",
                                        cJSON_GetArraySize(list), count);
        const cJSON *item;
        int32_t i = 0;
        cJSON_ArrayForEach(item, list)
        {
                snprintf(pointer, sizeof(pointer), "/owned/%d/%d", apprank, i);
                if (read_whole(r, pointer, item, range, &r->owned_cores[w + i]))
                        return -1;
                int32_t node = r->worker_node[w + i];
                r->mark[node] -= r->owned_cores[w + i];
                if (r->mark[node] < 0)
                        return lb_json_complain(r->doc, pointer, r->err,
                                                "more than the %d cores of node %d are owned",
                                                r->cores[node], node);
                i++;
        }
        return 0;
}

static int read_owned(struct reader *r, const cJSON *owned)
{
        if (!cJSON_IsArray(owned))
                return complain_kind(r, "/owned", owned, "an array");
        if (cJSON_GetArraySize(owned) != r->napprank)
                return lb_json_complain(r->doc, "/owned", r->err,
                                        "found an array of %d, must have %d items like appranks",
                                        cJSON_GetArraySize(owned), r->napprank);
        const cJSON *list;
        int32_t a = 0;
        memcpy(r->mark, r->cores, (size_t)r->nnode * sizeof(*r->mark)); /* cores left */
        cJSON_ArrayForEach(list, owned)
        {
                if (read_owned_list(r, a++, list))
                        return -1;
        }
        return 0;
}

/* All arrays in one block. */
static void *allocate(struct reader *r)
{
        size_t nnode = (size_t)r->nnode, napprank = (size_t)r->napprank;
        size_t nworker = (size_t)r->nworker;
        size_t ints = nnode * 2 + (nnode + 1) + (napprank + 1) + nworker * 4;
        char *memory = malloc(napprank * sizeof(double) + ints * sizeof(int32_t) + nworker);
        if (!memory)
                return NULL;
        r->load = (double *)memory;
        r->cores = (int32_t *)(r->load + napprank);
        r->mark = r->cores + nnode;
        r->node_first = r->mark + nnode;
        r->apprank_first = r->node_first + nnode + 1;
        r->worker_node = r->apprank_first + napprank + 1;
        r->worker_apprank = r->worker_node + nworker;
        r->node_worker = r->worker_apprank + nworker;
        r->owned_cores = r->node_worker + nworker;
        r->worker_home = (bool *)(r->owned_cores + nworker);
        return memory;
}

static int read_all(struct reader *r, const cJSON *root)
{
        const cJSON *item, *owned = cJSON_GetObjectItemCaseSensitive(root, "owned");
        int32_t a = 0;
        if (read_cores(r, cJSON_GetObjectItemCaseSensitive(root, "cores")))
                return -1;
        for (int32_t n = 0; n < r->nnode; n++)
                r->mark[n] = -1;
        r->nworker = 0;
        cJSON_ArrayForEach(item, cJSON_GetObjectItemCaseSensitive(root, "appranks"))
        {
                if (read_apprank(r, a++, item))
                        return -1;
        }
        r->apprank_first[a] = r->nworker;
        if (fill_nodes(r))
                return -1;
        return owned ? read_owned(r, owned) : 0;
}

int solve_file_init(struct solve_file *file, const struct lb_json *doc, struct lb_error *err)
{
        struct reader r = { .doc = doc, .err = err };
        *file = (struct solve_file){ 0 };
        if (check_form(&r, doc->root))
                return -1;
        void *memory = allocate(&r);
        if (!memory)
                return lb_error_fail(err, "out of memory for %d workers", r.nworker);
        if (read_all(&r, doc->root)) {
                free(memory);
                return -1;
        }
        file->memory = memory;
        file->load = r.load;
        if (cJSON_GetObjectItemCaseSensitive(doc->root, "owned"))
                file->owned_cores = r.owned_cores;
        file->shape = (struct lb_shape){
                .nnode = r.nnode,
                .napprank = r.napprank,
                .nworker = r.nworker,
                .cores = r.cores,
                .apprank_first = r.apprank_first,
                .worker_node = r.worker_node,
                .worker_apprank = r.worker_apprank,
                .worker_home = r.worker_home,
                .node_first = r.node_first,
                .node_worker = r.node_worker,
        };
        return 0;
}

void solve_file_finish(struct solve_file *file)
{
        free(file->memory);
        *file = (struct solve_file){ 0 };
}
