/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Life of the core manager over DLB. The workers of a node start it together, step by step, and
 * each tells the others by its vote how far it has come:
 *
 *   loaded, with this version --> (worker 0: the segments of before are gone) --> started --> open
 *
 * A step waits until all have made the one before. Who cannot make one says why and votes no: then
 * none opens, and those that have started DLB stop it.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/clock.h"
#include "real/node/cores_dlb_impl.h"
#include "real/node/dlb.h"

enum vote { VOTE_NONE = 0, VOTE_NO, VOTE_LOADED, VOTE_CLEAN, VOTE_STARTED };
enum { REASON_NONE = 0, REASON_WRITING, REASON_THERE };
enum { START_S = 60 };

/* ---- Votes ---- */

static void vote(const struct board_cores *table, enum vote step, uint32_t version)
{
        atomic_store(&table->vote[table->worker], version << 8 | (uint32_t)step);
}

/* The first reason is the node's. */
static void vote_no(const struct board_cores *table, const char *why)
{
        int32_t none = REASON_NONE;
        struct board_reason *reason = table->reason;
        if (atomic_compare_exchange_strong(&reason->state, &none, REASON_WRITING)) {
                snprintf(reason->text, sizeof(reason->text), "%.507s", why);
                atomic_store(&reason->state, REASON_THERE);
        }
        vote(table, VOTE_NO, 0);
}

static void sleep_a_little(void)
{
        const struct timespec moment = { .tv_nsec = 200000 };
        nanosleep(&moment, NULL);
}

static int fail_as_told(const struct board_cores *table, struct lb_error *err)
{
        while (atomic_load(&table->reason->state) == REASON_WRITING)
                sleep_a_little();
        return lb_error_fail(err, "%s", table->reason->text);
}

/* Why worker w will never make a step; 0 where it may. */
static int check_hope(const struct cores_spec *spec, int32_t w, double until_s,
                      struct lb_error *err)
{
        if (board_dead(spec->board) >= 0)
                return lb_error_fail(err, "a worker of node %" PRId32 " died while DLB was started",
                                     spec->node);
        if (clock_s() > until_s)
                return lb_error_fail(
                    err, "worker %" PRId32 " of node %" PRId32 " has not started DLB for %d s", w,
                    spec->node, START_S);
        return 0;
}

/* Of worker w, once it has made the step; NO where it has not and will not. */
static uint32_t await_vote(const struct cores_spec *spec, const struct board_cores *table,
                           int32_t w, enum vote step, struct lb_error *err)
{
        double until_s = clock_s() + START_S;
        uint32_t found = atomic_load(&table->vote[w]);
        while ((found & 0xff) < (uint32_t)step && (found & 0xff) != VOTE_NO) {
                if (check_hope(spec, w, until_s, err) < 0)
                        return VOTE_NO;
                sleep_a_little();
                found = atomic_load(&table->vote[w]);
        }
        if ((found & 0xff) != VOTE_NO)
                return found;
        fail_as_told(table, err);
        return VOTE_NO;
}

/* All of [0, nworker) have made the step, with the same version. */
static int await(const struct cores_spec *spec, const struct board_cores *table, int32_t nworker,
                 enum vote step, struct lb_error *err)
{
        uint32_t version = atomic_load(&table->vote[table->worker]) >> 8;
        for (int32_t w = 0; w < nworker; w++) {
                uint32_t found = await_vote(spec, table, w, step, err);
                if (found == VOTE_NO)
                        return -1;
                if (found >> 8 != version)
                        return lb_error_fail(err,
                                             "workers of node %" PRId32 " have different versions "
                                             "of DLB: must be one",
                                             spec->node);
        }
        return 0;
}

/* ---- Open ---- */

static int check_size(const struct cores_spec *spec, struct lb_error *err)
{
        for (int32_t w = 0; w < spec->nworker && spec->may_own_none; w++)
                if (spec->may_own_none[w])
                        return lb_error_set(err,
                                            "worker %" PRId32 " of node %" PRId32 " may own no "
                                            "core (talk_only), for DLB each owns one",
                                            w, spec->node);
        if (spec->ncore <= DLB_CORES_MAX)
                return 0;
        return lb_error_set(err, "node %" PRId32 " has %" PRId32 " cores, DLB works for at most %d",
                            spec->node, spec->ncore, DLB_CORES_MAX);
}

static int load(struct cores_dlb *dlb, const struct cores_spec *spec,
                const struct board_cores *table, struct lb_error *err)
{
        int32_t first = 0;
        if (check_size(spec, err) < 0 || dlb_library_load(&dlb->library, err) < 0)
                return -1;
        for (int32_t w = 0; w < spec->worker; w++)
                first += spec->owned[w];
        for (int32_t i = first; i < first + spec->owned[spec->worker]; i++)
                CPU_SET((size_t)i, &dlb->mine);
        snprintf(dlb->job, sizeof(dlb->job), "%.31s", spec->job);
        dlb->node = spec->node + spec->beside;
        snprintf(dlb->key, sizeof(dlb->key), "lb%s_%" PRId32, dlb->job, dlb->node);
        dlb->watch = dlb_watch_create(spec->hung, spec->patience_s, err);
        if (!dlb->watch)
                return -1;
        dlb->count = dlb_watch_count(dlb->watch);
        uint32_t version = (uint32_t)(dlb->library.major_version << 16 | dlb->library.minor << 8 |
                                      dlb->library.patch);
        vote(table, VOTE_LOADED, version);
        return await(spec, table, table->nworker, VOTE_LOADED, err);
}

/* What is left of a job with this id would be of another version, or locked for ever. */
static int start(struct cores_dlb *dlb, const struct cores_spec *spec,
                 const struct board_cores *table, struct lb_error *err)
{
        uint32_t version = atomic_load(&table->vote[table->worker]) >> 8;
        if (spec->worker == 0) {
                dlb_segments_clean(dlb->job, dlb->node);
                vote(table, VOTE_CLEAN, version);
        }
        if (await(spec, table, 1, VOTE_CLEAN, err) < 0)
                return -1;
        dlb_watch_step(dlb->count);
        int status = dlb_start(dlb, spec->ncore, err);
        dlb_watch_step(dlb->count);
        if (status < 0)
                return -1;
        vote(table, VOTE_STARTED, version);
        if (await(spec, table, table->nworker, VOTE_STARTED, err) == 0)
                return 0;
        dlb_stop(dlb);
        return -1;
}

static void release(struct cores_dlb *dlb)
{
        if (dlb)
                dlb_watch_destroy(dlb->watch);
        free(dlb);
}

static struct cores *fail_open(struct cores_dlb *dlb, const struct board_cores *table,
                               const struct cores_spec *spec, const struct lb_error *err)
{
        vote_no(table, err->text);
        /* Who has one mapped does not mind. */
        dlb_segments_clean(spec->job, spec->node + spec->beside);
        release(dlb);
        return NULL;
}

struct cores *cores_dlb_open(const struct cores_spec *spec, struct lb_error *err)
{
        struct board_cores table = board_cores(spec->board);
        struct cores_dlb *dlb = calloc(1, sizeof(*dlb));
        if (!dlb) {
                lb_error_fail(err, "out of memory");
                return fail_open(dlb, &table, spec, err);
        }
        if (load(dlb, spec, &table, err) < 0 || start(dlb, spec, &table, err) < 0)
                return fail_open(dlb, &table, spec, err);
        struct cores *cores = cores_builtin_open(spec, err); /* the table */
        if (cores) {
                cores->dlb = dlb;
                return cores;
        }
        dlb_stop(dlb);
        release(dlb);
        return NULL;
}

/* ---- End ---- */

/* DLB takes the cores of who leaves away from all; the table has them still. */
void cores_dlb_close(struct cores *cores)
{
        if (!cores)
                return;
        struct core after;
        for (int32_t i = 0; i < cores->table.ncore; i++) {
                cores_dlb_giveback(cores, i);
                if (cores_make(cores, i, core_dlb_leave, cores->worker, &after))
                        cores_hand_on(cores, after);
        }
        cores_tell(cores);
        dlb_stop(cores->dlb);
        if (cores->dlb->mourning) /* who has died would be counted as attached */
                dlb_segments_clean(cores->dlb->job, cores->dlb->node);
        release(cores->dlb);
        free(cores);
}

void cores_dlb_bury(struct cores *cores, int32_t worker)
{
        if (cores_bury(cores, worker, core_dlb_bury))
                cores->dlb->mourning = true;
}

static bool is_askable(struct core core)
{
        return core.owner != CORE_NOBODY && (core.owner != core.user || core.apart);
}

int cores_dlb_check(const struct cores *cores, struct lb_error *err)
{
        return cores_check(cores, is_askable, "two", err);
}
