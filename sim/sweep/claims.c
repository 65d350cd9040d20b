/* SPDX-License-Identifier: BSD-3-Clause */
#include "sim/sweep/claims.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"

static const char FREE = '.', BEGUN = '*', DONE = '+';

struct claims {
        int fd;
        char *path;
        char *state; /* [count] as last seen */
        bool *mine;  /* [count] begun by this process: its own locks do not stop it */
        int64_t count, orphans;
};

static int refuse(const struct claims *claims, const char *verb, struct lb_error *err)
{
        return lb_error_fail(err, "cannot %s '%s': %s", verb, claims->path, strerror(errno));
}

static int make_file(const struct claims *claims, const bool *done, struct lb_error *err)
{
        struct lb_file file;
        if (lb_file_create(&file, claims->path, err) < 0)
                return -1;
        for (int64_t u = 0; u < claims->count; u++)
                fputc(done[u] ? DONE : FREE, file.stream);
        return lb_file_commit(&file, err);
}

static char *path_of(const struct claims_name *name)
{
        size_t size = strlen(name->directory) + 80;
        char *path = malloc(size);
        if (path)
                snprintf(path, size, "%s/claims-%016llx-%016llx-%lld", name->directory,
                         (unsigned long long)name->fingerprint, (unsigned long long)name->build,
                         (long long)name->count);
        return path;
}

bool claims_there(const struct claims *claims)
{
        return access(claims->path, R_OK | W_OK) == 0;
}

/* 1: there is none. */
static int open_file(struct claims *claims, const bool *done, struct lb_error *err)
{
        if (done && !claims_there(claims) && make_file(claims, done, err) < 0)
                return -1;
        claims->fd = open(claims->path, O_RDWR | O_CLOEXEC);
        if (claims->fd < 0)
                return !done && errno == ENOENT ? 1 : refuse(claims, "open", err);
        return claims_look(claims, NULL, err) < 0 ? -1 : 0;
}

int claims_open(struct claims **opened, const struct claims_name *name, const bool *done,
                struct lb_error *err)
{
        *opened = NULL;
        struct claims *claims = calloc(1, sizeof(*claims));
        if (!claims)
                return lb_error_fail(err, "out of memory");
        claims->fd = -1;
        claims->count = name->count;
        claims->path = path_of(name);
        claims->state = calloc((size_t)name->count + 1, 1);
        claims->mine = calloc((size_t)name->count + 1, sizeof(bool));
        int status = claims->path && claims->state && claims->mine
                         ? open_file(claims, done, err)
                         : lb_error_fail(err, "out of memory");
        if (status == 0)
                *opened = claims;
        else
                claims_close(claims);
        return status < 0 ? -1 : 0;
}

void claims_close(struct claims *claims)
{
        if (!claims)
                return;
        if (claims->fd >= 0)
                close(claims->fd);
        free(claims->path);
        free(claims->state);
        free(claims->mine);
        free(claims);
}

void claims_remove(struct claims *claims)
{
        if (claims)
                unlink(claims->path);
        claims_close(claims);
}

/* Lock or unlock a byte; 1 where another process has the lock. */
static int set_lock(const struct claims *claims, int64_t unit, short kind, struct lb_error *err)
{
        struct flock lock = {
                .l_type = kind, .l_whence = SEEK_SET, .l_start = (off_t)unit, .l_len = 1
        };
        if (fcntl(claims->fd, F_SETLK, &lock) == 0)
                return 0;
        if (errno == EACCES || errno == EAGAIN)
                return 1;
        return refuse(claims, "lock a part of", err);
}

static int write_state(struct claims *claims, int64_t unit, char state, struct lb_error *err)
{
        claims->state[unit] = state;
        if (pwrite(claims->fd, &state, 1, (off_t)unit) == 1)
                return 0;
        return refuse(claims, "write", err);
}

/* With the unit's lock: is it still to be done? */
static int take(struct claims *claims, int64_t unit, bool again, struct lb_error *err)
{
        char now;
        if (pread(claims->fd, &now, 1, (off_t)unit) != 1)
                return refuse(claims, "read", err);
        claims->state[unit] = now;
        if (now == DONE || (now == BEGUN && !again))
                return set_lock(claims, unit, F_UNLCK, err) < 0 ? -1 : 0;
        claims->orphans += now == BEGUN;
        claims->mine[unit] = true;
        return write_state(claims, unit, BEGUN, err) < 0 ? -1 : 1;
}

int claims_begin(struct claims *claims, int64_t unit, bool again, struct lb_error *err)
{
        char seen = claims->state[unit];
        if (claims->mine[unit] || seen == DONE || (seen == BEGUN && !again))
                return 0;
        int held = set_lock(claims, unit, F_WRLCK, err);
        if (held != 0)
                return held < 0 ? -1 : 0;
        return take(claims, unit, again, err);
}

int claims_end(struct claims *claims, int64_t unit, struct lb_error *err)
{
        if (write_state(claims, unit, DONE, err) < 0)
                return -1;
        claims->mine[unit] = false;
        return set_lock(claims, unit, F_UNLCK, err) < 0 ? -1 : 0;
}

int64_t claims_look(struct claims *claims, bool *done, struct lb_error *err)
{
        int64_t read = 0, ndone = 0;
        while (read < claims->count) {
                ssize_t got = pread(claims->fd, claims->state + read,
                                    (size_t)(claims->count - read), (off_t)read);
                if (got < 0)
                        return refuse(claims, "read", err);
                if (got == 0)
                        return lb_error_fail(err, "'%s' is cut off; remove it", claims->path);
                read += got;
        }
        for (int64_t u = 0; u < claims->count; u++) {
                ndone += claims->state[u] == DONE;
                if (done)
                        done[u] = claims->state[u] == DONE;
        }
        return ndone;
}

int64_t claims_orphans(const struct claims *claims)
{
        return claims->orphans;
}
