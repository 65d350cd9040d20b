/* SPDX-License-Identifier: BSD-3-Clause */
#include "policies/host/decision_log.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

#include "policies/replay.h"

enum { FLUSH_BYTES = 1 << 16, PATH_SIZE = 1040, FIRST_SIZE = 128 };

struct decision_log {
        int fd;
        bool joined; /* the file is another writer's */
        const char *program;
        struct lb_error *failure; /* who is told; NULL: standard error */
        char path[PATH_SIZE];
        char first[FIRST_SIZE]; /* of the file, up to the id */
        int32_t writer;
        int64_t nrecord;
        int32_t nalloc, nlend, nplace,
            nprocess; /* workers that the policies' states were made for */
        char *text;
        size_t used, size;
        size_t line; /* where the line being written begins */
        bool failed;
};

/* ---- Text ---- */

static void give_up(struct decision_log *log, const char *why)
{
        if (!log->failed && log->failure)
                lb_error_fail(log->failure, "%s", why);
        else if (!log->failed)
                fprintf(stderr, "%s: cannot write decisions to \"%s\": %s; the log ends here\n",
                        log->program, log->path, why);
        log->failed = true;
        log->used = log->line = 0;
}

static void put(struct decision_log *log, const char *text, size_t size)
{
        if (log->used + size > log->size) {
                size_t larger = 2 * (log->used + size) + FLUSH_BYTES;
                char *memory = realloc(log->text, larger);
                if (!memory) {
                        give_up(log, "out of memory");
                        return;
                }
                log->text = memory;
                log->size = larger;
        }
        memcpy(log->text + log->used, text, size);
        log->used += size;
}

static void put_word(struct decision_log *log, const char *word)
{
        put(log, word, strlen(word));
        put(log, " ", 1);
}

/* By hand, since there may be several numbers per task, and since a program's locale is its own. */
static void put_int(struct decision_log *log, int64_t value)
{
        char text[24];
        size_t at = sizeof(text);
        uint64_t left = value < 0 ? -(uint64_t)value : (uint64_t)value;
        text[--at] = ' ';
        do {
                text[--at] = (char)('0' + left % 10);
                left /= 10;
        } while (left > 0);
        if (value < 0)
                text[--at] = '-';
        put(log, text + at, sizeof(text) - at);
}

static void put_ints(struct decision_log *log, const int32_t *value, int32_t count)
{
        for (int32_t i = 0; i < count; i++)
                put_int(log, value[i]);
}

/* Exactly: a whole number of 53 bits times a power of two. */
static void put_number(struct decision_log *log, double value)
{
        char text[40];
        int exponent = 0;
        uint64_t digits = (uint64_t)ldexp(frexp(fabs(value), &exponent), 53);
        exponent -= 53;
        for (; digits > 0 && digits % 2 == 0; exponent++)
                digits /= 2;
        snprintf(text, sizeof(text), "%s0x%" PRIx64 "p%d", signbit(value) ? "-" : "", digits,
                 digits ? exponent : 0);
        put_word(log, text);
}

static void put_numbers(struct decision_log *log, const double *value, int32_t count)
{
        for (int32_t i = 0; i < count; i++)
                put_number(log, value[i]);
}

static void put_switches(struct decision_log *log, const bool *value, int32_t count)
{
        for (int32_t i = 0; i < count; i++)
                put_int(log, value[i]);
}

static void end_line(struct decision_log *log)
{
        char text[16];
        size_t size = log->used - log->line;
        if (log->failed)
                return;
        snprintf(text, sizeof(text), "~%08" PRIx32 "\n",
                 replay_check(log->text + log->line, size - 1));
        put(log, text, 10);
        log->line = log->used;
        if (log->used >= FLUSH_BYTES)
                decision_log_flush(log);
}

/* Begin a record; false where there is nobody to tell. */
static bool begin(struct decision_log *log, const char *what)
{
        if (!log || log->failed)
                return false;
        put_int(log, log->writer);
        put_int(log, log->nrecord++);
        put_word(log, what);
        return true;
}

/* ---- File ---- */

static int write_all(int fd, const char *text, size_t size)
{
        while (size > 0) {
                ssize_t n = write(fd, text, size);
                if (n < 0 && errno == EINTR)
                        continue;
                if (n < 0)
                        return -1;
                text += n;
                size -= (size_t)n;
        }
        return 0;
}

static int lock(int fd)
{
        while (flock(fd, LOCK_EX) < 0)
                if (errno != EINTR)
                        return -1;
        return 0;
}

/* Does the file end in the middle of a line? Its writer was killed. */
static bool ends_torn(int fd)
{
        off_t end = lseek(fd, 0, SEEK_END);
        char last;
        return end > 0 && pread(fd, &last, 1, end - 1) == 1 && last != '\n';
}

/* Does the file's first line begin with ours? */
static bool is_ours(const struct decision_log *log)
{
        char found[sizeof(log->first)];
        size_t size = strlen(log->first);
        return pread(log->fd, found, size, 0) == (ssize_t)size &&
               memcmp(found, log->first, size) == 0;
}

/* Why not; NULL: it is written. */
static const char *append(const struct decision_log *log)
{
        if (!is_ours(log))
                return "another job writes its decisions there now";
        int status = ends_torn(log->fd) ? write_all(log->fd, "\n", 1) : 0;
        if (status == 0)
                status = write_all(log->fd, log->text, log->used);
        return status < 0 ? strerror(errno) : NULL;
}

void decision_log_flush(struct decision_log *log)
{
        if (!log || log->failed || log->used == 0)
                return;
        bool locked = lock(log->fd) == 0;
        const char *why = append(log);
        if (locked)
                flock(log->fd, LOCK_UN);
        if (why)
                give_up(log, why);
        log->used = log->line = 0;
}

/* The first line, which tells by the id whether the file is this job's or an older one's. */
static int put_header(struct decision_log *log, const struct decision_log_spec *spec)
{
        put_word(log, REPLAY_MAGIC);
        put_word(log, spec->id);
        put_int(log, spec->node);
        put_word(log, spec->about);
        end_line(log);
        return log->failed ? -1 : 0;
}

/* One writer empties the file; before the others write, it has begun. */
static int begin_file(struct decision_log *log, const struct decision_log_spec *spec)
{
        if (!spec->begins)
                return 0;
        if (lock(log->fd) < 0)
                return -1;
        int status = ftruncate(log->fd, 0);
        if (status == 0)
                status = put_header(log, spec);
        if (status == 0)
                status = write_all(log->fd, log->text, log->used);
        log->used = log->line = 0;
        int why = errno;
        flock(log->fd, LOCK_UN);
        errno = why;
        return status;
}

struct decision_log *decision_log_open(const struct decision_log_spec *spec, struct lb_error *err)
{
        struct decision_log *log = calloc(1, sizeof(*log));
        if (!log) {
                lb_error_fail(err, "out of memory");
                return NULL;
        }
        log->writer = spec->writer;
        log->program = spec->program;
        log->failure = spec->failure;
        snprintf(log->path, sizeof(log->path), "%s", spec->file);
        snprintf(log->first, sizeof(log->first), "%s %s ", REPLAY_MAGIC, spec->id);
        log->fd = open(log->path, O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
        if (log->fd >= 0 && begin_file(log, spec) == 0)
                return log;
        lb_error_fail(err, "cannot write decisions to \"%s\": %s", log->path, strerror(errno));
        decision_log_close(log);
        return NULL;
}

struct decision_log *decision_log_join(const struct decision_log *first, int32_t writer)
{
        struct decision_log *log = first ? calloc(1, sizeof(*log)) : NULL;
        if (!log)
                return NULL;
        log->joined = true;
        log->fd = first->fd;
        log->program = first->program;
        log->failure = first->failure;
        memcpy(log->path, first->path, sizeof(log->path));
        memcpy(log->first, first->first, sizeof(log->first));
        log->writer = writer;
        return log;
}

void decision_log_close(struct decision_log *log)
{
        if (!log)
                return;
        if (log->fd >= 0) {
                decision_log_flush(log);
                if (!log->joined)
                        close(log->fd);
        }
        free(log->text);
        free(log);
}

/* ---- Records ---- */

static void put_params(struct decision_log *log, const struct lb_param *table, const double *param)
{
        put_numbers(log, param, (int32_t)lb_param_count(table));
}

static void put_alloc(struct decision_log *log, const struct alloc_type *type,
                      const struct lb_shape *shape, const double *param)
{
        log->nalloc = shape->nworker;
        put_word(log, type->name);
        put_int(log, shape->nnode);
        put_int(log, shape->napprank);
        put_int(log, shape->nworker);
        put_number(log, shape->poll_s);
        put_int(log, (int64_t)lb_param_count(type->params));
        put_ints(log, shape->cores, shape->nnode);
        put_ints(log, shape->apprank_first, shape->napprank + 1);
        put_ints(log, shape->worker_node, shape->nworker);
        put_ints(log, shape->worker_apprank, shape->nworker);
        put_switches(log, shape->worker_home, shape->nworker);
        put_ints(log, shape->node_first, shape->nnode + 1);
        put_ints(log, shape->node_worker, shape->nworker);
        put_params(log, type->params, param);
        if (shape->talk_only)
                put_switches(log, shape->talk_only, shape->nworker);
}

void decision_log_begin_alloc(struct decision_log *log, const struct alloc_type *type,
                              const struct lb_shape *shape, const double *param)
{
        if (!begin(log, "alloc"))
                return;
        put_alloc(log, type, shape, param);
        end_line(log);
}

void decision_log_regraph(struct decision_log *log, const struct alloc_type *type,
                          const struct lb_shape *shape, const double *param, const int32_t *worker)
{
        if (!begin(log, "regraph"))
                return;
        int32_t nbefore = log->nalloc;
        put_alloc(log, type, shape, param);
        put_word(log, "=");
        put_ints(log, worker, nbefore);
        end_line(log);
}

static void put_small_state(struct decision_log *log, const char *name,
                            const struct lb_param *table, int32_t nworker, const double *param)
{
        put_word(log, name);
        put_int(log, nworker);
        put_int(log, (int64_t)lb_param_count(table));
        put_params(log, table, param);
        end_line(log);
}

void decision_log_begin_lend(struct decision_log *log, const struct lend_type *type,
                             int32_t nworker, const double *param)
{
        if (!begin(log, "lend"))
                return;
        log->nlend = nworker;
        put_small_state(log, type->name, type->params, nworker, param);
}

void decision_log_begin_place(struct decision_log *log, const struct place_type *type,
                              int32_t nworker, const double *param)
{
        if (!begin(log, "place"))
                return;
        log->nplace = nworker;
        put_small_state(log, type->name, type->params, nworker, param);
}

static void put_alloc_view(struct decision_log *log, const struct alloc_view *view)
{
        put_int(log, view->time_ns);
        put_int(log, view->interval_ns);
        put_numbers(log, view->busy_cores, log->nalloc);
        put_ints(log, view->owned_cores, log->nalloc);
        if (view->iteration_ns > 0)
                put_int(log, view->iteration_ns);
}

void decision_log_observe(struct decision_log *log, const struct alloc_view *view)
{
        if (!begin(log, "observe"))
                return;
        put_alloc_view(log, view);
        end_line(log);
}

void decision_log_decide(struct decision_log *log, const struct alloc_view *view,
                         const int32_t *owned_cores)
{
        if (!begin(log, "decide"))
                return;
        put_alloc_view(log, view);
        put_word(log, "=");
        put_ints(log, owned_cores, log->nalloc);
        end_line(log);
}

static bool any(const int32_t *figure, int32_t count)
{
        for (int32_t i = 0; i < count; i++)
                if (figure[i] != 0)
                        return true;
        return false;
}

void decision_log_lend(struct decision_log *log, const struct lend_view *view,
                       const struct lend_decision *decision)
{
        if (!begin(log, "lending"))
                return;
        put_int(log, view->time_ns);
        put_int(log, view->occasion);
        put_int(log, view->worker);
        put_int(log, view->pool);
        put_ints(log, view->owned_cores, log->nlend);
        put_ints(log, view->lent_cores, log->nlend);
        put_ints(log, view->borrowed_cores, log->nlend);
        put_ints(log, view->reclaiming_cores, log->nlend);
        put_ints(log, view->running_tasks, log->nlend);
        put_ints(log, view->tasks, log->nlend);
        put_ints(log, view->ready_tasks, log->nlend);
        put_ints(log, view->held_tasks_known, log->nlend);
        if (any(view->task_us, log->nlend))
                put_ints(log, view->task_us, log->nlend);
        put_word(log, "=");
        put_int(log, decision->action);
        put_int(log, decision->borrower);
        put_int(log, decision->count);
        end_line(log);
}

static void put_place_call(struct decision_log *log, const struct place_view *view, int64_t answer)
{
        put_int(log, view->time_ns);
        put_int(log, view->occasion);
        put_int(log, view->worker);
        put_int(log, view->data_worker);
        put_int(log, view->held_tasks);
        put_ints(log, view->tasks, log->nplace);
        put_ints(log, view->owned_cores, log->nplace);
        put_ints(log, view->target_cores, log->nplace);
        put_ints(log, view->usable_cores, log->nplace);
        if (place_is_asked(view))
                put_int(log, view->asked_cores);
        if (view->talk_only)
                put_switches(log, view->talk_only, log->nplace);
        put_word(log, "=");
        put_int(log, answer);
        end_line(log);
}

/* On a line of its own, since most calls have none. */
static void put_costs(struct decision_log *log, const struct place_costs *costs)
{
        if (!costs || !begin(log, "costs"))
                return;
        put_number(log, costs->held);
        put_number(log, costs->next);
        put_number(log, costs->finished);
        put_numbers(log, costs->assigned, log->nplace);
        end_line(log);
}

void decision_log_place(struct decision_log *log, const struct place_view *view, int32_t worker)
{
        put_costs(log, view->costs);
        if (begin(log, "placing"))
                put_place_call(log, view, worker);
}

void decision_log_refill(struct decision_log *log, const struct place_view *view, int64_t count)
{
        bool known = view->finished_ns > 0;
        put_costs(log, view->costs);
        if (!begin(log, known ? "finished" : "refill"))
                return;
        if (known)
                put_int(log, view->finished_ns);
        put_place_call(log, view, count);
}

/* ---- Processors of processes, processes on CPUs ---- */

void decision_log_begin_dpb(struct decision_log *log, const struct dpb_type *type, int32_t nprocess,
                            const double *param)
{
        if (!begin(log, "dpb"))
                return;
        log->nprocess = nprocess;
        put_small_state(log, type->name, type->params, nprocess, param);
}

void decision_log_begin_pack(struct decision_log *log, const struct pack_type *type,
                             int32_t nprocess, const double *param)
{
        if (!begin(log, "pack"))
                return;
        log->nprocess = nprocess;
        put_small_state(log, type->name, type->params, nprocess, param);
}

void decision_log_dpb(struct decision_log *log, const struct dpb_view *view, enum dpb_action action,
                      const int32_t *cpus)
{
        if (!begin(log, "moving"))
                return;
        put_int(log, view->time_ns);
        put_numbers(log, view->compute_s, log->nprocess);
        put_numbers(log, view->mpi_s, log->nprocess);
        put_ints(log, view->cpus, log->nprocess);
        put_word(log, "=");
        put_int(log, action);
        put_ints(log, cpus, log->nprocess);
        end_line(log);
}

void decision_log_pack(struct decision_log *log, const struct pack_view *view, int32_t used,
                       const int32_t *cpu)
{
        if (!begin(log, "packing"))
                return;
        put_int(log, view->time_ns);
        put_number(log, view->bound_s);
        put_numbers(log, view->time_s, log->nprocess);
        put_word(log, "=");
        put_int(log, used);
        put_ints(log, cpu, log->nprocess);
        end_line(log);
}

/* ---- Migration ---- */

void decision_log_begin_migrate(struct decision_log *log, const struct migrate_type *type,
                                int32_t nrank, const double *param)
{
        if (!begin(log, "migrate"))
                return;
        log->nprocess = nrank;
        put_small_state(log, type->name, type->params, nrank, param);
}

static void put_local(struct decision_log *log, const struct migrate_local *local)
{
        put_int(log, local->nthread);
        put_int(log, local->queued);
        put_int(log, local->copies);
        put_int(log, local->received);
        put_int(log, local->running);
        put_int(log, local->sent);
}

void decision_log_load(struct decision_log *log, const struct migrate_local *local, int64_t load)
{
        if (!begin(log, "load"))
                return;
        put_local(log, local);
        put_word(log, "=");
        put_int(log, load);
        end_line(log);
}

void decision_log_migrate(struct decision_log *log, bool replicates,
                          const struct migrate_view *view, const struct migrate_move *move,
                          int32_t nmove)
{
        if (!begin(log, replicates ? "replicating" : "migrating"))
                return;
        put_int(log, view->time_ns);
        put_int(log, view->rank);
        put_int(log, view->changes);
        put_local(log, &view->local);
        for (int32_t i = 0; i < log->nprocess; i++)
                put_int(log, view->load[i]);
        put_ints(log, view->order, log->nprocess);
        put_ints(log, view->sending, log->nprocess);
        put_word(log, "=");
        put_int(log, nmove);
        for (int32_t i = 0; i < nmove; i++) {
                put_int(log, move[i].rank);
                put_int(log, move[i].ntask);
        }
        end_line(log);
}

/* ---- Growth ---- */

static void put_edges(struct decision_log *log, const struct grow_edge *edge, int32_t count)
{
        for (int32_t i = 0; i < count; i++) {
                put_int(log, edge[i].apprank);
                put_int(log, edge[i].node);
        }
}

void decision_log_begin_grow(struct decision_log *log, const struct grow_type *type,
                             const struct grow_shape *shape, const double *param)
{
        if (!begin(log, "grow"))
                return;
        put_word(log, type->name);
        put_int(log, shape->nnode);
        put_int(log, shape->napprank);
        put_number(log, shape->poll_s);
        put_ints(log, shape->cores, shape->nnode);
        put_ints(log, shape->home, shape->napprank);
        put_int(log, (int64_t)lb_param_count(type->params));
        put_params(log, type->params, param);
        end_line(log);
}

void decision_log_grow(struct decision_log *log, const struct grow_view *view,
                       const struct grow_decision *decision)
{
        const struct lb_shape *shape = view->shape;
        if (!begin(log, decision ? "growing" : "watching"))
                return;
        put_int(log, view->time_ns);
        put_int(log, view->interval_ns);
        put_int(log, shape->nworker);
        put_ints(log, shape->apprank_first, shape->napprank + 1);
        put_ints(log, shape->worker_node, shape->nworker);
        put_numbers(log, view->busy_cores, shape->nworker);
        put_switches(log, view->retiring, shape->nworker);
        put_int(log, view->nstarting);
        put_edges(log, view->starting, view->nstarting);
        if (decision) {
                put_int(log, decision->room);
                put_word(log, "=");
                put_int(log, decision->nadd);
                put_edges(log, decision->add, decision->nadd);
                put_int(log, decision->nretire);
                put_edges(log, decision->retire, decision->nretire);
        }
        end_line(log);
}
