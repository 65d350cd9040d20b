/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What each core does for this worker, and what it owns, over time: kept while the job runs, put
 * together at its end by apprank 0 for --trace. Where memory would grow without end the rest is
 * left out.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "policies/host/observe.h"
#include "real/node/estate.h"
#include "real/runtime/process.h"

enum { RECORDS_MAX = 1 << 22 };

struct timeline {
        struct tally_record *record; /* on CLOCK_MONOTONIC, where lbrun can read them */
        int32_t nrecord, room;
        int8_t *state;          /* [ncore] as last recorded */
        int64_t busy_ns, at_ns; /* as published at the last poll; at_ns 0: none yet */
        bool full;
};

void timeline_start(struct process *p)
{
        if (!p->job->trace[0])
                return;
        p->timeline = calloc(1, sizeof(*p->timeline));
        if (p->timeline)
                p->timeline->state = calloc((size_t)p->ncore, sizeof(*p->timeline->state));
        if (!p->timeline || !p->timeline->state)
                fail("lbrun_start", "out of memory for the trace");
}

void timeline_stop(struct process *p)
{
        if (!p->timeline)
                return;
        estate_free(ESTATE_RECORDS, p->timeline->record);
        free(p->timeline->state);
        free(p->timeline);
        p->timeline = NULL;
}

static void add(struct process *p, int64_t time_ns, int32_t core, int32_t number)
{
        struct timeline *t = p->timeline;
        if (t->nrecord == t->room) {
                int32_t room = t->room ? 2 * t->room : 1024;
                struct tally_record *grown = room <= RECORDS_MAX
                                                 ? estate_realloc(ESTATE_RECORDS, t->record,
                                                                  (size_t)t->room * sizeof(*grown),
                                                                  (size_t)room * sizeof(*grown))
                                                 : NULL;
                if (!grown) {
                        t->full = true;
                        atomic_store(&estate_own()->is_full, 1);
                        return;
                }
                t->record = grown;
                t->room = room;
        }
        t->record[t->nrecord++] =
            (struct tally_record){ time_ns, p->worker, (int16_t)core, (int16_t)number };
        atomic_store_explicit(&estate_own()->bytes[ESTATE_RECORDS],
                              (int64_t)t->nrecord * (int64_t)sizeof(*t->record),
                              memory_order_release);
}

static void set_state(struct process *p, int64_t time_ns, int32_t core, enum observed_state state)
{
        struct timeline *t = p->timeline;
        if (t->full || t->state[core] == (int8_t)state)
                return;
        t->state[core] = (int8_t)state;
        add(p, time_ns, core, (int32_t)state);
}

void timeline_busy(struct process *p, int32_t core, bool is_main)
{
        if (p->timeline && core >= 0)
                set_state(p, now_ns(), core, is_main ? OBSERVED_MAIN : OBSERVED_TASK);
}

void timeline_free(struct process *p, int32_t core, int64_t time_ns)
{
        if (!p->timeline || core < 0)
                return;
        bool own = p->cores_type->owner(p->cores, core) == p->local;
        bool usable = p->cores_type->usable(p->cores, core);
        set_state(p, time_ns, core, usable ? OBSERVED_IDLE : own ? OBSERVED_LENT : OBSERVED_ABSENT);
}

/* Busy cores since the last poll, as the policies measure them. */
static int32_t mean_busy(struct process *p)
{
        struct timeline *t = p->timeline;
        int64_t busy_ns = p->self->busy_ns, at_ns = p->self->at_ns;
        int64_t time_ns = t->at_ns ? at_ns - t->at_ns : 0;
        double mean =
            time_ns > 0 ? (double)(busy_ns - t->busy_ns) / (double)time_ns : (double)p->running;
        t->busy_ns = busy_ns;
        t->at_ns = at_ns;
        return mean > 0 ? (int32_t)(mean + 0.5) : 0;
}

void timeline_poll(struct process *p)
{
        struct timeline *t = p->timeline;
        if (!t || t->full)
                return;
        int64_t now = now_ns();
        for (int32_t c = 0; c < p->ncore; c++)
                if (t->state[c] != OBSERVED_TASK && t->state[c] != OBSERVED_MAIN)
                        timeline_free(p, c, now);
        add(p, now, -1 - OBSERVED_OWNED_CORES, p->self->owned);
        add(p, now, -1 - OBSERVED_BORROWED_CORES, p->self->borrowed);
        add(p, now, -1 - OBSERVED_BUSY_CORES, mean_busy(p));
        if (!p->home)
                return;
        int64_t offloaded = 0;
        for (int32_t place = 1; place < p->nplace; place++)
                offloaded += p->tasks[place];
        add(p, now, -1 - OBSERVED_HELD_TASKS, p->nheld < INT16_MAX ? (int32_t)p->nheld : INT16_MAX);
        add(p, now, -1 - OBSERVED_OFFLOADED_TASKS,
            offloaded < INT16_MAX ? (int32_t)offloaded : INT16_MAX);
}

void timeline_iteration(struct process *p)
{
        int32_t next = account_now(p);
        if (p->timeline && p->worker == 0 && !p->timeline->full)
                add(p, now_ns(), -1 - OBSERVED_ITERATION, next < INT16_MAX ? next : INT16_MAX);
}

/* ---- Putting together ---- */

static void merge(const struct process *p, struct tally_record *record, int64_t count,
                  const struct timeline_end *end)
{
        struct lb_error err;
        if (end->full)
                fprintf(stderr,
                        "lbrun: the trace holds the first %d changes of each rank at most\n",
                        RECORDS_MAX);
        if (tally_trace(p->job, record, count, end->until_ns, &err) < 0)
                fail_later("lbrun_stop", "%s", err.text);
}

void *timeline_records(const struct process *p, size_t *bytes, struct timeline_end *end)
{
        const struct timeline *t = p->timeline;
        struct tally_record *copy = calloc((size_t)t->nrecord + 1, sizeof(*copy));
        *bytes = (size_t)t->nrecord * sizeof(*copy);
        for (int32_t i = 0; copy && i < t->nrecord; i++) {
                copy[i] = t->record[i];
                int64_t time = copy[i].time_ns - p->start_ns;
                copy[i].time_ns = time > 0 ? time : 0;
        }
        end->full = t->full;
        end->until_ns = t->full && copy ? copy[t->nrecord - 1].time_ns : now_ns() - p->start_ns;
        return copy;
}

void timeline_write(const struct process *p, void *records, size_t bytes,
                    const struct timeline_end *end)
{
        merge(p, records, (int64_t)(bytes / sizeof(struct tally_record)), end);
}

void timeline_report(struct process *p)
{
        if (!p->timeline)
                return;
        int nrank = p->job->nworker, root = p->job->worker_rank[0];
        size_t size;
        struct timeline_end end;
        struct tally_record *own = timeline_records(p, &size, &end);
        int mine = (int)size;
        int64_t until_ns = end.full ? end.until_ns : INT64_MAX; /* all have stopped */
        int *bytes = calloc((size_t)nrank, sizeof(*bytes));
        int *first = calloc((size_t)nrank + 1, sizeof(*first));
        if (!bytes || !first || !own)
                fail("lbrun_stop", "out of memory for the trace");
        MPI_Gather(&mine, 1, MPI_INT, bytes, 1, MPI_INT, root, p->all);
        MPI_Allreduce(&until_ns, &end.until_ns, 1, MPI_INT64_T, MPI_MIN, p->all);
        end.full = end.until_ns < INT64_MAX;
        for (int i = 0; i < nrank; i++) {
                if (bytes[i] > INT32_MAX - first[i])
                        fail("lbrun_stop",
                             "a trace of %d ranks is too large to put together; trace "
                             "a shorter run",
                             nrank);
                first[i + 1] = first[i] + bytes[i];
        }
        struct tally_record *record = malloc((size_t)first[nrank] + 1);
        if (!record)
                fail("lbrun_stop", "out of memory for the trace");
        MPI_Gatherv(own, mine, MPI_BYTE, record, bytes, first, MPI_BYTE, root, p->all);
        if (p->rank == root)
                merge(p, record, first[nrank] / (int)sizeof(*record), &end);
        free(own);
        free(record);
        free(bytes);
        free(first);
}
