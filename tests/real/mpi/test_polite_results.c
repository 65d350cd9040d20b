/* SPDX-License-Identifier: BSD-3-Clause */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/random.h"
#include "mpi_test.h"

/*
 * The polite calls against the plain ones of the MPI library, over random sizes, roots and
 * contents: the same to the last bit, sums of real numbers too.
 */
enum { NTRIAL = 25, COUNT_MAX = 10000, NRANK_MAX = 8, SEED = 1903 };

struct trial {
        struct lb_random random; /* the same in all ranks */
        int rank, nrank, root, count;
        int32_t *in, *polite, *plain;            /* [COUNT_MAX * NRANK_MAX] */
        double *real;                            /* the same: in[] / 3, of any magnitude */
        MPI_Comm between;                        /* even ranks and odd ones */
        int counts[NRANK_MAX], at[NRANK_MAX];    /* parts for each rank */
        int sent[NRANK_MAX], sent_at[NRANK_MAX]; /* the same everywhere: of counts[] */
        int got[NRANK_MAX], got_at[NRANK_MAX];   /* mine, from each rank */
};

enum { BYTES = COUNT_MAX * NRANK_MAX * (int)sizeof(double) };

static int random_int(struct trial *trial, int bound)
{
        return (int)lb_random_below(&trial->random, (uint64_t)bound);
}

/* New sizes and contents; results are as if never written. */
static void draw(struct trial *trial)
{
        int32_t place = 0;
        trial->root = random_int(trial, trial->nrank);
        trial->count =
            random_int(trial, 4) == 0 ? random_int(trial, COUNT_MAX) : random_int(trial, 50);
        for (int i = 0; i < trial->nrank; i++) {
                trial->counts[i] = random_int(trial, trial->count + 1);
                trial->at[i] = place;
                place += trial->counts[i];
        }
        for (int i = 0; i < trial->nrank; i++) {
                trial->sent[i] = trial->counts[i];
                trial->sent_at[i] = trial->at[i];
                trial->got[i] = trial->counts[trial->rank];
                trial->got_at[i] = i * trial->counts[trial->rank];
        }
        mpi_test_fill(trial->in, BYTES, lb_random_next(&trial->random) + (uint64_t)trial->rank);
        for (int i = 0; i < COUNT_MAX * NRANK_MAX; i++)
                trial->in[i] /= 1024; /* sums do not overflow */
        for (int i = 0; i < COUNT_MAX * NRANK_MAX; i++)
                trial->real[i] = ldexp(trial->in[i] / 3.0, trial->in[i] % 16);
        memset(trial->polite, 0, BYTES);
        memset(trial->plain, 0, BYTES);
}

static void check(struct trial *trial, const char *call)
{
        if (memcmp(trial->polite, trial->plain, BYTES) != 0)
                fprintf(stderr, "rank %d: MPI_%s differs, %d elements\n", trial->rank, call,
                        trial->count);
        MPI_TEST(memcmp(trial->polite, trial->plain, BYTES) == 0);
}

/* Both, with the name of the output in the arguments: out. */
#define BOTH(call, ...)                                                                            \
        do {                                                                                       \
                draw(trial);                                                                       \
                int32_t *out = trial->polite;                                                      \
                MPI_TEST(MPI_##call(__VA_ARGS__) == MPI_SUCCESS);                                  \
                out = trial->plain;                                                                \
                __typeof__(&PMPI_##call) plain;                                                    \
                mpi_test_plain("PMPI_" #call, &plain);                                             \
                MPI_TEST(plain(__VA_ARGS__) == MPI_SUCCESS);                                       \
                check(trial, #call);                                                               \
        } while (0)

#define IN trial->in, trial->count, MPI_INT32_T
#define OUT out, trial->count, MPI_INT32_T
#define REDUCED trial->in, out, trial->count, MPI_INT32_T
#define SUMMED trial->real, out, trial->count, MPI_DOUBLE
#define COMM MPI_COMM_WORLD

/* Reductions give the same as plain ones. */
static void test_reductions(struct trial *trial)
{
        BOTH(Allreduce, REDUCED, MPI_SUM, COMM);
        BOTH(Reduce, REDUCED, MPI_MAX, trial->root, COMM);
        BOTH(Scan, REDUCED, MPI_SUM, COMM);
        BOTH(Exscan, REDUCED, MPI_BXOR, COMM);
        BOTH(Reduce_scatter_block, REDUCED, MPI_SUM, COMM);
        BOTH(Reduce_scatter, trial->in, out, trial->counts, MPI_INT32_T, MPI_SUM, COMM);
        BOTH(Allreduce, memcpy(out, trial->in, (size_t)trial->count * 4) ? MPI_IN_PLACE : NULL, out,
             trial->count, MPI_INT32_T, MPI_MIN, COMM);
}

/* Sums of real numbers, whose last bits tell in which order they are made. */
static void test_sums(struct trial *trial)
{
        BOTH(Allreduce, SUMMED, MPI_SUM, COMM);
        BOTH(Reduce, SUMMED, MPI_SUM, trial->root, COMM);
        BOTH(Scan, SUMMED, MPI_SUM, COMM);
        BOTH(Exscan, SUMMED, MPI_SUM, COMM);
        BOTH(Reduce_scatter_block, SUMMED, MPI_SUM, COMM);
        BOTH(Reduce_scatter, trial->real, out, trial->counts, MPI_DOUBLE, MPI_SUM, COMM);
}

/* Between two groups: all of one reduce for the other; one of the even ranks is the root. */
static void test_between(struct trial *trial)
{
        draw(trial);
        int root = trial->rank == 0 ? MPI_ROOT : trial->rank % 2 == 0 ? MPI_PROC_NULL : 0;
        int32_t count = trial->rank % 2 == 0 && root != MPI_ROOT ? 0 : trial->count;
        BOTH(Allreduce, SUMMED, MPI_SUM, trial->between);
        BOTH(Reduce, trial->real, out, count, MPI_DOUBLE, MPI_SUM, root, trial->between);
        BOTH(Barrier, out ? trial->between : MPI_COMM_NULL);
}

static void make_between(struct trial *trial)
{
        MPI_Comm half;
        MPI_Comm_split(COMM, trial->rank % 2, trial->rank, &half);
        MPI_Intercomm_create(half, 0, COMM, 1 - trial->rank % 2, 0, &trial->between);
        MPI_Comm_free(&half);
}

/* So do collective copies, with equal and unequal parts. */
static void test_copies(struct trial *trial)
{
        int root = 0;
        BOTH(Gather, IN, OUT, trial->root, COMM);
        BOTH(Scatter, IN, OUT, trial->root, COMM);
        BOTH(Allgather, IN, OUT, COMM);
        BOTH(Alltoall, IN, OUT, COMM);
        BOTH(Gatherv, trial->in, trial->counts[trial->rank], MPI_INT32_T, out, trial->counts,
             trial->at, MPI_INT32_T, root, COMM);
        BOTH(Scatterv, trial->in, trial->counts, trial->at, MPI_INT32_T, out,
             trial->counts[trial->rank], MPI_INT32_T, trial->root, COMM);
        BOTH(Allgatherv, trial->in, trial->counts[trial->rank], MPI_INT32_T, out, trial->counts,
             trial->at, MPI_INT32_T, COMM);
        BOTH(Alltoallv, trial->in, trial->sent, trial->sent_at, MPI_INT32_T, out, trial->got,
             trial->got_at, MPI_INT32_T, COMM);
        draw(trial);
        memcpy(trial->polite, trial->in, BYTES);
        memcpy(trial->plain, trial->in, BYTES);
        MPI_Bcast(trial->polite, trial->count, MPI_INT32_T, trial->root, COMM);
        __typeof__(&PMPI_Bcast) plain;
        mpi_test_plain("PMPI_Bcast", &plain);
        plain(trial->plain, trial->count, MPI_INT32_T, trial->root, COMM);
        check(trial, "Bcast");
}

/* Among neighbors, each of which is one twice: the other way round a dimension of one or two. */
static void test_neighbors(struct trial *trial)
{
        int sizes[] = { trial->nrank, 1 }, round[] = { 1, 1 }, four[4], at[4];
        MPI_Comm near;
        MPI_Cart_create(COMM, 2, sizes, round, 0, &near);
        BOTH(Neighbor_allgather, IN, OUT, near);
        BOTH(Neighbor_alltoall, IN, OUT, near);
        for (int i = 0; i < 4; i++) {
                four[i] = trial->counts[0];
                at[i] = i * four[0];
        }
        BOTH(Neighbor_alltoallv, trial->in, four, at, MPI_INT32_T, out, four, at, MPI_INT32_T,
             near);
        MPI_Comm_free(&near);
}

/* What rank - 1 has as `in` comes by each way of sending and receiving. */
static void expect_left(struct trial *trial, const char *call)
{
        MPI_Request request;
        int right = (trial->rank + 1) % trial->nrank;
        int left = (trial->rank + trial->nrank - 1) % trial->nrank;
        PMPI_Isend(IN, right, 99, COMM, &request);
        PMPI_Recv(trial->plain, COUNT_MAX, MPI_INT32_T, left, 99, COMM, MPI_STATUS_IGNORE);
        PMPI_Wait(&request, MPI_STATUS_IGNORE);
        check(trial, call);
}

static void check_status(const struct trial *trial, const MPI_Status *status, int tag)
{
        int count = -1;
        MPI_Get_count(status, MPI_INT32_T, &count);
        MPI_TEST(count == trial->count);
        MPI_TEST(status->MPI_TAG == tag);
        MPI_TEST(status->MPI_SOURCE == (trial->rank + trial->nrank - 1) % trial->nrank);
}

typedef int (*send_call)(const void *, int, MPI_Datatype, int, int, MPI_Comm);

/* Even ranks send first: no send may wait for one that comes later in its own rank. */
static void test_send(struct trial *trial, send_call send, int tag)
{
        MPI_Status status;
        int right = (trial->rank + 1) % trial->nrank;
        draw(trial);
        if (trial->rank % 2 == 0)
                MPI_TEST(send(IN, right, tag, COMM) == MPI_SUCCESS);
        MPI_TEST(MPI_Probe(MPI_ANY_SOURCE, tag, COMM, &status) == MPI_SUCCESS);
        check_status(trial, &status, tag);
        MPI_Recv(trial->polite, COUNT_MAX, MPI_INT32_T, MPI_ANY_SOURCE, tag, COMM, &status);
        check_status(trial, &status, tag);
        if (trial->rank % 2 == 1)
                send(IN, right, tag, COMM);
        expect_left(trial, "Send");
}

static void test_sendrecv(struct trial *trial)
{
        MPI_Status status;
        int right = (trial->rank + 1) % trial->nrank;
        draw(trial);
        MPI_Sendrecv(IN, right, 5, trial->polite, COUNT_MAX, MPI_INT32_T, MPI_ANY_SOURCE, 5, COMM,
                     &status);
        check_status(trial, &status, 5);
        expect_left(trial, "Sendrecv");
        MPI_Sendrecv(IN, MPI_PROC_NULL, 5, trial->polite, 1, MPI_INT32_T, MPI_PROC_NULL, 5, COMM,
                     &status);
        MPI_TEST(status.MPI_SOURCE == MPI_PROC_NULL);
}

/* Messages from nowhere come at once, empty. */
static void test_nowhere(void)
{
        MPI_Message message;
        MPI_Status status;
        int word = 5, count = -1;
        MPI_Recv(&word, 1, MPI_INT, MPI_PROC_NULL, 5, COMM, &status);
        MPI_TEST(status.MPI_SOURCE == MPI_PROC_NULL && status.MPI_TAG == MPI_ANY_TAG);
        MPI_Mprobe(MPI_PROC_NULL, 5, COMM, &message, &status);
        MPI_TEST(message == MPI_MESSAGE_NO_PROC && status.MPI_SOURCE == MPI_PROC_NULL);
        MPI_Mrecv(&word, 1, MPI_INT, &message, &status);
        MPI_TEST(status.MPI_SOURCE == MPI_PROC_NULL);
        MPI_Probe(MPI_PROC_NULL, 5, COMM, &status);
        MPI_Get_count(&status, MPI_INT, &count);
        MPI_TEST(count == 0 && word == 5);
}

static void test_matched(struct trial *trial)
{
        MPI_Message message;
        MPI_Status status;
        MPI_Request request;
        draw(trial);
        MPI_Isend(IN, (trial->rank + 1) % trial->nrank, 6, COMM, &request);
        MPI_Mprobe(MPI_ANY_SOURCE, 6, COMM, &message, &status);
        check_status(trial, &status, 6);
        MPI_Mrecv(trial->polite, COUNT_MAX, MPI_INT32_T, &message, &status);
        check_status(trial, &status, 6);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        MPI_TEST(request == MPI_REQUEST_NULL);
        expect_left(trial, "Mrecv");
}

/* Requests in three pieces: 0 sends, 1 receives. Started; all waits must end both. */
static void start_pair(struct trial *trial, MPI_Request *request)
{
        draw(trial);
        MPI_Irecv(trial->polite, COUNT_MAX, MPI_INT32_T, MPI_ANY_SOURCE, 7, COMM, &request[1]);
        MPI_Isend(IN, (trial->rank + 1) % trial->nrank, 7, COMM, &request[0]);
}

static void test_waits(struct trial *trial)
{
        MPI_Request request[2];
        MPI_Status status[2];
        int index, ndone, done[2];
        start_pair(trial, request);
        MPI_Waitall(2, request, status);
        check_status(trial, &status[1], 7);
        expect_left(trial, "Waitall");

        start_pair(trial, request);
        for (int i = 0; i < 2; i++) {
                MPI_Waitany(2, request, &index, status);
                MPI_TEST(index == 0 || index == 1);
        }
        MPI_Waitany(2, request, &index, status);
        MPI_TEST(index == MPI_UNDEFINED);
        expect_left(trial, "Waitany");

        start_pair(trial, request);
        for (int left = 2; left > 0; left -= ndone)
                MPI_Waitsome(2, request, &ndone, done, status);
        MPI_Waitsome(2, request, &ndone, done, status);
        MPI_TEST(ndone == MPI_UNDEFINED);
        expect_left(trial, "Waitsome");
}

/* Communicators made by polite calls are what they should be. */
static void test_communicators(const struct trial *trial)
{
        MPI_Comm twin, half;
        int result, size, sum = 0, one = 1;
        MPI_TEST(MPI_Comm_dup(COMM, &twin) == MPI_SUCCESS);
        MPI_Comm_compare(COMM, twin, &result);
        MPI_TEST(result == MPI_CONGRUENT);
        MPI_TEST(MPI_Comm_split(twin, trial->rank % 2, trial->rank, &half) == MPI_SUCCESS);
        MPI_Comm_size(half, &size);
        MPI_TEST(size == (trial->nrank + 1 - trial->rank % 2) / 2);
        MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, half);
        MPI_TEST(sum == size);
        MPI_Comm_free(&half);
        MPI_Comm_free(&twin);
}

/* Others are made while duplicates are under way, on the very communicator. */
static void test_duplicates(const struct trial *trial)
{
        enum { COUNT = 5 };
        MPI_Comm parent, twins[COUNT], made;
        MPI_Request requests[COUNT];
        MPI_Status statuses[COUNT];
        int result, first;
        MPI_Comm_dup(COMM, &parent);
        for (int i = 0; i < COUNT; i++)
                MPI_TEST(MPI_Comm_idup(parent, &twins[i], &requests[i]) == MPI_SUCCESS);
        MPI_TEST(MPI_Comm_dup(parent, &made) == MPI_SUCCESS);
        MPI_Barrier(made);
        MPI_Comm_free(&made);
        MPI_TEST(MPI_Comm_split(parent, trial->rank % 2, -trial->rank, &made) == MPI_SUCCESS);
        MPI_Allreduce(&trial->rank, &first, 1, MPI_INT, MPI_MIN, made);
        MPI_TEST(first == trial->rank % 2);
        MPI_Comm_free(&made);
        MPI_Waitall(COUNT, requests, statuses);
        for (int i = 0; i < COUNT; i++) {
                MPI_Comm_compare(parent, twins[i], &result);
                MPI_TEST(result == MPI_CONGRUENT);
                MPI_Comm_free(&twins[i]);
        }
        MPI_Comm_free(&parent);
}

/* Several requests of a file. */
static void test_file(const struct trial *trial)
{
        enum { COUNT = 10, BYTES_EACH = 65536 };
        static char bytes[COUNT][BYTES_EACH];
        char name[64];
        MPI_File file;
        MPI_Request requests[COUNT];
        MPI_Status statuses[COUNT];
        (void)snprintf(name, sizeof(name), "polite_results.%d", trial->rank);
        MPI_TEST(MPI_File_open(MPI_COMM_SELF, name,
                               MPI_MODE_CREATE | MPI_MODE_WRONLY | MPI_MODE_DELETE_ON_CLOSE,
                               MPI_INFO_NULL, &file) == MPI_SUCCESS);
        for (int i = 0; i < COUNT; i++)
                MPI_File_iwrite(file, bytes[i], BYTES_EACH, MPI_CHAR, &requests[i]);
        MPI_TEST(MPI_Waitall(COUNT, requests, statuses) == MPI_SUCCESS);
        for (int i = 0; i < COUNT; i++) {
                int count = 0;
                MPI_Get_count(&statuses[i], MPI_CHAR, &count);
                MPI_TEST(count == BYTES_EACH && requests[i] == MPI_REQUEST_NULL);
        }
        MPI_File_close(&file);
}

/* One of three messages is longer than its place: what MPI_Waitall() returns, and of each. */
static void fail(MPI_Comm comm, int found[static 4])
{
        int in[3][4] = { { 0 } }, out[4] = { 7, 7, 7, 7 };
        static const int sizes[] = { 4, 2, 4 };
        MPI_Request requests[3];
        MPI_Status statuses[3];
        for (int i = 0; i < 3; i++)
                MPI_Irecv(in[i], sizes[i], MPI_INT, 0, i, comm, &requests[i]);
        for (int i = 0; i < 3; i++)
                MPI_Send(out, 4, MPI_INT, 0, i, comm);
        found[3] = MPI_Waitall(3, requests, statuses);
        for (int i = 0; i < 3; i++)
                MPI_Error_class(statuses[i].MPI_ERROR, &found[i]);
        MPI_Waitall(3, requests, statuses); /* those that are left */
}

/* A call that fails leaves nothing behind that takes what comes later. */
static void test_failed_pair(const struct trial *trial)
{
        int right = (trial->rank + 1) % trial->nrank, word[2] = { 1, 2 }, got[2] = { 0, 0 };
        int left = (trial->rank + trial->nrank - 1) % trial->nrank;
        MPI_Request sent[2];
        MPI_Comm comm;
        MPI_Comm_dup(COMM, &comm);
        MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
        MPI_TEST(MPI_Sendrecv(word, 1, MPI_INT, trial->nrank, 7, got, 1, MPI_INT, left, 7, comm,
                              MPI_STATUS_IGNORE) != MPI_SUCCESS);
        MPI_Barrier(comm);
        for (int i = 0; i < 2; i++)
                MPI_Isend(&word[i], 1, MPI_INT, right, 7, comm, &sent[i]);
        MPI_Recv(&got[1], 1, MPI_INT, left, 7, comm, MPI_STATUS_IGNORE);
        MPI_TEST(got[0] == 0 && got[1] == 1);
        MPI_Recv(got, 1, MPI_INT, left, 7, comm, MPI_STATUS_IGNORE);
        for (int i = 0; i < 2; i++)
                MPI_Wait(&sent[i], MPI_STATUS_IGNORE);
        MPI_Comm_free(&comm);
}

static void test_failed(void)
{
        int polite[4], plain[4];
        MPI_Comm alone;
        MPI_Comm_dup(MPI_COMM_SELF, &alone);
        MPI_Comm_set_errhandler(alone, MPI_ERRORS_RETURN);
        MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
        fail(alone, polite);
        polite_set_on(false);
        fail(alone, plain);
        polite_set_on(true);
        MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL);
        MPI_TEST(polite[3] == plain[3]);
        for (int i = 0; i < 3 && plain[3] == MPI_ERR_IN_STATUS; i++)
                MPI_TEST(polite[i] == plain[i]);
        MPI_Comm_free(&alone);
}

int main(int argc, char **argv)
{
        struct mpi_test_world world = mpi_test_begin(&argc, &argv);
        struct trial trial = { .rank = world.rank, .nrank = world.nrank };
        MPI_TEST(world.nrank >= 2 && world.nrank <= NRANK_MAX);
        trial.in = malloc(BYTES);
        trial.polite = malloc(BYTES);
        trial.plain = malloc(BYTES);
        trial.real = malloc(BYTES);
        make_between(&trial);
        lb_random_init(&trial.random, SEED, LB_RANDOM_TEST, 0);
        for (int i = 0; i < NTRIAL; i++) {
                polite_set_spin(i % 2 == 0 ? 0.0 : 20.0);
                test_reductions(&trial);
                test_sums(&trial);
                test_between(&trial);
                test_copies(&trial);
                test_neighbors(&trial);
                test_send(&trial, MPI_Send, 3);
                test_send(&trial, MPI_Ssend, 4);
                test_sendrecv(&trial);
                test_nowhere();
                test_matched(&trial);
                test_waits(&trial);
                test_communicators(&trial);
                test_duplicates(&trial);
                test_file(&trial);
                test_failed();
                test_failed_pair(&trial);
        }
        free(trial.in);
        free(trial.polite);
        free(trial.plain);
        free(trial.real);
        MPI_Comm_free(&trial.between);
        mpi_test_end("polite results");
        return 0;
}
