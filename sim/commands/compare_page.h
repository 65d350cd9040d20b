/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef LB_SIM_COMMANDS_COMPARE_PAGE_H
#define LB_SIM_COMMANDS_COMPARE_PAGE_H

#include "plots/table.h"

/* What lbsim compare found, as a page (plots/page.h; private to sim/commands/compare*.c). */
struct compare_page {
        const char *verdict, *metric;
        const char *directory[2]; /* whose figures stand side by side */
        const struct table *table;
};

int compare_page_write(const struct compare_page *page, const char *path,
                       struct lb_error *err) LB_MUST_CHECK;

#endif
