/* SPDX-License-Identifier: BSD-3-Clause */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "models/trace.h"
#include "sim/commands/gain_measured.h"
#include "sim/commands/gain_scenario.h"

/*
 * How much is simulated for an answer. What was measured is repeated for a minute, so that policies
 * settle, three times at other moments, for each degree; where that is more than GAIN_TASKS_MOST
 * tasks, half a minute of one core, it is less of each, first of what says least: windows that are
 * all alike, moments, repetitions, windows joined with those beside them, degrees. Of more than a
 * day that is all alike, some hours say as much. What is left of those tasks may go into the same
 * with cheap and dear constants of the machine.
 */
enum { SETTLED_S = 60, REPEATS_MOST = 1000, NWINDOW = 12, NWINDOW_LEAST = 4, LONG_S = 86400 };

static const char all_degrees[] = "2,3,4,8", one_degree[] = "4";

/* Simulations of the plain ranks under systems of a kind, and as many of them placed in other ways.
 */
static double simulations(const struct gain_request *request, enum gain_kind kind,
                          const char *degrees)
{
        char names[GAIN_NAMES_SIZE];
        const enum gain_kind kinds[] = { kind, kind };
        double count = 0, ndegree = 1;
        for (const char *at = strchr(degrees, ','); at; at = strchr(at + 1, ','))
                ndegree++;
        gain_systems_of(request->systems, kinds, names);
        for (char *rest, *at = strtok_r(names, ",", &rest); at; at = strtok_r(NULL, ",", &rest))
                count += system_find(at)->offloads ? ndegree : 1;
        return request->systems ? count : 2 * count;
}

static double tasks_of(const struct gain_advice *a, const struct gain_request *request,
                       const struct gain_extent *extent)
{
        double tasks = 0, replicates = extent->replicates[0] - '0';
        for (enum gain_kind kind = GAIN_MALLEABLE; kind <= GAIN_TASKED; kind++) {
                int32_t parts[2];
                gain_parts_of(a, kind, a->cores, parts);
                double both = parts[0] == parts[1] ? parts[0] : (double)parts[0] + parts[1];
                tasks += both * simulations(request, kind, extent->degrees);
        }
        return tasks * a->loads.nrank * (double)extent->nwindow * extent->repeats * replicates;
}

/* As much of *value as there is time for, but not less than `least`. */
static int64_t fit(int64_t value, int64_t least, double tasks)
{
        int64_t most = (int64_t)((double)value * fmin(1, GAIN_TASKS_MOST / fmax(tasks, 1)));
        return most > least ? most : least < value ? least : value;
}

static void fit_windows(const struct gain_advice *a, const struct gain_request *request,
                        struct gain_extent *extent, int64_t least)
{
        extent->nwindow = fit(extent->nwindow, least, tasks_of(a, request, extent));
}

static void fit_all(const struct gain_advice *a, const struct gain_request *request,
                    struct gain_extent *extent)
{
        bool alike = a->m->nwindow == 0;
        if (alike && gain_longest_s(&a->loads) > LONG_S)
                extent->nwindow = extent->nload = NWINDOW;
        if (alike)
                fit_windows(a, request, extent, NWINDOW);
        if (tasks_of(a, request, extent) > GAIN_TASKS_MOST)
                extent->replicates = "1";
        extent->repeats = (int32_t)fit(extent->repeats, 1, tasks_of(a, request, extent));
        fit_windows(a, request, extent, NWINDOW);
        if (tasks_of(a, request, extent) > GAIN_TASKS_MOST && !request->degrees)
                extent->degrees = one_degree;
        fit_windows(a, request, extent, NWINDOW_LEAST);
}

static int32_t repeats_of(const struct gain_advice *a, const struct gain_request *request)
{
        double windows = (double)a->loads.nwindow;
        double count = request->iterations ? ceil(request->iterations / windows)
                                           : ceil(SETTLED_S / gain_longest_s(&a->loads));
        return (int32_t)fmax(1, fmin(fmin(count, REPEATS_MOST), TRACE_ITERATION_MAX / windows));
}

static void say_left_out(struct gain_advice *a, const struct gain_extent *extent,
                         const struct gain_request *request)
{
        char windows[128] = "";
        bool fewer = extent->nwindow < a->loads.nwindow && a->m->nwindow > 0;
        bool one = extent->degrees == one_degree && !request->degrees;
        if (fewer)
                snprintf(windows, sizeof(windows),
                         "windows of %.3g s (%d were simulated; --iterations %d: all)",
                         gain_longest_s(&a->loads) / (double)a->loads.nwindow, (int)extent->nwindow,
                         (int)a->loads.nwindow);
        const char *const part[] = { one ? "degrees other than 4 (--degrees 2,3,4,8)" : "", windows,
                                     extent->costs || gain_machine_is_known(&a->machine)
                                         ? ""
                                         : "cheaper and dearer tasks and messages" };
        a->left_out[0] = '\0';
        for (size_t i = 0; i < sizeof(part) / sizeof(part[0]); i++)
                if (part[i][0])
                        lb_text_add(a->left_out, sizeof(a->left_out), "%s%s",
                                    a->left_out[0] ? ", " : "", part[i]);
}

void gain_extent_fill(struct gain_advice *a, const struct gain_request *request)
{
        a->extent =
            (struct gain_extent){ .nwindow = a->loads.nwindow,
                                  .nload = a->loads.nwindow,
                                  .repeats = repeats_of(a, request),
                                  .replicates = "3",
                                  .degrees = request->degrees ? request->degrees : all_degrees };
        if (!request->iterations)
                fit_all(a, request, &a->extent);
        a->extent.costs = !gain_machine_is_known(&a->machine) &&
                          GAIN_COSTS_ALL * tasks_of(a, request, &a->extent) <= GAIN_TASKS_MOST;
        say_left_out(a, &a->extent, request);
}
