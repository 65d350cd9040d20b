/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef LB_SIM_COMMANDS_CONTEST_H
#define LB_SIM_COMMANDS_CONTEST_H

#include "plots/table.h"
#include "policies/host/metrics.h"
#include "sim/output/paired.h"

/*
 * One policy against others over a bank of scenarios (private to contest*.c). A
 * case is a scenario with values of all that it sweeps but the system; all
 * systems of a case see the same work.
 */

enum { CONTEST_SYSTEMS_MAX = 64, CONTEST_NAME_SIZE = 160 };

struct contest_case {
        char name[CONTEST_NAME_SIZE];
        double time_s[CONTEST_SYSTEMS_MAX];      /* mean of the metric; NaN: not there */
        struct paired pair[CONTEST_SYSTEMS_MAX]; /* from that system to ours; npair 0: none */
};

struct contest {
        const char *metric_name;
        enum metric metric;
        bool larger; /* is better */
        int32_t nsystem;
        const char *system[CONTEST_SYSTEMS_MAX]; /* ours first */
        struct contest_case *cases;              /* [ncase] */
        int32_t ncase;
        /* sums over all runs of all cases, of the metrics that say what it costs */
        double cost[CONTEST_SYSTEMS_MAX][METRIC_COUNT];
        int64_t ncost[CONTEST_SYSTEMS_MAX][METRIC_COUNT];
};

/* Over all cases against one system. */
struct contest_tally {
        int32_t wins, losses, same;
        int32_t best, worst; /* cases with the largest gain and loss, or -1 */
};
struct contest_tally contest_tally(const struct contest *contest, int32_t system);

/* How far ours is behind the best system of a case, in per cent of that; 0 where it is the best,
 * NaN where it, or all, have nothing. */
double contest_behind(const struct contest *contest, int32_t number);

/* What all is said from: against each system, case by case, what it costs. NULL: out of memory. */
struct table *contest_summary(const struct contest *contest);
struct table *contest_cases(const struct contest *contest);
struct table *contest_costs(const struct contest *contest);

/* Who contends: "mine against 9 systems on 40 cases"; at most `size` bytes. */
void contest_title(const struct contest *c, char *text, size_t size);

/* On how many cases ours is better than all others, on how many level with the best of them, by the
 * verdicts, and where it is farthest from the best, as a sentence. */
void contest_place(const struct contest *contest, char *text, size_t size);

/* One HTML page with all of it (plots/page.h); `call`: how to repeat it. */
struct lb_call;
int contest_page_write(const struct contest *contest, const struct lb_call *call, const char *path,
                       struct lb_error *err) LB_MUST_CHECK;

/* Write verdicts: for people, or the cases as CSV, or all as JSON. */
int contest_print(const struct contest *contest, enum table_format format, FILE *out,
                  struct lb_error *err) LB_MUST_CHECK;

#endif
