/* SPDX-License-Identifier: BSD-3-Clause */
#include "sim/commands/gain_scenario.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/data.h"
#include "base/text.h"
#include "policies/system.h"
#include "sim/engine/host.h"

enum { WORD_MAX = 64, TEXT_SIZE = 4096, LIVE_MAX = 6, TEAMS_MAX = 5 };
enum { OWN_MAX = 11 + LIVE_MAX + TEAMS_MAX + GAIN_CONSTANTS };

/* "a,b" as the JSON array ["a","b"] or [a,b]. Returns how much of text[size] is written. */
static void list_json(const char *list, bool quotes, char *text, size_t size)
{
        size_t at = (size_t)snprintf(text, size, "[");
        while (*list && at + WORD_MAX < size) {
                int length = (int)strcspn(list, ",");
                length = length < WORD_MAX - 8 ? length : WORD_MAX - 8;
                at += (size_t)snprintf(text + at, size - at, "%s%s%.*s%s", at > 1 ? "," : "",
                                       quotes ? "\"" : "", length, list, quotes ? "\"" : "");
                list += strcspn(list, ",");
                list += *list == ',';
        }
        snprintf(text + at, size - at, "]");
}

static void all_systems(char *text, size_t size)
{
        text[0] = '\0';
        for (int i = 0; system_at(i); i++)
                lb_text_add(text, size, "%s%s", i ? "," : "", system_at(i)->name);
}

/* What is set in scenarios/gain.json: text and pointers into it. */
struct setting {
        char text[OWN_MAX][TEXT_SIZE];
        const char **set; /* [nset] the caller's after ours */
        int32_t nset;
};

static void add(struct setting *s, const char *path, const char *value)
{
        char *text = s->text[s->nset];
        snprintf(text, TEXT_SIZE, "%s=%s", path, value);
        s->set[s->nset++] = text;
}

static void add_count(struct setting *s, const char *path, int32_t value)
{
        char text[16];
        snprintf(text, sizeof(text), "%" PRId32, value);
        add(s, path, text);
}

static void add_costs(struct setting *s, const struct gain_machine *machine, enum gain_costs costs)
{
        for (int c = 0; c < GAIN_CONSTANTS && costs != GAIN_COSTS_USUAL; c++) {
                const struct gain_constant *constant = &machine->constant[c];
                char number[32];
                snprintf(number, sizeof(number), "%.9g",
                         costs == GAIN_COSTS_CHEAP ? constant->cheap : constant->dear);
                if (!constant->known)
                        add(s, constant->path, number);
        }
}

/* Where a graph grows, lbrun's helpers sleep beside the appranks, and are only woken. */
static const struct sim_host_live live_growth[] = {
        { "system.start_s", "0" },
        { "system.start_cpu_s", "0" },
        { NULL, NULL },
};

static bool is_of(const struct system_type *system, const struct sim_host *host)
{
        if (!host)
                return system->grow != NULL;
        return system->host && strcmp(system->host, host->name) == 0;
}

/* Is a system of this host, or for NULL one that grows, in the list? */
static bool is_asked_for(const struct sim_host *host, const char *systems)
{
        char list[TEXT_SIZE], name[WORD_MAX + 2];
        snprintf(list, sizeof(list), ",%s,", systems);
        for (int i = 0; system_at(i); i++) {
                snprintf(name, sizeof(name), ",%s,", system_at(i)->name);
                if (is_of(system_at(i), host) && strstr(list, name))
                        return true;
        }
        return false;
}

static void add_live_of(struct setting *s, const struct sim_host *host, const char *systems,
                        int32_t most)
{
        const struct sim_host_live *live = host ? host->live : live_growth;
        if (!is_asked_for(host, systems))
                return;
        for (; live && live->path && s->nset < most; live++)
                add(s, live->path, live->value);
}

/* As live runs have it; which systems of other hosts do not read. */
static void add_live(struct setting *s, const char *systems)
{
        int32_t most = s->nset + LIVE_MAX;
        add_live_of(s, NULL, systems, most);
        for (int h = 0; sim_hosts[h]; h++)
                add_live_of(s, sim_hosts[h], systems, most);
}

static void fill(struct setting *s, const struct gain_setting *given)
{
        char names[TEXT_SIZE - 64], list[TEXT_SIZE - 32];
        if (given->ordered)
                add(s, "workload.model", "graph");
        add(s, "workload.file", given->loads);
        add_count(s, "workload.iterations", given->iterations);
        add_count(s, "platform.nodes", given->nnode);
        add_count(s, "platform.cores_per_node", given->cores);
        add_count(s, "platform.appranks_per_node", given->appranks_per_node);
        all_systems(names, sizeof(names));
        list_json(given->systems ? given->systems : names, true, list, sizeof(list));
        add(s, "sweep.system.name", list);
        add_live(s, given->systems ? given->systems : names);
        list_json(given->degrees ? given->degrees : "2,3,4,8", false, list, sizeof(list));
        add(s, "sweep.graph.degree", list);
        if (given->platform)
                add(s, "include", given->platform);
        add_costs(s, given->machine, given->costs);
        if (given->tasks)
                add(s,
                    given->tasks[0] == '[' ? "sweep.workload.trace_tasks" : "workload.trace_tasks",
                    given->tasks);
        for (const struct system_setting *t = system_teams; given->teams && t->path; t++)
                add(s, t->path, t->value);
        if (given->replicates)
                add(s, "replicates", given->replicates);
        for (int32_t i = 0; i < given->nset; i++)
                s->set[s->nset++] = given->set[i];
}

/* What is wrong with a value that an option gave is said of that option. */
static void name_option(const struct gain_setting *given, struct lb_error *err)
{
        static const struct {
                const char *path, *option;
        } names[] = { { "platform.cores_per_node=", "--cores " },
                      { "platform.appranks_per_node=", "--appranks-per-node " },
                      { "workload.iterations=", "--iterations " } };
        static const char set[] = "--set ";
        for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
                size_t length = strlen(names[i].path);
                bool own = strncmp(err->text, set, strlen(set)) == 0 &&
                           strncmp(err->text + strlen(set), names[i].path, length) == 0;
                for (int32_t s = 0; own && s < given->nset; s++)
                        own = strncmp(given->set[s], names[i].path, length) != 0;
                if (own) {
                        struct lb_error said = *err;
                        lb_error_set(err, "%s%s", names[i].option,
                                     said.text + strlen(set) + length);
                }
        }
}

static int open_scenario(const struct gain_setting *given, bool for_others,
                         struct scenario *scenario, struct lb_error *err)
{
        char file[LB_DATA_PATH_SIZE];
        struct setting *s = calloc(1, sizeof(*s));
        int status = -1;
        if (s)
                s->set = calloc(OWN_MAX + (size_t)given->nset, sizeof(char *));
        if (!s || !s->set) {
                lb_error_fail(err, "out of memory");
        } else if (!lb_data_find("scenarios", "gain.json", file)) {
                lb_error_fail(err, "scenarios/gain.json is not installed");
        } else {
                fill(s, given);
                const struct scenario_options options = { .set = s->set,
                                                          .nset = s->nset,
                                                          .for_others = for_others };
                status = scenario_open(scenario, file, &options, err);
                if (status < 0)
                        name_option(given, err);
        }
        free(s ? (void *)s->set : NULL);
        free(s);
        return status;
}

/* Does one of all systems use each parameter that is set? */
static int check_set(const struct gain_setting *setting, struct lb_error *err)
{
        struct gain_setting whole = *setting;
        struct scenario scenario;
        whole.systems = setting->among;
        whole.teams = false;
        if (open_scenario(&whole, false, &scenario, err) < 0)
                return -1;
        scenario_close(&scenario);
        return 0;
}

/* What does not work is closed. */
static int run(const struct gain_setting *setting, struct scenario *scenario, struct sweep *sweep,
               struct lb_error *err)
{
        long cores = sysconf(_SC_NPROCESSORS_ONLN);
        struct sweep_options how = { .jobs = cores < 1 ? 1 : (int32_t)cores,
                                     .progress = !setting->quiet };
        if (sweep_run(sweep, scenario, &how, err) == 0)
                return 0;
        scenario_close(scenario);
        return -1;
}

static int open_checked(const struct gain_setting *setting, struct scenario *scenario,
                        struct lb_error *err)
{
        if (setting->part && setting->nset > 0 && check_set(setting, err) < 0)
                return -1;
        return open_scenario(setting, setting->part, scenario, err);
}

int gain_simulate(const struct gain_setting *setting, struct scenario *scenario,
                  struct sweep *sweep, struct lb_error *err)
{
        int status = open_checked(setting, scenario, err);
        return status < 0 ? status : run(setting, scenario, sweep, err);
}

/* Several replicates, where there is time for them; the tasks of an iteration of a point become
 * those of all points and replicates. */
static int open_first(struct gain_setting *setting, struct scenario *scenario, double *tasks,
                      struct lb_error *err)
{
        enum { REPLICATES = 3 };
        if (setting->machine)
                setting->replicates = "3";
        if (open_checked(setting, scenario, err) < 0)
                return -1;
        *tasks *= (double)scenario->npoint;
        if (!setting->machine)
                return 0;
        if (REPLICATES * *tasks * setting->iterations <= GAIN_TASKS_MOST) {
                *tasks *= REPLICATES;
                return 0;
        }
        scenario_close(scenario);
        setting->replicates = NULL;
        return open_scenario(setting, setting->part, scenario, err);
}

/* Iterations for which there is time in both ways, 0: none. */
static int32_t fit_iterations(const struct gain_setting *setting, double tasks, int32_t turn)
{
        double most = GAIN_TASKS_MOST / fmax((GAIN_COSTS_ALL - 1) * tasks, 1);
        if (!setting->machine || gain_machine_is_known(setting->machine))
                return 0;
        if (most >= setting->iterations)
                return setting->iterations;
        return (int32_t)(most / turn) * turn;
}

static int simulate_next(const struct gain_setting *setting, struct gain_runs *runs,
                         struct lb_error *err)
{
        struct gain_setting some = *setting;
        some.costs = (enum gain_costs)runs->count;
        some.part = true; /* the systems read the constants, or none does */
        if (gain_simulate(&some, &runs->scenario[runs->count], &runs->sweep[runs->count], err) < 0)
                return -1;
        runs->count++;
        return 0;
}

int gain_runs_simulate(const struct gain_setting *setting, double tasks, int32_t turn,
                       struct gain_runs *runs, struct lb_error *err)
{
        struct gain_setting some = *setting;
        runs->count = 0;
        if (open_first(&some, &runs->scenario[0], &tasks, err) < 0 ||
            run(&some, &runs->scenario[0], &runs->sweep[0], err) < 0)
                return -1;
        runs->count = 1;
        some.iterations = fit_iterations(setting, tasks, turn);
        int status = 0;
        for (int end = 1; status == 0 && some.iterations > 0 && end < GAIN_COSTS_ALL; end++)
                status = simulate_next(&some, runs, err);
        if (status < 0)
                gain_runs_finish(runs);
        return status;
}

void gain_runs_finish(struct gain_runs *runs)
{
        for (int32_t i = 0; i < runs->count; i++) {
                sweep_finish(&runs->sweep[i]);
                scenario_close(&runs->scenario[i]);
        }
}
