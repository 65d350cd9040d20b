/* SPDX-License-Identifier: BSD-3-Clause */
/* Tasks that run on helpers, and the messages about them. */
#include <stdlib.h>
#include <string.h>

#include "real/runtime/process.h"

/* Followed by the argument, padded to 16 bytes, the accesses, where their data is at home, and
 * three words per piece. */
struct task_message {
        uint64_t id, replica; /* replica: it is a copy, and this is home's name of it; or 0 */
        struct memory_code code;
        int64_t urgency, loop_begin, loop_end;          /* the latter both 0: no part of a loop */
        int32_t argument_bytes, naccess, nhome, npiece; /* nhome: 0, or naccess */
};

struct finished_message {
        uint64_t id;
        int64_t wall_ns, cpu_ns, end_ns;
};

enum { PIECE_BYTES = 3 * sizeof(uint64_t) };

static size_t padded(size_t bytes)
{
        return (bytes + 15) / 16 * 16;
}

/* Where the parts are in the message, and its bytes. */
struct layout {
        size_t argument, access, home, pieces, all;
};

static struct layout lay_out(const struct task_message *head)
{
        struct layout at = { .argument = padded(sizeof(*head)) };
        at.access = at.argument + padded((size_t)head->argument_bytes);
        at.home = at.access + padded((size_t)head->naccess * sizeof(struct lbrun_access));
        at.pieces = at.home + padded((size_t)head->nhome * sizeof(void *));
        at.all = at.pieces + (size_t)head->npiece * PIECE_BYTES;
        return at;
}

/* Does what the task writes come home with its end? Else it stays until somebody needs it. */
static bool returns(const struct process *p, const struct task *task)
{
        return p->migration || task->home;
}

/* ---- At home ---- */

static void describe(const struct task *task, int32_t npiece, struct task_message *message)
{
        void *address;
        memcpy(&address, &task->function, sizeof(address));
        *message = (struct task_message){
                .id = (uint64_t)(uintptr_t)task,
                .argument_bytes = (int32_t)task->argument_bytes,
                .naccess = task->naccess,
                .nhome = task->home ? task->naccess : 0,
                .npiece = npiece,
                .urgency = task->urgency,
                .loop_begin = task->loop_begin,
                .loop_end = task->loop_end,
        };
        if (memory_code_from(address, &message->code) < 0)
                fail("lbrun_task", "the function is in no file that this program has loaded");
}

void offload_send(struct process *p, struct task *task, uint64_t replica,
                  const struct copies *copies)
{
        int32_t npiece = copies->npiece;
        struct task_message head;
        describe(task, npiece, &head);
        head.replica = replica;
        struct layout at = lay_out(&head);
        size_t bytes = at.all;
        char few[2048], *body = bytes <= sizeof(few) ? few : malloc(bytes);
        if (!body)
                fail("lbrun_task", "out of memory for a message");
        if (bytes > TRANSPORT_BODY_MAX)
                fail("lbrun_task", "a task in %d pieces of data is too much for a message", npiece);
        memset(body, 0, bytes);
        memcpy(body, &head, sizeof(head));
        memcpy(body + at.argument, task->argument, task->argument_bytes);
        memcpy(body + at.access, task->access, (size_t)task->naccess * sizeof(*task->access));
        if (task->home)
                memcpy(body + at.home, task->home, (size_t)task->naccess * sizeof(*task->home));
        if (npiece > 0)
                memcpy(body + at.pieces, copies->piece, (size_t)npiece * PIECE_BYTES);
        struct transport_post post = {
                .destination = place_rank(p, task->place),
                .kind = MESSAGE_TASK,
                .body = body,
                .body_bytes = bytes,
                .data = copies->data,
                .data_to = copies->data_to,
                .data_bytes = copies->bytes,
        };
        p->offloaded_bytes += (int64_t)copies->bytes;
        migrate_post(p, &post);
        if (body != few)
                free(body);
}

void offload_on_finished(void *user, const struct transport_message *message)
{
        struct process *p = user;
        struct finished_message finished;
        message_read(message, &finished, sizeof(finished));
        struct task *task = (struct task *)(uintptr_t)finished.id;
        lock(p);
        task->wall_ns = finished.wall_ns;
        task->cpu_ns = finished.cpu_ns;
        task->end_ns = finished.end_ns > 0 ? chain_after(task, finished.end_ns) : 0;
        p->away_ns = finished.wall_ns;
        int32_t place = task->place;
        place_left(p, task);
        if (returns(p, task))
                copies_returned(p, task);
        task_complete(p, task);
        place_finished(p, place, finished.wall_ns);
        migrate_look(p, false);
        unlock(p);
}

void offload_stop_helpers(struct process *p)
{
        for (int32_t place = 1; !p->migration && place < p->nplace; place++) {
                struct transport_post post = {
                        .destination = place_rank(p, place),
                        .kind = MESSAGE_STOP,
                };
                transport_post(p->transport, &post);
        }
}

/* ---- At a helper ---- */

void offload_on_task(void *user, const struct transport_message *message)
{
        struct process *p = user;
        struct task_message head;
        const char *body = message->body;
        message_head(message, &head, sizeof(head));
        struct layout at = lay_out(&head);
        if (head.argument_bytes < 0 || head.naccess < 0 || head.npiece < 0 ||
            (head.nhome != 0 && head.nhome != head.naccess) || at.all != message->body_bytes)
                message_refuse(message);
        void *address = memory_code_to(&head.code);
        if (!address)
                fail("lbrun", "a task's function is in a file that this rank has not loaded");
        lock(p);
        struct task *task = task_take(p);
        memcpy(&task->function, &address, sizeof(address));
        if (head.loop_begin < head.loop_end)
                memcpy(&task->loop, &address, sizeof(address));
        task->loop_begin = head.loop_begin;
        task->loop_end = head.loop_end;
        task->id = head.id;
        task->owner = message->source;
        task->urgency = head.urgency;
        task->place = p->place;
        task_set_argument(task, body + at.argument, (size_t)head.argument_bytes);
        task_set_accesses(task, head.naccess, (const void *)(body + at.access));
        if (head.nhome > 0)
                task_set_home(task, (const void *)(body + at.home));
        if (head.replica)
                replicate_arrived(p, task, head.replica);
        else
                p->here++;
        if (p->control)
                control_task_came(p->control);
        copies_expect(p, task, (const void *)(body + at.pieces), head.npiece);
        if (task->missing == 0)
                task_runnable(p, task);
        if (!head.replica)
                migrate_arrived(p, message->source);
        unlock(p);
}

/* Outputs of such a task return home at once: all are there when FINISHED, which has the last
 * of them, is handled. */
static void send_outputs(struct process *p, const struct task *task, struct transport_post *last)
{
        for (int32_t i = 0; i < task->naccess; i++) {
                const struct lbrun_access *a = &task->access[i];
                if (!(a->mode & LBRUN_OUT) || a->bytes == 0)
                        continue;
                struct transport_post post = { .destination = task->owner,
                                               .kind = MESSAGE_OUTPUT,
                                               .data = last->data,
                                               .data_to = last->data_to,
                                               .data_bytes = last->data_bytes };
                if (last->data)
                        transport_post(p->transport, &post);
                last->data = a->address;
                last->data_to = (void *)task_home(task, i);
                last->data_bytes = a->bytes;
                p->offloaded_bytes += (int64_t)a->bytes;
        }
}

void offload_on_output(void *user, const struct transport_message *message)
{
        (void)user;
        (void)message; /* it is where it belongs */
}

void offload_finished(struct process *p, struct task *task)
{
        if (task->replica) {
                replicate_ended(p, task);
                return;
        }
        offload_result(p, task);
        migrate_left(p);
}

void offload_result(struct process *p, struct task *task)
{
        struct finished_message finished = { task->id, task->wall_ns, task->cpu_ns, task->end_ns };
        struct transport_post post = {
                .destination = task->owner,
                .kind = MESSAGE_FINISHED,
                .body = &finished,
                .body_bytes = sizeof(finished),
        };
        if (returns(p, task))
                send_outputs(p, task, &post);
        task_put(p, task);
        transport_post(p->transport, &post);
}

void offload_on_stop(void *user, const struct transport_message *message)
{
        struct process *p = user;
        (void)message;
        lock(p);
        p->stopping = true;
        pthread_cond_signal(&p->changed);
        unlock(p);
}

/* ---- Mail between controls ---- */

void offload_post_mail(void *user, const struct control_mail *mail)
{
        struct process *p = user;
        struct transport_post post = {
                .destination = p->job->worker_rank[mail->destination],
                .kind = MESSAGE_MAIL,
                .body = mail->body,
                .body_bytes = mail->bytes,
        };
        transport_post(p->transport, &post);
}

void offload_on_mail(void *user, const struct transport_message *message)
{
        struct process *p = user;
        lock(p);
        if (p->control && !p->stopping) {
                int32_t place =
                    control_mail_arrived(p->control, message->body, message->body_bytes);
                if (place >= 0 && p->home)
                        place_told(p, place);
        }
        unlock(p);
}
