/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Tasks that wait at two ranks (CHAMELEON's replication): which, and where the copy goes, is the
 * policy's, asked once a taskwait. Whoever is first has the task; the other drops it.
 *
 *      home --TASK, a copy--> other      the task waits here, the copy there, behind all else
 *      home begins it:        CANCEL --> the copy is dropped --GONE-->
 *      the copy has ended:    <-- OFFER; home has not begun it: TAKE --> outputs, FINISHED
 *
 * - The first start at home or the first result from there decides: tasks write to where their data
 *   is, so that one that runs at home cannot take a result from elsewhere.
 * - What a copy that is in vain still writes is its rank's memory only, where home no longer
 *   counts the data to be. Until GONE no task goes there that could read it.
 */
#include <stdlib.h>
#include <string.h>

#include "real/runtime/process.h"

enum copy_state { COPY_COMES, COPY_WAITS, COPY_RUNS, COPY_OFFERED };

/* At home and where the copy is, one each. */
struct replica {
        struct task *task;    /* at home: NULL, home has it */
        int32_t place;        /* at home: of the copy */
        uint64_t id;          /* elsewhere: home's name of it */
        enum copy_state is;   /* elsewhere */
        bool cancelled;       /* elsewhere: it is dropped when it ends */
        struct replica *next; /* elsewhere */
};

struct replicating {
        struct task_queue own, others; /* that wait */
        struct replica *first;         /* copies of others' tasks */
        int64_t sent, used;
};

struct copy_note {
        uint64_t id;         /* home's name of it */
        uint64_t task, copy; /* their addresses at home, and at the other rank */
};

void replicate_start(struct process *p)
{
        p->replicating = calloc(1, sizeof(*p->replicating));
        if (!p->replicating)
                fail("lbrun_start", "out of memory");
}

void replicate_stop(struct process *p)
{
        struct replicating *r = p->replicating;
        if (!r)
                return;
        for (struct replica *copy = r->first, *next; copy; copy = next) {
                next = copy->next;
                free(copy);
        }
        queue_finish(&r->own);
        queue_finish(&r->others);
        free(r);
        p->replicating = NULL;
}

int64_t replicate_own(const struct process *p)
{
        return p->replicating->own.count;
}

int64_t replicate_sent(const struct process *p, int64_t *used)
{
        *used = p->replicating ? p->replicating->used : 0;
        return p->replicating ? p->replicating->sent : 0;
}

static void note(struct process *p, int32_t rank, enum message_kind kind, struct copy_note note)
{
        struct transport_post post = {
                .destination = rank, .kind = kind, .body = &note, .body_bytes = sizeof(note)
        };
        transport_post(p->transport, &post);
}

static void read_note(const struct process *p, const struct transport_message *message,
                      struct copy_note *note)
{
        if (!p->replicating)
                message_refuse(message);
        message_read(message, note, sizeof(*note));
}

static struct replica *make(struct task *task)
{
        struct replica *copy = calloc(1, sizeof(*copy));
        if (!copy)
                fail("lbrun", "out of memory for copies of tasks");
        copy->task = task;
        task->replica = copy;
        return copy;
}

static void push(struct process *p, struct task_queue *queue, struct task *task)
{
        queue_push(queue, task);
        p->ncopies++;
}

static void out_of(struct process *p, struct task_queue *queue, struct task *task)
{
        queue_remove(queue, task);
        p->ncopies--;
}

/* ---- At home ---- */

void replicate_task(struct process *p, struct task *task, int32_t place)
{
        struct replica *copy = make(task);
        copy->place = task->place = place;
        struct copies copies = copies_order(p, task, false);
        offload_send(p, task, (uint64_t)(uintptr_t)copy, &copies);
        push(p, &p->replicating->own, task);
        p->replicating->sent++;
}

/* Home begins it. */
static struct task *begin_own(struct process *p)
{
        struct task *task = queue_last(&p->replicating->own);
        struct replica *copy = task->replica;
        out_of(p, &p->replicating->own, task);
        task->replica = NULL;
        copy->task = NULL;
        migrate_hold(p, place_rank(p, copy->place), 1);
        note(p, place_rank(p, copy->place), MESSAGE_CANCEL,
             (struct copy_note){ .id = (uint64_t)(uintptr_t)copy });
        return task;
}

void replicate_on_gone(void *user, const struct transport_message *message)
{
        struct process *p = user;
        struct copy_note note;
        read_note(p, message, &note);
        lock(p);
        free((struct replica *)(uintptr_t)note.id);
        migrate_hold(p, message->source, -1);
        unlock(p);
}

/* The copy has ended. Where home has begun the task meanwhile, the copy has been cancelled. */
void replicate_on_offer(void *user, const struct transport_message *message)
{
        struct process *p = user;
        struct copy_note offer;
        read_note(p, message, &offer);
        lock(p);
        struct replica *copy = (struct replica *)(uintptr_t)offer.id;
        struct task *task = copy->task;
        if (task) {
                out_of(p, &p->replicating->own, task);
                task->replica = NULL;
                p->tasks[task->place]++;
                copies_order(p, task, true); /* what it reads went with the copy */
                free(copy);
                p->replicating->used++;
                offer.task = (uint64_t)(uintptr_t)task;
                note(p, message->source, MESSAGE_TAKE, offer);
        }
        unlock(p);
}

/* ---- Elsewhere ---- */

void replicate_arrived(struct process *p, struct task *task, uint64_t id)
{
        struct replica *copy = make(task);
        copy->id = id;
        copy->next = p->replicating->first;
        p->replicating->first = copy;
        migrate_copies(p, 1);
}

/* It is over here. */
static void forget(struct process *p, struct replica *copy)
{
        struct replica **at = &p->replicating->first;
        while (*at != copy)
                at = &(*at)->next;
        *at = copy->next;
        copy->task->replica = NULL;
        free(copy);
        migrate_copies(p, -1);
}

static void drop(struct process *p, struct replica *copy)
{
        struct task *task = copy->task;
        note(p, task->owner, MESSAGE_GONE, (struct copy_note){ .id = copy->id });
        forget(p, copy);
        task_put(p, task);
}

void replicate_runnable(struct process *p, struct task *task)
{
        struct replica *copy = task->replica;
        if (copy->cancelled) {
                drop(p, copy);
                return;
        }
        copy->is = COPY_WAITS;
        push(p, &p->replicating->others, task);
}

void replicate_ended(struct process *p, struct task *task)
{
        struct replica *copy = task->replica;
        if (copy->cancelled) {
                drop(p, copy);
                return;
        }
        copy->is = COPY_OFFERED;
        note(p, task->owner, MESSAGE_OFFER,
             (struct copy_note){ .id = copy->id, .copy = (uint64_t)(uintptr_t)task });
}

void replicate_on_take(void *user, const struct transport_message *message)
{
        struct process *p = user;
        struct copy_note note;
        read_note(p, message, &note);
        lock(p);
        struct task *task = (struct task *)(uintptr_t)note.copy;
        forget(p, task->replica);
        task->id = note.task;
        offload_result(p, task);
        unlock(p);
}

void replicate_on_cancel(void *user, const struct transport_message *message)
{
        struct process *p = user;
        struct copy_note note;
        read_note(p, message, &note);
        lock(p);
        struct replica *copy = p->replicating->first;
        while (copy && (copy->id != note.id || copy->task->owner != message->source))
                copy = copy->next;
        if (!copy) {
                unlock(p);
                message_refuse(message);
        }
        copy->cancelled = true;
        if (copy->is == COPY_WAITS)
                out_of(p, &p->replicating->others, copy->task);
        if (copy->is == COPY_WAITS || copy->is == COPY_OFFERED)
                drop(p, copy);
        unlock(p);
}

/* ---- For a core that finds nothing else ---- */

struct task *replicate_next(struct process *p)
{
        struct replicating *r = p->replicating;
        if (r->own.count > 0)
                return place_at_home(p, begin_own(p));
        struct task *task = queue_pop(&r->others);
        if (!task)
                return NULL;
        p->ncopies--;
        p->here++;
        task->replica->is = COPY_RUNS;
        return task;
}
