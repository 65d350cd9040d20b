/* SPDX-License-Identifier: BSD-3-Clause */
#include "real/launch/blame.h"

#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>

#include "real/control/job.h"
#include "real/launch/plan.h"

static const int64_t second_ns = 1000000000;
enum { NOBODY = -1, MOMENT_S = 1, PATIENCE_S = 5 };

void blame_init(struct blame *blame, const struct plan *plan)
{
        *blame = (struct blame){ .plan = plan, .quitter.rank = NOBODY, .failed.rank = NOBODY };
}

/* ---- Words ---- */

static void describe(const struct blame *blame, const struct news *news, char *text, size_t size)
{
        char rank[512];
        plan_describe_rank(blame->plan, news->rank, rank, sizeof(rank));
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
                snprintf(text, size, "%s, ended %swith exit code %d (process %" PRId32 ")", rank,
                         news->kind == NEWS_ENDS ? "the job " : "", WEXITSTATUS(news->value),
                         news->pid);
}

static void tell_rank(const struct blame *blame, const struct news *news, const char *more)
{
        char text[1024];
        describe(blame, news, text, sizeof(text));
        fprintf(stderr, "lbrun: %s%s\n", text, more);
}

/* ---- Who follows, who leads ---- */

static int code_of(int status)
{
        return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

/* How MPI's own processes were ended is not known: nothing but SIGKILL is likely. Who ends the job
 * before all are done fails, whatever it says. */
static int code_of_news(const struct news *news)
{
        int code = code_of(news->kind == NEWS_STARTER ? SIGKILL : news->value);
        return code == 0 && news->kind == NEWS_ENDS ? 1 : code;
}

/* A rank that mpirun kills has done nothing wrong where another has ended without a word to the
 * others, MPI_Finalize() left out, which mpirun takes for a failure. */
static bool is_follower(const struct blame *blame, const struct news *news)
{
        int signal = WIFSIGNALED(news->value) ? WTERMSIG(news->value) : 0;
        return news->kind != NEWS_STARTER && (signal == SIGKILL || signal == SIGTERM) &&
               blame->quitter.rank != news->rank;
}

/* Open MPI ends the others so when a rank calls MPI_Abort(), which itself may end later. */
static bool is_terminated(const struct news *news)
{
        return news->kind == NEWS_ENDED && WIFSIGNALED(news->value) &&
               WTERMSIG(news->value) == SIGTERM;
}

/* Open MPI tells ranks to end as soon as a keeper is killed, which may be known later. Where a rank
 * has ended by itself before, it is the launcher that kills the keeper, for not ending soon. */
static bool leads(const struct blame *blame, const struct news *news)
{
        return news->kind == NEWS_KEEPER && is_terminated(&blame->failed) &&
               blame->quitter.rank == blame->failed.rank && blame->plan->program.mpi == MPI_OPENMPI;
}

void blame_tell(struct blame *blame)
{
        blame->tell_ns = 0;
        if (is_follower(blame, &blame->failed))
                tell_rank(blame, &blame->quitter, ", before all were done");
        tell_rank(blame, &blame->failed, "");
}

static int64_t wait_s(const struct news *news)
{
        if (news->kind == NEWS_KEEPER)
                return PATIENCE_S; /* mpirun's end is awaited */
        return is_terminated(news) ? MOMENT_S : 0;
}

static bool take_failure(struct blame *blame, const struct news *news, int64_t now)
{
        bool first = blame->failed.rank == NOBODY;
        if (!first && leads(blame, news))
                blame->quitter = *news;
        else if (!first && (!blame->tell_ns || is_follower(blame, news)))
                return false;
        blame->failed = *news;
        if (first && wait_s(news) > 0)
                blame->tell_ns = now + wait_s(news) * second_ns;
        else if (wait_s(news) == 0)
                blame_tell(blame);
        return first;
}

/* What mpirun does to ranks that are done, or that it has lost, is no failure of theirs. */
static bool has_failed(const struct blame *blame, const struct news *news)
{
        if (blame->over || blame->bereft)
                return false;
        if (news->kind == NEWS_ENDS || news->kind == NEWS_STARTER)
                return true;
        return news->value != 0 && !(blame->abandoned && WIFSIGNALED(news->value));
}

bool blame_take(struct blame *blame, const struct news *news, int64_t now)
{
        bool ends = news->kind == NEWS_ENDED || news->kind == NEWS_KEEPER;
        if (ends && blame->nended++ == 0)
                blame->quitter = *news;
        return has_failed(blame, news) && take_failure(blame, news, now);
}

/* ---- mpirun's end ---- */

/* On one machine all ranks' ends are known, unless mpirun has killed keepers. */
static bool is_cut_short(const struct blame *blame)
{
        return blame->plan->nodes.virtual_nodes && blame->nended < blame->plan->job->nworker;
}

/* Of a rank that ended the job and was killed before that was known, mpirun has the code. Of one
 * that is killed with its keeper MPICH's makes SIGKILL, or the number of that signal. */
static bool knows_better(const struct blame *blame, int status)
{
        int code = code_of(status);
        if (blame->failed.rank == NOBODY || !code || code == code_of_news(&blame->failed))
                return false;
        return is_terminated(&blame->failed) ||
               (blame->failed.kind == NEWS_KEEPER && WIFEXITED(status) && code != SIGKILL);
}

void blame_settle(struct blame *blame, int status)
{
        if (!blame->tell_ns)
                return;
        if (blame->bereft || (blame->failed.kind == NEWS_KEEPER && knows_better(blame, status)))
                blame->failed.rank = NOBODY;
        else
                blame_tell(blame);
        blame->tell_ns = 0;
}

int blame_code(const struct blame *blame, int status)
{
        int code = code_of(status);
        bool failed = blame->failed.rank != NOBODY;
        if (blame->abandoned && !failed)
                return 0;
        if (failed && !(code && is_follower(blame, &blame->failed)) && !knows_better(blame, status))
                return code_of_news(&blame->failed);
        return code == 0 && is_cut_short(blame) ? 1 : code;
}

static void tell_end(int status)
{
        if (WIFSIGNALED(status))
                fprintf(stderr, "lbrun: mpirun was ended by signal %d, %s\n", WTERMSIG(status),
                        strsignal(WTERMSIG(status)));
        else
                fprintf(stderr, "lbrun: mpirun ended with exit code %d\n", WEXITSTATUS(status));
}

void blame_tell_mpirun(const struct blame *blame, int status)
{
        bool failed = blame->failed.rank != NOBODY;
        if (blame_code(blame, status) == 0 || (failed && !knows_better(blame, status)))
                return;
        if (!failed && blame->quitter.rank != NOBODY && blame->quitter.kind != NEWS_KEEPER &&
            !blame->bereft && is_cut_short(blame))
                tell_rank(blame, &blame->quitter, ", before all were done");
        tell_end(status);
}
