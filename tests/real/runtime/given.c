/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Tasks that wait at home for a core, with their data there, are given to a helper that asks: all
 * data is as if they had run one after another. The first apprank has all tasks, each of which
 * reads its neighbour's block and changes its own, in two waves, so that data that has left comes
 * back or is read where it is. Prints how many ran elsewhere.
 *
 *      lbrun --policy giver.so --param ask=true --param ask_waiting=true -- PROGRAM
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "real/lbrun.h"

enum { BLOCKS = 24, WORDS = 5000, ROUNDS = 6, SLEEP_US = 4000 };

struct step {
        uint64_t *own, *next;
        uint64_t number;
};

static void compute(const struct step *step)
{
        for (size_t i = 0; i < WORDS; i++)
                step->own[i] = (step->own[i] ^ step->number) * 0x9e3779b97f4a7c15u + step->next[i];
}

static void run(void *argument)
{
        nanosleep(&(struct timespec){ 0, 1000L * SLEEP_US }, NULL);
        compute(argument);
}

/* Did it run elsewhere? */
static void run_counted(void *argument)
{
        run(argument);
        uint64_t *own = ((const struct step *)argument)->own;
        own[WORDS] += lbrun_place() > 0;
}

static void round_of(uint64_t *block[BLOCKS], int round, int parity, bool live)
{
        for (int i = parity; i < BLOCKS; i += 2) {
                struct step step = { block[i], block[(i + 1) % BLOCKS],
                                     (uint64_t)(round * BLOCKS + i) };
                struct lbrun_access access[] = {
                        { LBRUN_INOUT, step.own, (WORDS + 1) * sizeof(uint64_t) },
                        { LBRUN_IN, step.next, WORDS * sizeof(uint64_t) },
                };
                if (live)
                        lbrun_task(run_counted, &step, sizeof(step), 2, access, NULL);
                else
                        compute(&step);
        }
}

static void *memory(void *(*alloc)(size_t))
{
        uint64_t *words = alloc((WORDS + 1) * sizeof(uint64_t));
        for (size_t i = 0; words && i <= WORDS; i++)
                words[i] = i < WORDS ? i : 0;
        return words;
}

/* Of all blocks. */
static uint64_t compare(uint64_t *live[BLOCKS], uint64_t *serial[BLOCKS])
{
        uint64_t elsewhere = 0;
        for (int i = 0; i < BLOCKS; i++) {
                if (memcmp(live[i], serial[i], WORDS * sizeof(uint64_t)) != 0)
                        lbrun_fail("a block is not as if tasks had run one after another");
                elsewhere += live[i][WORDS];
        }
        return elsewhere;
}

static uint64_t play(void)
{
        uint64_t *live[BLOCKS], *serial[BLOCKS];
        for (int i = 0; i < BLOCKS; i++) {
                live[i] = memory(lbrun_alloc);
                serial[i] = memory(malloc);
                if (!serial[i])
                        lbrun_fail("out of memory");
        }
        for (int round = 0; round < ROUNDS; round++) {
                for (int parity = 0; parity < 2; parity++) {
                        round_of(live, round, parity, true);
                        round_of(serial, round, parity, false);
                }
                if (round % 2 == 0)
                        lbrun_taskwait_noflush();
                else
                        lbrun_taskwait();
        }
        uint64_t elsewhere = compare(live, serial);
        for (int i = 0; i < BLOCKS; i++) {
                lbrun_free(live[i]);
                free(serial[i]);
        }
        return elsewhere;
}

int main(int argc, char **argv)
{
        int rank;
        lbrun_start(&argc, &argv);
        MPI_Comm_rank(lbrun_world(), &rank);
        if (rank == 0)
                printf("%d tasks, elsewhere %d\n", ROUNDS * BLOCKS, (int)play());
        MPI_Barrier(lbrun_world());
        lbrun_stop();
        return 0;
}
