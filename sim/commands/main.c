/* SPDX-License-Identifier: BSD-3-Clause */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>

#include "base/build.h"
#include "policies/plugged.h"
#include "sim/commands/commands.h"
#include "sim/output/results.h"
#include "sim/scenario/scenario.h"
#include "sim/sweep/fallen.h"

enum { USAGE = 2 };

static int command_params(int argc, char **argv)
{
        (void)argc;
        (void)argv;
        scenario_print_help(stdout);
        fputs("\nMetrics, the columns of results (lbsim metrics says more):\n", stdout);
        for (int m = 0; m < METRIC_COUNT; m++)
                printf("  %-26s %s\n", metric_table[m].name, metric_table[m].help);
        return 0;
}

static int command_version(int argc, char **argv)
{
        (void)argc;
        (void)argv;
        char build[LB_BUILD_SIZE];
        lb_build_program(build);
        printf("lbsim %s\nbuild %s\n", results_version(), build);
        return 0;
}

/* What is not the name of a command is a scenario to run. */
static const struct {
        const char *name;
        int (*run)(int argc, char **argv);
} commands[] = {
        { "graph", command_graph },         { "solve", command_solve },
        { "schema", command_schema },       { "params", command_params },
        { "merge", command_merge },         { "show", command_show },
        { "replay", command_replay },       { "trace", command_trace },
        { "reproduce", command_reproduce }, { "compare", command_compare },
        { "gain", command_gain },           { "metrics", command_metrics },
        { "journal", command_journal },     { "--version", command_version },
};

/* "--policy FILE" may stand anywhere: the systems that it brings are known from then on. Takes
 * these words out; returns how many are left, or -1. */
static int load_policies(int argc, char **argv)
{
        int left = 0;
        struct lb_error err;
        for (int i = 0; i < argc; i++) {
                if (strcmp(argv[i], "--policy") != 0) {
                        argv[left++] = argv[i];
                        continue;
                }
                if (i + 1 == argc) {
                        fputs("lbsim: --policy needs a value, allowed is a shared object\n",
                              stderr);
                        return -1;
                }
                if (plugged_load(argv[++i], &err) < 0) {
                        fprintf(stderr, "lbsim: --policy: %s\n", err.text);
                        return -1;
                }
        }
        argv[left] = NULL;
        return left;
}

static int dispatch(int argc, char **argv)
{
        for (size_t i = 0; argc > 1 && i < sizeof(commands) / sizeof(commands[0]); i++)
                if (strcmp(argv[1], commands[i].name) == 0)
                        return commands[i].run(argc - 1, argv + 1);
        return command_run(argc, argv);
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
        reserve_streams();
        fallen_guard();
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
