/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef LB_REAL_RUNTIME_SITE_H
#define LB_REAL_RUNTIME_SITE_H

/*
 * Where in the program a call was made that returns to `from`, for a message: "step (solver.c:42)"
 * where the program has debugging information and addr2line(1) is there, else "step
 * (./solver+0x1a2b)" or what of it is known. The first place in the main program that the call
 * returns to, where it passed libraries (Fortran's bindings, a tool) on its way. Slow; it starts a
 * process.
 */
enum { SITE_SIZE = 512 };
void site_name(char text[static SITE_SIZE], const void *from);

#endif
