/* SPDX-License-Identifier: BSD-3-Clause */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

/* A program of the usual kind, to be ported: every rank computes a strip of rows of Mandelbrot's
 * set, and those in the middle take much longer. after.c is the same with the runtime. */
enum { WIDTH = 512, HEIGHT = 512, FRAMES = 4, LIMIT = 1000 };

static int escape(double re, double im)
{
        double x = 0, y = 0;
        int n = 0;
        for (; n < LIMIT && x * x + y * y < 4; n++) {
                double next = x * x - y * y + re;
                y = 2 * x * y + im;
                x = next;
        }
        return n;
}

static void compute_row(int *row, int y, int frame)
{
        double zoom = 1.0 / (1 << frame);
        for (int x = 0; x < WIDTH; x++)
                row[x] =
                    escape(-0.75 + zoom * (3.0 * x / WIDTH - 1.5), zoom * (3.0 * y / HEIGHT - 1.5));
}

static long sum(const int *image, int rows)
{
        long total = 0;
        for (int i = 0; i < rows * WIDTH; i++)
                total += image[i];
        return total;
}

int main(int argc, char **argv)
{
        int rank, nrank;
        MPI_Init(&argc, &argv);
        MPI_Comm world = MPI_COMM_WORLD;
        MPI_Comm_rank(world, &rank);
        MPI_Comm_size(world, &nrank);
        int first = HEIGHT * rank / nrank, rows = HEIGHT * (rank + 1) / nrank - first;
        int *image = calloc((size_t)rows * WIDTH, sizeof(*image));
        for (int frame = 0; frame < FRAMES; frame++) {
                for (int i = 0; i < rows; i++)
                        compute_row(image + i * WIDTH, first + i, frame);
                long mine = sum(image, rows), all = 0;
                MPI_Reduce(&mine, &all, 1, MPI_LONG, MPI_SUM, 0, world);
                if (rank == 0)
                        printf("frame %d: %ld steps\n", frame, all);
        }
        free(image);
        MPI_Finalize();
        return 0;
}
