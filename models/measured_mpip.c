/* SPDX-License-Identifier: BSD-3-Clause */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/number.h"
#include "models/measured_impl.h"

/*
 * mpiP's report: wall time of each task and what of it was MPI, to three digits, and the tasks'
 * machines. What is not MPI counts as load: mpiP knows no processor time.
 *
 *      @ MPI Task Assignment      : 0 node1
 *      @--- MPI Time (seconds) ---------------------------------------------------
 *      ---------------------------------------------------------------------------
 *      Task    AppTime    MPITime     MPI%
 *         0        8.6      0.121     1.40
 *         *       25.8        6.2    24.02
 */
struct report {
        const char *file;
        FILE *in;
        struct measured *m;
        int64_t capacity, line, count; /* lines so far; tasks with times */
        bool inside, whole;            /* the table of times: in it; its last row was there */
        struct lb_error *err;
};

static int complain(const struct report *r, const char *what)
{
        return lb_error_set(r->err, "%.300s:%lld: %s", r->file, (long long)r->line, what);
}

/* The rank of a task, with room made for it. */
static struct measured_rank *rank_at(struct report *r, long task)
{
        struct measured *m = r->m;
        if (task < 0 || task >= MEASURED_RANK_MAX) {
                complain(r, "allowed are tasks 0 to 65535");
                return NULL;
        }
        while (task >= r->capacity) {
                int64_t capacity = r->capacity ? 2 * r->capacity : 256;
                struct measured_rank *grown = realloc(m->rank, (size_t)capacity * sizeof(*grown));
                if (!grown) {
                        lb_error_fail(r->err, "out of memory for '%.300s'", r->file);
                        return NULL;
                }
                m->rank = grown;
                r->capacity = capacity;
        }
        for (; m->nrank <= task; m->nrank++)
                m->rank[m->nrank] = measured_rank_unknown;
        return &m->rank[task];
}

static int take_assignment(struct report *r, const char *text)
{
        char *host;
        long task = strtol(text, &host, 10);
        struct measured_rank *rank = host == text ? NULL : rank_at(r, task);
        if (host == text)
                return complain(r, "allowed is the number of a task and its machine");
        if (!rank)
                return -1;
        host += strspn(host, " \t");
        host[strcspn(host, " \t\r\n")] = '\0';
        snprintf(rank->host, sizeof(rank->host), "%s", host);
        return 0;
}

static int take_times(struct report *r, const char *text)
{
        char *end, *after;
        r->whole |= *text == '*';
        if (*text == '*')
                return 0;
        long task = strtol(text, &end, 10);
        double app_s = lb_number_read(end, &after);
        double mpi_s = lb_number_read(after, &end);
        if (after == end || !(app_s > 0 && app_s < 1e12) || !(mpi_s >= 0 && mpi_s < 1e12))
                return complain(r, "allowed are a task, AppTime (more than 0) and MPITime");
        if (mpi_s > 1.01 * app_s + 0.01) /* mpiP rounds both */
                return complain(r, "found more MPITime than AppTime");
        struct measured_rank *rank = rank_at(r, task);
        if (!rank)
                return -1;
        if (!isnan(rank->load_s))
                return complain(r, "this task is there twice");
        rank->load_s = fmax(0, app_s - mpi_s);
        rank->mpi_s = mpi_s;
        r->m->wall_s = fmax(r->m->wall_s, app_s);
        r->count++;
        return 0;
}

static int take_line(struct report *r, const char *text)
{
        static const char assignment[] = "@ MPI Task Assignment";
        static const char times[] = "@--- MPI Time (seconds)";
        const char *colon = strchr(text, ':');
        if (strncmp(text, assignment, sizeof(assignment) - 1) == 0 && colon)
                return take_assignment(r, colon + 1);
        if (text[0] == '@')
                r->inside = strncmp(text, times, sizeof(times) - 1) == 0;
        text += strspn(text, " \t");
        if (!r->inside || !((*text >= '0' && *text <= '9') || *text == '*'))
                return 0;
        return take_times(r, text);
}

static int name_nodes(struct report *r)
{
        struct measured *m = r->m;
        if (r->count == 0)
                return lb_error_set(r->err,
                                    "%.300s: found no times of tasks, allowed is a report with "
                                    "its table \"MPI Time (seconds)\"",
                                    r->file);
        if (!r->whole)
                return lb_error_set(r->err,
                                    "%.300s: its table \"MPI Time (seconds)\" does not end with "
                                    "the row of all tasks (*): it is cut off",
                                    r->file);
        measured_name_nodes(m);
        for (int32_t i = 0; i < m->nrank; i++)
                if (isnan(m->rank[i].load_s))
                        return lb_error_set(r->err,
                                            "%.300s: task %d of %d has no times: concise reports "
                                            "cannot be used",
                                            r->file, i, m->nrank);
        return 0;
}

int measured_read_mpip(struct measured *m, const char *file, struct lb_error *err)
{
        char *text = NULL;
        size_t size = 0;
        int status = 0;
        struct report r = { .file = file, .m = m, .err = err, .in = fopen(file, "rb") };
        if (!r.in)
                return lb_error_set(err, "cannot read '%.300s': %s", file, strerror(errno));
        while (status == 0 && getline(&text, &size, r.in) >= 0) {
                r.line++;
                status = take_line(&r, text);
        }
        free(text);
        fclose(r.in);
        return status < 0 ? -1 : name_nodes(&r);
}
