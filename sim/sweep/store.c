/* SPDX-License-Identifier: BSD-3-Clause */
/* For O_TMPFILE, which POSIX does not have. */
#define _GNU_SOURCE
#include "sim/sweep/store.h"

#include <fcntl.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

enum { MANY = 8192 }; /* results, of some 360 bytes: fewer are not worth a file */

/* Its place on the disk is reserved, so that writing into it cannot fail. */
static void *map_file(const char *directory, size_t size)
{
        int file = open(directory, O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
        if (file < 0)
                return NULL;
        void *bytes = MAP_FAILED;
        if (posix_fallocate(file, 0, (off_t)size) == 0)
                bytes = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
        close(file);
        return bytes == MAP_FAILED ? NULL : bytes;
}

struct store store_create(const char *directory, int64_t count)
{
        struct store store = { .mapped = (size_t)count * sizeof(*store.result) };
        if (directory && count >= MANY)
                store.result = map_file(directory, store.mapped);
        if (store.result)
                return store;
        return (struct store){ .result = calloc((size_t)count + 1, sizeof(*store.result)) };
}

void store_destroy(struct store *store)
{
        if (store->mapped > 0)
                munmap(store->result, store->mapped);
        else
                free(store->result);
        *store = (struct store){ 0 };
}

void store_let_go(const struct store *store)
{
        if (store->mapped > 0)
                madvise(store->result, store->mapped, MADV_DONTNEED);
}
