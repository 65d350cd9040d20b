/* SPDX-License-Identifier: BSD-3-Clause */
#include "real/control/control.h"

#include <inttypes.h>
#include <stdalign.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/random.h"
#include "policies/host/params.h"
#include "policies/system.h"
#include "real/control/control_impl.h"

struct control_block {
        struct control_block *next;
        alignas(max_align_t) char memory[];
};

void *control_take(struct control *c, size_t count, size_t size)
{
        bool fits = size == 0 || count < (SIZE_MAX - sizeof(struct control_block)) / size;
        struct control_block *block = fits ? calloc(1, sizeof(*block) + count * size) : NULL;
        c->no_memory = c->no_memory || !block;
        if (!block)
                return NULL;
        block->next = c->blocks;
        c->blocks = block;
        return block->memory;
}

int control_taken(const struct control *c, struct lb_error *err)
{
        return c->no_memory ? lb_error_fail(err, "out of memory for %d workers", c->job->nworker)
                            : 0;
}

void control_refuse(const struct control *c, const char *name, const char *format, ...)
{
        char reason[256], what[512];
        va_list args;
        va_start(args, format);
        vsnprintf(reason, sizeof(reason), format, args);
        va_end(args);
        snprintf(what, sizeof(what), "policy '%s': %s", name, reason);
        if (c->spec.wrong)
                c->spec.wrong(c->spec.user, what);
        abort();
}

static void set_role(struct control *c)
{
        const struct lb_shape *shape = &c->job->shape;
        int32_t worker = c->spec.worker, apprank = shape->worker_apprank[worker];
        c->node = shape->worker_node[worker];
        c->ncore = shape->cores[c->node];
        c->node_worker = &shape->node_worker[shape->node_first[c->node]];
        c->nlocal = shape->node_first[c->node + 1] - shape->node_first[c->node];
        while (c->node_worker[c->local] != worker)
                c->local++;
        c->first = shape->apprank_first[apprank];
        c->nplace = shape->apprank_first[apprank + 1] - c->first;
        c->place = worker - c->first;
        c->leads = c->local == 0;
}

/* Each node has its own phase, the same for all its workers; the leader is a little behind. */
static void set_times(struct control *c)
{
        c->longest_poll_ns = (int64_t)(c->job->param[JOB_POLL_S] * 1e9 + 0.5);
        c->poll_ns = c->longest_poll_ns;
        uint64_t random = lb_random_at(lb_random_key(0, LB_RANDOM_PHASE), (uint64_t)c->node, 0);
        c->phase_ns = (int64_t)(random % (uint64_t)c->poll_ns);
        if (c->leads)
                c->phase_ns += c->poll_ns / 64 < 5000000 ? c->poll_ns / 64 : 5000000;
}

/* A policy that is not in programs under lbrun, whose place another would take unseen. */
static int check_variant(const struct control *c, struct lb_error *err)
{
        const struct alloc_variant *variant = alloc_variant(c->alloc, c->job->alloc_param);
        if (!variant)
                return 0;
        return lb_error_set(err,
                            "policy '%s' is not part of live jobs: %s, which programs under "
                            "lbrun do not link",
                            variant->name, variant->needs);
}

static int set_policies(struct control *c, struct lb_error *err)
{
        const struct job *job = c->job;
        const struct system_type *system = system_find(job->system);
        if (!system)
                return lb_error_set(err, "system \"%s\" is unknown", job->system);
        c->alloc = alloc_find(job_policy_name(job, JOB_ALLOC));
        c->lending.type = lend_find(job_policy_name(job, JOB_LEND));
        c->placing.type = place_find(job_policy_name(job, JOB_PLACE));
        c->lewi = job->lewi;
        c->drom = job->drom;
        c->boundary = (enum ownership)job->param[JOB_OWNERSHIP] == OWNERSHIP_BOUNDARY;
        c->decides = c->drom && c->alloc->scope == ALLOC_SCOPE_GLOBAL &&
                     c->spec.worker == job->rank_worker[0];
        return check_variant(c, err);
}

static int set_ownership(struct control *c, struct lb_error *err)
{
        c->initial = control_take(c, (size_t)c->job->nworker, sizeof(int32_t));
        c->list = control_take(c, 2 * (size_t)c->nlocal, sizeof(int32_t));
        return control_taken(c, err) < 0 ? -1 : job_initial(c->job, c->initial, err);
}

static int open_log(struct control *c, struct lb_error *err)
{
        if (c->job->decisions[0] == '\0')
                return 0;
        char file[JOB_PATH_SIZE + 16];
        snprintf(file, sizeof(file), "%s.%" PRId32, c->job->decisions,
                 c->node + c->job->decisions_from);
        char *about = job_format(c->job);
        if (!about)
                return lb_error_fail(err, "out of memory");
        c->log = decision_log_open(&(struct decision_log_spec){ .program = "lbrun",
                                                                .file = file,
                                                                .id = c->job->id,
                                                                .about = about,
                                                                .node = c->node,
                                                                .writer = c->spec.worker,
                                                                .begins = c->leads },
                                   err);
        free(about);
        return c->log ? 0 : -1;
}

struct control *control_create(const struct control_spec *spec, struct lb_error *err)
{
        struct control *c = calloc(1, sizeof(*c));
        *err = (struct lb_error){ .kind = LB_ERROR_NONE };
        if (!c) {
                lb_error_fail(err, "out of memory");
                return NULL;
        }
        c->spec = *spec;
        c->job = spec->job;
        set_role(c);
        if (set_policies(c, err) < 0 || set_ownership(c, err) < 0)
                goto error;
        c->own = row_of(c, c->local);
        set_times(c);
        if (open_log(c, err) < 0 || control_mail_create(c, err) < 0 ||
            control_lend_create(c, err) < 0 || control_place_create(c, err) < 0 ||
            control_asks_create(c, err) < 0 || control_migrate_create(c, err) < 0 ||
            control_measure_create(c, err) < 0 || control_global_create(c, err) < 0)
                goto error;
        int32_t owned = c->initial[spec->worker];
        c->told = (struct known_cores){ owned, owned, owned };
        return c;
error:
        control_destroy(c);
        return NULL;
}

void control_destroy(struct control *c)
{
        if (!c)
                return;
        decision_log_close(c->log);
        ask_alloc_free(c->alloc, c->node_alloc.ask.state);
        ask_alloc_free(c->alloc, c->global_alloc.ask.state);
        control_grow_destroy(c);
        free(c->lending.state);
        free(c->placing.state);
        free(c->migrating.state);
        while (c->blocks) {
                struct control_block *next = c->blocks->next;
                free(c->blocks);
                c->blocks = next;
        }
        free(c);
}

int64_t control_due_ns(const struct control *c, int64_t now_ns)
{
        if (atomic_load(board_epoch(c->spec.board)) != c->epoch)
                return now_ns;
        if (c->polled_ns < c->phase_ns)
                return c->phase_ns;
        if (now_ns >= c->polled_ns + c->poll_ns / 32 && control_ownership_due(c))
                return now_ns;
        return c->phase_ns + ((c->polled_ns - c->phase_ns) / c->poll_ns + 1) * c->poll_ns;
}

/*
 * How far the wall time of this worker's tasks exceeds their processor time: cores are shared with
 * other work then. Tasks that use less than a tenth of their time sleep, and are no sign of that.
 */
static void compare_loads(struct control *c)
{
        int64_t cpu_ns = atomic_load(&c->own->cpu_ns), useful_ns = atomic_load(&c->own->useful_ns);
        double cpu = (double)(cpu_ns - c->seen_cpu_ns);
        double useful = (double)(useful_ns - c->seen_useful_ns);
        if (useful < 0.1 * (double)c->poll_ns)
                return; /* too little to tell: look again with more */
        double gap = 1 - cpu / useful;
        if (cpu >= 0.1 * useful && gap > c->figures.max_load_gap)
                c->figures.max_load_gap = gap;
        c->seen_cpu_ns = cpu_ns;
        c->seen_useful_ns = useful_ns;
}

/* All workers of the node see the same figures, but for when they look. */
static void set_next_poll(struct control *c)
{
        int64_t least_ns = 0;
        for (int32_t l = 0; l < c->nlocal; l++) {
                int64_t iteration_ns = atomic_load(&row_of(c, l)->iteration_ns);
                if (iteration_ns > 0 && (least_ns == 0 || iteration_ns < least_ns))
                        least_ns = iteration_ns;
        }
        c->poll_ns = node_poll_ns(c->longest_poll_ns, c->job->param[JOB_POLL_ITERATIONS], least_ns);
}

int32_t control_poll(struct control *c, int64_t now_ns, bool *idle, int32_t *gained)
{
        struct gain gain = { .core = gained };
        if (c->leads)
                control_measure_poll(c, now_ns);
        c->epoch = atomic_load(board_epoch(c->spec.board));
        control_ownership_poll(c, now_ns, idle, &gain);
        control_lend_poll(c, &gain);
        compare_loads(c);
        decision_log_flush(c->log);
        c->polled_ns = now_ns;
        set_next_poll(c);
        return gain.count;
}

static void tell_held(struct control *c)
{
        if (c->place == 0)
                c->held_known = c->placing.held;
        atomic_store(&c->own->held_known, node_held(c->held_known));
        control_mail_held(c);
}

void control_refresh(struct control *c)
{
        tell_held(c);
        control_mail_cores(c);
}

void control_flush(struct control *c)
{
        decision_log_flush(c->log);
}

struct control_figures control_figures(const struct control *c)
{
        return c->figures;
}
