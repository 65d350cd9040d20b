/* SPDX-License-Identifier: BSD-3-Clause */
#include "policies/system.h"

#include <string.h>

#include "policies/dpb.h"
#include "policies/migrate.h"
#include "policies/pack.h"
#include "policies/plugged.h"

/* A core that is always busy changes owner at its next task boundary, tasks are placed on the cores
 * that are at hand and not only on those that are owned, idle cores ask for tasks, decisions go by
 * iterations, and figures are fresh: what most of the papers' systems' distance to the bound is,
 * short of the physics (docs/tight.md). */
static const struct system_setting tight_settings[] = {
        { "runtime.ownership", "boundary", false },
        { "runtime.poll_s", "0.05", false },
        { "runtime.poll_iterations", "0.1", false },
        { "runtime.poll_cpu_us", "10", true },
        { "runtime.place_cpu_us", "1", true },
        { "runtime.ask", "true", false },
        { "runtime.ask_waiting", "true", false },
        { "system.average_iterations", "2", false },
        { "system.period_iterations", "1", false },
        { "system.place_cores", "at_hand", false },
        { "system.place_tail", "true", false },
        { "system.place_tail_whole", "true", false },
        { "system.place_slow_tasks_per_core", "1", false },
        { "system.place_slow_sooner", "true", false },
        { "system.place_scatter", "0.3", false },
        { "system.place_scatter_s", "0.02", false },
        { "system.place_tail_margin", "0.5", false },
        { "system.place_trips", "true", false },
        { "system.lend_to_last", "true", false },
        { "system.grow_start_cores", "8", false },
        { "system.grow_gain", "0.1", false },
        { "system.grow_steady_gain", "0.02", false },
        { "system.grow_idle_s", "1e6", false },
        { NULL, NULL, false },
};

/* A helper begins with one core. Where busy cores stay with their owner, further ones come to it
 * only as polls find idle ones, and the loads that it was started for are busy: 1.10 of the bound
 * in place of 1.05 live (docs/validation.md). ICPP'22 5.2 leaves open how cores come to a new
 * helper. */
static const struct system_setting dynamic_settings[] = {
        { "runtime.ownership", "boundary", false },
        { NULL, NULL, false },
};

/* A team of threads has every CPU that others lend, where tasks are sent to a process few for each
 * core of its own. Tasks are how a region is simulated: its threads create none, and begin none. */
const struct system_setting system_teams[] = {
        { "system.place_tasks_per_core", "1000000", true },
        { "runtime.ownership", "boundary", true },
        { "runtime.poll_s", "1", true },
        { "runtime.create_us", "0", true },
        { "runtime.task_us", "0", true },
        { NULL, NULL, false },
};

const struct system_setting system_published[] = {
        { "system.place_cores", "target", false },
        { "system.place_finish_stop", "false", false },
        { "runtime.targets", "false", true },
        { NULL, NULL, false },
};

const struct system_type system_types[] = {
        { .name = "baseline",
          .help = "nothing: each apprank keeps its own cores",
          .alloc = "static",
          .lend = "lewi",
          .place = "locality" },
        { .name = "dlb",
          .help = "LeWI and DROM among the processes of one node, no offloading",
          .alloc = "local",
          .lend = "lewi",
          .place = "locality",
          .lewi = true,
          .drom = true },
        { .name = "local",
          .help = "offloading over an expander graph, cores follow busy cores node by node",
          .alloc = "local",
          .lend = "lewi",
          .place = "locality",
          .offloads = true,
          .lewi = true,
          .drom = true },
        { .name = "global",
          .help = "offloading over an expander graph, cores from a global optimisation",
          .alloc = "global",
          .lend = "lewi",
          .place = "locality",
          .offloads = true,
          .lewi = true,
          .drom = true },
        { .name = "dynamic",
          .help =
              "global from degree 1 on, with helpers started and retired as the load needs them",
          .alloc = "global",
          .lend = "lewi",
          .place = "locality",
          .lewi = true,
          .drom = true,
          .grow = "cut",
          .settings = dynamic_settings },
        { .name = "chameleon",
          .help = "reactive push migration of tasks to any rank, each with a communication thread",
          .host = "chameleon" },
        { .name = "dpb",
          .help = "MPI + OpenMP: processors move among the processes of a node",
          .host = "dpb" },
        { .name = "packing",
          .help = "processes that wait share CPUs, so that others are free, at the same time",
          .host = "packing" },
        { .name = "tight",
          .help = "ours: global, with cores that change owner at task boundaries, tasks placed on "
                  "the cores at hand, idle cores that ask for tasks, and fresh figures",
          .alloc = "global",
          .lend = "lewi",
          .place = "locality",
          .offloads = true,
          .lewi = true,
          .drom = true,
          .grow = "cut",
          .settings = tight_settings },
        { .name = NULL },
};

const struct system_type *system_at(int i)
{
        int nbuiltin = (int)(sizeof(system_types) / sizeof(system_types[0])) - 1;
        if (i < nbuiltin)
                return &system_types[i];
        const struct plugged *plugged = plugged_at(i - nbuiltin);
        return plugged ? plugged->plugin->system : NULL;
}

bool system_is_built_in(const struct system_type *system)
{
        for (const struct system_type *own = system_types; own->name; own++)
                if (own == system)
                        return true;
        return false;
}

const struct system_type *system_find(const char *name)
{
        for (int i = 0; system_at(i); i++)
                if (strcmp(system_at(i)->name, name) == 0)
                        return system_at(i);
        return NULL;
}

const char *system_own_policy(const struct system_type *system, const struct lb_param **params)
{
        *params = system->migrate ? migrate_find(system->migrate)->params
                  : system->pack  ? pack_find(system->pack)->params
                  : system->dpb   ? dpb_find(system->dpb)->params
                                  : NULL;
        return system->migrate ? system->migrate : system->pack ? system->pack : system->dpb;
}

bool system_finds_degree(const struct system_type *system)
{
        return system->grow && !system->offloads;
}

bool system_migrates(const struct system_type *system)
{
        return system && system->host && strcmp(system->host, "chameleon") == 0;
}

bool system_is_live(const struct system_type *system)
{
        return !system->host || system_migrates(system);
}

const char *system_for_any(const struct system_type *system)
{
        if (!system_is_live(system))
                return system->host;
        bool moves = (system->lewi || system->drom) && !system->offloads && !system->grow;
        return !system->host && moves ? "dlb" : NULL;
}
