/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef LB_TESTS_REAL_MPI_SIMULATED_IMPL_H
#define LB_TESTS_REAL_MPI_SIMULATED_IMPL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/random.h"
#include "real/mpi/transport_impl.h"
#include "tests/real/mpi/simulated.h"

/* What MPI's calls (simulated_calls.c) and what goes on between them (simulated.c) have in common.
 */

enum { REQUESTS = 1 << 16, COMMS = 2, EAGER_BYTES = 4096, WORLD = 2 };

/* A send, or a receive that waits (persistent ones are started again and again). */
struct request {
        struct request *next; /* in its list */
        bool sends, persistent, active, done, arrived, forgotten;
        int32_t rank, comm, peer, tag, source;
        char *memory;
        size_t bytes;
        char *copy;            /* of what went at once */
        struct request *match; /* of a receive: what comes; of a send: where it goes */
        int64_t due;           /* of a send: when it can match; then: when its next part moves */
        int64_t done_at;       /* when it is complete, once all has moved */
        size_t moved;
        int32_t index;
};

struct request_list {
        struct request *first, **end;
};

extern struct sea {
        struct lb_random random;
        int64_t now;
        int32_t nrank;
        size_t bytes;
        char *base, *view[SIMULATED_RANKS]; /* the same memory, and a second time, always there */
        int memory[SIMULATED_RANKS];        /* descriptors */
        int32_t current, dups[SIMULATED_RANKS];
        double late, slow; /* how often, of one; and how long, in steps */
        struct request *request[REQUESTS];
        int32_t nfree, free[REQUESTS];
        /* In the order of the calls; receives that have matched are not there. */
        struct request_list send[SIMULATED_RANKS][COMMS], receive[SIMULATED_RANKS][COMMS];
        struct request_list moving; /* sends that have matched */
        int64_t untold;             /* receives that are complete, which nobody has seen */
        int64_t latest[SIMULATED_RANKS][SIMULATED_RANKS][COMMS]; /* from, to: no send is before */
} sea;

double sea_unit(void);
int64_t sea_delay(void);
void sea_list_add(struct request_list *list, struct request *request);
void sea_list_cut(struct request_list *list, struct request **at);
struct request *sea_request_new(void);
void sea_request_drop(struct request *request);
struct request *sea_request_of(const MPI_Request *handle);
MPI_Request sea_request_handle(const struct request *request);
MPI_Comm sea_comm_handle(int32_t rank, int32_t comm);
int32_t sea_comm_rank(MPI_Comm handle);
int32_t sea_comm_number(MPI_Comm handle);
char *sea_at(int32_t rank, char *address);

_Noreturn void simulated_die(const char *what);
bool simulated_has(int32_t rank); /* is there such a rank? */

#endif
