/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Order among tasks. A piece of memory is there as long as an unfinished task accesses it, and
 * knows the last such task that writes it and those that have come to read it since. A finished
 * task goes over its pieces once more and leaves them.
 */
#include "real/data/access.h"

#include <stdlib.h>
#include <string.h>

#include "real/data/pieces.h"

/* A place in a list of tasks: readers of a piece, or those that wait for a task. */
struct link {
        struct link *next;
        struct access_task *task;
};

struct list {
        struct link *first, *last;
};

struct access_task {
        void *user;
        struct list waiting; /* in the order in which they were added */
        int64_t blockers;    /* entries in others' lists */
        struct access_task *spare;
        int32_t naccess, room;
        struct access *access; /* [naccess]: few, or more */
        struct access few[4], *more;
};

struct memory_piece {
        struct piece piece;
        struct access_task *writer;
        struct list readers;
};

struct access_domain {
        struct pieces pieces;
        struct link *spare_link;
        struct access_task *spare_task;
        void *chunk; /* memory blocks of links, through their first word */
        int64_t unfinished;
};

struct access_domain *access_domain_create(void)
{
        struct access_domain *domain = calloc(1, sizeof(*domain));
        if (domain)
                pieces_init(&domain->pieces, sizeof(struct memory_piece));
        return domain;
}

void access_domain_destroy(struct access_domain *domain)
{
        if (!domain)
                return;
        for (struct access_task *task = domain->spare_task, *next; task; task = next) {
                next = task->spare;
                free(task->more);
                free(task);
        }
        for (void *chunk = domain->chunk, *next; chunk; chunk = next) {
                memcpy(&next, chunk, sizeof(next));
                free(chunk);
        }
        pieces_finish(&domain->pieces);
        free(domain);
}

/* ---- Lists ---- */

static bool refill_links(struct access_domain *domain)
{
        enum { LINKS = 512 };
        struct link *chunk = malloc((LINKS + 1) * sizeof(*chunk));
        if (!chunk)
                return false;
        memcpy(chunk, &domain->chunk, sizeof(domain->chunk));
        domain->chunk = chunk;
        for (int i = 1; i <= LINKS; i++) {
                chunk[i].next = domain->spare_link;
                domain->spare_link = &chunk[i];
        }
        return true;
}

static bool append(struct access_domain *domain, struct list *list, struct access_task *task)
{
        if (!domain->spare_link && !refill_links(domain))
                return false;
        struct link *link = domain->spare_link;
        domain->spare_link = link->next;
        *link = (struct link){ .task = task };
        if (list->last)
                list->last->next = link;
        else
                list->first = link;
        list->last = link;
        return true;
}

static void release(struct access_domain *domain, struct link *link)
{
        link->next = domain->spare_link;
        domain->spare_link = link;
}

static void clear(struct access_domain *domain, struct list *list)
{
        for (struct link *link = list->first, *next; link; link = next) {
                next = link->next;
                release(domain, link);
        }
        *list = (struct list){ NULL, NULL };
}

/* Tasks finish about in the order in which they came, so one that leaves is near the beginning. */
static void leave(struct access_domain *domain, struct list *list, const struct access_task *task)
{
        struct link *before = NULL, *link = list->first;
        while (link && link->task != task) {
                before = link;
                link = link->next;
        }
        if (!link)
                return;
        if (before)
                before->next = link->next;
        else
                list->first = link->next;
        if (list->last == link)
                list->last = before;
        release(domain, link);
}

/* ---- Adding ---- */

static bool wait_for(struct access_domain *domain, struct access_task *task,
                     struct access_task *other)
{
        if (!other || other == task || (other->waiting.last && other->waiting.last->task == task))
                return true;
        if (!append(domain, &other->waiting, task))
                return false;
        task->blockers++;
        return true;
}

static bool read_piece(struct access_domain *domain, struct access_task *task,
                       struct memory_piece *piece)
{
        if (!wait_for(domain, task, piece->writer))
                return false;
        if (piece->writer == task || (piece->readers.last && piece->readers.last->task == task))
                return true;
        return append(domain, &piece->readers, task);
}

static bool write_piece(struct access_domain *domain, struct access_task *task,
                        struct memory_piece *piece)
{
        if (!wait_for(domain, task, piece->writer))
                return false;
        for (struct link *link = piece->readers.first; link; link = link->next)
                if (!wait_for(domain, task, link->task))
                        return false;
        clear(domain, &piece->readers);
        piece->writer = task;
        return true;
}

static struct memory_piece *cut(struct access_domain *domain, struct memory_piece *piece,
                                uintptr_t at)
{
        struct memory_piece *rest = (void *)pieces_cut(&domain->pieces, &piece->piece, at);
        if (!rest)
                return NULL;
        rest->writer = piece->writer;
        for (struct link *link = piece->readers.first; link; link = link->next)
                if (!append(domain, &rest->readers, link->task))
                        return NULL;
        return rest;
}

/* The piece that begins at `begin`, made or cut so that it ends at `end` at the latest. */
static struct memory_piece *piece_at(struct access_domain *domain, uintptr_t begin, uintptr_t end)
{
        struct memory_piece *piece = (void *)pieces_from(&domain->pieces, begin);
        if (!piece || piece->piece.begin >= end)
                return (void *)pieces_add(&domain->pieces, begin, end);
        if (piece->piece.begin > begin)
                return (void *)pieces_add(&domain->pieces, begin, piece->piece.begin);
        if (piece->piece.begin < begin)
                piece = cut(domain, piece, begin);
        if (piece && piece->piece.end > end && !cut(domain, piece, end))
                return NULL;
        return piece;
}

static bool add_access(struct access_domain *domain, struct access_task *task,
                       const struct access *access)
{
        uintptr_t end = access->begin + access->bytes;
        for (uintptr_t at = access->begin; at < end;) {
                struct memory_piece *piece = piece_at(domain, at, end);
                if (!piece || !(access->mode & ACCESS_OUT ? write_piece(domain, task, piece)
                                                          : read_piece(domain, task, piece)))
                        return false;
                at = piece->piece.end;
        }
        return true;
}

static bool set_accesses(struct access_task *task, int32_t naccess, const struct access *access)
{
        enum { FEW = sizeof(task->few) / sizeof(task->few[0]) };
        size_t bytes = (size_t)naccess * sizeof(*access);
        task->access = task->few;
        if (naccess > FEW && naccess > task->room) {
                struct access *more = realloc(task->more, bytes);
                if (!more)
                        return false;
                task->more = more;
                task->room = naccess;
        }
        if (naccess > FEW)
                task->access = task->more;
        if (naccess > 0)
                memcpy(task->access, access, bytes);
        task->naccess = naccess;
        return true;
}

static struct access_task *take_task(struct access_domain *domain)
{
        struct access_task *task = domain->spare_task;
        if (!task)
                return calloc(1, sizeof(*task));
        domain->spare_task = task->spare;
        return task;
}

struct access_task *access_add(struct access_domain *domain, int32_t naccess,
                               const struct access *access, void *user, bool *blocked)
{
        struct access_task *task = take_task(domain);
        if (!task)
                return NULL;
        task->user = user;
        task->blockers = 0;
        task->waiting = (struct list){ NULL, NULL };
        if (!set_accesses(task, naccess, access)) {
                task->spare = domain->spare_task;
                domain->spare_task = task;
                return NULL;
        }
        domain->unfinished++;
        for (int32_t i = 0; i < naccess; i++)
                if (!add_access(domain, task, &access[i]))
                        return NULL; /* out of memory: the job ends */
        *blocked = task->blockers > 0;
        return task;
}

/* ---- Finishing ---- */

static void leave_range(struct access_domain *domain, const struct access_task *task,
                        uintptr_t begin, uintptr_t end)
{
        for (uintptr_t at = begin; at < end;) {
                struct memory_piece *piece = (void *)pieces_from(&domain->pieces, at);
                if (!piece || piece->piece.begin >= end)
                        return;
                at = piece->piece.end;
                if (piece->writer == task)
                        piece->writer = NULL;
                leave(domain, &piece->readers, task);
                if (!piece->writer && !piece->readers.first)
                        pieces_remove(&domain->pieces, &piece->piece);
        }
}

void access_finish(struct access_domain *domain, struct access_task *task, access_released released,
                   void *context)
{
        for (int32_t i = 0; i < task->naccess; i++)
                leave_range(domain, task, task->access[i].begin,
                            task->access[i].begin + task->access[i].bytes);
        struct list waiting = task->waiting;
        task->waiting = (struct list){ NULL, NULL };
        task->spare = domain->spare_task;
        domain->spare_task = task;
        domain->unfinished--;
        for (struct link *link = waiting.first, *next; link; link = next) {
                struct access_task *other = link->task;
                next = link->next;
                release(domain, link);
                if (--other->blockers == 0)
                        released(context, other->user);
        }
}

int64_t access_unfinished(const struct access_domain *domain)
{
        return domain->unfinished;
}

int64_t access_pieces(const struct access_domain *domain)
{
        return domain->pieces.count;
}
