/* SPDX-License-Identifier: BSD-3-Clause */
#define _GNU_SOURCE /* O_TMPFILE */
#include "base/file.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/random.h"

int lb_path(char path[static LB_PATH_SIZE], struct lb_error *err, const char *format, ...)
{
        va_list args;
        va_start(args, format);
        int length = vsnprintf(path, LB_PATH_SIZE, format, args);
        va_end(args);
        return length < LB_PATH_SIZE ? 0
                                     : lb_error_set(err, "'%.300s' is too long for a path", path);
}

static char *join(const char *a, const char *b)
{
        size_t na = strlen(a), nb = strlen(b);
        char *text = malloc(na + nb + 1);
        if (!text)
                return NULL;
        memcpy(text, a, na);
        memcpy(text + na, b, nb + 1);
        return text;
}

/* A name beside the final one that nobody is likely to have: path.XXXXXX. */
static void name_temporary(struct lb_file *file, uint64_t try)
{
        size_t place = strlen(file->temporary) - 6;
        uint64_t number = lb_random_at((uint64_t)getpid(), 0, try) & 0xffffff;
        snprintf(file->temporary + place, 7, "%06" PRIx64, number);
}

enum { TRIES = 10000 };

/*
 * Open a new file beside the final name. Not mkstemp(), whose files are private and whose mode only
 * a look at the process-wide umask could mend, which no thread may change.
 */
static int open_named(struct lb_file *file)
{
        for (uint64_t try = 0; try < TRIES; try++) {
                name_temporary(file, try);
                int fd = open(file->temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
                if (fd >= 0 || errno != EEXIST)
                        return fd;
        }
        return -1;
}

/* Where a file is; NULL out of memory. */
static char *directory_of(const char *path)
{
        char *directory = strchr(path, '/') ? join(path, "") : join(".", "");
        char *slash = directory ? strrchr(directory, '/') : NULL;
        if (slash)
                slash[slash == directory] = '\0';
        return directory;
}

/* A file in the same directory without a name: it is gone with the process, however that ends. Not
 * every file system has them. */
static int open_unnamed(struct lb_file *file)
{
        char *directory = directory_of(file->path);
        int fd = -1;
        if (directory && access("/proc/self/fd", X_OK) == 0)
                fd = open(directory, O_WRONLY | O_TMPFILE | O_CLOEXEC, 0666);
        free(directory);
        file->unnamed = fd >= 0;
        return fd;
}

static int open_temporary(struct lb_file *file)
{
        int fd = open_unnamed(file);
        return fd >= 0 ? fd : open_named(file);
}

/* Give it a name, for the moment until it gets its final one. */
static int link_temporary(struct lb_file *file, int fd)
{
        char open_file[32];
        snprintf(open_file, sizeof(open_file), "/proc/self/fd/%d", fd);
        for (uint64_t try = 0; try < TRIES; try++) {
                name_temporary(file, try);
                if (linkat(AT_FDCWD, open_file, AT_FDCWD, file->temporary, AT_SYMLINK_FOLLOW) ==
                    0) {
                        file->unnamed = false;
                        return 0;
                }
                if (errno != EEXIST)
                        return -1;
        }
        return -1;
}

/* One of this process's own streams by name, such as /dev/stdout. */
static bool is_stream(const char *path)
{
        static const char *const begin[] = { "/dev/std", "/dev/fd/", "/proc/self/fd/" };
        bool stream = false;
        for (size_t i = 0; i < sizeof(begin) / sizeof(begin[0]); i++)
                stream = stream || strncmp(path, begin[i], strlen(begin[i])) == 0;
        return stream;
}

bool lb_file_in_place(const char *path)
{
        struct stat status;
        if (stat(path, &status) != 0 || S_ISDIR(status.st_mode))
                return false;
        return !S_ISREG(status.st_mode) || is_stream(path);
}

/* The name that a symbolic link holds, from where the link is; the link's own is freed. */
static char *follow(char *link)
{
        char target[4096];
        ssize_t size = readlink(link, target, sizeof(target) - 1);
        target[size < 0 ? 0 : size] = '\0';
        char *slash = strrchr(link, '/');
        if (target[0] == '/' || !slash)
                link[0] = '\0';
        else
                slash[1] = '\0';
        char *name = size < 0 ? NULL : join(link, target);
        free(link);
        return name;
}

/*
 * The final name: where there is a symbolic link, the file it leads to is replaced, not the link;
 * or made, if it is not there yet. NULL, and errno, where that cannot be.
 */
static char *final_name(const char *path)
{
        enum { LINKS_MAX = 40 };
        struct stat status;
        char *name = join(path, "");
        for (int i = 0; name && lstat(name, &status) == 0 && S_ISLNK(status.st_mode); i++) {
                if (i == LINKS_MAX) {
                        free(name);
                        errno = ELOOP;
                        return NULL;
                }
                name = follow(name);
        }
        return name;
}

/* Returns 0, or errno: then nothing is left of it. */
static int open_file(struct lb_file *file, const char *path)
{
        memset(file, 0, sizeof(*file));
        bool in_place = lb_file_in_place(path); /* what /dev/stdout leads to may have no name */
        file->path = in_place ? join(path, "") : final_name(path);
        int fd = -1;
        if (file->path && in_place) {
                fd = open(file->path, O_WRONLY | O_APPEND | O_CLOEXEC | O_NOCTTY);
        } else if (file->path) {
                file->temporary = join(file->path, ".XXXXXX");
                fd = file->temporary ? open_temporary(file) : -1;
        }
        if (fd >= 0)
                file->stream = fdopen(fd, "w");
        if (file->stream)
                return 0;
        int why = errno;
        if (fd >= 0) {
                close(fd);
        } else { /* whatever has that name is not ours to remove */
                free(file->temporary);
                file->temporary = NULL;
        }
        lb_file_abandon(file);
        return why;
}

int lb_file_create(struct lb_file *file, const char *path, struct lb_error *err)
{
        int why = open_file(file, path);
        return why ? lb_error_fail(err, "cannot write '%s': %s", path, strerror(why)) : 0;
}

/* Another user's file in a directory such as /tmp may not be replaced. */
static bool is_sticky(const char *path, const struct stat *old)
{
        struct stat status;
        char *directory = directory_of(path);
        bool sticky = directory && stat(directory, &status) == 0 && (status.st_mode & S_ISVTX) &&
                      geteuid() != 0 && geteuid() != status.st_uid && geteuid() != old->st_uid;
        free(directory);
        return sticky;
}

/* May what is there be replaced by the new file? Its name is longer until then. */
static int check_names(const struct lb_file *file)
{
        struct stat status;
        if (lstat(file->path, &status) == 0)
                return S_ISDIR(status.st_mode)          ? EISDIR
                       : is_sticky(file->path, &status) ? EPERM
                                                        : 0;
        bool missing = errno == ENOENT && file->path[0];
        if (missing && (lstat(file->temporary, &status) == 0 || errno == ENOENT))
                return 0;
        return errno;
}

int lb_file_check(const char *path, struct lb_error *err)
{
        struct lb_file file;
        int why;
        if (lb_file_in_place(path)) {
                why = access(path, W_OK) < 0 ? errno : 0;
        } else if ((why = open_file(&file, path)) == 0) {
                why = check_names(&file);
                lb_file_abandon(&file);
        }
        return why ? lb_error_name(err, why, "cannot write '%s'", path) : 0;
}

/* Directories by what they are, names as they are spelled there. */
static bool same_place(const char *a, const char *b)
{
        struct stat in_a, in_b;
        char *of_a = directory_of(a), *of_b = directory_of(b);
        bool found = of_a && of_b && stat(of_a, &in_a) == 0 && stat(of_b, &in_b) == 0;
        const char *name_a = strrchr(a, '/'), *name_b = strrchr(b, '/');
        name_a = name_a ? name_a + 1 : a;
        name_b = name_b ? name_b + 1 : b;
        free(of_a);
        free(of_b);
        return found && in_a.st_dev == in_b.st_dev && in_a.st_ino == in_b.st_ino && *name_a &&
               strcmp(name_a, name_b) == 0;
}

bool lb_file_same(const char *a, const char *b)
{
        if (lb_file_in_place(a) || lb_file_in_place(b))
                return false;
        char *final_a = final_name(a), *final_b = final_name(b);
        bool same = final_a && final_b && same_place(final_a, final_b);
        free(final_a);
        free(final_b);
        return same;
}

int lb_file_apart(const char *a, const char *a_is, const char *b, const char *b_is,
                  struct lb_error *err)
{
        return lb_file_same(a, b) ? lb_error_set(err, "%s and %s: both are '%.300s'", a_is, b_is, b)
                                  : 0;
}

/* Why a write failed earlier is lost; one more fails for the same reason. */
static int why_failed(const struct lb_file *file)
{
        static const char block[4096];
        if (file->temporary && write(fileno(file->stream), block, sizeof(block)) < 0)
                return errno;
        return EIO;
}

/* Everything on the disk? `named`: under its temporary name, if not the final one. */
static int flush(struct lb_file *file, bool named)
{
        int why = fflush(file->stream) != 0 ? errno : ferror(file->stream) ? why_failed(file) : 0;
        if (!why && fsync(fileno(file->stream)) != 0 && errno != EINVAL)
                why = errno;
        if (!why && named && file->unnamed && link_temporary(file, fileno(file->stream)) < 0)
                why = errno;
        if (fclose(file->stream) != 0 && !why)
                why = errno;
        file->stream = NULL;
        errno = why;
        return why ? -1 : 0;
}

void lb_file_open_name(const struct lb_file *file, char *name, size_t size)
{
        if (file->unnamed)
                snprintf(name, size, "/proc/%ld/fd/%d", (long)getpid(), fileno(file->stream));
        else
                snprintf(name, size, "%s", file->temporary ? file->temporary : file->path);
}

int lb_file_flush(struct lb_file *file, struct lb_error *err)
{
        if (!file->stream || flush(file, true) == 0)
                return 0;
        int status = lb_error_fail(err, "cannot write '%s': %s", file->path, strerror(errno));
        lb_file_abandon(file);
        return status;
}

int lb_file_commit(struct lb_file *file, struct lb_error *err)
{
        if (lb_file_flush(file, err) < 0)
                return -1;
        int status = 0;
        if (file->temporary && rename(file->temporary, file->path) < 0) {
                status = lb_error_fail(err, "cannot write '%s': %s", file->path, strerror(errno));
        } else {
                free(file->temporary);
                file->temporary = NULL;
        }
        lb_file_abandon(file);
        return status;
}

void lb_file_abandon(struct lb_file *file)
{
        if (file->stream)
                flush(file, false);
        if (file->temporary && !file->unnamed)
                unlink(file->temporary);
        free(file->temporary);
        free(file->path);
        memset(file, 0, sizeof(*file));
}

static int make_one(const char *path, struct lb_error *err)
{
        struct stat status;
        if (mkdir(path, 0777) == 0)
                return 0;
        int why = errno;
        if (stat(path, &status) == 0) {
                if (S_ISDIR(status.st_mode))
                        return 0;
                why = ENOTDIR;
        }
        return lb_error_name(err, why, "cannot make directory '%s'", path);
}

int lb_write_all(int fd, const void *bytes, size_t size)
{
        const char *at = bytes;
        while (size > 0) {
                ssize_t n = write(fd, at, size);
                if (n < 0 && errno == EINTR)
                        continue;
                if (n < 0)
                        return -1;
                at += n;
                size -= (size_t)n;
        }
        return 0;
}

int lb_make_directory(const char *path, struct lb_error *err)
{
        char *text = join(path, "");
        if (!text)
                return lb_error_fail(err, "out of memory");
        int status = 0;
        for (char *at = text + 1; status == 0 && text[0] && *at; at++) {
                if (*at != '/')
                        continue;
                *at = '\0';
                status = make_one(text, err);
                *at = '/';
        }
        if (status == 0)
                status = make_one(text, err);
        free(text);
        return status;
}
