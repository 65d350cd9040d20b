/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * workload_uses() says the truth of each model and parameter: the work is another one after a
 * change of a parameter that is used, and the very same after one of a parameter that is not.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "model_setting.h"
#include "models/taskgraph.h"
#include "models/trace.h"

enum { NAPPRANK = 4 };

static uint64_t mix(uint64_t digest, int64_t value)
{
        return (digest ^ (uint64_t)value) * UINT64_C(0x100000001b3) + (digest >> 29);
}

static uint64_t mix_apprank(uint64_t d, const struct workload *w, int32_t i, int32_t a,
                            const struct work *work)
{
        d = mix(mix(mix(mix(d, work->ntask), work->task_ns), work->serial_ns + work->start_ns),
                work->task_bytes);
        d = mix(mix(d, work->result_bytes), workload_message_bytes(w, a));
        for (int64_t t = 0; t < work->ntask && !workload_alike(w); t++)
                d = mix(d, workload_task_ns(w, a, i, t));
        for (int32_t r = 0; r < workload_nregion(w, a, i); r++)
                d = mix(d, workload_region_tasks(w, a, i, r));
        return d;
}

static uint64_t digest_of(const struct setting *s)
{
        struct work work[NAPPRANK];
        struct workload *w = create(s);
        uint64_t d = 1;
        for (int32_t i = 0; i < workload_niteration(w); i++) {
                workload_iteration(w, i, work);
                for (int32_t a = 0; a < NAPPRANK; a++)
                        d = mix_apprank(d, w, i, a, &work[a]);
        }
        workload_destroy(w);
        return d;
}

/* Another value that is allowed. */
static double other_value(enum workload_param place, double value)
{
        const struct lb_param *p = &workload_params[place];
        if (p->type == LB_PARAM_CHOICE)
                return value > 0 ? 0 : 1;
        double more = p->type == LB_PARAM_INTEGER ? floor(value * 2) + 1 : value * 1.5 + 0.01;
        return more > p->max ? value / 2 : more;
}

static void make_small(struct setting *s, const struct trace *trace, const struct taskgraph *graph)
{
        static const double load_ms[NAPPRANK] = { 3, 1, 4, 5 };
        s->spec.cores_per_node = 4;
        s->spec.trace = trace;
        s->spec.graph = graph;
        if (strcmp(workload_models[(int)s->param[WORKLOAD_MODEL]], "given") == 0) {
                s->spec.load_ms = load_ms;
                s->spec.nload = NAPPRANK;
        }
        s->param[WORKLOAD_NBODY_BODIES] = 500;
        s->param[WORKLOAD_ITERATIONS] = 12;
        s->param[WORKLOAD_PHASE_ITERATIONS] = 2;
        s->param[WORKLOAD_MESH_STEPS] = 10;
        s->param[WORKLOAD_CHOLESKY_SIZE] = 256;
}

static void check_param(const struct setting *s, int model, enum workload_param place)
{
        struct setting other = *s;
        other.spec.param = other.param;
        other.param[place] = other_value(place, s->param[place]);
        bool changed = digest_of(s) != digest_of(&other);
        if (changed != workload_uses(model, place))
                fail_msg("model %s: the work is %s after a change of %s, which it is said %sto use",
                         workload_models[model], changed ? "another one" : "the same",
                         workload_params[place].name, changed ? "not " : "");
}

/* Read by what the model does not decide: who runs it, how, for how long; or by all models. */
static bool is_general(enum workload_param place)
{
        return place == WORKLOAD_MODEL || place == WORKLOAD_ITERATIONS ||
               place == WORKLOAD_WRITEBACK || place == WORKLOAD_JITTER ||
               place == WORKLOAD_JITTER_CV || place == WORKLOAD_SLOW ||
               place == WORKLOAD_SLOW_FACTOR || place == WORKLOAD_SLOW_ITERATIONS;
}

static void write_file(const char *name, const char *text)
{
        FILE *out = fopen(name, "w");
        assert_non_null(out);
        fputs(text, out);
        assert_int_equal(fclose(out), 0);
}

static void test_each_model_and_parameter(void **state)
{
        (void)state;
        struct lb_error err;
        write_file("loads.csv",
                   "iteration,apprank,work_s,tasks\n0,0,1,4\n0,1,1,4\n0,2,1,4\n0,3,2,8\n");
        write_file("graph.csv", "apprank,seconds,bytes,after\n0,1,8,\n0,1,8,0\n");
        struct trace *trace = trace_read("loads.csv", &err);
        struct taskgraph *graph = taskgraph_read("graph.csv", &err);
        if (!graph)
                fail_msg("%s", err.text);
        assert_non_null(trace);
        assert_non_null(graph);
        for (int model = 0; workload_models[model]; model++) {
                struct setting s;
                setting_init(&s, workload_models[model], 2, 2);
                make_small(&s, trace, graph);
                for (int p = 0; p < WORKLOAD_NPARAM; p++)
                        if (!is_general((enum workload_param)p))
                                check_param(&s, model, (enum workload_param)p);
        }
        trace_destroy(trace);
        taskgraph_destroy(graph);
}

int main(void)
{
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(test_each_model_and_parameter),
        };
        return cmocka_run_group_tests(tests, NULL, NULL);
}
