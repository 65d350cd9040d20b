/* SPDX-License-Identifier: BSD-3-Clause */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "real/control/job.h"
#include "real/launch/advise.h"
#include "real/launch/claim.h"
#include "real/launch/command.h"
#include "real/launch/debris.h"
#include "real/launch/doctor/doctor.h"
#include "real/launch/janitor.h"
#include "real/launch/keeper.h"
#include "real/launch/measure.h"
#include "real/launch/options.h"
#include "real/launch/plan.h"
#include "real/launch/settings.h"
#include "real/launch/watch.h"
#include "real/node/board.h"
#include "real/node/cpu_groups.h"

/* lbrun: run an MPI program under a system of policies. */

enum { USAGE = 2, LBRUN_FAILED = 125 };

static int complain(int code, const struct lb_error *err)
{
        fprintf(stderr, "lbrun: %s\n", err->text);
        return code;
}

static void print_notes(const struct plan *plan)
{
        for (size_t i = 0; i < sizeof(plan->note) / sizeof(plan->note[0]); i++)
                if (plan->note[i][0])
                        fprintf(stderr, "lbrun: %s\n", plan->note[i]);
}

/* One line says why not, before anything is started. */
static int make_cpus(const struct plan *plan, struct lb_error *err)
{
        const struct job *job = plan->job;
        if (job->param[JOB_VIRTUAL_CPUS] == 0)
                return 0;
        if (cpu_groups_create(&plan->cpus, job->nnode, job->cores_per_node, job->speed,
                              job->param[JOB_CPU_SPEED], err) < 0)
                return lb_error_prefix(err, "--virtual-cpus: ");
        return 0;
}

/* Segments of jobs that were killed are in the way of nobody but shared memory itself; ours of this
 * job must be gone in any case, and so must MPI's. */
static int start(const struct plan *plan)
{
        struct lb_error err;
        struct timespec since;
        clock_gettime(CLOCK_REALTIME_COARSE, &since); /* the clock of files' times */
        board_clean(NULL);
        cpu_groups_clean(NULL);
        if (setenv("LBRUN_JOB", plan->job_text, 1) < 0 || command_allow_root() < 0) {
                lb_error_fail(&err, "out of memory");
                return complain(LBRUN_FAILED, &err);
        }
        struct janitor janitor;
        janitor_start(&janitor, plan->job->id, &since);
        bool made = make_cpus(plan, &err) == 0;
        int code = made ? watch_run(plan, &err) : -1;
        board_clean(plan->job->id);
        cpu_groups_clean(plan->job->id);
        debris_clean(&since);
        janitor_stop(&janitor);
        if (!made)
                return complain(err.kind == LB_ERROR_INPUT ? USAGE : LBRUN_FAILED, &err);
        return code < 0 ? complain(LBRUN_FAILED, &err) : code;
}

/* Two jobs' decisions must not mix. */
static int start_alone(const struct plan *plan)
{
        struct lb_error err;
        const char *path = plan->job->decisions;
        int claim = path[0] ? claim_file(path, &err) : -1;
        if (path[0] && claim < 0) {
                lb_error_prefix(&err, "--decisions: ");
                return complain(err.kind == LB_ERROR_INPUT ? USAGE : LBRUN_FAILED, &err);
        }
        int code = start(plan);
        if (claim >= 0)
                close(claim);
        return code;
}

static int run(const struct options *options)
{
        struct lb_error err;
        struct plan plan;
        int code = plan_init(&plan, options, &err);
        if (code)
                return complain(code, &err);
        if (!options->quiet)
                print_notes(&plan);
        if (options->dry_run)
                plan_print(&plan, stdout);
        else
                code = start_alone(&plan);
        plan_finish(&plan);
        return code;
}

static int command(int argc, char **argv)
{
        struct lb_error err;
        struct options options;
        if (argc == 2 && strcmp(argv[1], "params") == 0) {
                settings_print(stdout);
                return 0;
        }
        if (argc == 2 && strcmp(argv[1], "--version") == 0) {
                puts("lbrun " LB_VERSION);
                return 0;
        }
        if (argc > 2 && strcmp(argv[1], "--keep") == 0)
                return keeper_main(argv + 2);
        if (argc > 2 && strcmp(argv[1], "--probe") == 0)
                return doctor_probe_main(argv + 2);
        if (argc > 1 && strcmp(argv[1], "doctor") == 0)
                return doctor_main(argc - 2, argv + 2);
        if (argc > 1 && strcmp(argv[1], "advise") == 0)
                return advise_main(argc - 2, argv + 2);
        if (argc > 1 && strcmp(argv[1], "measure") == 0)
                return measure_main(argc - 2, argv + 2);
        if (options_init(&options, argc, argv, &err) < 0)
                return complain(err.kind == LB_ERROR_INPUT ? USAGE : LBRUN_FAILED, &err);
        int code = 0;
        if (options.help)
                options_print_help(stdout);
        else
                code = run(&options);
        options_finish(&options);
        return code;
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

int main(int argc, char **argv)
{
        hold_streams();
        int code = command(argc, argv);
        if (fflush(stdout) == 0 && !ferror(stdout))
                return code;
        fputs("lbrun: cannot write to standard output\n", stderr);
        return code ? code : LBRUN_FAILED;
}
