/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef LB_REAL_MEASURE_PLACE_H
#define LB_REAL_MEASURE_PLACE_H

#include <stddef.h>
#include <stdint.h>

/* A place in a program or library: a file, and the distance from where that is loaded. */
struct place {
        const char *module; /* empty: unknown */
        uint64_t offset;
        char *text; /* its name, of as many bytes */
        size_t size;
};

/*
 * Name places: "solve (cg.c:120)" with debug information, "solve", or "app+0x1234". Functions and
 * lines need libdw when lbrun is built. Each file is opened and its symbols are read once,
 * however many places are in it. Nothing is asked for elsewhere (debuginfod): whoever has not
 * got debug information has a name still, and does not wait for a server. Not thread-safe, as
 * the environment is not.
 */
void place_name(const struct place *places, size_t count);

#endif
