/* SPDX-License-Identifier: BSD-3-Clause */
#include <stdatomic.h>
#include <stdlib.h>

#include "base/random.h"
#include "mpi_test.h"

/*
 * Data that stays until it is handled, of all sizes, which who handles it may fetch: each handler
 * finds what was posted, also where the memory had been posted just before with other contents, and
 * its own first touch of it is by that. Where it was handled is told, and the memory used again.
 * Every third is posted from other memory than it is received in.
 */
enum { NBLOCK = 8, BLOCK_BYTES = 600000, ROUNDS = 400, SEED = 2385, DATA = 7, HANDLED = 8 };

struct head { /* of a body */
        int64_t number;
        uint64_t seed;
        int32_t block; /* to be told of; -1: none */
};

struct story {
        struct mpi_test_world world;
        struct transport *transport;
        char *memory, *apart; /* that is at another address in each rank */
        atomic_bool busy[NBLOCK];
        atomic_int unsent; /* of plain messages */
        int64_t handled;
};

static void on_data(void *user, const struct transport_message *message)
{
        struct story *story = user;
        struct head head;
        MPI_TEST(message->body_bytes == sizeof(head));
        head = *(const struct head *)message->body;
        if (story->handled == 0)
                mpi_test_sleep(0.05); /* others wait by then */
        MPI_TEST(head.number == story->handled++);
        ptrdiff_t at = (char *)message->data - story->memory;
        MPI_TEST(message->data_bytes == 0 || (at >= 0 && at % BLOCK_BYTES == 0));
        MPI_TEST(mpi_test_holds(message->data, message->data_bytes, head.seed));
        if (head.block >= 0)
                transport_post(story->transport,
                               &(struct transport_post){ .destination = 0,
                                                         .kind = HANDLED,
                                                         .body = &head,
                                                         .body_bytes = sizeof(head) });
}

static void on_handled(void *user, const struct transport_message *message)
{
        const struct head *head = message->body;
        atomic_store(&((struct story *)user)->busy[head->block], false);
}

static void on_sent(void *user, void *argument)
{
        if (argument)
                atomic_fetch_sub(&((struct story *)user)->unsent, 1);
}

static void post(struct story *story, const struct head *head, char *data, size_t bytes)
{
        bool stays = head->block >= 0, is_apart = head->number % 3 == 0;
        char *from = is_apart ? story->apart + (data - story->memory) : data;
        mpi_test_fill(from, bytes, head->seed);
        atomic_fetch_add(&story->unsent, !stays);
        bool sent = transport_post(
            story->transport, &(struct transport_post){ .destination = 1,
                                                        .kind = DATA,
                                                        .body = head,
                                                        .body_bytes = sizeof(*head),
                                                        .data = from,
                                                        .data_to = is_apart ? data : NULL,
                                                        .data_bytes = bytes,
                                                        .data_stays = stays,
                                                        .sent_argument = stays ? NULL : story });
        if (sent && !stays)
                atomic_fetch_sub(&story->unsent, 1);
        while (atomic_load(&story->unsent) > 0)
                mpi_test_sleep(1e-5);
}

static void post_all(struct story *story)
{
        struct lb_random random;
        lb_random_init(&random, SEED, LB_RANDOM_TEST, 0);
        int64_t number = 0;
        for (int round = 0; round < ROUNDS; round++) {
                int32_t block = round % NBLOCK;
                char *data = story->memory + (size_t)block * BLOCK_BYTES;
                size_t bytes = (size_t)lb_random_below(
                    &random, round % 9 ? (uint64_t)1 << (2 + round % 17) : BLOCK_BYTES);
                while (atomic_load(&story->busy[block]))
                        mpi_test_sleep(1e-5);
                if (lb_random_below(&random, 2) == 0) {
                        post(story, &(struct head){ number, (uint64_t)number, -1 }, data, bytes);
                        number++;
                }
                atomic_store(&story->busy[block], true);
                post(story, &(struct head){ number, (uint64_t)number, block }, data, bytes);
                number++;
        }
}

int main(int argc, char **argv)
{
        struct story story = { .world = mpi_test_begin(&argc, &argv) };
        struct lb_error err;
        struct transport_spec spec = mpi_test_spec(&story.world);
        spec.handler[DATA] = on_data;
        spec.handler[HANDLED] = on_handled;
        spec.user = &story;
        spec.sent = on_sent;
        story.memory = mpi_test_map((size_t)NBLOCK * BLOCK_BYTES);
        story.apart = malloc((size_t)NBLOCK * BLOCK_BYTES + (size_t)story.world.rank * BLOCK_BYTES);
        MPI_TEST(story.apart);
        story.transport = transport_create(&spec, &err);
        MPI_TEST(story.transport);
        MPI_Barrier(MPI_COMM_WORLD);
        if (story.world.rank == 0)
                post_all(&story);
        transport_destroy(story.transport);
        free(story.apart);
        for (int block = 0; block < NBLOCK; block++)
                MPI_TEST(!atomic_load(&story.busy[block]));
        MPI_TEST(story.world.rank == 0 || story.handled >= ROUNDS);
        mpi_test_end("transport_fetch");
        return 0;
}
