/* SPDX-License-Identifier: BSD-3-Clause */
/* Where data is, against a model that knows the holders of every byte. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdbool.h>
#include <string.h>

#include "base/random.h"
#include "real/data/where.h"

enum { BYTES = 64, PLACES = 5, BASE = 1000 };

struct byte {
        uint64_t holders;
        int32_t maker;
        bool constant;
};

struct world {
        struct where *where;
        struct byte byte[BYTES];
        int32_t place;
        bool copied[BYTES];
        int32_t ncopy;
};

static void copied(void *context, const struct where_copy *copy)
{
        struct world *w = context;
        assert_true(copy->bytes > 0);
        w->ncopy++;
        for (size_t i = 0; i < copy->bytes; i++) {
                size_t at = copy->begin - BASE + i;
                assert_in_range(at, 0, BYTES - 1);
                assert_false(w->copied[at]);
                assert_false(w->byte[at].holders >> w->place & 1);
                assert_int_equal(copy->source, w->byte[at].maker);
                w->copied[at] = true;
        }
}

/* Copies of a range that `place` lacks, where neighbours from one source are one. */
static int32_t copies_needed(const struct world *w, size_t begin, size_t bytes, int32_t place)
{
        int32_t count = 0, source = -1;
        for (size_t i = begin; i < begin + bytes; i++) {
                bool missing = !(w->byte[i].holders >> place & 1);
                int32_t next = missing ? w->byte[i].maker : -1;
                count += next >= 0 && next != source;
                source = next;
        }
        return count;
}

static void start(struct world *w, int32_t place)
{
        w->place = place;
        w->ncopy = 0;
        memset(w->copied, 0, sizeof(w->copied));
}

static void need(struct world *w, size_t begin, size_t bytes, int32_t place)
{
        start(w, place);
        assert_int_equal(where_need(w->where, BASE + begin, bytes, place, copied, w), 0);
        assert_int_equal(w->ncopy, copies_needed(w, begin, bytes, place));
        for (size_t i = begin; i < begin + bytes; i++) {
                bool missing = !(w->byte[i].holders >> place & 1);
                assert_int_equal(w->copied[i], missing);
                w->byte[i].holders |= UINT64_C(1) << place;
        }
}

static void need_all(struct world *w)
{
        start(w, 0);
        assert_int_equal(where_need_all(w->where, copied, w), 0);
        assert_int_equal(w->ncopy, copies_needed(w, 0, BYTES, 0));
        for (size_t i = 0; i < BYTES; i++) {
                assert_int_equal(w->copied[i], !(w->byte[i].holders & 1));
                w->byte[i].holders |= 1;
        }
}

static void write_range(struct world *w, size_t begin, size_t bytes, int32_t place)
{
        assert_int_equal(where_write(w->where, BASE + begin, bytes, place), 0);
        for (size_t i = begin; i < begin + bytes; i++)
                w->byte[i] = (struct byte){ UINT64_C(1) << place, place, false };
}

static void settle(struct world *w, size_t begin, size_t bytes)
{
        assert_int_equal(where_settle(w->where, BASE + begin, bytes), 0);
        for (size_t i = begin; i < begin + bytes; i++) {
                if (w->byte[i].constant)
                        w->byte[i] = (struct byte){ 1, 0, true };
                w->byte[i].constant = true;
        }
}

/* As at the end of a taskwait. */
static void forget_others(struct world *w)
{
        need_all(w);
        where_forget_others(w->where);
        for (size_t i = 0; i < BYTES; i++)
                if (!w->byte[i].constant)
                        w->byte[i] = (struct byte){ 1, 0, false };
}

static void locate(const struct world *w, size_t begin, size_t bytes)
{
        int64_t found[PLACES] = { 0 }, wanted[PLACES] = { 0 };
        where_locate(w->where, BASE + begin, bytes, found);
        for (size_t i = begin; i < begin + bytes; i++)
                wanted[w->byte[i].maker]++;
        assert_memory_equal(found, wanted, sizeof(found));
}

static bool same(struct byte a, struct byte b)
{
        return a.holders == b.holders && a.maker == b.maker && a.constant == b.constant;
}

/* Pieces are as few as can be: neighbours differ, and what is at home alone has none, unless it is
 * constant. */
static void check_pieces(const struct world *w)
{
        const struct byte home = { 1, 0, false };
        struct byte before = home;
        int64_t count = 0;
        for (size_t i = 0; i < BYTES; i++) {
                count += !same(w->byte[i], home) && !same(w->byte[i], before);
                before = w->byte[i];
        }
        assert_int_equal(where_pieces(w->where), count);
}

static void step(struct world *w, struct lb_random *random)
{
        size_t begin = (size_t)(lb_random_unit(random) * BYTES);
        size_t bytes = (size_t)(lb_random_unit(random) * (double)(BYTES - begin + 1));
        int32_t place = (int32_t)(lb_random_unit(random) * PLACES);
        switch ((int)(lb_random_unit(random) * 10)) {
        case 0:
                need_all(w);
                break;
        case 1:
                assert_int_equal(where_forget(w->where, BASE + begin, bytes), 0);
                for (size_t i = begin; i < begin + bytes; i++)
                        w->byte[i] = (struct byte){ 1, 0, false };
                break;
        case 5:
                settle(w, begin, bytes / 2);
                break;
        case 6:
                if (lb_random_unit(random) < 0.3)
                        forget_others(w);
                break;
        case 2:
        case 3:
        case 4:
                write_range(w, begin, bytes, place);
                break;
        default:
                need(w, begin, bytes, place);
                break;
        }
        locate(w, begin, bytes);
        locate(w, 0, BYTES);
        check_pieces(w);
}

/* Any order of reading, writing, forgetting and bringing home. */
static void test_against_model(void **state)
{
        (void)state;
        struct lb_random random;
        lb_random_init(&random, 12, LB_RANDOM_TEST, 0);
        for (int run = 0; run < 300; run++) {
                struct world w = { .where = where_create(WHERE_PLACE_MAX) };
                for (int i = 0; i < BYTES; i++)
                        w.byte[i] = (struct byte){ 1, 0, false };
                for (int i = 0; i < 80; i++)
                        step(&w, &random);
                assert_int_equal(where_forget(w.where, BASE, BYTES), 0);
                assert_int_equal(where_pieces(w.where), 0);
                where_destroy(w.where);
        }
}

static int32_t ncopy;

static void count(void *context, const struct where_copy *copy)
{
        (void)context;
        (void)copy;
        ncopy++;
}

/* Blocks that one place wrote piece by piece are one piece, and one copy. */
static void test_merges(void **state)
{
        (void)state;
        struct where *where = where_create(WHERE_PLACE_MAX);
        for (uintptr_t i = 0; i < 1000; i++)
                assert_int_equal(where_write(where, 4096 + 64 * (i * 7 % 1000), 64, 2), 0);
        assert_int_equal(where_pieces(where), 1);
        ncopy = 0;
        assert_int_equal(where_need(where, 4096, 64000, 1, count, NULL), 0);
        assert_int_equal(ncopy, 1);
        assert_int_equal(where_need(where, 4096, 64000, 1, count, NULL), 0);
        assert_int_equal(ncopy, 1);
        where_destroy(where);
}

/* The last place that is allowed holds data like any other. */
static void test_last_place(void **state)
{
        (void)state;
        const int32_t last = WHERE_PLACE_MAX - 1;
        struct where *where = where_create(WHERE_PLACE_MAX);
        int64_t bytes_at[WHERE_PLACE_MAX] = { 0 };
        assert_int_equal(where_write(where, 4096, 100, last), 0);
        where_locate(where, 4000, 1000, bytes_at);
        assert_int_equal(bytes_at[0], 900);
        assert_int_equal(bytes_at[last], 100);
        ncopy = 0;
        assert_int_equal(where_need(where, 4096, 100, last, count, NULL), 0);
        assert_int_equal(ncopy, 0);
        assert_int_equal(where_need_all(where, count, NULL), 0);
        assert_int_equal(ncopy, 1);
        where_destroy(where);
        where_destroy(NULL);
}

/* A hundred thousand blocks, each at another place than its neighbours; what home alone reads and
 * writes costs no memory. */
static void test_many(void **state)
{
        (void)state;
        enum { MANY = 100000 };
        struct where *where = where_create(WHERE_PLACE_MAX);
        for (uintptr_t i = 0; i < MANY; i++)
                assert_int_equal(where_write(where, 64 * (i * 7 % MANY), 64, (int32_t)i % 4), 0);
        assert_int_equal(where_pieces(where), MANY / 4 * 3);
        ncopy = 0;
        assert_int_equal(where_need_all(where, count, NULL), 0);
        assert_int_equal(ncopy, MANY / 4 * 3);
        for (uintptr_t i = 0; i < MANY; i++)
                assert_int_equal(where_write(where, 64 * (i * 3 % MANY), 64, 0), 0);
        assert_int_equal(where_pieces(where), 0);
        assert_int_equal(where_need(where, 0, (size_t)64 * MANY, 0, count, NULL), 0);
        assert_int_equal(where_pieces(where), 0);
        where_destroy(where);
}

int main(void)
{
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(test_against_model),
                cmocka_unit_test(test_merges),
                cmocka_unit_test(test_last_place),
                cmocka_unit_test(test_many),
        };
        return cmocka_run_group_tests(tests, NULL, NULL);
}
