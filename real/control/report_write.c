/* SPDX-License-Identifier: BSD-3-Clause */
/* The report as JSON (--report) and the measured work as CSV (--loads), each whole or not at all.
 */
#include <inttypes.h>
#include <math.h>

#include "base/file.h"
#include "base/json_write.h"
#include "base/number.h"
#include "real/control/report_impl.h"

/* ---- JSON ---- */

/* An object being written. */
struct document {
        FILE *out;
        bool begun; /* has a member */
};

static FILE *put_key(struct document *doc, const char *key)
{
        fputs(doc->begun ? ",\n  " : "{\n  ", doc->out);
        doc->begun = true;
        lb_json_write_string(doc->out, key);
        fputs(": ", doc->out);
        return doc->out;
}

static void put_number(struct document *doc, const char *key, double value)
{
        lb_json_write_number(put_key(doc, key), value);
}

static void put_count(struct document *doc, const char *key, int64_t value)
{
        fprintf(put_key(doc, key), "%" PRId64, value);
}

static void put_switch(struct document *doc, const char *key, bool value)
{
        fputs(value ? "true" : "false", put_key(doc, key));
}

static void put_word(struct document *doc, const char *key, const char *word)
{
        FILE *out = put_key(doc, key);
        if (word)
                lb_json_write_string(out, word);
        else
                fputs("null", out);
}

static void put_list(struct document *doc, const char *key, const double *value, int32_t count)
{
        FILE *out = put_key(doc, key);
        for (int32_t i = 0; i < count; i++) {
                fputs(i > 0 ? ", " : "[", out);
                lb_json_write_number(out, value[i]);
        }
        fputs(count > 0 ? "]" : "[]", out);
}

static void put_cpus(struct document *doc, const struct report *report)
{
        const struct job *job = report->job;
        FILE *out = put_key(doc, "virtual_cpus");
        if (job->param[JOB_VIRTUAL_CPUS] == 0) {
                fputs("null", out);
                return;
        }
        struct cpu_quota quota = cpu_groups_quota(job->param[JOB_CPU_SPEED]);
        const struct {
                const char *name;
                double value;
        } figures[] = {
                { "speed", job->param[JOB_CPU_SPEED] },
                { "quota_us", (double)quota.quota_us },
                { "period_us", (double)quota.period_us },
                { "missed", report->cpus_missed },
                { "periods", (double)report->cpus.periods },
                { "throttled", (double)report->cpus.throttled },
                { "throttled_s", report->cpus.throttled_s },
                { "message_delay_us", report->message_delay_us },
        };
        for (size_t i = 0; i < sizeof(figures) / sizeof(figures[0]); i++) {
                fprintf(out, "%s \"%s\": ", i > 0 ? "," : "{", figures[i].name);
                lb_json_write_number(out, figures[i].value);
        }
        fputs(" }", out);
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
        put_number(doc, "helpers_woken", job_grows(job) ? (double)report->helpers_woken : NAN);
        put_number(doc, "helpers_retired", job_grows(job) ? (double)report->helpers_retired : NAN);
        bool migrates = job_migrates(job);
        put_number(doc, "replicas", migrates ? (double)report->copies : NAN);
        put_number(doc, "replicas_used", migrates ? (double)report->copies_used : NAN);
        put_word(doc, "mpi", report->mpi);
        put_word(doc, "core_manager", report->core_manager);
        put_cpus(doc, report);
        put_switch(doc, "valid", report_is_valid(report));
        put_list(doc, "node_speed", job->speed, job->nnode);
}

void report_write_end(bool complete, const char *ended_by, FILE *out)
{
        fprintf(out, "  \"complete\": %s,\n  \"ended_by\": ", complete ? "true" : "false");
        if (ended_by)
                lb_json_write_string(out, ended_by);
        else
                fputs("null", out);
}

static void put_figures(struct document *doc, const struct report *report,
                        const struct report_figures *f)
{
        const struct job *job = report->job;
        const int32_t napprank = f->niteration > 0 ? job->napprank : 0;
        const int32_t nnode = f->niteration > 0 ? job->nnode : 0;
        fputs(doc->begun ? ",\n" : "{\n", doc->out);
        doc->begun = true;
        report_write_end(!report->cut, report->ended_by, doc->out);
        put_number(doc, "until_s", report->cut && report->until_s > 0 ? report->until_s : NAN);
        put_count(doc, "iterations", f->niteration);
        put_list(doc, "iteration_s", f->iteration_s, f->niteration);
        for (int m = 0; m < METRIC_ALL; m++)
                if (metric_table[m].hosts & METRIC_OF_LIVE)
                        put_number(doc, metric_table[m].name, f->metric[m]);
        put_number(doc, "chain_s", f->chain_s);
        put_number(doc, "ends_apart_s", f->ends_apart_s);
        put_number(doc, "copy_s", report->copy_s);
        put_list(doc, "apprank_work_s", f->apprank_work_s, napprank);
        put_list(doc, "node_useful_s", f->node_useful_s, nnode);
}

static int write_json(const struct report *report, const struct report_figures *figures,
                      const char *path, struct lb_error *err)
{
        struct lb_file file;
        if (lb_file_create(&file, path, err) < 0)
                return -1;
        struct document doc = { .out = file.stream };
        put_job(&doc, report);
        put_figures(&doc, report, figures);
        fputs("\n}\n", doc.out);
        return lb_file_commit(&file, err);
}

int report_write(const struct report *report, const char *file, struct lb_error *err)
{
        struct report_figures figures;
        if (report_figures_init(&figures, report, err) < 0)
                return -1;
        int status = write_json(report, &figures, file, err);
        report_figures_finish(&figures);
        return status;
}

/* ---- CSV ---- */

/* Did any task of the first iterations have a cost? */
static bool has_costs(const struct report *report, int32_t niteration)
{
        for (int32_t a = 0; a < report->job->napprank; a++)
                for (int32_t i = 0; report->apprank[a].cost && i < niteration; i++)
                        if (report->apprank[a].cost[i] > 0)
                                return true;
        return false;
}

static void write_row(const struct report_apprank *apprank, int32_t i, bool costs, FILE *out)
{
        char work[LB_NUMBER_SIZE], cost[LB_NUMBER_SIZE];
        lb_number_text(apprank->work_s[i], work);
        fprintf(out, ",%s,%" PRId64, work, apprank->tasks[i]);
        if (costs) {
                lb_number_text(apprank->cost ? apprank->cost[i] : 0, cost);
                fprintf(out, ",%s", cost);
        }
        fputc('\n', out);
}

static void write_rows(const struct report *report, FILE *out)
{
        int32_t niteration = 0;
        for (int32_t a = 0; a < report->job->napprank; a++)
                if (a == 0 || report->apprank[a].niteration < niteration)
                        niteration = report->apprank[a].niteration;
        bool costs = has_costs(report, niteration);
        fprintf(out, "iteration,apprank,work_s,tasks%s\n", costs ? ",cost" : "");
        for (int32_t i = 0; i < niteration; i++) {
                for (int32_t a = 0; a < report->job->napprank; a++) {
                        fprintf(out, "%" PRId32 ",%" PRId32, i, a);
                        write_row(&report->apprank[a], i, costs, out);
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
