/* SPDX-License-Identifier: BSD-3-Clause */
#include <math.h>
#include <stdio.h>

#include "base/json.h"
#include "models/measured_impl.h"

/*
 * TALP's report as JSON (DLB's --talp-output-file=FILE.json with --talp-summary=process or, of
 * older versions, node): times in ns. usefulTime is the sum over the CPUs of a process. The region
 * is "Global", or the first that there is.
 *
 *      { "Process": { "Global": [{ "rank": 0, "nodeId": 0, "hostname": "n1", "numCpus": 4,
 *                                  "elapsedTime": ..., "usefulTime": ..., "mpiTime": ... }, ...] }
 * } { "node": [{ "id": "0", "process": [{ "id": 4711, "usefulTime": ..., "mpiTime": ... }] }] }
 */

static double number_in(const cJSON *object, const char *key)
{
        const cJSON *item = cJSON_GetObjectItemCaseSensitive(object, key);
        return cJSON_IsNumber(item) ? item->valuedouble : NAN;
}

static int need(const struct lb_json *doc, const char *pointer, const cJSON *object,
                const char *key, double most, double *value, struct lb_error *err)
{
        *value = number_in(object, key);
        if (*value >= 0 && *value <= most)
                return 0;
        return lb_json_complain(doc, pointer, err, "\"%s\" is needed, a number from 0 to %.12g",
                                key, most);
}

static int take_process(const struct lb_json *doc, struct measured *m, const cJSON *object,
                        struct lb_error *err)
{
        double number, node, useful_ns, mpi_ns;
        char pointer[64];
        snprintf(pointer, sizeof(pointer), "/Process");
        if (need(doc, pointer, object, "rank", m->nrank - 1, &number, err) < 0 ||
            need(doc, pointer, object, "nodeId", MEASURED_RANK_MAX, &node, err) < 0 ||
            need(doc, pointer, object, "usefulTime", 1e21, &useful_ns, err) < 0 ||
            need(doc, pointer, object, "mpiTime", 1e21, &mpi_ns, err) < 0)
                return -1;
        struct measured_rank *rank = &m->rank[(int32_t)number];
        if (!isnan(rank->load_s))
                return lb_json_complain(doc, pointer, err, "rank %d is there twice",
                                        (int32_t)number);
        double cpus = number_in(object, "numCpus"),
               wall_s = 1e-9 * number_in(object, "elapsedTime");
        int32_t cores = cpus >= 1 && cpus <= 4096 ? (int32_t)cpus : 0;
        if (cores > 0)
                measured_cores(m, cores);
        const cJSON *host = cJSON_GetObjectItemCaseSensitive(object, "hostname");
        if (cJSON_IsString(host))
                snprintf(rank->host, sizeof(rank->host), "%s", host->valuestring);
        m->wall_s = fmax(m->wall_s, wall_s);
        rank->node = (int32_t)node;
        m->nodes_known = true;
        rank->load_s = 1e-9 * useful_ns;
        rank->mpi_s = 1e-9 * mpi_ns / (cores > 0 ? cores : 1);
        return 0;
}

static int take_processes(const struct lb_json *doc, struct measured *m, const cJSON *regions,
                          struct lb_error *err)
{
        const cJSON *list = cJSON_GetObjectItemCaseSensitive(regions, "Global"), *item = NULL;
        list = list ? list : regions->child;
        if (!cJSON_IsArray(list))
                return lb_json_complain(doc, "/Process", err,
                                        "allowed are regions, each a list of processes");
        if (measured_ranks(m, cJSON_GetArraySize(list), doc->file, err) < 0)
                return -1;
        cJSON_ArrayForEach(item, list)
        {
                if (take_process(doc, m, item, err) < 0)
                        return -1;
        }
        return 0;
}

static int32_t count_processes(const cJSON *nodes)
{
        const cJSON *node = NULL;
        int32_t count = 0;
        cJSON_ArrayForEach(node, nodes)
        {
                count += cJSON_GetArraySize(cJSON_GetObjectItemCaseSensitive(node, "process"));
        }
        return count;
}

/* Of older versions: processes without ranks, which are counted as they come. */
static int take_nodes(const struct lb_json *doc, struct measured *m, const cJSON *nodes,
                      struct lb_error *err)
{
        const cJSON *node = NULL, *item = NULL;
        int32_t at = 0, r = 0;
        if (measured_ranks(m, count_processes(nodes), doc->file, err) < 0)
                return -1;
        cJSON_ArrayForEach(node, nodes)
        {
                cJSON_ArrayForEach(item, cJSON_GetObjectItemCaseSensitive(node, "process"))
                {
                        double useful_ns, mpi_ns;
                        if (need(doc, "/node", item, "usefulTime", 1e21, &useful_ns, err) < 0 ||
                            need(doc, "/node", item, "mpiTime", 1e21, &mpi_ns, err) < 0)
                                return -1;
                        m->rank[r++] = (struct measured_rank){ .node = at,
                                                               .load_s = 1e-9 * useful_ns,
                                                               .mpi_s = 1e-9 * mpi_ns };
                }
                at++;
        }
        return 0;
}

int measured_read_talp(struct measured *m, const char *file, struct lb_error *err)
{
        struct lb_json doc;
        if (lb_json_open(&doc, file, err) < 0)
                return -1;
        const cJSON *process = cJSON_GetObjectItemCaseSensitive(doc.root, "Process");
        const cJSON *node = cJSON_GetObjectItemCaseSensitive(doc.root, "node");
        int status;
        if (cJSON_IsObject(process))
                status = take_processes(&doc, m, process, err);
        else if (cJSON_IsArray(node))
                status = take_nodes(&doc, m, node, err);
        else
                status = lb_json_complain(
                    &doc, "", err,
                    "found neither \"Process\" nor \"node\", allowed is TALP's report with its "
                    "processes: run the program with DLB_ARGS=\"--talp --talp-summary=process "
                    "--talp-output-file=talp.json\"");
        lb_json_close(&doc);
        return status;
}
