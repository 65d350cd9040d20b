/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Is the k-th iteration of one rank the k-th of another? Who waits for its neighbours in each
 * iteration is ahead of them by one at most, and of others by as many as there are ranks between.
 * Where what is counted are calls that some ranks make earlier and others later (each message of a
 * sweep), the k-th of one is at another time than the k-th of another:
 *
 *      rank 0   1 2 3 4 . . . . 5 6 7 8
 *      rank 1   . . . . 1 2 3 4 5 6 7 8
 *
 * Compared are ranks of one machine, which have one clock. Of very many iterations several are one
 * row, in which it may hide.
 */
#include <math.h>
#include <stdlib.h>

#include "real/measure/measurement.h"
#include "real/measure/rank_file.h"

struct walk {
        const struct loop_record *loop;
        int32_t first;  /* rank of its machine */
        int64_t at;     /* in loop->times */
        double time_ns; /* when it has passed the row, since the first rank began */
};

/* The rows of a rank are of 2^shift iterations. */
static int32_t common_shift(const struct walk *walk, int32_t n)
{
        int32_t most = 0;
        for (int32_t i = 0; i < n; i++)
                most = walk[i].loop->times.shift > most ? walk[i].loop->times.shift : most;
        return most;
}

/* To the end of the row; returns how long it took. */
static double pass(struct walk *walk, int64_t row, int32_t shift)
{
        const struct meter_series *times = &walk->loop->times;
        double row_ns = 0;
        while (walk->at < times->count &&
               (times->first + walk->at) >> (shift - times->shift) <= row)
                row_ns += walk->loop->time_ns[walk->at++];
        walk->time_ns += row_ns;
        return row_ns;
}

/* Returns whether all have passed it at about the same time, as far as they have come to it. */
static bool pass_all(struct walk *walk, int32_t n, int64_t row, int32_t shift)
{
        double longest_ns = 0, apart_ns = 0;
        for (int32_t i = 0; i < n; i++) {
                double row_ns = pass(&walk[i], row, shift);
                const struct walk *first = &walk[walk[i].first];
                longest_ns = fmax(longest_ns, row_ns);
                apart_ns = fmax(apart_ns, fabs(walk[i].time_ns - first->time_ns));
        }
        return apart_ns <= longest_ns * (n - 1);
}

static int64_t row_of(const struct walk *walk, int64_t at, int32_t shift)
{
        return (walk->loop->times.first + at) >> (shift - walk->loop->times.shift);
}

int measurement_in_step(const struct measurement *m, const struct loop_record *const *loop,
                        bool *in_step, struct lb_error *err)
{
        int32_t n = m->nrank;
        int64_t first = 0, last = INT64_MAX;
        struct walk *walk = calloc((size_t)n, sizeof(*walk));
        if (!walk)
                return lb_error_fail(err, "out of memory");
        for (int32_t i = 0; i < n; i++)
                walk[i] =
                    (struct walk){ .loop = loop[i],
                                   .first = measurement_first_of_node(m, i),
                                   .time_ns = (double)(loop[i]->start_ns - loop[0]->start_ns) };
        int32_t shift = common_shift(walk, n);
        for (int32_t i = 0; i < n; i++) { /* rows that all have */
                first = row_of(&walk[i], 0, shift) > first ? row_of(&walk[i], 0, shift) : first;
                int64_t end = row_of(&walk[i], loop[i]->times.count - 1, shift);
                last = end < last ? end : last;
        }
        for (int32_t i = 0; i < n; i++)
                (void)pass(&walk[i], first - 1, shift);
        *in_step = true;
        for (int64_t row = first; *in_step && row < last; row++)
                *in_step = pass_all(walk, n, row, shift);
        free(walk);
        return 0;
}
