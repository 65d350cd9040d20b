/* SPDX-License-Identifier: BSD-3-Clause */
#include "real/launch/advise.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

enum { NO_ADVICE = 125, PATH_SIZE = ADVISE_PATH_SIZE };

const char *advise_lbsim(char path[static ADVISE_PATH_SIZE])
{
        ssize_t length = readlink("/proc/self/exe", path, PATH_SIZE - 16);
        path[length > 0 ? length : 0] = '\0';
        char *slash = strrchr(path, '/');
        if (slash)
                strcpy(slash + 1, "lbsim");
        return slash && access(path, X_OK) == 0 ? path : "lbsim";
}

static int run_lbsim(const char *directory)
{
        char lbsim[PATH_SIZE], page[PATH_SIZE];
        snprintf(page, sizeof(page), "%s/advice.html", directory);
        static const int passed[] = { SIGTERM, SIGHUP, SIGUSR1, SIGUSR2 };
        for (size_t i = 0; i < sizeof(passed) / sizeof(passed[0]); i++)
                signal(passed[i], SIG_DFL); /* the job that they were passed on to has ended */
        fflush(stdout);
        pid_t pid = fork();
        if (pid == 0) {
                prctl(PR_SET_PDEATHSIG, SIGTERM);
                const char *program = advise_lbsim(lbsim);
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
