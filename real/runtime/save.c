/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What there is of the report, the loads, the trace and the decisions is written before the job's
 * end: every report_every_s, and where a rank is told to end (a time limit, scancel, preemption).
 *
 *      signal --> any rank --ASK--> apprank 0 --SAVE--> all --PART ... --> apprank 0 --SAVED--> all
 *
 * - By messages alone, so that it does not matter what the main programs do meanwhile; the keeper
 * of apprank 0 writes when all have told what they have, or after some seconds.
 * - A rank that was signalled ends by that signal when all is written, or after some seconds. A
 *   handler that the program has set before lbrun_start() is called at once; the rank then ends
 * when the program says so. One that it sets later takes the place of ours.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "real/node/estate.h"
#include "real/runtime/process.h"

static const int64_t second_ns = 1000000000;
enum { GATHER_S = 3, END_S = 4 };

/* Followed by rows of the account or records of the trace. */
enum part_kind { PART_ROWS = 1, PART_RECORDS, PART_FIGURES };
struct part_message {
        int32_t kind, worker;
        int64_t serial;
        struct timeline_end end;      /* PART_RECORDS, PART_FIGURES */
        struct tally_figures figures; /* PART_FIGURES, the last of a rank's */
};

struct save_message {
        int64_t serial;
        int32_t ends; /* the job does: the trace, too */
};

/* What a worker has told. */
struct told {
        char *rows, *records;
        size_t row_bytes, record_bytes;
        struct tally_figures figures;
        struct timeline_end end; /* of the records */
        bool all;
};

struct gathering {
        int64_t serial, until_ns;
        bool ends;
        int32_t ntold;
        struct told *told; /* [nworker] */
};

struct save {
        struct gathering *gathering; /* apprank 0 only, as is: */
        int64_t serial, next_ns;
        bool fails;        /* what is written while the job runs cannot be */
        int64_t signal_ns; /* when the signal was seen; 0: not yet */
        bool saved;
};

static const int signals[] = { SIGTERM, SIGINT, SIGHUP };
enum { NSIGNAL = sizeof(signals) / sizeof(signals[0]) };
static struct sigaction before[NSIGNAL];
static _Atomic int told_to_end; /* by this signal, which the program leaves to us */
static _Atomic bool asked;

/* ---- Signals ---- */

static void on_signal(int number, siginfo_t *info, void *context)
{
        int why = errno;
        const struct process *p = &lbrun_process;
        const struct sigaction *other = NULL;
        for (int i = 0; i < NSIGNAL; i++)
                if (signals[i] == number)
                        other = &before[i];
        if (p->started && getpid() == p->pid) {
                atomic_store(&asked, true);
                if (other->sa_handler == SIG_DFL)
                        atomic_store(&told_to_end, number);
                board_wake(p->board, p->local);
        }
        if (other->sa_flags & SA_SIGINFO)
                other->sa_sigaction(number, info, context);
        else if (other->sa_handler != SIG_DFL)
                other->sa_handler(number);
        errno = why;
}

static void restore_signal(int i)
{
        struct sigaction now;
        sigaction(signals[i], NULL, &now);
        if ((now.sa_flags & SA_SIGINFO) && now.sa_sigaction == on_signal)
                sigaction(signals[i], &before[i], NULL);
}

/* Signals that are ignored stay so: nohup(1). */
static void catch_signals(void)
{
        struct sigaction action = { .sa_sigaction = on_signal,
                                    .sa_flags = SA_SIGINFO | SA_RESTART | SA_ONSTACK };
        sigemptyset(&action.sa_mask);
        for (int i = 0; i < NSIGNAL; i++) {
                sigaction(signals[i], NULL, &before[i]);
                if (before[i].sa_handler != SIG_IGN)
                        sigaction(signals[i], &action, NULL);
        }
}

/* Its last words have to be passed on first. */
static void end_by(struct process *p, int number)
{
        sigset_t set;
        unlock(p);
        nanosleep(&(struct timespec){ .tv_nsec = 200000000 }, NULL);
        sigemptyset(&set);
        sigaddset(&set, number);
        signal(number, SIG_DFL);
        pthread_sigmask(SIG_UNBLOCK, &set, NULL);
        raise(number);
        lock(p);
}

const char *save_ended_by(char text[static SAVE_CAUSE_SIZE])
{
        int number = atomic_load(&told_to_end);
        if (number == 0)
                return "a signal to another rank";
        snprintf(text, SAVE_CAUSE_SIZE, "signal %d, %s", number, strsignal(number));
        return text;
}

/* ---- Telling ---- */

static int32_t root_of(const struct process *p)
{
        return p->job->worker_rank[0];
}

static bool is_root(const struct process *p)
{
        return p->worker == 0;
}

static void post(struct process *p, int32_t rank, enum message_kind kind, const void *body,
                 size_t bytes)
{
        struct transport_post post = {
                .destination = rank, .kind = kind, .body = body, .body_bytes = bytes
        };
        transport_post(p->transport, &post);
}

static void post_all(struct process *p, enum message_kind kind, const void *body, size_t bytes)
{
        for (int32_t rank = 0; rank < p->job->nworker; rank++)
                post(p, rank, kind, body, bytes);
}

/* In as many messages as it takes. */
static void post_part(struct process *p, const struct part_message *head, const void *data,
                      size_t bytes)
{
        enum { PAYLOAD_MAX = TRANSPORT_BODY_MAX / 2 };
        char *body = malloc(sizeof(*head) + (bytes < PAYLOAD_MAX ? bytes : PAYLOAD_MAX));
        if (!body)
                return; /* the root waits, and goes without */
        memcpy(body, head, sizeof(*head));
        for (size_t at = 0, size; at < bytes; at += size) {
                size = bytes - at < PAYLOAD_MAX ? bytes - at : PAYLOAD_MAX;
                memcpy(body + sizeof(*head), (const char *)data + at, size);
                post(p, root_of(p), MESSAGE_PART, body, sizeof(*head) + size);
        }
        free(body);
}

void save_on_save(void *user, const struct transport_message *message)
{
        struct process *p = user;
        struct save_message save;
        message_read(message, &save, sizeof(save));
        lock(p);
        struct part_message head = { .kind = PART_ROWS,
                                     .worker = p->worker,
                                     .serial = save.serial };
        int count;
        const double *rows = account_rows(p, &count);
        if (p->home)
                post_part(p, &head, rows, (size_t)count * sizeof(*rows));
        if (save.ends && p->timeline) {
                size_t bytes;
                void *records = timeline_records(p, &bytes, &head.end);
                head.kind = PART_RECORDS;
                if (records)
                        post_part(p, &head, records, bytes);
                free(records);
        }
        control_flush(p->control);
        head.kind = PART_FIGURES;
        account_figures(p, &head.figures);
        post(p, root_of(p), MESSAGE_PART, &head, sizeof(head));
        unlock(p);
}

void save_on_saved(void *user, const struct transport_message *message)
{
        struct process *p = user;
        (void)message;
        lock(p);
        p->save->saved = true;
        unlock(p);
        board_wake(p->board, p->local);
}

/* ---- Gathering, at apprank 0 ---- */

static void destroy(struct gathering *g, int32_t nworker)
{
        for (int32_t w = 0; g && w < nworker; w++) {
                free(g->told[w].rows);
                free(g->told[w].records);
        }
        if (g)
                free(g->told);
        free(g);
}

static void begin(struct process *p, bool ends)
{
        struct save *s = p->save;
        if (s->gathering && (s->gathering->ends || !ends))
                return;
        destroy(s->gathering, p->job->nworker);
        s->gathering = calloc(1, sizeof(*s->gathering));
        struct told *told = calloc((size_t)p->job->nworker, sizeof(*told));
        if (!s->gathering || !told)
                fail("lbrun", "out of memory for the report");
        *s->gathering = (struct gathering){ .serial = ++s->serial,
                                            .until_ns = now_ns() + GATHER_S * second_ns,
                                            .ends = ends,
                                            .told = told };
        struct save_message save = { .serial = s->serial, .ends = ends };
        post_all(p, MESSAGE_SAVE, &save, sizeof(save));
}

void save_on_ask(void *user, const struct transport_message *message)
{
        struct process *p = user;
        (void)message;
        lock(p);
        if (!p->stopping)
                begin(p, true);
        unlock(p);
}

static void append(char **to, size_t *bytes, const void *data, size_t more)
{
        char *grown = realloc(*to, *bytes + more + 1);
        if (!grown)
                fail("lbrun", "out of memory for the report");
        memcpy(grown + *bytes, data, more);
        *to = grown;
        *bytes += more;
}

void save_on_part(void *user, const struct transport_message *message)
{
        struct process *p = user;
        struct part_message head;
        message_head(message, &head, sizeof(head));
        if (head.worker < 0 || head.worker >= p->job->nworker)
                message_refuse(message);
        const char *data = (const char *)message->body + sizeof(head);
        size_t bytes = message->body_bytes - sizeof(head);
        lock(p);
        struct gathering *g = p->save->gathering;
        if (g && g->serial == head.serial) {
                struct told *told = &g->told[head.worker];
                if (head.kind == PART_ROWS)
                        append(&told->rows, &told->row_bytes, data, bytes);
                else if (head.kind == PART_RECORDS)
                        append(&told->records, &told->record_bytes, data, bytes);
                else
                        told->all = true, g->ntold++, told->figures = head.figures;
                told->end = head.end;
        }
        bool all = g && g->ntold == p->job->nworker;
        unlock(p);
        if (all)
                board_wake(p->board, p->local);
}

/* ---- Writing ---- */

static int write_report(struct process *p, const struct gathering *g)
{
        int32_t napprank = p->job->napprank;
        int *count = calloc((size_t)napprank, sizeof(*count));
        char *rows = NULL;
        size_t bytes = 0;
        struct tally_figures sum = { .gap = 0 };
        if (!count)
                fail("lbrun", "out of memory for the report");
        for (int32_t a = 0; a < napprank; a++) {
                const struct told *home = &g->told[p->job->shape.apprank_first[a]];
                count[a] = (int)(home->row_bytes / sizeof(double));
                append(&rows, &bytes, home->rows ? home->rows : "", home->row_bytes);
        }
        for (int32_t w = 0; w < p->job->nworker; w++)
                tally_add(&sum, &g->told[w].figures);
        int status = account_write(p, &sum, (const double *)rows, count,
                                   g->ends ? ACCOUNT_CUT : ACCOUNT_SO_FAR);
        free(rows);
        free(count);
        return status;
}

static void write_timeline(struct process *p, const struct gathering *g)
{
        char *records = NULL;
        size_t bytes = 0;
        struct timeline_end end = { .until_ns = INT64_MAX };
        for (int32_t w = 0; w < p->job->nworker; w++) {
                const struct told *told = &g->told[w];
                if (told->record_bytes == 0)
                        continue;
                append(&records, &bytes, told->records, told->record_bytes);
                end.full |= told->end.full;
                if (told->end.until_ns < end.until_ns)
                        end.until_ns = told->end.until_ns;
        }
        timeline_write(p, records, bytes, &end);
        free(records);
}

/* Without the lock meanwhile: the job goes on. */
static void write_all(struct process *p)
{
        struct gathering *g = p->save->gathering;
        p->save->gathering = NULL;
        unlock(p);
        if (g->ntold < p->job->nworker)
                fprintf(stderr, "lbrun: %d of %d ranks have told what they have done so far\n",
                        g->ntold, p->job->nworker);
        bool failed = write_report(p, g) < 0;
        if (g->ends && p->timeline)
                write_timeline(p, g);
        lock(p);
        p->save->fails |= failed;
        if (g->ends)
                post_all(p, MESSAGE_SAVED, "", 1);
        if (g->ends && g->ntold == p->job->nworker)
                atomic_store(&estate_own()->is_written, 1);
        destroy(g, p->job->nworker);
}

/* ---- Life ---- */

void save_start(struct process *p)
{
        p->save = calloc(1, sizeof(*p->save));
        if (!p->save)
                fail("lbrun_start", "out of memory");
        double every_s = p->job->param[JOB_REPORT_EVERY_S];
        if (is_root(p) && every_s > 0)
                p->save->next_ns = now_ns() + (int64_t)(every_s * 1e9);
        if (!p->alone)
                catch_signals();
}

void save_stop(struct process *p)
{
        for (int i = 0; i < NSIGNAL && !p->alone; i++)
                restore_signal(i);
        destroy(p->save->gathering, p->job->nworker);
        free(p->save);
        p->save = NULL;
}

static int64_t earliest(int64_t a, int64_t b)
{
        return a && (!b || a < b) ? a : b;
}

/* When to look again at the latest; 0: any time. */
int64_t save_due_ns(const struct process *p)
{
        const struct save *s = p->save;
        int64_t due = s->fails ? 0 : s->next_ns;
        if (s->gathering)
                due = earliest(due, s->gathering->until_ns);
        return s->signal_ns ? earliest(due, s->signal_ns + END_S * second_ns) : due;
}

static void look_for_signal(struct process *p, int64_t now)
{
        struct save *s = p->save;
        if (atomic_exchange(&asked, false)) {
                post(p, root_of(p), MESSAGE_ASK, "", 1);
                s->signal_ns = now;
        }
        bool over = s->saved || (s->signal_ns && now >= s->signal_ns + END_S * second_ns);
        if (over && atomic_load(&told_to_end))
                end_by(p, atomic_load(&told_to_end));
        if (over)
                s->signal_ns = 0;
}

void save_poll(struct process *p)
{
        struct save *s = p->save;
        int64_t now = now_ns();
        look_for_signal(p, now);
        if (s->next_ns && !s->fails && now >= s->next_ns) {
                s->next_ns = now + (int64_t)(p->job->param[JOB_REPORT_EVERY_S] * 1e9);
                begin(p, false);
        }
        if (s->gathering &&
            (s->gathering->ntold == p->job->nworker || now >= s->gathering->until_ns))
                write_all(p);
}
