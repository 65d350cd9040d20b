/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef LB_REAL_LAUNCH_PRELOADS_H
#define LB_REAL_LAUNCH_PRELOADS_H

#include "real/launch/words.h"

/*
 * A launch line may preload libraries itself, which would take the place of lbrun's:
 *
 *      mpirun -x LD_PRELOAD=tool.so ./app          mpirun -genv LD_PRELOAD tool.so ./app
 *      mpirun -x LD_PRELOAD ./app                  srun --export=ALL,LD_PRELOAD=tool.so ./app
 *      mpirun env LD_PRELOAD=tool.so ./app
 *
 * The same line, with `library` before each of them. What a shell or a script sets is not seen;
 * Open MPI's list of variables is line.c's.
 */
void preloads_join(struct words *line, char *const *launch, const char *library);

/* One word: `before`, the library, and behind it what the user preloads by the environment. */
void preloads_add(struct words *line, const char *before, const char *library);

#endif
