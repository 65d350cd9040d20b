/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef LB_REAL_LAUNCH_LINE_H
#define LB_REAL_LAUNCH_LINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>
#include <time.h>

#include "real/launch/program.h"
#include "real/launch/words.h"

/*
 * The line that a user starts a program with, as it is: "mpirun -n 4 ./app". lbrun measure and
 * balancing programs that nobody rewrote add what preloads a library into the ranks, and run it.
 */

/* The MPI of a launcher, by what its path leads to; NULL where it is none or says nothing (srun).
 */
const char *line_mpi_of(const char *launcher);

/* Has it the name of one, and is nowhere? Then -1, and says so. */
int line_check_there(const char *launcher, struct lb_error *err);

/* Is it one, of whatever MPI? */
bool line_is_launcher(const char *word);

/* What to say of a line that begins with env(1), time(1) or the like, and then has a launcher:
 * " (...)" into text[size]; "" of others. Returns text. */
const char *line_begins_late(char *const *line, char *text, size_t size);

/* Is it an option of two words more: "-mca NAME VALUE"? */
bool line_has_two_values(const char *option);

/* The first program that a launch line starts, as far as that is seen: the first word that can be
 * run and is no option's value, unless that names a file. False: none is seen. */
bool line_program(char *const *launch, char path[static PROGRAM_PATH_SIZE]);

/* How many ranks the line asks for, of all its programs; 0: it does not say, or not as most do, or
 * it says on which machines they are to be. */
int32_t line_ranks(char *const *launch);

/* What the ranks of a launch line get: a library that is preloaded, and variables. */
enum { LINE_SETS = 2 };
struct line_preload {
        const char *library;
        struct line_set {
                const char *name, *value;
        } set[LINE_SETS + 1]; /* ends with no name */
};

/* The launch line with what preloads the library and sets the variables in the ranks, the way of
 * the MPI ("openmpi", "mpich"). May set variables of this process instead. */
int line_make(struct words *line, const char *mpi, char *const *launch,
              const struct line_preload *preload, struct lb_error *err) LB_MUST_CHECK;

/* liblbrun-KIND-MPI.so, beside lbrun as built or as installed, into path[size]. */
int line_library(char *path, size_t size, const char *kind, const char *mpi,
                 struct lb_error *err) LB_MUST_CHECK;

/* Remove a directory and the files in it. */
void line_remove(const char *directory);

struct hosts;

/* What goes on beside the line. */
struct line_watch {
        void (*look)(void *user); /* now and then while it runs; NULL: nothing */
        /* The machines of all ranks, into {0}; false: not all are known. NULL: never. */
        bool (*hosts)(void *user, struct hosts *hosts);
        void *user;
};

/* Does this launcher of Open MPI wait for a lock, with no process of the job left on this node? It
 * has nothing to wait for then but other nodes, and for these it looks at messages. */
bool line_is_stuck(pid_t launcher);

/*
 * Run the line. The launcher has our terminal and our process group, so what a terminal sends it
 * has already; what anybody else sends is passed on, whatever signal it is that can be. It is ended
 * where this process dies. `watch` may be NULL. Returns its exit code, 128 + the number of the
 * signal that ended it or that was passed on to end it, or -1. A launcher of Open MPI that hangs in
 * its own end is killed, and counts as ended by SIGKILL, as it would say of ranks that were; so is
 * one of MPICH that has lost a node's proxy before the ranks there have ended, and waits.
 */
int line_run(char *const *line, const struct line_watch *watch, struct lb_error *err) LB_MUST_CHECK;

/*
 * After line_run(), when all else that this process started has ended: an interrupted launcher may
 * have gone before the ranks that it told to end, which get a second. Then what MPI has left since
 * that time (CLOCK_REALTIME_COARSE) is removed (real/launch/debris.h).
 */
void line_clean(const struct timespec *since);

/* After line_run(): what was passed on ends this process again; a terminal's Ctrl-C does not. */
void line_end_passing(void);

/* This group of processes, which has not ours, stops and goes on with this one. 0: none does. */
void line_stops_too(pid_t group);

/* The signal that was to end the line, from a terminal or anybody else; 0: none was. */
int line_signal(void);

#endif
