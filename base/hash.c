/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/hash.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Compiled in: what links this room needs no library more. */
#define XXH_INLINE_ALL
#include <xxhash.h>

uint64_t lb_hash(const void *bytes, size_t size, uint64_t seed)
{
        return XXH3_64bits_withSeed(bytes, size, seed);
}

enum { PART = 1 << 20 };

static int read_parts(int fd, XXH3_state_t *state, unsigned char *part, struct lb_content *content)
{
        for (;;) {
                ssize_t got = read(fd, part, PART);
                if (got < 0 && errno == EINTR)
                        continue;
                if (got < 0)
                        return -1;
                if (got == 0)
                        break;
                XXH3_64bits_update(state, part, (size_t)got);
                content->size += got;
        }
        content->hash = XXH3_64bits_digest(state);
        return 0;
}

/* What has no end is no content: a device, or a pipe, which reading would also empty. */
static int open_regular(const char *path)
{
        struct stat found;
        int fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
        if (fd < 0 || (fstat(fd, &found) == 0 && S_ISREG(found.st_mode)))
                return fd;
        close(fd);
        errno = EINVAL;
        return -1;
}

int lb_hash_file(const char *path, struct lb_content *content, struct lb_error *err)
{
        *content = (struct lb_content){ 0 };
        XXH3_state_t *state = XXH3_createState();
        unsigned char *part = malloc(PART);
        int status = -1, fd = -1;
        errno = ENOMEM;
        if (state && part) {
                XXH3_64bits_reset(state);
                fd = open_regular(path);
                status = fd < 0 ? -1 : read_parts(fd, state, part, content);
        }
        int why = errno;
        if (fd >= 0)
                close(fd);
        free(part);
        XXH3_freeState(state);
        return status == 0 ? 0
                           : lb_error_fail(err, "cannot read '%s': %s", path,
                                           why == EINVAL ? "it is no regular file" : strerror(why));
}
