/* SPDX-License-Identifier: BSD-3-Clause */
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/random.h"
#include "mpi_test.h"

/*
 * Every rank sends every rank, itself too, messages of random sizes with random contents. Data is
 * sent from a few blocks that are used again as soon as they may be touched, so that data of one
 * message comes to where that of earlier ones is still to be handled.
 */
enum {
        NBLOCK = 3,
        BLOCK_BYTES = 48 << 20,
        NMESSAGE = 150, /* from each rank to each rank */
        SEED = 2385,
};

struct head { /* of a body */
        uint64_t number, seed, data_bytes;
};

struct block {
        char *memory;
        atomic_int users;
};

struct story {
        struct mpi_test_world world;
        struct transport *transport;
        struct block block[NBLOCK];
        int64_t *arrived; /* [nrank] */
        atomic_int_fast64_t sent;
};

static void on_message(void *user, const struct transport_message *message)
{
        struct story *story = user;
        struct head head;
        MPI_TEST(message->body_bytes >= sizeof(head));
        MPI_TEST((uintptr_t)message->body % 16 == 0);
        memcpy(&head, message->body, sizeof(head));
        MPI_TEST((int64_t)head.number == story->arrived[message->source]);
        story->arrived[message->source]++;
        MPI_TEST(mpi_test_holds((const char *)message->body + sizeof(head),
                                message->body_bytes - sizeof(head), head.seed));
        MPI_TEST(message->data_bytes == head.data_bytes);
        MPI_TEST(mpi_test_holds(message->data, message->data_bytes, ~head.seed));
}

static void on_sent(void *user, void *argument)
{
        struct story *story = user;
        struct block *block = argument;
        atomic_fetch_sub(&block->users, 1);
        atomic_fetch_add(&story->sent, 1);
}

/* Mostly small, sometimes as large as may be. */
static size_t random_size(struct lb_random *random, size_t max)
{
        uint64_t bits = lb_random_below(random, 26);
        size_t size = (size_t)lb_random_below(random, (uint64_t)1 << bits);
        return lb_random_below(random, 200) == 0 ? max : size < max ? size : max;
}

static struct block *free_block(struct story *story)
{
        for (;;) {
                for (int i = 0; i < NBLOCK; i++)
                        if (atomic_load(&story->block[i].users) == 0)
                                return &story->block[i];
                mpi_test_sleep(1e-5);
        }
}

static void post(struct story *story, struct lb_random *random, int to, uint64_t number)
{
        static char body[TRANSPORT_BODY_MAX];
        size_t extra = random_size(random, sizeof(body) - sizeof(struct head));
        struct head head = { .number = number, .seed = lb_random_next(random) };
        struct block *block = NULL;
        if (lb_random_below(random, 2) == 0) {
                block = free_block(story);
                head.data_bytes = random_size(random, BLOCK_BYTES);
                atomic_fetch_add(&block->users, 1);
                mpi_test_fill(block->memory, head.data_bytes, ~head.seed);
        }
        memcpy(body, &head, sizeof(head));
        mpi_test_fill(body + sizeof(head), extra, head.seed);
        struct transport_post post = {
                .destination = to,
                .kind = 7,
                .body_bytes = sizeof(head) + extra,
                .body = body,
                .data = block ? block->memory : NULL,
                .data_bytes = head.data_bytes,
                .sent_argument = block,
        };
        if (transport_post(story->transport, &post))
                on_sent(story, block);
        memset(body, 0, sizeof(head) + extra); /* it was copied */
}

static int64_t send_all(struct story *story)
{
        struct lb_random random;
        lb_random_init(&random, SEED, LB_RANDOM_TEST, (uint64_t)story->world.rank);
        for (uint64_t number = 0; number < NMESSAGE; number++)
                for (int to = 0; to < story->world.nrank; to++)
                        post(story, &random, to, number);
        return (int64_t)NMESSAGE * story->world.nrank;
}

/* Each rank's blocks at addresses of their own: what rank 1 sends never lies over rank 2's. */
static void place_blocks(struct story *story)
{
        size_t all = (size_t)story->world.nrank * NBLOCK * BLOCK_BYTES;
        char *memory = mpi_test_map(all);
        for (int i = 0; i < NBLOCK; i++)
                story->block[i].memory =
                    memory + ((size_t)story->world.rank * NBLOCK + (size_t)i) * BLOCK_BYTES;
}

/* Messages arrive in order and whole, whatever their sizes; destroy waits for all of them. */
int main(int argc, char **argv)
{
        struct story story = { .world = mpi_test_begin(&argc, &argv) };
        struct lb_error err;
        struct transport_spec spec = mpi_test_spec(&story.world);
        spec.handler[7] = on_message;
        spec.user = &story;
        spec.sent = on_sent;
        place_blocks(&story);
        story.arrived = calloc((size_t)story.world.nrank, sizeof(*story.arrived));
        story.transport = transport_create(&spec, &err);
        MPI_TEST(story.transport);
        MPI_Barrier(MPI_COMM_WORLD); /* story.transport is set everywhere */
        int64_t posted = send_all(&story);
        struct transport_figures figures = transport_figures(story.transport);
        MPI_TEST(figures.messages == posted);
        MPI_TEST(figures.bytes >= posted * (int64_t)sizeof(struct head));
        transport_destroy(story.transport);
        for (int from = 0; from < story.world.nrank; from++)
                MPI_TEST(story.arrived[from] == NMESSAGE);
        for (int i = 0; i < NBLOCK; i++)
                MPI_TEST(atomic_load(&story.block[i].users) == 0);
        MPI_TEST(figures.data_bytes == 0 || atomic_load(&story.sent) > 0);
        free(story.arrived);
        mpi_test_end("order");
        return 0;
}
