/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef LB_REAL_CONTROL_H
#define LB_REAL_CONTROL_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "policies/lend.h"
#include "policies/migrate.h"
#include "policies/place.h"
#include "real/node/board.h"
#include "real/node/cores.h"
#include "real/control/job.h"

/*
 * The policies of a live job, hosted: the same objects as in lbsim, with views made of what the
 * board (own node) and messages (other nodes) tell. Each worker has one control; it knows its role:
 * any worker lends, an apprank's home places tasks, worker 0 of a node leads it (local allocation),
 * and rank 0 decides globally.
 *
 * - No threads and no MPI here: the runtime calls control_poll() every job param poll_s, and passes
 * control's messages on (struct control_mail), so that all of this is tested without MPI.
 * - Calls for one control are serialised by the caller (the runtime's lock).
 * - Every view and decision is logged when the job asks for it (policies/host/decision_log.h):
 * lbsim replay decides again.
 */
struct control;

/* What one worker tells others at polls: its home of the cores it may count on, the decider of busy
 * cores. */
struct control_mail {
        int32_t destination; /* worker */
        size_t bytes;
        const void *body; /* valid until the next call */
};
typedef void (*control_post)(void *user, const struct control_mail *mail);

/* A policy, which may be a plugin's, has decided what cannot be: ends the job, saying `what`. */
typedef void (*control_wrong)(void *user, const char *what);

struct control_spec {
        const struct job *job;
        int32_t worker; /* of the job: the caller */
        struct board *board;
        const struct cores_type *cores_type;
        struct cores *cores;
        control_post post;
        control_wrong wrong; /* must not return; NULL: abort() */
        void *user;
};

struct control *control_create(const struct control_spec *spec, struct lb_error *err);
void control_destroy(struct control *control); /* takes NULL; completes the log */

/*
 * All workers of the node have told their first figures (board_worker.at_ns): loads count from now
 * on, and the first poll, when it is the node's time, tells of all up to it, as in lbsim. Without
 * this the first poll is due at once and only notes where everybody is; what was before is known to
 * no policy.
 */
void control_loads_begin(struct control *control, int64_t now_ns);

/*
 * Every poll_s: measure, tell, decide where it is this worker's role, move ownership (drop what is
 * too much and idle, claim what is missing). idle[ncore] tells which usable cores no thread is on;
 * a dropped core is taken out of it. Cores that became usable are put into gained[ncore]; returns
 * how many. Then the caller has control_refresh() tell others what it has now, refills place 0,
 * starts what it can, and, with what the poll told, asks control_core_idle() for each core that is
 * still idle, and control_needs_cores(LEND_POLLED).
 */
int32_t control_poll(struct control *control, int64_t now_ns, bool *idle, int32_t *gained);
void control_refresh(struct control *control);

/*
 * When to call control_poll() next: every poll_s, a node's workers together (the leader last, so
 * that it finds what the others have just written to the board), different nodes at different
 * times, as in lbsim; or at once where the node's leader has changed the targets since the last
 * poll, or cores have been given up that this worker should claim. It is woken then, so look again
 * after each wake.
 */
int64_t control_due_ns(const struct control *control, int64_t now_ns);

/* By every worker of the node: cores go back to their first owners and stay there; what is decided
 * about owners is followed when `holds` is false. */
void control_hold_owners(struct control *control, bool holds);

/*
 * A mail from another worker has arrived. Returns the place whose cores it tells of, for which the
 * caller at home is to ask control_refill(), PLACE_REFRESHED; else -1. The same is due for place 0
 * after control_poll().
 */
int32_t control_mail_arrived(struct control *control, const void *body, size_t bytes);

/* An iteration of the program is over, at home: how long they take is what policies are told. */
void control_iteration(struct control *control, int64_t now_ns);

/* The log of decisions is written as far as it goes. */
void control_flush(struct control *control);

/*
 * Placement; at home only. `tasks` is [places], assigned and not known finished; held_tasks does
 * not count the task to be placed. control_place() returns a place, or PLACE_HOLD; control_refill()
 * how many held tasks go to `place` now. The control takes it that the caller does so: what is then
 * held is what the helpers are told. control_finished() comes before PLACE_FINISHED: how long that
 * task executed.
 */
void control_finished(struct control *control, int64_t executed_ns);
/* Whether control_refill() is to be called then while none is held, too. */
bool control_learns(const struct control *control);
/* What tasks cost, of the calls that follow; NULL: nothing is said. */
void control_costs(struct control *control, const struct place_costs *costs);
int32_t control_place(struct control *control, int64_t now_ns, const int32_t *tasks,
                      int64_t held_tasks, int32_t data_place);
int64_t control_refill(struct control *control, int64_t now_ns, const int32_t *tasks,
                       int64_t held_tasks, int32_t place, enum place_occasion occasion);

/*
 * Asking, where the job's idle cores ask for held tasks. control_ask(): cores of the node that lie
 * in the pool and nobody asks tasks for, 0 where the caller has ready ones or does not ask; a
 * helper asks its home by mail. At home control_asked() tells of the mail that has just arrived
 * that it asks, so that the occasion of control_refill() is PLACE_ASKED, and control_answer()
 * follows with how many tasks were given. For place 0 control_refill() with that occasion asks
 * about the node's own pool. control_task_came(): at a helper, a task.
 */
int32_t control_ask(struct control *control);
bool control_asked(const struct control *control);
void control_answer(struct control *control, int32_t place, int64_t given);
/* With ask_waiting, where none is held any more and so many have been given: does who asks have
 * cores for more, and then how many of those that wait at home, which `tasks` does not count, go
 * there? */
bool control_gives_waiting(const struct control *control, int64_t given);
int64_t control_give_waiting(struct control *control, int64_t now_ns, const int32_t *tasks,
                             int64_t waiting, int32_t place, int64_t given);
void control_task_came(struct control *control);

/*
 * Migration, where the job's ranks push tasks to each other (job_migrates()); ranks are appranks.
 * control_load(): what this rank is to tell the others of itself, now; its outstanding tasks count
 * here at once, its load when it is told. control_load_told(): a rank, this one too, has told this.
 * control_migrate(), after these, asks the policy: writes *move (until the next call) and returns
 * how many moves are to be made now, or copies, where it `replicates`. under_way[napprank]: tasks
 * sent to a rank that it had not received when it told its load, which count there;
 * sending[napprank]: messages whose data has not left.
 */
struct control_load {
        int64_t load; /* the policy's number */
        int64_t outstanding;
};
struct control_load control_load(struct control *control, const struct migrate_local *local,
                                 int64_t outstanding);
void control_load_told(struct control *control, int32_t apprank, const struct control_load *load);
int32_t control_migrate(struct control *control, int64_t now_ns, bool replicates,
                        const struct migrate_local *local, const int64_t *under_way,
                        const int32_t *sending, const struct migrate_move **move);

/*
 * Lending. control_core_idle(): `core` is usable, its thread has parked and there is no ready task:
 * lend or return it, or keep it. Returns true where it is no longer usable. control_needs_cores():
 * there are ready tasks and no free core (LEND_NEEDS_CORES), or the main program has none: borrow
 * and reclaim; what became usable goes to gained[ncore], returns how many. Likewise a task was
 * started (LEND_TOOK_TASK), or a poll is over (LEND_POLLED): borrow ahead; or the caller was woken
 * and wants nothing (LEND_OCCASION_NONE): own cores that were asked back and have come back since.
 * All read the caller's figures from the board, so publish these first.
 */
bool control_core_idle(struct control *control, int64_t now_ns, int32_t core);
int32_t control_needs_cores(struct control *control, int64_t now_ns, enum lend_occasion occasion,
                            int32_t *gained);

/* The main program, or a task that has waited, has no core to go on with, and control_needs_cores()
 * has given none: one of the worker's lent cores, unless one is asked back already. In lbsim no
 * policy is asked for it at all. Likewise. */
int32_t control_needs_one(struct control *control, int32_t *gained);

/* A task begins on `core`, which was idle. */
void control_core_taken(struct control *control, int32_t core);

/* A task of `core` has ended: must the core go back to its owner (or was it taken away)? Then it
 * has been. */
bool control_core_boundary(struct control *control, int64_t now_ns, int32_t core);

struct control_figures {
        int64_t lent, borrowed,
            reclaimed;              /* cores, each time: lent here, borrowed here, come back */
        int64_t ownership_changes;  /* cores this worker claimed */
        int64_t decisions;          /* of allocation policies, here */
        int64_t wakes, retirements; /* of helpers, decided here */
        double max_load_gap; /* largest share of the wall time of this worker's tasks that was not
                                processor time, over a poll; 0 where tasks sleep */
};
struct control_figures control_figures(const struct control *control);

#endif
