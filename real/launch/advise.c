/* SPDX-License-Identifier: BSD-3-Clause */
#include "real/launch/advise.h"

#include "base/self.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "real/launch/line.h"

enum { NO_ADVICE = 125, PATH_SIZE = LB_SELF_SIZE, LIMIT_S = 60, TOLD_LIMIT_S = 2, NICE = 10 };

static int run_lbsim(const char *directory)
{
        char lbsim[PATH_SIZE], page[PATH_SIZE];
        snprintf(page, sizeof(page), "%s/advice.html", directory);
        line_end_passing();
        fflush(stdout);
        pid_t pid = fork();
        if (pid == 0) {
                prctl(PR_SET_PDEATHSIG, SIGTERM);
                const char *program = lb_self_sister("lbsim", lbsim);
                signal(SIGINT, SIG_DFL);
                signal(SIGQUIT, SIG_DFL);
                signal(SIGPIPE, SIG_DFL);
                execlp(program, "lbsim", "gain", directory, "--html", page, (char *)NULL);
                fprintf(stderr, "lbrun: advise: 'lbsim' cannot be run: %s\n", strerror(errno));
                _exit(NO_ADVICE);
        }
        int status = 0;
        while (pid > 0 && waitpid(pid, &status, 0) < 0)
                if (errno != EINTR)
                        return -1;
        return pid > 0 && WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

int advise(const char *directory, int code)
{
        if (run_lbsim(directory) == 0 || code != 0)
                return code;
        fprintf(stderr, "lbrun: no advice; what was measured is in '%s': lbsim gain %s\n",
                directory, directory);
        return NO_ADVICE;
}

static void become(const struct words *line, const int ends[2], FILE *said)
{
        dup2(ends[1], STDOUT_FILENO);
        if (said ? dup2(fileno(said), STDERR_FILENO) < 0 : !freopen("/dev/null", "w", stderr))
                _exit(NO_ADVICE);
        signal(SIGPIPE, SIG_DFL);
        alarm(LIMIT_S);
        if (nice(NICE) == -1)
                errno = 0; /* the program goes first, if that can be */
        close(ends[0]);
        execvp(line->word[0], line->word);
        fprintf(stderr, "lbrun: '%s' cannot be run: %s\n", line->word[0], strerror(errno));
        _exit(127);
}

/* What the child said of its failure, as it said it. */
static void tell(FILE *said)
{
        char part[1024];
        size_t got;
        rewind(said);
        while ((got = fread(part, 1, sizeof(part), said)) > 0)
                fwrite(part, 1, got, stderr);
}

/* A batch system that has told the job to end kills it soon, and what it has measured with it. */
static void wait_for_words(int fd, pid_t pid)
{
        enum { LOOKS = 10 }; /* in a second */
        struct pollfd said = { .fd = fd, .events = POLLIN };
        for (int told = 0; poll(&said, 1, 1000 / LOOKS) <= 0;)
                if (line_signal() && ++told >= TOLD_LIMIT_S * LOOKS)
                        kill(pid, SIGKILL);
}

static ssize_t read_words(int fd, pid_t pid, char *text, size_t size)
{
        wait_for_words(fd, pid);
        return read(fd, text, size);
}

bool advise_ask(const struct words *line, char *text, size_t size, bool tells)
{
        int ends[2], status = -1;
        size_t used = 0;
        ssize_t got;
        if (pipe(ends) < 0)
                return false;
        FILE *said = tells ? tmpfile() : NULL;
        pid_t pid = fork();
        if (pid == 0)
                become(line, ends, said);
        close(ends[1]);
        while (pid > 0 && used < size - 1 &&
               (got = read_words(ends[0], pid, text + used, size - 1 - used)) > 0)
                used += (size_t)got;
        close(ends[0]);
        text[used] = '\0';
        while (pid > 0 && waitpid(pid, &status, 0) < 0 && errno == EINTR)
                ;
        bool fine = pid > 0 && WIFEXITED(status) && WEXITSTATUS(status) == 0;
        if (said && !fine)
                tell(said);
        if (said)
                fclose(said);
        return fine;
}
