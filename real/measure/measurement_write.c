/* SPDX-License-Identifier: BSD-3-Clause */
#include <cjson/cJSON.h>
#include <inttypes.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

#include "base/file.h"
#include "real/measure/measurement.h"
#include "real/measure/rank_file.h"

enum { PATH_SIZE = 4096 };

/* ---- JSON ---- */

static bool put(cJSON *object, const char *key, double value)
{
        return isnan(value) ? cJSON_AddNullToObject(object, key) != NULL
                            : cJSON_AddNumberToObject(object, key, value) != NULL;
}

static double cpu_s(const struct meter *meter)
{
        return 1e-9 * meter->cpu_out_ns;
}

static double blocked_s(const struct meter *meter)
{
        return meter->has_delay ? 1e-9 * meter->blocked_ns : NAN;
}

static double delayed_s(const struct meter *meter)
{
        return meter->has_delay ? 1e-9 * meter->delayed_ns : NAN;
}

static double mpi_s(const struct meter *meter)
{
        return 1e-9 * (double)meter->in_ns;
}

static double own_load_s(const struct meter *meter)
{
        return 1e-9 * meter_load_ns(meter);
}

/* What there is of each rank. */
static const struct {
        const char *key;
        double (*of)(const struct meter *meter);
} of_rank[] = {
        { "load_s", own_load_s },    { "cpu_s", cpu_s }, { "blocked_s", blocked_s },
        { "runnable_s", delayed_s }, { "mpi_s", mpi_s },
};

static bool put_ranks(cJSON *root, const struct measurement *m)
{
        bool fine = true;
        for (size_t k = 0; k < sizeof(of_rank) / sizeof(of_rank[0]); k++) {
                cJSON *list = cJSON_AddArrayToObject(root, of_rank[k].key);
                for (int32_t i = 0; list && i < m->nrank; i++) {
                        double value = of_rank[k].of(&m->rank[i]->meter);
                        cJSON *item = isnan(value) ? cJSON_CreateNull() : cJSON_CreateNumber(value);
                        fine = cJSON_AddItemToArray(list, item) && fine;
                }
                fine = list && fine;
        }
        return fine;
}

static bool put_factors(cJSON *root, const struct measurement *m)
{
        cJSON *imbalance = cJSON_AddObjectToObject(root, "imbalance");
        cJSON *pop = cJSON_AddObjectToObject(root, "pop");
        return imbalance && pop && put(imbalance, "run", m->run) &&
               put(imbalance, "synchronisations", m->intervals) &&
               put(imbalance, "windows", m->windows) &&
               put(pop, "parallel_efficiency", m->parallel_efficiency) &&
               put(pop, "load_balance", m->load_balance) &&
               put(pop, "load_balance_within_nodes", m->load_balance_within) &&
               put(pop, "load_balance_between_nodes", m->load_balance_between) &&
               put(pop, "communication_efficiency", m->communication_efficiency);
}

static bool put_all(cJSON *root, const struct measurement *m)
{
        return root && cJSON_AddStringToObject(root, "schema", "lbrun-measured-1") &&
               cJSON_AddStringToObject(root, "program", m->rank[0]->program) &&
               put(root, "ranks", m->nrank) && put(root, "nodes", m->nnode) &&
               put(root, "wall_s", m->wall_s) && put(root, "mpi_calls", (double)m->calls) &&
               put(root, "synchronisations", (double)m->synchronisations) &&
               put(root, "overhead_percent", m->overhead_percent) &&
               put(root, "divided_percent", m->divided_percent) &&
               put(root, "runnable_part", m->delayed_part) && put(root, "window_s", m->window_s) &&
               cJSON_AddBoolToObject(root, "complete", m->killed == 0) && put_factors(root, m) &&
               put_ranks(root, m);
}

/* ---- Files ---- */

static int write_json(const struct measurement *m, FILE *out, struct lb_error *err)
{
        cJSON *root = cJSON_CreateObject();
        char *text = put_all(root, m) ? cJSON_Print(root) : NULL;
        cJSON_Delete(root);
        if (!text)
                return lb_error_fail(err, "out of memory");
        fprintf(out, "%s\n", text);
        cJSON_free(text);
        return 0;
}

/* A rank in a window is a task that cannot be divided. */
static int write_loads(const struct measurement *m, FILE *out, struct lb_error *err)
{
        (void)err;
        fputs("iteration,apprank,work_s,tasks\n", out);
        for (int64_t row = 0; row < m->nwindow; row++)
                for (int32_t i = 0; i < m->nrank; i++) {
                        double work_s = m->window_load_s[row * m->nrank + i];
                        fprintf(out, "%" PRId64 ",%d,%.9g,%d\n", row, i, work_s, work_s > 0);
                }
        return 0;
}

typedef int (*writer)(const struct measurement *m, FILE *out, struct lb_error *err);

static int write_file(const struct measurement *m, const char *directory, const char *name,
                      writer write, struct lb_error *err)
{
        char path[PATH_SIZE];
        struct lb_file file;
        if (snprintf(path, sizeof(path), "%s/%s", directory, name) >= PATH_SIZE)
                return lb_error_set(err, "'%.60s...' has too long a name", directory);
        if (lb_file_create(&file, path, err) < 0)
                return -1;
        if (write(m, file.stream, err) == 0)
                return lb_file_commit(&file, err);
        lb_file_abandon(&file);
        return -1;
}

int measurement_write(const struct measurement *m, const char *directory, struct lb_error *err)
{
        if (write_file(m, directory, "loads.csv", write_loads, err) < 0)
                return -1;
        return write_file(m, directory, "measured.json", write_json, err);
}

/* ---- In words ---- */

static void print_factor(FILE *out, const char *name, double value, const char *what)
{
        if (isnan(value))
                fprintf(out, "  %-28s      -   %s\n", name, what);
        else
                fprintf(out, "  %-28s %6.3f   %s\n", name, value, what);
}

static void print_doubts(const struct measurement *m, FILE *out)
{
        if (isnan(m->parallel_efficiency))
                fprintf(
                    out,
                    "  CPUs were shared: %.0f %% of the time outside MPI a rank could run and "
                    "had none, so\n  efficiencies say nothing; the loads are processor time and "
                    "hold\n",
                    100 * m->delayed_part);
        if (m->killed > 0)
                fprintf(
                    out,
                    "  %d ranks ended without a word; what they did until their last call is in\n",
                    m->killed);
        if (m->exited > 0)
                fprintf(out, "  %d ranks ended without MPI_Finalize\n", m->exited);
        double other_s = 0;
        for (int32_t i = 0; i < m->nrank; i++)
                other_s += 1e-9 * m->rank[i]->other_cpu_ns;
        if (other_s > 0.05 * m->wall_s)
                fprintf(out, "  other threads used %.2f s of processor time, which is not in\n",
                        other_s);
}

void measurement_print(const struct measurement *m, const char *directory, FILE *out)
{
        fprintf(out, "%d ranks on %d node%s, %.3f s, %" PRId64 " MPI calls\n", m->nrank, m->nnode,
                m->nnode == 1 ? "" : "s", m->wall_s, m->calls);
        print_factor(out, "imbalance of the run", m->run, "max/avg of load outside MPI");
        print_factor(out, "  between synchronisations", m->intervals, "the same, summed over them");
        print_factor(out, "  in windows", m->windows, "the same, in windows of half a second");
        print_factor(out, "parallel efficiency", m->parallel_efficiency,
                     "load over all time of all ranks");
        print_factor(out, "  load balance", m->load_balance, "avg/max");
        print_factor(out, "    within nodes", m->load_balance_within, "");
        print_factor(out, "    between nodes", m->load_balance_between, "");
        print_factor(out, "  communication", m->communication_efficiency,
                     "of the rank with most load");
        print_doubts(m, out);
        fprintf(out, "  measuring cost an estimated %.2f %%; in %s: measured.json, loads.csv\n",
                m->overhead_percent, directory);
}
