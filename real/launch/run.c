/* SPDX-License-Identifier: BSD-3-Clause */
/* lbrun: run an MPI program under a system of policies. */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "real/control/job.h"
#include "real/launch/balance.h"
#include "real/launch/calibrate.h"
#include "real/launch/claim.h"
#include "real/launch/clean.h"
#include "real/launch/command.h"
#include "real/launch/compare.h"
#include "real/launch/debris.h"
#include "real/launch/doctor/doctor.h"
#include "real/launch/exchange.h"
#include "real/launch/janitor.h"
#include "real/launch/legacy.h"
#include "real/launch/limits.h"
#include "real/launch/measure.h"
#include "real/launch/node_logs.h"
#include "real/launch/live_page.h"
#include "real/launch/options.h"
#include "real/launch/plan.h"
#include "real/launch/settings.h"
#include "real/launch/view/view.h"
#include "real/launch/watch.h"
#include "real/node/board.h"
#include "real/node/cpu_groups.h"

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
        if (command_ready_virtual() < 0)
                return lb_error_fail(err, "out of memory");
        if (cpu_groups_create(&plan->cpus, job->nnode, job->cores_per_node, job->speed,
                              job->param[JOB_CPU_SPEED], err) < 0)
                return lb_error_prefix(err, "--virtual-cpus: ");
        return 0;
}

_Static_assert((int)PROGRAM_CONTENT_SIZE == (int)JOB_CONTENT_SIZE, "it travels in the job");

/* Other nodes are told how to reach this one, and what the program is, as part of the job. */
static int open_exchange(struct plan *plan, struct exchange **exchange, struct lb_error *err)
{
        if (plan->nodes.virtual_nodes)
                return 0;
        *exchange = exchange_open(plan->job, err);
        if (!*exchange)
                return -1;
        program_content(plan->program.path, plan->job->content);
        char *text = job_format(plan->job);
        if (!text) {
                exchange_close(*exchange);
                return lb_error_fail(err, "out of memory");
        }
        free(plan->job_text);
        plan->job_text = text;
        return 0;
}

/* Segments of jobs that were killed are in the way of nobody but shared memory itself; ours of this
 * job must be gone in any case, and so must MPI's. */
static int start(struct plan *plan, struct view *view)
{
        struct lb_error err;
        struct timespec since;
        clock_gettime(CLOCK_REALTIME_COARSE, &since); /* the clock of files' times */
        board_clean(NULL);
        cpu_groups_clean(NULL);
        struct exchange *exchange = NULL;
        if (limits_check(plan, &err) < 0)
                return complain(LBRUN_FAILED, &err);
        if (open_exchange(plan, &exchange, &err) < 0)
                return complain(LBRUN_FAILED, &err);
        if (exchange && view)
                exchange_view(exchange, view->frames);
        if (job_to_environment(plan->job_text) < 0 || command_ready() < 0 ||
            command_ready_slurm() < 0) {
                exchange_close(exchange);
                lb_error_fail(&err, "out of memory");
                return complain(LBRUN_FAILED, &err);
        }
        struct janitor janitor = { .directory = NULL };
        struct legacy legacy;
        janitor_start(&janitor, plan->job->id, &since);
        bool made = legacy_init(&legacy, plan, &err) == 0 && make_cpus(plan, &err) == 0;
        int code = made ? watch_run(plan, exchange, &legacy, &err) : -1;
        if (code > 0)
                legacy_write(&legacy);
        legacy_finish(&legacy);
        board_clean(plan->job->id);
        cpu_groups_clean(plan->job->id);
        debris_clean(&since);
        janitor_stop(&janitor);
        if (!made)
                exchange_close(exchange);
        if (!made)
                return complain(err.kind == LB_ERROR_INPUT ? USAGE : LBRUN_FAILED, &err);
        return code < 0 ? complain(LBRUN_FAILED, &err) : code;
}

/* Two jobs' decisions must not mix. */
static int start_with_logs(struct plan *plan, struct view *view)
{
        struct lb_error err;
        struct node_logs logs;
        struct claim *claim = claim_create(plan->job->decisions, &err);
        if (!claim || node_logs_begin(&logs, plan->job->decisions, plan->job->nnode, &err) < 0) {
                claim_destroy(claim);
                lb_error_prefix(&err, "--decisions: ");
                return complain(err.kind == LB_ERROR_INPUT ? USAGE : LBRUN_FAILED, &err);
        }
        int code = start(plan, view);
        node_logs_tell(&logs, plan->job->nnode, plan->nodes.name, code != 0);
        node_logs_finish(&logs);
        claim_destroy(claim);
        return code;
}

static int start_alone(struct plan *plan, struct view *view)
{
        struct job_files files;
        job_files_begin(&files, plan->job);
        int code = plan->job->decisions[0] ? start_with_logs(plan, view) : start(plan, view);
        bool here = plan->nodes.virtual_nodes || nodes_is_here(&plan->nodes, 0);
        if (code == 0)
                job_files_tell(&files, plan->job, here ? NULL : plan->nodes.name[0]);
        return code;
}

static int start_watched(struct plan *plan)
{
        struct lb_error err;
        struct view view;
        if (view_start(&view, plan, &err) < 0)
                return complain(err.kind == LB_ERROR_INPUT ? USAGE : LBRUN_FAILED, &err);
        int code = start_alone(plan, &view);
        view_stop(&view);
        return code;
}

static int run_plan(const struct options *options)
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
                code = options->watch ? start_watched(&plan) : start_alone(&plan, NULL);
        plan_finish(&plan);
        return code;
}

/* The job's end is what counts: what cannot be compared, or a page that cannot be written, is said,
 * and fails a job that did not. One that was ended before its end has a page of what it wrote. */
static int look_back(const struct options *options, const struct compare *compare,
                     const struct live_page *page, int code)
{
        struct lb_error err;
        struct compared compared = { 0 };
        bool whole = code == 0;
        if (options->compare && whole && compare_print(compare, options, &compared, &err) < 0)
                code = complain(LBRUN_FAILED, &err);
        if (options->html && (whole || live_page_has_report(page)) &&
            live_page_write(page, options, &compared, &err) < 0) {
                int failed = complain(LBRUN_FAILED, &err);
                code = whole ? failed : code;
        }
        compared_finish(&compared);
        return code;
}

static int run_job(struct options *options, struct lb_error *err)
{
        struct live_page page;
        struct compare compare = { 0 };
        if (options->dry_run)
                return run_plan(options);
        if ((options->html && live_page_prepare(&page, options, err) < 0) ||
            (options->compare && compare_prepare(&compare, options, err) < 0))
                return -1;
        int code = look_back(options, &compare, &page, run_plan(options));
        compare_finish(&compare);
        return code;
}

/* What programs that are linked with the runtime library have no use for. */
static int refuse_of_lines(const struct options *options, struct lb_error *err)
{
        const struct {
                const char *name, *given, *systems;
        } rows[] = {
                { "fill", options->fill, "packing" },
                { "freed-cpus", options->freed_cpus, "packing" },
                { "malleable", options->malleable, "dpb, dlb or auto" },
        };
        for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
                if (rows[i].given)
                        return lb_error_set(err,
                                            "--%s is for a launch line and --system %s, not for "
                                            "programs that are linked with the runtime library",
                                            rows[i].name, rows[i].systems);
        return 0;
}

static int run(const struct lb_call *call, void *given, struct lb_error *err)
{
        struct options *options = given;
        if (options->version) {
                lb_program_version(&lbrun_program, stdout);
                return 0;
        }
        if (call->nword == 0)
                return lb_error_set(err, "no program is given, allowed is lbrun [options] -- "
                                         "PROGRAM [ARGUMENTS], see lbrun --help");
        options->program = call->word;
        if (options_check(options, err) < 0)
                return -1;
        if (balance_is_meant(options))
                return balance_run(options, err);
        if (refuse_of_lines(options, err) < 0)
                return -1;
        options->argv = call->argv;
        return run_job(options, err);
}

static const struct lb_command command_run = {
        .program = &lbrun_program,
        .usage = "[OPTION]... -- PROGRAM [ARGUMENTS]\n[OPTION]... -- LAUNCHER ... PROGRAM ...\n"
                 "COMMAND [OPTION]...",
        .about =
            "Run an MPI program that is linked with the runtime library: one rank for every "
            "edge of the apprank-node graph, cores and tasks balanced by a system of policies. Or, "
            "where the first word is a launcher (mpirun, mpiexec, srun), balance the program that "
            "it starts as it is: --system packing.",
        .more = "Standard input is passed on unless it is a terminal. Nodes of a host file or of "
                "Slurm need the program and lbrun at the same path.",
        .ends = "That of the first rank to fail, 128 + N where signal N ended it or lbrun; "
                "that of MPI_Abort(), 1 for 0. lbrun's "
                "own: 2 wrong command line, 125 lbrun failed, 126 the program cannot be run or is "
                "not built for the runtime, 127 it is not found.",
        .options = options_table,
        .size = sizeof(struct options),
        .word_max = INT32_MAX,
        .word = LB_OPTION_FILE, /* the program, and what may be its files: not to be written */
        .in_order = true,
        .run = run,
};

static int print_params(const struct lb_call *call, void *options, struct lb_error *err)
{
        (void)call;
        (void)options;
        (void)err;
        settings_print(stdout);
        return 0;
}

static const struct lb_command command_params = {
        .program = &lbrun_program,
        .name = "params",
        .summary = "what --param can set",
        .usage = "",
        .about = "Print what --param can set: name, range, default and a sentence for each.",
        .run = print_params,
};

static const struct lb_command *const commands[] = {
        &command_run,    &measure_command, &advise_command, &calibrate_command,
        &doctor_command, &clean_command,   &command_params, NULL,
};

const struct lb_program lbrun_program = {
        .name = "lbrun",
        .version = LB_VERSION,
        .date = LB_DATE,
        .summary = "run an MPI program under dynamic load balancing",
        .failed = LBRUN_FAILED,
        .commands = commands,
};
