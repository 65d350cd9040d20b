/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef LB_REAL_CONTROL_JOB_IMPL_H
#define LB_REAL_CONTROL_JOB_IMPL_H

#include "real/control/job.h"

/* Private to job*.c: free the arrays of a job's shape. */
void job_shape_free(struct lb_shape *shape);

#endif
