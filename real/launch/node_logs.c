/* SPDX-License-Identifier: BSD-3-Clause */
#include "real/launch/node_logs.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "real/control/job.h"

static void look(const char *file, int32_t node, struct stat *status)
{
        char path[JOB_PATH_SIZE + 16];
        snprintf(path, sizeof(path), "%s.%" PRId32, file, node);
        if (stat(path, status) < 0)
                *status = (struct stat){ .st_nlink = 0 };
}

int node_logs_begin(struct node_logs *logs, const char *file, int32_t nnode, struct lb_error *err)
{
        *logs = (struct node_logs){ .file = file, .nnode = nnode };
        logs->before = calloc((size_t)nnode, sizeof(*logs->before));
        if (!logs->before)
                return lb_error_fail(err, "out of memory for %" PRId32 " nodes", nnode);
        for (int32_t n = 0; n < nnode; n++) {
                look(file, n, &logs->before[n]);
                if (!S_ISDIR(logs->before[n].st_mode))
                        continue;
                node_logs_finish(logs);
                return lb_error_set(err, "cannot write '%s.%" PRId32 "': Is a directory", file, n);
        }
        return 0;
}

static bool is_written(const struct stat *before, const struct stat *now)
{
        return now->st_nlink > 0 &&
               (before->st_nlink == 0 || before->st_ino != now->st_ino ||
                before->st_size != now->st_size || before->st_mtim.tv_sec != now->st_mtim.tv_sec ||
                before->st_mtim.tv_nsec != now->st_mtim.tv_nsec);
}

int32_t node_logs_missing(const struct node_logs *logs, int32_t *first)
{
        int32_t count = 0;
        *first = -1;
        for (int32_t n = logs->nnode - 1; n >= 0; n--) {
                struct stat now;
                look(logs->file, n, &now);
                if (is_written(&logs->before[n], &now))
                        continue;
                *first = n;
                count++;
        }
        return count;
}

void node_logs_finish(struct node_logs *logs)
{
        free(logs->before);
        logs->before = NULL;
}
