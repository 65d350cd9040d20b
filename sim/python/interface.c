/* SPDX-License-Identifier: BSD-3-Clause */
#include "sim/python/interface.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "policies/plugged.h"
#include "sim/sweep/sweep.h"

struct lbsim {
        struct scenario scenario;
        struct sweep sweep;
        bool simulated;
};

static struct lb_error last; /* one thread at a time */

const char *lbsim_error(void)
{
        return last.text;
}

const char *lbsim_version(void)
{
        return LB_VERSION;
}

int32_t lbsim_nmetric(void)
{
        return METRIC_COUNT;
}

const char *lbsim_metric_name(int32_t metric)
{
        return metric >= 0 && metric < METRIC_COUNT ? metric_table[metric].name : NULL;
}

/* ---- The policy that is called back ---- */

struct called_back {
        int32_t nworker, cores;
        double busy[]; /* [nworker] as last measured */
};

static lbsim_decide *decide_back; /* NULL: none yet */
static char wrong[256];           /* what the first decision that failed was, or empty */

static size_t back_size(const struct lb_shape *shape, const double *param)
{
        (void)param;
        return sizeof(struct called_back) + (size_t)shape->nworker * sizeof(double);
}

static int back_init(void *state, const struct lb_shape *shape, const double *param,
                     struct lb_error *err)
{
        (void)param;
        struct called_back *s = state;
        if (!decide_back)
                return lb_error_set(err, "there is no policy yet that system python could call");
        s->nworker = shape->nworker;
        s->cores = shape->cores[0];
        return 0;
}

static void back_observe(void *state, const struct alloc_view *view)
{
        struct called_back *s = state;
        memcpy(s->busy, view->busy_cores, (size_t)s->nworker * sizeof(double));
}

static bool is_allowed(const struct called_back *s, const int32_t *target)
{
        int64_t total = 0;
        bool each = true;
        for (int32_t w = 0; w < s->nworker; w++) {
                each &= target[w] >= 1;
                total += target[w];
        }
        if ((!each || total != s->cores) && !wrong[0])
                snprintf(wrong, sizeof(wrong),
                         "the policy gives out %lld cores%s, allowed are %d, at least 1 a worker",
                         (long long)total, each ? "" : ", to one fewer than 1", s->cores);
        return each && total == s->cores;
}

static void back_decide(void *state, const struct alloc_view *view, int32_t *owned_cores)
{
        const struct called_back *s = state;
        int failed = decide_back(s->nworker, s->cores, s->busy, view->owned_cores, owned_cores);
        if (failed && !wrong[0])
                snprintf(wrong, sizeof(wrong), "the policy failed");
        if (failed || !is_allowed(s, owned_cores))
                memcpy(owned_cores, view->owned_cores, (size_t)s->nworker * sizeof(*owned_cores));
}

static void back_release(void *state)
{
        (void)state;
}

static const struct lb_param no_params[] = { { .name = NULL } };
static const struct alloc_type back = {
        .name = "python",
        .help = "decided by a function that is called back",
        .scope = ALLOC_SCOPE_NODE,
        .params = no_params,
        .state_size = back_size,
        .init = back_init,
        .observe = back_observe,
        .decide = back_decide,
        .release = back_release,
};
static const struct system_type back_system = {
        .name = "python",
        .help = "cores by a function that is called back",
        .alloc = "python",
        .lend = "lewi",
        .place = "locality",
        .offloads = true,
        .lewi = true,
        .drom = true,
};
static const struct lb_plugin back_plugin = {
        .abi = LB_PLUGIN_ABI,
        .system = &back_system,
        .alloc = &back,
};

/* The list of systems is made when the first scenario is read. */
static void add_system(void)
{
        static bool added;
        if (!added)
                plugged_add(&(struct plugged){ .plugin = &back_plugin });
        added = true;
}

int lbsim_policy(lbsim_decide *decide)
{
        decide_back = decide;
        return 0;
}

/* ---- Running ---- */

struct lbsim *lbsim_open(const char *file, const char *const *set, int32_t nset)
{
        const struct scenario_options options = { .set = set, .nset = nset };
        struct lbsim *run = calloc(1, sizeof(*run));
        add_system();
        if (!run)
                lb_error_fail(&last, "out of memory");
        if (run && scenario_open(&run->scenario, file, &options, &last) == 0)
                return run;
        free(run);
        return NULL;
}

void lbsim_close(struct lbsim *run)
{
        if (!run)
                return;
        if (run->simulated)
                sweep_finish(&run->sweep);
        scenario_close(&run->scenario);
        free(run);
}

int64_t lbsim_npoint(const struct lbsim *run)
{
        return run->scenario.npoint;
}

int32_t lbsim_nreplicate(const struct lbsim *run)
{
        return run->scenario.replicates;
}

int32_t lbsim_ncolumn(const struct lbsim *run)
{
        return scenario_ncolumn(&run->scenario);
}

const char *lbsim_column(const struct lbsim *run, int32_t column)
{
        return scenario_column(&run->scenario, column);
}

const char *lbsim_value(const struct lbsim *run, int64_t point, int32_t column)
{
        return scenario_point_text(&run->scenario, point, column);
}

/* Replicates that a point did not need for its precision have no metrics. */
static void clear_undone(struct sweep *sweep)
{
        for (int64_t r = 0; r < sweep->nslot; r++)
                for (int m = 0; m < METRIC_COUNT && !sweep->done[r]; m++)
                        sweep->result[r].metric[m] = NAN;
}

int lbsim_simulate(struct lbsim *run, int32_t jobs)
{
        const struct sweep_options options = { .jobs = jobs < 1 ? 1 : jobs };
        if (run->simulated)
                return lb_error_set(&last, "it has been simulated already");
        wrong[0] = '\0';
        if (sweep_run(&run->sweep, &run->scenario, &options, &last) < 0)
                return -1;
        clear_undone(&run->sweep);
        run->simulated = true;
        return wrong[0] ? lb_error_fail(&last, "%s", wrong) : 0;
}

static const struct sim_result *result_of(const struct lbsim *run, int64_t point, int32_t replicate)
{
        return &run->sweep.result[sweep_place(&run->sweep, point, replicate)];
}

const double *lbsim_metrics(const struct lbsim *run, int64_t *stride)
{
        *stride = (int64_t)sizeof(struct sim_result);
        return run->simulated ? run->sweep.result[0].metric : NULL;
}

const double *lbsim_iterations(const struct lbsim *run, int64_t point, int32_t replicate,
                               int32_t *count)
{
        *count = result_of(run, point, replicate)->niteration;
        return result_of(run, point, replicate)->iteration_s;
}

const float *lbsim_busy(const struct lbsim *run, int64_t point, int32_t replicate, int32_t *nsample,
                        int32_t *nworker)
{
        const struct sim_series *series = &result_of(run, point, replicate)->series;
        *nsample = series->nsample;
        *nworker = series->nworker;
        return series->busy_cores;
}

const int32_t *lbsim_owned(const struct lbsim *run, int64_t point, int32_t replicate,
                           int32_t *nsample, int32_t *nworker)
{
        const struct sim_series *series = &result_of(run, point, replicate)->series;
        *nsample = series->nsample;
        *nworker = series->nworker;
        return series->owned_cores;
}
