/* SPDX-License-Identifier: BSD-3-Clause */
#include "real/launch/pulse.h"

#include "real/control/job.h"

static const double minute_s = 60;
static const double look_max_s = 2; /* looks are a second apart: else somebody has stopped us */
static const double exit_max_s = 5;

void pulse_init(struct pulse *pulse, const struct lifeline *line, const struct job *job)
{
        double hung_s = job->param[JOB_HUNG_S];
        *pulse = (struct pulse){ .line = line,
                                 .hung_s = hung_s,
                                 .named_s = hung_s > 0 && hung_s < minute_s ? hung_s : minute_s };
}

static void look_at(struct pulse_part *part, uint64_t value, bool counts, double passed_s)
{
        if (!counts || part->value != value) {
                *part = (struct pulse_part){ .value = value, .named = counts && part->named };
                return;
        }
        part->still_s += passed_s;
}

void pulse_look(struct pulse *pulse, double now_s)
{
        double passed_s = pulse->at_s > 0 ? now_s - pulse->at_s : 0;
        pulse->at_s = now_s;
        if (!pulse->line)
                return;
        passed_s = passed_s < look_max_s ? passed_s : look_max_s;
        const struct lifeline *line = pulse->line;
        int32_t stage = atomic_load(&line->stage);
        uint64_t task = (uint64_t)atomic_load(&line->task_ns);
        bool runs = stage == LIFE_RUNS;
        look_at(&pulse->beats, atomic_load(&line->beats), runs, passed_s);
        look_at(&pulse->task, task, runs && task != 0, passed_s);
        look_at(&pulse->exit, 0, stage == LIFE_ABANDONED && atomic_load(&line->code) > 0, passed_s);
}

static bool find(struct pulse_part *part, double limit_s)
{
        if (part->named || part->still_s < limit_s)
                return false;
        part->named = true;
        return true;
}

static bool is_hung(const struct pulse *pulse)
{
        return pulse->hung_s > 0 && pulse->beats.still_s >= pulse->hung_s;
}

bool pulse_find(struct pulse *pulse, struct pulse_finding *finding)
{
        *finding = (struct pulse_finding){ .kind = NEWS_NONE };
        if (!pulse->ending && (is_hung(pulse) || pulse->exit.still_s >= exit_max_s)) {
                pulse->ending = true;
                finding->ends = true;
                if (is_hung(pulse)) {
                        finding->kind = NEWS_SILENT;
                        finding->seconds = (int32_t)pulse->beats.still_s;
                }
                return true;
        }
        if (find(&pulse->beats, pulse->named_s)) {
                finding->kind = NEWS_SILENT;
                finding->seconds = (int32_t)pulse->beats.still_s;
        } else if (find(&pulse->task, pulse->named_s)) {
                finding->kind = NEWS_LONG_TASK;
                finding->seconds = (int32_t)pulse->task.still_s;
        }
        return finding->kind != NEWS_NONE;
}
