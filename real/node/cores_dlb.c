/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The core manager over DLB: LeWI lends, DROM moves ownership; real/node/cores_dlb_state.h tells
 * what the table beside it is for. How its calls are used:
 *
 * - In its polling mode, and without callbacks: these come too early where a core is asked back,
 * and a core is used when it is there and not when it was announced.
 * - One core at a time: BorrowCpus() of several remembers when it last found nothing, and can so
 * overlook a core that was lent at that moment.
 * - Each worker sets its own mask only, and what it adds belongs to nobody: it was dropped before,
 * and reserved in the table. A core of another worker would be stolen, and a change pending there.
 * - A change of the mask makes DLB return borrowed cores that are asked back, with threads still on
 * them. So their owners wait for the table as well.
 */
#include "real/node/cores_dlb_impl.h"

static bool is_core(const struct cores *cores, int32_t core)
{
        return core >= 0 && core < cores->table.ncore;
}

static struct core look(const struct cores *cores, int32_t core)
{
        return cores_look(cores, core);
}

static const struct dlb_library *library(const struct cores *cores)
{
        return &cores->dlb->library;
}

/* Tell DLB what the caller owns from now on; false: it does not allow that now. */
static bool tell_owned(const struct cores *cores, const cpu_set_t *mine)
{
        struct cores_dlb *dlb = cores->dlb;
        dlb_watch_step(dlb->count);
        int answer = dlb->library.set_mask(0, mine, 0);
        if (answer == DLB_PENDING) { /* somebody has set a mask for this process: ours counts */
                dlb->library.poll();
                answer = dlb->library.set_mask(0, mine, 0);
        }
        dlb_watch_step(dlb->count);
        if (answer != DLB_DONE)
                return false;
        dlb->mine = *mine;
        return true;
}

/* An own core that was asked back: is it here? Its borrower says so first, then DLB. */
static bool is_back(const struct cores *cores, int32_t i, struct core core)
{
        if (core.owner != cores->worker || !core.asked)
                return false;
        if (core.user != CORE_NOBODY)
                return core.user == cores->worker;
        return core.apart || cores->dlb->mourning ||
               dlb_ask(cores, library(cores)->is_mine, i) == DLB_DONE;
}

/* A core has become free: for its owner if that waits for it, else for all. */
static void hand_on(const struct cores *cores, int32_t i)
{
        struct core core = look(cores, i);
        if (core.asked && core.user == CORE_NOBODY)
                board_wake(cores->board, core.owner);
        else
                cores_hand_on(cores, core);
}

/* ---- Lending and borrowing ---- */

static enum cores_answer dlb_lend(struct cores *cores, int32_t i)
{
        if (!is_core(cores, i))
                return CORES_DENIED;
        struct core core = look(cores, i), after;
        if (core.user != cores->worker && !is_back(cores, i, core))
                return CORES_DENIED;
        if (!cores_make(cores, i, core_dlb_lend, cores->worker, &after))
                return CORES_DENIED;
        if (!after.apart)
                dlb_ask(cores, library(cores)->lend, i);
        cores_tell(cores);
        hand_on(cores, i);
        return CORES_DONE;
}

/* To its owner where that wants it, else for others to borrow; where it is dropped in between, DLB
 * does not take a core that is lent, but one that is returned. */
static void leave_to_dlb(const struct cores *cores, int32_t i)
{
        if (dlb_ask(cores, library(cores)->give_back, i) != DLB_NOTHING)
                return;
        dlb_ask(cores, library(cores)->lend, i);
        dlb_ask(cores, library(cores)->give_back, i);
}

enum cores_answer cores_dlb_giveback(struct cores *cores, int32_t i)
{
        struct core after;
        if (!is_core(cores, i) || !cores_make(cores, i, core_dlb_let_go, cores->worker, &after))
                return CORES_DENIED;
        if (!after.apart)
                leave_to_dlb(cores, i);
        cores_tell(cores);
        hand_on(cores, i);
        return CORES_DONE;
}

static bool borrow_one(const struct cores *cores, int32_t i)
{
        struct core core = look(cores, i), after;
        if (core.owner == cores->worker || !core_in_pool(core))
                return false;
        if (core_in_table_only(core))
                return cores_make(cores, i, core_dlb_borrow_only, cores->worker, &after);
        if (dlb_ask(cores, library(cores)->borrow, i) != DLB_DONE)
                return false;
        if (cores_make(cores, i, core_dlb_borrow, cores->worker, &after))
                return true;
        leave_to_dlb(cores, i);
        return false;
}

static int32_t dlb_borrow(struct cores *cores, int32_t max, int32_t *list)
{
        int32_t count = 0, i = cores->borrow_first;
        for (int32_t left = cores->table.ncore; left > 0 && count < max; left--) {
                if (borrow_one(cores, i))
                        list[count++] = i;
                i = i + 1 < cores->table.ncore ? i + 1 : 0;
        }
        if (count > 0)
                cores_tell(cores);
        return count;
}

/* ---- Asking back ---- */

/* Out of the pool: not where somebody has borrowed it and not yet said so. */
static bool take_pooled(const struct cores *cores, int32_t i)
{
        struct core core = look(cores, i), after;
        if (core.owner != cores->worker || !core_in_pool(core))
                return false;
        int answer = core.apart ? DLB_DONE : dlb_ask(cores, library(cores)->reclaim, i);
        if (answer != DLB_DONE && answer != DLB_NOTHING)
                return false;
        return cores_make(cores, i, core_dlb_take_back, cores->worker, &after);
}

static bool take_back(const struct cores *cores, int32_t i)
{
        struct core after;
        return is_back(cores, i, look(cores, i)) &&
               cores_make(cores, i, core_dlb_take_back, cores->worker, &after);
}

/* DLB first, so that who reads the table and returns the core returns it to its owner. */
static bool ask_back(const struct cores *cores, int32_t i)
{
        struct core core = look(cores, i), after;
        if (core.owner != cores->worker || core.user == cores->worker || core.asked)
                return false;
        if (!core.apart)
                dlb_ask(cores, library(cores)->reclaim, i);
        if (!cores_make(cores, i, core_dlb_ask, cores->worker, &after))
                return false;
        if (after.user != CORE_NOBODY)
                board_wake(cores->board, after.user);
        return true;
}

/* Its borrower may have returned a core just before it could see that it was asked back. */
static int32_t dlb_reclaim(struct cores *cores, int32_t max, int32_t *list)
{
        int32_t count = 0, asked = 0;
        for (int32_t i = 0; i < cores->table.ncore && count < max; i++)
                if (take_pooled(cores, i))
                        list[count++] = i;
        for (int32_t i = 0; i < cores->table.ncore && count + asked < max; i++) {
                if (!ask_back(cores, i))
                        continue;
                if (take_back(cores, i))
                        list[count++] = i;
                else
                        asked++;
        }
        cores_tell(cores);
        return count;
}

static int32_t dlb_returned(struct cores *cores, int32_t max, int32_t *list)
{
        int32_t count = 0;
        for (int32_t i = 0; i < cores->table.ncore && count < max; i++)
                if (take_back(cores, i))
                        list[count++] = i;
        if (count > 0)
                cores_tell(cores);
        return count;
}

/* ---- Ownership ---- */

/* DLB first: what nobody owns in the table can be claimed. A core that the caller has asked for is
 * still owed to it: another one then. */
static enum cores_answer dlb_drop(struct cores *cores, int32_t i)
{
        struct core after;
        if (!is_core(cores, i) || look(cores, i).owner != cores->worker ||
            cores_count(cores).owned <= 1)
                return CORES_DENIED;
        bool owed = look(cores, i).asked && look(cores, i).user != cores->worker;
        cpu_set_t mine = cores->dlb->mine;
        CPU_CLR((size_t)i, &mine);
        if (!look(cores, i).apart && !tell_owned(cores, &mine))
                return CORES_DENIED;
        if (!cores_make(cores, i, core_dlb_drop, cores->worker, &after))
                return CORES_DENIED;
        for (int32_t other = 0; owed && other < cores->table.ncore; other++)
                owed = !ask_back(cores, other);
        cores_tell(cores);
        cores_call_claimers(cores);
        return CORES_DONE;
}

/* In the table: others keep off. */
static int32_t reserve(const struct cores *cores, bool idle, int32_t max, int32_t *list)
{
        int32_t count = 0;
        struct core after;
        for (int32_t i = 0; i < cores->table.ncore && count < max; i++)
                if ((look(cores, i).user == CORE_NOBODY) == idle &&
                    cores_make(cores, i, core_dlb_claim, cores->worker, &after))
                        list[count++] = i;
        return count;
}

static bool own_reserved(const struct cores *cores, int32_t count, const int32_t *list)
{
        cpu_set_t mine = cores->dlb->mine;
        bool changed = false;
        for (int32_t k = 0; k < count; k++) {
                if (look(cores, list[k]).apart)
                        continue;
                CPU_SET((size_t)list[k], &mine);
                changed = true;
        }
        return !changed || tell_owned(cores, &mine);
}

static void unreserve(const struct cores *cores, int32_t count, const int32_t *list)
{
        struct core after;
        for (int32_t k = 0; k < count; k++)
                cores_make(cores, list[k], core_dlb_unclaim, cores->worker, &after);
}

/* Now owned: usable at once, in the caller's use already, or lent to who uses it. */
static bool take_claimed(const struct cores *cores, int32_t i)
{
        struct core core = look(cores, i), after;
        if (core.user == cores->worker)
                return false;
        bool mine = core.apart || dlb_ask(cores, library(cores)->is_mine, i) == DLB_DONE;
        if (mine && cores_make(cores, i, core_dlb_take_back, cores->worker, &after))
                return true;
        if (!core.apart)
                dlb_ask(cores, library(cores)->lend, i);
        return false;
}

static int32_t dlb_claim(struct cores *cores, int32_t max, int32_t *list)
{
        int32_t count = reserve(cores, true, max, list), usable = 0;
        count += reserve(cores, false, max - count, list + count);
        if (!own_reserved(cores, count, list)) {
                unreserve(cores, count, list);
                count = 0;
        }
        for (int32_t k = 0; k < count; k++)
                if (take_claimed(cores, list[k]))
                        list[usable++] = list[k];
        for (int32_t k = usable; k < max; k++)
                list[k] = CORE_NOBODY;
        if (count > 0)
                cores_tell(cores);
        return count;
}

/* ---- Looking ---- */

static bool dlb_usable(const struct cores *cores, int32_t i)
{
        if (!is_core(cores, i))
                return false;
        struct core core = look(cores, i);
        return core.user == cores->worker || is_back(cores, i, core);
}

static bool dlb_must_return(const struct cores *cores, int32_t i)
{
        if (!is_core(cores, i))
                return false;
        struct core core = look(cores, i);
        return core.asked && core.user == cores->worker && core.owner != cores->worker;
}

static int32_t dlb_pool(const struct cores *cores)
{
        int32_t count = 0;
        for (int32_t i = 0; i < cores->table.ncore; i++)
                count += core_in_pool(look(cores, i));
        return count;
}

static int32_t dlb_owner(const struct cores *cores, int32_t i)
{
        return is_core(cores, i) ? look(cores, i).owner : CORE_NOBODY;
}

/* A core on its way back is its owner's. */
static int32_t dlb_user(const struct cores *cores, int32_t i)
{
        if (!is_core(cores, i))
                return CORE_NOBODY;
        struct core core = look(cores, i);
        return core.user == CORE_NOBODY && core.asked ? core.owner : core.user;
}

const struct cores_type cores_dlb = {
        .name = "dlb",
        .help = "LeWI and DROM of an installed DLB library",
        .open = cores_dlb_open,
        .close = cores_dlb_close,
        .lend = dlb_lend,
        .giveback = cores_dlb_giveback,
        .go_home = cores_dlb_giveback, /* DLB has no other way */
        .borrow = dlb_borrow,
        .reclaim = dlb_reclaim,
        .usable = dlb_usable,
        .must_return = dlb_must_return,
        .drop = dlb_drop,
        .claim = dlb_claim,
        .returned = dlb_returned,
        .pool = dlb_pool,
        .owner = dlb_owner,
        .user = dlb_user,
        .bury = cores_dlb_bury,
        .check = cores_dlb_check,
};
