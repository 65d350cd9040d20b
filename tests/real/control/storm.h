/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef LB_TESTS_REAL_CONTROL_STORM_H
#define LB_TESTS_REAL_CONTROL_STORM_H

#include <stdbool.h>
#include <stdint.h>

/*
 * What goes wrong around the controls of a job, drawn from a seed: mails that are late, those of
 * one sender to one worker in order, others not; polls that are late; wake-ups that come late;
 * workers that stand still, as a process that is stopped or gets no processor. Without a storm
 * (NULL) nothing does.
 */
struct storm;

struct storm *storm_create(uint64_t seed, int32_t nworker);
void storm_destroy(struct storm *storm); /* takes NULL */

/* From now on nothing goes wrong any more. */
void storm_calm(struct storm *storm);

/* When a mail arrives that would do so at due_ns. */
int64_t storm_arrival_ns(struct storm *storm, int32_t sender, int32_t destination, int64_t due_ns);

/* Does the worker do anything now, or does it stand still? Asked often: the same within a step. */
bool storm_acts(struct storm *storm, int32_t worker, int64_t now_ns);

/* Does a poll that is due take place now, rather than later? */
bool storm_polls(struct storm *storm, int32_t worker, int64_t now_ns);

/* Does a wake-up arrive now? */
bool storm_wakes(struct storm *storm);

#endif
