/* SPDX-License-Identifier: BSD-3-Clause */
/* The event queue against a plain search, over random events, replacements and moves of the epoch.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/random.h"
#include "sim/engine/queue.h"

enum { NSLOT = 100 };

/* The earliest event, the lowest slot among equals; -1 where none is pending. */
static int32_t earliest(const int64_t *time)
{
        int32_t best = -1;
        for (int32_t i = 0; i < NSLOT; i++)
                if (time[i] >= 0 && (best < 0 || time[i] < time[best]))
                        best = i;
        return best;
}

/* Of a queue of `nslot` slots, all events in NSLOT of them, as far from each other as they can be.
 */
static void check_order(int32_t nslot, int rebase_every)
{
        int32_t apart = nslot / NSLOT;
        struct queue queue;
        struct lb_error err;
        struct lb_random random;
        int64_t time[NSLOT], now = 0;
        lb_random_init(&random, 11, LB_RANDOM_TEST, 4);
        assert_int_equal(queue_init(&queue, nslot, &err), 0);
        for (int32_t i = 0; i < NSLOT; i++)
                time[i] = -1;
        assert_true(queue_top(&queue) == QUEUE_IDLE);
        for (int step = 0; step < 100000; step++) {
                int32_t slot = (int32_t)lb_random_below(&random, NSLOT);
                if (lb_random_below(&random, 5) == 0) {
                        time[slot] = -1;
                        queue_clear(&queue, slot * apart);
                } else {
                        bool had_one = time[slot] >= 0;
                        time[slot] = now + (int64_t)lb_random_below(&random, 7); /* many ties */
                        (had_one ? queue_set : queue_add)(&queue, slot * apart, time[slot]);
                }
                int32_t best = earliest(time);
                if (best < 0) {
                        assert_true(queue_top(&queue) == QUEUE_IDLE);
                        continue;
                }
                assert_int_equal(queue_slot(&queue, queue_top(&queue)), best * apart);
                assert_int_equal(queue_time(&queue, queue_top(&queue)), time[best]);
                now = time[best];
                if (step % rebase_every == 0)
                        queue_rebase(&queue, now);
        }
        queue_finish(&queue);
}

static void the_order_is_time_then_slot(void **unused)
{
        (void)unused;
        check_order(NSLOT, 1000);
        check_order((1 << QUEUE_SLOT_BITS) + 1, 25000);
        check_order(1 << QUEUE_SLOT_BITS_MOST, 50000);
}

/* While an event is handled it is still in the queue, before all others, and new ones are added;
 * then it is set anew, also after it has been added as if it had none, or taken out. */
static void events_are_added_beside_the_present_one(void **unused)
{
        (void)unused;
        struct queue queue;
        struct lb_error err;
        struct lb_random random;
        int64_t time[NSLOT];
        lb_random_init(&random, 12, LB_RANDOM_TEST, 4);
        assert_int_equal(queue_init(&queue, NSLOT, &err), 0);
        for (int32_t i = 0; i < NSLOT; i++)
                time[i] = -1;
        time[7] = 0;
        queue_add(&queue, 7, 0);
        for (int step = 0; step < 20000; step++) {
                int32_t present = earliest(time);
                int64_t now = time[present];
                assert_int_equal(queue_slot(&queue, queue_top(&queue)), present);
                assert_int_equal(queue_time(&queue, queue_top(&queue)), now);
                for (int more = (int)lb_random_below(&random, 4); more > 0; more--) {
                        int32_t slot = (int32_t)lb_random_below(&random, NSLOT);
                        if (slot != present && time[slot] >= 0)
                                continue;
                        time[slot] = now + 1 + (int64_t)lb_random_below(&random, 1000);
                        queue_add(&queue, slot, time[slot]);
                }
                if (time[present] == now && lb_random_below(&random, 3) == 0)
                        time[present] = now + 1 + (int64_t)lb_random_below(&random, 1000);
                if (time[present] == now)
                        queue_clear(&queue, present);
                else
                        queue_set(&queue, present, time[present]);
                if (time[present] == now)
                        time[present] = -1;
                if (earliest(time) >= 0)
                        continue;
                time[7] = now;
                queue_add(&queue, 7, now);
        }
        queue_finish(&queue);
}

/* Events that are added, many of them soon and some at the same time, while the next ones have been
 * taken out; they are put back, and the epoch moves, now and then. */
static void the_next_events_are_known_ahead(void **unused)
{
        (void)unused;
        struct queue queue;
        struct lb_error err;
        struct lb_random random;
        int64_t time[NSLOT], now = 0;
        int32_t most = 0;
        lb_random_init(&random, 13, LB_RANDOM_TEST, 4);
        assert_int_equal(queue_init(&queue, NSLOT, &err), 0);
        for (int32_t i = 0; i < NSLOT; i++)
                time[i] = -1;
        for (int step = 0; step < 50000; step++) {
                uint32_t some = lb_random_below(&random, 100) == 0 ? NSLOT : 3;
                for (int more = (int)lb_random_below(&random, some); more > 0; more--) {
                        int32_t slot = (int32_t)lb_random_below(&random, NSLOT);
                        if (time[slot] >= 0)
                                continue;
                        time[slot] =
                            now + (int64_t)lb_random_below(&random, more % 2 == 1 ? 3 : 1000);
                        (more % 3 ? queue_add : queue_set)(&queue, slot, time[slot]);
                }
                queue_look_ahead(&queue);
                int32_t count = (int32_t)(queue.soon_end - queue.soon_first);
                most = count > most ? count : most;
                assert_true(count < QUEUE_SOON_ROOM);
                int32_t best = earliest(time);
                if (best < 0) {
                        assert_true(queue_next(&queue) == QUEUE_IDLE);
                        continue;
                }
                assert_int_equal(queue_slot(&queue, queue_next(&queue)), best);
                assert_int_equal(queue_time(&queue, queue_next(&queue)), time[best]);
                assert_int_equal(queue_soon_slot(&queue, 0), best);
                now = time[best];
                time[best] = -1;
                queue_take(&queue);
                queue_clear(&queue, best);
                if (step % 100 == 0)
                        queue_rebase(&queue, now);
                if (step % 77 == 0)
                        queue_soon_back(&queue);
        }
        assert_int_equal(most, QUEUE_SOON_ROOM - 1);
        queue_finish(&queue);
}

/* More slots see less far, down to 9 minutes. */
static void the_span_is_seen(void **unused)
{
        (void)unused;
        struct queue queue;
        struct lb_error err;
        for (int32_t nslot = 1 << QUEUE_SLOT_BITS; nslot <= 1 << QUEUE_SLOT_BITS_MOST;
             nslot *= 16) {
                assert_int_equal(queue_init(&queue, nslot, &err), 0);
                int64_t span_ns = queue_span_ns(&queue);
                assert_true(span_ns > (int64_t)500 * 1000000000);
                queue_rebase(&queue, 5 * span_ns);
                queue_set(&queue, nslot - 1, 5 * span_ns + span_ns / 2 + span_ns - 1);
                assert_int_equal(queue_slot(&queue, queue_top(&queue)), nslot - 1);
                assert_true(queue_time(&queue, queue_top(&queue)) ==
                            5 * span_ns + span_ns / 2 + span_ns - 1);
                queue_finish(&queue);
        }
}

/* The slots of a match are neighbours; the first event among them wins. The last match but one is
 * between a quarter or half of all slots, each before it between a quarter of those. */
static void matches_have_winners(void **unused)
{
        (void)unused;
        struct lb_random random;
        struct lb_error err;
        lb_random_init(&random, 11, LB_RANDOM_TEST, 5);
        for (int32_t nslot = 64; nslot <= 128; nslot *= 2) {
                struct queue queue;
                assert_int_equal(queue_init(&queue, nslot, &err), 0);
                int64_t time[128];
                for (int32_t i = 0; i < nslot; i++) {
                        time[i] = (int64_t)lb_random_below(&random, 50);
                        queue_set(&queue, i, time[i]);
                }
                for (int32_t before = 0; before < 5; before++) {
                        int32_t match = queue_match(&queue, before), size = 1 << match;
                        int32_t last = nslot / (nslot == 64 ? 4 : 2) >> 2 * before;
                        assert_int_equal(size, last > 1 ? last : 1);
                        for (int32_t i = 0; i < nslot; i++) {
                                int32_t best = i / size * size;
                                for (int32_t j = best; j < (i / size + 1) * size; j++)
                                        best = time[j] < time[best] ? j : best;
                                assert_int_equal(queue_winner(&queue, i, match), best);
                        }
                }
                queue_finish(&queue);
        }
}

static void too_many_slots_are_refused(void **unused)
{
        (void)unused;
        struct queue queue;
        struct lb_error err;
        assert_int_equal(queue_init(&queue, (1 << QUEUE_SLOT_BITS_MOST) + 1, &err), -1);
        assert_int_equal(err.kind, LB_ERROR_INPUT);
}

int main(void)
{
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(the_order_is_time_then_slot),
                cmocka_unit_test(events_are_added_beside_the_present_one),
                cmocka_unit_test(the_next_events_are_known_ahead),
                cmocka_unit_test(the_span_is_seen),
                cmocka_unit_test(matches_have_winners),
                cmocka_unit_test(too_many_slots_are_refused),
        };
        return cmocka_run_group_tests(tests, NULL, NULL);
}
