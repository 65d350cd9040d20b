/* SPDX-License-Identifier: BSD-3-Clause */
#include "real/launch/janitor.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "real/launch/debris.h"
#include "real/launch/family.h"
#include "real/node/board.h"
#include "real/node/cpu_groups.h"

/* A keeper's environment says that it is of the job, which is to be ended. */
static void leave_job(void)
{
        char *job = getenv("LBRUN_JOB");
        if (job)
                memset(job, 0, strlen(job));
}

/* Keeps nothing open that somebody may wait for the end of: pipes of whoever runs lbrun. */
static void let_go(int fd)
{
        sigset_t all;
        leave_job();
        sigfillset(&all);
        sigprocmask(SIG_BLOCK, &all, NULL);
        int nothing = open("/dev/null", O_RDWR);
        for (int standard = 0; standard < 3 && nothing >= 0; standard++)
                dup2(nothing, standard);
        dup2(fd, 3);
        close_range(4, ~0U, 0);
}

/* mpirun is told to end by the kernel, and ends its ranks if it can: it is given some time, and
 * let go on if it was stopped. What is then left is killed, whatever it waits for. */
static void end_processes(const char *job)
{
        enum { GRACE = 50, ROUNDS = 300 };
        for (int round = 0; round < ROUNDS; round++) {
                int signal = round < GRACE ? SIGCONT : SIGKILL;
                if (family_signal_job(job, signal) == 0)
                        return;
                nanosleep(&(struct timespec){ .tv_nsec = 100000000 }, NULL);
                board_clean(NULL);
        }
}

/* Whoever was to wait for those that have ended gets a moment: until then some count as alive. */
static void clean_up(const char *job, const struct timespec *since)
{
        const struct timespec moment = { .tv_sec = 2 };
        end_processes(job);
        nanosleep(&moment, NULL);
        board_clean(NULL);
        board_clean(job);
        cpu_groups_clean(job);
        debris_clean(since);
}

static _Noreturn void wait_for_end(int fd, const char *job, const char *directory,
                                   const struct timespec *since)
{
        char done;
        let_go(fd);
        if (read(3, &done, 1) != 1) {
                clean_up(job, since);
                if (directory)
                        debris_remove_tree(directory);
        }
        _exit(0);
}

/* ---- Of another node ---- */

/* The session directory of the daemon of this node, which Open MPI's ranks are told. */
static const char *session_directory(void)
{
        const char *path = getenv("OMPI_MCA_orte_jobfam_session_dir");
        struct stat status;
        bool ours = path && path[0] == '/' && strstr(path, "/ompi.") && lstat(path, &status) == 0 &&
                    S_ISDIR(status.st_mode) && status.st_uid == geteuid();
        return ours ? path : NULL;
}

static _Noreturn void wait_for_daemon(int daemon, const char *job, const struct timespec *since)
{
        const char *directory = session_directory();
        let_go(daemon);
        struct pollfd gone = { .fd = 3, .events = POLLIN };
        while (poll(&gone, 1, -1) < 0 && errno == EINTR)
                continue;
        clean_up(job, since);
        if (directory)
                debris_remove_tree(directory);
        _exit(0);
}

void janitor_attend(const char *job, const struct timespec *since)
{
        int daemon = (int)syscall(SYS_pidfd_open, getppid(), 0);
        if (daemon < 0)
                return;
        pid_t pid = fork();
        if (pid == 0) {
                setsid();
                if (fork() == 0)
                        wait_for_daemon(daemon, job, since);
                _exit(0);
        }
        close(daemon);
        if (pid > 0)
                waitpid(pid, NULL, 0);
}

/* ---- Of lbrun ---- */

void janitor_start(struct janitor *janitor, const char *job, const struct timespec *since)
{
        int pair[2];
        janitor->fd = -1;
        if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair) < 0)
                return;
        pid_t pid = fork();
        if (pid == 0) {
                setsid();
                close(pair[0]);
                if (fork() == 0)
                        wait_for_end(pair[1], job, janitor->directory, since);
                _exit(0);
        }
        close(pair[1]);
        if (pid < 0) {
                close(pair[0]);
                return;
        }
        waitpid(pid, NULL, 0);
        janitor->fd = pair[0];
}

void janitor_stop(struct janitor *janitor)
{
        char done = 0;
        if (janitor->fd < 0)
                return;
        ssize_t size = send(janitor->fd, &done, 1, MSG_NOSIGNAL);
        while (size > 0) /* until its end of the pair is closed */
                size = read(janitor->fd, &done, 1);
        close(janitor->fd);
        janitor->fd = -1;
}
