/* SPDX-License-Identifier: BSD-3-Clause */
#include "real/launch/doctor/doctor.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

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

static int examine(char *const *word, bool json)
{
        static const char *const columns[] = { "verdict", "what", "found", "advice" };
        bool line = word[0] && line_is_launcher(word[0]);
        struct doctor d = { .program = line ? NULL : word[0] };
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
                return examine(call->word, asked->format == FORMAT_JSON);
        fprintf(stderr, "lbrun doctor: %s\n", err->text);
        return WORKS_NOT;
}

static const struct lb_option options[] = {
        { "format", LB_OPTION_CHOICE, NULL, "what is printed", LB_OPTION_TO(struct asked, format),
          .choices = formats, .fallback = "table" },
        { .name = NULL },
};

const struct lb_command doctor_command = {
        .program = &lbrun_program,
        .name = "doctor",
        .summary = "what is here for live runs, and what to change",
        .usage = "[OPTION]... [PROGRAM | -- LAUNCHER ... PROGRAM ...]",
        .about = "What is here for live runs, what lbrun would use, and what to change. PROGRAM, "
                 "if given, is looked at and not run. A launch line is run, for up to three "
                 "minutes: may the program's parallel regions have other numbers of threads?",
        .ends = "0 where a live run will work, else 1; 2 wrong command line.",
        .options = options,
        .size = sizeof(struct asked),
        .word = LB_OPTION_FILE,
        .word_max = INT32_MAX,
        .run = run,
};
