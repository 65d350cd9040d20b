/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef LB_REAL_DATA_WHERE_H
#define LB_REAL_DATA_WHERE_H

#include <stddef.h>
#include <stdint.h>

/*
 * Where the data of an apprank is: for every range of its cluster memory the place (of its workers,
 * 0 is home) that holds the latest version, and the other places that hold a copy of it. Kept at
 * home.
 *
 * - What was never written by a task is at home.
 * - Copies count from the moment they are ordered: places execute transfers before tasks that need
 * them.
 * - At most WHERE_PLACE_MAX places. Adjacent ranges in the same state are one.
 * - Nothing here locks.
 */
enum { WHERE_PLACE_MAX = 1024 };

struct where;

struct where *where_create(int32_t nplace); /* NULL out of memory */
void where_destroy(struct where *where);

/* A piece that must be copied: from the place `source` that holds it. */
struct where_copy {
        uintptr_t begin;
        size_t bytes;
        int32_t source;
};
typedef void (*where_each)(void *context, const struct where_copy *copy);

/*
 * `place` needs to read the range: each() is called for every piece that is not there (merged where
 * adjacent and from the same source; the latest writer is the source), and the place now counts as
 * holding them. Returns -1 out of memory, else 0.
 */
int where_need(struct where *where, uintptr_t begin, size_t bytes, int32_t place, where_each each,
               void *context);

/* `place` writes the range: it alone holds it now. Returns -1 out of memory, else 0. */
int where_write(struct where *where, uintptr_t begin, size_t bytes, int32_t place);

/* Whoever wrote the range has sent it home: home holds it too, and is who it is copied from.
 * Returns -1 out of memory, else 0. */
int where_return(struct where *where, uintptr_t begin, size_t bytes);

/* Add to bytes_at[place] the bytes of the range whose latest version each place made. */
void where_locate(const struct where *where, uintptr_t begin, size_t bytes, int64_t *bytes_at);

/* All that home does not hold: as where_need() over everything with place 0. */
int where_need_all(struct where *where, where_each each, void *context);

/* Forget a range (it was freed): it is at home again. */
int where_forget(struct where *where, uintptr_t begin, size_t bytes);

/*
 * The main program will not write the range any more: it is constant until a task writes it, or it
 * is forgotten. What was constant already has been written before the call, and is at home alone.
 * Returns -1 out of memory, else 0.
 */
int where_settle(struct where *where, uintptr_t begin, size_t bytes);

/* The main program may have written all that is not constant: that is at home, where all is. */
void where_forget_others(struct where *where);

int64_t where_pieces(const struct where *where); /* for tests */

#endif
