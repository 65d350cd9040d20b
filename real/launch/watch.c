/* SPDX-License-Identifier: BSD-3-Clause */
#include "real/launch/watch.h"

#include <errno.h>
#include <inttypes.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "real/control/job.h"
#include "real/launch/family.h"
#include "real/launch/news.h"
#include "real/launch/outlet.h"
#include "real/launch/plan.h"
#include "real/launch/roster.h"
#include "real/launch/start.h"
#include "real/node/lifeline.h"

static const int64_t second_ns = 1000000000;
enum { PATIENCE_S = 5, NOBODY = -1, LBRUN_FAILED = 125 };

/* Times are CLOCK_MONOTONIC; 0: never. */
struct watch {
        const struct plan *plan;
        pid_t mpirun;
        int signals, news; /* descriptors */
        struct roster *roster;
        int32_t nended;
        struct news quitter; /* the first rank to end, and the first to fail; rank NOBODY: none */
        struct news failed;
        int signal; /* what lbrun was told to end by; 0: nothing */
        bool ended; /* mpirun has, with this status */
        int status;
        bool overdue;      /* the start */
        bool abandoned;    /* MPI_Finalize(), by some rank: how MPI sees the end does not count */
        bool bereft;       /* keepers have lost mpirun itself, and end their ranks */
        int32_t norphan;   /* processes left behind and killed */
        int64_t tell_ns;   /* of `failed`, unless another is found to be the cause by then */
        int64_t pass_ns;   /* the signal on to mpirun: the ranks have had it */
        int64_t orphan_ns; /* kill what ranks have left behind */
        int64_t kill_ns;   /* kill all */
};

static int64_t now_ns(void)
{
        struct timespec now;
        clock_gettime(CLOCK_MONOTONIC, &now);
        return now.tv_sec * second_ns + now.tv_nsec;
}

static int64_t earlier(int64_t a, int64_t b)
{
        return !a || (b && b < a) ? b : a;
}

static int code_of(int status)
{
        return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

/* How MPI's own processes were ended is not known: nothing but SIGKILL is likely. */
static int code_of_news(const struct news *news)
{
        return code_of(news->kind == NEWS_STARTER ? SIGKILL : news->value);
}

/* ---- Ranks ---- */

static void describe(const struct watch *watch, const struct news *news, char *text, size_t size)
{
        char rank[512];
        plan_describe_rank(watch->plan, news->rank, rank, sizeof(rank));
        if (news->kind == NEWS_KEEPER)
                snprintf(text, size,
                         "the keeper of %s, was killed, and the rank with it (process %" PRId32 ")",
                         rank, news->pid);
        else if (news->kind == NEWS_STARTER)
                snprintf(text, size,
                         "mpirun's '%s' was killed, and the ranks that it had started with it, "
                         "such as %s (process %" PRId32 ")",
                         news->what, rank, news->value);
        else if (WIFSIGNALED(news->value))
                snprintf(text, size, "%s, was ended by signal %d, %s (process %" PRId32 ")", rank,
                         WTERMSIG(news->value), strsignal(WTERMSIG(news->value)), news->pid);
        else
                snprintf(text, size, "%s, ended with exit code %d (process %" PRId32 ")", rank,
                         WEXITSTATUS(news->value), news->pid);
}

static void tell_rank(const struct watch *watch, const struct news *news, const char *more)
{
        char text[1024];
        describe(watch, news, text, sizeof(text));
        fprintf(stderr, "lbrun: %s%s\n", text, more);
}

/* A rank that mpirun kills has done nothing wrong where another has ended without a word to the
 * others, MPI_Finalize() left out, which mpirun takes for a failure. */
static bool is_follower(const struct watch *watch, const struct news *news)
{
        int signal = WIFSIGNALED(news->value) ? WTERMSIG(news->value) : 0;
        return news->kind != NEWS_STARTER && (signal == SIGKILL || signal == SIGTERM) &&
               watch->quitter.rank != news->rank;
}

static void tell_failed(struct watch *watch)
{
        watch->tell_ns = 0;
        if (is_follower(watch, &watch->failed))
                tell_rank(watch, &watch->quitter, ", before all were done");
        tell_rank(watch, &watch->failed, "");
}

/* Open MPI ends the others so when a rank calls MPI_Abort(), which itself may end later. */
static bool is_terminated(const struct news *news)
{
        return news->kind == NEWS_ENDED && WIFSIGNALED(news->value) &&
               WTERMSIG(news->value) == SIGTERM;
}

static void rank_failed(struct watch *watch, const struct news *news, int64_t now)
{
        bool first = watch->failed.rank == NOBODY;
        if (!first && (!watch->tell_ns || is_follower(watch, news)))
                return;
        watch->failed = *news;
        if (first)
                watch->kill_ns = earlier(watch->kill_ns, now + PATIENCE_S * second_ns);
        if (first && is_terminated(news))
                watch->tell_ns = now + second_ns;
        else
                tell_failed(watch);
}

/* What mpirun does to ranks that are done, or that it has lost, is no failure of theirs. */
static bool has_failed(const struct watch *watch, const struct news *news)
{
        if (watch->signal || watch->overdue || watch->bereft)
                return false;
        return news->value != 0 && !(watch->abandoned && WIFSIGNALED(news->value));
}

static void rank_ended(struct watch *watch, const struct news *news, int64_t now)
{
        if (watch->nended++ == 0)
                watch->quitter = *news;
        if (has_failed(watch, news))
                rank_failed(watch, news, now);
        if (watch->nended < watch->plan->job->nworker)
                return;
        watch->orphan_ns = now + second_ns; /* mpirun has nothing to wait for but their output */
        watch->kill_ns = earlier(watch->kill_ns, now + 2 * PATIENCE_S * second_ns);
}

/* All that was to be done is done, reports included. */
static void look_at_stage(struct watch *watch, const struct news *news, int64_t now)
{
        if (news->value != LIFE_ABANDONED || watch->abandoned)
                return;
        char rank[512];
        watch->abandoned = true;
        plan_describe_rank(watch->plan, news->rank, rank, sizeof(rank));
        fprintf(stderr,
                "lbrun: %s, was still in MPI_Finalize() %g s after all ranks had come to it: the "
                "job is ended, with the program's exit code\n",
                rank, watch->plan->job->param[JOB_FINALIZE_S]);
        watch->kill_ns = earlier(watch->kill_ns, now + 3 * PATIENCE_S * second_ns);
}

/* mpirun's own end is told by itself. */
static void starter_died(struct watch *watch, const struct news *news, int64_t now)
{
        if (news->value == watch->mpirun)
                watch->bereft = true;
        else if (watch->failed.rank == NOBODY && !watch->bereft && !watch->signal)
                rank_failed(watch, news, now);
}

static void tell_still(const struct watch *watch, const struct news *news)
{
        char rank[512];
        plan_describe_rank(watch->plan, news->rank, rank, sizeof(rank));
        fprintf(stderr, "lbrun: %s, has %s for %" PRId32 " s%s (process %" PRId32 ")\n", rank,
                news->kind == NEWS_SILENT ? "not looked for messages: it is hung, or stopped"
                                          : "been in one task",
                news->value, news->last ? ", and is ended" : "", news->pid);
}

static void look_at(struct watch *watch, const struct news *news, int64_t now)
{
        if (news->kind == NEWS_ENDED)
                rank_ended(watch, news, now);
        else if (news->kind == NEWS_STAGE)
                look_at_stage(watch, news, now);
        else if (news->kind == NEWS_STARTER)
                starter_died(watch, news, now);
        else if (news->kind == NEWS_SILENT || news->kind == NEWS_LONG_TASK)
                tell_still(watch, news);
}

static void look_at_news(struct watch *watch, int64_t now)
{
        struct news news;
        while (news_receive(watch->news, &news))
                if (roster_take(watch->roster, &news))
                        look_at(watch, &news, now);
}

/* mpirun's death by a signal is the cause of all others, not a consequence. */
static bool mpirun_was_killed(const struct watch *watch)
{
        return watch->ended && WIFSIGNALED(watch->status) && WTERMSIG(watch->status) == SIGKILL;
}

static void look_at_lost(struct watch *watch, int64_t now)
{
        struct news lost;
        watch->bereft |= mpirun_was_killed(watch);
        while (roster_lost(watch->roster, &lost))
                rank_ended(watch, &lost, now);
}

/* ---- Signals ---- */

static void reap(struct watch *watch)
{
        int status;
        struct news lost;
        for (pid_t pid; (pid = waitpid(-1, &status, WNOHANG)) > 0;) {
                if (pid != watch->mpirun) { /* an orphan that came to us */
                        if (roster_lost_parent(watch->roster, pid, &lost))
                                rank_ended(watch, &lost, now_ns());
                        continue;
                }
                watch->ended = true;
                watch->status = status;
        }
}

static void pass_to_mpirun(struct watch *watch, int64_t now)
{
        watch->pass_ns = 0;
        kill(-watch->mpirun, watch->signal);
        watch->kill_ns = now + PATIENCE_S * second_ns;
}

/* To the ranks first, which write what there is; mpirun would not leave them the time for it. */
static void pass_on(struct watch *watch, int signal, int64_t now)
{
        bool again = watch->signal != 0;
        watch->signal = signal;
        if (again)
                watch->kill_ns = now;
        else if (signal != SIGQUIT && roster_signal(watch->roster, signal) > 0)
                watch->pass_ns = now + PATIENCE_S * second_ns;
        else
                pass_to_mpirun(watch, now);
}

/* Ctrl-Z: all of the job, not lbrun alone. mpirun passes it on to other machines, which takes it a
 * moment. What is to be done in time is put off. */
static void suspend(struct watch *watch)
{
        int64_t *times[] = { &watch->tell_ns, &watch->pass_ns, &watch->orphan_ns, &watch->kill_ns };
        int64_t begin = now_ns();
        if (!watch->plan->nodes.virtual_nodes) {
                kill(watch->mpirun, SIGTSTP);
                nanosleep(&(struct timespec){ .tv_nsec = 200000000 }, NULL);
        }
        family_signal(SIGSTOP);
        raise(SIGSTOP);
        family_signal(SIGCONT);
        for (size_t i = 0; i < sizeof(times) / sizeof(times[0]); i++)
                *times[i] += *times[i] ? now_ns() - begin : 0;
}

static void look_at_signal(struct watch *watch, int signal, int64_t now)
{
        if (signal == SIGCHLD)
                reap(watch);
        else if (watch->ended)
                return;
        else if (signal == SIGTSTP)
                suspend(watch);
        else if (signal == SIGUSR1 || signal == SIGUSR2)
                kill(watch->mpirun, signal); /* tells the ranks; MPICH's dies of SIGUSR2 */
        else
                pass_on(watch, signal, now);
}

static void look_at_signals(struct watch *watch, int64_t now)
{
        struct signalfd_siginfo info;
        while (read(watch->signals, &info, sizeof(info)) == sizeof(info))
                look_at_signal(watch, (int)info.ssi_signo, now);
}

/* ---- The run ---- */

static void kill_all(struct watch *watch)
{
        kill(-watch->mpirun, SIGKILL);
        waitpid(watch->mpirun, &watch->status, 0);
        watch->ended = true;
}

static bool is_due(int64_t time_ns, int64_t now)
{
        return time_ns && now >= time_ns;
}

static void look_at_start(struct watch *watch, int64_t now)
{
        char text[1024];
        if (watch->failed.rank != NOBODY || watch->signal ||
            !roster_overdue(watch->roster, now, text, sizeof(text)))
                return;
        fprintf(stderr, "lbrun: %s: the start is given up\n", text);
        watch->overdue = true;
        watch->kill_ns = now;
}

static void do_due(struct watch *watch, int64_t now)
{
        if (is_due(watch->tell_ns, now))
                tell_failed(watch);
        if (is_due(watch->pass_ns, now))
                pass_to_mpirun(watch, now);
        if (is_due(watch->orphan_ns, now)) {
                watch->orphan_ns = 0;
                watch->norphan = family_kill_orphans(watch->mpirun);
        }
        look_at_start(watch, now);
        if (is_due(watch->kill_ns, now))
                kill_all(watch);
}

static int timeout_ms(const struct watch *watch, int64_t now)
{
        int64_t until = earlier(watch->tell_ns, earlier(watch->orphan_ns, watch->kill_ns));
        until = earlier(until, watch->pass_ns);
        until = earlier(until, roster_due_ns(watch->roster, now));
        if (!until)
                return -1;
        return until <= now ? 0 : (int)((until - now) / 1000000 + 1);
}

/* News first: a rank's failure comes before what follows from it. */
static void follow(struct watch *watch)
{
        struct pollfd fd[] = { { .fd = watch->news, .events = POLLIN },
                               { .fd = roster_fd(watch->roster), .events = POLLIN },
                               { .fd = watch->signals, .events = POLLIN } };
        while (!watch->ended) {
                poll(fd, sizeof(fd) / sizeof(fd[0]), timeout_ms(watch, now_ns()));
                int64_t now = now_ns();
                look_at_news(watch, now);
                look_at_signals(watch, now);
                look_at_lost(watch, now);
                if (!watch->ended)
                        do_due(watch, now);
        }
        look_at_news(watch, now_ns());
        look_at_lost(watch, now_ns());
        if (watch->tell_ns && !watch->bereft)
                tell_failed(watch);
        else if (watch->tell_ns)
                watch->failed.rank = NOBODY;
}

/* ---- Its end ---- */

/* On one machine all ranks' ends are known, unless mpirun has killed keepers. */
static bool is_cut_short(const struct watch *watch)
{
        return watch->plan->nodes.virtual_nodes && watch->nended < watch->plan->job->nworker;
}

/* Of a rank that called MPI_Abort() and was killed before its end was known, mpirun has the code.
 */
static bool knows_better(const struct watch *watch)
{
        int code = code_of(watch->status);
        return watch->failed.rank != NOBODY && is_terminated(&watch->failed) && code &&
               code != code_of_news(&watch->failed);
}

static int exit_code(const struct watch *watch)
{
        int code = code_of(watch->status);
        if (watch->signal)
                return 128 + watch->signal;
        if (watch->overdue)
                return LBRUN_FAILED;
        if (watch->abandoned && watch->failed.rank == NOBODY)
                return 0;
        if (watch->failed.rank != NOBODY && !(code && is_follower(watch, &watch->failed)) &&
            !knows_better(watch))
                return code_of_news(&watch->failed);
        return code == 0 && is_cut_short(watch) ? 1 : code;
}

static void tell_mpirun(int status)
{
        if (WIFSIGNALED(status))
                fprintf(stderr, "lbrun: mpirun was ended by signal %d, %s\n", WTERMSIG(status),
                        strsignal(WTERMSIG(status)));
        else
                fprintf(stderr, "lbrun: mpirun ended with exit code %d\n", WEXITSTATUS(status));
}

static void tell_end(const struct watch *watch, int code)
{
        if (watch->signal) {
                fprintf(stderr, "lbrun: ended by signal %d, %s\n", watch->signal,
                        strsignal(watch->signal));
        } else if (watch->overdue) {
                return;
        } else if (code != 0 && (watch->failed.rank == NOBODY || knows_better(watch))) {
                if (watch->failed.rank == NOBODY && watch->quitter.rank != NOBODY &&
                    !watch->bereft && is_cut_short(watch))
                        tell_rank(watch, &watch->quitter, ", before all were done");
                tell_mpirun(watch->status);
        }
        if (watch->norphan > 0)
                fprintf(stderr, "lbrun: killed %" PRId32 " process%s left behind\n", watch->norphan,
                        watch->norphan > 1 ? "es" : "");
}

/* The program's output, or ours by mouth of the program. */
static int tell_outlet(int why, int code)
{
        if (!why)
                return code;
        fprintf(stderr, "lbrun: cannot write to standard output: %s\n", strerror(why));
        return code ? code : LBRUN_FAILED;
}

static int start(struct watch *watch, struct outlet *outlet, struct lb_error *err)
{
        char *const *word = watch->plan->command.word;
        if (family_adopt(err) < 0 ||
            start_process(word, outlet->out, &watch->mpirun, &watch->signals, err) < 0)
                return -1;
        if (outlet_start(outlet, err) == 0)
                return 0;
        kill_all(watch);
        return -1;
}

static int run(struct watch *watch, struct lb_error *err)
{
        struct outlet outlet;
        if (outlet_init(&outlet, err) < 0)
                return -1;
        if (start(watch, &outlet, err) < 0) {
                outlet_finish(&outlet, true);
                return -1;
        }
        follow(watch);
        watch->norphan += family_end();
        int why = outlet_finish(&outlet, watch->signal != 0);
        int code = exit_code(watch);
        tell_end(watch, code);
        return tell_outlet(why, code);
}

int watch_run(const struct plan *plan, struct lb_error *err)
{
        struct watch watch = { .plan = plan,
                               .signals = -1,
                               .roster = roster_create(plan, err),
                               .news = -1,
                               .quitter.rank = NOBODY,
                               .failed.rank = NOBODY };
        watch.news = watch.roster ? news_open(plan->job->id, err) : -1;
        int code = watch.news < 0 ? -1 : run(&watch, err);
        if (watch.news >= 0)
                close(watch.news);
        roster_destroy(watch.roster);
        if (watch.signals >= 0)
                close(watch.signals);
        return code;
}
