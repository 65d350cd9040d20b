/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef LB_REAL_NODE_DLB_H
#define LB_REAL_NODE_DLB_H

#include <stdbool.h>
#include <stdint.h>

/*
 * The DLB library (BSC's, LGPL), which a site may have installed: found, loaded and judged at run
 * time, without its headers. Nothing here starts it; that is the core manager's,
 * real/node/cores_dlb.c.
 *
 * - Which copy: one that is in the process already (preloaded: two copies would fight), else the
 *   file that $LBRUN_DLB_LIB names, else libdlb.so where the loader finds it. Where the first of
 *   these that there is cannot be used, no other is tried.
 * - Intel has a library of the same name: told apart by what it has in it.
 * - Versions 3.5 and later: older ones do not tell their version, and differ in what calls mean.
 */
enum { DLB_CORES_MAX = 255 }; /* of a node: its core numbers may be of 8 bits */

struct dlb_probe {
        char path[1024]; /* of the file, or as asked for; empty: none is found */
        int32_t major_version, minor, patch; /* 0: unknown */
        bool usable;                         /* as far as can be seen without starting it */
        char why[512]; /* it is not usable; what was found and what is needed. Else empty */
};

/* What would be used by --cores-by dlb or auto, here and now. Loads the library into the process,
 * where it stays. */
void dlb_probe(struct dlb_probe *probe);

/*
 * Remove shared memory that DLB has left of a job of ours, /dev/shm/DLB_*_lb<job>_<node>: of one
 * node, or of all (-1). Nothing else has such names. Returns how many files.
 */
int dlb_segments_clean(const char *job, int32_t node);

#endif
