/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef LB_REAL_MEASURE_PLACE_H
#define LB_REAL_MEASURE_PLACE_H

#include <stddef.h>
#include <stdint.h>

/*
 * The name of a place in a program or library, given as a file and the distance from where that is
 * loaded: "solve (cg.c:120)" with debug information, "solve", or "app+0x1234". Functions and lines
 * need libdw when lbrun is built.
 */
void place_name(char *text, size_t size, const char *module, uint64_t offset);

#endif
