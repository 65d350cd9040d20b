/* SPDX-License-Identifier: BSD-3-Clause */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "real/control/job.h"
#include "real/launch/options.h"
#include "real/launch/settings.h"

static int apply(struct settings *settings, const char *system, const char *param, const char *more,
                 struct lb_error *err)
{
        const char *params[] = { param, more };
        struct options options = { .system = system,
                                   .param = { params, (param != NULL) + (more != NULL) } };
        return settings_apply(settings, &options, err);
}

/* The value of a policy's parameter by name. */
static double value_of(const struct job *job, const char *name)
{
        for (enum job_policy p = 0; p < JOB_NPOLICY; p++) {
                int place = lb_param_find(job_policy_params(job, p), name);
                if (place >= 0)
                        return job_policy_values(job, p)[place];
        }
        int place = lb_param_find(job_params, name);
        return place >= 0 ? job->param[place] : -1;
}

/* Names with and without their section reach the job; what is wrong is said with what is allowed.
 */
static void test_names(void **state)
{
        (void)state;
        static const struct {
                const char *system, *param, *name;
                double value;
                const char *message;
        } rows[] = {
                { "global", "runtime.poll_s=0.25", "poll_s", 0.25, NULL },
                { "global", "poll_s=0.75", "poll_s", 0.75, NULL },
                { "local", "system.local_average_s=3.5", "local_average_s", 3.5, NULL },
                { "local", "local_rounding=up", "local_rounding", 1, NULL },
                { "global", "runtime.ownership=boundary", "ownership", 1, NULL },
                { "global", "poll_s=1", "ownership", 0, NULL },
                { "dynamic", "poll_s=1", "ownership", 1, NULL }, /* of its own */
                { "dynamic", "ownership=idle", "ownership", 0, NULL },
                { "global", "load=cpu", "load", 1, NULL },
                { "dlb", "system.lend_keep_last=true", "lend_keep_last", 1, NULL },
                { "global", "period_s=3.25", "period_s", 3.25, NULL },
                { "local", "global_average_s=3", "poll_s", 0.5, NULL }, /* another system's */
                { "local", "global_average_s=0", NULL, 0, "found 0, allowed is a number" },
                { "global", "runtime.period_s=3", NULL, 0, "unknown parameter 'runtime.period_s'" },
                { "global", "system.poll_s=3", NULL, 0, "did you mean 'runtime.poll_s'?" },
                { "global", "runtime.poll=3", NULL, 0, "did you mean 'runtime.poll_s'?" },
                { "global", "graph.degree=3", NULL, 0, "unknown parameter 'graph.degree'" },
                { "global", "poll_ss=3", NULL, 0, "did you mean 'poll_s'?" },
                { "global", "poll_s", NULL, 0, "found 'poll_s', allowed is NAME=VALUE" },
                { "global", "=3", NULL, 0, "allowed is NAME=VALUE" },
                { "global", "poll_s=", NULL, 0, "poll_s: found '', allowed is a number" },
                { "global", "poll_s=1x", NULL, 0, "poll_s: found '1x'" },
                { "global", "memory_gib=1.5", NULL, 0, "allowed is a whole number from 1" },
                { "global", "solver=lp", NULL, 0, "needs GLPK, which is under the GPL" },
                { "local", "solver=lp", "poll_s", 0.5, NULL }, /* has none */
                { "globl", NULL, NULL, 0, "; did you mean 'global'?" },
                { "lp", NULL, NULL, 0, "--system: found 'lp', allowed is one of baseline, dlb" },
        };
        for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
                struct lb_error err = { 0 };
                struct settings settings = { .job = job_create(&err) };
                int status = apply(&settings, rows[i].system, rows[i].param, NULL, &err);
                assert_int_equal(status, rows[i].message ? -1 : 0);
                if (rows[i].message && !strstr(err.text, rows[i].message))
                        fail_msg("row %zu: '%s' lacks '%s'", i, err.text, rows[i].message);
                if (rows[i].name)
                        assert_float_equal(value_of(settings.job, rows[i].name), rows[i].value,
                                           1e-12);
                job_destroy(settings.job);
        }
}

/* The original's defaults, but not for what is set, whatever the order, and not its solver. */
static void test_original(void **state)
{
        (void)state;
        struct lb_error err;
        struct settings settings = { .job = job_create(&err) };
        assert_int_equal(
            apply(&settings, "local", "local_floor_cores=1.5", "system.as=original", &err), 0);
        assert_float_equal(value_of(settings.job, "local_floor_cores"), 1.5, 0);
        assert_float_equal(value_of(settings.job, "local_rounding"), 1, 0); /* up */
        assert_string_equal(settings.note, "");
        job_destroy(settings.job);

        settings.job = job_create(&err);
        assert_int_equal(apply(&settings, NULL, "as=original", NULL, &err), 0);
        assert_string_equal(settings.job->system, "global");
        assert_float_equal(value_of(settings.job, "solver"), 0, 0);
        assert_non_null(strstr(settings.note, "the solver stays exact"));
        job_destroy(settings.job);
}

/* What lbsim's machine alone is told by a system or a preset is left out; the rest is there. */
static void test_simulated(void **state)
{
        (void)state;
        struct lb_error err;
        struct settings settings = { .job = job_create(&err) };
        assert_int_equal(apply(&settings, "tight", NULL, NULL, &err), 0);
        assert_float_equal(settings.job->param[JOB_POLL_ITERATIONS], 0.1, 0);
        assert_float_equal(settings.job->param[JOB_POLL_S], 0.05, 0);
        job_destroy(settings.job);

        settings.job = job_create(&err);
        assert_int_equal(apply(&settings, "local", "as=published", NULL, &err), 0);
        assert_float_equal(value_of(settings.job, "place_finish_stop"), 0, 0);
        job_destroy(settings.job);
}

/* LeWI and DROM: the system's, the parameter's, the option's; never where the system has none. */
static void test_switches(void **state)
{
        (void)state;
        static const struct {
                const char *system, *param;
                enum options_switch option;
                int lewi; /* -1: refused */
        } rows[] = {
                { "global", NULL, SWITCH_UNSET, 1 },       { "baseline", NULL, SWITCH_UNSET, 0 },
                { "global", "lewi=off", SWITCH_UNSET, 0 }, { "global", NULL, SWITCH_OFF, 0 },
                { "global", "lewi=off", SWITCH_ON, 1 },    { "baseline", NULL, SWITCH_OFF, 0 },
                { "baseline", NULL, SWITCH_ON, -1 },       { "baseline", "lewi=on", 0, 0 },
        };
        for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
                struct lb_error err = { 0 };
                struct settings settings = { .job = job_create(&err) };
                const char *params[] = { rows[i].param };
                struct options options = { .system = rows[i].system,
                                           .param = { params, rows[i].param != NULL },
                                           .lewi = rows[i].option };
                int status = settings_apply(&settings, &options, &err);
                assert_int_equal(status < 0, rows[i].lewi < 0);
                if (status == 0)
                        assert_int_equal(settings.job->lewi, rows[i].lewi);
                else
                        assert_non_null(strstr(err.text, "system baseline has none"));
                job_destroy(settings.job);
        }
}

/* What lbrun params lists can be set, every name of it, to its default. */
static void test_all_listed(void **state)
{
        (void)state;
        FILE *list = fopen("params", "w+");
        assert_non_null(list);
        settings_print(list);
        rewind(list);
        char line[512], name[128] = "", setting[512];
        int count = 0;
        while (fgets(line, sizeof(line), list)) {
                char *fallback = strstr(line, "; default ");
                if (strncmp(line, "  ", 2) == 0 && line[2] != ' ')
                        sscanf(line, " %127s", name);
                if (!fallback)
                        continue;
                fallback[strcspn(fallback, "\n")] = '\0';
                snprintf(setting, sizeof(setting), "%s=%s", name, fallback + strlen("; default "));
                struct lb_error err;
                struct settings settings = { .job = job_create(&err) };
                if (apply(&settings, "global", setting, NULL, &err) < 0)
                        fail_msg("%s: %s", setting, err.text);
                job_destroy(settings.job);
                count++;
        }
        fclose(list);
        assert_true(count > 20);
}

int main(void)
{
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(test_names),      cmocka_unit_test(test_original),
                cmocka_unit_test(test_simulated),  cmocka_unit_test(test_switches),
                cmocka_unit_test(test_all_listed),
        };
        return cmocka_run_group_tests(tests, NULL, NULL);
}
