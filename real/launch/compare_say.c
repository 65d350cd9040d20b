/* SPDX-License-Identifier: BSD-3-Clause */
#include "real/launch/compare_say.h"

#include <math.h>
#include <stdio.h>

#include "base/csv.h"
#include "real/launch/compare.h"

static const double WORTH_SAYING = 0.05, MUCH = 0.1;

static double difference(double simulated_s, double live_s)
{
        return live_s / simulated_s - 1;
}

bool compare_differ(double simulated_s, double live_s)
{
        return fabs(difference(simulated_s, live_s)) > WORTH_SAYING;
}

void compare_say(double simulated_s, double live_s)
{
        fprintf(stderr, "lbrun: simulated %.4g s, live %.4g s, difference %+.1f %%, an iteration\n",
                simulated_s, live_s, 100 * difference(simulated_s, live_s));
}

/* Chains that are shorter than the iteration may still leave cores idle, at its begin and end. */
static void say_if_chains(const struct compare_reasons *r)
{
        static const double LONG = 0.5;
        if (difference(r->simulated_s, r->live_s) > MUCH && r->chain_s > LONG * r->simulated_s &&
            r->chain_s < r->simulated_s)
                fprintf(stderr,
                        "lbrun: tasks that wait for each other last %.4g s, which is simulated "
                        "without their order\n",
                        r->chain_s);
}

/* Each iteration is simulated with a wait for all; who does without it may have other nodes' cores
 * for longer, or none. */
static void say_if_nobody_waits(const struct compare_reasons *r)
{
        static const double LONG = 0.5;
        if (r->ends_apart_s > LONG * r->live_s)
                fprintf(stderr,
                        "lbrun: ranks do not wait for each other: ends of an iteration are %.4g s "
                        "apart; simulated, they wait at each\n",
                        r->ends_apart_s);
}

/* Who lends to whom settles in one of several ways, as it happens at the begin. */
static void say_if_moments(const struct compare_reasons *r)
{
        if (r->most_s > (1 + WORTH_SAYING) * r->least_s)
                fprintf(stderr,
                        "lbrun: simulated at other moments it takes %.4g to %.4g s: in which of "
                        "several lasting states such a job ends is a matter of chance\n",
                        r->least_s, r->most_s);
}

/* The longest of a file of tasks; of loads the mean of an apprank that has the longest, in an
 * iteration. 0: not known. */
static double longest_task_s(const char *file, bool tasks)
{
        struct lb_error err;
        struct lb_csv csv = { 0 };
        double seconds, count = 1, longest_s = 0;
        bool fine = lb_csv_open(&csv, file, &err) == 0;
        int32_t time = fine ? lb_csv_column(&csv, tasks ? "seconds" : "work_s") : -1;
        int32_t number = fine ? lb_csv_column(&csv, "tasks") : -1;
        fine = time >= 0 && (tasks || number >= 0);
        for (int64_t r = 0; fine && r < csv.nrow; r++)
                if (lb_csv_number(&csv, r, time, &seconds, &err) == 0 &&
                    (tasks || lb_csv_number(&csv, r, number, &count, &err) == 0) && count > 0)
                        longest_s = fmax(longest_s, seconds / count);
        lb_csv_close(&csv);
        return longest_s;
}

/* A job of few tasks is a matter of who comes first to the last ones. */
static void say_if_a_task(const struct compare_reasons *r)
{
        double off_s = fabs(r->live_s - r->simulated_s), task_s = longest_task_s(r->file, r->tasks);
        if (off_s > MUCH * r->simulated_s && off_s <= task_s)
                fprintf(stderr,
                        "lbrun: they differ by no more than one task, which takes %.4g s: that is "
                        "decided by who comes first\n",
                        task_s);
}

void compare_why(const struct compare_reasons *reasons)
{
        say_if_chains(reasons);
        say_if_nobody_waits(reasons);
        say_if_moments(reasons);
        say_if_a_task(reasons);
}
