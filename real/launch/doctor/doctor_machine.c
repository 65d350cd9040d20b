/* SPDX-License-Identifier: BSD-3-Clause */
/* Processors, limits, shared memory, Slurm. */
#include <inttypes.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "real/launch/doctor/doctor_impl.h"
#include "real/launch/doctor/sample.h"
#include "real/launch/memory_group.h"
#include "real/launch/nodes.h"

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

static void see_address_space(struct doctor *d, const struct sample *sample)
{
        if (sample->reserves)
                doctor_say(d, GOOD, "address space", NULL, "a rank can reserve %.3g GiB",
                           sample_memory_gib());
        else
                doctor_say(d, BAD, "address space", doctor_advice_memory,
                           "a rank cannot reserve %.3g GiB", sample_memory_gib());
}

static void see_limit(struct doctor *d, int64_t limit, int64_t least, const char *what,
                      const char *advice)
{
        if (limit >= 0 && limit < least)
                doctor_say(d, NOTE, what, advice, "limited to %" PRId64, limit);
}

static void see_memory(struct doctor *d)
{
        double limit_gib = (double)memory_group_limit() / (1 << 30);
        if (limit_gib > 0)
                doctor_say(d, NOTE, "memory",
                           "what tasks read and write counts on each node that they run on; who "
                           "has too little is killed, and lbrun says so (Slurm: --mem)",
                           "limited to %.3g GiB with shared memory, by the control group",
                           limit_gib);
}

static void see_limits(struct doctor *d, const struct sample *sample)
{
        see_memory(d);
        see_address_space(d, sample);
        see_limit(d, sample->processes, LEAST_PROCESSES, "processes and threads",
                  "ulimit -u: there is a thread for every core of every rank");
        see_limit(d, sample->files, LEAST_FILES, "open files", "ulimit -n 1024");
}

/* ---- Shared memory ---- */

static void see_shared_memory(struct doctor *d, const struct sample *sample)
{
        bool enough = sample->shared_mib >= LEAST_SHARED_MIB;
        if (sample->shared_mib < 0)
                doctor_say(d, BAD, "shared memory", "mount /dev/shm, writable by all",
                           "cannot be created");
        else
                doctor_say(d, enough ? GOOD : BAD, "shared memory",
                           enough ? NULL : "remove what is left in /dev/shm, or make it larger",
                           "%" PRId64 " MiB free in /dev/shm", sample->shared_mib);
}

/* ---- Nodes ---- */

static void see_nodes(struct doctor *d)
{
        struct lb_error err;
        if (!d->options.hostfile && (!getenv("SLURM_JOB_NODELIST") || d->options.virtual_nodes)) {
                doctor_say(d, GOOD, "nodes", "--hostfile FILE for real ones",
                           "no Slurm allocation: virtual nodes on this machine");
                return;
        }
        if (nodes_init(&d->nodes, &d->options, 0, &err) < 0) {
                doctor_say(d, BAD, "nodes", "--hostfile FILE, or --virtual for this machine alone",
                           "%s cannot be used: %s",
                           d->options.hostfile ? "the host file" : "Slurm's allocation", err.text);
                return;
        }
        doctor_say(d, GOOD, "nodes", d->nodes.note[0] ? d->nodes.note : NULL,
                   "%" PRId32 " of a %s, %" PRId32 " cores each at most", d->nodes.nnode,
                   d->options.hostfile ? "host file" : "Slurm allocation", d->nodes.cores_per_node);
}

void doctor_see_machine(struct doctor *d)
{
        struct sample sample;
        sample_take(&sample, "-");
        see_nodes(d);
        see_processors(d);
        see_limits(d, &sample);
        see_shared_memory(d, &sample);
}
