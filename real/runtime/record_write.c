/* SPDX-License-Identifier: BSD-3-Clause */
/* --tasks FILE: what all appranks have recorded, as models/taskgraph.h reads it. */
#include <inttypes.h>
#include <stdlib.h>

#include "base/file.h"
#include "models/taskgraph.h"
#include "real/runtime/record.h"

static const char *const reasons[RECORD_NREASON] = {
        [RECORD_LIGHT] = "tasks that were executed at once have created others",
        [RECORD_BEYOND] = "tasks outlast their iteration",
        [RECORD_SHORT] = "tasks are so short that to record them would make the job slower",
        [RECORD_MANY] = "an iteration has more tasks or dependencies than are kept",
        [RECORD_MEMORY] = "out of memory",
};

/* What appranks agree on: the iterations that all have, and why there are none. */
struct agreed {
        int32_t first, last, reason, ordered;
};

/* Do tasks of one iteration differ by more than durations that are drawn do? */
static bool differ(const struct record_graph *graph)
{
        enum { MUCH = 2 }; /* times their mean */
        int64_t longest_ns = 0, sum_ns = 0, count = 0;
        for (int32_t n = 0; n < graph->nnode; n++) {
                int64_t ns = graph->node[n].ns;
                longest_ns = ns > longest_ns ? ns : longest_ns;
                sum_ns += ns;
                count += ns > 0;
        }
        return count > 0 && longest_ns > MUCH * (sum_ns / count);
}

/* Are tasks other than so many alike ones? What a main program does itself is worth it where that
 * is a hundredth of the job. */
static bool has_order(const struct process *p)
{
        const struct record *r = p->record;
        bool order = r->ordered || 100 * r->main_ns > now_ns() - p->start_ns;
        order |= atomic_load_explicit(&p->prioritises, memory_order_relaxed);
        for (int32_t i = 0; !order && i < r->nkept; i++)
                order = differ(record_kept(r, r->ndropped + i));
        return order;
}

/* Of iterations that all have, the last ones that lbsim reads. */
static void fit(const struct process *p, struct agreed *agreed)
{
        const struct record *r = p->record;
        int32_t niteration = agreed->last - agreed->first, first = agreed->last;
        int64_t *lines = calloc((size_t)niteration + 1, sizeof(*lines)), sum = 0;
        if (!lines)
                fail("lbrun_stop", "out of memory for the tasks of --tasks");
        for (int32_t i = 0; i < niteration; i++)
                lines[i] = record_lines(record_kept(r, agreed->first + i));
        MPI_Allreduce(MPI_IN_PLACE, lines, niteration, MPI_INT64_T, MPI_SUM, p->world);
        while (first > agreed->first &&
               (int64_t)(agreed->last - first + 1) * p->job->napprank <= TASKGRAPH_PART_MAX &&
               sum + lines[first - 1 - agreed->first] <= TASKGRAPH_TASK_MAX)
                sum += lines[--first - agreed->first];
        if (first == agreed->last)
                agreed->reason = RECORD_MANY;
        agreed->first = first;
        free(lines);
}

static struct agreed agree(const struct process *p)
{
        const struct record *r = p->record;
        int32_t mine[4] = { r->ndropped, -(r->ndropped + r->nkept), (int32_t)r->reason,
                            has_order(p) };
        int32_t all[4];
        MPI_Allreduce(mine, all, 4, MPI_INT32_T, MPI_MAX, p->world);
        struct agreed agreed = { all[0], -all[1], all[2], all[3] };
        if (agreed.first < agreed.last && !agreed.reason)
                fit(p, &agreed);
        return agreed;
}

static bool print_iteration(const struct process *p, const struct record_graph *graph,
                            int32_t iteration, FILE *out)
{
        if (graph->nnode == 0)
                fprintf(out, "%" PRId32 ",%" PRId32 ",0,0,1,0,,\n", iteration, p->apprank);
        return record_print(graph, iteration, p->apprank, out);
}

static char *print_own(const struct process *p, struct agreed agreed, size_t *size)
{
        const struct record *r = p->record;
        char *text = NULL;
        FILE *out = open_memstream(&text, size);
        bool fine = out != NULL;
        for (int32_t i = agreed.first; fine && i < agreed.last; i++)
                fine = print_iteration(p, record_kept(r, i), i - agreed.first, out);
        if (out && fclose(out) != 0)
                fine = false;
        if (!fine || !text || *size > INT32_MAX)
                fail("lbrun_stop", "out of memory for the tasks of --tasks");
        return text;
}

static void write_others(const struct process *p, int32_t from, FILE *out)
{
        long long size;
        MPI_Recv(&size, 1, MPI_LONG_LONG, from, 0, p->world, MPI_STATUS_IGNORE);
        char *text = malloc((size_t)size + 1);
        if (!text)
                fail("lbrun_stop", "out of memory for the tasks of --tasks");
        MPI_Recv(text, (int)size, MPI_CHAR, from, 0, p->world, MPI_STATUS_IGNORE);
        fwrite(text, 1, (size_t)size, out);
        free(text);
}

static void send_own(const struct process *p, const char *text, size_t bytes)
{
        long long size = (long long)bytes;
        MPI_Send(&size, 1, MPI_LONG_LONG, 0, 0, p->world);
        MPI_Send(text, (int)size, MPI_CHAR, 0, 0, p->world);
}

/* At apprank 0; the others' texts come in any case. */
static void write_all(const struct process *p, const char *text, size_t bytes)
{
        struct lb_error err;
        struct lb_file file;
        bool fine = lb_file_create(&file, p->job->tasks, &err) == 0;
        FILE *out = fine ? file.stream : fopen("/dev/null", "w");
        if (!out)
                fail("lbrun_stop", "%s", err.text);
        fputs("iteration,apprank,seconds,bytes,stays,priority,within,after\n", out);
        fwrite(text, 1, bytes, out);
        for (int32_t a = 1; a < p->job->napprank; a++)
                write_others(p, a, out);
        if (!fine)
                fclose(out);
        else
                fine = lb_file_commit(&file, &err) == 0;
        if (!fine)
                fail_later("lbrun_stop", "%s", err.text);
}

/* Where it is for a comparison alone, tasks that are alike and without order are as good without
 * it. */
static bool is_wanted(const struct process *p, struct agreed agreed)
{
        const char *reason = reasons[agreed.reason];
        if (!reason && agreed.first >= agreed.last)
                reason = "no iteration was ended by all appranks";
        if (p->job->tasks_ordered && !agreed.ordered)
                return false;
        if (reason && p->apprank == 0 && p->job->tasks_ordered)
                warn("lbrun_stop", "the order of tasks is not simulated: %s", reason);
        else if (reason && p->apprank == 0)
                fail_later("lbrun_stop", "--tasks: not written: %s", reason);
        return !reason;
}

void record_write(const struct process *p)
{
        size_t size = 0;
        if (!p->record)
                return;
        struct agreed agreed = agree(p);
        if (!is_wanted(p, agreed))
                return;
        char *text = print_own(p, agreed, &size);
        if (p->apprank == 0)
                write_all(p, text, size);
        else
                send_own(p, text, size);
        free(text);
}
