/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef LB_POLICIES_SYSTEM_H
#define LB_POLICIES_SYSTEM_H

#include <stdbool.h>

#include "base/param.h"

/*
 * Systems: named sets of policies (design: "The systems, each usable by name in both programs").
 */
/* A parameter of the host or of a policy whose default is another under this system. */
struct system_setting {
        const char *path;  /* as a scenario and lbrun --param have it: "runtime.poll_s" */
        const char *value; /* as a user would write it */
        bool simulated; /* what lbsim's machine alone has to be told; lbrun does not look at it */
};

struct system_type {
        const char *name;
        const char *help;
        const char
            *host; /* name of what simulates it (sim/engine/host.h), which knows its policies; NULL:
                      workers that offload, own and lend cores, live as well, with: */
        const char *alloc; /* names of policies */
        const char *lend;
        const char *place;
        const char *migrate; /* of host "chameleon": name of the migration policy; NULL: parameter
                                "migrate" says */
        const char *pack;    /* of host "packing", and parameter "pack" */
        const char *dpb;     /* of host "dpb", and parameter "processors" */
        bool offloads;       /* uses helper ranks; otherwise it always runs at degree 1 */
        bool lewi, drom;     /* what the switches are where the user says nothing; false: cannot be
                                switched on */
        const char *grow; /* name of the growth policy (policies/grow.h): further helpers come and
                             go, from degree 1 on where it does not offload from the start;
                             NULL: none do */
        const struct system_setting *settings; /* ended by one without a path; NULL: none. What the
                                                  user gives wins, also over system.as */
};

/* What system.as = published sets beyond the original's values: its scheduler until 29 March 2022
 * (docs/facts.md O1). Ended as a system's settings are. */
extern const struct system_setting system_published[];

/* What the machine of tasks is told where it stands for parallel regions of programs that nobody
 * rewrote, under dlb (real/balance/dlb.c): CPUs change owner at the edges of regions, by a look
 * once in a second. In the order of the papers' runtime, which gives up a core that has been idle
 * from one poll to the next, none moves while iterations are shorter than that. Ended likewise. */
extern const struct system_setting system_teams[];

/* Those built in, ended by an entry without a name. */
extern const struct system_type system_types[];

/* System 0 .., those of plugins (policies/plugin.h) behind those built in; NULL beyond the last. */
const struct system_type *system_at(int i);

/* Or of a plugin? */
bool system_is_built_in(const struct system_type *system);

/* Do its ranks push tasks to each other? NULL: no. */
bool system_migrates(const struct system_type *system);

/* Does lbrun run it? Live are workers that offload, and ranks that push tasks. Those that grow are
 * given no degree there, or the one that they may come to have. */
bool system_is_live(const struct system_type *system);

/* Does lbrun run it on a program that nobody rewrote, under its own launcher? Then what hosts it
 * there: "packing", "dpb" or "dlb"; else NULL. */
const char *system_for_any(const struct system_type *system);

/* Does it begin at degree 1, whatever degree is given, and find the one that the load needs? */
bool system_finds_degree(const struct system_type *system);

/* The policy that a system with a host of its own names (migrate, pack or dpb), and its parameters;
 * NULL: a parameter of the host says which. */
const char *system_own_policy(const struct system_type *system, const struct lb_param **params);

/* By name, or NULL. */
const struct system_type *system_find(const char *name);

#endif
