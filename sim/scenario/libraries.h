/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef LB_SIM_SCENARIO_LIBRARIES_H
#define LB_SIM_SCENARIO_LIBRARIES_H

/* The versions of the system's libraries that results may depend on, "GSL 2.7.1, GLPK 5.0, ...":
 * to be noted with results. */
enum { LIBRARIES_SIZE = 160 };
void scenario_libraries(char text[static LIBRARIES_SIZE]);

#endif
