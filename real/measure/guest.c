/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The guest of the layer that measures; with it, a library that is preloaded. Does nothing where
 * $LBRUN_MEASURE is not set, and in what is no MPI program.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <mpi.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/left.h"
#include "real/interpose/interpose.h"
#include "real/measure/clocks.h"
#include "real/measure/guest.h"
#include "real/measure/helpers.h"
#include "real/measure/rank.h"
#include "real/measure/sessions.h"
#include "real/openmp/openmp.h"

enum { WRONG_MPI = 125 };

/* Of the thread that is measured, but for the first. */
static struct {
        atomic_int_fast64_t other_calls;
        struct loop_finder *finder;
        struct site *site; /* of the call that it is in; NULL: none */
        bool python;       /* there is an interpreter */
        int64_t entered_ns;
        double load_ns; /* of the rank when the last call began */
        /* the last call polled, and found nothing; when it ended the CPU clock was, if it was read,
         * as since it was seen to sleep between two such */
        bool idle, sleeps;
        bool waits; /* it has waited before the last call, which polled */
        int64_t idle_cpu_ns;
} calls;

/* Between two calls that poll and found nothing a rank waits where it goes on at once, or sleeps;
 * what is longer is work that it does meanwhile, or a disk. */
static const int64_t IDLE_CPU_NS = 10000, ASLEEP_NS = 20000000;
/* Who had its CPU taken finds cold caches when it is back, and so does the kernel. */
static const double TAKEN_CPU_NS = 100000;

static void check_mpi(void)
{
        char text[512];
        if (!interpose_is_wrong(text, sizeof(text)))
                return;
        rank_note("wrong", text);
        _exit(WRONG_MPI);
}

static bool launched; /* by a launcher, as far as is known */

__attribute__((constructor)) static void load(void)
{
        launched = interpose_is_launched();
        rank_self.directory = left_directory(RANK_FILE_VARIABLE);
        if (!rank_self.directory)
                return;
        check_mpi();
        interpose_follow_proxy();
}

/* ---- Begin and end ---- */

static int32_t expected_ranks(void)
{
        static const char *const name[] = { "OMPI_COMM_WORLD_SIZE", "PMI_SIZE",
                                            "SLURM_STEP_NUM_TASKS" };
        for (size_t i = 0; i < sizeof(name) / sizeof(name[0]); i++)
                if (getenv(name[i]))
                        return (int32_t)atoi(getenv(name[i]));
        return 0;
}

static void describe(struct rank_file *file)
{
        MPI_Comm parent;
        PMPI_Comm_get_parent(&parent);
        PMPI_Comm_rank(MPI_COMM_WORLD, &file->rank);
        PMPI_Comm_size(MPI_COMM_WORLD, &file->size);
        file->spawned = parent != MPI_COMM_NULL;
        file->expected = expected_ranks();
}

static void weigh(void);

static void begin(int ranks, void (*tell)(struct rank_file *file))
{
        unsetenv(RANK_FILE_VARIABLE); /* a program that this one runs is none of its ranks */
        check_mpi();
        if (!rank_begin(ranks, tell))
                return;
        weigh();
        calls.finder = loop_create(rank_loop_room());
        calls.python = python_find();
        rank_own();
}

static void describe_session(struct rank_file *file)
{
        file->rank = sessions_rank();
        file->size = sessions_size();
        file->expected = expected_ranks();
}

static void begin_world(void)
{
        int ranks = 1;
        PMPI_Comm_size(MPI_COMM_WORLD, &ranks);
        if (ranks > 1 || launched) /* a rank may run an MPI program before it comes here itself */
                begin(ranks, describe);
}

static void begin_session(void)
{
        if (sessions_size() > 0)
                begin(sessions_size(), describe_session);
}

static void keep_others(void)
{
        struct openmp_asks asks = openmp_asks();
        rank_self.file->other_calls = atomic_load(&calls.other_calls);
        rank_self.file->keeps_number = asks.fixed > 0 || asks.sets > 1 || asks.keeps;
}

static void end(enum rank_file_state state)
{
        keep_others();
        rank_end(state);
}

__attribute__((destructor)) static void unload(void)
{
        if (rank_self.file && (long)getpid() == rank_self.pid)
                end(sessions_have_ended() ? RANK_FINALIZED : RANK_EXITED);
}

/* ---- Calls ---- */

/* How often it is made depends on how long it takes, so it is no part of what repeats. */
static bool polls(const struct interpose_call *call)
{
        return call->found || call->name == INTERPOSE_Waitany || call->name == INTERPOSE_Waitsome;
}

static void look(struct site_place *place, int32_t name, uint64_t address)
{
        place->title = interpose_title((enum interpose_name)name);
        place->is_line = (address & PYTHON_PLACE) != 0;
        place->module = place->is_line ? python_file(&place->offset)
                                       : caller_module(address - 1, &place->offset);
}

/* Where the program is: a line of Python, or an address. */
static uint64_t place_of(const struct interpose_call *call)
{
        uint64_t address = caller_find(call->from, call);
        uint64_t line = calls.python && caller_is_python(address) ? python_place() : 0;
        return line ? line : address;
}

static void note(const struct interpose_call *call, bool meet)
{
        struct rank_file *file = rank_self.file;
        struct site *site = site_find(&file->sites, (int32_t)call->name, place_of(call), look);
        calls.entered_ns = file->meter.last_ns;
        calls.site = site;
        site->calls++;
        site->before_ns += file->meter.spent_ns - calls.load_ns;
        calls.load_ns = file->meter.spent_ns;
        struct loop_call fed = { .value = site->value,
                                 .synchronises = meet,
                                 .occurrence = site->seen++,
                                 .wall_ns = calls.entered_ns,
                                 .load_ns = file->meter.spent_ns,
                                 .parallel = file->parallel };
        if (calls.finder && !polls(call))
                loop_feed(calls.finder, file->loop, &fed);
}

bool guest_cross_then(void)
{
        if (rank_wall_ns() < rank_self.next_ns)
                return false;
        keep_others();
        calls.entered_ns = rank_self.next_ns;
        calls.load_ns = 0;
        rank_cross();
        return !rank_self.file;
}

/* The program goes on: it was kept since the meter last looked at the clock. Who waits by polling
 * loses nothing by that. */
static void go_on(struct rank_file *file)
{
        if (!(calls.waits && calls.idle) && cost_is_next(&file->cost))
                cost_add(&file->cost, rank_wall_ns() - file->meter.last_ns);
}

/* Between two looks, of which the last found nothing, it had its CPU taken: the little that it used
 * was waiting where it was before. */
static bool was_taken(const struct meter *meter)
{
        double rest_ns = calls.waits ? meter_rest_ns(meter, rank_cpu_ns()) : -1;
        return rest_ns >= 0 && rest_ns <= TAKEN_CPU_NS;
}

/* It has lost its CPU, and may have slept. */
static bool has_slept(int64_t passed_ns)
{
        bool known = calls.sleeps;
        if (!known && clocks_sleeps() == rank_self.file->meter.sleeps)
                return was_taken(&rank_self.file->meter);
        calls.sleeps = true;
        return known && passed_ns <= ASLEEP_NS &&
               rank_cpu_ns() - calls.idle_cpu_ns <= IDLE_CPU_NS + passed_ns / 4;
}

/* It polled and found nothing, and polls again: has it waited since? */
static bool has_waited(const struct interpose_call *call, int64_t passed_ns, bool kept)
{
        if (!calls.idle || !call->found)
                return false;
        return passed_ns <= METER_POLL_NS || (!kept && has_slept(passed_ns));
}

static bool enter_meter(const struct interpose_call *call, struct meter *meter)
{
        int64_t now_ns = rank_now_ns();
        calls.waits = has_waited(call, now_ns - meter->last_ns, meter->kept);
        return calls.waits ? meter_stay(meter, now_ns) : meter_enter(meter, now_ns);
}

static void leave_idle(const struct interpose_call *call)
{
        calls.idle = call->found && *call->found == 0;
        if (calls.idle && calls.sleeps)
                calls.idle_cpu_ns = rank_cpu_ns();
}

static bool begins(const struct interpose_call *call)
{
        return call->name == INTERPOSE_Init || call->name == INTERPOSE_Init_thread;
}

static void enter(const struct interpose_call *call)
{
        struct rank_file *file = rank_self.file; /* another thread may end the part meanwhile */
        if (!file) {
                if (begins(call))
                        rank_mpi_begins();
                return;
        }
        file->shared_windows += call->name == INTERPOSE_Win_allocate_shared;
        if (!rank_measured) {
                atomic_fetch_add_explicit(&calls.other_calls, 1, memory_order_relaxed);
                if (!team_pause())
                        helpers_enter(call->found);
                if (call->name == INTERPOSE_Finalize)
                        end(RANK_FINALIZED);
                return;
        }
        if (guest_cross())
                return;
        struct meter *meter = &file->meter;
        if (enter_meter(call, meter))
                rank_read_clocks();
        bool meet = interpose_meets(call, file->size);
        if (meet) {
                helpers_tell(meter);
                meter_synchronised(meter);
        }
        note(call, meet);
        go_on(file);
        if (call->name == INTERPOSE_Finalize)
                end(RANK_FINALIZED);
}

static void leave_measured(const struct interpose_call *call)
{
        if (guest_cross())
                return;
        struct meter *meter = &rank_self.file->meter;
        if (meter_leave(meter, rank_now_ns()))
                rank_read_clocks();
        if (calls.site)
                calls.site->inside_ns += (double)(meter->last_ns - calls.entered_ns);
        calls.site = NULL;
        leave_idle(call);
        go_on(rank_self.file);
}

static void leave_other(const struct interpose_call *call)
{
        if (!team_resume())
                helpers_leave(call->found);
}

static int by_size(const void *a, const void *b)
{
        int64_t left = *(const int64_t *)a, right = *(const int64_t *)b;
        return (left > right) - (left < right);
}

/*
 * A program that polls makes a call after the other, millions of them: what lies between our
 * reading of the clock as one ends and that as the next begins is ours where the program does
 * nothing. The median, since some are interrupted.
 */
static void weigh(void)
{
        enum { TIMES = 4 * COST_ALL };
        struct meter *meter = &rank_self.file->meter;
        int64_t between_ns[TIMES];
        rank_self.next_ns = INT64_MAX;
        meter->next_read_ns = INT64_MAX; /* none of the CPU clock */
        for (int i = 0; i < TIMES; i++) {
                int64_t left_ns = meter->last_ns;
                interpose_pretend();
                between_ns[i] = calls.entered_ns - left_ns;
        }
        qsort(between_ns, TIMES, sizeof(between_ns[0]), by_size);
        rank_restart(between_ns[TIMES / 2]);
}

static void leave(const struct interpose_call *call)
{
        bool first = call->kind == INTERPOSE_LIFE && sessions_note(call);
        if (rank_self.file && rank_measured)
                leave_measured(call);
        else if (rank_self.file)
                leave_other(call);
        else if (!rank_self.directory || rank_self.pid != 0)
                return;
        else if (begins(call))
                begin_world();
        else if (first)
                begin_session();
}

const struct interpose_guest interpose_guest = { .enter = enter, .leave = leave };

/* ---- Regions ---- */

/*
 * It may have further arguments, and nobody knows which: a tool behind us gets as many as registers
 * hold (some take a name).
 */
int MPI_Pcontrol(const int level, ...)
{
        void *next = dlsym(RTLD_NEXT, "MPI_Pcontrol");
        int (*hand_on)(int level, ...);
        if (rank_self.file && rank_measured && !guest_cross())
                rank_region(level);
        if (!next)
                return MPI_SUCCESS;
        va_list also;
        va_start(also, level);
        void *first = va_arg(also, void *), *second = va_arg(also, void *);
        va_end(also);
        memcpy(&hand_on, &next, sizeof(next));
        return hand_on(level, first, second);
}

/* Open MPI's Fortran comes here. */
int PMPI_Pcontrol(const int level, ...)
{
        if (rank_self.file && rank_measured && !guest_cross())
                rank_region(level);
        return MPI_SUCCESS;
}
