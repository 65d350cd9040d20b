/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef LB_REAL_LAUNCH_DOCTOR_DOCTOR_IMPL_H
#define LB_REAL_LAUNCH_DOCTOR_DOCTOR_IMPL_H

#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"
#include "plots/table.h"
#include "real/launch/command.h"
#include "real/launch/nodes.h"
#include "real/launch/options.h"
#include "real/launch/program.h"

/* Private to this folder: what was found. */
enum verdict { GOOD, NOTE, BAD };

/* What a node has at least. */
enum { LEAST_PROCESSES = 512, LEAST_FILES = 256, LEAST_SHARED_MIB = 64 };

/* How long MPI_Finalize() may take in the doctor's ranks. */
enum { DOCTOR_FINALIZE_S = 5 };

static const char doctor_advice_memory[] =
    "ulimit -v unlimited, vm.overcommit_memory=0 or 1, or less by --param memory_gib=N";

struct doctor {
        struct options options; /* those that a job has, too */
        struct nodes nodes;     /* of a host file or an allocation; else none */
        struct table *table;    /* NULL: print at once, for people */
        const char *program;    /* as given, or NULL */
        char program_path[PROGRAM_PATH_SIZE];
        enum mpi program_mpi;      /* of the program, where it can be told */
        int bad;                   /* findings that a live run will fail by */
        bool works[MPI_MPICH + 1]; /* which MPIs do */
        bool compared;             /* the nodes were */
};

/* One finding, with what to do about it (NULL: nothing). */
void doctor_say(struct doctor *d, enum verdict verdict, const char *what, const char *advice,
                const char *format, ...) LB_PRINTF(5, 6);

void doctor_see_machine(struct doctor *d);
void doctor_see_mpi(struct doctor *d);
/*
 * One rank on each node, started as a job's are; `text` is what they printed. What is unlike on the
 * nodes, or too little on one, is said once, of the first MPI that comes so far (`compared`).
 */
struct words;
int doctor_line_across(const struct doctor *d, const struct command_type *type,
                       const char *const *library, struct words *line,
                       struct lb_error *err) LB_MUST_CHECK;
void doctor_compare(struct doctor *d, const char *text);

/* Which nodes have no line "WORD HOST" in what was printed, into list[size]; how many. */
int doctor_missing(const struct doctor *d, const char *text, const char *word, char *list,
                   size_t size);

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
