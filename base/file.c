/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/file.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

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

int lb_file_create(struct lb_file *file, const char *path, struct lb_error *err)
{
        memset(file, 0, sizeof(*file));
        file->path = join(path, "");
        file->temporary = join(path, ".XXXXXX");
        if (!file->path || !file->temporary) {
                lb_file_abandon(file);
                return lb_error_fail(err, "out of memory");
        }
        int fd = mkstemp(file->temporary);
        if (fd < 0) {
                int why = errno;
                free(file->temporary);
                file->temporary = NULL;
                lb_file_abandon(file);
                return lb_error_fail(err, "cannot write '%s': %s", path, strerror(why));
        }
        mode_t mask = umask(0);
        umask(mask);
        file->stream = fchmod(fd, 0666 & ~mask) == 0 ? fdopen(fd, "w") : NULL;
        if (file->stream)
                return 0;
        int why = errno;
        close(fd);
        lb_file_abandon(file);
        return lb_error_fail(err, "cannot write '%s': %s", path, strerror(why));
}

/* Everything on the disk? */
static int flush(struct lb_file *file)
{
        int status = ferror(file->stream) || fflush(file->stream) != 0 ||
                     (fsync(fileno(file->stream)) != 0 && errno != EINVAL);
        int why = errno;
        if (fclose(file->stream) != 0 && status == 0) {
                status = 1;
                why = errno;
        }
        file->stream = NULL;
        errno = why;
        return status ? -1 : 0;
}

int lb_file_commit(struct lb_file *file, struct lb_error *err)
{
        int status = 0;
        if (flush(file) < 0 || rename(file->temporary, file->path) < 0) {
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
                fclose(file->stream);
        if (file->temporary)
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
        return lb_error_fail(err, "cannot make directory '%s': %s", path, strerror(why));
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
