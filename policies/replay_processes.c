/* SPDX-License-Identifier: BSD-3-Clause */
/* Records of policies for the processes of a node, processors and packing, decided again. */
#include <stdlib.h>
#include <string.h>

#include "policies/called.h"
#include "policies/replay_impl.h"
#include "policies/state.h"

enum { CPUS_MAX = 1 << 16 };
static const double seconds_max = 1e9;

void replay_processes_finish(struct replay_processes *p)
{
        free(p->param);
        free(p->number);
        free(p->cpus);
        free(p->answer);
        free(p->state);
}

/* What follows the name, and room for what records hold. */
static void read_processes(struct replay_line *line, struct replay_processes *p,
                           const struct lb_param *table)
{
        p->nprocess = replay_read_count(line);
        if (line->broken)
                return;
        p->param = replay_read_params(line, table);
        replay_end(line);
        size_t n = (size_t)p->nprocess;
        p->number = calloc(2 * n, sizeof(double));
        p->cpus = calloc(2 * n, sizeof(int32_t));
        p->answer = calloc(2 * (n + 1), sizeof(int64_t));
        if (!p->number || !p->cpus || !p->answer)
                replay_out_of_memory(line);
}

static void make(struct replay_line *line, struct replay_processes *p,
                 const struct state_counted *type)
{
        struct lb_error err;
        if (line->broken)
                return;
        p->state = state_make(type, p->nprocess, p->param, &err);
        if (!p->state)
                replay_complain(line, err.text);
}

void replay_begin_dpb(struct replay *replay, struct replay_line *line, struct replay_worker *worker)
{
        struct replay_processes *p = &worker->dpb;
        const char *name = replay_word(line);
        if (p->dpb)
                replay_complain(line, "the policy is made a second time");
        const struct dpb_type *type = dpb_find(name);
        if (!type)
                replay_unknown_policy(line, "processor", name);
        if (line->broken)
                return;
        p->dpb = type;
        read_processes(line, p, type->params);
        make(line, p, STATE_COUNTED(type));
        replay_count(replay, REPLAY_DPB, type->name)->states++;
}

void replay_begin_pack(struct replay *replay, struct replay_line *line,
                       struct replay_worker *worker)
{
        struct replay_processes *p = &worker->pack;
        const char *name = replay_word(line);
        if (p->pack)
                replay_complain(line, "the policy is made a second time");
        const struct pack_type *type = pack_find(name);
        if (!type)
                replay_unknown_policy(line, "packing", name);
        if (line->broken)
                return;
        p->pack = type;
        read_processes(line, p, type->params);
        make(line, p, STATE_COUNTED(type));
        replay_count(replay, REPLAY_PACK, type->name)->states++;
}

static void read_seconds(struct replay_line *line, double *value, int32_t count)
{
        for (int32_t i = 0; i < count && !line->broken; i++)
                value[i] = replay_number(line, 0, seconds_max);
}

/* What was decided then: a number, and one for each process. */
static void read_answer(struct replay_line *line, struct replay_processes *p)
{
        replay_equals(line);
        for (int32_t i = 0; i <= p->nprocess && !line->broken; i++)
                p->answer[p->nprocess + 1 + i] = replay_int(line, 0, CPUS_MAX);
        replay_end(line);
}

static void compare(struct replay *replay, const struct replay_line *line,
                    const struct replay_processes *p, struct replay_policy *policy, int64_t first)
{
        int64_t *now = p->answer;
        const int32_t *decided = p->cpus + p->nprocess;
        now[0] = first;
        for (int32_t i = 0; i < p->nprocess; i++)
                now[i + 1] = decided[i];
        struct replay_answer answer = { .time_ns = p->time_ns,
                                        .what = "action or count, then CPUs from number",
                                        .count = p->nprocess + 1,
                                        .now = now,
                                        .then = now + p->nprocess + 1 };
        replay_compare(replay, line, policy, &answer);
}

void replay_moving(struct replay *replay, struct replay_line *line, struct replay_worker *worker)
{
        struct replay_processes *p = &worker->dpb;
        if (!p->state)
                replay_complain(line, "the policy has not been made before");
        p->time_ns = replay_int(line, 0, INT64_MAX);
        read_seconds(line, p->number, 2 * p->nprocess);
        replay_ints(line, p->cpus, p->nprocess, CPUS_MAX);
        for (int32_t i = 0; i < p->nprocess && !line->broken; i++)
                if (p->cpus[i] < 1)
                        replay_complain(line, "a process has no processor, must be at least 1");
        read_answer(line, p);
        if (line->broken)
                return;
        struct dpb_view view = { .time_ns = p->time_ns,
                                 .compute_s = p->number,
                                 .mpi_s = p->number + p->nprocess,
                                 .cpus = p->cpus };
        called_begin(p->dpb->name, "decide");
        enum dpb_action action = p->dpb->decide(p->state, &view, p->cpus + p->nprocess);
        called_end();
        compare(replay, line, p, replay_count(replay, REPLAY_DPB, p->dpb->name), (int64_t)action);
}

void replay_packing(struct replay *replay, struct replay_line *line, struct replay_worker *worker)
{
        struct replay_processes *p = &worker->pack;
        if (!p->state)
                replay_complain(line, "the policy has not been made before");
        p->time_ns = replay_int(line, 0, INT64_MAX);
        double bound_s = replay_number(line, 0x1p-1074, seconds_max);
        read_seconds(line, p->number, p->nprocess);
        read_answer(line, p);
        if (line->broken)
                return;
        struct pack_view view = { .time_ns = p->time_ns, .bound_s = bound_s, .time_s = p->number };
        called_begin(p->pack->name, "decide");
        int32_t used = p->pack->decide(p->state, &view, p->cpus + p->nprocess);
        called_end();
        compare(replay, line, p, replay_count(replay, REPLAY_PACK, p->pack->name), used);
}
