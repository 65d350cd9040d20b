/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Three ranks of one core each that push tasks to each other. Tasks come to ranks 1 and 2 while
 * these wait for each other politely, or as they go on; then they wait for rank 0, whose tasks
 * these are, in ways of their own or MPI's: polls, a fence, a file. What has come is executed
 * meanwhile, or nobody goes on.
 */
#include <stdio.h>
#include <stdlib.h>

#include "real/lbrun.h"
#include "tests/real/runtime/claims.h"

enum { ROUNDS = 6, TASKS = 40, TASK_MS = 3, OVER = 7, SHAKE = 1 };

struct world {
        MPI_Comm all;
        MPI_Win window;
        MPI_File file;
        int rank;
        int *ran; /* [TASKS] */
};

static void run(void *argument)
{
        in_ms(TASK_MS);
        ++**(int **)argument;
}

static void wait_test(struct world *w)
{
        int done = 0;
        MPI_Request request;
        if (w->rank == 0)
                return;
        MPI_Irecv(NULL, 0, MPI_INT, 0, OVER, w->all, &request);
        while (!done)
                MPI_Test(&request, &done, MPI_STATUS_IGNORE);
}

static void wait_probe(struct world *w)
{
        int found = 0;
        if (w->rank == 0)
                return;
        while (!found) {
                in_ms(1);
                MPI_Iprobe(0, OVER, w->all, &found, MPI_STATUS_IGNORE);
        }
        MPI_Recv(NULL, 0, MPI_INT, 0, OVER, w->all, MPI_STATUS_IGNORE);
}

static void wait_fence(struct world *w)
{
        MPI_Win_fence(0, w->window);
        if (w->rank > 0)
                MPI_Recv(NULL, 0, MPI_INT, 0, OVER, w->all, MPI_STATUS_IGNORE);
}

static void wait_file(struct world *w)
{
        MPI_File_set_size(w->file, 100);
        if (w->rank > 0)
                MPI_Recv(NULL, 0, MPI_INT, 0, OVER, w->all, MPI_STATUS_IGNORE);
}

static void execute(int *ran)
{
        for (int i = 0; i < TASKS; i++) {
                int *one = &ran[i];
                struct lbrun_access access = { LBRUN_INOUT, one, sizeof(*one) };
                lbrun_task(run, &one, sizeof(one), 1, &access, NULL);
        }
        lbrun_taskwait();
}

/* Rank 0 is in its taskwait when the others wait for each other, then compute a little. */
static void one_round(struct world *w, int number, void (*wait)(struct world *))
{
        if (w->rank == 0) {
                execute(w->ran);
                for (int other = 1; other < 3; other++)
                        MPI_Send(NULL, 0, MPI_INT, other, OVER, w->all);
        } else if (w->rank == 1) {
                MPI_Recv(NULL, 0, MPI_INT, 2, SHAKE, w->all, MPI_STATUS_IGNORE);
                in_ms(1);
                MPI_Send(NULL, 0, MPI_INT, 2, SHAKE, w->all);
        } else {
                in_ms(1 + number);
                MPI_Send(NULL, 0, MPI_INT, 1, SHAKE, w->all);
                MPI_Recv(NULL, 0, MPI_INT, 1, SHAKE, w->all, MPI_STATUS_IGNORE);
                in_ms(number);
        }
        wait(w);
}

static void rounds(struct world *w, const char *what, void (*wait)(struct world *))
{
        for (int i = 0; i < ROUNDS; i++)
                one_round(w, i, wait);
        if (w->rank == 0)
                puts(what);
}

int main(int argc, char **argv)
{
        lbrun_start(&argc, &argv);
        struct world w = { .all = lbrun_world(), .ran = lbrun_alloc(TASKS * sizeof(int)) };
        MPI_Comm_rank(w.all, &w.rank);
        void *memory;
        MPI_Win_allocate(8, 8, MPI_INFO_NULL, w.all, &memory, &w.window);
        MPI_Win_fence(0, w.window);
        MPI_File_open(w.all, argv[1], MPI_MODE_CREATE | MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE,
                      MPI_INFO_NULL, &w.file);
        rounds(&w, "tests", wait_test);
        rounds(&w, "probes", wait_probe);
        rounds(&w, "fences", wait_fence);
        rounds(&w, "files", wait_file);
        for (int i = 0; i < TASKS; i++)
                if (w.rank == 0 && w.ran[i] != 4 * ROUNDS)
                        lbrun_fail("a task did not run once in each round");
        MPI_Win_free(&w.window);
        MPI_File_close(&w.file);
        lbrun_stop();
        return 0;
}
