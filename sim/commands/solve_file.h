/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef LB_SIM_COMMANDS_SOLVE_FILE_H
#define LB_SIM_COMMANDS_SOLVE_FILE_H

#include "base/error.h"
#include "base/json.h"
#include "policies/shape.h"

/*
 * An instance of the global allocation as `lbsim solve` reads it:
 *
 *   {"cores": [48, ...], "appranks": [{"load": 31.5, "nodes": [0, 3, 5, 7]}, ...]}
 *
 * home node first; optionally "owned": [[20, 1, 1, 1], ...], the cores owned now, one list per
 * apprank in the order of its nodes.
 */

enum {
        SOLVE_FILE_NODES_MAX = 1 << 17, /* as of graphs */
        SOLVE_FILE_APPRANKS_MAX = 1 << 17,
        SOLVE_FILE_WORKERS_MAX = 1 << 20,
        SOLVE_FILE_CORES_MAX = 1 << 20, /* of one node */
};

struct solve_file {
        struct lb_shape shape; /* its arrays belong to the solve_file */
        double *load;          /* [napprank] */
        int32_t *owned_cores;  /* [nworker], or NULL where the file does not say */
        void *memory;
};

/*
 * Check a document and take the instance out of it. Every message has file, line, column and JSON
 * pointer. On failure *file is empty and needs no finish.
 */
int solve_file_init(struct solve_file *file, const struct lb_json *doc,
                    struct lb_error *err) LB_MUST_CHECK;
void solve_file_finish(struct solve_file *file);

#endif
