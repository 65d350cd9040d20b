/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef LB_REAL_LAUNCH_DOCTOR_SAMPLE_H
#define LB_REAL_LAUNCH_DOCTOR_SAMPLE_H

#include <stdbool.h>
#include <stdint.h>

/*
 * What a rank may use of its node, and what it is: taken by a rank of the doctor's on each node,
 * told as one line of text, and compared.
 */
enum { SAMPLE_HOST_SIZE = 64, SAMPLE_LINE_SIZE = 512 };
struct sample {
        char host[SAMPLE_HOST_SIZE]; /* its name up to the first dot */
        int cpus;                    /* that this process may run on */
        int64_t shared_mib;          /* free in /dev/shm; -1: nothing can be created there */
        int64_t processes, files;    /* limits; -1: none */
        bool reserves;               /* the addresses of a rank's cluster memory? */
        uint64_t lbrun, program;     /* what is in these files; 0: cannot be read */
};

/* Of this process; `program`: "-" for none. */
void sample_take(struct sample *sample, const char *program);

/* "node HOST CPUS ..." without an end of line. */
void sample_format(const struct sample *sample, char line[static SAMPLE_LINE_SIZE]);

/* The next line of that form in text, and where it ends; NULL: there is none. */
const char *sample_find(struct sample *sample, const char *text);

/* GiB of addresses that a rank reserves. */
double sample_memory_gib(void);

#endif
