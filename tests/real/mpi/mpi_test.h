/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef LB_TESTS_REAL_MPI_TEST_H
#define LB_TESTS_REAL_MPI_TEST_H

#include <mpi.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "real/mpi/transport.h"

/*
 * Helpers of the tests that run under mpirun: no cmocka, as a failure must end all ranks.
 *
 * - MPI_TEST(claim) ends the job with the place and the text of what does not hold.
 * - Random numbers are those of base/random.h with a fixed seed, so that a failure comes again.
 */
#define MPI_TEST(claim) mpi_test_check((claim), #claim, __FILE__, __LINE__)
void mpi_test_check(bool holds, const char *claim, const char *file, int line);

struct mpi_test_world {
        int rank, nrank;
        char job[32]; /* an id for the job, the same in all ranks */
};

/* MPI_Init_thread and what is above; mpi_test_end() says so on rank 0. */
struct mpi_test_world mpi_test_begin(int *argc, char ***argv);
void mpi_test_end(const char *name);

/* What every test starts with: all zero but job, parent and times. */
struct transport_spec mpi_test_spec(const struct mpi_test_world *world);

/* Processor time of the process so far, s; and a sleep. */
double mpi_test_cpu_s(void);
void mpi_test_sleep(double duration_s);

/* Bytes that depend on a seed and their place: fill, and does memory hold them? */
void mpi_test_fill(void *memory, size_t bytes, uint64_t seed);
bool mpi_test_holds(const void *memory, size_t bytes, uint64_t seed);

/* MPI's own function of that name ("PMPI_Reduce"), past our layer; *function is a pointer to one.
 */
void mpi_test_plain(const char *name, void *function);

/* Memory at the same address in all ranks. Ends the job where there is none. */
void *mpi_test_map(size_t bytes);

#endif
