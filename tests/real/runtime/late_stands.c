/* SPDX-License-Identifier: BSD-3-Clause */
/* What is under tasks, and above: threads, clocks, reports, policies. */
#include "tests/real/runtime/late_impl.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

void late_die(const char *format, ...)
{
        va_list args;
        fprintf(stderr, "seed %llu, rank %d: ", (unsigned long long)late.world->spec.seed,
                late.process ? late.process->rank : -1);
        va_start(args, format);
        vfprintf(stderr, format, args);
        va_end(args);
        fprintf(stderr, "\n");
        abort();
}

uint64_t late_below(uint64_t bound)
{
        return lb_random_below(&late.world->random, bound);
}

bool late_chance(double share)
{
        return lb_random_unit(&late.world->random) < share;
}

/* ---- What is under it: threads, clocks, reports ---- */

int64_t now_ns(void)
{
        return late.world->now_ns;
}

void fail(const char *call, const char *format, ...)
{
        if (late.world->gives)
                longjmp(late.world->refused, 1);
        late_die("%s failed: %s", call, format);
}

/* Cores look for tasks by themselves. */
void threads_dispatch(struct process *p)
{
        (void)p;
}

void threads_tell(struct process *p)
{
        (void)p;
}

/* A keeper looks by itself, sooner or later. */
void board_wake(struct board *board, int32_t worker)
{
        (void)board;
        (void)worker;
}

int64_t polite_mpi_ns(void)
{
        return 0;
}

struct thread *thread_current(void)
{
        return NULL;
}

void thread_signal(struct process *p, struct thread *t)
{
        (void)p;
        (void)t;
}

void account_task(struct process *p, const struct task *task)
{
        (void)p;
        (void)task;
}

int32_t check_place(struct process *p, const struct task *task)
{
        (void)p;
        (void)task;
        return 0;
}

bool memory_spans(const struct memory *memory, uintptr_t begin, size_t bytes)
{
        (void)memory;
        uintptr_t first = (uintptr_t)simulated_memory();
        size_t all = (size_t)late.world->spec.napprank * WORK_WORDS * sizeof(uint64_t);
        return begin >= first && bytes <= all && begin - first <= all - bytes;
}

/* ---- Policies: anything that they may decide ---- */

void control_costs(struct control *control, const struct place_costs *costs)
{
        (void)control;
        (void)costs;
}

int32_t control_place(struct control *control, int64_t now_is, const int32_t *tasks, int64_t held,
                      int32_t data_place)
{
        (void)control;
        (void)now_is;
        (void)tasks;
        (void)held;
        if (late_chance(0.3))
                return PLACE_HOLD;
        return late_chance(0.3) ? data_place : (int32_t)late_below((uint64_t)late.process->nplace);
}

int64_t control_refill(struct control *control, int64_t now_is, const int32_t *tasks, int64_t held,
                       int32_t place, enum place_occasion occasion)
{
        (void)control;
        (void)now_is;
        (void)tasks;
        (void)place;
        return occasion == PLACE_IDLE ? 1 : (int64_t)late_below((uint64_t)held + 1) / 2;
}

/* A helper asks: where none is held, for what waits. */
bool control_asked(const struct control *control)
{
        (void)control;
        return late.world->asks;
}

bool control_gives_waiting(const struct control *control, int64_t given)
{
        (void)control;
        (void)given;
        return true;
}

int64_t control_give_waiting(struct control *control, int64_t now_is, const int32_t *tasks,
                             int64_t waiting, int32_t place, int64_t given)
{
        (void)control, (void)now_is, (void)tasks, (void)place, (void)given;
        return (int64_t)late_below((uint64_t)waiting + 1);
}

void control_answer(struct control *control, int32_t place, int64_t given)
{
        (void)control;
        (void)place;
        late.world->given += given;
}

int32_t control_mail_arrived(struct control *control, const void *body, size_t bytes)
{
        (void)control;
        (void)body;
        (void)bytes;
        late_die("a mail, which nobody sends");
}

struct control_load control_load(struct control *control, const struct migrate_local *local,
                                 int64_t outstanding)
{
        (void)control;
        late.world->rank[late.process->rank].outstanding = outstanding;
        return (struct control_load){ local->queued + local->received, outstanding };
}

void control_load_told(struct control *control, int32_t apprank, const struct control_load *load)
{
        (void)control;
        (void)apprank;
        (void)load;
}

int32_t control_migrate(struct control *control, int64_t now_is, bool replicates,
                        const struct migrate_local *local, const int64_t *under_way,
                        const int32_t *sending, const struct migrate_move **move)
{
        static struct migrate_move one;
        (void)control;
        (void)now_is;
        (void)under_way;
        (void)sending;
        one.rank = (int32_t)late_below((uint64_t)late.world->spec.napprank);
        one.ntask = 1 + (int64_t)late_below((uint64_t)local->queued + 1) / 2;
        *move = &one;
        if (one.rank == late.process->apprank || local->queued == 0 || late_chance(0.6))
                return 0;
        one.ntask = one.ntask < local->queued ? one.ntask : local->queued;
        (void)replicates;
        return 1;
}
