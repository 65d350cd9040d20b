/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef LB_SIM_COMMAND_GRAPH_PRINT_H
#define LB_SIM_COMMAND_GRAPH_PRINT_H

#include <stdio.h>

#include "graphs/judge.h"

/* What lbsim graph prints. spec is NULL where the graph was read. */
void graph_print_table(FILE *out, const struct graph *graph, const struct graph_spec *spec,
                       const struct graph_judgement *judgement);
void graph_print_json(FILE *out, const struct graph *graph, const struct graph_spec *spec,
                      const struct graph_judgement *judgement);

#endif
