/* SPDX-License-Identifier: BSD-3-Clause */
#include "real/launch/blame.h"

#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/text.h"
#include "real/control/job.h"
#include "real/launch/cause.h"
#include "real/launch/command.h"
#include "real/launch/plan.h"

static const int64_t second_ns = 1000000000;
static const int64_t apart_ns = 400000000;
enum { NOBODY = -1, MOMENT_S = 1, PATIENCE_S = 5, MPIRUN_FAILED = 255, OTHER_MPI_ERROR = 15 };

void blame_init(struct blame *blame, const struct plan *plan)
{
        *blame = (struct blame){ .plan = plan,
                                 .quitter.rank = NOBODY,
                                 .failed.rank = NOBODY,
                                 .doubted.rank = NOBODY,
                                 .seen = NOBODY };
}

/* ---- Words ---- */

static void describe_node(const struct blame *blame, int32_t rank, char *text, size_t size)
{
        const struct job *job = blame->plan->job;
        int32_t node = job_node_of(job, rank);
        int32_t count = job->shape.node_first[node + 1] - job->shape.node_first[node];
        snprintf(text, size, "host %s, node %" PRId32 ", %s; with it rank%s %" PRId32,
                 blame->plan->nodes.name[node], node, blame->lost, lb_s(count), rank);
        if (count > 1)
                lb_text_add(text, size, " to %" PRId32, rank + count - 1);
}

static void describe(const struct blame *blame, const struct news *news, char *text, size_t size)
{
        char rank[512];
        if (news->kind == NEWS_NODE) {
                describe_node(blame, news->rank, text, size);
                return;
        }
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
        else if (news->kind == NEWS_OTHER)
                snprintf(text, size,
                         "%s: its node has another program at '%.300s' than the node "
                         "of lbrun",
                         rank, blame->plan->program.path);
        else
                cause_rank(text, size, rank, news->kind == NEWS_ENDS, news->value, news->pid);
}

static void tell_rank(const struct blame *blame, const struct news *news, const char *more)
{
        char text[1024];
        describe(blame, news, text, sizeof(text));
        fprintf(stderr, "lbrun: %s%s\n", text, more);
}

void blame_describe(const struct blame *blame, char *text, size_t size)
{
        text[0] = '\0';
        if (blame->failed.rank != NOBODY)
                describe(blame, &blame->failed, text, size);
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

/* It has seen that another has died, or may have. */
static bool says_so(const struct news *news)
{
        return (news->kind == NEWS_ENDED || news->kind == NEWS_ENDS) && news->last;
}

/* A rank that mpirun kills has done nothing wrong where another has ended without a word to the
 * others, MPI_Finalize() left out, which mpirun takes for a failure; nor has one that writes to a
 * daemon of MPI's which has gone for it. */
static bool is_follower(const struct blame *blame, const struct news *news)
{
        int signal = WIFSIGNALED(news->value) ? WTERMSIG(news->value) : 0;
        bool follows = signal == SIGKILL || signal == SIGTERM || signal == SIGPIPE || says_so(news);
        return news->kind != NEWS_STARTER && news->kind != NEWS_NODE && news->kind != NEWS_ENDS &&
               follows && blame->quitter.rank != news->rank;
}

/* Open MPI ends the others so when a rank calls MPI_Abort(), which itself may end later. */
static bool is_terminated(const struct news *news)
{
        return news->kind == NEWS_ENDED && WIFSIGNALED(news->value) &&
               WTERMSIG(news->value) == SIGTERM;
}

static bool is_killed(const struct news *news)
{
        return news->kind == NEWS_ENDED && WIFSIGNALED(news->value) &&
               WTERMSIG(news->value) == SIGKILL;
}

/* A library that reads another rank's memory (UCX) aborts where that one dies, whose end the kernel
 * tells only when all its memory is given back. */
static bool is_aborted(const struct news *news)
{
        return (news->kind == NEWS_ENDED || news->kind == NEWS_ENDS) && WIFSIGNALED(news->value) &&
               WTERMSIG(news->value) == SIGABRT;
}

/* MPICH's launcher kills keepers with their ranks: a rank that was killed, and its keeper not, was
 * so before, and may be known later, from another node. */
static bool leads_keepers(const struct blame *blame, const struct news *news)
{
        return blame->tell_ns && blame->plan->program.mpi == MPI_MPICH &&
               blame->failed.kind == NEWS_KEEPER && (is_killed(news) || is_terminated(news)) &&
               !says_so(news);
}

/* Open MPI tells ranks to end as soon as a rank or a keeper is killed, which may be known later.
 * Where a rank has ended by itself before, it is the launcher that kills the keeper, for not ending
 * soon. A rank whose keeper lives to tell that it was killed is not killed by a launcher. */
static bool leads(const struct blame *blame, const struct news *news)
{
        if (says_so(&blame->failed) && news->rank == blame->seen && blame->tell_ns)
                return true;
        if (says_so(&blame->failed) && blame->failed.kind == NEWS_ENDS && blame->tell_ns)
                return is_killed(news); /* a keeper may be killed for it */
        if (is_aborted(&blame->failed) && blame->tell_ns)
                return is_killed(news);
        if (leads_keepers(blame, news))
                return true;
        return (news->kind == NEWS_KEEPER || (is_killed(news) && blame->tell_ns)) &&
               is_terminated(&blame->failed) && blame->quitter.rank == blame->failed.rank &&
               blame->plan->program.mpi == MPI_OPENMPI;
}

void blame_tell(struct blame *blame)
{
        blame->tell_ns = 0;
        if (blame->quitter.rank != NOBODY && is_follower(blame, &blame->failed))
                tell_rank(blame, &blame->quitter, ", before all were done");
        tell_rank(blame, &blame->failed, "");
}

static int64_t wait_ns(const struct blame *blame, const struct news *news)
{
        if (news->kind == NEWS_KEEPER)
                return PATIENCE_S * second_ns; /* mpirun's end is awaited */
        bool openmpi = blame->plan->program.mpi == MPI_OPENMPI;
        if (blame->apart && (says_so(news) || (is_terminated(news) && openmpi)))
                return PATIENCE_S * second_ns; /* the same, and news of all nodes */
        if (is_terminated(news) || is_aborted(news) || says_so(news))
                return MOMENT_S * second_ns;
        bool of_rank = news->kind == NEWS_ENDED || news->kind == NEWS_ENDS;
        return blame->apart && of_rank ? apart_ns : 0;
}

/* Another rank's end changes nothing. */
static bool is_certain(const struct news *news)
{
        return news->kind != NEWS_KEEPER && !is_terminated(news) && !is_aborted(news) &&
               !says_so(news);
}

/* A keeper tells of a rank that aborts half a second before the launcher can know, and of one that
 * ends the job in doubt before the launcher kills keepers for it. */
static bool is_for_failed(const struct blame *blame, const struct news *news)
{
        const struct news *failed = &blame->failed;
        bool killed = failed->kind == NEWS_KEEPER && blame->plan->program.mpi == MPI_MPICH;
        if (is_aborted(news))
                return is_aborted(failed) || killed;
        return news->kind == NEWS_KEEPER && failed->kind == NEWS_ENDS && says_so(failed);
}

static bool take_failure(struct blame *blame, const struct news *news, int64_t now)
{
        bool first = blame->failed.rank == NOBODY;
        if (!first && leads(blame, news))
                blame->quitter = *news;
        else if (!first &&
                 (!blame->tell_ns || is_certain(&blame->failed) || is_follower(blame, news) ||
                  says_so(news) || is_for_failed(blame, news)))
                return false;
        blame->failed = *news;
        if (first)
                blame->failed_ns = now;
        if (wait_ns(blame, news) > 0 && (first || is_certain(news)))
                blame->tell_ns = now + wait_ns(blame, news);
        else if (wait_ns(blame, news) == 0)
                blame_tell(blame);
        return first;
}

/* What mpirun does to ranks that are done, or that it has lost, is no failure of theirs. */
static bool has_failed(const struct blame *blame, const struct news *news)
{
        if (blame->over || blame->bereft)
                return false;
        if (news->kind == NEWS_ENDS || news->kind == NEWS_STARTER || news->kind == NEWS_OTHER)
                return true;
        return news->value != 0 && !(blame->abandoned && WIFSIGNALED(news->value));
}

bool blame_node(struct blame *blame, int32_t node, const char *text, int64_t now)
{
        const struct job *job = blame->plan->job;
        bool first = blame->failed.rank == NOBODY;
        if (blame->over || blame->bereft || (!first && !blame->tell_ns))
                return false;
        blame->failed = (struct news){ .kind = NEWS_NODE,
                                       .rank = job->shape.node_first[node],
                                       .value = SIGKILL,
                                       .node = node };
        blame->failed_ns = first ? now : blame->failed_ns;
        snprintf(blame->lost, sizeof(blame->lost), "%s", text);
        blame_tell(blame);
        return first;
}

bool blame_is_open(const struct blame *blame)
{
        return blame->tell_ns && !is_certain(&blame->failed);
}

void blame_first(struct blame *blame, const struct news *first)
{
        blame->failed = blame->quitter = *first;
}

bool blame_take(struct blame *blame, const struct news *news, int64_t now)
{
        bool ends = news->kind == NEWS_ENDED || news->kind == NEWS_KEEPER;
        if (ends && blame->nended++ == 0)
                blame->quitter = *news;
        if (news->kind == NEWS_ENDED && news->seen > 0 && blame->seen == NOBODY)
                blame->seen = news->seen - 1;
        if (news->kind == NEWS_ENDS && news->last && blame->doubted.rank == NOBODY)
                blame->doubted = *news;
        return has_failed(blame, news) && take_failure(blame, news, now);
}

/* ---- mpirun's end ---- */

/* On one machine all ranks' ends are known, unless mpirun has killed keepers. */
static bool is_cut_short(const struct blame *blame)
{
        return blame->plan->nodes.virtual_nodes && blame->nended < blame->plan->job->nworker;
}

static bool has_this_host(const struct plan *plan)
{
        for (int32_t n = 0; n < plan->nodes.nnode; n++)
                if (nodes_is_here(&plan->nodes, n))
                        return true;
        return false;
}

/* srun may end with 0 where it could launch nothing. Of ranks on this machine the ends are known.
 */
static bool has_begun(const struct blame *blame)
{
        return !command_is_srun(blame->plan) || blame->nended > 0 || blame->failed.rank != NOBODY ||
               !has_this_host(blame->plan);
}

/* Of a rank that ended the job and was killed before that was known, mpirun has the code: MPICH
 * kills all ranks, and with them their keepers, where one calls MPI_Abort(), or MPI itself does. Of
 * a rank that somebody else kills MPICH's makes SIGKILL, or the number of that signal, or has the
 * code of a survivor that aborts, or whose MPI fails; it tells no rank to end. Slurm's srun tells
 * ranks to end by SIGTERM first, and has the code of any of them. */
static bool knows_better(const struct blame *blame, int status)
{
        int code = code_of(status);
        if (blame->failed.rank == NOBODY || !code || code == code_of_news(&blame->failed))
                return false;
        if (blame->failed.rank == blame->seen)
                return false;
        bool terminated = is_terminated(&blame->failed);
        if (terminated && (command_is_srun(blame->plan) || blame->plan->program.mpi != MPI_MPICH))
                return true;
        if (command_is_srun(blame->plan) || !WIFEXITED(status) || code == SIGKILL ||
            code == 128 + SIGABRT || code == MPIRUN_FAILED)
                return false;
        return blame->failed.kind == NEWS_KEEPER ||
               ((terminated || is_killed(&blame->failed)) && code != OTHER_MPI_ERROR);
}

void blame_settle(struct blame *blame, int status)
{
        if (!blame->tell_ns)
                return;
        if (blame->failed.kind == NEWS_KEEPER && blame->doubted.rank != NOBODY &&
            blame->failed.rank != blame->seen && code_of(status) == code_of_news(&blame->doubted))
                blame->failed = blame->quitter = blame->doubted; /* keepers were killed for it */
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
        if (code == 0 && !has_begun(blame))
                return MPIRUN_FAILED;
        return code == 0 && is_cut_short(blame) ? 1 : code;
}

static void tell_end(const char *launcher, int status)
{
        if (WIFSIGNALED(status))
                fprintf(stderr, "lbrun: %s was ended by signal %d, %s\n", launcher,
                        WTERMSIG(status), strsignal(WTERMSIG(status)));
        else
                fprintf(stderr, "lbrun: %s ended with exit code %d\n", launcher,
                        WEXITSTATUS(status));
}

void blame_tell_mpirun(const struct blame *blame, int status)
{
        bool failed = blame->failed.rank != NOBODY;
        if (blame_code(blame, status) == 0 || (failed && !knows_better(blame, status)))
                return;
        if (!failed && blame->quitter.rank != NOBODY && blame->quitter.kind != NEWS_KEEPER &&
            !blame->bereft && is_cut_short(blame))
                tell_rank(blame, &blame->quitter, ", before all were done");
        if (!has_begun(blame))
                fputs("lbrun: no rank has begun\n", stderr);
        tell_end(command_is_srun(blame->plan) ? "srun" : "mpirun", status);
}
