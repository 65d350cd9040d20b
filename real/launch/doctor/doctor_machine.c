/* SPDX-License-Identifier: BSD-3-Clause */
/* Processors, limits, shared memory, Slurm. */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "real/control/job.h"
#include "real/launch/doctor/doctor_impl.h"
#include "real/launch/nodes.h"
#include "real/launch/options.h"

/* ---- Processors ---- */

/* Processors' worth of time that the control group allows; 0: no limit. */
static double group_limit(void)
{
        double quota, period;
        FILE *in = fopen("/sys/fs/cgroup/cpu.max", "re");
        if (!in)
                return 0;
        bool limited = fscanf(in, "%lf %lf", &quota, &period) == 2 && period > 0;
        fclose(in);
        return limited ? quota / period : 0;
}

static void see_processors(struct doctor *d)
{
        cpu_set_t set;
        long online = sysconf(_SC_NPROCESSORS_ONLN);
        CPU_ZERO(&set);
        int allowed = sched_getaffinity(0, sizeof(set), &set) == 0 ? CPU_COUNT(&set) : (int)online;
        if (allowed < online)
                doctor_say(d, NOTE, "processors",
                           "workers are pinned within these; ask for more if that is too few",
                           "%d of %ld by this process's affinity", allowed, online);
        else
                doctor_say(d, GOOD, "processors", NULL, "%ld", online);
        double limit = group_limit();
        if (limit > 0 && limit < allowed)
                doctor_say(d, NOTE, "control group",
                           "computing tasks share that; sleeping ones do not care",
                           "limits processes to the time of %.3g processors", limit);
}

/* ---- Limits ---- */

/* Reserve what a rank does. */
static void see_address_space(struct doctor *d)
{
        double gib = job_params[JOB_MEMORY_GIB].fallback;
        size_t bytes = (size_t)(gib * 1073741824.0);
        enum { HOW = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE };
        void *memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE, HOW, -1, 0);
        if (memory != MAP_FAILED)
                munmap(memory, bytes);
        if (memory != MAP_FAILED)
                doctor_say(d, GOOD, "address space", NULL, "a rank can reserve %.3g GiB", gib);
        else
                doctor_say(d, BAD, "address space",
                           "ulimit -v unlimited, vm.overcommit_memory=0 or 1, or less by --param "
                           "memory_gib=N",
                           "a rank cannot reserve %.3g GiB: %s", gib, strerror(errno));
}

static void see_limit(struct doctor *d, __rlimit_resource_t resource, rlim_t least,
                      const char *what, const char *advice)
{
        struct rlimit limit;
        if (getrlimit(resource, &limit) == 0 && limit.rlim_cur < least)
                doctor_say(d, NOTE, what, advice, "limited to %ju", (uintmax_t)limit.rlim_cur);
}

static void see_limits(struct doctor *d)
{
        see_address_space(d);
        see_limit(d, RLIMIT_NPROC, 512, "processes and threads",
                  "ulimit -u: there is a thread for every core of every rank");
        see_limit(d, RLIMIT_NOFILE, 256, "open files", "ulimit -n 1024");
}

/* ---- Shared memory ---- */

static void see_shared_memory(struct doctor *d)
{
        enum { LEAST_MIB = 64 };
        char name[64];
        struct statvfs status;
        snprintf(name, sizeof(name), "/lbrun-doctor-%ld", (long)getpid());
        int fd = shm_open(name, O_RDWR | O_CREAT | O_EXCL, 0600);
        if (fd < 0) {
                doctor_say(d, BAD, "shared memory", "mount /dev/shm, writable by all",
                           "cannot be created: %s", strerror(errno));
                return;
        }
        close(fd);
        shm_unlink(name);
        if (statvfs("/dev/shm", &status) < 0)
                return;
        uint64_t mib = (uint64_t)status.f_bavail * status.f_frsize >> 20;
        bool enough = mib >= LEAST_MIB;
        doctor_say(d, enough ? GOOD : BAD, "shared memory",
                   enough ? NULL : "remove what is left in /dev/shm, or make it larger",
                   "%" PRIu64 " MiB free in /dev/shm", mib);
}

/* ---- Nodes ---- */

static void see_nodes(struct doctor *d)
{
        struct options options = { 0 };
        struct nodes nodes;
        struct lb_error err;
        if (!getenv("SLURM_JOB_NODELIST")) {
                doctor_say(d, GOOD, "nodes", "--hostfile FILE for real ones",
                           "no Slurm allocation: virtual nodes on this machine");
                return;
        }
        if (nodes_init(&nodes, &options, 0, &err) < 0) {
                doctor_say(d, BAD, "nodes", "--hostfile FILE, or --virtual for this machine alone",
                           "Slurm's allocation cannot be used: %s", err.text);
                return;
        }
        doctor_say(d, GOOD, "nodes", nodes.note[0] ? nodes.note : NULL,
                   "%" PRId32 " of a Slurm allocation, %" PRId32 " cores each at most", nodes.nnode,
                   nodes.cores_per_node);
        nodes_finish(&nodes);
}

void doctor_see_machine(struct doctor *d)
{
        see_nodes(d);
        see_processors(d);
        see_limits(d);
        see_shared_memory(d);
}
