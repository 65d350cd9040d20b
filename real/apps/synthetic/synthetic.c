/* SPDX-License-Identifier: BSD-3-Clause */
#include "real/apps/synthetic/synthetic.h"

#include <math.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <time.h>

#include "base/clock.h"
#include "models/load.h"

enum { IMBALANCE, ITERATIONS, TASKS_PER_CORE, TASK_MS, SPIN, BYTES, SEED, NPARAM };
enum { SLOW_NODE };

static const struct lb_param params[NPARAM + 1] = {
        [IMBALANCE] = { .name = "imbalance",
                        .type = LB_PARAM_NUMBER,
                        .fallback = 2,
                        .min = 1,
                        .max = 1e6,
                        .help = "load of the worst rank over the mean load; at most the number of "
                                "ranks" },
        [ITERATIONS] = { .name = "iterations",
                         .type = LB_PARAM_INTEGER,
                         .fallback = 10,
                         .min = 1,
                         .max = 1e6,
                         .help = "iterations, each ended by a barrier" },
        [TASKS_PER_CORE] = { .name = "tasks_per_core",
                             .type = LB_PARAM_INTEGER,
                             .fallback = 100,
                             .min = 1,
                             .max = 1e6,
                             .help = "tasks created per core and iteration" },
        [TASK_MS] = { .name = "task_ms",
                      .unit = "ms",
                      .type = LB_PARAM_NUMBER,
                      .fallback = 5,
                      .min = 0,
                      .max = 3.6e6,
                      .help = "mean duration of a task over all ranks" },
        [SPIN] = { .name = "spin",
                   .type = LB_PARAM_SWITCH,
                   .max = 1,
                   .help = "tasks compute for that much processor time (default: they sleep)" },
        [BYTES] = { .name = "bytes",
                    .unit = "bytes",
                    .type = LB_PARAM_INTEGER,
                    .fallback = 1,
                    .min = 0,
                    .max = 1e12,
                    .help = "data of a task, which it reads and writes" },
        [SEED] = { .name = "seed",
                   .type = LB_PARAM_INTEGER,
                   .fallback = 1,
                   .min = 0,
                   .max = LB_PARAM_WHOLE_MAX,
                   .help = "of the loads; the same as lbsim's" },
};

static const struct app_text texts[] = {
        [SLOW_NODE] = { "slow-node", "N:FACTOR",
                        "tasks last FACTOR times as long on node N (default: none)" },
        { 0 },
};

const struct app synthetic_app = {
        .name = "synthetic",
        .summary = "tasks that sleep or compute, as many for each rank, longer for some",
        .param = params,
        .text = texts,
};

static int read_slow_node(const char *text, struct synthetic *synthetic, struct lb_error *err)
{
        char *end;
        synthetic->slow_node = -1;
        synthetic->slow_factor = 1;
        if (!text)
                return 0;
        long node = strtol(text, &end, 10);
        double factor = end != text && *end == ':' ? strtod(end + 1, &end) : 0;
        if (*end || node < 0 || node > INT32_MAX || !(factor >= 1 && factor <= 1000))
                return lb_error_set(err,
                                    "--slow-node: found '%.60s', allowed is N:FACTOR with a node N "
                                    "from 0 and a factor from 1 to 1000",
                                    text);
        synthetic->slow_node = (int32_t)node;
        synthetic->slow_factor = factor;
        return 0;
}

int synthetic_configure(const struct app_options *options, int32_t napprank,
                        struct synthetic *synthetic, struct lb_error *err)
{
        const double *value = options->value;
        *synthetic = (struct synthetic){
                .imbalance = value[IMBALANCE],
                .task_ms = value[TASK_MS],
                .iterations = (int32_t)value[ITERATIONS],
                .tasks_per_core = (int64_t)value[TASKS_PER_CORE],
                .spin = value[SPIN] != 0,
                .bytes = (size_t)value[BYTES],
                .seed = (uint64_t)value[SEED],
        };
        if (!options->given[IMBALANCE])
                synthetic->imbalance = fmin(synthetic->imbalance, napprank);
        return read_slow_node(options->text[SLOW_NODE], synthetic, err);
}

int64_t synthetic_tasks(const struct synthetic *synthetic, int32_t cores_per_node,
                        int32_t appranks_per_node)
{
        int64_t tasks = synthetic->tasks_per_core * cores_per_node / appranks_per_node;
        return tasks > 0 ? tasks : 1;
}

int synthetic_work_of(const struct synthetic *synthetic, int32_t napprank, int32_t apprank,
                      struct synthetic_work *work, struct lb_error *err)
{
        double *load_ms = malloc((size_t)napprank * sizeof(*load_ms));
        if (!load_ms)
                return lb_error_fail(err, "out of memory for %d loads", napprank);
        int status = load_uniform(load_ms, napprank, synthetic->task_ms, synthetic->imbalance,
                                  synthetic->seed, 0, err);
        if (status == 0)
                *work = (struct synthetic_work){
                        .bytes = synthetic->bytes,
                        .duration_ns = llround(load_ms[apprank] * 1e6),
                        .spin = synthetic->spin,
                        .slow_node = synthetic->slow_node,
                        .slow_factor = synthetic->slow_factor,
                };
        free(load_ms);
        return status;
}

/* All bytes of a small block, one in every page of a large one. */
static size_t next_touched(size_t i)
{
        return i < 4096 ? i + 1 : i + 4096;
}

static void sleep_until(int64_t end_ns)
{
        struct timespec end = { .tv_sec = end_ns / 1000000000, .tv_nsec = end_ns % 1000000000 };
        prctl(PR_SET_TIMERSLACK, 1); /* the default would add 50 us */
        while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &end, NULL) != 0)
                ;
}

static int64_t duration_ns(const struct synthetic_work *work, int32_t node)
{
        if (node != work->slow_node)
                return work->duration_ns;
        return (int64_t)((double)work->duration_ns * work->slow_factor);
}

void synthetic_run(const struct synthetic_work *work, int32_t node)
{
        clockid_t clock = work->spin ? CLOCK_THREAD_CPUTIME_ID : CLOCK_MONOTONIC;
        int64_t end_ns = clock_of_ns(clock) + duration_ns(work, node);
        for (size_t i = 0; i < work->bytes; i = next_touched(i))
                work->data[i]++;
        if (!work->spin && work->duration_ns > 0)
                sleep_until(end_ns);
        while (work->spin && clock_of_ns(clock) < end_ns)
                ;
}

static bool is_wrong(const unsigned char *data, size_t bytes, unsigned char expected)
{
        for (size_t i = 0; i < bytes; i = next_touched(i))
                if (data[i] != expected)
                        return true;
        return false;
}

int64_t synthetic_wrong(const unsigned char *data, int64_t tasks, size_t bytes, int32_t iterations)
{
        int64_t wrong = 0;
        for (int64_t task = 0; task < tasks; task++)
                wrong += is_wrong(data + (size_t)task * bytes, bytes, (unsigned char)iterations);
        return wrong;
}
