/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef LB_BASE_DATA_H
#define LB_BASE_DATA_H

#include <stdbool.h>

/* Where the program's own data files are: in $LBSIM_DATA, where they were installed with the
 * program, in the build tree that the program is in, or in its source, which may have been moved
 * together with the tree in it; the first of these that has FOLDER/NAME. */
enum { LB_DATA_PATH_SIZE = 4096 };
bool lb_data_find(const char *folder, const char *name, char path[static LB_DATA_PATH_SIZE]);

/* Where lbsim calibrate keeps this machine's constants, unless told otherwise: $LBSIM_MACHINE, else
 * lbsim/machine.json where the user's settings are. false: nowhere. */
bool lb_data_machine(char path[static LB_DATA_PATH_SIZE]);

#endif
