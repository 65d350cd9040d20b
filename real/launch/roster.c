/* SPDX-License-Identifier: BSD-3-Clause */
#include "real/launch/roster.h"

#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/text.h"
#include "real/control/job.h"
#include "real/launch/plan.h"
#include "real/node/lifeline.h"

enum { NO_FD = -1 };
static const int64_t second_ns = 1000000000;

struct rank {
        bool known, ended; /* by news, or the keeper's end */
        bool is_gone;      /* the keeper */
        pid_t keeper, pid;
        int32_t node;    /* where they are; -1: here */
        int32_t stage;   /* enum life_stage */
        int fd;          /* of the keeper's process */
        int32_t gone;    /* in the n-th of ranks: whose keeper was the n-th to go */
        int32_t failed;  /* it has, and was the n-th of which that is known; 0: it has not */
        struct news end; /* then */
};

struct roster {
        const struct plan *plan;
        int32_t count;
        int epoll;
        int32_t ngone, nlooked; /* keepers that are gone, and of them those looked at */
        int32_t nfailed;
        bool named;       /* the rank that others wait for */
        bool changed;     /* since the last look */
        int64_t at_ns;    /* of that */
        int64_t still_ns; /* nothing has changed for so long */
        struct rank rank[];
};

struct roster *roster_create(const struct plan *plan, struct lb_error *err)
{
        int32_t count = plan->job->nworker;
        struct roster *roster =
            calloc(1, sizeof(*roster) + (size_t)count * sizeof(roster->rank[0]));
        if (!roster) {
                lb_error_fail(err, "out of memory");
                return NULL;
        }
        roster->plan = plan;
        roster->count = count;
        for (int32_t i = 0; i < count; i++)
                roster->rank[i].fd = NO_FD;
        roster->epoll = epoll_create1(EPOLL_CLOEXEC);
        if (roster->epoll >= 0)
                return roster;
        lb_error_fail(err, "cannot wait for the ranks: %s", strerror(errno));
        free(roster);
        return NULL;
}

static void let_go(struct rank *rank)
{
        if (rank->fd >= 0)
                close(rank->fd);
        rank->fd = NO_FD;
}

void roster_destroy(struct roster *roster)
{
        if (!roster)
                return;
        for (int32_t i = 0; i < roster->count; i++)
                let_go(&roster->rank[i]);
        close(roster->epoll);
        free(roster);
}

int roster_fd(const struct roster *roster)
{
        return roster->epoll;
}

/* ---- News ---- */

/* Where files run out, or on a kernel before 5.3, its death is known from what follows. */
static void watch_keeper(struct roster *roster, struct rank *rank)
{
        struct epoll_event event = { .events = EPOLLIN,
                                     .data.u32 = (uint32_t)(rank - roster->rank) };
        rank->fd = (int)syscall(SYS_pidfd_open, rank->keeper, 0);
        if (rank->fd >= 0 && epoll_ctl(roster->epoll, EPOLL_CTL_ADD, rank->fd, &event) < 0)
                let_go(rank);
}

static void note_failed(struct roster *roster, struct rank *rank, const struct news *news)
{
        rank->failed = ++roster->nfailed;
        rank->end = *news;
}

bool roster_take(struct roster *roster, const struct news *news)
{
        if (news->rank < 0 || news->rank >= roster->count)
                return false;
        struct rank *rank = &roster->rank[news->rank];
        if (rank->ended ||
            (rank->known && (rank->keeper != news->sender || rank->node != news->node)))
                return false;
        if (!rank->known) {
                rank->known = true;
                rank->keeper = news->sender;
                rank->pid = news->pid;
                rank->node = news->node;
                if (news->node < 0)
                        watch_keeper(roster, rank);
        }
        if (news->kind == NEWS_STAGE)
                rank->stage = news->value;
        rank->ended = news->kind == NEWS_ENDED || news->kind == NEWS_KEEPER;
        if (rank->ended && news->value != 0)
                note_failed(roster, rank, news);
        roster->changed = true;
        return true;
}

static void note_gone(struct roster *roster, struct rank *rank)
{
        let_go(rank);
        rank->is_gone = true;
        roster->rank[roster->ngone++].gone = (int32_t)(rank - roster->rank);
}

void roster_look(struct roster *roster)
{
        struct epoll_event event;
        while (epoll_wait(roster->epoll, &event, 1, 0) == 1)
                note_gone(roster, &roster->rank[event.data.u32]);
}

void roster_orphaned(struct roster *roster, int32_t pid)
{
        for (int32_t i = 0; i < roster->count; i++) {
                struct rank *rank = &roster->rank[i];
                if (rank->known && !rank->is_gone && rank->node < 0 && rank->pid == pid &&
                    rank->fd < 0)
                        note_gone(roster, rank);
        }
}

bool roster_lost(struct roster *roster, struct news *lost)
{
        while (roster->nlooked < roster->ngone) {
                int32_t i = roster->rank[roster->nlooked++].gone;
                struct rank *rank = &roster->rank[i];
                if (rank->ended)
                        continue;
                rank->ended = true;
                *lost = (struct news){
                        .kind = NEWS_KEEPER, .rank = i, .pid = rank->keeper, .value = SIGKILL
                };
                note_failed(roster, rank, lost);
                return true;
        }
        return false;
}

/* It says so, or is a library's that was reading the other's memory. */
static bool is_for_another(const struct news *end)
{
        return end->last || (WIFSIGNALED(end->value) && WTERMSIG(end->value) == SIGABRT);
}

static bool is_before(const struct rank *rank, const struct rank *other)
{
        if (is_for_another(&rank->end) != is_for_another(&other->end))
                return is_for_another(&other->end);
        return rank->failed < other->failed;
}

bool roster_first_failed(const struct roster *roster, int32_t node, struct news *first)
{
        const int32_t *ranks = &roster->plan->job->shape.node_first[node];
        const struct rank *found = NULL;
        for (int32_t i = ranks[0]; i < ranks[1]; i++)
                if (roster->rank[i].failed && (!found || is_before(&roster->rank[i], found)))
                        found = &roster->rank[i];
        if (found)
                *first = found->end;
        return found != NULL;
}

int32_t roster_signal(const struct roster *roster, int signal)
{
        int32_t count = 0;
        for (int32_t i = 0; i < roster->count; i++) {
                const struct rank *rank = &roster->rank[i];
                if (rank->known && !rank->ended && rank->node < 0)
                        count += kill(rank->pid, signal) == 0;
        }
        return count;
}

/* ---- The start ---- */

/* MPI begins the later the more nodes there are, and says nothing meanwhile. */
static double limit_s(const struct roster *roster)
{
        double start_s = roster->plan->job->param[JOB_START_S];
        bool all_here = roster->plan->nodes.virtual_nodes;
        return start_s > 0 && !all_here ? start_s + roster->plan->job->nnode : start_s;
}

/* The one that is least far, and of such the first; -1 for the stage of one not started. */
static int32_t stage_of(const struct rank *rank)
{
        return rank->known ? rank->stage : -1;
}

static int32_t last_of(const struct roster *roster)
{
        int32_t last = 0;
        for (int32_t i = 1; i < roster->count; i++)
                if (stage_of(&roster->rank[i]) < stage_of(&roster->rank[last]))
                        last = i;
        return last;
}

static int32_t furthest_stage(const struct roster *roster)
{
        int32_t stage = -1;
        for (int32_t i = 0; i < roster->count; i++)
                if (stage_of(&roster->rank[i]) > stage)
                        stage = stage_of(&roster->rank[i]);
        return stage;
}

int64_t roster_due_ns(const struct roster *roster, int64_t now)
{
        if (limit_s(roster) <= 0 || stage_of(&roster->rank[last_of(roster)]) >= LIFE_RUNS)
                return 0;
        return (now / second_ns + 1) * second_ns;
}

/* Time in which lbrun itself does not run does not count: the whole job may be stopped. */
static void count_time(struct roster *roster, int64_t now)
{
        int64_t passed = roster->at_ns ? now - roster->at_ns : 0;
        roster->at_ns = now;
        roster->still_ns += passed < 2 * second_ns ? passed : 2 * second_ns;
        if (roster->changed)
                roster->still_ns = 0;
        roster->changed = false;
}

static void describe_last(const struct roster *roster, int32_t last, char *text, size_t size)
{
        char name[512];
        const struct rank *rank = &roster->rank[last];
        double seconds = (double)roster->still_ns * 1e-9;
        int32_t more = -1;
        if (furthest_stage(roster) < LIFE_NONE) {
                snprintf(text, size,
                         "mpirun has started no rank for %.0f s: one of the nodes may not answer "
                         "(--start-s S waits longer)",
                         seconds);
                return;
        }
        for (int32_t i = 0; i < roster->count; i++)
                more += stage_of(&roster->rank[i]) == stage_of(rank);
        plan_describe_rank(roster->plan, last, name, sizeof(name));
        snprintf(text, size, "%s, ", name);
        if (!rank->known)
                lb_text_add(text, size,
                            "has not been started by mpirun, and for %.0f s there was no "
                            "news of any (--start-s S waits longer)",
                            seconds);
        else
                lb_text_add(text, size, "has not come out of %s for %.0f s (process %" PRId32 ")",
                            rank->stage == LIFE_INIT ? "MPI_Init()" : "lbrun_start()", seconds,
                            (int32_t)rank->pid);
        if (more > 0)
                lb_text_add(text, size, "; %" PRId32 " other%s likewise", more, lb_s(more));
}

/* It may do something of its own before it calls MPI, which takes the time it takes. */
static void name_late(struct roster *roster, int32_t last)
{
        char name[512];
        const struct rank *rank = &roster->rank[last];
        plan_describe_rank(roster->plan, last, name, sizeof(name));
        fprintf(stderr, "lbrun: %s, has not called %s, where others wait for it (process %d)\n",
                name, rank->stage < LIFE_INIT ? "MPI_Init()" : "lbrun_start()", (int)rank->pid);
        roster->named = true;
}

bool roster_overdue(struct roster *roster, int64_t now, char *text, size_t size)
{
        count_time(roster, now);
        if (limit_s(roster) <= 0 || (double)roster->still_ns * 1e-9 < limit_s(roster))
                return false;
        int32_t last = last_of(roster), stage = stage_of(&roster->rank[last]);
        if (roster->rank[last].ended || stage >= LIFE_RUNS)
                return false;
        bool waits = stage == LIFE_INIT || stage == LIFE_START;
        if (stage < LIFE_NONE || waits) {
                describe_last(roster, last, text, size);
                return true;
        }
        if (furthest_stage(roster) > stage && !roster->named)
                name_late(roster, last);
        return false;
}
