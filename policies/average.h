/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef LB_POLICIES_AVERAGE_H
#define LB_POLICIES_AVERAGE_H

#include <stddef.h>
#include <stdint.h>

#include "policies/alloc.h"

/*
 * Averages of busy cores, for the allocation policies of this room. The paper says "average busy
 * cores" and leaves the average open; the original's global solver takes a plain mean over a window
 * of 10 to 200 s, its local policy an exponential mean with a time constant of 10 to 150 s
 * (docs/facts.md O2, O3). Both are here.
 *
 * - The memory follows the struct; there is no pointer, so it can be copied.
 */
enum average_kind { AVERAGE_WINDOW, AVERAGE_EXPONENTIAL };
extern const char *const average_kinds[];

/* Entries of a policy's table, the same for all that average (policies/params.h makes them one). */
#define AVERAGE_PARAM_KIND                                                                         \
        {                                                                                          \
                .name = "global_average", .unit = "", .type = LB_PARAM_CHOICE,                     \
                .fallback = AVERAGE_WINDOW, .choices = average_kinds,                              \
                .help = "how global averages busy cores: mean over a window or exponential"        \
        }
#define AVERAGE_PARAM_S                                                                            \
        {                                                                                          \
                .name = "global_average_s", .unit = "s", .type = LB_PARAM_NUMBER, .fallback = 20,  \
                .min = 0.001, .max = 3600,                                                         \
                .help = "global's window or time constant; 20 s in the original's runs; shorter "  \
                        "than an iteration, it oscillates"                                         \
        }

struct average {
        int32_t nworker;
        int32_t nslot; /* samples in the window; 1 for the exponential mean */
        int32_t next, filled;
        enum average_kind kind;
        double length_s; /* window, or time constant */
        double limit_s;  /* ... at most so long */
        double poll_s;
        double elapsed_s;
        int32_t count;   /* samples that count, the newest */
        double weight;   /* theirs together; a sample that took poll_s weighs 1 */
        double sample[]; /* [nslot][nworker], then the weight of each slot's, [nslot] */
};

/* Bytes for nworker workers sampled every poll_s. */
size_t average_size(int32_t nworker, enum average_kind kind, double length_s, double poll_s);

void average_init(struct average *average, int32_t nworker, enum average_kind kind, double length_s,
                  double poll_s);

/* From now on reach back no further than this, s. */
void average_limit(struct average *average, double limit_s);

/* Take in one measurement. */
void average_observe(struct average *average, const struct alloc_view *view);

/* Take over what another has seen, of the same kind and length; worker[before->nworker] are the new
 * numbers, -1 for none. Those that come together are added up. */
void average_carry(struct average *average, const struct average *before, const int32_t *worker);

/* The average of one worker, cores; 0 before the first measurement. */
double average_get(const struct average *average, int32_t worker);

#endif
