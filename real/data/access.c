/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Order among tasks. A piece of memory is there as long as an unfinished task accesses it; it knows
 * the last such task that writes it, and the group of those that have read it since.
 *
 *      writer of a piece  <--  readers, as a group  <--  next writer  <--  ...
 *
 * - A writer waits for the group, not for each reader; readers of the same range join one group and
 *   wait once for all writers of its pieces: n writers, m readers and k writers cost n + m + k.
 * - Every reader in a group reads all pieces of the group. One that reads a part of them takes it
 *   to a new group, which waits for the old one:
 *
 *      [      { A, B }      ]              A and B read everything
 *      [ { A, B } ][  { C }, after { A, B }  ]     C reads the right half
 *
 * - The pieces that a task writes become one piece.
 * - Tasks that commute are a group, too, of which one at a time has the turn. A task takes the
 * turns of all its groups at once, or none, and waits for the first that is taken.
 *
 * So there are three kinds of events (real/data/event.h): a task, the writers of a group and its
 * readers.
 */
#include "real/data/access.h"

#include <stdlib.h>

#include "real/data/event.h"
#include "real/data/pieces.h"
#include "real/data/pool.h"

struct hook {
        struct hook *next, **at; /* at: what points to it */
};

struct group {
        struct event readers; /* comes first */
        struct event writers;
        struct hook *pieces;
        uintptr_t begin, end; /* of its pieces while it is intact */
        bool intact;          /* none of them has left: readers of all of them may join */
        bool commutes, taken; /* its tasks have turns; one of them has it */
        uint64_t newest;      /* number of the task that has joined last */
        bool after_turns;     /* readers of a piece waited for such a group: see move_piece() */
        struct access_task *waiting, **waiting_end; /* that would be ready, but for their turn */
};

struct access_task {
        struct event event; /* comes first; its number is from 1 */
        void *user;
        struct hook *pieces; /* that it is the last to write */
        struct link *joined; /* groups in which it reads */
        bool has_turns;      /* of all its groups that commute */
        struct access_task *next_waiting;
};

struct memory_piece {
        struct piece piece;
        struct hook by_writer, by_readers;
        struct access_task *writer; /* NULL: nobody unfinished */
        struct group *readers;      /* NULL: nobody unfinished */
};

struct access_domain {
        struct pieces pieces;
        struct pool links, groups, tasks;
        uint64_t added;
        int64_t unfinished;
};

/* ---- Whose a piece is ---- */

static void hook_on(struct hook **list, struct hook *hook)
{
        *hook = (struct hook){ *list, list };
        if (*list)
                (*list)->at = &hook->next;
        *list = hook;
}

static void hook_off(struct hook *hook)
{
        *hook->at = hook->next;
        if (hook->next)
                hook->next->at = hook->at;
}

static struct memory_piece *piece_of_writer(struct hook *hook)
{
        return (void *)((char *)hook - offsetof(struct memory_piece, by_writer));
}

static struct memory_piece *piece_of_readers(struct hook *hook)
{
        return (void *)((char *)hook - offsetof(struct memory_piece, by_readers));
}

static void set_writer(struct memory_piece *piece, struct access_task *writer)
{
        if (piece->writer)
                hook_off(&piece->by_writer);
        if (writer)
                hook_on(&writer->pieces, &piece->by_writer);
        piece->writer = writer;
}

static void set_readers(struct memory_piece *piece, struct group *readers)
{
        if (piece->readers) {
                hook_off(&piece->by_readers);
                piece->readers->intact = false;
        }
        if (readers)
                hook_on(&readers->pieces, &piece->by_readers);
        piece->readers = readers;
}

/* The rest of a piece belongs to whom the piece belongs. */
static void rest_parted(struct piece *piece)
{
        struct memory_piece *rest = (void *)piece;
        if (rest->writer)
                hook_on(&rest->writer->pieces, &rest->by_writer);
        if (rest->readers)
                hook_on(&rest->readers->pieces, &rest->by_readers);
}

/* ---- Life ---- */

struct access_domain *access_domain_create(void)
{
        struct access_domain *domain = calloc(1, sizeof(*domain));
        if (!domain)
                return NULL;
        pieces_init(&domain->pieces, sizeof(struct memory_piece), rest_parted);
        pool_init(&domain->links, sizeof(struct link));
        pool_init(&domain->groups, sizeof(struct group));
        pool_init(&domain->tasks, sizeof(struct access_task));
        return domain;
}

void access_domain_destroy(struct access_domain *domain)
{
        if (!domain)
                return;
        pieces_finish(&domain->pieces);
        pool_finish(&domain->links);
        pool_finish(&domain->groups);
        pool_finish(&domain->tasks);
        free(domain);
}

/* ---- Writing ---- */

/* Those that read wait for the writer themselves, so that waiting for them is enough. */
static bool write_piece(struct access_domain *domain, struct access_task *task,
                        struct memory_piece *piece)
{
        struct event *last = piece->readers  ? &piece->readers->readers
                             : piece->writer ? &piece->writer->event
                                             : NULL;
        if (piece->writer == task)
                return true;
        if (last && !event_wait(&task->event, last, &domain->links))
                return false;
        set_readers(piece, NULL);
        set_writer(piece, task);
        return true;
}

static bool write_range(struct access_domain *domain, struct access_task *task, uintptr_t begin,
                        uintptr_t end)
{
        struct memory_piece *all = NULL;
        for (uintptr_t at = begin; at < end;) {
                struct memory_piece *piece = (void *)pieces_at(&domain->pieces, at, end);
                if (!piece || !write_piece(domain, task, piece))
                        return false;
                at = piece->piece.end;
                if (!all) {
                        all = piece;
                        continue;
                }
                set_writer(piece, NULL);
                pieces_remove(&domain->pieces, &piece->piece);
                all->piece.end = at;
        }
        return true;
}

/* ---- Reading, and commuting ---- */

struct range {
        uintptr_t begin, end;
        bool commutes;
};

/* The piece that `at` lies in, or NULL. */
static struct memory_piece *piece_around(const struct access_domain *domain, uintptr_t at)
{
        struct memory_piece *piece = (void *)pieces_from(&domain->pieces, at);
        return piece && piece->piece.begin <= at ? piece : NULL;
}

/* Who may not read at the same time as those before waits for them, as for writers; and so do those
 * who read together with such a one. */
static bool follow(struct access_domain *domain, struct group *old, struct group *group)
{
        bool together = !old->commutes && !group->commutes;
        group->after_turns |= old->commutes || old->after_turns;
        if (!together)
                return event_wait(&group->writers, &old->readers, &domain->links);
        if (old->after_turns && old->writers.blockers > 0 &&
            !event_wait(&group->writers, &old->writers, &domain->links))
                return false;
        return event_wait(&group->readers, &old->readers, &domain->links);
}

static bool move_piece(struct access_domain *domain, struct memory_piece *piece,
                       struct group *group)
{
        if (piece->readers && !follow(domain, piece->readers, group))
                return false;
        if (piece->writer && !event_wait(&group->writers, &piece->writer->event, &domain->links))
                return false;
        set_readers(piece, group);
        group->end = piece->piece.end;
        return true;
}

/*
 * A new group of pieces from `begin` on that have been in one group so far, or in none: as many as
 * there are until `end`, and until one that the task writes.
 */
static struct group *make_group(struct access_domain *domain, const struct access_task *task,
                                struct range range)
{
        uintptr_t begin = range.begin, end = range.end;
        struct memory_piece *piece = (void *)pieces_at(&domain->pieces, begin, end), *next;
        struct group *group = pool_take(&domain->groups);
        if (!piece || !group)
                return NULL;
        *group = (struct group){ .readers.kind = EVENT_READERS,
                                 .writers.kind = EVENT_WRITERS,
                                 .begin = begin,
                                 .intact = true,
                                 .commutes = range.commutes };
        group->waiting_end = &group->waiting;
        const struct group *old = piece->readers;
        for (;;) {
                if (!move_piece(domain, piece, group))
                        return NULL;
                if (group->end == end)
                        return group;
                next = piece_around(domain, group->end);
                if ((next ? next->readers : NULL) != old || (next && next->writer == task))
                        return group;
                piece = (void *)pieces_at(&domain->pieces, group->end, end);
                if (!piece)
                        return NULL;
        }
}

static bool join(struct access_domain *domain, struct access_task *task, struct group *group)
{
        struct link *link = pool_take(&domain->links);
        if (!link)
                return false;
        *link = (struct link){ task->joined, group };
        task->joined = link;
        group->readers.blockers++;
        group->newest = task->event.number;
        return group->writers.blockers == 0 ||
               event_wait(&task->event, &group->writers, &domain->links);
}

static bool read_range(struct access_domain *domain, struct access_task *task, struct range range)
{
        uintptr_t end = range.end;
        for (uintptr_t at = range.begin; at < end;) {
                struct memory_piece *piece = piece_around(domain, at);
                struct group *group = piece ? piece->readers : NULL;
                bool mine = piece && (piece->writer == task ||
                                      (group && group->newest == task->event.number));
                if (mine) {
                        at = piece->piece.end;
                        continue;
                }
                if (!group || !group->intact || group->begin != at || group->end > end ||
                    group->commutes != range.commutes)
                        group = make_group(domain, task, (struct range){ at, end, range.commutes });
                if (!group || !join(domain, task, group))
                        return false;
                at = group->end;
        }
        return true;
}

/* ---- Turns ---- */

/* All or none; where one is taken, the task waits there. */
static bool take_turns(struct access_task *task)
{
        for (struct link *link = task->joined; link; link = link->next) {
                struct group *group = link->to;
                if (!group->commutes || !group->taken)
                        continue;
                task->next_waiting = NULL;
                *group->waiting_end = task;
                group->waiting_end = &task->next_waiting;
                return false;
        }
        for (struct link *link = task->joined; link; link = link->next)
                ((struct group *)link->to)->taken = ((struct group *)link->to)->commutes;
        task->has_turns = true;
        return true;
}

/* Who waits longest for the group's turn tries again: it goes to the wave, or to where it waits
 * now. The others stay once the turn is taken, so that a turn costs the same however many wait. */
static void pass_turn(struct group *group, struct wave *wave)
{
        while (group->waiting && !group->taken) {
                struct access_task *task = group->waiting;
                group->waiting = task->next_waiting;
                if (!group->waiting)
                        group->waiting_end = &group->waiting;
                if (!take_turns(task))
                        continue;
                task->event.next = wave->tasks;
                wave->tasks = &task->event;
        }
}

static void give_turns(struct access_task *task, struct wave *wave)
{
        for (struct link *link = task->joined; link; link = link->next)
                ((struct group *)link->to)->taken = false;
        for (struct link *link = task->joined; link; link = link->next)
                pass_turn(link->to, wave);
}

/* ---- Adding ---- */

/* What excludes others comes first, so that it never joins a group that it would have to wait for.
 */
static bool add_accesses(struct access_domain *domain, struct access_task *task, int32_t naccess,
                         const struct access *access)
{
        for (const struct access *a = access; a < access + naccess; a++)
                if (a->mode & ACCESS_OUT && a->mode != ACCESS_COMMUTATIVE &&
                    !write_range(domain, task, a->begin, a->begin + a->bytes))
                        return false;
        for (const struct access *a = access; a < access + naccess; a++)
                if (a->mode == ACCESS_COMMUTATIVE &&
                    !read_range(domain, task,
                                (struct range){ a->begin, a->begin + a->bytes, true }))
                        return false;
        for (const struct access *a = access; a < access + naccess; a++)
                if (a->mode == ACCESS_IN &&
                    !read_range(domain, task,
                                (struct range){ a->begin, a->begin + a->bytes, false }))
                        return false;
        return true;
}

struct access_task *access_add(struct access_domain *domain, int32_t naccess,
                               const struct access *access, void *user, bool *blocked)
{
        struct access_task *task = pool_take(&domain->tasks);
        if (!task)
                return NULL;
        *task = (struct access_task){ .event = { .kind = EVENT_TASK, .number = ++domain->added },
                                      .user = user };
        domain->unfinished++;
        if (!add_accesses(domain, task, naccess, access))
                return NULL;
        *blocked = task->event.blockers > 0 || !take_turns(task);
        return task;
}

/* ---- Finishing ---- */

static void remove_unused(struct access_domain *domain, struct memory_piece *piece)
{
        if (!piece->writer && !piece->readers)
                pieces_remove(&domain->pieces, &piece->piece);
}

static void finish_group(struct access_domain *domain, struct group *group)
{
        while (group->pieces) {
                struct memory_piece *piece = piece_of_readers(group->pieces);
                set_readers(piece, NULL);
                remove_unused(domain, piece);
        }
        pool_give(&domain->groups, group);
}

static void finish_task(struct access_domain *domain, struct access_task *task, struct wave *wave)
{
        event_tell(&task->event, wave, &domain->links);
        give_turns(task, wave);
        for (struct link *link = task->joined, *next; link; link = next) {
                next = link->next;
                event_unblock(link->to, wave);
                pool_give(&domain->links, link);
        }
        while (task->pieces) {
                struct memory_piece *piece = piece_of_writer(task->pieces);
                set_writer(piece, NULL);
                remove_unused(domain, piece);
        }
        pool_give(&domain->tasks, task);
}

void access_finish(struct access_domain *domain, struct access_task *task, access_released released,
                   void *context)
{
        struct wave wave = { NULL, NULL };
        finish_task(domain, task, &wave);
        domain->unfinished--;
        for (struct event *event; (event = wave.groups);) {
                wave.groups = event->next;
                event_tell(event, &wave, &domain->links);
                if (event->kind == EVENT_READERS)
                        finish_group(domain, (void *)event);
        }
        struct event *ready = wave.tasks && wave.tasks->next ? event_sort(wave.tasks) : wave.tasks;
        for (struct event *next; ready; ready = next) {
                struct access_task *other = (void *)ready;
                next = ready->next;
                if (other->has_turns || take_turns(other))
                        released(context, other->user);
        }
}

bool access_uses(const struct access_domain *domain, uintptr_t begin, size_t bytes)
{
        const struct piece *piece = pieces_from(&domain->pieces, begin);
        return piece && piece->begin < begin + bytes;
}

int64_t access_unfinished(const struct access_domain *domain)
{
        return domain->unfinished;
}

int64_t access_pieces(const struct access_domain *domain)
{
        return domain->pieces.count;
}
