/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The time series of one run as a file: a head, then the arrays of struct sim_series one after the
 * other, as this machine has them in memory, and the series' own graph where it has one.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/file.h"
#include "sim/sweep/record.h"

struct head {
        char magic[8];
        uint32_t order; /* of bytes: reads as 1 where it was written so */
        int32_t nsample, nworker, nnode;
        int32_t workers;  /* 1 where busy and owned cores of the workers follow */
        int32_t napprank; /* 0 where there is no graph of its own */
        double interval_s;
};

static const char magic[8] = "lbserie1";

static struct head head_of(const struct sim_series *series)
{
        struct head head = {
                .order = 1,
                .nsample = series->nsample,
                .nworker = series->nworker,
                .nnode = series->nnode,
                .workers = series->busy_cores && series->owned_cores,
                .napprank = series->graph ? series->graph->napprank : 0,
                .interval_s = series->interval_s,
        };
        memcpy(head.magic, magic, sizeof(magic));
        return head;
}

int series_write(const struct sim_series *series, const char *path, struct lb_error *err)
{
        struct lb_file file;
        if (lb_file_create(&file, path, err) < 0)
                return -1;
        struct head head = head_of(series);
        size_t nsample = (size_t)series->nsample;
        size_t ncell = head.workers ? nsample * (size_t)series->nworker : 0;
        /* A failed write is found by the commit. */
        fwrite(&head, sizeof(head), 1, file.stream);
        fwrite(series->node_imbalance, sizeof(double), nsample, file.stream);
        if (ncell > 0) {
                fwrite(series->busy_cores, sizeof(float), ncell, file.stream);
                fwrite(series->owned_cores, sizeof(int32_t), ncell, file.stream);
        }
        if (series->graph) {
                fwrite(series->graph->apprank_first, sizeof(int32_t), (size_t)head.napprank + 1,
                       file.stream);
                fwrite(series->graph->edge_node, sizeof(int32_t), (size_t)head.nworker,
                       file.stream);
        }
        return lb_file_commit(&file, err);
}

/* Is it a head, and the file as long as it says? */
static bool fits(const struct head *head, FILE *in)
{
        struct stat status;
        if (memcmp(head->magic, magic, sizeof(magic)) != 0 || head->order != 1 ||
            head->nsample < 0 || head->nworker < 0 || head->nnode < 0 || head->napprank < 0 ||
            !(head->interval_s > 0) || fstat(fileno(in), &status) < 0)
                return false;
        double per_sample = sizeof(double);
        if (head->workers)
                per_sample += (double)(sizeof(float) + sizeof(int32_t)) * head->nworker;
        double graph = 0;
        if (head->napprank > 0)
                graph = (double)sizeof(int32_t) * (1.0 + head->napprank + head->nworker);
        return (double)status.st_size == (double)sizeof(*head) + per_sample * head->nsample + graph;
}

static void *get_array(FILE *in, size_t count, size_t size)
{
        void *array = calloc(count + 1, size);
        if (array && fread(array, size, count, in) == count)
                return array;
        free(array);
        return NULL;
}

static struct graph *get_graph(FILE *in, const struct head *head)
{
        struct lb_error ignored;
        struct graph *graph = NULL;
        int32_t *first = get_array(in, (size_t)head->napprank + 1, sizeof(*first));
        int32_t *node = get_array(in, (size_t)head->nworker, sizeof(*node));
        bool sound = first && node && first[0] == 0 && first[head->napprank] == head->nworker;
        for (int32_t a = 0; sound && a < head->napprank; a++)
                sound = first[a] <= first[a + 1];
        if (sound)
                graph = graph_from_edges(head->napprank, head->nnode, first, node, &ignored);
        free(first);
        free(node);
        return graph;
}

static int get_series(struct sim_series *series, const struct head *head, FILE *in)
{
        size_t nsample = (size_t)head->nsample;
        *series = (struct sim_series){
                .nsample = head->nsample,
                .nworker = head->nworker,
                .nnode = head->nnode,
                .interval_s = head->interval_s,
                .node_imbalance = get_array(in, nsample, sizeof(double)),
        };
        if (head->workers) {
                size_t ncell = nsample * (size_t)head->nworker;
                series->busy_cores = get_array(in, ncell, sizeof(float));
                series->owned_cores = get_array(in, ncell, sizeof(int32_t));
        }
        if (head->napprank > 0)
                series->graph = get_graph(in, head);
        if (series->node_imbalance && (series->graph || head->napprank == 0) &&
            (!head->workers || (series->busy_cores && series->owned_cores)))
                return 0;
        graph_destroy(series->graph);
        free(series->node_imbalance);
        free(series->busy_cores);
        free(series->owned_cores);
        memset(series, 0, sizeof(*series));
        return -1;
}

int series_read(struct sim_series *series, const char *path)
{
        struct head head;
        memset(series, 0, sizeof(*series));
        FILE *in = fopen(path, "rb");
        if (!in)
                return -1;
        int status = -1;
        if (fread(&head, sizeof(head), 1, in) == 1 && fits(&head, in))
                status = get_series(series, &head, in);
        fclose(in);
        return status;
}
