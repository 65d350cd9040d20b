/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef LB_REAL_RUNTIME_PROCESS_H
#define LB_REAL_RUNTIME_PROCESS_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

#include "real/control/control.h"
#include "real/control/job.h"
#include "real/data/access.h"
#include "real/data/memory.h"
#include "real/data/where.h"
#include "real/lbrun.h"
#include "real/mpi/transport.h"
#include "real/node/board.h"
#include "real/node/cores.h"

/*
 * The runtime of one process: a worker of the job (private to this folder).
 *
 *   lbrun_task() --order--> ready --place--> here: queue --core--> thread runs it --> finished
 *                                     |                                                  |
 *                                     +--> TASK, data --> helper: the same --> FINISHED--+
 *
 * - One lock for everything below, taken by the application's threads, the transport's (handlers)
 *   and the keeper's. Functions of this header expect it held unless they say otherwise.
 * - A thread executes tasks only while it has a core: an index in the node, usable by this worker.
 *   A core without a thread is idle[] until it is lent or given to one.
 * - The main program's thread is like the others, but its "task" is the root.
 */

enum message_kind {
        MESSAGE_TASK = 1, /* home -> helper: struct task_message */
        MESSAGE_FINISHED, /* helper -> home: struct finished_message */
        MESSAGE_COPY,     /* home -> the place that has the data: struct copy_message */
        MESSAGE_DATA,     /* data that was ordered; body: its piece's id */
        MESSAGE_MAIL,     /* between controls */
        MESSAGE_STOP,     /* home -> helpers: the job ends */
};

struct task {
        lbrun_function function;
        void *argument; /* fixed, or allocated where it is large */
        size_t argument_bytes;
        int32_t naccess, priority;
        struct lbrun_access *access; /* few, or allocated */
        bool offloadable, body_done;
        int32_t place;           /* of its apprank's workers, where it runs */
        int32_t iteration;       /* of the main program, when it was created */
        int64_t unfinished;      /* children */
        int64_t missing;         /* pieces of data that are under way here */
        int64_t wall_ns, cpu_ns; /* of its body and its children's */
        struct task *parent;     /* NULL: the root, or a task that was sent here */
        struct access_task *order;
        struct access_domain *domain; /* of its children */
        struct thread *waiter;        /* in taskwait */
        struct task *next;            /* in a queue, or spare */
        uint64_t id;                  /* home's name for it, where it was sent: its address there */
        _Alignas(16) unsigned char small_argument[96];
        struct lbrun_access few_access[3];
};

struct task_queue {
        struct task *first, *last;
        int64_t count;
};

struct thread {
        pthread_t id;
        pthread_cond_t wake;
        int32_t core;      /* -1: none */
        int32_t pinned;    /* core it is bound to, -1 */
        struct task *task; /* what it executes; the main program's: the root */
        struct thread *next;
        int64_t start_ns, end_ns; /* of its task, or of its last one */
        int64_t last_ns;          /* how long its last task took */
        bool wants_core;          /* to go on after a wait */
};

struct account; /* account.c */
struct timeline;
struct pieces_expected;

struct process {
        struct job *job;
        int32_t rank, worker, apprank, place, nplace, node, local; /* local: place on the node */
        bool home, alone, mpi_ours, started, stopping, virtual_cores;
        MPI_Comm all, world; /* all ranks of the job; the appranks */
        struct board *board;
        struct board_worker *self;
        struct cores *cores;
        struct transport *transport;
        struct control *control;
        struct memory *memory;
        uintptr_t memory_begin;
        size_t memory_bytes;
        int64_t start_ns;

        pthread_mutex_t lock;
        int32_t ncore;
        bool *idle; /* [ncore] usable, and no thread is on it */
        int32_t nidle;
        int32_t *gained; /* [ncore] scratch */
        int *cpu;        /* [ncore] processor of each core, where cores are real */
        struct thread main_thread;
        struct thread *parked;               /* threads without a core, waiting for work */
        struct thread *resume, *resume_last; /* threads that want a core to go on */
        struct thread **thread;              /* [nthread] all but the main one */
        int32_t nthread;
        int32_t waking;  /* threads that were given a core and have not begun */
        int64_t running; /* threads with a core and a task, the main program's too */
        int64_t busy_ns, useful_ns, cpu_ns; /* see busy_now() */
        int64_t useful_running, useful_start_ns;
        pthread_t keeper;
        pthread_cond_t changed; /* stopping */

        struct task root;
        struct task *spare;
        struct task_queue ready, held;
        int64_t here;   /* tasks assigned to this worker and not finished */
        int32_t *tasks; /* [nplace] at home: assigned and not known finished */
        struct where *where;
        struct pieces_expected *expected; /* copies.c */
        uint64_t next_piece;
        int64_t home_missing; /* pieces that the taskwait waits for */
        int64_t offloaded_bytes;
        struct account *account;
        struct timeline *timeline; /* timeline.c; NULL: no trace */
};

/* The one of this process. */
extern struct process lbrun_process;

/* The calling thread's; the main thread's from start on; NULL on threads that are not ours. */
struct thread *thread_current(void);

int64_t now_ns(void);
static inline void lock(struct process *p)
{
        pthread_mutex_lock(&p->lock);
}
static inline void unlock(struct process *p)
{
        pthread_mutex_unlock(&p->lock);
}

/* fail.c: end the job with a message that names rank, apprank and `call`. Any thread. */
_Noreturn void fail(const char *call, const char *format, ...) LB_PRINTF(2, 3);
void fail_at_exit(void); /* the program ends without lbrun_stop() */

/* thread.c: cores and threads. */
void threads_start(
    struct process *p);               /* the caller becomes the main thread; takes a core at home */
void threads_stop(struct process *p); /* without the lock */
void threads_dispatch(struct process *p); /* idle cores to threads that have something to do */
void threads_gain(struct process *p, int32_t count);      /* gained[count] became usable */
void threads_settle(struct process *p);                   /* idle cores: lend, return or keep */
void threads_publish(struct process *p);                  /* figures into the board */
void thread_release(struct process *p, struct thread *t); /* its core is free for others */
void thread_regain(struct process *p, struct thread *t);  /* blocks until it has a core again */
void thread_wait(struct process *p, struct thread *t, const int64_t *count); /* until *count is 0,
                                                        without a core meanwhile */

/* task.c: from creation to completion. */
struct task *task_take(struct process *p);
void task_put(struct process *p, struct task *task);
void task_set_argument(struct task *task, const void *argument, size_t bytes);
void task_set_accesses(struct task *task, int32_t count, const struct lbrun_access *access);
void task_create(struct process *p, struct task *task, struct task *parent);
void task_ready(struct process *p, struct task *task);    /* its order allows it: place it */
void task_runnable(struct process *p, struct task *task); /* its data is here: queue it */
struct task *task_next(struct process *p);                /* out of the queue, or NULL */
void task_body_done(struct process *p, struct task *task);
void task_complete(struct process *p, struct task *task); /* of the home's own: wherever it ran */

/* place.c: at home, which worker. */
void place_task(struct process *p, struct task *task);
void place_refill(struct process *p, int32_t place, enum place_occasion occasion);
bool place_help_oneself(struct process *p); /* held tasks for an idle core here */

/* offload.c: tasks that run elsewhere. */
void offload_send(struct process *p, struct task *task, const uint64_t *piece, int32_t npiece);
void offload_finished(struct process *p, struct task *task); /* at a helper: tell home */
void offload_on_task(void *user, const struct transport_message *message);
void offload_on_finished(void *user, const struct transport_message *message);
void offload_on_mail(void *user, const struct transport_message *message);
void offload_on_stop(void *user, const struct transport_message *message);
void offload_post_mail(void *user, const struct control_mail *mail);
void offload_stop_helpers(struct process *p);

/* copies.c: data under way. */
void copies_start(struct process *p);
void copies_stop(struct process *p);
/* Order what a task needs at its place; its pieces' ids go to *piece (until the next call), returns
 * how many. Marks what it writes. */
int32_t copies_order(struct process *p, struct task *task, const uint64_t **piece);
void copies_expect(struct process *p, struct task *task, const uint64_t *piece, int32_t npiece);
void copies_bring_home(struct process *p); /* everything; home_missing counts down */
void copies_forget_others(struct process *p);
void copies_on_copy(void *user, const struct transport_message *message);
void copies_on_data(void *user, const struct transport_message *message);

/* keeper.c: polls. */
void keeper_start(struct process *p);
void keeper_stop(struct process *p); /* without the lock */

/* account.c: iterations. */
void account_start(struct process *p);
void account_task(struct process *p, const struct task *task);
void account_iteration(struct process *p);
int32_t account_now(const struct process *p); /* the present iteration */
void account_report(struct process *p);       /* collective over all ranks, without the lock */
void account_stop(struct process *p);

/* timeline.c: the trace, if there is to be one. */
void timeline_start(struct process *p);
void timeline_busy(struct process *p, int32_t core, bool is_main); /* a thread works on it */
/* None does any more, from time_ns on: taken before the core was given away. */
void timeline_free(struct process *p, int32_t core, int64_t time_ns);
void timeline_poll(struct process *p);
void timeline_report(struct process *p); /* collective over all ranks, without the lock */
void timeline_stop(struct process *p);

#endif
