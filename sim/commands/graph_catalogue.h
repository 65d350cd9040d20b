/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef LB_SIM_COMMANDS_GRAPH_CATALOGUE_H
#define LB_SIM_COMMANDS_GRAPH_CATALOGUE_H

#include <stdbool.h>

#include "graphs/catalogue.h"

/* lbsim graph --catalogue and --extend: list, verify and extend the catalogue of graphs. */
struct catalogue_request {
        const char *file;                /* NULL: the user's own and the shipped one */
        int32_t napprank, nnode, degree; /* 0: any */
        int64_t budget;                  /* 0: the default */
        uint64_t seed;
        int64_t trials; /* candidates to extend by */
        bool json;
};

/* Print the entries of the sizes asked for. */
int catalogue_list(const struct catalogue_request *request, struct lb_error *err) LB_MUST_CHECK;

/* The same, and say of each whether its certificate is right. Fails with the first that is wrong.
 */
int catalogue_verify_all(const struct catalogue_request *request,
                         struct lb_error *err) LB_MUST_CHECK;

/* Look for a better graph of the size, and put it into the file (the user's own by default). */
int catalogue_extend(const struct catalogue_request *request, struct lb_error *err) LB_MUST_CHECK;

#endif
