/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Tasks: created by the apprank's main program, placed or held (ICPP'22 5.5),
 * sent with their data ahead of time, executed, reported back.
 *
 * - Tasks differ by where their data is, so an apprank's are counted by that place ("edge"):
 * created in proportion from all places, held apart, taken by a worker from its own place first.
 * - Control messages cost one network latency and wait for the receiver's next look (docs/facts.md
 *   O10); a task's data is requested from where it is when the task is assigned, overlapped with
 * execution.
 */
#include "sim/systems/offload/machine.h"

#include "base/apart.h"
#include "models/taskgraph.h"
#include "sim/systems/offload/inbox.h"
#include "sim/systems/offload/ready.h"

/*
 * A worker as its apprank sees it. What it does itself may be handled by another thread meanwhile,
 * and is in other lines of memory: of a helper's `w` only the inbox is touched here, but for its
 * count of tasks where looks are apart.
 */
struct seat {
        struct worker *w;
        int32_t apprank, place;
};

static inline struct seat seat_at(const struct machine *m, int32_t apprank, int32_t place)
{
        int32_t worker = m->edge_worker[m->apprank[apprank].first_edge + place];
        return (struct seat){ &m->worker[worker], apprank, place };
}

static struct seat seat_of(const struct machine *m, int32_t worker)
{
        int32_t edge = m->graph->node_edge[worker], apprank = m->graph->edge_apprank[edge];
        return (struct seat){ &m->worker[worker], apprank, edge - m->apprank[apprank].first_edge };
}

/* When a task is there, and its data, which is asked for at once from where it is. */
static int64_t way_ns(struct machine *m, struct way way, int64_t bytes, int64_t time_ns)
{
        int64_t arrival = time_ns + (way.to_home ? 0 : m->network.latency_ns);
        if (bytes == 0)
                return arrival;
        int64_t data = network_send(&m->network, way.from_node, way.to_node, bytes, time_ns);
        data += way.from_home ? 0 : m->network.latency_ns; /* home must ask first */
        measure_bytes(m, bytes);
        return data > arrival ? data : arrival;
}

/* Data goes to a worker, whose core copies it, where that is not done by hardware. */
static inline void copies(const struct machine *m, struct worker *w, int64_t bytes)
{
        w->debt_ns = network_owed_ns(&m->network, w->debt_ns, bytes);
}

static int64_t bytes_of(const struct machine *m, int32_t apprank, int64_t task)
{
        if (m->explicit)
                return (int64_t)m->explicit[apprank].graph->bytes[task];
        return m->apprank[apprank].task_bytes;
}

/*
 * An apprank's next task as messages and ready workers know it: its index where it is explicit, its
 * duration at speed 1 where it only lasts as long as no other. Durations are those of the order in
 * which tasks are placed, so that they are the same set in every system.
 */
static inline int64_t next_task(struct machine *m, struct apprank *a, int32_t apprank)
{
        int32_t task = a->next_task++;
        if (!m->drawn)
                return task;
        int64_t *block_ns = &m->block_ns[(int64_t)apprank * WORKLOAD_BLOCK];
        uint32_t at = (uint32_t)task % WORKLOAD_BLOCK;
        if (at == 0)
                workload_block_ns(m->spec->workload, apprank, m->iteration, task / WORKLOAD_BLOCK,
                                  block_ns);
        return block_ns[at];
}

/* ---- Of a part of the machine: what it does to others is put off ---- */

static LB_APART void post_message(struct machine *m, int32_t to, int64_t message, int64_t figures)
{
        const struct graph *g = m->graph;
        parts_post(m, &(struct post){ .time_ns = m->now_ns,
                                      .message = message,
                                      .figures = figures,
                                      .to = to,
                                      .way.to_node = g->edge_node[g->node_edge[to]],
                                      .kind = POST_MESSAGE });
}

static LB_APART void post_task(struct machine *m, struct seat to, int64_t task, int32_t from,
                               int64_t bytes)
{
        const int32_t *node = &m->graph->edge_node[m->apprank[to.apprank].first_edge];
        parts_post(m,
                   &(struct post){ .time_ns = m->now_ns,
                                   .message = task,
                                   .bytes = bytes,
                                   .to = (int32_t)(to.w - m->worker),
                                   .way = { node[from], node[to.place], from == 0, to.place == 0 },
                                   .kind = POST_TASK });
}

void tasks_post_leaves(struct machine *m, struct post *post)
{
        post->arrival_ns = post->kind == POST_TASK
                               ? way_ns(m, post->way, post->bytes, post->time_ns)
                               : post->time_ns + m->network.latency_ns;
}

void tasks_deliver(struct machine *m, const struct post *post)
{
        m->now_ns = post->time_ns;
        if (post->kind == POST_TASK)
                copies(m, &m->worker[post->to], post->bytes);
        inbox_send(m, &m->worker[post->to], post->arrival_ns, post->message, post->figures);
}

/* A task goes to a worker that it, or its data, is not at. */
static LB_APART void send_task(struct machine *m, struct seat to, int64_t task, int32_t from)
{
        const int32_t *worker = &m->edge_worker[m->apprank[to.apprank].first_edge];
        int64_t bytes = from == to.place ? 0 : bytes_of(m, to.apprank, task);
        if (to.place == 0 || !m->together)
                to.w->assigned++; /* else when it is there */
        machine_message(m, &m->worker[worker[0]]);
        if (m->outbox) {
                post_task(m, to, task, from, bytes);
                return;
        }
        copies(m, to.w, bytes);
        struct way way = { m->worker[worker[from]].node, to.w->node, from == 0, to.place == 0 };
        inbox_send(m, to.w, way_ns(m, way, bytes, m->now_ns), task, 0);
}

/* A task of its apprank's, whose data is with the worker at place `from`, goes to a worker for
 * good. */
static inline void hand_over(struct machine *m, struct apprank *a, int64_t task, int32_t from,
                             struct seat to)
{
        ++*apprank_known(a, KNOWN_TASKS, to.place);
        if (to.place == 0 && from == 0) {
                to.w->assigned++;
                ready_push(m, to.w, task);
        } else {
                send_task(m, to, task, from);
        }
}

/* The placement policy is asked: at the home of the apprank, which does it with its next task. */
static inline void asked(struct machine *m, int32_t apprank)
{
        if (m->place_cpu_ns == 0)
                return;
        m->worker[home_worker(m, apprank)].debt_ns += m->place_cpu_ns;
        m->charged.decision_ns += m->place_cpu_ns;
}

/* Where what an apprank's policy decides is written, NULL: nowhere; mostly known without a look at
 * the apprank. */
static inline struct decision_log *log_of(const struct machine *m, const struct apprank *a)
{
        return m->writes ? a->log : NULL;
}

/* What the policy is told beside the polled figures, those of the own process
 * (machine_know_own()) and what is held. */
static inline void look(const struct machine *m, struct apprank *a, enum place_occasion occasion)
{
        a->view.time_ns = m->now_ns;
        a->view.occasion = occasion;
        a->view.finished_ns = occasion == PLACE_FINISHED ? m->finished_ns : 0;
}

/* Newly ready tasks whose data is at one place. What one is told, the next would be told too. */
void tasks_place(struct machine *m, int32_t apprank, int32_t data_edge, int64_t count)
{
        struct apprank *a = &m->apprank[apprank];
        look(m, a, PLACE_READY);
        a->view.data_worker = data_edge - a->first_edge;
        for (; count > 0; count--) {
                int32_t to = 0; /* where there is but home, all are there, as live: none is held */
                if (a->nedge > 1 || m->spec->grow) {
                        to = ask_place(m->place, a->place_state, &a->view, log_of(m, a));
                        asked(m, apprank);
                }
                if (to == PLACE_HOLD)
                        break;
                if (!ask_place_is_right(&a->view, to)) {
                        machine_fail(m, "policy '%s': a task goes to place %d, there are %d",
                                     m->place->name, to, a->nedge);
                        break;
                }
                int64_t task = next_task(m, a, apprank);
                if (m->priced)
                        priced_assigned(m, apprank, a->first_edge + to, task);
                hand_over(m, a, task, a->view.data_worker, seat_at(m, apprank, to));
        }
        *apprank_known(a, KNOWN_HELD, a->view.data_worker) += (int32_t)count;
        for (int64_t i = 0; m->urgent && i < count; i++)
                urgent_hold(m, apprank, data_edge, a->next_task++);
        a->view.held_tasks += count;
        if (m->asks)
                asks_held(m, apprank);
}

void tasks_say(struct machine *m, int32_t from, int32_t to, int64_t message)
{
        machine_message(m, &m->worker[from]);
        tasks_tell(m, to, message, 0);
}

void tasks_tell(struct machine *m, int32_t to, int64_t message, int64_t figures)
{
        if (m->outbox)
                post_message(m, to, message, figures);
        else
                inbox_send(m, &m->worker[to], m->now_ns + m->network.latency_ns, message, figures);
}

/* No policy is asked: it goes home, where its data may not be. */
static void stay(struct machine *m, int32_t apprank, int32_t data_edge, int32_t task)
{
        struct apprank *a = &m->apprank[apprank];
        if (m->priced)
                priced_assigned(m, apprank, a->first_edge, task);
        hand_over(m, a, task, data_edge - a->first_edge, seat_at(m, apprank, 0));
}

void tasks_ready(struct machine *m, int32_t apprank, int32_t data_edge, int32_t task)
{
        struct apprank *a = &m->apprank[apprank];
        int64_t held = a->view.held_tasks;
        a->next_task = task;
        if (taskgraph_stays(m->explicit[apprank].graph, task)) {
                dependencies_assign(&m->explicit[apprank], task);
                stay(m, apprank, data_edge, task);
                return;
        }
        tasks_place(m, apprank, data_edge, 1);
        if (a->view.held_tasks > held && !m->urgent)
                dependencies_hold(m, apprank, data_edge, task);
        else if (a->view.held_tasks == held)
                dependencies_assign(&m->explicit[apprank], task);
}

/* The place a worker takes a held task from: its own, else the first that has any. */
static inline int32_t held_place(const struct apprank *a, int32_t place)
{
        const int32_t *held = apprank_known(a, KNOWN_HELD, 0);
        if (held[place] > 0)
                return place;
        for (int32_t p = 0; p < a->nedge; p++)
                if (held[p] > 0)
                        return p;
        return NONE;
}

/* One of those whose data is there. */
static inline void assign_held(struct machine *m, struct apprank *a, int32_t from, struct seat to)
{
        --*apprank_known(a, KNOWN_HELD, from);
        a->view.held_tasks--;
        if (m->numbered)
                a->next_task = dependencies_release(m, to.apprank, a->first_edge + from);
        hand_over(m, a, next_task(m, a, to.apprank), from, to);
}

/* The most urgent. */
static void assign_urgent(struct machine *m, struct apprank *a, struct seat to)
{
        int32_t from = urgent_held_edge(m, to.apprank, a->first_edge + to.place);
        --*apprank_known(a, KNOWN_HELD, from - a->first_edge);
        a->view.held_tasks--;
        int32_t task = urgent_release(m, to.apprank, from);
        if (m->explicit)
                dependencies_assign(&m->explicit[to.apprank], task);
        if (m->priced)
                priced_assigned(m, to.apprank, a->first_edge + to.place, task);
        hand_over(m, a, task, from - a->first_edge, to);
}

/* How many held tasks a worker may take. */
static inline int64_t ask_how_many(struct machine *m, struct apprank *a, struct seat of,
                                   enum place_occasion occasion)
{
        look(m, a, occasion);
        a->view.worker = of.place;
        int64_t count = ask_refill(m->place, a->place_state, &a->view, log_of(m, a));
        asked(m, of.apprank);
        if (count < 0)
                machine_fail(m, "policy '%s': place %d takes %lld held tasks, allowed is 0 or more",
                             m->place->name, of.place, (long long)count);
        return count;
}

static LB_APART void refill_urgent(struct machine *m, struct apprank *a, struct seat of,
                                   enum place_occasion occasion)
{
        if (m->priced) /* what the next one costs is told */
                urgent_held_edge(m, of.apprank, a->first_edge + of.place);
        int64_t count = ask_how_many(m, a, of, occasion);
        for (; count > 0 && a->view.held_tasks > 0; count--)
                assign_urgent(m, a, of);
}

/* A worker takes what held tasks it may. */
static inline void refill(struct machine *m, struct apprank *a, struct seat of,
                          enum place_occasion occasion)
{
        if (a->view.held_tasks == 0 && !(m->learns && occasion == PLACE_FINISHED))
                return;
        if (m->urgent) {
                refill_urgent(m, a, of, occasion);
                return;
        }
        int64_t count = ask_how_many(m, a, of, occasion);
        for (; count > 0 && a->view.held_tasks > 0; count--)
                assign_held(m, a, held_place(a, of.place), of);
}

int64_t tasks_refill(struct machine *m, int32_t worker, enum place_occasion occasion)
{
        struct seat of = seat_of(m, worker);
        struct apprank *a = &m->apprank[of.apprank];
        int64_t before = a->view.held_tasks;
        refill(m, a, of, occasion);
        a->view.asked_cores = 0;
        return before - a->view.held_tasks;
}

/* The one that would begin latest: its data is there. */
static int64_t take_waiting(struct machine *m, struct apprank *a, struct worker *home)
{
        int64_t task = ready_take_last(m, home);
        home->assigned--;
        --*apprank_known(a, KNOWN_TASKS, 0);
        return task;
}

/*
 * None is held, and a helper could begin a task now that waits at home. The policy is asked as if
 * those that wait were held still. Not while more are created, of which home is sent as many as
 * it has room for anyway; nor where it is known what tasks cost, as these have an order.
 */
int64_t tasks_give_waiting(struct machine *m, int32_t worker, int32_t cores)
{
        struct seat to = seat_of(m, worker);
        struct worker *home = &m->worker[home_worker(m, to.apprank)];
        struct apprank *a = &m->apprank[to.apprank];
        int32_t waiting = ready_count_free(m, home);
        if (waiting == 0 || a->view.held_tasks > 0 || a->created < a->ntask || m->priced)
                return 0;
        a->view.asked_cores = cores;
        a->view.held_tasks = waiting;
        *apprank_known(a, KNOWN_TASKS, 0) -= waiting;
        int64_t count = ask_how_many(m, a, to, PLACE_WAITING);
        *apprank_known(a, KNOWN_TASKS, 0) += waiting;
        a->view.held_tasks = 0;
        a->view.asked_cores = 0;
        count = count < waiting ? count : waiting;
        for (int64_t i = 0; i < count; i++)
                hand_over(m, a, take_waiting(m, a, home), 0, to);
        return count;
}

static inline void left(struct machine *m, struct seat of)
{
        --*apprank_known(&m->apprank[of.apprank], KNOWN_TASKS, of.place);
}

static inline void finished(struct machine *m, struct seat of)
{
        struct apprank *a = &m->apprank[of.apprank];
        refill(m, a, of, PLACE_FINISHED);
        if (--a->left == 0 && a->created == a->ntask)
                run_apprank_done(m, of.apprank);
}

void tasks_left(struct machine *m, const struct worker *w)
{
        left(m, seat_of(m, (int32_t)(w - m->worker)));
}

void tasks_finished(struct machine *m, struct worker *w)
{
        finished(m, seat_of(m, (int32_t)(w - m->worker)));
}

static LB_APART void learn_numbered(struct machine *m, struct worker *w, int32_t task)
{
        if (m->explicit && taskgraph_stays(m->explicit[w->apprank].graph, task))
                m->finished_ns = 0; /* no policy placed it */
        if (m->priced)
                priced_finished(m, w, task);
        tasks_left(m, w);
        if (m->explicit)
                dependencies_finish(m, w, task);
        tasks_finished(m, w);
}

/* As its home learns: a task of a worker took so long. */
static inline void learn(struct machine *m, struct seat of, int32_t task, int64_t executed_ns)
{
        m->finished_ns = executed_ns;
        if (m->numbered)
                learn_numbered(m, of.w, task);
        else {
                left(m, of);
                finished(m, of);
        }
}

static LB_APART void report(struct machine *m, struct worker *w, int32_t task, int64_t took_ns)
{
        machine_message(m, w);
        tasks_tell(m, w->home_worker, message_finished(w->edge, task), took_ns);
}

static LB_APART void time_task(struct machine *m, const struct worker *w, int64_t took_ns)
{
        int32_t *task_us = &m->task_us[w - m->worker];
        *task_us = node_task_us(*task_us, took_ns);
}

static inline void over(struct machine *m, struct worker *w, int32_t task, int64_t took_ns)
{
        if (w->home)
                learn(m, (struct seat){ w, w->apprank, 0 }, task, took_ns);
        else
                report(m, w, task, took_ns);
}

static LB_APART void finish_within(struct machine *m, struct worker *w, int32_t task,
                                   int64_t took_ns)
{
        if (!dependencies_goes_on(m, w, &task, &took_ns))
                over(m, w, task, took_ns);
}

void tasks_finish(struct machine *m, struct worker *w, const struct core *core)
{
        w->assigned--;
        w->executed_data++;
        if (m->times_tasks)
                time_task(m, w, core->task_ns);
        if (m->priced)
                priced_ran(m, w, core_task(m, core));
        if (m->wholes)
                finish_within(m, w, core_task(m, core), core->task_ns);
        else
                over(m, w, core_task(m, core), core->task_ns);
}

/* A message about no task. */
static LB_APART void hear(struct machine *m, struct worker *w, int64_t message, int64_t figures)
{
        enum message_says says = message_kind(message);
        if (says == MESSAGE_FIGURES || says == MESSAGE_HELD) {
                control_told(m, message, figures);
                return;
        }
        machine_message(m, w);
        asks_arrived(m, message);
}

static inline void receive(struct machine *m, struct worker *w, int64_t task, int64_t executed_ns)
{
        if (task >= 0) {
                machine_message(m, w);
                w->assigned += m->together && !w->home;
                ready_push(m, w, task);
                if (w->asking > 0)
                        asks_task_came(m, w);
        } else if (message_kind(task) == MESSAGE_FINISHED) {
                machine_message(m, w);
                int32_t place = message_edge(task) - m->apprank[w->apprank].first_edge;
                learn(m, seat_at(m, w->apprank, place), message_task(task), executed_ns);
        } else {
                hear(m, w, task, executed_ns);
        }
}

void tasks_inbox_event(struct machine *m, struct worker *w)
{
        struct inbox *inbox = &w->inbox;
        while (inbox->count > 0 && inbox->item[inbox->head].arrival_ns <= m->now_ns) {
                const struct message *first = &inbox->item[inbox->head];
                int64_t task = first->task, executed_ns = first->executed_ns;
                inbox->head = (inbox->head + 1) & (inbox->size - 1);
                inbox->count--;
                receive(m, w, task, executed_ns);
        }
        inbox_watch(m, w);
        worker_seek(m, w);
}
