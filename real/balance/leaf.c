/* SPDX-License-Identifier: BSD-3-Clause */
#define _GNU_SOURCE
#include "real/balance/leaf.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/left.h"

static void *map_file(const char *path, int *why)
{
        int fd = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0644);
        if (fd < 0) {
                *why = errno;
                return MAP_FAILED;
        }
        *why = left_reserve(fd, 0, sizeof(struct leaf));
        void *map = MAP_FAILED;
        if (*why == 0) {
                map = mmap(NULL, sizeof(struct leaf), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
                *why = map == MAP_FAILED ? errno : 0;
        }
        close(fd);
        if (*why != 0)
                unlink(path);
        return map;
}

struct leaf *leaf_create(const char *directory, int *why)
{
        char path[PATH_MAX];
        left_path(path, directory, "rank");
        void *map = map_file(path, why);
        if (map == MAP_FAILED)
                return NULL;
        struct leaf *leaf = map;
        leaf->pid = (int64_t)getpid();
        gethostname(leaf->host, sizeof(leaf->host) - 1);
        memcpy(leaf->magic, LEAF_MAGIC, sizeof(LEAF_MAGIC));
        return leaf;
}

void leaf_wrong(const char *directory, const char *text)
{
        if (!left_note(directory, "wrong", text)) /* the reason may be that there is no room */
                fprintf(stderr, "lbrun: %s\n", text);
}
