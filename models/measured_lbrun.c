/* SPDX-License-Identifier: BSD-3-Clause */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/json.h"
#include "models/measured_impl.h"
#include "models/trace.h"

/*
 * A directory of lbrun measure: measured.json, and the windows in loads.csv. Members that a
 * measurement need not have ("host", "transfer_s") are unknown without.
 */

enum { PATH_SIZE = 4096 };

static int get_number(const struct lb_json *doc, const char *key, double *value,
                      struct lb_error *err)
{
        char pointer[64];
        const cJSON *item = cJSON_GetObjectItemCaseSensitive(doc->root, key);
        if (!item || cJSON_IsNull(item))
                return 0;
        snprintf(pointer, sizeof(pointer), "/%s", key);
        if (!cJSON_IsNumber(item))
                return lb_json_complain(doc, pointer, err, "found %s, allowed is a number",
                                        lb_json_kind(item));
        *value = item->valuedouble;
        return 0;
}

/* A list with a number, or null, for each rank; none at all leaves what is there. */
static int get_ranks(const struct lb_json *doc, const char *key, struct measured *m, size_t offset,
                     struct lb_error *err)
{
        char pointer[64];
        const cJSON *list = cJSON_GetObjectItemCaseSensitive(doc->root, key), *item = NULL;
        if (!list)
                return 0;
        snprintf(pointer, sizeof(pointer), "/%s", key);
        if (!cJSON_IsArray(list) || cJSON_GetArraySize(list) != m->nrank)
                return lb_json_complain(doc, pointer, err, "allowed is a list of %d, one a rank",
                                        m->nrank);
        int32_t r = 0;
        cJSON_ArrayForEach(item, list)
        {
                double *value = (double *)(void *)((char *)&m->rank[r] + offset);
                snprintf(pointer, sizeof(pointer), "/%s/%d", key, r++);
                if (cJSON_IsNumber(item))
                        *value = item->valuedouble;
                else if (!cJSON_IsNull(item))
                        return lb_json_complain(doc, pointer, err, "found %s, allowed is a number",
                                                lb_json_kind(item));
        }
        return 0;
}

/* Without names of hosts, ranks fill the nodes one after the other, as launchers do by default. */
static int get_nodes(const struct lb_json *doc, struct measured *m, struct lb_error *err)
{
        double nodes = 1;
        const cJSON *list = cJSON_GetObjectItemCaseSensitive(doc->root, "host"), *item = NULL;
        if (get_number(doc, "nodes", &nodes, err) < 0)
                return -1;
        if (!(nodes >= 1 && nodes <= m->nrank))
                return lb_json_complain(doc, "/nodes", err, "found %g, allowed is 1 to %d", nodes,
                                        m->nrank);
        for (int32_t r = 0; r < m->nrank; r++)
                m->rank[r].node = (int32_t)((int64_t)r * (int64_t)nodes / m->nrank);
        if (!list)
                return 0;
        if (!cJSON_IsArray(list) || cJSON_GetArraySize(list) != m->nrank)
                return lb_json_complain(doc, "/host", err, "allowed is a list of %d, one a rank",
                                        m->nrank);
        struct measured_rank *rank = m->rank;
        cJSON_ArrayForEach(item, list)
        {
                if (!cJSON_IsString(item))
                        return lb_json_complain(doc, "/host", err, "found %s, allowed are names",
                                                lb_json_kind(item));
                snprintf(rank++->host, MEASURED_HOST_SIZE, "%s", item->valuestring);
        }
        measured_name_nodes(m);
        return 0;
}

/* Cores of each rank: its threads. */
static int get_threads(const struct lb_json *doc, struct measured *m, struct lb_error *err)
{
        const cJSON *list = cJSON_GetObjectItemCaseSensitive(doc->root, "threads"), *item = NULL;
        if (!list)
                return 0;
        if (!cJSON_IsArray(list) || cJSON_GetArraySize(list) != m->nrank)
                return lb_json_complain(doc, "/threads", err, "allowed is a list of %d, one a rank",
                                        m->nrank);
        cJSON_ArrayForEach(item, list)
        {
                if (!cJSON_IsNumber(item) || !(item->valuedouble >= 1 && item->valuedouble <= 4096))
                        return lb_json_complain(doc, "/threads", err,
                                                "allowed are numbers from 1 to 4096");
                measured_cores(m, (int32_t)item->valuedouble);
        }
        return 0;
}

static double number_of(const cJSON *object, const char *key)
{
        const cJSON *item = cJSON_GetObjectItemCaseSensitive(object, key);
        return cJSON_IsNumber(item) ? item->valuedouble : NAN;
}

static void copy_text(const cJSON *object, const char *key, char *text, size_t size)
{
        const cJSON *item = cJSON_GetObjectItemCaseSensitive(object, key);
        snprintf(text, size, "%s", cJSON_IsString(item) ? item->valuestring : "");
}

/* Call sites are for people: what is missing of one is left out. */
static int get_sites(const struct lb_json *doc, struct measured *m, struct lb_error *err)
{
        const cJSON *list = cJSON_GetObjectItemCaseSensitive(doc->root, "sites"), *item = NULL;
        if (!cJSON_IsArray(list) || !list->child)
                return 0;
        m->site = calloc((size_t)cJSON_GetArraySize(list), sizeof(*m->site));
        if (!m->site)
                return lb_error_fail(err, "out of memory for '%.300s'", doc->file);
        cJSON_ArrayForEach(item, list)
        {
                struct measured_site *site = &m->site[m->nsite++];
                copy_text(item, "call", site->call, sizeof(site->call));
                copy_text(item, "place", site->place, sizeof(site->place));
                copy_text(item, "module", site->module, sizeof(site->module));
                site->calls = number_of(item, "calls");
                site->mpi_s = number_of(item, "mpi_s");
                site->load_before_s = number_of(item, "load_before_s");
                site->imbalance_before = number_of(item, "imbalance_before");
        }
        return 0;
}

static void get_words(const struct lb_json *doc, struct measured *m)
{
        char rows[16];
        copy_text(doc->root, "program", m->program, sizeof(m->program));
        const cJSON *launch = cJSON_GetObjectItemCaseSensitive(doc->root, "launch");
        if (cJSON_IsString(launch) && strlen(launch->valuestring) < sizeof(m->launch))
                snprintf(m->launch, sizeof(m->launch), "%s", launch->valuestring);
        double spawned = number_of(doc->root, "spawned_ranks");
        m->spawned = spawned >= 1 && spawned <= MEASURED_RANK_MAX ? (int32_t)spawned : 0;
        m->openmp = cJSON_IsTrue(cJSON_GetObjectItemCaseSensitive(doc->root, "openmp"));
        copy_text(doc->root, "rows", rows, sizeof(rows));
        m->by_iteration = strcmp(rows, "iterations") == 0;
}

static int get_imbalance(const struct lb_json *doc, struct measured *m)
{
        const cJSON *object = cJSON_GetObjectItemCaseSensitive(doc->root, "imbalance");
        const cJSON *item = cJSON_GetObjectItemCaseSensitive(object, "synchronisations");
        if (cJSON_IsNumber(item))
                m->synchronisations = item->valuedouble;
        m->iterations = number_of(object, "iterations");
        object = cJSON_GetObjectItemCaseSensitive(doc->root, "iterations");
        m->iterations_part = number_of(object, "part_of_load");
        m->killed = cJSON_IsFalse(cJSON_GetObjectItemCaseSensitive(doc->root, "complete"));
        return 0;
}

static int get_all(const struct lb_json *doc, struct measured *m, struct lb_error *err)
{
        double nrank = 0;
        if (!cJSON_IsObject(doc->root))
                return lb_json_complain(doc, "", err, "found %s, allowed is an object",
                                        lb_json_kind(doc->root));
        if (get_number(doc, "ranks", &nrank, err) < 0)
                return -1;
        nrank = nrank >= 0 && nrank <= MEASURED_RANK_MAX ? nrank : -1;
        if (measured_ranks(m, (int64_t)nrank, doc->file, err) < 0 ||
            get_number(doc, "wall_s", &m->wall_s, err) < 0 ||
            get_number(doc, "transfer_s", &m->transfer_s, err) < 0 ||
            get_number(doc, "runnable_part", &m->runnable_part, err) < 0 ||
            get_ranks(doc, "load_s", m, offsetof(struct measured_rank, load_s), err) < 0 ||
            get_ranks(doc, "mpi_s", m, offsetof(struct measured_rank, mpi_s), err) < 0 ||
            get_ranks(doc, "files_s", m, offsetof(struct measured_rank, files_s), err) < 0 ||
            get_ranks(doc, "unseen_s", m, offsetof(struct measured_rank, unseen_s), err) < 0 ||
            get_ranks(doc, "alike_regions", m, offsetof(struct measured_rank, regions), err) < 0 ||
            get_ranks(doc, "serial_s", m, offsetof(struct measured_rank, serial_s), err) < 0 ||
            get_ranks(doc, "fixed_s", m, offsetof(struct measured_rank, fixed_s), err) < 0)
                return -1;
        get_words(doc, m);
        if (get_nodes(doc, m, err) < 0 || get_threads(doc, m, err) < 0 ||
            get_sites(doc, m, err) < 0)
                return -1;
        return get_imbalance(doc, m);
}

static int get_windows(struct measured *m, const char *file, struct lb_error *err)
{
        struct trace *trace = trace_read(file, err);
        if (!trace)
                return -1;
        int64_t count = trace_niteration(trace);
        int status = 0;
        if (trace_napprank(trace) != m->nrank)
                status = lb_error_set(err, "%.300s: found %d ranks, measured.json has %d", file,
                                      trace_napprank(trace), m->nrank);
        if (status == 0)
                status = measured_windows(m, count, file, err);
        for (int32_t w = 0; status == 0 && w < count; w++)
                for (int32_t r = 0; r < m->nrank; r++)
                        m->window_load_s[(int64_t)w * m->nrank + r] = trace_work_s(trace, w, r);
        trace_destroy(trace);
        return status;
}

int measured_read_lbrun(struct measured *m, const char *directory, struct lb_error *err)
{
        char file[PATH_SIZE];
        struct lb_json doc;
        if (snprintf(file, sizeof(file), "%s/measured.json", directory) >= PATH_SIZE)
                return lb_error_set(err, "'%.60s...' is too long a name", directory);
        if (access(file, R_OK) < 0)
                return lb_error_set(err,
                                    "'%.300s' has no measured.json: allowed is a directory that "
                                    "lbrun measure has written",
                                    directory);
        if (lb_json_open(&doc, file, err) < 0)
                return -1;
        int status = get_all(&doc, m, err);
        lb_json_close(&doc);
        snprintf(file, sizeof(file), "%s/loads.csv", directory);
        return status < 0 ? -1 : get_windows(m, file, err);
}
