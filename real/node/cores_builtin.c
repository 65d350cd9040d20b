/* SPDX-License-Identifier: BSD-3-Clause */
/* The built-in core manager; real/node/core_state.h tells how it works. */
#include "real/node/cores_impl.h"

static bool is_core(const struct cores *cores, int32_t core)
{
        return core >= 0 && core < cores->table.ncore;
}

static enum cores_answer builtin_lend(struct cores *cores, int32_t core)
{
        struct core after;
        if (!is_core(cores, core) || !cores_make(cores, core, core_to_pool, cores->worker, &after))
                return CORES_DENIED;
        cores_tell(cores);
        cores_hand_on(cores, after);
        return CORES_DONE;
}

/* The core of this owner that is asked back while others use it; -1: none. */
static int32_t asked_of(const struct cores *cores, int32_t owner)
{
        for (int32_t i = 0; i < cores->table.ncore; i++) {
                struct core c = cores_look(cores, i);
                if (c.owner == owner && c.user != owner && c.asked)
                        return i;
        }
        return -1;
}

/*
 * An owner asks for so many cores, not for these: whichever is free first goes back, and takes the
 * place of the one that was asked for. Two words: at worst one too many goes back.
 */
static void stand_in(const struct cores *cores, int32_t core)
{
        struct core c = cores_look(cores, core), after;
        bool others = !c.asked && c.owner >= 0 && c.owner != cores->worker;
        int32_t other = others ? asked_of(cores, c.owner) : -1;
        if (other < 0 || !cores_make(cores, core, core_ask_back, c.owner, &after))
                return;
        cores_make(cores, other, core_forget_ask, c.owner, &after);
}

static enum cores_answer builtin_giveback(struct cores *cores, int32_t core)
{
        struct core after;
        if (!is_core(cores, core) || cores_look(cores, core).user != cores->worker)
                return CORES_DENIED;
        stand_in(cores, core);
        if (!cores_make(cores, core, core_give_back, cores->worker, &after))
                return CORES_DENIED;
        cores_tell(cores);
        cores_hand_on(cores, after);
        return CORES_DONE;
}

/* As if it had been asked for. */
static enum cores_answer builtin_go_home(struct cores *cores, int32_t core)
{
        struct core after;
        if (!is_core(cores, core) || cores_look(cores, core).user != cores->worker)
                return CORES_DENIED;
        stand_in(cores, core);
        cores_make(cores, core, core_ask_back, cores_look(cores, core).owner, &after);
        return builtin_giveback(cores, core);
}

/* Make a change wherever it is allowed, `max` times at most; the cores go to list. */
static int32_t sweep(const struct cores *cores, core_change change, int32_t max, int32_t *list)
{
        struct core after;
        int32_t count = 0, core = cores->borrow_first;
        for (int32_t left = cores->table.ncore; left > 0 && count < max; left--) {
                if (cores_make(cores, core, change, cores->worker, &after))
                        list[count++] = core;
                core = core + 1 < cores->table.ncore ? core + 1 : 0;
        }
        return count;
}

static int32_t builtin_borrow(struct cores *cores, int32_t max, int32_t *core)
{
        int32_t count = sweep(cores, core_take_pooled, max, core);
        if (count > 0)
                cores_tell(cores);
        return count;
}

/* Does the worker use a core of the caller's? */
static bool borrows(const struct cores *cores, int32_t worker)
{
        for (int32_t i = 0; i < cores->table.ncore; i++) {
                struct core c = cores_look(cores, i);
                if (c.owner == cores->worker && c.user == worker)
                        return true;
        }
        return false;
}

/* Ask for cores in use, and wake all borrowers: any may keep one idle, asleep, and whichever is
 * free first goes back. */
static void ask_for(const struct cores *cores, int32_t max)
{
        struct core after;
        int32_t count = 0;
        for (int32_t i = 0; i < cores->table.ncore && count < max; i++)
                count += cores_make(cores, i, core_ask_back, cores->worker, &after);
        for (int32_t w = 0; w < cores->table.nworker && count > 0; w++)
                if (w != cores->worker && borrows(cores, w))
                        board_wake(cores->board, w);
}

static int32_t builtin_reclaim(struct cores *cores, int32_t max, int32_t *core)
{
        int32_t count = sweep(cores, core_take_own, max, core);
        ask_for(cores, max - count);
        cores_tell(cores);
        return count;
}

static int32_t builtin_returned(struct cores *cores, int32_t max, int32_t *core)
{
        int32_t count = sweep(cores, core_take_returned, max, core);
        if (count > 0)
                cores_tell(cores);
        return count;
}

/* Only the caller changes what it owns, so that its count holds until the change. A core that it
 * has asked for is still owed to it: another one then. */
static enum cores_answer builtin_drop(struct cores *cores, int32_t core)
{
        struct core after;
        if (!is_core(cores, core) || cores_count(cores).owned <= cores->least)
                return CORES_DENIED;
        bool owed = cores_look(cores, core).asked && cores_look(cores, core).user != cores->worker;
        if (!cores_make(cores, core, core_give_up, cores->worker, &after))
                return CORES_DENIED;
        ask_for(cores, owed);
        cores_tell(cores);
        cores_call_claimers(cores);
        return CORES_DONE;
}

/* Idle ones first. A used one that the caller has borrowed is already in its use: not new. */
static int32_t builtin_claim(struct cores *cores, int32_t max, int32_t *core)
{
        int32_t idle = sweep(cores, core_take_over_idle, max, core);
        int32_t used = sweep(cores, core_take_over_used, max - idle, core + idle);
        for (int32_t i = idle; i < max; i++)
                core[i] = CORE_NOBODY;
        if (idle + used > 0)
                cores_tell(cores);
        return idle + used;
}

static bool builtin_usable(const struct cores *cores, int32_t core)
{
        return is_core(cores, core) && cores_look(cores, core).user == cores->worker;
}

static bool builtin_must_return(const struct cores *cores, int32_t core)
{
        if (!is_core(cores, core))
                return false;
        struct core c = cores_look(cores, core);
        return c.user == cores->worker && c.owner >= 0 && c.owner != cores->worker &&
               (c.asked || asked_of(cores, c.owner) >= 0);
}

static int32_t builtin_pool(const struct cores *cores)
{
        int32_t count = 0;
        for (int32_t i = 0; i < cores->table.ncore; i++)
                count += cores_look(cores, i).user == CORE_NOBODY;
        return count;
}

static int32_t builtin_owner(const struct cores *cores, int32_t core)
{
        return is_core(cores, core) ? cores_look(cores, core).owner : CORE_NOBODY;
}

static int32_t builtin_user(const struct cores *cores, int32_t core)
{
        return is_core(cores, core) ? cores_look(cores, core).user : CORE_NOBODY;
}

const struct cores_type cores_builtin = {
        .name = "builtin",
        .help = "a table of the node's cores in shared memory",
        .open = cores_builtin_open,
        .close = cores_builtin_close,
        .lend = builtin_lend,
        .giveback = builtin_giveback,
        .go_home = builtin_go_home,
        .borrow = builtin_borrow,
        .reclaim = builtin_reclaim,
        .usable = builtin_usable,
        .must_return = builtin_must_return,
        .drop = builtin_drop,
        .claim = builtin_claim,
        .returned = builtin_returned,
        .pool = builtin_pool,
        .owner = builtin_owner,
        .user = builtin_user,
        .bury = cores_builtin_bury,
        .check = cores_builtin_check,
};
