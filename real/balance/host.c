/* SPDX-License-Identifier: BSD-3-Clause */
#define _GNU_SOURCE
#include <errno.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/left.h"
#include "base/pages.h"
#include "policies/called.h"
#include "policies/dpd.h"
#include "real/balance/circles.h"
#include "real/balance/gather.h"
#include "real/balance/host_impl.h"
#include "real/balance/lull.h"
#include "real/balance/meet.h"
#include "real/balance/ordered.h"
#include "real/balance/params.h"
#include "real/balance/parts.h"
#include "real/balance/spin.h"
#include "real/balance/waits.h"
#include "real/interpose/interpose.h"
#include "real/measure/clocks.h"
#include "real/measure/kept.h"
#include "real/mpi/polite_impl.h"
#include "real/mpi/transport.h"
#include "real/node/segment.h"

enum { REFUSED = 2, WRONG_MPI = 125 };
static const int64_t WINDOW_NS = 1000000000;
static const double BOARD_S = 60;

const struct balance_system *const balance_systems[] = { &balance_packing, &balance_dpb,
                                                         &balance_dlb, &balance_auto, NULL };

/* What the ranks of a node share; the words of steps, places to wait and the system's part follow.
 */
struct board_head {
        _Atomic int64_t end_at;
        int64_t unused[7];
};

/* One per process by nature: MPI calls have no argument for it. */
static struct {
        const char *directory; /* NULL: nothing is to be balanced */
        struct balance *self;
        struct meet *meet;
        struct circles *circles;
        struct segment *segment;
        struct leaf *leaf, no_leaf;
        pid_t pid;
        bool launched; /* by a launcher, as far as is known */
        bool rests;    /* lone calls pass: the thread that is balanced does not see them */
} own;
static _Thread_local __attribute__((tls_model("initial-exec"))) bool balanced; /* this thread */
static _Thread_local __attribute__((tls_model("initial-exec"))) bool inside;   /* a call */
static _Thread_local __attribute__((tls_model("initial-exec"))) bool meets;    /* in it */

struct balance *balance_self(void)
{
        return own.self;
}

bool host_is_wanted(void)
{
        return own.directory != NULL;
}

bool host_is_balanced(void)
{
        return own.self && balanced;
}

/* ---- Calls ---- */

/* To look at a call takes about so many times what reading the clock does, which is twice of it. */
enum { LOOK_CLOCKS = 5 };

static bool passes_always(enum interpose_name name, enum interpose_kind kind)
{
        return !interpose_may_wait(kind) && interpose_is_lone(name, kind);
}

/* The wall clock, for the meter. By the thread that is balanced. */
static int64_t look_at_clock(struct balance *b)
{
        return kept_look(&b->meter->kept);
}

/* Rests, or looks, from here on. */
static void turn(struct balance *b, int64_t now_ns)
{
        own.rests = b->heed.rests;
        interpose_pass(own.rests ? interpose_is_lone : passes_always);
        meet_break(own.meet);
        (void)meter_go(b->meter, now_ns, own.rests ? METER_TEAM : METER_OUT);
        clocks_feed(b->meter, NULL);
        if (!own.rests && b->system->resume)
                b->system->resume(b);
}

void host_attend(void)
{
        struct balance *b = own.self;
        int64_t now_ns = look_at_clock(b);
        heed_alone(&b->heed, now_ns, polite_is_on());
        if (b->heed.rests != own.rests)
                turn(b, now_ns);
}

void host_go(struct balance *b, enum meter_place place)
{
        if (meter_go(b->meter, look_at_clock(b), place))
                clocks_feed(b->meter, NULL);
}

bool host_rests(void)
{
        return own.rests;
}

/* Of the thread that is balanced. */
static void enter_first(struct balance *b, const struct interpose_call *call, int64_t now_ns)
{
        inside = true;
        if (b->parts)
                parts_pause();
        if (meter_enter(b->meter, now_ns))
                clocks_feed(b->meter, NULL);
        if (b->system->enter)
                b->system->enter(b, call, now_ns);
        meet_step(own.meet, call, now_ns);
}

static void enter(const struct interpose_call *call)
{
        struct balance *b = own.self;
        if (!b)
                return;
        ordered_note(call);
        meets = ordered_meets(call, balanced);
        bool looks = balanced && !own.rests;
        int64_t now_ns = looks ? look_at_clock(b) : 0;
        if (looks)
                enter_first(b, call, now_ns);
        if (meets) {
                meet_enter(own.meet, call, now_ns, balanced);
                waits_come(call);
        }
        circles_come(own.circles, call, waits_in_circle(call));
}

/* Of the thread that is balanced, which has looked. */
static void leave_first(struct balance *b, const struct interpose_call *call)
{
        if (interpose_may_wait(call->kind)) /* MPI has polled: this may, too */
                meet_look(own.meet);
        int64_t now_ns = look_at_clock(b);
        inside = false;
        meet_left(own.meet, now_ns);
        if (meter_leave(b->meter, now_ns))
                clocks_feed(b->meter, NULL);
        if (b->system->leave)
                b->system->leave(b, call, now_ns);
        if (b->parts) { /* a call within a region */
                host_go(b, METER_TEAM);
                parts_resume();
        }
        if (heed_call(&b->heed))
                host_attend();
}

static void leave(const struct interpose_call *call)
{
        struct balance *b = own.self;
        spin_end();
        if (!b)
                return;
        waits_note(call);
        if (meets)
                meet_leave(own.meet, call->failed);
        meets = false;
        if (!balanced)
                return;
        if (inside)
                leave_first(b, call);
        else if (own.rests && heed_call(&b->heed))
                host_attend();
        if (b->heed.rests != own.rests)
                turn(b, look_at_clock(b));
}

/* ---- Waits ---- */

static void fall_asleep(void)
{
        if (own.self && own.self->system->sleeps)
                own.self->system->sleeps(own.self);
}

static void go_on(void)
{
        if (own.self && own.self->system->goes_on)
                own.self->system->goes_on(own.self);
}

void host_check_mpi(void)
{
        char text[512];
        if (!own.directory || own.pid != 0 || !interpose_is_wrong(text, sizeof(text)))
                return;
        leaf_wrong(own.directory, text);
        _exit(WRONG_MPI);
}

__attribute__((constructor)) static void load(void)
{
        own.directory = left_directory(SETUP_VARIABLE);
        polite_set_on(false);
        polite_forgo_times();
        own.launched = interpose_is_launched();
        if (!own.directory)
                return;
        host_check_mpi();
        interpose_follow_proxy();
        polite_set_told(enter);
        polite_set_over(leave);
        waits_load();
        polite_set_hooks(fall_asleep, go_on);
}

/* ---- Beginning ---- */

static int open_board(struct balance *b, struct lb_error *err)
{
        char part[16];
        size_t words = gather_bytes(b->nmate), await = await_bytes(b->nmate);
        size_t circles = circles_bytes(b->nmate);
        size_t more = b->system->board_bytes ? b->system->board_bytes(b->nmate) : 0;
        snprintf(part, sizeof(part), "%d", b->node);
        own.segment =
            segment_open(&(struct segment_spec){ .job = setup_value(b->setup, "job", 0),
                                                 .part = part,
                                                 .nmember = b->nmate,
                                                 .member = b->mate,
                                                 .bytes = sizeof(struct board_head) + words +
                                                          await + circles + more },
                         err);
        if (!own.segment || segment_wait(own.segment, BOARD_S, err) < 0)
                return -1;
        segment_unname(own.segment); /* on a node without lbrun nobody would */
        struct board_head *head = segment_memory(own.segment);
        char *places = (char *)(head + 1) + words;
        own.circles = circles_create(b, places + await);
        b->shared = places + await + circles;
        bool one = b->nnode == 1;
        own.meet = meet_create(b, one ? &head->end_at : NULL, one ? head + 1 : NULL);
        b->lull = lull_create(b);
        if (!own.meet || !own.circles || !b->lull)
                return lb_error_fail(err, "out of memory for %d ranks", b->size);
        waits_begin(b, one ? (struct await *)places : NULL);
        return 0;
}

static int start_meter(struct balance *b, struct lb_error *err)
{
        struct meter_reading now;
        b->meter = pages_get(sizeof(*b->meter));
        if (!b->meter)
                return lb_error_fail(err, "out of memory");
        clocks_open();
        (void)kept_begin();
        now = clocks_all(0);
        meter_start(b->meter, &now, WINDOW_NS);
        clocks_weigh(b->meter);
        heed_init(&b->heed, b->param[BALANCE_LOOK], LOOK_CLOCKS * b->meter->clock_ns, now.wall_ns);
        return 0;
}

static void describe(struct balance *b)
{
        struct leaf *leaf = b->leaf;
        leaf->rank = b->rank;
        leaf->size = b->size;
        leaf->node = b->node;
        leaf->nnode = b->nnode;
        leaf->mate = b->mate;
        leaf->nmate = b->nmate;
        for (int32_t i = 0; b->home && i < b->nmate; i++)
                leaf->ncpu += CPU_COUNT(&b->home[i]);
        if (b->virtual_cpus)
                leaf->ncpu = b->group_cores;
}

/* Where its directory is not there, on another node than lbrun's, nobody sees the rank. */
static int make_leaf(struct balance *b, struct lb_error *err)
{
        int why;
        b->leaf = leaf_create(b->directory, &why);
        if (b->leaf)
                return 0;
        b->leaf = &own.no_leaf;
        if (why == ENOENT)
                return 0;
        return lb_error_fail(err, "'%s' cannot be written: %s", b->directory, strerror(why));
}

/* Each part in all ranks, or in none. */
static int begin(struct balance *b, struct lb_error *err)
{
        int seen = make_leaf(b, err);
        gethostname(b->leaf->host, sizeof(b->leaf->host) - 1);
        if (host_find_place(b, err) < 0 || balance_agree(b, seen, err) < 0 ||
            balance_agree(b, open_board(b, err), err) < 0 ||
            balance_agree(b, host_open_log(b, err), err) < 0 ||
            balance_agree(b, start_meter(b, err), err) < 0)
                return -1;
        describe(b);
        balance_wait_politely(b, false);
        return b->system->start(b, err);
}

static void destroy(struct balance *b)
{
        guard_end();
        waits_end();
        decision_log_close(b->log);
        segment_close(own.segment);
        own.segment = NULL;
        lull_destroy(b->lull);
        meet_destroy(own.meet);
        own.meet = NULL;
        circles_destroy(own.circles);
        own.circles = NULL;
        host_forget_place(b);
        pages_free(b->meter, sizeof(*b->meter));
        setup_destroy(b->setup);
        free(b);
}

static int agree_on_setup(struct balance *b, struct lb_error *err)
{
        int code = host_read_setup(b, err);
        b->world = MPI_COMM_WORLD;
        return b->size > 1 ? balance_agree(b, code, err) : code;
}

static void say_wrong(struct balance *b, const char *text)
{
        if (b->leaf && b->leaf != &own.no_leaf)
                snprintf(b->leaf->wrong, sizeof(b->leaf->wrong), "%.*s", LEAF_TEXT_SIZE - 1, text);
        else
                leaf_wrong(b->directory, text);
}

/* Nobody sees its end from here on: to lbrun it has ended well. */
static void let_go(struct balance *b)
{
        if (b->leaf)
                b->leaf->state = LEAF_FINALIZED;
        destroy(b);
}

/* Where it is asked for, the program goes on as it is; else it ends here, before it has begun. */
static void refuse(struct balance *b, const struct lb_error *err)
{
        bool goes_on = b->setup && setup_value(b->setup, "or_run", 0)[0];
        if (b->rank == 0)
                say_wrong(b, err->text);
        if (goes_on) {
                if (b->virtual_cpus)
                        cpu_groups_leave(&b->groups);
                let_go(b);
                return;
        }
        destroy(b);
        PMPI_Finalize();
        _exit(REFUSED);
}

/* A launcher ends the others then, and may have their code (MPICH's, 1 run in 15). */
void host_left(int code)
{
        struct leaf *leaf = own.self ? own.self->leaf : NULL;
        if (!leaf || getpid() != own.pid || leaf->state != LEAF_RUNS)
                return;
        leaf->code = code & 255;
        leaf->left_ns = clock_of_ns(CLOCK_REALTIME);
        leaf->state = LEAF_LEFT;
}

static void note_exit(int code, void *nothing)
{
        (void)nothing;
        if (!called_is()) /* a policy's end: guard.c's */
                host_left(code);
}

/*
 * Ends that no handler of exit() sees; of quick_exit() the code is not known to one. A policy's is
 * guard.c's matter.
 */
static void note_quick_exit(void)
{
        note_exit(0, NULL);
}

static _Noreturn void end_at_once(int code)
{
        note_exit(code, NULL);
        for (;;)
                syscall(SYS_exit_group, code);
}

void _exit(int code)
{
        end_at_once(code);
}

void _Exit(int code)
{
        end_at_once(code);
}

/* A rank may run an MPI program before it comes to MPI_Init() itself. */
static bool is_of_line(void)
{
        int size = 1;
        PMPI_Comm_size(MPI_COMM_WORLD, &size);
        return size > 1 || own.launched;
}

void host_begin(void)
{
        struct lb_error err;
        MPI_Comm parent;
        if (!own.directory || own.pid != 0)
                return;
        own.pid = getpid();
        unsetenv(SETUP_VARIABLE); /* another MPI program that this one runs is none of its ranks */
        PMPI_Comm_get_parent(&parent);
        struct balance *b = parent == MPI_COMM_NULL && is_of_line() ? calloc(1, sizeof(*b)) : NULL;
        if (!b)
                return;
        b->directory = own.directory;
        b->first = gettid();
        int code = host_count_ranks(b, &err);
        struct lb_error alone = err;
        if (agree_on_setup(b, &err) < 0 || code < 0) {
                refuse(b, code < 0 ? &alone : &err);
                return;
        }
        ordered_begin(b);
        if (begin(b, &err) < 0) {
                refuse(b, &err);
                return;
        }
        balanced = true;
        own.self = b;
        interpose_pass(passes_always);
        on_exit(note_exit, NULL); /* before what MPI has registered, which may fail */
        at_quick_exit(note_quick_exit);
}

/* ---- End ---- */

static void tell_end(struct balance *b)
{
        struct leaf *leaf = b->leaf;
        struct meter_reading now = clocks_all(0);
        meter_end(b->meter, &now);
        leaf->calls = b->meter->calls;
}

void host_end(void)
{
        struct balance *b = own.self;
        if (!b || getpid() != own.pid)
                return;
        own.self = NULL;
        lull_stop(b->lull);
        meet_end(own.meet);
        if (b->system->stop)
                b->system->stop(b);
        if (balanced)
                tell_end(b);
        let_go(b);
}

/* A virtual CPU computes at this speed; what is not computing, as a wait for a disk, lasts as long.
 */
double host_load_ns(struct balance *b, bool reads)
{
        if (reads && b->meter->maybe > 0)
                clocks_feed(b->meter, NULL); /* else it may be in use, or all is known */
        double blocked_ns = b->meter->blocked_ns, parts_ns = (double)b->parts_ns;
        return (meter_load_ns(b->meter) - blocked_ns) / b->speed + blocked_ns + parts_ns;
}

/* ---- For systems ---- */

bool balance_repeats(const struct interpose_call *call)
{
        return interpose_may_wait(call->kind) && call->name != INTERPOSE_Waitany &&
               call->name != INTERPOSE_Waitsome;
}

uint32_t balance_call_value(const struct interpose_call *call)
{
        return dpd_value((int32_t)call->name, -1, (uint64_t)(uintptr_t)call->from);
}
