/* SPDX-License-Identifier: BSD-3-Clause */
#include "halo.h"

#include <mpi.h>
#include <stdlib.h>

enum { POINTS = 64, EXCHANGE_CALLS = 5 };

static void exchange(double *u, int left, int right)
{
        MPI_Request request[4];
        MPI_Status status[4];
        MPI_Irecv(&u[0], 1, MPI_DOUBLE, left, 0, MPI_COMM_WORLD, &request[0]);
        MPI_Irecv(&u[POINTS + 1], 1, MPI_DOUBLE, right, 1, MPI_COMM_WORLD, &request[1]);
        MPI_Isend(&u[1], 1, MPI_DOUBLE, left, 1, MPI_COMM_WORLD, &request[2]);
        MPI_Isend(&u[POINTS], 1, MPI_DOUBLE, right, 0, MPI_COMM_WORLD, &request[3]);
        MPI_Waitall(4, request, status);
}

static double norm(const double *u)
{
        static double part, sum;
        part = 0;
        for (int i = 1; i <= POINTS; i++)
                part += u[i] * u[i];
        MPI_Allreduce(&part, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
        return sum;
}

static void relax(double *u)
{
        for (int i = 1; i <= POINTS; i++)
                u[i] = 0.25 * u[i - 1] + 0.5 * u[i] + 0.25 * u[i + 1];
}

static int inner_of(const struct halo *halo, int step)
{
        return halo->inner - (halo->converges && step % 7 % 3 == 2);
}

int halo_calls(const struct halo *halo)
{
        return EXCHANGE_CALLS + halo->inner * (EXCHANGE_CALLS + 1) + 1;
}

void halo_run(const struct halo *halo)
{
        int rank, size;
        MPI_Comm_rank(MPI_COMM_WORLD, &rank);
        MPI_Comm_size(MPI_COMM_WORLD, &size);
        int left = (rank + size - 1) % size, right = (rank + 1) % size;
        double u[POINTS + 2] = { 0 }, p[POINTS + 2] = { 0 };
        double *all = calloc((size_t)size, sizeof(*all));
        for (int i = 1; i <= POINTS; i++)
                u[i] = rank + i;
        for (int step = 0; step < halo->steps; step++) {
                exchange(u, left, right);
                for (int k = 0; k < inner_of(halo, step); k++) {
                        exchange(p, left, right);
                        relax(p);
                        norm(p);
                }
                relax(u);
                u[1] += 1e-9 * norm(u);
                if (all && halo->output > 0 && step % halo->output == halo->output - 1)
                        MPI_Gather(&u[1], 1, MPI_DOUBLE, all, 1, MPI_DOUBLE, 0, MPI_COMM_WORLD);
        }
        free(all);
}
