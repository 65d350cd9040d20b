/* SPDX-License-Identifier: BSD-3-Clause */
#include "real/node/segment_impl.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "real/node/dlb.h"

/*
 * The job of lbrun-<uid>-<job>-<part>; false where the name is of another kind or user. The part
 * has no '-', so the last one ends the job.
 */
static bool job_of_name(const char *name, char job[static SEGMENT_JOB_MAX + 1])
{
        char prefix[40];
        int length = snprintf(prefix, sizeof(prefix), "lbrun-%ju-", (uintmax_t)geteuid());
        if (strncmp(name, prefix, (size_t)length) != 0)
                return false;
        const char *begin = name + length, *end = strrchr(begin, '-');
        if (!end || end == begin || end - begin > SEGMENT_JOB_MAX)
                return false;
        memcpy(job, begin, (size_t)(end - begin));
        job[end - begin] = '\0';

        const char *part = end + 1;
        bool number = *part != '\0' && part[strspn(part, "0123456789")] == '\0';
        return number || strcmp(part, "bell") == 0 || strcmp(part, "inbox") == 0;
}

/* Where it cannot be locked somebody is at work on it: alive. A file of another layout is not
 * known to be ours. */
static bool remove_dead(const char *path, int fd)
{
        size_t bytes;
        struct segment_head *head = segment_map(fd, &bytes);
        if (!head)
                return false;
        bool removed = !segment_has_living(head) && segment_unlink(path, fd);
        munmap(head, bytes);
        return removed;
}

static bool clean_file(const char *name, bool dead_or_alive)
{
        char path[sizeof(SEGMENT_DIRECTORY) + 256];
        snprintf(path, sizeof(path), SEGMENT_DIRECTORY "/%s", name);
        int fd = segment_open_file(path);
        if (fd < 0)
                return false;
        bool locked = segment_lock(fd);
        bool removed = dead_or_alive ? segment_unlink(path, fd) : locked && remove_dead(path, fd);
        close(fd);
        return removed;
}

/* The board is gone, and with it the workers that may have used DLB. */
static void clean_dlb(const char *name, const char *job)
{
        const char *node = strrchr(name, '-') + 1;
        if (node[0] >= '0' && node[0] <= '9')
                dlb_segments_clean(job, (int32_t)strtol(node, NULL, 10));
}

int segment_clean(const char *job)
{
        DIR *directory = opendir(SEGMENT_DIRECTORY);
        if (!directory)
                return 0;
        int removed = 0;
        char found[SEGMENT_JOB_MAX + 1];
        for (const struct dirent *file = readdir(directory); file; file = readdir(directory))
                if (job_of_name(file->d_name, found) &&
                    clean_file(file->d_name, job && strcmp(found, job) == 0)) {
                        clean_dlb(file->d_name, found);
                        removed++;
                }
        closedir(directory);
        if (job)
                dlb_segments_clean(job, -1);
        return removed;
}
