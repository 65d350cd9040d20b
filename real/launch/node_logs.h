/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef LB_REAL_LAUNCH_NODE_LOGS_H
#define LB_REAL_LAUNCH_NODE_LOGS_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/stat.h>

#include "base/error.h"

/*
 * What the nodes of a job write of their own, one file each: FILE.<node>. Each node writes to the
 * file of that path that it sees, which need not be the one that lbrun sees.
 */
struct node_logs {
        const char *file; /* borrowed; whole path */
        int32_t count;
        struct stat *before; /* [count]; st_nlink 0: it was not there, nor were those beyond */
};

/*
 * As they are before the job. nnode 0: it is not known yet how many nodes there are, so that all
 * that are there are looked at; else one that cannot be written to, a directory, is an error.
 */
int node_logs_begin(struct node_logs *logs, const char *file, int32_t nnode,
                    struct lb_error *err) LB_MUST_CHECK;

/*
 * After the job: says which of the nodes' have not been written since, as seen from here; nothing
 * of a job that failed without any. `host`: the nodes' names, NULL for virtual nodes.
 */
void node_logs_tell(const struct node_logs *logs, int32_t nnode, char *const *host, bool failed);

void node_logs_finish(struct node_logs *logs);

/*
 * What the first node's rank writes for the whole job: --report, --loads, --trace, --tasks. After a
 * job that ended well: says which of them is not here. `host`: that node's name; NULL where it is
 * this machine.
 */
struct job_files {
        struct stat before[4];
};
struct job;
void job_files_begin(struct job_files *files, const struct job *job);
void job_files_tell(const struct job_files *files, const struct job *job, const char *host);

#endif
