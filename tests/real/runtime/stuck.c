/* SPDX-License-Identifier: BSD-3-Clause */
/* A plugin that does not return, crashes or ends the program, where its parameter `stuck` says. */
#include <stdlib.h>
#include <unistd.h>

#include "policies/plugin.h"

enum stuck { NOTHING = 0, START, DECIDE, CRASH, LEAVE, PLACE, PLACE_CRASH, NSTUCK };
static const char *const stucks[] = {
        [NOTHING] = "nothing", [START] = "start", [DECIDE] = "decide",           [CRASH] = "crash",
        [LEAVE] = "leave",     [PLACE] = "place", [PLACE_CRASH] = "place_crash", [NSTUCK] = NULL,
};
static const struct lb_param params[] = {
        { .name = "stuck", .type = LB_PARAM_CHOICE, .choices = stucks, .help = "what is stuck" },
        { .name = NULL },
};

struct state {
        int32_t nworker, ncore;
        enum stuck stuck;
};

static void get_stuck(enum stuck stuck)
{
        static int32_t *volatile nowhere;
        if (stuck == CRASH || stuck == PLACE_CRASH)
                *nowhere = 1;
        if (stuck == LEAVE)
                exit(0);
        for (;;)
                sleep(1);
}

static size_t alloc_size(const struct lb_shape *shape, const double *param)
{
        (void)shape;
        (void)param;
        return sizeof(struct state);
}

static int alloc_init(void *state, const struct lb_shape *shape, const double *param,
                      struct lb_error *err)
{
        (void)err;
        *(struct state *)state = (struct state){ .nworker = shape->nworker,
                                                 .ncore = shape->cores[0],
                                                 .stuck = (enum stuck)param[0] };
        if ((enum stuck)param[0] == START)
                get_stuck(START);
        return 0;
}

static void observe(void *state, const struct alloc_view *view)
{
        (void)state;
        (void)view;
}

static void decide(void *state, const struct alloc_view *view, int32_t *owned_cores)
{
        (void)view;
        const struct state *s = state;
        for (int32_t w = 0; w < s->nworker; w++)
                owned_cores[w] = 1;
        owned_cores[0] += s->ncore - s->nworker;
        if (s->stuck == DECIDE || s->stuck == CRASH || s->stuck == LEAVE)
                get_stuck(s->stuck);
}

static void release(void *state)
{
        (void)state;
}

static size_t size(int32_t nworker, const double *param)
{
        (void)nworker;
        (void)param;
        return sizeof(enum stuck);
}

static int init(void *state, int32_t nworker, const double *param, struct lb_error *err)
{
        (void)nworker;
        (void)err;
        *(enum stuck *)state = (enum stuck)param[0];
        return 0;
}

static int32_t place(void *state, const struct place_view *view)
{
        enum stuck stuck = *(enum stuck *)state;
        (void)view;
        if (stuck == PLACE || stuck == PLACE_CRASH)
                get_stuck(stuck);
        return 0;
}

static int64_t refill(void *state, const struct place_view *view)
{
        (void)state;
        return view->held_tasks;
}

static const struct alloc_type alloc = {
        .name = "stuck",
        .help = "what remains to the first",
        .scope = ALLOC_SCOPE_NODE,
        .params = params,
        .state_size = alloc_size,
        .init = alloc_init,
        .observe = observe,
        .decide = decide,
        .release = release,
};

static const struct place_type placement = {
        .name = "stuck",
        .help = "at home",
        .params = params,
        .state_size = size,
        .init = init,
        .place = place,
        .refill = refill,
};

static const struct system_type stuck_system = {
        .name = "stuck",
        .help = "stuck in the way of system.stuck",
        .alloc = "stuck",
        .lend = "lewi",
        .place = "stuck",
        .offloads = true,
        .lewi = true,
        .drom = true,
};

const struct lb_plugin lb_plugin = {
        .abi = LB_PLUGIN_ABI, .system = &stuck_system, .alloc = &alloc, .place = &placement
};
