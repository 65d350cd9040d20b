/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef LB_REAL_RUNTIME_PROCESS_H
#define LB_REAL_RUNTIME_PROCESS_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <time.h>

#include "policies/called.h"
#include "policies/host/costs.h"
#include "real/control/control.h"
#include "real/control/job.h"
#include "real/control/tally.h"
#include "real/data/access.h"
#include "real/data/memory.h"
#include "real/data/where.h"
#include "real/lbrun.h"
#include "real/mpi/transport.h"
#include "real/node/board.h"
#include "real/node/cores.h"
#include "real/node/lifeline.h"
#include "real/node/cpu_groups.h"

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
 * - Where ranks push tasks to each other (system chameleon, migrate.c), there are no helpers: every
 *   rank is at home, and a place of every other apprank, too. Ready tasks are held until a core is
 *   free for them, or they migrate.
 */

enum message_kind {
        MESSAGE_TASK = 1, /* home -> helper: struct task_message */
        MESSAGE_FINISHED, /* helper -> home: struct finished_message */
        MESSAGE_COPY,     /* home -> the place that has the data: struct copy_message */
        MESSAGE_DATA,     /* data that was ordered; body: its piece's id */
        MESSAGE_MAIL,     /* between controls */
        MESSAGE_STOP,     /* home -> helpers: the job ends */
        MESSAGE_ASK,      /* any -> apprank 0: what there is is to be written; see save.c */
        MESSAGE_SAVE,     /* apprank 0 -> all: tell what you have */
        MESSAGE_PART,     /* the answers */
        MESSAGE_SAVED,    /* apprank 0 -> all: it is written */
        MESSAGE_BLOCK,    /* home -> helpers: memory was allocated or freed, for check.c */
        MESSAGE_LOAD,     /* between ranks that migrate tasks: struct load_message */
        MESSAGE_OUTPUT,   /* what a migrated task wrote, sent home before FINISHED */
        MESSAGE_OFFER,    /* of a task's copy, replicate.c: it has ended; likewise: */
        MESSAGE_TAKE,     /* its result is taken */
        MESSAGE_CANCEL,   /* it is not needed */
        MESSAGE_GONE,     /* it is dropped */
};

enum weak_part { WEAK_NONE, WEAK_SOME, WEAK_ALL };

struct task {
        lbrun_function function;
        void *argument; /* fixed, or allocated where it is large */
        size_t argument_bytes;
        int32_t naccess;
        struct lbrun_access *access; /* few, or allocated */
        const void **home;           /* [naccess], as in its options, or NULL */
        int64_t urgency;             /* of its priority and its cost: costs_urgency() */
        double cost;                 /* as the program says */
        double expected;             /* what placement is told: costs_of() */
        bool offloadable, body_done;
        bool is_placed;    /* at home, where it goes is decided: the root's, and who touches what is
                            * weak with its parent */
        bool is_ours;      /* it combines; the program knows nothing of it */
        bool is_wait;      /* not executed: its creator waits until it could be */
        int32_t place;     /* of its apprank's workers, where it runs */
        int32_t iteration; /* of the main program, when it was created */
        int64_t unfinished;       /* children */
        int64_t missing;          /* pieces of data that are under way here */
        int64_t wall_ns, cpu_ns;  /* of its body and its children's */
        int64_t chain_ns, end_ns; /* chain.c: what it comes after, and its children's end; or 0 */
        lbrun_loop loop;          /* NULL, or its function, which is called with: */
        int64_t loop_begin, loop_end;
        struct task *parent; /* NULL: the root, or a task that was sent here */
        struct access_task *order;
        struct access_domain *domain; /* of its children */
        struct task *gate;            /* weak.c: of its weak accesses, a list by `next` */
        int64_t shut;                 /* gates that are not open */
        struct task *gate_of;         /* not executed: it is a gate of this one, */
        enum weak_part weak;          /* as much of its range is free to be elsewhere, */
        struct access_task *inside;   /* and this is it among that one's children */
        struct thread *waiter;        /* in taskwait */
        struct task *next, *previous; /* in a queue, or spare */
        uint64_t id;                  /* home's name for it, where it was sent: its address there */
        int32_t owner;                /* rank that it came from */
        struct replica *replica;      /* replicate.c: it waits at two ranks; or NULL */
        struct recorded *recorded;    /* record.c; NULL: it is not */
        _Alignas(16) unsigned char small_argument[96];
        struct lbrun_access few_access[3];
};

/* Tasks by urgency, and first in first out among equals. */
struct task_level {
        int64_t urgency;
        struct task *first, *last;
};
struct task_queue {
        struct task_level *level; /* [nlevel] none empty, the most urgent last */
        int32_t nlevel, room;
        int64_t count;
};

/* A moment of a thread, and what it had until then, where that is measured: processor time, and
 * waits for a CPU while it was ready (virtual CPUs). */
struct moment {
        int64_t now_ns, cpu_ns, delay_ns;
};

struct thread {
        pthread_t id;
        pthread_cond_t wake;
        clockid_t clock;   /* its processor time */
        int32_t core;      /* -1: none */
        int32_t pinned;    /* core it is bound to, -1 */
        struct task *task; /* what it executes; the main program's: the root */
        struct thread *next;
        bool wants_core;   /* to go on after a wait */
        bool computes;     /* in a task's function, since: */
        bool measures;     /* its processor time as well */
        bool short_slices; /* it has asked for them */
        struct moment start;
        struct moment read; /* its processor time last; now_ns 0: it has done other things since */
        int64_t regular_ns; /* who takes no longer has not waited for a processor */
        struct cpu_times cpu_from;                   /* since it has its core, virtual CPUs */
        int64_t ntask;                               /* executed */
        int64_t last_ns;                             /* how long its last task took */
        int64_t end_ns;                              /* now, where it has just ended; else 0 */
        int64_t light_number, light_count, light_ns; /* light.c: executed; not counted; of one */
        int32_t light_depth;
        struct task *spare; /* for the next one that it creates: filled without the lock */
        void *signal_stack; /* guard.c */
};

struct account; /* account.c */
struct cpus;    /* cpus.c */
struct timeline;
struct pieces_expected;
struct migration;   /* migrate.c */
struct replicating; /* replicate.c */
struct save;        /* save.c */
struct check;       /* check.c */

enum { SIGNALS_MAX = 8, LOOPS_KNOWN = 64 };

/* How long an iteration of a loop takes; 0: not known. */
struct loop_known {
        lbrun_loop function;
        double ns;
};

struct stall {                          /* keeper.c: tasks that are held while none is placed */
        int64_t nheld, at_ns, still_ns; /* at the last look; since when nothing has changed */
        bool said;
};

struct process {
        struct job *job;
        int32_t rank, worker, apprank, place, nplace, node, local; /* local: place on the node */
        bool home, alone, mpi_ours, started, stopping, virtual_cores;
        MPI_Comm all, world; /* all ranks of the job; the appranks */
        struct board *board;
        struct board_worker *self;
        const struct cores_type *cores_type;
        struct cores *cores;
        struct transport *transport;
        int64_t copy_ns; /* of its figures, when it has gone */
        struct control *control;
        struct memory *memory;
        uintptr_t memory_begin;
        size_t memory_bytes;
        struct memory **others; /* [napprank] that of the other appranks; NULL: not here */
        int64_t start_ns;
        pid_t pid; /* a child that it forks is no rank */

        pthread_mutex_t lock;
        const struct called
            *_Atomic holder; /* record of the thread that has the lock; NULL: none */
        int32_t ncore;
        bool *idle; /* [ncore] usable, and no thread is on it */
        int32_t nidle;
        int32_t comm_core;        /* of the thread for messages alone; -1: it shares all */
        int32_t *gained;          /* [ncore] scratch */
        struct cpus *cpus;        /* cpus.c; NULL: cores are no virtual CPUs */
        int *cpu;                 /* [ncore] processor of each core, where cores are real */
        pthread_key_t thread_key; /* to hear of threads that end */
        struct thread main_thread;
        struct thread *parked;               /* threads without a core, waiting for work */
        struct thread *resume, *resume_last; /* threads that want a core to go on */
        struct thread **thread;              /* [nthread] all but the main one */
        int32_t nthread;
        struct thread *signal[SIGNALS_MAX]; /* [nsignal] to be woken when the lock is free */
        int32_t nsignal;
        int32_t coming;   /* threads with a core that will look for a task ... */
        int32_t spinning; /* ... those that keep looking for news */
        int64_t running;  /* threads with a core and a task, the main program's too */
        int64_t busy_ns, useful_ns, cpu_ns; /* see threads_publish() */
        int64_t useful_running;
        bool loads_are_cpu;
        atomic_bool prioritises; /* some task had a priority or a cost */
        int64_t spin_ns;         /* threads look so long for more before they park ... */
        _Atomic int64_t
            last_ns; /* ... where tasks are short: how long the last one took; at first INT64_MAX */
        int64_t bare_ns;            /* likewise, of one in ROW, without what is around it */
        _Atomic int64_t main_steps; /* see run_step() */
        bool stands_by;             /* a thread looks whether that moves */
        int32_t not_left;           /* it did not: so many tasks are anybody's */
        int64_t away_ns;            /* likewise the last one that came back; */
        int64_t short_row;          /* so many were short since the last that was not */
        const struct thread
            *attendant;   /* has looked for messages, and will, between tasks; or NULL */
        atomic_bool news; /* something has come up for those that spin */
        pthread_t keeper;
        pthread_cond_t changed; /* stopping */

        struct task root;
        struct task *spare, *opened; /* weak.c: opened has nothing more to wait for */
        int64_t nested;              /* placed tasks that are not the root's, unfinished */
        struct task_queue ready;
        struct task_queue
            *held; /* [nplace] at home: ready and not placed, by where their data is */
        int64_t nheld;
        struct stall stall;
        bool main_waits;       /* for its tasks: it creates no more */
        int64_t here;          /* tasks assigned to this worker and not finished, */
        int64_t begun;         /* so many of these begun: they run, or wait for their children */
        int32_t *tasks;        /* [nplace] at home: assigned and not known finished; likewise: */
        double *assigned_cost; /* [nplace] of these, place_costs points there */
        struct costs costs;
        struct place_costs place_costs;
        struct where *where;
        struct pieces_expected *expected; /* copies.c */
        uint64_t next_piece;
        int64_t home_missing; /* pieces that the taskwait waits for */
        int64_t offloaded_bytes;
        struct migration *migration; /* NULL: tasks do not migrate; likewise: */
        struct replicating *replicating;
        int64_t ncopies;                     /* tasks that wait here and at another rank */
        struct loop_known loop[LOOPS_KNOWN]; /* by function; one may take the place of another */
        struct account *account;
        double fastest;                /* chain.c: speed of a node, */
        int64_t released_ns, chain_ns; /* what ends now, the longest until the last iteration */
        struct timeline *timeline;     /* timeline.c; NULL: no trace */
        struct record *record;         /* record.c; NULL: tasks are not recorded */
        struct save *save;
        struct check *check; /* check.c; NULL: tasks are believed */
};

/* Does the task itself read or write it? */
static inline bool access_touches(const struct lbrun_access *access)
{
        return access->bytes > 0 && (access->mode & LBRUN_INOUT);
}

/* The one of this process. */
extern struct process lbrun_process;

/* The calling thread's; the main thread's from start on; NULL on threads that are not ours. */
struct thread *thread_current(void);
void thread_set_current(struct thread *t);

int64_t now_ns(void); /* a function: tests have a clock of their own */
static inline void lock(struct process *p)
{
        pthread_mutex_lock(&p->lock);
        atomic_store_explicit(&p->holder, &called_here, memory_order_release);
}
/* With the lock, which is let go meanwhile. */
static inline void wait_unlocked(struct process *p, pthread_cond_t *condition)
{
        atomic_store_explicit(&p->holder, NULL, memory_order_release);
        pthread_cond_wait(condition, &p->lock);
        atomic_store_explicit(&p->holder, &called_here, memory_order_release);
}
void unlock(struct process *p); /* and wake threads that were signalled */

/* fail.c: end the job with a message that names rank, apprank and `call`. Any thread. */
_Noreturn void fail(const char *call, const char *format, ...) LB_PRINTF(2, 3);
/* The same, as another rank has died, which is the one to be blamed. */
_Noreturn void fail_for(int32_t rank, const char *call, const char *format, ...) LB_PRINTF(3, 4);
/* The same message, of a file of ours: the program goes on, and ends with another code than 0. */
void fail_later(const char *call, const char *format, ...) LB_PRINTF(2, 3);
/* The same message, and the job goes on. */
void warn(const char *call, const char *format, ...) LB_PRINTF(2, 3);
void fail_at_exit(int code, void *nothing); /* at any end of the program: on_exit() */
void fail_expect_end(void);                 /* MPI ends the job, and says why itself */

/*
 * calls.c: the program's MPI calls are looked at, from before MPI is initialised; between guard and
 * unguard, in appranks, a collective call in which helpers would have to take part ends the job.
 */
void calls_start(void);
void calls_guard(const struct process *p);
void calls_unguard(const struct process *p);

/*
 * serve.c: the main program waits in MPI, and its core is free meanwhile; between start and stop.
 */
struct interpose_call;
void serve_start(struct process *p);
void serve_stop(void);
void serve_call(const struct interpose_call *call); /* begins, of any thread */

/* thread.c: threads and their cores. */
void threads_prepare(struct process *p);                /* before there are messages */
void threads_transport(struct process *p, bool begins); /* around the start of their thread */
void threads_start(
    struct process *p);               /* the caller becomes the main thread; takes a core at home */
void threads_stop(struct process *p); /* without the lock */
void threads_finish(struct process *p);   /* when nobody signals any more */
void threads_dispatch(struct process *p); /* idle cores to threads that have something to do */
bool threads_may_get_cores(const struct process *p); /* one that is idle here, or another's */
void threads_overdue(void *process); /* who attended has not come back; without the lock */
void threads_gain(struct process *p, int32_t count); /* gained[count] became usable */
void threads_settle(struct process *p);              /* idle cores: lend, return or keep */
void threads_tell(struct process *p);                /* what is running and ready, to the board */
void threads_publish(struct process *p);             /* and the time used */
void threads_publish_cpu(struct process *p, bool exact);  /* exact: of tasks that run, too; slow */
void thread_signal(struct process *p, struct thread *t);  /* woken when the lock is free */
void thread_sleep(struct process *p, struct thread *t);   /* until signalled, or for no reason */
void thread_release(struct process *p, struct thread *t); /* its core is free for others */
void thread_regain(struct process *p, struct thread *t);  /* blocks until it has a core again */
bool thread_keeps_core(struct process *p, struct thread *t); /* after a task; if not, it is gone */
void thread_begin(struct process *p, struct thread *t); /* it has a core, and something to do */
void thread_unpin(const struct process *p); /* the caller, from one core; without the lock */
void *thread_main(void *thread);            /* run.c */

/* cpus.c: cores that are virtual CPUs; nothing where they are not. */
void cpus_start(struct process *p);
void cpus_stop(struct process *p);
void cpus_enter(struct process *p, struct thread *t); /* the caller has the core t->core */
void cpus_count(struct process *p, struct thread *t); /* it will not have it any more */
void cpus_leave(const struct process *p);             /* the caller computes no more */
void cpus_meet(struct process *p);                    /* appranks, at the start: message delay */
/* What processor time would be on a CPU that is always there, and as slow. */
int64_t cpus_slowed_ns(const struct process *p, int64_t cpu_ns);
double cpus_missed_by_any(const struct process *p); /* the most; collective over all ranks */
double cpus_missed(const struct process *p); /* by those of this process, while it had them */
double cpus_message_delay_us(const struct process *p);
struct cpu_stat cpus_stat(const struct process *p); /* of all of the job */

/* run.c: threads execute tasks. */
void run_task(struct process *p, struct thread *t, struct task *task);
/* The function of its task, if any, does not compute meanwhile. Returns what run_resume() wants. */
bool run_pause(struct process *p, struct thread *t);
void run_resume(struct process *p, struct thread *t, bool computes);
struct task *run_next(struct process *p);               /* for a thread that has a core; or NULL */
void run_throttle(struct process *p, struct thread *t); /* after the creation of a task */
/* A thread with a core finds nothing to do: waits for it a little, without the lock. Is there
 * something now, or do messages keep coming? No where *count has become 0. */
bool run_spin(struct process *p, struct thread *t, const int64_t *count);
int64_t run_oldest_ns(const struct process *p); /* when its oldest task started; 0: none runs */
int64_t run_cpu_ns(struct process *p);          /* of tasks that run, beyond p->cpu_ns; slow */

enum {
        SHORT_NS = 5000, /* a task: less than it takes to wake a thread */
        TINY_NS = 200,   /* less than it takes to get the lock and the task from another thread */
        ROW = 16,        /* so many in a row, and the next will be as short */
        WORTH_WAKING_NS = 20000, /* all that wait */
};

/* Is it decided for the task alone where it runs, so that its time counts by itself? Else it is its
 * parent's. At home. */
static inline bool task_is_apart(const struct process *p, const struct task *task)
{
        return task->parent == &p->root || task->is_placed;
}

/* What it executes next does not follow at once on what it has executed last. */
static inline void thread_interrupted(struct thread *t)
{
        t->end_ns = 0;
        t->read.now_ns = 0;
}

/* The main program has created a task, or executed one. */
static inline void run_step(struct process *p, const struct thread *t)
{
        if (t == &p->main_thread)
                atomic_store_explicit(&p->main_steps, p->main_steps + 1, memory_order_relaxed);
}

/* Ready ones: more are only kept. */
static inline int64_t run_enough_tasks(const struct process *p)
{
        return 64 * (int64_t)p->ncore;
}

/* Tasks that a core of this process could execute now. */
static inline int64_t run_waiting_tasks(const struct process *p)
{
        return p->ready.count + (p->migration ? p->nheld + p->ncopies : 0);
}

/*
 * Tasks so tiny that to hand one over takes longer than to execute it: while the main program
 * creates or executes one after the other, it is faster alone.
 */
static inline bool run_left_to_main(const struct process *p)
{
        return p->bare_ns < TINY_NS && p->not_left == 0 && p->main_thread.core >= 0 && !p->resume &&
               !p->stopping && run_waiting_tasks(p) * p->bare_ns < WORTH_WAKING_NS;
}

/* light.c: tasks without accesses, which may run here; executed at once, without the lock, or not:
 * returns false. To be counted by their thread later, with the lock. */
bool light_run(struct process *p, struct thread *t, lbrun_function function, const void *argument,
               size_t bytes);
void light_count(struct process *p, struct thread *t);

/* wait.c */
void wait_children(struct process *p, struct thread *t); /* of the caller's task */
void wait_count(struct process *p, struct thread *t,
                const int64_t *count); /* until it is 0; there is no task to wait for */
void wait_task(struct process *p, struct thread *t, struct task *task); /* that is_wait */

/* queue.c */
void queue_push(struct task_queue *queue, struct task *task);
struct task *queue_first(const struct task_queue *queue); /* or NULL; it stays */
struct task *queue_pop(struct task_queue *queue);         /* or NULL */
struct task *queue_pop_child(struct task_queue *queue,
                             const struct task *parent); /* the latest, if it is the parent's */
struct task *queue_last(const struct task_queue *queue); /* or NULL; it stays; likewise: */
struct task *queue_before(const struct task_queue *queue, const struct task *task);
struct task *queue_pop_last(struct task_queue *queue);
void queue_remove(struct task_queue *queue, struct task *task);
void queue_finish(struct task_queue *queue);

/* api.c: for calls of lbrun.h; they end the job with a message where there is none. */
struct process *api_started(const char *call);
struct thread *api_thread(const char *call); /* of ours, that calls */

/* submit.c: what the program wants to be a task. */
struct submission {
        const char *call; /* of lbrun.h, for messages */
        lbrun_function function;
        const void *argument;
        size_t argument_bytes;
        int naccess;
        const struct lbrun_access *access;
        struct lbrun_options options;
        lbrun_loop loop; /* NULL, or a part of one: */
        int64_t begin, end;
        bool ours;           /* its accesses are right */
        struct task *filled; /* submit_fill() has been called for it; or NULL */
};
void submit_check(const struct submission *s,
                  const void *accesses); /* without the lock; naccess of them, or slices */
void submit_check_accesses(const struct process *p, const struct thread *t,
                           const struct submission *s);
void submit_fill(struct task *task, const struct submission *s); /* a spare one; any lock or none */
struct task *submit_make(struct process *p, const struct thread *t, const struct submission *s);

/* Create the task, and what it needs; the lock may be let go meanwhile. */
void submit_create(struct process *p, struct thread *t, const struct submission *s);

/* loop.c */
void loop_finished(struct process *p, const struct task *task);

/* reduce.c: tasks with accesses that reduce. */
bool reduce_is(enum lbrun_mode mode);
bool reduce_stands(const struct lbrun_access *access, uintptr_t at); /* there, for a task's value */
int reduce_count(const struct submission *s);
void reduce_check(const struct submission *s, int i); /* access i */
void reduce_create(struct process *p, struct thread *t, const struct submission *s);
void reduce_combined(struct process *p, const struct task *task); /* that is_ours is complete */

/* task.c: from creation to completion. */
struct task *task_take(struct process *p);
struct task *task_take_spare(struct process *p); /* the same, but of any content: to be cleared */
void task_clear(struct task *task);
void task_put(struct process *p, struct task *task);
void task_set_argument(struct task *task, const void *argument, size_t bytes);
void task_set_accesses(struct task *task, int32_t count, const struct lbrun_access *access);
void task_set_home(struct task *task, const void *const *home); /* [naccess] */
/* Where at home the data of access i is. */
uintptr_t task_home(const struct task *task, int32_t i);
void task_create(struct process *p, struct task *task, struct task *parent);
void task_ready(struct process *p, struct task *task);    /* its order allows it: place it */
void task_runnable(struct process *p, struct task *task); /* its data is here: queue it */
void task_body_done(struct process *p, struct task *task);
void task_complete(struct process *p, struct task *task); /* of the home's own: wherever it ran */
/* Its place in the order of the parent's children; and that it is over for those who wait for it.
 */
void task_order(struct task *task, struct task *parent, const struct access *access,
                int32_t naccess, bool *blocked);
void task_release(struct process *p, struct task *parent, struct access_task *order,
                  int64_t chain_ns); /* that ends with it */
/* Up to where, or to `end`, an access that allows the mode reaches from `begin` on. */
uintptr_t task_reach(const struct lbrun_access *access, enum lbrun_mode mode, uintptr_t begin,
                     uintptr_t end);

/* weak.c: accesses of a task's children, not of the task. */
bool weak_is(const struct lbrun_access *access);
void weak_take(struct process *p, struct task *task); /* out of its accesses: they become gates */
void weak_create(struct process *p, struct task *task, struct task *parent);
void weak_open(struct process *p, struct task *gate); /* what it stands behind is complete */
void weak_complete(struct process *p, struct task *task, int64_t end_ns);
void weak_complete_opened(struct process *p);
uintptr_t weak_reach(const struct task *parent, enum lbrun_mode mode, uintptr_t begin);
/* How much of a child's access is weak with its parent, and theirs: nobody here counts on it. */
enum weak_part weak_part(const struct task *parent, const struct lbrun_access *access);

/* place.c: at home, which worker. */
void place_task(struct process *p, struct task *task);
void place_refill(struct process *p, int32_t place, enum place_occasion occasion);
/* At home: it has finished, wherever it was, and is no longer its place's. */
void place_left(struct process *p, const struct task *task);

/* A task that was there has finished, and took so long. */
void place_finished(struct process *p, int32_t place, int64_t executed_ns);
void place_told(struct process *p, int32_t place); /* a mail of its cores, or asking for tasks */
void place_ask(struct process *p); /* cores of the node may be idle: tasks for them, from home */
bool place_help_oneself(struct process *p);             /* held tasks for an idle core here */
bool place_send_held(struct process *p, int32_t place); /* one; false: none is held */
bool place_copy_held(struct process *p, int32_t place); /* likewise, where it waits too */
struct task *place_at_home(struct process *p, struct task *task); /* to run it now; NULL: its data
                                                                     comes first */
int32_t place_worker(const struct process *p, int32_t place);     /* of the job; and its rank */
int32_t place_node(const struct process *p, int32_t place);
int32_t place_rank(const struct process *p, int32_t place);
void place_stop(struct process *p);

/* What a task needs and has not got at its place. */
struct copies {
        const uint64_t *piece; /* [npiece][3] that come by themselves */
        int32_t npiece;
        const void *data; /* that goes with the task, from home; NULL: none */
        void *data_to;
        size_t bytes;
};

/* message.c: what comes from another rank. */
void message_read(const struct transport_message *message, void *to, size_t bytes); /* all of it */
void message_head(const struct transport_message *message, void *to, size_t bytes); /* its begin */
_Noreturn void message_refuse(const struct transport_message *message); /* it makes no sense */

/* offload.c: tasks that run elsewhere. */
void offload_send(struct process *p, struct task *task, uint64_t replica,
                  const struct copies *copies); /* replica: home's name of a copy, or 0 */
void offload_finished(struct process *p, struct task *task); /* at a helper: tell home */
void offload_result(struct process *p, struct task *task);   /* and what it wrote */
void offload_on_task(void *user, const struct transport_message *message);
void offload_on_finished(void *user, const struct transport_message *message);
void offload_on_output(void *user, const struct transport_message *message);
void offload_on_mail(void *user, const struct transport_message *message);
void offload_on_stop(void *user, const struct transport_message *message);
void offload_post_mail(void *user, const struct control_mail *mail);
void offload_stop_helpers(struct process *p);

/* migrate.c: ranks push tasks to each other; nothing where they do not. */
void migrate_start(struct process *p);
void migrate_stop(struct process *p);
void migrate_look(struct process *p, bool at_once); /* the number of tasks here has changed */
void migrate_begin(struct process *p); /* the main program is in a taskwait; and is no more: */
void migrate_end(struct process *p);
void migrate_waits(struct process *p);                 /* or does no longer, in MPI */
bool migrate_has_one_core(const struct process *p);    /* so others' tasks may wait for the main */
bool migrate_is_awaited(const struct process *p);      /* program to wait; are there any then? */
void migrate_replicate(struct process *p);             /* tasks of a taskwait are there */
void migrate_poll(struct process *p);                  /* now and then, and at: */
int64_t migrate_due_ns(const struct process *p);       /* 0: at no certain time */
void migrate_arrived(struct process *p, int32_t rank); /* a task of this rank */
void migrate_left(struct process *p);                  /* its result is sent home */
void migrate_post(struct process *p, struct transport_post *post); /* with data of a task */
void migrate_on_sent(void *user, void *argument);
void migrate_on_load(void *user, const struct transport_message *message);
void migrate_hold(struct process *p, int32_t rank, int32_t change); /* no tasks there while > 0 */
void migrate_copies(struct process *p, int32_t change); /* of other ranks' tasks, here */

/* replicate.c: tasks that wait at two ranks; only where they migrate. */
void replicate_start(struct process *p);
void replicate_stop(struct process *p);
void replicate_task(struct process *p, struct task *task, int32_t place); /* at home: a copy goes */
int64_t replicate_own(const struct process *p); /* own tasks that wait at two ranks */
int64_t replicate_sent(const struct process *p, int64_t *used); /* copies; results of them */
struct task *replicate_next(struct process *p); /* for a core that finds nothing else, or NULL */
void replicate_arrived(struct process *p, struct task *task, uint64_t id); /* a copy, here */
void replicate_runnable(struct process *p, struct task *task);             /* its data, too */
void replicate_ended(struct process *p, struct task *task);
void replicate_on_offer(void *user, const struct transport_message *message);
void replicate_on_take(void *user, const struct transport_message *message);
void replicate_on_cancel(void *user, const struct transport_message *message);
void replicate_on_gone(void *user, const struct transport_message *message);

/* copies.c: data under way. */
void copies_start(struct process *p);
void copies_stop(struct process *p);
/* Order what a task needs at its place (valid until the next call); what goes with the task, the
 * caller sends. Marks what it writes, where it will run there. */
struct copies copies_order(struct process *p, struct task *task, bool runs);
void copies_expect(struct process *p, struct task *task, const uint64_t *piece, int32_t npiece);
void copies_bring_home(struct process *p); /* everything; home_missing counts down */
void copies_returned(struct process *p, const struct task *task); /* what it wrote is at home */
void copies_on_copy(void *user, const struct transport_message *message);
void copies_on_data(void *user, const struct transport_message *message);

/* keeper.c: polls. */
void keeper_start(struct process *p);
void keeper_stop(struct process *p); /* without the lock */

/* chain.c: how long tasks wait for each other. */
void chain_start(struct process *p);
int64_t chain_after(const struct task *task, int64_t lasts_ns); /* what it comes after, and that */
int64_t chain_end_ns(const struct process *p, const struct task *task);
void chain_follow(struct task *task, int64_t end_ns); /* it comes after what ends then */
void chain_ended(struct task *parent, const struct task *task, int64_t end_ns);
double chain_pass_s(struct process *p); /* since the last call, of the main program's tasks */

/* record.c: --tasks FILE; nothing where it is not given. With the lock, but for the first two and
 * the last. */
void record_start(struct process *p);
void record_write(const struct process *p); /* collective over the appranks */
void record_create(struct process *p, struct task *task, struct task *parent,
                   const struct access *access, int32_t naccess);
void record_gate(struct process *p, const struct task *gate, struct task *parent,
                 const struct access *access);                   /* of a weak access */
void record_light(struct process *p, int64_t count, int64_t ns); /* the main program's, executed */
void record_light_parent(struct process *p);                     /* one that has children */
void record_wait(struct process *p, struct task *task);          /* it has waited for all */
void record_wait_for(struct process *p, struct task *task, const struct task *other);
void record_complete(struct process *p, struct task *task);
void record_iteration(struct process *p);
void record_main_stops(struct process *p);              /* it waits, or executes tasks */
void record_main_goes_on(struct process *p);            /* again */
void record_main_waited(struct process *p, int64_t ns); /* for its core; without the lock */
void record_stop(struct process *p);

/* account.c: iterations. */
void account_start(struct process *p);
void account_task(struct process *p, const struct task *task);
void account_light(struct process *p, int64_t count, int64_t ns); /* tasks at home */
void account_core_wait(struct process *p, int64_t ns); /* after a wait in MPI, for its core */
void account_iteration(struct process *p);
int32_t account_now(const struct process *p); /* the present iteration */
void account_report(struct process *p);       /* collective over all ranks, without the lock */
void account_stop(struct process *p);

void account_publish(struct process *p); /* figures, to where lbrun can read them */

/* What the report is made of (real/control/tally.h): rows of a home's iterations that are over,
 * count[] numbers of each apprank, and figures that add up over all ranks. */
const double *account_rows(const struct process *p, int *count);
void account_figures(const struct process *p, struct tally_figures *figures);

/* At apprank 0: the files, and at the end the table. Says what cannot be written, and returns -1.
 */
enum account_when { ACCOUNT_END, ACCOUNT_SO_FAR, ACCOUNT_CUT /* it ends before its end */ };
int account_write(const struct process *p, const struct tally_figures *sum, const double *rows,
                  const int *count, enum account_when when);

/* timeline.c: the trace, if there is to be one. */
void timeline_start(struct process *p);
void timeline_busy(struct process *p, int32_t core, bool is_main); /* a thread works on it */
/* None does any more, from time_ns on: taken before the core was given away. */
void timeline_free(struct process *p, int32_t core, int64_t time_ns);
void timeline_poll(struct process *p);
void timeline_iteration(struct process *p); /* one is over, and the next begins */
void timeline_report(struct process *p);    /* collective over all ranks, without the lock */
/* A copy of what there is, allocated, NULL out of memory; and a trace of all ranks' copies. */
struct timeline_end {
        int64_t until_ns; /* what the worker did later is not known: there the trace of all ends,
                           * since others may have got the cores that it had then */
        bool full;        /* for want of room */
};
void *timeline_records(const struct process *p, size_t *bytes, struct timeline_end *end);
void timeline_write(const struct process *p, void *records, size_t bytes,
                    const struct timeline_end *end);
void timeline_stop(struct process *p);

/* guard.c: policies that do not return, and crashes in policies and tasks, are named. */
void guard_start(struct process *p);
void guard_stop(struct process *p);
void guard_thread_start(struct thread *t); /* by the thread itself */
void guard_thread_stop(struct thread *t);

int guard_name_task(char *text, size_t size, const struct task *task); /* "update() (app+0x1f0)" */

/* check.c: one task at a time, and what it touches is compared with its accesses. */
void check_start(struct process *p);
void check_stop(struct process *p);
void check_begin(struct process *p, const struct task *task); /* around its function; no lock */
void check_end(struct process *p);
/* Its creator waits, and data may come and go; it goes on. */
void check_pause(struct process *p);
void check_resume(struct process *p);
/* The task that has waited for these accesses may do what they say until it creates a task. */
void check_grant(struct process *p, int32_t naccess, const struct lbrun_access *access);
void check_withdraw(struct process *p);
int32_t check_place(struct process *p, const struct task *task);  /* where it runs: in turn */
void check_block(struct process *p, void *address, size_t bytes); /* allocated; 0 bytes: freed */
void check_on_block(void *user, const struct transport_message *message);
/* In a signal handler: what the running task has touched, if it is that. */
int check_describe(const struct process *p, char *text, size_t size, const void *address,
                   const void *context);

/* save.c: what there is is written before the job's end. */
void save_start(struct process *p);
void save_stop(struct process *p);
/* By what the job ends before its end, which some rank was told; text[] is for that. */
enum { SAVE_CAUSE_SIZE = 80 };
const char *save_ended_by(char text[static SAVE_CAUSE_SIZE]);
void save_poll(struct process *p); /* by the keeper, which is woken for it */
int64_t save_due_ns(const struct process *p);
void save_on_ask(void *user, const struct transport_message *message);
void save_on_save(void *user, const struct transport_message *message);
void save_on_part(void *user, const struct transport_message *message);
void save_on_saved(void *user, const struct transport_message *message);

#endif
