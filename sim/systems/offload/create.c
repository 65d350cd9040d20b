/* SPDX-License-Identifier: BSD-3-Clause */
/* An apprank's main program: its serial part, then its tasks, one after the other. */
#include "sim/systems/offload/machine.h"

#include "base/apart.h"
#include "sim/systems/offload/ready.h"

/* Tasks created between two looks at the rest of the machine: keeps events few, 64 x 1 us late at
 * most. */
enum { BATCH = 64 };

/* Where this iteration's data is: where the last one left it; tasks that are new are at home. */
static void locate_data(struct machine *m, struct apprank *a)
{
        int64_t left = a->ntask;
        bool sticky = !workload_writeback(m->spec->workload);
        for (int32_t e = a->first_edge; e < a->first_edge + a->nedge; e++) {
                struct worker *w = &m->worker[m->edge_worker[e]];
                int64_t here = sticky && e > a->first_edge ? w->executed_data : 0;
                m->data_here[e] = here < left ? here : left;
                left -= m->data_here[e];
                w->executed_data = 0;
                m->left_bytes[e] = 0;
                m->issued[e] = 0;
        }
        m->data_here[a->first_edge] += left;
}

void tasks_begin(struct machine *m, int32_t apprank)
{
        struct apprank *a = &m->apprank[apprank];
        const struct work *work = &m->work[apprank];
        if (work->ntask > INT32_MAX) {
                machine_fail(m, "an apprank has more than 2^31 tasks");
                return;
        }
        a->ntask = a->left = (int32_t)work->ntask;
        a->task_ns = work->task_ns;
        a->prepares = work->start_ns > 0;
        a->task_bytes = work->task_bytes;
        a->created = a->next_task = 0;
        for (int32_t e = a->first_edge; e < a->first_edge + a->nedge; e++) {
                struct worker *w = &m->worker[m->edge_worker[e]];
                w->task_ns = (int64_t)((double)work->task_ns * w->time_factor + 0.5);
                if (m->asks && !w->home &&
                    *edge_known(m, KNOWN_USABLE, e) > *edge_known(m, KNOWN_OWNED, e))
                        *edge_known(m, KNOWN_USABLE, e) = *edge_known(m, KNOWN_OWNED, e);
        }
        locate_data(m, a);
        if (m->explicit)
                dependencies_begin(m, apprank);
        if (m->priced)
                priced_begin(m, apprank);
        if (m->urgent)
                urgent_begin(m, apprank);
        if (a->ntask == 0 && !a->prepares) {
                run_apprank_done(m, apprank);
                return;
        }
        m->worker[home_worker(m, apprank)].main_waits = true;
        worker_seek(m, &m->worker[home_worker(m, apprank)]);
}

static int32_t next_batch(const struct apprank *a)
{
        int32_t left = a->ntask - a->created;
        return left < BATCH ? left : BATCH;
}

int64_t tasks_main_batch_ns(struct machine *m, int32_t apprank)
{
        const struct apprank *a = &m->apprank[apprank];
        const struct worker *w = &m->worker[home_worker(m, apprank)];
        if (a->prepares)
                return ready_in_span(m, ready_at_speed(w, m->work[apprank].start_ns));
        int64_t count = next_batch(a);
        if (m->wholes)
                count = dependencies_count_created(m, apprank, a->created, a->created + count);
        return count * w->create_ns;
}

/* The serial part counts when it is over; waiting for others does not. */
static LB_APART bool end_serial(struct machine *m, int32_t apprank)
{
        struct apprank *a = &m->apprank[apprank];
        int64_t serial_ns = m->work[apprank].serial_ns;
        m->totals.work_ns += serial_ns;
        m->totals.useful_ns += ready_at_speed(&m->worker[home_worker(m, apprank)], serial_ns);
        a->prepares = false;
        if (a->ntask == 0)
                run_apprank_done(m, apprank);
        return a->ntask > 0;
}

/* From each place as many as there are in proportion. */
static void create_in_proportion(struct machine *m, int32_t apprank)
{
        const struct apprank *a = &m->apprank[apprank];
        for (int32_t e = a->first_edge; e < a->first_edge + a->nedge; e++) {
                int64_t due = (int64_t)a->created * m->data_here[e] / a->ntask;
                int64_t count = due - m->issued[e];
                m->issued[e] = due;
                if (count > 0)
                        tasks_place(m, apprank, e, count);
        }
}

/* Each from where that task of the last iteration left its data. */
static LB_APART void create_where_left(struct machine *m, int32_t apprank, int32_t from)
{
        const struct apprank *a = &m->apprank[apprank];
        for (int32_t t = from; t < a->created; t++)
                tasks_place(m, apprank, priced_edge(m, apprank, t), 1);
}

bool tasks_main_batch(struct machine *m, int32_t apprank)
{
        struct apprank *a = &m->apprank[apprank];
        int32_t from = a->created;
        if (a->prepares)
                return end_serial(m, apprank);
        a->created += next_batch(a);
        if (m->explicit)
                dependencies_created(m, apprank, from, a->created);
        else if (m->priced)
                create_where_left(m, apprank, from);
        else
                create_in_proportion(m, apprank);
        if (a->created == a->ntask && a->left == 0)
                run_apprank_done(m, apprank); /* the last ones are within others, and over */
        return a->created < a->ntask;
}
