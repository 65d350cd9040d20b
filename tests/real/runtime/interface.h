/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef LB_TESTS_REAL_RUNTIME_INTERFACE_H
#define LB_TESTS_REAL_RUNTIME_INTERFACE_H

/* The cases of interface.c that are elsewhere. */
void test_constant(void); /* constant.c */

#endif
