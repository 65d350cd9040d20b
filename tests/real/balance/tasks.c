/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A first rank that hands out tasks, and workers that compute each in a parallel region: nothing
 * repeats that could be timed, for the first rank waits in MPI_Waitany and the others poll. tasks
 * SECONDS: handed out so long. The first rank prints whether each came back with the right result.
 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { WORKERS_MAX = 64, STOP = -1, TASK = 1, RESULT = 2 };

static void compute(double duration_s)
{
#pragma omp parallel
        {
                double end_s = MPI_Wtime() + duration_s;
                while (MPI_Wtime() < end_s)
                        ;
        }
}

static void send(int *what, int to, int tag)
{
        int sent = 0;
        MPI_Request request;
        MPI_Isend(what, 1, MPI_INT, to, tag, MPI_COMM_WORLD, &request);
        while (!sent)
                MPI_Test(&request, &sent, MPI_STATUS_IGNORE);
}

static void hand_out(int nworker, double duration_s)
{
        MPI_Request requests[WORKERS_MAX];
        int task = 0, back[WORKERS_MAX], given[WORKERS_MAX], which, good = 1;
        double end_s = MPI_Wtime() + duration_s;
        for (int w = 0; w < nworker; w++) {
                given[w] = task++;
                send(&given[w], w + 1, TASK);
                MPI_Irecv(&back[w], 1, MPI_INT, w + 1, RESULT, MPI_COMM_WORLD, &requests[w]);
        }
        for (int left = nworker; left > 0;) {
                MPI_Waitany(nworker, requests, &which, MPI_STATUS_IGNORE);
                good = good && back[which] == 2 * given[which];
                given[which] = MPI_Wtime() < end_s ? task++ : STOP;
                send(&given[which], which + 1, TASK);
                if (given[which] == STOP)
                        left--;
                else
                        MPI_Irecv(&back[which], 1, MPI_INT, which + 1, RESULT, MPI_COMM_WORLD,
                                  &requests[which]);
        }
        printf("%s\n", good ? "all came back" : "wrong results");
        fprintf(stderr, "%d tasks\n", task);
}

static void serve(void)
{
        for (int task, got;;) {
                MPI_Request request;
                MPI_Irecv(&task, 1, MPI_INT, 0, TASK, MPI_COMM_WORLD, &request);
                for (got = 0; !got;)
                        MPI_Test(&request, &got, MPI_STATUS_IGNORE);
                if (task == STOP)
                        return;
                compute(0.002 * (1 + task * 7 % 5));
                task *= 2;
                send(&task, 0, RESULT);
        }
}

int main(int argc, char **argv)
{
        int rank, size;
        MPI_Init(&argc, &argv);
        MPI_Comm_rank(MPI_COMM_WORLD, &rank);
        MPI_Comm_size(MPI_COMM_WORLD, &size);
        if (argc < 2 || size > WORKERS_MAX)
                return 2;
        if (rank == 0)
                hand_out(size - 1, atof(argv[1]));
        else
                serve();
        MPI_Finalize();
        return 0;
}
