/* SPDX-License-Identifier: BSD-3-Clause */
/* From which size on malloc() gives a block pages of its own: glibc decides by what was freed
 * before. Told after MPI was started, and after threads have called MPI and ended. */
#include <malloc.h>
#include <mpi.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

static size_t limit(void)
{
        for (size_t bytes = 136 << 10; bytes < (size_t)4 << 20; bytes += 4096) {
                size_t before = (size_t)mallinfo2().hblks;
                char *volatile block = malloc(bytes); /* kept: to free it would change the answer */
                if (!block || (size_t)mallinfo2().hblks > before)
                        return bytes >> 10;
        }
        return 0;
}

static void *call(void *nothing)
{
        int flag;
        MPI_Iprobe(MPI_ANY_SOURCE, 0, MPI_COMM_SELF, &flag, MPI_STATUS_IGNORE);
        return nothing;
}

int main(int argc, char **argv)
{
        int rank, level;
        MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &level);
        MPI_Comm_rank(MPI_COMM_WORLD, &rank);
        size_t first = limit();
        for (int i = 0; i < 3; i++) {
                pthread_t thread;
                if (pthread_create(&thread, NULL, call, NULL) != 0 ||
                    pthread_join(thread, NULL) != 0)
                        return 1;
                MPI_Barrier(MPI_COMM_WORLD);
        }
        size_t second = limit();
        if (rank == 0)
                printf("own pages from %zu, %zu KiB\n", first, second);
        return MPI_Finalize();
}
