/* SPDX-License-Identifier: BSD-3-Clause */
#include "graphs/catalogue.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/data.h"
#include "graphs/ceiling.h"
#include "graphs/judge.h"

enum { ROOM_MIN = 64, PATH_SIZE = LB_DATA_PATH_SIZE };

void catalogue_finish(struct catalogue *catalogue)
{
        for (int32_t i = 0; i < catalogue->count; i++)
                graph_destroy(catalogue->entry[i].graph);
        free(catalogue->entry);
        *catalogue = (struct catalogue){ 0 };
}

static int compare_sizes(const struct catalogue_entry *entry, int32_t napprank, int32_t nnode,
                         int32_t degree)
{
        if (entry->nnode != nnode)
                return entry->nnode < nnode ? -1 : 1;
        if (entry->napprank != napprank)
                return entry->napprank < napprank ? -1 : 1;
        return (entry->degree > degree) - (entry->degree < degree);
}

/* The first entry that does not come before a size. */
static int32_t place_of(const struct catalogue *catalogue, int32_t napprank, int32_t nnode,
                        int32_t degree)
{
        int32_t low = 0, high = catalogue->count;
        while (low < high) {
                int32_t middle = low + (high - low) / 2;
                if (compare_sizes(&catalogue->entry[middle], napprank, nnode, degree) < 0)
                        low = middle + 1;
                else
                        high = middle;
        }
        return low;
}

static bool is_at(const struct catalogue *catalogue, int32_t at, int32_t napprank, int32_t nnode,
                  int32_t degree)
{
        return at < catalogue->count &&
               compare_sizes(&catalogue->entry[at], napprank, nnode, degree) == 0;
}

const struct catalogue_entry *catalogue_find(const struct catalogue *catalogue, int32_t napprank,
                                             int32_t nnode, int32_t degree)
{
        int32_t at = place_of(catalogue, napprank, nnode, degree);
        return is_at(catalogue, at, napprank, nnode, degree) ? &catalogue->entry[at] : NULL;
}

static int make_room(struct catalogue *catalogue)
{
        if (catalogue->count < catalogue->room)
                return 0;
        int32_t room = catalogue->room ? 2 * catalogue->room : ROOM_MIN;
        void *grown = realloc(catalogue->entry, (size_t)room * sizeof(*catalogue->entry));
        if (!grown)
                return -1;
        catalogue->entry = grown;
        catalogue->room = room;
        return 0;
}

int catalogue_put(struct catalogue *catalogue, const struct catalogue_entry *entry,
                  struct lb_error *err)
{
        int32_t at = place_of(catalogue, entry->napprank, entry->nnode, entry->degree);
        if (is_at(catalogue, at, entry->napprank, entry->nnode, entry->degree)) {
                graph_destroy(catalogue->entry[at].graph);
                catalogue->entry[at] = *entry;
                return 0;
        }
        if (make_room(catalogue)) {
                graph_destroy(entry->graph);
                return lb_error_fail(err, "out of memory for a catalogue of %d graphs",
                                     catalogue->count + 1);
        }
        memmove(&catalogue->entry[at + 1], &catalogue->entry[at],
                (size_t)(catalogue->count - at) * sizeof(*entry));
        catalogue->entry[at] = *entry;
        catalogue->count++;
        return 0;
}

/* ---- Verify ---- */

static int check_ceiling(const struct catalogue_entry *entry, struct lb_error *err)
{
        struct ratio ceiling = ceiling_of(entry->napprank, entry->nnode, entry->degree);
        if (ratio_compare(ceiling, entry->ceiling) == 0)
                return 0;
        return lb_error_set(err, "ceiling %d/%d: it is %d/%d", entry->ceiling.nnode,
                            entry->ceiling.size, ceiling.nnode, ceiling.size);
}

static int check_judgement(const struct catalogue_entry *entry,
                           const struct graph_judgement *judgement, struct lb_error *err)
{
        struct ratio found = { judgement->set_nnode, judgement->set_size };
        if (ratio_compare(found, entry->proven) < 0)
                return lb_error_set(err, "proven %d/%d: a set of %d appranks has %d nodes",
                                    entry->proven.nnode, entry->proven.size, found.size,
                                    found.nnode);
        if (judgement->exact && ratio_compare(found, entry->set) > 0)
                return lb_error_set(err, "set %d/%d: no set has less than %d nodes per %d appranks",
                                    entry->set.nnode, entry->set.size, found.nnode, found.size);
        if (fabs(judgement->second_singular - entry->second_singular) > 1e-6)
                return lb_error_set(err, "second_singular %.9g: it is %.9g", entry->second_singular,
                                    judgement->second_singular);
        return 0;
}

int catalogue_verify(const struct catalogue_entry *entry, int64_t budget, bool *whole,
                     struct lb_error *err)
{
        struct graph_judgement judgement;
        *whole = false;
        int failed = check_ceiling(entry, err);
        if (!failed && graph_judge(entry->graph, budget, &judgement, err))
                return -1;
        if (!failed) {
                *whole = judgement.isoperimetric_lower >= ratio_value(entry->proven) - 1e-12;
                failed = check_judgement(entry, &judgement, err);
                graph_judgement_finish(&judgement);
        }
        if (failed)
                lb_error_prefix(err, "%d appranks on %d nodes, degree %d: ", entry->napprank,
                                entry->nnode, entry->degree);
        return failed;
}

/* ---- Where ---- */

bool catalogue_user_file(char *path, size_t size)
{
        char directory[PATH_SIZE];
        if (!graph_cache_directory(directory, sizeof(directory)))
                return false;
        int length = snprintf(path, size, "%s/catalogue.csv", directory);
        return length >= 0 && (size_t)length < size;
}

bool catalogue_shipped_file(char *path, size_t size)
{
        char found[LB_DATA_PATH_SIZE];
        if (!lb_data_find("graphs", "catalogue.csv", found))
                return false;
        int length = snprintf(path, size, "%s", found);
        return length >= 0 && (size_t)length < size;
}

/* The graph of an entry, which gives it away. NULL without a message: the file has no such size. */
static struct graph *take_graph(const char *file, const struct graph_spec *spec,
                                struct lb_error *err)
{
        struct catalogue catalogue;
        if (catalogue_read(file, &catalogue, err))
                return NULL;
        struct graph *graph = NULL;
        int32_t at = place_of(&catalogue, spec->napprank, spec->nnode, spec->degree);
        if (is_at(&catalogue, at, spec->napprank, spec->nnode, spec->degree)) {
                graph = catalogue.entry[at].graph;
                catalogue.entry[at].graph = NULL;
        }
        catalogue_finish(&catalogue);
        return graph;
}

struct graph *catalogue_obtain(const struct graph_spec *spec, struct lb_error *err)
{
        static bool (*const files[])(char *, size_t) = { catalogue_user_file,
                                                         catalogue_shipped_file };
        char file[PATH_SIZE];
        for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++) {
                if (!files[i](file, sizeof(file)) || access(file, F_OK) != 0)
                        continue;
                struct lb_error why = { 0 };
                struct graph *graph = take_graph(file, spec, &why);
                if (graph)
                        return graph;
                if (why.kind) {
                        *err = why;
                        return NULL;
                }
        }
        lb_error_set(err,
                     "graph method catalogue: it has no graph of %d appranks on %d nodes and "
                     "degree %d; 'lbsim graph --extend' adds one, method best makes one",
                     spec->napprank, spec->nnode, spec->degree);
        return NULL;
}
