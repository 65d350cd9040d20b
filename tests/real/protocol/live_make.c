/* SPDX-License-Identifier: BSD-3-Clause */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "policies/host/params.h"
#include "tests/real/protocol/live_impl.h"

static struct job *make_job(const struct live_spec *spec)
{
        static int number;
        struct lb_error err;
        struct job *job = job_create(&err);
        assert_non_null(job);
        snprintf(job->id, sizeof(job->id), "protocol-%ld-%d", (long)getpid(), number++);
        assert_int_equal(job_set_system(job, spec->system, &err), 0);
        job->lewi = spec->lewi;
        job->drom = spec->drom;
        job->virtual_nodes = true;
        job->nnode = spec->nnode;
        job->cores_per_node = spec->ncore;
        job->napprank = spec->napprank;
        job->degree = spec->apprank_first[1];
        job->param[JOB_POLL_S] = spec->poll_s;
        job->param[JOB_OWNERSHIP] = spec->boundary ? OWNERSHIP_BOUNDARY : OWNERSHIP_IDLE;
        memcpy(job->alloc_param, spec->alloc_param,
               lb_param_count(job_policy_params(job, JOB_ALLOC)) * sizeof(double));
        memcpy(job->lend_param, spec->lend_param,
               lb_param_count(job_policy_params(job, JOB_LEND)) * sizeof(double));
        if (job_set_edges(job, spec->apprank_first, spec->edge_node, &err) < 0)
                fail_msg("%s", err.text);
        return job;
}

/* Opening waits for all of the node, so each worker needs a thread for it. */
static void *open_board(void *argument)
{
        struct live_worker *w = argument;
        struct lb_error err;
        struct board_spec spec = { .job = w->live->job->id,
                                   .node = w->live->spec.node,
                                   .nworker = w->live->nworker,
                                   .worker = w->number,
                                   .ncore = w->live->spec.ncore };
        w->board = board_open(&spec, 30, &err);
        return NULL;
}

static void open_boards(struct live *live)
{
        pthread_t thread[LIVE_WORKER_MAX];
        for (int32_t w = 0; w < live->nworker; w++)
                assert_int_equal(pthread_create(&thread[w], NULL, open_board, &live->worker[w]), 0);
        for (int32_t w = 0; w < live->nworker; w++)
                pthread_join(thread[w], NULL);
}

static void post(void *user, const struct control_mail *mail)
{
        const struct live *live = user;
        live->spec.post(live->spec.user, mail);
}

static void open_worker(struct live *live, struct live_worker *w, const int32_t *owned,
                        const bool *may_own_none)
{
        static struct cores_type type;
        struct lb_error err = { 0 };
        type = live_cores();
        struct cores_spec spec = { .board = w->board,
                                   .job = live->job->id,
                                   .ncore = live->spec.ncore,
                                   .nworker = live->nworker,
                                   .worker = w->number,
                                   .owned = owned,
                                   .may_own_none = may_own_none };
        w->cores = type.open(&spec, &err);
        assert_non_null(w->cores);
        struct control_spec control = { .job = live->job,
                                        .worker = live->number[w->number],
                                        .board = w->board,
                                        .cores_type = &type,
                                        .cores = w->cores,
                                        .post = post,
                                        .user = live };
        w->control = control_create(&control, &err);
        if (!w->control)
                fail_msg("%s", err.text);
}

/* As lbsim has it: the first worker has the last cores. */
static void turn_cores(struct live *live, const int32_t *owned)
{
        struct cores *cores = live->worker[0].cores;
        int32_t core = live->spec.ncore;
        for (int32_t w = 0; w < live->nworker; w++)
                for (int32_t i = 0; i < owned[w]; i++)
                        atomic_store(&cores->table.word[--core],
                                     core_pack((struct core){ .owner = w, .user = w }));
        for (int32_t w = 0; w < live->nworker; w++)
                for (int32_t c = 0; c < live->spec.ncore; c++)
                        live->worker[w].idle[c] = cores_builtin.usable(live->worker[w].cores, c);
}

struct live *live_create(const struct live_spec *spec)
{
        struct live *live = calloc(1, sizeof(*live));
        struct lb_error err;
        int32_t all[LIVE_EDGE_MAX], owned[LIVE_WORKER_MAX];
        bool may_own_none[LIVE_WORKER_MAX];
        live_of_cores = live;
        live->runs = true;
        live->spec = *spec;
        live->job = make_job(spec);
        const struct lb_shape *shape = &live->job->shape;
        live->number = &shape->node_worker[shape->node_first[spec->node]];
        live->nworker = shape->node_first[spec->node + 1] - shape->node_first[spec->node];
        assert_in_range(live->nworker, 1, LIVE_WORKER_MAX);
        assert_int_equal(alloc_initial(shape, all, &err), 0);
        for (int32_t w = 0; w < live->nworker; w++) {
                owned[w] = all[live->number[w]];
                may_own_none[w] = job_may_own_none(live->job, live->number[w]);
                live->worker[w] = (struct live_worker){ .live = live, .number = w };
        }
        open_boards(live);
        for (int32_t w = 0; w < live->nworker; w++)
                open_worker(live, &live->worker[w], owned, may_own_none);
        turn_cores(live, owned);
        for (int32_t w = 0; w < live->nworker; w++)
                live->worker[w].ticket = board_ticket(live->worker[w].board);
        live_poll(live, &(struct live_view){ .now_ns = 0 }); /* notes where all begin */
        return live;
}

void live_destroy(struct live *live)
{
        for (int32_t w = 0; w < live->nworker; w++) {
                control_destroy(live->worker[w].control);
                cores_builtin.close(live->worker[w].cores);
                board_close(live->worker[w].board);
        }
        job_destroy(live->job);
        free(live);
}

void live_choose(struct live *live, const struct live_choice *choice, int32_t count)
{
        assert_in_range(count, 0, LIVE_CHOICE_MAX);
        memcpy(live->choice, choice, (size_t)count * sizeof(*choice));
        live->nchoice = count;
}

void live_wish(struct live *live, const struct live_wish *wish)
{
        memcpy(live->wish, wish, (size_t)live->spec.ncore * sizeof(*wish));
}
