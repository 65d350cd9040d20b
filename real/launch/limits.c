/* SPDX-License-Identifier: BSD-3-Clause */
#include "real/launch/limits.h"

#include <errno.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "real/control/job.h"
#include "real/launch/plan.h"

/*
 * What is needed at least, tried (Open MPI 4.1, MPICH 4.0, 2 to 8 ranks): with less no job of so
 * many ranks began. More may be needed; who has just enough is not refused.
 */
static const struct need {
        rlim_t files, files_per_rank, processes, processes_per_rank, file_bytes;
} needs[] = {
        [MPI_OPENMPI] = { 16, 5, 2, 3, 4 << 20 },
        [MPI_MPICH] = { 12, 4, 3, 3, 1 << 20 },
};

static rlim_t ranks_of(const struct plan *plan, int32_t node)
{
        rlim_t count = 0;
        for (int32_t w = 0; w < plan->job->nworker; w++)
                count += plan->job->shape.worker_node[w] == node;
        return count;
}

/* Ranks that this machine starts, and the daemons of others, which are no less to a launcher. */
static rlim_t ranks_here(const struct plan *plan)
{
        rlim_t count = 0;
        if (plan->nodes.virtual_nodes)
                return (rlim_t)plan->job->nworker;
        for (int32_t n = 0; n < plan->nodes.nnode; n++)
                count += nodes_is_here(&plan->nodes, n) ? ranks_of(plan, n) : 1;
        return count;
}

static int too_low(const char *what, const char *option, rlim_t found, rlim_t least,
                   struct lb_error *err)
{
        return lb_error_fail(err,
                             "%s are limited to %ju here, and this job needs %ju at least: raise "
                             "the limit (ulimit %s)",
                             what, (uintmax_t)found, (uintmax_t)least, option);
}

static int check_files(rlim_t least, struct lb_error *err)
{
        struct rlimit limit;
        if (getrlimit(RLIMIT_NOFILE, &limit) < 0 || limit.rlim_cur >= least)
                return 0;
        limit.rlim_cur = limit.rlim_max < least ? limit.rlim_max : least;
        if (limit.rlim_cur < least || setrlimit(RLIMIT_NOFILE, &limit) < 0)
                return too_low("open files", "-n", limit.rlim_cur, least, err);
        return 0;
}

/* It does not hold for root. */
static int check_processes(rlim_t least, struct lb_error *err)
{
        struct rlimit limit;
        if (geteuid() == 0 || getrlimit(RLIMIT_NPROC, &limit) < 0 || limit.rlim_cur >= least)
                return 0;
        return too_low("processes and threads", "-u", limit.rlim_cur, least, err);
}

static int check_file_size(rlim_t least, struct lb_error *err)
{
        struct rlimit limit;
        if (getrlimit(RLIMIT_FSIZE, &limit) < 0 || limit.rlim_cur >= least)
                return 0;
        return too_low("bytes of a file", "-f", limit.rlim_cur, least, err);
}

int limits_check(const struct plan *plan, struct lb_error *err)
{
        const struct need *need = &needs[plan->program.mpi];
        rlim_t ranks = ranks_here(plan);
        if (check_files(need->files + need->files_per_rank * ranks, err) < 0 ||
            check_processes(need->processes + need->processes_per_rank * ranks, err) < 0)
                return -1;
        return check_file_size(need->file_bytes, err);
}
