/* SPDX-License-Identifier: BSD-3-Clause */
#include "sim/systems/offload/parts.h"

#include <stdlib.h>
#include <string.h>

#include "base/apart.h"
#include "policies/plugged.h"
#include "sim/engine/team.h"
#include "sim/systems/offload/event.h"
#include "sim/systems/offload/machine.h"

/*
 * A window costs three rounds of the team, some microseconds, and an event some hundred
 * nanoseconds: with fewer events than this in a window (tests/bench/run prints how it goes) one
 * thread is as fast.
 */
enum { WINDOW_EVENTS = 200 };

struct outbox {
        struct post *post;
        int64_t count, room;
        int64_t next;    /* to be delivered */
        int32_t undone;  /* appranks of the part in this iteration */
        int64_t done_ns; /* when the last of them was done */
        struct lb_error err;
};

/* What was put off for a part's nodes, in order of time. */
struct due {
        const struct post **post;
        int64_t count, room;
};

struct part {
        _Alignas(CACHE_LINE) struct machine m;
        struct outbox outbox;
        struct due due;
        int32_t first_node, end_node, first_apprank, end_apprank;
        int64_t nevent;
};

struct parts {
        struct machine *m; /* the whole */
        int32_t count;
        struct part *part; /* [count] */
        int32_t *of_node;  /* [nnode] */
        struct team *team;
        int64_t until_ns; /* how far parts go, that time included */
};

/* ---- Putting off ---- */

/* Room for more than `*room` entries of a list, where it then is; NULL: there is none. */
static LB_APART void *grow(struct machine *m, void *list, int64_t *room, size_t size)
{
        int64_t more = *room ? 2 * *room : 1024;
        void *larger = realloc(list, (size_t)more * size);
        if (larger)
                *room = more;
        else
                machine_fail(m, "out of memory for messages");
        return larger;
}

static bool make_room(struct machine *m, struct outbox *o)
{
        if (o->count < o->room)
                return true;
        struct post *post = grow(m, o->post, &o->room, sizeof(*post));
        o->post = post ? post : o->post;
        return post != NULL;
}

void parts_post(struct machine *m, const struct post *post)
{
        struct outbox *outbox = m->outbox;
        if (!make_room(m, outbox))
                return;
        outbox->post[outbox->count++] = *post;
        if (post->kind == POST_DONE) {
                outbox->undone--;
                outbox->done_ns = post->time_ns;
        }
}

static bool make_room_due(struct machine *m, struct due *due)
{
        if (due->count < due->room)
                return true;
        const struct post **post = grow(m, due->post, &due->room, sizeof(*post));
        due->post = post ? post : due->post;
        return post != NULL;
}

static void pass_on(struct parts *all, struct post *post)
{
        if (post->kind == POST_DONE) {
                all->m->now_ns = post->time_ns;
                run_apprank_done(all->m, post->to);
                return;
        }
        struct due *due = &all->part[all->of_node[post->way.to_node]].due;
        tasks_post_leaves(all->m, post);
        if (make_room_due(all->m, due))
                due->post[due->count++] = post;
}

/* The part whose next post is the earliest; of those at one time that of the first nodes. NULL:
 * nothing is left. */
static struct outbox *earliest(const struct parts *all)
{
        struct outbox *first = NULL;
        int64_t first_ns = INT64_MAX;
        for (int32_t p = 0; p < all->count; p++) {
                struct outbox *o = &all->part[p].outbox;
                if (o->next < o->count && o->post[o->next].time_ns < first_ns) {
                        first = o;
                        first_ns = o->post[o->next].time_ns;
                }
        }
        return first;
}

/* Which workers are next is known: their memory is there by then. */
static inline void ask_ahead(const struct machine *m, const struct due *due, int64_t at)
{
        enum { AHEAD = 8 };
        if (at + AHEAD < due->count)
                __builtin_prefetch(&m->worker[due->post[at + AHEAD]->to].inbox);
}

static void take_due(void *user, int32_t member)
{
        struct part *p = &((struct parts *)user)->part[member];
        for (int64_t i = 0; i < p->due.count; i++) {
                ask_ahead(&p->m, &p->due, i);
                tasks_deliver(&p->m, p->due.post[i]);
        }
        p->due.count = 0;
}

/* What was put off, in the order in which it would have been done. */
static void deliver_all(struct parts *all)
{
        enum { SHARED = 64 }; /* fewer are sooner done than others asked */
        int64_t count = 0;
        struct outbox *o;
        while ((o = earliest(all))) {
                pass_on(all, &o->post[o->next++]);
                count++;
        }
        if (count >= SHARED)
                team_do(all->team, take_due, all);
        for (int32_t p = 0; p < all->count; p++) {
                take_due(all, p); /* of few, or none is left */
                all->part[p].outbox.count = all->part[p].outbox.next = 0;
        }
}

/* ---- What parts do ---- */

/* Until the limit; `pauses`: or until its appranks are done. */
static void handle(struct part *p, int64_t until_ns, bool pauses)
{
        struct machine *m = &p->m;
        while (!m->failed && !(pauses && p->outbox.undone == 0)) {
                if (m->looks_ahead)
                        ahead_ask(m);
                uint64_t key = queue_next(&m->queue);
                if (key == QUEUE_IDLE || queue_time(&m->queue, key) > until_ns)
                        break;
                queue_take(&m->queue);
                m->now_ns = queue_time(&m->queue, key);
                p->nevent++;
                event_of_node(m, queue_slot(&m->queue, key));
                event_over(m);
        }
}

static void handle_undone(void *user, int32_t member)
{
        struct parts *all = user;
        handle(&all->part[member], all->until_ns, true);
}

static void handle_done(void *user, int32_t member)
{
        struct parts *all = user;
        if (all->part[member].outbox.undone == 0)
                handle(&all->part[member], all->until_ns, false);
}

static void begin(void *user, int32_t member)
{
        struct part *p = &((struct parts *)user)->part[member];
        queue_rebase(&p->m.queue, p->m.now_ns);
        for (int32_t a = p->first_apprank; a < p->end_apprank; a++)
                tasks_begin(&p->m, a);
}

/* The whole's, but for what a part has of its own. */
static void share_machine(struct parts *all, struct part *p)
{
        struct machine own = p->m;
        p->m = *all->m;
        p->m.queue = own.queue;
        p->m.messages = own.messages;
        p->m.ready = own.ready;
        p->m.totals = own.totals;
        p->m.charged = own.charged;
        p->m.parts = all;
        p->m.outbox = &p->outbox;
        p->m.err = &p->outbox.err;
        p->m.failed |= own.failed;
}

/* What changes with what concerns all nodes. */
static void follow(struct part *p)
{
        const struct machine *m = p->m.parts->m;
        p->m.now_ns = m->now_ns;
        p->m.iteration = m->iteration;
        p->m.iteration_ns = m->iteration_ns;
        p->m.has_published = m->has_published;
}

void parts_begin(struct machine *m)
{
        struct parts *all = m->parts;
        for (int32_t p = 0; p < all->count; p++) {
                struct part *part = &all->part[p];
                follow(part);
                part->outbox.undone = part->end_apprank - part->first_apprank;
        }
        team_do(all->team, begin, all);
        deliver_all(all);
}

/* ---- The whole ---- */

/* What parts have counted. */
static void gather(struct parts *all)
{
        struct totals *to = &all->m->totals;
        struct charged *charged = &all->m->charged;
        for (int32_t p = 0; p < all->count; p++) {
                struct machine *m = &all->part[p].m;
                to->useful_ns += m->totals.useful_ns;
                to->work_ns += m->totals.work_ns;
                to->bytes += m->totals.bytes;
                to->moved_cores += m->totals.moved_cores;
                to->decisions += m->totals.decisions;
                charged->messages += m->charged.messages;
                charged->poll_ns += m->charged.poll_ns;
                charged->decision_ns += m->charged.decision_ns;
                m->totals = (struct totals){ 0 };
                m->charged = (struct charged){ 0 };
        }
}

/* The first that failed, by simulated time, is why the whole does. */
static bool failed(struct parts *all)
{
        const struct part *first = NULL;
        for (int32_t p = 0; p < all->count; p++) {
                const struct part *part = &all->part[p];
                if (part->m.failed && (!first || part->m.now_ns < first->m.now_ns))
                        first = part;
        }
        if (first && !all->m->failed) {
                *all->m->err = first->outbox.err;
                all->m->failed = true;
        }
        return all->m->failed;
}

static int64_t next_of_nodes_ns(const struct parts *all)
{
        int64_t next = INT64_MAX;
        for (int32_t p = 0; p < all->count; p++) {
                const struct queue *queue = &all->part[p].m.queue;
                uint64_t key = queue_next(queue);
                if (key != QUEUE_IDLE && queue_time(queue, key) < next)
                        next = queue_time(queue, key);
        }
        return next;
}

static int32_t undone(const struct parts *all)
{
        int32_t sum = 0;
        for (int32_t p = 0; p < all->count; p++)
                sum += all->part[p].outbox.undone;
        return sum;
}

static bool any_is_done(const struct parts *all)
{
        for (int32_t p = 0; p < all->count; p++)
                if (all->part[p].outbox.undone == 0)
                        return true;
        return false;
}

static int64_t last_done_ns(const struct parts *all)
{
        int64_t last = 0;
        for (int32_t p = 0; p < all->count; p++)
                if (all->part[p].outbox.done_ns > last)
                        last = all->part[p].outbox.done_ns;
        return last;
}

/* All events of nodes until then, that time included, or until the iteration's last apprank is
 * done. */
static void window(struct parts *all, int64_t until_ns)
{
        bool runs = undone(all) > 0;
        all->until_ns = until_ns;
        if (runs)
                team_do(all->team, handle_undone, all);
        if (runs && undone(all) == 0)
                all->until_ns = last_done_ns(all);
        if (any_is_done(all))
                team_do(all->team, handle_done, all);
        deliver_all(all);
}

/* Of what concerns all nodes; INT64_MAX: none. */
static int64_t next_of_all_ns(const struct machine *m)
{
        uint64_t key = queue_top(&m->queue);
        return key == QUEUE_IDLE ? INT64_MAX : queue_time(&m->queue, key);
}

/* Events of a part's nodes, into its queue or back into that of the whole. */
static void move_events(const struct part *p, struct queue *from, struct queue *to)
{
        const struct machine *m = &p->m;
        for (int32_t n = p->first_node; n < p->end_node; n++)
                for (int32_t s = n * m->stride; s <= node_slot(m, n); s++)
                        queue_move(from, to, s);
}

/* Helpers come or go: other workers, in other arrays, with other events. */
static bool change_helpers(struct parts *all)
{
        struct machine *m = all->m;
        for (int32_t p = 0; p < all->count; p++) {
                queue_rebase(&all->part[p].m.queue, m->now_ns);
                move_events(&all->part[p], &all->part[p].m.queue, &m->queue);
        }
        bool more = run_machine_event(m, SLOT_GROW);
        queue_rebase(&m->queue, m->now_ns);
        for (int32_t p = 0; p < all->count; p++) {
                share_machine(all, &all->part[p]);
                move_events(&all->part[p], &m->queue, &all->part[p].m.queue);
        }
        return more;
}

/* False when the last iteration is over. */
static bool event_of_all(struct parts *all)
{
        struct machine *m = all->m;
        uint64_t key = queue_top(&m->queue);
        int32_t what = queue_slot(&m->queue, key) - m->first_machine_slot;
        m->now_ns = queue_time(&m->queue, key);
        gather(all);
        bool more = what == SLOT_GROW && helpers_change(m) ? change_helpers(all)
                                                           : run_machine_event(m, what);
        event_over(m);
        for (int32_t p = 0; p < all->count; p++)
                follow(&all->part[p]);
        return more;
}

int64_t parts_loop(struct machine *m)
{
        struct parts *all = m->parts;
        int64_t nevent = 0, look_ns = m->message_poll_ns;
        for (bool more = true; more && !failed(all) && !run_asked_to_stop(m);) {
                int64_t nodes_ns = next_of_nodes_ns(all), all_ns = next_of_all_ns(m);
                if (nodes_ns == INT64_MAX && all_ns == INT64_MAX) {
                        machine_fail(m, "no event is pending although tasks are left");
                } else if (all_ns < nodes_ns) {
                        nevent++;
                        more = event_of_all(all);
                } else {
                        int64_t end_ns = (nodes_ns / look_ns + 1) * look_ns - 1;
                        window(all, end_ns < all_ns ? end_ns : all_ns);
                }
        }
        gather(all);
        for (int32_t p = 0; p < all->count; p++)
                nevent += all->part[p].nevent;
        return nevent;
}

/* ---- Life ---- */

static bool is_plugged(const struct sim_spec *spec)
{
        for (int i = 0; plugged_at(i); i++) {
                const struct lb_plugin *plugin = plugged_at(i)->plugin;
                if ((plugin->alloc && plugin->alloc == spec->alloc) ||
                    (plugin->lend && plugin->lend == spec->lend) ||
                    (plugin->place && plugin->place == spec->place))
                        return true;
        }
        return false;
}

/* Events in a look's time, by how long tasks last. */
static double window_events(const struct machine *m)
{
        double task = 0, work_ns = 0;
        for (int32_t a = 0; a < m->napprank; a++) {
                task += (double)m->work[a].ntask;
                work_ns += (double)m->work[a].ntask * (double)m->work[a].task_ns;
        }
        double cores = (double)m->nnode * m->ncore;
        return work_ns > 0 ? cores * (double)m->message_poll_ns * task / work_ns : 0;
}

/* Why the machine is not divided, or NULL. */
static const char *why_whole(const struct machine *m)
{
        const struct sim_spec *spec = m->spec;
        if (!m->together)
                return "workers look for messages at times of their own (runtime.looks=apart)";
        if (m->message_poll_ns == 0)
                return "messages are seen at once (runtime.message_poll_us=0)";
        if (m->numbered)
                return "tasks wait for each other, or say what they cost";
        if (spec->trace || spec->watch || m->writes)
                return "it is traced, or its decisions are written";
        if (is_plugged(spec))
                return "a policy is a plugin";
        if (m->nnode < 2)
                return "there is one node";
        if (window_events(m) < WINDOW_EVENTS && !spec->divides_always)
                return "between two looks for messages too little happens: more threads would not "
                       "make it faster";
        return NULL;
}

static int make_part(struct parts *all, int32_t number, struct lb_error *err)
{
        struct machine *m = all->m;
        struct part *p = &all->part[number];
        share_machine(all, p);
        p->first_node = (int32_t)((int64_t)m->nnode * number / all->count);
        p->end_node = (int32_t)((int64_t)m->nnode * (number + 1) / all->count);
        if (queue_init(&p->m.queue, m->first_machine_slot + NSLOT_MACHINE, err) < 0)
                return -1;
        move_events(p, &m->queue, &p->m.queue);
        for (int32_t n = p->first_node; n < p->end_node; n++)
                all->of_node[n] = number;
        return 0;
}

/* Who is at home where: appranks are numbered node by node. */
static void give_appranks(struct parts *all)
{
        const struct machine *m = all->m;
        int32_t a = 0;
        for (int32_t p = 0; p < all->count; p++) {
                struct part *part = &all->part[p];
                part->first_apprank = a;
                while (a < m->napprank && m->worker[home_worker(m, a)].node < part->end_node)
                        part->outbox.undone += m->apprank[a++].left > 0;
                part->end_apprank = a;
        }
}

static int fill(struct parts *all, struct lb_error *err)
{
        struct machine *m = all->m;
        bool no_memory = false;
        all->part = memory_zeroed((size_t)all->count, sizeof(*all->part), &no_memory);
        all->of_node = calloc((size_t)m->nnode, sizeof(*all->of_node));
        if (no_memory || !all->of_node)
                return lb_error_fail(err, "out of memory for %d threads", all->count);
        for (int32_t p = 0; p < all->count; p++)
                if (make_part(all, p, err) < 0)
                        return -1;
        give_appranks(all);
        return 0;
}

static void say_undivided(const struct sim_spec *spec, const char *why)
{
        if (spec->undivided)
                __atomic_store_n(spec->undivided, why, __ATOMIC_RELAXED);
}

int parts_create(struct machine *m, struct lb_error *err)
{
        const struct sim_spec *spec = m->spec;
        if (spec->threads < 2)
                return 0;
        const char *why = why_whole(m);
        if (why) {
                say_undivided(spec, why);
                return 0;
        }
        struct parts *all = calloc(1, sizeof(*all));
        if (!all)
                return lb_error_fail(err, "out of memory for %d threads", spec->threads);
        m->parts = all;
        all->m = m;
        all->count = spec->threads < m->nnode ? spec->threads : m->nnode;
        all->team = team_create(all->count, err);
        if (all->team)
                return fill(all, err);
        parts_destroy(m);
        say_undivided(spec, "no more threads can be started");
        *err = (struct lb_error){ .kind = LB_ERROR_NONE };
        return 0;
}

void parts_destroy(struct machine *m)
{
        struct parts *all = m->parts;
        if (!all)
                return;
        team_destroy(all->team);
        for (int32_t p = 0; all->part && p < all->count; p++) {
                struct part *part = &all->part[p];
                queue_finish(&part->m.queue);
                memory_finish(&part->m.messages);
                memory_finish(&part->m.ready);
                free(part->outbox.post);
                free(part->due.post);
        }
        free(all->part);
        free(all->of_node);
        free(all);
        m->parts = NULL;
}
