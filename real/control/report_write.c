/* SPDX-License-Identifier: BSD-3-Clause */
/* The report as JSON (--report) and the measured work as CSV (--loads), each whole or not at all.
 */
#include <cjson/cJSON.h>
#include <inttypes.h>
#include <stdlib.h>

#include "base/file.h"
#include "real/control/report_impl.h"

/* ---- JSON ---- */

/* An object being made; a member that does not fit into memory is remembered. */
struct document {
        cJSON *root;
        bool failed;
};

static void put_number(struct document *doc, const char *key, double value)
{
        doc->failed |= !cJSON_AddNumberToObject(doc->root, key, value);
}

static void put_count(struct document *doc, const char *key, int64_t value)
{
        put_number(doc, key, (double)value);
}

static void put_switch(struct document *doc, const char *key, bool value)
{
        doc->failed |= !cJSON_AddBoolToObject(doc->root, key, value);
}

static void put_word(struct document *doc, const char *key, const char *word)
{
        doc->failed |= !(word ? cJSON_AddStringToObject(doc->root, key, word)
                              : cJSON_AddNullToObject(doc->root, key));
}

static void put_list(struct document *doc, const char *key, const double *value, int32_t count)
{
        cJSON *list = cJSON_CreateDoubleArray(value, count);
        if (list && cJSON_AddItemToObject(doc->root, key, list))
                return;
        cJSON_Delete(list);
        doc->failed = true;
}

static void put_job(struct document *doc, const struct report *report)
{
        const struct job *job = report->job;
        put_word(doc, "schema", "lbrun-report-1");
        put_word(doc, "system", job->system);
        put_switch(doc, "lewi", job->lewi);
        put_switch(doc, "drom", job->drom);
        put_switch(doc, "virtual_nodes", job->virtual_nodes);
        put_count(doc, "nodes", job->nnode);
        put_count(doc, "cores", job->cores_per_node);
        put_count(doc, "degree", job->degree);
        put_count(doc, "appranks", job->napprank);
        put_count(doc, "workers", job->nworker);
        put_word(doc, "mpi", report->mpi);
        put_word(doc, "core_manager", report->core_manager);
        put_list(doc, "node_speed", job->speed, job->nnode);
}

static void put_figures(struct document *doc, const struct report *report,
                        const struct report_figures *f)
{
        const struct job *job = report->job;
        const int32_t napprank = f->niteration > 0 ? job->napprank : 0;
        const int32_t nnode = f->niteration > 0 ? job->nnode : 0;
        put_switch(doc, "complete", !report->cut);
        put_count(doc, "iterations", f->niteration);
        put_list(doc, "iteration_s", f->iteration_s, f->niteration);
        for (int m = 0; m < METRIC_ALL; m++)
                if (metric_table[m].hosts & METRIC_OF_LIVE)
                        put_number(doc, metric_table[m].name, f->metric[m]);
        put_list(doc, "apprank_work_s", f->apprank_work_s, napprank);
        put_list(doc, "node_useful_s", f->node_useful_s, nnode);
}

/* The whole text, to be freed with cJSON_free(); NULL out of memory. */
static char *format(const struct report *report, const struct report_figures *figures)
{
        struct document doc = { .root = cJSON_CreateObject() };
        char *text = NULL;
        if (!doc.root)
                return NULL;
        put_job(&doc, report);
        put_figures(&doc, report, figures);
        if (!doc.failed)
                text = cJSON_Print(doc.root);
        cJSON_Delete(doc.root);
        return text;
}

static int write_text(const char *text, const char *path, struct lb_error *err)
{
        struct lb_file file;
        if (lb_file_create(&file, path, err) < 0)
                return -1;
        fprintf(file.stream, "%s\n", text);
        return lb_file_commit(&file, err);
}

int report_write(const struct report *report, const char *file, struct lb_error *err)
{
        struct report_figures figures;
        if (report_figures_init(&figures, report, err) < 0)
                return -1;
        char *text = format(report, &figures);
        int status = text ? write_text(text, file, err)
                          : lb_error_fail(err, "cannot write '%s': out of memory", file);
        cJSON_free(text);
        report_figures_finish(&figures);
        return status;
}

/* ---- CSV ---- */

/* The shortest text that reads back as the same double. */
static void show(double value, char text[static 32])
{
        for (int digits = 1; digits <= 17; digits++) {
                snprintf(text, 32, "%.*g", digits, value);
                double back = strtod(text, NULL);
                if (back >= value && back <= value)
                        return;
        }
}

static void write_rows(const struct report *report, FILE *out)
{
        int32_t niteration = 0;
        for (int32_t a = 0; a < report->job->napprank; a++)
                if (a == 0 || report->apprank[a].niteration < niteration)
                        niteration = report->apprank[a].niteration;
        fputs("iteration,apprank,work_s,tasks\n", out);
        for (int32_t i = 0; i < niteration; i++) {
                for (int32_t a = 0; a < report->job->napprank; a++) {
                        char work[32];
                        show(report->apprank[a].work_s[i], work);
                        fprintf(out, "%" PRId32 ",%" PRId32 ",%s,%" PRId64 "\n", i, a, work,
                                report->apprank[a].tasks[i]);
                }
        }
}

int report_write_loads(const struct report *report, const char *file, struct lb_error *err)
{
        struct lb_file out;
        if (lb_file_create(&out, file, err) < 0)
                return -1;
        write_rows(report, out.stream);
        return lb_file_commit(&out, err);
}
