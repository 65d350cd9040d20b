/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef LB_REAL_BALANCE_HOST_H
#define LB_REAL_BALANCE_HOST_H

#include <mpi.h>
#include <sched.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "models/alike.h"
#include "policies/host/decision_log.h"
#include "policies/system.h"
#include "real/balance/cpus.h"
#include "real/balance/heed.h"
#include "real/balance/leaf.h"
#include "real/balance/setup.h"
#include "real/balance/trial.h"
#include "real/interpose/interpose.h"
#include "real/measure/meter.h"
#include "real/node/cpu_groups.h"

struct lull;
struct team;

/*
 * The host of the policies in a program that nobody rewrote: a library that is preloaded into its
 * ranks. The interposition layer (real/interpose) tells it of every MPI call; ranks of a node meet
 * on a board in its shared memory; all ranks compare, now and then, what they measured.
 *
 *   program --MPI calls--> host --rounds, calls, waits--> system --views--> policies/ --> decisions
 *                           |                                |
 *                         board                        moves this process, log
 *
 * - A system is a table, struct balance_system: one file, one line in balance_systems[] (host.c),
 *   one line in real/balance/params.c for its parameters, real/launch/balance.c for what it prints.
 * - All is done by the thread that initialised MPI, in calls that the program makes. Nothing here
 *   makes the program wait that would not wait anyway: what ranks tell each other is under way
 *   while they meet, and is there when they have met.
 *
 * ROUNDS. All ranks count the collective calls in which all of them meet (MPI_Barrier,
 * MPI_Allreduce, ... on a communicator of all). They are the same, in the same order, in all ranks.
 * Now and then one ends a round: when it begins, each rank takes down one struct balance_word, and
 * then the program's call is made. None returns from that before all have come, so that the words
 * are gathered at once, on a communicator of the host's own. Thus all ranks have the words of all,
 * and decide alike without a further message. How many meetings a round has follows from the words,
 * and is the same everywhere: as many as last BALANCE_ROUND_MS and repeat. What systems are told of
 * it is that of an iteration, the meetings that repeat: rounds of any number of them compare.
 * Ranks that never all meet, or only now and then, end rounds as well, each at an iteration of its
 * own (real/balance/steps.h): nobody waits, and each is told when all have told, at calls that are
 * not the same. All rounds are the same in all ranks, and in the same order. Those of meetings
 * count where these are frequent; else those of steps.
 * Where some rank had a meeting in another thread than the one that initialised MPI (real/balance/
 * ordered.h), all give up when that round ends: what is measured is of that thread, which systems
 * need to decide.
 *
 * Where none comes any more ranks go back to how the program ran before (real/balance/lull.h).
 *
 * CALLS. Those that neither wait nor meet (MPI_Isend, MPI_Test) are never looked at: they are the
 * program's own work, also where it polls, for nobody can make such waits polite. The others are,
 * as long as that costs little; else they pass for some rounds (real/balance/heed.h), which have
 * times and no loads. Meetings and the ends of rounds are always there.
 */

/* What each rank tells of its round: of an iteration, in struct balance_round. */
struct balance_word {
        double load_s;    /* outside MPI: processor time, and time blocked */
        double alone_s;   /* of it, outside of parallel regions */
        double arrival_s; /* from the last round's end until it came to this one's */
        double meet_s;    /* in the call that ended the last round, and in the gathering after it */
        double told;      /* the system's, balance.tell; what it means is its own */
        double saved_ns;  /* for looking at calls (struct heed) */
        int32_t period;   /* meetings that repeat; 0: none found */
        uint32_t kind;    /* which they are, to this rank (dpd_kind()) */
        int32_t elsewhere; /* other threads than that which initialised MPI came to meetings, too */
        int32_t unmeasured;                 /* it did not see all calls of the round */
        int32_t lull;                       /* it has gone back (real/balance/lull.h) */
        int32_t failed;                     /* a collective call of its has, ever */
        int64_t steps_told, steps_complete; /* rounds of steps: by this rank; by all, as it knows */
        double stepped_s;                   /* since the last of them */
};

struct balance_round {
        int64_t number;
        int32_t meetings;         /* in it */
        double iterations;        /* in it: meetings that repeat */
        bool other;               /* these are others than before, or no whole number */
        bool known;               /* all ranks have found what repeats */
        bool measured;            /* loads are known */
        bool shown;               /* the program has shown what it does, regions and iterations */
        bool resumes;             /* some rank had gone back, so all do: it counts as other, too */
        double now_s;             /* since the program began */
        double round_s;           /* of an iteration, the same in all ranks */
        double slowest_s, most_s; /* the last arrival; the most load */
        double alone_s;           /* the most outside of parallel regions; below 0: not known */
        const struct balance_word *word; /* [size] by rank of the world */
};

struct balance {
        struct setup *setup;
        const char *directory;
        const struct balance_system *system;
        const struct system_type *plugged; /* whose policies decide; NULL: no plugin's */
        int32_t rank, size;                /* of the world */
        int32_t node, nnode;
        int32_t mate, nmate;   /* this rank's place among those of its node */
        int32_t *mate_rank;    /* [nmate] of the world */
        int32_t *node_of;      /* [size] */
        MPI_Comm world, mates; /* the host's own communicators */
        struct cpus cpus;
        cpu_set_t *home; /* [nmate] */
        bool virtual_cpus;
        pid_t first; /* the thread that initialised MPI */
        struct cpu_groups groups;
        int32_t group_cores;      /* of the node */
        double speed;             /* of its CPUs, 1 where they are real */
        bool openmp;              /* some rank of the job has it */
        void *shared;             /* board_bytes() of the node's memory, zero at first */
        struct decision_log *log; /* of the node's first rank; NULL: none is asked for */
        struct meter *meter;
        struct heed heed;
        struct trial trial;
        struct leaf *leaf; /* never NULL */
        struct lull *lull;
        double param[8];    /* of balance_params[] */
        double tell;        /* goes into this rank's next word */
        int64_t regions;    /* parallel ones that began since the last round */
        int64_t region_ns;  /* when the one under way began */
        double regions_s;   /* how long parallel ones lasted so far */
        struct alike ended; /* since the last round */
        double even_s;      /* of them, what as many threads as there are share evenly */
        bool free;          /* the one under way may have as many as it is given */
        bool parts; /* that one is timed by its parts (real/balance/parts.h), as all of them */
        int64_t parts_ns;  /* were that came to so much so far */
        bool apart;        /* in a round in which ranks are: nothing may wait for another */
        struct team *team; /* that a system has begun with whose place another takes */
        void *state;       /* the system's own */
};

/* NULL slots are not called. All but the last three in the thread that initialised MPI. */
struct balance_system {
        const char *name;
        /* Bytes of the node's shared memory that it wants. */
        size_t (*board_bytes)(int32_t nmate);
        /* MPI is initialised, all of struct balance is there. Collective: what fails in one rank
         * fails in all. A failure is what the user is told: the program is not balanced. */
        int (*start)(struct balance *b, struct lb_error *err);
        void (*round)(struct balance *b, const struct balance_round *round);
        /* No round will come any more, in all ranks at once: CPUs as they came, MPI's own waits. By
         * any thread, beside which the first may be in the following. */
        void (*give_up)(struct balance *b);
        /* None comes for now, as this rank alone has found: CPUs as they came; what ranks may only
         * do alike stays until a round resumes. Again and again, by a thread of the host's, beside
         * which the first may be anywhere but in round(). False: there is nothing to go back from.
         */
        bool (*go_back)(struct balance *b);
        /* Before MPI_Finalize. */
        void (*stop)(struct balance *b);
        /* An MPI call of this thread that is looked at begins, and has ended; not of other threads.
         */
        void (*enter)(struct balance *b, const struct interpose_call *call, int64_t now_ns);
        void (*leave)(struct balance *b, const struct interpose_call *call, int64_t now_ns);
        /* Calls are looked at again, after some that were not. */
        void (*resume)(struct balance *b);
        /* A call that waits goes to sleep between its looks, and goes on (polite waits only). */
        void (*sleeps)(struct balance *b);
        void (*goes_on)(struct balance *b);
        /* A parallel region of the program's threads begins, with as many as it would have; returns
         * how many it is to have. And it has ended. By the thread that begins it. */
        int32_t (*region_begin)(struct balance *b, int32_t threads);
        void (*region_end)(struct balance *b);
        /* Each thread of the region, at its begin. */
        void (*region_thread)(struct balance *b, int32_t thread);
};

extern const struct balance_system *const balance_systems[]; /* NULL-ended */
extern const struct balance_system balance_packing, balance_dpb, balance_dlb, balance_auto;

/* This process's; NULL: it is not balanced. */
struct balance *balance_self(void);

/* Fails in all ranks where one fails: with what that one says. `code` < 0: this one has failed.
 * Within a round in which ranks are apart it fails in this one alone. */
int balance_agree(struct balance *b, int code, struct lb_error *err) LB_MUST_CHECK;

/* This process to the CPUs where `mate` of its node is at home, and back to where it was before the
 * first move. */
void balance_move(struct balance *b, int32_t mate);
void balance_move_back(struct balance *b);

/* Waits of all ranks are polite, or MPI's own; on virtual CPUs always polite where ranks have
 * several, for who spins has used up its quota when the message comes. In round(); where ranks are
 * apart, collective calls follow when all have met. */
void balance_wait_politely(const struct balance *b, bool on);

/* Is it a call that comes again with each iteration: one that may wait? How often MPI_Waitany and
 * MPI_Waitsome are made depends on how long they take. */
bool balance_repeats(const struct interpose_call *call);

/* A call by its name and where it is made, for policies/dpd.h. */
uint32_t balance_call_value(const struct interpose_call *call);

/* One line of the first rank's, to standard error: "lbrun: ..." */
void balance_say(const struct balance *b, const char *format, ...) LB_PRINTF(2, 3);

/* What a policy did cannot be: the text is said, by any rank, which ends with 1. */
void balance_fail(void *nothing, const char *text);

/* Of the node, by its first rank: which CPUs are free; for lbrun (real/balance/leaf.h). */
void balance_tell_freed(struct balance *b, const cpu_set_t *freed);

/* A round in which nothing was changed: this rank's work into the leaf, for lbsim. A mean over
 * those since `rounds` was 0. What regions of its team (NULL: it has none) do divides, where these
 * could have more threads. */
void balance_tell_work(struct balance *b, const struct balance_round *round,
                       const struct team *team, int64_t *rounds);

/* A round without balancing, to the trial. */
void balance_without(struct balance *b, const struct balance_round *round);

/* Medians of the trial into the leaf; after each round. False where the leaf keeps what it has:
 * there are too few rounds, or a comparison of rounds that were others, and no new one yet. */
bool balance_tell_trial(struct balance *b);

#endif
