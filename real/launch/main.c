/* SPDX-License-Identifier: BSD-3-Clause */
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/unbind.h"
#include "real/launch/doctor/doctor.h"
#include "real/launch/ignored.h"
#include "real/launch/keeper.h"
#include "real/launch/options.h"
#include "real/launch/program.h"

enum { LBRUN_FAILED = 125 };

/* A program that is not there may be a command that is spelled wrong: as env(1), 127. */
static int refuse_command(const char *word)
{
        struct lb_error err;
        char path[PROGRAM_PATH_SIZE];
        const char *near = lb_command_nearest(&lbrun_program, word);
        int code = near ? program_locate(word, path, &err) : 0;
        if (code)
                fprintf(stderr, "lbrun: %s; did you mean 'lbrun %s'?\n", err.text, near);
        return code;
}

static int dispatch(int argc, char **argv)
{
        if (argc > 2 && strcmp(argv[1], "--keep") == 0)
                return keeper_main(argv + 2);
        if (argc > 2 && strcmp(argv[1], "--probe") == 0)
                return doctor_probe_main(argv + 2);
        int code = lb_program_pages(&lbrun_program, argc, argv);
        if (code >= 0)
                return code;
        const struct lb_command *command =
            argc > 1 ? lb_command_find(&lbrun_program, argv[1]) : NULL;
        if (command)
                return lb_command_run(command, argc - 1, argv + 1);
        code = argc > 1 ? refuse_command(argv[1]) : 0;
        return code ? code : lb_command_run(lbrun_program.commands[0], argc, argv);
}

/* Standard streams that are closed would else be the first files that are opened; and mpirun needs
 * them. */
static void hold_streams(void)
{
        int fd;
        do
                fd = open("/dev/null", O_RDWR);
        while (fd >= 0 && fd <= STDERR_FILENO);
        if (fd >= 0)
                close(fd);
}

/* A file beyond the limit is an error of its writer. Programs on a launch line do not inherit a
 * handler: they are ended, or not, as without lbrun. */
static void ignore_here(int signal)
{
        (void)signal;
}

int main(int argc, char **argv)
{
        lb_unbind();
        hold_streams();
        if (!signal_is_ignored(SIGXFSZ))
                signal(SIGXFSZ, ignore_here);
        int code = dispatch(argc, argv);
        if (fflush(stdout) == 0 && !ferror(stdout))
                return code;
        fputs("lbrun: cannot write to standard output\n", stderr);
        return code ? code : LBRUN_FAILED;
}
