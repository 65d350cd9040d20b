/* SPDX-License-Identifier: BSD-3-Clause */
#include "real/node/estate.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

enum { PAGE = 4096, FIRST_ROOM = 16 * PAGE };

static const struct place {
        int64_t first, end;
} place[] = {
        [ESTATE_ROWS] = { 2 * PAGE, INT64_C(1) << 28 },
        [ESTATE_FIGURES] = { INT64_C(1) << 28, (INT64_C(1) << 28) + PAGE },
        [ESTATE_RECORDS] = { (INT64_C(1) << 28) + PAGE, (INT64_C(1) << 28) + PAGE + (1 << 26) },
};
_Static_assert(sizeof(struct estate) <= PAGE, "it has a page");
_Static_assert((int)ESTATE_FIRST == (int)PAGE, "behind the lifeline");

static struct estate alone = { .is_void = 1 };
static struct estate *own = &alone;

/* As much of a part as is mapped. */
static struct {
        void *at; /* NULL: nothing */
        size_t bytes;
} mapped[ESTATE_NPART];

int64_t estate_end(void)
{
        return place[ESTATE_RECORDS].end;
}

/* Linux asks also for files without a name. */
bool estate_is_allowed(void)
{
        struct rlimit limit;
        return getrlimit(RLIMIT_FSIZE, &limit) == 0 &&
               (limit.rlim_cur == RLIM_INFINITY || limit.rlim_cur >= (rlim_t)estate_end());
}

/* ---- The rank's end ---- */

static void *map(int fd, int64_t first, size_t bytes)
{
        void *at = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, (off_t)first);
        return at == MAP_FAILED ? NULL : at;
}

/* The first of each part now: later they grow without the descriptor, which is the program's then.
 */
void estate_attach(int fd)
{
        struct estate *head = map(fd, ESTATE_FIRST, PAGE);
        if (!head)
                return;
        for (int i = 0; i < ESTATE_NPART; i++) {
                int64_t room = place[i].end - place[i].first;
                mapped[i].bytes = room < FIRST_ROOM ? (size_t)room : FIRST_ROOM;
                mapped[i].at = map(fd, place[i].first, mapped[i].bytes);
        }
        own = head;
}

struct estate *estate_own(void)
{
        return own;
}

/* Grown to twice what is asked for, so that it moves seldom. */
static void *grow(enum estate_part part, size_t bytes)
{
        size_t room = (size_t)(place[part].end - place[part].first), wanted = 2 * bytes;
        if (!mapped[part].at || bytes > room)
                return NULL;
        if (bytes <= mapped[part].bytes)
                return mapped[part].at;
        wanted = wanted < room ? (wanted + PAGE - 1) / PAGE * PAGE : room;
        void *at = mremap(mapped[part].at, mapped[part].bytes, wanted, MREMAP_MAYMOVE);
        if (at == MAP_FAILED)
                return NULL;
        mapped[part].at = at;
        mapped[part].bytes = wanted;
        return at;
}

static void *leave_file(void *memory, size_t before, size_t bytes)
{
        void *copy = malloc(bytes);
        if (copy && memory)
                memcpy(copy, memory, before);
        atomic_store(&own->is_void, 1);
        return copy;
}

void *estate_realloc(enum estate_part part, void *memory, size_t before, size_t bytes)
{
        bool in_file = !memory || memory == mapped[part].at;
        void *grown = in_file ? grow(part, bytes) : realloc(memory, bytes);
        if (!grown && in_file)
                grown = leave_file(memory, before, bytes);
        if (grown && grown != mapped[part].at && bytes > before)
                memset((char *)grown + before, 0, bytes - before);
        return grown;
}

void estate_free(enum estate_part part, void *memory)
{
        if (memory != mapped[part].at)
                free(memory);
}

/* ---- The other end ---- */

static bool read_at(int fd, void *to, size_t bytes, int64_t first)
{
        for (size_t done = 0; done < bytes;) {
                ssize_t got =
                    pread(fd, (char *)to + done, bytes - done, (off_t)first + (off_t)done);
                if (got == 0 || (got < 0 && errno != EINTR))
                        return false;
                done += got > 0 ? (size_t)got : 0;
        }
        return true;
}

static bool read_part(struct estate_copy *copy, int fd, enum estate_part part)
{
        int64_t bytes = atomic_load(&copy->head.bytes[part]);
        if (bytes < 0 || bytes > place[part].end - place[part].first)
                return false;
        copy->part[part] = malloc((size_t)bytes + 1);
        return copy->part[part] && read_at(fd, copy->part[part], (size_t)bytes, place[part].first);
}

int estate_read_head(struct estate *head, int fd)
{
        struct stat file;
        bool good = fstat(fd, &file) == 0 && file.st_size == (off_t)estate_end() &&
                    read_at(fd, head, sizeof(*head), ESTATE_FIRST) &&
                    atomic_load(&head->worker) > 0 && !atomic_load(&head->is_void);
        return good ? 0 : -1;
}

int estate_read(struct estate_copy *copy, int fd)
{
        memset(copy, 0, sizeof(*copy));
        bool good = estate_read_head(&copy->head, fd) == 0;
        for (int i = 0; good && i < ESTATE_NPART; i++)
                good = read_part(copy, fd, (enum estate_part)i);
        if (!good)
                estate_release(copy);
        return good ? 0 : -1;
}

static size_t bytes_of(const struct estate_copy *copy, int part)
{
        return (size_t)atomic_load(&copy->head.bytes[part]);
}

size_t estate_packed(const struct estate_copy *copy)
{
        size_t size = sizeof(copy->head);
        for (int i = 0; i < ESTATE_NPART; i++)
                size += bytes_of(copy, i);
        return size;
}

void estate_pack(const struct estate_copy *copy, void *bytes)
{
        char *at = bytes;
        memcpy(at, &copy->head, sizeof(copy->head));
        at += sizeof(copy->head);
        for (int i = 0; i < ESTATE_NPART; i++) {
                memcpy(at, copy->part[i], bytes_of(copy, i));
                at += bytes_of(copy, i);
        }
}

int estate_unpack(struct estate_copy *copy, const void *bytes, size_t size)
{
        const char *at = bytes;
        memset(copy, 0, sizeof(*copy));
        bool good = size >= sizeof(copy->head);
        if (good)
                memcpy(&copy->head, at, sizeof(copy->head));
        at += sizeof(copy->head);
        for (int i = 0; good && i < ESTATE_NPART; i++) {
                int64_t part = atomic_load(&copy->head.bytes[i]);
                good = part >= 0 && part <= place[i].end - place[i].first;
        }
        good = good && estate_packed(copy) == size && atomic_load(&copy->head.worker) > 0;
        for (int i = 0; good && i < ESTATE_NPART; i++) {
                copy->part[i] = malloc(bytes_of(copy, i) + 1);
                good = copy->part[i] != NULL;
                if (good)
                        memcpy(copy->part[i], at, bytes_of(copy, i));
                at += good ? bytes_of(copy, i) : 0;
        }
        if (!good)
                estate_release(copy);
        return good ? 0 : -1;
}

void estate_release(struct estate_copy *copy)
{
        for (int i = 0; i < ESTATE_NPART; i++)
                free(copy->part[i]);
        memset(copy, 0, sizeof(*copy));
}
