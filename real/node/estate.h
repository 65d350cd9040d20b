/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef LB_REAL_NODE_ESTATE_H
#define LB_REAL_NODE_ESTATE_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * What a rank has counted and recorded, in memory that outlives it: whoever has the descriptor of
 * its lifeline (real/node/lifeline.h) can read it, however the rank has ended.
 *
 *      file:  lifeline | struct estate | rows | figures | records      sparse: what is used counts
 *
 * - The rank writes there in place of its own memory, so that nothing is copied and nobody is told.
 * - bytes[] are whole at any moment: they grow after what they count.
 * - Without a keeper, under a limit of file sizes, or when there is more than the file has room
 *   for, memory is the rank's own, and the estate is void.
 */
enum estate_part { ESTATE_ROWS, ESTATE_FIGURES, ESTATE_RECORDS, ESTATE_NPART };

struct estate {
        _Atomic int32_t worker;     /* of the rank, plus 1; 0: it has not come so far */
        _Atomic int32_t is_void;    /* it has more, elsewhere */
        _Atomic int32_t is_full;    /* there was no room for records after the last one */
        _Atomic int32_t is_written; /* apprank 0: the job's files are, with all of this */
        _Atomic int64_t start_ns;   /* the job's, on the clock of the records */
        _Atomic int64_t until_ns;   /* when it was last looked at, on the same */
        _Atomic int64_t bytes[ESTATE_NPART];
};

/* The file's size; where a limit forbids that, it ends after the lifeline. */
enum { ESTATE_FIRST = 4096 };
int64_t estate_end(void);
bool estate_is_allowed(void);

/* The program's, of a file of that size, before there are threads. */
void estate_attach(int fd);

/* The program's own; never NULL. */
struct estate *estate_own(void);

/* realloc() of a part, which may move; new memory is 0. Returns NULL out of memory. */
void *estate_realloc(enum estate_part part, void *memory, size_t before, size_t bytes);
void estate_free(enum estate_part part, void *memory); /* what is in the file stays there */

/* What there is of a rank's, by the descriptor; also while it runs. Returns -1 where there is
 * nothing: no estate, void, or out of memory. */
struct estate_copy {
        struct estate head;
        void *part[ESTATE_NPART]; /* head.bytes[] of it, allocated; NULL: none */
};
int estate_read(struct estate_copy *copy, int fd);
int estate_read_head(struct estate *head, int fd); /* without its parts */
void estate_release(struct estate_copy *copy);

/* The same as bytes in a row, for another node: how many, and each of them in turn. */
size_t estate_packed(const struct estate_copy *copy);
void estate_pack(const struct estate_copy *copy, void *bytes);
int estate_unpack(struct estate_copy *copy, const void *bytes, size_t size); /* -1: it is none */

#endif
