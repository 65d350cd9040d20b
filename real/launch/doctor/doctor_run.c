/* SPDX-License-Identifier: BSD-3-Clause */
/* Other programs, with an end to their time. */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "real/launch/command.h"
#include "real/launch/doctor/doctor_impl.h"
#include "real/launch/family.h"

enum { TIME_OVER = 124, NOT_RUN = 127, SIGNALLED = 128 };

static void become(char *const *word, const char *setting, const int *pipe)
{
        int nothing = open("/dev/null", O_RDONLY);
        dup2(nothing, STDIN_FILENO);
        dup2(pipe[1], STDOUT_FILENO);
        dup2(pipe[1], STDERR_FILENO);
        if (setting)
                putenv((char *)setting);                        /* gone with this process */
        if (command_ready() == 0 && command_ready_slurm() == 0) /* as lbrun itself does */
                execvp(word[0], word);
        dprintf(STDERR_FILENO, "%s\n", strerror(errno));
        _exit(NOT_RUN);
}

/* Read until the end; what is too much is thrown away. Is the time over before? */
static bool read_until(int from, double end_s, char *text, size_t size)
{
        size_t at = 0;
        text[0] = '\0';
        for (;;) {
                char part[4096];
                int left_ms = (int)(1e3 * (end_s - clock_s()));
                struct pollfd wait = { .fd = from, .events = POLLIN };
                if (left_ms <= 0 || poll(&wait, 1, left_ms) == 0)
                        return true;
                ssize_t got = read(from, part, sizeof(part));
                if (got < 0 && errno == EINTR)
                        continue;
                if (got <= 0)
                        return false;
                for (ssize_t i = 0; i < got && at + 1 < size; i++)
                        text[at++] = part[i];
                text[at] = '\0';
        }
}

static int end(pid_t pid, bool time_over)
{
        int status = 0;
        if (time_over) {
                kill(pid, SIGTERM);
                family_end();
                return TIME_OVER;
        }
        while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
                ;
        return WIFSIGNALED(status) ? SIGNALLED + WTERMSIG(status) : WEXITSTATUS(status);
}

/* With why in text[size]. */
static int not_run(char *text, size_t size)
{
        snprintf(text, size, "%s", strerror(errno));
        return NOT_RUN;
}

int doctor_run(char *const *word, const char *setting, int timeout_s, char *text, size_t size)
{
        int ends[2];
        text[0] = '\0';
        if (pipe2(ends, O_CLOEXEC) < 0)
                return not_run(text, size);
        pid_t pid = fork();
        int status = pid < 0 ? not_run(text, size) : 0;
        if (pid == 0)
                become(word, setting, ends);
        close(ends[1]);
        bool over = pid > 0 && read_until(ends[0], clock_s() + timeout_s, text, size);
        close(ends[0]);
        return pid > 0 ? end(pid, over) : status;
}
