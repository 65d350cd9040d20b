/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A program whose own functions have names that the runtime uses inside, and one that uses a
 * cJSON of its own and a locale with another decimal point: it is linked, its job runs, and none of
 * its functions is called by the runtime in place of the runtime's own.
 */
#include <locale.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

#include "lbrun.h"

#define NAMES(X)                                                                                   \
        X(access_add)                                                                              \
        X(account_report)                                                                          \
        X(alloc_types)                                                                             \
        X(average_get)                                                                             \
        X(bell_ring)                                                                               \
        X(board_open)                                                                              \
        X(cJSON_Delete)                                                                            \
        X(cJSON_GetObjectItemCaseSensitive)                                                        \
        X(cJSON_ParseWithLength)                                                                   \
        X(cJSON_ParseWithLengthOpts)                                                               \
        X(cJSON_Print)                                                                             \
        X(control_create)                                                                          \
        X(control_poll)                                                                            \
        X(copies_start)                                                                            \
        X(core_leave)                                                                              \
        X(cores_builtin)                                                                           \
        X(decision_log_open)                                                                       \
        X(event_wait)                                                                              \
        X(fail)                                                                                    \
        X(fail_if_due)                                                                             \
        X(flow_add)                                                                                \
        X(futex_wake)                                                                              \
        X(global_decide)                                                                           \
        X(graph_create)                                                                            \
        X(job_parse)                                                                               \
        X(keeper_start)                                                                            \
        X(lb_error_set)                                                                            \
        X(lb_json_parse)                                                                           \
        X(lbrun_built_for)                                                                         \
        X(lbrun_process)                                                                           \
        X(memory_alloc)                                                                            \
        X(now_ns)                                                                                  \
        X(offload_send)                                                                            \
        X(parcel_take)                                                                             \
        X(place_task)                                                                              \
        X(polite_wait)                                                                             \
        X(process_start)                                                                           \
        X(queue_push)                                                                              \
        X(report_print)                                                                            \
        X(report_write)                                                                            \
        X(request_done)                                                                            \
        X(run_task)                                                                                \
        X(segment_open)                                                                            \
        X(solve_exact)                                                                             \
        X(table_write)                                                                             \
        X(task_create)                                                                             \
        X(thread_start)                                                                            \
        X(timeline_poll)                                                                           \
        X(trace_create)                                                                            \
        X(transport_post)                                                                          \
        X(unlock)                                                                                  \
        X(where_write)

static void called(const char *name)
{
        fprintf(stderr, "the runtime has called the program's own %s()\n", name);
        abort();
}

/* clang-format off */
#define OWN(name) void name(void); void name(void) { called(#name); }
#define COUNT(name) + 1
/* clang-format on */
NAMES(OWN)

_Static_assert((0 NAMES(COUNT)) >= 50, "fifty names");

static void twice(void *argument)
{
        **(double **)argument *= 2;
}

int main(int argc, char **argv)
{
        enum { TASKS = 20 };
        setlocale(LC_ALL, "");
        lbrun_start(&argc, &argv);
        double *x = lbrun_alloc(TASKS * sizeof(*x));
        bool right = true;
        for (int iteration = 0; iteration < 3; iteration++) {
                for (int i = 0; i < TASKS; i++) {
                        double *own = x + i;
                        *own = i;
                        lbrun_task(twice, &own, sizeof(own), 1,
                                   &(struct lbrun_access){ LBRUN_INOUT, own, sizeof(*own) }, NULL);
                }
                lbrun_taskwait();
                for (int i = 0; i < TASKS; i++)
                        right = right && x[i] == 2 * i;
                MPI_Barrier(lbrun_world());
                lbrun_iteration();
        }
        lbrun_free(x);
        lbrun_stop();
        return right ? 0 : 1;
}
