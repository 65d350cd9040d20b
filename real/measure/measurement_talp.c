/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The factors as DLB's TALP writes them (DLB 3.6), for the tools that read its JSON: times in ns,
 * "Global" and a region for each level of MPI_Pcontrol. What TALP has and we do not know is left
 * out.
 */
#include <cjson/cJSON.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "base/json.h"
#include "real/measure/measurement.h"
#include "real/measure/rank_file.h"

static bool put(cJSON *object, const char *key, double value)
{
        return !isfinite(value) || cJSON_AddNumberToObject(object, key, value) != NULL;
}

static bool put_ns(cJSON *object, const char *key, double value_s)
{
        return put(object, key, round(1e9 * value_s));
}

static int32_t threads_of(const struct measurement *m)
{
        int32_t threads = 0;
        for (int32_t i = 0; i < m->nrank; i++)
                threads += m->rank[i]->threads > 1 ? m->rank[i]->threads : 1;
        return threads;
}

static bool put_times(cJSON *object, const struct measurement *m, const struct measurement_pop *pop)
{
        int32_t threads = threads_of(m);
        return put(object, "numCpus", threads) && put(object, "numOmpThreads", threads) &&
               put(object, "numMpiRanks", m->nrank) && put(object, "numNodes", m->nnode) &&
               put(object, "avgCpus", threads) && put(object, "numGpus", 0) &&
               put_ns(object, "elapsedTime", pop->elapsed_s) &&
               put_ns(object, "usefulTime", pop->useful_s) &&
               put_ns(object, "mpiTime", pop->mpi_s) &&
               put_ns(object, "minMpiNormdProc", pop->least_mpi_rank_s) &&
               put_ns(object, "minMpiNormdNode", pop->least_mpi_node_s);
}

static bool put_factors(cJSON *object, const struct measurement_pop *pop)
{
        return put(object, "parallelEfficiency", pop->parallel_efficiency) &&
               put(object, "mpiParallelEfficiency",
                   pop->load_balance * pop->communication_efficiency) &&
               put(object, "mpiCommunicationEfficiency", pop->communication_efficiency) &&
               put(object, "mpiLoadBalance", pop->load_balance) &&
               put(object, "mpiLoadBalanceIn", pop->load_balance_within) &&
               put(object, "mpiLoadBalanceOut", pop->load_balance_between) &&
               put(object, "ompParallelEfficiency",
                   isnan(pop->openmp_efficiency) ? 1 : pop->openmp_efficiency);
}

static bool put_pop(cJSON *regions, const char *name, const struct measurement *m,
                    const struct measurement_pop *pop)
{
        cJSON *object = cJSON_AddObjectToObject(regions, name);
        return object && put_times(object, m, pop) && put_factors(object, pop);
}

static bool put_regions(cJSON *root, const struct measurement *m)
{
        cJSON *regions = cJSON_AddObjectToObject(root, "Application");
        bool fine = regions && put_pop(regions, "Global", m, &m->pop);
        for (int32_t i = 0; fine && i < m->nregion; i++) {
                char name[32];
                snprintf(name, sizeof(name), "Region %d", m->region[i].level);
                fine = put_pop(regions, name, m, &m->region[i]);
        }
        return fine;
}

static int32_t node_of(const struct measurement *m, int32_t rank)
{
        int32_t first = measurement_first_of_node(m, rank), node = 0;
        for (int32_t i = 0; i < first; i++)
                node += measurement_first_of_node(m, i) == i;
        return node;
}

static bool put_process(cJSON *list, const struct measurement *m, int32_t i)
{
        const struct rank_file *file = m->rank[i];
        cJSON *object = cJSON_CreateObject();
        return object && cJSON_AddItemToArray(list, object) && put(object, "rank", i) &&
               put(object, "pid", (double)file->pid) && put(object, "nodeId", node_of(m, i)) &&
               cJSON_AddStringToObject(object, "hostname", file->host) &&
               put_ns(object, "elapsedTime",
                      1e-9 * (double)(file->meter.end_ns - file->meter.start_ns)) &&
               put_ns(object, "usefulTime", m->load_s[i]) &&
               put_ns(object, "mpiTime", 1e-9 * (double)file->meter.in_ns);
}

static bool put_processes(cJSON *root, const struct measurement *m)
{
        cJSON *process = cJSON_AddObjectToObject(root, "Process");
        cJSON *list = process ? cJSON_AddArrayToObject(process, "Global") : NULL;
        bool fine = list != NULL;
        for (int32_t i = 0; fine && i < m->nrank; i++)
                fine = put_process(list, m, i);
        return fine;
}

static bool put_resources(cJSON *root, const struct measurement *m)
{
        cJSON *object = cJSON_AddObjectToObject(root, "resources");
        return object && put(object, "numCpus", threads_of(m)) &&
               put(object, "numNodes", m->nnode) && put(object, "numMpiRanks", m->nrank) &&
               put(object, "numGpus", 0);
}

int measurement_write_talp(const struct measurement *m, FILE *out, struct lb_error *err)
{
        char date[32] = "";
        time_t now = time(NULL);
        struct tm utc;
        if (gmtime_r(&now, &utc))
                strftime(date, sizeof(date), "%Y-%m-%dT%H:%M:%SZ", &utc);
        cJSON *root = cJSON_CreateObject();
        bool fine = root && cJSON_AddStringToObject(root, "dlbVersion", "3.6 (by lbrun measure)") &&
                    cJSON_AddStringToObject(root, "timestamp", date) && put_resources(root, m) &&
                    put_regions(root, m) && put_processes(root, m);
        return lb_json_print(root, fine, out, err);
}
