/* SPDX-License-Identifier: BSD-3-Clause */
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "models/measured_impl.h"

/*
 * A Paraver trace (text, as Extrae writes it): the states of threads, of which 1, Running, is load.
 * A rank is a task of an application; which node it is on, and how many threads it has, is in the
 * header:
 *
 *      #Paraver (01/02/2026 at 10:00):2000000000_ns:2(4,4):1:4(1:1,1:1,1:2,1:2)
 *      1:cpu:appl:task:thread:begin:end:state
 *
 * Events and communications are passed over. Several applications are several programs, between
 * which there is nothing to balance: refused. Windows are half a second, or longer where there
 * would be more than WINDOW_MOST.
 */
enum { STATE_RUNNING = 1, WINDOW_MOST = 4096 };

struct reader {
        const char *file, *at; /* at: what of the header is to be read */
        FILE *in;
        struct measured *m;
        int64_t line, end, window; /* end, window: in units of the trace */
        double unit_s;             /* of a unit of time */
        int64_t *first;            /* [nrank + 1] threads of the ranks before */
        int64_t *last;             /* [threads of all ranks] end of its last state */
        struct lb_error *err;
};

static int complain(const struct reader *r, const char *what)
{
        return lb_error_set(r->err, "%.300s:%" PRId64 ": %s", r->file, r->line, what);
}

/* ---- The header ---- */

/* A whole number at r->at, and the character behind it, which must be one of `ends`. */
static int take(struct reader *r, int64_t *value, const char *ends)
{
        char *end;
        errno = 0;
        *value = strtoll(r->at, &end, 10);
        if (end == r->at || *r->at < '0' || *r->at > '9' || errno || !*end || !strchr(ends, *end))
                return complain(r, "this is no header of a Paraver trace: allowed is #Paraver "
                                   "(date):time:nodes(cpus,...):applications:tasks(threads:node,"
                                   "...)");
        r->at = end + 1;
        return 0;
}

static int take_unit(struct reader *r)
{
        static const struct {
                const char *name;
                double unit_s;
        } unit[] = { { "ns:", 1e-9 }, { "us:", 1e-6 }, { "ms:", 1e-3 } };
        r->unit_s = 1e-6;
        if (r->at[-1] == ':')
                return 0;
        for (size_t i = 0; i < sizeof(unit) / sizeof(unit[0]); i++)
                if (strncmp(r->at, unit[i].name, 3) == 0) {
                        r->unit_s = unit[i].unit_s;
                        r->at += 3;
                        return 0;
                }
        return complain(r, "the unit of time: allowed are _ns, _us, _ms or none");
}

static int take_task(struct reader *r, int32_t rank, bool last)
{
        int64_t threads, node;
        if (take(r, &threads, ":") < 0 || take(r, &node, last ? ")" : ",") < 0)
                return -1;
        if (threads < 1 || threads > 4096 || node > MEASURED_RANK_MAX)
                return complain(r, "allowed are tasks of 1 to 4096 threads");
        measured_cores(r->m, (int32_t)threads);
        r->first[rank + 1] = r->first[rank] + threads;
        r->m->rank[rank].node = (int32_t)node;
        r->m->nodes_known = true;
        r->m->rank[rank].load_s = r->m->rank[rank].mpi_s = 0;
        return 0;
}

static int take_application(struct reader *r)
{
        int64_t ntask;
        if (take(r, &ntask, "(") < 0 || measured_ranks(r->m, ntask, r->file, r->err) < 0)
                return -1;
        r->first = calloc((size_t)ntask + 1, sizeof(*r->first));
        if (!r->first)
                return lb_error_fail(r->err, "out of memory");
        for (int32_t t = 0; t < ntask; t++)
                if (take_task(r, t, t + 1 == ntask) < 0)
                        return -1;
        while (*r->at == ',' || (*r->at >= '0' && *r->at <= '9')) /* communicators */
                r->at++;
        r->at += *r->at == ':';
        return 0;
}

static int take_header(struct reader *r, const char *text)
{
        int64_t nodes;
        const char *date = strchr(text, ')');
        if (!date || date[1] != ':')
                return complain(r, "this is no header of a Paraver trace: no (date):");
        r->at = date + 2;
        if (take(r, &r->end, "_:") < 0 || take_unit(r) < 0 || take(r, &nodes, "(:") < 0)
                return -1;
        if (r->at[-1] == '(') {
                r->at += strcspn(r->at, ")");
                r->at += *r->at == ')';
                r->at += *r->at == ':';
        }
        int64_t count;
        if (take(r, &count, ":") < 0)
                return -1;
        if (r->end < 1 || r->end > INT64_MAX / 4)
                return complain(r, r->end < 1 ? "found no time, allowed is one above 0"
                                              : "found more than 2^61 units of time");
        if (count != 1)
                return lb_error_set(
                    r->err,
                    "%.300s:1: found %" PRId64 " applications, allowed is one: "
                    "keep the records of one (Paraver: filter), with its own header",
                    r->file, count);
        return take_application(r);
}

static int prepare(struct reader *r)
{
        r->m->wall_s = (double)r->end * r->unit_s;
        r->window = llround(0.5 / r->unit_s);
        if (r->end / r->window >= WINDOW_MOST)
                r->window = r->end / WINDOW_MOST + 1;
        int64_t count = (r->end + r->window - 1) / r->window;
        while (count * r->m->nrank > (1 << 26)) {
                r->window *= 2;
                count = (r->end + r->window - 1) / r->window;
        }
        r->last = calloc((size_t)r->first[r->m->nrank], sizeof(*r->last));
        if (!r->last)
                return lb_error_fail(r->err, "out of memory");
        return measured_windows(r->m, count, r->file, r->err);
}

/* ---- Records ---- */

/* Time belongs to the window in which it was spent. */
static void add_running(struct reader *r, int32_t rank, int64_t begin, int64_t end)
{
        double *load_s = r->m->window_load_s;
        r->m->rank[rank].load_s += (double)(end - begin) * r->unit_s;
        while (begin < end) {
                int64_t w = begin / r->window, until = (w + 1) * r->window;
                until = until < end ? until : end;
                load_s[w * r->m->nrank + rank] += (double)(until - begin) * r->unit_s;
                begin = until;
        }
}

static int take_state(struct reader *r, const char *text)
{
        int64_t field[8];
        for (int i = 0; i < 8; i++) {
                char *end;
                field[i] = strtoll(text, &end, 10);
                if (end == text || *text == '-' || (i < 7 ? *end != ':' : *end > '\r'))
                        return complain(r, "allowed is 1:cpu:appl:task:thread:begin:end:state");
                text = end + 1;
        }
        int64_t task = field[3] - 1;
        if (field[2] != 1 || task < 0 || task >= r->m->nrank)
                return complain(r, "a state of a task that the header does not have");
        if (field[4] < 1 || field[4] > r->first[task + 1] - r->first[task])
                return complain(r, "a state of a thread that the header does not have");
        if (field[5] > field[6] || field[6] > r->end)
                return complain(r, "a state that ends before it begins, or past the trace's end");
        int32_t rank = (int32_t)task;
        int64_t *last = &r->last[r->first[task] + field[4] - 1];
        if (field[5] < *last)
                return complain(r, "a state that begins before the last one of its thread ended");
        *last = field[6];
        if (field[7] == STATE_RUNNING)
                add_running(r, rank, field[5], field[6]);
        return 0;
}

static int read_all(struct reader *r)
{
        char *text = NULL;
        size_t size = 0;
        int status = 0;
        while (status == 0 && getline(&text, &size, r->in) >= 0) {
                r->line++;
                if (!strchr(text, '\n'))
                        status = complain(r, "the line does not end: the trace is cut off");
                else if (r->line == 1)
                        status = take_header(r, text) < 0 ? -1 : prepare(r);
                else if (text[0] == '1' && text[1] == ':')
                        status = take_state(r, text);
        }
        free(text);
        return status;
}

int measured_read_prv(struct measured *m, const char *file, struct lb_error *err)
{
        struct reader r = { .file = file, .m = m, .err = err, .in = fopen(file, "rb") };
        if (!r.in)
                return lb_error_set(err, "cannot read '%.300s': %s", file, strerror(errno));
        int status = read_all(&r);
        fclose(r.in);
        free(r.first);
        free(r.last);
        for (int32_t i = 0; status == 0 && i < m->nrank; i++) {
                double cores = m->cores_per_rank > 0 ? m->cores_per_rank : 1;
                m->rank[i].mpi_s = fmax(0, m->wall_s - m->rank[i].load_s / cores);
        }
        return status;
}
