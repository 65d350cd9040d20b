/* SPDX-License-Identifier: BSD-3-Clause */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/csv.h"
#include "base/file.h"
#include "graphs/catalogue.h"
#include "graphs/lift.h"

enum column {
        APPRANKS,
        NODES,
        DEGREE,
        SET,
        PROVEN,
        CEILING,
        SECOND_SINGULAR,
        METHOD,
        SEED,
        PERIOD,
        GRAPH,
        NCOLUMN
};

static const char *const names[NCOLUMN] = {
        "appranks",        "nodes",  "degree", "set",    "proven", "ceiling",
        "second_singular", "method", "seed",   "period", "graph",
};

/* ---- Write ---- */

static void print_entry(FILE *out, const struct catalogue_entry *entry)
{
        const struct graph *graph = entry->graph;
        int32_t nbase = entry->period * (entry->napprank / entry->nnode);
        fprintf(out, "%d,%d,%d,%d/%d,%d/%d,%d/%d,%.9f,%s,%" PRIu64 ",%d,", entry->napprank,
                entry->nnode, entry->degree, entry->set.nnode, entry->set.size, entry->proven.nnode,
                entry->proven.size, entry->ceiling.nnode, entry->ceiling.size,
                entry->second_singular, entry->method, entry->seed, entry->period);
        for (int32_t a = 0; a < nbase; a++)
                for (int32_t e = graph->apprank_first[a]; e < graph->apprank_first[a + 1]; e++) {
                        const char *before = e == graph->apprank_first[a] ? ";" : ".";
                        fprintf(out, "%s%d", e == 0 ? "" : before, graph->edge_node[e]);
                }
        fprintf(out, "\n");
}

int catalogue_write(const struct catalogue *catalogue, const char *file, struct lb_error *err)
{
        struct lb_file out;
        if (lb_file_create(&out, file, err))
                return -1;
        for (int i = 0; i < NCOLUMN; i++)
                fprintf(out.stream, "%s%s", i ? "," : "", names[i]);
        fprintf(out.stream, "\n");
        for (int32_t i = 0; i < catalogue->count; i++)
                print_entry(out.stream, &catalogue->entry[i]);
        return lb_file_commit(&out, err);
}

/* ---- Read ---- */

struct reader {
        struct lb_csv csv;
        int32_t column[NCOLUMN];
        int64_t row;
};

static int complain(const struct reader *reader, enum column which, const char *allowed,
                    struct lb_error *err)
{
        const char *found = lb_csv_cell(&reader->csv, reader->row, reader->column[which]);
        return lb_error_set(err,
                            "%.300s: row %" PRId64 ", column %s: found \"%.60s\", allowed is %s",
                            reader->csv.file, reader->row + 1, names[which], found, allowed);
}

static const char *cell(const struct reader *reader, enum column which)
{
        return lb_csv_cell(&reader->csv, reader->row, reader->column[which]);
}

/* A whole number from `text` on; *end is what follows it. false: there is none in the range. */
static bool scan_whole(const char *text, const char **end, uint64_t max, uint64_t *value)
{
        char *stop;
        if (text[0] < '0' || text[0] > '9')
                return false;
        errno = 0;
        *value = strtoull(text, &stop, 10);
        *end = stop;
        return errno == 0 && *value <= max;
}

static int read_whole(const struct reader *reader, enum column which, int32_t max, int32_t *value,
                      struct lb_error *err)
{
        char allowed[64];
        const char *end;
        uint64_t number;
        if (scan_whole(cell(reader, which), &end, (uint64_t)max, &number) && !*end && number > 0) {
                *value = (int32_t)number;
                return 0;
        }
        snprintf(allowed, sizeof(allowed), "a whole number from 1 to %d", max);
        return complain(reader, which, allowed, err);
}

static int read_ratio(const struct reader *reader, enum column which, struct ratio *ratio,
                      struct lb_error *err)
{
        const char *end;
        uint64_t nnode, size;
        uint64_t most = (uint64_t)64 * GRAPH_APPRANK_MAX;
        if (scan_whole(cell(reader, which), &end, most, &nnode) && *end == '/' &&
            scan_whole(end + 1, &end, most, &size) && !*end && nnode > 0 && size > 0) {
                *ratio = (struct ratio){ (int32_t)nnode, (int32_t)size };
                return 0;
        }
        return complain(reader, which, "nodes/appranks", err);
}

static int read_origin(const struct reader *reader, struct catalogue_entry *entry,
                       struct lb_error *err)
{
        const char *end;
        if (lb_csv_number(&reader->csv, reader->row, reader->column[SECOND_SINGULAR],
                          &entry->second_singular, err))
                return -1;
        size_t length = strlen(cell(reader, METHOD));
        if (length == 0 || length >= sizeof(entry->method))
                return complain(reader, METHOD, "1 to 15 letters", err);
        memcpy(entry->method, cell(reader, METHOD), length + 1);
        if (!scan_whole(cell(reader, SEED), &end, UINT64_MAX, &entry->seed) || *end)
                return complain(reader, SEED, "a whole number", err);
        return 0;
}

static int read_size(const struct reader *reader, struct catalogue_entry *entry,
                     struct lb_error *err)
{
        if (read_whole(reader, APPRANKS, GRAPH_APPRANK_MAX, &entry->napprank, err) ||
            read_whole(reader, NODES, GRAPH_NODE_MAX, &entry->nnode, err) ||
            read_whole(reader, DEGREE, entry->nnode, &entry->degree, err) ||
            read_whole(reader, PERIOD, entry->nnode, &entry->period, err))
                return -1;
        if (entry->napprank % entry->nnode != 0)
                return complain(reader, APPRANKS, "a multiple of the nodes", err);
        if (entry->nnode % entry->period != 0)
                return complain(reader, PERIOD, "a divisor of the nodes", err);
        return 0;
}

/* The nodes of the first `period` nodes' appranks. */
static bool scan_graph(const char *text, const struct catalogue_entry *entry, int32_t nplace,
                       int32_t *node)
{
        uint64_t number;
        for (int32_t i = 0; i < nplace; i++) {
                char expected = i + 1 == nplace ? '\0' : (i + 1) % entry->degree == 0 ? ';' : '.';
                if (!scan_whole(text, &text, (uint64_t)entry->nnode - 1, &number) ||
                    *text != expected)
                        return false;
                node[i] = (int32_t)number;
                text++;
        }
        return true;
}

static int read_graph(const struct reader *reader, struct catalogue_entry *entry,
                      struct lb_error *err)
{
        struct graph_spec spec = {
                entry->napprank, entry->nnode, entry->degree, GRAPH_METHOD_RANDOM, 0, 1, 0
        };
        if (graph_check_spec(&spec, err))
                return lb_error_prefix(err, "%.300s: row %" PRId64 ": ", reader->csv.file,
                                       reader->row + 1);
        int32_t nplace = entry->period * (entry->napprank / entry->nnode) * entry->degree;
        int32_t *node = calloc((size_t)nplace, sizeof(*node));
        if (!node)
                return lb_error_fail(err, "out of memory for a graph of %d edges", nplace);
        bool scanned = scan_graph(cell(reader, GRAPH), entry, nplace, node);
        struct lb_error why;
        entry->graph = scanned ? lift_expand(&spec, entry->period, node, &why) : NULL;
        free(node);
        if (!scanned)
                return complain(reader, GRAPH, "degree nodes for each apprank, as 0.1.3;1.2.6",
                                err);
        if (!entry->graph)
                return lb_error_set(err, "%.300s: row %" PRId64 ", column graph: %s",
                                    reader->csv.file, reader->row + 1, why.text);
        if (!entry->graph->biregular)
                return complain(reader, GRAPH, "a biregular graph", err);
        return 0;
}

static int read_entry(const struct reader *reader, struct catalogue_entry *entry,
                      struct lb_error *err)
{
        *entry = (struct catalogue_entry){ 0 };
        if (read_size(reader, entry, err) || read_ratio(reader, SET, &entry->set, err) ||
            read_ratio(reader, PROVEN, &entry->proven, err) ||
            read_ratio(reader, CEILING, &entry->ceiling, err) || read_origin(reader, entry, err))
                return -1;
        if (ratio_compare(entry->proven, entry->set) > 0)
                return complain(reader, PROVEN, "what is no more than set", err);
        return read_graph(reader, entry, err);
}

static int read_rows(struct reader *reader, struct catalogue *catalogue, struct lb_error *err)
{
        for (int c = 0; c < NCOLUMN; c++) {
                reader->column[c] = lb_csv_column(&reader->csv, names[c]);
                if (reader->column[c] < 0)
                        return lb_error_set(err, "%.300s: column %s is missing", reader->csv.file,
                                            names[c]);
        }
        for (reader->row = 0; reader->row < reader->csv.nrow; reader->row++) {
                struct catalogue_entry entry;
                if (read_entry(reader, &entry, err)) {
                        graph_destroy(entry.graph);
                        return -1;
                }
                if (catalogue_find(catalogue, entry.napprank, entry.nnode, entry.degree)) {
                        graph_destroy(entry.graph);
                        return complain(reader, APPRANKS, "one row per size", err);
                }
                if (catalogue_put(catalogue, &entry, err))
                        return -1;
        }
        return 0;
}

int catalogue_read(const char *file, struct catalogue *out, struct lb_error *err)
{
        struct reader reader = { 0 };
        *out = (struct catalogue){ 0 };
        if (lb_csv_open(&reader.csv, file, err))
                return -1;
        int failed = read_rows(&reader, out, err);
        lb_csv_close(&reader.csv);
        if (failed)
                catalogue_finish(out);
        return failed;
}
