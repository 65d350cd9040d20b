/* SPDX-License-Identifier: BSD-3-Clause */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/number.h"
#include "base/unbind.h"
#include "policies/plugged.h"
#include "sim/commands/commands.h"
#include "sim/sweep/fallen.h"

enum { USAGE = 2 };

/* What "--hung-s S" says is for constructors of plugins, too; what is wrong with it is said later.
 */
static void limit_loading(int argc, char **argv)
{
        static const char option[] = "--hung-s";
        size_t length = strlen(option);
        for (int i = 1; i < argc; i++) {
                const char *after = argv[i] + length;
                char *end;
                if (strncmp(argv[i], option, length) != 0 || (*after != '\0' && *after != '='))
                        continue;
                const char *value = *after ? after + 1 : argv[i + 1];
                double hung_s = value ? lb_number_read(value, &end) : 0;
                if (hung_s > 0)
                        fallen_limit_loading(hung_s);
        }
}

/* "--policy FILE" may stand anywhere: the systems that it brings are known from then on. Takes
 * these words out; returns how many are left, or -1. */
static int load_policies(int argc, char **argv)
{
        static const char option[] = "--policy";
        size_t length = strlen(option);
        int left = 0;
        struct lb_error err;
        for (int i = 0; i < argc; i++) {
                if (strncmp(argv[i], option, length) != 0 ||
                    (argv[i][length] != '\0' && argv[i][length] != '=')) {
                        argv[left++] = argv[i];
                        continue;
                }
                const char *file = argv[i][length] ? argv[i] + length + 1 : argv[++i];
                if (!file) {
                        fputs("lbsim: '--policy' needs a value, allowed is a shared object\n",
                              stderr);
                        return -1;
                }
                if (plugged_load(file, &err) < 0) {
                        fprintf(stderr, "lbsim: --policy: %s\n", err.text);
                        return -1;
                }
        }
        argv[left] = NULL;
        return left;
}

/* What is not the name of a command is a scenario to run. */
static int dispatch(int argc, char **argv)
{
        int status = lb_program_pages(&lbsim_program, argc, argv);
        if (status >= 0)
                return status;
        const struct lb_command *command =
            argc > 1 ? lb_command_find(&lbsim_program, argv[1]) : NULL;
        if (command)
                return lb_command_run(command, argc - 1, argv + 1);
        const char *near = argc > 1 && access(argv[1], F_OK) < 0
                               ? lb_command_nearest(&lbsim_program, argv[1])
                               : NULL;
        if (!near)
                return lb_command_run(&command_run, argc, argv);
        fprintf(stderr, "lbsim: '%.60s' is neither a command nor a file, did you mean '%s'?\n",
                argv[1], near);
        return USAGE;
}

/* A standard stream that is closed must not become the first file that we open. Writing to such a
 * standard output fails, as it should. */
static void reserve_streams(void)
{
        static const int mode[] = { O_RDONLY, O_RDONLY, O_WRONLY };
        for (int fd = 0; fd < 3; fd++)
                if (fcntl(fd, F_GETFD) < 0 && errno == EBADF && open("/dev/null", mode[fd]) != fd)
                        return;
}

int main(int argc, char **argv)
{
        lb_unbind();
        reserve_streams();
        signal(SIGXFSZ, SIG_IGN); /* a file beyond the limit is an error of its writer */
        fallen_guard();
        limit_loading(argc, argv);
        int count = load_policies(argc, argv);
        int status = count < 0 ? USAGE : dispatch(count, argv);
        errno = 0;
        int failed = ferror(stdout);
        if (fclose(stdout) == 0 && !failed)
                return status;
        fprintf(stderr, "lbsim: cannot write to standard output%s%s\n", errno ? ": " : "",
                errno ? strerror(errno) : "");
        return status ? status : 1;
}
