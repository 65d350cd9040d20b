/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef LB_SIM_OUTPUT_SEAL_H
#define LB_SIM_OUTPUT_SEAL_H

#include "sim/sweep/sweep.h"

/*
 * DIR/seal.json: the sweep is complete, and these are the hashes of its journal and of all files of
 * results. Who calls it again needs to read no run: a sweep of a million is confirmed in the time
 * that hashing its files takes.
 *
 * - A seal is of the scenario as it is written, of the program's build, and of the form asked for.
 * - Whatever is not as it was sealed makes the seal worthless, never the results.
 */
struct seal_request {
        const struct scenario *scenario;
        const char *directory;
        bool compress, figure;
        int figure_size; /* enum figure_size */
        enum other_build other_build;
        FILE *notes; /* a line where a file is not as it was written; NULL: nowhere */
};

struct seal {
        int64_t nrun, nother;
        char *remarks; /* lines about the figures, to be said again; freed by seal_finish() */
};

/* Seal a complete sweep. `lines`: the files that were written, "DIR/NAME" each, and remarks. A seal
 * that cannot be written is no error. The directory is locked by the sweep. */
void seal_write(const struct seal_request *request, const struct sweep *sweep, const char *lines);

/* Is everything in the directory as asked for, and as it was sealed? On true *seal is filled. The
 * directory is to be locked by the caller. */
bool seal_holds(const struct seal_request *request, struct seal *seal);
void seal_finish(struct seal *seal);

/* Does a seal that is whole say that a file of the directory was another? */
bool seal_is_broken(const char *directory, const char *name);

/* Before the files change. */
void seal_remove(const char *directory);

/* Is a line of the notes of results_write() and figure_draw() a remark, not a file? */
bool seal_is_remark(const char *line);

#endif
