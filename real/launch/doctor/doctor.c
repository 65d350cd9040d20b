/* SPDX-License-Identifier: BSD-3-Clause */
#include "real/launch/doctor/doctor.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "real/control/job.h"
#include "real/launch/doctor/doctor_impl.h"
#include "real/launch/family.h"
#include "real/launch/line.h"
#include "real/launch/options.h"

enum { WORKS = 0, WORKS_NOT = 1 };

/* For people: a line, and below it what to do. */
static void print_finding(const char *verdict, const char *what, const char *found,
                          const char *advice)
{
        enum { INDENT = 25 };
        printf("%-5s %-18s %s\n", verdict, what, found);
        if (advice)
                printf("%*s> %s\n", INDENT - 1, "", advice);
        fflush(stdout); /* the next may take a while */
}

void doctor_say(struct doctor *d, enum verdict verdict, const char *what, const char *advice,
                const char *format, ...)
{
        static const char *const words[] = { "ok", "note", "BAD" };
        char found[512];
        va_list args;
        va_start(args, format);
        vsnprintf(found, sizeof(found), format, args);
        va_end(args);
        d->bad += verdict == BAD;
        if (!d->table) {
                print_finding(words[verdict], what, found, advice);
                return;
        }
        table_row(d->table);
        table_text(d->table, words[verdict]);
        table_text(d->table, what);
        table_text(d->table, found);
        table_text(d->table, advice ? advice : "");
}

const char *doctor_first_line(char *text)
{
        for (char *line = strtok(text, "\n"); line; line = strtok(NULL, "\n"))
                for (const char *c = line; *c; c++)
                        if (isalpha((unsigned char)*c))
                                return line;
        return "it says nothing";
}

/* ---- The command ---- */

struct asked {
        int format; /* a place among formats */
        struct options job;
};
enum { FORMAT_JSON = 1 };
static const char *const formats[] = { "table", "json", NULL };

static bool will_work(const struct doctor *d)
{
        if (d->bad > 0)
                return false;
        if (d->program)
                return d->works[d->program_mpi];
        return d->works[MPI_OPENMPI] || d->works[MPI_MPICH];
}

static void print_verdict(const struct doctor *d)
{
        if (!will_work(d)) {
                printf("\nA live run%s%s will not work: see BAD above.\n", d->program ? " of " : "",
                       d->program ? d->program : "");
                return;
        }
        bool both = d->works[MPI_OPENMPI] && d->works[MPI_MPICH];
        enum mpi one = d->works[MPI_OPENMPI] ? MPI_OPENMPI : MPI_MPICH;
        if (d->program)
                printf("\nA live run of %s will work, with %s.\n", d->program,
                       mpi_title(d->program_mpi));
        else
                printf("\nLive runs will work, with %s%s.\n", mpi_title(one),
                       both ? " and MPICH" : "");
}

static int examine(char *const *word, const struct asked *asked)
{
        static const char *const columns[] = { "verdict", "what", "found", "advice" };
        bool line = word[0] && line_is_launcher(word[0]);
        bool json = asked->format == FORMAT_JSON;
        struct doctor d = { .program = line ? NULL : word[0], .options = asked->job };
        int failed = 0;
        if (json && !(d.table = table_create(4, columns))) {
                fputs("lbrun: doctor: out of memory\n", stderr);
                return WORKS_NOT;
        }
        doctor_see_machine(&d);
        doctor_see_program(&d);
        doctor_see_mpi(&d);
        doctor_see_dlb(&d);
        if (line)
                doctor_try_threads(&d, word);
        if (d.table)
                failed = table_write(d.table, stdout, TABLE_JSON);
        else
                print_verdict(&d);
        table_destroy(d.table);
        nodes_finish(&d.nodes);
        return failed || !will_work(&d) ? WORKS_NOT : WORKS;
}

static int run(const struct lb_call *call, void *given, struct lb_error *err)
{
        const struct asked *asked = given;
        if (call->word[0] && call->word[1] && !line_is_launcher(call->word[0]))
                return lb_error_set(err,
                                    "found '%s' behind '%s', allowed is one program, or a launch "
                                    "line",
                                    call->word[1], call->word[0]);
        if (family_adopt(err) == 0)
                return examine(call->word, asked);
        fprintf(stderr, "lbrun doctor: %s\n", err->text);
        return WORKS_NOT;
}

static const struct lb_option options[] = {
        { "format", LB_OPTION_CHOICE, NULL, "what is printed", LB_OPTION_TO(struct asked, format),
          .choices = formats, .fallback = "table" },
        { "hostfile", LB_OPTION_FILE, "FILE", "as of a job: its nodes",
          LB_OPTION_TO(struct asked, job.hostfile) },
        { "nodes", LB_OPTION_WHOLE, "N", "as of a job: so many of them",
          LB_OPTION_TO(struct asked, job.nnode), .min = 1, .max = JOB_NODE_MAX },
        { "cores", LB_OPTION_WHOLE, "C", "as of a job: cores of each node",
          LB_OPTION_TO(struct asked, job.cores), .min = 1, .max = JOB_CORE_MAX },
        { "virtual", LB_OPTION_FLAG, NULL, "as of a job: this machine alone, also within Slurm",
          LB_OPTION_TO(struct asked, job.virtual_nodes) },
        { "launcher", LB_OPTION_CHOICE, NULL, "as of a job: what starts the ranks",
          LB_OPTION_TO(struct asked, job.launcher), .min = LAUNCHER_AUTO,
          .choices = options_launchers, .fallback = "auto" },
        { "mpi-option", LB_OPTION_LIST, "OPT", "as of a job: one more word for the launcher",
          LB_OPTION_TO(struct asked, job.mpi_option) },
        { .name = NULL },
};

const struct lb_command doctor_command = {
        .program = &lbrun_program,
        .name = "doctor",
        .summary = "what is here for live runs, and what to change",
        .usage = "[OPTION]... [PROGRAM | -- LAUNCHER ... PROGRAM ...]",
        .about =
            "What is here for live runs, what lbrun would use, and what to change: on all nodes "
            "of a host file or a Slurm allocation, by one rank on each, started as a job's. "
            "PROGRAM, if given, is looked at and not run. A launch line is run, for up to three "
            "minutes: may the program's parallel regions have other numbers of threads?",
        .ends = "0 where a live run will work, else 1; 2 wrong command line.",
        .options = options,
        .size = sizeof(struct asked),
        .word = LB_OPTION_FILE,
        .word_max = INT32_MAX,
        .run = run,
};
