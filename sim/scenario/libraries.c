/* SPDX-License-Identifier: BSD-3-Clause */
#include "sim/scenario/libraries.h"

#include <stdio.h>

#include <cjson/cJSON.h>

#include "graphs/judge.h"
#include "policies/lp.h"

void scenario_libraries(char text[static LIBRARIES_SIZE])
{
        struct graph_libraries graphs = graph_libraries();
        snprintf(text, LIBRARIES_SIZE, "GSL %s, GLPK %s, igraph %s, cJSON %s", graphs.gsl,
                 solve_lp_library(), graphs.igraph, cJSON_Version());
}
