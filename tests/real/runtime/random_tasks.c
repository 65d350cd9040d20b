/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Random tasks on overlapping ranges, nested ones and those of kinds.h too, against the same tasks
 * one after another: random_tasks SEED ROUNDS. Every apprank has tasks of its own, meanwhile talks
 * with others in random parts of the world, and prints nothing but a mistake.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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

/* ---- Talking ---- */

enum { PARTS = 3, TALKS = 3, RANK_MAX = 64 };

/* What a rank says in a round. */
static int64_t value_of(int rank, int round)
{
        return (int64_t)(rank + 1) * (round + 3);
}

/* What a part's sum, its sum up to a rank and its ring give there, where the ranks are in reverse
 * order: [0], [1], [2]. */
static void expect_talk(const int *part_of, int nrank, int rank, int round, int64_t right[3])
{
        int before = rank; /* itself where it is alone */
        right[0] = right[1] = 0;
        for (int i = 0; i < nrank; i++) {
                if (part_of[i] != part_of[rank])
                        continue;
                right[0] += value_of(i, round);
                right[1] += i >= rank ? value_of(i, round) : 0;
        }
        for (int i = nrank - 1; i > 0; i--) /* ends with the nearest above */
                before = part_of[(rank + i) % nrank] == part_of[rank] ? (rank + i) % nrank : before;
        right[2] = value_of(before, round);
}

static void talk_in(MPI_Comm part, int64_t value, int64_t found[3])
{
        int rank, nrank;
        MPI_Request request;
        MPI_Comm_rank(part, &rank);
        MPI_Comm_size(part, &nrank);
        MPI_Iallreduce(&value, &found[0], 1, MPI_INT64_T, MPI_SUM, part, &request);
        MPI_Scan(&value, &found[1], 1, MPI_INT64_T, MPI_SUM, part);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        MPI_Sendrecv(&value, 1, MPI_INT64_T, (rank + 1) % nrank, 0, &found[2], 1, MPI_INT64_T,
                     (rank + nrank - 1) % nrank, 0, part, MPI_STATUS_IGNORE);
}

/* The world in parts that all ranks draw alike: what calls in a part give is known beforehand. */
static int talk(struct lb_random *alike, int round)
{
        int rank, nrank, part_of[RANK_MAX];
        int64_t right[3], found[3];
        MPI_Comm part;
        MPI_Comm_rank(lbrun_world(), &rank);
        MPI_Comm_size(lbrun_world(), &nrank);
        for (int i = 0; i < nrank && i < RANK_MAX; i++)
                part_of[i] = (int)(lb_random_unit(alike) * PARTS);
        expect_talk(part_of, nrank, rank, round, right);
        MPI_Comm_split(lbrun_world(), part_of[rank], -rank, &part);
        talk_in(part, value_of(rank, round), found);
        MPI_Comm_free(&part);
        if (memcmp(found, right, sizeof(right)) == 0)
                return 0;
        fprintf(stderr,
                "round %d, apprank %d in part %d: found %" PRId64 " %" PRId64 " %" PRId64
                ", right is %" PRId64 " %" PRId64 " %" PRId64 "\n",
                round, rank, part_of[rank], found[0], found[1], found[2], right[0], right[1],
                right[2]);
        return 1;
}

/* ---- What is constant ---- */

/* Over all rounds that follow: the main program writes it, too, and says so. */
static void settle(struct lb_random *random, uint64_t *live)
{
        enum { RANGES = 16 };
        static size_t begin[RANGES], words[RANGES];
        static int count;
        if (lb_random_unit(random) >= 0.5 && count < RANGES) {
                begin[count] = (size_t)(lb_random_unit(random) * WORK_WORDS);
                words[count] =
                    (size_t)(lb_random_unit(random) * (double)(WORK_WORDS - begin[count]));
                count++;
        }
        for (int i = 0; i < count; i++)
                lbrun_constant(live + begin[i], words[i] * sizeof(*live));
}

/* ---- Tasks ---- */

static int play(struct lb_random *random, struct lb_random *alike, struct kinds *kinds, int round)
{
        int wrong = 0;
        uint64_t *live = kinds->live, *serial = kinds->serial;
        for (int32_t i = 0; i < WORK_WORDS; i += 17) /* the main program writes, too */
                live[i] = serial[i] = work_mix(live[i], (uint64_t)round);
        settle(random, live);
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
                if (t % (WORK_TASKS / TALKS) == 0) /* alike on all ranks */
                        wrong |= talk(alike, round);
        }
        lbrun_taskwait();
        lbrun_iteration();
        kinds_compare(kinds);
        return wrong || compare(live, serial, round) || kinds->wrong;
}

int main(int argc, char **argv)
{
        lbrun_start(&argc, &argv);
        int rank, wrong = 0, any, rounds = argc > 2 ? atoi(argv[2]) : 3;
        MPI_Comm_rank(lbrun_world(), &rank);
        uint64_t seed = argc > 1 ? (uint64_t)atoi(argv[1]) : 1;
        struct lb_random random, alike;
        lb_random_init(&random, seed, LB_RANDOM_TEST, (uint64_t)rank);
        lb_random_init(&alike, seed, LB_RANDOM_TEST, RANK_MAX);
        uint64_t *serial = calloc(WORK_WORDS, sizeof(*serial));
        uint64_t *live = lbrun_alloc(WORK_WORDS * sizeof(*live));
        struct kinds kinds;
        kinds_start(&kinds, live, serial);
        work_serial = serial;
        for (int round = 0; round < rounds; round++) /* no rank leaves the others */
                wrong |= play(&random, &alike, &kinds, round);
        MPI_Allreduce(&wrong, &any, 1, MPI_INT, MPI_MAX, lbrun_world());
        kinds_stop(&kinds);
        free(serial);
        lbrun_free(live);
        lbrun_stop();
        if (argc > 3)
                puts(argv[3]);
        return any;
}
