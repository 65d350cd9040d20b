/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Tasks of programs that gcc compiled, each with a function of ours around its own, which tells the
 * guest of those that run where a thread waits. What is copied for a task gets a head:
 *
 *      | range | function | room | .. | what the program gave |
 *      ^ what the library allocates   ^ room
 *
 * The first two words are those in which the library tells a task of a taskloop its iterations.
 */
#include <stdatomic.h>
#include <string.h>

#include "real/openmp/openmp.h"
#include "real/openmp/openmp_impl.h"

/* Of libgomp's interface: a taskloop that does not wait for its tasks; tasks whose own data it
 * reads or writes, and which are handed on as they are. */
enum { NO_GROUP = 1 << 11, REDUCES = 1 << 12, DETACHED = 1 << 13 };

typedef void (*task_function)(void *data);
typedef void (*copy_function)(void *to, void *from);

struct head {
        unsigned long long range[2];
        task_function function;
        size_t room; /* of the head */
};

struct given {
        struct head head;
        copy_function copy; /* NULL: as bytes */
        void *data;
        size_t size;
};

/* For copy_function of the library. */
static void copy_task(void *to, void *from)
{
        const struct given *given = from;
        char *data = (char *)to + given->head.room;
        memcpy(to, &given->head, sizeof(given->head));
        if (given->copy)
                given->copy(data, given->data);
        else if (given->size > 0)
                memcpy(data, given->data, given->size);
}

/* Tells of it where the thread would wait else. */
static void run(task_function function, void *data)
{
        struct openmp_here before = openmp_here;
        bool waits = before.parts == 0 || before.waits;
        openmp_here.parts++;
        openmp_here.waits = false;
        if (waits)
                openmp_guest.task_begin();
        function(data);
        if (waits)
                openmp_guest.task_end();
        openmp_here.parts = before.parts;
        openmp_here.waits = before.waits;
}

static void run_task(void *block)
{
        const struct head *head = block;
        run(head->function, (char *)block + head->room);
}

static void run_loop_task(void *block)
{
        const struct head *head = block;
        char *data = (char *)block + head->room;
        memcpy(data, head->range, 2 * sizeof(long));
        run(head->function, data);
}

static void run_long_loop_task(void *block)
{
        const struct head *head = block;
        char *data = (char *)block + head->room;
        memcpy(data, head->range, sizeof(head->range));
        run(head->function, data);
}

/* Is this task to be told of? Those of other threads' teams are left alone. */
static bool is_told(unsigned flags)
{
        openmp_asks_share();
        if (!openmp_here.team || openmp_here.alone || !openmp_guest.task_begin)
                return false;
        if (flags & (REDUCES | DETACHED))
                openmp_guest.tasks_unseen();
        return !(flags & (REDUCES | DETACHED));
}

static struct given wrap(task_function function, void *data, copy_function copy, long size,
                         long align)
{
        size_t step = align > 0 ? (size_t)align : 1;
        size_t room = (sizeof(struct head) + step - 1) / step * step;
        return (struct given){ .head = { .function = function, .room = room },
                               .copy = copy,
                               .data = data,
                               .size = size > 0 ? (size_t)size : 0 };
}

static long align_of(long align)
{
        return align > (long)_Alignof(struct head) ? align : (long)_Alignof(struct head);
}

/* With all arguments that it ever had; a library that knows fewer does not look at the rest. */
void GOMP_task(task_function function, void *data, copy_function copy, long size, long align,
               bool now, unsigned flags, void **depend, int priority, void *detach);
void GOMP_task(task_function function, void *data, copy_function copy, long size, long align,
               bool now, unsigned flags, void **depend, int priority, void *detach)
{
        OPENMP_NEXT(GOMP_task)
        if (!is_told(flags)) {
                hand_on(function, data, copy, size, align, now, flags, depend, priority, detach);
                return;
        }
        struct given given = wrap(function, data, copy, size, align_of(align));
        hand_on(run_task, &given, copy_task, (long)given.head.room + size, align_of(align), now,
                flags, depend, priority, detach);
}

/* clang-format off */
#define TASKLOOP(name, number, run_function)                                                       \
        void name(task_function function, void *data, copy_function copy, long size, long align,   \
                  unsigned flags, unsigned long tasks, int priority, number start, number end,     \
                  number step);                                                                    \
        void name(task_function function, void *data, copy_function copy, long size, long align,   \
                  unsigned flags, unsigned long tasks, int priority, number start, number end,     \
                  number step)                                                                     \
        {                                                                                          \
                OPENMP_NEXT(name)                                                                  \
                if (!is_told(flags)) {                                                             \
                        hand_on(function, data, copy, size, align, flags, tasks, priority, start,  \
                                end, step);                                                        \
                        return;                                                                    \
                }                                                                                  \
                struct given given = wrap(function, data, copy, size, align_of(align));            \
                bool waits = (flags & NO_GROUP) == 0;                                              \
                if (waits)                                                                         \
                        openmp_pause();                                                            \
                hand_on(run_function, &given, copy_task, (long)given.head.room + size,             \
                        align_of(align), flags, tasks, priority, start, end, step);                \
                if (waits)                                                                         \
                        openmp_resume();                                                           \
        }
/* clang-format on */

TASKLOOP(GOMP_taskloop, long, run_loop_task)
TASKLOOP(GOMP_taskloop_ull, unsigned long long, run_long_loop_task)
