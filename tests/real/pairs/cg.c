/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Finite elements in the small, for pairs.py: cg N ITERATIONS IMBALANCE. Conjugate gradients on
 * slabs of an N x N grid, one slab for each rank, of which the first is IMBALANCE times as thick as
 * their mean: a product with a stencil of 27 points, planes that neighbours exchange, two sums of
 * all.
 */
#include <math.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct slab {
        int n, planes, rank, size;
};

static double *plane(const struct slab *s, double *v, int at)
{
        return v + (size_t)(at + 1) * (size_t)(s->n * s->n); /* from -1 to `planes` */
}

/* The first has `imbalance` times the mean, others less and less. */
static int planes_of(int rank, int size, int mean, double imbalance)
{
        double rest = (size - imbalance) / (size - 1), slope = rest / size;
        double part = rank == 0 ? imbalance : rest + slope * (size / 2.0 - rank);
        return (int)lround(part * mean) > 0 ? (int)lround(part * mean) : 1;
}

static void exchange(const struct slab *s, double *v)
{
        MPI_Request request[4];
        int nn = s->n * s->n, down = s->rank > 0 ? s->rank - 1 : MPI_PROC_NULL;
        int up = s->rank + 1 < s->size ? s->rank + 1 : MPI_PROC_NULL;
        MPI_Irecv(plane(s, v, -1), nn, MPI_DOUBLE, down, 0, MPI_COMM_WORLD, &request[0]);
        MPI_Irecv(plane(s, v, s->planes), nn, MPI_DOUBLE, up, 1, MPI_COMM_WORLD, &request[1]);
        MPI_Isend(plane(s, v, 0), nn, MPI_DOUBLE, down, 1, MPI_COMM_WORLD, &request[2]);
        MPI_Isend(plane(s, v, s->planes - 1), nn, MPI_DOUBLE, up, 0, MPI_COMM_WORLD, &request[3]);
        MPI_Waitall(4, request, MPI_STATUSES_IGNORE);
}

static double around(const struct slab *s, double *v, int k, int j, int i)
{
        double sum = 0;
        for (int dk = -1; dk <= 1; dk++)
                for (int dj = j > 0 ? -1 : 0; dj <= (j + 1 < s->n); dj++)
                        for (int di = i > 0 ? -1 : 0; di <= (i + 1 < s->n); di++)
                                sum += plane(s, v, k + dk)[(j + dj) * s->n + i + di];
        return sum;
}

static double multiply(const struct slab *s, double *p, double *q)
{
        double mine = 0, all;
        for (int k = 0; k < s->planes; k++)
                for (int j = 0; j < s->n; j++)
                        for (int i = 0; i < s->n; i++) {
                                double x = plane(s, p, k)[j * s->n + i];
                                double y = 28 * x - around(s, p, k, j, i);
                                plane(s, q, k)[j * s->n + i] = y;
                                mine += x * y;
                        }
        MPI_Allreduce(&mine, &all, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
        return all;
}

static double update(const struct slab *s, double *x, double *r, double *p, double *q, double alpha)
{
        double mine = 0, all;
        size_t first = (size_t)(s->n * s->n), last = first * (size_t)(s->planes + 1);
        for (size_t i = first; i < last; i++) {
                x[i] += alpha * p[i];
                r[i] -= alpha * q[i];
                mine += r[i] * r[i];
        }
        MPI_Allreduce(&mine, &all, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
        return all;
}

/* The residual at the start; from here again and again, so that there is always something to do. */
static double begin(const struct slab *s, double *x, double *r, double *p, double *q)
{
        size_t first = (size_t)(s->n * s->n), last = first * (size_t)(s->planes + 1);
        for (size_t i = first; i < last; i++)
                r[i] = p[i] = 1 + (double)(i % 7);
        return update(s, x, r, p, q, 0);
}

int main(int argc, char **argv)
{
        enum { LAST = 20, AGAIN = 25 };
        struct slab s = { .n = argc > 3 ? atoi(argv[1]) : 0 };
        MPI_Init(&argc, &argv);
        MPI_Comm_rank(MPI_COMM_WORLD, &s.rank);
        MPI_Comm_size(MPI_COMM_WORLD, &s.size);
        if (s.n < 2 || s.size < 2)
                return 2;
        s.planes = planes_of(s.rank, s.size, s.n, atof(argv[3]));
        size_t cells = (size_t)(s.n * s.n) * (size_t)(s.planes + 2), first = (size_t)(s.n * s.n);
        double *x = calloc(4 * cells, sizeof(*x)), *r = x + cells, *p = r + cells, *q = p + cells;
        double rr = 0, last_s = 0;
        int count = atoi(argv[2]);
        for (int step = 0; step < count; step++) {
                if (step % AGAIN == 0)
                        rr = begin(&s, x, r, p, q);
                if (step == count - LAST)
                        last_s = MPI_Wtime();
                exchange(&s, p);
                double alpha = rr / multiply(&s, p, q), before = rr;
                rr = update(&s, x, r, p, q, alpha);
                for (size_t i = first; i < cells - first; i++)
                        p[i] = r[i] + rr / before * p[i];
        }
        if (s.rank == 0)
                printf("norm %a\ntime per iteration: last %.5f s\n", sqrt(rr),
                       (MPI_Wtime() - last_s) / LAST);
        free(x);
        MPI_Finalize();
        return 0;
}
