/* SPDX-License-Identifier: BSD-3-Clause */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tests/real/protocol/live_impl.h"

/* ---- Telling ---- */

static int32_t count(const struct live *live, const bool *flag)
{
        int32_t n = 0;
        for (int32_t c = 0; c < live->spec.ncore; c++)
                n += flag[c];
        return n;
}

static void tell(struct live_worker *w)
{
        struct board_worker *row = board_worker(w->board, w->number);
        row->running = count(w->live, w->running);
        row->ready = w->ready;
}

static void take_view(struct live *live, const struct live_view *view)
{
        live_of_cores = live;
        if (live->now_ns != START_NS + view->now_ns)
                for (int32_t i = 0; i < live->nworker; i++)
                        live->worker[i].early = 0;
        live->now_ns = START_NS + view->now_ns;
        for (int32_t i = 0; i < live->nworker; i++) {
                struct live_worker *w = &live->worker[i];
                struct board_worker *row = board_worker(w->board, i);
                row->busy_ns = row->useful_ns = row->cpu_ns = view->busy_ns[i];
                row->at_ns = live->now_ns;
                row->tasks = view->tasks[i];
                row->task_us = view->task_us[i];
                w->ready = view->ready[i];
                w->main_waits = view->main_waits[i];
                if (w->control->place == 0)
                        w->control->placing.held = view->held[i];
                else
                        w->control->held_known = view->held[i];
                tell(w);
        }
}

/* ---- Running ---- */

static bool has_work(const struct live_worker *w)
{
        return w->main_waits || w->ready > 0;
}

static bool is_own(const struct live_worker *w, int32_t core)
{
        return cores_builtin.owner(w->cores, core) == w->number;
}

/* Where the next task runs is the runtime's choice: where it is wished, else own cores first, those
 * kept free for somebody else last of these, then borrowed ones. */
static int32_t rank(const struct live_worker *w, int32_t core)
{
        int32_t kind = !is_own(w, core) ? 2 : w->control->lending.kept_free[core] ? 1 : 0;
        const struct live_wish *wish = &w->live->wish[core];
        return kind + (wish->running && wish->user == w->number ? 0 : 3);
}

static int32_t idle_core(const struct live_worker *w)
{
        int32_t best = -1;
        for (int32_t c = 0; c < w->live->spec.ncore; c++)
                if (w->idle[c] && (best < 0 || rank(w, c) < rank(w, best)))
                        best = c;
        return best;
}

static void gain(struct live_worker *w, const int32_t *gained, int32_t n)
{
        for (int32_t i = 0; i < n; i++) {
                assert_true(cores_builtin.usable(w->cores, gained[i]));
                assert_false(w->idle[gained[i]] || w->running[gained[i]]);
                w->idle[gained[i]] = true;
        }
}

static void borrow_ahead(struct live_worker *w, enum lend_occasion occasion)
{
        int32_t gained[LIVE_CORE_MAX];
        w->live->ahead = true;
        w->live->runs = has_work(w);
        gain(w, gained, control_needs_cores(w->control, w->live->now_ns, occasion, gained));
        w->live->ahead = false;
        w->live->runs = true;
}

static void start(struct live_worker *w, int32_t core)
{
        w->idle[core] = false;
        w->running[core] = true;
        control_core_taken(w->control, core);
        if (w->main_waits)
                w->main_waits = false;
        else
                w->ready--;
        tell(w);
        borrow_ahead(w, LEND_TOOK_TASK);
}

static void run(struct live_worker *w)
{
        for (int32_t core = idle_core(w); core >= 0 && has_work(w); core = idle_core(w))
                start(w, core);
}

void live_settle_core(struct live_worker *w, int32_t core)
{
        if (w->idle[core])
                w->idle[core] = !control_core_idle(w->control, w->live->now_ns, core);
}

/* Borrowed cores that are kept idle. */
static void note_kept(const struct live_worker *w, bool *kept)
{
        for (int32_t c = 0; c < w->live->spec.ncore; c++)
                kept[c] = w->idle[c] && !is_own(w, c);
}

/* Those that are own ones now are settled at once, as the runtime does with all after a poll. */
static void settle_claimed(struct live_worker *w, const bool *kept)
{
        for (int32_t c = 0; c < w->live->spec.ncore; c++)
                if (kept[c] && is_own(w, c))
                        live_settle_core(w, c);
}

/* Woken: cores that have come back, others that must go; then what it can start. */
static void seek(struct live_worker *w);

static void collect(struct live_worker *w)
{
        int32_t gained[LIVE_CORE_MAX];
        bool kept[LIVE_CORE_MAX];
        note_kept(w, kept);
        int32_t n = control_needs_cores(w->control, w->live->now_ns, LEND_OCCASION_NONE, gained);
        gain(w, gained, n);
        seek(w);
        settle_claimed(w, kept);
        for (int32_t c = 0; c < w->live->spec.ncore; c++)
                if (w->idle[c] && cores_builtin.must_return(w->cores, c))
                        live_settle_core(w, c);
        for (int32_t i = 0; i < n; i++)
                live_settle_core(w, gained[i]);
}

/* What is wished for the worker that it can have now. */
static int32_t lent_wishes(const struct live_worker *w)
{
        int32_t n = 0;
        for (int32_t c = 0; c < w->live->spec.ncore; c++)
                n += w->live->wish[c].user == w->number && cores_builtin.user(w->cores, c) < 0 &&
                     cores_builtin.owner(w->cores, c) >= 0;
        return n;
}

static int32_t wishes(const struct live_worker *w)
{
        int32_t n = lent_wishes(w);
        for (int32_t c = 0; c < w->live->spec.ncore; c++)
                n += w->live->wish[c].owner == w->number && cores_builtin.owner(w->cores, c) < 0;
        return n;
}

/* Who is woken first is chance: who has most to wish for. */
static struct live_worker *next_woken(struct live *live, bool lent_only)
{
        struct live_worker *best = NULL;
        for (int32_t i = 0; i < live->nworker; i++) {
                struct live_worker *w = &live->worker[i];
                if (!w->busy && w->ticket != board_ticket(w->board) &&
                    (!lent_only || lent_wishes(w) > 0) && (!best || wishes(w) > wishes(best)))
                        best = w;
        }
        return best;
}

/* Until nobody is woken any more; or, while cores are being claimed, only those for whom one that
 * is lent is meant: the others are slower. */
void live_wake(struct live *live, bool lent_only)
{
        int32_t rounds = 0;
        for (struct live_worker *w; (w = next_woken(live, lent_only)) != NULL;) {
                assert_in_range(rounds++, 0, 10000);
                w->ticket = board_ticket(w->board);
                collect(w);
        }
}

static void quiesce(struct live *live)
{
        live_wake(live, false);
}

static void seek(struct live_worker *w)
{
        int32_t gained[LIVE_CORE_MAX], n = 1;
        for (run(w); has_work(w) && n > 0; run(w)) {
                n = control_needs_cores(w->control, w->live->now_ns, LEND_NEEDS_CORES, gained);
                gain(w, gained, n);
        }
}

/* ---- What happens ---- */

/* Which idle core is looked at first does not matter: those that are wished to be kept free, to run
 * elsewhere, to be kept there, in the pool, here; those that are offered last, since what becomes
 * of them is settled.
 */
enum { NPLACE = 6 };
static int32_t place_of(const struct live_worker *w, int32_t core)
{
        const struct live_wish *wish = &w->live->wish[core];
        if (w->control->lending.offered_ns[core] != 0)
                return NPLACE - 1;
        if (wish->kept_free)
                return 0;
        if (wish->user == w->number || wish->user < 0)
                return wish->user < 0 ? 3 : 4;
        return wish->running ? 1 : 2;
}

static void settle_all(struct live_worker *w, const bool *which)
{
        for (int32_t place = 0; place < NPLACE; place++)
                for (int32_t c = 0; c < w->live->spec.ncore; c++)
                        if (which[c] && place_of(w, c) == place) {
                                live_settle_core(w, c);
                                quiesce(w->live);
                        }
}

static void poll_worker(struct live_worker *w)
{
        int32_t gained[LIVE_CORE_MAX];
        bool kept[LIVE_CORE_MAX];
        note_kept(w, kept);
        int32_t n = control_poll(w->control, w->live->now_ns, w->idle, gained);
        w->polled_ns = w->live->now_ns;
        gain(w, gained, n);
        run(w);
        settle_claimed(w, kept);
}

/* Is the worker to poll again at once? */
static bool is_due(const struct live_worker *w)
{
        const struct control *c = w->control;
        return atomic_load(board_epoch(w->board)) != c->epoch || control_ownership_due(c);
}

static bool owns_too_much(const struct live_worker *w)
{
        return board_worker(w->board, w->number)->owned > target_of(w->control, w->number);
}

/* The leader first: its targets are what the others act on. Then who has something to give up, so
 * that who then claims has the same choice as in lbsim, where all do so at once. */
void live_poll(struct live *live, const struct live_view *view)
{
        take_view(live, view);
        live->polls = true;
        poll_worker(&live->worker[0]);
        for (int32_t gives = 1; gives >= 0; gives--)
                for (int32_t i = 1; i < live->nworker; i++)
                        if (live->worker[i].polled_ns != live->now_ns &&
                            owns_too_much(&live->worker[i]) == gives) {
                                poll_worker(&live->worker[i]);
                                if (!gives)
                                        live_wake(live, true);
                        }
        for (int32_t rounds = 0, again = 1; again; rounds++) {
                again = 0;
                for (int32_t i = 0; i < live->nworker; i++)
                        if (is_due(&live->worker[i])) {
                                again = 1;
                                poll_worker(&live->worker[i]);
                                live_wake(live, true);
                        }
                assert_in_range(rounds, 0, 100);
        }
        quiesce(live);
        for (int32_t i = 0; i < live->nworker; i++)
                poll_worker(&live->worker[i]); /* woken once more: no new poll */
        for (int32_t i = 0; i < live->nworker; i++)
                control_refresh(live->worker[i].control);
        live->polls = false;
}

void live_settle(struct live *live, const struct live_view *view)
{
        take_view(live, view);
        for (int32_t i = 0; i < live->nworker; i++)
                settle_all(&live->worker[i], live->worker[i].idle);
        for (int32_t i = 0; i < live->nworker; i++) {
                borrow_ahead(&live->worker[i], LEND_POLLED);
                quiesce(live);
        }
}

void live_seek(struct live *live, const struct live_view *view, int32_t worker)
{
        struct live_worker *w = &live->worker[worker];
        take_view(live, view);
        w->ready -= w->early;
        w->early = 0;
        tell(w);
        seek(w);
        quiesce(live);
}

bool live_end(struct live *live, const struct live_view *view, int32_t core)
{
        int32_t user = cores_builtin.user(live->worker[0].cores, core);
        if (user < 0 || !live->worker[user].running[core])
                return false;
        struct live_worker *w = &live->worker[user];
        take_view(live, view);
        bool gone = control_core_boundary(w->control, live->now_ns, core);
        w->running[core] = false;
        w->idle[core] = !gone;
        if (w->idle[core] && has_work(w))
                start(w, core);
        tell(w);
        int32_t ready = w->ready;
        live_settle_core(w, core);
        quiesce(live);
        w->early = ready - w->ready;
        return true;
}

/* ---- What there is ---- */

struct live_core live_core(const struct live *live, int32_t core)
{
        struct core c = live_look_at(live->worker[0].cores, core);
        struct live_core out = { .owner = c.owner, .user = c.user, .asked = c.asked };
        if (c.user >= 0) {
                out.idle = live->worker[c.user].idle[core];
                out.running = live->worker[c.user].running[core];
        }
        if (c.owner >= 0) {
                const struct lending *l = &live->worker[c.owner].control->lending;
                bool in_use = out.running && c.user == c.owner;
                out.offered = l->offered_ns[core] != 0 && !in_use;
                out.kept_free = l->kept_free[core] && out.idle && c.user == c.owner;
        }
        if (out.idle && c.user == c.owner)
                out.user = -1;
        return out;
}

void live_mail(struct live *live, int32_t worker, const struct control_mail *mail)
{
        for (int32_t w = 0; w < live->nworker; w++)
                if (live->number[w] == worker)
                        control_mail_arrived(live->worker[w].control, mail->body, mail->bytes);
}

struct live_known live_known(const struct live *live, int32_t worker, int32_t place)
{
        const struct placing *p = &live->worker[worker].control->placing;
        return (struct live_known){ p->owned[place], p->target[place], p->usable[place] };
}

int32_t live_target(const struct live *live, int32_t worker)
{
        return target_of(live->worker[worker].control, worker);
}

void live_check(const struct live *live)
{
        struct lb_error err;
        for (int32_t w = 0; w < live->nworker; w++)
                if (cores_builtin.check(live->worker[w].cores, &err) < 0)
                        fail_msg("%s", err.text);
}
