/* SPDX-License-Identifier: BSD-3-Clause */
#define _GNU_SOURCE
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/text.h"
#include "models/trace.h"
#include "sim/commands/gain_measured.h"
#include "sim/commands/gain_scenario.h"

/* Every system simulated on measured loads: as ranks are, in other ways, on other nodes. */

enum { LIST_SIZE = 64 };

double gain_less_percent(const struct gain_advice *a, double time_s)
{
        return 100 * (1 - time_s / a->baseline_s);
}

/* ---- A workload for the simulator ---- */

static void write_rows(FILE *out, const struct gain_advice *a, const struct gain_setup *setup,
                       enum gain_kind kind)
{
        fputs("iteration,apprank,work_s,tasks,serial_s\n", out);
        for (int64_t w = 0; w < a->extent.nwindow; w++)
                for (int32_t i = 0; i < a->loads.nrank; i += setup->joined) {
                        struct gain_work work = gain_work_of(a, setup, kind, w, i);
                        fprintf(out, "%" PRId64 ",%" PRId32 ",%.12g,%d,%.12g\n", w,
                                i / setup->joined, work.work_s,
                                work.work_s > 0 ? 1 + (int)(work.work_s / 3600) : 0, work.serial_s);
                }
}

/* A file of memory, so that nothing is left behind; its name goes into name[LIST_SIZE]. Returns its
 * descriptor, or -1. */
static int write_loads(const struct gain_advice *a, const struct gain_setup *setup,
                       enum gain_kind kind, char *name, struct lb_error *err)
{
        int fd = memfd_create("loads", MFD_CLOEXEC);
        FILE *out = fd < 0 ? NULL : fdopen(dup(fd), "w");
        if (out)
                write_rows(out, a, setup, kind);
        if (out && fclose(out) == 0) {
                snprintf(name, LIST_SIZE, "/proc/self/fd/%d", fd);
                return fd;
        }
        lb_error_fail(err, "cannot keep the loads in memory: %s", strerror(errno));
        if (fd >= 0)
                close(fd);
        return -1;
}

/* The parts of a rank's work: few, and many. */
static void list_tasks(const struct gain_advice *a, enum gain_kind kind,
                       const struct gain_setup *setup, char *list)
{
        int32_t parts[2];
        gain_parts_of(a, kind, setup->cores, parts);
        snprintf(list, LIST_SIZE, "[%" PRId32, parts[0] * setup->joined);
        if (parts[1] > parts[0])
                lb_text_add(list, LIST_SIZE, ",%" PRId32, parts[1] * setup->joined);
        lb_text_add(list, LIST_SIZE, "]");
}

/* ---- What came out ---- */

struct prediction {
        double time_s, half_width_s, cores;
};

static struct prediction predict(const struct sweep *sweep, int64_t point,
                                 const struct gain_advice *a)
{
        struct sweep_estimate time = sweep_estimate(sweep, point, METRIC_TOTAL_S);
        struct sweep_estimate cores = sweep_estimate(sweep, point, METRIC_CORES_USED);
        double half = isnan(time.half_width) ? 0 : time.half_width;
        double runs = a->extent.repeats * (double)a->extent.nload / (double)a->loads.nwindow;
        return (struct prediction){ time.mean / runs, half / runs, cores.mean };
}

static bool is_of(const struct gain_outcome *outcome, const struct scenario_point *point,
                  const struct gain_setup *setup)
{
        return outcome->system == point->system && outcome->degree == point->degree &&
               outcome->nodes == setup->nnode && outcome->placed == setup->placed &&
               outcome->joined == setup->joined;
}

static struct gain_outcome *outcome_of(struct gain_advice *a, const struct scenario_point *point,
                                       const struct gain_setup *setup, struct lb_error *err)
{
        for (int32_t i = 0; i < a->noutcome; i++)
                if (is_of(&a->outcome[i], point, setup))
                        return &a->outcome[i];
        struct gain_outcome *grown =
            realloc(a->outcome, ((size_t)a->noutcome + 1) * sizeof(*a->outcome));
        if (!grown) {
                lb_error_fail(err, "out of memory for %d predictions", a->noutcome);
                return NULL;
        }
        const char *asks;
        enum gain_kind kind = gain_kind_of(point->system, &asks);
        a->outcome = grown;
        a->outcome[a->noutcome] = (struct gain_outcome){ .system = point->system,
                                                         .name = point->system->name,
                                                         .degree = point->degree,
                                                         .nodes = setup->nnode,
                                                         .kind = kind,
                                                         .asks = asks,
                                                         .placed = setup->placed,
                                                         .joined = setup->joined,
                                                         .coarse_s = NAN,
                                                         .fine_s = NAN,
                                                         .least_s = INFINITY };
        return &a->outcome[a->noutcome++];
}

static int take_point(struct gain_advice *a, const struct scenario_point *point,
                      const struct gain_setup *setup, const struct prediction *p,
                      struct lb_error *err)
{
        int32_t tasks = (int32_t)point->value[SECTION_WORKLOAD][WORKLOAD_TRACE_TASKS];
        enum gain_kind kind = gain_kind_of(point->system, NULL);
        bool known = kind <= GAIN_INDIVISIBLE || gain_by_regions(a, kind);
        double lending_s;
        if (gain_lending_s(a, setup, point, &lending_s, err) < 0)
                return -1;
        double time_s = fmax(p->time_s, lending_s) + a->parts.transfer_s;
        tasks /= setup->joined;
        if (kind == GAIN_KIND_NONE && setup->nnode == a->loads.nnode) {
                a->baseline_s = time_s;
                return 0;
        }
        struct gain_outcome *outcome = outcome_of(a, point, setup, err);
        if (!outcome)
                return -1;
        /* no interval reaches below all work over all cores */
        double bound_s = gain_all_cores_s(a) * a->loads.nnode / setup->nnode + a->parts.transfer_s;
        double least_s = fmax(time_s - p->half_width_s, fmin(time_s, bound_s));
        outcome->least_s = fmin(outcome->least_s, least_s);
        outcome->most_s = fmax(outcome->most_s, time_s + p->half_width_s);
        if (setup->costs != GAIN_COSTS_USUAL)
                return 0;
        if (tasks == a->coarse || known)
                outcome->coarse_s = time_s;
        if (tasks == a->fine || known)
                outcome->fine_s = time_s;
        outcome->cores = p->cores;
        return 0;
}

static int take_points(struct gain_advice *a, const struct sweep *sweep,
                       const struct gain_setup *setup, struct lb_error *err)
{
        int status = 0;
        for (int64_t p = 0; status == 0 && p < sweep->scenario->npoint; p++) {
                struct scenario_point point;
                struct prediction prediction = predict(sweep, p, a);
                if (scenario_point_get(sweep->scenario, p, &point, err) < 0)
                        return -1;
                status = take_point(a, &point, setup, &prediction, err);
                scenario_point_finish(&point);
        }
        return status;
}

/* ---- Simulations ---- */

/* One sweep, of systems that take a program to be alike. */
static int run_sweep(struct gain_advice *a, const struct gain_request *request,
                     const struct gain_setup *setup, enum gain_kind kind, struct lb_error *err)
{
        char name[LIST_SIZE], tasks[LIST_SIZE];
        struct scenario scenario;
        struct sweep sweep;
        int fd = write_loads(a, setup, kind, name, err);
        if (fd < 0)
                return -1;
        list_tasks(a, kind, setup, tasks);
        struct gain_setting setting = { .loads = name,
                                        .systems = setup->systems,
                                        .among = request->systems,
                                        .part = true,
                                        .degrees = a->extent.degrees,
                                        .platform = request->platform,
                                        .machine = &a->machine,
                                        .costs = setup->costs,
                                        .tasks = tasks,
                                        .replicates = a->extent.replicates,
                                        .nnode = setup->nnode,
                                        .cores = setup->cores,
                                        .appranks_per_node = setup->per_node / setup->joined,
                                        .iterations =
                                            a->extent.repeats * (int32_t)a->extent.nwindow,
                                        .set = request->set,
                                        .nset = request->nset,
                                        .teams = kind == GAIN_MALLEABLE,
                                        .quiet = request->quiet };
        int status = gain_simulate(&setting, &scenario, &sweep, err);
        close(fd);
        if (status < 0)
                return -1;
        status = take_points(a, &sweep, setup, err);
        sweep_finish(&sweep);
        scenario_close(&scenario);
        return status;
}

/* Those of setup->systems that are of such kinds. */
static int simulate_kinds(struct gain_advice *a, const struct gain_request *request,
                          const struct gain_setup *setup, const enum gain_kind kinds[static 2],
                          struct lb_error *err)
{
        char names[GAIN_NAMES_SIZE];
        struct gain_setup some = *setup;
        int count = gain_systems_of(setup->systems, kinds, names);
        int status = 0;
        some.systems = names;
        if (count == 0)
                return 0;
        enum gain_costs last = a->extent.costs ? GAIN_COSTS_DEAR : GAIN_COSTS_USUAL;
        for (some.costs = GAIN_COSTS_USUAL; status == 0 && some.costs <= last; some.costs++)
                status = run_sweep(a, request, &some, kinds[0], err);
        return status;
}

/* Ranks as they were measured have been simulated without a system, and packing takes them to
 * compute on one core each. */
static int simulate(struct gain_advice *a, const struct gain_request *request,
                    const struct gain_setup *setup, struct lb_error *err)
{
        static const enum gain_kind teams[] = { GAIN_MALLEABLE, GAIN_MALLEABLE };
        static const enum gain_kind tasks[] = { GAIN_TASKED, GAIN_TASKED };
        bool here = setup->nnode == a->loads.nnode;
        const enum gain_kind whole[] = { here ? GAIN_INDIVISIBLE : GAIN_KIND_NONE,
                                         a->loads.threads == 1 ? GAIN_INDIVISIBLE
                                                               : GAIN_KIND_NONE };
        if (simulate_kinds(a, request, setup, whole, err) < 0 ||
            simulate_kinds(a, request, setup, teams, err) < 0)
                return -1;
        return simulate_kinds(a, request, setup, tasks, err);
}

static struct gain_setup setup_of(const struct gain_advice *a, int32_t nnode)
{
        return (struct gain_setup){ .place = a->order,
                                    .joined = 1,
                                    .nnode = nnode,
                                    .per_node = a->loads.nrank / nnode,
                                    .cores = a->cores };
}

int gain_predict_baseline(struct gain_advice *a, const struct gain_request *request,
                          struct lb_error *err)
{
        struct gain_setup plain = setup_of(a, a->loads.nnode);
        plain.systems = "baseline";
        return run_sweep(a, request, &plain, GAIN_KIND_NONE, err);
}

int gain_predict_plain(struct gain_advice *a, const struct gain_request *request,
                       struct lb_error *err)
{
        struct gain_setup plain = setup_of(a, a->loads.nnode);
        plain.systems = request->systems;
        return simulate(a, request, &plain, err);
}

/* dlb evens out a node where heavy ranks sit beside light ones. */
static int simulate_placed(struct gain_advice *a, const struct gain_request *request,
                           struct gain_setup placed, struct lb_error *err)
{
        struct gain_loads there = a->loads;
        int32_t *place = calloc((size_t)a->loads.nrank, sizeof(*place));
        if (!place)
                return lb_error_fail(err, "out of memory for %d ranks", a->loads.nrank);
        there.nnode = placed.nnode;
        int status = gain_place(&there, place, err);
        placed.place = place;
        placed.placed = true;
        placed.systems = "dlb";
        if (status == 0)
                status = simulate(a, request, &placed, err);
        free(place);
        return status;
}

/* Where ranks have a single core, helpers own none and run on what others lend; a rank on each
 * node, with all of its cores, has some to give. */
static int simulate_others(struct gain_advice *a, const struct gain_request *request,
                           struct gain_setup joined, struct lb_error *err)
{
        if (joined.nnode == 1 || joined.per_node == 1 || request->systems)
                return 0;
        if (simulate_placed(a, request, joined, err) < 0)
                return -1;
        joined.systems = "local,global,chameleon";
        joined.joined = joined.per_node;
        return a->cores < 2 * joined.per_node && a->cores > 1 ? simulate(a, request, &joined, err)
                                                              : 0;
}

/* ---- Other numbers of nodes ---- */

/* The same ranks on so many nodes like these; what cannot be is said, and left out. */
static int simulate_nodes(struct gain_advice *a, const struct gain_request *request, int32_t nnode,
                          struct lb_error *err)
{
        struct gain_setup setup = setup_of(a, nnode);
        if (nnode == a->loads.nnode)
                return 0;
        if (a->loads.nrank % nnode != 0 || setup.per_node > a->cores) {
                lb_text_add(
                    a->left_out, sizeof(a->left_out), "%s%" PRId32 " node%s (%" PRId32 " ranks %s)",
                    a->left_out[0] ? ", " : "", nnode, lb_s(nnode), a->loads.nrank,
                    a->loads.nrank % nnode ? "are no multiple of it" : "are more than their cores");
                return 0;
        }
        setup.systems = request->systems;
        return simulate(a, request, &setup, err) < 0 ? -1 : simulate_others(a, request, setup, err);
}

static int32_t read_nodes(const char *text, int32_t nodes[static GAIN_LIST_MAX],
                          struct lb_error *err)
{
        return gain_read_list("--nodes", text, MEASURED_RANK_MAX, "", nodes, err);
}

int gain_check_nodes(const struct gain_request *request, int32_t *most, struct lb_error *err)
{
        int32_t nodes[GAIN_LIST_MAX];
        int32_t count = request->nodes ? read_nodes(request->nodes, nodes, err) : 0;
        for (int32_t i = 0; i < count; i++)
                *most = nodes[i] > *most ? nodes[i] : *most;
        return count < 0 ? -1 : 0;
}

int gain_predict_others(struct gain_advice *a, const struct gain_request *request,
                        struct lb_error *err)
{
        int32_t nodes[GAIN_LIST_MAX];
        int32_t count = request->nodes ? read_nodes(request->nodes, nodes, err) : 0;
        int status = count < 0 ? -1 : simulate_others(a, request, setup_of(a, a->loads.nnode), err);
        for (int32_t i = 0; status == 0 && i < count; i++)
                status = simulate_nodes(a, request, nodes[i], err);
        return status;
}
