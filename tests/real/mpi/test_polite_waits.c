/* SPDX-License-Identifier: BSD-3-Clause */
#include <pthread.h>
#include <stdio.h>
#include <time.h>

#include "mpi_test.h"
#include "real/mpi/polite_impl.h"

/*
 * Rank 0 comes a second late to each kind of wait: the others spend next to no processor time, and
 * the wait is known.
 */
static const double LATE_S = 0.7, WAITED_S = 0.5, CPU_S = 0.15;

static double thread_cpu_s(void)
{
        struct timespec used;
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &used);
        return (double)used.tv_sec + 1e-9 * (double)used.tv_nsec;
}

static void barrier(int rank)
{
        (void)rank;
        MPI_Barrier(MPI_COMM_WORLD);
}

static void allreduce(int rank)
{
        int sum = 0;
        MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
}

static void scan(int rank)
{
        int sum = 0;
        MPI_Scan(&rank, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
}

/* So large that nobody can send before the root receives. */
static void reduce_much(int rank)
{
        enum { COUNT = 100000 };
        static int in[COUNT], sum[COUNT];
        in[0] = rank;
        MPI_Reduce(in, sum, COUNT, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD);
}

static void scatter_sums(int rank)
{
        int in[8] = { rank }, sum = 0;
        MPI_Reduce_scatter_block(in, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
}

static void duplicate(int rank)
{
        (void)rank;
        MPI_Comm twin;
        MPI_Comm_dup(MPI_COMM_WORLD, &twin);
        MPI_Comm_free(&twin);
}

static void split(int rank)
{
        MPI_Comm part;
        MPI_Comm_split(MPI_COMM_WORLD, 0, rank, &part);
        MPI_Comm_free(&part);
}

static void receive(int rank)
{
        int nrank, word = 0;
        MPI_Comm_size(MPI_COMM_WORLD, &nrank);
        for (int to = 1; rank == 0 && to < nrank; to++)
                MPI_Send(&word, 1, MPI_INT, to, 0, MPI_COMM_WORLD);
        if (rank != 0)
                MPI_Recv(&word, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

static void send_synchronously(int rank)
{
        int nrank, word = 0;
        MPI_Comm_size(MPI_COMM_WORLD, &nrank);
        for (int from = 1; rank == 0 && from < nrank; from++)
                MPI_Recv(&word, 1, MPI_INT, from, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        if (rank != 0)
                MPI_Ssend(&word, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
}

static void probe(int rank)
{
        if (rank != 0)
                MPI_Probe(0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        receive(rank);
}

static void wait_all(int rank)
{
        MPI_Request request;
        MPI_Status status;
        int sum = 0;
        MPI_Iallreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &request);
        MPI_Waitall(1, &request, &status);
}

/*
 * Whose result nobody needs from others goes on: a polite wait is for no more than MPI's own. (With
 * more ranks MPI's own algorithm lets some wait.) Each tells the other after its call what the
 * other waits for before: where both wait in the call, this never ends.
 */
static void test_no_wait(int rank, int first, void (*call)(int rank))
{
        int word = 0;
        if (rank != first)
                MPI_Recv(&word, 1, MPI_INT, first, 9, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        call(rank);
        if (rank == first)
                MPI_Send(&word, 1, MPI_INT, 1 - rank, 9, MPI_COMM_WORLD);
}

static void reduce(int rank)
{
        int sum = 0;
        MPI_Reduce(&rank, &sum, 1, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD);
}

static void broadcast(int rank)
{
        MPI_Bcast(&rank, 1, MPI_INT, 0, MPI_COMM_WORLD);
}

static void gather(int rank)
{
        int all[8];
        MPI_Gather(&rank, 1, MPI_INT, all, 1, MPI_INT, 0, MPI_COMM_WORLD);
}

static void test_no_waits(int rank)
{
        test_no_wait(rank, 1, reduce);
        test_no_wait(rank, 0, broadcast);
        test_no_wait(rank, 1, gather);
}

/* A wait of the main thread sleeps, and its time counts. */
static void test_wait(int rank, const char *name, void (*wait)(int rank))
{
        MPI_Barrier(MPI_COMM_WORLD);
        double cpu_s = thread_cpu_s();
        int64_t mpi_ns = polite_mpi_ns();
        if (rank == 0)
                mpi_test_sleep(LATE_S);
        wait(rank);
        cpu_s = thread_cpu_s() - cpu_s;
        double mpi_s = 1e-9 * (double)(polite_mpi_ns() - mpi_ns);
        printf("rank %d: %s took %.3f s, %.4f s of processor time\n", rank, name, mpi_s, cpu_s);
        if (rank == 0)
                return;
        MPI_TEST(mpi_s > WAITED_S);
        MPI_TEST(cpu_s < CPU_S);
}

static void *wait_elsewhere(void *argument)
{
        barrier(*(int *)argument);
        return NULL;
}

/* Time of other threads is not the main thread's. */
static void test_other_thread(int rank)
{
        pthread_t thread;
        int64_t before_ns = polite_mpi_ns();
        if (rank == 0)
                mpi_test_sleep(LATE_S);
        MPI_TEST(pthread_create(&thread, NULL, wait_elsewhere, &rank) == 0);
        pthread_join(thread, NULL);
        MPI_TEST(polite_mpi_ns() == before_ns);
}

/* How often the main thread was said to sleep, and to go on. */
static struct {
        int sleeps, goes_on;
} said;

static void sleeps(void)
{
        said.sleeps++;
}

static void goes_on(void)
{
        said.goes_on++;
}

/* What somebody does after the program's call, as ranks that tell each other how a round went. */
static void meet_late(const struct interpose_call *call)
{
        (void)call;
        int rank;
        PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
        if (rank == 0)
                mpi_test_sleep(LATE_S / 4);
        MPI_TEST(polite_meet(MPI_COMM_WORLD) == MPI_SUCCESS);
}

/* Who waits after a call of the program does not sleep in one; in the next it does again. */
static void test_waits_after(int rank)
{
        polite_set_hooks(sleeps, goes_on);
        for (int i = 1; i <= 3; i++) {
                if (rank == 0)
                        mpi_test_sleep(LATE_S / 4);
                polite_set_over(meet_late);
                barrier(rank);
                polite_set_over(NULL);
                MPI_TEST(said.sleeps == said.goes_on);
                MPI_TEST(rank == 0 || said.sleeps == i);
        }
        polite_set_hooks(NULL, NULL);
}

int main(int argc, char **argv)
{
        struct mpi_test_world world = mpi_test_begin(&argc, &argv);
        test_wait(world.rank, "MPI_Barrier", barrier);
        test_wait(world.rank, "MPI_Allreduce", allreduce);
        test_wait(world.rank, "MPI_Scan", scan);
        test_wait(world.rank, "MPI_Reduce", reduce_much);
        test_wait(world.rank, "MPI_Reduce_scatter_block", scatter_sums);
        test_wait(world.rank, "MPI_Comm_dup", duplicate);
        test_wait(world.rank, "MPI_Comm_split", split);
        test_wait(world.rank, "MPI_Recv", receive);
        test_wait(world.rank, "MPI_Ssend", send_synchronously);
        test_wait(world.rank, "MPI_Probe", probe);
        test_wait(world.rank, "MPI_Waitall", wait_all);
        test_other_thread(world.rank);
        test_waits_after(world.rank);
        if (world.nrank == 2)
                test_no_waits(world.rank);
        mpi_test_end("polite waits");
        return 0;
}
