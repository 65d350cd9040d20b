/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef LB_REAL_MEASURE_OTHERS_H
#define LB_REAL_MEASURE_OTHERS_H

#include "real/measure/meter.h"

/*
 * The threads of this process that pthread_create() made (std::thread's and Python's, too): what
 * they used of the processor, and how long they could run and had no CPU. While the thread that is
 * measured waits for them outside MPI, their waiting for a CPU looks like its own work. Threads of
 * an OpenMP team are none of them, for nobody's work is what those wait (team.c).
 */

/* All of them so far, ended or not. Takes some microseconds for each that runs. */
struct meter_others others_read(void);

/* When the calling thread was made, as rank_wall_ns() says it; 0: not known. */
int64_t others_born_ns(void);

/* The calling thread is none of them any more; what it did stays. */
void others_leave(void);

#endif
