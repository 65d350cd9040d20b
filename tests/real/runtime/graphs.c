/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Random task graphs over overlapping ranges of memory, live and serial, with nested tasks, tasks
 * that stay at home, priorities, all three ways to wait, memory that comes and goes: every
 * apprank's memory is bitwise that of the serial execution, in which each task runs when it is
 * created.
 *
 *      lbrun [options] -- PROGRAM [FIRST_SEED [SEEDS]]
 */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/random.h"
#include "real/lbrun.h"

enum {
        BLOCKS = 4,       /* the last one is not cluster memory */
        WORDS_MAX = 6000, /* of a block */
        ACCESSES_MAX = 5, /* few fit a task object, more do not */
        DEPTH_MAX = 2,    /* children of children */
        STEPS = 12,
        TASKS_MAX = 120, /* of a step */
};

struct part {
        enum lbrun_mode mode;
        uint64_t *word;
        size_t words;
};

/* A task; the same with other addresses is its serial twin. */
struct op {
        uint64_t number;
        int32_t nchild, depth, sleep_us, npart;
        int32_t place; /* of its parent; -1: any */
        bool live, waits, noflush;
        struct part part[ACCESSES_MAX];
        char padding[200]; /* an argument that is not small */
};

struct block {
        uint64_t *live, *serial;
        size_t words;
};

struct world {
        struct lb_random random;
        struct block block[BLOCKS];
        uint64_t ntask;
};

static void check(bool holds, const char *claim, uint64_t number)
{
        if (holds)
                return;
        fprintf(stderr, "does not hold: %s (%llu)\n", claim, (unsigned long long)number);
        MPI_Abort(MPI_COMM_WORLD, 1);
}

/* ---- What a task does ---- */

static uint64_t mix(uint64_t a, uint64_t b)
{
        uint64_t x = (a ^ (b + 0x9e3779b97f4a7c15u)) * 0xbf58476d1ce4e5b9u;
        return x ^ (x >> 29);
}

static void compute(const struct op *op, uint64_t round)
{
        uint64_t sum = mix(op->number, round);
        for (int32_t i = 0; i < op->npart; i++)
                for (size_t k = 0; (op->part[i].mode & LBRUN_IN) && k < op->part[i].words; k++)
                        sum = mix(sum, op->part[i].word[k]);
        for (int32_t i = 0; i < op->npart; i++)
                for (size_t k = 0; (op->part[i].mode & LBRUN_OUT) && k < op->part[i].words; k++)
                        op->part[i].word[k] = mix(sum, k);
}

static void nap(int32_t duration_us)
{
        if (duration_us > 0)
                nanosleep(&(struct timespec){ 0, 1000L * duration_us }, NULL);
}

static void perform(void *argument);

static void create(const struct op *op, const struct lbrun_options *options)
{
        struct lbrun_access access[ACCESSES_MAX];
        for (int32_t i = 0; i < op->npart; i++)
                access[i] = (struct lbrun_access){ op->part[i].mode, op->part[i].word,
                                                   op->part[i].words * sizeof(uint64_t) };
        size_t bytes = op->number % 3 ? sizeof(*op) : offsetof(struct op, padding);
        lbrun_task(perform, op, bytes, op->npart, access, options);
}

/* A child has a part of what its parent has. */
static struct op child_of(const struct op *op, int32_t index)
{
        struct op child = { .number = mix(op->number, (uint64_t)index + 77),
                            .depth = op->depth + 1,
                            .npart = op->npart,
                            .live = op->live,
                            .place = op->live ? lbrun_place() : -1 };
        for (int32_t i = 0; i < op->npart; i++) {
                size_t words = op->part[i].words, first = child.number % (words + 1);
                child.part[i] = (struct part){ op->part[i].mode, op->part[i].word + first,
                                               (words - first) / (1 + child.number % 2) };
                child.number = mix(child.number, (uint64_t)i);
        }
        child.nchild = child.depth < DEPTH_MAX ? (int32_t)(child.number % 3) : 0;
        child.waits = child.number % 5 < 2;
        child.noflush = child.number % 7 < 3;
        return child;
}

static void perform(void *argument)
{
        struct op op;
        memcpy(&op, argument, offsetof(struct op, padding));
        check(!op.live || op.place < 0 || op.place == lbrun_place(),
              "a child is where its parent is", op.number);
        if (op.live)
                nap(op.sleep_us);
        compute(&op, 0); /* what is LBRUN_OUT is to be written, all of it */
        for (int32_t i = 0; i < op.nchild; i++) {
                struct op child = child_of(&op, i);
                if (op.live)
                        create(&child, &(struct lbrun_options){ .priority = (int32_t)(i % 3) });
                else
                        perform(&child);
        }
        if (!op.waits)
                return;
        if (op.live && op.noflush)
                lbrun_taskwait_noflush();
        else if (op.live)
                lbrun_taskwait();
        compute(&op, 1);
}

/* ---- The main program ---- */

static uint64_t below(struct world *w, uint64_t bound)
{
        return lb_random_below(&w->random, bound);
}

static void make_block(struct world *w, int index)
{
        struct block *b = &w->block[index];
        bool cluster = index < BLOCKS - 1;
        b->words = 1 + below(w, index == 0 ? WORDS_MAX : 300);
        b->live = cluster ? lbrun_alloc(b->words * sizeof(*b->live)) : calloc(b->words, 8);
        b->serial = calloc(b->words, sizeof(*b->serial));
        check(b->live && b->serial, "memory", 0);
        for (size_t i = 0; i < b->words; i++)
                check(b->live[i] == 0, "new memory is zero", i);
}

static void drop_block(struct world *w, int index)
{
        struct block *b = &w->block[index];
        if (index < BLOCKS - 1)
                lbrun_free(b->live);
        else
                free(b->live);
        free(b->serial);
}

static struct part any_part(struct world *w, const struct block *b)
{
        size_t words = below(w, 3) ? 1 + below(w, b->words / 8 + 1) : 1 + below(w, b->words);
        size_t first = below(w, b->words);
        return (struct part){ .mode = (enum lbrun_mode)(1 + below(w, 3)),
                              .word = b->live + first,
                              .words = words < b->words - first ? words : b->words - first };
}

static void serially(struct world *w, const struct op *live)
{
        struct op op = *live;
        op.live = false;
        for (int32_t i = 0; i < op.npart; i++)
                for (int k = 0; k < BLOCKS; k++) {
                        const struct block *b = &w->block[k];
                        if (live->part[i].word >= b->live &&
                            live->part[i].word < b->live + b->words)
                                op.part[i].word = b->serial + (live->part[i].word - b->live);
                }
        perform(&op);
}

static void any_task(struct world *w)
{
        struct op op = { .number = w->ntask++, .live = true, .place = -1 };
        struct lbrun_options options = { .priority = (int32_t)below(w, 4) - 1 };
        bool ordinary = below(w, 12) == 0;
        op.npart = (int32_t)below(w, ACCESSES_MAX + 1);
        for (int32_t i = 0; i < op.npart; i++)
                op.part[i] = any_part(w, &w->block[below(w, ordinary ? BLOCKS : BLOCKS - 1)]);
        op.nchild = below(w, 4) ? 0 : (int32_t)below(w, 5);
        op.waits = below(w, 2);
        op.noflush = below(w, 2);
        op.sleep_us = below(w, 3) ? 0 : (int32_t)below(w, 2000);
        options.flags = below(w, 8) ? LBRUN_ANYWHERE : LBRUN_HERE;
        if (options.flags == LBRUN_HERE)
                op.place = 0;
        create(&op, below(w, 2) || options.flags ? &options : NULL);
        serially(w, &op);
}

static void compare(struct world *w)
{
        for (int k = 0; k < BLOCKS; k++) {
                const struct block *b = &w->block[k];
                for (size_t i = 0; i < b->words; i++)
                        check(b->live[i] == b->serial[i], "as if serial: word", i);
        }
}

/* The main program may write all of it now, and read it by tasks later. */
static void scribble(struct world *w)
{
        struct block *b = &w->block[below(w, BLOCKS)];
        size_t first = below(w, b->words);
        for (size_t i = first; i < b->words; i++)
                b->live[i] = b->serial[i] = mix(w->ntask, i);
}

static void step(struct world *w)
{
        for (uint64_t left = below(w, TASKS_MAX); left > 0; left--) {
                any_task(w);
                if (below(w, 40) == 0)
                        lbrun_taskwait_noflush();
        }
        if (below(w, 4) == 0) {
                lbrun_taskwait_noflush();
                return;
        }
        lbrun_taskwait();
        compare(w);
        int index = (int)below(w, BLOCKS);
        drop_block(w, index);
        make_block(w, index);
        if (below(w, 2))
                scribble(w);
}

static void run(uint64_t seed)
{
        struct world w = { 0 };
        int rank;
        MPI_Comm_rank(lbrun_world(), &rank);
        lb_random_init(&w.random, seed, LB_RANDOM_TEST, (uint64_t)rank);
        for (int k = 0; k < BLOCKS; k++)
                make_block(&w, k);
        for (int i = 0; i < STEPS; i++) {
                step(&w);
                lbrun_iteration();
                if (below(&w, 3) == 0)
                        nap(3000); /* helpers fall asleep */
        }
        MPI_Barrier(lbrun_world()); /* tasks may be under way */
        lbrun_taskwait();
        compare(&w);
        for (int k = 0; k < BLOCKS; k++)
                drop_block(&w, k);
}

int main(int argc, char **argv)
{
        lbrun_start(&argc, &argv);
        uint64_t first = argc > 1 ? strtoull(argv[1], NULL, 10) : 1;
        uint64_t count = argc > 2 ? strtoull(argv[2], NULL, 10) : 10;
        for (uint64_t seed = first; seed < first + count; seed++)
                run(seed);
        int rank;
        MPI_Comm_rank(lbrun_world(), &rank);
        lbrun_stop();
        if (rank == 0)
                printf("as if serial\n");
        return 0;
}
