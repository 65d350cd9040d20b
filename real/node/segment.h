/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef LB_REAL_NODE_SEGMENT_H
#define LB_REAL_NODE_SEGMENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

/*
 * Shared memory of the processes of a job on one machine, which leaves nothing behind.
 *
 * - Named /lbrun-<uid>-<job>-<part>; the part is the number of a node, "bell" or "inbox".
 * - Whoever is first creates it: complete, zero and with itself as a member, before the name
 *   appears. Nobody can see a half-made one, and one whose maker is killed never appears.
 * - All of its memory is there from the start: a full /dev/shm is an error, not a later SIGBUS.
 * - Each member's process is recorded with its start time. A segment is dead when none of its
 *   members is both open and alive; a dead one of the same name is replaced.
 * - Joining, closing and removing hold a lock that the kernel releases when its holder dies. The
 *   last living member to close removes the name.
 */
struct segment;

struct segment_spec {
        const char *job;  /* its id: letters, digits, '-'; shorter than 32 */
        const char *part; /* of the name */
        int32_t nmember;
        int32_t member; /* the caller: 0 .. nmember-1 */
        size_t bytes;   /* of memory; the same for all members */
};

enum segment_member_state {
        SEGMENT_ABSENT = 0, /* not yet opened */
        SEGMENT_OPEN,
        SEGMENT_CLOSED,
};

/* Open, creating it where the caller is first. */
struct segment *segment_open(const struct segment_spec *spec, struct lb_error *err);
void segment_close(struct segment *segment); /* takes NULL */

/* Somebody else's, to look at: no member, and nobody notices. NULL where there is none now, or one
 * of other sizes. */
struct segment *segment_look(const struct segment_spec *spec);

/* The memory: aligned to 64 bytes, zero at first. */
void *segment_memory(const struct segment *segment);

/* Block until all members have opened it. Fails after timeout_s, or where one died on the way. */
int segment_wait(struct segment *segment, double timeout_s, struct lb_error *err) LB_MUST_CHECK;

/* Once all members have opened it: nobody can come to it any more, and nothing is left of it
 * however they end. Any of them may say so, and others after it. */
void segment_unname(struct segment *segment);

enum segment_member_state segment_member(const struct segment *segment, int32_t member);
int32_t segment_pid(const struct segment *segment, int32_t member);

/* The first member that is gone without closing, or -1. One system call. */
int32_t segment_dead(struct segment *segment);
bool segment_is_dead(struct segment *segment, int32_t member);

/*
 * Remove this user's dead segments, and all of `job` whatever their state unless it is NULL.
 * Returns how many. Never touches what another user owns or what a living process has open. What
 * DLB has left of a node goes with it (real/node/dlb.h), not counted.
 */
int segment_clean(const char *job);

#endif
