/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/zstd.h"

#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

extern char **environ;

bool lb_zstd_named(const char *path)
{
        size_t length = strlen(path);
        return length > 4 && strcmp(path + length - 4, ".zst") == 0;
}

/* Run zstd on these file descriptors; returns 0 or what errno would be. */
static int start(pid_t *process, char *const *words, int in, int out)
{
        posix_spawn_file_actions_t actions;
        posix_spawnattr_t attributes;
        sigset_t none;
        sigemptyset(&none);
        posix_spawn_file_actions_init(&actions);
        posix_spawn_file_actions_adddup2(&actions, in, STDIN_FILENO);
        posix_spawn_file_actions_adddup2(&actions, out, STDOUT_FILENO);
        posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
        posix_spawnattr_init(&attributes);
        posix_spawnattr_setsigmask(&attributes, &none);
        posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK);
        int why = posix_spawnp(process, "zstd", &actions, &attributes, words, environ);
        posix_spawnattr_destroy(&attributes);
        posix_spawn_file_actions_destroy(&actions);
        return why;
}

static int make_pipe(int end[static 2])
{
        if (pipe(end) < 0)
                return -1;
        fcntl(end[0], F_SETFD, FD_CLOEXEC);
        fcntl(end[1], F_SETFD, FD_CLOEXEC);
        return 0;
}

static FILE *open_stream(struct lb_zstd *zstd, int fd, bool writes)
{
        static char name[] = "zstd", quiet[] = "-q", to_stdout[] = "-c", expand[] = "-d";
        char *const words[] = { name, quiet, to_stdout, writes ? NULL : expand, NULL };
        int end[2];
        if (make_pipe(end) < 0)
                return NULL;
        int ours = end[writes ? 1 : 0], its = end[writes ? 0 : 1];
        int why = start(&zstd->process, words, writes ? its : fd, writes ? fd : its);
        close(its);
        FILE *stream = why == 0 ? fdopen(ours, writes ? "w" : "r") : NULL;
        if (!stream)
                close(ours);
        errno = why ? why : errno;
        return stream;
}

FILE *lb_zstd_writer(struct lb_zstd *zstd, int fd)
{
        sigset_t pipe_only;
        *zstd = (struct lb_zstd){ .writes = true };
        sigemptyset(&pipe_only);
        sigaddset(&pipe_only, SIGPIPE);
        pthread_sigmask(SIG_BLOCK, &pipe_only, &zstd->mask);
        FILE *stream = open_stream(zstd, fd, true);
        if (!stream)
                pthread_sigmask(SIG_SETMASK, &zstd->mask, NULL);
        return stream;
}

FILE *lb_zstd_reader(struct lb_zstd *zstd, int fd)
{
        *zstd = (struct lb_zstd){ .writes = false };
        return open_stream(zstd, fd, false);
}

/* Take a SIGPIPE that is waiting, then let them through again as before. */
static void unblock(const struct lb_zstd *zstd)
{
        const struct timespec at_once = { 0 };
        sigset_t pipe_only;
        sigemptyset(&pipe_only);
        sigaddset(&pipe_only, SIGPIPE);
        while (sigtimedwait(&pipe_only, NULL, &at_once) == SIGPIPE)
                continue;
        pthread_sigmask(SIG_SETMASK, &zstd->mask, NULL);
}

int lb_zstd_close(struct lb_zstd *zstd, FILE *stream)
{
        int status = 0, why = ferror(stream) ? EIO : 0;
        if (fclose(stream) != 0 && zstd->writes)
                why = errno;
        while (waitpid(zstd->process, &status, 0) < 0 && errno == EINTR)
                continue;
        if (zstd->writes)
                unblock(zstd);
        if (!WIFEXITED(status) || WEXITSTATUS(status) != 0)
                why = EIO;
        errno = why;
        return why ? -1 : 0;
}

int lb_zstd_check(struct lb_error *err)
{
        static char name[] = "zstd", version[] = "--version";
        char *const words[] = { name, version, NULL };
        pid_t process;
        int status = -1, null = open("/dev/null", O_RDWR | O_CLOEXEC);
        int why = start(&process, words, null, null);
        if (null >= 0)
                close(null);
        while (why == 0 && waitpid(process, &status, 0) < 0 && errno == EINTR)
                continue;
        if (why == 0 && WIFEXITED(status) && WEXITSTATUS(status) == 0)
                return 0;
        return lb_error_fail(err, "cannot run zstd, which compresses: %s",
                             strerror(why ? why : ENOENT));
}
