/* SPDX-License-Identifier: BSD-3-Clause */
#include "real/node/segment_impl.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/left.h"
#include "real/node/process.h"

struct segment {
        struct segment_head *head;
        size_t mapped_bytes;
        int fd;
        int32_t member;
        struct pollfd *watch; /* [nmember] fd -1: not watched */
        char path[SEGMENT_PATH_SIZE];
};

/* What an attempt to create or join ended with. */
enum attempt { ATTEMPT_DONE = 0, ATTEMPT_AGAIN, ATTEMPT_FAILED };

/* Each time others were quicker, which so many others can be. */
enum { TRIES = 1000 };

enum { LOOKER = -1 }; /* in place of a member */

static int check_spec(const struct segment_spec *spec, struct lb_error *err)
{
        static const char allowed[] =
            "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-";
        size_t length = strlen(spec->job);
        if (length == 0 || length > SEGMENT_JOB_MAX || strspn(spec->job, allowed) != length)
                return lb_error_set(err, "job id '%s' must be 1 to %d letters, digits and '-'",
                                    spec->job, SEGMENT_JOB_MAX);
        if (spec->nmember < 1 || spec->member < 0 || spec->member >= spec->nmember)
                return lb_error_set(err,
                                    "place %" PRId32 " of %" PRId32
                                    " in shared memory '%s' of job '%s': must be 0 to one less",
                                    spec->member, spec->nmember, spec->part, spec->job);
        return 0;
}

static struct segment *allocate(const struct segment_spec *spec, struct lb_error *err)
{
        struct segment *s = calloc(1, sizeof(*s));
        struct pollfd *watch = calloc((size_t)spec->nmember, sizeof(*watch));
        if (!s || !watch) {
                lb_error_fail(err, "out of memory for job '%s'", spec->job);
                free(watch);
                free(s);
                return NULL;
        }
        for (int32_t i = 0; i < spec->nmember; i++)
                watch[i] = (struct pollfd){ .fd = -1, .events = POLLIN };
        s->watch = watch;
        s->member = spec->member;
        s->fd = -1;
        snprintf(s->path, sizeof(s->path), SEGMENT_DIRECTORY "/lbrun-%ju-%s-%s",
                 (uintmax_t)geteuid(), spec->job, spec->part);
        return s;
}

/* Leave it as it was before an attempt. */
static void let_go(struct segment *s)
{
        if (s->head)
                munmap(s->head, s->mapped_bytes);
        if (s->fd >= 0)
                close(s->fd);
        s->head = NULL;
        s->fd = -1;
}

static void enter(struct segment *s)
{
        const struct process self = process_self();
        struct segment_slot *slot = &s->head->slot[s->member];
        atomic_store(&slot->pid, self.pid);
        atomic_store(&slot->start_ticks, self.start_ticks);
        atomic_store(&slot->state, SEGMENT_OPEN);
        futex_wake(&s->head->joined);
}

/* A file without a name, all of its memory reserved. */
static int make_file(struct segment *s, const struct segment_spec *spec, struct lb_error *err)
{
        s->fd = open(SEGMENT_DIRECTORY, O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
        if (s->fd < 0)
                return lb_error_fail(err, "cannot make shared memory in " SEGMENT_DIRECTORY ": %s",
                                     strerror(errno));
        size_t bytes = segment_head_bytes(spec->nmember) + spec->bytes;
        int failed = left_reserve(s->fd, 0, bytes);
        if (failed)
                return lb_error_fail(err,
                                     "no room for %zu bytes of shared memory in " SEGMENT_DIRECTORY
                                     ": %s; remove what nobody needs there, or have it enlarged",
                                     bytes, strerror(failed));
        s->mapped_bytes = bytes;
        s->head = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, s->fd, 0);
        if (s->head != MAP_FAILED)
                return 0;
        s->head = NULL;
        return lb_error_fail(err, "cannot map '%s': %s", s->path, strerror(errno));
}

/* Give the file its name, unless there is one of that name. */
static enum attempt publish(const struct segment *s, struct lb_error *err)
{
        char unnamed[32];
        snprintf(unnamed, sizeof(unnamed), "/proc/self/fd/%d", s->fd);
        if (linkat(AT_FDCWD, unnamed, AT_FDCWD, s->path, AT_SYMLINK_FOLLOW) == 0)
                return ATTEMPT_DONE;
        if (errno == EEXIST)
                return ATTEMPT_AGAIN;
        lb_error_fail(err, "cannot create shared memory '%s': %s", s->path, strerror(errno));
        return ATTEMPT_FAILED;
}

static enum attempt create(struct segment *s, const struct segment_spec *spec, struct lb_error *err)
{
        if (make_file(s, spec, err) < 0)
                return ATTEMPT_FAILED;
        s->head->magic = segment_magic;
        s->head->nmember = spec->nmember;
        s->head->bytes = spec->bytes;
        enter(s);
        return publish(s, err);
}

/* May the caller become a member of the living segment it has mapped and locked? */
static int check_joinable(const struct segment *s, const struct segment_spec *spec,
                          struct lb_error *err)
{
        const struct segment_head *head = s->head;
        if (head->nmember != spec->nmember || head->bytes != spec->bytes)
                return lb_error_fail(
                    err,
                    "shared memory '%s' is of %" PRId32 " processes and %" PRIu64
                    " bytes, not %" PRId32 " and %zu: two jobs must not have one id",
                    s->path, head->nmember, head->bytes, spec->nmember, spec->bytes);
        const struct segment_slot *slot = &head->slot[spec->member];
        if (atomic_load(&slot->state) == SEGMENT_OPEN)
                return lb_error_fail(err,
                                     "place %" PRId32 " in shared memory '%s' is taken by process "
                                     "%" PRId32 ": two jobs must not have one id",
                                     spec->member, s->path, atomic_load(&slot->pid));
        return 0;
}

static enum attempt join_locked(struct segment *s, const struct segment_spec *spec,
                                struct lb_error *err)
{
        s->head = segment_map(s->fd, &s->mapped_bytes);
        if (!s->head) {
                lb_error_fail(err, "'%s' is not shared memory of this version of lbrun: remove it",
                              s->path);
                return ATTEMPT_FAILED;
        }
        if (!segment_has_living(s->head)) {
                segment_unlink(s->path, s->fd);
                return ATTEMPT_AGAIN;
        }
        if (check_joinable(s, spec, err) < 0)
                return ATTEMPT_FAILED;
        enter(s);
        return ATTEMPT_DONE;
}

static enum attempt join(struct segment *s, const struct segment_spec *spec, struct lb_error *err)
{
        if (!segment_lock(s->fd)) {
                lb_error_fail(err,
                              "shared memory '%s' stays locked: is a process of job '%s' stopped?",
                              s->path, spec->job);
                return ATTEMPT_FAILED;
        }
        enum attempt attempt = join_locked(s, spec, err);
        segment_unlock(s->fd);
        return attempt;
}

static enum attempt open_once(struct segment *s, const struct segment_spec *spec,
                              struct lb_error *err)
{
        s->fd = segment_open_file(s->path);
        if (s->fd >= 0)
                return join(s, spec, err);
        if (errno == ENOENT)
                return create(s, spec, err);
        if (errno == EPERM || errno == EACCES || errno == ELOOP)
                lb_error_fail(err, "shared memory '%s' is another user's: take another job id",
                              s->path);
        else
                lb_error_fail(err, "cannot open shared memory '%s': %s", s->path, strerror(errno));
        return ATTEMPT_FAILED;
}

struct segment *segment_open(const struct segment_spec *spec, struct lb_error *err)
{
        if (check_spec(spec, err) < 0)
                return NULL;
        struct segment *s = allocate(spec, err);
        if (!s)
                return NULL;
        lb_error_fail(err, "cannot remove or replace shared memory '%s' of a dead job", s->path);
        enum attempt attempt = ATTEMPT_AGAIN;
        for (int i = 0; i < TRIES && attempt == ATTEMPT_AGAIN; i++) {
                let_go(s);
                attempt = open_once(s, spec, err);
        }
        if (attempt == ATTEMPT_DONE)
                return s;
        let_go(s);
        free(s->watch);
        free(s);
        return NULL;
}

static bool is_of(const struct segment *s, const struct segment_spec *spec)
{
        return s->head && s->head->nmember == spec->nmember && s->head->bytes == spec->bytes;
}

struct segment *segment_look(const struct segment_spec *spec)
{
        struct lb_error err;
        struct segment *s = check_spec(spec, &err) < 0 ? NULL : allocate(spec, &err);
        if (!s)
                return NULL;
        s->member = LOOKER;
        s->fd = segment_open_file(s->path);
        s->head = s->fd < 0 ? NULL : segment_map(s->fd, &s->mapped_bytes);
        if (is_of(s, spec))
                return s;
        segment_close(s);
        return NULL;
}

/* Without the lock (its holder is stopped) another member does it, or segment_close(). */
void segment_unname(struct segment *segment)
{
        if (!segment_lock(segment->fd))
                return;
        segment_unlink(segment->path, segment->fd);
        segment_unlock(segment->fd);
}

/* Without the lock (its holder is stopped) the name stays, for segment_clean(). Closing the file
 * does not give the lock away where a child of this process has it mapped. */
static void leave(struct segment *segment)
{
        bool locked = segment_lock(segment->fd);
        atomic_store(&segment->head->slot[segment->member].state, SEGMENT_CLOSED);
        if (locked && !segment_has_living(segment->head))
                segment_unlink(segment->path, segment->fd);
        if (locked)
                segment_unlock(segment->fd);
        for (int32_t i = 0; i < segment->head->nmember; i++)
                if (segment->watch[i].fd >= 0)
                        close(segment->watch[i].fd);
}

void segment_close(struct segment *segment)
{
        if (!segment)
                return;
        if (segment->member != LOOKER)
                leave(segment);
        let_go(segment);
        free(segment->watch);
        free(segment);
}

void *segment_memory(const struct segment *segment)
{
        return (char *)segment->head + segment_head_bytes(segment->head->nmember);
}

enum segment_member_state segment_member(const struct segment *segment, int32_t member)
{
        return (enum segment_member_state)atomic_load(&segment->head->slot[member].state);
}

int32_t segment_pid(const struct segment *segment, int32_t member)
{
        return atomic_load(&segment->head->slot[member].pid);
}

static struct process member_process(const struct segment *s, int32_t member)
{
        const struct segment_slot *slot = &s->head->slot[member];
        return (struct process){
                .pid = atomic_load(&slot->pid),
                .start_ticks = atomic_load(&slot->start_ticks),
        };
}

/* Watch who has opened since the last call, no longer those who have closed. */
static void update_watch(struct segment *s, int32_t member)
{
        struct pollfd *watch = &s->watch[member];
        bool open = member != s->member && segment_member(s, member) == SEGMENT_OPEN;
        watch->revents = 0;
        if (open && watch->fd < 0) {
                const struct process process = member_process(s, member);
                watch->fd = process_watch(&process);
        } else if (!open && watch->fd >= 0) {
                close(watch->fd);
                watch->fd = -1;
        }
}

/* The state is read after the process was found gone: those who close do so before they end. */
static bool found_dead(const struct segment *s, int32_t member)
{
        if (member == s->member || segment_member(s, member) != SEGMENT_OPEN)
                return false;
        const struct process process = member_process(s, member);
        bool gone =
            s->watch[member].fd >= 0 ? s->watch[member].revents != 0 : !process_alive(&process);
        return gone && segment_member(s, member) == SEGMENT_OPEN;
}

int32_t segment_dead(struct segment *segment)
{
        int32_t nmember = segment->head->nmember;
        for (int32_t i = 0; i < nmember; i++)
                update_watch(segment, i);
        poll(segment->watch, (nfds_t)nmember, 0);
        for (int32_t i = 0; i < nmember; i++)
                if (found_dead(segment, i))
                        return i;
        return -1;
}

bool segment_is_dead(struct segment *segment, int32_t member)
{
        update_watch(segment, member);
        poll(&segment->watch[member], 1, 0);
        return found_dead(segment, member);
}

static int32_t first_absent(const struct segment *s)
{
        for (int32_t i = 0; i < s->head->nmember; i++)
                if (segment_member(s, i) == SEGMENT_ABSENT)
                        return i;
        return -1;
}

/* Sleeps until somebody joins, and looks 20 times a second who has died instead. */
int segment_wait(struct segment *segment, double timeout_s, struct lb_error *err)
{
        const double until_s = clock_s() + timeout_s;
        for (;;) {
                uint32_t ticket = futex_ticket(&segment->head->joined);
                int32_t absent = first_absent(segment), dead = segment_dead(segment);
                if (absent < 0)
                        return 0;
                if (dead >= 0)
                        return lb_error_fail(err,
                                             "process %" PRId32 " (place %" PRId32 " of '%s') died "
                                             "while the others were starting",
                                             segment_pid(segment, dead), dead, segment->path);
                if (clock_s() >= until_s)
                        return lb_error_fail(err,
                                             "place %" PRId32 " of %" PRId32 " in '%s' is still "
                                             "empty after %g s: has its process started?",
                                             absent, segment->head->nmember, segment->path,
                                             timeout_s);
                futex_sleep(&segment->head->joined, ticket, 50000000);
        }
}
