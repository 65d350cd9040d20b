/* SPDX-License-Identifier: BSD-3-Clause */
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/random.h"
#include "mpi_test.h"

/*
 * Several threads of every rank post small messages to random ranks, all at once, while handlers
 * pass others on: a message with hops left goes to the next rank. Other threads attend now and
 * then.
 */
enum {
        NTHREAD = 4,
        NATTEND = 2,
        NPOST = 1500,
        HOPS_MAX = 12,
        SEED = 471,
        KIND_STORM = 0,
        KIND_HOP = 31
};

struct storm {
        int32_t thread;
        uint32_t extra;
        int64_t number; /* of those from this thread to that rank */
};

struct hop {
        int32_t left;
        uint64_t seed;
};

struct story {
        struct mpi_test_world world;
        struct transport *_Atomic transport; /* set before a barrier; handlers use it */
        int64_t *next;                       /* [nrank][NTHREAD] numbers expected */
        int64_t arrived; /* by one thread at a time, until the transport has ended */
        atomic_bool over;
        atomic_int_fast64_t posted;
        atomic_int inside;
};

static void enter(struct story *story)
{
        MPI_TEST(atomic_fetch_add(&story->inside, 1) == 0); /* one handler at a time */
}

static void leave(struct story *story)
{
        atomic_fetch_sub(&story->inside, 1);
        story->arrived++;
}

static void on_storm(void *user, const struct transport_message *message)
{
        struct story *story = user;
        struct storm storm;
        enter(story);
        memcpy(&storm, message->body, sizeof(storm));
        MPI_TEST(message->body_bytes == sizeof(storm) + storm.extra);
        MPI_TEST(mpi_test_holds((const char *)message->body + sizeof(storm), storm.extra,
                                (uint64_t)storm.number));
        int64_t *next = &story->next[message->source * NTHREAD + storm.thread];
        MPI_TEST(storm.number == *next);
        ++*next;
        leave(story);
}

static void post(struct story *story, int to, int kind, const void *body, size_t bytes)
{
        atomic_fetch_add(&story->posted, 1);
        transport_post(story->transport, &(struct transport_post){
                                             .destination = to,
                                             .kind = kind,
                                             .body = body,
                                             .body_bytes = bytes,
                                         });
}

static void pass_on(struct story *story, struct hop hop)
{
        uint64_t bits = lb_random_at(SEED, hop.seed, (uint64_t)hop.left);
        hop.left--;
        post(story, (int)(bits % (uint64_t)story->world.nrank), KIND_HOP, &hop, sizeof(hop));
}

static void on_hop(void *user, const struct transport_message *message)
{
        struct story *story = user;
        struct hop hop;
        enter(story);
        memcpy(&hop, message->body, sizeof(hop));
        if (hop.left > 0)
                pass_on(story, hop);
        leave(story);
}

struct poster {
        struct story *story;
        int32_t thread;
        pthread_t handle;
};

static void *post_storm(void *argument)
{
        struct poster *poster = argument;
        struct story *story = poster->story;
        char body[sizeof(struct storm) + 256];
        int64_t *number = calloc((size_t)story->world.nrank, sizeof(*number));
        struct lb_random random;
        lb_random_init(&random, SEED, LB_RANDOM_TEST,
                       (uint64_t)(story->world.rank * NTHREAD + poster->thread));
        for (int i = 0; i < NPOST; i++) {
                int to = (int)lb_random_below(&random, (uint64_t)story->world.nrank);
                struct storm storm = { .thread = poster->thread, .number = number[to]++ };
                storm.extra = (uint32_t)lb_random_below(&random, 256);
                memcpy(body, &storm, sizeof(storm));
                mpi_test_fill(body + sizeof(storm), storm.extra, (uint64_t)storm.number);
                post(story, to, KIND_STORM, body, sizeof(storm) + storm.extra);
                if (i % 16 == 0)
                        pass_on(story, (struct hop){ (int32_t)(i % HOPS_MAX) + 1,
                                                     lb_random_next(&random) });
        }
        free(number);
        return NULL;
}

/* Looks, and leaves, or stays away without a word for longer than anybody waits for it. */
static void *attend(void *argument)
{
        struct story *story = argument;
        for (int i = 0; !atomic_load(&story->over); i++) {
                transport_attend(story->transport);
                for (int k = 0; k < 100; k++)
                        transport_look(story->transport);
                if (i % 3 > 0)
                        transport_leave(story->transport);
                mpi_test_sleep(i % 3 == 1 ? 1e-5 : 1e-3);
        }
        return NULL;
}

/* Messages of a thread arrive in its order among those of the others; what handlers post is drained
 * too. */
int main(int argc, char **argv)
{
        struct story story = { .world = mpi_test_begin(&argc, &argv) };
        struct lb_error err;
        struct transport_spec spec = mpi_test_spec(&story.world);
        spec.handler[KIND_STORM] = on_storm;
        spec.handler[KIND_HOP] = on_hop;
        spec.user = &story;
        story.next = calloc((size_t)story.world.nrank * NTHREAD, sizeof(*story.next));
        story.transport = transport_create(&spec, &err);
        MPI_TEST(story.transport);
        MPI_Barrier(MPI_COMM_WORLD);
        struct poster poster[NTHREAD];
        pthread_t attends[NATTEND];
        for (int i = 0; i < NATTEND; i++)
                MPI_TEST(pthread_create(&attends[i], NULL, attend, &story) == 0);
        for (int i = 0; i < NTHREAD; i++) {
                poster[i] = (struct poster){ .story = &story, .thread = i };
                MPI_TEST(pthread_create(&poster[i].handle, NULL, post_storm, &poster[i]) == 0);
        }
        for (int i = 0; i < NTHREAD; i++)
                pthread_join(poster[i].handle, NULL);
        atomic_store(&story.over, true);
        for (int i = 0; i < NATTEND; i++)
                pthread_join(attends[i], NULL);
        transport_destroy(story.transport);
        int64_t mine[2] = { atomic_load(&story.posted), story.arrived }, all[2];
        MPI_Allreduce(mine, all, 2, MPI_INT64_T, MPI_SUM, MPI_COMM_WORLD);
        MPI_TEST(all[0] == all[1]);
        MPI_TEST(all[0] > (int64_t)story.world.nrank * NTHREAD * NPOST);
        free(story.next);
        mpi_test_end("storm");
        return 0;
}
