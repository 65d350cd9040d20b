/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef LB_BASE_SELF_H
#define LB_BASE_SELF_H

#include <stdbool.h>
#include <stddef.h>

/*
 * Where this program is, and its sister beside it. What is not known, or does not fit, is empty.
 */

enum { LB_SELF_SIZE = 4096 };

/* The program's own file. */
bool lb_self_file(char path[static LB_SELF_SIZE]);

/* The folder that holds it, without a slash at its end. */
bool lb_self_folder(char path[static LB_SELF_SIZE]);

/* What to start the program `name` by: its file beside this one, or where none is there, or none
 * that may be executed, the name itself. Returns path. */
const char *lb_self_sister(const char *name, char path[static LB_SELF_SIZE]);

#endif
