/* SPDX-License-Identifier: BSD-3-Clause */
#include "real/node/inbox.h"

#include <inttypes.h>
#include <stdalign.h>
#include <stdatomic.h>
#include <stdlib.h>

#include "real/node/segment.h"

/*
 * A ring is lines of a cache line each. A writer takes as many as it needs, in one stretch (what is
 * left at the ring's end is skipped), fills them, and last says in the first how many they are. In
 * a line that is free that word is 0: the reader, which waits for it to change, sees to that, in
 * every line, since the next message may begin in any of them.
 */
enum {
        LINE_BYTES = 64,
        HEAD_BYTES = INBOX_ALIGN,
        LINES_MIN = 512, /* of a ring */
        LINES_MAX = 4096,
        LINES_ALL = 64 << 10, /* of a machine's, where that leaves each enough */
};

struct line {
        alignas(LINE_BYTES) _Atomic uint32_t count; /* lines of what begins here; 0: nothing yet */
        int32_t from;                               /* -1: it is to be skipped */
        uint32_t coming; /* what count will be when the message is filled */
        uint32_t unused;
        unsigned char message[LINE_BYTES - HEAD_BYTES]; /* and on in the next lines */
};
_Static_assert(sizeof(struct line) == LINE_BYTES, "a line");
_Static_assert(offsetof(struct line, message) == HEAD_BYTES, "a message is aligned");

struct ring {
        alignas(LINE_BYTES) _Atomic uint64_t taken;   /* lines, by writers, since the start */
        alignas(LINE_BYTES) _Atomic uint64_t dropped; /* and by the reader */
        struct line line[];
};

struct inbox {
        struct segment *segment;
        unsigned char *rings; /* of the machine's ranks, in their order */
        uint32_t lines;       /* of each, a power of two */
        struct ring *own;
        _Atomic uint64_t *count; /* [nlocal][nlocal] that the first shows the second */
        int32_t rank, nrank, nlocal;
        int32_t place[]; /* [nrank] ring; -1: on another machine */
};

static size_t ring_bytes(const struct inbox *inbox)
{
        return sizeof(struct ring) + inbox->lines * sizeof(struct line);
}

static struct ring *ring_of(const struct inbox *inbox, int32_t rank)
{
        return (struct ring *)(void *)(inbox->rings +
                                       (size_t)inbox->place[rank] * ring_bytes(inbox));
}

static int join(struct inbox *inbox, const char *job, struct lb_error *err)
{
        size_t nlocal = (size_t)inbox->nlocal;
        inbox->lines = LINES_MAX;
        while (inbox->lines > LINES_MIN && inbox->lines * nlocal > LINES_ALL)
                inbox->lines /= 2;
        const struct segment_spec spec = {
                .job = job,
                .part = "inbox",
                .nmember = inbox->nlocal,
                .member = inbox->place[inbox->rank],
                .bytes = nlocal * ring_bytes(inbox) + nlocal * nlocal * sizeof(*inbox->count),
        };
        inbox->segment = segment_open(&spec, err);
        if (!inbox->segment)
                return -1;
        inbox->rings = segment_memory(inbox->segment);
        inbox->count = (_Atomic uint64_t *)(void *)(inbox->rings + nlocal * ring_bytes(inbox));
        inbox->own = ring_of(inbox, inbox->rank);
        return 0;
}

struct inbox *inbox_open(const char *job, int32_t nrank, int32_t rank, const bool *local,
                         struct lb_error *err)
{
        struct inbox *inbox = calloc(1, sizeof(*inbox) + (size_t)nrank * sizeof(inbox->place[0]));
        if (!inbox) {
                lb_error_fail(err, "out of memory for messages of %" PRId32 " ranks", nrank);
                return NULL;
        }
        inbox->rank = rank;
        inbox->nrank = nrank;
        for (int32_t i = 0; i < nrank; i++)
                inbox->place[i] = local[i] ? inbox->nlocal++ : -1;
        if (join(inbox, job, err) == 0)
                return inbox;
        lb_error_prefix(err, "messages of rank %" PRId32 ": ", rank);
        inbox_close(inbox);
        return NULL;
}

void inbox_close(struct inbox *inbox)
{
        if (!inbox)
                return;
        segment_close(inbox->segment);
        free(inbox);
}

bool inbox_reaches(const struct inbox *inbox, int32_t rank)
{
        return inbox->place[rank] >= 0 && rank != inbox->rank;
}

bool inbox_reaches_all(const struct inbox *inbox)
{
        return inbox->nlocal == inbox->nrank;
}

/* ---- Writers ---- */

/* So many lines in one stretch, from *begin on, and what was left before them at the ring's end. */
static bool take_lines(struct ring *ring, uint32_t lines, uint32_t count, uint64_t *begin,
                       uint32_t *left)
{
        uint64_t taken = atomic_load_explicit(&ring->taken, memory_order_relaxed), end;
        do {
                uint32_t to_end = lines - (uint32_t)(taken % lines);
                *left = count > to_end ? to_end : 0;
                *begin = taken + *left;
                end = *begin + count;
                uint64_t dropped = atomic_load_explicit(&ring->dropped, memory_order_acquire);
                if ((int64_t)(end - dropped) > lines)
                        return false;
        } while (!atomic_compare_exchange_weak_explicit(
            &ring->taken, &taken, end, memory_order_relaxed, memory_order_relaxed));
        return true;
}

void *inbox_begin(struct inbox *inbox, int32_t rank, size_t bytes)
{
        struct ring *ring = ring_of(inbox, rank);
        uint32_t count = (uint32_t)((HEAD_BYTES + bytes + LINE_BYTES - 1) / LINE_BYTES), left;
        uint64_t begin;
        if (!take_lines(ring, inbox->lines, count, &begin, &left))
                return NULL;
        if (left > 0) {
                struct line *skipped = &ring->line[(begin - left) % inbox->lines];
                skipped->from = -1;
                atomic_store_explicit(&skipped->count, left, memory_order_release);
        }
        struct line *line = &ring->line[begin % inbox->lines];
        line->from = inbox->rank;
        line->coming = count;
        return line->message;
}

void inbox_end(void *message)
{
        struct line *line = (struct line *)(void *)((char *)message - HEAD_BYTES);
        atomic_store_explicit(&line->count, line->coming, memory_order_release);
}

/* ---- The reader ---- */

static struct line *first(const struct inbox *inbox)
{
        struct ring *ring = inbox->own;
        uint64_t at = atomic_load_explicit(&ring->dropped, memory_order_relaxed);
        struct line *line = &ring->line[at % inbox->lines];
        return atomic_load_explicit(&line->count, memory_order_acquire) > 0 ? line : NULL;
}

bool inbox_is_empty(const struct inbox *inbox)
{
        return !first(inbox);
}

void inbox_drop(struct inbox *inbox)
{
        struct line *line = first(inbox);
        uint32_t count = atomic_load_explicit(&line->count, memory_order_relaxed);
        for (uint32_t i = 0; i < count; i++)
                atomic_store_explicit(&line[i].count, 0, memory_order_relaxed);
        atomic_fetch_add_explicit(&inbox->own->dropped, count, memory_order_release);
}

const void *inbox_first(struct inbox *inbox, int32_t *from)
{
        struct line *line = first(inbox);
        if (line && line->from < 0) {
                inbox_drop(inbox);
                line = first(inbox);
        }
        if (!line)
                return NULL;
        *from = line->from;
        return line->message;
}

/* ---- Counts ---- */

static _Atomic uint64_t *count_of(const struct inbox *inbox, int32_t shows, int32_t sees)
{
        return &inbox->count[(size_t)inbox->place[shows] * (size_t)inbox->nlocal +
                             (size_t)inbox->place[sees]];
}

void inbox_show(struct inbox *inbox, int32_t rank, uint64_t count)
{
        atomic_store_explicit(count_of(inbox, inbox->rank, rank), count, memory_order_release);
}

uint64_t inbox_shown(const struct inbox *inbox, int32_t rank)
{
        return atomic_load_explicit(count_of(inbox, rank, inbox->rank), memory_order_acquire);
}
