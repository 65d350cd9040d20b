/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * CHAMELEON's calls: tasks that add tasks, wherever they run, are complete when the wait is over,
 * all of them, and so are those of the next wait; all threads of a region come to the wait, from
 * whichever file, and what they say of the last task added is their own; what the region's OpenMP
 * tasks add, which run in its barriers, is of the wait; a yield says whether there was a task; an
 * annotation that is set again is what was set last, and found by the task's number until that has
 * finished; what many tasks read is read as it is at the wait, of whatever size, and goes once; a
 * task has many arguments; what lies apart does so, wherever the task runs.
 */
#define _DEFAULT_SOURCE
#include <mpi.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "chameleon.h"
#include "tests/real/runtime/chameleon_other.h"

enum { WAITS = 3, TREES = 6, DEPTH = 4, TASKS_OF_TREE = (1 << (DEPTH + 1)) - 1 };

static atomic_long executed; /* by this rank */

static void grow(intptr_t depth);

static void add_tree(intptr_t depth)
{
        chameleon_map_data_entry_t argument = chameleon_map_data_entry_create(
            (void *)depth, sizeof(void *), CHAM_OMP_TGT_MAPTYPE_TO | CHAM_OMP_TGT_MAPTYPE_LITERAL);
        void (*entry)(intptr_t) = grow;
        void *address;
        memcpy(&address, &entry, sizeof(address));
        chameleon_add_task(chameleon_create_task(address, 1, &argument));
}

static void grow(intptr_t depth)
{
        usleep(500);
        executed++;
        for (int child = 0; child < 2 && depth > 0; child++)
                add_tree(depth - 1);
}

/* ---- A region of threads, as OpenMP would have it ---- */

enum { THREADS = 3, LATE_MS = 30 };

static int in_region = 1; /* threads */
int omp_get_num_threads(void);

int omp_get_num_threads(void)
{
        return in_region;
}

static atomic_int wrong_ids, openmp_tasks; /* the latter: deferred until a barrier */

static void count(intptr_t value)
{
        executed += value;
}

void GOMP_barrier(void);

void GOMP_barrier(void)
{
        if (atomic_exchange(&openmp_tasks, 0))
                other_add(count, 1);
}

/* Threads come one after another, each with a task. */
static void *come(void *late)
{
        usleep((useconds_t)(intptr_t)late * 1000);
        int before = other_last_added(), id = other_add(count, 1);
        wrong_ids += before != -1 || id != chameleon_get_last_local_task_id_added();
        chameleon_distributed_taskwait(0);
        wrong_ids += !chameleon_local_task_has_finished(id);
        return NULL;
}

static int region(void)
{
        pthread_t thread[THREADS - 1];
        in_region = THREADS;
        for (int t = 0; t < THREADS - 1; t++)
                pthread_create(&thread[t], NULL, come, (void *)(intptr_t)(t * LATE_MS));
        openmp_tasks = 1;
        chameleon_distributed_taskwait(0);
        for (int t = 0; t < THREADS - 1; t++)
                pthread_join(thread[t], NULL);
        in_region = 1;
        return wrong_ids;
}

/* ---- Yields, annotations ---- */

static int yielded;

static void here(intptr_t value)
{
        yielded += (int)value;
}

static int yield(void)
{
        int nothing = chameleon_taskyield() != CHAM_FAILURE, id = other_add(here, 1);
        int some = chameleon_taskyield() != CHAM_LOCAL_TASK_SUCCESS || yielded != 1;
        return nothing || some || !chameleon_local_task_has_finished(id);
}

static int annotate(void)
{
        chameleon_annotations_t *annotations = chameleon_create_annotation_container();
        char *text = NULL;
        int number = 0, none = chameleon_get_annotation_int(annotations, "cells", &number);
        chameleon_set_annotation_int(annotations, "cells", 7);
        chameleon_set_annotation_int(annotations, "cells", 8);
        chameleon_set_annotation_string(annotations, "name", "one");
        chameleon_set_annotation_string(annotations, "name", "another");
        int found = chameleon_get_annotation_int(annotations, "cells", &number) &&
                    chameleon_get_annotation_string(annotations, "name", &text);
        int wrong = none || !found || number != 8 || strcmp(text, "another") != 0;
        chameleon_map_data_entry_t argument = chameleon_map_data_entry_create(
            NULL, sizeof(void *), CHAM_OMP_TGT_MAPTYPE_TO | CHAM_OMP_TGT_MAPTYPE_LITERAL);
        void (*entry)(intptr_t) = count;
        void *address;
        memcpy(&address, &entry, sizeof(address));
        cham_migratable_task_t *task = chameleon_create_task(address, 1, &argument);
        chameleon_set_task_annotations(task, annotations);
        chameleon_add_task(task);
        TYPE_TASK_ID id = chameleon_get_task_id(task);
        wrong |= chameleon_get_task_annotations(id) != annotations;
        wrong |= chameleon_local_task_has_finished(id);
        wrong |= chameleon_taskyield() != CHAM_LOCAL_TASK_SUCCESS;
        wrong |=
            chameleon_get_task_annotations(id) != NULL || !chameleon_local_task_has_finished(id);
        return wrong | chameleon_local_task_has_finished(id + 1);
}

/* ---- Data ---- */

enum { READERS = 40, READ = 1 << 20, NUMBERS = 20 };

static void sum(const int64_t *from, intptr_t numbers, int64_t *to)
{
        *to = 0;
        for (intptr_t i = 0; i < numbers; i++)
                *to += from[i];
}

static void add_sum(int64_t *from, intptr_t numbers, int64_t *to)
{
        chameleon_map_data_entry_t argument[] = {
                chameleon_map_data_entry_create(from, (size_t)numbers * sizeof(*from),
                                                CHAM_OMP_TGT_MAPTYPE_TO),
                chameleon_map_data_entry_create((void *)numbers, sizeof(void *),
                                                CHAM_OMP_TGT_MAPTYPE_TO |
                                                    CHAM_OMP_TGT_MAPTYPE_LITERAL),
                chameleon_map_data_entry_create(to, sizeof(*to), CHAM_OMP_TGT_MAPTYPE_FROM),
        };
        void (*entry)(const int64_t *, intptr_t, int64_t *) = sum;
        void *address;
        memcpy(&address, &entry, sizeof(address));
        chameleon_add_task(chameleon_create_task(address, 3, argument));
}

/* All of it and its first half, which has the same address. */
static int read_much(void)
{
        static int64_t from[READ], to[READERS];
        int wrong = 0;
        for (int wait = 0; wait < 2; wait++) {
                for (int i = 0; i < READERS; i++)
                        add_sum(from, i % 2 ? READ : READ / 2, &to[i]);
                from[0] = from[READ - 1] = wait + 1;
                chameleon_distributed_taskwait(0);
                for (int i = 0; i < READERS; i++)
                        wrong |= to[i] != (wait + 1) * (i % 2 ? 2 : 1);
        }
        return wrong;
}

static int64_t copies(void)
{
        int64_t count = 0;
        for (struct chameleon_pool_ *pool = chameleon_state_.pools; pool; pool = pool->next)
                count += pool->size >= READ ? (int64_t)pool->count : 0;
        return count;
}

static void last(int64_t *a, int64_t *b, int64_t *c, int64_t *d, int64_t *e, int64_t *f, int64_t *g,
                 int64_t *h, int64_t *i, int64_t *j, int64_t *k, int64_t *l, int64_t *m, int64_t *n,
                 int64_t *o, int64_t *p, int64_t *q, int64_t *r, int64_t *s, int64_t *t)
{
        *t = *a + *b + *c + *d + *e + *f + *g + *h + *i + *j + *k + *l + *m + *n + *o + *p + *q +
             *r + 100 * *s;
}

static int many_arguments(void)
{
        chameleon_map_data_entry_t argument[NUMBERS];
        int64_t number[NUMBERS], expected = 100 * (NUMBERS - 2);
        for (int i = 0; i < NUMBERS; i++) {
                number[i] = i;
                expected += i < NUMBERS - 2 ? i : 0;
                argument[i] = chameleon_map_data_entry_create(
                    &number[i], sizeof(number[i]),
                    i < NUMBERS - 1 ? CHAM_OMP_TGT_MAPTYPE_TO : CHAM_OMP_TGT_MAPTYPE_FROM);
        }
        void *address;
        memcpy(&address,
               &(void (*[])(int64_t *, int64_t *, int64_t *, int64_t *, int64_t *, int64_t *,
                            int64_t *, int64_t *, int64_t *, int64_t *, int64_t *, int64_t *,
                            int64_t *, int64_t *, int64_t *, int64_t *, int64_t *, int64_t *,
                            int64_t *, int64_t *)){ last },
               sizeof(address));
        chameleon_add_task(chameleon_create_task(address, NUMBERS, argument));
        chameleon_distributed_taskwait(0);
        return number[NUMBERS - 1] != expected;
}

enum { PAIRS = 24, LINE = 8 }; /* a line of cluster memory */

static void join(const int64_t *a, const int64_t *b, int64_t *to)
{
        usleep(1000);
        *to = 1000 * a[LINE - 1] + b[0];
}

/* Side by side elsewhere, not in the program. */
static int pairs(int tasks)
{
        static int64_t line[2 * PAIRS][LINE], to[PAIRS];
        int wrong = 0;
        for (int i = 0; i < 2 * PAIRS; i++)
                line[i][0] = line[i][LINE - 1] = i + 1;
        for (int i = 0; i < tasks; i++) {
                void *from[] = { line[2 * i + 1], line[2 * i] };
                chameleon_map_data_entry_t argument[] = {
                        chameleon_map_data_entry_create(from[0], sizeof(line[0]),
                                                        CHAM_OMP_TGT_MAPTYPE_TO),
                        chameleon_map_data_entry_create(from[1], sizeof(line[0]),
                                                        CHAM_OMP_TGT_MAPTYPE_TO),
                        chameleon_map_data_entry_create(&to[i], sizeof(to[i]),
                                                        CHAM_OMP_TGT_MAPTYPE_FROM),
                };
                void (*entry)(const int64_t *, const int64_t *, int64_t *) = join;
                void *address;
                memcpy(&address, &entry, sizeof(address));
                chameleon_add_task(chameleon_create_task(address, 3, argument));
        }
        chameleon_distributed_taskwait(0);
        for (int i = 0; i < tasks; i++)
                wrong |= to[i] != 1000 * line[2 * i + 1][0] + line[2 * i][0];
        return wrong;
}

static int data(int rank)
{
        return read_much() || copies() != 2 || many_arguments() || pairs(rank == 0 ? PAIRS : 0);
}

/* What must end the job with a message. */
static void misuse(const char *what)
{
        int x = 0;
        void *entry_point = &x; /* never called */
        chameleon_map_data_entry_t entry = chameleon_map_data_entry_create(
            strcmp(what, "null-mapped") == 0 ? NULL : &x, sizeof(x), CHAM_OMP_TGT_MAPTYPE_TO);
        cham_migratable_task_t *task = NULL;
        if (strcmp(what, "null-function") == 0)
                task = chameleon_create_task(NULL, 1, &entry);
        else if (strcmp(what, "null-arguments") == 0)
                task = chameleon_create_task(entry_point, 1, NULL);
        else if (strcmp(what, "many-arguments") == 0)
                task = chameleon_create_task(entry_point, -1, &entry);
        else if (strcmp(what, "null-mapped") == 0)
                task = chameleon_create_task(entry_point, 1, &entry);
        chameleon_add_task(task);
        chameleon_distributed_taskwait(0);
}

int main(int argc, char **argv)
{
        int provided, rank, wrong = 0;
        MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
        MPI_Comm_rank(MPI_COMM_WORLD, &rank);
        chameleon_init();
        if (argc > 1)
                misuse(argv[1]);
        for (int wait = 1; wait <= WAITS; wait++) {
                for (int tree = 0; rank == 0 && tree < TREES; tree++)
                        add_tree(DEPTH);
                chameleon_distributed_taskwait(0);
                long mine = executed, all;
                MPI_Allreduce(&mine, &all, 1, MPI_LONG, MPI_SUM, MPI_COMM_WORLD);
                wrong += all != (long)wait * TREES * TASKS_OF_TREE;
                if (wrong && rank == 0)
                        fprintf(stderr, "after wait %d: %ld tasks have run\n", wait, all);
        }
        int failed[] = { yield(), annotate(), region(), data(rank) };
        long mine = executed, all, ranks;
        MPI_Allreduce(&mine, &all, 1, MPI_LONG, MPI_SUM, MPI_COMM_WORLD);
        MPI_Comm_size(MPI_COMM_WORLD, &provided);
        ranks = provided;
        wrong += all != (long)WAITS * TREES * TASKS_OF_TREE + ranks * THREADS;
        for (int i = 0; i < 4; i++)
                wrong += failed[i];
        if (wrong)
                fprintf(stderr,
                        "yield %d, annotations %d, region %d, data %d; %ld tasks have run\n",
                        failed[0], failed[1], failed[2], failed[3], all);
        chameleon_finalize();
        MPI_Finalize();
        return wrong > 0;
}
