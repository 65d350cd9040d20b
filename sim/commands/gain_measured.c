/* SPDX-License-Identifier: BSD-3-Clause */
#define _GNU_SOURCE
#include "sim/commands/gain_measured.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/file.h"
#include "models/trace.h"
#include "sim/commands/gain_scenario.h"

enum { LIST_SIZE = 64, NTASKS = 3, SETTLED_S = 60 };

/* ---- Systems ---- */

/* What each system takes a program to be, and asks of who has it. Those that are not named move
 * tasks. */
static const struct {
        const char *system;
        enum gain_kind kind;
        const char *asks;
} kinds[] = {
        { "baseline", GAIN_KIND_NONE, "" },
        { "packing", GAIN_INDIVISIBLE, "nothing of the program" },
        { "dlb", GAIN_MALLEABLE, "OpenMP regions whose threads may change" },
        { "dpb", GAIN_MALLEABLE, "OpenMP regions whose threads may change" },
        { NULL, GAIN_TASKED, "port: work as tasks of lbrun.h" },
};

static size_t kind_of(const struct system_type *system)
{
        size_t i = 0;
        while (kinds[i].system && strcmp(kinds[i].system, system->name) != 0)
                i++;
        return i;
}

const char *gain_kind_name(enum gain_kind kind)
{
        static const char *const name[] = { [GAIN_KIND_NONE] = "any",
                                            [GAIN_INDIVISIBLE] = "ranks as they are",
                                            [GAIN_MALLEABLE] = "threads",
                                            [GAIN_TASKED] = "tasks" };
        return name[kind];
}

double gain_less_percent(const struct gain_advice *a, double time_s)
{
        return 100 * (1 - time_s / a->baseline_s);
}

/* ---- A workload for the simulator ---- */

/* Ranks node after node, as the simulator places them. */
static void in_order(const struct gain_loads *loads, int32_t *place)
{
        int32_t at = 0;
        for (int32_t n = 0; n < loads->nnode; n++)
                for (int32_t r = 0; r < loads->nrank; r++)
                        if (loads->node[r] == n)
                                place[at++] = r;
}

static void write_rows(FILE *out, const struct gain_loads *loads, const int32_t *place,
                       int32_t joined)
{
        fputs("iteration,apprank,work_s,tasks\n", out);
        for (int64_t w = 0; w < loads->nwindow; w++)
                for (int32_t i = 0; i < loads->nrank; i += joined) {
                        double load_s = 0;
                        for (int32_t j = i; j < i + joined; j++)
                                load_s += loads->load_s[w * loads->nrank + place[j]];
                        load_s = load_s < 1e-9 ? 0 : load_s;
                        fprintf(out, "%" PRId64 ",%" PRId32 ",%.12g,%d\n", w, i / joined, load_s,
                                load_s > 0 ? 1 + (int)(load_s / 3600) : 0);
                }
}

/* A file of memory, so that nothing is left behind; its name goes into name[LIST_SIZE]. `joined`
 * ranks are one. Returns its descriptor, or -1. */
static int write_loads(const struct gain_loads *loads, const int32_t *place, int32_t joined,
                       char *name, struct lb_error *err)
{
        int fd = memfd_create("loads", MFD_CLOEXEC);
        FILE *out = fd < 0 ? NULL : fdopen(dup(fd), "w");
        if (out)
                write_rows(out, loads, place, joined);
        if (out && fclose(out) == 0) {
                snprintf(name, LIST_SIZE, "/proc/self/fd/%d", fd);
                return fd;
        }
        lb_error_fail(err, "cannot keep the loads in memory: %s", strerror(errno));
        if (fd >= 0)
                close(fd);
        return -1;
}

/* ---- Simulations ---- */

/* Whole repetitions of what was measured, about a minute, so that policies settle. */
static int32_t repeats_of(const struct gain_request *request, const struct gain_advice *a)
{
        double count = request->iterations ? ceil(request->iterations / (double)a->loads.nwindow)
                                           : ceil(SETTLED_S / gain_longest_s(&a->loads));
        double most = TRACE_ITERATION_MAX / (double)a->loads.nwindow;
        return (int32_t)fmax(1, fmin(fmin(count, 1000), most));
}

struct prediction {
        double time_s, half_width_s, cores;
};

static struct prediction predict(const struct sweep *sweep, int64_t point, int32_t repeats)
{
        struct sweep_estimate time = sweep_estimate(sweep, point, METRIC_TOTAL_S);
        struct sweep_estimate cores = sweep_estimate(sweep, point, METRIC_CORES_USED);
        double half = isnan(time.half_width) ? 0 : time.half_width;
        return (struct prediction){ time.mean / repeats, half / repeats, cores.mean };
}

/* Is it simulated at this number of parts? Whoever cannot divide work has one part. */
static bool counts(enum gain_kind kind, int32_t tasks, const struct gain_advice *a)
{
        if (kind == GAIN_INDIVISIBLE)
                return tasks == a->loads.threads && a->loads.threads == 1;
        return kind != GAIN_KIND_NONE && tasks >= a->coarse;
}

static struct gain_outcome *outcome_of(struct gain_advice *a, const struct system_type *system,
                                       int32_t degree, bool placed)
{
        size_t kind = kind_of(system);
        for (int32_t i = 0; i < a->noutcome; i++)
                if (a->outcome[i].system == system && a->outcome[i].degree == degree &&
                    a->outcome[i].placed == placed)
                        return &a->outcome[i];
        if (a->noutcome == GAIN_OUTCOME_MAX)
                return NULL;
        a->outcome[a->noutcome] = (struct gain_outcome){ .system = system,
                                                         .name = system->name,
                                                         .degree = degree,
                                                         .kind = kinds[kind].kind,
                                                         .asks = kinds[kind].asks,
                                                         .placed = placed,
                                                         .coarse_s = NAN,
                                                         .fine_s = NAN,
                                                         .least_s = INFINITY };
        return &a->outcome[a->noutcome++];
}

/* How ranks are put on nodes for a simulation. */
struct setup {
        const char *systems;
        bool placed;    /* heavy beside light */
        int32_t joined; /* so many ranks are one */
        int32_t repeats;
};

static void take_point(struct gain_advice *a, const struct scenario_point *point,
                       const struct setup *setup, const struct prediction *p)
{
        int32_t tasks = (int32_t)point->value[SECTION_WORKLOAD][WORKLOAD_TRACE_TASKS];
        enum gain_kind kind = kinds[kind_of(point->system)].kind;
        double time_s = p->time_s + a->parts.transfer_s;
        bool plain = !setup->placed && setup->joined == 1;
        tasks /= setup->joined;
        if (kind == GAIN_KIND_NONE && plain && tasks == a->loads.threads)
                a->baseline_s = time_s;
        if (!counts(kind, tasks, a))
                return;
        struct gain_outcome *outcome = outcome_of(a, point->system, point->degree, setup->placed);
        if (!outcome)
                return;
        outcome->joined = setup->joined;
        if (tasks == a->coarse || kind == GAIN_INDIVISIBLE)
                outcome->coarse_s = time_s;
        if (tasks == a->fine || kind == GAIN_INDIVISIBLE)
                outcome->fine_s = time_s;
        outcome->least_s = fmin(outcome->least_s, time_s - p->half_width_s);
        outcome->most_s = fmax(outcome->most_s, time_s + p->half_width_s);
        outcome->cores = p->cores;
}

static int take_points(struct gain_advice *a, const struct sweep *sweep, const struct setup *setup,
                       struct lb_error *err)
{
        for (int64_t p = 0; p < sweep->scenario->npoint; p++) {
                struct scenario_point point;
                struct prediction prediction = predict(sweep, p, setup->repeats);
                if (scenario_point_get(sweep->scenario, p, &point, err) < 0)
                        return -1;
                take_point(a, &point, setup, &prediction);
                scenario_point_finish(&point);
        }
        return 0;
}

/* The parts of a rank's work: a part a thread, few, many. */
static void list_tasks(const struct gain_advice *a, int32_t joined, char *list)
{
        const int32_t parts[] = { a->loads.threads, a->coarse, a->fine };
        size_t size = 0;
        for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++)
                if (i == 0 || parts[i] > parts[i - 1])
                        size += (size_t)snprintf(list + size, LIST_SIZE - size, "%c%" PRId32,
                                                 i == 0 ? '[' : ',', parts[i] * joined);
        snprintf(list + size, LIST_SIZE - size, "]");
}

static int open_loads(const struct gain_advice *a, const struct setup *setup, char *name,
                      struct lb_error *err)
{
        int32_t *order = calloc((size_t)a->loads.nrank, sizeof(*order));
        if (!order)
                return lb_error_fail(err, "out of memory");
        in_order(&a->loads, order);
        int fd = write_loads(&a->loads, setup->placed ? a->place : order, setup->joined, name, err);
        free(order);
        return fd;
}

static int simulate(struct gain_advice *a, const struct gain_request *request, struct setup *setup,
                    struct lb_error *err)
{
        char name[LIST_SIZE], tasks[LIST_SIZE];
        struct scenario scenario;
        struct sweep sweep;
        int fd = open_loads(a, setup, name, err);
        if (fd < 0)
                return -1;
        setup->repeats = repeats_of(request, a);
        list_tasks(a, setup->joined, tasks);
        struct gain_setting setting = { .loads = name,
                                        .systems = setup->systems,
                                        .degrees = request->degrees,
                                        .tasks = tasks,
                                        .replicates = "3",
                                        .nnode = a->loads.nnode,
                                        .cores = a->cores,
                                        .appranks_per_node = a->per_node / setup->joined,
                                        .iterations = setup->repeats * (int32_t)a->loads.nwindow,
                                        .set = request->set,
                                        .nset = request->nset,
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

/* As it is, then in other ways: dlb evens out a node where heavy ranks sit beside light ones; a
 * rank with a single core has none to spare for a helper, so that ported programs that offload have
 * a rank on each node, with all of its cores. */
static int simulate_others(struct gain_advice *a, const struct gain_request *request,
                           struct lb_error *err)
{
        struct setup placed = { .systems = "dlb", .placed = true, .joined = 1 };
        struct setup joined = { .systems = "local,global,chameleon", .joined = a->per_node };
        if (a->loads.nnode == 1 || a->per_node == 1 || request->systems)
                return 0;
        if (simulate(a, request, &placed, err) < 0)
                return -1;
        return a->cores < 2 * a->per_node && a->cores > 1 ? simulate(a, request, &joined, err) : 0;
}

/* ---- What is unknown widens what is predicted ---- */

static void judge(struct gain_advice *a)
{
        const struct gain_parts *parts = &a->parts;
        a->worth = parts->between_s + parts->within_s >= GAIN_WORTH * parts->wall_s;
        a->error = parts->wall_known ? a->baseline_s / parts->wall_s - 1 : 0;
        a->predicted = fabs(a->error) <= GAIN_TRUST;
        if (a->predicted)
                return;
        bool shared = a->m->runnable_part > 0.1;
        snprintf(a->why_not, sizeof(a->why_not),
                 "without balancing it simulates to %.3g s, and %.3g s were measured: %s",
                 a->baseline_s, parts->wall_s,
                 shared ? "ranks shared CPUs; measure again with a CPU for each"
                 : a->m->synchronisations * parts->bound_s >
                         1.05 * (parts->bound_s + parts->between_s + parts->within_s)
                     ? "load moves between ranks faster than the windows of the measurement"
                     : "its waiting is not that for the ranks with most load (a chain of ranks, "
                       "one that hands out work, or time that was not measured)");
}

/* The model was off by so much without balancing; it is not better with it. */
static void widen(struct gain_advice *a, struct gain_outcome *outcome)
{
        double floor_s = fmin(a->parts.bound_s + a->parts.transfer_s, outcome->least_s);
        outcome->least_s = fmax(floor_s, outcome->least_s * (1 - fabs(a->error)));
        outcome->most_s *= 1 + fabs(a->error);
}

static int by_time(const void *left, const void *right)
{
        const struct gain_outcome *x = left, *y = right;
        double a = x->coarse_s + x->fine_s, b = y->coarse_s + y->fine_s;
        if (x->kind != y->kind)
                return x->kind < y->kind ? -1 : 1;
        if (a < b || a > b)
                return a < b ? -1 : 1;
        return x->degree - y->degree;
}

/* ---- Remedies without a system ---- */

static void add_remedy(struct gain_advice *a, const char *name, double compute_s, double most_s,
                       const char *asks)
{
        double transfer_s = a->parts.transfer_s;
        if (compute_s >= 0.99 * gain_longest_s(&a->loads) || a->nremedy == GAIN_REMEDY_MAX)
                return;
        struct gain_outcome *remedy = &a->remedy[a->nremedy++];
        *remedy = (struct gain_outcome){ .name = name,
                                         .degree = 1,
                                         .least_s = compute_s + transfer_s,
                                         .most_s = most_s + transfer_s,
                                         .coarse_s = most_s + transfer_s,
                                         .fine_s = compute_s + transfer_s,
                                         .cores = (double)a->cores * a->loads.nnode,
                                         .asks = asks };
        widen(a, remedy);
}

/* Work that a thread cannot share takes what it takes: from all of it divided to none. */
static void find_remedies(struct gain_advice *a)
{
        double longest_s = gain_longest_s(&a->loads), weighted_s = gain_weighted_s(&a->loads);
        add_remedy(a, "weights for the partition", weighted_s, weighted_s,
                   "a partitioner that takes weights");
        if (a->per_node < 2)
                return;
        int32_t *order = calloc((size_t)a->loads.nrank, sizeof(*order));
        if (order) {
                in_order(&a->loads, order);
                if (a->per_node > 2 && a->per_node % 2 == 0)
                        add_remedy(a, "half the ranks, twice the threads",
                                   gain_joined_s(&a->loads, order, 2), longest_s,
                                   "OpenMP in what takes the time");
                add_remedy(a, "one rank a node, all threads",
                           gain_joined_s(&a->loads, order, a->per_node), longest_s,
                           "OpenMP in what takes the time");
                if (a->loads.nnode > 1)
                        add_remedy(a, "heavy beside light, one rank a node",
                                   gain_joined_s(&a->loads, a->place, a->per_node), longest_s,
                                   "another partition, and OpenMP");
        }
        free(order);
}

/* ---- All of it ---- */

static int32_t ranks_per_node(const struct measured *m)
{
        int32_t least = INT32_MAX, most = 0, n = 0;
        int32_t *count = calloc((size_t)m->nnode, sizeof(*count));
        for (int32_t r = 0; count && r < m->nrank; r++)
                count[m->rank[r].node]++;
        for (n = 0; count && n < m->nnode; n++) {
                least = count[n] < least ? count[n] : least;
                most = count[n] > most ? count[n] : most;
        }
        free(count);
        return least == most ? most : 0;
}

/* --appranks-per-node says it where the measurement does not know nodes. */
static int place_ranks(struct measured *m, const struct gain_request *request, struct lb_error *err)
{
        int32_t per_node = request->appranks_per_node;
        if (per_node == 0)
                return 0;
        if (m->nrank % per_node)
                return lb_error_set(err,
                                    "--appranks-per-node %" PRId32 ": %s has %" PRId32
                                    " ranks, which is no multiple of it",
                                    per_node, request->path, m->nrank);
        for (int32_t r = 0; r < m->nrank; r++)
                m->rank[r].node = r / per_node;
        m->nnode = m->nrank / per_node;
        return 0;
}

static int fill(struct gain_advice *a, const struct gain_request *request, struct lb_error *err)
{
        int32_t threads = a->m->cores_per_rank > 0 ? a->m->cores_per_rank : 1;
        if (request->division == GAIN_THREADS)
                threads = request->parts;
        if (gain_loads_fill(&a->loads, a->m, threads, err) < 0)
                return -1;
        a->per_node = ranks_per_node(a->m);
        a->cores = request->cores ? request->cores : a->per_node * threads;
        if (a->per_node > 0 && a->cores < a->per_node * threads)
                return lb_error_set(err,
                                    "--cores %" PRId32 ": %s has %" PRId32 " ranks of %" PRId32
                                    " threads on a node",
                                    request->cores, request->path, a->per_node, threads);
        a->coarse = 2 * threads;
        a->fine = 20 * threads;
        if (request->division == GAIN_TASKS)
                a->coarse = a->fine = request->parts > threads ? request->parts : threads;
        if (request->division == GAIN_SERIAL)
                a->coarse = a->fine = threads;
        a->place = calloc((size_t)a->loads.nrank, sizeof(*a->place));
        if (!a->place)
                return lb_error_fail(err, "out of memory");
        gain_parts_fill(&a->parts, &a->loads, a->m);
        return 0;
}

static int predict_all(struct gain_advice *a, const struct gain_request *request,
                       struct lb_error *err)
{
        if (a->per_node == 0) {
                a->worth = a->parts.between_s + a->parts.within_s >= GAIN_WORTH * a->parts.wall_s;
                snprintf(a->why_not, sizeof(a->why_not),
                         "nodes have different numbers of ranks, which is not simulated");
                return 0;
        }
        gain_place(&a->loads, a->place);
        struct setup plain = { .systems = request->systems, .joined = 1 };
        if (simulate(a, request, &plain, err) < 0)
                return -1;
        judge(a);
        if (!a->predicted)
                return 0;
        if (simulate_others(a, request, err) < 0)
                return -1;
        for (int32_t i = 0; i < a->noutcome; i++)
                widen(a, &a->outcome[i]);
        qsort(a->outcome, (size_t)a->noutcome, sizeof(a->outcome[0]), by_time);
        find_remedies(a);
        return 0;
}

/* Open MPI's: where each rank goes, in its order. */
static int write_rankfile(const struct gain_advice *a, const char *path, struct lb_error *err)
{
        struct lb_file file;
        if (a->per_node == 0 || a->m->rank[0].host[0] == '\0')
                return lb_error_set(err,
                                    "--rankfile: %s has no names of nodes, or different "
                                    "numbers of ranks on them",
                                    a->path);
        if (lb_file_create(&file, path, err) < 0)
                return -1;
        for (int32_t i = 0; i < a->loads.nrank; i++) {
                int32_t first = i % a->per_node * a->loads.threads;
                int32_t node = i / a->per_node, r = 0;
                while (a->loads.node[r] != node)
                        r++;
                fprintf(file.stream, "rank %" PRId32 "=%s slot=%" PRId32, a->place[i],
                        a->m->rank[r].host, first);
                if (a->loads.threads > 1)
                        fprintf(file.stream, "-%" PRId32, first + a->loads.threads - 1);
                fputc('\n', file.stream);
        }
        return lb_file_commit(&file, err);
}

int gain_measured(const struct gain_request *request, struct lb_error *err)
{
        struct measured m;
        if (measured_read(&m, request->path, err) < 0)
                return -1;
        struct gain_advice *a = calloc(1, sizeof(*a));
        int status = a ? place_ranks(&m, request, err) : lb_error_fail(err, "out of memory");
        if (status == 0) {
                a->m = &m;
                a->path = request->path;
                status = fill(a, request, err);
        }
        if (status == 0)
                status = predict_all(a, request, err);
        if (status == 0 && request->rankfile)
                status = write_rankfile(a, request->rankfile, err);
        if (status == 0 && request->html)
                status = gain_page_write(a, request->html, err);
        if (status == 0)
                status = gain_verdict_print(a, request->format, err);
        if (a) {
                gain_loads_finish(&a->loads);
                free(a->place);
        }
        free(a);
        measured_finish(&m);
        return status;
}
