/* SPDX-License-Identifier: BSD-3-Clause */
#include <math.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "real/measure/loop.h"

/*
 * Calls of a rank as letters, large ones where all ranks meet; before each there is a load of 1.
 * What is found: the call with which an iteration begins, the iterations by number, the largest of
 * them.
 */
static const struct {
        const char *calls;
        char mark;
        int64_t first, count;
        double largest;
} found[] = {
        { "abcabcabcabcabc", 'a', 0, 4, 3 },
        { "xyzabcabcabcabcabc", 'a', 0, 4, 3 },             /* what is before does not matter */
        { "abCabCabCabCabC", 'C', 0, 4, 3 },                /* all meet: that is the mark */
        { "iabDaCabDaCabDaCabDaC", 'C', 0, 3, 5 },          /* the least of two */
        { "xCabCabCabCabCabC", 'C', 0, 5, 3 },              /* one more, and it counts */
        { "abCabCabCabCabxxCabCabCabCabC", 'C', 0, 8, 5 },  /* now and then there is a call more */
        { "dddddEdddddEdddddEdddddEdddddE", 'E', 0, 4, 6 }, /* around the loop inside */
        { "ddddabCabCabCabCdabCabCabCabCdabCabCabCabCd", 'C', 0, 11, 4 }, /* no loop is around it */
        { "abacadaeafagahaiaj", 0, 0, 0, 0 },
        { "abCabC", 0, 0, 0, 0 },
};

static struct loop_record *feed(const char *letters, int restart_at)
{
        struct loop_record *record = calloc(LOOP_RECORDS, sizeof(*record));
        struct loop_finder *finder = loop_create(LOOP_ROOM);
        int64_t seen[256] = { 0 };
        assert_non_null(record);
        assert_non_null(finder);
        struct alike regions = { 0 };
        for (int i = 0; letters[i]; i++) {
                if (i % 3 == 0) {
                        alike_add(&regions, 1, 3 * (1 + i / 6));
                        alike_add(&regions, 1, 1 + i / 6);
                }
                unsigned char letter = (unsigned char)letters[i];
                loop_feed(finder, record,
                          &(struct loop_call){ .value = letter,
                                               .synchronises = letter < 'a',
                                               .occurrence = seen[letter]++,
                                               .wall_ns = 1000 * (i + 1),
                                               .load_ns = i + 1,
                                               .parallel = regions });
                if (i == restart_at)
                        loop_restart(record);
        }
        loop_destroy(finder);
        return record;
}

static double largest(const struct loop_record *loop)
{
        double most = 0;
        for (int64_t i = 0; i < loop->series.count; i++)
                most = loop->load_ns[i] > most ? loop->load_ns[i] : most;
        return most;
}

static const struct loop_record *best_of(const struct loop_record *record)
{
        const struct loop_record *best[LOOP_RECORDS];
        return loop_order(record, best) > 0 ? best[0] : NULL;
}

static void test_found(void **state)
{
        (void)state;
        for (size_t i = 0; i < sizeof(found) / sizeof(found[0]); i++) {
                struct loop_record *record = feed(found[i].calls, -1);
                const struct loop_record *loop = best_of(record);
                if ((loop ? loop->mark : 0) != (unsigned char)found[i].mark)
                        fail_msg("%s: mark %c", found[i].calls, loop ? (char)loop->mark : '-');
                if (loop) {
                        assert_int_equal(loop->series.first, found[i].first);
                        assert_int_equal(loop->series.count, found[i].count);
                        assert_true(largest(loop) == found[i].largest);
                }
                free(record);
        }
}

/* Numbers of iterations go on where measuring begins late; loads do not. */
static void test_restart(void **state)
{
        (void)state;
        struct loop_record *record = feed("abCabCabCabCabCabCabCabCabC", 13);
        const struct loop_record *loop = best_of(record);
        assert_non_null(loop);
        assert_int_equal(loop->marks, 5);
        assert_int_equal(loop->series.first, 4);
        assert_int_equal(loop->series.count, 4);
        assert_true(largest(loop) == 3);
        free(record);
}

/* Regions are counted from its first mark to its last, each iteration by itself: one of 3 and one
 * of 1, which are 1.6 alike, though they last longer in one iteration than in another. */
static void test_regions(void **state)
{
        (void)state;
        static const int restarts[] = { -1, 13 };
        for (int i = 0; i < 2; i++) {
                struct loop_record *record = feed("abCabCabCabCabCabCabCabCabC", restarts[i]);
                const struct loop_record *loop = best_of(record);
                assert_non_null(loop);
                assert_true(fabs(loop->regions - 1.6 * (double)(loop->marks - 1)) < 1e-9);
                free(record);
        }
}

/* A long run needs no more memory, and all its load is there. */
static void test_long(void **state)
{
        (void)state;
        enum { STEPS = 3 * LOOP_ROOM };
        char *calls = malloc(3 * STEPS + 1);
        assert_non_null(calls);
        for (int i = 0; i < STEPS; i++)
                memcpy(calls + 3 * i, "abC", 3);
        calls[3 * STEPS] = '\0';
        struct loop_record *record = feed(calls, -1);
        const struct loop_record *loop = best_of(record);
        double sum = 0;
        assert_non_null(loop);
        assert_true(loop->series.count <= LOOP_ROOM && loop->series.shift == 2);
        for (int64_t i = 0; i < loop->series.count; i++)
                sum += loop->load_ns[i];
        assert_true(sum == 3.0 * (STEPS - 1));
        free(record);
        free(calls);
}

static void *feed_a_loop(void *record)
{
        *(struct loop_record **)record = feed("abCabCabCabCabC", -1);
        return NULL;
}

/* The caller may be a thread or a coroutine of a runtime with little stack. */
static void test_small_stack(void **state)
{
        (void)state;
        enum { STACK = 65536 };
        struct loop_record *record = NULL;
        pthread_attr_t attributes;
        pthread_t thread;
        assert_int_equal(pthread_attr_init(&attributes), 0);
        assert_int_equal(pthread_attr_setstacksize(&attributes, STACK), 0);
        assert_int_equal(pthread_create(&thread, &attributes, feed_a_loop, &record), 0);
        assert_int_equal(pthread_join(thread, NULL), 0);
        assert_int_equal(pthread_attr_destroy(&attributes), 0);
        assert_non_null(best_of(record));
        free(record);
}

int main(void)
{
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(test_found),       cmocka_unit_test(test_restart),
                cmocka_unit_test(test_regions),     cmocka_unit_test(test_long),
                cmocka_unit_test(test_small_stack),
        };
        return cmocka_run_group_tests(tests, NULL, NULL);
}
