/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef LB_REAL_LAUNCH_SETTINGS_H
#define LB_REAL_LAUNCH_SETTINGS_H

#include <stdbool.h>
#include <stdio.h>

#include "base/error.h"
#include "graphs/graph.h"
#include "real/control/job.h"

struct options;

/*
 * What --system, --lewi, --drom, --load, --seed and --param say, put into a job and the graph's
 * parameters. Names are lbsim's paths: runtime.poll_s, system.local_average_s, graph.method; the
 * section may be left out.
 *
 * - A parameter that only other systems' policies have is checked and has no effect, as in lbsim.
 * - system.as=original takes the defaults of the original code for all that is not set itself,
 *   except the linear-program solver, which is GPL code and cannot be in a user's program.
 */
struct settings {
        struct job *job; /* its system gets set */
        double graph[GRAPH_NPARAM];
        char note[256]; /* what a user should know, or empty */
};

int settings_apply(struct settings *settings, const struct options *options,
                   struct lb_error *err) LB_MUST_CHECK;

/* Load a plugin; what crashes in its constructor is named, or does not come back: after 10 s, 20 s
 * and so on, and after as many seconds as hung_s says (what --hung-s was given; NULL: nothing) the
 * program ends. */
int settings_take_policy(const char *file, const char *hung_s, struct lb_error *err) LB_MUST_CHECK;

/* NAME=VALUE of --param as lbsim's --set has it for this system, with its section, into path[size].
 * false: unknown, or a parameter that no simulation has, or not the system's policies. */
bool settings_simulated(const char *param, const char *system, char *path, size_t size);

/* All names with their ranges and defaults: lbrun params. */
void settings_print(FILE *out);

#endif
