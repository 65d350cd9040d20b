/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef LB_REAL_BALANCE_GATHER_H
#define LB_REAL_BALANCE_GATHER_H

#include <mpi.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * Ranks that never all meet tell each other a word each, and nobody waits: each posts its own when
 * it likes, and finds those of all there some time after the last has posted.
 *
 * - Ranks of one node have it in memory that they share. On several nodes it is a nonblocking
 *   MPI_Iallgather on a communicator of its own.
 * - One word of each rank is under way at a time: who has posted posts the next when that is
 *   complete.
 * - By one thread.
 */
struct gather;

/* Of whole iterations of a rank's own (real/balance/steps.h). */
struct gather_word {
        double wall_s, load_s, count; /* how long they took, outside MPI, how many they were */
        double alone_s;               /* outside of parallel regions, too */
        double told;                  /* the system's (struct balance_word) */
        int32_t period, epoch;        /* calls of one; what all ranks know to be in */
        uint32_t kind;                /* which these calls are, to this rank (dpd_kind()) */
        int32_t lull;                 /* it has gone back (real/balance/lull.h) */
};

/* Bytes of a node's memory, zero at first, for so many ranks of it. */
size_t gather_bytes(int32_t nmate);

/* `rank` of `size` in `world`; `board`: gather_bytes(size) bytes that all of them share, NULL:
 * they share none, and all call this together. NULL: no memory. */
struct gather *gather_create(MPI_Comm world, int32_t rank, int32_t size, void *board);
void gather_destroy(struct gather *gather); /* takes NULL */

/* How many this rank has posted, and how many of these are complete. */
int64_t gather_posted(const struct gather *gather);
int64_t gather_completed(const struct gather *gather);

/* Nothing is under way. */
void gather_post(struct gather *gather, const struct gather_word *word);

/* Words of all, [size], once, when those of all are there that were posted last; else NULL. */
const struct gather_word *gather_look(struct gather *gather);

/* Before MPI ends, by all: what some have posted comes to its end, which MPI asks for. `world` as
 * above. */
void gather_end(struct gather *gather, MPI_Comm world);

#endif
