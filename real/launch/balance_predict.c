/* SPDX-License-Identifier: BSD-3-Clause */
/* The prediction beside the run: lbsim simulates the same system on the loads that were measured.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/self.h"
#include "models/forkjoin.h"
#include "policies/dpb.h"
#include "policies/plugged.h"
#include "policies/system.h"
#include "real/balance/params.h"
#include "real/balance/setup.h"
#include "real/balance/team.h"
#include "real/launch/advise.h"
#include "real/launch/balance_draw.h"
#include "real/launch/balance_report.h"
#include "real/launch/words.h"

enum { PATH_SIZE = LB_SELF_SIZE + 64, TEXT_SIZE = 8192 };

/* Into how many parts a rank's work of an iteration is divided; 0: into none. */
static int32_t parts_of(const struct balance_report *report)
{
        double most = 0;
        for (int32_t i = 0; i < report->count; i++)
                most = fmax(most, report->leaf[i].regions);
        return most > 0 ? forkjoin_parts(most, report->leaf->ncpu) : 0;
}

static bool is_packing(const struct balance_report *report)
{
        const char *host = setup_host_of(report->system);
        return host && strcmp(host, "packing") == 0;
}

double balance_param(const struct lb_option_list *given, const struct lb_param *param)
{
        double value = param->fallback;
        size_t length = strlen(param->name);
        struct lb_error err;
        for (int32_t i = 0; i < given->count; i++) {
                const char *text = given->text[i];
                text += strncmp(text, "system.", 7) == 0 ? 7 : 0;
                if (strncmp(text, param->name, length) == 0 && text[length] == '=' &&
                    lb_param_parse(param, text + length + 1, &value, &err) < 0)
                        value = param->fallback; /* it was checked before the program ran */
        }
        return value;
}

static bool write_loads(const struct balance_report *report, const char *path)
{
        FILE *out = fopen(path, "we");
        struct draw draw = draw_from(report);
        bool divides = parts_of(report) > 0;
        if (!out)
                return false;
        fputs("iteration,apprank,work_s,tasks,serial_s\n", out);
        for (int32_t iteration = 0; iteration < draw.iterations; iteration++)
                for (int32_t i = 0; i < report->count; i++) {
                        const struct leaf *leaf = &report->leaf[i];
                        double part = draw_part(&draw, iteration, i);
                        double serial_s = forkjoin_serial_s(leaf->work_s, leaf->serial_s);
                        double work_s = part * (divides ? leaf->work_s : leaf->load_s);
                        fprintf(out, "%d,%d,%.9g,%d,%.9g\n", iteration, i, work_s, work_s > 0,
                                divides ? part * serial_s : 0);
                }
        return fclose(out) == 0;
}

/* Of policies, as in lbsim; the runtime's own are not. */
static bool is_simulated_param(const char *name)
{
        const struct lb_param *const live[] = { balance_params, auto_live_params, team_params };
        for (size_t i = 0; i < sizeof(live) / sizeof(live[0]); i++)
                if (lb_param_find(live[i], name) >= 0)
                        return false;
        return strcmp(name, dlb_live_params[DLB_LIVE_POLL_S].name) != 0 &&
               strcmp(name, dpb_live_params[DPB_LIVE_WHEN].name) != 0;
}

static void add_regions(struct words *line, const struct lb_option_list *param)
{
        for (const struct system_setting *setting = system_teams; setting->path; setting++) {
                words_add(line, "--set");
                words_add_format(line, "%s=%s", setting->path, setting->value);
        }
        words_add(line, "--set");
        words_add_format(line, "runtime.poll_s=%.9g",
                         balance_param(param, &dlb_live_params[DLB_LIVE_POLL_S]));
}

static void add_params(struct words *line, const struct lb_option_list *param)
{
        for (int32_t i = 0; i < param->count; i++) {
                char name[64];
                const char *text = param->text[i];
                text += strncmp(text, "system.", 7) == 0 ? 7 : 0;
                snprintf(name, sizeof(name), "%.*s", (int)strcspn(text, "="), text);
                if (!is_simulated_param(name))
                        continue;
                words_add(line, "--set");
                words_add_format(line, "system.%s", text);
        }
}

static void add_line(struct words *line, const struct balance_report *report, const char *loads,
                     const struct lb_option_list *param)
{
        char path[LB_SELF_SIZE];
        const struct leaf *first = report->leaf;
        int32_t parts = parts_of(report);
        /* all whose parameters the user may have given */
        bool is_auto = strcmp(report->system, "auto") == 0;
        words_add(line, lb_self_sister("lbsim", path));
        for (int i = 0; plugged_at(i); i++) {
                words_add(line, "--policy");
                words_add(line, plugged_at(i)->path);
        }
        words_add(line, "gain");
        words_add(line, loads);
        words_add(line, parts > 0 ? "--tasks" : "--serial");
        if (parts > 0)
                words_add_format(line, "%d", parts);
        words_add(line, "--quiet");
        words_add(line, "--cores");
        words_add_format(line, "%d", parts > 0 ? first->ncpu : first->nmate);
        words_add(line, "--appranks-per-node");
        words_add_format(line, "%d", first->nmate);
        words_add(line, "--systems");
        words_add_format(line, "baseline,%s", is_auto ? "dlb,dpb,packing" : report->system);
        words_add(line, "--format");
        words_add(line, "json");
        if (parts > 0)
                add_regions(line, param);
        add_params(line, param);
}

/* ---- What it says ---- */

static double number_after(const char *text, const char *name)
{
        const char *at = text ? strstr(text, name) : NULL;
        return at ? strtod(at + strlen(name), NULL) : 0;
}

/* Of the rank that has most of it, mean over iterations. */
static double load_max_s(const struct balance_report *report)
{
        struct draw draw = draw_from(report);
        double sum_s = 0;
        for (int32_t k = 0; k < draw.iterations; k++) {
                double most_s = 0;
                for (int32_t i = 0; i < report->count; i++)
                        most_s = fmax(most_s, draw_part(&draw, k, i) * report->leaf[i].load_s);
                sum_s += most_s;
        }
        return sum_s / draw.iterations;
}

/* 0: it was not simulated. */
static double simulated_s(const char *text, const char *system, int32_t *cpus)
{
        char name[64];
        snprintf(name, sizeof(name), "\"system\": \"%s\"", system);
        const char *at = strstr(text, name);
        *cpus = (int32_t)number_after(at, "\"cores_used\": ");
        return number_after(at, "\"time_per_iteration_s\": ");
}

/* ---- What is lent comes with a region ---- */

/* Of a node: whose CPUs are owned in equal parts, or, where they may move, in proportion to work:
 * the better of these, as the ranks time both. */
static bool own(const struct leaf *leaf, int32_t count, bool moves, struct forkjoin *process)
{
        struct lb_error err;
        double *work = calloc((size_t)count, sizeof(*work));
        int32_t *cpus = calloc((size_t)count, sizeof(*cpus));
        for (int32_t i = 0; work && i < count; i++) {
                work[i] = leaf[i].work_s;
                process[i] = (struct forkjoin){ .work_s = work[i],
                                                .serial_s = leaf[i].serial_s,
                                                .regions = forkjoin_regions(leaf[i].regions) };
        }
        bool known = work && cpus && dpb_equal(leaf->ncpu, count, cpus, &err) == 0;
        if (known)
                forkjoin_own(process, count, cpus);
        if (known && moves && dpb_by_work(leaf->ncpu, count, work, cpus, &err) == 0)
                forkjoin_own(process, count, cpus);
        free(work);
        free(cpus);
        return known;
}

/* Until the last node has ended an iteration; drawn[nmate] is scratch. */
static double iteration_s(const struct draw *draw, int32_t iteration,
                          const struct forkjoin *process, struct forkjoin *drawn)
{
        int32_t nmate = draw->report->leaf->nmate;
        double time_s = 0;
        for (int32_t first = 0; first < draw->report->count; first += nmate) {
                for (int32_t i = 0; i < nmate; i++) {
                        double part = draw_part(draw, iteration, first + i);
                        drawn[i] = process[first + i];
                        drawn[i].work_s *= part;
                        drawn[i].serial_s *= part;
                }
                time_s = fmax(time_s, forkjoin_lending_s(drawn, nmate));
        }
        return time_s;
}

/* Mean over iterations; 0: not known. */
static double lending_s(const struct balance_report *report, bool moves)
{
        int32_t nmate = report->leaf->nmate;
        struct draw draw = draw_from(report);
        struct forkjoin *process = calloc((size_t)report->count, sizeof(*process));
        struct forkjoin *drawn = calloc((size_t)nmate, sizeof(*drawn));
        bool known = process && drawn;
        double sum_s = 0;
        for (int32_t first = 0; known && first < report->count; first += nmate)
                known = own(&report->leaf[first], nmate, moves, &process[first]);
        for (int32_t k = 0; known && k < draw.iterations; k++)
                sum_s += iteration_s(&draw, k, process, drawn);
        free(process);
        free(drawn);
        return sum_s / draw.iterations;
}

/* lbsim spreads work over what is lent at once. Of a plug-in only what it simulates is known. */
static double regions_s(const struct balance_report *report, const struct lb_option_list *param)
{
        if (parts_of(report) == 0 || balance_param(param, &dlb_live_params[DLB_LIVE_LEWI]) == 0)
                return 0;
        return lending_s(report, balance_param(param, &dlb_live_params[DLB_LIVE_DROM]) != 0);
}

/* ---- A system ---- */

/* By how much it differs from the simulated time without balancing. What an iteration lasts beyond
 * the loads is not simulated. */
static void read_system(const struct balance_report *report, const char *text,
                        const struct lb_option_list *param, struct balance_prediction *prediction)
{
        int32_t cpus;
        double now_s = report->leaf[0].without_s, beyond_s = fmax(now_s - load_max_s(report), 0);
        double base_s = simulated_s(text, "baseline", &cpus);
        double time_s = simulated_s(text, prediction->system, &cpus);
        if (!(time_s > 0) || !(base_s > 0))
                return;
        if (strcmp(prediction->system, "dlb") == 0)
                time_s = fmax(time_s, regions_s(report, param));
        prediction->time_s = now_s * (time_s + beyond_s) / (base_s + beyond_s);
        prediction->cpus = cpus;
}

/* Of equal nodes, with loads, in the order of ranks. */
static int check(const struct balance_report *report, struct lb_error *err)
{
        for (int32_t i = 0; i < report->count; i++) {
                const struct leaf *leaf = &report->leaf[i];
                if (leaf->nmate != report->leaf[0].nmate || leaf->rank != i ||
                    leaf->node != i / leaf->nmate || leaf->ncpu != report->leaf[0].ncpu)
                        return lb_error_fail(err, "nodes with unequal numbers of ranks or CPUs, "
                                                  "or ranks in another order, are not simulated");
        }
        if (report->count == 0 || report->count != report->leaf[0].size ||
            !(load_max_s(report) > 0))
                return lb_error_fail(err, "no loads were measured");
        return 0;
}

int balance_simulate(const struct balance_report *report, const char *directory,
                     const struct lb_option_list *param, struct balance_prediction *prediction,
                     int count, struct lb_error *err)
{
        char loads[PATH_SIZE], text[TEXT_SIZE];
        struct words line = { 0 };
        int code = -1;
        if (check(report, err) < 0)
                return -1;
        snprintf(loads, sizeof(loads), "%.4000s/loads.csv", directory);
        add_line(&line, report, loads, param);
        if (line.failed || !write_loads(report, loads) || !advise_ask(&line, text, TEXT_SIZE, true))
                lb_error_fail(err, "'lbsim gain' cannot be run, or failed");
        else
                code = 0;
        for (int i = 0; code == 0 && i < count; i++)
                read_system(report, text, param, &prediction[i]);
        words_finish(&line);
        return code;
}

void balance_predict(struct balance_report *report, const char *directory,
                     const struct lb_option_list *param, bool asked)
{
        struct lb_error err;
        struct balance_prediction prediction = { .system = report->system };
        bool changed = report->count > 0 && report->leaf->with_s > 0;
        bool serial = parts_of(report) == 0, packs = is_packing(report);
        if (!(changed || asked) || report->simulated_s > 0 || strcmp(report->system, "auto") == 0 ||
            (serial && !packs) || (report->count > 0 && report->leaf->unknown))
                return;
        if (balance_simulate(report, directory, param, &prediction, 1, &err) < 0)
                return;
        report->simulated_s = prediction.time_s;
        report->simulated_cpus = prediction.cpus;
}
