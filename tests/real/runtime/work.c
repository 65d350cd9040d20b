/* SPDX-License-Identifier: BSD-3-Clause */
#include "tests/real/runtime/work.h"

#include <stdbool.h>
#include <string.h>

enum { WORST = 3000 };

uint64_t work_mix(uint64_t a, uint64_t b)
{
        a = (a ^ b) * 0x9e3779b97f4a7c15u;
        return a ^ a >> 31;
}

/* What is weak is for its children. */
static bool reads(const struct work_range *range)
{
        return (range->mode & LBRUN_IN) && !(range->mode & LBRUN_WEAK);
}

static bool writes(const struct work_range *range)
{
        return (range->mode & LBRUN_OUT) && !(range->mode & LBRUN_WEAK);
}

static uint64_t read_all(const struct work *w)
{
        uint64_t hash = w->seed;
        for (int32_t i = 0; i < w->nrange; i++)
                for (int32_t k = 0; reads(&w->range[i]) && k < w->range[i].count; k++)
                        hash = work_mix(hash, w->base[w->range[i].first + k]);
        return hash;
}

static void write_all(const struct work *w, uint64_t hash)
{
        for (int32_t i = 0; i < w->nrange; i++) {
                uint64_t *word = w->base + w->range[i].first;
                for (int32_t k = 0; writes(&w->range[i]) && k < w->range[i].count; k++)
                        word[k] = work_mix(hash, (uint64_t)k + (reads(&w->range[i]) ? word[k] : 0));
        }
}

void work_accesses(const struct work *w, struct lbrun_access access[WORK_ACCESSES])
{
        for (int32_t i = 0; i < w->nrange; i++)
                access[i] = (struct lbrun_access){ (enum lbrun_mode)w->range[i].mode,
                                                   w->base + w->range[i].first,
                                                   (size_t)w->range[i].count * sizeof(uint64_t) };
}

const uint64_t *_Atomic work_serial;

static void create(const struct work *w, int32_t priority, uint32_t flags)
{
        if (w->base == work_serial)
                work_run((void *)(uintptr_t)w);
        else
                work_task(w, priority, flags);
}

static void halve(const struct work *w)
{
        struct work_range whole = w->range[0];
        for (int32_t h = 0; h < 2; h++) {
                struct work child = { .base = w->base,
                                      .seed = work_mix(w->seed, (uint64_t)h + 7),
                                      .nrange = 1,
                                      .children = w->children - 1 };
                int32_t half = whole.count / 2;
                child.range[0] = (struct work_range){ LBRUN_INOUT, whole.first + (h ? half : 0),
                                                      h ? whole.count - half : half };
                create(&child, h, 0);
        }
}

/* Parts that overlap, over the strong range, if there is one, and the weak one behind it. */
static void spread(const struct work *w)
{
        enum { PARTS = 5 };
        const struct work_range *last = &w->range[w->nrange - 1];
        int32_t begin = w->range[0].first, count = last->first + last->count - begin;
        for (int32_t i = 0; i < PARTS && count > 0; i++) {
                uint64_t drawn = work_mix(w->seed, (uint64_t)i + 11);
                int32_t at = (int32_t)(drawn % (uint64_t)count);
                int32_t size = 1 + (int32_t)((drawn >> 32) % (uint64_t)(count - at));
                struct work child = { .base = w->base,
                                      .seed = drawn,
                                      .nrange = 1,
                                      .weak = drawn >> 8 & 1 ? w->weak - 1 : 0,
                                      .children = drawn >> 9 & 1 };
                child.range[0] = (struct work_range){ child.weak ? LBRUN_WEAK_INOUT : LBRUN_INOUT,
                                                      begin + at, size };
                create(&child, i % 2, drawn >> 10 & 3 ? 0 : LBRUN_HERE);
        }
}

void work_run(void *argument)
{
        const struct work *w = argument;
        write_all(w, read_all(w));
        if (w->weak > 0)
                spread(w);
        if (w->weak > 0 && w->more && w->base != work_serial)
                work_wait();
        if (w->weak > 0)
                return;
        if (w->children == 0 || w->range[0].mode == LBRUN_IN || w->range[0].count < 4)
                return;
        halve(w);
        if (!w->more)
                return;
        if (w->base != work_serial)
                work_wait();
        uint64_t *first = w->base + w->range[0].first;
        first[0] = work_mix(first[0], first[w->range[0].count - 1]);
}

static struct work draw_strong(struct lb_random *random, uint64_t *base)
{
        struct work w = { .base = base, .seed = (uint64_t)(lb_random_unit(random) * 1e15) };
        w.nrange = 1 + (int32_t)(lb_random_unit(random) * WORK_ACCESSES);
        w.children = lb_random_unit(random) < 0.2 ? 2 : 0;
        w.more = lb_random_unit(random) < 0.5;
        for (int32_t i = 0; i < w.nrange; i++) {
                double size = lb_random_unit(random);
                int32_t first = (int32_t)(lb_random_unit(random) * WORK_WORDS);
                int32_t count = 1 + (int32_t)(size * size * size * WORST);
                w.range[i] =
                    (struct work_range){ 1 + (int32_t)(lb_random_unit(random) * 3), first,
                                         count < WORK_WORDS - first ? count : WORK_WORDS - first };
        }
        return w;
}

static struct work draw_weak(struct lb_random *random, uint64_t *base)
{
        struct work w = draw_strong(random, base);
        struct work_range whole = w.range[0];
        w.weak = 1 + (int32_t)(lb_random_unit(random) * 3);
        w.children = 0;
        w.range[0].mode = LBRUN_WEAK_INOUT;
        w.nrange = 1;
        if (whole.count < 2 || lb_random_unit(random) < 0.5)
                return w;
        int32_t half = whole.count / 2;
        w.nrange = 2;
        w.range[0] = (struct work_range){ LBRUN_INOUT, whole.first, half };
        w.range[1] =
            (struct work_range){ LBRUN_WEAK_INOUT, whole.first + half, whole.count - half };
        return w;
}

struct work work_draw(struct lb_random *random, uint64_t *base)
{
        return lb_random_unit(random) < 0.25 ? draw_weak(random, base) : draw_strong(random, base);
}
