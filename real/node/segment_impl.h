/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef LB_REAL_NODE_SEGMENT_IMPL_H
#define LB_REAL_NODE_SEGMENT_IMPL_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "real/node/futex.h"
#include "real/node/segment.h"

/* What a segment begins with, and what joining and cleaning have in common. */
#define SEGMENT_DIRECTORY "/dev/shm"

enum {
        SEGMENT_PATH_SIZE = 128,
        SEGMENT_ALIGN = 64,
        SEGMENT_JOB_MAX = 31,
        SEGMENT_LOCK_MS = 5000,
};

struct segment_slot {
        _Atomic int64_t start_ticks;
        _Atomic int32_t pid;
        _Atomic int32_t state; /* enum segment_member_state; written last */
};

struct segment_head {
        uint64_t magic; /* of this layout */
        uint64_t bytes; /* of memory, after the slots */
        int32_t nmember;
        int32_t unused;
        struct futex joined; /* woken by every member that opens */
        struct segment_slot slot[];
};

extern const uint64_t segment_magic;

/* Bytes of the head with its slots; the memory comes after them. */
size_t segment_head_bytes(int32_t nmember);

/* Open a segment of this user; -1 and errno where there is none, EPERM where it is not ours. */
int segment_open_file(const char *path);

/* Map the file whole, if it is a segment of this layout; NULL if not. */
struct segment_head *segment_map(int fd, size_t *mapped_bytes);

/* The segment's lock, waited for at most SEGMENT_LOCK_MS. */
bool segment_lock(int fd);
void segment_unlock(int fd);

/* Does a living process have it open? Under the lock. */
bool segment_has_living(const struct segment_head *head);

/* Remove the name if it still leads to this file. Under the lock. Returns whether it did. */
bool segment_unlink(const char *path, int fd);

#endif
