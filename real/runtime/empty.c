/* SPDX-License-Identifier: BSD-3-Clause */
/* The shared library is the archive's one object; CMake asks for a source of its own. */
extern int lbrun_rank(void);
