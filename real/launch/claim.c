/* SPDX-License-Identifier: BSD-3-Clause */
#include "real/launch/claim.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

/* Names are told apart by how they end. */
enum { END = 40, NAME_END = 200, TRIES = 8, TEXT_SIZE = 128, WHO_SIZE = 3 * TEXT_SIZE };

struct claim {
        const char *path; /* borrowed while it is taken */
        bool *taken;      /* likewise: by another */
        char *lock_path;
        int socket, lock; /* -1: none */
};

/* ---- Who ---- */

/* What a lock's file says; "" where it does not. */
struct who {
        char host[TEXT_SIZE], job[TEXT_SIZE];
        long pid;
};

static const char *batch_job(void)
{
        static const char *const names[] = { "SLURM_JOB_ID", "PBS_JOBID", "LSB_JOBID", "JOB_ID" };
        for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
                if (getenv(names[i]))
                        return getenv(names[i]);
        return "-";
}

static void own_host(char host[static TEXT_SIZE])
{
        memset(host, 0, TEXT_SIZE);
        if (gethostname(host, TEXT_SIZE - 1) < 0)
                host[0] = '\0';
}

/* So that it is seen elsewhere at once; without it a refused job knows less, that is all. */
static void write_who(int fd)
{
        char host[TEXT_SIZE];
        own_host(host);
        if (ftruncate(fd, 0) == 0 &&
            dprintf(fd, "%s %ld %.64s\n", host, (long)getpid(), batch_job()) > 0)
                (void)fsync(fd);
}

static void read_who(int fd, struct who *who)
{
        char text[WHO_SIZE + 1];
        ssize_t size = pread(fd, text, WHO_SIZE, 0);
        *who = (struct who){ .pid = 0 };
        text[size > 0 ? size : 0] = '\0';
        int found = sscanf(text, "%127[]A-Za-z0-9_.:-] %ld %127[][A-Za-z0-9_.:-]", who->host,
                           &who->pid, who->job);
        if (found < 2)
                *who = (struct who){ .pid = 0 };
        if (found < 3 || strcmp(who->job, "-") == 0)
                who->job[0] = '\0';
}

/* `by_hand`: nothing but that file says so. */
static int refuse(const struct claim *claim, const struct who *who, bool by_hand,
                  struct lb_error *err)
{
        char text[WHO_SIZE] = "", advice[WHO_SIZE] = "";
        if (who->host[0])
                snprintf(text, sizeof(text), ": process %ld on host %s%s%s", who->pid, who->host,
                         who->job[0] ? ", batch job " : "", who->job);
        if (by_hand)
                snprintf(advice, sizeof(advice),
                         "; its file system has no locks between machines: if that job is gone, "
                         "remove '%.200s'",
                         claim->lock_path);
        *claim->taken = true;
        return lb_error_set(err, "another job is writing '%s'%s%s", claim->path, text, advice);
}

/* ---- Here ---- */

static const char *end_of(const char *name, size_t size)
{
        size_t length = strlen(name);
        return length > size ? name + length - size : name;
}

/* By the file's directory, whatever it was called, and the end of its name. */
static socklen_t name_socket(struct sockaddr_un *name, const char *directory, const char *base)
{
        struct stat status = { .st_ino = 0 };
        if (stat(directory, &status) < 0)
                status.st_ino = 0;
        *name = (struct sockaddr_un){ .sun_family = AF_UNIX };
        int size = snprintf(name->sun_path + 1, sizeof(name->sun_path) - 1, "lbrun-%ju-%jx-%jx-%s",
                            (uintmax_t)geteuid(), (uintmax_t)status.st_dev,
                            (uintmax_t)status.st_ino, end_of(base, END));
        return (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 + (size_t)size);
}

static int refuse_here(const struct claim *claim, struct lb_error *err)
{
        struct who who = { .pid = 0 };
        int fd = open(claim->lock_path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
        if (fd >= 0) {
                read_who(fd, &who);
                close(fd);
        }
        return refuse(claim, &who, false, err);
}

static int take_here(struct claim *claim, const char *directory, const char *base,
                     struct lb_error *err)
{
        struct sockaddr_un name;
        socklen_t size = name_socket(&name, directory, base);
        claim->socket = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
        if (claim->socket >= 0 && bind(claim->socket, (struct sockaddr *)&name, size) == 0)
                return 0;
        if (claim->socket >= 0 && errno == EADDRINUSE)
                return refuse_here(claim, err);
        return lb_error_fail(err, "cannot make a socket: %s", strerror(errno));
}

/* ---- On all machines ---- */

static int open_lock(const char *path, bool *made)
{
        const int flags = O_RDWR | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK;
        for (int i = 0; i < TRIES; i++) {
                int fd = open(path, flags | O_CREAT | O_EXCL, 0644);
                *made = fd >= 0;
                if (fd < 0 && errno == EEXIST)
                        fd = open(path, flags);
                if (fd >= 0 || errno != ENOENT)
                        return fd;
        }
        return -1;
}

/* Of the open file, not of the process: closing another descriptor of it does not end it. */
static int lock_whole(int fd)
{
        struct flock whole = { .l_type = F_WRLCK, .l_whence = SEEK_SET };
        return fcntl(fd, F_OFD_SETLK, &whole);
}

/* Its holder may have removed it between open() and the lock. */
static bool is_there(int fd, const char *path)
{
        struct stat mine, there;
        return fstat(fd, &mine) == 0 && stat(path, &there) == 0 && mine.st_dev == there.st_dev &&
               mine.st_ino == there.st_ino;
}

/* One that is of this machine was left here: the socket would have said if it is held. */
static bool is_elsewhere(const struct who *who)
{
        char host[TEXT_SIZE];
        own_host(host);
        return strcmp(who->host, host) != 0;
}

/* 1: again. */
static int try_lock(struct claim *claim, struct lb_error *err)
{
        bool made = false;
        int fd = open_lock(claim->lock_path, &made);
        if (fd < 0)
                return 0;
        if (lock_whole(fd) < 0) {
                bool held = errno == EAGAIN || errno == EACCES;
                struct who who;
                read_who(fd, &who);
                if (held || (!made && is_elsewhere(&who))) {
                        close(fd);
                        return refuse(claim, &who, !held, err);
                }
        }
        if (!is_there(fd, claim->lock_path)) {
                close(fd);
                return 1;
        }
        claim->lock = fd;
        write_who(fd);
        return 0;
}

static int take_everywhere(struct claim *claim, struct lb_error *err)
{
        int code = 1;
        for (int i = 0; i < TRIES && code == 1; i++)
                code = try_lock(claim, err);
        return code == 1 ? refuse(claim, &(struct who){ .pid = 0 }, false, err) : code;
}

/* ---- Life cycle ---- */

static int take(struct claim *claim, const char *path, struct lb_error *err)
{
        const char *slash = strrchr(path, '/'), *base = slash ? slash + 1 : path;
        char *directory =
            !slash ? strdup(".") : strndup(path, slash > path ? (size_t)(slash - path) : 1);
        int code = -1;
        if (!directory ||
            asprintf(&claim->lock_path, "%s/.lbrun-%s", directory, end_of(base, NAME_END)) < 0) {
                claim->lock_path = NULL;
                lb_error_fail(err, "out of memory");
        } else if (take_here(claim, directory, base, err) == 0) {
                code = take_everywhere(claim, err);
        }
        free(directory);
        return code;
}

struct claim *claim_try(const char *path, bool *taken, struct lb_error *err)
{
        struct claim *claim = calloc(1, sizeof(*claim));
        *taken = false;
        if (!claim) {
                lb_error_fail(err, "out of memory");
                return NULL;
        }
        *claim = (struct claim){ .path = path, .taken = taken, .socket = -1, .lock = -1 };
        int code = take(claim, path, err);
        claim->path = NULL;
        claim->taken = NULL;
        if (code == 0)
                return claim;
        claim_destroy(claim);
        return NULL;
}

struct claim *claim_create(const char *path, struct lb_error *err)
{
        bool taken;
        return claim_try(path, &taken, err);
}

void claim_destroy(struct claim *claim)
{
        if (!claim)
                return;
        if (claim->lock >= 0) {
                unlink(claim->lock_path); /* before it is let go */
                close(claim->lock);
        }
        if (claim->socket >= 0)
                close(claim->socket);
        free(claim->lock_path);
        free(claim);
}
