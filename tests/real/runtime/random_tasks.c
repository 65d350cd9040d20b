/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Random tasks on overlapping ranges, nested ones too, against the same tasks one after another:
 * random_tasks SEED ROUNDS. Every apprank has tasks of its own, and prints nothing but a mistake.
 */
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/random.h"
#include "real/lbrun.h"

enum { WORDS = 20000, TASKS = 60, ACCESSES = 4, WORST = 3000 };

struct range {
        int32_t mode, first, count; /* words */
};

struct work {
        uint64_t *base, seed;
        int32_t nrange,
            children; /* > 0: halves of its first written range are tasks of their own */
        int32_t more; /* mixes once more after them */
        int32_t weak; /* > 0: its last range is so, and parts of all are tasks of their own */
        struct range range[ACCESSES];
};

static uint64_t mix(uint64_t a, uint64_t b)
{
        a = (a ^ b) * 0x9e3779b97f4a7c15u;
        return a ^ a >> 31;
}

/* What is weak is for its children. */
static bool reads(const struct range *range)
{
        return (range->mode & LBRUN_IN) && !(range->mode & LBRUN_WEAK);
}

static bool writes(const struct range *range)
{
        return (range->mode & LBRUN_OUT) && !(range->mode & LBRUN_WEAK);
}

static uint64_t read_all(const struct work *w)
{
        uint64_t hash = w->seed;
        for (int32_t i = 0; i < w->nrange; i++)
                for (int32_t k = 0; reads(&w->range[i]) && k < w->range[i].count; k++)
                        hash = mix(hash, w->base[w->range[i].first + k]);
        return hash;
}

static void write_all(const struct work *w, uint64_t hash)
{
        for (int32_t i = 0; i < w->nrange; i++) {
                uint64_t *word = w->base + w->range[i].first;
                for (int32_t k = 0; writes(&w->range[i]) && k < w->range[i].count; k++)
                        word[k] = mix(hash, (uint64_t)k + (reads(&w->range[i]) ? word[k] : 0));
        }
}

static void run(void *argument);

static void create(const struct work *w, int32_t priority, uint32_t flags, bool live)
{
        struct lbrun_access access[ACCESSES];
        struct lbrun_options options = { .priority = priority, .flags = flags };
        for (int32_t i = 0; i < w->nrange; i++)
                access[i] = (struct lbrun_access){ (enum lbrun_mode)w->range[i].mode,
                                                   w->base + w->range[i].first,
                                                   (size_t)w->range[i].count * sizeof(uint64_t) };
        if (live)
                lbrun_task(run, w, sizeof(*w), w->nrange, access, &options);
}

/* Live when the base is; the serial run calls itself. */
static const uint64_t *_Atomic serial_base; /* tasks of others come as soon as the runtime runs */

static void halve(const struct work *w)
{
        struct range whole = w->range[0];
        for (int32_t h = 0; h < 2; h++) {
                struct work child = { .base = w->base,
                                      .seed = mix(w->seed, (uint64_t)h + 7),
                                      .nrange = 1,
                                      .children = w->children - 1 };
                int32_t half = whole.count / 2;
                child.range[0] = (struct range){ LBRUN_INOUT, whole.first + (h ? half : 0),
                                                 h ? whole.count - half : half };
                if (w->base == serial_base)
                        run(&child);
                else
                        create(&child, h, 0, true);
        }
}

/* Parts that overlap, over the strong range, if there is one, and the weak one behind it. */
static void spread(const struct work *w)
{
        enum { PARTS = 5 };
        const struct range *last = &w->range[w->nrange - 1];
        int32_t begin = w->range[0].first, count = last->first + last->count - begin;
        for (int32_t i = 0; i < PARTS && count > 0; i++) {
                uint64_t drawn = mix(w->seed, (uint64_t)i + 11);
                int32_t at = (int32_t)(drawn % (uint64_t)count);
                int32_t size = 1 + (int32_t)((drawn >> 32) % (uint64_t)(count - at));
                struct work child = { .base = w->base,
                                      .seed = drawn,
                                      .nrange = 1,
                                      .weak = drawn >> 8 & 1 ? w->weak - 1 : 0,
                                      .children = drawn >> 9 & 1 };
                child.range[0] =
                    (struct range){ child.weak ? LBRUN_WEAK_INOUT : LBRUN_INOUT, begin + at, size };
                if (w->base == serial_base)
                        run(&child);
                else
                        create(&child, i % 2, drawn >> 10 & 3 ? 0 : LBRUN_HERE, true);
        }
}

static void run(void *argument)
{
        const struct work *w = argument;
        write_all(w, read_all(w));
        if (w->weak > 0)
                spread(w);
        if (w->weak > 0 && w->more && w->base != serial_base)
                lbrun_taskwait();
        if (w->weak > 0)
                return;
        if (w->children == 0 || w->range[0].mode == LBRUN_IN || w->range[0].count < 4)
                return;
        halve(w);
        if (!w->more)
                return;
        if (w->base != serial_base)
                lbrun_taskwait();
        uint64_t *first = w->base + w->range[0].first;
        first[0] = mix(first[0], first[w->range[0].count - 1]);
}

static struct work draw(struct lb_random *random, uint64_t *base)
{
        struct work w = { .base = base, .seed = (uint64_t)(lb_random_unit(random) * 1e15) };
        w.nrange = 1 + (int32_t)(lb_random_unit(random) * ACCESSES);
        w.children = lb_random_unit(random) < 0.2 ? 2 : 0;
        w.more = lb_random_unit(random) < 0.5;
        for (int32_t i = 0; i < w.nrange; i++) {
                double size = lb_random_unit(random);
                int32_t first = (int32_t)(lb_random_unit(random) * WORDS);
                int32_t count = 1 + (int32_t)(size * size * size * WORST);
                w.range[i] = (struct range){ 1 + (int32_t)(lb_random_unit(random) * 3), first,
                                             count < WORDS - first ? count : WORDS - first };
        }
        return w;
}

static struct work draw_weak(struct lb_random *random, uint64_t *base)
{
        struct work w = draw(random, base);
        struct range whole = w.range[0];
        w.weak = 1 + (int32_t)(lb_random_unit(random) * 3);
        w.children = 0;
        w.range[0].mode = LBRUN_WEAK_INOUT;
        w.nrange = 1;
        if (whole.count < 2 || lb_random_unit(random) < 0.5)
                return w;
        int32_t half = whole.count / 2;
        w.nrange = 2;
        w.range[0] = (struct range){ LBRUN_INOUT, whole.first, half };
        w.range[1] = (struct range){ LBRUN_WEAK_INOUT, whole.first + half, whole.count - half };
        return w;
}

static int compare(const uint64_t *live, const uint64_t *serial, int round)
{
        for (int32_t i = 0; i < WORDS; i++)
                if (live[i] != serial[i]) {
                        fprintf(stderr,
                                "round %d: word %" PRId32 " is %" PRIx64 ", serially %" PRIx64 "\n",
                                round, i, live[i], serial[i]);
                        return 1;
                }
        return 0;
}

static int play(struct lb_random *random, uint64_t *live, uint64_t *serial, int round)
{
        for (int32_t i = 0; i < WORDS; i += 17) /* the main program writes, too */
                live[i] = serial[i] = mix(live[i], (uint64_t)round);
        for (int32_t t = 0; t < TASKS; t++) {
                bool weak = lb_random_unit(random) < 0.25;
                struct work w = weak ? draw_weak(random, live) : draw(random, live);
                uint32_t flags = lb_random_unit(random) < 0.1 ? LBRUN_HERE : 0;
                create(&w, (int32_t)(lb_random_unit(random) * 3), flags, true);
                w.base = serial;
                run(&w);
                if (lb_random_unit(random) < 0.05)
                        lbrun_taskwait_noflush();
        }
        lbrun_taskwait();
        lbrun_iteration();
        return compare(live, serial, round);
}

int main(int argc, char **argv)
{
        lbrun_start(&argc, &argv);
        int rank, wrong = 0, any, rounds = argc > 2 ? atoi(argv[2]) : 3;
        MPI_Comm_rank(lbrun_world(), &rank);
        struct lb_random random;
        lb_random_init(&random, argc > 1 ? (uint64_t)atoi(argv[1]) : 1, LB_RANDOM_TEST,
                       (uint64_t)rank);
        uint64_t *serial = calloc(WORDS, sizeof(*serial));
        uint64_t *live = lbrun_alloc(WORDS * sizeof(*live));
        serial_base = serial;
        for (int round = 0; round < rounds && !wrong; round++)
                wrong = play(&random, live, serial, round);
        MPI_Allreduce(&wrong, &any, 1, MPI_INT, MPI_MAX, lbrun_world());
        free(serial);
        lbrun_free(live);
        lbrun_stop();
        return any;
}
