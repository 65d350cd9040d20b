/* SPDX-License-Identifier: BSD-3-Clause */
#include "real/mpi/together.h"
#include "real/mpi/transport_impl.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "real/mpi/polite_impl.h"
#include "real/node/lifeline.h"

/* Launchers end without a last look at what ranks have written: hydra then loses the message. */
enum { LAST_WORDS_NS = 100000000 };

LB_PRINTF(2, 0)
static void say(const struct transport *t, const char *format, va_list args)
{
        char text[512];
        vsnprintf(text, sizeof(text), format, args);
        fprintf(stderr, "lbrun: rank %d: %s\n", t->rank, text);
        fflush(stderr);
        nanosleep(&(struct timespec){ .tv_nsec = LAST_WORDS_NS }, NULL);
}

static _Noreturn void end_job(const struct transport *t)
{
        PMPI_Abort(t->spec.parent, 1);
        abort();
}

_Noreturn void transport_die(const struct transport *t, const char *format, ...)
{
        va_list args;
        va_start(args, format);
        say(t, format, args);
        va_end(args);
        end_job(t);
}

/* Its peer may have died, or the peer's node, which lbrun is about to know, and the launcher to end
 * all for: if not, we do. */
_Noreturn void transport_die_in_doubt(const struct transport *t, const char *format, ...)
{
        static const struct timespec patience = { .tv_sec = 1 };
        va_list args;
        va_start(args, format);
        say(t, format, args);
        va_end(args);
        lifeline_doubt();
        nanosleep(&patience, NULL);
        lifeline_foretell(1 << 8);
        end_job(t);
}

void transport_check(const struct transport *t, int code, const char *call)
{
        if (code == MPI_SUCCESS)
                return;
        char text[MPI_MAX_ERROR_STRING] = "";
        int length = 0;
        PMPI_Error_string(code, text, &length);
        transport_die_in_doubt(t, "%s failed: %s", call, text);
}

static int check_spec(const struct transport_spec *spec, struct lb_error *err)
{
        int level = MPI_THREAD_SINGLE;
        PMPI_Query_thread(&level);
        if (level < MPI_THREAD_MULTIPLE)
                return lb_error_fail(err, "MPI was not initialised for several threads, "
                                          "MPI_Init_thread with MPI_THREAD_MULTIPLE is needed");
        if (!(spec->spin_us >= 0.0))
                return lb_error_set(err, "spin_us is %g, at least 0 is allowed", spec->spin_us);
        if (!(spec->message_poll_us > 0.0))
                return lb_error_set(err, "message_poll_us is %g, more than 0 is allowed",
                                    spec->message_poll_us);
        return 0;
}

/* Do all ranks go on? Those that were well are told where another was not. */
static int agree(MPI_Comm comm, int result, struct lb_error *err)
{
        int mine = result, worst = -1;
        if (PMPI_Allreduce(&mine, &worst, 1, MPI_INT, MPI_MIN, comm) != MPI_SUCCESS)
                return lb_error_fail(err, "MPI_Allreduce failed");
        if (result == 0 && worst != 0)
                return lb_error_fail(err, "another rank could not set up its messages");
        return worst;
}

static int allocate(struct transport *t, struct lb_error *err)
{
        size_t n = (size_t)t->nrank;
        t->sequence = calloc(n, sizeof(*t->sequence));
        t->source = calloc(n, sizeof(*t->source));
        t->busy = calloc(n, sizeof(*t->busy));
        t->push = calloc(n, sizeof(*t->push));
        t->entered = calloc(n, sizeof(*t->entered));
        if (!t->sequence || !t->source || !t->busy || !t->push || !t->entered)
                return lb_error_fail(err, "out of memory for messages among %d ranks", t->nrank);
        t->lock_made = pthread_mutex_init(&t->lock, NULL) == 0;
        t->look_made = pthread_mutex_init(&t->look, NULL) == 0;
        return t->lock_made && t->look_made ? 0 : lb_error_fail(err, "cannot make a lock");
}

/* Private communicators, whose errors come back to us. */
static void duplicate(struct transport *t)
{
        MPI_Comm parent = t->spec.parent;
        transport_check(t, PMPI_Comm_dup(parent, &t->control), "MPI_Comm_dup");
        transport_check(t, PMPI_Comm_dup(parent, &t->data), "MPI_Comm_dup");
        PMPI_Comm_set_errhandler(t->control, MPI_ERRORS_RETURN);
        PMPI_Comm_set_errhandler(t->data, MPI_ERRORS_RETURN);
}

/* Which ranks share memory with this one: local[nrank], identity[nrank]. Collective. */
static void find_local(const struct transport *t, uint64_t *identity, bool *local)
{
        transport_check(t, machines_gather(t->control, identity), "MPI_Allgather");
        for (int rank = 0; rank < t->nrank; rank++)
                local[rank] = identity[rank] == identity[t->rank];
}

/* What there is only among ranks of one machine. */
static int open_local(struct transport *t, struct lb_error *err)
{
        uint64_t *identity = calloc((size_t)t->nrank, sizeof(*identity));
        bool *local = calloc((size_t)t->nrank, sizeof(*local));
        int status = agree(t->control, identity && local ? 0 : -1, err);
        if (status == 0) {
                find_local(t, identity, local);
                push_start(t, local);
                t->bell = bell_open(t->spec.job, t->nrank, t->rank, local, err);
                if (t->bell)
                        t->inbox = inbox_open(t->spec.job, t->nrank, t->rank, local, err);
        } else if (!err->kind) {
                lb_error_fail(err, "out of memory");
        }
        free(identity);
        free(local);
        return status == 0 && t->inbox ? 0 : -1;
}

/* All that may have been made is unmade; the thread is not running. */
static void release(struct transport *t)
{
        bell_close(t->bell);
        inbox_close(t->inbox);
        receive_stop(t);
        push_stop(t);
        if (t->control != MPI_COMM_NULL)
                PMPI_Comm_free(&t->control);
        if (t->data != MPI_COMM_NULL)
                PMPI_Comm_free(&t->data);
        parcel_list_free(&t->spare);
        parcel_list_free(&t->spare_in);
        parcel_list_free(&t->self);
        if (t->lock_made)
                pthread_mutex_destroy(&t->lock);
        if (t->look_made)
                pthread_mutex_destroy(&t->look);
        free(t->sequence);
        free(t->entered);
        free(t->source);
        free(t->busy);
        free(t);
}

/* Collective; where a rank fails, all do. */
static int set_up(struct transport *t, struct lb_error *err)
{
        if (agree(t->spec.parent, allocate(t, err), err) != 0)
                return -1;
        duplicate(t);
        if (agree(t->control, open_local(t, err), err) != 0)
                return -1;
        receive_start(t);
        return agree(t->control, thread_start(t, err), err);
}

struct transport *transport_create(const struct transport_spec *spec, struct lb_error *err)
{
        err->kind = LB_ERROR_NONE;
        MPI_Request request;
        if (PMPI_Ibarrier(spec->parent, &request) == MPI_SUCCESS)
                polite_wait(&request, MPI_STATUS_IGNORE); /* ranks may come much later */
        struct transport *t = calloc(1, sizeof(*t));
        int result = t ? check_spec(spec, err) : lb_error_fail(err, "out of memory for messages");
        if (agree(spec->parent, result, err) != 0) {
                free(t);
                return NULL;
        }
        t->spec = *spec;
        t->control = t->data = MPI_COMM_NULL;
        PMPI_Comm_rank(spec->parent, &t->rank);
        PMPI_Comm_size(spec->parent, &t->nrank);
        if (set_up(t, err) == 0)
                return t;
        thread_stop(t);
        release(t);
        return NULL;
}

/*
 * Until nothing is posted any more that was not handled: handlers may post. Counts are summed over
 * the ranks again and again; they are of different instants, but where all that the last sum saw
 * posted had been handled by the sum before, nothing was under way in between (Mattern's four
 * counters).
 */
static void drain(struct transport *t)
{
        int64_t handled_before = -1;
        for (;;) {
                int64_t mine[2] = { atomic_load(&t->handled), 0 }, all[2];
                mine[1] = atomic_load(&t->posted);
                MPI_Request request;
                transport_check(
                    t, PMPI_Iallreduce(mine, all, 2, MPI_INT64_T, MPI_SUM, t->data, &request),
                    "MPI_Iallreduce");
                transport_check(t, polite_wait(&request, MPI_STATUS_IGNORE), "MPI_Wait");
                if (all[1] == handled_before)
                        return;
                handled_before = all[0];
        }
}

void transport_destroy(struct transport *t)
{
        if (!t)
                return;
        drain(t);
        thread_stop(t);
        MPI_Request request; /* all are done before any closes what others may still ring */
        transport_check(t, PMPI_Ibarrier(t->data, &request), "MPI_Ibarrier");
        transport_check(t, polite_wait(&request, MPI_STATUS_IGNORE), "MPI_Wait");
        release(t);
}

struct transport_figures transport_figures(const struct transport *t)
{
        return (struct transport_figures){
                .messages = atomic_load(&t->posted),
                .bytes = atomic_load(&t->body_bytes),
                .data_bytes = atomic_load(&t->data_bytes),
                .copy_ns = atomic_load(&t->copy_ns),
                .late = atomic_load(&t->late),
        };
}
