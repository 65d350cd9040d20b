/* SPDX-License-Identifier: BSD-3-Clause */
#define _GNU_SOURCE
#include <sched.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/random.h"
#include "mpi_test.h"

enum { NLOOK = 1000, NROUND = 150, SEED = 77, IDLE_S = 2 };
static const double READY_S = 0.1;
static const double IDLE_CPU_S = 0.3; /* of IDLE_S; what it takes is less than a hundredth */

enum { KIND_ROUND, KIND_READY };

static _Thread_local int64_t yields;

/* In place of libc's, for MPI too. */
int sched_yield(void)
{
        yields++;
        return (int)syscall(SYS_sched_yield);
}

struct story {
        struct mpi_test_world world;
        struct transport *_Atomic transport; /* set before a barrier; handlers use it */
        sem_t came_round, ready;
        atomic_int_fast64_t handled;
        int64_t late; /* of rank 0, before all were ready */
};

static void pass_on(struct story *story)
{
        transport_post(story->transport,
                       &(struct transport_post){ .destination = (story->world.rank + 1) %
                                                                story->world.nrank });
}

/* Once around all ranks, from rank 0 to rank 0. */
static void on_message(void *user, const struct transport_message *message)
{
        struct story *story = user;
        MPI_TEST(message->body_bytes == 0 && message->data_bytes == 0);
        story->handled++;
        if (story->world.rank == 0)
                sem_post(&story->came_round);
        else
                pass_on(story);
}

static void on_ready(void *user, const struct transport_message *message)
{
        (void)message;
        sem_post(&((struct story *)user)->ready);
}

static int64_t late(const struct story *story)
{
        return transport_figures(story->transport).late - story->late;
}

/* No thread but the transports' is in MPI any more. One that is may take a message half in just as
 * they look: then no bell ends the sleep (transport_thread.c). */
static void leave_mpi(struct story *story)
{
        if (story->world.rank > 0) {
                transport_post(story->transport, &(struct transport_post){ .kind = KIND_READY });
                return;
        }
        for (int i = 1; i < story->world.nrank; i++)
                sem_wait(&story->ready);
        mpi_test_sleep(READY_S); /* a sleep that was too long is counted by then */
        story->late = transport_figures(story->transport).late;
}

static void wait_handled(const struct story *story, int64_t count)
{
        while (atomic_load(&story->handled) < count)
                mpi_test_sleep(1e-4);
}

/* Every thread has gone to sleep or is about to when the next message comes: none is found only by
 * chance. */
static void test_no_wake_is_lost(struct story *story)
{
        struct lb_random random;
        lb_random_init(&random, SEED, LB_RANDOM_TEST, 0);
        for (int i = 0; i < NROUND && story->world.rank == 0; i++) {
                mpi_test_sleep(lb_random_unit(&random) * (i % 3 == 0 ? 3e-3 : 2e-4));
                pass_on(story);
                sem_wait(&story->came_round);
        }
        wait_handled(story, NROUND);
        MPI_TEST(late(story) == 0);
}

/* Nor is one that comes when a thread has attended, and has just left, or is about to: rank 0 waits
 * by looking itself, the others come and go. */
static void test_attending_loses_none(struct story *story)
{
        struct lb_random random;
        lb_random_init(&random, SEED, LB_RANDOM_TEST, (uint64_t)story->world.rank + 1);
        for (int i = 0; i < NROUND; i++) {
                int64_t before = NROUND + i;
                bool waits = i % 2 == story->world.rank % 2, leaves = i % 3 > 0;
                if (story->world.rank == 0)
                        pass_on(story);
                transport_attend(story->transport);
                transport_look(story->transport);
                while (waits && atomic_load(&story->handled) <= before)
                        transport_look(story->transport);
                if (leaves)
                        transport_leave(story->transport);
                while (atomic_load(&story->handled) <= before)
                        mpi_test_sleep(lb_random_unit(&random) * 1e-4);
        }
        while (story->world.rank == 0 && sem_trywait(&story->came_round) == 0)
                continue;
        MPI_TEST(late(story) == 0);
}

/* Who looks says itself when to yield, also where MPI would in each of the program's calls; and
 * does again when nobody looks. */
static void test_looks_keep_the_processor(struct story *story)
{
        yields = 0;
        transport_attend(story->transport);
        for (int i = 0; i < NLOOK; i++)
                transport_look(story->transport);
        MPI_TEST(yields == 0);
        transport_leave(story->transport);
#ifdef OPEN_MPI
        for (int flag; yields == 0;)
                MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_SELF, &flag, MPI_STATUS_IGNORE);
#endif
}

/* A rank without messages sleeps. */
static void test_idle_costs_nothing(void)
{
        MPI_Barrier(MPI_COMM_WORLD);
        double before_s = mpi_test_cpu_s();
        mpi_test_sleep(IDLE_S);
        double used_s = mpi_test_cpu_s() - before_s;
        printf("idle for %d s: %.4f s of processor time\n", IDLE_S, used_s);
        MPI_TEST(used_s < IDLE_CPU_S);
}

/* So does one that waits in transport_destroy() for the others. */
static void test_destroy_waits_politely(struct story *story)
{
        MPI_Barrier(MPI_COMM_WORLD);
        if (story->world.rank == 0)
                mpi_test_sleep(IDLE_S);
        double before_s = mpi_test_cpu_s();
        transport_destroy(story->transport);
        MPI_TEST(mpi_test_cpu_s() - before_s < IDLE_CPU_S);
}

int main(int argc, char **argv)
{
        setenv("OMPI_MCA_mpi_yield_when_idle", "1", 1);
        struct story story = { .world = mpi_test_begin(&argc, &argv) };
        struct lb_error err;
        struct transport_spec spec = mpi_test_spec(&story.world);
        spec.handler[KIND_ROUND] = on_message;
        spec.handler[KIND_READY] = on_ready;
        spec.user = &story;
        sem_init(&story.came_round, 0, 0);
        sem_init(&story.ready, 0, 0);
        story.transport = transport_create(&spec, &err);
        MPI_TEST(story.transport);
        MPI_Barrier(MPI_COMM_WORLD);
        leave_mpi(&story);
        test_no_wake_is_lost(&story);
        test_attending_loses_none(&story);
        test_looks_keep_the_processor(&story);
        test_idle_costs_nothing();
        test_destroy_waits_politely(&story);
        MPI_TEST(atomic_load(&story.handled) == 2 * NROUND);
        sem_destroy(&story.came_round);
        sem_destroy(&story.ready);
        mpi_test_end("idle");
        return 0;
}
