/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A plugin that decides what cannot be, in the way that its parameter `wrong` says: hosts must say
 * so and end, not act on it.
 */
#define _XOPEN_SOURCE 500
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "policies/plugin.h"

enum wrong {
        NOTHING = 0,
        CORES,
        NO_CORE,
        PLACE,
        BORROWER,
        ACTION,
        RECLAIMED,
        REFILL,
        HOLD,
        START,
        FAULT,
        DIVISION,
        ABORT,
        RECURSION,
        EXIT,
        EXIT_AT_ONCE,
        THREAD_EXIT,
        HANG,
        ONLY_LEND,
        NWRONG
};
/* As it is loaded. */
__attribute__((constructor)) static void loaded(void)
{
        const char *how = getenv("WRONG_LOADED");
        if (how && strcmp(how, "exit") == 0)
                exit(0);
        while (how && strcmp(how, "hang") == 0)
                pause();
        if (how)
                abort();
}

static const char *const wrongs[] = {
        [NOTHING] = "nothing",
        [CORES] = "cores",
        [NO_CORE] = "no_core",
        [PLACE] = "place",
        [BORROWER] = "borrower",
        [ACTION] = "action",
        [RECLAIMED] = "reclaimed",
        [REFILL] = "refill",
        [HOLD] = "hold",
        [START] = "start",
        [FAULT] = "fault",
        [DIVISION] = "division",
        [ABORT] = "abort",
        [RECURSION] = "recursion",
        [EXIT] = "exit",
        [EXIT_AT_ONCE] = "_exit",
        [THREAD_EXIT] = "pthread_exit",
        [HANG] = "hang",
        [ONLY_LEND] = "only_lend",
        [NWRONG] = NULL,
};
static const struct lb_param params[] = {
        { .name = "wrong", .type = LB_PARAM_CHOICE, .choices = wrongs, .help = "what is wrong" },
        { .name = NULL },
};

struct alloc_state {
        int32_t nworker, ncore;
        enum wrong wrong;
};

static size_t alloc_size(const struct lb_shape *shape, const double *param)
{
        (void)shape;
        (void)param;
        return sizeof(struct alloc_state);
}

static int alloc_init(void *state, const struct lb_shape *shape, const double *param,
                      struct lb_error *err)
{
        (void)err; /* without a word */
        *(struct alloc_state *)state = (struct alloc_state){ .nworker = shape->nworker,
                                                             .ncore = shape->cores[0],
                                                             .wrong = (enum wrong)param[0] };
        return (int)param[0] == START ? -1 : 0;
}

static void observe(void *state, const struct alloc_view *view)
{
        (void)state;
        (void)view;
}

/* ---- What takes the caller down ---- */

static int recurse(volatile int *deep)
{
        volatile int here[128] = { *deep };
        return *deep == -1 ? 0 : recurse(here) + here[1];
}

/* Not for a sanitizer to find first. */
__attribute__((no_sanitize("undefined", "thread"))) static void fall(enum wrong wrong)
{
        volatile int zero = 0;
        volatile int *volatile nowhere = NULL;
        if (wrong == FAULT)
                *nowhere = 1;
        if (wrong == DIVISION)
                raise(SIGFPE); /* not all processors trap */
        if (wrong == ABORT)
                abort();
        if (wrong == RECURSION)
                recurse(&zero);
        if (wrong == EXIT)
                exit(0);
        if (wrong == EXIT_AT_ONCE)
                _exit(0);
        if (wrong == THREAD_EXIT)
                pthread_exit(NULL);
        while (wrong == HANG)
                sleep(1);
}

static void alloc_decide(void *state, const struct alloc_view *view, int32_t *owned_cores)
{
        (void)view;
        const struct alloc_state *s = state;
        fall(s->wrong);
        for (int32_t w = 0; w < s->nworker; w++)
                owned_cores[w] = 1;
        owned_cores[0] += s->ncore - s->nworker + (s->wrong == CORES);
        owned_cores[s->nworker - 1] -= s->wrong == NO_CORE;
        owned_cores[0] += s->wrong == NO_CORE;
}

static void release(void *state)
{
        (void)state;
}

static size_t size(int32_t nworker, const double *param)
{
        (void)nworker;
        (void)param;
        return sizeof(enum wrong);
}

static int init(void *state, int32_t nworker, const double *param, struct lb_error *err)
{
        (void)nworker;
        (void)err;
        *(enum wrong *)state = (enum wrong)param[0];
        return 0;
}

/* Lends what is idle; a lent core goes to nobody there is, or none ever comes back. */
static void lend_decide(void *state, const struct lend_view *view, struct lend_decision *out)
{
        enum wrong wrong = *(enum wrong *)state;
        bool lent = view->occasion == LEND_CORE_LENT && wrong == BORROWER;
        *out = (struct lend_decision){ .action = LEND_NOTHING };
        if (view->occasion == LEND_OWNED_IDLE || wrong == ONLY_LEND)
                out->action = LEND_LEND;
        if (view->occasion == LEND_NEEDS_CORES && wrong != ONLY_LEND)
                *out = (struct lend_decision){ .action = LEND_RECLAIM,
                                               .count = view->ready_tasks[view->worker] };
        if (lent)
                *out = (struct lend_decision){ .action = LEND_BORROW, .borrower = view->nworker };
        if (wrong == ACTION)
                *(int *)&out->action = 77;
        if (wrong == RECLAIMED)
                *out = (struct lend_decision){ .action = LEND_RECLAIM, .count = -5 };
}

static int32_t with_fewest(const struct place_view *view)
{
        int32_t best = 0;
        for (int32_t w = 1; w < view->nworker; w++)
                if (view->tasks[w] < view->tasks[best])
                        best = w;
        return best;
}

/* Where lent cores are to be borrowed, helpers have tasks that wait for them. */
static int32_t place(void *state, const struct place_view *view)
{
        enum wrong wrong = *(enum wrong *)state;
        if (wrong == BORROWER)
                return with_fewest(view);
        if (wrong == REFILL || wrong == HOLD)
                return PLACE_HOLD;
        return wrong == PLACE ? view->nworker : 0;
}

static int64_t refill(void *state, const struct place_view *view)
{
        enum wrong wrong = *(enum wrong *)state;
        return wrong == REFILL ? -1 : wrong == HOLD ? 0 : view->held_tasks;
}

static const struct alloc_type alloc = {
        .name = "wrong",
        .help = "what remains to the first",
        .scope = ALLOC_SCOPE_NODE,
        .params = params,
        .state_size = alloc_size,
        .init = alloc_init,
        .observe = observe,
        .decide = alloc_decide,
        .release = release,
};

static const struct lend_type lend = {
        .name = "wrong",
        .help = "lends",
        .params = params,
        .state_size = size,
        .init = init,
        .decide = lend_decide,
};

static const struct place_type placement = {
        .name = "wrong",
        .help = "at home",
        .params = params,
        .state_size = size,
        .init = init,
        .place = place,
        .refill = refill,
};

static const struct system_type wrong_system = {
        .name = "wrong",
        .help = "wrong in the way of system.wrong",
        .alloc = "wrong",
        .lend = "wrong",
        .place = "wrong",
        .offloads = true,
        .lewi = true,
        .drom = true,
};

const struct lb_plugin lb_plugin = {
        .abi = LB_PLUGIN_ABI,
        .system = &wrong_system,
        .alloc = &alloc,
        .lend = &lend,
        .place = &placement,
};
