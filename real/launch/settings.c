/* SPDX-License-Identifier: BSD-3-Clause */
#include "real/launch/settings.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "policies/alloc.h"
#include "policies/lend.h"
#include "policies/place.h"
#include "policies/plugged.h"
#include "policies/system.h"
#include "real/launch/options.h"

static const char *const presets[] = { "paper", "original", NULL };

/* Parameters of a system that belong to no policy; the same as options, except "as". */
enum { OWN_AS, OWN_LEWI, OWN_DROM, OWN_NPARAM };
static const struct lb_param own_params[] = {
        [OWN_AS] = { .name = "as",
                     .type = LB_PARAM_CHOICE,
                     .choices = presets,
                     .help = "defaults as the paper says, or as the original code does where it "
                             "differs" },
        [OWN_LEWI] = { .name = "lewi",
                       .type = LB_PARAM_SWITCH,
                       .fallback = 1,
                       .max = 1,
                       .help = "lend idle cores within a node" },
        [OWN_DROM] = { .name = "drom",
                       .type = LB_PARAM_SWITCH,
                       .fallback = 1,
                       .max = 1,
                       .help = "move the ownership of cores" },
        [OWN_NPARAM] = { .name = NULL },
};

/* A table, what its section is called, and where the job's values are; NULL: no policy of it. */
enum { TABLE_MAX = 24, VALUE_MAX = 32 };
struct table {
        const char *section;
        const struct lb_param *params;
        double *values;
        bool given[VALUE_MAX];
};
struct tables {
        struct table table[TABLE_MAX];
        int count;
        double own[OWN_NPARAM];
};

static void add_table(struct tables *tables, const char *section, const struct lb_param *params,
                      double *values)
{
        for (int i = 0; i < tables->count; i++)
                if (tables->table[i].params == params && !values)
                        return;
        if (tables->count < TABLE_MAX && params)
                tables->table[tables->count++] =
                    (struct table){ .section = section, .params = params, .values = values };
}

/* The job's own policies first, so that they are found first. job may be NULL: names only. */
static void make_tables(struct tables *tables, struct job *job, double *graph)
{
        *tables = (struct tables){ 0 };
        lb_param_defaults(own_params, tables->own);
        add_table(tables, "system", own_params, tables->own);
        for (enum job_policy p = 0; job && p < JOB_NPOLICY; p++)
                add_table(tables, "system", job_policy_params(job, p), job_policy_values(job, p));
        for (int i = 0; alloc_at(i); i++)
                add_table(tables, "system", alloc_at(i)->params, NULL);
        for (int i = 0; lend_at(i); i++)
                add_table(tables, "system", lend_at(i)->params, NULL);
        for (int i = 0; place_at(i); i++)
                add_table(tables, "system", place_at(i)->params, NULL);
        add_table(tables, "runtime", job_params, job ? job->param : NULL);
        add_table(tables, "graph", graph_params, graph);
}

/* Not for --param: the runtime's copy of the global policy's period, and what has an option. */
static bool hidden(const struct table *table, int i)
{
        return (table->params == job_params && i == JOB_PERIOD_S) ||
               (table->params == graph_params && i == GRAPH_DEGREE);
}

/* ---- Names ---- */

static struct table *find(struct tables *tables, const char *name, int *place)
{
        const char *dot = strchr(name, '.');
        size_t length = dot ? (size_t)(dot - name) : 0;
        for (int t = 0; t < tables->count; t++) {
                struct table *table = &tables->table[t];
                if (dot && (strlen(table->section) != length ||
                            strncmp(table->section, name, length) != 0))
                        continue;
                *place = lb_param_find(table->params, dot ? dot + 1 : name);
                if (*place >= 0 && *place < VALUE_MAX && !hidden(table, *place))
                        return table;
        }
        return NULL;
}

enum { PATH_LENGTH = 64, NAMES_MAX = 128 };

static int complain_unknown(struct tables *tables, const char *name, struct lb_error *err)
{
        int place;
        const char *dot = strchr(name, '.');
        const struct table *other = dot ? find(tables, dot + 1, &place) : NULL;
        if (other)
                return lb_error_set(err, "unknown parameter '%.60s', did you mean '%s.%s'?", name,
                                    other->section, dot + 1);
        char path[NAMES_MAX][PATH_LENGTH];
        const char *names[NAMES_MAX];
        size_t count = 0;
        for (int t = 0; t < tables->count; t++)
                for (int i = 0; tables->table[t].params[i].name && count < NAMES_MAX; i++)
                        if (!hidden(&tables->table[t], i)) {
                                snprintf(path[count], PATH_LENGTH, "%s.%s",
                                         tables->table[t].section, tables->table[t].params[i].name);
                                names[count] = path[count];
                                count++;
                        }
        const char *near = lb_nearest_name(name, names, count);
        if (near)
                return lb_error_set(err, "unknown parameter '%.60s', did you mean '%s'?", name,
                                    near);
        return lb_error_set(err, "unknown parameter '%.60s' (lbrun params lists them all)", name);
}

/* ---- Values ---- */

/* In all tables of the section that have it: policies that share a name mean the same. */
static void give(struct tables *tables, const struct table *first, const char *name, double value)
{
        for (int t = 0; t < tables->count; t++) {
                struct table *table = &tables->table[t];
                int place = lb_param_find(table->params, name);
                if (strcmp(table->section, first->section) != 0 || place < 0 || place >= VALUE_MAX)
                        continue;
                if (table->values)
                        table->values[place] = value;
                table->given[place] = true;
        }
}

static int set(struct tables *tables, const char *text, struct lb_error *err)
{
        char name[PATH_LENGTH];
        const char *equals = strchr(text, '=');
        int place;
        double value;
        if (!equals || equals == text || (size_t)(equals - text) >= sizeof(name))
                return lb_error_set(err, "found '%.60s', allowed is NAME=VALUE", text);
        snprintf(name, sizeof(name), "%.*s", (int)(equals - text), text);
        struct table *table = find(tables, name, &place);
        if (!table)
                return complain_unknown(tables, name, err);
        if (lb_param_parse(&table->params[place], equals + 1, &value, err) < 0)
                return lb_error_prefix(err, "%s: ", name);
        give(tables, table, table->params[place].name, value);
        return 0;
}

static bool is_solver(const struct lb_param *param)
{
        return strcmp(param->name, "solver") == 0;
}

/* Every default becomes what the original code does. */
static void apply_preset(const struct tables *tables, struct settings *settings)
{
        for (int t = 0; t < tables->count; t++) {
                const struct table *table = &tables->table[t];
                for (int i = 0; table->values && table->params[i].name; i++) {
                        if (!table->params[i].differs || table->given[i])
                                continue;
                        if (is_solver(&table->params[i]))
                                snprintf(settings->note, sizeof(settings->note),
                                         "system.as=original: the solver stays exact, the "
                                         "original's linear program is not available live");
                        else
                                table->values[i] = table->params[i].original;
                }
        }
}

static int check_solver(struct tables *tables, struct lb_error *err)
{
        int place;
        const struct table *table = find(tables, "system.solver", &place);
        if (!table || !table->values ||
            strcmp(table->params[place].choices[(int)table->values[place]], "lp") != 0)
                return 0;
        return lb_error_set(err, "system.solver: found 'lp', allowed is exact: the linear program "
                                 "needs GLPK, which is under the GPL and would be linked into "
                                 "your program (lbsim has it)");
}

/* ---- Switches ---- */

static int set_switch(bool *value, bool possible, enum options_switch option, const char *name,
                      const char *system, struct lb_error *err)
{
        if (option == SWITCH_ON && !possible)
                return lb_error_set(err, "--%s: system %s has none, allowed is off", name, system);
        if (option != SWITCH_UNSET)
                *value = option == SWITCH_ON;
        return 0;
}

/* --lewi and --drom, else system.lewi and system.drom, which have no effect without offering. */
static int apply_switches(const struct tables *tables, struct job *job,
                          const struct options *options, struct lb_error *err)
{
        const struct system_type *system = system_find(job->system);
        job->lewi = system->lewi && tables->own[OWN_LEWI] != 0;
        job->drom = system->drom && tables->own[OWN_DROM] != 0;
        if (set_switch(&job->lewi, system->lewi, options->lewi, "lewi", job->system, err) < 0)
                return -1;
        return set_switch(&job->drom, system->drom, options->drom, "drom", job->system, err);
}

/* One period, in two places. */
static void copy_period(struct job *job)
{
        int place = lb_param_find(job_policy_params(job, JOB_ALLOC), "period_s");
        if (place >= 0)
                job->param[JOB_PERIOD_S] = job->alloc_param[place];
}

static int apply_options(struct tables *tables, const struct options *options, struct lb_error *err)
{
        char text[128];
        for (int32_t i = 0; i < options->nparam; i++)
                if (set(tables, options->param[i], err) < 0)
                        return lb_error_prefix(err, "--param: ");
        snprintf(text, sizeof(text), "runtime.load=%.60s", options->load ? options->load : "");
        if (options->load && set(tables, text, err) < 0)
                return lb_error_prefix(err, "--load: ");
        snprintf(text, sizeof(text), "runtime.cores_by=%.60s",
                 options->cores_by ? options->cores_by : "");
        if (options->cores_by && set(tables, text, err) < 0)
                return lb_error_prefix(err, "--cores-by: ");
        snprintf(text, sizeof(text), "graph.seed=%.60s", options->seed ? options->seed : "");
        if (options->seed && set(tables, text, err) < 0)
                return lb_error_prefix(err, "--seed: ");
        return 0;
}

/* Its system is the one to use, where no other is named. */
static int take_plugin(struct job *job, const char *file, struct lb_error *err)
{
        if (plugged_load(file, err) < 0)
                return -1;
        memcpy(job->policy, plugged_at(0)->path, sizeof(job->policy));
        return 0;
}

static const char *system_name(const struct options *options)
{
        if (options->system)
                return options->system;
        return options->policy ? plugged_at(0)->plugin->system->name : "global";
}

int settings_apply(struct settings *settings, const struct options *options, struct lb_error *err)
{
        struct tables tables;
        struct job *job = settings->job;
        if (options->policy && take_plugin(job, options->policy, err) < 0)
                return lb_error_prefix(err, "--policy: ");
        if (job_set_system(job, system_name(options), err) < 0)
                return lb_error_prefix(err, "--system: ");
        lb_param_defaults(graph_params, settings->graph);
        settings->note[0] = '\0';
        make_tables(&tables, job, settings->graph);
        if (apply_options(&tables, options, err) < 0)
                return -1;
        if (tables.own[OWN_AS] != 0)
                apply_preset(&tables, settings);
        if (check_solver(&tables, err) < 0 || apply_switches(&tables, job, options, err) < 0)
                return -1;
        copy_period(job);
        return 0;
}

/* ---- For people ---- */

static void print_param(FILE *out, const char *section, const struct lb_param *param)
{
        char allowed[512], fallback[128];
        lb_param_allowed(param, allowed, sizeof(allowed));
        lb_param_format(param, param->fallback, fallback, sizeof(fallback));
        size_t quote = fallback[0] == '"';
        fprintf(out, "  %s.%s\n      %s\n      %s; default %.*s\n", section, param->name,
                param->help, allowed, (int)(strlen(fallback) - 2 * quote), fallback + quote);
}

void settings_print(FILE *out)
{
        struct tables tables;
        make_tables(&tables, NULL, NULL);
        fputs("Parameters of a live run, for --param NAME=VALUE:\n", out);
        const char *section = "";
        for (int t = 0; t < tables.count; t++) {
                const struct table *table = &tables.table[t];
                if (strcmp(section, table->section) != 0)
                        fputc('\n', out);
                section = table->section;
                for (int i = 0; table->params[i].name; i++)
                        if (!hidden(table, i))
                                print_param(out, section, &table->params[i]);
        }
}
