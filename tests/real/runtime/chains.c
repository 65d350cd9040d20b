/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * chains HOW: six iterations in which each rank has TASKS tasks that sleep for TASK_MS. As many of
 * them come after each other as HOW says:
 *
 *   free      none
 *   line      all, by one datum
 *   waits     two, for which the main program waits between
 *   on        two: the main program waits for one datum of the first
 *   children  all, and each has two children, side by side
 *   weak      all: children of tasks that have that datum weakly
 *   second    all, of ranks on node 1; others have one task
 *   many      none of MANY of a rank on node 0, of which some go elsewhere, each with two children
 *   wave      2 x WAVE - 1 of WAVE x WAVE tasks: each after the one above it and the one before it
 *   unequal   none of MANY, of which the last three last LONG times as long
 *   urgent    six, created after MANY free ones, and of higher priority
 *   tree      one task, with two children, each with two, and so on: 2^DEPTH leaves
 *   trees     none of the leaves of TREES trees of a rank on node 0, and of one: of tasks that have
 *             what their children write weakly, and do not wait for them
 */
#include <stdbool.h>
#include <string.h>
#include <time.h>

#include "real/lbrun.h"

enum {
        ITERATIONS = 6,
        TASKS = 6,
        MANY = 24,
        WAVE = 6,
        DEPTH = 5,
        TREES = 4,
        TASK_MS = 20,
        LONG = 5
};

static void rest(void *unused)
{
        (void)unused;
        nanosleep(&(struct timespec){ .tv_nsec = TASK_MS * 1000000L }, NULL);
}

static void rest_long(void *unused)
{
        for (int i = 0; i < LONG; i++)
                rest(unused);
}

static void make(double *datum, enum lbrun_mode mode, lbrun_function function)
{
        struct lbrun_access access = { mode, datum, sizeof(*datum) };
        lbrun_task(function, &datum, sizeof(datum), datum ? 1 : 0, &access, NULL);
}

static void with_children(void *unused)
{
        (void)unused;
        for (int i = 0; i < 2; i++)
                make(NULL, LBRUN_IN, rest);
        lbrun_taskwait();
}

static void with_child(void *datum)
{
        make(*(double **)datum, LBRUN_INOUT, rest);
}

static void make_many(double *data)
{
        (void)data;
        for (int i = 0; i < (lbrun_node() == 0 ? MANY : 1); i++)
                make(NULL, LBRUN_IN, with_children);
        lbrun_taskwait();
}

static void make_wave(double *data)
{
        for (int i = 0; i < WAVE * WAVE; i++) {
                double *above = data + i - WAVE, *before = data + i - 1;
                struct lbrun_access access[] = {
                        { LBRUN_INOUT, data + i, sizeof(*data) },
                        { LBRUN_IN, above, i >= WAVE ? sizeof(*data) : 0 },
                        { LBRUN_IN, before, i % WAVE > 0 ? sizeof(*data) : 0 },
                };
                lbrun_task(rest, NULL, 0, 3, access, NULL);
        }
        lbrun_taskwait();
}

static void make_unequal(double *data)
{
        (void)data;
        for (int i = 0; i < MANY; i++)
                make(NULL, LBRUN_IN, i < MANY - 3 ? rest : rest_long);
        lbrun_taskwait();
}

static void make_urgent(double *data)
{
        struct lbrun_access access = { LBRUN_INOUT, data, sizeof(*data) };
        struct lbrun_options options = { .priority = 1 };
        for (int i = 0; i < MANY; i++)
                make(NULL, LBRUN_IN, rest);
        for (int i = 0; i < TASKS; i++)
                lbrun_task(rest, NULL, 0, 1, &access, &options);
        lbrun_taskwait();
}

static void branch(void *argument)
{
        int depth = *(int *)argument - 1;
        if (depth < 0) {
                rest(NULL);
                return;
        }
        for (int i = 0; i < 2; i++)
                lbrun_task(branch, &depth, sizeof(depth), 0, NULL, NULL);
        lbrun_taskwait();
}

static void make_tree(double *data)
{
        int depth = DEPTH;
        (void)data;
        lbrun_task(branch, &depth, sizeof(depth), 0, NULL, NULL);
        lbrun_taskwait();
}

struct leaves {
        double *data;
        int count;
};

static void part(void *argument)
{
        struct leaves all = *(struct leaves *)argument;
        if (all.count == 1) {
                make(all.data, LBRUN_INOUT, rest);
                return;
        }
        for (int i = 0; i < 2; i++) {
                struct leaves half = { all.data + i * all.count / 2, all.count / 2 };
                struct lbrun_access access = { LBRUN_WEAK_INOUT, half.data,
                                               (size_t)half.count * sizeof(double) };
                lbrun_task(part, &half, sizeof(half), 1, &access, NULL);
        }
}

static void make_trees(double *data)
{
        enum { LEAVES = 8 };
        for (int i = 0; i < (lbrun_node() == 0 ? TREES : 1); i++) {
                struct leaves leaves = { data + i * LEAVES, LEAVES };
                struct lbrun_access access = { LBRUN_WEAK_INOUT, leaves.data,
                                               LEAVES * sizeof(double) };
                lbrun_task(part, &leaves, sizeof(leaves), 1, &access, NULL);
        }
        lbrun_taskwait();
}

static void iterate(const char *how, double *data)
{
        lbrun_function function = strcmp(how, "children") == 0 ? with_children
                                  : strcmp(how, "weak") == 0   ? with_child
                                                               : rest;
        enum lbrun_mode mode = function == with_child ? LBRUN_WEAK | LBRUN_INOUT : LBRUN_INOUT;
        bool second = strcmp(how, "second") == 0;
        bool line = function != rest || second || strcmp(how, "line") == 0;
        int tasks = second && lbrun_node() != 1 ? 1 : TASKS;
        for (int i = 0; i < tasks; i++) {
                make(line ? data : &data[i], mode, function);
                if (i == TASKS / 2 - 1 && strcmp(how, "waits") == 0)
                        lbrun_taskwait();
                struct lbrun_access first = { LBRUN_IN, data, sizeof(*data) };
                if (i == TASKS / 2 - 1 && strcmp(how, "on") == 0)
                        lbrun_taskwait_on(1, &first);
        }
        lbrun_taskwait();
}

static void iterate_as(const char *how, double *data)
{
        static const struct {
                const char *name;
                void (*make)(double *data);
        } others[] = { { "many", make_many },       { "wave", make_wave },
                       { "unequal", make_unequal }, { "urgent", make_urgent },
                       { "tree", make_tree },       { "trees", make_trees } };
        for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++)
                if (strcmp(how, others[i].name) == 0) {
                        others[i].make(data);
                        return;
                }
        iterate(how, data);
}

int main(int argc, char **argv)
{
        if (argc != 2)
                return 2;
        lbrun_start(&argc, &argv);
        double *data = lbrun_alloc(WAVE * WAVE * sizeof(*data));
        for (int i = 0; i < ITERATIONS; i++) {
                iterate_as(argv[1], data);
                MPI_Barrier(lbrun_world());
                lbrun_iteration();
        }
        lbrun_free(data);
        lbrun_stop();
        return 0;
}
