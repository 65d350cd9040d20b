/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef LB_BASE_BUILD_H
#define LB_BASE_BUILD_H

/*
 * Which build of a program or shared object this is: the note that the linker leaves in it
 * (--build-id, a hash of all that was linked), as hexadecimal digits. The same sources compiled
 * alike give the same note, whenever and through whatever cache; where there is no note, it is the
 * hash of the file; where that cannot be read, "unknown".
 */
enum { LB_BUILD_SIZE = 80 };

/* Of this program. */
void lb_build_program(char build[static LB_BUILD_SIZE]);

/* Of the loaded object that holds `address`, which came from `file`. */
void lb_build_object(const void *address, const char *file, char build[static LB_BUILD_SIZE]);

#endif
