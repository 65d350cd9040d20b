/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef LBRUN_CHAMELEON_H
#define LBRUN_CHAMELEON_H

/*
 * CHAMELEON's calls for tasks, by the live runtime: a program of theirs is compiled with this
 * directory before others, linked with the library of lbrun.h instead of -lchameleon, and started
 * with lbrun --system chameleon.
 *
 * - Tasks begin in chameleon_distributed_taskwait(), which every rank and every thread of its
 *   parallel region calls, the thread that called chameleon_init() or chameleon_thread_init() first
 *   among them: that is main()'s. It begins as a barrier of the region, so that what the region's
 *   OpenMP tasks add is among them. Elsewhere chameleon_taskyield() executes one.
 * - A task that its rank executes itself works on what it maps; another rank that executes it has a
 *   copy of that, which goes there with the task, and what it writes, back when it is complete.
 *   What several only read, goes once.
 * - Entry points are functions of the program itself, not of its libraries, of arguments that are
 *   pointers or whole numbers, CHAMELEON_ARGUMENTS_MAX at most.
 * - A task's callback is called by the thread that executes it in chameleon_taskyield(), or by
 *   main()'s thread when the wait is over.
 * - A task may add tasks, to the rank that executes it: the wait is over when they are complete.
 * - Replication, base addresses, images, processor sets and tracing are accepted and mean nothing.
 *   Not there: `omp target`, the tools interface; load metric and strategy of one's own are a
 *   policy (lbrun --policy, policies/migrate.h).
 *
 * Everything is in this header; its functions are weak, so that many files may include it. Fortran
 * compiles chameleon_lib.f90 and chameleon_lib.c with the program.
 */

#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <errno.h>
#include <inttypes.h>
#include <pthread.h>
#include <sched.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <unistd.h>

#ifdef _OPENMP
#include <omp.h>
#endif

#include <lbrun.h>

#ifndef DPxMOD
#define DPxMOD "0x%0*" PRIxPTR
#endif
#ifndef DPxPTR
#define DPxPTR(ptr) ((int)(2 * sizeof(uintptr_t))), ((uintptr_t)(ptr))
#endif
#ifndef TYPE_TASK_ID
#define TYPE_TASK_ID int
#endif
#define CHAMELEON_VERSION 10
#define CHAMELEON_ARGUMENTS_MAX 64

/* Bits of how an argument is mapped; only TO, FROM and LITERAL mean something. */
enum chameleon_tgt_map_type {
        CHAM_OMP_TGT_MAPTYPE_NONE = 0,
        CHAM_OMP_TGT_MAPTYPE_TO = 1,
        CHAM_OMP_TGT_MAPTYPE_FROM = 2,
        CHAM_OMP_TGT_MAPTYPE_ALWAYS = 4,
        CHAM_OMP_TGT_MAPTYPE_DELETE = 8,
        CHAM_OMP_TGT_MAPTYPE_PTR_AND_OBJ = 0x10,
        CHAM_OMP_TGT_MAPTYPE_TARGET_PARAM = 0x20,
        CHAM_OMP_TGT_MAPTYPE_RETURN_PARAM = 0x40,
        CHAM_OMP_TGT_MAPTYPE_PRIVATE = 0x80,
        CHAM_OMP_TGT_MAPTYPE_LITERAL = 0x100,
        CHAM_OMP_TGT_MAPTYPE_IMPLICIT = 0x200
};
#define CHAM_OMP_TGT_MAPTYPE_MEMBER_OF 0xffff000000000000

typedef enum chameleon_device_ids_t {
        CHAMELEON_HOST = 1001,
        CHAMELEON_MPI = 1002
} chameleon_device_ids_t;

typedef enum chameleon_result_types_t {
        CHAM_SUCCESS = 0,
        CHAM_FAILURE = 1, /* of chameleon_taskyield(): there was no task */
        CHAM_LOCAL_TASK_NONE = 2,
        CHAM_LOCAL_TASK_SUCCESS = 3,
        CHAM_LOCAL_TASK_FAILURE = 4,
        CHAM_REMOTE_TASK_NONE = 5,
        CHAM_REMOTE_TASK_SUCCESS = 6,
        CHAM_REMOTE_TASK_FAILURE = 7,
        CHAM_REPLICATED_TASK_NONE = 8,
        CHAM_REPLICATED_TASK_SUCCESS = 9,
        CHAM_REPLICATED_TASK_ALREADY_AVAILABLE = 10,
        CHAM_REPLICATED_TASK_FAILURE = 11
} chameleon_result_types_t;

typedef struct chameleon_map_data_entry_t {
        void *valptr; /* of a literal its value */
        size_t size;
        int type;
} chameleon_map_data_entry_t;

typedef void (*chameleon_external_callback_t)(void *func_param);

#ifdef __cplusplus
extern "C" {
#endif

/* ---- What there is of a task ---- */

typedef struct chameleon_annotation {
        struct chameleon_annotation *next;
        char key[64];
        union {
                int i;
                int64_t l;
                double d;
                float f;
        } value;
        char *text;
} chameleon_annotation;

typedef struct chameleon_annotations_t {
#ifdef __cplusplus
        chameleon_annotation *first = nullptr;
#else
        chameleon_annotation *first;
#endif
} chameleon_annotations_t;

struct chameleon_argument_ {
        chameleon_map_data_entry_t entry;
        void *mapped; /* where other ranks have it, in cluster memory */
};

typedef struct cham_migratable_task_t {
        struct cham_migratable_task_t *next;
        void *entry;
        int count;
        TYPE_TASK_ID id;
        chameleon_external_callback_t finished;
        void *finished_argument;
        chameleon_annotations_t *annotations;
        struct chameleon_argument_ *argument; /* [count], in the same block */
} cham_migratable_task_t;

/* What goes to another rank: the entry point relative to chameleon_execute_(), and where arguments
 * are in cluster memory. */
struct chameleon_call_ {
        ptrdiff_t entry;
        int count, rank;
        cham_migratable_task_t *task; /* at that rank */
        void *argument[CHAMELEON_ARGUMENTS_MAX];
};

/* What a task that was handed over reads, and nothing else: where other ranks have it. */
struct chameleon_input_ {
        struct chameleon_input_ *next;
        chameleon_map_data_entry_t entry;
        void *mapped;
};
#define CHAMELEON_INPUTS_ 4096 /* chains: by the first bits of a number times 2^64 / 1.618... */
#define CHAMELEON_INPUTS_SHIFT_ 52
#define CHAMELEON_GOLDEN_ UINT64_C(0x9E3779B97F4A7C15)

/* Blocks of cluster memory of one size: a round takes them in order, so that the tasks that leave
 * find, in one round after another, what was touched before. */
struct chameleon_pool_ {
        struct chameleon_pool_ *next;
        size_t size;
        void **block; /* [room], of which count are there */
        size_t used, count, room;
};

struct chameleon_state_ {
        pthread_mutex_t lock;
        pthread_cond_t changed;
        pthread_t main_thread;
        int started, rank; /* -1: not known yet */
        int arrived;       /* threads in the wait */
        uint64_t waits;    /* that are over */
        cham_migratable_task_t *first, *last;
        struct chameleon_pool_ *pools;
        struct chameleon_input_ *input[CHAMELEON_INPUTS_];
        TYPE_TASK_ID last_id;
        cham_migratable_task_t **task; /* [room] by id; NULL: has finished */
        size_t room;
};

__attribute__((weak)) struct chameleon_state_ chameleon_state_ = { PTHREAD_MUTEX_INITIALIZER,
                                                                   PTHREAD_COND_INITIALIZER,
                                                                   0,
                                                                   0,
                                                                   -1,
                                                                   0,
                                                                   0,
                                                                   NULL,
                                                                   NULL,
                                                                   NULL,
                                                                   { NULL },
                                                                   0,
                                                                   NULL,
                                                                   0 };
#define CHAMELEON_WEAK_ __attribute__((weak, unused))

/* ---- Life ---- */

/* Declared by <unistd.h> only where the program asks for more than its standard. */
extern long chameleon_syscall_(long number, ...) __asm__("syscall");

/* Called by main()'s thread, of all ranks; by others it does nothing. */
CHAMELEON_WEAK_ int32_t chameleon_init(void)
{
        struct chameleon_state_ *s = &chameleon_state_;
        int is_main = getpid() == (pid_t)chameleon_syscall_(SYS_gettid), size, all;
        if (!is_main || s->started)
                return CHAM_SUCCESS;
        s->started = 1;
        s->main_thread = pthread_self();
        lbrun_start(NULL, NULL);
        MPI_Comm_rank(lbrun_world(), &s->rank);
        MPI_Comm_size(lbrun_world(), &size);
        MPI_Comm_size(MPI_COMM_WORLD, &all);
        if (size < all) /* who sends to one of them waits for ever */
                lbrun_fail("chameleon_init: MPI_COMM_WORLD has helper ranks, which are none of the "
                           "program's; start it with lbrun --system chameleon");
        return CHAM_SUCCESS;
}
CHAMELEON_WEAK_ int32_t chameleon_thread_init(void)
{
        return chameleon_init();
}
CHAMELEON_WEAK_ int32_t chameleon_thread_finalize(void)
{
        return CHAM_SUCCESS;
}
CHAMELEON_WEAK_ int32_t chameleon_post_init_serial(void)
{
        return CHAM_SUCCESS;
}
CHAMELEON_WEAK_ int32_t chameleon_determine_base_addresses(void *main_ptr)
{
        (void)main_ptr;
        return chameleon_init();
}
CHAMELEON_WEAK_ int32_t chameleon_set_image_base_address(int idx_image, intptr_t base_address)
{
        (void)idx_image;
        (void)base_address;
        return CHAM_SUCCESS;
}
CHAMELEON_WEAK_ int32_t chameleon_wake_up_comm_threads(void)
{
        return CHAM_SUCCESS;
}
CHAMELEON_WEAK_ void chameleon_set_tracing_enabled(int enabled)
{
        (void)enabled;
}
#ifdef CPU_SETSIZE
CHAMELEON_WEAK_ void chameleon_set_proc_cpuset(cpu_set_t mask)
{
        (void)mask;
}
#endif
CHAMELEON_WEAK_ int32_t chameleon_finalize(void)
{
        struct chameleon_state_ *s = &chameleon_state_;
        if (s->started)
                lbrun_stop();
        s->started = 0;
        return CHAM_SUCCESS;
}
CHAMELEON_WEAK_ void chameleon_print(int print_prefix, const char *prefix, int rank, ...)
{
        va_list args;
        va_start(args, rank);
        const char *format = va_arg(args, const char *);
        if (print_prefix)
                fprintf(stderr, "%s R#%d: ", prefix, rank);
        vfprintf(stderr, format, args);
        va_end(args);
}

/* ---- Tasks ---- */

static inline chameleon_map_data_entry_t
chameleon_map_data_entry_create(void *arg_ptr, size_t arg_size, int arg_type)
{
        chameleon_map_data_entry_t entry;
        entry.valptr = arg_ptr;
        entry.size = arg_size;
        entry.type = arg_type;
        return entry;
}

/* Its number, by which it is found until it has finished. */
CHAMELEON_WEAK_ void chameleon_name_(cham_migratable_task_t *task)
{
        struct chameleon_state_ *s = &chameleon_state_;
        pthread_mutex_lock(&s->lock);
        task->id = ++s->last_id;
        if ((size_t)task->id >= s->room) {
                size_t room = 2 * (size_t)task->id + 1024;
                cham_migratable_task_t **grown =
                    (cham_migratable_task_t **)realloc(s->task, room * sizeof(*grown));
                if (!grown)
                        lbrun_fail("chameleon_create_task: out of memory");
                s->task = grown;
                s->room = room;
        }
        s->task[task->id] = task;
        pthread_mutex_unlock(&s->lock);
}

CHAMELEON_WEAK_ cham_migratable_task_t *chameleon_create_task(void *entry_point, int num_args,
                                                              chameleon_map_data_entry_t *args)
{
        if (!entry_point)
                lbrun_fail("chameleon_create_task: no function");
        if (num_args < 0 || num_args > CHAMELEON_ARGUMENTS_MAX)
                lbrun_fail("chameleon_create_task: a task has 0 to 64 arguments");
        if (num_args > 0 && !args)
                lbrun_fail("chameleon_create_task: the arguments are at NULL");
        size_t bytes = (size_t)num_args * sizeof(struct chameleon_argument_);
        cham_migratable_task_t *task = (cham_migratable_task_t *)calloc(1, sizeof(*task) + bytes);
        if (!task)
                lbrun_fail("chameleon_create_task: out of memory");
        task->entry = entry_point;
        task->count = num_args;
        task->argument = (struct chameleon_argument_ *)(task + 1);
        for (int i = 0; i < num_args; i++)
                task->argument[i].entry = args[i];
        chameleon_name_(task);
        return task;
}
CHAMELEON_WEAK_ void *chameleon_create_task_fortran(void *entry_point, int num_args, void *args)
{
        return chameleon_create_task(entry_point, num_args, (chameleon_map_data_entry_t *)args);
}
CHAMELEON_WEAK_ void chameleon_set_callback_task_finish(cham_migratable_task_t *task,
                                                        chameleon_external_callback_t func_ptr,
                                                        void *func_param)
{
        task->finished = func_ptr;
        task->finished_argument = func_param;
}
CHAMELEON_WEAK_ void chameleon_set_task_replication_info(cham_migratable_task_t *task,
                                                         int num_replication_ranks,
                                                         int *replication_ranks)
{
        (void)task;
        (void)num_replication_ranks;
        (void)replication_ranks;
}
CHAMELEON_WEAK_ TYPE_TASK_ID chameleon_get_task_id(cham_migratable_task_t *task)
{
        return task->id;
}

/* By this thread, in whichever file. */
__attribute__((weak)) __thread TYPE_TASK_ID chameleon_added_ = -1;

CHAMELEON_WEAK_ int32_t chameleon_add_task(cham_migratable_task_t *task)
{
        struct chameleon_state_ *s = &chameleon_state_;
        if (!task)
                lbrun_fail("chameleon_add_task: no task");
        chameleon_added_ = task->id;
        pthread_mutex_lock(&s->lock);
        task->next = NULL;
        if (s->last)
                s->last->next = task;
        else
                s->first = task;
        s->last = task;
        pthread_mutex_unlock(&s->lock);
        return CHAM_SUCCESS;
}
CHAMELEON_WEAK_ int32_t chameleon_add_task_fortran(void *task)
{
        return chameleon_add_task((cham_migratable_task_t *)task);
}
CHAMELEON_WEAK_ TYPE_TASK_ID chameleon_get_last_local_task_id_added(void)
{
        return chameleon_added_;
}

/* ---- Execution ---- */

/* As their library calls an entry point: every argument is as wide as a pointer. Where it has fewer
 * than are passed, it does not see the others. */
#define CHAMELEON_16_(X) X, X, X, X, X, X, X, X, X, X, X, X, X, X, X, X
#define CHAMELEON_4_OF_(a, i) (a)[i], (a)[(i) + 1], (a)[(i) + 2], (a)[(i) + 3]
#define CHAMELEON_16_OF_(a, i)                                                                     \
        CHAMELEON_4_OF_(a, i), CHAMELEON_4_OF_(a, (i) + 4), CHAMELEON_4_OF_(a, (i) + 8),           \
            CHAMELEON_4_OF_(a, (i) + 12)
CHAMELEON_WEAK_ void chameleon_call_entry_(void *entry, int count, void *const *argument)
{
        typedef void *p;
        void (*few)(CHAMELEON_16_(p));
        void (*many)(CHAMELEON_16_(p), CHAMELEON_16_(p), CHAMELEON_16_(p), CHAMELEON_16_(p));
        void *a[CHAMELEON_ARGUMENTS_MAX] = { NULL };
        memcpy(a, argument, (size_t)count * sizeof(*a));
        memcpy(&few, &entry, sizeof(few));
        memcpy(&many, &entry, sizeof(many));
        if (count <= 16)
                few(CHAMELEON_16_OF_(a, 0));
        else
                many(CHAMELEON_16_OF_(a, 0), CHAMELEON_16_OF_(a, 16), CHAMELEON_16_OF_(a, 32),
                     CHAMELEON_16_OF_(a, 48));
}
#undef CHAMELEON_16_
#undef CHAMELEON_4_OF_
#undef CHAMELEON_16_OF_

CHAMELEON_WEAK_ void chameleon_execute_(void *argument)
{
        const struct chameleon_call_ *call = (const struct chameleon_call_ *)argument;
        void (*here)(void *) = chameleon_execute_;
        void *own[CHAMELEON_ARGUMENTS_MAX];
        char *base;
        memcpy(&base, &here, sizeof(base));
        int is_here = call->rank == chameleon_state_.rank;
        for (int i = 0; is_here && i < call->count; i++)
                own[i] = call->task->argument[i].entry.valptr;
        chameleon_call_entry_(base + call->entry, call->count, is_here ? own : call->argument);
}

CHAMELEON_WEAK_ void chameleon_annotations_free_(chameleon_annotations_t *ann)
{
        while (ann && ann->first) {
                chameleon_annotation *next = ann->first->next;
                free(ann->first->text);
                free(ann->first);
                ann->first = next;
        }
        free(ann);
}

/* It is over: told, by when it has finished, and freed. */
CHAMELEON_WEAK_ void chameleon_end_(cham_migratable_task_t *task)
{
        struct chameleon_state_ *s = &chameleon_state_;
        pthread_mutex_lock(&s->lock);
        s->task[task->id] = NULL;
        pthread_mutex_unlock(&s->lock);
        if (task->finished)
                task->finished(task->finished_argument);
        chameleon_annotations_free_(task->annotations);
        free(task);
}

CHAMELEON_WEAK_ cham_migratable_task_t *chameleon_take_(void)
{
        struct chameleon_state_ *s = &chameleon_state_;
        pthread_mutex_lock(&s->lock);
        cham_migratable_task_t *task = s->first;
        if (task)
                s->first = task->next;
        if (!s->first)
                s->last = NULL;
        pthread_mutex_unlock(&s->lock);
        return task;
}

CHAMELEON_WEAK_ int chameleon_has_tasks_(void)
{
        struct chameleon_state_ *s = &chameleon_state_;
        pthread_mutex_lock(&s->lock);
        int has = s->first != NULL;
        pthread_mutex_unlock(&s->lock);
        return has;
}

CHAMELEON_WEAK_ int32_t chameleon_taskyield(void)
{
        cham_migratable_task_t *task = chameleon_take_();
        void *argument[CHAMELEON_ARGUMENTS_MAX];
        if (!task) {
#ifdef _OPENMP
#pragma omp taskyield
#endif
                sched_yield();
                return CHAM_FAILURE;
        }
        for (int i = 0; i < task->count; i++)
                argument[i] = task->argument[i].entry.valptr;
        chameleon_call_entry_(task->entry, task->count, argument);
        chameleon_end_(task);
        return CHAM_LOCAL_TASK_SUCCESS;
}

CHAMELEON_WEAK_ int32_t chameleon_local_task_has_finished(TYPE_TASK_ID task_id)
{
        struct chameleon_state_ *s = &chameleon_state_;
        pthread_mutex_lock(&s->lock);
        int finished = task_id > 0 && task_id <= s->last_id && !s->task[task_id];
        pthread_mutex_unlock(&s->lock);
        return finished;
}

/* ---- The wait ---- */

CHAMELEON_WEAK_ struct chameleon_pool_ *chameleon_pool_of_(size_t size)
{
        struct chameleon_state_ *s = &chameleon_state_;
        for (struct chameleon_pool_ *pool = s->pools; pool; pool = pool->next)
                if (pool->size == size)
                        return pool;
        struct chameleon_pool_ *pool = (struct chameleon_pool_ *)calloc(1, sizeof(*pool));
        if (!pool)
                lbrun_fail("chameleon: out of memory");
        pool->size = size;
        pool->next = s->pools;
        s->pools = pool;
        return pool;
}

CHAMELEON_WEAK_ void chameleon_add_block_(struct chameleon_pool_ *pool)
{
        if (pool->count == pool->room) {
                size_t room = 2 * pool->room + 64;
                void **grown = (void **)realloc(pool->block, room * sizeof(*grown));
                if (!grown)
                        lbrun_fail("chameleon: out of memory");
                pool->block = grown;
                pool->room = room;
        }
        pool->block[pool->count++] = lbrun_alloc(pool->size);
}

CHAMELEON_WEAK_ void *chameleon_map_(const chameleon_map_data_entry_t *entry)
{
        size_t size = entry->size < sizeof(void *) ? sizeof(void *) : entry->size;
        struct chameleon_pool_ *pool = chameleon_pool_of_(size);
        if (pool->used == pool->count)
                chameleon_add_block_(pool);
        return pool->block[pool->used++];
}

/* All blocks are free again. */
CHAMELEON_WEAK_ void chameleon_unmap_(void)
{
        for (struct chameleon_pool_ *pool = chameleon_state_.pools; pool; pool = pool->next)
                pool->used = 0;
}

/* What is only read: one place for all tasks of a round. */
CHAMELEON_WEAK_ void chameleon_map_input_(struct chameleon_argument_ *argument)
{
        const chameleon_map_data_entry_t *entry = &argument->entry;
        uint64_t key = ((uint64_t)(uintptr_t)entry->valptr + entry->size) * CHAMELEON_GOLDEN_;
        struct chameleon_input_ **chain = &chameleon_state_.input[key >> CHAMELEON_INPUTS_SHIFT_];
        struct chameleon_input_ *input = *chain;
        while (input && (input->entry.valptr != entry->valptr || input->entry.size != entry->size))
                input = input->next;
        if (!input) {
                input = (struct chameleon_input_ *)calloc(1, sizeof(*input));
                if (!input)
                        lbrun_fail("chameleon: out of memory");
                input->entry = *entry;
                input->mapped = chameleon_map_(entry);
                input->next = *chain;
                *chain = input;
        }
        argument->mapped = input->mapped;
}

CHAMELEON_WEAK_ void chameleon_forget_inputs_(void)
{
        struct chameleon_state_ *s = &chameleon_state_;
        for (int i = 0; i < CHAMELEON_INPUTS_; i++)
                while (s->input[i]) {
                        struct chameleon_input_ *next = s->input[i]->next;
                        free(s->input[i]);
                        s->input[i] = next;
                }
}

#define CHAMELEON_BOTH_ (CHAM_OMP_TGT_MAPTYPE_TO | CHAM_OMP_TGT_MAPTYPE_FROM)

CHAMELEON_WEAK_ int chameleon_is_mapped_(const chameleon_map_data_entry_t *entry)
{
        return !(entry->type & CHAM_OMP_TGT_MAPTYPE_LITERAL) && (entry->type & CHAMELEON_BOTH_);
}

CHAMELEON_WEAK_ void chameleon_submit_(cham_migratable_task_t *task, int copies)
{
        struct lbrun_access access[CHAMELEON_ARGUMENTS_MAX];
        const void *home[CHAMELEON_ARGUMENTS_MAX];
        struct lbrun_options options;
        struct chameleon_call_ call;
        void (*here)(void *) = chameleon_execute_;
        const char *base;
        int count = 0;
        memcpy(&base, &here, sizeof(base));
        call.entry = (const char *)task->entry - base;
        call.count = task->count;
        call.rank = chameleon_state_.rank;
        call.task = task;
        for (int i = 0; i < task->count; i++) {
                struct chameleon_argument_ *argument = &task->argument[i];
                const chameleon_map_data_entry_t *entry = &argument->entry;
                int is_mapped = chameleon_is_mapped_(entry), mode = entry->type & CHAMELEON_BOTH_;
                if (is_mapped && copies && mode == CHAM_OMP_TGT_MAPTYPE_TO)
                        chameleon_map_input_(argument);
                else if (is_mapped && copies)
                        argument->mapped = chameleon_map_(entry);
                call.argument[i] = argument->mapped ? argument->mapped : entry->valptr;
                if (!is_mapped)
                        continue;
                if (entry->size > 0 && !entry->valptr)
                        lbrun_fail("chameleon_create_task: an argument that is mapped is at NULL");
                home[count] = entry->valptr;
                access[count].mode = (enum lbrun_mode)mode;
                access[count].address = call.argument[i];
                access[count++].bytes = entry->size;
        }
        size_t bytes = offsetof(struct chameleon_call_, argument) +
                       (size_t)task->count * sizeof(call.argument[0]);
        memset(&options, 0, sizeof(options));
        options.home = copies ? home : NULL;
        lbrun_task(chameleon_execute_, &call, bytes, count, access, &options);
}

/* The tasks that are there, those of others meanwhile; are there more by now, of any rank? */
CHAMELEON_WEAK_ int chameleon_run_round_(void)
{
        cham_migratable_task_t *all = NULL, **end = &all;
        int size, more, any;
        MPI_Comm_size(lbrun_world(), &size);
        while ((*end = chameleon_take_())) {
                chameleon_submit_(*end, size > 1);
                end = &(*end)->next;
        }
        lbrun_taskwait();
        chameleon_forget_inputs_();
        chameleon_unmap_();
        while (all) {
                cham_migratable_task_t *task = all;
                all = task->next;
                chameleon_end_(task);
        }
        MPI_Barrier(lbrun_world());
        more = chameleon_has_tasks_();
        MPI_Allreduce(&more, &any, 1, MPI_INT, MPI_LOR, lbrun_world());
        return any;
}

/* Of the region that this is called in, also where this file, of the program's, is none of OpenMP.
 */
extern int chameleon_omp_threads_(void) __asm__("omp_get_num_threads") __attribute__((weak));
extern void chameleon_omp_barrier_(void) __asm__("GOMP_barrier") __attribute__((weak));

CHAMELEON_WEAK_ int32_t chameleon_distributed_taskwait(int nowait)
{
        struct chameleon_state_ *s = &chameleon_state_;
        int threads = chameleon_omp_threads_ ? chameleon_omp_threads_() : 1;
        (void)nowait;
        if (chameleon_omp_barrier_) /* the region's OpenMP tasks, which may add some of ours */
                chameleon_omp_barrier_();
        pthread_mutex_lock(&s->lock);
        uint64_t before = s->waits;
        s->arrived++;
        pthread_cond_broadcast(&s->changed);
        if (!pthread_equal(pthread_self(), s->main_thread)) {
                while (s->waits == before)
                        pthread_cond_wait(&s->changed, &s->lock);
                pthread_mutex_unlock(&s->lock);
                return CHAM_SUCCESS;
        }
        while (s->arrived < threads)
                pthread_cond_wait(&s->changed, &s->lock);
        pthread_mutex_unlock(&s->lock);
        while (chameleon_run_round_())
                continue;
        lbrun_iteration();
        pthread_mutex_lock(&s->lock);
        s->arrived = 0;
        s->waits++;
        pthread_cond_broadcast(&s->changed);
        pthread_mutex_unlock(&s->lock);
        return CHAM_SUCCESS;
}

/* ---- Annotations: of a task until it is complete, at its own rank ---- */

CHAMELEON_WEAK_ chameleon_annotations_t *chameleon_create_annotation_container(void)
{
        chameleon_annotations_t *made = (chameleon_annotations_t *)calloc(1, sizeof(*made));
        if (!made)
                lbrun_fail("chameleon: out of memory");
        return made;
}
CHAMELEON_WEAK_ chameleon_annotations_t *
chameleon_get_task_annotations_opaque(cham_migratable_task_t *task)
{
        return task->annotations;
}
CHAMELEON_WEAK_ void chameleon_set_task_annotations(cham_migratable_task_t *task,
                                                    chameleon_annotations_t *ann)
{
        if (task->annotations != ann)
                chameleon_annotations_free_(task->annotations);
        task->annotations = ann;
}
CHAMELEON_WEAK_ chameleon_annotations_t *chameleon_get_task_annotations(TYPE_TASK_ID task_id)
{
        struct chameleon_state_ *s = &chameleon_state_;
        pthread_mutex_lock(&s->lock);
        int is = task_id > 0 && task_id <= s->last_id;
        cham_migratable_task_t *task = is ? s->task[task_id] : NULL;
        pthread_mutex_unlock(&s->lock);
        return task ? task->annotations : NULL;
}
CHAMELEON_WEAK_ chameleon_annotation *chameleon_annotation_(chameleon_annotations_t *ann,
                                                            const char *key, int make)
{
        chameleon_annotation *a = ann ? ann->first : NULL;
        while (a && strncmp(a->key, key, sizeof(a->key) - 1) != 0)
                a = a->next;
        if (a || !ann || !make)
                return a;
        a = (chameleon_annotation *)calloc(1, sizeof(*a));
        if (!a)
                lbrun_fail("chameleon: out of memory");
        strncpy(a->key, key, sizeof(a->key) - 1);
        a->next = ann->first;
        ann->first = a;
        return a;
}
#define CHAMELEON_ANNOTATION_(NAME, TYPE, FIELD)                                                   \
        CHAMELEON_WEAK_ int chameleon_set_annotation_##NAME(chameleon_annotations_t *ann,          \
                                                            const char *key, TYPE value)           \
        {                                                                                          \
                chameleon_annotation *a = chameleon_annotation_(ann, key, 1);                      \
                if (a)                                                                             \
                        a->value.FIELD = value;                                                    \
                return a ? 0 : 1;                                                                  \
        }                                                                                          \
        CHAMELEON_WEAK_ int chameleon_get_annotation_##NAME(chameleon_annotations_t *ann,          \
                                                            const char *key, TYPE *value)          \
        {                                                                                          \
                chameleon_annotation *a = chameleon_annotation_(ann, key, 0);                      \
                if (a)                                                                             \
                        *value = a->value.FIELD;                                                   \
                return a != NULL;                                                                  \
        }
CHAMELEON_ANNOTATION_(int, int, i)
CHAMELEON_ANNOTATION_(int64, int64_t, l)
CHAMELEON_ANNOTATION_(double, double, d)
CHAMELEON_ANNOTATION_(float, float, f)
#undef CHAMELEON_ANNOTATION_
CHAMELEON_WEAK_ int chameleon_set_annotation_string(chameleon_annotations_t *ann, const char *key,
                                                    const char *value)
{
        chameleon_annotation *a = chameleon_annotation_(ann, key, 1);
        size_t bytes = strlen(value) + 1;
        if (!a)
                return 1;
        free(a->text);
        a->text = (char *)malloc(bytes);
        if (!a->text)
                lbrun_fail("chameleon: out of memory");
        memcpy(a->text, value, bytes);
        return 0;
}
CHAMELEON_WEAK_ int chameleon_get_annotation_string(chameleon_annotations_t *ann, const char *key,
                                                    char **value)
{
        chameleon_annotation *a = chameleon_annotation_(ann, key, 0);
        if (a)
                *value = a->text;
        return a != NULL;
}

#ifdef __cplusplus
}
#endif

#endif
