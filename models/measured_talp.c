/* SPDX-License-Identifier: BSD-3-Clause */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/json.h"
#include "models/measured_impl.h"

/*
 * TALP's report as JSON (DLB's --talp-output-file=FILE.json with --talp-summary=process or, of
 * older versions, node): times in ns. usefulTime is the sum over the CPUs of a process. Of several
 * regions it is the one that holds the whole run, which TALP calls "Global", before 3.5 "MPI
 * Execution".
 *
 *      { "Process": { "Global": [{ "rank": 0, "nodeId": 0, "hostname": "n1", "numCpus": 4,
 *                                  "elapsedTime": ..., "usefulTime": ..., "mpiTime": ... }, ...] }
 * } { "region": [{ "name": "Global", "process": [ the same, without nodeId ] }] }        (3.5) {
 * "node": [{ "id": "0", "process": [{ "id": 4711, "usefulTime": ..., "mpiTime": ... }] }] }
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

static int take_process(const struct lb_json *doc, const char *place, struct measured *m,
                        const cJSON *object, struct lb_error *err)
{
        double number, useful_ns, mpi_ns, node = number_in(object, "nodeId");
        char pointer[64];
        snprintf(pointer, sizeof(pointer), "%s", place);
        if (need(doc, pointer, object, "rank", m->nrank - 1, &number, err) < 0 ||
            need(doc, pointer, object, "usefulTime", 1e21, &useful_ns, err) < 0 ||
            need(doc, pointer, object, "mpiTime", 1e21, &mpi_ns, err) < 0)
                return -1;
        if (number != floor(number))
                return lb_json_complain(doc, pointer, err, "found rank %g, allowed is a whole one",
                                        number);
        if (!isnan(node) && !(node >= 0 && node < MEASURED_RANK_MAX && node == floor(node)))
                return lb_json_complain(doc, pointer, err,
                                        "found nodeId %g, allowed are whole numbers from 0 to %d",
                                        node, MEASURED_RANK_MAX - 1);
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
        rank->node = isnan(node) ? -1 : (int32_t)node;
        rank->load_s = 1e-9 * useful_ns;
        rank->mpi_s = 1e-9 * mpi_ns / (cores > 0 ? cores : 1);
        return 0;
}

/* Its name is its key, or in it. */
static const char *region_name(const cJSON *region)
{
        const cJSON *name = cJSON_GetObjectItemCaseSensitive(region, "name");
        return region->string ? region->string : cJSON_IsString(name) ? name->valuestring : "";
}

/* The region of the whole run, or the only one; NULL: which one is not clear. */
static const cJSON *whole_run(const cJSON *regions)
{
        static const char *const names[] = { "Global", "MPI Execution" };
        const cJSON *region = NULL;
        for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
                cJSON_ArrayForEach(region, regions)
                {
                        if (strcmp(region_name(region), names[i]) == 0)
                                return region;
                }
        return cJSON_GetArraySize(regions) == 1 ? regions->child : NULL;
}

/* Where TALP does not number nodes, hosts say which ranks are on the same. */
static void name_nodes(struct measured *m)
{
        bool numbered = true;
        for (int32_t r = 0; r < m->nrank; r++)
                numbered &= m->rank[r].node >= 0;
        if (numbered)
                m->nodes_known = true;
        else
                measured_name_nodes(m);
}

/* It says how many ranks the job had, and a region: of those that are not there nobody knows what
 * they did. */
static int has_all(const struct lb_json *doc, const char *place, const cJSON *region,
                   int32_t processes, struct lb_error *err)
{
        const cJSON *all = cJSON_GetObjectItemCaseSensitive(doc->root, "Application");
        const cJSON *said[] = { cJSON_GetObjectItemCaseSensitive(doc->root, "resources"),
                                cJSON_GetObjectItemCaseSensitive(all, region_name(region)),
                                region };
        for (size_t i = 0; i < sizeof(said) / sizeof(said[0]); i++) {
                double ranks = number_in(said[i], "numMpiRanks");
                if (ranks > 0 && ranks != processes)
                        return lb_json_complain(doc, place, err,
                                                "found %d processes of \"%.60s\", and %.12g ranks "
                                                "(\"numMpiRanks\"): allowed are all of them",
                                                processes, region_name(region), ranks);
        }
        return 0;
}

static int take_processes(const struct lb_json *doc, const char *place, struct measured *m,
                          const cJSON *regions, struct lb_error *err)
{
        const cJSON *region = whole_run(regions), *item = NULL;
        if (!region && cJSON_GetArraySize(regions) > 1)
                return lb_json_complain(doc, place, err,
                                        "found regions \"%.60s\" and \"%.60s\", allowed is one "
                                        "for the whole run, \"Global\", or one alone",
                                        region_name(regions->child),
                                        region_name(regions->child->next));
        const cJSON *list =
            cJSON_IsObject(region) ? cJSON_GetObjectItemCaseSensitive(region, "process") : region;
        if (!cJSON_IsArray(list))
                return lb_json_complain(doc, place, err,
                                        "allowed are regions, each a list of processes");
        if (has_all(doc, place, region, cJSON_GetArraySize(list), err) < 0 ||
            measured_ranks(m, cJSON_GetArraySize(list), doc->file, err) < 0)
                return -1;
        cJSON_ArrayForEach(item, list)
        {
                if (take_process(doc, place, m, item, err) < 0)
                        return -1;
        }
        name_nodes(m);
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
                        m->nodes_known = true;
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
        const cJSON *region = cJSON_GetObjectItemCaseSensitive(doc.root, "region");
        if (cJSON_IsObject(process))
                status = take_processes(&doc, "/Process", m, process, err);
        else if (cJSON_IsArray(region))
                status = take_processes(&doc, "/region", m, region, err);
        else if (cJSON_IsArray(node))
                status = take_nodes(&doc, m, node, err);
        else
                status = lb_json_complain(
                    &doc, "", err,
                    "found neither \"Process\" nor \"region\" nor \"node\", allowed is TALP's "
                    "report with its "
                    "processes: run the program with DLB_ARGS=\"--talp --talp-summary=process "
                    "--talp-output-file=talp.json\"");
        lb_json_close(&doc);
        return status;
}
