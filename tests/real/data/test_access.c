/* SPDX-License-Identifier: BSD-3-Clause */
/* Order among tasks, against a model that knows the last writer and the readers of every byte. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "base/random.h"
#include "real/data/access.h"

enum { BYTES = 48, TASKS = 60, ACCESSES = 4 };

struct model_task {
        struct access access[ACCESSES];
        int32_t naccess;
        bool before[TASKS]; /* must finish first */
        bool ready, finished;
        struct access_task *task;
};

struct world {
        struct access_domain *domain;
        struct model_task task[TASKS];
        int32_t ntask;
};

/* A model task must wait for earlier ones that write what it accesses or access what it writes. */
static bool conflict(const struct model_task *a, const struct model_task *b)
{
        for (int32_t i = 0; i < a->naccess; i++)
                for (int32_t j = 0; j < b->naccess; j++) {
                        const struct access *x = &a->access[i], *y = &b->access[j];
                        bool overlap =
                            x->begin < y->begin + y->bytes && y->begin < x->begin + x->bytes;
                        if (overlap && ((x->mode | y->mode) & ACCESS_OUT))
                                return true;
                }
        return false;
}

static void draw_task(struct lb_random *random, struct model_task *t)
{
        t->naccess = 1 + (int32_t)(lb_random_unit(random) * ACCESSES);
        for (int32_t i = 0; i < t->naccess; i++) {
                uintptr_t begin = (uintptr_t)(lb_random_unit(random) * BYTES);
                size_t most = BYTES - begin;
                t->access[i] =
                    (struct access){ 4096 + begin,
                                     1 + (size_t)(lb_random_unit(random) * (double)most * 0.4),
                                     (enum access_mode)(1 + (int)(lb_random_unit(random) * 3)) };
        }
}

/* May it run: nothing unfinished that it conflicts with came before it? */
static bool may_run(const struct world *w, int32_t i)
{
        for (int32_t j = 0; j < i; j++)
                if (!w->task[j].finished && conflict(&w->task[j], &w->task[i]))
                        return false;
        return true;
}

static void add(struct world *w, struct lb_random *random)
{
        struct model_task *t = &w->task[w->ntask];
        bool blocked;
        memset(t, 0, sizeof(*t));
        draw_task(random, t);
        t->task = access_add(w->domain, t->naccess, t->access, t, &blocked);
        assert_non_null(t->task);
        t->ready = !blocked;
        assert_int_equal(t->ready, may_run(w, w->ntask));
        w->ntask++;
}

static void released(void *context, void *user)
{
        (void)context;
        struct model_task *t = user;
        assert_false(t->ready);
        t->ready = true;
}

static void finish_one(struct world *w, struct lb_random *random)
{
        int32_t ready[TASKS], count = 0;
        for (int32_t i = 0; i < w->ntask; i++)
                if (w->task[i].ready && !w->task[i].finished)
                        ready[count++] = i;
        assert_true(count > 0);
        int32_t i = ready[(int32_t)(lb_random_unit(random) * count)];
        w->task[i].finished = true;
        access_finish(w->domain, w->task[i].task, released, NULL);
        for (int32_t j = 0; j < w->ntask; j++)
                assert_int_equal(w->task[j].ready, w->task[j].finished || may_run(w, j));
}

/* Whatever ranges overlap and whoever finishes first: ready is exactly who conflicts with nobody.
 */
static void test_against_model(void **state)
{
        (void)state;
        static struct world w;
        struct lb_random random;
        lb_random_init(&random, 11, LB_RANDOM_TEST, 0);
        for (int run = 0; run < 400; run++) {
                w.domain = access_domain_create();
                w.ntask = 0;
                while (w.ntask < TASKS) {
                        add(&w, &random);
                        while (access_unfinished(w.domain) > 0 && lb_random_unit(&random) < 0.45)
                                finish_one(&w, &random);
                }
                while (access_unfinished(w.domain) > 0)
                        finish_one(&w, &random);
                assert_int_equal(access_pieces(w.domain), 0);
                access_domain_destroy(w.domain);
        }
}

static int32_t order[3], norder;

static void note(void *context, void *user)
{
        (void)context;
        order[norder++] = *(int32_t *)user;
}

/* Readers of one range do not wait for each other, and are released in the order they came. */
static void test_readers(void **state)
{
        (void)state;
        static int32_t number[] = { 0, 1, 2, 3 };
        struct access_domain *domain = access_domain_create();
        struct access out = { 100, 10, ACCESS_OUT }, in = { 95, 10, ACCESS_IN };
        struct access_task *task[4];
        bool blocked;
        task[0] = access_add(domain, 1, &out, &number[0], &blocked);
        assert_false(blocked);
        for (int i = 1; i < 4; i++) {
                task[i] = access_add(domain, 1, &in, &number[i], &blocked);
                assert_true(blocked);
        }
        norder = 0;
        access_finish(domain, task[0], note, NULL);
        assert_int_equal(norder, 3);
        for (int i = 0; i < 3; i++)
                assert_int_equal(order[i], i + 1);
        for (int i = 1; i < 4; i++)
                access_finish(domain, task[i], note, NULL);
        assert_int_equal(access_pieces(domain), 0);
        access_domain_destroy(domain);
}

/* Tasks without accesses are free; an empty range orders nothing. */
static void test_none(void **state)
{
        (void)state;
        struct access_domain *domain = access_domain_create();
        struct access empty = { 100, 0, ACCESS_INOUT };
        bool blocked = true;
        struct access_task *a = access_add(domain, 0, NULL, NULL, &blocked);
        assert_false(blocked);
        struct access_task *b = access_add(domain, 1, &empty, NULL, &blocked);
        struct access_task *c = access_add(domain, 1, &empty, NULL, &blocked);
        assert_false(blocked);
        assert_int_equal(access_unfinished(domain), 3);
        access_finish(domain, b, note, NULL);
        access_finish(domain, a, note, NULL);
        access_finish(domain, c, note, NULL);
        assert_int_equal(access_unfinished(domain), 0);
        access_domain_destroy(domain);
}

/* A hundred thousand tasks on own ranges, all at once; then each finishes. */
static void test_many(void **state)
{
        (void)state;
        enum { MANY = 100000 };
        struct access_task **task = calloc(MANY, sizeof(struct access_task *));
        struct access_domain *domain = access_domain_create();
        struct access all = { 0, (size_t)MANY * 8, ACCESS_IN };
        bool blocked;
        for (uintptr_t i = 0; i < MANY; i++) {
                struct access access[] = { { 1 << 30, 64, ACCESS_IN }, { i * 8, 8, ACCESS_INOUT } };
                task[i] = access_add(domain, 2, access, NULL, &blocked);
                assert_false(blocked);
        }
        assert_int_equal(access_pieces(domain), MANY + 1);
        static int32_t number = 7;
        struct access_task *last = access_add(domain, 1, &all, &number, &blocked);
        assert_true(blocked);
        norder = 0;
        for (uintptr_t i = 0; i < MANY; i++)
                access_finish(domain, task[i], note, NULL);
        assert_int_equal(norder, 1);
        access_finish(domain, last, note, NULL);
        assert_int_equal(access_pieces(domain), 0);
        access_domain_destroy(domain);
        free(task);
}

int main(void)
{
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(test_against_model),
                cmocka_unit_test(test_readers),
                cmocka_unit_test(test_none),
                cmocka_unit_test(test_many),
        };
        return cmocka_run_group_tests(tests, NULL, NULL);
}
