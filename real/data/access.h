/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef LB_REAL_DATA_ACCESS_H
#define LB_REAL_DATA_ACCESS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * Order among the tasks of one parent, from what they access. Ranges may overlap in any way; the
 * memory they touch is cut into pieces, each of which knows its last writer and the readers since.
 *
 * - A task waits for the last writer of every piece that it accesses, and, where it writes the
 * piece, for the readers since.
 * - Tasks whose accesses to one range commute exclude each other, and take it as each has nothing
 *   else to wait for: one at a time from when it is ready until it has finished. Where ranges
 * overlap and are not the same, they may be ordered as if they wrote.
 * - Nothing here locks: the caller has a lock per domain.
 * - Memory is proportional to pieces of unfinished tasks; a piece is forgotten when all that use it
 *   have finished, and stays cut until then.
 * - Time is logarithmic in their number for each range that is disjoint from the others or the same
 *   as an earlier one. A task pays besides for each piece that it is the first to cut or to join.
 */
enum access_mode { ACCESS_IN = 1, ACCESS_OUT = 2, ACCESS_INOUT = 3, ACCESS_COMMUTATIVE = 19 };

struct access {
        uintptr_t begin;
        size_t bytes;
        enum access_mode mode;
};

struct access_domain;
struct access_task; /* one per task, opaque to the caller */

struct access_domain *access_domain_create(void);         /* NULL out of memory */
void access_domain_destroy(struct access_domain *domain); /* its tasks too; takes NULL */

/*
 * Add a task after all earlier ones. A range must not pass the end of the address space; an empty
 * one orders nothing. Returns NULL out of memory; the domain can only be destroyed then. *blocked
 * tells whether it must wait; if not, it is ready. `user` is given back by access_finish().
 */
struct access_task *access_add(struct access_domain *domain, int32_t naccess,
                               const struct access *access, void *user, bool *blocked);

/*
 * A task has finished: it is freed, and released(context, user) is called for each task that has
 * nothing more to wait for, in the order in which they were added. released() may add tasks. Only
 * tasks that are not blocked may finish.
 */
typedef void (*access_released)(void *context, void *user);
void access_finish(struct access_domain *domain, struct access_task *task, access_released released,
                   void *context);

/* Does an unfinished task access any of it? */
bool access_uses(const struct access_domain *domain, uintptr_t begin, size_t bytes);

/* Tasks added and not finished; pieces in memory (for tests). */
int64_t access_unfinished(const struct access_domain *domain);
int64_t access_pieces(const struct access_domain *domain);

#endif
