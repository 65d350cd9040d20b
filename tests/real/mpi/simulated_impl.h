/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef LB_TESTS_REAL_MPI_SIMULATED_IMPL_H
#define LB_TESTS_REAL_MPI_SIMULATED_IMPL_H

#include <stdbool.h>
#include <stdint.h>

_Noreturn void simulated_die(const char *what);
bool simulated_has(int32_t rank); /* is there such a rank? */

#endif
