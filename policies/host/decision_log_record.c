/* SPDX-License-Identifier: BSD-3-Clause */
/* What each record of a log says, as policies/replay_*.c read it. */
#include "policies/host/decision_log_impl.h"

/* ---- Offloading ---- */

static void put_params(struct decision_log *log, const struct lb_param *table, const double *param)
{
        log_put_numbers(log, param, (int32_t)lb_param_count(table));
}

static void put_alloc(struct decision_log *log, const struct alloc_type *type,
                      const struct lb_shape *shape, const double *param)
{
        log->nalloc = shape->nworker;
        log_put_word(log, type->name);
        log_put_int(log, shape->nnode);
        log_put_int(log, shape->napprank);
        log_put_int(log, shape->nworker);
        log_put_number(log, shape->poll_s);
        log_put_int(log, (int64_t)lb_param_count(type->params));
        log_put_ints(log, shape->cores, shape->nnode);
        log_put_ints(log, shape->apprank_first, shape->napprank + 1);
        log_put_ints(log, shape->worker_node, shape->nworker);
        log_put_ints(log, shape->worker_apprank, shape->nworker);
        log_put_switches(log, shape->worker_home, shape->nworker);
        log_put_ints(log, shape->node_first, shape->nnode + 1);
        log_put_ints(log, shape->node_worker, shape->nworker);
        put_params(log, type->params, param);
        if (shape->talk_only)
                log_put_switches(log, shape->talk_only, shape->nworker);
}

void decision_log_begin_alloc(struct decision_log *log, const struct alloc_type *type,
                              const struct lb_shape *shape, const double *param)
{
        if (!log_begin(log, "alloc"))
                return;
        put_alloc(log, type, shape, param);
        log_end(log);
}

void decision_log_regraph(struct decision_log *log, const struct alloc_type *type,
                          const struct lb_shape *shape, const double *param, const int32_t *worker)
{
        if (!log_begin(log, "regraph"))
                return;
        int32_t nbefore = log->nalloc;
        put_alloc(log, type, shape, param);
        log_put_word(log, "=");
        log_put_ints(log, worker, nbefore);
        log_end(log);
}

static void put_small_state(struct decision_log *log, const char *name,
                            const struct lb_param *table, int32_t nworker, const double *param)
{
        log_put_word(log, name);
        log_put_int(log, nworker);
        log_put_int(log, (int64_t)lb_param_count(table));
        put_params(log, table, param);
        log_end(log);
}

void decision_log_begin_lend(struct decision_log *log, const struct lend_type *type,
                             int32_t nworker, const double *param)
{
        if (!log_begin(log, "lend"))
                return;
        log->nlend = nworker;
        put_small_state(log, type->name, type->params, nworker, param);
}

void decision_log_begin_place(struct decision_log *log, const struct place_type *type,
                              int32_t nworker, const double *param)
{
        if (!log_begin(log, "place"))
                return;
        log->nplace = nworker;
        put_small_state(log, type->name, type->params, nworker, param);
}

static void put_alloc_view(struct decision_log *log, const struct alloc_view *view)
{
        log_put_int(log, view->time_ns);
        log_put_int(log, view->interval_ns);
        log_put_numbers(log, view->busy_cores, log->nalloc);
        log_put_ints(log, view->owned_cores, log->nalloc);
        if (view->iteration_ns > 0)
                log_put_int(log, view->iteration_ns);
}

void decision_log_observe(struct decision_log *log, const struct alloc_view *view)
{
        if (!log_begin(log, "observe"))
                return;
        put_alloc_view(log, view);
        log_end(log);
}

void decision_log_decide(struct decision_log *log, const struct alloc_view *view,
                         const int32_t *owned_cores)
{
        if (!log_begin(log, "decide"))
                return;
        put_alloc_view(log, view);
        log_put_word(log, "=");
        log_put_ints(log, owned_cores, log->nalloc);
        log_end(log);
}

static bool any(const int32_t *figure, int32_t count)
{
        for (int32_t i = 0; i < count; i++)
                if (figure[i] != 0)
                        return true;
        return false;
}

void decision_log_lend(struct decision_log *log, const struct lend_view *view,
                       const struct lend_decision *decision)
{
        if (!log_begin(log, "lending"))
                return;
        log_put_int(log, view->time_ns);
        log_put_int(log, view->occasion);
        log_put_int(log, view->worker);
        log_put_int(log, view->pool);
        log_put_ints(log, view->owned_cores, log->nlend);
        log_put_ints(log, view->lent_cores, log->nlend);
        log_put_ints(log, view->borrowed_cores, log->nlend);
        log_put_ints(log, view->reclaiming_cores, log->nlend);
        log_put_ints(log, view->running_tasks, log->nlend);
        log_put_ints(log, view->tasks, log->nlend);
        log_put_ints(log, view->ready_tasks, log->nlend);
        log_put_ints(log, view->held_tasks_known, log->nlend);
        if (any(view->task_us, log->nlend))
                log_put_ints(log, view->task_us, log->nlend);
        log_put_word(log, "=");
        log_put_int(log, decision->action);
        log_put_int(log, decision->borrower);
        log_put_int(log, decision->count);
        log_end(log);
}

static void put_place_call(struct decision_log *log, const struct place_view *view, int64_t answer)
{
        log_put_int(log, view->time_ns);
        log_put_int(log, view->occasion);
        log_put_int(log, view->worker);
        log_put_int(log, view->data_worker);
        log_put_int(log, view->held_tasks);
        log_put_ints(log, view->tasks, log->nplace);
        log_put_ints(log, view->owned_cores, log->nplace);
        log_put_ints(log, view->target_cores, log->nplace);
        log_put_ints(log, view->usable_cores, log->nplace);
        if (place_is_asked(view))
                log_put_int(log, view->asked_cores);
        if (view->talk_only)
                log_put_switches(log, view->talk_only, log->nplace);
        log_put_word(log, "=");
        log_put_int(log, answer);
        log_end(log);
}

/* On a line of its own, since most calls have none. */
static void put_costs(struct decision_log *log, const struct place_costs *costs)
{
        if (!costs || !log_begin(log, "costs"))
                return;
        log_put_number(log, costs->held);
        log_put_number(log, costs->next);
        log_put_number(log, costs->finished);
        log_put_numbers(log, costs->assigned, log->nplace);
        log_end(log);
}

void decision_log_place(struct decision_log *log, const struct place_view *view, int32_t worker)
{
        put_costs(log, view->costs);
        if (log_begin(log, "placing"))
                put_place_call(log, view, worker);
}

void decision_log_refill(struct decision_log *log, const struct place_view *view, int64_t count)
{
        bool known = view->finished_ns > 0;
        put_costs(log, view->costs);
        if (!log_begin(log, known ? "finished" : "refill"))
                return;
        if (known)
                log_put_int(log, view->finished_ns);
        put_place_call(log, view, count);
}

/* ---- Processors of processes, processes on CPUs ---- */

void decision_log_begin_dpb(struct decision_log *log, const struct dpb_type *type, int32_t nprocess,
                            const double *param)
{
        if (!log_begin(log, "dpb"))
                return;
        log->nprocess = nprocess;
        put_small_state(log, type->name, type->params, nprocess, param);
}

void decision_log_begin_pack(struct decision_log *log, const struct pack_type *type,
                             int32_t nprocess, const double *param)
{
        if (!log_begin(log, "pack"))
                return;
        log->nprocess = nprocess;
        put_small_state(log, type->name, type->params, nprocess, param);
}

void decision_log_dpb(struct decision_log *log, const struct dpb_view *view, enum dpb_action action,
                      const int32_t *cpus)
{
        if (!log_begin(log, "moving"))
                return;
        log_put_int(log, view->time_ns);
        log_put_numbers(log, view->compute_s, log->nprocess);
        log_put_numbers(log, view->mpi_s, log->nprocess);
        log_put_ints(log, view->cpus, log->nprocess);
        log_put_word(log, "=");
        log_put_int(log, action);
        log_put_ints(log, cpus, log->nprocess);
        log_end(log);
}

void decision_log_pack(struct decision_log *log, const struct pack_view *view, int32_t used,
                       const int32_t *cpu)
{
        if (!log_begin(log, "packing"))
                return;
        log_put_int(log, view->time_ns);
        log_put_number(log, view->bound_s);
        log_put_numbers(log, view->time_s, log->nprocess);
        log_put_word(log, "=");
        log_put_int(log, used);
        log_put_ints(log, cpu, log->nprocess);
        log_end(log);
}

/* ---- Migration ---- */

void decision_log_begin_migrate(struct decision_log *log, const struct migrate_type *type,
                                int32_t nrank, const double *param)
{
        if (!log_begin(log, "migrate"))
                return;
        log->nprocess = nrank;
        put_small_state(log, type->name, type->params, nrank, param);
}

static void put_local(struct decision_log *log, const struct migrate_local *local)
{
        log_put_int(log, local->nthread);
        log_put_int(log, local->queued);
        log_put_int(log, local->copies);
        log_put_int(log, local->received);
        log_put_int(log, local->running);
        log_put_int(log, local->sent);
}

void decision_log_load(struct decision_log *log, const struct migrate_local *local, int64_t load)
{
        if (!log_begin(log, "load"))
                return;
        put_local(log, local);
        log_put_word(log, "=");
        log_put_int(log, load);
        log_end(log);
}

void decision_log_migrate(struct decision_log *log, bool replicates,
                          const struct migrate_view *view, const struct migrate_move *move,
                          int32_t nmove)
{
        if (!log_begin(log, replicates ? "replicating" : "migrating"))
                return;
        log_put_int(log, view->time_ns);
        log_put_int(log, view->rank);
        log_put_int(log, view->changes);
        put_local(log, &view->local);
        for (int32_t i = 0; i < log->nprocess; i++)
                log_put_int(log, view->load[i]);
        log_put_ints(log, view->order, log->nprocess);
        log_put_ints(log, view->sending, log->nprocess);
        log_put_word(log, "=");
        log_put_int(log, nmove);
        for (int32_t i = 0; i < nmove; i++) {
                log_put_int(log, move[i].rank);
                log_put_int(log, move[i].ntask);
        }
        log_end(log);
}

/* ---- Growth ---- */

static void put_edges(struct decision_log *log, const struct grow_edge *edge, int32_t count)
{
        for (int32_t i = 0; i < count; i++) {
                log_put_int(log, edge[i].apprank);
                log_put_int(log, edge[i].node);
        }
}

void decision_log_begin_grow(struct decision_log *log, const struct grow_type *type,
                             const struct grow_shape *shape, const double *param)
{
        if (!log_begin(log, "grow"))
                return;
        log_put_word(log, type->name);
        log_put_int(log, shape->nnode);
        log_put_int(log, shape->napprank);
        log_put_number(log, shape->poll_s);
        log_put_ints(log, shape->cores, shape->nnode);
        log_put_ints(log, shape->home, shape->napprank);
        log_put_int(log, (int64_t)lb_param_count(type->params));
        put_params(log, type->params, param);
        log_end(log);
}

void decision_log_grow(struct decision_log *log, const struct grow_view *view,
                       const struct grow_decision *decision)
{
        const struct lb_shape *shape = view->shape;
        if (!log_begin(log, decision ? "growing" : "watching"))
                return;
        log_put_int(log, view->time_ns);
        log_put_int(log, view->interval_ns);
        log_put_int(log, shape->nworker);
        log_put_ints(log, shape->apprank_first, shape->napprank + 1);
        log_put_ints(log, shape->worker_node, shape->nworker);
        log_put_numbers(log, view->busy_cores, shape->nworker);
        log_put_switches(log, view->retiring, shape->nworker);
        log_put_int(log, view->nstarting);
        put_edges(log, view->starting, view->nstarting);
        if (decision) {
                log_put_int(log, decision->room);
                log_put_word(log, "=");
                log_put_int(log, decision->nadd);
                put_edges(log, decision->add, decision->nadd);
                log_put_int(log, decision->nretire);
                put_edges(log, decision->retire, decision->nretire);
        }
        log_end(log);
}
