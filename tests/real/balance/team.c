/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A hybrid program whose ranks have unequal work, in one of the ways in which programs use threads:
 *
 *      free     asks for nothing: a loop alone
 *      parts    the same in four loops, so that some begin while the other rank waits
 *      halves   in two, and loads of 2.2 to 1
 *      asks     asks before each region how many there will be, and has something for each
 *      both     divides its work by what each thread asks, in the region
 *      single   has room for as many as a region of all found there are, by one thread of it
 *      some     the same, of a thread that looked whether it is the first
 *      counts   for as many as a sum over threads found at first
 *      early    for as many as it was told before MPI_Init
 *      reads    for as many as OMP_NUM_THREADS says, which it reads itself
 *      procs    for as many as there are processors
 *      again    for as many as it was told last, in every tenth iteration
 *      own      for as many as it was told once; each thread clears its part itself
 *      fixed    asked once, and divides its work by that
 *      sets     sets the number of threads itself, in each iteration
 *      once     asks at first, and in the middle sets two, once
 *      half     a quarter of it in no loop, before it
 *      named    the same as free, but the loop names its threads: two
 *      writes   the same as free, and rank 0 is alone at work for a second in every 40th
 *      tasks    one thread creates tasks, and is done before others have begun
 *      keeps    asks for nothing, and each thread keeps a sum of its own from region to region
 *               (built with KEEPS alone: a program that has such data is another one)
 *
 * team WAY [ITERATIONS [FROM]]: from iteration FROM on, ranks meet twice in each. FROM "apart":
 * they do not meet, but tell each other how it went.
 *
 * Threads sleep, so that any number of them is at work on any machine. Says whether each
 * iteration's sum was right, and how many threads regions had: from .. to.
 */
#include <mpi.h>
#include <omp.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { ITEMS = 48, NPART = 4, ROOM = 256, HALVES_US = 11000, HALVES_LESS_US = 5000 };

static struct {
        const char *way;
        int iterations;
        int item_us, known, least, most;
        long part[ROOM]; /* of each thread */
        int nparts;
} app = { .least = ROOM };

static void work(void)
{
        nanosleep(&(struct timespec){ .tv_nsec = app.item_us * 1000L }, NULL);
}

/* Counted: who asks has sized something by the answer. */
static void note_team(void)
{
        int threads = 0;
#pragma omp parallel reduction(+ : threads)
        threads++;
        app.least = threads < app.least ? threads : app.least;
        app.most = threads > app.most ? threads : app.most;
}

static long loop(int from, int to)
{
        long sum = 0;
#pragma omp parallel for schedule(static) reduction(+ : sum)
        for (int i = from; i < to; i++) {
                work();
                sum += i;
        }
        return sum;
}

static long run_free(void)
{
        return loop(0, ITEMS);
}

static long run_in(int parts)
{
        long sum = 0;
        for (int i = 0; i < parts; i++)
                sum += loop(i * ITEMS / parts, (i + 1) * ITEMS / parts);
        return sum;
}

static long run_parts(void)
{
        return run_in(NPART);
}

static long run_halves(void)
{
        return run_in(2);
}

static long sum_of_parts(int count)
{
        long sum = 0;
        for (int i = 0; i < count; i++)
                sum += app.part[i];
        return sum;
}

/* Its parts are as many as it was told when it first ran; each of them must be there. */
static long run_asks(void)
{
        int threads = omp_get_max_threads();
        if (app.nparts == 0)
                app.nparts = threads;
        if (threads > app.nparts)
                return -1; /* beyond its memory */
        memset(app.part, 0, sizeof(app.part));
#pragma omp parallel
        {
                int me = omp_get_thread_num();
#pragma omp for schedule(static)
                for (int i = 0; i < ITEMS; i++) {
                        work();
                        app.part[me] += i;
                }
                if (me >= threads)
                        app.part[0] = -ITEMS * ITEMS; /* more than it was told */
        }
        return sum_of_parts(threads);
}

static long run_both(void)
{
        long sum = 0;
#pragma omp parallel reduction(+ : sum)
        {
                int me = omp_get_thread_num(), threads = omp_get_num_threads();
                for (int i = me; i < ITEMS; i += threads) {
                        work();
                        sum += i;
                }
        }
        return sum;
}

/* Within the room that it has. */
static long run_in_room(void)
{
        memset(app.part, 0, sizeof(app.part));
#pragma omp parallel
        {
                int me = omp_get_thread_num();
#pragma omp for schedule(static)
                for (int i = 0; i < ITEMS; i++) {
                        work();
                        app.part[me] += i;
                }
        }
        return sum_of_parts(app.known);
}

static long run_single(void)
{
        if (app.known == 0)
#pragma omp parallel
#pragma omp single
                app.known = omp_get_num_threads();
        return run_in_room();
}

static long run_some(void)
{
        if (app.known == 0)
#pragma omp parallel
                if (omp_get_thread_num() == 0)
                        app.known = omp_get_num_threads();
        return run_in_room();
}

static long run_counts(void)
{
        int threads = 0;
        if (app.known == 0) {
#pragma omp parallel reduction(+ : threads)
                threads++;
                app.known = threads;
        }
        return run_in_room();
}

static long run_reads(void)
{
        if (app.known == 0)
                app.known = atoi(getenv("OMP_NUM_THREADS"));
        return run_in_room();
}

static long run_procs(void)
{
        if (app.known == 0)
                app.known = omp_get_num_procs();
        return run_in_room();
}

static long run_again(void)
{
        static int runs;
        if (runs++ % 10 == 0)
                app.known = omp_get_max_threads();
        return run_in_room();
}

static long run_own(void)
{
        if (app.known == 0)
                app.known = omp_get_max_threads();
#pragma omp parallel
        {
                int me = omp_get_thread_num();
                app.part[me] = 0;
#pragma omp for schedule(static)
                for (int i = 0; i < ITEMS; i++) {
                        work();
                        app.part[me] += i;
                }
        }
        return sum_of_parts(app.known);
}

static long run_fixed(void)
{
        memset(app.part, 0, sizeof(app.part));
#pragma omp parallel
        {
                int me = omp_get_thread_num();
                for (int i = me; i < ITEMS; i += app.known) {
                        work();
                        app.part[me] += i;
                }
        }
        return sum_of_parts(app.known);
}

static long run_sets(void)
{
        omp_set_num_threads(3);
        return run_free();
}

static long run_once(void)
{
        static int runs;
        if (runs == 0)
                app.known = omp_get_max_threads();
        if (runs++ == app.iterations / 2) {
                app.known = 2;
                omp_set_num_threads(app.known);
        }
        return run_in_room();
}

static long run_half(void)
{
        long sum = 0;
        for (int i = 0; i < ITEMS / 4; i++) {
                work();
                sum += i;
        }
        return sum + loop(ITEMS / 4, ITEMS);
}

static long run_named(void)
{
        long sum = 0;
#pragma omp parallel for schedule(static) reduction(+ : sum) num_threads(2)
        for (int i = 0; i < ITEMS; i++) {
                work();
                sum += i;
        }
        return sum;
}

static void create(long *sum)
{
        for (int i = 0; i < ITEMS; i++)
#pragma omp task firstprivate(i)
        {
                work();
#pragma omp atomic
                *sum += i;
        }
}

static long run_tasks(void)
{
        static long sum;
        sum = 0;
#pragma omp parallel
#pragma omp master
#pragma omp task
        create(&sum);
        return sum;
}

/* What all threads have kept is all that they did. */
static long run_keeps(void)
{
#ifdef KEEPS
        static long kept;
        static int runs;
#pragma omp threadprivate(kept)
        long sum = 0;
#pragma omp parallel for schedule(static)
        for (int i = 0; i < ITEMS; i++) {
                work();
                kept += i;
        }
#pragma omp parallel reduction(+ : sum)
        sum += kept;
        runs++;
        return sum % runs == 0 ? sum / runs : -1;
#else
        return -1;
#endif
}

static const struct {
        const char *name;
        long (*run)(void);
} ways[] = {
        { "free", run_free },     { "asks", run_asks },   { "fixed", run_fixed },
        { "sets", run_sets },     { "parts", run_parts }, { "tasks", run_tasks },
        { "halves", run_halves }, { "keeps", run_keeps }, { "half", run_half },
        { "named", run_named },   { "writes", run_free }, { "early", run_in_room },
        { "single", run_single }, { "some", run_some },   { "procs", run_procs },
        { "again", run_again },   { "both", run_both },   { "counts", run_counts },
        { "reads", run_reads },   { "once", run_once },   { "own", run_own },
};
enum { FIXED = 2, HALVES = 6, WRITES = 10, EARLY = 11, NWAY = sizeof(ways) / sizeof(ways[0]) };

static void end_iteration(int rank, int *wrong, bool apart, bool twice)
{
        int other;
        if (apart)
                MPI_Sendrecv(wrong, 1, MPI_INT, 1 - rank, 0, &other, 1, MPI_INT, 1 - rank, 0,
                             MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        else
                MPI_Barrier(MPI_COMM_WORLD);
        if (twice)
                MPI_Allreduce(MPI_IN_PLACE, wrong, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
}

int main(int argc, char **argv)
{
        int rank, wrong = 0, way = 0;
        for (int i = 0; i < NWAY; i++)
                if (argc > 1 && strcmp(argv[1], ways[i].name) == 0)
                        way = i;
        if (way == EARLY)
                app.known = omp_get_max_threads();
        MPI_Init(&argc, &argv);
        MPI_Comm_rank(MPI_COMM_WORLD, &rank);
        app.item_us = rank == 0 ? 2000 : 500;
        if (way == HALVES)
                app.item_us = rank == 0 ? HALVES_US : HALVES_LESS_US;
        app.iterations = argc > 2 ? atoi(argv[2]) : 40;
        bool apart = argc > 3 && strcmp(argv[3], "apart") == 0;
        int twice_from = argc > 3 && !apart ? atoi(argv[3]) : app.iterations;
        if (way == FIXED)
                app.known = omp_get_max_threads();
        for (int i = 0; i < app.iterations; i++) {
                long sum = ways[way].run();
                wrong += sum != (long)ITEMS * (ITEMS - 1) / 2;
                end_iteration(rank, &wrong, apart, i >= twice_from);
                if (way == WRITES && rank == 0 && i % 40 == 39)
                        nanosleep(&(struct timespec){ .tv_sec = 1 }, NULL);
                note_team();
        }
        for (int r = 0; r < 2; r++) {
                if (r == rank)
                        printf("rank %d: %s, %d wrong, teams %d..%d\n", rank, ways[way].name, wrong,
                               app.least, app.most);
                fflush(stdout);
                MPI_Barrier(MPI_COMM_WORLD);
        }
        MPI_Finalize();
        return wrong > 0;
}
