/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Programs whose parallel regions were counted, under systems that move their threads: into how
 * many parts such work is divided, and what dlb takes where CPUs that are lent come with a rank's
 * next region. As lbrun predicts its own runs (real/launch/balance_predict.c).
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "models/forkjoin.h"
#include "policies/dpb.h"
#include "policies/system.h"
#include "sim/commands/gain_measured.h"

/* ---- Work ---- */

static int64_t window_of(const struct gain_extent *extent, int64_t iteration)
{
        return iteration * extent->nload / extent->nwindow;
}

/* The part of a rank's load that such a sum of the whole run is. */
static double part_of(const struct gain_advice *a, int32_t rank, double sum_s)
{
        double part = sum_s / a->m->rank[rank].load_s;
        return part > 0 ? fmin(part, 1) : 0; /* not known: none */
}

static struct gain_work divide(const struct gain_advice *a, int32_t rank, double load_s)
{
        const struct measured_rank *r = &a->m->rank[rank];
        double fixed = part_of(a, rank, r->fixed_s), serial = part_of(a, rank, r->serial_s);
        double lasts = fixed / a->loads.threads;
        double work_s = load_s * (1 - fixed + lasts);
        return (struct gain_work){ work_s, forkjoin_serial_s(work_s, load_s * (serial + lasts)) };
}

struct gain_work gain_work_of(const struct gain_advice *a, const struct gain_setup *setup,
                              enum gain_kind kind, int64_t iteration, int32_t i)
{
        const struct gain_loads *loads = &a->loads;
        struct gain_work sum = { 0, 0 };
        int64_t end = window_of(&a->extent, iteration + 1);
        for (int32_t j = i; j < i + setup->joined; j++) {
                double load_s = 0;
                for (int64_t w = window_of(&a->extent, iteration); w < end; w++)
                        load_s += loads->load_s[w * loads->nrank + setup->place[j]];
                struct gain_work own = { load_s, 0 };
                if (kind != GAIN_TASKED && a->regions > 0)
                        own = divide(a, setup->place[j], load_s);
                sum.work_s += own.work_s;
                sum.serial_s += own.serial_s;
        }
        return sum.work_s < 1e-9 ? (struct gain_work){ 0, 0 } : sum;
}

/* ---- Parts ---- */

double gain_regions(const struct measured *m)
{
        double most = 0;
        for (int32_t r = 0; r < m->nrank; r++)
                most = fmax(most, m->rank[r].regions);
        return most;
}

bool gain_by_regions(const struct gain_advice *a, enum gain_kind kind)
{
        return kind == GAIN_MALLEABLE && a->regions > 0;
}

void gain_parts_of(const struct gain_advice *a, enum gain_kind kind, int32_t cores,
                   int32_t parts[static 2])
{
        bool divided = kind >= GAIN_MALLEABLE;
        parts[0] = divided ? a->coarse : a->loads.threads;
        parts[1] = divided ? a->fine : a->loads.threads;
        if (gain_by_regions(a, kind))
                parts[0] = parts[1] = forkjoin_parts(a->regions, cores);
}

/* Of the load of all ranks, what no region divides among more threads, %. */
static double undivided_percent(const struct gain_advice *a)
{
        double load_s = 0, some_s = 0;
        for (int32_t r = 0; r < a->m->nrank; r++) {
                const struct measured_rank *rank = &a->m->rank[r];
                load_s += rank->load_s;
                some_s += rank->load_s *
                          fmin(part_of(a, r, rank->fixed_s) + part_of(a, r, rank->serial_s), 1);
        }
        return load_s > 0 ? 100 * some_s / load_s : 0;
}

void gain_regions_line(const struct gain_advice *a, char *line, size_t size)
{
        double percent = undivided_percent(a);
        line[0] = '\0';
        if (a->regions > 0)
                snprintf(line, size,
                         "dlb, dpb: %s has %.*g parallel region%s, as many alike as divide its "
                         "time, if each divides evenly; what dlb lends comes with the next one",
                         a->m->by_iteration ? "an iteration" : "a window",
                         a->regions < 1000 ? 3 : 9, a->regions,
                         a->regions > 1 || a->regions < 1 ? "s" : "");
        if (a->regions > 0 && percent >= 1)
                lb_text_add(line, size,
                            "; %.2g %% of the load cannot have more threads than it has", percent);
}

/* ---- What is lent comes with a region ---- */

/* Owners of a node's CPUs for the whole run: in equal parts, or, where CPUs may move, in proportion
 * to work, as the ranks try both. */
static int own(const struct gain_advice *a, const struct gain_setup *setup, bool moves,
               const int32_t *place, struct forkjoin *process, struct lb_error *err)
{
        int32_t count = setup->per_node;
        int32_t *cpus = calloc((size_t)count, sizeof(*cpus));
        double *work = calloc((size_t)count, sizeof(*work));
        int status = cpus && work ? dpb_equal(setup->cores, count, cpus, err)
                                  : lb_error_fail(err, "out of memory for %d ranks", count);
        for (int32_t i = 0; status == 0 && i < count; i++) {
                struct gain_work all = divide(a, place[i], a->loads.total_s[place[i]]);
                work[i] = all.work_s;
                process[i] =
                    (struct forkjoin){ .work_s = all.work_s,
                                       .serial_s = all.serial_s,
                                       .regions = forkjoin_regions(a->m->rank[place[i]].regions) };
        }
        if (status == 0)
                forkjoin_own(process, count, cpus);
        if (status == 0 && moves)
                status = dpb_by_work(setup->cores, count, work, cpus, err);
        if (status == 0 && moves)
                forkjoin_own(process, count, cpus);
        free(work);
        free(cpus);
        return status;
}

/* Nodes wait for each other in every iteration. */
static double iterations_s(const struct gain_advice *a, const struct gain_setup *setup,
                           struct forkjoin *process)
{
        double sum_s = 0;
        for (int64_t w = 0; w < a->extent.nwindow; w++) {
                double most_s = 0;
                for (int32_t i = 0; i < a->loads.nrank; i++) {
                        struct gain_work work = gain_work_of(a, setup, GAIN_MALLEABLE, w, i);
                        process[i].work_s = work.work_s;
                        process[i].serial_s = work.serial_s;
                }
                for (int32_t i = 0; i < a->loads.nrank; i += setup->per_node)
                        most_s = fmax(most_s, forkjoin_lending_s(&process[i], setup->per_node));
                sum_s += most_s;
        }
        return sum_s * (double)a->loads.nwindow / (double)a->extent.nload;
}

int gain_lending_s(const struct gain_advice *a, const struct gain_setup *setup,
                   const struct scenario_point *point, double *time_s, struct lb_error *err)
{
        *time_s = 0;
        if (!gain_by_regions(a, gain_kind_of(point->system, NULL)) || !point->lewi ||
            strcmp(point->system->name, "dlb") != 0)
                return 0;
        struct forkjoin *process = calloc((size_t)a->loads.nrank, sizeof(*process));
        int status = process ? 0 : lb_error_fail(err, "out of memory for %d ranks", a->loads.nrank);
        for (int32_t i = 0; status == 0 && i < a->loads.nrank; i += setup->per_node)
                status = own(a, setup, point->drom, &setup->place[i], &process[i], err);
        if (status == 0)
                *time_s = iterations_s(a, setup, process);
        free(process);
        return status;
}
