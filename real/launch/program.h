/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef LB_REAL_LAUNCH_PROGRAM_H
#define LB_REAL_LAUNCH_PROGRAM_H

#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"

/*
 * The program to run: where it is, and what it was built for. The runtime library puts a section
 * ".lbrun" into every program, with the text "lbrun abi=1 mpi=openmpi" (or mpich).
 */
enum mpi { MPI_NONE = 0, MPI_OPENMPI, MPI_MPICH };

const char *mpi_name(enum mpi mpi);  /* "openmpi"; as on the command line */
const char *mpi_title(enum mpi mpi); /* "Open MPI" */

enum { PROGRAM_ABI = 1, PROGRAM_PATH_SIZE = 4096 };

struct program {
        char path[PROGRAM_PATH_SIZE]; /* as given where there is a '/' in it, else found on PATH */
        enum mpi mpi;
};

/*
 * Find and inspect a program. Returns 0; 127 where it is not found; 126 where it cannot be run,
 * is no program or is not built for the runtime (as env(1) has them).
 */
int program_find(struct program *program, const char *name, struct lb_error *err) LB_MUST_CHECK;

/* Find an executable file on PATH, or as given. Returns 0, 126 or 127. */
int program_locate(const char *name, char path[static PROGRAM_PATH_SIZE],
                   struct lb_error *err) LB_MUST_CHECK;

/* What is in a file, as text to compare with that of another node's; empty where it cannot be read.
 */
enum { PROGRAM_CONTENT_SIZE = 17 };
void program_content(const char *path, char text[static PROGRAM_CONTENT_SIZE]);

/* A file that comes with lbrun, from the folder of libraries: beside lbrun as built, or as
 * installed. */
int program_own(char path[static PROGRAM_PATH_SIZE], const char *name,
                struct lb_error *err) LB_MUST_CHECK;

/*
 * Is this a program that nothing can be preloaded into, for it is linked statically? Not where the
 * file is none or cannot be read.
 */
bool program_is_static(const char *path);

/* What is in an ELF file: the section's text and the MPI library it needs. */
struct program_elf {
        bool interpreted; /* it names a loader: others are linked statically */
        char note[64];    /* text of the section .lbrun, empty without one */
        enum mpi needs;
};

/* Read image[size]; where the file is not a 64-bit ELF program of this machine, err says what it
 * is. */
int program_elf_read(struct program_elf *elf, const unsigned char *image, size_t size,
                     struct lb_error *err) LB_MUST_CHECK;

#endif
