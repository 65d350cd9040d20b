/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * LeWI and DROM among the ranks of a node (ICPP'22 3.3), of programs that nobody rewrote. A rank is
 * a worker of real/control, its thread that initialised MPI the main program, and the threads of
 * its parallel regions the tasks:
 *
 *      rank A  region (4 CPUs) | MPI: waits ... ends | region (4 CPUs)
 *                                     | lends 4         ^ asked back, back at the end of B's region
 *      rank B  region (4 CPUs) | region (8 CPUs)     | region (4 CPUs)
 *
 * - What a rank lends while it waits it asks for again when its call ends. Its own thread goes on
 *   meanwhile, on a CPU that another may still use until its region is over.
 * - Waits are polite while ranks lend, or may have to: iterations without are timed with MPI's own.
 * - Who has no parallel regions can use no CPU beside its own: until a rank tells of one, none is
 * lent and waits are MPI's own. Where an OpenMP library is there from the start, some are expected.
 * - Lending alone is timed before CPUs change owner, and what they then change to is held against
 *   that as well: a rank that owns fewer may be the last one, which lends nothing (two ranks 2:1 on
 *   4 CPUs, with two regions in each iteration: 3 and 1 take a fifth longer than lending).
 * - Policies, views, and the log are those of the runtime's jobs: a job of one node.
 */
#define _GNU_SOURCE
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "policies/host/params.h"
#include "policies/params.h"
#include "real/balance/host.h"
#include "real/balance/lull.h"
#include "real/balance/params.h"
#include "real/balance/team.h"
#include "real/control/control.h"
#include "real/mpi/transport.h"

/* Of lending alone, before DROM. */
enum { LENDING_ROUNDS = 4 };

/* A rank's own word: its regions could use more CPUs; and on its node CPUs have changed owner. */
enum { TELLS_NOTHING = 0, TELLS_USE, TELLS_MOVED };

/* Regions may be short: CPUs are looked for no more often than this, and after each wait. */
static const int64_t LOOK_EACH_NS = 50000;

struct dlb {
        struct team *team;
        struct job *job;
        struct control *control;
        struct board_worker *row;
        bool *idle;      /* [ncore] */
        int32_t *gained; /* [ncore] */
        bool waits, in_region, off, opened, judged;
        bool begins;  /* lending, with the present round */
        int32_t with; /* CPUs that are busy from `since_ns` on */
        int64_t since_ns, looked_ns;
        int64_t alone;       /* rounds without lending that were measured */
        struct trial owners; /* that change, against lending alone; of LeWI and DROM in one */
        bool holds;          /* they may not change now */
        bool moved;          /* they had, in the last round */
        int32_t has;         /* CPUs, at the last look */
        double predicted_s;
};

/* ---- Start ---- */

static int set_policy(struct balance *b, struct job *job, enum job_policy policy,
                      struct lb_error *err)
{
        return setup_table(b->setup, job_policy_name(job, policy), job_policy_params(job, policy),
                           job_policy_values(job, policy), err);
}

/* Every rank of the node an apprank, each at home. */
static int set_ranks(struct balance *b, struct dlb *d, struct lb_error *err)
{
        int32_t *first = calloc((size_t)b->nmate + 1, sizeof(*first));
        int32_t *node = calloc((size_t)b->nmate, sizeof(*node));
        int code = first && node ? 0 : lb_error_fail(err, "out of memory");
        for (int32_t i = 0; code == 0 && i < b->nmate; i++)
                first[i + 1] = i + 1;
        d->job->nnode = d->job->degree = 1;
        d->job->napprank = b->nmate;
        d->job->cores_per_node = team_ncore(d->team);
        if (code == 0)
                code = job_set_edges(d->job, first, node, err);
        free(first);
        free(node);
        return code;
}

static int make_job(struct balance *b, struct dlb *d, struct lb_error *err)
{
        double own[DLB_LIVE_NPARAM];
        d->job = job_create(err);
        if (!d->job || setup_table(b->setup, "dlb", dlb_live_params, own, err) < 0 ||
            job_set_system(d->job, b->plugged ? b->plugged->name : "dlb", err) < 0)
                return -1;
        snprintf(d->job->id, sizeof(d->job->id), "%.31s", setup_value(b->setup, "job", 0));
        d->job->lewi = own[DLB_LIVE_LEWI] != 0 && (!b->plugged || b->plugged->lewi);
        d->job->drom = own[DLB_LIVE_DROM] != 0 && (!b->plugged || b->plugged->drom);
        d->job->param[JOB_POLL_S] = own[DLB_LIVE_POLL_S];
        d->job->param[JOB_OWNERSHIP] = OWNERSHIP_BOUNDARY;
        snprintf(d->job->decisions, sizeof(d->job->decisions), "%s",
                 setup_value(b->setup, "decisions", 0));
        d->job->decisions_from = b->node; /* each node is a job of one */
        for (enum job_policy policy = JOB_ALLOC; policy < JOB_PLACE; policy++)
                if (set_policy(b, d->job, policy, err) < 0)
                        return -1;
        return set_ranks(b, d, err);
}

static int make_control(struct balance *b, struct dlb *d, struct lb_error *err)
{
        const struct cores_choice *by = team_cores(d->team);
        d->idle = calloc((size_t)team_ncore(d->team), sizeof(*d->idle));
        d->gained = calloc((size_t)team_ncore(d->team), sizeof(*d->gained));
        if (!d->idle || !d->gained)
                return lb_error_fail(err, "out of memory");
        if (make_job(b, d, err) < 0)
                return -1;
        d->row = board_worker(team_board(d->team), b->mate);
        d->control = control_create(&(struct control_spec){ .job = d->job,
                                                            .worker = b->mate,
                                                            .board = team_board(d->team),
                                                            .cores_type = by->type,
                                                            .cores = by->cores,
                                                            .wrong = balance_fail },
                                    err);
        return d->control ? 0 : -1;
}

static int start(struct balance *b, struct lb_error *err)
{
        struct dlb *d = b->state = calloc(1, sizeof(*d));
        if (balance_agree(b, d ? 0 : lb_error_fail(err, "out of memory"), err) < 0)
                return -1;
        d->team = team_take(b, true, err);
        if (!d->team)
                return -1;
        if (balance_agree(b, make_control(b, d, err), err) < 0)
                return -1;
        d->since_ns = clock_ns();
        d->with = 1;
        d->off = !b->openmp;
        trial_init(&d->owners, b->param[BALANCE_LOSS], b->param[BALANCE_LOSS_WHOLE]);
        return 0;
}

static void tell(struct balance *b, const struct dlb *d)
{
        struct control_figures figures = control_figures(d->control);
        b->leaf->figure[LEAF_LENT] = (double)figures.lent;
        b->leaf->figure[LEAF_BORROWED] = (double)figures.borrowed;
        b->leaf->figure[LEAF_DECISIONS] = (double)figures.decisions;
        b->leaf->changes = figures.ownership_changes;
        team_tell(d->team);
}

static void stop(struct balance *b)
{
        struct dlb *d = b->state;
        tell(b, d);
        balance_wait_politely(b, false);
        control_destroy(d->control);
        team_destroy(d->team);
        job_destroy(d->job);
        free(d->idle);
        free(d->gained);
        free(d);
        b->state = NULL;
}

/* ---- What the rank is doing, for the board ---- */

/* So many CPUs are busy from now on: those of a region, one outside, none in a wait. */
static void busy(struct dlb *d, int64_t now_ns, int32_t with)
{
        atomic_fetch_add(&d->row->busy_ns, (now_ns - d->since_ns) * d->with);
        atomic_store(&d->row->at_ns, now_ns);
        atomic_store(&d->row->running, with);
        atomic_store(&d->row->tasks, with);
        d->since_ns = now_ns;
        d->with = with;
}

static int32_t usable(const struct dlb *d)
{
        return atomic_load(&d->row->owned) - atomic_load(&d->row->lent) +
               atomic_load(&d->row->borrowed);
}

/* CPUs for so many threads: first one's own, then what others lend. */
static void seek(struct dlb *d, int64_t now_ns, int32_t threads)
{
        int32_t lacks = threads - usable(d);
        if (lacks <= 0)
                return;
        atomic_store(&d->row->ready, lacks);
        (void)control_needs_cores(d->control, now_ns, LEND_NEEDS_CORES, d->gained);
        atomic_store(&d->row->ready, 0);
}

static bool has(const struct dlb *d, int32_t core)
{
        const struct cores_choice *by = team_cores(d->team);
        return by->type->usable(by->cores, core);
}

/* ---- Calls ---- */

/* In a lull it lends nothing either. */
static bool is_off(const struct balance *b)
{
        return ((const struct dlb *)b->state)->off || lull_is_on(b->lull);
}

/* What DROM has moved goes back, each rank by itself. */
static void own_as_at_first(struct balance *b)
{
        struct dlb *d = b->state;
        const int32_t *first = team_initial(d->team);
        for (int32_t i = 0; b->mate == 0 && i < b->nmate; i++)
                atomic_store(&board_worker(team_board(d->team), i)->target, first[i]);
}

/* Has the node other owners of CPUs than at first, or is it to have? */
static bool is_moved(const struct balance *b)
{
        const struct dlb *d = b->state;
        const int32_t *first = team_initial(d->team);
        for (int32_t i = 0; i < b->nmate; i++) {
                struct board_worker *row = board_worker(team_board(d->team), i);
                if (atomic_load(&row->owned) != first[i] || atomic_load(&row->target) != first[i])
                        return true;
        }
        return false;
}

static void return_owned(struct balance *b)
{
        struct dlb *d = b->state;
        if (is_off(b) && d->opened && atomic_load(&d->row->owned) != atomic_load(&d->row->target))
                (void)team_exchange(d->team);
}

/* Every so often, outside of regions, where CPUs may change owner. */
static void poll_control(struct balance *b, int64_t now_ns)
{
        struct dlb *d = b->state;
        if (is_off(b) || !d->opened || now_ns < control_due_ns(d->control, now_ns))
                return;
        busy(d, now_ns, d->with);
        bool first = true;
        for (int32_t core = 0; core < team_ncore(d->team); core++) {
                d->idle[core] = has(d, core) && !first;
                first = first && !has(d, core);
        }
        (void)control_poll(d->control, now_ns, d->idle, d->gained);
        control_refresh(d->control);
}

/* The wait is longer than a look: lend all. */
static void fall_asleep(struct balance *b)
{
        struct dlb *d = b->state;
        int64_t now_ns = clock_ns();
        if (is_off(b) || !d->opened || d->in_region)
                return;
        busy(d, now_ns, 0);
        d->waits = true;
        for (int32_t core = 0; core < team_ncore(d->team); core++)
                if (has(d, core))
                        (void)control_core_idle(d->control, now_ns, core);
}

/* All that is lent is asked back. */
static void go_on(struct balance *b)
{
        struct dlb *d = b->state;
        int64_t now_ns = clock_ns();
        if (!d->waits)
                return;
        d->waits = false;
        d->looked_ns = 0;
        busy(d, now_ns, 1);
        seek(d, now_ns, usable(d) + atomic_load(&d->row->lent));
}

static void leave(struct balance *b, const struct interpose_call *call, int64_t now_ns)
{
        struct dlb *d = b->state;
        if (d->in_region)
                return;
        poll_control(b, now_ns);
        return_owned(b);
        if (!d->opened || !interpose_may_wait(call->kind))
                return; /* nobody has moved a CPU of a team that is not open */
        (void)team_settle(d->team);
        team_in_mpi(d->team);
}

/* ---- Regions ---- */

static void give_back(struct dlb *d, int64_t now_ns)
{
        for (int32_t core = 0; core < team_ncore(d->team); core++)
                if (has(d, core))
                        (void)control_core_boundary(d->control, now_ns, core);
}

/* What is asked back goes, what is lent comes. */
static void exchange(struct balance *b, int64_t now_ns)
{
        struct dlb *d = b->state;
        if (d->opened) {
                give_back(d, now_ns);
                return_owned(b);
                seek(d, now_ns, is_off(b) ? atomic_load(&d->row->owned) : team_bound(d->team));
        }
        d->has = team_settle(d->team);
        for (int32_t core = 0; core < team_ncore(d->team); core++)
                if (has(d, core))
                        control_core_taken(d->control, core);
        d->looked_ns = now_ns;
}

static int32_t region_begin(struct balance *b, int32_t threads)
{
        struct dlb *d = b->state;
        int64_t now_ns = clock_ns();
        if (now_ns - d->looked_ns >= LOOK_EACH_NS)
                exchange(b, now_ns);
        d->in_region = true;
        busy(d, now_ns, d->has);
        int32_t number = team_threads(d->team, threads);
        b->tell = is_moved(b)                    ? TELLS_MOVED
                  : team_could_use_more(d->team) ? TELLS_USE
                                                 : TELLS_NOTHING;
        return number;
}

static void region_end(struct balance *b)
{
        struct dlb *d = b->state;
        int64_t now_ns = clock_ns();
        d->in_region = false;
        busy(d, now_ns, 1);
        if (d->opened && now_ns - d->looked_ns >= LOOK_EACH_NS)
                give_back(d, now_ns);
}

static void region_thread(struct balance *b, int32_t thread)
{
        team_thread(((struct dlb *)b->state)->team, thread);
}

/* ---- Rounds ---- */

/* An iteration whose work were spread over all CPUs at any time; it has as many for each rank. */
static void predict(struct balance *b, struct dlb *d, const struct balance_round *round)
{
        double least_s = round->round_s - round->slowest_s, count = (double)b->trial.without.count;
        for (int32_t i = 0; i < b->size; i++)
                least_s += round->word[i].arrival_s / b->size;
        d->predicted_s += (least_s - d->predicted_s) / count; /* the first of others begins anew */
}

static bool does_both(const struct dlb *d)
{
        return d->job->lewi && d->job->drom;
}

/* In all ranks at once. */
static void hold_owners(struct dlb *d, bool holds)
{
        d->holds = holds;
        control_hold_owners(d->control, holds);
}

/* In all ranks at once: MPI's own waits and polite ones do not meet. What comes after is lending
 * alone first. */
static void set_off(struct balance *b, bool off)
{
        struct dlb *d = b->state;
        if (off && d->opened) {
                own_as_at_first(b);
                d->moved = false;
                trial_forget(&d->owners);
                if (does_both(d))
                        hold_owners(d, true);
        }
        d->off = off;
        balance_wait_politely(b, !off);
}

static void give_up(struct balance *b)
{
        set_off(b, true);
}

static bool go_back(struct balance *b)
{
        const struct dlb *d = b->state;
        if (d->off || !d->opened)
                return false;
        own_as_at_first(b);
        return true;
}

/* Some rank has gone back already. */
static void resume_rounds(struct balance *b, struct dlb *d)
{
        d->begins = false;
        set_off(b, true);
        trial_forget(&b->trial);
}

/* Where CPUs have other owners than lending alone had, by rounds of both. */
static void judge_owners(struct balance *b, struct dlb *d, const struct balance_round *round,
                         bool moved)
{
        bool had = d->moved;
        d->moved = moved;
        trial_next(&d->owners, true, round->alone_s);
        if (!moved) {
                trial_without(&d->owners, round->round_s, 0, round->iterations);
                if (d->owners.without.count >= LENDING_ROUNDS && trial_may_begin(&d->owners))
                        hold_owners(d, false);
                return;
        }
        if (!had || d->holds) /* they change in it */
                return;
        enum trial_verdict verdict = trial_with(&d->owners, round->round_s, round->iterations);
        if (verdict == TRIAL_UNDONE)
                balance_say(b,
                            "dlb: CPUs back to their first owners: iterations took %.4g s, longer "
                            "than with lending alone",
                            round->round_s);
        if (verdict == TRIAL_UNDONE || verdict == TRIAL_UNTIMED)
                hold_owners(d, true);
}

static void judge(struct balance *b, struct dlb *d, const struct balance_round *round, bool moved)
{
        if (d->off) {
                balance_without(b, round);
                balance_tell_work(b, round, d->team, &d->alone);
                d->begins = trial_may_begin(&b->trial) && trial_may_gain(&b->trial);
                set_off(b, !d->begins);
                if (d->begins)
                        lull_watch(b->lull);
                predict(b, d, round);
                return;
        }
        if (d->begins) { /* threads for what is borrowed are made in it */
                d->begins = false;
                trial_begins(&b->trial, round->round_s, round->iterations);
                return;
        }
        switch (trial_with(&b->trial, round->round_s, round->iterations)) {
        case TRIAL_UNDONE:
                balance_say(b,
                            "dlb undone: iterations took %.4g s, longer than with equal parts; "
                            "lost %.3g s",
                            round->round_s, b->trial.lost_s);
                set_off(b, true);
                break;
        case TRIAL_UNTIMED:
                set_off(b, true);
                break;
        case TRIAL_GOES_ON:
                if (does_both(d))
                        judge_owners(b, d, round, moved);
                break;
        case TRIAL_OTHER:
                trial_forget(&d->owners);
                break;
        }
}

/* Nobody could use what is lent. */
static void leave_alone(struct balance *b, struct dlb *d, const struct balance_round *round)
{
        if (!d->off)
                trial_forget(&b->trial);
        set_off(b, true);
        if (round->other)
                trial_forget(&b->trial);
        else
                balance_without(b, round);
}

/* First as the program came, then with as many threads as CPUs, then lending: without rounds
 * nothing would tell that it is a loss, so nobody lends. */
static void end_round(struct balance *b, const struct balance_round *round)
{
        struct dlb *d = b->state;
        bool moved = false, useful = false; /* to a rank: what others lend */
        for (int32_t i = 0; i < b->size; i++) {
                useful = useful || round->word[i].told > TELLS_NOTHING;
                moved = moved || round->word[i].told == TELLS_MOVED;
        }
        if (round->resumes) {
                resume_rounds(b, d);
        } else if (!useful && round->shown) {
                leave_alone(b, d, round);
        } else if (!d->judged && round->shown) {
                d->judged = d->opened = true;
                set_off(b, true);
                team_open(d->team);
                trial_forget(&b->trial);
        } else if (round->other) {
                trial_forget(&b->trial);
                trial_forget(&d->owners);
        } else if (d->judged) {
                judge(b, d, round, moved);
        }
        b->leaf->balanced = d->opened && !d->off;
        tell(b, d); /* there may be no end */
        if (balance_tell_trial(b))
                b->leaf->predicted_s = d->predicted_s;
}

const struct balance_system balance_dlb = {
        .name = "dlb",
        .start = start,
        .give_up = give_up,
        .go_back = go_back,
        .stop = stop,
        .round = end_round,
        .leave = leave,
        .sleeps = fall_asleep,
        .goes_on = go_on,
        .region_begin = region_begin,
        .region_end = region_end,
        .region_thread = region_thread,
};
