/* SPDX-License-Identifier: BSD-3-Clause */
#include "sim/output/results.h"

#include <dirent.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "base/zstd.h"
#include "base/json_write.h"
#include "policies/plugged.h"
#include "sim/scenario/shared.h"

enum { NAME_SIZE = 64 };

/* ---- results.json ---- */

static void put_command(const struct results_call *call, FILE *out)
{
        fputs("\"command\": [", out);
        for (int i = 0; i < call->argc; i++) {
                fputs(i ? ", " : "", out);
                lb_json_write_string(out, call->argv[i]);
        }
        for (int i = 0; plugged_at(i); i++) {
                fputs(", \"--policy\", ", out);
                lb_json_write_string(out, plugged_at(i)->path);
        }
        fputs("],\n", out);
}

static int put_scenario(const struct scenario *scenario, FILE *out)
{
        char *text = cJSON_Print(scenario->tree);
        if (!text)
                return -1;
        fprintf(out, "\"scenario\": %s,\n\"seed\": %" PRIu64 ",\n", text, scenario->seed);
        cJSON_free(text);
        return 0;
}

static int put_rows(const struct sweep *sweep, FILE *out)
{
        fputs("\"rows\": ", out);
        if (results_put(sweep, results_runs, out, TABLE_JSON) < 0)
                return -1;
        fputs(",\n\"summary\": ", out);
        return results_put(sweep, results_summary, out, TABLE_JSON);
}

int results_json(const struct sweep *sweep, const struct results_call *call, const char *rows_in,
                 const char *summary_in, FILE *out)
{
        fprintf(out, "{\n\"schema\": \"lbsim-results-1\",\n\"version\": \"%s\",\n",
                results_version());
        put_command(call, out);
        if (put_scenario(sweep->scenario, out) < 0)
                return -1;
        fprintf(out, "\"complete\": %s,\n\"other_build_runs\": %lld,\n",
                sweep->ndone == sweep->nrun ? "true" : "false", (long long)sweep->nother);
        if (rows_in)
                fprintf(out, "\"rows_in\": \"%s\",\n\"summary_in\": \"%s\"", rows_in, summary_in);
        else if (put_rows(sweep, out) < 0)
                return -1;
        fputs("\n}\n", out);
        return ferror(out) ? -1 : 0;
}

/* ---- Files ---- */

struct job {
        const struct sweep *sweep;
        const struct results_call *call;
        bool partial, compress;
        struct point_shared *graphs; /* workers.csv only */
};

/* The name of a file of results: those of a sweep that is not finished say so,
 * "results.partial.csv".
 */
static void name_file(const char *name, bool partial, bool compress, char text[static NAME_SIZE])
{
        const char *ending = strrchr(name, '.');
        snprintf(text, NAME_SIZE, "%.*s%s%s%s", (int)(ending - name), name,
                 partial ? ".partial" : "", ending, compress ? ".zst" : "");
}

static int write_json(const struct job *job, FILE *out)
{
        char rows[NAME_SIZE], summary[NAME_SIZE];
        name_file("results.jsonl", job->partial, true, rows);
        name_file("summary.csv", job->partial, false, summary);
        return results_json(job->sweep, job->call, job->compress ? rows : NULL, summary, out);
}

static int write_lines(const struct job *job, FILE *out)
{
        return results_put(job->sweep, results_runs, out, TABLE_LINES);
}

static int write_overview(const struct job *job, FILE *out)
{
        return results_put(job->sweep, results_overview, out, TABLE_TEXT);
}

static int write_summary(const struct job *job, FILE *out)
{
        return results_put(job->sweep, results_summary, out, TABLE_CSV);
}

static int write_results(const struct job *job, FILE *out)
{
        return results_put(job->sweep, results_runs, out, TABLE_CSV);
}

/* One run's part of a file of series; the first one brings the header line. */
static int put_part(struct table *table, FILE *out, bool *begun)
{
        if (!table)
                return -1;
        int status = table_write_part(table, out, TABLE_CSV, !*begun);
        *begun = true;
        table_destroy(table);
        return status;
}

static int write_all_series(const struct job *job, bool workers, FILE *out)
{
        const struct sweep *sweep = job->sweep;
        bool begun = false;
        for (int64_t run = 0; run < sweep->nslot; run++) {
                int64_t point = run / sweep->scenario->replicates;
                int32_t replicate = (int32_t)(run % sweep->scenario->replicates);
                sweep_pace(sweep, run);
                if (!sweep->done[run] || sweep->result[run].series.nsample == 0)
                        continue;
                struct table *table = workers
                                          ? results_workers(sweep, job->graphs, point, replicate)
                                          : results_series(sweep, point, replicate);
                if (put_part(table, out, &begun) < 0)
                        return -1;
        }
        return 0;
}

static int write_series(const struct job *job, FILE *out)
{
        return write_all_series(job, false, out);
}

static int write_workers(const struct job *job, FILE *out)
{
        return write_all_series(job, true, out);
}

typedef int (*part_writer)(const struct job *job, FILE *out);

/* -1 also without memory, which is no error of the stream. */
static int write_compressed(const struct job *job, part_writer write, FILE *out)
{
        FILE *packed = lb_zstd_writer(out);
        if (!packed)
                return -1;
        int status = write(job, packed);
        return fclose(packed) == 0 ? status : -1;
}

/* Write DIR/NAME whole or not at all. */
static int write_file(const struct job *job, const char *directory, const char *name,
                      part_writer write, struct lb_error *err)
{
        size_t size = strlen(directory) + strlen(name) + 2;
        char *path = malloc(size);
        struct lb_file file;
        if (!path)
                return lb_error_fail(err, "out of memory");
        snprintf(path, size, "%s/%s", directory, name);
        int status = lb_file_create(&file, path, err), written = 0;
        if (status == 0)
                written = lb_zstd_named(path) ? write_compressed(job, write, file.stream)
                                              : write(job, file.stream);
        if (status == 0 && written < 0 && !ferror(file.stream)) {
                lb_file_abandon(&file);
                status = lb_error_fail(err, "cannot write '%s': out of memory", path);
        } else if (status == 0) {
                status = lb_file_commit(&file, err);
        }
        free(path);
        return status;
}

/* The same results in other forms, from an earlier call. */
static void remove_others(const char *directory, const char *name, const char *written)
{
        char path[4096], other[NAME_SIZE];
        for (int form = 0; form < 4; form++) {
                name_file(name, form & 1, form & 2, other);
                if (strcmp(other, written) != 0 &&
                    snprintf(path, sizeof(path), "%s/%s", directory, other) < (int)sizeof(path))
                        unlink(path);
        }
}

/* A name as lb_file gives it to what it has not finished: NAME.XXXXXX, of a file of ours. */
static bool is_left_over(const char *name)
{
        static const char *const endings[] = { ".csv", ".json", ".zst",     ".txt",
                                               ".svg", ".png",  ".journal", ".dat" };
        size_t length = strlen(name);
        if (length < 8 || name[length - 7] != '.' ||
            strspn(name + length - 6, "0123456789abcdef") != 6)
                return false;
        for (size_t i = 0; i < sizeof(endings) / sizeof(endings[0]); i++) {
                size_t ending = strlen(endings[i]);
                if (length > ending + 7 &&
                    strncmp(name + length - 7 - ending, endings[i], ending) == 0)
                        return true;
        }
        return false;
}

/* What a process left that was killed while it wrote results, where files need a name for that. The
 * sweep has the directory's lock: nobody is writing there now. */
static void remove_left_over(const char *directory)
{
        char path[4096];
        DIR *folder = opendir(directory);
        for (struct dirent *entry; folder && (entry = readdir(folder));)
                if (is_left_over(entry->d_name) && snprintf(path, sizeof(path), "%s/%s", directory,
                                                            entry->d_name) < (int)sizeof(path))
                        unlink(path);
        if (folder)
                closedir(folder);
}

static bool has_series(const struct sweep *sweep)
{
        for (int64_t run = 0; run < sweep->nslot; run++) {
                sweep_pace(sweep, run);
                if (sweep->done[run] && sweep->result[run].series.nsample > 0)
                        return true;
        }
        return false;
}

/* Does any point ask for the workers' series? */
static bool wants_workers(const struct scenario *scenario)
{
        bool wanted = false;
        for (int64_t p = 0; p < scenario->npoint && !wanted; p++) {
                struct scenario_point point;
                struct lb_error err;
                if (scenario_point_get(scenario, p, &point, &err) < 0)
                        return false;
                wanted = point.value[SECTION_OUTPUT][OUTPUT_WORKERS] > 0;
                scenario_point_finish(&point);
        }
        return wanted;
}

int results_write(const struct sweep *sweep, const struct results_call *call, const char *directory,
                  bool compress, FILE *notes, struct lb_error *err)
{
        const struct {
                const char *name;
                part_writer write;
                bool wanted, large;
        } files[] = {
                { "results.csv", write_results, true, true },
                { "results.json", write_json, true, false },
                { "results.jsonl", write_lines, compress, true },
                { "summary.csv", write_summary, true, false },
                { "overview.txt", write_overview, sweep->ndone == sweep->nrun, false },
                { "series.csv", write_series, has_series(sweep), true },
                { "workers.csv", write_workers, has_series(sweep) && wants_workers(sweep->scenario),
                  true },
        };
        const size_t nfile = sizeof(files) / sizeof(files[0]);
        bool partial = sweep->ndone < sweep->nrun;
        struct job job = { .sweep = sweep, .call = call, .partial = partial, .compress = compress };
        struct point_shared *graphs = NULL;
        if (files[nfile - 1].wanted) {
                graphs = point_shared_create(sweep->scenario, err);
                if (!graphs || shared_graphs_all(graphs, err) < 0) {
                        point_shared_destroy(graphs);
                        return -1;
                }
                job.graphs = graphs;
        }
        int status = 0;
        remove_left_over(directory);
        for (size_t f = 0; status == 0 && f < nfile; f++) {
                if (!files[f].wanted) {
                        remove_others(directory, files[f].name, "");
                        continue;
                }
                char name[NAME_SIZE];
                name_file(files[f].name, partial, compress && files[f].large, name);
                status = write_file(&job, directory, name, files[f].write, err);
                if (status == 0)
                        remove_others(directory, files[f].name, name);
                if (status == 0 && notes)
                        fprintf(notes, "%s/%s\n", directory, name);
        }
        point_shared_destroy(graphs);
        return status;
}
