/* SPDX-License-Identifier: BSD-3-Clause */
#include "real/launch/janitor.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
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

static int ascending(const void *a, const void *b)
{
        return *(const int *)a - *(const int *)b;
}

/* Keeps nothing open that somebody may wait for the end of: pipes of whoever runs lbrun. */
void janitor_let_go(int *fd, int count)
{
        sigset_t all;
        int kept[16] = { 0 };
        unsigned next = 3;
        leave_job();
        sigfillset(&all);
        sigprocmask(SIG_BLOCK, &all, NULL);
        memcpy(kept, fd, (size_t)count * sizeof(*kept));
        qsort(kept, (size_t)count, sizeof(*kept), ascending);
        for (int i = 0; i < count; i++) {
                if (kept[i] < (int)next)
                        continue;
                if (kept[i] > (int)next)
                        close_range(next, (unsigned)kept[i] - 1, 0);
                next = (unsigned)kept[i] + 1;
        }
        close_range(next, ~0U, 0);
        int nothing = open("/dev/null", O_RDWR);
        for (int standard = 0; standard < 3 && nothing >= 0; standard++)
                dup2(nothing, standard);
        if (nothing >= 3)
                close(nothing);
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
        janitor_let_go(&fd, 1);
        if (read(fd, &done, 1) != 1) {
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

void janitor_note_place(struct janitor_place *place, const char *job, const struct timespec *since)
{
        const char *session = session_directory();
        place->since = *since;
        snprintf(place->job, sizeof(place->job), "%s", job);
        snprintf(place->session, sizeof(place->session), "%s", session ? session : "");
}

void janitor_clean_place(const struct janitor_place *place)
{
        clean_up(place->job, &place->since);
        if (place->session[0])
                debris_remove_tree(place->session);
}

static _Noreturn void wait_for_daemon(int daemon, const char *job, const struct timespec *since)
{
        struct janitor_place place;
        janitor_note_place(&place, job, since);
        janitor_let_go(&daemon, 1);
        struct pollfd gone = { .fd = daemon, .events = POLLIN };
        while (poll(&gone, 1, -1) < 0 && errno == EINTR)
                continue;
        janitor_clean_place(&place);
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

/* Writes who that is, as it is no child of lbrun's. */
static void start_for(int fd, const struct janitor *janitor, const char *job,
                      const struct timespec *since)
{
        setsid();
        pid_t pid = fork();
        if (pid == 0)
                wait_for_end(fd, job, janitor->directory, since);
        _exit(write(fd, &pid, sizeof(pid)) == sizeof(pid) ? 0 : 1);
}

static int open_process(int fd)
{
        pid_t pid;
        if (recv(fd, &pid, sizeof(pid), MSG_DONTWAIT) != sizeof(pid) || pid <= 0)
                return -1;
        return (int)syscall(SYS_pidfd_open, pid, 0);
}

void janitor_start(struct janitor *janitor, const char *job, const struct timespec *since)
{
        int pair[2];
        janitor->fd = janitor->process = -1;
        if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair) < 0)
                return;
        pid_t pid = fork();
        if (pid == 0) {
                close(pair[0]);
                start_for(pair[1], janitor, job, since);
        }
        close(pair[1]);
        if (pid < 0) {
                close(pair[0]);
                return;
        }
        waitpid(pid, NULL, 0);
        janitor->fd = pair[0];
        janitor->process = open_process(pair[0]);
}

/* Its end of the pair is closed by then. */
static bool is_gone(const struct janitor *janitor)
{
        enum { PATIENCE_MS = 1000 };
        bool known = janitor->process >= 0;
        struct pollfd gone = { .fd = known ? janitor->process : janitor->fd, .events = POLLIN };
        int found;
        do
                found = poll(&gone, 1, PATIENCE_MS);
        while (found < 0 && errno == EINTR);
        return found == 1;
}

void janitor_stop(struct janitor *janitor)
{
        const char done = 0;
        if (janitor->fd < 0)
                return;
        if (send(janitor->fd, &done, 1, MSG_NOSIGNAL) == 1 && !is_gone(janitor) &&
            janitor->process >= 0) {
                syscall(SYS_pidfd_send_signal, janitor->process, SIGKILL, NULL, 0);
                is_gone(janitor);
        }
        if (janitor->process >= 0)
                close(janitor->process);
        close(janitor->fd);
        janitor->fd = janitor->process = -1;
}
