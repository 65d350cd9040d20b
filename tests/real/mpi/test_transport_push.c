/* SPDX-License-Identifier: BSD-3-Clause */
#include <stdatomic.h>
#include <string.h>

#include "mpi_test.h"

/*
 * Data that is written to the other process as it is posted, while handlers there have fallen
 * behind by more messages than the sender keeps in mind: the last two are for the same memory, and
 * each handler finds its own.
 */
enum { NFILLER = 9000, BYTES = 4100, LAST = NFILLER + 1 };

struct story {
        struct mpi_test_world world;
        struct transport *transport;
        char *memory;
        atomic_int sent;
        int handled;
};

static char *place_of(const struct story *story, int message)
{
        return story->memory + (message < LAST ? message : LAST - 1) * BYTES;
}

static void on_message(void *user, const struct transport_message *message)
{
        struct story *story = user;
        char is[BYTES];
        if (story->handled == 0)
                mpi_test_sleep(0.2); /* until all are posted */
        memset(is, story->handled, BYTES);
        MPI_TEST(message->data == place_of(story, story->handled));
        MPI_TEST(memcmp(message->data, is, BYTES) == 0);
        story->handled++;
}

static void on_sent(void *user, void *argument)
{
        (void)argument;
        atomic_fetch_add(&((struct story *)user)->sent, 1);
}

static void post_all(struct story *story)
{
        for (int message = 0; message <= LAST; message++) {
                char *data = place_of(story, message);
                while (message == LAST && atomic_load(&story->sent) < LAST)
                        mpi_test_sleep(1e-4);
                memset(data, message, BYTES);
                if (transport_post(
                        story->transport,
                        &(struct transport_post){
                            .destination = 1, .kind = 7, .data = data, .data_bytes = BYTES }))
                        on_sent(story, NULL);
        }
}

int main(int argc, char **argv)
{
        struct story story = { .world = mpi_test_begin(&argc, &argv) };
        struct lb_error err;
        struct transport_spec spec = mpi_test_spec(&story.world);
        spec.handler[7] = on_message;
        spec.user = &story;
        spec.sent = on_sent;
        story.memory = mpi_test_map((size_t)LAST * BYTES);
        story.transport = transport_create(&spec, &err);
        MPI_TEST(story.transport);
        MPI_Barrier(MPI_COMM_WORLD);
        if (story.world.rank == 0)
                post_all(&story);
        transport_destroy(story.transport);
        MPI_TEST(story.handled == (story.world.rank == 1 ? LAST + 1 : 0));
        mpi_test_end("transport_push");
        return 0;
}
