/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef LB_REAL_MEASURE_RANK_H
#define LB_REAL_MEASURE_RANK_H

#include <stdbool.h>
#include <stdint.h>

#include "real/measure/rank_file.h"

/*
 * The rank that this process is, in the library that is preloaded: its clocks, its file, when it
 * begins and ends. The thread that initialises MPI is measured, from then to MPI_Finalize or in the
 * part of the run that was asked for. Knows no MPI.
 */
struct rank {
        struct rank_file *file; /* NULL: nothing is measured, or not any more */
        const char *directory;  /* NULL: never */
        long pid;               /* a child that it forks is no rank; 0: MPI was not initialised */
        int64_t next_ns;        /* then the part to measure begins, or ends */
        char skip[8][64];       /* libraries whose callers are meant */
        int32_t nskip;
};
extern struct rank rank_self; /* one per process by nature: MPI calls have no argument for it */

/* Is it this thread that is measured? */
extern _Thread_local __attribute__((tls_model("initial-exec"))) bool rank_measured;

/* The same for all ranks, and never set back while the program runs. */
int64_t rank_wall_ns(void);
int64_t rank_cpu_ns(void); /* of this thread */

/* The wall clock, for the meter, which is told whether the measured thread has kept its CPU since
 * the last time. */
int64_t rank_now_ns(void);

/* HOST-PID.end in the directory. */
void rank_note(const char *end, const char *text);

/* MPI_Init is called: libraries that are loaded until it is over are MPI's. */
void rank_mpi_begins(void);

/* Both in the thread that is measured, of a job of so many ranks. False where the file cannot be
 * written. */
bool rank_begin(int32_t ranks, void (*describe)(struct rank_file *file));

/* All begins anew, where between two calls so much is the meter's. */
void rank_restart(int64_t between_ns);

/* What was done since is not the program's. */
void rank_own(void);
void rank_end(enum rank_file_state state);

/* So many iterations of a loop are kept. */
int64_t rank_loop_room(void);

/* The clocks that the meter wants after a call or a wait began or ended. */
void rank_read_clocks(void);

/* Begin or end the part to measure, at rank_self.next_ns. */
void rank_cross(void);

/* The region of MPI_Pcontrol(level) begins; level < 0: that of -level ends; 0: all of them. */
void rank_region(int32_t level);

/* ---- Where it is called from (caller.c) ---- */

/*
 * The first address above `from` that is in no MPI library and in none to skip. `anchor`: anything
 * on the stack at a fixed distance from where `from` is kept. For the thread that is measured.
 */
uint64_t caller_find(const void *from, const void *anchor);

/* Is that address in an extension of Python? */
bool caller_is_python(uint64_t address);

/* The file of an address, and where in it; NULL: not known. The name is good until the next. */
const char *caller_module(uint64_t address, uint64_t *offset);

/* ---- Lines of Python (python.c) ---- */

/* Numbers that are no addresses of code have it. */
#define PYTHON_PLACE (UINT64_C(1) << 63)

/* Is there an interpreter in the process that can be asked? To be called once, before the others.
 */
bool python_find(void);

/* A number for the line that this thread is at, the same each time; 0: not known. */
uint64_t python_place(void);

/* That line, and its file, a name which stays; NULL: not known. */
const char *python_file(uint64_t *line);

/* ---- Teams of threads (team.c) ---- */

/* By each thread: it calls MPI; false, and nothing, outside a region. */
bool team_pause(void);
bool team_resume(void);

#endif
