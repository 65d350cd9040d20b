/* SPDX-License-Identifier: BSD-3-Clause */
#include "real/launch/doctor/sample.h"

#include <fcntl.h>
#include <inttypes.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "base/hash.h"
#include "real/control/job.h"

static const char form[] =
    "node %63s %d %" SCNd64 " %" SCNd64 " %" SCNd64 " %d %" SCNx64 " %" SCNx64;

static int64_t limit_of(__rlimit_resource_t resource)
{
        struct rlimit limit;
        if (getrlimit(resource, &limit) < 0 || limit.rlim_cur == RLIM_INFINITY)
                return -1;
        return (int64_t)limit.rlim_cur;
}

static int64_t free_shared_mib(void)
{
        char name[64];
        struct statvfs status;
        snprintf(name, sizeof(name), "/lbrun-doctor-%ld", (long)getpid());
        int fd = shm_open(name, O_RDWR | O_CREAT | O_EXCL, 0600);
        if (fd < 0)
                return -1;
        close(fd);
        shm_unlink(name);
        if (statvfs("/dev/shm", &status) < 0)
                return 0;
        return (int64_t)((uint64_t)status.f_bavail * status.f_frsize >> 20);
}

double sample_memory_gib(void)
{
        return job_params[JOB_MEMORY_GIB].fallback;
}

static bool can_reserve(void)
{
        enum { HOW = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE };
        size_t bytes = (size_t)(sample_memory_gib() * 1073741824.0);
        void *memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE, HOW, -1, 0);
        if (memory != MAP_FAILED)
                munmap(memory, bytes);
        return memory != MAP_FAILED;
}

static uint64_t content(const char *path)
{
        struct lb_content content;
        struct lb_error err;
        return lb_hash_file(path, &content, &err) < 0 ? 0 : content.hash;
}

void sample_take(struct sample *sample, const char *program)
{
        cpu_set_t set;
        CPU_ZERO(&set);
        *sample = (struct sample){ .reserves = can_reserve() };
        gethostname(sample->host, sizeof(sample->host) - 1);
        sample->host[strcspn(sample->host, ".")] = '\0';
        if (sched_getaffinity(0, sizeof(set), &set) == 0)
                sample->cpus = CPU_COUNT(&set);
        sample->shared_mib = free_shared_mib();
        sample->processes = limit_of(RLIMIT_NPROC);
        sample->files = limit_of(RLIMIT_NOFILE);
        sample->lbrun = content("/proc/self/exe");
        sample->program = strcmp(program, "-") == 0 ? 0 : content(program);
}

void sample_format(const struct sample *s, char line[static SAMPLE_LINE_SIZE])
{
        snprintf(line, SAMPLE_LINE_SIZE,
                 "node %s %d %" PRId64 " %" PRId64 " %" PRId64 " %d %" PRIx64 " %" PRIx64, s->host,
                 s->cpus, s->shared_mib, s->processes, s->files, s->reserves, s->lbrun, s->program);
}

const char *sample_find(struct sample *s, const char *text)
{
        for (; (text = strstr(text, "node ")); text++) {
                int reserves;
                if (sscanf(text, form, s->host, &s->cpus, &s->shared_mib, &s->processes, &s->files,
                           &reserves, &s->lbrun, &s->program) != 8)
                        continue;
                s->reserves = reserves != 0;
                return text + strcspn(text, "\n");
        }
        return NULL;
}
