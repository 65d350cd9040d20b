/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A packing policy of one's own, as a shared object: `first-fit`, in which each process stays on
 * its CPU or goes to the first one before it that has room for it. Simulated, and live on programs
 * that nobody rewrote:
 *
 *         cc -O2 -shared -fPIC -I . policies/examples/first_fit.c -o first_fit.so
 *         lbsim --policy ./first_fit.so scenarios/packing_ft.json \
 *               --set 'sweep.system.name=["packing","first-fit"]'
 *         lbrun --policy ./first_fit.so -- mpirun -n 4 ./app
 */
#include "policies/plugin.h"

enum { ROOM, NPARAM };
static const struct lb_param params[] = {
        [ROOM] = { .name = "fit_room",
                   .type = LB_PARAM_NUMBER,
                   .fallback = 0.03,
                   .max = 10,
                   .help = "share of the slowest process's time by which a CPU may take longer" },
        [NPARAM] = { .name = NULL },
};

struct state {
        int32_t nprocess;
        double room;
        double full_s[]; /* [nprocess] of each CPU */
};

static size_t state_size(int32_t nprocess, const double *param)
{
        (void)param;
        return sizeof(struct state) + (size_t)nprocess * sizeof(double);
}

static int init(void *state, int32_t nprocess, const double *param, struct lb_error *err)
{
        (void)err;
        struct state *s = state;
        s->nprocess = nprocess;
        s->room = param[ROOM];
        return 0;
}

/* The first CPU with a process that is at home there and stays, and with room. */
static int32_t fit(const struct state *s, const int32_t *cpu, int32_t process, double time_s,
                   double most_s)
{
        for (int32_t c = 0; c < process; c++)
                if (cpu[c] == c && s->full_s[c] + time_s <= most_s)
                        return c;
        return process;
}

static int32_t decide(void *state, const struct pack_view *view, int32_t *cpu)
{
        struct state *s = state;
        int32_t used = 0;
        double most_s = view->bound_s * (1 + s->room);
        for (int32_t p = 0; p < s->nprocess; p++) {
                s->full_s[p] = 0;
                cpu[p] = fit(s, cpu, p, view->time_s[p], most_s);
                s->full_s[cpu[p]] += view->time_s[p];
                used += cpu[p] == p;
        }
        return used;
}

static double tolerance(const double *param)
{
        return param[ROOM];
}

static void align(double *param, int32_t domain_processes)
{
        (void)param;
        (void)domain_processes;
}

static const struct pack_type pack_first_fit = {
        .name = "first-fit",
        .help = "each process to the first CPU before its own that has room",
        .params = params,
        .state_size = state_size,
        .init = init,
        .decide = decide,
        .tolerance = tolerance,
        .align = align,
};

static const struct system_type system_first_fit = {
        .name = "first-fit",
        .help = "packing, first come, first served",
        .host = "packing",
        .pack = "first-fit",
};

const struct lb_plugin lb_plugin = {
        .abi = LB_PLUGIN_ABI,
        .system = &system_first_fit,
        .pack = &pack_first_fit,
};
