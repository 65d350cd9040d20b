/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef LB_SIM_COMMANDS_GAIN_MACHINE_H
#define LB_SIM_COMMANDS_GAIN_MACHINE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"

/*
 * What is not known of the machine's costs (private to this room): each constant lies between two
 * ends, by what lbsim calibrate measured, else by assumption. Everything is simulated a second time
 * where all of them are cheap and a third time where all are dear, and predictions are as wide.
 */

enum { GAIN_CONSTANTS = 6, GAIN_PATH_SIZE = 48 };
enum gain_costs { GAIN_COSTS_USUAL = 0, GAIN_COSTS_CHEAP, GAIN_COSTS_DEAR, GAIN_COSTS_ALL };

struct gain_constant {
        char path[GAIN_PATH_SIZE]; /* in a scenario */
        bool known;                /* the ends are one, or the file says no more than a number */
        double cheap, dear;
};

struct gain_machine {
        struct gain_constant constant[GAIN_CONSTANTS];
        bool measured; /* by what is in the file, else assumed */
};

/* Of a machine that lbsim calibrate wrote; NULL: of none. */
int gain_machine_read(struct gain_machine *machine, const char *file,
                      struct lb_error *err) LB_MUST_CHECK;

/* Is there nothing that may be cheaper or dearer? */
bool gain_machine_is_known(const struct gain_machine *machine);

/* What to say of it: where the constants are from, file or NULL, and, where the ends were simulated
 * as well, what ranges hold. */
void gain_machine_line(const struct gain_machine *machine, const char *file, bool ends, char *line,
                       size_t size);

#endif
