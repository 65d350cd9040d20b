/* SPDX-License-Identifier: BSD-3-Clause */
#include "policies/average.h"

#include <math.h>
#include <string.h>

const char *const average_kinds[] = { "window", "exponential", NULL };

static int32_t slots(enum average_kind kind, double length_s, double poll_s)
{
        if (kind == AVERAGE_EXPONENTIAL)
                return 1;
        double n = ceil(length_s / poll_s - 1e-9);
        return n < 1 ? 1 : (int32_t)n;
}

size_t average_size(int32_t nworker, enum average_kind kind, double length_s, double poll_s)
{
        size_t n = (size_t)slots(kind, length_s, poll_s) * ((size_t)nworker + 1);
        return sizeof(struct average) + n * sizeof(double);
}

void average_init(struct average *average, int32_t nworker, enum average_kind kind, double length_s,
                  double poll_s)
{
        *average = (struct average){
                .nworker = nworker,
                .nslot = slots(kind, length_s, poll_s),
                .kind = kind,
                .length_s = length_s,
                .limit_s = length_s,
                .poll_s = poll_s,
        };
}

static size_t weights(const struct average *average)
{
        return (size_t)average->nslot * (size_t)average->nworker;
}

/* As many of the newest as fill the window; polls need not be alike. */
static void count_samples(struct average *average)
{
        const double *weight = &average->sample[weights(average)];
        double most = average->limit_s / average->poll_s - 1e-9;
        average->count = 0;
        average->weight = 0;
        while (average->count < average->filled &&
               (average->count == 0 || average->weight < most)) {
                int32_t s = average->next - 1 - average->count++;
                average->weight += weight[s < 0 ? s + average->nslot : s];
        }
}

void average_limit(struct average *average, double limit_s)
{
        average->limit_s = fmin(limit_s, average->length_s);
        if (average->kind == AVERAGE_WINDOW)
                count_samples(average);
}

/* y <- x + (y - x) exp(-dt / tau), where tau is never longer than what has been seen (docs/facts.md
 * O2). */
static void observe_exponential(struct average *average, const struct alloc_view *view,
                                double interval_s)
{
        double tau = fmin(average->limit_s, average->elapsed_s);
        double keep = average->filled && tau > 0 ? exp(-interval_s / tau) : 0;
        for (int32_t w = 0; w < average->nworker; w++) {
                double x = view->busy_cores[w];
                average->sample[w] = x + (average->sample[w] - x) * keep;
        }
        average->filled = 1;
}

static void observe_window(struct average *average, const struct alloc_view *view)
{
        double poll_ns = average->poll_s * 1e9;
        double *slot = &average->sample[(size_t)average->next * (size_t)average->nworker];
        for (int32_t w = 0; w < average->nworker; w++)
                slot[w] = view->busy_cores[w];
        average->sample[weights(average) + (size_t)average->next] =
            view->interval_ns > 0 ? (double)view->interval_ns / poll_ns : 1;
        average->next = (average->next + 1) % average->nslot;
        if (average->filled < average->nslot)
                average->filled++;
        count_samples(average);
}

void average_observe(struct average *average, const struct alloc_view *view)
{
        double interval_s = (double)view->interval_ns * 1e-9;
        average->elapsed_s += interval_s;
        if (average->kind == AVERAGE_EXPONENTIAL)
                observe_exponential(average, view, interval_s);
        else
                observe_window(average, view);
}

void average_carry(struct average *average, const struct average *before, const int32_t *worker)
{
        average->next = before->next;
        average->filled = before->filled;
        average->elapsed_s = before->elapsed_s;
        average->count = before->count;
        average->weight = before->weight;
        if (average->kind == AVERAGE_WINDOW)
                memcpy(&average->sample[weights(average)], &before->sample[weights(before)],
                       (size_t)average->nslot * sizeof(double));
        for (int32_t s = 0; s < average->nslot; s++) {
                double *to = &average->sample[(size_t)s * (size_t)average->nworker];
                const double *from = &before->sample[(size_t)s * (size_t)before->nworker];
                for (int32_t w = 0; w < average->nworker; w++)
                        to[w] = 0;
                for (int32_t w = 0; w < before->nworker; w++)
                        if (worker[w] >= 0)
                                to[worker[w]] += from[w];
        }
}

double average_get(const struct average *average, int32_t worker)
{
        if (average->filled == 0)
                return 0;
        if (average->kind == AVERAGE_EXPONENTIAL)
                return average->sample[worker];
        double sum = 0;
        const double *weight = &average->sample[weights(average)];
        for (int32_t s = 0; s < average->filled; s++) {
                int32_t age = (average->next - 1 - s + average->nslot) % average->nslot;
                if (age < average->count)
                        sum +=
                            weight[s] *
                            average->sample[(size_t)s * (size_t)average->nworker + (size_t)worker];
        }
        return sum / average->weight;
}
