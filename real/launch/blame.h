/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef LB_REAL_LAUNCH_BLAME_H
#define LB_REAL_LAUNCH_BLAME_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "real/launch/news.h"

struct plan;

/*
 * Whose fault a job's end is, from the ends of ranks in the order in which they are known, and in
 * the end from mpirun's: the first rank to fail, which is named on stderr at once.
 *
 * - A rank that says that it ends the job (MPI_Abort(), a failure that the runtime found) is to
 *   blame, whatever order the ends come in: it has waited until that was known.
 * - What the launcher does to others is no failure of theirs. Open MPI's sends SIGTERM; MPICH's
 *   kills the keepers. Where such an end comes first, the cause is waited for.
 * - A rank that aborts, or ends the job since MPI has failed, may have lost another whose end is
 *   known a moment later. Of a rank that ends since it has seen a certain other one dead, that
 *   one's death came first, in whatever order the two are known.
 * - A keeper that somebody has killed looks like one that MPICH's launcher kills since MPI itself
 *   has ended the job (MPI_ERRORS_ARE_FATAL). mpirun's exit code tells the two apart.
 * - MPICH's launcher kills keepers of all nodes for one, and news of different nodes come in any
 *   order: a rank whose keeper has lived to tell of its end leads, and of keepers those of the node
 *   that the launcher names (real/launch/obituary.h).
 * - Where a node is lost, ranks of others fail by what that does to their connections: for a moment
 *   after a rank's end the node may be found to be the cause.
 * - MPI_Finalize() that was left by force, and mpirun's own death, fail nobody.
 */
struct blame {
        const struct plan *plan;
        int32_t nended;
        struct news quitter; /* the first rank to end; rank -1: none */
        struct news failed;  /* the first to fail; the same */
        struct news
            doubted;       /* the first to end the job for what may be another's death; the same */
        int32_t seen;      /* the rank whose death another has seen; -1: none */
        int64_t tell_ns;   /* of `failed`, unless another is found by then; 0: never */
        int64_t failed_ns; /* when that was known */
        bool apart;        /* ranks are on several nodes, of which one may be the cause */
        char lost[128];    /* what of that node */
        bool over;         /* lbrun ends the job: nobody fails any more */
        bool abandoned;    /* MPI_Finalize(), by some rank: how MPI sees the end does not count */
        bool bereft;       /* mpirun was killed: keepers have lost it, and end their ranks */
};

void blame_init(struct blame *blame, const struct plan *plan);

/* NEWS_ENDS, NEWS_ENDED, NEWS_OTHER, NEWS_KEEPER, or NEWS_STARTER of another process than mpirun.
 * Returns whether this is the first failure: all should be over soon. */
bool blame_take(struct blame *blame, const struct news *news, int64_t now);

/* A node is lost, with all ranks on it: `text` says how. Returns whether this is the first failure.
 */
bool blame_node(struct blame *blame, int32_t node, const char *text, int64_t now);

/* Does it wait to be told, and may be a launcher's doing, or follow from another's end? Then this
 * one was before it. */
bool blame_is_open(const struct blame *blame);
void blame_first(struct blame *blame, const struct news *first);

/* At blame->tell_ns. */
void blame_tell(struct blame *blame);

/* mpirun has ended, with this status of wait(2), and no news are left: tell what is untold. */
void blame_settle(struct blame *blame, int status);

/* Who failed, and by what; no text where nobody did. */
void blame_describe(const struct blame *blame, char *text, size_t size);

/* The exit code; and what is to be said with it of mpirun's own end. */
int blame_code(const struct blame *blame, int status);
void blame_tell_mpirun(const struct blame *blame, int status);

#endif
