/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Orders that accesses do not tell: priorities, tasks that wait for their children all the way
 * down, and more short tasks than anybody wants to keep.
 */
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "real/lbrun.h"

static void check(bool holds, const char *claim, long found)
{
        if (holds)
                return;
        fprintf(stderr, "does not hold: %s (found %ld)\n", claim, found);
        MPI_Abort(MPI_COMM_WORLD, 1);
}

/* ---- Priorities ---- */

enum { NOTES = 50 };
static int noted[NOTES], nnoted;

static void note(void *argument)
{
        noted[nnoted++] = *(const int *)argument;
}

static int32_t priority_of(int number)
{
        return number * 7 % 5 - 2;
}

/* On one core, higher priorities run earlier, and equals in the order of creation. */
static void test_priorities(void)
{
        for (int i = 0; i < NOTES; i++) {
                struct lbrun_options options = { .priority = priority_of(i), .flags = LBRUN_HERE };
                lbrun_task(note, &i, sizeof(i), 0, NULL, &options);
        }
        check(nnoted == 0, "the main program has the core", nnoted);
        lbrun_taskwait();
        check(nnoted == NOTES, "all run", nnoted);
        for (int i = 1; i < NOTES; i++) {
                int32_t before = priority_of(noted[i - 1]), now = priority_of(noted[i]);
                check(before > now || (before == now && noted[i - 1] < noted[i]),
                      "by priority, then by creation", noted[i]);
        }
}

/* Without a cost, 1, 2, 4, ...: factors that differ. */
static double cost_of(int number)
{
        int step = number * 7 % 5;
        return step == 0 ? 0 : (double)(1 << step) * (1 + 1e-3 * number);
}

/* On one core, of equal priority the costly ones run earlier, and those of about equal cost in the
 * order of creation. */
static void test_costs(void)
{
        nnoted = 0;
        for (int i = 0; i < NOTES; i++) {
                struct lbrun_options options = { .flags = LBRUN_HERE, .cost = cost_of(i) };
                lbrun_task(note, &i, sizeof(i), 0, NULL, &options);
        }
        lbrun_taskwait();
        check(nnoted == NOTES, "all run", nnoted);
        for (int i = 1; i < NOTES; i++) {
                double before = cost_of(noted[i - 1]), now = cost_of(noted[i]);
                bool equal = before <= 1.5 * now && now <= 1.5 * before;
                check(equal ? noted[i - 1] < noted[i] : before > now, "by cost, then by creation",
                      noted[i]);
        }
}

/* ---- Children of children ---- */

struct sum {
        long number, *result;
};

/* Fibonacci numbers, the long way. */
static void add(void *argument)
{
        struct sum *sum = argument;
        long part[2] = { 0, 0 };
        if (sum->number < 2) {
                *sum->result = sum->number;
                return;
        }
        for (int i = 0; i < 2; i++) {
                struct sum child = { sum->number - 1 - i, &part[i] };
                struct lbrun_access access = { LBRUN_OUT, &part[i], sizeof(part[i]) };
                lbrun_task(add, &child, sizeof(child), 1, &access, NULL);
        }
        lbrun_taskwait();
        *sum->result = part[0] + part[1];
}

/* Tasks on their parents' stacks: who waits executes children, and needs no thread for each. */
static void test_recursion(void)
{
        long result = 0;
        struct lbrun_access access = { LBRUN_OUT, &result, sizeof(result) };
        lbrun_task(add, &(struct sum){ 18, &result }, sizeof(struct sum), 1, &access, NULL);
        lbrun_taskwait();
        check(result == 2584, "the 18th Fibonacci number", result);
}

/* ---- Many ---- */

enum { MANY = 30000, CELLS = 100 };

static void increment(void *argument)
{
        ++*(*(long **)argument);
}

/* Each runs once, in a chain with those of its cell. */
static void test_many(void)
{
        long *cell = lbrun_alloc(CELLS * sizeof(*cell));
        for (int i = 0; i < MANY; i++) {
                long *one = &cell[i % CELLS];
                struct lbrun_access access = { LBRUN_INOUT, one, sizeof(*one) };
                lbrun_task(increment, &one, sizeof(one), 1, &access, NULL);
        }
        lbrun_taskwait();
        for (int i = 0; i < CELLS; i++)
                check(cell[i] == MANY / CELLS, "each task once", cell[i]);
        lbrun_free(cell);
}

static atomic_long executed;

static void count(void *argument)
{
        long children = *(const long *)argument, none = 0;
        for (long i = 0; i < children; i++)
                lbrun_task(count, &none, sizeof(none), 0, NULL, NULL);
        executed++;
}

/* Tasks without accesses, with children here and there, whoever executes them. */
static void test_without_accesses(void)
{
        long expected = 0;
        for (long i = 0; i < MANY; i++) {
                long children = i % 100 == 0 ? 2 : 0;
                lbrun_task(count, &children, sizeof(children), 0, NULL,
                           &(struct lbrun_options){ .flags = LBRUN_HERE });
                expected += 1 + children;
        }
        lbrun_taskwait();
        check(executed == expected, "all of them once, children too", executed);
}

enum { ROUNDS = 3 };
static atomic_int arrived[ROUNDS], both_created;

/* Waits for the other; ten seconds, for who is never executed beside it. The creator may execute
 * the first before there is a second. */
static void meet(void *argument)
{
        int round = *(const int *)argument;
        arrived[round] += both_created > round ? 1 : 2;
        for (int i = 0; i < 10000 && arrived[round] < 2; i++)
                nanosleep(&(struct timespec){ .tv_nsec = 1000000 }, NULL);
        check(arrived[round] >= 2, "long tasks behind tiny ones run side by side", round);
}

/* Tiny tasks are left to the main program; long ones among them, with an access each, are not. */
static void test_tiny_and_long(void)
{
        long *cell = lbrun_alloc(CELLS * sizeof(*cell)), own[2 * ROUNDS];
        struct lbrun_options here = { .flags = LBRUN_HERE };
        for (int i = 0; i < ROUNDS * MANY; i++) {
                int round = i / MANY;
                long *one = &cell[i % CELLS];
                struct lbrun_access access = { LBRUN_INOUT, one, sizeof(*one) };
                lbrun_task(increment, &one, sizeof(one), 1, &access, &here);
                if (i % MANY != MANY / 2)
                        continue;
                for (int k = 0; k < 2; k++) {
                        access.address = &own[2 * round + k];
                        lbrun_task(meet, &round, sizeof(round), 1, &access, &here);
                }
                both_created = round + 1;
        }
        lbrun_taskwait();
        check(cell[0] == ROUNDS * MANY / CELLS, "each task once", cell[0]);
        lbrun_free(cell);
}

int main(int argc, char **argv)
{
        lbrun_start(&argc, &argv);
        if (lbrun_cores_per_node() == 1)
                test_priorities();
        if (lbrun_cores_per_node() == 1)
                test_costs();
        test_recursion();
        test_many();
        test_without_accesses();
        if (lbrun_cores_per_node() > 1)
                test_tiny_and_long();
        int rank;
        MPI_Comm_rank(lbrun_world(), &rank);
        lbrun_stop();
        if (rank == 0)
                printf("in order\n");
        return 0;
}
