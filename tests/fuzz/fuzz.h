/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef LB_TESTS_FUZZ_H
#define LB_TESTS_FUZZ_H

#include <stddef.h>
#include <stdint.h>

/*
 * A fuzz target takes any bytes as an input file and must neither crash nor hang nor leak. Built
 * twice: by clang with libFuzzer (LB_FUZZ), and with replay.c as a CTest test over the corpus.
 */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* The bytes as a file: its name, valid until the next call. */
const char *fuzz_file(const uint8_t *data, size_t size);

#endif
