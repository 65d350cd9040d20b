/* SPDX-License-Identifier: BSD-3-Clause */
#include "real/launch/advise.h"

#include <errno.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "real/launch/measure.h"

enum { NO_ADVICE = 125, PATH_SIZE = 4096 };

static const char usage[] =
    "Usage: lbrun advise [--out DIR] [--mpi openmpi|mpich] -- LAUNCHER ... PROGRAM ...\n"
    "\n"
    "Run a program as it is, under its own launcher, measure its loads (lbrun measure --help), "
    "and\n"
    "say whether it is out of balance, what each system would gain, and what that asks of you:\n"
    "lbrun advise -- mpirun -n 64 ./app args. The same again, with other assumptions, without the\n"
    "program: lbsim gain DIR (lbsim gain --help).\n"
    "\n"
    "  --out DIR                measured.json, loads.csv, and the answer as a page: advice.html;\n"
    "                           default measured. It must not have a measurement already\n"
    "  --mpi openmpi|mpich      the MPI of the launcher, where its name does not tell (srun)\n"
    "\n"
    "The exit code is the launcher's; 125 where the program ended well without advice.\n";

/* lbsim beside lbrun, as built and as installed, else that of PATH. */
static const char *find_lbsim(char path[static PATH_SIZE])
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
                const char *program = find_lbsim(lbsim);
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

static bool is_measured(const char *directory)
{
        char path[PATH_SIZE];
        snprintf(path, sizeof(path), "%s/measured.json", directory);
        return access(path, F_OK) == 0;
}

int advise_main(int count, char **word)
{
        const char *directory = "measured";
        for (int i = 0; i < count && strcmp(word[i], "--") != 0; i++) {
                if (strcmp(word[i], "--help") == 0) {
                        fputs(usage, stdout);
                        return 0;
                }
                if (strcmp(word[i], "--out") == 0 && i + 1 < count)
                        directory = word[i + 1];
        }
        bool before = is_measured(directory);
        int code = measure_main(count, word);
        if (before || !is_measured(directory))
                return code;
        if (run_lbsim(directory) == 0 || code != 0)
                return code;
        fprintf(stderr, "lbrun: no advice; what was measured is in '%s': lbsim gain %s\n",
                directory, directory);
        return NO_ADVICE;
}
