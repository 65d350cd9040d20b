/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef LB_TESTS_REAL_RUNTIME_CHAMELEON_OTHER_H
#define LB_TESTS_REAL_RUNTIME_CHAMELEON_OTHER_H

#include <stdint.h>

/* Another file of the program that includes chameleon.h: adds a task of one whole number, and
 * returns what chameleon_get_last_local_task_id_added() says there. */
int other_add(void (*entry)(intptr_t), intptr_t argument);

/* What it says there now. */
int other_last_added(void);

#endif
