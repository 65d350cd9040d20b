/* SPDX-License-Identifier: BSD-3-Clause */
#include <inttypes.h>
#include <stdlib.h>

#include "base/csv.h"
#include "graphs/near.h"

enum { DISTANCE_NODE_MAX = 4096 }; /* 128 MiB */

static int distances_init(struct distances *distances, int32_t nnode, struct lb_error *err)
{
        *distances = (struct distances){ .nnode = nnode };
        if (nnode > DISTANCE_NODE_MAX)
                return lb_error_set(err, "%d nodes: distances are for at most %d nodes", nnode,
                                    DISTANCE_NODE_MAX);
        distances->between = calloc((size_t)nnode * (size_t)nnode, sizeof(double));
        return distances->between
                   ? 0
                   : lb_error_fail(err, "out of memory for the distances of %d nodes", nnode);
}

void distances_finish(struct distances *distances)
{
        free(distances->between);
        *distances = (struct distances){ 0 };
}

int distances_of_switches(int32_t nnode, int32_t nodes_per_switch, struct distances *out,
                          struct lb_error *err)
{
        if (distances_init(out, nnode, err))
                return -1;
        for (int32_t n = 0; n < nnode; n++)
                for (int32_t m = 0; m < nnode; m++) {
                        bool same = n / nodes_per_switch == m / nodes_per_switch;
                        out->between[(size_t)n * (size_t)nnode + (size_t)m] = n == m ? 0
                                                                              : same ? 1
                                                                                     : 2;
                }
        return 0;
}

static int read_rows(const struct lb_csv *csv, struct distances *out, struct lb_error *err)
{
        if (csv->nrow != out->nnode || csv->ncolumn != out->nnode)
                return lb_error_set(err,
                                    "%.300s: %" PRId64 " rows and %d columns: %d of each are "
                                    "allowed, one per node",
                                    csv->file, csv->nrow, csv->ncolumn, out->nnode);
        for (int32_t n = 0; n < out->nnode; n++)
                for (int32_t m = 0; m < out->nnode; m++) {
                        double *cell = &out->between[(size_t)n * (size_t)out->nnode + (size_t)m];
                        if (lb_csv_number(csv, n, m, cell, err))
                                return -1;
                        if (*cell < 0 || *cell > 1e9)
                                return lb_error_set(err,
                                                    "%.300s: row %d, column %s: found %g, allowed "
                                                    "is 0 to 1e9",
                                                    csv->file, n + 1, lb_csv_name(csv, m), *cell);
                }
        return 0;
}

int distances_read(const char *file, int32_t nnode, struct distances *out, struct lb_error *err)
{
        struct lb_csv csv;
        if (lb_csv_open(&csv, file, err))
                return -1;
        int failed = distances_init(out, nnode, err);
        if (!failed)
                failed = read_rows(&csv, out, err);
        lb_csv_close(&csv);
        if (failed)
                distances_finish(out);
        return failed;
}

double near_mean(const struct graph *graph, const struct distances *distances)
{
        double sum = 0;
        int32_t count = graph->nedge - graph->napprank;
        for (int32_t a = 0; a < graph->napprank; a++) {
                int32_t first = graph->apprank_first[a];
                size_t home = (size_t)graph->edge_node[first] * (size_t)distances->nnode;
                for (int32_t e = first + 1; e < graph->apprank_first[a + 1]; e++)
                        sum += distances->between[home + (size_t)graph->edge_node[e]];
        }
        return count > 0 ? sum / count : 0;
}
