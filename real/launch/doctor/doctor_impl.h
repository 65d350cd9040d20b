/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef LB_REAL_LAUNCH_DOCTOR_DOCTOR_IMPL_H
#define LB_REAL_LAUNCH_DOCTOR_DOCTOR_IMPL_H

#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"
#include "plots/table.h"
#include "real/launch/program.h"

/* Private to this folder: what was found. */
enum verdict { GOOD, NOTE, BAD };

struct doctor {
        struct table *table;       /* NULL: print at once, for people */
        const char *program;       /* as given, or NULL */
        enum mpi program_mpi;      /* of the program, where it can be told */
        int bad;                   /* findings that a live run will fail by */
        bool works[MPI_MPICH + 1]; /* which MPIs do */
};

/* One finding, with what to do about it (NULL: nothing). */
void doctor_say(struct doctor *d, enum verdict verdict, const char *what, const char *advice,
                const char *format, ...) LB_PRINTF(5, 6);

void doctor_see_machine(struct doctor *d);
void doctor_see_mpi(struct doctor *d);
void doctor_see_dlb(struct doctor *d);
void doctor_see_program(struct doctor *d);

/* Runs the program of a launch line, up to three times for a minute each. */
void doctor_try_threads(struct doctor *d, char *const *launch);

/*
 * Run a command and read what it prints, standard error included, into text[size], cut where it
 * would not fit. It and all it started are ended after timeout_s. `setting`: "NAME=VALUE" for its
 * environment, or NULL. Returns its exit code; 127 where it cannot be run, 124 where its time was
 * over, 128 + N for a signal.
 */
int doctor_run(char *const *word, const char *setting, int timeout_s, char *text, size_t size);

/* The first line of text that has a letter; changes the text. */
const char *doctor_first_line(char *text);

#endif
