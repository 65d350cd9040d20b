/* SPDX-License-Identifier: BSD-3-Clause */
#include <cjson/cJSON.h>
#include <inttypes.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

#include "base/file.h"
#include "base/json.h"
#include "real/measure/measurement.h"
#include "real/measure/rank_file.h"

/* ---- JSON ---- */

static bool put(cJSON *object, const char *key, double value)
{
        return isnan(value) ? cJSON_AddNullToObject(object, key) != NULL
                            : cJSON_AddNumberToObject(object, key, value) != NULL;
}

static double cpu_s(const struct rank_file *file)
{
        return 1e-9 * file->meter.cpu_out_ns;
}

static double blocked_s(const struct rank_file *file)
{
        return file->meter.has_delay ? 1e-9 * file->meter.blocked_ns : NAN;
}

static double delayed_s(const struct rank_file *file)
{
        return file->meter.has_delay ? 1e-9 * file->meter.delayed_ns : NAN;
}

static double team_s(const struct rank_file *file)
{
        return 1e-9 * file->meter.team_ns;
}

static double wait_s(const struct rank_file *file)
{
        return 1e-9 * (double)file->meter.wait_ns;
}

static double mpi_s(const struct rank_file *file)
{
        return 1e-9 * (double)file->meter.in_ns;
}

static double own_load_s(const struct rank_file *file)
{
        return 1e-9 * meter_load_ns(&file->meter);
}

static double parallel_regions(const struct rank_file *file)
{
        return round(file->parallel.count);
}

/* Outside of regions, by readings that may come late. */
static double serial_s(const struct rank_file *file)
{
        double load_ns = meter_load_ns(&file->meter);
        double outside_ns = file->outside_ns + load_ns - file->joined_ns - file->single_ns;
        return 1e-9 * fmin(fmax(outside_ns, 0), load_ns);
}

/* In regions that have as many threads as the program says. */
static double fixed_s(const struct rank_file *file)
{
        double all_s = own_load_s(file) - serial_s(file);
        return file->keeps_number ? all_s : fmin(1e-9 * file->named_ns, all_s);
}

/* What there is of each rank. */
static const struct {
        const char *key;
        double (*of)(const struct rank_file *file);
} of_rank[] = {
        { "load_s", own_load_s },
        { "cpu_s", cpu_s },
        { "blocked_s", blocked_s },
        { "runnable_s", delayed_s },
        { "mpi_s", mpi_s },
        { "files_s", measurement_files_s },
        { "unseen_s", measurement_unseen_s },
        { "team_s", team_s },
        { "team_wait_s", wait_s },
        { "parallel_regions", parallel_regions },
        { "serial_s", serial_s },
        { "fixed_s", fixed_s },
};

static bool put_ranks(cJSON *root, const struct measurement *m)
{
        bool fine = true;
        for (size_t k = 0; k < sizeof(of_rank) / sizeof(of_rank[0]); k++) {
                cJSON *list = cJSON_AddArrayToObject(root, of_rank[k].key);
                for (int32_t i = 0; list && i < m->nrank; i++) {
                        double value = of_rank[k].of(m->rank[i]);
                        cJSON *item = isnan(value) ? cJSON_CreateNull() : cJSON_CreateNumber(value);
                        fine = cJSON_AddItemToArray(list, item) && fine;
                }
                fine = list && fine;
        }
        return fine;
}

static bool put_alike(cJSON *root, const struct measurement *m)
{
        cJSON *list = cJSON_AddArrayToObject(root, "alike_regions");
        bool fine = list != NULL;
        for (int32_t i = 0; fine && i < m->nrank; i++)
                fine = cJSON_AddItemToArray(list, cJSON_CreateNumber(m->regions[i]));
        return fine;
}

static bool put_pop(cJSON *object, const struct measurement_pop *pop)
{
        return put(object, "parallel_efficiency", pop->parallel_efficiency) &&
               put(object, "load_balance", pop->load_balance) &&
               put(object, "load_balance_within_nodes", pop->load_balance_within) &&
               put(object, "load_balance_between_nodes", pop->load_balance_between) &&
               put(object, "communication_efficiency", pop->communication_efficiency) &&
               put(object, "openmp_efficiency", pop->openmp_efficiency);
}

static bool put_regions(cJSON *root, const struct measurement *m)
{
        cJSON *list = cJSON_AddArrayToObject(root, "regions");
        bool fine = list != NULL;
        for (int32_t i = 0; fine && i < m->nregion; i++) {
                const struct measurement_pop *region = &m->region[i];
                cJSON *object = cJSON_CreateObject();
                fine = object && cJSON_AddItemToArray(list, object) &&
                       put(object, "level", region->level) &&
                       put(object, "visits", region->visits) &&
                       put(object, "elapsed_s", region->elapsed_s) &&
                       put(object, "load_s", region->useful_s) &&
                       put(object, "mpi_s", region->mpi_s) && put_pop(object, region);
        }
        return fine;
}

static bool put_sites(cJSON *root, const struct measurement *m)
{
        cJSON *list = cJSON_AddArrayToObject(root, "sites");
        bool fine = list != NULL;
        for (int32_t i = 0; fine && i < m->nsite; i++) {
                const struct measurement_site *site = &m->site[i];
                cJSON *object = cJSON_CreateObject();
                fine = object && cJSON_AddItemToArray(list, object) &&
                       cJSON_AddStringToObject(object, "call", site->title) &&
                       cJSON_AddStringToObject(object, "place", site->place) &&
                       cJSON_AddStringToObject(object, "module", site->module) &&
                       put(object, "offset", (double)site->offset) &&
                       put(object, "calls", (double)site->calls) &&
                       put(object, "mpi_s", site->mpi_s) &&
                       put(object, "load_before_s", site->before_s) &&
                       put(object, "imbalance_before", site->imbalance);
        }
        return fine;
}

/* What loads.csv has: "before" rows are no iterations, nor is the last one. */
static bool put_iterations(cJSON *root, const struct measurement *m)
{
        cJSON *object = cJSON_AddObjectToObject(root, "iterations");
        bool fine =
            object && put(object, "count", (double)m->niteration) &&
            put(object, "part_of_load", m->niteration > 0 ? m->iterations_part : NAN) &&
            put(object, "per_row", m->niteration > 0 ? (double)m->iterations_of_row : NAN) &&
            cJSON_AddStringToObject(object, "begin_with", m->mark ? m->mark : "");
        return fine && cJSON_AddStringToObject(
                           root, "rows", measurement_by_iteration(m) ? "iterations" : "windows");
}

/* Libraries for GPUs that any rank has. */
static const char *gpu_of(const struct measurement *m)
{
        for (int32_t i = 0; i < m->nrank; i++)
                if (m->rank[i]->gpu[0])
                        return m->rank[i]->gpu;
        return "";
}

/* Was a region seen, if of one thread? */
static bool has_regions(const struct measurement *m)
{
        for (int32_t i = 0; i < m->nrank; i++)
                if (m->rank[i]->threads > 0 || m->rank[i]->parallel.count > 0)
                        return true;
        return false;
}

static bool put_doubts(cJSON *root, const struct measurement *m)
{
        cJSON *list = cJSON_AddArrayToObject(root, "threads");
        bool fine = list != NULL;
        for (int32_t i = 0; fine && i < m->nrank; i++) {
                int32_t threads = measurement_threads(m->rank[i]);
                fine = cJSON_AddItemToArray(list, cJSON_CreateNumber(threads));
        }
        return fine && cJSON_AddBoolToObject(root, "openmp", has_regions(m)) &&
               put(root, "spawned_ranks", m->spawned) &&
               put(root, "shared_windows", m->rank[0]->shared_windows) &&
               cJSON_AddStringToObject(root, "gpu_libraries", gpu_of(m));
}

/* The machine of each rank. */
static bool put_hosts(cJSON *root, const struct measurement *m)
{
        cJSON *list = cJSON_AddArrayToObject(root, "host");
        bool fine = list != NULL;
        for (int32_t i = 0; list && i < m->nrank; i++)
                fine = cJSON_AddItemToArray(list, cJSON_CreateString(m->rank[i]->host)) && fine;
        return fine;
}

static bool put_factors(cJSON *root, const struct measurement *m)
{
        cJSON *imbalance = cJSON_AddObjectToObject(root, "imbalance");
        cJSON *pop = cJSON_AddObjectToObject(root, "pop");
        return imbalance && pop && put_pop(pop, &m->pop) && put(imbalance, "run", m->run) &&
               put(imbalance, "synchronisations", m->intervals) &&
               put(imbalance, "windows", m->windows) && put(imbalance, "iterations", m->iterations);
}

static bool put_all(cJSON *root, const struct measurement *m)
{
        return root && cJSON_AddStringToObject(root, "schema", "lbrun-measured-1") &&
               cJSON_AddStringToObject(root, "program", m->rank[0]->program) &&
               cJSON_AddStringToObject(root, "launch", m->launch ? m->launch : "") &&
               put(root, "ranks", m->nrank) && put(root, "nodes", m->nnode) &&
               put(root, "wall_s", m->wall_s) && put(root, "mpi_calls", (double)m->calls) &&
               put(root, "synchronisations", (double)m->synchronisations) &&
               put(root, "synchronisations_per_interval",
                   (double)m->synchronisations_per_interval) &&
               put(root, "transfer_s", m->transfer_s) &&
               put(root, "overhead_percent", m->overhead_percent) &&
               put(root, "divided_percent", m->divided_percent) &&
               put(root, "runnable_part", m->delayed_part) && put(root, "window_s", m->window_s) &&
               cJSON_AddBoolToObject(root, "complete", m->killed == 0) && put_factors(root, m) &&
               put_ranks(root, m) && put_alike(root, m) && put_hosts(root, m) &&
               put_iterations(root, m) && put_regions(root, m) && put_sites(root, m) &&
               put_doubts(root, m);
}

/* ---- Files ---- */

static int write_json(const struct measurement *m, FILE *out, struct lb_error *err)
{
        cJSON *root = cJSON_CreateObject();
        return lb_json_print(root, put_all(root, m), out, err);
}

/* A rank in a row is a task that cannot be divided. */
static void write_rows(const double *rows, int64_t count, int32_t nrank, FILE *out)
{
        fputs("iteration,apprank,work_s,tasks\n", out);
        for (int64_t row = 0; row < count; row++)
                for (int32_t i = 0; i < nrank; i++) {
                        double work_s = fmax(0, rows[row * nrank + i]);
                        fprintf(out, "%" PRId64 ",%d,%.9g,%d\n", row, i, work_s, work_s > 0);
                }
}

static int write_windows(const struct measurement *m, FILE *out, struct lb_error *err)
{
        (void)err;
        write_rows(m->window_load_s, m->nwindow, m->nrank, out);
        return 0;
}

static int write_iterations(const struct measurement *m, FILE *out, struct lb_error *err)
{
        (void)err;
        write_rows(m->iteration_load_s, m->niteration_row, m->nrank, out);
        return 0;
}

typedef int (*writer)(const struct measurement *m, FILE *out, struct lb_error *err);

static int write_file(const struct measurement *m, const char *directory, const char *name,
                      writer write, struct lb_error *err)
{
        char path[LB_PATH_SIZE];
        struct lb_file file;
        if (lb_path(path, err, "%s/%s", directory, name) < 0)
                return -1;
        if (lb_file_create(&file, path, err) < 0)
                return -1;
        if (write(m, file.stream, err) == 0)
                return lb_file_commit(&file, err);
        lb_file_abandon(&file);
        return -1;
}

int measurement_write(const struct measurement *m, const char *directory, struct lb_error *err)
{
        bool iterations = measurement_by_iteration(m);
        if (write_file(m, directory, "loads.csv", iterations ? write_iterations : write_windows,
                       err) < 0 ||
            (iterations && write_file(m, directory, "windows.csv", write_windows, err) < 0) ||
            write_file(m, directory, "talp.json", measurement_write_talp, err) < 0)
                return -1;
        return write_file(m, directory, "measured.json", write_json, err);
}
