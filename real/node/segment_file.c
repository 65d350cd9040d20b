/* SPDX-License-Identifier: BSD-3-Clause */
#include "real/node/segment_impl.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "real/node/process.h"

const uint64_t segment_magic = UINT64_C(0x326e75726c626c00); /* "lblrun2": the layout's version */

size_t segment_head_bytes(int32_t nmember)
{
        size_t bytes = sizeof(struct segment_head) + (size_t)nmember * sizeof(struct segment_slot);
        return (bytes + SEGMENT_ALIGN - 1) / SEGMENT_ALIGN * SEGMENT_ALIGN;
}

/* Anybody may make files there under any name: only what this user owns counts. */
int segment_open_file(const char *path)
{
        int fd = open(path, O_RDWR | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
        if (fd < 0)
                return -1;
        struct stat file;
        if (fstat(fd, &file) == 0 && S_ISREG(file.st_mode) && file.st_uid == geteuid())
                return fd;
        close(fd);
        errno = EPERM;
        return -1;
}

struct segment_head *segment_map(int fd, size_t *mapped_bytes)
{
        struct stat file;
        if (fstat(fd, &file) < 0 || file.st_size < (off_t)sizeof(struct segment_head))
                return NULL;
        size_t bytes = (size_t)file.st_size;
        struct segment_head *head = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
        if (head == MAP_FAILED)
                return NULL;
        *mapped_bytes = bytes;
        if (head->magic == segment_magic && head->nmember > 0 &&
            segment_head_bytes(head->nmember) + head->bytes == bytes)
                return head;
        munmap(head, bytes);
        return NULL;
}

bool segment_lock(int fd)
{
        const struct timespec pause = { .tv_nsec = 1000000 };
        for (int ms = 0; flock(fd, LOCK_EX | LOCK_NB) < 0; ms++) {
                if ((errno != EWOULDBLOCK && errno != EINTR) || ms >= SEGMENT_LOCK_MS)
                        return false;
                nanosleep(&pause, NULL);
        }
        return true;
}

void segment_unlock(int fd)
{
        flock(fd, LOCK_UN);
}

static bool is_living(const struct segment_slot *slot)
{
        if (atomic_load(&slot->state) != SEGMENT_OPEN)
                return false;
        const struct process process = {
                .pid = atomic_load(&slot->pid),
                .start_ticks = atomic_load(&slot->start_ticks),
        };
        return process_alive(&process);
}

bool segment_has_living(const struct segment_head *head)
{
        for (int32_t i = 0; i < head->nmember; i++)
                if (is_living(&head->slot[i]))
                        return true;
        return false;
}

/*
 * Names are removed under the lock of the file that they lead to, and a new file may take the name
 * at any time after: so a name that leads to the file we hold the lock of stays until we remove it.
 */
bool segment_unlink(const char *path, int fd)
{
        struct stat named, held;
        if (lstat(path, &named) < 0 || fstat(fd, &held) < 0)
                return false;
        if (named.st_dev != held.st_dev || named.st_ino != held.st_ino)
                return false;
        return unlink(path) == 0;
}
