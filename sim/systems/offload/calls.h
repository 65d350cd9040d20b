/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef LB_SIM_SYSTEMS_OFFLOAD_CALLS_H
#define LB_SIM_SYSTEMS_OFFLOAD_CALLS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "policies/place.h"
#include "policies/shape.h"

/* What the files of this room have for each other; the machine itself is in machine.h. */

struct apprank;
struct core;
struct explicit;
struct graph;
struct helpers;
struct ledger;
struct machine;
struct node;
struct post;
struct sim_result;
struct sim_spec;
struct worker;

/*
 * machine.c: made from a spec, at time 0 with the initial ownership. `columns` has all edges that
 * there will be, and outlives the machine; needed for time series and traces alone, else the spec's
 * graph will do.
 */
struct machine *machine_create(const struct sim_spec *spec, const struct graph *columns,
                               struct lb_error *err);
void machine_destroy(struct machine *m);
/* The first reason is kept; the run ends at the next event. */
void machine_fail(struct machine *m, const char *format, ...) LB_PRINTF(2, 3);

/* A node alone, as policies of node scope see it. */
struct lb_shape machine_node_shape(const struct machine *m, const struct node *n);

/* The edge of an apprank and a node, NONE if there is none. */
int32_t machine_edge(const struct graph *graph, int32_t apprank, int32_t node);

/* What machine.c has in common with regraph.c: all that is numbered by worker or edge, the policies
 * aside. machine_wire() fills in what follows from the graph. */
int machine_make_workers(struct machine *m, struct lb_error *err);
void machine_free_workers(struct machine *m);
void machine_wire(struct machine *m);
uint64_t machine_phase_seed(const struct machine *m); /* of looks and polls */

int machine_set_lending(struct machine *m, struct node *n, struct lb_error *err);
int machine_set_placement(struct machine *m, struct apprank *a, struct lb_error *err);
int machine_set_allocation(struct machine *m, struct lb_error *err); /* states are NULL before */

/*
 * regraph.c: from now on the graph is another, which the caller keeps until it is replaced or the
 * machine is gone. Workers that both have go on; those that the old graph alone has must be without
 * tasks, messages and cores. New ones own nothing yet. On failure the run fails.
 */
void machine_regraph(struct machine *m, const struct graph *graph);

/* helpers.c: helpers come and go, as the growth policy decides. */
struct helpers *helpers_create(const struct machine *m, struct lb_error *err);
void helpers_destroy(struct helpers *helpers);
void helpers_begin(struct machine *m);
void helpers_event(struct machine *m);
bool helpers_change(const struct machine *m);         /* such an event would change who is there */
int64_t helpers_patience_ns(const struct machine *m); /* growth may do something until then */
int64_t helpers_starts(const struct machine *m);      /* processes started so far */

/* The spec's edges and those of all helpers that have been there; the caller destroys it. */
struct graph *helpers_columns(const struct machine *m, struct lb_error *err);

/* Invariants of one node; fails the run where one does not hold. */
void machine_check_node(struct machine *m, int32_t node);

/* cores.c: who uses which core. */
void cores_idle_at_start(struct machine *m);        /* put every core in its owner's list */
void cores_seek(struct machine *m, int32_t worker); /* see worker_seek() */
void core_event(struct machine *m, int32_t core);   /* what runs there ends */
void core_transfer(struct machine *m, int32_t core, int32_t owner); /* ownership changes */
void cores_retry_lending(struct machine *m, int32_t node); /* idle cores, with what the poll told */
void core_offer(struct machine *m, int32_t core);          /* idle: keep free for a new owner */

/* create.c: the main program's part. */
void tasks_begin(struct machine *m, int32_t apprank);            /* an iteration starts */
int64_t tasks_main_batch_ns(struct machine *m, int32_t apprank); /* time of the next batch: first
                                                                    the serial part, then tasks */
bool tasks_main_batch(struct machine *m, int32_t apprank);       /* it is over: more to come? */

/* tasks.c: from placement to completion. */
void tasks_place(struct machine *m, int32_t apprank, int32_t data_edge,
                 int64_t count); /* newly ready ones */
void tasks_finish(struct machine *m, struct worker *w, const struct core *core);
void tasks_ready(struct machine *m, int32_t apprank, int32_t data_edge,
                 int32_t task); /* explicit */
/* One of it has finished, as home learns: it counts no more; others that are held may go there. */
void tasks_left(struct machine *m, const struct worker *w);
void tasks_finished(struct machine *m, struct worker *w);
void tasks_inbox_event(struct machine *m, struct worker *w);
int64_t tasks_refill(struct machine *m, int32_t worker,
                     enum place_occasion occasion);                           /* how many */
int64_t tasks_give_waiting(struct machine *m, int32_t worker, int32_t cores); /* how many */
/* A message about no task, from one worker to another of its apprank; figures are part of a poll,
 * which has been paid. */
void tasks_say(struct machine *m, int32_t from, int32_t to, int64_t message);
void tasks_tell(struct machine *m, int32_t to, int64_t message, int64_t figures);
/* What was put off: in order of time for all, then for who receives it. */
void tasks_post_leaves(struct machine *m, struct post *post);
void tasks_deliver(struct machine *m, const struct post *post);

/* ahead.c: memory of the events that come soon, before the next one is taken. */
void ahead_set(struct machine *m);
void ahead_ask(struct machine *m);

/* asks.c: idle cores ask appranks for held tasks. */
void asks_look(struct machine *m, int32_t node); /* something happened there */
void asks_arrived(struct machine *m, int64_t message);
void asks_held(struct machine *m, int32_t apprank);       /* it holds tasks */
void asks_task_came(struct machine *m, struct worker *w); /* to one that asked */

/*
 * dependencies.c: explicit tasks, where there are any. begin: an iteration; created: tasks from ..
 * until - 1; start: at a worker; finish: known at home, which goes on with held tasks, and those
 * that are ready now. count_created: of the tasks from .. until - 1, those that the main program
 * creates. goes_on: one of a whole has ended at a worker, where others follow; else all have, and
 * it is *task, which *took_ns.
 */
int dependencies_create(struct machine *m, struct lb_error *err);
void dependencies_destroy(struct machine *m);
void dependencies_begin(struct machine *m, int32_t apprank);
void dependencies_created(struct machine *m, int32_t apprank, int64_t from, int64_t until);
void dependencies_assign(struct explicit *e, int64_t task);
void dependencies_start(struct machine *m, const struct worker *w, int64_t task);
void dependencies_finish(struct machine *m, struct worker *w, int32_t task);
int64_t dependencies_count_created(const struct machine *m, int32_t apprank, int64_t from,
                                   int64_t until);
bool dependencies_goes_on(struct machine *m, struct worker *w, int32_t *task, int64_t *took_ns);
/* Held tasks whose data is at one edge, first in, first out; held_here[] has been counted before.
 */
void dependencies_hold(struct machine *m, int32_t apprank, int32_t edge, int32_t task);
int32_t dependencies_release(struct machine *m, int32_t apprank, int32_t edge);
void dependencies_move_held(struct machine *m, int32_t apprank, int32_t from, int32_t to);

/*
 * priced.c: where it is known what tasks cost, each is a number. begin: an iteration; edge: where a
 * task's data is; assigned, finished: at a worker, as home knows; held: or no longer; next: the
 * held one, or NONE, whose cost the policy is told.
 */
int priced_create(struct machine *m, struct lb_error *err);
void priced_destroy(struct machine *m);
void priced_begin(struct machine *m, int32_t apprank);
void priced_show(struct machine *m, int32_t apprank); /* the costs, to its placement policy */
int32_t priced_edge(const struct machine *m, int32_t apprank, int64_t task);
void priced_assigned(struct machine *m, int32_t apprank, int32_t edge, int64_t task);
void priced_ran(struct machine *m, const struct worker *w, int64_t task);
void priced_finished(struct machine *m, const struct worker *w, int64_t task);
void priced_held(struct machine *m, int32_t apprank, int32_t task, bool held);
void priced_next(struct machine *m, int32_t apprank, int32_t task);

/*
 * urgent.c: where tasks have priorities or costs, each is a number, and the most urgent is taken
 * first. ready, take: of a worker; staying: so many of its ready ones run at home alone; take_last:
 * the least urgent of the others, of which there is one; hold, release: of those with their data at
 * one edge; held_edge: where the task is that a worker at `edge` is to take.
 */
bool urgent_wanted(const struct sim_spec *spec);
int urgent_create(struct machine *m, struct lb_error *err);
void urgent_destroy(struct machine *m);
void urgent_begin(struct machine *m, int32_t apprank);
void urgent_ready(struct machine *m, const struct worker *w, int32_t task);
int32_t urgent_take(struct machine *m, const struct worker *w);
int32_t urgent_staying(const struct machine *m, const struct worker *w);
int32_t urgent_take_last(struct machine *m, const struct worker *w);
void urgent_hold(struct machine *m, int32_t apprank, int32_t edge, int32_t task);
int32_t urgent_held_edge(struct machine *m, int32_t apprank, int32_t edge);
int32_t urgent_release(struct machine *m, int32_t apprank, int32_t edge);
void urgent_move_held(struct machine *m, int32_t apprank, int32_t from, int32_t to);

/* control.c: polls, measurements, ownership, the global policy. */
void control_begin(struct machine *m);
void control_node_poll(struct machine *m, int32_t node);
void control_collect(struct machine *m);
void control_told(struct machine *m, int64_t message,
                  int64_t figures); /* where looks are together */
void control_publish(struct machine *m);
void control_stall(struct machine *m);

/* stall.c: once in a poll's time; fails where nothing runs any more. */
void stall_look(struct machine *m, int64_t poll_ns, int64_t period_ns);

/* run.c: iterations, and what concerns all nodes; false when the last iteration is over. */
void run_apprank_done(struct machine *m, int32_t apprank);
bool run_machine_event(struct machine *m, int32_t slot);
bool run_asked_to_stop(const struct machine *m);

/* tracing.c: what the observer is told, where the run is traced. */
int tracing_start(struct machine *m, struct lb_error *err);
void tracing_core(const struct machine *m,
                  int32_t core); /* its state, owner or user may have changed */
void tracing_node(const struct machine *m, int32_t node);   /* it has been polled */
void tracing_gone(const struct machine *m, int32_t worker); /* a helper is about to go: it owns,
                                                               borrows and uses nothing */

/* measure.c: what the ledger is told. */
struct ledger *measure_create(const struct machine *m, struct lb_error *err);
void measure_iteration(struct machine *m); /* an iteration begins, or all are over */
void measure_sample(struct machine *m);
int measure_finish(struct machine *m, int64_t nevent, struct sim_result *result,
                   struct lb_error *err);

#endif
