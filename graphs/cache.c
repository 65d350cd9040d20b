/* SPDX-License-Identifier: BSD-3-Clause */
#include "graphs/cache.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/file.h"
#include "base/hash.h"
#include "graphs/search.h"
#include "graphs_code.h" /* made by graphs/code.cmake */

enum { PATH_SIZE = 4096, LIMIT_MB = 256, LIMIT_MAX_MB = 1 << 20 };

void graph_cache_name(const struct graph_spec *spec, char name[static GRAPH_CACHE_NAME_SIZE])
{
        char trials[16] = "", near[16] = "";
        if (spec->method == GRAPH_METHOD_BEST)
                snprintf(trials, sizeof(trials), "-t%d", spec->trials);
        if (spec->nodes_per_switch > 1)
                snprintf(near, sizeof(near), "-w%d", spec->nodes_per_switch);
        snprintf(name, GRAPH_CACHE_NAME_SIZE, "graph-%s-%dx%d-d%d-%s-s%" PRIu64 "%s%s.json",
                 LB_GRAPHS_CODE, spec->napprank, spec->nnode, spec->degree,
                 graph_method_name(spec->method), spec->seed, trials, near);
}

/* ---- One entry ---- */

/* Of what is asked for, as its name says, and of what there is. */
static void put_check(const struct graph *graph, const char *name,
                      char check[static GRAPH_CHECK_SIZE])
{
        uint64_t hash = lb_hash(name, strlen(name), 0);
        hash = lb_hash(graph->apprank_first,
                       ((size_t)graph->napprank + 1) * sizeof(*graph->apprank_first), hash);
        hash = lb_hash(graph->edge_node, (size_t)graph->nedge * sizeof(*graph->edge_node), hash);
        snprintf(check, GRAPH_CHECK_SIZE, "%016" PRIx64, hash);
}

/* The graph that is kept under a name; NULL, and why, where it is not what was kept. */
static struct graph *read_entry(const char *path, const char *name, struct lb_error *err)
{
        char found[GRAPH_CHECK_SIZE], check[GRAPH_CHECK_SIZE];
        struct graph *graph = graph_read_checked(path, found, err);
        if (!graph)
                return NULL;
        put_check(graph, name, check);
        if (strcmp(found, check) == 0)
                return graph;
        graph_destroy(graph);
        lb_error_set(err, "%s: not the graph that was kept there", path);
        return NULL;
}

/* ---- The limit ---- */

static int read_limit(int64_t *bytes, struct lb_error *err)
{
        const char *text = getenv("LBSIM_CACHE_MB");
        long value = LIMIT_MB;
        if (text && *text) {
                char *end;
                errno = 0;
                value = strtol(text, &end, 10);
                if (*end || errno || value < 0 || value > LIMIT_MAX_MB)
                        return lb_error_set(err,
                                            "LBSIM_CACHE_MB is '%.60s', allowed is a whole number "
                                            "from 0 to %d",
                                            text, LIMIT_MAX_MB);
        }
        *bytes = (int64_t)value << 20;
        return 0;
}

/* Oldest first, then by name. */
static int by_age(const void *a, const void *b)
{
        const struct graph_cache_entry *x = a, *y = b;
        if (x->used_s != y->used_s)
                return x->used_s < y->used_s ? -1 : 1;
        return strcmp(x->name, y->name);
}

/* A graph of any version; what else lies in the directory is not ours. */
static bool is_entry(const char *name)
{
        size_t length = strlen(name);
        return strncmp(name, "graph-", 6) == 0 && length > 11 && length < GRAPH_CACHE_NAME_SIZE &&
               strcmp(name + length - 5, ".json") == 0;
}

/* One that a killed process has not finished, an hour ago or longer: "graph-....json.XXXXXX". */
static bool is_left_over(const char *name, const struct stat *status)
{
        enum { HOUR_S = 3600 };
        char whole[GRAPH_CACHE_NAME_SIZE];
        size_t length = strlen(name);
        if (length < 8 || length - 7 >= sizeof(whole) || name[length - 7] != '.')
                return false;
        memcpy(whole, name, length - 7);
        whole[length - 7] = '\0';
        return is_entry(whole) && status->st_mtime + HOUR_S < time(NULL);
}

static int add_entry(struct graph_cache_list *list, const char *name, const struct stat *status)
{
        size_t count = (size_t)list->count + 1;
        struct graph_cache_entry *entry = realloc(list->entry, count * sizeof(*entry));
        if (!entry)
                return -1;
        list->entry = entry;
        entry += list->count++;
        *entry = (struct graph_cache_entry){ .size = status->st_size, .used_s = status->st_mtime };
        memcpy(entry->name, name, strlen(name) + 1); /* is_entry(): it fits */
        return 0;
}

/* All entries, the oldest first, without their state. */
static int find_entries(const char *directory, struct graph_cache_list *list)
{
        char path[PATH_SIZE];
        struct stat status;
        *list = (struct graph_cache_list){ 0 };
        DIR *folder = opendir(directory);
        int failed = 0;
        for (struct dirent *entry; folder && !failed && (entry = readdir(folder));) {
                if (snprintf(path, sizeof(path), "%s/%s", directory, entry->d_name) >=
                        (int)sizeof(path) ||
                    lstat(path, &status) < 0 || !S_ISREG(status.st_mode))
                        continue;
                if (is_entry(entry->d_name))
                        failed = add_entry(list, entry->d_name, &status);
                else if (is_left_over(entry->d_name, &status))
                        unlink(path);
        }
        if (folder)
                closedir(folder);
        if (list->count > 0)
                qsort(list->entry, (size_t)list->count, sizeof(*list->entry), by_age);
        return failed;
}

void graph_cache_list_finish(struct graph_cache_list *list)
{
        free(list->entry);
        *list = (struct graph_cache_list){ 0 };
}

static bool remove_entry(const char *directory, const struct graph_cache_entry *entry)
{
        char path[PATH_SIZE];
        return snprintf(path, sizeof(path), "%s/%s", directory, entry->name) < (int)sizeof(path) &&
               unlink(path) == 0;
}

/* The oldest leave until what is there fits. */
static void trim(const char *directory, int64_t limit)
{
        struct graph_cache_list list;
        int64_t bytes = 0;
        if (find_entries(directory, &list) == 0) {
                for (int32_t i = 0; i < list.count; i++)
                        bytes += list.entry[i].size;
                for (int32_t i = 0; i < list.count && bytes > limit; i++) {
                        bytes -= list.entry[i].size;
                        remove_entry(directory, &list.entry[i]);
                }
        }
        graph_cache_list_finish(&list);
}

/* ---- Obtaining ---- */

/* A cache that cannot be written is no error: the graph is made again next time. */
static void keep(const struct graph *graph, const struct graph_spec *spec, const char *directory,
                 const char *name)
{
        char path[PATH_SIZE], check[GRAPH_CHECK_SIZE];
        struct lb_error ignored;
        put_check(graph, name, check);
        int failed = snprintf(path, sizeof(path), "%s/%s", directory, name) >= (int)sizeof(path) ||
                     lb_make_directory(directory, &ignored) ||
                     graph_write_checked(graph, spec, check, path, &ignored);
        (void)failed;
}

/* The graph that is kept, from now on the last used; NULL where it is to be made. */
static struct graph *look_up(const char *directory, const char *name)
{
        char path[PATH_SIZE];
        struct lb_error why;
        if (snprintf(path, sizeof(path), "%s/%s", directory, name) >= (int)sizeof(path) ||
            access(path, F_OK) < 0)
                return NULL;
        struct graph *graph = read_entry(path, name, &why);
        if (graph)
                utimensat(AT_FDCWD, path, NULL, 0);
        else
                fprintf(stderr, "cache of graphs: %s: made anew\n", why.text);
        return graph;
}

struct graph *graph_obtain(const struct graph_spec *spec, struct lb_error *err)
{
        int64_t limit = 0;
        char directory[PATH_SIZE], name[GRAPH_CACHE_NAME_SIZE];
        if (graph_check_spec(spec, err) || read_limit(&limit, err))
                return NULL;
        bool kept = graph_is_unique(spec) || spec->method == GRAPH_METHOD_CATALOGUE || limit == 0;
        if (kept || !graph_cache_directory(directory, sizeof(directory)))
                return graph_search(spec, err);
        graph_cache_name(spec, name);
        struct graph *graph = look_up(directory, name);
        if (graph)
                return graph;
        graph = graph_search(spec, err);
        if (graph) {
                keep(graph, spec, directory, name);
                trim(directory, limit);
        }
        return graph;
}

/* ---- For people ---- */

static enum graph_cache_state state_of(const char *directory, const struct graph_cache_entry *entry)
{
        char path[PATH_SIZE];
        struct lb_error ignored;
        static const char ours[] = "graph-" LB_GRAPHS_CODE "-";
        if (strncmp(entry->name, ours, sizeof(ours) - 1) != 0)
                return GRAPH_CACHE_OTHER;
        if (snprintf(path, sizeof(path), "%s/%s", directory, entry->name) >= (int)sizeof(path))
                return GRAPH_CACHE_DAMAGED;
        struct graph *graph = read_entry(path, entry->name, &ignored);
        graph_destroy(graph);
        return graph ? GRAPH_CACHE_GOOD : GRAPH_CACHE_DAMAGED;
}

int graph_cache_list(struct graph_cache_list *list, struct lb_error *err)
{
        char directory[PATH_SIZE];
        *list = (struct graph_cache_list){ 0 };
        if (!graph_cache_directory(directory, sizeof(directory)))
                return 0;
        if (find_entries(directory, list) < 0) {
                graph_cache_list_finish(list);
                return lb_error_fail(err, "out of memory for the cache of graphs");
        }
        for (int32_t i = 0; i < list->count / 2; i++) {
                struct graph_cache_entry last = list->entry[list->count - 1 - i];
                list->entry[list->count - 1 - i] = list->entry[i];
                list->entry[i] = last;
        }
        for (int32_t i = 0; i < list->count; i++)
                list->entry[i].state = state_of(directory, &list->entry[i]);
        return 0;
}

int graph_cache_clear(int32_t *count, int64_t *bytes, struct lb_error *err)
{
        char directory[PATH_SIZE];
        struct graph_cache_list list;
        *count = 0;
        *bytes = 0;
        if (!graph_cache_directory(directory, sizeof(directory)))
                return 0;
        int status = find_entries(directory, &list);
        if (status < 0)
                lb_error_fail(err, "out of memory for the cache of graphs");
        for (int32_t i = 0; status == 0 && i < list.count; i++) {
                if (remove_entry(directory, &list.entry[i])) {
                        (*count)++;
                        *bytes += list.entry[i].size;
                } else if (errno != ENOENT) {
                        status = lb_error_fail(err, "cannot remove '%s/%s': %s", directory,
                                               list.entry[i].name, strerror(errno));
                }
        }
        graph_cache_list_finish(&list);
        return status;
}
