/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The transport on an MPI that is late wherever it may be (simulated.h), under simulated time: jobs
 * drawn from a seed, whose ranks post messages of random sizes, handlers too, and use the memory of
 * their data again as soon as they may.
 *
 * - Messages of a rank to another are handled in the order of posting, once, none is lost.
 * - A handler sees what was posted, its data included, while later data for the same place waits.
 * - What may be touched again is told once for each message with data.
 *
 * LB_LATE_FIRST=SEED LB_LATE_COUNT=1 repeats the job of a seed.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/real/mpi/simulated.h"

enum {
        NJOB = 150,
        MOST = 200,            /* messages that a rank posts, handlers' apart */
        PART_BYTES = 1 << 16,  /* of the memory: what one rank sends from */
        LONG_BYTES = 80 << 20, /* in a few jobs: data of several pieces */
        PENDING = 4096,
};

struct head { /* of a body */
        uint64_t number, seed, data_bytes;
};

/* Memory that must stay as it is. */
struct pending {
        size_t begin, bytes;
        bool used;
};

struct rank {
        int32_t number;
        struct transport *transport;
        int32_t left; /* to post */
        uint64_t posted[SIMULATED_RANKS], handled[SIMULATED_RANKS];
        struct pending pending[PENDING];
        int64_t with_data, sent;
};

static struct {
        struct lb_random random;
        uint64_t seed;
        int32_t nrank;
        size_t part_bytes;
        struct rank rank[SIMULATED_RANKS];
} job;

static uint64_t below(uint64_t bound)
{
        return lb_random_below(&job.random, bound);
}

/* ---- Contents ---- */

static unsigned char byte_of(uint64_t seed, size_t i)
{
        return (unsigned char)((seed + i) * 0x9e3779b97f4a7c15u >> 56);
}

static void fill(void *memory, size_t bytes, uint64_t seed)
{
        unsigned char *to = memory;
        for (size_t i = 0; i < bytes; i++)
                to[i] = byte_of(seed, i);
}

static bool holds(const void *memory, size_t bytes, uint64_t seed)
{
        const unsigned char *from = memory;
        size_t step = bytes > PART_BYTES ? 4099 : 1;
        for (size_t i = 0; i < bytes; i += step)
                if (from[i] != byte_of(seed, i))
                        return false;
        return true;
}

/* ---- Posting ---- */

/* Mostly small, sometimes as large as may be. */
static size_t size_below(size_t most)
{
        uint64_t bits = below(24);
        size_t size = (size_t)below((uint64_t)1 << bits);
        return below(100) == 0 ? most : size < most ? size : most;
}

static bool is_free(const struct rank *rank, size_t begin, size_t bytes)
{
        for (int i = 0; i < PENDING; i++) {
                const struct pending *p = &rank->pending[i];
                if (p->used && begin < p->begin + p->bytes && p->begin < begin + bytes)
                        return false;
        }
        return true;
}

/* Some of the rank's own memory that may be written: its bytes, 0: none was found. */
static struct pending *choose_data(struct rank *rank)
{
        size_t begin = (size_t)below(job.part_bytes);
        bool is_long = job.part_bytes > PART_BYTES && below(4) == 0;
        size_t bytes = is_long ? job.part_bytes - begin : size_below(job.part_bytes - begin);
        int i = 0;
        while (i < PENDING && rank->pending[i].used)
                i++;
        if (bytes == 0 || i == PENDING || !is_free(rank, begin, bytes))
                return NULL;
        rank->pending[i] = (struct pending){ begin, bytes, true };
        return &rank->pending[i];
}

static void post(struct rank *rank)
{
        static _Alignas(16) unsigned char body[TRANSPORT_BODY_MAX];
        int32_t to = (int32_t)below((uint64_t)job.nrank);
        struct head head = { rank->posted[to]++, lb_random_next(&job.random), 0 };
        struct pending *data = below(2) ? choose_data(rank) : NULL;
        size_t more = size_below(below(20) ? 6000 : TRANSPORT_BODY_MAX - sizeof(head));
        struct transport_post what = { .destination = to,
                                       .kind = (int32_t)below(TRANSPORT_KIND_MAX),
                                       .body = body,
                                       .body_bytes = sizeof(head) + more };
        if (data) {
                char *memory =
                    simulated_memory() + (size_t)rank->number * job.part_bytes + data->begin;
                fill(memory, data->bytes, ~head.seed);
                what.data = memory;
                what.data_bytes = head.data_bytes = data->bytes;
                what.sent_argument = data;
                rank->with_data++;
        }
        memcpy(body, &head, sizeof(head));
        fill(body + sizeof(head), more, head.seed);
        transport_post(rank->transport, &what);
}

/* ---- Told ---- */

static void on_message(void *user, const struct transport_message *message)
{
        struct rank *rank = user;
        struct head head;
        assert_int_equal((uintptr_t)message->body % 16, 0);
        assert_true(message->body_bytes >= sizeof(head));
        memcpy(&head, message->body, sizeof(head));
        if (head.number != rank->handled[message->source])
                fail_msg("seed %llu: message %llu in place of %llu", (unsigned long long)job.seed,
                         (unsigned long long)head.number,
                         (unsigned long long)rank->handled[message->source]);
        rank->handled[message->source]++;
        const char *more = (const char *)message->body + sizeof(head);
        if (!holds(more, message->body_bytes - sizeof(head), head.seed) ||
            message->data_bytes != head.data_bytes ||
            !holds(message->data, message->data_bytes, ~head.seed))
                fail_msg("seed %llu: a message is not what was posted",
                         (unsigned long long)job.seed);
        if (below(8) == 0)
                post(rank);
}

static void on_sent(void *user, void *argument)
{
        struct rank *rank = user;
        struct pending *data = argument;
        assert_true(data->used);
        data->used = false;
        rank->sent++;
        char *memory = simulated_memory() + (size_t)rank->number * job.part_bytes + data->begin;
        fill(memory, data->bytes < 64 ? data->bytes : 64, lb_random_next(&job.random));
}

/* ---- Jobs ---- */

static void begin(uint64_t seed)
{
        memset(&job, 0, sizeof(job));
        job.seed = seed;
        lb_random_init(&job.random, seed, LB_RANDOM_TEST, 4);
        job.nrank = 1 + (int32_t)below(SIMULATED_RANKS);
        job.part_bytes = below(40) == 0 ? LONG_BYTES : PART_BYTES;
        job.nrank = job.part_bytes > PART_BYTES ? 2 : job.nrank;
        simulated_begin(seed, job.nrank, (size_t)job.nrank * job.part_bytes);
        for (int32_t r = 0; r < job.nrank; r++) {
                struct rank *rank = &job.rank[r];
                struct transport_spec spec = { .user = rank, .sent = on_sent };
                for (int k = 0; k < TRANSPORT_KIND_MAX; k++)
                        spec.handler[k] = on_message;
                rank->number = r;
                rank->left = (int32_t)below(job.part_bytes > PART_BYTES ? 8 : MOST);
                rank->transport = simulated_transport(r, &spec);
        }
}

static bool is_over(void)
{
        bool over = simulated_quiet();
        for (int32_t r = 0; r < job.nrank; r++) {
                over &= job.rank[r].left == 0 && job.rank[r].sent == job.rank[r].with_data &&
                        simulated_rests(job.rank[r].transport);
                for (int32_t to = 0; to < job.nrank; to++)
                        over &= job.rank[r].posted[to] == job.rank[to].handled[r];
        }
        return over;
}

static void act(struct rank *rank)
{
        if (rank->left > 0 && below(3) == 0) {
                simulated_become(rank->number);
                rank->left--;
                post(rank);
        }
        if (below(2) == 0)
                simulated_lap(rank->number, rank->transport);
}

static int64_t run_job(uint64_t seed)
{
        enum { STEPS = 200000 };
        int32_t step = 0;
        int64_t count = 0;
        begin(seed);
        for (; step < STEPS && !is_over(); step++) {
                for (int32_t r = 0; r < job.nrank; r++)
                        act(&job.rank[r]);
                simulated_step();
        }
        if (step == STEPS)
                fail_msg("seed %llu: messages are lost", (unsigned long long)seed);
        for (int32_t r = 0; r < job.nrank; r++) {
                count += transport_figures(job.rank[r].transport).messages;
                simulated_close(job.rank[r].transport);
        }
        simulated_end();
        return count;
}

static void test_late(void **state)
{
        (void)state;
        const char *first = getenv("LB_LATE_FIRST"), *count = getenv("LB_LATE_COUNT");
        uint64_t from = first ? strtoull(first, NULL, 10) : 0;
        uint64_t until = from + (count ? strtoull(count, NULL, 10) : NJOB);
        int64_t messages = 0;
        for (uint64_t seed = from; seed < until; seed++)
                messages += run_job(seed);
        printf("%llu jobs, %lld messages\n", (unsigned long long)(until - from),
               (long long)messages);
}

int main(void)
{
        const struct CMUnitTest tests[] = { cmocka_unit_test(test_late) };
        return cmocka_run_group_tests(tests, NULL, NULL);
}
