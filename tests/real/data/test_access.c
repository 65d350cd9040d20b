/* SPDX-License-Identifier: BSD-3-Clause */
/* Order among tasks: small cases, and random ones against a model that compares all pairs. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/random.h"
#include "real/data/access.h"

enum { TASKS = 60, ACCESSES = 4 };

struct model_task {
        struct access access[ACCESSES];
        int32_t naccess;
        bool ready, finished;
        struct access_task *task;
};

struct world {
        struct access_domain *domain;
        struct model_task task[TASKS];
        int32_t ntask;
        struct model_task *released_last; /* by the task that finishes now */
};

static void world_add(struct world *w)
{
        struct model_task *t = &w->task[w->ntask++];
        bool blocked;
        t->task = access_add(w->domain, t->naccess, t->access, t, &blocked);
        assert_non_null(t->task);
        t->ready = !blocked;
}

static void released(void *context, void *user)
{
        struct world *w = context;
        struct model_task *t = user;
        assert_false(t->ready);
        assert_true(!w->released_last || w->released_last < t);
        w->released_last = t;
        t->ready = true;
}

static void world_finish(struct world *w, int32_t i)
{
        w->task[i].finished = true;
        w->released_last = NULL;
        access_finish(w->domain, w->task[i].task, released, w);
}

/* ---- Small cases ---- */

/*
 * Tasks like "o0-9": i, o or b (both) with the first and the last byte; "+" joins accesses of one
 * task. Expected: for each task the earlier ones that it needs, directly or not.
 */
static const struct {
        const char *tasks, *needs;
} cases[] = {
        { "o0-9 i0-9", ", 0" },
        { "i0-9 o0-9", ", 0" },
        { "o0-9 o0-9", ", 0" },
        { "b0-9 b0-9 b0-9", ", 0, 01" },
        { "i0-9 i0-9 i0-9", ", , " },
        { "o0-4 o5-9", ", " },
        { "o0-4 i5-9", ", " },
        { "o0-9 i0-4 i5-9", ", 0, 0" },
        { "o0-9 i0-4 o5-9 i0-9", ", 0, 0, 02" },
        { "o0-9 o3-5 i0-2 i3-5 i6-9", ", 0, 0, 01, 0" },
        { "o0-2 o3-5 o6-9 i2-6", ", , , 012" },
        { "i0-9 i3-5 o0-2 o3-5", ", , 0, 01" },
        { "i0-9 i0-4 i5-9 o0-0 o9-9", ", , , 01, 02" },
        { "i0-5 i3-9 o0-1 o4-4 o8-8", ", , 0, 01, 1" },
        { "i0-9 o4-5 i0-9 o0-0 o9-9 o4-4", ", 0, 01, 012, 012, 012" },
        { "o0-4 o5-9 i0-9 i0-9 o0-4 o5-5", ", , 01, 01, 0123, 0123" },
        { "o0-1+o4-5 i1-4 o2-3", ", 0, 01" },
        { "o0-9+i0-9 i0-9+o0-9", ", 0" },
        { "i0-9+o3-4 i0-9+o3-4 i0-2 o3-3", ", 0, , 01" },
        { "i0-9+i5-15+i0-15 o12-12 i0-9 o9-9", ", 0, , 02" },
        { "o0-9 i2-3 o0-9 i2-3", ", 0, 01, 012" },
        { "o9-9 o0-9 i9-9 i0-0", ", 0, 01, 01" },
        { "i0-3 i2-5 i4-7 b2-2 b3-3 b5-5", ", , , 01, 01, 12" },
};

static const char *read_task(const char *text, struct model_task *t)
{
        *t = (struct model_task){ 0 };
        for (;;) {
                char mode;
                unsigned first, last;
                int used = 0;
                assert_int_equal(sscanf(text, "%c%u-%u%n", &mode, &first, &last, &used), 3);
                t->access[t->naccess++] = (struct access){ 100 + first, last - first + 1,
                                                           mode == 'i'   ? ACCESS_IN
                                                           : mode == 'o' ? ACCESS_OUT
                                                                         : ACCESS_INOUT };
                text += used;
                if (*text++ != '+')
                        return text[-1] == ' ' ? text : NULL;
        }
}

static void finish_ready_but(struct world *w, int32_t held)
{
        for (bool more = true; more;) {
                more = false;
                for (int32_t i = 0; i < w->ntask; i++) {
                        if (i == held || !w->task[i].ready || w->task[i].finished)
                                continue;
                        world_finish(w, i);
                        more = true;
                }
        }
}

/* Add the tasks and finish what is possible without task `held`: the others need it. */
static void without(const char *tasks, int32_t held, bool needs[TASKS][TASKS], int32_t *ntask)
{
        struct world w = { .domain = access_domain_create() };
        for (const char *text = tasks; text; world_add(&w))
                text = read_task(text, &w.task[w.ntask]);
        finish_ready_but(&w, held);
        for (int32_t i = 0; i < w.ntask; i++)
                needs[i][held] = i != held && !w.task[i].finished;
        *ntask = w.ntask;
        finish_ready_but(&w, -1);
        assert_int_equal(access_unfinished(w.domain), 0);
        assert_int_equal(access_pieces(w.domain), 0);
        access_domain_destroy(w.domain);
}

/* Who needs whom in ranges that are equal, apart, within each other or partly over each other. */
static void test_cases(void **state)
{
        (void)state;
        for (size_t c = 0; c < sizeof(cases) / sizeof(cases[0]); c++) {
                static bool needs[TASKS][TASKS];
                char text[400] = "";
                int32_t ntask = 1;
                for (int32_t held = 0; held < ntask; held++)
                        without(cases[c].tasks, held, needs, &ntask);
                for (int32_t i = 0; i < ntask; i++) {
                        strcat(text, i ? ", " : "");
                        for (int32_t j = 0; j < ntask; j++)
                                if (needs[i][j])
                                        sprintf(text + strlen(text), "%d", j);
                }
                if (strcmp(text, cases[c].needs) != 0)
                        print_error("\"%s\"\n", cases[c].tasks);
                assert_string_equal(text, cases[c].needs);
        }
}

/* ---- Random ones ---- */

/* How ranges and modes are drawn. */
static const struct shape {
        size_t bytes, unit; /* of the memory; ranges are of whole units */
        double longest;     /* as a part of the memory */
        double reading;     /* share of accesses that only read */
        double finishing;   /* chance that one more task finishes before the next is added */
} shapes[] = {
        { 48, 1, 0.4, 0.33, 0.45 },  { 48, 1, 1.0, 0.85, 0.45 }, { 48, 6, 1.0, 0.7, 0.4 },
        { 8, 1, 1.0, 0.75, 0.49 },   { 200, 1, 0.1, 0.6, 0.3 },  { 16, 4, 1.0, 0.95, 0.45 },
        { 1000, 1, 1.0, 0.9, 0.35 }, { 4, 1, 1.0, 0.6, 0.4 },
};

static bool in_conflict(const struct access *x, const struct access *y)
{
        bool overlap = x->begin < y->begin + y->bytes && y->begin < x->begin + x->bytes;
        return overlap && (x->mode | y->mode) & ACCESS_OUT;
}

static bool conflict(const struct model_task *a, const struct model_task *b)
{
        for (int32_t i = 0; i < a->naccess; i++)
                for (int32_t j = 0; j < b->naccess; j++)
                        if (in_conflict(&a->access[i], &b->access[j]))
                                return true;
        return false;
}

/* May it run: is nothing unfinished that came before it and that it conflicts with? */
static bool may_run(const struct world *w, int32_t i)
{
        for (int32_t j = 0; j < i; j++)
                if (!w->task[j].finished && conflict(&w->task[j], &w->task[i]))
                        return false;
        return true;
}

static struct access draw_access(struct lb_random *random, const struct shape *shape)
{
        size_t units = shape->bytes / shape->unit;
        size_t first = lb_random_below(random, units);
        size_t most = 1 + (size_t)(shape->longest * (double)(units - first - 1));
        size_t count = lb_random_unit(random) < 0.2 ? most : 1 + lb_random_below(random, most);
        bool reads = lb_random_unit(random) < shape->reading;
        return (struct access){ 4096 + first * shape->unit, count * shape->unit,
                                reads                          ? ACCESS_IN
                                : lb_random_unit(random) < 0.5 ? ACCESS_OUT
                                                               : ACCESS_INOUT };
}

static void add(struct world *w, struct lb_random *random, const struct shape *shape)
{
        struct model_task *t = &w->task[w->ntask];
        *t = (struct model_task){ .naccess = 1 + (int32_t)lb_random_below(random, ACCESSES) };
        for (int32_t i = 0; i < t->naccess; i++)
                t->access[i] = draw_access(random, shape);
        world_add(w);
        assert_int_equal(t->ready, may_run(w, w->ntask - 1));
}

static void finish_any(struct world *w, struct lb_random *random)
{
        int32_t ready[TASKS];
        uint64_t count = 0;
        for (int32_t i = 0; i < w->ntask; i++)
                if (w->task[i].ready && !w->task[i].finished)
                        ready[count++] = i;
        assert_true(count > 0);
        world_finish(w, ready[lb_random_below(random, count)]);
        for (int32_t j = 0; j < w->ntask; j++)
                assert_int_equal(w->task[j].ready, w->task[j].finished || may_run(w, j));
}

static void run_shape(const struct shape *shape, uint64_t seed)
{
        static struct world w;
        struct lb_random random;
        lb_random_init(&random, seed, LB_RANDOM_TEST, 0);
        w = (struct world){ .domain = access_domain_create() };
        while (w.ntask < TASKS) {
                add(&w, &random, shape);
                while (access_unfinished(w.domain) > 0 &&
                       lb_random_unit(&random) < shape->finishing)
                        finish_any(&w, &random);
        }
        while (access_unfinished(w.domain) > 0)
                finish_any(&w, &random);
        assert_int_equal(access_pieces(w.domain), 0);
        access_domain_destroy(w.domain);
}

/* Whatever ranges overlap and whoever finishes first: those are ready who conflict with nobody. */
static void test_against_model(void **state)
{
        (void)state;
        for (size_t i = 0; i < sizeof(shapes) / sizeof(shapes[0]); i++)
                for (uint64_t seed = 0; seed < 120; seed++)
                        run_shape(&shapes[i], seed);
}

/* ---- Accesses that commute ---- */

static bool commute(const struct access *x, const struct access *y)
{
        return x->mode == ACCESS_COMMUTATIVE && y->mode == ACCESS_COMMUTATIVE;
}

/* Has the later one to wait until the earlier has finished, whatever else happens? */
static bool is_ordered(const struct model_task *a, const struct model_task *b)
{
        for (int32_t i = 0; i < a->naccess; i++)
                for (int32_t j = 0; j < b->naccess; j++)
                        if (in_conflict(&a->access[i], &b->access[j]) &&
                            !commute(&a->access[i], &b->access[j]))
                                return true;
        return false;
}

static void check_commuting(const struct world *w)
{
        for (int32_t i = 0; i < w->ntask; i++)
                for (int32_t j = 0; j < i && w->task[i].ready; j++) {
                        const struct model_task *a = &w->task[j], *b = &w->task[i];
                        bool at_once = a->ready && !a->finished && !b->finished;
                        assert_false(at_once && conflict(a, b));
                        assert_false(!a->finished && is_ordered(a, b));
                }
}

static void finish_one(struct world *w, struct lb_random *random)
{
        int32_t ready[TASKS];
        uint64_t count = 0;
        for (int32_t i = 0; i < w->ntask; i++)
                if (w->task[i].ready && !w->task[i].finished)
                        ready[count++] = i;
        assert_true(count > 0); /* somebody always can go on */
        world_finish(w, ready[lb_random_below(random, count)]);
        check_commuting(w);
}

/* Accesses that do not overlap: what a task also reads of what it commutes on, commutes, too. */
static void draw_commuting(struct lb_random *random, const struct shape *shape,
                           struct model_task *t)
{
        for (int32_t i = 0; i < ACCESSES; i++) {
                struct access a = draw_access(random, shape);
                bool apart = true;
                if (a.mode != ACCESS_IN)
                        a.mode = ACCESS_COMMUTATIVE;
                if (lb_random_unit(random) < 0.1)
                        a.mode = ACCESS_INOUT;
                for (int32_t k = 0; k < t->naccess; k++)
                        apart &= !in_conflict(&(struct access){ a.begin, a.bytes, ACCESS_INOUT },
                                              &t->access[k]);
                if (apart)
                        t->access[t->naccess++] = a;
        }
}

/* Those that conflict never run at once, and only commuting ones overtake each other. */
static void test_commuting(void **state)
{
        (void)state;
        static struct world w;
        for (uint64_t seed = 0; seed < 1200; seed++) {
                const struct shape *shape = &shapes[seed % (sizeof(shapes) / sizeof(shapes[0]))];
                struct lb_random random;
                lb_random_init(&random, seed, LB_RANDOM_TEST, 1);
                w = (struct world){ .domain = access_domain_create() };
                while (w.ntask < TASKS) {
                        struct model_task *t = &w.task[w.ntask];
                        *t = (struct model_task){ .naccess = 0 };
                        draw_commuting(&random, shape, t);
                        world_add(&w);
                        check_commuting(&w);
                        while (access_unfinished(w.domain) > 0 &&
                               lb_random_unit(&random) < shape->finishing)
                                finish_one(&w, &random);
                }
                while (access_unfinished(w.domain) > 0)
                        finish_one(&w, &random);
                assert_int_equal(access_pieces(w.domain), 0);
                access_domain_destroy(w.domain);
        }
}

/* The second waits for what it reads, the third does not and overtakes it; a reader waits for all.
 */
static void test_overtaking(void **state)
{
        (void)state;
        struct world w = { .domain = access_domain_create() };
        const struct model_task tasks[] = {
                { .naccess = 1, .access = { { 200, 8, ACCESS_OUT } } },
                { .naccess = 2,
                  .access = { { 100, 8, ACCESS_COMMUTATIVE }, { 200, 8, ACCESS_IN } } },
                { .naccess = 1, .access = { { 100, 8, ACCESS_COMMUTATIVE } } },
                { .naccess = 1, .access = { { 100, 8, ACCESS_COMMUTATIVE } } },
                { .naccess = 1, .access = { { 100, 8, ACCESS_IN } } },
        };
        for (size_t i = 0; i < sizeof(tasks) / sizeof(tasks[0]); i++) {
                w.task[i] = tasks[i];
                world_add(&w);
        }
        assert_true(w.task[0].ready && !w.task[1].ready && w.task[2].ready && !w.task[3].ready);
        world_finish(&w, 2);
        assert_true(!w.task[1].ready && w.task[3].ready && !w.task[4].ready);
        world_finish(&w, 0);
        assert_true(!w.task[1].ready); /* the fourth has the turn */
        world_finish(&w, 3);
        assert_true(w.task[1].ready && !w.task[4].ready);
        world_finish(&w, 1);
        assert_true(w.task[4].ready);
        world_finish(&w, 4);
        assert_int_equal(access_pieces(w.domain), 0);
        access_domain_destroy(w.domain);
}

static void next_turn(void *context, void *user)
{
        struct access_task **next = context;
        assert_null(*next); /* one at a time */
        *next = *(struct access_task **)user;
}

/* Very many wait for one turn, in the order in which they came. Where each turn asked all of them,
 * this took minutes. */
static void test_turns(void **state)
{
        (void)state;
        enum { TURNS = 300000 };
        struct access_domain *domain = access_domain_create();
        struct access access = { 100, 8, ACCESS_COMMUTATIVE };
        struct access_task **task = calloc(TURNS, sizeof(struct access_task *));
        assert_non_null(task);
        for (int32_t i = 0; i < TURNS; i++) {
                bool blocked;
                task[i] = access_add(domain, 1, &access, &task[i], &blocked);
                assert_int_equal(blocked, i > 0);
        }
        for (int32_t i = 0; i < TURNS; i++) {
                struct access_task *next = NULL;
                access_finish(domain, task[i], next_turn, &next);
                assert_ptr_equal(next, i + 1 < TURNS ? task[i + 1] : NULL);
        }
        free(task);
        access_domain_destroy(domain);
}

/* ---- Others ---- */

/* Readers do not wait for each other, and are released in the order in which they came. */
static void test_readers(void **state)
{
        (void)state;
        struct world w = { .domain = access_domain_create() };
        const char *text = "o0-9 i5-14 i0-3 i5-14 i5-9 i0-14";
        for (; text; world_add(&w))
                text = read_task(text, &w.task[w.ntask]);
        for (int32_t i = 1; i < w.ntask; i++)
                assert_false(w.task[i].ready);
        world_finish(&w, 0); /* released() checks the order */
        for (int32_t i = 1; i < w.ntask; i++)
                assert_true(w.task[i].ready);
        for (int32_t i = w.ntask; i-- > 1;)
                world_finish(&w, i);
        assert_int_equal(access_pieces(w.domain), 0);
        access_domain_destroy(w.domain);
}

static void not_released(void *context, void *user)
{
        (void)context;
        (void)user;
        fail();
}

/* Tasks without accesses are free; an empty range orders nothing. */
static void test_none(void **state)
{
        (void)state;
        struct access_domain *domain = access_domain_create();
        struct access empty = { 100, 0, ACCESS_INOUT };
        bool blocked[3] = { true, true, true };
        struct access_task *a = access_add(domain, 0, NULL, NULL, &blocked[0]);
        struct access_task *b = access_add(domain, 1, &empty, NULL, &blocked[1]);
        struct access_task *c = access_add(domain, 1, &empty, NULL, &blocked[2]);
        assert_false(blocked[0] || blocked[1] || blocked[2]);
        assert_int_equal(access_unfinished(domain), 3);
        access_finish(domain, b, not_released, NULL);
        access_finish(domain, a, not_released, NULL);
        access_finish(domain, c, not_released, NULL);
        assert_int_equal(access_unfinished(domain), 0);
        access_domain_destroy(domain);
}

/* What an unfinished task accesses is in use, and no byte beside it. */
static void test_uses(void **state)
{
        (void)state;
        struct access_domain *domain = access_domain_create();
        struct access access[] = { { 100, 10, ACCESS_IN }, { 200, 10, ACCESS_OUT } };
        bool blocked;
        assert_false(access_uses(domain, 0, 1000));
        struct access_task *task = access_add(domain, 2, access, NULL, &blocked);
        assert_true(access_uses(domain, 0, 101) && access_uses(domain, 109, 1));
        assert_true(access_uses(domain, 110, 91) && access_uses(domain, 150, 1000));
        assert_false(access_uses(domain, 0, 100) || access_uses(domain, 110, 90) ||
                     access_uses(domain, 210, 1000));
        access_finish(domain, task, not_released, NULL);
        assert_false(access_uses(domain, 0, 1000));
        access_domain_destroy(domain);
}

/* A domain with unfinished tasks can be destroyed. */
static void test_destroy(void **state)
{
        (void)state;
        struct world w = { .domain = access_domain_create() };
        const char *text = "o0-9 i5-14 i0-3 o5-14";
        for (; text; world_add(&w))
                text = read_task(text, &w.task[w.ntask]);
        access_domain_destroy(w.domain);
        access_domain_destroy(NULL);
}

/* ---- Many ---- */

enum { MANY = 100000 };

static void count(void *context, void *user)
{
        (void)user;
        ++*(int64_t *)context;
}

static struct access_task *add_one(struct access_domain *domain, uintptr_t begin, size_t bytes,
                                   enum access_mode mode, bool expect_blocked)
{
        struct access access = { begin, bytes, mode };
        bool blocked;
        struct access_task *task = access_add(domain, 1, &access, NULL, &blocked);
        assert_non_null(task);
        assert_int_equal(blocked, expect_blocked);
        return task;
}

/*
 * A hundred thousand writers of a block each, as many readers of everything, as many writers again;
 * the last to come finish first, where they may. Each pair in order would be far too many.
 */
static void test_many(void **state)
{
        (void)state;
        struct access_domain *domain = access_domain_create();
        struct access_task **task = calloc(3 * MANY, sizeof(*task));
        int64_t nreleased = 0;
        assert_non_null(task);
        for (uintptr_t i = 0; i < MANY; i++)
                task[i] = add_one(domain, 8 + i * 8, 8, ACCESS_INOUT, false);
        assert_int_equal(access_pieces(domain), MANY);
        for (uintptr_t i = 0; i < MANY; i++)
                task[MANY + i] = add_one(domain, 8, MANY * 8, ACCESS_IN, true);
        for (uintptr_t i = 0; i < MANY; i++)
                task[2 * MANY + i] = add_one(domain, 8 + i * 8, 8, ACCESS_OUT, true);
        for (int32_t i = MANY; i-- > 0;)
                access_finish(domain, task[i], count, &nreleased);
        assert_int_equal(nreleased, MANY);
        for (int32_t i = 2 * MANY; i-- > MANY;)
                access_finish(domain, task[i], count, &nreleased);
        assert_int_equal(nreleased, 2 * MANY);
        for (int32_t i = 3 * MANY; i-- > 2 * MANY;)
                access_finish(domain, task[i], count, &nreleased);
        assert_int_equal(access_pieces(domain), 0);
        access_domain_destroy(domain);
        free(task);
}

/* A hundred thousand writers of everything in a row, then readers of a byte each. */
static void test_many_whole(void **state)
{
        (void)state;
        struct access_domain *domain = access_domain_create();
        struct access_task **task = calloc(2 * MANY, sizeof(*task));
        int64_t nreleased = 0;
        assert_non_null(task);
        for (int32_t i = 0; i < MANY; i++)
                task[i] = add_one(domain, 1, MANY, ACCESS_INOUT, i > 0);
        for (int32_t i = 0; i < MANY; i++)
                task[MANY + i] = add_one(domain, 1 + (uintptr_t)i, 1, ACCESS_IN, true);
        for (int32_t i = 0; i < MANY; i++)
                access_finish(domain, task[i], count, &nreleased);
        assert_int_equal(nreleased, 2 * MANY - 1);
        for (int32_t i = 2 * MANY; i-- > MANY;)
                access_finish(domain, task[i], count, &nreleased);
        assert_int_equal(access_pieces(domain), 0);
        access_domain_destroy(domain);
        free(task);
}

int main(void)
{
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(test_commuting),     cmocka_unit_test(test_overtaking),
                cmocka_unit_test(test_turns),         cmocka_unit_test(test_cases),
                cmocka_unit_test(test_against_model), cmocka_unit_test(test_readers),
                cmocka_unit_test(test_none),          cmocka_unit_test(test_uses),
                cmocka_unit_test(test_destroy),       cmocka_unit_test(test_many),
                cmocka_unit_test(test_many_whole),
        };
        return cmocka_run_group_tests(tests, NULL, NULL);
}
