/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Ranks of one core each that push tasks to each other, of which some compute and some wait, in
 * taskwaits that are not equally many. Run with four.
 */
#include <stdio.h>

#include "tests/real/runtime/sleeper.h"

enum { RANKS = 4, ROUNDS = 6, TASKS_MAX = 12, MS = 20, LONG_MS = 200 };

static int rank;
static int32_t *place; /* [TASKS_MAX] node where each task ran */

/* How many of rank 0's tasks ran there? To all. */
static int32_t ran_at(int32_t node)
{
        int32_t count = 0;
        for (int32_t i = 0; i < TASKS_MAX; i++)
                count += place[i] == node;
        MPI_Bcast(&count, 1, MPI_INT32_T, 0, lbrun_world());
        return count;
}

static void give(int32_t ntask)
{
        for (int32_t i = 0; i < TASKS_MAX; i++)
                place[i] = -1;
        for (int32_t i = 0; i < ntask; i++)
                create_sleeper(&place[i], MS);
        lbrun_taskwait();
}

/* A rank that computes has no task and takes none; it is in nobody's way to those that do. */
static void test_in_the_way(void)
{
        int32_t both = 0;
        for (int32_t i = 0; i < ROUNDS; i++) {
                MPI_Barrier(lbrun_world());
                if (rank == 0)
                        give(TASKS_MAX);
                if (rank == RANKS - 1)
                        in_ms(MS * TASKS_MAX / 2);
                MPI_Barrier(lbrun_world());
                int32_t first = ran_at(1), second = ran_at(2);
                both += first > 0 && second > 0;
        }
        check(both > ROUNDS / 2, "all that wait in MPI are given tasks", both);
}

/* Who waits for a task of its own that runs elsewhere takes others', however many taskwaits it has
 * had. Rank 2 is free at first, and takes it; rank 3 computes. */
static void test_waits_itself(void)
{
        int32_t away = 0, helped = 0;
        for (int32_t i = 0; i < ROUNDS; i++) {
                MPI_Barrier(lbrun_world());
                if (rank == 0) {
                        lbrun_taskwait();
                        lbrun_taskwait();
                        in_ms(3 * MS);
                        give(TASKS_MAX / 2);
                } else if (rank == 1) {
                        create_sleeper(&place[0], MS);
                        create_sleeper(&place[1], MS);
                        create_sleeper(&place[2], LONG_MS);
                        lbrun_taskwait();
                } else if (rank == RANKS - 1) {
                        in_ms(LONG_MS);
                }
                int32_t where = place[2];
                MPI_Bcast(&where, 1, MPI_INT32_T, 1, lbrun_world());
                int32_t ran = ran_at(1);
                away += where == 2;
                helped += where == 2 && ran > 0;
        }
        check(away > 0, "the last of three tasks goes elsewhere", away);
        check(2 * helped > away, "who waits itself takes tasks", helped);
}

int main(int argc, char **argv)
{
        lbrun_start(&argc, &argv);
        MPI_Comm_rank(lbrun_world(), &rank);
        place = lbrun_alloc(TASKS_MAX * sizeof(*place));
        test_in_the_way();
        test_waits_itself();
        lbrun_free(place);
        if (rank == 0)
                puts("given");
        lbrun_stop();
        return 0;
}
