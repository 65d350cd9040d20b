/* SPDX-License-Identifier: BSD-3-Clause */
#include "real/launch/start.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include "real/launch/ignored.h"

static void leave_terminal(void)
{
        if (!isatty(STDIN_FILENO))
                return;
        int nothing = open("/dev/null", O_RDONLY | O_CLOEXEC);
        if (nothing >= 0)
                dup2(nothing, STDIN_FILENO);
}

/* In the child. */
static void become(char *const *word, const int out[static 2], const sigset_t *mask, pid_t parent)
{
        setsid();
        prctl(PR_SET_PDEATHSIG, SIGTERM);
        if (getppid() != parent)
                _exit(125); /* died before we could ask to be told */
        leave_terminal();
        dup2(out[0], STDOUT_FILENO);
        dup2(out[1], STDERR_FILENO);
        sigprocmask(SIG_SETMASK, mask, NULL);
        signal(SIGXFSZ, SIG_IGN); /* ranks inherit it, whose runtime writes files of its own */
        execvp(word[0], word);
        fprintf(stderr, "lbrun: '%s' cannot be run: %s\n", word[0], strerror(errno));
        _exit(125);
}

/* Who started us may have it ignored: then it stays so. */
static bool stops(void)
{
        struct sigaction action;
        return sigaction(SIGTSTP, NULL, &action) == 0 && action.sa_handler != SIG_IGN;
}

/* Signals to its group reach a child that has become the program, or could not. */
static void await(const int begun[static 2])
{
        char nothing;
        close(begun[1]);
        while (read(begun[0], &nothing, 1) < 0 && errno == EINTR)
                ;
        close(begun[0]);
}

int start_process(char *const *word, const int out[static 2], pid_t *pid, int *signals,
                  struct lb_error *err)
{
        static const int caught[] = { SIGCHLD, SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGUSR1, SIGUSR2 };
        sigset_t set, blocked, before;
        sigemptyset(&set);
        for (size_t i = 0; i < sizeof(caught) / sizeof(caught[0]); i++)
                if (signal_counts(caught[i]))
                        sigaddset(&set, caught[i]);
        if (stops())
                sigaddset(&set, SIGTSTP);
        blocked = set;
        sigaddset(&blocked, SIGPIPE); /* whoever reads our messages may leave, the job goes on */
        sigprocmask(SIG_BLOCK, &blocked, &before);
        *signals = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
        if (*signals < 0)
                return lb_error_fail(err, "cannot wait for signals: %s", strerror(errno));
        int begun[2];
        if (pipe2(begun, O_CLOEXEC) < 0)
                return lb_error_fail(err, "cannot make a pipe: %s", strerror(errno));
        pid_t parent = getpid();
        *pid = fork();
        int failed = errno;
        if (*pid == 0)
                become(word, out, &before, parent);
        await(begun);
        if (*pid < 0)
                return lb_error_fail(err, "cannot start '%s': %s", word[0], strerror(failed));
        return 0;
}
