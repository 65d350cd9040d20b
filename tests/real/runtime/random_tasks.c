/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Random tasks on overlapping ranges, nested ones and those of kinds.h too, against the same tasks
 * one after another: random_tasks SEED ROUNDS. Every apprank has tasks of its own, and prints
 * nothing but a mistake.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "tests/real/runtime/kinds.h"
#include "tests/real/runtime/work.h"

void work_task(const struct work *w, int32_t priority, uint32_t flags)
{
        struct lbrun_access access[WORK_ACCESSES];
        struct lbrun_options options = { .priority = priority, .flags = flags };
        work_accesses(w, access);
        lbrun_task(work_run, w, sizeof(*w), w->nrange, access, &options);
}

void work_wait(void)
{
        lbrun_taskwait();
}

static int compare(const uint64_t *live, const uint64_t *serial, int round)
{
        for (int32_t i = 0; i < WORK_WORDS; i++)
                if (live[i] != serial[i]) {
                        fprintf(stderr,
                                "round %d: word %" PRId32 " is %" PRIx64 ", serially %" PRIx64 "\n",
                                round, i, live[i], serial[i]);
                        return 1;
                }
        return 0;
}

static int play(struct lb_random *random, struct kinds *kinds, int round)
{
        uint64_t *live = kinds->live, *serial = kinds->serial;
        for (int32_t i = 0; i < WORK_WORDS; i += 17) /* the main program writes, too */
                live[i] = serial[i] = work_mix(live[i], (uint64_t)round);
        for (int32_t t = 0; t < WORK_TASKS; t++) {
                struct work w = work_draw(random, live);
                uint32_t flags = lb_random_unit(random) < 0.1 ? LBRUN_HERE : 0;
                work_task(&w, (int32_t)(lb_random_unit(random) * 3), flags);
                w.base = serial;
                work_run(&w);
                if (lb_random_unit(random) < 0.05)
                        lbrun_taskwait_noflush();
                if (lb_random_unit(random) < 0.2)
                        kinds_play(kinds, random);
        }
        lbrun_taskwait();
        lbrun_iteration();
        kinds_compare(kinds);
        return compare(live, serial, round) || kinds->wrong;
}

int main(int argc, char **argv)
{
        lbrun_start(&argc, &argv);
        int rank, wrong = 0, any, rounds = argc > 2 ? atoi(argv[2]) : 3;
        MPI_Comm_rank(lbrun_world(), &rank);
        struct lb_random random;
        lb_random_init(&random, argc > 1 ? (uint64_t)atoi(argv[1]) : 1, LB_RANDOM_TEST,
                       (uint64_t)rank);
        uint64_t *serial = calloc(WORK_WORDS, sizeof(*serial));
        uint64_t *live = lbrun_alloc(WORK_WORDS * sizeof(*live));
        struct kinds kinds;
        kinds_start(&kinds, live, serial);
        work_serial = serial;
        for (int round = 0; round < rounds && !wrong; round++)
                wrong = play(&random, &kinds, round);
        MPI_Allreduce(&wrong, &any, 1, MPI_INT, MPI_MAX, lbrun_world());
        kinds_stop(&kinds);
        free(serial);
        lbrun_free(live);
        lbrun_stop();
        return any;
}
