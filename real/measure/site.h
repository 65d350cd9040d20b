/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef LB_REAL_MEASURE_SITE_H
#define LB_REAL_MEASURE_SITE_H

#include <stdbool.h>
#include <stdint.h>

/*
 * The places of a program that call MPI, each with what was done there. Fixed in size and without
 * pointers, as it is part of the file that a rank leaves behind: an address is kept as a file that
 * is loaded and the offset in it, and named later by who has the time.
 *
 * - A site is one call from one address. Where there are more than fit, the rest count as one, of
 *   which neither place nor call is known (module < 0).
 * - `value` is the same for the same place in all ranks, wherever the program is loaded.
 */
enum { SITE_ROOM = 1024, SITE_USED = 768, SITE_MODULES = 64, SITE_PATH = 256, SITE_TITLE = 40 };

struct site {
        uint64_t address, offset;
        char title[SITE_TITLE]; /* "MPI_Allreduce" */
        int32_t name, module;
        uint32_t value;
        int32_t is_line;             /* the module is a source file, the offset a line of it */
        int64_t seen;                /* since the program began */
        int64_t calls;               /* of them in the measured part */
        double before_ns, inside_ns; /* load since the call before; wall time in it */
};

struct site_table {
        int32_t nmodule, used;
        char module[SITE_MODULES][SITE_PATH];
        struct site site[SITE_ROOM + 1]; /* the last one: what did not fit */
};

/* What a site is, asked once for each. */
struct site_place {
        const char *title;  /* of the call */
        const char *module; /* file; NULL: not known */
        uint64_t offset;
        bool is_line; /* of source */
};
typedef void (*site_look)(struct site_place *place, int32_t name, uint64_t address);

/* The site of a call, name > 0. */
struct site *site_find(struct site_table *table, int32_t name, uint64_t address, site_look look);

#endif
