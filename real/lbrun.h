/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef LBRUN_H
#define LBRUN_H

#include <mpi.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The example below has long lines. */
/* clang-format off */
/*
 * The live runtime: tasks of an MPI program that spread over helper ranks on other nodes, while
 * cores follow the load. A program that uses it is started with lbrun(1); started any other way it
 * runs alone, each rank with one core, so that it can be tested without.
 *
 *      int main(int argc, char **argv)
 *      {
 *              lbrun_start(&argc, &argv);              in place of MPI_Init
 *              MPI_Comm world = lbrun_world();         in place of MPI_COMM_WORLD
 *              double *x = lbrun_alloc(n * sizeof(*x));
 *              for (int step = 0; step < steps; step++) {
 *                      for (size_t i = 0; i < n; i += block)
 *                              lbrun_task(update, &(struct arg){ x + i, block }, sizeof(struct arg), 1,
 *                                         (struct lbrun_access[]){ { LBRUN_INOUT, x + i, block * sizeof(*x) } },
 *                                         NULL);
 *                      lbrun_taskwait();
 *                      MPI_Allreduce(...., world);
 *                      lbrun_iteration();              for the report
 *              }
 *              lbrun_stop();                           in place of MPI_Finalize
 *      }
 *
 * - Helper ranks run the same program; they serve inside lbrun_start() and never return from it.
 * - Tasks are ordered by their accesses alone: a task waits for earlier tasks of the same parent
 *   that write what it accesses, or access what it writes, whole ranges or parts of them.
 * - A task is created by the main program's thread or by a task. Children of a task run where it
 *   runs, their accesses must lie within its own, and a task is complete when its children are.
 * - Data that a task touches and that lies in cluster memory must be among its accesses, or may be
 *   stale. Between lbrun_taskwait() and the next task the main program may use all of it, but may
 *   not write what is lbrun_constant().
 * - A task whose accesses are not all in cluster memory, or that is created with LBRUN_HERE, runs
 *   at home.
 * - Collective MPI calls are made on lbrun_world() or what is made from it. On MPI_COMM_WORLD, where
 *   that has helper ranks, which never take part, one ends the job with a message that names it.
 *   MPI calls that wait lend the caller's core meanwhile; results are those of plain MPI calls, to
 *   the last bit.
 * - Wrong use (an access outside any allocation, a call before lbrun_start()) ends the job with a
 *   message that names the call.
 */
/* clang-format on */

#ifdef __cplusplus
extern "C" {
#endif

/*
 * LBRUN_COMMUTATIVE reads and writes as LBRUN_INOUT does, but tasks that have it on the same range
 * may run in any order: one at a time, whichever is ready first. Others are ordered with all of
 * them. Results are the serial ones where the tasks' order does not matter.
 */
enum lbrun_mode {
        LBRUN_IN = 1,
        LBRUN_OUT = 2,
        LBRUN_INOUT = 3,
        LBRUN_COMMUTATIVE = 19,
        /* Not the task itself, but its children: see below. */
        LBRUN_WEAK = 1 << 16,
        LBRUN_WEAK_IN = LBRUN_WEAK | LBRUN_IN,
        LBRUN_WEAK_OUT = LBRUN_WEAK | LBRUN_OUT,
        LBRUN_WEAK_INOUT = LBRUN_WEAK | LBRUN_INOUT,
        /* Reductions, of arrays, too: see lbrun_private(). */
        LBRUN_REDUCTION = 1 << 14,
        LBRUN_SUM_DOUBLE = LBRUN_REDUCTION,
        LBRUN_SUM_FLOAT = LBRUN_REDUCTION + (1 << 5),
        LBRUN_SUM_INT32 = LBRUN_REDUCTION + (2 << 5),
        LBRUN_SUM_INT64 = LBRUN_REDUCTION + (3 << 5),
        LBRUN_MIN_DOUBLE = LBRUN_REDUCTION + (4 << 5),
        LBRUN_MIN_FLOAT = LBRUN_REDUCTION + (5 << 5),
        LBRUN_MIN_INT32 = LBRUN_REDUCTION + (6 << 5),
        LBRUN_MIN_INT64 = LBRUN_REDUCTION + (7 << 5),
        LBRUN_MAX_DOUBLE = LBRUN_REDUCTION + (8 << 5),
        LBRUN_MAX_FLOAT = LBRUN_REDUCTION + (9 << 5),
        LBRUN_MAX_INT32 = LBRUN_REDUCTION + (10 << 5),
        LBRUN_MAX_INT64 = LBRUN_REDUCTION + (11 << 5),
        LBRUN_USER_REDUCTION = 1 << 15, /* by lbrun_reduction() */
};

/*
 * A task waits for nothing that it accesses weakly, and does not touch it: its children do, which
 * wait, each for what it accesses itself, for whom the task would wait otherwise. Later tasks wait
 * until the task and its children are complete. So tasks can be created by tasks, in parallel and
 * far ahead. A task with weak accesses runs where its creator runs; at home its children that
 * access nothing but what is weak with it are offloaded as the main program's. lbrun_taskwait() in
 * it does not bring their data here, lbrun_taskwait_on() does. No other access of the task may
 * overlap a weak one.
 */

/* A range of memory that a task reads (its value when the task starts), writes (all of it), or
 * both. */
struct lbrun_access {
        enum lbrun_mode mode;
        const void *address;
        size_t bytes;
};

enum lbrun_flags {
        LBRUN_ANYWHERE = 0,
        LBRUN_HERE = 1, /* not offloadable: runs where its creator runs */
};

/* A task's function; `argument` is a copy of what was given at creation, aligned for any type. What
 * it points to is cluster memory: functions, literals and variables are elsewhere in each process.
 */
typedef void (*lbrun_function)(void *argument);

/*
 * Options of a task; NULL means all zero.
 *
 * The cost says how long the task will take compared with the others of the job, in any unit that
 * all of them share (floating-point operations, elements); 0 where it is not known. Among ready
 * tasks of equal priority costly ones are placed and run earlier (costs within a factor of about
 * 1.4 count as equal), those without a cost last. It changes no result. Sums of the costs are in
 * what --loads writes.
 *
 * `home`, where it is given, says where at home the data of each access is, of a program that has
 * it in memory of its own; NULL among them: at the access's address, as of all where it is not
 * given. A task that goes elsewhere finds there, at its accesses' addresses, what it reads, and
 * what it has written is at home when it is complete, neither by way of home's cluster memory. One
 * that runs at home works on the program's memory itself. All tasks that access a range say the
 * same of it. Not for accesses that are weak or reduce, nor for loops.
 */
struct lbrun_options {
        int32_t priority;        /* higher runs earlier among the ready tasks of a worker */
        uint32_t flags;          /* of enum lbrun_flags */
        double cost;             /* finite, not negative */
        const void *const *home; /* [naccess], copied; or NULL */
};

/*
 * Start the runtime (and MPI, unless it is initialised with MPI_THREAD_MULTIPLE already). Returns
 * in appranks only; helper ranks end inside when the job ends. Ends the job with a message where
 * the environment that lbrun set up is wrong.
 */
void lbrun_start(int *argc, char ***argv);

/* Wait for all tasks of the caller, bring their data home, report, end MPI. Collective over
 * lbrun_world(). Where a report cannot be written the program goes on, and ends with exit code 1.
 */
void lbrun_stop(void);

/* End the job with a message, which names the rank, and exit code 1. From any thread. */
#if defined(__cplusplus)
[[noreturn]]
#elif __STDC_VERSION__ >= 201112L
_Noreturn
#elif defined(__GNUC__)
__attribute__((noreturn))
#endif
void lbrun_fail(const char *text);

/* The communicator of the appranks, in apprank order; and as Fortran's MPI knows it. Helper ranks
 * are no part of it: a task that asks for it runs at home (LBRUN_HERE), or ends the job. With
 * migration a task has the rank of where it runs. */
MPI_Comm lbrun_world(void);
MPI_Fint lbrun_world_f(void);

/*
 * Cluster memory: at the same address in the apprank and all its helpers, aligned to 64 bytes, zero
 * at first. Called by the main program, not from tasks. Never returns NULL: the job ends with a
 * message where there is no room. lbrun_free() takes NULL; a block that an unfinished task accesses
 * ends the job with a message.
 */
void *lbrun_alloc(size_t bytes);
void lbrun_free(void *address);

/*
 * What is in the range now is constant: where helpers have read it, it stays there over
 * lbrun_taskwait(), at which all else is forgotten there, as the main program may write it. Ends
 * for what a task writes, and with lbrun_free(). Called again where the main program has written it
 * nevertheless, between lbrun_taskwait() and the next task: where it is not, tasks elsewhere go on
 * with what was there, which --check does not see. No unfinished task may access the range, which
 * lies in one block of lbrun_alloc(), or the job ends with a message.
 */
void lbrun_constant(const void *address, size_t bytes);

/*
 * Create a task: call function with a copy of argument[argument_bytes] (at most LBRUN_ARGUMENT_MAX)
 * when its `naccess` accesses allow. All arguments are copied. Where very many short tasks wait for
 * a core already, the caller executes one before it returns; lbrun_taskwait() does so as long as
 * there are any.
 */
void lbrun_task(lbrun_function function, const void *argument, size_t argument_bytes, int naccess,
                const struct lbrun_access *access, const struct lbrun_options *options);
enum { LBRUN_ARGUMENT_MAX = 4096, LBRUN_ACCESS_MAX = 1024 };

/*
 * A loop as tasks: function(begin, end, argument) for parts of the range, of `grain` iterations
 * each (the last may be shorter). With a grain of 0 the runtime chooses: some tasks for each core
 * of the nodes that the caller's tasks may run on, but none shorter than about 0.1 ms, by what
 * earlier ones took; where a slice reduces, a 64th of the range, so that the result is always the
 * same.
 *
 * Iteration i accesses bytes [address + i * stride, address + i * stride + bytes) of each slice;
 * with a stride of 0 all access the same. What lies between (a stride of more than the bytes) stays
 * as it is, but is a part of the task's range: who accesses it waits, and a slice that reduces has
 * none. At most LBRUN_ACCESS_MAX slices. Otherwise as lbrun_task(); the options' cost is each
 * task's.
 */
typedef void (*lbrun_loop)(int64_t begin, int64_t end, void *argument);
struct lbrun_range {
        int64_t begin, end, grain; /* end: the first that is not executed */
};
struct lbrun_slice {
        enum lbrun_mode mode;
        const void *address;
        size_t bytes, stride;
};
void lbrun_taskloop(lbrun_loop function, const struct lbrun_range *range, const void *argument,
                    size_t argument_bytes, int nslice, const struct lbrun_slice *slice,
                    const struct lbrun_options *options);

/*
 * Reductions. Tasks with such an access on a range run at the same time: each accumulates into a
 * value of its own, lbrun_private(address) of an address in the range, which begins as the neutral
 * one (0 of sums, the largest or least number of minima and maxima). Whoever accesses the range in
 * another way is ordered with all of them, and finds the values added to what was there before, in
 * the order in which the tasks were created. So the result is the same in every run and on any
 * number of nodes and cores, rounding included: that of a serial loop over the same tasks, each
 * with its partial result. Sums of integers wrap around. Children of such a task may access its own
 * value, not the range.
 *
 * lbrun_reduction() makes a further kind of reduction, of elements of so many bytes, by functions
 * that work on a range of whole elements: neutral() fills it, combine() adds `from` to `into`. Any
 * rank may make its own; the mode is for the rank that made it. At most 256.
 */
typedef void (*lbrun_neutral)(void *value, size_t bytes);
typedef void (*lbrun_combine)(void *into, const void *from, size_t bytes);
enum lbrun_mode lbrun_reduction(size_t element_bytes, lbrun_neutral neutral, lbrun_combine combine);

/* In a task: where its own value of what is at `address` is. */
void *lbrun_private(const void *address);

/* Returns what it is given: where Fortran has something. */
void *lbrun_address(const void *something);

/* Wait until all children of the caller (the main program, or a task) are complete, and their data
 * is where the caller runs. A task that waits holds a thread, so tasks that wait within each other
 * thousands deep take as many. */
void lbrun_taskwait(void);

/* The same, but the data stays where it was made until someone needs it ("taskwait noflush" in the
 * papers). */
void lbrun_taskwait_noflush(void);

/*
 * Wait until a task with these accesses, created now by the caller, could start, and until the data
 * that it would read is where the caller runs: "taskwait depend" of OpenMP, "taskwait in" of OmpSs.
 * Other tasks go on. Until it creates the next task the caller may do what the accesses say: read
 * what has LBRUN_IN, write all of what has LBRUN_OUT.
 */
void lbrun_taskwait_on(int naccess, const struct lbrun_access *access);

/* An iteration of the application ends here; the report is by iterations. Not collective. */
void lbrun_iteration(void);

/* For examples and tests: the caller's node, the place among its apprank's workers (0: home), and
 * the number of nodes of the job and of cores of each (in the mean, rounded up, where nodes have
 * different numbers). */
int32_t lbrun_node(void);
int32_t lbrun_place(void);
int32_t lbrun_nnode(void);
int32_t lbrun_cores_per_node(void);

#ifdef __cplusplus
}
#endif

#endif
