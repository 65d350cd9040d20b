/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The tasks of an apprank as they were, each with what it comes after, for lbsim to simulate
 * (--tasks, models/taskgraph.h).
 *
 * - A task is a node. One that creates tasks is several, which run where the first does: what it
 *   had done before a child was
 *   created comes before the child, what it does after a wait comes after what it waited for, and
 *   the last one is its end, which others wait for. Parts shorter than RECORD_PART_NS are not told
 * apart.
 *
 *       part -+-> part -+-> part after the wait --> end
 *             |         |    ^                       ^
 *             +-> child-|----+                       |
 *                       +-> child, not waited for ---+
 *
 *   So do its children; those of a task that touches data weakly, which stays, may go elsewhere.
 * - A wait of the main program, too, is a node, that lasts nothing, where tasks are created after
 *   it, and so is what it does itself (record_main.c).
 * - Of a task that ran elsewhere with children it is known how long it and they took, and their
 *   longest chain: it is as many children, side by side, as the one is longer than the other.
 * - Durations are at speed 1. Of each iteration there is one graph; the last ones are kept.
 */
#include "real/runtime/record.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- Nodes ---- */

/* Of the runtime's own, too, which last nothing: at home, unless it is said that it may go, or with
 * the task that it is within. Parts go on before other tasks begin (thread.c). */
static int32_t add_node(struct record *r, int32_t within)
{
        struct record_graph *g = &r->now;
        struct record_node *node = record_grown(g->node, g->nnode, &g->node_room, sizeof(*node));
        if (!node || g->nnode == RECORD_NODE_MAX) {
                g->node = node ? node : g->node;
                record_give_up(r, node ? RECORD_MANY : RECORD_MEMORY);
                return 0;
        }
        g->node = node;
        node[g->nnode++] = (struct record_node){
                .stays = within == 0, .priority = INT32_MAX, .end = g->nnode, .within = within
        };
        return g->nnode;
}

static struct record_node *node_at(struct record *r, int32_t number)
{
        return &r->now.node[number - 1];
}

/* The node comes after another one; of_end: after all of that one's task. */
static void add_edge(struct record *r, int32_t number, int32_t after, bool of_end)
{
        struct record_graph *g = &r->now;
        if (number == 0 || after == 0)
                return;
        struct record_edge *edge = record_grown(g->edge, g->nedge, &g->edge_room, sizeof(*edge));
        if (!edge || g->nedge == RECORD_EDGE_MAX) {
                g->edge = edge ? edge : g->edge;
                record_give_up(r, edge ? RECORD_MANY : RECORD_MEMORY);
                return;
        }
        g->edge = edge;
        edge[g->nedge++] = (struct record_edge){ number, of_end ? -after : after };
}

/* Of a task that ran elsewhere another rank may say anything. */
static int64_t wall_ns(const struct task *task)
{
        static const int64_t most_ns = INT64_C(1000000000000000); /* eleven days */
        return task->wall_ns < 0 ? 0 : task->wall_ns > most_ns ? most_ns : task->wall_ns;
}

static int64_t at_speed_1(const struct process *p, const struct task *task, int64_t ns)
{
        return (int64_t)((double)ns * p->job->speed[place_node(p, task->place)] + 0.5);
}

/* The task's present part is over, and has taken what of the task's own work is not in others. */
static void end_part(struct process *p, struct task *task, int64_t own_ns)
{
        struct recorded *recorded = task->recorded;
        int64_t part_ns = own_ns - recorded->done_ns;
        if (task == &p->root || recorded->part == 0 || part_ns <= 0)
                return;
        node_at(p->record, recorded->part)->ns = at_speed_1(p, task, part_ns);
        recorded->done_ns = own_ns;
}

static void next_part(struct process *p, struct task *task, int64_t own_ns)
{
        struct recorded *recorded = task->recorded;
        end_part(p, task, own_ns);
        int32_t part = add_node(p->record, recorded->whole);
        add_edge(p->record, part, recorded->part, false);
        recorded->part = part;
}

/* The node comes after all children that were not waited for. */
static void gather(struct process *p, struct recorded *recorded, int32_t node)
{
        for (int32_t child = recorded->child; node > 0 && child > 0;
             child = node_at(p->record, child)->sibling)
                add_edge(p->record, node, child, true);
        recorded->child = 0;
}

/* What a task that creates another has done itself so far. */
static int64_t own_ns(const struct process *p, const struct task *task)
{
        const struct thread *t = thread_current();
        int64_t ns = wall_ns(task) - task->recorded->children_ns;
        if (task != &p->root && t && t->task == task && t->computes)
                ns += now_ns() - t->start.now_ns;
        return ns;
}

/* ---- Creation ---- */

static void order(struct process *p, struct task *parent, int32_t node, int32_t name,
                  const struct access *access, int32_t naccess)
{
        struct recorded *recorded = parent->recorded;
        const int32_t *names = NULL;
        if (!recorded->after)
                recorded->after = after_create();
        int32_t count =
            recorded->after ? after_add(recorded->after, naccess, access, name, &names) : -1;
        if (count < 0)
                record_give_up(p->record, RECORD_MEMORY);
        for (int32_t i = 0; i < count; i++)
                add_edge(p->record, node, names[i], true);
        p->record->ordered |= count > 0;
}

static int64_t bytes_of(const struct task *task)
{
        int64_t bytes = 0;
        for (int32_t i = 0; i < task->naccess; i++)
                if (access_touches(&task->access[i]))
                        bytes += (int64_t)task->access[i].bytes;
        return bytes;
}

/* A wait that nothing comes after is the iteration's end. */
static void wait_of_main(struct process *p)
{
        struct recorded *root = p->root.recorded;
        if (root->waited && root->child > 0) {
                next_part(p, &p->root, 0);
                gather(p, root, root->part);
                p->record->ordered = true;
        }
        root->waited = false;
}

void record_main_part(struct process *p, int64_t own_ns)
{
        wait_of_main(p);
        next_part(p, &p->root, 0);
        if (p->root.recorded->part > 0)
                node_at(p->record, p->root.recorded->part)->ns = at_speed_1(p, &p->root, own_ns);
        p->record->main_ns += own_ns;
}

/* What a task's new child comes after: the part that ends with its creation. */
static int32_t creator(struct process *p, struct task *parent)
{
        struct recorded *recorded = parent->recorded;
        if (parent == &p->root) {
                record_main_stops(p);
                wait_of_main(p);
                record_main_goes_on(p);
                return recorded->part;
        }
        p->record->ordered = true;
        int64_t own = own_ns(p, parent);
        if (recorded->from == 0 || own - recorded->done_ns > RECORD_PART_NS) {
                recorded->from = recorded->part;
                next_part(p, parent, own);
        }
        return recorded->from;
}

/* One that `of` ends after. */
static int32_t add_child(struct process *p, struct recorded *of, int32_t from, int32_t within)
{
        int32_t node = add_node(p->record, within);
        if (node == 0)
                return 0;
        add_edge(p->record, node, from, false);
        node_at(p->record, node)->sibling = of->child;
        of->child = node;
        return node;
}

/* To record one takes some 300 ns: a comparison is not to change what it compares. */
static bool are_too_short(const struct process *p)
{
        enum { MANY = 4096 };
        return p->job->tasks_ordered && p->record->now.nnode > MANY &&
               atomic_load_explicit(&p->last_ns, memory_order_relaxed) < SHORT_NS;
}

void record_create(struct process *p, struct task *task, struct task *parent,
                   const struct access *access, int32_t naccess)
{
        if (!record_is_on(p) || !parent->recorded)
                return;
        if (are_too_short(p)) {
                record_give_up(p->record, RECORD_SHORT);
                return;
        }
        task->recorded = calloc(1, sizeof(*task->recorded));
        if (!task->recorded) {
                record_give_up(p->record, RECORD_MEMORY);
                return;
        }
        int32_t from = creator(p, parent);
        int32_t whole = parent->recorded->whole;
        int32_t node = add_child(p, parent->recorded, from, whole);
        task->recorded->first = task->recorded->part = node;
        task->recorded->whole = whole > 0 ? whole : task->gate ? 0 : node;
        if (node == 0)
                return;
        if (task->is_placed && task->offloadable) {
                node_at(p->record, node)->bytes = bytes_of(task);
                node_at(p->record, node)->stays = false;
        }
        node_at(p->record, node)->priority = costs_priority(task->urgency);
        order(p, parent, node, node, access, naccess);
}

/* Children wait for it as for one that writes; for its range others wait for the whole task. */
void record_gate(struct process *p, const struct task *gate, struct task *parent,
                 const struct access *access)
{
        struct task *task = gate->gate_of;
        if (!record_is_on(p) || !task->recorded)
                return;
        struct access all = { access->begin, access->bytes, ACCESS_INOUT };
        int32_t node = add_child(p, task->recorded, creator(p, parent), parent->recorded->whole);
        if (node > 0)
                order(p, parent, node, task->recorded->first, access, 1);
        if (node > 0)
                order(p, task, node, node, &all, 1);
}

/* Of the main program: tasks that its thread executed at once. */
void record_light(struct process *p, int64_t count, int64_t ns)
{
        if (record_is_on(p) && count > RECORD_NODE_MAX)
                record_give_up(p->record, RECORD_MANY);
        for (int64_t i = 0; record_is_on(p) && i < count; i++) {
                int32_t node = add_child(p, p->root.recorded, creator(p, &p->root), 0);
                if (node > 0)
                        node_at(p->record, node)->ns = at_speed_1(p, &p->root, ns / count);
        }
}

void record_light_parent(struct process *p)
{
        if (record_is_on(p))
                record_give_up(p->record, RECORD_LIGHT);
}

/* ---- Waits and ends ---- */

void record_wait(struct process *p, struct task *task)
{
        struct recorded *recorded = task->recorded;
        if (!record_is_on(p) || !recorded)
                return;
        recorded->waited = true;
        if (task == &p->root || recorded->child == 0)
                return;
        next_part(p, task, own_ns(p, task));
        gather(p, recorded, recorded->part);
        recorded->from = 0;
}

void record_wait_for(struct process *p, struct task *task, const struct task *other)
{
        struct recorded *recorded = task->recorded;
        if (!record_is_on(p) || !recorded || !other->recorded)
                return;
        p->record->ordered = true;
        if (task == &p->root) {
                recorded->part = other->recorded->first;
                return;
        }
        next_part(p, task, own_ns(p, task));
        add_edge(p->record, recorded->part, other->recorded->first, true);
        recorded->from = 0;
}

/* As many children side by side as its work is longer than its longest chain. */
static void end_elsewhere(struct process *p, const struct task *task)
{
        struct recorded *recorded = task->recorded;
        enum { PIECES_MAX = 64 };
        double work_ns = (double)at_speed_1(p, task, wall_ns(task)) / p->fastest;
        double pieces = round(work_ns / (double)(task->end_ns - task->chain_ns));
        pieces = fmax(1, fmin(pieces, PIECES_MAX));
        int64_t piece_ns = at_speed_1(p, task, (int64_t)((double)wall_ns(task) / pieces));
        if (pieces == 1)
                node_at(p->record, recorded->first)->ns = piece_ns;
        for (int32_t i = 0; pieces > 1 && i < (int32_t)pieces && record_is_on(p); i++) {
                int32_t piece = add_child(p, recorded, recorded->first, recorded->whole);
                if (piece > 0) {
                        node_at(p->record, piece)->ns = piece_ns;
                        node_at(p->record, piece)->priority = costs_priority(task->urgency);
                }
        }
        p->record->ordered |= pieces > 1;
        recorded->done_ns = wall_ns(task) - recorded->children_ns;
}

static void end(struct process *p, struct task *task)
{
        struct recorded *recorded = task->recorded;
        if (task->place != 0 && task->end_ns > task->chain_ns)
                end_elsewhere(p, task);
        end_part(p, task, wall_ns(task) - recorded->children_ns);
        if (recorded->child > 0) {
                next_part(p, task, 0);
                gather(p, recorded, recorded->part);
        }
        if (recorded->first > 0)
                node_at(p->record, recorded->first)->end = recorded->part;
}

void record_complete(struct process *p, struct task *task)
{
        struct recorded *recorded = task->recorded;
        if (!recorded)
                return;
        if (record_is_on(p))
                end(p, task);
        if (!task_is_apart(p, task) && task->parent->recorded)
                task->parent->recorded->children_ns += wall_ns(task);
        after_destroy(recorded->after);
        free(recorded);
        task->recorded = NULL;
}
