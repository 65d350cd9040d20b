/* SPDX-License-Identifier: BSD-3-Clause */
/* What must end the job with a message: wrong_use CASE. */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "real/lbrun.h"

static void nothing(void *argument)
{
        (void)argument;
}

static void leave(void *argument)
{
        (void)argument;
        exit(0);
}

static void leave_with_6(void *argument)
{
        (void)argument;
        exit(6);
}

static void end_thread(void *argument)
{
        pthread_exit(argument);
}

static void allocate(void *argument)
{
        (void)argument;
        lbrun_alloc(8);
}

static void rest(void *argument)
{
        (void)argument;
        nanosleep(&(struct timespec){ .tv_nsec = 10000000 }, NULL);
}

static void ask_world(void *argument)
{
        rest(argument); /* so that helpers have some */
        lbrun_world();
}

/* Of what its parent reduces. */
struct reduced {
        double *sum;
        enum lbrun_mode mode;
};

static void make_reader(void *argument)
{
        const struct reduced *r = argument;
        struct lbrun_access access = { r->mode, r->sum, sizeof(*r->sum) };
        lbrun_task(nothing, NULL, 0, 1, &access, NULL);
}

static void reduce_and(enum lbrun_mode mode, void *sum)
{
        struct lbrun_access access = { LBRUN_SUM_DOUBLE, sum, sizeof(double) };
        lbrun_task(make_reader, &(struct reduced){ sum, mode }, sizeof(struct reduced), 1, &access,
                   NULL);
}

static void crash(void *argument)
{
        (void)argument;
        abort();
}

/* No misuse: what it starts is of no job, though in the environment of one. */
static void spawn(char *program)
{
        char *arguments[] = { "nothing", NULL };
        MPI_Comm child;
        MPI_Comm_spawn(program, arguments, 1, MPI_INFO_NULL, 0, MPI_COMM_SELF, &child,
                       MPI_ERRCODES_IGNORE);
}

static void task(lbrun_function function, size_t argument_bytes, int mode, const void *at,
                 size_t bytes)
{
        static char argument[8192];
        struct lbrun_access access = { (enum lbrun_mode)mode, at, bytes };
        lbrun_task(function, argument, argument_bytes, bytes > 0, &access, NULL);
}

static void part(int64_t begin, int64_t end, void *argument)
{
        (void)begin;
        (void)end;
        (void)argument;
}

static void loop_over(int mode, void *at, size_t bytes, size_t stride)
{
        struct lbrun_slice slice = { (enum lbrun_mode)mode, at, bytes, stride };
        lbrun_taskloop(part, &(struct lbrun_range){ 0, 4, 2 }, NULL, 0, 1, &slice, NULL);
}

static void loop(const struct lbrun_range *range, int nslice)
{
        lbrun_taskloop(part, range, NULL, 0, nslice, NULL, NULL);
}

/* In a communicator of all ranks, helpers too. */
static void meet_world(void)
{
        MPI_Barrier(MPI_COMM_WORLD);
}

static void start_world(void)
{
        MPI_Request request;
        int one = 1, sum;
        MPI_Iallreduce(&one, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &request);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
}

/* As a library has it that was initialised before the runtime. */
static MPI_Comm early;

static void meet_early(void)
{
        int one = 1, sum;
        MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, early);
}

static void make_early(int *argc, char ***argv)
{
        int level;
        MPI_Init_thread(argc, argv, MPI_THREAD_MULTIPLE, &level);
        MPI_Comm_dup(MPI_COMM_WORLD, &early);
}

static bool is_last(void)
{
        int rank, size;
        MPI_Comm_rank(lbrun_world(), &rank);
        MPI_Comm_size(lbrun_world(), &size);
        return rank == size - 1;
}

static void wait_in_last(int *argc, char ***argv)
{
        int rank, size;
        make_early(argc, argv);
        MPI_Comm_rank(early, &rank);
        MPI_Comm_size(early, &size);
        if (rank == size - 1)
                lbrun_taskwait();
}

static void misuse(const char *what, char *block)
{
        if (strcmp(what, "outside") == 0)
                task(nothing, 0, LBRUN_IN, block, 2000);
        else if (strcmp(what, "mode") == 0)
                task(nothing, 0, 7, block, 8);
        else if (strcmp(what, "weak-twice") == 0)
                lbrun_task(nothing, "", 1, 2,
                           (struct lbrun_access[]){ { LBRUN_WEAK_INOUT, block, 16 },
                                                    { LBRUN_IN, block + 8, 16 } },
                           NULL);
        else if (strcmp(what, "reads-reduced") == 0)
                reduce_and(LBRUN_IN, block);
        else if (strcmp(what, "reduces-reduced") == 0)
                reduce_and(LBRUN_SUM_DOUBLE, block);
        else if (strcmp(what, "argument") == 0)
                task(nothing, 8192, LBRUN_IN, block, 8);
        else if (strcmp(what, "null-argument") == 0)
                lbrun_task(nothing, NULL, 8, 0, NULL, NULL);
        else if (strcmp(what, "null-access") == 0)
                lbrun_task(nothing, NULL, 0, 1, NULL, NULL);
        else if (strcmp(what, "null-wait") == 0)
                lbrun_taskwait_on(1, NULL);
        else if (strcmp(what, "constant-nowhere") == 0)
                lbrun_constant(block - 8, 16);
        else if (strcmp(what, "constant-used") == 0) {
                task(rest, 0, LBRUN_IN, block, 8);
                lbrun_constant(block, 8);
        } else if (strcmp(what, "null-address") == 0)
                task(nothing, 0, LBRUN_IN, NULL, 8);
        else if (strcmp(what, "flags") == 0)
                lbrun_task(nothing, NULL, 0, 0, NULL, &(struct lbrun_options){ .flags = 77 });
        else if (strcmp(what, "null-slice") == 0)
                loop(&(struct lbrun_range){ 0, 8, 1 }, 1);
        else if (strcmp(what, "no-range") == 0)
                loop(NULL, 0);
        else if (strcmp(what, "long-range") == 0)
                loop(&(struct lbrun_range){ INT64_MIN, INT64_MAX, 1 }, 0);
        else if (strcmp(what, "slices") == 0)
                loop(&(struct lbrun_range){ 0, 8, 1 }, -1);
        else if (strcmp(what, "backwards") == 0)
                loop_over(LBRUN_IN, block + 64, 8, (size_t)-8);
        else if (strcmp(what, "reduces-gaps") == 0)
                loop_over(LBRUN_SUM_DOUBLE, block, 8, 16);
        else if (strcmp(what, "fail-null") == 0)
                lbrun_fail(NULL);
        else if (strcmp(what, "no-function") == 0)
                task(NULL, 0, LBRUN_IN, block, 8);
        else if (strcmp(what, "exit") == 0)
                task(leave, 0, LBRUN_IN, block, 8);
        else if (strcmp(what, "exit-6") == 0)
                task(leave_with_6, 0, LBRUN_IN, block, 8);
        else if (strcmp(what, "leave-6") == 0 && is_last())
                exit(6);
        else if (strcmp(what, "abort") == 0)
                task(crash, 0, LBRUN_IN, block, 8);
        else if (strcmp(what, "end-thread") == 0)
                task(end_thread, 0, LBRUN_IN, block, 8);
        else if (strcmp(what, "world-in-task") == 0)
                for (int i = 0; i < 100; i++)
                        task(ask_world, 0, LBRUN_IN, block, 8);
        else if (strcmp(what, "stop-early") == 0 && !is_last()) /* no misuse: the last does */
                for (int i = 0; i < 100; i++)
                        task(rest, 0, LBRUN_IN, block, 8);
        else if (strcmp(what, "alloc-in-task") == 0)
                task(allocate, 0, LBRUN_IN, block, 8);
        else if (strcmp(what, "free") == 0)
                lbrun_free(block + 64);
        else if (strcmp(what, "free-used") == 0) {
                task(rest, 0, LBRUN_IN, block, 8);
                lbrun_free(block);
        } else if (strcmp(what, "too-much") == 0)
                lbrun_alloc((size_t)1 << 46);
        else if (strcmp(what, "leave") == 0)
                exit(0);
        else if (strcmp(what, "finalize") == 0)
                MPI_Finalize();
        else if (strcmp(what, "abort-world") == 0)
                MPI_Abort(lbrun_world(), 9);
        else if (strcmp(what, "world") == 0)
                meet_world();
        else if (strcmp(what, "world-start") == 0)
                start_world();
        else if (strcmp(what, "world-early") == 0)
                meet_early();
        lbrun_taskwait();
}

int main(int argc, char **argv)
{
        const char *what = argc > 1 ? argv[1] : "";
        if (strcmp(what, "early") == 0)
                lbrun_taskwait();
        if (strcmp(what, "world-early") == 0)
                make_early(&argc, &argv);
        if (strcmp(what, "early-last") == 0)
                wait_in_last(&argc, &argv);
        lbrun_start(&argc, &argv);
        if (strcmp(what, "spawn") == 0)
                spawn(argv[0]);
        misuse(what, lbrun_alloc(1000));
        if (strcmp(what, "return-11") == 0)
                return 11;
        if (strcmp(what, "leave-6") == 0)
                MPI_Barrier(lbrun_world());
        lbrun_stop();
        return 0;
}
