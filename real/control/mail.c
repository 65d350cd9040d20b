/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What workers tell each other. One layout for all mails, between processes of one program: what a
 * kind does not use is 0. A mail that would repeat the last one is not sent.
 */
#include "real/control/control_impl.h"

#include <string.h>

enum mail_kind {
        MAIL_NONE,
        MAIL_CORES,
        MAIL_HELD,
        MAIL_BUSY,
        MAIL_TARGETS,
        MAIL_ASKS,
        MAIL_NO_TASKS,
        MAIL_TASKS
};

struct mail {
        int32_t kind, sender;
        int64_t held;             /* MAIL_HELD; MAIL_ASKS: cores beyond those usable */
        struct known_cores cores; /* MAIL_CORES, MAIL_ASKS */
        int32_t count;
        struct {
                double busy_cores;
                int32_t owned, target;
        } local[]; /* [count] workers of a node: MAIL_BUSY, MAIL_TARGETS */
};

static int32_t node_size(const struct job *job, int32_t node)
{
        return job->shape.node_first[node + 1] - job->shape.node_first[node];
}

static size_t mail_bytes(const struct mail *mail)
{
        return sizeof(*mail) + (size_t)mail->count * sizeof(mail->local[0]);
}

int control_mail_create(struct control *c, struct lb_error *err)
{
        int32_t most = 0;
        for (int32_t n = 0; n < c->job->nnode; n++)
                most = node_size(c->job, n) > most ? node_size(c->job, n) : most;
        c->mail_bytes_max = sizeof(struct mail) + (size_t)most * sizeof(c->outgoing->local[0]);
        c->outgoing = control_take(c, 1, c->mail_bytes_max);
        c->incoming = control_take(c, 1, c->mail_bytes_max);
        return control_taken(c, err);
}

static struct mail *begin(struct control *c, enum mail_kind kind)
{
        memset(c->outgoing, 0, c->mail_bytes_max);
        c->outgoing->kind = (int32_t)kind;
        c->outgoing->sender = c->spec.worker;
        return c->outgoing;
}

static void send(struct control *c, int32_t worker)
{
        struct control_mail mail = {
                .destination = worker,
                .bytes = mail_bytes(c->outgoing),
                .body = c->outgoing,
        };
        c->spec.post(c->spec.user, &mail);
}

static struct known_cores cores_here(const struct control *c)
{
        return (struct known_cores){ .owned = figure(&c->own->owned),
                                     .target = target_of(c, c->local),
                                     .usable = own_usable(c) };
}

void control_mail_cores(struct control *c)
{
        struct known_cores now = cores_here(c);
        if (c->place == 0) {
                control_place_know(c, 0, &now);
        } else if (memcmp(&now, &c->told, sizeof(now)) != 0 || control_ask_retell(c, &now)) {
                begin(c, MAIL_CORES)->cores = now;
                send(c, c->first);
        }
        c->told = now;
}

void control_mail_ask(struct control *c, int32_t cores)
{
        struct mail *mail = begin(c, MAIL_ASKS);
        mail->cores = cores_here(c);
        mail->held = cores;
        send(c, c->first);
}

void control_mail_tasks(struct control *c, int32_t place, bool any)
{
        begin(c, any ? MAIL_TASKS : MAIL_NO_TASKS);
        send(c, c->first + place);
}

void control_mail_held(struct control *c)
{
        if (c->place != 0 || c->placing.held == c->placing.told_held)
                return;
        begin(c, MAIL_HELD)->held = c->placing.held;
        for (int32_t p = 1; p < c->nplace; p++)
                send(c, c->first + p);
        c->placing.told_held = c->placing.held;
}

void control_mail_busy(struct control *c)
{
        struct mail *mail = begin(c, MAIL_BUSY);
        bool news = false;
        mail->count = c->nlocal;
        for (int32_t l = 0; l < c->nlocal; l++) {
                double busy_cores = c->measuring.busy_cores[l];
                int32_t owned = figure(&row_of(c, l)->owned);
                news = news || owned != c->measuring.told_owned[l] ||
                       busy_cores != c->measuring.told_busy[l];
                mail->local[l].busy_cores = c->measuring.told_busy[l] = busy_cores;
                mail->local[l].owned = c->measuring.told_owned[l] = owned;
                if (c->decides)
                        control_global_told(c, c->node_worker[l], busy_cores, owned);
        }
        if (news && !c->decides)
                send(c, c->job->rank_worker[0]);
}

/* The workers of a node in its order, and how many. */
static const int32_t *node_workers(const struct control *c, int32_t node)
{
        return &c->job->shape.node_worker[c->job->shape.node_first[node]];
}

void control_mail_targets(struct control *c, int32_t node, const int32_t *target)
{
        const int32_t *worker = node_workers(c, node);
        struct mail *mail = begin(c, MAIL_TARGETS);
        mail->count = node_size(c->job, node);
        for (int32_t l = 0; l < mail->count; l++)
                mail->local[l].target = target[worker[l]];
        send(c, worker[0]);
}

static bool is_count(int32_t cores, int32_t most)
{
        return cores >= 0 && cores <= most;
}

static int32_t cores_arrived(struct control *c, const struct mail *mail)
{
        const struct lb_shape *shape = &c->job->shape;
        int32_t place = mail->sender - c->first;
        int32_t most = shape->cores[shape->worker_node[mail->sender]];
        struct known_cores cores = mail->cores;
        if (c->place != 0 || place < 1 || place >= c->nplace || !is_count(cores.owned, most) ||
            !is_count(cores.target, most) || !is_count(cores.usable, most))
                return NONE;
        if (cores.target == 0 && job_grows(c->job)) /* it is to sleep: no more tasks for it */
                cores = (struct known_cores){ 0 };
        control_place_know(c, place, &cores);
        return place;
}

/* Nothing is asked by one whose cores cannot be. */
static int32_t ask_arrived(struct control *c, const struct mail *mail)
{
        int32_t place = cores_arrived(c, mail);
        bool asks = place != NONE && mail->held > 0 && mail->held <= c->ncore;
        c->asking.cores = asks ? (int32_t)mail->held : 0;
        return place;
}

static void busy_arrived(struct control *c, const struct mail *mail)
{
        int32_t node = c->job->shape.worker_node[mail->sender];
        if (!c->decides || mail->count != node_size(c->job, node))
                return;
        for (int32_t l = 0; l < mail->count; l++)
                control_global_told(c, node_workers(c, node)[l], mail->local[l].busy_cores,
                                    mail->local[l].owned);
}

static void targets_arrived(struct control *c, const struct mail *mail)
{
        if (!c->leads || mail->count != c->nlocal)
                return;
        for (int32_t l = 0; l < c->nlocal; l++)
                c->measuring.published[l] = mail->local[l].target;
        c->measuring.has_published = true;
}

/* Is it one of ours? Copied, since it may lie anywhere. */
static const struct mail *open_mail(struct control *c, const void *body, size_t bytes)
{
        if (bytes < sizeof(struct mail) || bytes > c->mail_bytes_max)
                return NULL;
        memcpy(c->incoming, body, bytes);
        const struct mail *mail = c->incoming;
        bool fits = mail->count >= 0 && mail->count <= c->job->nworker && bytes == mail_bytes(mail);
        return fits && mail->sender >= 0 && mail->sender < c->job->nworker ? mail : NULL;
}

int32_t control_mail_arrived(struct control *c, const void *body, size_t bytes)
{
        const struct mail *mail = open_mail(c, body, bytes);
        if (!mail)
                return NONE;
        switch ((enum mail_kind)mail->kind) {
        case MAIL_CORES:
                return cores_arrived(c, mail);
        case MAIL_ASKS:
                return ask_arrived(c, mail);
        case MAIL_NO_TASKS:
                control_ask_refused(c);
                break;
        case MAIL_TASKS:
                control_ask_invited(c);
                break;
        case MAIL_HELD:
                c->held_known = mail->held;
                break;
        case MAIL_BUSY:
                busy_arrived(c, mail);
                break;
        case MAIL_TARGETS:
                targets_arrived(c, mail);
                break;
        case MAIL_NONE:
                break;
        }
        return NONE;
}
