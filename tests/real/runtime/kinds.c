/* SPDX-License-Identifier: BSD-3-Clause */
#include "tests/real/runtime/kinds.h"

#include <inttypes.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "tests/real/runtime/work.h"

enum { WORDS_MAX = 1500, READ_MAX = 300, MEMBERS_MAX = 6, CHILDREN = 5 };

enum kind { COMMUTE, SUM, LEAST, MOST, COMPOSE, DOUBLE, LOOP, PARENT, WEAK_PARENT, APART, NKIND };

/* A task's argument: it changes words [first, first + count) by what it reads. */
struct op {
        enum kind kind;
        uint64_t *base; /* live, or the serial twin's */
        uint64_t *own;  /* in its place at this rank, `home`; or NULL */
        int home;
        double *sum;
        uint64_t seed;
        int32_t first, count, read_first, read_count, which;
        bool live;
};

/* Of this process; where it is a helper, or serves others before it knows: no task's home. */
static int own_rank = -1;

/* ---- What tasks do ---- */

static uint64_t *base_of(const struct op *op)
{
        return op->own && op->home == own_rank ? op->own : op->base;
}

/* The map x -> mul * x + add, as two words; the later one is applied to the earlier one's result.
 */
static void identity(void *value, size_t bytes)
{
        uint64_t *map = value;
        for (size_t i = 0; i < bytes / sizeof(*map); i++)
                map[i] = i % 2 == 0;
}

static void compose(void *into, const void *from, size_t bytes)
{
        uint64_t *a = into;
        const uint64_t *b = from;
        for (size_t i = 0; i < bytes / sizeof(*a); i += 2) {
                a[i] *= b[i];
                a[i + 1] = b[i] * a[i + 1] + b[i + 1];
        }
}

static uint64_t read_words(const struct op *op)
{
        uint64_t hash = op->seed;
        const uint64_t *base = base_of(op);
        for (int32_t i = 0; i < op->read_count; i++)
                hash = work_mix(hash, base[op->read_first + i]);
        return hash;
}

static bool reduces(enum kind kind)
{
        return kind >= SUM && kind <= COMPOSE;
}

static void change(enum kind kind, uint64_t *word, int32_t count, uint64_t hash)
{
        for (int32_t i = 0; i < count; i++) {
                uint64_t value = work_mix(hash, (uint64_t)i);
                int64_t is = (int64_t)word[i], be = (int64_t)value;
                if (kind == COMMUTE || kind == SUM || kind == APART)
                        word[i] += value;
                else if (kind == LEAST)
                        word[i] = be < is ? value : word[i];
                else if (kind == MOST)
                        word[i] = be > is ? value : word[i];
                else if (i % 2 == 0 && i + 1 < count)
                        compose(word + i, (uint64_t[]){ value | 1, value ^ hash },
                                2 * sizeof(*word));
        }
}

static double drawn(uint64_t hash, int i)
{
        return (double)(work_mix(hash, (uint64_t)i) >> 11) * 0x1.0p-40 - 1000;
}

static void add_doubles(const struct op *op)
{
        uint64_t hash = read_words(op);
        double part = 0, *sum = op->live ? lbrun_private(op->sum) : &part;
        for (int i = 0; i < 5; i++)
                *sum += drawn(hash, i);
        if (!op->live)
                *op->sum += part;
}

static void create(const struct op *op, struct lb_random *random);

/* Children of the same kind on parts that overlap; all of them within the parent's range. */
static void have_children(const struct op *op)
{
        struct lb_random random;
        lb_random_init(&random, op->seed, LB_RANDOM_TEST, 1);
        for (int32_t i = 0; i < CHILDREN; i++) {
                uint64_t bits = lb_random_next(&random);
                int32_t at = (int32_t)(bits % (uint64_t)op->count) & ~1;
                struct op child = { .kind = (enum kind)(bits >> 40) % DOUBLE,
                                    .base = op->base,
                                    .seed = bits,
                                    .first = op->first + at,
                                    .count = op->count - at,
                                    .live = op->live };
                create(&child, &random);
        }
}

static void perform(void *argument)
{
        const struct op *op = argument;
        uint64_t *word = base_of(op) + op->first;
        if (op->kind == DOUBLE) {
                add_doubles(op);
                return;
        }
        if (op->kind == PARENT)
                change(COMMUTE, word, op->count, read_words(op));
        if (op->kind == PARENT || op->kind == WEAK_PARENT) {
                have_children(op);
                return;
        }
        if (op->live && reduces(op->kind))
                word = lbrun_private(word);
        change(op->kind, word, op->count, read_words(op));
}

static void loop(int64_t begin, int64_t end, void *argument)
{
        const struct op *op = argument;
        for (int64_t i = begin; i < end; i++) {
                uint64_t *word = &op->base[op->first + i];
                *word = work_mix(*word, op->seed + (uint64_t)i);
        }
}

/* ---- Creation ---- */

/* Of this rank: a helper makes its own, for the children of tasks that were sent there. */
static enum lbrun_mode compose_mode;
static pthread_once_t is_made = PTHREAD_ONCE_INIT;

static void make_compose_mode(void)
{
        compose_mode = lbrun_reduction(2 * sizeof(uint64_t), identity, compose);
}

static enum lbrun_mode mode_of(enum kind kind)
{
        pthread_once(&is_made, make_compose_mode);
        const enum lbrun_mode modes[NKIND] = {
                [COMMUTE] = LBRUN_COMMUTATIVE,
                [SUM] = LBRUN_SUM_INT64,
                [LEAST] = LBRUN_MIN_INT64,
                [MOST] = LBRUN_MAX_INT64,
                [COMPOSE] = compose_mode,
                [DOUBLE] = LBRUN_SUM_DOUBLE,
                [LOOP] = LBRUN_INOUT,
                [PARENT] = LBRUN_INOUT,
                [WEAK_PARENT] = LBRUN_WEAK_INOUT,
                [APART] = LBRUN_INOUT,
        };
        return modes[kind];
}

static void create_loop(const struct op *op, struct lb_random *random)
{
        const uint64_t *word = op->base + op->first;
        struct lbrun_slice slice = { LBRUN_INOUT, word, sizeof(*word), sizeof(*word) };
        struct lbrun_range range = { 0, op->count, 0 };
        if (lb_random_unit(random) < 0.7)
                range.grain = 1 + (int64_t)lb_random_below(random, (uint64_t)op->count);
        lbrun_taskloop(loop, &range, op, sizeof(*op), 1, &slice, NULL);
}

static void create(const struct op *op, struct lb_random *random)
{
        struct op copy = *op;
        struct lbrun_access access[2] = {
                { mode_of(op->kind), op->base + op->first, (size_t)op->count * sizeof(*op->base) },
                { LBRUN_IN, op->base + op->read_first, (size_t)op->read_count * sizeof(*op->base) }
        };
        struct lbrun_options options = { .priority = (int32_t)lb_random_below(random, 3),
                                         .flags = lb_random_below(random, 10) == 0 };
        const void *home[2] = { op->own + op->first, op->own + op->read_first };
        if (op->own)
                options.home = home;
        if (lb_random_below(random, 2))
                options.cost = 1 + (double)lb_random_below(random, 1000);
        if (op->kind == DOUBLE)
                access[0] = (struct lbrun_access){ LBRUN_SUM_DOUBLE, op->sum, sizeof(*op->sum) };
        if (!op->live)
                perform(&copy);
        else if (op->kind == LOOP)
                create_loop(op, random);
        else
                lbrun_task(perform, op, sizeof(*op), 1 + (op->read_count > 0), access, &options);
}

/* What it reads does not overlap what it changes, whose order may be another. */
static void draw_ranges(struct op *op, struct lb_random *random)
{
        double size = lb_random_unit(random);
        int32_t words = op->own ? KINDS_WORDS : WORK_WORDS;
        op->count = 2 + 2 * (int32_t)(size * size * WORDS_MAX / 2);
        op->first = 2 * (int32_t)lb_random_below(random, (uint64_t)(words - op->count) / 2);
        int32_t behind = op->first + op->count;
        op->read_first = op->read_count = 0;
        if (op->kind == WEAK_PARENT || behind + READ_MAX >= words)
                return;
        op->read_count = (int32_t)lb_random_below(random, READ_MAX);
        op->read_first =
            behind + (int32_t)lb_random_below(random, (uint64_t)(words - behind - op->read_count));
}

static void serially(const struct kinds *k, const struct op *live)
{
        struct op op = *live;
        op.base = op.own ? (uint64_t *)(uintptr_t)k->serial_own : k->serial;
        op.own = NULL;
        op.live = false;
        if (op.kind == DOUBLE)
                op.sum = (double *)(uintptr_t)&k->serial_sum[op.which];
        if (op.kind == LOOP)
                loop(0, op.count, &op);
        else
                perform(&op);
}

static void expect(struct kinds *k, bool holds, const char *what, int32_t where)
{
        if (!holds && k->wrong++ == 0)
                fprintf(stderr, "%s %" PRId32 " is not as if serial\n", what, where);
}

/* Other tasks go on. */
static void wait_on(struct kinds *k, struct lb_random *random)
{
        struct op op = { .kind = COMMUTE };
        draw_ranges(&op, random);
        size_t bytes = (size_t)op.count * sizeof(*k->live);
        struct lbrun_access access = { lb_random_below(random, 2) ? LBRUN_IN : LBRUN_INOUT,
                                       k->live + op.first, bytes };
        lbrun_taskwait_on(1, &access);
        expect(k, memcmp(k->live + op.first, k->serial + op.first, bytes) == 0,
               "what was waited for, from word", op.first);
        if (access.mode == LBRUN_INOUT)
                k->live[op.first] = k->serial[op.first] = lb_random_next(random);
}

void kinds_play(struct kinds *k, struct lb_random *random)
{
        int32_t kind = (int32_t)lb_random_below(random, NKIND + 1);
        if (kind == NKIND) {
                wait_on(k, random);
                return;
        }
        struct op op = { .kind = (enum kind)kind, .base = k->live, .home = own_rank, .live = true };
        if (op.kind == APART) {
                op.base = k->apart;
                op.own = k->own;
        }
        int32_t members = 1 + (int32_t)lb_random_below(random, MEMBERS_MAX);
        draw_ranges(&op, random);
        for (int32_t i = 0; i < members; i++) {
                op.seed = lb_random_next(random);
                op.which = (int32_t)lb_random_below(random, KINDS_SUMS);
                op.sum = &k->sum[op.which];
                create(&op, random);
                serially(k, &op);
        }
}

void kinds_start(struct kinds *k, uint64_t *live, uint64_t *serial)
{
        *k = (struct kinds){ .live = live, .serial = serial };
        k->sum = lbrun_alloc(KINDS_SUMS * sizeof(*k->sum));
        k->apart = lbrun_alloc(KINDS_WORDS * sizeof(*k->apart));
        MPI_Comm_rank(MPI_COMM_WORLD, &own_rank);
}

void kinds_compare(struct kinds *k)
{
        for (int i = 0; i < KINDS_SUMS; i++)
                expect(k, memcmp(&k->sum[i], &k->serial_sum[i], sizeof(double)) == 0, "sum", i);
        for (int i = 0; i < KINDS_WORDS; i++) {
                expect(k, k->own[i] == k->serial_own[i], "word of home's own", i);
                k->own[i] = k->serial_own[i] = work_mix(k->own[i], (uint64_t)i);
        }
}

void kinds_stop(struct kinds *k)
{
        lbrun_free(k->sum);
        lbrun_free(k->apart);
}
