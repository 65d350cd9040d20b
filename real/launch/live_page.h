/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef LB_REAL_LAUNCH_LIVE_PAGE_H
#define LB_REAL_LAUNCH_LIVE_PAGE_H

#include <stdbool.h>
#include <sys/stat.h>

#include "real/launch/compare.h"
#include "real/launch/options.h"

/*
 * lbrun --html PAGE: one page about a run, from its report and its trace, which are written beside
 * it as PAGE.report.json and PAGE.trace.json unless options name others (plots/page.h).
 */

/* Before the job: have a report and a trace, whose names are kept here, and what stood there
 * before. */
struct live_page {
        char report[4096], trace[4096];
        struct stat before[2]; /* all 0: nothing */
};
int live_page_prepare(struct live_page *page, struct options *options,
                      struct lb_error *err) LB_MUST_CHECK;

/* Has this job written a report, to its end or to where it was ended? */
bool live_page_has_report(const struct live_page *page);

/* After it, with what was compared (--compare; times of 0: nothing was). Fails, naming it, where
 * the report or the trace is missing or not whole; of a job that was ended before its end there may
 * be no trace. */
int live_page_write(const struct live_page *page, const struct options *options,
                    const struct compared *compared, struct lb_error *err) LB_MUST_CHECK;

#endif
