/* SPDX-License-Identifier: BSD-3-Clause */
#include "real/node/cores_impl.h"

#include <inttypes.h>
#include <stddef.h>

bool cores_make(const struct cores *cores, int32_t core, core_change change, int32_t worker,
                struct core *after)
{
        _Atomic uint64_t *word = &cores->table.word[core];
        uint64_t before = atomic_load(word);
        do {
                *after = core_unpack(before);
                if (!change(worker, after))
                        return false;
        } while (!atomic_compare_exchange_weak(word, &before, core_pack(*after)));
        return true;
}

struct cores_count cores_count(const struct cores *cores)
{
        struct cores_count count = { 0 };
        int32_t me = cores->worker;
        for (int32_t i = 0; i < cores->table.ncore; i++) {
                struct core core = cores_look(cores, i);
                bool own = core.owner == me, used = core.user == me;
                count.owned += own;
                count.lent += own && !used;
                count.borrowed += used && !own;
                count.reclaiming += own && !used && core.asked;
        }
        return count;
}

/* Counted anew each time: figures that were added to could drift for good. */
void cores_tell(const struct cores *cores)
{
        const struct cores_count count = cores_count(cores);
        struct board_worker *row = board_worker(cores->board, cores->worker);
        atomic_store_explicit(&row->owned, count.owned, memory_order_relaxed);
        atomic_store_explicit(&row->lent, count.lent, memory_order_relaxed);
        atomic_store_explicit(&row->borrowed, count.borrowed, memory_order_relaxed);
        atomic_store_explicit(&row->reclaiming, count.reclaiming, memory_order_relaxed);
}

/* A core lies in the pool: wake who waits for one. */
static void call_borrowers(const struct cores *cores)
{
        for (int32_t w = 0; w < cores->table.nworker; w++)
                if (w != cores->worker && atomic_load(&board_worker(cores->board, w)->ready) > 0)
                        board_wake(cores->board, w);
}

void cores_hand_on(const struct cores *cores, struct core after)
{
        if (after.user != CORE_NOBODY)
                board_wake(cores->board, after.user);
        else
                call_borrowers(cores);
}

void cores_call_claimers(const struct cores *cores)
{
        for (int32_t w = 0; w < cores->table.nworker; w++) {
                const struct board_worker *row = board_worker(cores->board, w);
                bool wants = atomic_load(&row->ready) > 0 ||
                             atomic_load(&row->target) > atomic_load(&row->owned);
                if (w != cores->worker && wants)
                        board_wake(cores->board, w);
        }
}

static void clear_row(const struct cores *cores, int32_t worker)
{
        struct board_worker *row = board_worker(cores->board, worker);
        _Atomic int32_t *const figure[] = { &row->running,    &row->ready,  &row->tasks,
                                            &row->owned,      &row->lent,   &row->borrowed,
                                            &row->reclaiming, &row->task_us };
        for (size_t i = 0; i < sizeof(figure) / sizeof(figure[0]); i++)
                atomic_store(figure[i], 0);
}

static void tell_death(const struct cores *cores, int32_t worker)
{
        clear_row(cores, worker);
        cores_tell(cores);
        for (int32_t w = 0; w < cores->table.nworker; w++)
                board_wake(cores->board, w);
}

bool cores_bury(const struct cores *cores, int32_t worker, core_change change)
{
        if (worker < 0 || worker >= cores->table.nworker || !board_is_dead(cores->board, worker))
                return false;
        struct core after;
        for (int32_t i = 0; i < cores->table.ncore; i++)
                cores_make(cores, i, change, worker, &after);
        tell_death(cores, worker);
        return true;
}

static int check_core(const struct cores *cores, int32_t at, bool (*askable)(struct core core),
                      const char *must, struct lb_error *err)
{
        uint64_t word = atomic_load(&cores->table.word[at]);
        struct core core = core_unpack(word);
        int32_t nworker = cores->table.nworker;
        if (word != core_pack(core) || core.owner >= nworker || core.user >= nworker)
                return lb_error_fail(err, "core %" PRId32 ": no such state: %#" PRIx64, at, word);
        if (core.asked && !askable(core))
                return lb_error_fail(err,
                                     "core %" PRId32 " is asked back: owner %" PRId32
                                     " and user %" PRId32 " must be %s",
                                     at, core.owner, core.user, must);
        return 0;
}

int cores_check(const struct cores *cores, bool (*askable)(struct core core), const char *must,
                struct lb_error *err)
{
        for (int32_t i = 0; i < cores->table.ncore; i++)
                if (check_core(cores, i, askable, must, err) < 0)
                        return -1;
        const struct cores_count count = cores_count(cores);
        const struct board_worker *row = board_worker(cores->board, cores->worker);
        if (count.owned < cores->least)
                return lb_error_fail(err, "worker %" PRId32 " owns no core", cores->worker);
        if (count.owned != row->owned || count.borrowed != row->borrowed)
                return lb_error_fail(err,
                                     "worker %" PRId32 " owns %" PRId32 " and borrows %" PRId32
                                     " cores, and tells %" PRId32 " and %" PRId32,
                                     cores->worker, count.owned, count.borrowed, row->owned,
                                     row->borrowed);
        return 0;
}
