/* SPDX-License-Identifier: BSD-3-Clause */
/* Tasks in the order in which they are to run. */
#include <stdlib.h>
#include <string.h>

#include "real/runtime/process.h"

static void grow(struct task_queue *queue)
{
        int32_t room = queue->room ? 2 * queue->room : 8;
        struct task_level *grown = realloc(queue->level, (size_t)room * sizeof(*grown));
        if (!grown)
                fail("lbrun_task", "out of memory for tasks");
        queue->level = grown;
        queue->room = room;
}

/* The level of an urgency, made where there is none. */
static struct task_level *level_of(struct task_queue *queue, int64_t urgency)
{
        int32_t at = queue->nlevel;
        while (at > 0 && queue->level[at - 1].urgency > urgency)
                at--;
        if (at > 0 && queue->level[at - 1].urgency == urgency)
                return &queue->level[at - 1];
        if (queue->nlevel == queue->room)
                grow(queue);
        struct task_level *level = &queue->level[at];
        memmove(level + 1, level, (size_t)(queue->nlevel - at) * sizeof(*level));
        *level = (struct task_level){ .urgency = urgency };
        queue->nlevel++;
        return level;
}

void queue_push(struct task_queue *queue, struct task *task)
{
        struct task_level *level = level_of(queue, task->urgency);
        task->next = NULL;
        task->previous = level->last;
        if (level->last)
                level->last->next = task;
        else
                level->first = task;
        level->last = task;
        queue->count++;
}

struct task *queue_first(const struct task_queue *queue)
{
        return queue->nlevel > 0 ? queue->level[queue->nlevel - 1].first : NULL;
}

struct task *queue_pop(struct task_queue *queue)
{
        struct task *task = queue_first(queue);
        if (!task)
                return NULL;
        struct task_level *level = &queue->level[queue->nlevel - 1];
        level->first = task->next;
        if (level->first)
                level->first->previous = NULL;
        else
                queue->nlevel--;
        queue->count--;
        return task;
}

struct task *queue_pop_child(struct task_queue *queue, const struct task *parent)
{
        if (queue->nlevel == 0)
                return NULL;
        struct task_level *level = &queue->level[queue->nlevel - 1];
        struct task *task = level->last;
        if (task->parent != parent)
                return NULL;
        level->last = task->previous;
        if (level->last)
                level->last->next = NULL;
        else
                queue->nlevel--;
        queue->count--;
        return task;
}

struct task *queue_last(const struct task_queue *queue)
{
        return queue->nlevel > 0 ? queue->level[0].last : NULL;
}

struct task *queue_before(const struct task_queue *queue, const struct task *task)
{
        if (task->previous)
                return task->previous;
        const struct task_level *level = queue->level, *end = level + queue->nlevel;
        while (level < end && level->urgency <= task->urgency)
                level++;
        return level < end ? level->last : NULL;
}

struct task *queue_pop_last(struct task_queue *queue)
{
        struct task *task = queue_last(queue);
        if (task)
                queue_remove(queue, task);
        return task;
}

void queue_remove(struct task_queue *queue, struct task *task)
{
        struct task_level *level = level_of(queue, task->urgency);
        if (task->next)
                task->next->previous = task->previous;
        else
                level->last = task->previous;
        if (task->previous)
                task->previous->next = task->next;
        else
                level->first = task->next;
        queue->count--;
        int32_t behind = queue->nlevel - 1 - (int32_t)(level - queue->level);
        if (!level->first) {
                memmove(level, level + 1, (size_t)behind * sizeof(*level));
                queue->nlevel--;
        }
}

void queue_finish(struct task_queue *queue)
{
        free(queue->level);
        *queue = (struct task_queue){ 0 };
}
