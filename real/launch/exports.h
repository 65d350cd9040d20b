/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef LB_REAL_LAUNCH_EXPORTS_H
#define LB_REAL_LAUNCH_EXPORTS_H

#include "real/launch/words.h"

/*
 * What srun lets its tasks have of the environment: all of it, or only the variables of a list,
 * which is --export's or, where sbatch or the user set it, that of SLURM_EXPORT_ENV. Of NONE and
 * of lists without ALL what lbrun sets for the ranks would stay behind:
 *
 *      srun --export=NONE ./app                    srun --export PATH,A=1 ./app
 *      #SBATCH --export=NONE, which goes for each srun of the script, and for mpirun's
 */

/* The same line with `names` (NULL-ended, of variables of this process) in each list of its own
 * options, and in the environment's. Returns -1 out of memory; words->failed as ever. */
int exports_join(struct words *line, char *const *launch, const char *const *names) LB_MUST_CHECK;

/* Let ranks that lbrun itself starts have all. Returns -1 out of memory. */
int exports_all(void) LB_MUST_CHECK;

#endif
