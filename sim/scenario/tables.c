/* SPDX-License-Identifier: BSD-3-Clause */
#include <assert.h>
#include <pthread.h>
#include <string.h>

#include "graphs/graph.h"
#include "policies/grow.h"
#include "policies/migrate.h"
#include "sim/engine/host.h"
#include "sim/scenario/figures.h"
#include "sim/scenario/scenario_impl.h"
#include "sim/engine/sim.h"

/*
 * The sections and their tables. Rooms own their tables; the system section's is put together from
 * the policies', once per process, as is the list of systems.
 */

static const char *const figures[] = { "none",
#define NAME(figure) #figure,
                                       FIGURES(NAME) NULL };

const struct lb_param output_params[] = {
        [OUTPUT_FIGURE] = { .name = "figure",
                            .type = LB_PARAM_CHOICE,
                            .choices = figures,
                            .help = "which figure to draw of the results" },
        [OUTPUT_SERIES_S] = { .name = "series_s",
                              .unit = "s",
                              .type = LB_PARAM_NUMBER,
                              .max = 3600,
                              .help = "interval of the time series of node imbalance, from 1e-6; "
                                      "0: none" },
        [OUTPUT_WORKERS] = { .name = "workers",
                             .type = LB_PARAM_SWITCH,
                             .max = 1,
                             .help = "with time series: busy and owned cores of every worker" },
        [OUTPUT_CLAIM_AT_MOST] = { .name = "claim_at_most",
                                   .type = LB_PARAM_NUMBER,
                                   .fallback = 1,
                                   .max = 1000,
                                   .help = "figure claim: the first value's time is at most so "
                                           "many times that of the best other, or of the bound" },
        [OUTPUT_CLAIM_FREED] = { .name = "claim_freed",
                                 .type = LB_PARAM_NUMBER,
                                 .max = 1,
                                 .help = "figure claim: and at least this share of the fastest "
                                         "nodes' cores is freed; 0: not asked" },
        [OUTPUT_NPARAM] = { .name = NULL },
};

const struct lb_param scenario_root_params[] = {
        [ROOT_REPLICATES] = { .name = "replicates",
                              .type = LB_PARAM_INTEGER,
                              .fallback = 1,
                              .min = 1,
                              .max = 10000,
                              .help = "runs of every point, each with a seed of its own; with "
                                      "precision: at least so many" },
        [ROOT_PRECISION] = { .name = "precision",
                             .unit = "",
                             .type = LB_PARAM_NUMBER,
                             .fallback = 0,
                             .min = 0,
                             .max = 1,
                             .help = "add replicates until half the 95% confidence interval of "
                                     "time_per_iteration_s is at most this fraction of it; 0: "
                                     "never" },
        [ROOT_REPLICATES_MOST] = { .name = "replicates_most",
                                   .unit = "",
                                   .type = LB_PARAM_INTEGER,
                                   .fallback = 100,
                                   .min = 2,
                                   .max = 10000,
                                   .help = "with precision: at most so many replicates" },
        [ROOT_SEED] = { .name = "seed",
                        .type = LB_PARAM_INTEGER,
                        .fallback = 1,
                        .min = 0,
                        .max = LB_PARAM_WHOLE_MAX,
                        .help = "seed of loads and durations, the same for all points" },
        [ROOT_NPARAM] = { .name = NULL },
};

const char *const scenario_root_words[] = { "name",  "description", "include",
                                            "sweep", "$schema",     NULL };

const struct lb_param scenario_speed_params[] = {
        [SPEED_NODE] = { .name = "node",
                         .type = LB_PARAM_INTEGER,
                         .min = 0,
                         .max = 4095,
                         .help = "which node, from 0" },
        [SPEED_FACTOR] = { .name = "factor",
                           .type = LB_PARAM_NUMBER,
                           .fallback = 1,
                           .min = 0.001,
                           .max = 1000,
                           .help = "its speed; 0.5: tasks last twice as long" },
        [SPEED_EVERY] = { .name = "every",
                          .type = LB_PARAM_INTEGER,
                          .max = 4096,
                          .help = "and every so-many-th node after it; 0: it alone" },
        [SPEED_LINK] = { .name = "link",
                         .type = LB_PARAM_NUMBER,
                         .fallback = 1,
                         .min = 1e-6,
                         .max = 1e6,
                         .help = "bandwidth of its NIC over that of the network" },
        [SPEED_JOINED] = { .name = "joined",
                           .type = LB_PARAM_SWITCH,
                           .max = 1,
                           .help = "it and the node before it are parts of one machine, with that "
                                   "one's NIC" },
        [SPEED_NPARAM] = { .name = NULL },
};

const struct lb_param scenario_load_param = {
        .name = "load_ms",
        .unit = "ms",
        .type = LB_PARAM_NUMBER,
        .max = 3.6e6,
        .help = "mean duration of one apprank's tasks",
};

/* ---- The system section ---- */

enum { SYSTEM_MAX = 32 };

static const char *system_names[SYSTEM_MAX + 1];
static struct lb_param name_params[] = {
        [SYSTEM_NAME] = { .name = "name",
                          .type = LB_PARAM_CHOICE,
                          .choices = system_names,
                          .help = "which system balances the load" },
        { .name = NULL },
};
static struct policy_params system_params;
static pthread_once_t system_once = PTHREAD_ONCE_INIT;

static void name_systems(void)
{
        int count = 0;
        for (; system_at(count); count++) {
                assert(count < SYSTEM_MAX);
                system_names[count] = system_at(count)->name;
                if (strcmp(system_at(count)->name, "global") == 0)
                        name_params[SYSTEM_NAME].fallback = count;
        }
}

static void make_system_params(void)
{
        struct policy_params *all = &system_params;
        name_systems();
        policy_params_add(all, "system", name_params);
        policy_params_add_systems(all);
        for (int i = 0; grow_types[i]; i++)
                policy_params_add(all, grow_types[i]->name, grow_types[i]->params);
        for (int i = 0; migrate_types[i]; i++)
                policy_params_add(all, migrate_types[i]->name, migrate_types[i]->params);
        for (int h = 0; sim_hosts[h]; h++)
                for (int i = 0; sim_hosts[h]->tables[i]; i++)
                        policy_params_add(all, sim_hosts[h]->name, sim_hosts[h]->tables[i]);
        policy_params_add_plugged(all);
}

const struct policy_params *scenario_system_params(void)
{
        pthread_once(&system_once, make_system_params);
        return &system_params;
}

/* ---- Sections ---- */

static const struct {
        const char *path;
        const struct lb_param *table;
        const char *list[SECTION_LISTS_MAX];
} sections[SECTION_COUNT] = {
        [SECTION_PLATFORM] = { "platform", platform_params, { "speed" } },
        [SECTION_NETWORK] = { "platform.network", network_params, { NULL } },
        [SECTION_POWER] = { "platform.power", power_params, { NULL } },
        [SECTION_GRAPH] = { "graph", graph_params, { NULL } },
        [SECTION_WORKLOAD] = { "workload", workload_params, { "load_ms", "file" } },
        [SECTION_SYSTEM] = { "system", system_params.param, { NULL } },
        [SECTION_RUNTIME] = { "runtime", runtime_params, { NULL } },
        [SECTION_OUTPUT] = { "output", output_params, { NULL } },
};

const char *scenario_section_path(enum scenario_section section)
{
        return sections[section].path;
}

const struct lb_param *scenario_section_table(enum scenario_section section)
{
        scenario_system_params();
        return sections[section].table;
}

const char *scenario_list_name(enum scenario_section section, int number)
{
        return number < SECTION_LISTS_MAX ? sections[section].list[number] : NULL;
}

int scenario_section_find(enum scenario_section outer, const char *key)
{
        char path[64] = "";
        if (strlen(key) > 30)
                return -1;
        if (outer != SECTION_COUNT)
                snprintf(path, sizeof(path), "%s.%s", sections[outer].path, key);
        else if (!strchr(key, '.'))
                snprintf(path, sizeof(path), "%s", key);
        for (int s = 0; s < SECTION_COUNT; s++)
                if (strcmp(sections[s].path, path) == 0)
                        return s;
        return -1;
}

size_t scenario_value_count(void)
{
        size_t count = 0;
        for (int s = 0; s < SECTION_COUNT; s++)
                count += lb_param_count(scenario_section_table((enum scenario_section)s));
        return count;
}

void scenario_value_split(double *all, double **value)
{
        for (int s = 0; s < SECTION_COUNT; s++) {
                value[s] = all;
                all += lb_param_count(scenario_section_table((enum scenario_section)s));
        }
}

/* ---- Paths ---- */

const struct lb_param *scenario_target_param(struct scenario_target target)
{
        const struct lb_param *table = scenario_section_table(target.section);
        return target.index < (int)lb_param_count(table) ? &table[target.index] : NULL;
}

bool scenario_target_is_file(struct scenario_target target)
{
        return target.section == SECTION_WORKLOAD && target.index == TARGET_FILE;
}

static const char *target_name(struct scenario_target target)
{
        const struct lb_param *param = scenario_target_param(target);
        size_t count = lb_param_count(scenario_section_table(target.section));
        return param ? param->name : scenario_list_name(target.section, target.index - (int)count);
}

void scenario_target_path(struct scenario_target target, char *path, size_t size)
{
        snprintf(path, size, "%s.%s", sections[target.section].path, target_name(target));
}

int scenario_list_find(enum scenario_section section, const char *name)
{
        int count = (int)lb_param_count(scenario_section_table(section));
        for (int i = 0; scenario_list_name(section, i); i++)
                if (strcmp(scenario_list_name(section, i), name) == 0)
                        return count + i;
        return -1;
}

int scenario_target_find(const char *path, struct scenario_target *target)
{
        const char *dot = strrchr(path, '.');
        for (int s = 0; dot && s < SECTION_COUNT; s++) {
                const char *section = sections[s].path;
                size_t length = (size_t)(dot - path);
                if (strlen(section) != length || strncmp(section, path, length) != 0)
                        continue;
                target->section = (enum scenario_section)s;
                const struct lb_param *table = scenario_section_table(target->section);
                target->index = lb_param_find(table, dot + 1);
                if (target->index < 0)
                        target->index = scenario_list_find(target->section, dot + 1);
                return target->index < 0 ? -1 : 0;
        }
        return -1;
}
