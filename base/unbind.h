/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef LB_BASE_UNBIND_H
#define LB_BASE_UNBIND_H

/*
 * The CPUs that this program was started on, again: libraries that it is linked with bind its
 * thread as they load (OpenMP's by OMP_PROC_BIND, OMP_PLACES, GOMP_CPU_AFFINITY, which are meant
 * for the user's program), and all that it starts would share that one CPU. Call first in main():
 * of the calling thread alone.
 */
void lb_unbind(void);

#endif
