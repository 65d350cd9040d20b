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

#include "policies/host/params.h"
#include "real/control/control_impl.h"
#include "real/node/cores_impl.h"
#include "tests/real/protocol/live.h"

struct live_worker {
        struct live *live;
        int32_t number;
        struct board *board;
        struct cores *cores;
        struct control *control;
        bool idle[LIVE_CORE_MAX], running[LIVE_CORE_MAX];
        int64_t polled_ns;
        int32_t ready, early; /* early: started at the end of another, before they are sought for */
        bool main_waits, busy; /* its control is being called */
        uint32_t ticket;       /* as when it last looked */
};

struct live {
        struct live_spec spec;
        struct job *job;
        int32_t nworker;
        const int32_t *number; /* [nworker] in the job */
        struct live_worker worker[LIVE_WORKER_MAX];
        int64_t now_ns;
        struct live_wish wish[LIVE_CORE_MAX];
        struct live_choice choice[LIVE_CHOICE_MAX];
        int32_t nchoice;
        bool polls; /* some have polled and others not yet */
        bool ahead; /* cores are being borrowed ahead of tasks */
        bool runs;  /* something is to run on the next core that is borrowed */
};

enum { START_NS = 1000000000 }; /* time 0: a board's 0 means never */

/* ---- The core manager, with wishes ---- */

static struct live *of_cores; /* one node at a time */

static struct core look_at(const struct cores *cores, int32_t core)
{
        return cores_look(cores, core);
}

/* How much a core is wished for; 0: not. */
typedef int32_t wish_order(const struct cores *cores, int32_t core);

/* One core at a time, each looked for first where it is wished most. */
static int32_t by_wish(struct cores *cores, int32_t max, int32_t *core,
                       int32_t (*take)(struct cores *cores, int32_t max, int32_t *core),
                       wish_order *wished)
{
        int32_t count = 0, first = cores->borrow_first;
        while (count < max) {
                for (int32_t c = 0, most = 0; c < cores->table.ncore; c++)
                        if (wished(cores, c) > most) {
                                most = wished(cores, c);
                                cores->borrow_first = c;
                        }
                if (take(cores, 1, core + count) < 1)
                        break;
                count++;
        }
        cores->borrow_first = first;
        return count;
}

/* Is the core the next of the worker's choices that is free? */
static bool is_next(const struct cores *cores, int32_t core)
{
        for (int32_t i = 0; i < of_cores->nchoice; i++)
                if (of_cores->choice[i].worker == cores->worker &&
                    look_at(cores, of_cores->choice[i].core).user == CORE_NOBODY)
                        return of_cores->choice[i].core == core;
        return false;
}

static void forget_choice(int32_t worker, int32_t core)
{
        for (int32_t i = 0; i < of_cores->nchoice; i++)
                if (of_cores->choice[i].worker == worker && of_cores->choice[i].core == core) {
                        of_cores->choice[i].worker = -1;
                        return;
                }
}

/* The core that was chosen, else one that is wished: to be kept where it is borrowed ahead, to run
 * something where not. */
static int32_t wished_pooled(const struct cores *cores, int32_t core)
{
        const struct live_wish *wish = &of_cores->wish[core];
        if (look_at(cores, core).user != CORE_NOBODY)
                return 0;
        if (is_next(cores, core))
                return 3;
        if (wish->user != cores->worker)
                return 0;
        return wish->running == of_cores->runs ? 2 : 1;
}

static int32_t wished_back(const struct cores *cores, int32_t core)
{
        struct core c = look_at(cores, core);
        const struct live_wish *wish = &of_cores->wish[core];
        bool mine = c.owner == cores->worker && wish->user == cores->worker;
        return c.user == CORE_NOBODY && mine ? 1 + wish->running : 0;
}

static int32_t wished_own(const struct cores *cores, int32_t core)
{
        struct core c = look_at(cores, core);
        return c.owner == CORE_NOBODY && of_cores->wish[core].owner == cores->worker;
}

static void wake(struct live *live, bool lent_only);

/* For whom it is meant is quicker than what its owner does next. */
static enum cores_answer lend(struct cores *cores, int32_t core)
{
        enum cores_answer answer = cores_builtin.lend(cores, core);
        struct live_worker *self = &of_cores->worker[cores->worker];
        bool busy = self->busy;
        self->busy = true;
        wake(of_cores, true);
        self->busy = busy;
        return answer;
}

/* At a poll all claim, lend and borrow at the same instant, and who is quicker is chance: nobody
 * is then so quick that it borrows ahead what another is wished to have, or has not claimed yet. */
static int32_t borrow(struct cores *cores, int32_t max, int32_t *core)
{
        int32_t most = 0;
        for (int32_t c = 0; c < cores->table.ncore; c++)
                most += wished_pooled(cores, c) > 0 && look_at(cores, c).owner >= 0;
        if (of_cores->ahead && of_cores->polls && most < max)
                max = most;
        int32_t count = by_wish(cores, max, core, cores_builtin.borrow, wished_pooled);
        for (int32_t i = 0; i < count; i++)
                forget_choice(cores->worker, core[i]);
        return count;
}

/* The manager takes idle ones first; here it is the wished one, if that is in use. */
static int32_t claim_wished(struct cores *cores, int32_t max, int32_t *core)
{
        struct core after;
        if (!wished_own(cores, cores->borrow_first) ||
            !cores_make(cores, cores->borrow_first, core_take_over_used, cores->worker, &after))
                return cores_builtin.claim(cores, max, core);
        cores_tell(cores);
        *core = CORE_NOBODY;
        return 1;
}

static int32_t claim(struct cores *cores, int32_t max, int32_t *core)
{
        int32_t count = by_wish(cores, max, core, claim_wished, wished_own);
        for (int32_t i = count; i < max; i++)
                core[i] = CORE_NOBODY;
        return count;
}

static void settle_core(struct live_worker *w, int32_t core);

/* Who keeps a core idle and is woken, since it is asked for, gives it back at once. */
static int32_t kept_by_others(struct cores *cores, int32_t max, int32_t *core)
{
        for (int32_t wished = 1; wished >= 0; wished--)
                for (int32_t c = 0; c < cores->table.ncore; c++) {
                        int32_t user = look_at(cores, c).user;
                        struct live_worker *w = user < 0 ? NULL : &of_cores->worker[user];
                        bool may = w && (of_cores->wish[c].user == cores->worker) == wished;
                        if (may && w->idle[c] && w->ticket != board_ticket(w->board) &&
                            cores_builtin.must_return(w->cores, c))
                                settle_core(w, c);
                }
        return cores_builtin.returned(cores, max, core);
}

/* Own ones in the pool one by one, then all others that are to come back. */
static int32_t reclaim(struct cores *cores, int32_t max, int32_t *core)
{
        int32_t pooled = 0;
        for (int32_t c = 0; c < cores->table.ncore; c++) {
                struct core now = look_at(cores, c);
                pooled += now.owner == cores->worker && now.user == CORE_NOBODY;
        }
        int32_t at_once = pooled < max ? pooled : max;
        int32_t count = by_wish(cores, at_once, core, cores_builtin.reclaim, wished_back);
        if (max > count)
                count += cores_builtin.reclaim(cores, max - count, core + count);
        return count + kept_by_others(cores, max - count, core + count);
}

/* ---- Making one ---- */

static struct job *make_job(const struct live_spec *spec)
{
        static int number;
        struct lb_error err;
        struct job *job = job_create(&err);
        assert_non_null(job);
        snprintf(job->id, sizeof(job->id), "protocol-%ld-%d", (long)getpid(), number++);
        assert_int_equal(job_set_system(job, spec->system, &err), 0);
        job->lewi = spec->lewi;
        job->drom = spec->drom;
        job->virtual_nodes = true;
        job->nnode = spec->nnode;
        job->cores_per_node = spec->ncore;
        job->napprank = spec->napprank;
        job->degree = spec->apprank_first[1];
        job->param[JOB_POLL_S] = spec->poll_s;
        job->param[JOB_OWNERSHIP] = spec->boundary ? OWNERSHIP_BOUNDARY : OWNERSHIP_IDLE;
        memcpy(job->alloc_param, spec->alloc_param,
               lb_param_count(job_policy_params(job, JOB_ALLOC)) * sizeof(double));
        memcpy(job->lend_param, spec->lend_param,
               lb_param_count(job_policy_params(job, JOB_LEND)) * sizeof(double));
        if (job_set_edges(job, spec->apprank_first, spec->edge_node, &err) < 0)
                fail_msg("%s", err.text);
        return job;
}

/* Opening waits for all of the node, so each worker needs a thread for it. */
static void *open_board(void *argument)
{
        struct live_worker *w = argument;
        struct lb_error err;
        struct board_spec spec = { .job = w->live->job->id,
                                   .node = w->live->spec.node,
                                   .nworker = w->live->nworker,
                                   .worker = w->number,
                                   .ncore = w->live->spec.ncore };
        w->board = board_open(&spec, 30, &err);
        return NULL;
}

static void open_boards(struct live *live)
{
        pthread_t thread[LIVE_WORKER_MAX];
        for (int32_t w = 0; w < live->nworker; w++)
                assert_int_equal(pthread_create(&thread[w], NULL, open_board, &live->worker[w]), 0);
        for (int32_t w = 0; w < live->nworker; w++)
                pthread_join(thread[w], NULL);
}

static void post(void *user, const struct control_mail *mail)
{
        const struct live *live = user;
        live->spec.post(live->spec.user, mail);
}

static void open_worker(struct live *live, struct live_worker *w, const int32_t *owned,
                        const bool *may_own_none)
{
        static struct cores_type type;
        struct lb_error err = { 0 };
        type = cores_builtin;
        type.lend = lend;
        type.borrow = borrow;
        type.claim = claim;
        type.reclaim = reclaim;
        struct cores_spec spec = { .board = w->board,
                                   .job = live->job->id,
                                   .ncore = live->spec.ncore,
                                   .nworker = live->nworker,
                                   .worker = w->number,
                                   .owned = owned,
                                   .may_own_none = may_own_none };
        w->cores = type.open(&spec, &err);
        assert_non_null(w->cores);
        struct control_spec control = { .job = live->job,
                                        .worker = live->number[w->number],
                                        .board = w->board,
                                        .cores_type = &type,
                                        .cores = w->cores,
                                        .post = post,
                                        .user = live };
        w->control = control_create(&control, &err);
        if (!w->control)
                fail_msg("%s", err.text);
}

/* As lbsim has it: the first worker has the last cores. */
static void turn_cores(struct live *live, const int32_t *owned)
{
        struct cores *cores = live->worker[0].cores;
        int32_t core = live->spec.ncore;
        for (int32_t w = 0; w < live->nworker; w++)
                for (int32_t i = 0; i < owned[w]; i++)
                        atomic_store(&cores->table.word[--core],
                                     core_pack((struct core){ .owner = w, .user = w }));
        for (int32_t w = 0; w < live->nworker; w++)
                for (int32_t c = 0; c < live->spec.ncore; c++)
                        live->worker[w].idle[c] = cores_builtin.usable(live->worker[w].cores, c);
}

struct live *live_create(const struct live_spec *spec)
{
        struct live *live = calloc(1, sizeof(*live));
        struct lb_error err;
        int32_t all[LIVE_EDGE_MAX], owned[LIVE_WORKER_MAX];
        bool may_own_none[LIVE_WORKER_MAX];
        of_cores = live;
        live->runs = true;
        live->spec = *spec;
        live->job = make_job(spec);
        const struct lb_shape *shape = &live->job->shape;
        live->number = &shape->node_worker[shape->node_first[spec->node]];
        live->nworker = shape->node_first[spec->node + 1] - shape->node_first[spec->node];
        assert_in_range(live->nworker, 1, LIVE_WORKER_MAX);
        assert_int_equal(alloc_initial(shape, all, &err), 0);
        for (int32_t w = 0; w < live->nworker; w++) {
                owned[w] = all[live->number[w]];
                may_own_none[w] = job_may_own_none(live->job, live->number[w]);
                live->worker[w] = (struct live_worker){ .live = live, .number = w };
        }
        open_boards(live);
        for (int32_t w = 0; w < live->nworker; w++)
                open_worker(live, &live->worker[w], owned, may_own_none);
        turn_cores(live, owned);
        for (int32_t w = 0; w < live->nworker; w++)
                live->worker[w].ticket = board_ticket(live->worker[w].board);
        live_poll(live, &(struct live_view){ .now_ns = 0 }); /* notes where all begin */
        return live;
}

void live_destroy(struct live *live)
{
        for (int32_t w = 0; w < live->nworker; w++) {
                control_destroy(live->worker[w].control);
                cores_builtin.close(live->worker[w].cores);
                board_close(live->worker[w].board);
        }
        job_destroy(live->job);
        free(live);
}

void live_choose(struct live *live, const struct live_choice *choice, int32_t count)
{
        assert_in_range(count, 0, LIVE_CHOICE_MAX);
        memcpy(live->choice, choice, (size_t)count * sizeof(*choice));
        live->nchoice = count;
}

void live_wish(struct live *live, const struct live_wish *wish)
{
        memcpy(live->wish, wish, (size_t)live->spec.ncore * sizeof(*wish));
}

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
        of_cores = live;
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

static void settle_core(struct live_worker *w, int32_t core)
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
                        settle_core(w, c);
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
                        settle_core(w, c);
        for (int32_t i = 0; i < n; i++)
                settle_core(w, gained[i]);
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
static void wake(struct live *live, bool lent_only)
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
        wake(live, false);
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
                                settle_core(w, c);
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
                                        wake(live, true);
                        }
        for (int32_t rounds = 0, again = 1; again; rounds++) {
                again = 0;
                for (int32_t i = 0; i < live->nworker; i++)
                        if (is_due(&live->worker[i])) {
                                again = 1;
                                poll_worker(&live->worker[i]);
                                wake(live, true);
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
        settle_core(w, core);
        quiesce(live);
        w->early = ready - w->ready;
        return true;
}

/* ---- What there is ---- */

struct live_core live_core(const struct live *live, int32_t core)
{
        struct core c = look_at(live->worker[0].cores, core);
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
                        control_mail_arrived(live->worker[w].control, live->now_ns, mail->body,
                                             mail->bytes);
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
