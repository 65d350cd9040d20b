/* SPDX-License-Identifier: BSD-3-Clause */
#include "real/launch/settings.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "policies/alloc.h"
#include "policies/grow.h"
#include "policies/migrate.h"
#include "policies/params.h"
#include "policies/plugged.h"
#include "policies/system.h"
#include "real/launch/options.h"
#include "real/node/cores.h"

/* The sections, each a table with its values. */
enum { SYSTEM, RUNTIME, GRAPH, NSECTION };
struct section {
        const char *name;
        const struct lb_param *params;
        double value[POLICY_PARAM_MAX];
        bool given[POLICY_PARAM_MAX];
};
struct sections {
        struct section section[NSECTION];
        struct policy_params system; /* own ones and the policies' */
};

/* With their defaults; too large for the stack. NULL out of memory. */
static struct sections *make_sections(void)
{
        struct sections *s = calloc(1, sizeof(*s));
        if (!s)
                return NULL;
        policy_params_add_systems(&s->system);
        policy_params_add(&s->system, "chameleon", migrate_params);
        for (int i = 0; grow_types[i]; i++)
                policy_params_add(&s->system, grow_types[i]->name, grow_types[i]->params);
        policy_params_add_plugged(&s->system);
        s->section[SYSTEM].name = "system";
        s->section[SYSTEM].params = s->system.param;
        s->section[RUNTIME].name = "runtime";
        s->section[RUNTIME].params = job_params;
        s->section[GRAPH].name = "graph";
        s->section[GRAPH].params = graph_params;
        for (int i = 0; i < NSECTION; i++)
                lb_param_defaults(s->section[i].params, s->section[i].value);
        return s;
}

/* The values go where they are used. */
static void use_sections(const struct sections *s, struct settings *settings)
{
        struct job *job = settings->job;
        memcpy(job->param, s->section[RUNTIME].value, sizeof(job->param));
        for (enum job_policy p = 0; p < JOB_NPOLICY; p++)
                policy_params_values(&s->system, s->section[SYSTEM].value, job_policy_name(job, p),
                                     job_policy_params(job, p), job_policy_values(job, p));
        memcpy(settings->graph, s->section[GRAPH].value, sizeof(settings->graph));
}

/* Not for --param: what has an option, and what a start of helpers costs, which is not said but
 * seen. */
static bool hidden(const struct section *section, int i)
{
        const char *name = section->params[i].name;
        if (section->params == graph_params)
                return i == GRAPH_DEGREE;
        return section->params != job_params &&
               (strcmp(name, grow_params[GROW_START_S].name) == 0 ||
                strcmp(name, grow_params[GROW_START_CPU_S].name) == 0);
}

/* ---- Names ---- */

/* The next section after `from` that has the parameter; NSECTION: none. */
static int find_from(const struct sections *s, int from, const char *name, int *place)
{
        const char *dot = strchr(name, '.');
        size_t length = dot ? (size_t)(dot - name) : 0;
        for (int i = from; i < NSECTION; i++) {
                const struct section *section = &s->section[i];
                if (dot &&
                    (strlen(section->name) != length || strncmp(section->name, name, length) != 0))
                        continue;
                *place = lb_param_find(section->params, dot ? dot + 1 : name);
                if (*place >= 0 && !hidden(section, *place))
                        return i;
        }
        return NSECTION;
}

enum { PATH_LENGTH = POLICY_PARAM_NAME_SIZE + 16, NAMES_MAX = 256 };

/* With their sections, or as who leaves them out writes them. */
static size_t list_names(const struct sections *s, bool whole, char path[][PATH_LENGTH],
                         const char **names)
{
        size_t count = 0;
        for (int i = 0; i < NSECTION; i++)
                for (int p = 0; s->section[i].params[p].name && count < NAMES_MAX; p++)
                        if (!hidden(&s->section[i], p)) {
                                snprintf(path[count], PATH_LENGTH, "%s%s%s",
                                         whole ? s->section[i].name : "", whole ? "." : "",
                                         s->section[i].params[p].name);
                                names[count] = path[count];
                                count++;
                        }
        return count;
}

static int complain_unknown(const struct sections *s, const char *name, struct lb_error *err)
{
        int place;
        char path[NAMES_MAX][PATH_LENGTH];
        const char *names[NAMES_MAX], *dot = strchr(name, '.');
        int other = dot ? find_from(s, 0, dot + 1, &place) : NSECTION;
        if (other < NSECTION)
                return lb_error_set(err, "unknown parameter '%.60s', did you mean '%s.%s'?", name,
                                    s->section[other].name, dot + 1);
        const char *near = lb_nearest_name(name, names, list_names(s, dot, path, names));
        if (near)
                return lb_error_set(err, "unknown parameter '%.60s', did you mean '%s'?", name,
                                    near);
        return lb_error_set(err, "unknown parameter '%.60s' (lbrun params lists them all)", name);
}

/* Where a plugin has a name of another section, it takes the section to tell which is meant. */
static int find(const struct sections *s, const char *name, int *place, struct lb_error *err)
{
        int ignored, i = find_from(s, 0, name, place);
        if (i == NSECTION)
                return complain_unknown(s, name, err);
        int other = find_from(s, i + 1, name, &ignored);
        if (other < NSECTION)
                return lb_error_set(err, "found '%s', allowed is %s.%s or %s.%s", name,
                                    s->section[i].name, name, s->section[other].name, name);
        return i;
}

/* ---- Values ---- */

static int set(struct sections *s, const char *text, struct lb_error *err)
{
        char name[PATH_LENGTH];
        const char *equals = strchr(text, '=');
        int place;
        if (!equals || equals == text || (size_t)(equals - text) >= sizeof(name))
                return lb_error_set(err, "found '%.60s', allowed is NAME=VALUE", text);
        snprintf(name, sizeof(name), "%.*s", (int)(equals - text), text);
        int i = find(s, name, &place, err);
        if (i < 0)
                return -1;
        struct section *section = &s->section[i];
        if (lb_param_parse(&section->params[place], equals + 1, &section->value[place], err) < 0)
                return lb_error_prefix(err, "%s: ", name);
        section->given[place] = true;
        return 0;
}

/* What the allocation policy's values ask for and programs under lbrun do not have, and the place
 * of the parameter that says so. */
static const struct alloc_variant *missing_variant(const struct sections *s, const struct job *job,
                                                   int *place)
{
        const char *name = job_policy_name(job, JOB_ALLOC);
        const struct alloc_type *type = alloc_find(name);
        for (const struct alloc_variant *v = type->variants; v && v->name; v++) {
                *place = policy_params_find(&s->system, name, &type->params[v->param]);
                if ((int)s->section[SYSTEM].value[*place] == v->choice && !alloc_find(v->name))
                        return v;
        }
        return NULL;
}

/* Every default becomes what the original code does. */
static void apply_preset(struct sections *s, struct settings *settings)
{
        int place;
        for (int i = 0; i < NSECTION; i++) {
                struct section *section = &s->section[i];
                for (int p = 0; section->params[p].name; p++)
                        if (section->params[p].differs && !section->given[p])
                                section->value[p] = section->params[p].original;
        }
        const struct alloc_variant *variant = missing_variant(s, settings->job, &place);
        if (!variant || s->section[SYSTEM].given[place])
                return;
        const struct lb_param *param = &s->system.param[place];
        s->section[SYSTEM].value[place] = param->fallback;
        snprintf(settings->note, sizeof(settings->note),
                 "system.as=original: the %s stays %s, the original's is not available live: %s",
                 param->name, param->choices[(int)param->fallback], variant->needs);
}

/* What the system has other defaults for. */
static int apply_settings(struct sections *s, const char *system, const struct system_setting *set,
                          struct lb_error *err)
{
        for (int place, i; set && set->path; set++) {
                if (set->simulated)
                        continue;
                if ((i = find(s, set->path, &place, err)) < 0)
                        return lb_error_prefix(err, "system '%s': ", system);
                struct section *section = &s->section[i];
                if (!section->given[place] && lb_param_parse(&section->params[place], set->value,
                                                             &section->value[place], err) < 0)
                        return lb_error_prefix(err, "system '%s': its setting of %s: ", system,
                                               set->path);
        }
        return 0;
}

static int check_variant(const struct sections *s, const struct job *job, struct lb_error *err)
{
        int place;
        const struct alloc_variant *variant = missing_variant(s, job, &place);
        if (!variant)
                return 0;
        const struct lb_param *param = &s->system.param[place];
        return lb_error_set(err,
                            "system.%s: found '%s', allowed is %s: %s, which is under the GPL and "
                            "would be linked into your program (lbsim has it)",
                            param->name, param->choices[variant->choice],
                            param->choices[(int)param->fallback], variant->needs);
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

static int check_manager(const struct job *job, enum cores_by by, struct lb_error *err)
{
        if (!system_finds_degree(system_find(job->system)) || by != CORES_BY_DLB)
                return 0;
        return lb_error_set(err,
                            "runtime.cores_by: found dlb, allowed is builtin: helpers of "
                            "system %s own no core while they sleep, which DLB cannot do",
                            job->system);
}

/* --lewi and --drom, else system.lewi and system.drom, which have no effect without offering. */
static int apply_switches(const double *system_value, struct job *job,
                          const struct options *options, struct lb_error *err)
{
        const struct system_type *system = system_find(job->system);
        job->lewi = system->lewi && system_value[SYSTEM_PARAM_LEWI] != 0;
        job->drom = system->drom && system_value[SYSTEM_PARAM_DROM] != 0;
        if (set_switch(&job->lewi, system->lewi, options->lewi, "lewi", job->system, err) < 0)
                return -1;
        return set_switch(&job->drom, system->drom, options->drom, "drom", job->system, err);
}

static int apply_options(struct sections *sections, const struct options *options,
                         struct lb_error *err)
{
        char text[128];
        for (int32_t i = 0; i < options->param.count; i++)
                if (set(sections, options->param.text[i], err) < 0)
                        return lb_error_prefix(err, "--param: ");
        const struct {
                const char *option, *name, *value;
        } also[] = {
                { "load", "runtime.load", options->load },
                { "hint", "runtime.hint", options->hint },
                { "cores-by", "runtime.cores_by", options->cores_by },
                { "seed", "graph.seed", options->seed },
                { "start-s", "runtime.start_s", options->start_s },
                { "hung-s", "runtime.hung_s", options->hung_s },
                { "report-every", "runtime.report_every_s", options->report_every },
                { "check", "runtime.check", options->check ? "true" : NULL },
                { "virtual-cpus", "runtime.virtual_cpus", options->virtual_cpus ? "true" : NULL },
                { "quiet", "runtime.quiet", options->quiet ? "true" : NULL },
        };
        for (size_t i = 0; i < sizeof(also) / sizeof(also[0]); i++) {
                snprintf(text, sizeof(text), "%s=%.60s", also[i].name,
                         also[i].value ? also[i].value : "");
                if (also[i].value && set(sections, text, err) < 0)
                        return lb_error_prefix(err, "--%s: ", also[i].option);
        }
        return 0;
}

/* Its system is the one to use, where no other is named. */
static int take_plugin(struct job *job, const struct options *options, struct lb_error *err)
{
        if (settings_take_policy(options->policy, options->hung_s, err) < 0)
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

static int fill_in(struct sections *sections, struct settings *settings,
                   const struct options *options, struct lb_error *err)
{
        const double *system_value = sections->section[SYSTEM].value;
        if (apply_options(sections, options, err) < 0)
                return -1;
        const char *system = settings->job->system;
        const struct lb_param *as = &sections->section[SYSTEM].params[SYSTEM_PARAM_AS];
        if (system_value[SYSTEM_PARAM_AS] != 0)
                apply_preset(sections, settings);
        if (system_value[SYSTEM_PARAM_AS] == lb_param_choice(as, "published") &&
            apply_settings(sections, system, system_published, err) < 0)
                return -1;
        if (apply_settings(sections, system, system_find(system)->settings, err) < 0 ||
            check_variant(sections, settings->job, err) < 0 ||
            check_manager(settings->job,
                          (enum cores_by)sections->section[RUNTIME].value[JOB_CORES_BY], err) < 0 ||
            apply_switches(system_value, settings->job, options, err) < 0)
                return -1;
        use_sections(sections, settings);
        return 0;
}

int settings_apply(struct settings *settings, const struct options *options, struct lb_error *err)
{
        struct job *job = settings->job;
        settings->note[0] = '\0';
        if (options->policy && take_plugin(job, options, err) < 0)
                return lb_error_prefix(err, "--policy: ");
        if (job_set_system(job, system_name(options), err) < 0)
                return lb_error_prefix(err, "--system: ");
        struct sections *sections = make_sections();
        if (!sections)
                return lb_error_fail(err, "out of memory");
        int status = fill_in(sections, settings, options, err);
        free(sections);
        return status;
}

static bool is_among(const char *const *names, const char *name)
{
        while (*names && strcmp(*names, name) != 0)
                names++;
        return *names;
}

/* Of a live job alone. */
static bool is_live_only(const char *name)
{
        static const char *const names[] = {
                "check",      "cores_by",       "cpu_speed",    "finalize_s",
                "hint",       "hung_s",         "load",         "node_s",
                "memory_gib", "report_every_s", "policy_s",     "quiet",
                "spin_us",    "start_s",        "virtual_cpus", NULL,
        };
        return is_among(names, name);
}

/* The runtime's where it is live, and the simulated system's whose tasks migrate. */
static bool is_of_migration(const char *name)
{
        static const char *const names[] = { "comm_core", "exchange_us", "migrate", NULL };
        return is_among(names, name);
}

/* Does a policy of the system have it? What any system has is before theirs. */
static bool is_of_system(const struct sections *s, const char *system, int place)
{
        struct job *job = calloc(1, sizeof(*job));
        bool found = place <= SYSTEM_PARAM_DROM;
        if (job)
                snprintf(job->system, sizeof(job->system), "%s", system);
        for (enum job_policy p = 0; job && p < JOB_NPOLICY; p++) {
                const struct lb_param *params = job_policy_params(job, p);
                for (; !found && params && params->name; params++)
                        found = policy_params_find(&s->system, job_policy_name(job, p), params) ==
                                place;
        }
        free(job);
        return found;
}

bool settings_simulated(const char *param, const char *system, char *path, size_t size)
{
        char name[PATH_LENGTH];
        int place, section = NSECTION;
        size_t length = strcspn(param, "=");
        struct sections *s = make_sections();
        snprintf(name, sizeof(name), "%.*s", (int)length, param);
        if (s)
                section = find_from(s, 0, name, &place);
        const char *live = section == RUNTIME ? s->section[section].params[place].name : "";
        bool migration = is_of_migration(live);
        bool known = section < NSECTION && !is_live_only(live) &&
                     (section != SYSTEM || is_of_system(s, system, place)) &&
                     (!migration || system_migrates(system_find(system)));
        if (known)
                snprintf(path, size, "%s.%s%s", s->section[migration ? SYSTEM : section].name,
                         s->section[section].params[place].name, param + length);
        free(s);
        return known;
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
        struct sections *s = make_sections();
        fputs("Parameters of a live run, for --param NAME=VALUE:\n", out);
        for (int i = 0; s && i < NSECTION; i++) {
                fputc('\n', out);
                for (int p = 0; s->section[i].params[p].name; p++)
                        if (!hidden(&s->section[i], p))
                                print_param(out, s->section[i].name, &s->section[i].params[p]);
        }
        free(s);
}
