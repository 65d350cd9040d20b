/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What asking the placement policy costs, processor time of one refill(): as the papers' systems
 * have it, and as `tight` has it where many tasks are held, and near the end of an iteration with a
 * slow worker, where T is searched.
 */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "policies/place.h"
#include "policies/state.h"

enum { NWORKER_MOST = 8, CALLS = 200000, RUNS = 5 };

struct world {
        const struct place_type *type;
        void *state;
        struct place_view view;
        int32_t nworker, tasks[NWORKER_MOST], cores[NWORKER_MOST];
};

static double now_s(void)
{
        struct timespec t;
        clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
        return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static void set(const struct place_type *type, double *param, const char *name, double value)
{
        int i = lb_param_find(type->params, name);
        if (i < 0)
                abort();
        param[i] = value;
}

static struct world make(bool tight, int32_t nworker, int32_t cores)
{
        double param[32];
        struct lb_error err;
        struct world w = { .type = place_find("locality"), .nworker = nworker };
        lb_param_defaults(w.type->params, param);
        if (tight) {
                set(w.type, param, "place_cores", 1);
                set(w.type, param, "place_tail", 1);
                set(w.type, param, "place_tail_whole", 1);
                set(w.type, param, "place_slow_tasks_per_core", 1);
                set(w.type, param, "place_slow_sooner", 1);
        }
        w.state = state_make(STATE_COUNTED(w.type), nworker, param, &err);
        if (!w.state)
                abort();
        for (int32_t i = 0; i < nworker; i++) {
                w.cores[i] = cores;
                w.tasks[i] = 2 * cores;
        }
        return w;
}

/* Finishes in turn; the last worker's tasks last twice as long. */
static double call_s(struct world *w, int64_t held)
{
        double start_s = now_s();
        for (int i = 0; i < CALLS; i++) {
                w->view = (struct place_view){
                        .time_ns = i * (int64_t)1000000,
                        .occasion = PLACE_FINISHED,
                        .nworker = w->nworker,
                        .worker = i % w->nworker,
                        .held_tasks = held,
                        .tasks = w->tasks,
                        .owned_cores = w->cores,
                        .target_cores = w->cores,
                        .usable_cores = w->cores,
                        .finished_ns = (i % w->nworker == w->nworker - 1 ? 100 : 50) * 1000000,
                };
                w->tasks[w->view.worker]--;
                (void)w->type->refill(w->state, &w->view);
                w->tasks[w->view.worker]++;
        }
        return (now_s() - start_s) / CALLS;
}

static double least_us(bool tight, int32_t nworker, int32_t cores, int64_t held)
{
        double least = 1;
        for (int run = 0; run < RUNS; run++) {
                struct world w = make(tight, nworker, cores);
                double s = call_s(&w, held);
                least = s < least ? s : least;
                free(w.state);
        }
        return least * 1e6;
}

int main(void)
{
        static const struct {
                int32_t nworker, cores;
        } shapes[] = { { 3, 4 }, { 3, 16 }, { 4, 48 }, { 8, 48 } };
        printf("workers  cores of each     global   tight, 100000 held   tight, near the end   "
               "(us)\n");
        for (size_t i = 0; i < sizeof(shapes) / sizeof(shapes[0]); i++) {
                int32_t n = shapes[i].nworker, c = shapes[i].cores;
                printf("%7d %14d %10.3f %20.3f %21.3f\n", n, c, least_us(false, n, c, 100000),
                       least_us(true, n, c, 100000), least_us(true, n, c, n * c));
        }
        return 0;
}
