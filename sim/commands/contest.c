/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * lbsim contest MINE.so: a policy of one's own against all that are built in,
 * over a bank of scenarios. Each scenario is simulated with every system in
 * place of its own; what is compared are runs of equal seed, which saw the same
 * work.
 */
#include "sim/commands/contest.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/data.h"
#include "base/text.h"
#include "policies/plugged.h"
#include "sim/commands/commands.h"
#include "sim/output/figure_words.h"
#include "sim/sweep/sweep.h"

enum { LIST_SIZE = 4096, PATH_SIZE = 4096, OWN_SETS = 4 };

struct contest_options {
        struct lb_option_list bank, set;
        const char *against, *metric, *seed, *html;
        int32_t replicates, jobs;
        double hung_s;
        enum table_format format;
        bool quiet;
};

static const struct lb_option options_table[] = {
        { "bank", LB_OPTION_LIST, "SCENARIO.json",
          "another bank of scenarios than those that are installed; may be repeated",
          LB_OPTION_TO(struct contest_options, bank) },
        { "against", LB_OPTION_TEXT, "A,B", "these systems alone",
          LB_OPTION_TO(struct contest_options, against) },
        { "metric", LB_OPTION_TEXT, "NAME", "what is compared (lbsim metrics)",
          LB_OPTION_TO(struct contest_options, metric), .fallback = "time_per_iteration_s" },
        { "replicates", LB_OPTION_WHOLE, "N", "runs of each case, with other loads",
          LB_OPTION_TO(struct contest_options, replicates), .min = 2, .max = 10000,
          .fallback = "5" },
        OPTION_SET(struct contest_options),
        OPTION_SEED(struct contest_options),
        OPTION_JOBS(struct contest_options, jobs),
        OPTION_HUNG(struct contest_options),
        OPTION_TABLE_FORMAT(struct contest_options),
        { "html", LB_OPTION_FILE, "PAGE", "write one HTML page to send, too",
          LB_OPTION_TO(struct contest_options, html), .read = lb_option_written },
        { "quiet", LB_OPTION_FLAG, NULL, "do not show how far it is",
          LB_OPTION_TO(struct contest_options, quiet) },
        { .name = NULL },
};

/* ---- Who takes part ---- */

/* The system of the plug-in, which stands last. */
static const char *last_system(void)
{
        int i = 0;
        while (system_at(i + 1))
                i++;
        return system_at(i)->name;
}

static int add_system(struct contest *contest, const char *name, struct lb_error *err)
{
        const struct system_type *system = system_find(name);
        if (!system)
                return lb_error_set(
                    err, "--against: found '%.60s', allowed is the name of a system", name);
        if (contest->nsystem == CONTEST_SYSTEMS_MAX)
                return lb_error_set(err, "found more than %d systems", CONTEST_SYSTEMS_MAX);
        for (int32_t i = 0; i < contest->nsystem; i++)
                if (strcmp(contest->system[i], system->name) == 0)
                        return 0;
        contest->system[contest->nsystem++] = system->name;
        return 0;
}

static int choose_systems(struct contest *contest, const char *against, struct lb_error *err)
{
        char name[64];
        if (add_system(contest, last_system(), err) < 0)
                return -1;
        for (int i = 0; !against && system_types[i].name; i++)
                if (add_system(contest, system_types[i].name, err) < 0)
                        return -1;
        for (const char *at = against ? against : ""; *at; at += *at == ',') {
                size_t length = strcspn(at, ",");
                snprintf(name, sizeof(name), "%.*s", (int)length, at);
                if (add_system(contest, name, err) < 0)
                        return -1;
                at += length;
        }
        return contest->nsystem > 1 ? 0 : lb_error_set(err, "--against: there is nobody else");
}

static int choose_metric(struct contest *contest, const char *name, struct lb_error *err)
{
        int found = metric_find(name, METRIC_ALL);
        if (found < 0)
                return lb_error_set(
                    err, "--metric: found '%.60s', allowed is a name of lbsim metrics", name);
        if (found >= METRIC_COUNT)
                return lb_error_set(err,
                                    "--metric: found '%.60s', which live runs alone have, allowed "
                                    "is one of simulated runs (lbsim metrics)",
                                    name);
        contest->metric = (enum metric)found;
        contest->metric_name = metric_table[found].name;
        contest->larger = paired_larger_is_better(name);
        return 0;
}

/* ---- A scenario of the bank ---- */

/* sweep.system.name=["mine","local"] */
static void systems_json(const struct contest *contest, char *text)
{
        snprintf(text, LIST_SIZE, "sweep.system.name=[");
        for (int32_t i = 0; i < contest->nsystem; i++)
                lb_text_add(text, LIST_SIZE, "%s\"%s\"", i ? "," : "", contest->system[i]);
        lb_text_add(text, LIST_SIZE, "]");
}

/* The scenario's name and what else it sweeps, in words, but so that no two cases are one. */
static void name_case(const struct scenario *scenario, int64_t point, char *name)
{
        snprintf(name, CONTEST_NAME_SIZE, "%s", scenario->name);
        for (int32_t c = 0; c < scenario_ncolumn(scenario); c++) {
                const char *path = scenario_column(scenario, c);
                const char *value = scenario_point_text(scenario, point, c);
                char words[FIGURE_WORDS_SIZE];
                if (strcmp(path, "system.name") == 0 || strcmp(value, "none") == 0)
                        continue;
                figure_value_words(path, value, words);
                if (!words[0])
                        figure_axis_value_words(path, value, words);
                lb_text_add(name, CONTEST_NAME_SIZE, "%s%s", name[0] ? ", " : "", words);
        }
}

static struct contest_case *add_case(struct contest *contest)
{
        struct contest_case *grown =
            realloc(contest->cases, ((size_t)contest->ncase + 1) * sizeof(*grown));
        if (!grown)
                return NULL;
        contest->cases = grown;
        struct contest_case *c = &grown[contest->ncase++];
        *c = (struct contest_case){ .name = "" };
        for (int32_t s = 0; s < contest->nsystem; s++)
                c->time_s[s] = NAN;
        return c;
}

static bool is_of_system(const struct scenario *scenario, int64_t point, const char *system)
{
        for (int32_t c = 0; c < scenario_ncolumn(scenario); c++)
                if (strcmp(scenario_column(scenario, c), "system.name") == 0)
                        return strcmp(scenario_point_text(scenario, point, c), system) == 0;
        return false;
}

/* All that is swept but the system, as far as it makes a difference to that. */
static bool is_same_case(const struct scenario *scenario, int64_t ours, int64_t theirs,
                         const struct system_type *system)
{
        for (int32_t c = 0; c < scenario_ncolumn(scenario); c++) {
                bool matters = strcmp(scenario_column(scenario, c), "system.name") != 0 &&
                               scenario_column_matters(scenario, c, system);
                if (matters && strcmp(scenario_point_text(scenario, ours, c),
                                      scenario_point_text(scenario, theirs, c)) != 0)
                        return false;
        }
        return true;
}

/* The point at which a system has the case of one of ours, or -1. */
static int64_t partner_of(const struct scenario *scenario, int64_t ours, const char *system)
{
        const struct system_type *type = system_find(system);
        for (int64_t p = 0; p < scenario->npoint; p++)
                if (is_of_system(scenario, p, system) && is_same_case(scenario, ours, p, type))
                        return p;
        return -1;
}

static void add_costs(struct contest *contest, const struct sweep *sweep, int64_t point, int32_t s)
{
        for (int32_t r = 0; r < sweep->scenario->replicates; r++)
                for (int m = 0; m < METRIC_COUNT; m++) {
                        double value = sweep->result[sweep_place(sweep, point, r)].metric[m];
                        if (!isfinite(value))
                                continue;
                        contest->cost[s][m] += value;
                        contest->ncost[s][m]++;
                }
}

static void pair_runs(const struct contest *contest, const struct sweep *sweep,
                      const int64_t point[static 2], struct paired *pair)
{
        for (int32_t r = 0; r < sweep->scenario->replicates; r++) {
                double theirs =
                    sweep->result[sweep_place(sweep, point[0], r)].metric[contest->metric];
                double ours =
                    sweep->result[sweep_place(sweep, point[1], r)].metric[contest->metric];
                if (isfinite(theirs) && isfinite(ours))
                        paired_add(pair, theirs, ours);
        }
        if (pair->npair > 0)
                paired_judge(pair);
}

static int take_case(struct contest *contest, const struct sweep *sweep, int64_t ours,
                     struct lb_error *err)
{
        struct contest_case *c = add_case(contest);
        if (!c)
                return lb_error_fail(err, "out of memory");
        name_case(sweep->scenario, ours, c->name);
        for (int32_t s = 0; s < contest->nsystem; s++) {
                int64_t p = s ? partner_of(sweep->scenario, ours, contest->system[s]) : ours;
                if (p < 0)
                        continue;
                c->time_s[s] = sweep_estimate(sweep, p, contest->metric).mean;
                add_costs(contest, sweep, p, s);
                if (s > 0)
                        pair_runs(contest, sweep, (const int64_t[]){ p, ours }, &c->pair[s]);
        }
        return 0;
}

static int take_results(struct contest *contest, const struct sweep *sweep, struct lb_error *err)
{
        for (int64_t p = 0; p < sweep->scenario->npoint; p++)
                if (is_of_system(sweep->scenario, p, contest->system[0]) &&
                    take_case(contest, sweep, p, err) < 0)
                        return -1;
        return 0;
}

static int run_scenario(struct contest *contest, const struct contest_options *o, const char *file,
                        struct lb_error *err)
{
        char systems[LIST_SIZE], replicates[32];
        const char **set = calloc((size_t)o->set.count + OWN_SETS, sizeof(*set));
        struct scenario scenario;
        struct sweep sweep;
        if (!set)
                return lb_error_fail(err, "out of memory");
        systems_json(contest, systems);
        snprintf(replicates, sizeof(replicates), "replicates=%d", (int)o->replicates);
        int32_t nset = 0;
        for (; nset < o->set.count; nset++)
                set[nset] = o->set.text[nset];
        set[nset++] = systems; /* last, so that it holds */
        set[nset++] = replicates;
        set[nset++] = "precision=0"; /* so many of each system, on the same work */
        set[nset++] = "output.figure=none";
        const struct scenario_options given = { .set = set, .nset = nset, .seed = o->seed };
        const struct sweep_options how = { .jobs = o->jobs ? o->jobs : command_cores(),
                                           .hung_s = o->hung_s,
                                           .progress = !o->quiet };
        int status = scenario_open(&scenario, file, &given, err);
        free(set);
        if (status < 0)
                return -1;
        status = sweep_run(&sweep, &scenario, &how, err);
        if (status == 0) {
                status = take_results(contest, &sweep, err);
                sweep_finish(&sweep);
        }
        scenario_close(&scenario);
        return status;
}

static int run_bank(struct contest *contest, const struct contest_options *o, struct lb_error *err)
{
        static const char *const bank[] = { "contest.json", "contest_loads.json" };
        char path[LB_DATA_PATH_SIZE];
        for (int32_t i = 0; i < o->bank.count; i++)
                for (int32_t k = 0; k < i; k++)
                        if (strcmp(o->bank.text[i], o->bank.text[k]) == 0)
                                return lb_error_set(err, "--bank: found '%.300s' twice",
                                                    o->bank.text[i]);
        for (int32_t i = 0; i < o->bank.count; i++)
                if (run_scenario(contest, o, o->bank.text[i], err) < 0)
                        return -1;
        for (size_t i = 0; o->bank.count == 0 && i < sizeof(bank) / sizeof(bank[0]); i++) {
                if (!lb_data_find("scenarios", bank[i], path))
                        return lb_error_fail(err, "scenarios/%s is not installed", bank[i]);
                if (run_scenario(contest, o, path, err) < 0)
                        return -1;
        }
        return 0;
}

static int run(const struct lb_call *call, void *given, struct lb_error *err)
{
        const struct contest_options *options = given;
        if (plugged_load(call->word[0], err) < 0)
                return -1;
        struct contest *contest = calloc(1, sizeof(*contest));
        if (!contest)
                return lb_error_fail(err, "out of memory");
        int status = choose_systems(contest, options->against, err);
        if (status == 0)
                status = choose_metric(contest, options->metric, err);
        if (status == 0)
                status = run_bank(contest, options, err);
        if (status == 0)
                status = contest_print(contest, options->format, stdout, err);
        if (status == 0 && options->html)
                status = contest_page_write(contest, call, options->html, err);
        free(contest->cases);
        free(contest);
        return status;
}

const struct lb_command command_contest = {
        .program = &lbsim_program,
        .name = "contest",
        .summary = "a policy of your own against all others",
        .usage = "PLUGIN.so [OPTION]...",
        .about = "Simulate a policy of your own and every system that is built in "
                 "over a bank of "
                 "scenarios and recorded loads, and say where it wins, where it "
                 "loses, by how much, and "
                 "what it costs. Runs of equal seed saw the same work, and are "
                 "compared in pairs: a win "
                 "or a loss is where the 95 % confidence interval of the "
                 "difference does not hold "
                 "zero, as that of one case in twenty does by chance where nothing differs. "
                 "Scenarios of --bank are simulated with each system in "
                 "place of theirs.",
        .options = options_table,
        .size = sizeof(struct contest_options),
        .word = LB_OPTION_FILE,
        .word_min = 1,
        .word_max = 1,
        .needed = "a policy is needed, as a shared object (lbsim init policy NAME)",
        .run = run,
};
