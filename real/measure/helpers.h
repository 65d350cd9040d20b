/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef LB_REAL_MEASURE_HELPERS_H
#define LB_REAL_MEASURE_HELPERS_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

#include "real/measure/rank_file.h"

/*
 * Threads other than the one that is measured that call MPI themselves (MPI_THREAD_MULTIPLE), but
 * in regions of the rank's OpenMP team (team.c): they help the rank, and what they compute outside
 * MPI is its load. Each has a meter of its own, as what it does in MPI, spinning there or not, is
 * none. Of a thread that pthread_create() made, what it did before its first call counts, too.
 */

/* By such a thread, when it calls MPI, and when that returns. found: of a call that polls, whether
 * it found something, once it has returned; NULL: it does not poll. */
void helpers_enter(const int *found);
void helpers_leave(const int *found);

/* By the thread that is measured: what they did since is told to its meter, after meter_cpu(). */
void helpers_tell(struct meter *meter);

/* The same up to a time that may be past, had all gone on evenly since it was told last: there the
 * part to measure begins or ends, or all does. helpers_part(): there one begins. */
void helpers_tell_until(struct meter *meter, int64_t at_ns);
void helpers_part(void);

/* Processor time that they had in MPI, so far. */
int64_t helpers_in_cpu_ns(void);

/* By the thread that is measured, outside MPI: it waits for the end of a thread. helpers_awaited():
 * no longer, or MPI ends (by any thread). So long as the other was in MPI meanwhile its meter was
 * there, too, and not blocked; NULL: what is measured is another part. */
void helpers_await(pthread_t thread, int64_t now_ns);
void helpers_awaited(struct meter *meter, int64_t now_ns);

/* All of it, into the rank's file; their load is that of the part, as it was told. */
void helpers_sum(struct rank_file *file);

#endif
