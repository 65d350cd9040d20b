/* SPDX-License-Identifier: BSD-3-Clause */
#include "real/measure/meter.h"

#include <stddef.h>
#include <string.h>

static const int64_t READ_EACH_NS = 1000000000 / METER_READS_PER_S;
enum { METER_VALUES = sizeof(struct meter_interval) / sizeof(double) };
enum { METER_READS_IN_A_ROW = 3, METER_JUDGED_LEAST = 4, METER_JUDGED_MOST = 512 };

/* ---- Series ---- */

/* Two intervals become one; each has so many values. */
static void fold(struct meter_series *series, double *value, int64_t width)
{
        int64_t first = series->first >> 1, last = (series->first + series->count - 1) >> 1;
        for (int64_t i = 0; i < series->count * width; i++) {
                double load_ns = value[i];
                value[i] = 0;
                value[(((series->first + i / width) >> 1) - first) * width + i % width] += load_ns;
        }
        series->count = series->count > 0 ? last - first + 1 : 0;
        series->first = first;
        series->shift++;
}

/* Where the values of interval `at` are. */
static double *slot_of(struct meter_series *series, double *value, int64_t width, int64_t at)
{
        if (series->count == 0)
                series->first = at >> series->shift;
        while ((at >> series->shift) - series->first >= series->room)
                fold(series, value, width);
        int64_t slot = (at >> series->shift) - series->first;
        if (slot < 0)
                slot = 0;
        if (slot >= series->count)
                series->count = slot + 1;
        return &value[slot * width];
}

void meter_series_add(struct meter_series *series, double *value, int64_t at, double load_ns)
{
        *slot_of(series, value, 1, at) += load_ns;
}

static double least(double a, double b)
{
        return a < b ? a : b;
}

static double greatest(double a, double b)
{
        return a > b ? a : b;
}

/* Load that was spent evenly from one time to another, to the windows in which it was; without what
 * was too much before. */
static void spend(struct meter *meter, int64_t from_ns, int64_t to_ns, double load_ns)
{
        int64_t first = from_ns / meter->window_ns, last = to_ns / meter->window_ns;
        double over_ns = least(meter->over_ns, load_ns);
        meter->over_ns -= over_ns;
        load_ns -= over_ns;
        meter->interval_load_ns += load_ns;
        meter->spent_ns += load_ns;
        if (from_ns >= to_ns)
                first = last;
        for (int64_t at = first; at <= last; at++) {
                int64_t begin = at * meter->window_ns, end = begin + meter->window_ns;
                int64_t since = begin > from_ns ? begin : from_ns;
                int64_t until = end < to_ns ? end : to_ns;
                double part =
                    first == last ? 1.0 : (double)(until - since) / (double)(to_ns - from_ns);
                meter_series_add(&meter->windows, meter->window_load_ns, at, part * load_ns);
        }
}

/* ---- Readings ---- */

static void begin(struct meter *meter, const struct meter_reading *now)
{
        meter->start_ns = meter->end_ns = meter->last_ns = now->wall_ns;
        meter->cpu_wall_ns = meter->delay_wall_ns = now->wall_ns;
        meter->next_read_ns = now->wall_ns - METER_READS_SPARE * READ_EACH_NS;
        meter->cpu_ns = now->cpu_ns;
        meter->delay_ns = now->delay_ns;
        meter->sleeps = now->sleeps;
        meter->others = now->others;
        meter->children = now->children;
        meter->has_delay = now->delay_ns >= 0;
}

void meter_start(struct meter *meter, const struct meter_reading *now, int64_t window_ns)
{
        memset(meter, 0, sizeof(*meter));
        meter->window_ns = window_ns;
        meter->windows.room = METER_WINDOWS;
        meter->intervals.room = METER_INTERVALS;
        begin(meter, now);
}

void meter_start_sums(struct meter *meter, const struct meter_reading *now)
{
        memset(meter, 0, offsetof(struct meter, window_load_ns));
        meter->window_load_ns[0] = 0;
        meter->window_ns = INT64_MAX / 2; /* all is in the first */
        meter->windows.room = 1;
        begin(meter, now);
}

/* Readings cost some time each, which may be saved, but not without bounds. So many in a second of
 * wall time: of a rank that has a tenth of a CPU they take ten times the part (its loads need them:
 * another comes between two calls). */
static bool may_read(struct meter *meter, int64_t wall_ns)
{
        if (meter->maybe == 0 && wall_ns - meter->cpu_wall_ns < METER_KEPT_NS)
                return false;
        if (meter->in_a_row > 0)
                return true;
        if (meter->next_read_ns < wall_ns - METER_READS_SPARE * READ_EACH_NS)
                meter->next_read_ns = wall_ns - METER_READS_SPARE * READ_EACH_NS;
        return meter->next_read_ns <= wall_ns;
}

static int32_t length_of(int64_t passed_ns)
{
        int32_t length = passed_ns > 0 ? 63 - __builtin_clzll((uint64_t)passed_ns) : 0;
        return length < METER_LENGTHS ? length : METER_LENGTHS - 1;
}

static struct meter_stretches *judged_of(struct meter *meter)
{
        return &meter->judged[meter->last_place][meter->last_length];
}

/* The last stretch, in which the thread may have lost its CPU. Where none like it was read, outside
 * MPI a thread computes, and nobody knows what it does elsewhere. */
static struct meter_expected maybe(struct meter *meter, double wall_ns)
{
        const struct meter_stretches *judged = judged_of(meter);
        bool out = meter->last_place == METER_OUT;
        double deviation_ns = (out ? 0.1 : 0.5) * wall_ns;
        if (judged->count >= METER_JUDGED_LEAST)
                return (struct meter_expected){ .cpu_ns = judged->share * wall_ns,
                                                .variance_ns2 = judged->variance_ns2 };
        return (struct meter_expected){ .cpu_ns = (out ? 1 : 0.5) * wall_ns,
                                        .variance_ns2 = deviation_ns * deviation_ns };
}

/* Where it has kept it, all is processor time but for interrupts: load at once. */
static void keep(struct meter *meter, int64_t wall_ns, int64_t passed_ns)
{
        if (meter->place != METER_OUT)
                return;
        meter->kept_out_ns += passed_ns;
        spend(meter, meter->last_ns, wall_ns, (double)passed_ns);
}

static void expect(struct meter *meter, double wall_ns)
{
        struct meter_expected *sum = meter->place == METER_OUT ? &meter->out : &meter->in;
        struct meter_expected own = maybe(meter, wall_ns);
        if (meter->maybe++ == 0)
                meter->maybe_ns = meter->last_ns;
        sum->wall_ns += wall_ns;
        sum->cpu_ns += own.cpu_ns;
        sum->variance_ns2 += own.variance_ns2;
}

/* At its begin was what the meter itself took. */
static void pass_own(struct meter *meter, int64_t wall_ns)
{
        int64_t passed_ns = wall_ns - meter->last_ns;
        int64_t own_ns = meter->own_ns < passed_ns ? meter->own_ns : passed_ns;
        if (own_ns > 0) {
                meter->in_ns += own_ns;
                meter->last_ns += own_ns;
        }
        meter->own_ns = 0;
}

/* Time up to here was where the thread is. */
static void pass(struct meter *meter, int64_t wall_ns)
{
        pass_own(meter, wall_ns);
        int64_t passed_ns = wall_ns - meter->last_ns;
        meter->last_kept = meter->kept;
        meter->kept = false;
        if (passed_ns > 0) {
                meter->last_length = length_of(passed_ns);
                meter->last_place = meter->place;
                meter->last_passed_ns = passed_ns;
                if (meter->last_kept)
                        keep(meter, wall_ns, passed_ns);
                else
                        expect(meter, (double)passed_ns);
        }
        int64_t *const sum[] = { &meter->out_ns, &meter->in_ns, &meter->wait_ns };
        *sum[meter->place] += passed_ns;
        *(meter->place == METER_OUT ? &meter->cpu_out_wall_ns : &meter->cpu_in_wall_ns) +=
            passed_ns;
        meter->last_ns = meter->end_ns = wall_ns;
}

bool meter_go(struct meter *meter, int64_t wall_ns, enum meter_place place)
{
        pass(meter, wall_ns);
        meter->place = (int32_t)place;
        return may_read(meter, wall_ns);
}

bool meter_enter(struct meter *meter, int64_t wall_ns)
{
        if (meter->place == METER_OUT)
                meter->own_ns += meter->clock_ns;
        meter->calls++;
        return meter_go(meter, wall_ns, METER_MPI);
}

bool meter_stay(struct meter *meter, int64_t wall_ns)
{
        meter->place = METER_MPI;
        meter->calls++;
        return meter_go(meter, wall_ns, METER_MPI);
}

bool meter_leave(struct meter *meter, int64_t wall_ns)
{
        return meter_go(meter, wall_ns, METER_OUT);
}

void meter_team(struct meter *meter, int64_t from_ns, int64_t to_ns, double load_ns)
{
        meter->team_ns += load_ns;
        spend(meter, from_ns, to_ns, load_ns);
}

void meter_help(struct meter *meter, int64_t from_ns, int64_t to_ns, double load_ns)
{
        double idle_ns = meter->has_delay ? meter->idle_out_ns - meter->helped_idle_ns : 0;
        double covered_ns = least(load_ns, greatest(idle_ns, 0));
        meter->covered_ns += covered_ns;
        meter->helped_idle_ns = meter->idle_out_ns;
        if (load_ns <= covered_ns)
                return;
        meter->help_ns += load_ns - covered_ns;
        meter_team(meter, from_ns, to_ns, load_ns - covered_ns);
}

/* A stretch had so much processor time. */
static void judge(struct meter_stretches *judged, double wall_ns, double cpu_ns)
{
        double keep = judged->count >= METER_JUDGED_MOST ? 0.5 : 1; /* later ones count more */
        judged->count = keep * judged->count + 1;
        judged->cpu_ns = keep * judged->cpu_ns + cpu_ns;
        judged->wall_ns = keep * judged->wall_ns + wall_ns;
        judged->cpu2_ns2 = keep * judged->cpu2_ns2 + cpu_ns * cpu_ns;
        judged->cpu_wall_ns2 = keep * judged->cpu_wall_ns2 + cpu_ns * wall_ns;
        judged->wall2_ns2 = keep * judged->wall2_ns2 + wall_ns * wall_ns;
        double share = judged->cpu_ns / judged->wall_ns;
        double squares =
            judged->cpu2_ns2 - 2 * share * judged->cpu_wall_ns2 + share * share * judged->wall2_ns2;
        judged->share = share;
        judged->variance_ns2 = squares > 0 ? squares / judged->count : 0;
}

/* What of so much processor time was outside MPI, of the stretches in which the thread may have
 * lost its CPU. */
static double divide_maybe(const struct meter *meter, double used_ns)
{
        double expected_ns = meter->out.cpu_ns + meter->in.cpu_ns;
        double variance_ns2 = meter->out.variance_ns2 + meter->in.variance_ns2;
        double cpu_out_ns = meter->out.cpu_ns;
        if (variance_ns2 > 0)
                cpu_out_ns += (used_ns - expected_ns) * (meter->out.variance_ns2 / variance_ns2);
        else if (expected_ns > 0)
                cpu_out_ns *= used_ns / expected_ns;
        return least(greatest(cpu_out_ns, greatest(used_ns - meter->in.wall_ns, 0)),
                     least(meter->out.wall_ns, used_ns));
}

/* The part outside MPI of the processor time since the last reading. Where the thread kept its CPU
 * all was processor time; more than fits into the other stretches it was not, for interrupts. */
static double divide(const struct meter *meter, double used_ns)
{
        double maybe_ns = meter->out.wall_ns + meter->in.wall_ns;
        double kept_ns = (double)(meter->cpu_out_wall_ns + meter->cpu_in_wall_ns) - maybe_ns;
        double other_ns = least(greatest(used_ns - kept_ns, 0), maybe_ns);
        double kept_out_ns = (double)meter->kept_out_ns;
        if (kept_ns > 0)
                kept_out_ns *= (used_ns - other_ns) / kept_ns;
        return kept_out_ns + divide_maybe(meter, other_ns);
}

/* The last stretch, of which that is known: it is the only one in which the thread may have lost
 * its CPU. */
static void judge_last(struct meter *meter, double read_ns)
{
        double wall_ns = (double)meter->last_passed_ns;
        double kept_ns = (double)(meter->cpu_out_wall_ns + meter->cpu_in_wall_ns) - wall_ns;
        if (meter->maybe == 1 && !meter->last_kept)
                judge(judged_of(meter), wall_ns, greatest(read_ns - kept_ns, 0));
}

/* What was not spent at once; or it was too much. */
static void spend_rest(struct meter *meter, int64_t wall_ns, double cpu_out_ns)
{
        double rest_ns = cpu_out_ns - (double)meter->kept_out_ns;
        if (rest_ns > 0)
                spend(meter, meter->maybe > 0 ? meter->maybe_ns : meter->cpu_wall_ns, wall_ns,
                      rest_ns);
        else
                meter->over_ns -= rest_ns;
        meter->kept_out_ns = 0;
}

/* The processor time since the last reading, without what a reading takes. */
static double used_since(struct meter *meter, int64_t cpu_ns)
{
        double all_ns = (double)(cpu_ns - meter->cpu_ns);
        double own_ns = least((double)meter->reading_ns, all_ns);
        meter->cpu_in_ns += own_ns;
        return all_ns - own_ns;
}

void meter_cpu(struct meter *meter, int64_t wall_ns, int64_t cpu_ns)
{
        double out_ns = (double)meter->cpu_out_wall_ns, in_ns = (double)meter->cpu_in_wall_ns;
        double read_ns = used_since(meter, cpu_ns);
        double used_ns = least(read_ns, out_ns + in_ns);
        double cpu_out_ns = divide(meter, used_ns);
        judge_last(meter, read_ns);
        if (meter->in_a_row > 0)
                meter->in_a_row--;
        else if (meter->maybe > 1)
                meter->in_a_row = METER_READS_IN_A_ROW - 1;
        if (out_ns > 0 && in_ns > 0)
                meter->divided_ns += cpu_out_ns;
        meter->cpu_out_ns += cpu_out_ns;
        meter->cpu_in_ns += used_ns - cpu_out_ns;
        meter->idle_out_ns += out_ns - cpu_out_ns;
        meter->idle_in_ns += in_ns - (used_ns - cpu_out_ns);
        spend_rest(meter, wall_ns, cpu_out_ns);
        meter->cpu_out_wall_ns = meter->cpu_in_wall_ns = 0;
        meter->out = meter->in = (struct meter_expected){ 0 };
        meter->maybe = 0;
        meter->own_ns += meter->reading_ns;
        meter->cpu_ns = cpu_ns;
        meter->cpu_wall_ns = wall_ns;
        meter->next_read_ns += READ_EACH_NS;
        meter->reads++;
}

double meter_rest_ns(const struct meter *meter, int64_t cpu_ns)
{
        double kept_ns = (double)(meter->cpu_out_wall_ns + meter->cpu_in_wall_ns);
        if (meter->maybe > 0)
                return -1;
        return greatest((double)(cpu_ns - meter->cpu_ns - meter->reading_ns) - kept_ns, 0);
}

void meter_own(struct meter *meter, int64_t lasted_ns, int64_t cpu_ns)
{
        double used_ns = used_since(meter, cpu_ns);
        meter->cpu_in_ns += used_ns;
        meter->idle_in_ns += greatest((double)lasted_ns - used_ns, 0);
        meter->own_ns += lasted_ns + meter->reading_ns;
        meter->cpu_ns = cpu_ns;
}

/* It takes so much longer as there are other threads. */
bool meter_wants_delay(const struct meter *meter)
{
        double least_ns = METER_IDLE_NS * (1 + (double)meter->others.running);
        return meter->has_delay && meter->idle_out_ns + meter->idle_in_ns >= least_ns;
}

/* The part of blocked time in which those that it waited for had no CPU. */
static double delayed_by_others(const struct meter *meter, const struct meter_others *now,
                                double blocked_ns)
{
        double cpu_ns = (double)(now->cpu_ns - meter->others.cpu_ns) - meter->covered_ns;
        double delay_ns = (double)(now->delay_ns - meter->others.delay_ns);
        if (delay_ns <= 0)
                return 0;
        return least(delay_ns, blocked_ns * delay_ns / (greatest(cpu_ns, 0) + delay_ns));
}

/* In which processes that it waited for had none. */
static double delayed_by_children(const struct meter *meter, const struct meter_children *now,
                                  double blocked_ns)
{
        double cpu_ns = (double)(now->cpu_ns - meter->children.cpu_ns);
        double lost_ns = METER_PREEMPTED_NS * (double)(now->preempted - meter->children.preempted);
        lost_ns = least(lost_ns, METER_SHARERS * cpu_ns);
        if (now->pressed_ns >= 0 && meter->children.pressed_ns >= 0)
                lost_ns = least(lost_ns, (double)(now->pressed_ns - meter->children.pressed_ns));
        return least(lost_ns, blocked_ns);
}

/* They took at least as long, one after the other. */
static void help_by_children(struct meter *meter, const struct meter_children *now)
{
        int64_t cpu_ns = now->cpu_ns - meter->children.cpu_ns, to_ns = meter->cpu_wall_ns;
        int64_t from_ns = to_ns - cpu_ns < meter->start_ns ? meter->start_ns : to_ns - cpu_ns;
        if (cpu_ns > 0)
                meter_help(meter, from_ns, to_ns, (double)cpu_ns);
}

/* What others had done of the blocked time; what there is no room for in it was beside it. */
static double cover(struct meter *meter, double blocked_ns)
{
        double covered_ns = least(meter->covered_ns, blocked_ns);
        double beside_ns = meter->covered_ns - covered_ns;
        meter->covered_ns = covered_ns;
        meter->helped_ns += covered_ns;
        if (beside_ns <= 0)
                return covered_ns;
        meter->help_ns += beside_ns;
        meter_team(meter, meter->delay_wall_ns, meter->cpu_wall_ns, beside_ns);
        return covered_ns;
}

/*
 * Of the wall time without a CPU so much was delay; the rest was blocked. It is taken to have been
 * outside MPI as far as it can: who sleeps while it waits for a team or in MPI has none there, and
 * the time before, without a CPU, is no load. Delay beyond it was after
 * the reading of the wall clock (a thread may lose its CPU between two readings), and is kept for
 * the next.
 */
void meter_delay(struct meter *meter, const struct meter_reading *now)
{
        help_by_children(meter, &now->children);
        double idle_ns = meter->idle_out_ns + meter->idle_in_ns;
        double used_ns =
            idle_ns > 0 ? least((double)(now->delay_ns - meter->delay_ns), idle_ns) : 0;
        double delayed_ns = used_ns > 0 ? least(used_ns, meter->idle_out_ns) : 0;
        if (now->sleeps == meter->sleeps)
                delayed_ns = meter->idle_out_ns;
        double rest_ns = meter->idle_out_ns - delayed_ns;
        rest_ns -= cover(meter, rest_ns);
        double lost_ns = delayed_by_others(meter, &now->others, rest_ns);
        lost_ns += delayed_by_children(meter, &now->children, rest_ns - lost_ns);
        delayed_ns += lost_ns;
        double blocked_ns = meter->idle_out_ns - delayed_ns;
        meter->blocked_ns += blocked_ns;
        meter->delayed_ns += delayed_ns;
        if (blocked_ns > 0)
                spend(meter, meter->delay_wall_ns, meter->cpu_wall_ns, blocked_ns);
        meter->idle_out_ns = meter->idle_in_ns = 0;
        meter->helped_idle_ns = meter->covered_ns = 0;
        meter->delay_ns += (int64_t)used_ns;
        meter->delay_wall_ns = meter->cpu_wall_ns;
        meter->sleeps = now->sleeps;
        meter->others = now->others;
        meter->children = now->children;
}

void meter_synchronised(struct meter *meter)
{
        int64_t at = meter->synchronisations++;
        double *own = slot_of(&meter->intervals, &meter->interval[0].load_ns, METER_VALUES, at);
        own[0] += meter->interval_load_ns;
        own[1] += (double)(meter->in_ns - meter->interval_in_ns);
        meter->interval_load_ns = 0;
        meter->interval_in_ns = meter->in_ns;
}

void meter_end(struct meter *meter, const struct meter_reading *now)
{
        pass(meter, now->wall_ns);
        meter_cpu(meter, now->wall_ns, now->cpu_ns);
        if (meter->has_delay)
                meter_delay(meter, now);
        meter_synchronised(meter);
}

double meter_load_ns(const struct meter *meter)
{
        return meter->cpu_out_ns + (double)meter->kept_out_ns + meter->blocked_ns + meter->team_ns;
}
