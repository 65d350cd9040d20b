/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef LB_REAL_NODE_INBOX_H
#define LB_REAL_NODE_INBOX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

/*
 * Short messages between the ranks of a machine, through memory that they share: each rank has a
 * ring, in which the others write and it alone reads, in place. No system call, no copy but the
 * writer's.
 *
 * - Messages of one writer come in the order in which it began them; it has one under way to a rank
 *   at a time, and may be any process.
 * - Nobody waits: where the ring is full, the writer is told, and where it is empty, the reader.
 *   Who sleeps is not woken (real/node/bell.h does that).
 * - A writer that dies between begin and end leaves those behind it unread: its job ends.
 * - One segment a machine and job, as the bells' (real/node/segment.h); a ring can be written to
 *   before its rank has opened it.
 */
enum { INBOX_MESSAGE_MAX = 4080, INBOX_ALIGN = 16 };

struct inbox;

/* As bell_open(). */
struct inbox *inbox_open(const char *job, int32_t nrank, int32_t rank, const bool *local,
                         struct lb_error *err);
void inbox_close(struct inbox *inbox); /* takes NULL */

/* Is the rank on this machine, and not the caller's own? */
bool inbox_reaches(const struct inbox *inbox, int32_t rank);
bool inbox_reaches_all(const struct inbox *inbox); /* but the own */

/* Room for a message to a rank that it reaches, to be filled; NULL: the ring is full. */
void *inbox_begin(struct inbox *inbox, int32_t rank, size_t bytes);
void inbox_end(void *message); /* it is filled, and can be read */

/* The own ring's first message, and what rank it is from; NULL: there is none. One reader. */
bool inbox_is_empty(const struct inbox *inbox); /* any thread */
const void *inbox_first(struct inbox *inbox, int32_t *from);
void inbox_drop(struct inbox *inbox); /* that one: it is not read any more */

/* A count that the caller shows a rank that it reaches, and the one which that shows the caller: 0
 * at first. What was written before it was shown is there for who has seen it. */
void inbox_show(struct inbox *inbox, int32_t rank, uint64_t count);
uint64_t inbox_shown(const struct inbox *inbox, int32_t rank);

#endif
