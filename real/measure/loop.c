/* SPDX-License-Identifier: BSD-3-Clause */
#include "real/measure/loop.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "policies/dpd.h"

enum { HISTORY = LOOP_WINDOW * (LOOP_CONFIRM + 1) };

/* Of so much time the detector gets the first calls only, where there are very many: it costs more
 * than all else. They are enough for the longest period that it knows. Marks are counted at each
 * call. */
enum { BURST_CALLS = 1024 };
static const int64_t BURST_NS = 200000000;
static_assert((int)BURST_CALLS > (int)HISTORY, "a burst is long enough to find any loop");

struct loop_finder {
        struct dpd *dpd;
        int64_t burst_ns, fed; /* when the burst began, calls since */
        int64_t calls, room;
        struct loop_call history[HISTORY];
};

struct loop_finder *loop_create(int64_t room)
{
        struct loop_finder *finder = calloc(1, sizeof(*finder));
        if (!finder)
                return NULL;
        finder->dpd = malloc(dpd_size(LOOP_WINDOW));
        if (!finder->dpd) {
                free(finder);
                return NULL;
        }
        dpd_init(finder->dpd, LOOP_WINDOW, LOOP_CONFIRM);
        finder->room = room;
        return finder;
}

void loop_destroy(struct loop_finder *finder)
{
        if (finder)
                free(finder->dpd);
        free(finder);
}

/* The call that was so many before the newest. */
static const struct loop_call *past(const struct loop_finder *finder, int64_t back)
{
        return &finder->history[(finder->calls - 1 - back) % HISTORY];
}

static void mark(struct loop_record *record, const struct loop_call *call)
{
        if (call->value != record->mark || call->occurrence % record->every != 0)
                return;
        if (record->marks++ == 0) {
                record->start_ns = call->wall_ns;
                record->start_load_ns = call->load_ns;
        } else {
                int64_t number = call->occurrence / record->every - 1;
                meter_series_add(&record->series, record->load_ns, number,
                                 call->load_ns - record->last_load_ns);
                meter_series_add(&record->times, record->time_ns, number,
                                 (double)(call->wall_ns - record->end_ns));
                record->regions += alike_since(&record->last_parallel, &call->parallel);
        }
        record->last_load_ns = call->load_ns;
        record->last_parallel = call->parallel;
        record->end_ns = call->wall_ns;
}

static int32_t count(const struct loop_finder *finder, uint32_t value, int32_t period)
{
        int32_t times = 0;
        for (int32_t back = 0; back < period; back++)
                times += past(finder, back)->value == value;
        return times;
}

/* Of a record, so that none has to be on the program's stack, which may be a small one. */
struct choice {
        uint32_t mark;
        int32_t every, synchronises;
};

/* Does `call`, made so many times in a period, make the better mark? */
static bool is_better(const struct loop_call *call, int32_t times, const struct choice *than)
{
        if (than->mark == 0 || call->synchronises != than->synchronises)
                return than->mark == 0 || call->synchronises;
        return times != than->every ? times < than->every : call->value < than->mark;
}

static struct choice choose_mark(const struct loop_finder *finder, int32_t period)
{
        struct choice best = { 0 };
        for (int32_t back = 0; back < period; back++) {
                const struct loop_call *call = past(finder, back);
                int32_t times = call->value == best.mark ? 0 : count(finder, call->value, period);
                if (times == 0 || !is_better(call, times, &best))
                        continue;
                best = (struct choice){ call->value, times, call->synchronises };
        }
        return best;
}

/* The one that lasts least goes. */
static struct loop_record *make_room(struct loop_record *record)
{
        struct loop_record *least = record;
        for (int i = 0; i < LOOP_RECORDS; i++) {
                if (record[i].mark == 0)
                        return &record[i];
                if (record[i].end_ns - record[i].start_ns < least->end_ns - least->start_ns)
                        least = &record[i];
        }
        return least;
}

static void start(const struct loop_finder *finder, struct loop_record *record)
{
        int32_t period = dpd_period(finder->dpd);
        struct choice fresh = choose_mark(finder, period);
        for (int i = 0; i < LOOP_RECORDS; i++)
                if (record[i].mark == fresh.mark && record[i].every == fresh.every)
                        return; /* a loop that was interrupted, and has gone on counting */
        struct loop_record *own = make_room(record);
        memset(own, 0, sizeof(*own));
        own->mark = fresh.mark;
        own->every = fresh.every;
        own->synchronises = fresh.synchronises;
        own->period = period;
        own->series.room = finder->room;
        own->times.room = LOOP_TIMES;
        for (int64_t back = (int64_t)period * (LOOP_CONFIRM + 1) - 1; back >= 0; back--)
                if (back < finder->calls)
                        mark(own, past(finder, back));
}

/* Is this call for the detector? After a gap it begins anew. */
static bool is_fed(struct loop_finder *finder, int64_t wall_ns)
{
        if (wall_ns - finder->burst_ns >= BURST_NS) {
                if (finder->fed > BURST_CALLS) {
                        dpd_init(finder->dpd, LOOP_WINDOW, LOOP_CONFIRM);
                        finder->calls = 0;
                }
                finder->burst_ns = wall_ns;
                finder->fed = 0;
        }
        return ++finder->fed <= BURST_CALLS;
}

void loop_feed(struct loop_finder *finder, struct loop_record *record, const struct loop_call *call)
{
        for (int i = 0; i < LOOP_RECORDS; i++)
                if (record[i].mark != 0)
                        mark(&record[i], call);
        if (!is_fed(finder, call->wall_ns))
                return;
        finder->history[finder->calls++ % HISTORY] = *call;
        if (dpd_feed(finder->dpd, call->value) == DPD_STARTED)
                start(finder, record);
}

void loop_restart(struct loop_record *record)
{
        for (int i = 0; i < LOOP_RECORDS; i++) {
                memset(record[i].load_ns, 0, sizeof(record[i].load_ns));
                memset(record[i].time_ns, 0, sizeof(record[i].time_ns));
                record[i].series = (struct meter_series){ .room = record[i].series.room };
                record[i].times = (struct meter_series){ .room = record[i].times.room };
                record[i].marks = record[i].start_ns = record[i].end_ns = 0;
                record[i].regions = 0;
        }
}
