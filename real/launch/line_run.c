/* SPDX-License-Identifier: BSD-3-Clause */
#include <dirent.h>
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "real/launch/debris.h"
#include "real/launch/family.h"
#include "real/launch/hosts.h"
#include "real/launch/ignored.h"
#include "real/launch/line.h"
#include "real/launch/program.h"
#include "real/launch/proxies.h"

int line_library(char *path, size_t size, const char *kind, const char *mpi, struct lb_error *err)
{
        char name[64], found[PROGRAM_PATH_SIZE];
        snprintf(name, sizeof(name), "liblbrun-%s-%s.so", kind, mpi);
        if (program_own(found, name, err) < 0)
                return -1;
        if (snprintf(path, size, "%s", found) < (int)size)
                return 0;
        return lb_error_fail(err, "'%.300s...' is too long a name", found);
}

void line_remove(const char *path)
{
        char file[2 * PROGRAM_PATH_SIZE];
        DIR *entries = opendir(path);
        for (struct dirent *entry; entries && (entry = readdir(entries));) {
                snprintf(file, sizeof(file), "%s/%s", path, entry->d_name);
                unlink(file);
        }
        if (entries)
                closedir(entries);
        rmdir(path);
}

/* ---- Run ---- */

enum { LOOK_MS = 200, STUCK_LOOKS = 25 };
/* The signal that was to end it and is its exit code, any such, and one of any kind; 0: none. */
static volatile sig_atomic_t child, told, ended_by, passed;
static volatile sig_atomic_t continued; /* after a stop (Ctrl-Z, fg) */
static volatile sig_atomic_t beside;    /* line_stops_too() */

static void become(char *const *line, pid_t parent)
{
        prctl(PR_SET_PDEATHSIG, SIGTERM);
        if (getppid() != parent)
                _exit(125);
        execvp(line[0], line);
        fprintf(stderr, "lbrun: '%s' cannot be run: %s\n", line[0], strerror(errno));
        _exit(errno == ENOENT ? 127 : 126);
}

static bool may_be_of_terminal(int signal)
{
        return signal == SIGINT || signal == SIGQUIT || signal == SIGTSTP || signal == SIGWINCH;
}

/* To our group, which is the launcher's, too. */
static bool is_of_terminal(int signal, const siginfo_t *info)
{
        return may_be_of_terminal(signal) && info->si_code > 0;
}

/* abort() is ours. */
static void pass_on(int signal, siginfo_t *info, void *context)
{
        int before = errno;
        (void)context;
        bool tells = signal == SIGTERM || signal == SIGHUP;
        if (tells)
                told = signal;
        if (tells || signal == SIGINT || signal == SIGQUIT)
                ended_by = signal;
        if (child > 0 && !is_of_terminal(signal, info) &&
            (info->si_code > 0 || info->si_pid != getpid())) {
                passed = signal;
                kill((pid_t)child, signal);
        }
        errno = before;
}

static void note_continued(int signal)
{
        (void)signal;
        continued = 1;
}

/* The launcher may have to tell other machines. Open MPI's stops the ranks at Ctrl-Z, but not
 * itself. */
static void continue_all(void)
{
        if (continued) {
                kill((pid_t)child, SIGCONT);
                family_continue();
        }
        continued = 0;
}

static void handle(int signal, void (*handler)(int, siginfo_t *, void *))
{
        struct sigaction action = { .sa_sigaction = handler, .sa_flags = SA_SIGINFO | SA_RESTART };
        sigemptyset(&action.sa_mask);
        sigaction(signal, &action, NULL);
}

/* As one without a handler does, which in a group that no shell looks after is not at all. */
static void stop(void)
{
        sigset_t set;
        sigemptyset(&set);
        sigaddset(&set, SIGTSTP);
        signal(SIGTSTP, SIG_DFL);
        raise(SIGTSTP);
        sigprocmask(SIG_UNBLOCK, &set, NULL);
}

static void stop_with_job(int signal, siginfo_t *info, void *context)
{
        int before = errno;
        pass_on(signal, info, context);
        if (beside > 0)
                kill(-(pid_t)beside, SIGTSTP);
        stop();
        handle(SIGTSTP, stop_with_job);
        if (beside > 0)
                kill(-(pid_t)beside, SIGCONT);
        errno = before;
}

void line_stops_too(pid_t group)
{
        beside = group;
}

/* Which of them come to the ranks, or end it, the launcher knows; not what is of this process. */
static bool is_passed(int signal)
{
        static const int own[] = { SIGILL,  SIGTRAP, SIGBUS,  SIGFPE,  SIGSEGV, SIGSYS,  SIGKILL,
                                   SIGSTOP, SIGCHLD, SIGPIPE, SIGCONT, SIGTTIN, SIGTTOU, SIGXFSZ };
        for (size_t i = 0; i < sizeof(own) / sizeof(own[0]); i++)
                if (signal == own[i])
                        return false;
        return true;
}

static void set_signals(void)
{
        signal(SIGPIPE, SIG_IGN); /* whoever reads our messages may leave, the job goes on */
        signal(SIGCONT, note_continued);
        for (int i = 1; i <= SIGRTMAX; i++) {
                bool stops = i == SIGTSTP && !signal_is_ignored(i);
                if (is_passed(i) && signal_counts(i))
                        handle(i, stops ? stop_with_job : pass_on);
        }
}

void line_end_passing(void)
{
        struct sigaction now;
        for (int i = 1; i <= SIGRTMAX; i++)
                if (is_passed(i) && !may_be_of_terminal(i) && sigaction(i, NULL, &now) == 0 &&
                    (now.sa_flags & SA_SIGINFO))
                        signal(i, SIG_DFL);
}

/*
 * Where ranks were killed, the end of Open MPI's launcher (4.1.4 with PMIx 4.2.2) can wait for ever
 * for a lock of its server's that nobody holds any more (PMIx_server_finalize): seen in 5 of 360
 * runs on a busy machine, without lbrun as well. Its event loop waits for messages, never for a
 * lock.
 */
bool line_is_stuck(pid_t launcher)
{
        char path[64];
        int number = -1;
        snprintf(path, sizeof(path), "/proc/%d/syscall", (int)launcher);
        FILE *in = fopen(path, "re");
        if (!in)
                return false;
        bool waits = fscanf(in, "%d", &number) == 1 && number == SYS_futex;
        fclose(in);
        return waits && family_is_alone(launcher);
}

/* What is looked at while a line runs. */
struct look {
        pid_t launcher;
        const char *mpi; /* NULL: not known */
        const struct line_watch *watch;
        struct proxies proxies;
        char lost[512]; /* what of them it waits for, in words; "": it waits for nobody */
};

static bool has_lost_proxy(struct look *look)
{
        struct hosts hosts = { 0 };
        const char *host;
        if (!look->watch || !look->watch->hosts ||
            proxies_look(&look->proxies, look->launcher) == 0)
                return false;
        bool known = look->watch->hosts(look->watch->user, &hosts);
        const struct proxy *lost = known ? proxies_lost(&look->proxies, &hosts, &host) : NULL;
        if (lost)
                snprintf(look->lost, sizeof(look->lost), "'%s' (process %d) for %s%s", lost->name,
                         (int)lost->pid, *host ? "host " : "one of the nodes", host);
        hosts_finish(&hosts);
        return lost != NULL;
}

static bool is_stuck(struct look *look)
{
        if (!look->mpi)
                return false;
        return strcmp(look->mpi, "openmpi") == 0 ? line_is_stuck(look->launcher)
                                                 : has_lost_proxy(look);
}

static void kill_stuck(const struct look *look)
{
        if (!look->lost[0])
                fprintf(stderr, "lbrun: the launcher hangs after the ranks' end: it is killed\n");
        else
                fprintf(stderr,
                        "lbrun: the launcher's %s has ended before the ranks there, and the "
                        "launcher waits: it is killed\n",
                        look->lost);
        kill(look->launcher, SIGKILL);
}

/* Returns whether it was stuck, and is killed. */
static bool look_until_end(pid_t pid, const char *mpi, const struct line_watch *watch)
{
        struct look look = { .launcher = pid, .mpi = mpi, .watch = watch };
        int fd = (int)syscall(SYS_pidfd_open, pid, 0), stuck = 0;
        struct pollfd ended = { .fd = fd, .events = POLLIN };
        while (fd >= 0 && stuck < STUCK_LOOKS && poll(&ended, 1, LOOK_MS) <= 0) {
                if (watch && watch->look)
                        watch->look(watch->user);
                continue_all();
                stuck = is_stuck(&look) ? stuck + 1 : 0;
        }
        if (fd >= 0)
                close(fd);
        if (stuck >= STUCK_LOOKS)
                kill_stuck(&look);
        proxies_finish(&look.proxies);
        return stuck >= STUCK_LOOKS;
}

/* Of a launcher that takes its end by a signal for a good one (MPICH's does) the signal counts. */
static int code_of(const char *launcher, int status)
{
        if (WIFSIGNALED(status)) {
                if (WTERMSIG(status) == passed)
                        ended_by = passed;
                fprintf(stderr, "lbrun: '%s' was ended by signal %d, %s\n", launcher,
                        WTERMSIG(status), strsignal(WTERMSIG(status)));
                return 128 + WTERMSIG(status);
        }
        return WEXITSTATUS(status) == 0 && told ? 128 + told : WEXITSTATUS(status);
}

int line_signal(void)
{
        return (int)ended_by;
}

void line_clean(const struct timespec *since)
{
        if (ended_by)
                family_end();
        debris_clean(since);
}

int line_run(char *const *line, const struct line_watch *watch, struct lb_error *err)
{
        int status;
        if (family_adopt(err) < 0)
                return -1;
        pid_t parent = getpid(), pid = fork();
        if (pid == 0)
                become(line, parent);
        if (pid < 0)
                return lb_error_fail(err, "cannot start '%s': %s", line[0], strerror(errno));
        child = pid;
        set_signals();
        const char *mpi = line_mpi_of(line[0]);
        bool stuck = look_until_end(pid, mpi, watch);
        while (waitpid(pid, &status, 0) < 0)
                if (errno != EINTR)
                        return lb_error_fail(err, "cannot wait for '%s': %s", line[0],
                                             strerror(errno));
        child = 0;
        if (stuck)
                family_end();
        return stuck ? 128 + SIGKILL : code_of(line[0], status);
}
