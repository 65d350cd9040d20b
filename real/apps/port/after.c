/* SPDX-License-Identifier: BSD-3-Clause */
#include <lbrun.h>
#include <stdio.h>
#include <stdlib.h>

/* before.c with the runtime: every row is a task, which may run on another node. */
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

struct row {
        int *row, y, frame;
};

static void compute(void *argument)
{
        struct row *row = argument;
        compute_row(row->row, row->y, row->frame);
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
        lbrun_start(&argc, &argv);
        MPI_Comm world = lbrun_world();
        MPI_Comm_rank(world, &rank);
        MPI_Comm_size(world, &nrank);
        int first = HEIGHT * rank / nrank, rows = HEIGHT * (rank + 1) / nrank - first;
        int *image = lbrun_alloc((size_t)rows * WIDTH * sizeof(*image));
        for (int frame = 0; frame < FRAMES; frame++) {
                for (int i = 0; i < rows; i++) {
                        struct row row = { image + i * WIDTH, first + i, frame };
                        struct lbrun_access out = { LBRUN_OUT, row.row, WIDTH * sizeof(int) };
                        lbrun_task(compute, &row, sizeof(row), 1, &out, NULL);
                }
                lbrun_taskwait();
                long mine = sum(image, rows), all = 0;
                MPI_Reduce(&mine, &all, 1, MPI_LONG, MPI_SUM, 0, world);
                if (rank == 0)
                        printf("frame %d: %ld steps\n", frame, all);
                lbrun_iteration();
        }
        lbrun_free(image);
        lbrun_stop();
        return 0;
}
