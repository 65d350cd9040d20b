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

#include "models/trace.h"
#include "sim/commands/gain_measured.h"
#include "sim/commands/gain_scenario.h"

/* Every system simulated on measured loads: as ranks are, in other ways, on other nodes. */

enum { LIST_SIZE = 64, SETTLED_S = 60, NODES_MAX = 16, TASKS_MOST = 2000000 };

/* ---- Systems ---- */

/* What each system takes a program to be, and asks of who has it. Those that are not named move
 * tasks. */
static const struct {
        const char *system;
        enum gain_kind kind;
        const char *asks;
} kinds[] = {
        { "baseline", GAIN_KIND_NONE, "nothing: as it is" },
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

const char gain_what_runs[] =
    "lbrun runs packing on this program as it is, dlb and dpb on its OpenMP threads, and the "
    "tasks\n"
    "of programs that were ported (live: ported); the others are simulated alone.";

const char *gain_live(const struct gain_outcome *outcome)
{
        if (!outcome->system || outcome->kind == GAIN_KIND_NONE)
                return "";
        if (system_is_for_any(outcome->system))
                return "as it is";
        return system_is_live(outcome->system) ? "ported" : "no";
}

double gain_less_percent(const struct gain_advice *a, double time_s)
{
        return 100 * (1 - time_s / a->baseline_s);
}

/* ---- A workload for the simulator ---- */

/* How ranks are put on nodes for a simulation. */
struct setup {
        const char *systems;
        const int32_t *place;                   /* [nrank] in the order of nodes */
        bool placed;                            /* heavy beside light */
        int32_t joined, nnode, per_node, cores; /* joined: so many ranks are one */
        int32_t repeats;
};

static void write_rows(FILE *out, const struct gain_loads *loads, const struct setup *setup)
{
        int32_t joined = setup->joined;
        fputs("iteration,apprank,work_s,tasks\n", out);
        for (int64_t w = 0; w < loads->nwindow; w++)
                for (int32_t i = 0; i < loads->nrank; i += joined) {
                        double load_s = 0;
                        for (int32_t j = i; j < i + joined; j++)
                                load_s += loads->load_s[w * loads->nrank + setup->place[j]];
                        load_s = load_s < 1e-9 ? 0 : load_s;
                        fprintf(out, "%" PRId64 ",%" PRId32 ",%.12g,%d\n", w, i / joined, load_s,
                                load_s > 0 ? 1 + (int)(load_s / 3600) : 0);
                }
}

/* A file of memory, so that nothing is left behind; its name goes into name[LIST_SIZE]. Returns its
 * descriptor, or -1. */
static int write_loads(const struct gain_loads *loads, const struct setup *setup, char *name,
                       struct lb_error *err)
{
        int fd = memfd_create("loads", MFD_CLOEXEC);
        FILE *out = fd < 0 ? NULL : fdopen(dup(fd), "w");
        if (out)
                write_rows(out, loads, setup);
        if (out && fclose(out) == 0) {
                snprintf(name, LIST_SIZE, "/proc/self/fd/%d", fd);
                return fd;
        }
        lb_error_fail(err, "cannot keep the loads in memory: %s", strerror(errno));
        if (fd >= 0)
                close(fd);
        return -1;
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

/* ---- What came out ---- */

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

/* Is it simulated at this number of parts? Whoever cannot divide work has one part a thread. */
static bool counts(enum gain_kind kind, int32_t tasks, const struct gain_advice *a)
{
        if (kind == GAIN_INDIVISIBLE)
                return tasks == a->loads.threads && a->loads.threads == 1;
        return kind == GAIN_KIND_NONE ? tasks == a->loads.threads : tasks >= a->coarse;
}

static bool is_of(const struct gain_outcome *outcome, const struct scenario_point *point,
                  const struct setup *setup)
{
        return outcome->system == point->system && outcome->degree == point->degree &&
               outcome->nodes == setup->nnode && outcome->placed == setup->placed &&
               outcome->joined == setup->joined;
}

static struct gain_outcome *outcome_of(struct gain_advice *a, const struct scenario_point *point,
                                       const struct setup *setup, struct lb_error *err)
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
        size_t kind = kind_of(point->system);
        a->outcome = grown;
        a->outcome[a->noutcome] = (struct gain_outcome){ .system = point->system,
                                                         .name = point->system->name,
                                                         .degree = point->degree,
                                                         .nodes = setup->nnode,
                                                         .kind = kinds[kind].kind,
                                                         .asks = kinds[kind].asks,
                                                         .placed = setup->placed,
                                                         .joined = setup->joined,
                                                         .coarse_s = NAN,
                                                         .fine_s = NAN,
                                                         .least_s = INFINITY };
        return &a->outcome[a->noutcome++];
}

static int take_point(struct gain_advice *a, const struct scenario_point *point,
                      const struct setup *setup, const struct prediction *p, struct lb_error *err)
{
        int32_t tasks = (int32_t)point->value[SECTION_WORKLOAD][WORKLOAD_TRACE_TASKS];
        enum gain_kind kind = kinds[kind_of(point->system)].kind;
        double time_s = p->time_s + a->parts.transfer_s;
        bool here = setup->nnode == a->loads.nnode;
        tasks /= setup->joined;
        if (!counts(kind, tasks, a) ||
            (kind == GAIN_KIND_NONE && (setup->placed || setup->joined > 1)))
                return 0;
        if (kind == GAIN_KIND_NONE && here) {
                a->baseline_s = time_s;
                return 0;
        }
        struct gain_outcome *outcome = outcome_of(a, point, setup, err);
        if (!outcome)
                return -1;
        if (tasks == a->coarse || kind <= GAIN_INDIVISIBLE)
                outcome->coarse_s = time_s;
        if (tasks == a->fine || kind <= GAIN_INDIVISIBLE)
                outcome->fine_s = time_s;
        outcome->least_s = fmin(outcome->least_s, time_s - p->half_width_s);
        outcome->most_s = fmax(outcome->most_s, time_s + p->half_width_s);
        outcome->cores = p->cores;
        return 0;
}

static int take_points(struct gain_advice *a, const struct sweep *sweep, const struct setup *setup,
                       struct lb_error *err)
{
        int status = 0;
        for (int64_t p = 0; status == 0 && p < sweep->scenario->npoint; p++) {
                struct scenario_point point;
                struct prediction prediction = predict(sweep, p, setup->repeats);
                if (scenario_point_get(sweep->scenario, p, &point, err) < 0)
                        return -1;
                status = take_point(a, &point, setup, &prediction, err);
                scenario_point_finish(&point);
        }
        return status;
}

/* ---- Simulations ---- */

/* Whole repetitions of what was measured, about a minute, so that policies settle; fewer where that
 * would be more than TASKS_MOST tasks of a simulation, which takes seconds. */
static int32_t repeats_of(const struct gain_request *request, const struct gain_advice *a)
{
        double tasks = (double)a->loads.nrank * (double)a->loads.nwindow * a->fine;
        double count = request->iterations ? ceil(request->iterations / (double)a->loads.nwindow)
                                           : ceil(SETTLED_S / gain_longest_s(&a->loads));
        double most = TRACE_ITERATION_MAX / (double)a->loads.nwindow;
        if (!request->iterations)
                count = fmin(count, floor(TASKS_MOST / tasks));
        return (int32_t)fmax(1, fmin(fmin(count, 1000), most));
}

static int simulate(struct gain_advice *a, const struct gain_request *request, struct setup *setup,
                    struct lb_error *err)
{
        char name[LIST_SIZE], tasks[LIST_SIZE];
        struct scenario scenario;
        struct sweep sweep;
        int fd = write_loads(&a->loads, setup, name, err);
        if (fd < 0)
                return -1;
        setup->repeats = repeats_of(request, a);
        list_tasks(a, setup->joined, tasks);
        struct gain_setting setting = { .loads = name,
                                        .systems = setup->systems,
                                        .degrees = request->degrees,
                                        .platform = request->platform,
                                        .tasks = tasks,
                                        .replicates = "3",
                                        .nnode = setup->nnode,
                                        .cores = setup->cores,
                                        .appranks_per_node = setup->per_node / setup->joined,
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

static struct setup setup_of(const struct gain_advice *a, int32_t nnode)
{
        return (struct setup){ .place = a->order,
                               .joined = 1,
                               .nnode = nnode,
                               .per_node = a->loads.nrank / nnode,
                               .cores = a->cores };
}

int gain_predict_plain(struct gain_advice *a, const struct gain_request *request,
                       struct lb_error *err)
{
        struct setup plain = setup_of(a, a->loads.nnode);
        plain.systems = request->systems;
        return simulate(a, request, &plain, err);
}

/* dlb evens out a node where heavy ranks sit beside light ones. */
static int simulate_placed(struct gain_advice *a, const struct gain_request *request,
                           struct setup placed, struct lb_error *err)
{
        struct gain_loads there = a->loads;
        int32_t *place = calloc((size_t)a->loads.nrank, sizeof(*place));
        if (!place)
                return lb_error_fail(err, "out of memory for %d ranks", a->loads.nrank);
        there.nnode = placed.nnode;
        gain_place(&there, place);
        placed.place = place;
        placed.placed = true;
        placed.systems = "dlb";
        int status = simulate(a, request, &placed, err);
        free(place);
        return status;
}

/* Where ranks have a single core, helpers own none and run on what others lend; a rank on each
 * node, with all of its cores, has some to give. */
static int simulate_others(struct gain_advice *a, const struct gain_request *request,
                           struct setup joined, struct lb_error *err)
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
        struct setup setup = setup_of(a, nnode);
        size_t size = strlen(a->left_out);
        if (nnode == a->loads.nnode)
                return 0;
        if (a->loads.nrank % nnode != 0 || setup.per_node > a->cores) {
                snprintf(a->left_out + size, sizeof(a->left_out) - size,
                         "%s%" PRId32 " nodes (%" PRId32 " ranks %s)", size ? ", " : "", nnode,
                         a->loads.nrank,
                         a->loads.nrank % nnode ? "are no multiple of it"
                                                : "are more than their cores");
                return 0;
        }
        setup.systems = request->systems;
        return simulate(a, request, &setup, err) < 0 ? -1 : simulate_others(a, request, setup, err);
}

/* "2,4,8"; how many, or -1 with a message */
static int32_t read_nodes(const char *text, int32_t nodes[static NODES_MAX], struct lb_error *err)
{
        int32_t count = 0;
        for (const char *at = text; at; count++) {
                char *end;
                long value = strtol(at, &end, 10);
                bool fine = *at >= '0' && *at <= '9' && (*end == ',' || *end == '\0') &&
                            value >= 1 && value <= MEASURED_RANK_MAX;
                if (!fine || count == NODES_MAX)
                        return lb_error_set(err,
                                            "--nodes %.60s: allowed are up to %d whole numbers "
                                            "from 1 to %d with commas between them",
                                            text, NODES_MAX, MEASURED_RANK_MAX);
                nodes[count] = (int32_t)value;
                at = *end ? end + 1 : NULL;
        }
        return count;
}

int gain_check_nodes(const struct gain_request *request, struct lb_error *err)
{
        int32_t nodes[NODES_MAX];
        return request->nodes && read_nodes(request->nodes, nodes, err) < 0 ? -1 : 0;
}

int gain_predict_others(struct gain_advice *a, const struct gain_request *request,
                        struct lb_error *err)
{
        int32_t nodes[NODES_MAX];
        int32_t count = request->nodes ? read_nodes(request->nodes, nodes, err) : 0;
        int status = count < 0 ? -1 : simulate_others(a, request, setup_of(a, a->loads.nnode), err);
        for (int32_t i = 0; status == 0 && i < count; i++)
                status = simulate_nodes(a, request, nodes[i], err);
        return status;
}
