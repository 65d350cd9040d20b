/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef LB_SIM_COMMANDS_GAIN_SCENARIO_H
#define LB_SIM_COMMANDS_GAIN_SCENARIO_H

#include "sim/commands/gain_machine.h"
#include "sim/sweep/sweep.h"

/* scenarios/gain.json with what is given set in it, and run (private to this room). */

struct gain_setting {
        const char *loads;      /* a file of models/trace.h, or, where `ordered`, taskgraph.h */
        const char *systems;    /* "a,b"; NULL: all */
        const char *among;      /* with `part`: this run is one of several, of all these systems, as
                                   above, and one of them has to use what is set */
        const char *degrees;    /* "2,4"; NULL: 2,3,4,8 */
        const char *tasks;      /* workload.trace_tasks, "5" or "[1,20]"; NULL: as measured */
        const char *replicates; /* NULL: 1 */
        const char *platform;   /* a machine to include, or NULL */
        const struct gain_machine *machine; /* its constants at `costs`; NULL: as they are */
        enum gain_costs costs;
        int32_t nnode, cores, appranks_per_node, iterations;
        const char *const *set; /* [nset] of the command line, after all that */
        int32_t nset;
        bool ordered;
        bool teams; /* the work is that of OpenMP's regions: a team has every CPU that there is */
        bool quiet, part;
};

/* So many tasks are half a minute of one core: what is beyond the question itself is no more. */
enum { GAIN_TASKS_MOST = 20000000 };

/* On failure both are empty; else the caller finishes the sweep, then closes the scenario. */
int gain_simulate(const struct gain_setting *setting, struct scenario *scenario,
                  struct sweep *sweep, struct lb_error *err) LB_MUST_CHECK;

/* The same with the constants as they are, and where all are cheap and where all are dear; three
 * times each, at other moments. Where that is more than GAIN_TASKS_MOST tasks, once,
 * and fewer iterations where they are cheap and dear. */
struct gain_runs {
        struct scenario scenario[GAIN_COSTS_ALL];
        struct sweep sweep[GAIN_COSTS_ALL];
        int32_t count; /* GAIN_COSTS_ALL, or 1 */
};

/* tasks: of an iteration; turn: iterations are a multiple of it, where they are fewer. Without a
 * machine once at all. Replicates are those of the setting where it says so. On failure there is
 * nothing to finish. */
int gain_runs_simulate(const struct gain_setting *setting, double tasks, int32_t turn,
                       struct gain_runs *runs, struct lb_error *err) LB_MUST_CHECK;
void gain_runs_finish(struct gain_runs *runs);

#endif
