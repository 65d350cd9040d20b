/* SPDX-License-Identifier: BSD-3-Clause */
#include "tests/real/runtime/late_impl.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void make_job(struct late_world *w)
{
        int32_t first[LATE_RANKS + 1], node[LATE_RANKS];
        struct lb_error err;
        w->job = job_create(&err);
        if (!w->job || job_set_system(w->job, w->spec.migrates ? "chameleon" : "local", &err) < 0)
                late_die("%s", err.text);
        w->job->nnode = w->job->napprank = w->spec.napprank;
        w->job->cores_per_node = LATE_RANKS;
        int32_t nplace = w->spec.migrates ? 1 : w->spec.nplace;
        for (int32_t a = 0; a < w->spec.napprank; a++) {
                first[a] = a * nplace;
                for (int32_t k = 0; k < nplace; k++)
                        node[a * nplace + k] = (a + k) % w->spec.napprank;
        }
        first[w->spec.napprank] = w->nrank;
        snprintf(w->job->id, sizeof(w->job->id), "late");
        snprintf(w->job->tasks, sizeof(w->job->tasks), "recorded");
        if (job_set_edges(w->job, first, node, &err) < 0)
                late_die("%s", err.text);
}

static struct transport *make_transport(struct process *p)
{
        struct transport_spec spec = {
                .sent = p->migration ? migrate_on_sent : NULL,
                .user = p,
        };
        memcpy(spec.handler, late_handlers, sizeof(late_handlers));
        return simulated_transport(p->rank, &spec);
}

static struct task *spare; /* tasks are never given back */

static void make_home(struct late_rank *rank)
{
        struct process *p = &rank->process;
        size_t n = (size_t)p->nplace;
        size_t bytes = WORK_WORDS * sizeof(uint64_t);
        p->where = where_create(p->nplace);
        p->held = calloc(n, sizeof(*p->held));
        p->tasks = calloc(n, sizeof(*p->tasks));
        p->assigned_cost = calloc(n, sizeof(*p->assigned_cost));
        p->place_costs.assigned = p->assigned_cost;
        rank->live = (uint64_t *)(void *)(simulated_memory() + (size_t)p->apprank * bytes);
        rank->serial = calloc(WORK_WORDS, sizeof(*rank->serial));
        if (!p->where || !p->held || !p->tasks || !rank->serial)
                late_die("out of memory");
}

static void make_rank(struct late_world *w, int32_t r)
{
        static struct control control;
        struct late_rank *rank = &w->rank[r];
        struct process *p = &rank->process;
        late.process = p;
        pthread_mutex_init(&p->lock, NULL);
        p->job = w->job;
        chain_start(p);
        p->control = &control;
        p->self = &rank->self;
        p->self->owned = p->ncore = w->spec.ncore;
        p->comm_core = -1;
        p->rank = r;
        p->worker = w->job->rank_worker[r];
        p->apprank = w->job->shape.worker_apprank[p->worker];
        p->place = p->worker - w->job->shape.apprank_first[p->apprank];
        p->nplace = w->spec.migrates ? w->spec.napprank : w->spec.nplace;
        p->home = p->place == 0;
        record_start(p);
        p->spare = spare;
        spare = NULL;
        if (p->home)
                make_home(rank);
        copies_start(p);
        if (w->spec.migrates)
                migrate_start(p);
        p->transport = make_transport(p);
        late.process = NULL;
}

struct late_world *late_create(const struct late_spec *spec)
{
        late.world = calloc(1, sizeof(*late.world));
        if (!late.world)
                abort();
        late.world->spec = *spec;
        late.world->nrank = spec->napprank * (spec->migrates ? 1 : spec->nplace);
        if (late.world->nrank > LATE_RANKS)
                late_die("%d ranks, allowed are %d", late.world->nrank, LATE_RANKS);
        lb_random_init(&late.world->random, spec->seed, LB_RANDOM_TEST, 5);
        make_job(late.world);
        size_t words = (size_t)spec->napprank * WORK_WORDS * sizeof(uint64_t);
        simulated_begin(spec->seed, late.world->nrank, (words + 4095) / 4096 * 4096);
        for (int32_t r = 0; r < late.world->nrank; r++)
                make_rank(late.world, r);
        return late.world;
}

static void keep_spare(struct task *list)
{
        struct task **end = &list;
        while (*end)
                end = &(*end)->next;
        *end = spare;
        spare = list;
}

static void finish_rank(struct late_rank *rank)
{
        struct process *p = &rank->process;
        late.process = p;
        simulated_become(p->rank);
        simulated_close(p->transport);
        for (int32_t k = 0; p->home && k < p->nplace; k++)
                if (p->tasks[k] != 0)
                        late_die("%d tasks are still counted at place %d", (int)p->tasks[k],
                                 (int)k);
        if (p->here != 0 || p->begun != 0 || p->nested != 0 || p->root.unfinished != 0)
                late_die("tasks are still counted");
        if (p->home)
                place_stop(p);
        if (p->home)
                late_check_record(p);
        record_stop(p);
        access_domain_destroy(p->root.domain);
        where_destroy(p->where);
        migrate_stop(p);
        copies_stop(p);
        queue_finish(&p->ready);
        keep_spare(p->spare);
        free(p->tasks);
        free(p->assigned_cost);
        free(rank->serial);
        pthread_mutex_destroy(&p->lock);
        late.process = NULL;
}

void late_destroy(struct late_world *w)
{
        for (int32_t r = 0; r < w->nrank; r++)
                finish_rank(&w->rank[r]);
        simulated_end();
        job_destroy(w->job);
        free(w);
        late.world = NULL;
}
