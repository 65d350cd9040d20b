/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Ranks push tasks to each other (CHAMELEON): when, and what they tell each other. Which tasks to
 * which rank is the policy's (real/control/migrate.c).
 *
 *      number of tasks here changes --LOAD--> others: the policy is asked --TASK, data--> ...
 *
 * - There is no exchange that waits for all: a rank tells the others its load where that differs by
 *   more than NOISE from what it told last, and exchange_us have passed or it has nothing to do.
 *   With a count of tasks that have come from each, so that they know what is still on its way.
 * - Threads that begin tasks do so, and the transport's in its handlers, and where that was too
 *   soon after the last time, and tasks take long, the keeper when it is time: nobody polls.
 * - A taskwait ends when the caller's own tasks are complete, wherever they ran; a rank serves the
 *   tasks of others while it waits there or in MPI. In lbrun_stop() all wait for all.
 * - Who has not yet begun the taskwait that this rank is at, and has little left of the last one,
 *   will probably have all its tasks in a moment: nothing is pushed before all others have begun,
 *   as in CHAMELEON, where the first exchange of a taskwait is one of all ranks (docs/facts.md C1,
 *   C2). While this rank still creates tasks, what is little goes by how many it had last time: at
 *   first there are one or two. But not for long (grace.h), and once: who does not come is not
 *   waited for again until it has begun another one.
 * - A rank of one core can begin no task while its main program computes, and counts as loaded as
 *   who would push to it. If it waits, in MPI or for its own tasks, and others have tasks, it tells
 *   that it can, however many taskwaits each has had; and when it goes on, that it no longer can.
 */
#include <stdlib.h>
#include <string.h>

#include "real/runtime/grace.h"
#include "real/runtime/process.h"

enum { NOISE = 32 }; /* 1 / share of the load: less than what policies act upon */

struct load_message {
        int64_t load, outstanding;
        int64_t received;    /* tasks of the receiver, so far */
        int64_t begun, over; /* taskwaits of the main program */
        int32_t several;     /* cores for tasks */
        int32_t takes;       /* enum takes: or its main program waits */
};

/* NEXT: after the task that its main program executes. */
enum takes { TAKES_NONE, TAKES_NEXT, TAKES_NOW };

struct migration {
        int64_t exchange_ns, told_ns;
        struct control_load told;
        int64_t foreign; /* tasks of others that are here */
        int64_t begun, begun_told, over_told;
        enum takes takes_told;
        int64_t usual;    /* own tasks, unfinished as the last taskwait began */
        int64_t came;     /* tasks of others, since it told its load */
        int64_t over;     /* taskwaits that have ended; and since: */
        bool pushes;      /* all have begun the next one, or are not waited for */
        int64_t since_ns; /* there are tasks; 0: none yet */
        int64_t due_ns;   /* when the keeper is to look; 0: others will */
        /* by apprank: */
        struct load_message *heard; /* the last one */
        int64_t *missed;            /* as many taskwaits as it had begun when it did not come */
        int64_t *sent, *received, *under_way;
        int32_t *sending; /* messages whose data has not left, and: */
        int32_t *holds;   /* copies there that were cancelled and may still run */
};

void migrate_start(struct process *p)
{
        struct migration *m = calloc(1, sizeof(*m));
        size_t n = (size_t)p->job->napprank;
        int64_t *counts = calloc(4 * n, sizeof(*counts));
        if (!m || !counts || !(m->sending = calloc(2 * n, sizeof(*m->sending))) ||
            !(m->heard = calloc(n, sizeof(*m->heard))))
                fail("lbrun_start", "out of memory");
        m->sent = counts;
        m->missed = counts + n;
        m->received = counts + 2 * n;
        m->under_way = counts + 3 * n;
        for (size_t i = 0; i < n; i++)
                m->missed[i] = -1;
        m->holds = m->sending + n;
        m->exchange_ns = (int64_t)(p->job->param[JOB_EXCHANGE_US] * 1e3);
        p->migration = m;
        replicate_start(p);
}

void migrate_stop(struct process *p)
{
        if (!p->migration)
                return;
        free(p->migration->sent);
        free(p->migration->sending);
        free(p->migration->heard);
        free(p->migration);
        p->migration = NULL;
        replicate_stop(p);
}

static int32_t apprank_of(const struct process *p, int32_t rank)
{
        return p->job->shape.worker_apprank[p->job->rank_worker[rank]];
}

static int32_t cores_for_tasks(const struct process *p)
{
        return p->self->owned - (p->comm_core >= 0);
}

bool migrate_has_one_core(const struct process *p)
{
        return p->migration && cores_for_tasks(p) <= 1;
}

bool migrate_is_awaited(const struct process *p)
{
        return p->migration->foreign > 0;
}

/* Who waits for its children needs no core: they are counted. */
static int64_t not_begun(const struct process *p)
{
        return p->here - p->begun;
}

/* What is here and is nobody's to take: received tasks, and own ones that stay. */
static struct migrate_local local_of(const struct process *p)
{
        int64_t sent = 0;
        for (int32_t place = 1; place < p->nplace; place++)
                sent += p->tasks[place];
        return (struct migrate_local){
                .nthread = cores_for_tasks(p),
                .queued = p->nheld,
                .copies = replicate_own(p),
                .received = not_begun(p),
                .running = p->useful_running,
                .sent = sent,
        };
}

/* ---- Telling ---- */

static bool others_have_tasks(const struct process *p)
{
        bool have = false;
        for (int32_t i = 0; !have && i < p->job->napprank; i++)
                have = p->migration->heard[i].load > 0;
        return have;
}

static bool main_waits_for_tasks(const struct process *p)
{
        const struct migration *m = p->migration;
        return p->main_waits || (m->begun > m->over && p->root.unfinished > 0);
}

static bool has_core_for_them(const struct process *p)
{
        return cores_for_tasks(p) > 1 || p->main_thread.core < 0;
}

/* When would a task that came now begin? */
static enum takes takes_now(const struct process *p)
{
        if (has_core_for_them(p))
                return TAKES_NOW;
        return main_waits_for_tasks(p) ? TAKES_NEXT : TAKES_NONE;
}

/* What others think, or what is, where that makes no difference: what was told within a taskwait is
 * believed until something else is told, see takes(). */
static enum takes is_believed(const struct process *p, enum takes now)
{
        const struct migration *m = p->migration;
        bool is_old = m->over_told != m->over && cores_for_tasks(p) == 1;
        if (now == TAKES_NONE)
                return m->begun_told > m->over_told ? TAKES_NEXT : m->takes_told;
        return is_old ? TAKES_NONE : now < m->takes_told ? now : m->takes_told;
}

static bool is_taking_news(const struct process *p)
{
        enum takes now = takes_now(p);
        return now != is_believed(p, now) && others_have_tasks(p);
}

static bool is_news(const struct process *p, const struct control_load *load)
{
        const struct migration *m = p->migration;
        int64_t more = llabs(load->load - m->told.load) + m->came;
        return more > m->told.load / NOISE || m->begun > m->begun_told ||
               (load->outstanding == 0) != (m->told.outstanding == 0) || is_taking_news(p);
}

static void tell(struct process *p, const struct control_load *load, int64_t now)
{
        struct migration *m = p->migration;
        m->told = *load;
        m->told_ns = now;
        m->begun_told = m->begun;
        m->over_told = m->over;
        m->takes_told = takes_now(p);
        control_load_told(p->control, p->apprank, load);
        m->came = 0;
        for (int32_t place = 1; place < p->nplace; place++) {
                int32_t rank = place_rank(p, place);
                struct load_message message = { .load = load->load,
                                                .outstanding = load->outstanding,
                                                .received = m->received[apprank_of(p, rank)],
                                                .begun = m->begun,
                                                .over = m->over,
                                                .several = cores_for_tasks(p) > 1,
                                                .takes = m->takes_told };
                struct transport_post post = { .destination = rank,
                                               .kind = MESSAGE_LOAD,
                                               .body = &message,
                                               .body_bytes = sizeof(message) };
                transport_post(p->transport, &post);
        }
}

/* ---- Pushing ---- */

static int64_t task_ns(const struct process *p)
{
        return (int64_t)p->self->task_us * 1000;
}

static int64_t expected(const struct process *p)
{
        const struct migration *m = p->migration;
        return grace_expected(p->nheld, m->usual, m->begun == m->over);
}

static int64_t patience_ns(const struct process *p)
{
        return grace_ns(task_ns(p), expected(p), p->ncore);
}

/* Will it have all its tasks in a moment? */
static bool is_to_come(const struct process *p, int32_t apprank)
{
        const struct migration *m = p->migration;
        const struct load_message *heard = &m->heard[apprank];
        bool is_behind = heard->over < m->over &&
                         grace_is_behind(task_ns(p), heard->outstanding, expected(p), p->ncore);
        return heard->begun <= m->over && !is_behind && heard->begun != m->missed[apprank];
}

static bool all_have_come(const struct process *p)
{
        bool come = true;
        for (int32_t i = 0; come && i < p->job->napprank; i++)
                come = i == p->apprank || !is_to_come(p, i);
        return come;
}

static void forgo_missing(struct process *p)
{
        struct migration *m = p->migration;
        for (int32_t i = 0; i < p->job->napprank; i++)
                if (is_to_come(p, i))
                        m->missed[i] = m->heard[i].begun;
}

static bool may_push(struct process *p, int64_t now)
{
        struct migration *m = p->migration;
        m->since_ns = m->since_ns ? m->since_ns : now;
        if (m->pushes)
                return true;
        m->pushes = all_have_come(p);
        if (!m->pushes && now - m->since_ns >= patience_ns(p)) {
                forgo_missing(p);
                m->pushes = true;
        }
        return m->pushes;
}

/*
 * Could it begin a task soon? Who told it within a taskwait and has nothing left there has gone on;
 * if that is the one that is waited for here, probably to a wait in MPI.
 */
static bool takes(const struct migration *m, const struct load_message *heard)
{
        bool waited = heard->begun > heard->over, is_old = waited && heard->takes;
        return heard->several || (waited && heard->begun > m->over) ||
               (is_old ? heard->outstanding > 0 : heard->takes);
}

static int32_t place_of(const struct process *p, int32_t apprank)
{
        int32_t n = p->job->napprank;
        return (apprank - p->apprank + n) % n;
}

static void push(struct process *p, const struct migrate_move *move)
{
        struct migration *m = p->migration;
        int32_t place = place_of(p, move->rank);
        for (int64_t i = 0; i < move->ntask && place_send_held(p, place); i++)
                m->sent[move->rank]++;
}

static void replicate(struct process *p, const struct migrate_move *move)
{
        int32_t place = place_of(p, move->rank);
        for (int64_t i = 0; i < move->ntask && place_copy_held(p, place); i++)
                continue;
}

/*
 * What is on its way to a rank; one that takes none counts as loaded as this one, nearly: not more,
 * or it would have this one's place before those that take. The task that a main program executes
 * in a wait of its own counts: who is free comes first.
 */
static int64_t under_way(const struct migration *m, int32_t apprank)
{
        const struct load_message *heard = &m->heard[apprank];
        int64_t load = m->told.load;
        int64_t sent = m->sent[apprank] - heard->received;
        sent += heard->takes == TAKES_NEXT && heard->begun <= m->over;
        return sent + heard->load < load && !takes(m, heard) ? load - 1 - heard->load : sent;
}

/* Where a copy that is in vain may still run, or none is taken, nothing goes, whatever the policy
 * wants. */
static void decide(struct process *p, bool replicates, const struct migrate_local *local,
                   int64_t now)
{
        struct migration *m = p->migration;
        const struct migrate_move *move;
        for (int32_t i = 0; i < p->job->napprank; i++)
                m->under_way[i] = i == p->apprank ? 0 : under_way(m, i);
        int32_t nmove =
            control_migrate(p->control, now, replicates, local, m->under_way, m->sending, &move);
        for (int32_t i = 0; i < nmove; i++) {
                int32_t to = move[i].rank;
                if (m->holds[to] == 0 && (replicates || takes(m, &m->heard[to])))
                        (replicates ? replicate : push)(p, &move[i]);
        }
}

static void look(struct process *p, bool tells, int64_t now)
{
        struct migration *m = p->migration;
        struct migrate_local local = local_of(p);
        struct control_load load =
            control_load(p->control, &local, p->root.unfinished + p->nested + m->foreign);
        if (tells && is_news(p, &load))
                tell(p, &load, now);
        if (p->nheld > 0 && may_push(p, now))
                decide(p, false, &local, now);
}

/* Where tasks take long, nothing else may make it look: the keeper does. Not if it is the keeper.
 */
static void look_at(struct process *p, int64_t at_ns, bool wakes)
{
        enum { LONG = 8 };
        struct migration *m = p->migration;
        bool is_short = p->self->task_us * INT64_C(1000) < LONG * m->exchange_ns;
        if ((is_short && !is_taking_news(p)) || (m->due_ns != 0 && m->due_ns <= at_ns))
                return;
        m->due_ns = at_ns;
        if (wakes)
                board_wake(p->board, p->local);
}

void migrate_look(struct process *p, bool at_once)
{
        struct migration *m = p->migration;
        if (!m || p->stopping)
                return;
        int64_t now = now_ns();
        bool idle = p->nheld + not_begun(p) + p->useful_running == 0 && m->told.load > 0;
        if (at_once || idle || now - m->told_ns >= m->exchange_ns)
                look(p, true, now);
        else
                look_at(p, m->told_ns + m->exchange_ns, true);
}

void migrate_waits(struct process *p)
{
        if (p->migration && is_taking_news(p))
                migrate_look(p, false);
}

static void look_when_over(struct process *p, bool wakes)
{
        struct migration *m = p->migration;
        if (m->begun > m->over && p->nheld > 0 && !m->pushes)
                look_at(p, m->since_ns + patience_ns(p), wakes);
}

void migrate_begin(struct process *p)
{
        if (!p->migration)
                return;
        p->migration->begun++;
        p->migration->usual = p->root.unfinished;
        migrate_look(p, true);
        look_when_over(p, true);
}

void migrate_end(struct process *p)
{
        struct migration *m = p->migration;
        if (!m)
                return;
        m->over++;
        m->pushes = false;
        m->since_ns = m->due_ns = 0;
        migrate_waits(p);
}

int64_t migrate_due_ns(const struct process *p)
{
        return p->migration ? p->migration->due_ns : 0;
}

void migrate_poll(struct process *p)
{
        struct migration *m = p->migration;
        int64_t now = now_ns();
        if (!m || m->due_ns == 0 || now < m->due_ns)
                return;
        m->due_ns = 0;
        if (p->stopping)
                return;
        look(p, true, now);
        look_when_over(p, false);
}

void migrate_replicate(struct process *p)
{
        if (!p->migration || p->nheld == 0)
                return;
        struct migrate_local local = local_of(p);
        decide(p, true, &local, now_ns());
}

/* ---- Messages ---- */

void migrate_on_load(void *user, const struct transport_message *message)
{
        struct process *p = user;
        struct load_message told;
        if (!p->migration)
                message_refuse(message);
        message_read(message, &told, sizeof(told));
        lock(p);
        struct migration *m = p->migration;
        int32_t apprank = apprank_of(p, message->source);
        struct control_load load = { told.load, told.outstanding };
        m->heard[apprank] = told;
        control_load_told(p->control, apprank, &load);
        int64_t now = now_ns();
        if (p->nheld > 0 && !p->stopping)
                look(p, now - m->told_ns >= m->exchange_ns, now);
        else
                migrate_waits(p);
        unlock(p);
}

void migrate_arrived(struct process *p, int32_t rank)
{
        if (!p->migration)
                return;
        p->migration->received[apprank_of(p, rank)]++;
        p->migration->came++;
        p->migration->foreign++;
        if (p->nidle == 0) /* else somebody takes it now */
                migrate_look(p, false);
}

void migrate_left(struct process *p)
{
        if (p->migration)
                p->migration->foreign--;
}

void migrate_copies(struct process *p, int32_t change)
{
        p->migration->foreign += change;
        migrate_look(p, false);
}

void migrate_hold(struct process *p, int32_t rank, int32_t change)
{
        int32_t apprank = apprank_of(p, rank);
        p->migration->holds[apprank] += change;
        p->migration->sending[apprank] += change;
        migrate_look(p, false);
}

void migrate_post(struct process *p, struct transport_post *post)
{
        int32_t *sending = NULL;
        if (p->migration && post->data)
                sending = &p->migration->sending[apprank_of(p, post->destination)];
        post->sent_argument = sending;
        post->data_stays = true; /* the task needs it as it is, and has not begun there */
        if (sending)
                ++*sending;
        if (transport_post(p->transport, post) && sending)
                --*sending;
}

void migrate_on_sent(void *user, void *argument)
{
        struct process *p = user;
        if (!argument)
                return;
        lock(p);
        --*(int32_t *)argument;
        if (p->nheld > 0)
                migrate_look(p, false);
        unlock(p);
}
