/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef LB_SIM_COMMANDS_GRAPH_PRINT_H
#define LB_SIM_COMMANDS_GRAPH_PRINT_H

#include <stdio.h>

#include "graphs/judge.h"

/* What lbsim graph prints. spec is NULL where the graph was read; helper_distance is the mean
 * distance of helpers, less than 0 where no distances were given. */
void graph_print_table(FILE *out, const struct graph *graph, const struct graph_spec *spec,
                       const struct graph_judgement *judgement, double helper_distance);
void graph_print_json(FILE *out, const struct graph *graph, const struct graph_spec *spec,
                      const struct graph_judgement *judgement, double helper_distance);

#endif
