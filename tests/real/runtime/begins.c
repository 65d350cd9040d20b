/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Ranks that push tasks to each other, two of one core each, when taskwaits begin. The best of
 * several, as the machine may be busy.
 */
#include <stdio.h>

#include "tests/real/runtime/sleeper.h"

enum { ROUNDS = 5, TASKS_MAX = 8 };

struct begun {
        int32_t rank;
        int32_t *place; /* [TASKS_MAX] node where each task ran */
        double s;       /* the least, of a taskwait */
        int32_t away;   /* the fewest tasks, of rank 0 */
};

static void one_round(struct begun *b, int32_t ntask, int32_t ms, bool waits)
{
        int32_t away = 0;
        for (int32_t i = 0; i < ntask; i++)
                create_sleeper(&b->place[i], ms);
        double begin_s = MPI_Wtime();
        if (waits)
                lbrun_taskwait();
        double s = MPI_Wtime() - begin_s;
        for (int32_t i = 0; i < ntask; i++)
                away += b->place[i] != b->rank;
        b->s = s < b->s ? s : b->s;
        b->away = away < b->away ? away : b->away;
}

/* So many tasks of rank 0 and of rank 1, which comes later. */
static void rounds(struct begun *b, const int32_t ntask[2], const int32_t ms[2], int32_t late_ms)
{
        b->s = 1e9;
        b->away = TASKS_MAX;
        for (int32_t i = 0; i < ROUNDS; i++) {
                MPI_Barrier(lbrun_world());
                if (b->rank == 1 && late_ms > 0)
                        in_ms(late_ms);
                one_round(b, ntask[b->rank], ms[b->rank], b->rank == 0 || late_ms >= 0);
        }
        MPI_Barrier(lbrun_world());
}

/* Who has come first does not push to one that has not created its tasks yet. */
static void test_together(struct begun *b)
{
        rounds(b, (const int32_t[]){ 3, 3 }, (const int32_t[]){ 60, 60 }, 1);
        check(b->rank == 1 || b->away == 0, "all stay where both have as many", b->away);
}

/* A queue that becomes empty as its last task begins is told then, not when the task is over: at 40
 * ms, when rank 0 still has two. */
static void test_told(struct begun *b)
{
        rounds(b, (const int32_t[]){ 3, 3 }, (const int32_t[]){ 60, 20 }, 0);
        check(b->rank == 1 || b->s < 0.15, "two go on at home, one elsewhere", b->s);
}

/* To who computes on its one core when the other waits, and has tasks later, nothing goes. */
static void test_late(struct begun *b)
{
        rounds(b, (const int32_t[]){ 6, 6 }, (const int32_t[]){ 20, 20 }, 80);
        check(b->rank == 1 || b->away == 0, "all stay until the other has come", b->away);
}

/* Nobody waits for a rank that begins no taskwait, and what it has is used. */
static void test_absent(struct begun *b)
{
        rounds(b, (const int32_t[]){ 8, 0 }, (const int32_t[]){ 20, 0 }, -1);
        check(b->rank == 1 || b->s < 0.14, "half of the tasks go elsewhere, almost at once", b->s);
}

static void sleep_here(void *ms)
{
        in_ms(*(int32_t *)ms);
}

struct parent {
        int32_t *datum;
        int32_t ms; /* of its child */
};

static void create_child(void *argument)
{
        const struct parent *parent = argument;
        struct lbrun_access access = { LBRUN_INOUT, parent->datum, sizeof(int32_t) };
        lbrun_task(sleep_here, &parent->ms, sizeof(parent->ms), 1, &access, NULL);
}

/* Of rank 1 all but one child wait for others, and their parents for them: none needs a core. */
static void one_parents_round(struct begun *b)
{
        struct lbrun_access access = { LBRUN_WEAK_INOUT, b->place, sizeof(int32_t) };
        MPI_Barrier(lbrun_world());
        if (b->rank == 0)
                one_round(b, TASKS_MAX, 20, true);
        for (int32_t i = 0; b->rank == 1 && i < TASKS_MAX; i++) {
                struct parent parent = { b->place, i == 0 ? 200 : 1 };
                lbrun_task(create_child, &parent, sizeof(parent), 1, &access, NULL);
        }
        if (b->rank == 1)
                lbrun_taskwait();
}

static void test_parents(struct begun *b)
{
        b->away = TASKS_MAX;
        for (int32_t i = 0; i < ROUNDS; i++)
                one_parents_round(b);
        check(b->rank == 1 || b->away >= 2, "who waits for children is no load", b->away);
}

int main(int argc, char **argv)
{
        lbrun_start(&argc, &argv);
        struct begun b = { .place = lbrun_alloc(TASKS_MAX * sizeof(int32_t)) };
        MPI_Comm_rank(lbrun_world(), &b.rank);
        test_together(&b);
        test_told(&b);
        test_late(&b);
        test_parents(&b);
        test_absent(&b);
        lbrun_free(b.place);
        if (b.rank == 0)
                puts("begun");
        lbrun_stop();
        return 0;
}
