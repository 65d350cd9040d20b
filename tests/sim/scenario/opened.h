/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef LB_TESTS_SIM_SCENARIO_OPENED_H
#define LB_TESTS_SIM_SCENARIO_OPENED_H

/* Scenarios as texts, for the tests of them; to be included behind cmocka. */
#include "graphs/graph.h"
#include "models/trace.h"
#include "models/workload.h"
#include "policies/alloc.h"
#include "policies/lend.h"
#include "policies/lp.h"
#include "policies/place.h"
#include "sim/scenario/scenario.h"
#include "sim/scenario/scenario_impl.h"
#include "sim/engine/sim.h"

enum { SETS_MAX = 4 };

static inline void write_text(const char *file, const char *text)
{
        FILE *out = fopen(file, "w");
        assert_non_null(out);
        fputs(text, out);
        assert_int_equal(fclose(out), 0);
}

/* Open a text as scenario t.json with up to SETS_MAX --set options, NULL-ended. */
static inline int open_text(struct scenario *scenario, const char *text, const char *const *set,
                            const char *seed, struct lb_error *err)
{
        write_text("t.json", text);
        struct scenario_options options = { .set = set, .seed = seed };
        while (set && options.nset < SETS_MAX && set[options.nset])
                options.nset++;
        *err = (struct lb_error){ .kind = LB_ERROR_NONE };
        return scenario_open(scenario, "t.json", &options, err);
}

static inline void must_open(struct scenario *scenario, const char *text, const char *const *set)
{
        struct lb_error err;
        if (open_text(scenario, text, set, NULL, &err) < 0)
                fail_msg("%s: %s", text, err.text);
}

static inline struct scenario_point point_of(const struct scenario *scenario, int64_t number)
{
        struct scenario_point point;
        struct lb_error err;
        assert_int_equal(scenario_point_get(scenario, number, &point, &err), 0);
        return point;
}

static inline double system_value(const struct scenario_point *point, const char *name)
{
        int place = lb_param_find(scenario_section_table(SECTION_SYSTEM), name);
        assert_true(place >= 0);
        return point->value[SECTION_SYSTEM][place];
}

struct bad {
        const char *text, *set, *message;
};

static inline void check_bad(const struct bad *row)
{
        struct scenario scenario;
        struct lb_error err;
        const char *const set[] = { row->set, NULL };
        if (open_text(&scenario, row->text, set, NULL, &err) == 0) {
                scenario_close(&scenario);
                fail_msg("accepted: %s %s", row->text, row->set ? row->set : "");
        }
        assert_null(scenario.tree);
        if (err.kind != LB_ERROR_INPUT || !strstr(err.text, row->message))
                fail_msg("%s: got '%s', expected '%s'", row->text, err.text, row->message);
}

/* Loads of a run of two appranks, three iterations and 25 tasks, as loads.csv. */
static inline void write_loads(void)
{
        FILE *out = fopen("loads.csv", "w");
        assert_non_null(out);
        fputs("iteration,apprank,work_s,tasks\n"
              "0,0,1.5,4\n0,1,2.5,4\n1,0,1,4\n1,1,2,4\n2,0,1,4\n2,1,7,5\n",
              out);
        assert_int_equal(fclose(out), 0);
}

static const char traced[] = "{\"platform\": {\"nodes\": 2}, \"graph\": {\"degree\": 2}, "
                             "\"workload\": {\"model\": \"trace\", \"file\": \"loads.csv\"}}";

#endif
