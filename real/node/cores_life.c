/* SPDX-License-Identifier: BSD-3-Clause */
#include "real/node/cores_impl.h"

#include <inttypes.h>
#include <stdlib.h>

static int32_t least_owned(const struct cores_spec *spec, int32_t worker)
{
        return spec->may_own_none && spec->may_own_none[worker] ? 0 : 1;
}

static int check_start(const struct cores_spec *spec, struct lb_error *err)
{
        int64_t sum = 0;
        for (int32_t w = 0; w < spec->nworker; w++) {
                if (spec->owned[w] < least_owned(spec, w))
                        return lb_error_set(err,
                                            "worker %" PRId32 " of node %" PRId32 " owns %" PRId32
                                            " cores: must own at least one",
                                            w, spec->node, spec->owned[w]);
                sum += spec->owned[w];
        }
        if (sum != spec->ncore)
                return lb_error_set(err,
                                    "workers of node %" PRId32 " own %" PRId64
                                    " cores together: must be all %" PRId32,
                                    spec->node, sum, spec->ncore);
        return 0;
}

static int check_board(const struct cores_spec *spec, const struct board_cores *table,
                       struct lb_error *err)
{
        if (spec->nworker == table->nworker && spec->worker == table->worker &&
            spec->ncore == table->ncore)
                return 0;
        return lb_error_set(err,
                            "worker %" PRId32 " of %" PRId32 " with %" PRId32
                            " cores: the board has %" PRId32 " of %" PRId32 " with %" PRId32,
                            spec->worker, spec->nworker, spec->ncore, table->worker, table->nworker,
                            table->ncore);
}

/* All workers were given the same start; whoever is first writes it. */
static int agree_on_start(const struct cores *cores, const struct cores_spec *spec,
                          struct lb_error *err)
{
        for (int32_t w = 0; w < spec->nworker; w++) {
                int32_t found = 0;
                if (atomic_compare_exchange_strong(&cores->table.at_start[w], &found,
                                                   spec->owned[w] + 1))
                        continue;
                if (found != spec->owned[w] + 1)
                        return lb_error_fail(
                            err,
                            "worker %" PRId32 " of node %" PRId32 " starts with %" PRId32
                            " cores by one worker, %" PRId32 " by another: must be the same",
                            w, spec->node, spec->owned[w], found - 1);
        }
        return 0;
}

/* Only words that nobody has written yet. */
static void deal_cores(const struct cores *cores, const int32_t *owned)
{
        int32_t core = 0;
        for (int32_t w = 0; w < cores->table.nworker; w++) {
                for (int32_t i = 0; i < owned[w]; i++, core++) {
                        uint64_t untold = 0;
                        const struct core start = { .owner = w, .user = w };
                        atomic_compare_exchange_strong(&cores->table.word[core], &untold,
                                                       core_pack(start));
                }
        }
}

struct cores *cores_builtin_open(const struct cores_spec *spec, struct lb_error *err)
{
        struct board_cores table = board_cores(spec->board);
        if (check_board(spec, &table, err) < 0 || check_start(spec, err) < 0)
                return NULL;
        struct cores *cores = calloc(1, sizeof(*cores));
        if (!cores) {
                lb_error_fail(err, "out of memory for the cores of node %" PRId32, spec->node);
                return NULL;
        }
        cores->board = spec->board;
        cores->table = table;
        cores->worker = spec->worker;
        cores->least = least_owned(spec, spec->worker);
        cores->borrow_first = (int32_t)((int64_t)spec->worker * spec->ncore / spec->nworker);
        if (agree_on_start(cores, spec, err) < 0) {
                free(cores);
                return NULL;
        }
        deal_cores(cores, spec->owned);
        cores_tell(cores);
        return cores;
}

void cores_builtin_close(struct cores *cores)
{
        if (!cores)
                return;
        struct core after;
        for (int32_t i = 0; i < cores->table.ncore; i++)
                if (cores_make(cores, i, core_leave, cores->worker, &after))
                        cores_hand_on(cores, after);
        cores_tell(cores);
        free(cores);
}

void cores_builtin_bury(struct cores *cores, int32_t worker)
{
        cores_bury(cores, worker, core_bury);
}

static bool is_askable(struct core core)
{
        return core.owner != CORE_NOBODY && core.user != CORE_NOBODY;
}

int cores_builtin_check(const struct cores *cores, struct lb_error *err)
{
        return cores_check(cores, is_askable, "workers", err);
}
