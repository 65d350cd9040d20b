/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef LB_REAL_BALANCE_CPUS_H
#define LB_REAL_BALANCE_CPUS_H

#include <sched.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/error.h"

/*
 * The CPUs of a node and of this process. Launchers bind ranks to few CPUs or to none, and what
 * they say is no limit: the kernel lets a process widen its mask to what its control group allows.
 * What that is, is the node's set. No MPI here.
 *
 * - Masks are of up to 1024 CPUs (cpu_set_t).
 * - A process moves itself, with all of its threads.
 */
struct cpus {
        cpu_set_t allowed; /* the node's set */
        cpu_set_t own;     /* of this thread at the start */
        cpu_set_t last;    /* of the threads, as far as they have none of their own */
        bool moved;        /* masks of threads are ours */
        struct cpus_saved *saved;
        int32_t nsaved;
};

/* Widen, read back, and put the mask back. `limit`: a list of CPUs to stay within ("" : none).
 * Fails where the kernel forbids masks to be set. */
int cpus_look(struct cpus *cpus, const char *limit, struct lb_error *err) LB_MUST_CHECK;
void cpus_finish(struct cpus *cpus);

/*
 * The home of each rank of a node: own[n] where launchers have bound them to CPUs that no two
 * share; else equal parts of the set, in order. Fails where there are fewer CPUs than ranks.
 */
int cpus_homes(const cpu_set_t *own, int32_t n, const cpu_set_t *allowed, cpu_set_t *home,
               struct lb_error *err) LB_MUST_CHECK;

/* All threads of this process to these CPUs; threads that the program has bound to fewer than the
 * others stay where they are within them. The first time, where they were is kept. False: some
 * could not. */
bool cpus_move(struct cpus *cpus, const cpu_set_t *to);

/* Each thread has the mask that it had before the first move; one that is new, the process's. And
 * those that have bound themselves to other CPUs since, or stayed where they were bound, stay. */
void cpus_restore(struct cpus *cpus);
void cpus_restore_unbound(struct cpus *cpus);

/* As it is, of a thread of this process (0: this one), also where something that is preloaded
 * emulates CPUs. What the program is told is another matter (masks.c): not while this asks, and
 * what this sets is not the program's. */
int cpus_mask(pid_t thread, cpu_set_t *mask) LB_MUST_CHECK;
int cpus_set(pid_t thread, const cpu_set_t *mask);
bool cpus_asks(void);

/* Any thread: where all were moved last, as far as they have no masks of their own; and what these
 * are told of their CPUs in place of that: where they were launched, if these are not fewer. False:
 * they have not been moved, or are back. */
bool cpus_of_all(cpu_set_t *mask);
bool cpus_told(cpu_set_t *mask);

/* "0-3,8"; cut where it would not fit. And back; false: it is no list. */
void cpus_format(const cpu_set_t *set, char *text, size_t size);
bool cpus_parse(const char *text, cpu_set_t *set);

#endif
