/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef LB_REAL_NODE_CPU_ORDER_H
#define LB_REAL_NODE_CPU_ORDER_H

#include <stdbool.h>
#include <stdint.h>

/*
 * What a core of a job is where physical cores have several hardware threads, each a CPU of Linux:
 * one of these, or the whole physical core. Whatever it is, CPUs are taken in one order: the first
 * allowed thread of each physical core, then the second of each, and so on, so that a job that has
 * no more cores than the machine has physical ones never runs two on one.
 */
enum cpu_hint { CPU_HINT_THREAD = 0, CPU_HINT_CORE /* only the first thread of each is taken */ };
extern const char *const cpu_hints[]; /* by enum cpu_hint, ended by NULL */

/* Where Linux says which CPUs share a physical core: cpuN/topology/thread_siblings_list. */
#define CPU_ORDER_SYSTEM "/sys/devices/system/cpu"

/*
 * The first ncpu CPUs in that order into cpu[ncpu], of those that this thread may run on. Returns
 * how many there are, at most ncpu. A CPU of which nothing is known is a physical core of its own.
 */
int32_t cpu_order(const char *system, enum cpu_hint hint, int32_t *cpu, int32_t ncpu);

/*
 * Say to others on this machine, as long as this process lives, that it uses these CPUs (an
 * abstract socket; the first 320 CPUs can be told). Returns the number of those that somebody
 * else has said before, and the first of them in *shared; 0 where that is not known. To be called
 * once.
 */
int32_t cpu_claim(const int32_t *cpu, int32_t ncpu, int32_t *shared);

#endif
