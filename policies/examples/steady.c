/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A load metric and a migration strategy of one's own, as a shared object: `steady`, a CHAMELEON
 * whose load counts running tasks too, and which pushes only while it is well above the average, as
 * many tasks as it is above it, up to a limit. So what is nearly level is left alone. Build and try
 * it with
 *
 *         cc -O2 -shared -fPIC -I . policies/examples/steady.c -o steady.so
 *         lbsim --policy ./steady.so scenarios/chameleon_mesh.json \
 *               --set 'sweep.system.name=["baseline","chameleon","steady"]'
 */
#include "policies/plugin.h"

enum { MARGIN, AT_ONCE, NPARAM };
static const struct lb_param params[] = {
        [MARGIN] = { .name = "steady_margin",
                     .type = LB_PARAM_NUMBER,
                     .fallback = 0.1,
                     .max = 100,
                     .help = "share of the average that a load must be above it" },
        [AT_ONCE] = { .name = "steady_at_once",
                      .unit = "tasks",
                      .type = LB_PARAM_INTEGER,
                      .fallback = 4,
                      .min = 1,
                      .max = 65535,
                      .help = "tasks in one message at most" },
        [NPARAM] = { .name = NULL },
};

struct state {
        double margin, at_once;
};

static size_t state_size(int32_t nrank, const double *param)
{
        (void)nrank;
        (void)param;
        return sizeof(struct state);
}

static int init(void *state, int32_t nrank, const double *param, struct lb_error *err)
{
        (void)nrank;
        (void)err;
        struct state *s = state;
        s->margin = param[MARGIN];
        s->at_once = param[AT_ONCE];
        return 0;
}

static int64_t load(const void *state, const struct migrate_local *local)
{
        (void)state;
        return local->queued + local->received + local->running;
}

static double smaller(double a, double b)
{
        return a < b ? a : b;
}

/* To the counterpart in the order of loads, no more than half of the difference; the middle one of
 * an odd number is its own. The own load is that of now: by the last exchange's, one message after
 * another would go out until the next. */
static int32_t decide(void *state, const struct migrate_view *view, struct migrate_move *move)
{
        const struct state *s = state;
        int32_t victim = view->order[view->nrank - 1 - view->position];
        double own = (double)load(s, &view->local), mean = (double)view->load_sum / view->nrank;
        double wanted = smaller(own - mean, (own - (double)view->load[victim]) / 2);
        if (victim == view->rank || view->sending[victim] > 0 || own < mean * (1 + s->margin) ||
            wanted < 1)
                return 0;
        wanted = smaller(smaller(wanted, s->at_once), (double)view->local.queued);
        *move = (struct migrate_move){ .rank = victim, .ntask = (int64_t)wanted };
        return wanted >= 1;
}

static int32_t replicate(void *state, const struct migrate_view *view, struct migrate_move *move)
{
        (void)state;
        (void)view;
        (void)move;
        return 0;
}

static const struct migrate_type migrate_steady = {
        .name = "steady",
        .help = "who is well above the average pushes what it has above it",
        .params = params,
        .state_size = state_size,
        .init = init,
        .load = load,
        .decide = decide,
        .replicate = replicate,
};

static const struct system_type system_steady = {
        .name = "steady",
        .help = "push migration by running and waiting tasks, well above the average only",
        .host = "chameleon",
        .migrate = "steady",
};

const struct lb_plugin lb_plugin = {
        .abi = LB_PLUGIN_ABI,
        .system = &system_steady,
        .migrate = &migrate_steady,
};
