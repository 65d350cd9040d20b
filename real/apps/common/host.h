/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef LB_REAL_APPS_HOST_H
#define LB_REAL_APPS_HOST_H

#include <stddef.h>
#include <stdint.h>

#include "real/apps/common/options.h"
#include "real/apps/common/ranks.h"
#include "real/apps/common/result.h"

/*
 * What surrounds the tasks of an example, once with the runtime (host_live.c) and once with MPI and
 * OpenMP tasks (host_plain.c). An example is a main.c for both, and live.c and plain.c, which make
 * its tasks.
 */
typedef int host_body(const struct ranks *ranks, const struct app_options *options);

/* The whole of main(): start, read the command line, run the body, stop. Returns the exit code. */
int host_main(const struct app *app, int argc, char **argv, host_body *body);

/* Memory that tasks may touch, all zero; ends the program where there is none. */
void *host_alloc(size_t bytes);
void host_free(void *memory);

/* Nobody writes there any more. */
void host_constant(const void *memory, size_t bytes);

/* Let create(context) make tasks, and wait until all have run. What they wrote is in this rank's
 * memory; after host_run_there() it may be where they ran, until host_bring_home(). */
typedef void host_create(const void *context);
void host_run(host_create *create, const void *context);
void host_run_there(host_create *create, const void *context);
void host_bring_home(void);

/* An iteration of all ranks has ended. */
void host_iteration(void);

/* A whole one: run (one of the two above), wait for the other ranks, and let the first say how long
 * it took. */
void host_iterate(const struct ranks *ranks, void (*run)(host_create *, const void *),
                  host_create *create, const void *context, struct app_times *times);

/* With OpenMP every rank is a node of its own, with as many cores as there are threads. */
int32_t host_cores_per_node(void);
int32_t host_ranks_per_node(const struct ranks *ranks);
int32_t host_node(void); /* where the calling task runs */

#endif
