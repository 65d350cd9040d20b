/* SPDX-License-Identifier: BSD-3-Clause */
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "sim/commands/gain_measured.h"

/* ---- Remedies without a system ---- */

static void add_remedy(struct gain_advice *a, const char *name, double compute_s, double most_s,
                       const char *asks)
{
        double transfer_s = a->parts.transfer_s;
        if (compute_s >= 0.99 * gain_longest_s(&a->loads) || a->nremedy == GAIN_REMEDY_MAX)
                return;
        struct gain_outcome *remedy = &a->remedy[a->nremedy++];
        *remedy = (struct gain_outcome){ .name = name,
                                         .degree = 1,
                                         .nodes = a->loads.nnode,
                                         .least_s = compute_s + transfer_s,
                                         .most_s = most_s + transfer_s,
                                         .coarse_s = most_s + transfer_s,
                                         .fine_s = compute_s + transfer_s,
                                         .cores = (double)a->cores * a->loads.nnode,
                                         .asks = asks };
        gain_widen(a, remedy);
}

/* Work that a thread cannot share takes what it takes: from all of it divided to none. */
void gain_find_remedies(struct gain_advice *a)
{
        static const char openmp[] = "OpenMP in what takes the time";
        double longest_s = gain_longest_s(&a->loads), weighted_s = gain_weighted_s(&a->loads);
        if (gain_has_weights(&a->loads))
                add_remedy(a, "weights for the partition", weighted_s, weighted_s,
                           "a partitioner that takes weights");
        if (a->per_node < 2)
                return;
        if (a->per_node > 2 && a->per_node % 2 == 0)
                add_remedy(a, "half the ranks, twice the threads",
                           gain_joined_s(&a->loads, a->order, 2), longest_s, openmp);
        add_remedy(a, "one rank a node, all threads",
                   gain_joined_s(&a->loads, a->order, a->per_node), longest_s, openmp);
        if (a->loads.nnode > 1)
                add_remedy(a, "heavy beside light, one rank a node",
                           gain_joined_s(&a->loads, a->place, a->per_node), longest_s,
                           "another partition, and OpenMP");
}

/* ---- Placements as files ---- */

/* The name of each node, [nnode], as the measurement has it; NULL where memory runs out. */
static const char **name_nodes(const struct gain_advice *a)
{
        const char **name = calloc((size_t)a->loads.nnode, sizeof(*name));
        for (int32_t r = 0; name && r < a->loads.nrank; r++)
                name[a->loads.node[r]] = a->m->rank[r].host;
        return name;
}

/* As Open MPI has it, with the cores of each rank. */
static void write_rankfile(const struct gain_advice *a, const char *const *name, FILE *out)
{
        for (int32_t i = 0; i < a->loads.nrank; i++) {
                int32_t first = i % a->per_node * a->loads.threads;
                fprintf(out, "rank %" PRId32 "=%s slot=%" PRId32, a->place[i],
                        name[i / a->per_node], first);
                if (a->loads.threads > 1)
                        fprintf(out, "-%" PRId32, first + a->loads.threads - 1);
                fputc('\n', out);
        }
}

/* The node of each rank, in the order of ranks. */
static void write_hostfile(const struct gain_advice *a, const char *const *name, FILE *out)
{
        for (int32_t r = 0; r < a->loads.nrank; r++)
                fprintf(out, "%s\n", name[a->node_placed[r]]);
}

/* Nodes of other sizes than were measured (--appranks-per-node) have ranks of two, or a part of
 * one. */
static bool are_measured(const struct gain_advice *a, const char *const *name)
{
        for (int32_t r = 0; r < a->loads.nrank; r++)
                if (strcmp(a->m->rank[r].host, name[a->loads.node[r]]) != 0)
                        return false;
        for (int32_t n = 0; n < a->loads.nnode; n++)
                for (int32_t other = 0; other < n; other++)
                        if (strcmp(name[n], name[other]) == 0)
                                return false;
        return true;
}

typedef void (*place_writer)(const struct gain_advice *a, const char *const *name, FILE *out);

static int write_file(const struct gain_advice *a, const char *option, const char *path,
                      place_writer write, struct lb_error *err)
{
        struct lb_file file;
        if (!path)
                return 0;
        if (a->per_node == 0 || a->m->rank[0].host[0] == '\0')
                return lb_error_set(err,
                                    "--%s: %s has no names of nodes, or different numbers of ranks "
                                    "on them",
                                    option, a->path);
        const char **name = name_nodes(a);
        if (!name)
                return lb_error_fail(err, "out of memory for '%s'", path);
        int status = are_measured(a, name)
                         ? lb_file_create(&file, path, err)
                         : lb_error_set(err,
                                        "--%s: the ranks of %s were on other nodes than of %" PRId32
                                        " ranks each, which have no names",
                                        option, a->path, a->per_node);
        if (status == 0) {
                write(a, name, file.stream);
                status = lb_file_commit(&file, err);
        }
        free(name);
        return status;
}

int gain_write_places(const struct gain_advice *a, const struct gain_request *request,
                      struct lb_error *err)
{
        if (write_file(a, "rankfile", request->rankfile, write_rankfile, err) < 0)
                return -1;
        return write_file(a, "hostfile", request->hostfile, write_hostfile, err);
}
