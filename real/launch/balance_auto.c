/* SPDX-License-Identifier: BSD-3-Clause */
#include "real/launch/balance_auto.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/self.h"
#include "base/text.h"
#include "real/balance/choice.h"
#include "real/balance/params.h"
#include "real/balance/setup.h"
#include "real/launch/advise.h"
#include "real/launch/program.h"

enum { DLB, DPB, PACKING, NSYSTEM, PATH_SIZE = 4200, LINE_SIZE = 512 };

int balance_auto_check(struct lb_error *err)
{
        char lbsim[LB_SELF_SIZE], path[PROGRAM_PATH_SIZE];
        if (program_locate(lb_self_sister("lbsim", lbsim), path, err) == 0)
                return 0;
        return lb_error_prefix(err, "--system auto simulates what it measures: ");
}

/* ---- Choosing ---- */

static bool have_measured(const struct balance_report *report)
{
        for (int32_t i = 0; i < report->count; i++)
                if (report->leaf[i].measured == 0)
                        return false;
        return report->count > 0 && report->count == report->leaf->size;
}

/* Place among those predicted; -1: none is worth it. */
static int choose(const struct balance_auto *automatic, const struct balance_report *report,
                  const struct balance_prediction *p)
{
        double now_s = report->leaf->without_s;
        double least = balance_param(automatic->param, &auto_live_params[AUTO_LIVE_LEAST]);
        double loss = balance_param(automatic->param, &balance_params[BALANCE_LOSS]);
        int best = -1;
        for (int i = DLB; i <= DPB; i++)
                if (p[i].time_s > 0 && p[i].time_s <= (1 - least) * now_s &&
                    (best < 0 || p[i].time_s < p[best].time_s))
                        best = i;
        if (best >= 0 || !(p[PACKING].time_s > 0))
                return best;
        bool same = p[PACKING].time_s <= now_s * (1 + loss);
        return same && p[PACKING].cpus < report->simulated_cpus ? PACKING : -1;
}

/* Of a node: work in seconds of one CPU, and loads. */
struct sum {
        double work_s, load_s, most_s;
};

static struct sum sum_of(const struct balance_report *report, int32_t node)
{
        struct sum sum = { 0 };
        for (int32_t i = 0; i < report->count; i++) {
                const struct leaf *leaf = &report->leaf[i];
                if (leaf->node != node)
                        continue;
                sum.work_s += leaf->work_s;
                sum.load_s += leaf->load_s;
                sum.most_s = fmax(sum.most_s, leaf->load_s);
        }
        return sum;
}

/* lbsim takes a CPU from a program for a tenth of a second: where the loads leave no system
 * anything it is not asked. Moved within a node at most, they would be even there; CPUs are freed
 * where they would fit on one less. */
static bool may_gain(const struct balance_auto *automatic, const struct balance_report *report)
{
        const struct leaf *first = report->leaf;
        double least = balance_param(automatic->param, &auto_live_params[AUTO_LIVE_LEAST]);
        double loss = balance_param(automatic->param, &balance_params[BALANCE_LOSS]);
        double most_s = 0, bound_s = 0;
        bool frees = false;
        for (int32_t n = 0; n < first->nnode; n++) {
                struct sum sum = sum_of(report, n);
                most_s = fmax(most_s, sum.most_s);
                bound_s = fmax(bound_s, sum.work_s / first->ncpu);
                frees = frees || sum.load_s <= (first->nmate - 1) * first->without_s * (1 + loss);
        }
        return frees || (first->regions > 0 && most_s - bound_s >= least * first->without_s);
}

/* ---- Telling ---- */

static bool write_choice(const struct balance_auto *automatic, const char *name,
                         struct lb_error *err)
{
        char path[PATH_SIZE];
        struct lb_file file;
        snprintf(path, sizeof(path), "%.4096s/" CHOICE_FILE, automatic->directory);
        if (lb_file_create(&file, path, err) < 0)
                return false;
        fprintf(file.stream, "%s\n", name);
        return lb_file_commit(&file, err) == 0;
}

static void put_system(char *text, const struct balance_report *report,
                       const struct balance_prediction *p)
{
        double part = p->time_s / report->leaf->without_s - 1;
        if (!(p->time_s > 0))
                lb_text_add(text, LINE_SIZE, ", %s not for it", p->system);
        else if (strcmp(p->system, "packing") == 0)
                lb_text_add(text, LINE_SIZE, ", packing %+.1f %% with %d of %d CPUs", 100 * part,
                            p->cpus, report->simulated_cpus);
        else
                lb_text_add(text, LINE_SIZE, ", %s %+.1f %%", p->system, 100 * part);
}

static void say(const struct balance_report *report, const struct balance_prediction *p, int best)
{
        char text[LINE_SIZE] = "";
        for (int i = 0; i < NSYSTEM; i++)
                put_system(text, report, &p[i]);
        fprintf(stderr, "lbrun: auto: %s; predicted of iterations of %.4g s: %s\n",
                best >= 0 ? p[best].system : "nothing to gain, left as it is",
                report->leaf->without_s, text + 2);
}

static void tell(const struct balance_auto *automatic, const char *choice)
{
        struct lb_error err;
        if (!write_choice(automatic, choice, &err))
                fprintf(stderr, "lbrun: auto: %s\n", err.text);
}

static void leave_alone(const struct balance_auto *automatic, const struct balance_report *report)
{
        const struct leaf *first = report->leaf;
        if (!automatic->quiet)
                fprintf(stderr,
                        "lbrun: auto: nothing to gain, left as it is: loads of iterations of %.4g "
                        "s %s, and take all CPUs\n",
                        first->without_s,
                        first->regions > 0 ? "are even" : "are in no OpenMP regions");
        tell(automatic, CHOICE_NONE);
}

static void decide(struct balance_auto *automatic, struct balance_report *report)
{
        struct lb_error err;
        struct balance_prediction p[NSYSTEM] = { { .system = "dlb" },
                                                 { .system = "dpb" },
                                                 { .system = "packing" } };
        bool divides = report->leaf->regions > 0;
        int from = divides ? DLB : PACKING;
        if (!may_gain(automatic, report)) {
                leave_alone(automatic, report);
                return;
        }
        report->simulated_cpus =
            report->leaf->nnode * (divides ? report->leaf->ncpu : report->leaf->nmate);
        int code = balance_simulate(report, automatic->directory, automatic->param, &p[from],
                                    NSYSTEM - from, &err);
        int best = code == 0 ? choose(automatic, report, p) : -1;
        if (code < 0)
                fprintf(stderr, "lbrun: auto: nothing is chosen: %s\n", err.text);
        else if (!automatic->quiet)
                say(report, p, best);
        if (best >= 0)
                automatic->chosen = p[best];
        tell(automatic, best >= 0 ? p[best].system : CHOICE_NONE);
}

void balance_auto_look(struct balance_auto *automatic)
{
        struct balance_report report = { .system = "auto" };
        struct lb_error err;
        if (automatic->done)
                return;
        if (balance_report_read(&report, automatic->directory, &err) == 0 &&
            have_measured(&report)) {
                automatic->done = true;
                decide(automatic, &report);
        }
        balance_report_finish(&report);
}
