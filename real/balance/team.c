/* SPDX-License-Identifier: BSD-3-Clause */
#define _GNU_SOURCE
#include "real/balance/team.h"

#include <inttypes.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/text.h"
#include "policies/dpb.h"
#include "real/balance/crowd.h"
#include "real/balance/host.h"
#include "real/balance/params.h"
#include "real/openmp/openmp.h"

/* Nodes of the board of CPUs, beside those of the host's own board of the same job. */
enum { TEAM_NODES = 100000 };
static const double BOARD_S = 60;

struct team {
        struct balance *b;
        struct board *board;
        struct cores_choice by;
        double param[TEAM_NPARAM];
        int32_t ncore;
        bool has_cpus;            /* real ones, which threads are moved to */
        int32_t *cpu;             /* [ncore] these */
        int32_t *initial;         /* [nmate] */
        enum malleable malleable; /* AUTO: not yet known */
        int32_t told; /* threads, the least that it was told at first, or set since; 0: it never
                         asked */
        bool lends;
        int32_t widest;    /* region so far, threads, of those that are told how many */
        atomic_bool forks; /* there has been a region */
        int32_t most;      /* CPUs that it could ever use */
        int32_t bound;     /* threads at most */
        int32_t set;       /* the number that the runtime was last set to; 0: it was not */
        int32_t wanted;    /* the number that it is to be, as of the last MPI call */
        bool answered;     /* it has asked since the number may change */
        bool opened;
        bool met;                /* regions since what may change was looked at */
        struct openmp_asks asks; /* then */
        _Atomic int32_t count;   /* CPUs that it uses, this thread's first */
        _Atomic int32_t *core;   /* [ncore] */
        cpu_set_t on;            /* real ones that all threads are on */
        bool pins;               /* a thread of a region to each; the program does not itself */
        _Atomic int32_t threads; /* of the present region */
        atomic_bool nests;       /* they may have teams of their own */
        _Atomic int32_t moves;   /* of all threads, to other CPUs */
        struct crowd *crowd;     /* NULL: nobody looks for one */
        bool left;               /* threads that are no OpenMP threads were too many for its CPUs */
};

static struct team *self; /* of this process; NULL: none */

static void look(struct team *team);
static int32_t cpus_used(void *given);
static void leave_crowd(void *given, int32_t nthread);

/* ---- Start ---- */

static int32_t count_cores(const struct team *team)
{
        const struct balance *b = team->b;
        if (team->param[TEAM_NODE_CPUS] > 0)
                return (int32_t)team->param[TEAM_NODE_CPUS];
        return b->virtual_cpus ? b->group_cores : CPU_COUNT(&b->cpus.allowed);
}

static int list_cpus(struct team *team, struct lb_error *err)
{
        const struct balance *b = team->b;
        team->ncore = count_cores(team);
        team->has_cpus = !b->virtual_cpus && !(team->param[TEAM_NODE_CPUS] > 0);
        team->initial = calloc((size_t)b->nmate, sizeof(*team->initial));
        team->core = calloc((size_t)team->ncore, sizeof(*team->core));
        team->cpu = calloc((size_t)team->ncore, sizeof(*team->cpu));
        if (!team->initial || !team->core || !team->cpu)
                return lb_error_fail(err, "out of memory for %d CPUs", team->ncore);
        for (int32_t cpu = 0, n = 0; cpu < CPU_SETSIZE && team->has_cpus; cpu++)
                if (CPU_ISSET((size_t)cpu, &b->cpus.allowed))
                        team->cpu[n++] = cpu;
        return dpb_equal(team->ncore, b->nmate, team->initial, err);
}

static int open_cores(struct team *team, struct lb_error *err)
{
        const struct balance *b = team->b;
        const char *job = setup_value(b->setup, "job", 0);
        team->board = board_open(&(struct board_spec){ .job = job,
                                                       .node = b->node,
                                                       .beside = TEAM_NODES,
                                                       .nworker = b->nmate,
                                                       .worker = b->mate,
                                                       .ncore = team->ncore },
                                 BOARD_S, err);
        if (!team->board)
                return -1;
        for (int32_t i = 0; b->mate == 0 && i < b->nmate; i++)
                atomic_store(&board_worker(team->board, i)->target, team->initial[i]);
        const struct cores_spec spec = { .board = team->board,
                                         .job = job,
                                         .node = b->node,
                                         .beside = TEAM_NODES,
                                         .ncore = team->ncore,
                                         .nworker = b->nmate,
                                         .worker = b->mate,
                                         .owned = team->initial };
        int code =
            cores_choose(&team->by, (enum cores_by)(int)team->param[TEAM_CORES_BY], &spec, err);
        if (code == 0 && team->by.type == &cores_builtin) /* who cleans up after DLB looks for it */
                board_unname(team->board);
        return code;
}

/* CPUs that it could ever have, and use: its user may have limited its threads. */
static int32_t most_of(const struct team *team)
{
        int32_t cpus = team->lends ? team->ncore : team->ncore - team->b->nmate + 1;
        int32_t limit = openmp_limit();
        return limit > 0 && limit < cpus ? limit : cpus;
}

/*
 * What the program sees before it asks: OMP_NUM_THREADS where its user has set that, else as many
 * threads as the process could ever have CPUs, all where others may lend their last (docs/facts.md
 * P1: nothing that it sizes by that is ever too small, even where it counts its threads unseen).
 * Who has asked before MPI_Init has its answer.
 */
static void set_first(struct team *team)
{
        const struct balance *b = team->b;
        int32_t asked = (int32_t)team->param[TEAM_THREADS];
        team->malleable = (enum malleable)(int)team->param[TEAM_MALLEABLE];
        team->most = team->bound = most_of(team);
        team->pins = team->has_cpus && !getenv("OMP_PROC_BIND") && !getenv("OMP_PLACES") &&
                     !getenv("GOMP_CPU_AFFINITY") && !getenv("KMP_AFFINITY");
        if (openmp_kind() == OPENMP_NONE)
                return;
        if (!getenv("KMP_BLOCKTIME") && !getenv("OMP_WAIT_POLICY"))
                openmp_set_spin(b->virtual_cpus ? 0 : BALANCE_SPIN_MS);
        if (asked > 0 || (!getenv("OMP_NUM_THREADS") && openmp_asks().least == 0))
                openmp_set_most(asked > 0 ? asked : team->most);
        int32_t most = openmp_most(), own = CPU_COUNT(&b->cpus.own);
        openmp_promise(most > own ? most : own);
}

struct team *team_create(struct balance *b, bool lends, struct lb_error *err)
{
        struct team *team = calloc(1, sizeof(*team));
        if (team)
                *team = (struct team){ .b = b, .lends = lends };
        int code = team ? setup_table(b->setup, "team", team_params, team->param, err)
                        : lb_error_fail(err, "out of memory");
        if (balance_agree(b, code < 0 ? code : list_cpus(team, err), err) < 0 ||
            balance_agree(b, open_cores(team, err), err) < 0) {
                team_destroy(team);
                return NULL;
        }
        self = team;
        set_first(team);
        (void)team_settle(team);
        if (team->has_cpus)
                team->crowd = crowd_create(cpus_used, leave_crowd, team);
        team_tell(team);
        if (team->by.note[0])
                balance_say(b, "%s", team->by.note);
        return team;
}

struct team *team_take(struct balance *b, bool lends, struct lb_error *err)
{
        struct team *team = b->team;
        if (!team)
                return team_create(b, lends, err);
        b->team = NULL;
        team->lends = lends;
        team->most = most_of(team);
        look(team);
        return team;
}

void team_leave(struct team *team)
{
        team->b->team = team;
}

void team_destroy(struct team *team)
{
        if (!team)
                return;
        if (self == team)
                self = NULL;
        crowd_destroy(team->crowd);
        if (team->by.cores)
                team->by.type->close(team->by.cores);
        board_close(team->board);
        free(team->initial);
        free(team->core);
        free(team->cpu);
        free(team);
}

struct board *team_board(const struct team *team)
{
        return team->board;
}

const struct cores_choice *team_cores(const struct team *team)
{
        return &team->by;
}

int32_t team_ncore(const struct team *team)
{
        return team->ncore;
}

const int32_t *team_initial(const struct team *team)
{
        return team->initial;
}

/* ---- What may change ---- */

/* Region by region anew: what it asks may come late. */
static enum malleable judge(const struct team *team, struct openmp_asks asks)
{
        if (openmp_kind() == OPENMP_NONE)
                return MALLEABLE_NONE;
        if (team->param[TEAM_MALLEABLE] != MALLEABLE_AUTO)
                return (enum malleable)(int)team->param[TEAM_MALLEABLE];
        if (asks.fixed > 0 || asks.sets > 1 || openmp_kind() == OPENMP_UNSEEN)
                return MALLEABLE_AFFINITY;
        if (asks.keeps || (asks.slots && asks.holds))
                return MALLEABLE_KEEPS;
        return team->told > 0 ? MALLEABLE_ASKED : MALLEABLE_THREADS;
}

static int32_t bound_of(const struct team *team, enum malleable malleable, int32_t told)
{
        int32_t bound = malleable == MALLEABLE_ASKED      ? told
                        : malleable == MALLEABLE_AFFINITY ? team->widest
                        : malleable == MALLEABLE_KEEPS    ? team->widest
                        : malleable == MALLEABLE_NONE     ? 1
                                                          : 0;
        return bound > 0 && bound < team->most ? bound : team->most;
}

static void look(struct team *team)
{
        struct openmp_asks asks = openmp_asks();
        bool sets = team->opened && asks.sets != team->asks.sets;
        team->met = false;
        team->asks = asks;
        if (team->opened && (team->told == 0 || sets))
                team->told = asks.least;
        if (sets)
                team->set = asks.least;
        team->malleable = judge(team, asks);
        team->bound = bound_of(team, team->malleable, team->told);
        team->wanted = team->wanted < team->bound ? team->wanted : team->bound;
}

bool team_could_use_more(const struct team *team)
{
        struct openmp_asks asks = openmp_asks();
        int32_t told = team->opened ? team->told : asks.least;
        enum malleable malleable = judge(team, asks);
        if (malleable == MALLEABLE_THREADS && told > 0)
                malleable = MALLEABLE_ASKED; /* once it may change */
        return bound_of(team, malleable, told) > team->initial[team->b->mate];
}

void team_open(struct team *team)
{
        if (team->opened)
                return;
        team->told = openmp_asks().least;
        team->opened = true;
        look(team);
        team_tell(team);
}

int32_t team_bound(const struct team *team)
{
        return team->bound;
}

int32_t team_width(const struct team *team)
{
        int32_t count = atomic_load(&team->count);
        return count < team->bound ? count : team->bound;
}

enum malleable team_malleable(const struct team *team)
{
        return team->malleable;
}

/* A program that asks again has something for each thread until then. */
static bool waits_for_asking(const struct team *team)
{
        return team->asks.slots && team->asks.again;
}

bool team_may_change(const struct team *team)
{
        return team->malleable == MALLEABLE_THREADS ||
               (team->malleable == MALLEABLE_ASKED && !waits_for_asking(team));
}

void team_tell(const struct team *team)
{
        struct leaf *leaf = team->b->leaf;
        int32_t owned = atomic_load(&board_worker(team->board, team->b->mate)->owned);
        leaf->figure[LEAF_CPUS_FIRST] = team->initial[team->b->mate];
        leaf->figure[LEAF_CPUS] = owned;
        leaf->figure[LEAF_MALLEABLE] = team->opened ? (double)team->malleable : 0;
        leaf->figure[LEAF_BOUND] = team->bound;
        leaf->ncpu = team->ncore;
}

/* ---- CPUs ---- */

/* Its own also where another has not left them yet, as it does at the end of its region: a region
 * that began without them would do so to its end. */
static bool is_its(const struct team *team, int32_t core)
{
        return team->by.type->usable(team->by.cores, core) ||
               team->by.type->owner(team->by.cores, core) == team->b->mate;
}

/* Those that it has already stay where they are in the list, and so do their threads. */
static int32_t list_usable(struct team *team)
{
        int32_t count = 0, had = atomic_load(&team->count);
        for (int32_t i = 0; i < had; i++) {
                int32_t core = atomic_load(&team->core[i]);
                if (is_its(team, core))
                        atomic_store(&team->core[count++], core);
        }
        int32_t kept = count;
        for (int32_t core = 0; core < team->ncore; core++) {
                bool is_new = is_its(team, core);
                for (int32_t i = 0; is_new && i < kept; i++)
                        is_new = atomic_load(&team->core[i]) != core;
                if (is_new)
                        atomic_store(&team->core[count++], core);
        }
        return count;
}

static void move_mask(struct team *team, int32_t count)
{
        cpu_set_t to;
        CPU_ZERO(&to);
        for (int32_t i = 0; i < count; i++)
                CPU_SET((size_t)team->cpu[atomic_load(&team->core[i])], &to);
        crowd_lock(team->crowd);
        team->left = team->left && !atomic_load(&team->forks); /* regions want theirs */
        if (!team->left && !CPU_EQUAL(&to, &team->on)) {
                (void)cpus_move(&team->b->cpus, &to);
                atomic_fetch_add(&team->moves, 1);
                team->on = to;
        }
        crowd_unlock(team->crowd);
}

static int32_t cpus_used(void *given)
{
        const struct team *team = given;
        return atomic_load(&team->forks) ? INT32_MAX : atomic_load(&team->count);
}

/* Back to where they were as launched. */
static void leave_crowd(void *given, int32_t nthread)
{
        struct team *team = given;
        int32_t count = atomic_load(&team->count);
        cpus_restore_unbound(&team->b->cpus);
        CPU_ZERO(&team->on);
        team->left = true;
        balance_say(team->b,
                    "%s: %" PRId32 " threads that are not OpenMP's compute or poll on %" PRId32
                    " CPU%s of rank 0: its threads go where they were as launched",
                    team->b->system->name, nthread, count, lb_s(count));
}

/* From the last on: the first is this thread's. */
static bool give(struct team *team, struct board_worker *row)
{
        const struct cores_choice *by = &team->by;
        bool gave = false;
        for (int32_t core = team->ncore - 1; core >= 0; core--)
                if (atomic_load(&row->owned) > atomic_load(&row->target) &&
                    by->type->owner(by->cores, core) == team->b->mate)
                        gave = by->type->drop(by->cores, core) == CORES_DONE || gave;
        return gave;
}

static bool take(struct team *team, struct board_worker *row)
{
        const struct cores_choice *by = &team->by;
        int32_t lacks = atomic_load(&row->target) - atomic_load(&row->owned), core, taken = 0;
        while (taken < lacks && by->type->claim(by->cores, 1, &core) > 0)
                taken++;
        return taken > 0;
}

bool team_exchange(struct team *team)
{
        struct board_worker *row = board_worker(team->board, team->b->mate);
        return (int)give(team, row) | (int)take(team, row);
}

/* Calls may be many and short. */
static bool must_look(const struct team *team)
{
        struct openmp_asks asks = openmp_asks(), then = team->asks;
        return team->met || asks.least != then.least || asks.sets != then.sets ||
               asks.fixed != then.fixed || asks.keeps != then.keeps || asks.slots != then.slots ||
               asks.holds != then.holds || asks.again != then.again;
}

static void set_most(struct team *team)
{
        openmp_set_most(team->wanted);
        team->set = team->wanted;
}

static int32_t set_or_told(const struct team *team)
{
        return team->set ? team->set : team->told;
}

/* The number that the program would be told is the one that its regions have. What it has sized by
 * an answer is not too small while that number does not grow, until it asks again. */
void team_in_mpi(struct team *team)
{
        int32_t count = atomic_load(&team->count);
        if (atomic_load(&team->forks) && team->crowd && !team->left) {
                crowd_destroy(team->crowd);
                team->crowd = NULL;
        }
        if (!team->opened)
                return;
        if (must_look(team))
                look(team);
        team->wanted = count < team->bound ? count : team->bound;
        if (team->malleable == MALLEABLE_ASKED && team_may_change(team) &&
            team->wanted != team->set && (!team->answered || team->wanted < set_or_told(team)))
                set_most(team);
}

void team_asked(void)
{
        if (!self || !self->opened)
                return;
        if (must_look(self)) /* it may have set the number itself */
                look(self);
        self->answered = true;
        if (self->malleable == MALLEABLE_ASKED &&
            (self->wanted > set_or_told(self) ||
             (waits_for_asking(self) && self->wanted != self->set)))
                set_most(self);
}

int32_t team_settle(struct team *team)
{
        int32_t count = list_usable(team);
        atomic_store(&team->count, count);
        if (team->b->virtual_cpus)
                team_thread(team, 0);
        if (team->has_cpus)
                move_mask(team, count);
        return count;
}

/* Up to as many as it came with, in turns. */
static int32_t trial_threads(int32_t most)
{
        static int32_t turn;
        turn = turn % most + 1;
        return turn;
}

static int32_t threads_of(struct team *team, int32_t most)
{
        int32_t count = atomic_load(&team->count);
        struct openmp_asks asks = openmp_asks();
        if (team->opened && (asks.keeps != team->asks.keeps || (team->told == 0 && asks.least > 0)))
                look(team); /* one region of another size is one too many */
        team->met = true;
        if (!team->opened || most == 0 || team->malleable != MALLEABLE_THREADS)
                return 0;
        if (team->param[TEAM_TRIAL] > 0)
                return trial_threads(most);
        return count < team->bound ? count : team->bound;
}

int32_t team_threads(struct team *team, int32_t most)
{
        int32_t threads = threads_of(team, most);
        if (most > team->widest)
                team->widest = most;
        atomic_store(&team->forks, true);
        atomic_store(&team->threads, threads > 0 ? threads : most);
        atomic_store(&team->nests, openmp_may_nest());
        return threads;
}

/* The core that this thread is on alone, + 1; 0: none. And of which moves. */
static _Thread_local __attribute__((tls_model("initial-exec"))) struct {
        int32_t core, since, cpu;
        pid_t process;
} pinned;

/* Among CPUs that are all its own the kernel leaves two threads on one for a long time. */
static void pin(const struct team *team, int32_t core)
{
        int32_t moves = atomic_load(&team->moves);
        cpu_set_t one;
        if (pinned.core == core + 1 && pinned.since == moves)
                return;
        CPU_ZERO(&one);
        CPU_SET((size_t)team->cpu[core], &one);
        if (cpus_set(0, &one) != 0)
                return;
        pinned.core = core + 1;
        pinned.cpu = team->cpu[core];
        pinned.since = moves;
        pinned.process = getpid();
}

static void unpin(const struct team *team, int32_t count)
{
        cpu_set_t all;
        if (pinned.core == 0)
                return;
        CPU_ZERO(&all);
        for (int32_t i = 0; i < count; i++)
                CPU_SET((size_t)team->cpu[atomic_load(&team->core[i])], &all);
        if (cpus_set(0, &all) == 0)
                pinned.core = 0;
}

bool team_has_put(const cpu_set_t *now)
{
        return pinned.core != 0 && CPU_COUNT(now) == 1 && CPU_ISSET((size_t)pinned.cpu, now);
}

/* A child of vfork() has this memory, but a mask of its own. */
void team_spread(void)
{
        cpu_set_t now, all;
        if (pinned.core != 0 && cpus_mask(0, &now) == 0 && team_has_put(&now) &&
            cpus_of_all(&all) && cpus_set(0, &all) == 0 && pinned.process == getpid())
                pinned.core = 0;
}

/* Of a thread that has a team of its own all would be where it is: new ones have its mask. */
static void place_thread(const struct team *team, int32_t core, int32_t count)
{
        int32_t threads = atomic_load(&team->threads);
        if (atomic_load(&team->nests))
                unpin(team, count);
        else if (threads > 1 && threads <= count)
                pin(team, core);
}

/* One that is nobody's CPU's shares one. */
void team_thread(const struct team *team, int32_t thread)
{
        static _Thread_local __attribute__((tls_model("initial-exec"))) int32_t in; /* core + 1 */
        struct lb_error err;
        int32_t count = atomic_load(&team->count);
        if (count == 0)
                return;
        int32_t core = atomic_load(&team->core[thread % count]);
        if (team->pins)
                place_thread(team, core, count);
        if (!team->b->virtual_cpus || in == core + 1)
                return;
        if (cpu_groups_enter(&team->b->groups, team->b->node, core, &err) == 0)
                in = core + 1;
}
