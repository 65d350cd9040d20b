/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * CHAMELEON's calls: tasks that add tasks, wherever they run, are complete when the wait is over,
 * all of them, and so are those of the next wait.
 */
#define _DEFAULT_SOURCE
#include <mpi.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "chameleon.h"

enum { WAITS = 3, TREES = 6, DEPTH = 4, TASKS_OF_TREE = (1 << (DEPTH + 1)) - 1 };

static atomic_long executed; /* by this rank */

static void grow(intptr_t depth);

static void add_tree(intptr_t depth)
{
        chameleon_map_data_entry_t argument = chameleon_map_data_entry_create(
            (void *)depth, sizeof(void *), CHAM_OMP_TGT_MAPTYPE_TO | CHAM_OMP_TGT_MAPTYPE_LITERAL);
        void (*entry)(intptr_t) = grow;
        void *address;
        memcpy(&address, &entry, sizeof(address));
        chameleon_add_task(chameleon_create_task(address, 1, &argument));
}

static void grow(intptr_t depth)
{
        usleep(500);
        executed++;
        for (int child = 0; child < 2 && depth > 0; child++)
                add_tree(depth - 1);
}

int main(int argc, char **argv)
{
        int provided, rank, wrong = 0;
        MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
        MPI_Comm_rank(MPI_COMM_WORLD, &rank);
        chameleon_init();
        for (int wait = 1; wait <= WAITS; wait++) {
                for (int tree = 0; rank == 0 && tree < TREES; tree++)
                        add_tree(DEPTH);
                chameleon_distributed_taskwait(0);
                long mine = executed, all;
                MPI_Allreduce(&mine, &all, 1, MPI_LONG, MPI_SUM, MPI_COMM_WORLD);
                wrong += all != (long)wait * TREES * TASKS_OF_TREE;
                if (wrong && rank == 0)
                        fprintf(stderr, "after wait %d: %ld tasks have run\n", wait, all);
        }
        chameleon_finalize();
        MPI_Finalize();
        return wrong > 0;
}
