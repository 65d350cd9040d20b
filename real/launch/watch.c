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

#include "base/clock.h"
#include "real/control/job.h"
#include "real/launch/blame.h"
#include "real/launch/cause.h"
#include "real/launch/command.h"
#include "real/launch/contact.h"
#include "real/launch/exchange.h"
#include "real/launch/family.h"
#include "real/launch/legacy.h"
#include "real/launch/news.h"
#include "real/launch/obituary.h"
#include "real/launch/outlet.h"
#include "real/launch/plan.h"
#include "real/launch/roster.h"
#include "real/launch/start.h"
#include "real/node/lifeline.h"

static const int64_t second_ns = 1000000000;
enum { PATIENCE_S = 5, LBRUN_FAILED = 125 };

/* What mpirun prints, and who has died by that. */
struct outlets {
        struct outlet output, messages;
        struct obituary obituary;
};

/* Times are CLOCK_MONOTONIC; 0: never. */
struct watch {
        const struct plan *plan;
        pid_t mpirun;
        int signals, news;         /* descriptors */
        struct exchange *exchange; /* with other nodes; NULL: there are none */
        struct roster *roster;
        struct legacy *legacy;
        struct blame blame;
        struct obituary *obituary;
        int signal; /* what lbrun was told to end by; 0: nothing */
        bool ended; /* mpirun has, with this status */
        int status;
        bool overdue;      /* the start */
        bool ranks_ended;  /* all, as far as is known */
        int32_t norphan;   /* processes left behind and killed */
        int64_t pass_ns;   /* the signal on to mpirun: the ranks have had it */
        int64_t orphan_ns; /* kill what ranks have left behind */
        int64_t kill_ns;   /* kill all */
};

static int64_t earlier(int64_t a, int64_t b)
{
        return !a || (b && b < a) ? b : a;
}

/* ---- Ranks ---- */

/* mpirun then ends the others. */
static void take_failure(struct watch *watch, const struct news *news, int64_t now)
{
        if (blame_take(&watch->blame, news, now))
                watch->kill_ns = earlier(watch->kill_ns, now + PATIENCE_S * second_ns);
}

static void rank_ended(struct watch *watch, const struct news *news, int64_t now)
{
        take_failure(watch, news, now);
        if (watch->blame.nended < watch->plan->job->nworker)
                return;
        watch->orphan_ns = now + second_ns; /* mpirun has nothing to wait for but their output */
        watch->ranks_ended = true;
        watch->kill_ns = earlier(watch->kill_ns, now + 2 * PATIENCE_S * second_ns);
}

/* All that was to be done is done, reports included. */
static void look_at_stage(struct watch *watch, const struct news *news, int64_t now)
{
        if (news->value != LIFE_ABANDONED || watch->blame.abandoned)
                return;
        char rank[512];
        watch->blame.abandoned = true;
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
                watch->blame.bereft = true;
        else
                take_failure(watch, news, now);
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
        else if (news->kind == NEWS_ENDS || news->kind == NEWS_OTHER)
                take_failure(watch, news, now);
        else if (news->kind == NEWS_STAGE)
                look_at_stage(watch, news, now);
        else if (news->kind == NEWS_STARTER)
                starter_died(watch, news, now);
        else if (news->kind == NEWS_SILENT || news->kind == NEWS_LONG_TASK)
                tell_still(watch, news);
        else if (news->kind == NEWS_KEEPER)
                rank_ended(watch, news, now);
}

static bool next_news(struct watch *watch, struct news *news)
{
        int passed;
        while (news_receive(watch->news, news, &passed)) {
                legacy_take(watch->legacy, news, passed);
                if (news->kind < NEWS_BEAT)
                        return true;
        }
        return watch->exchange && exchange_receive(watch->exchange, news);
}

static void look_at_news(struct watch *watch, int64_t now)
{
        struct news news;
        while (next_news(watch, &news))
                if (news.kind == NEWS_ESTATE)
                        legacy_receive(watch->legacy, &news, exchange_take_estate(watch->exchange));
                else if (news.kind == NEWS_LEFT && news.node >= 0)
                        watch->norphan += news.value;
                else if (roster_take(watch->roster, &news))
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
        roster_look(watch->roster);
        look_at_news(watch, now); /* a keeper's last words come before its end */
        watch->blame.bereft |= mpirun_was_killed(watch);
        while (roster_lost(watch->roster, &lost))
                rank_ended(watch, &lost, now);
}

/* ---- Nodes ---- */

static void node_lost(struct watch *watch, int32_t node, const char *text, int64_t now)
{
        if (blame_node(&watch->blame, node, text, now))
                watch->kill_ns = earlier(watch->kill_ns, now + PATIENCE_S * second_ns);
}

static void look_at_nodes(struct watch *watch, int64_t now)
{
        char text[256];
        int32_t node;
        while (watch->exchange && exchange_lost(watch->exchange, now, &node, text, sizeof(text)))
                node_lost(watch, node, text, now);
        while (watch->exchange && exchange_still(watch->exchange, &node, text, sizeof(text)))
                fprintf(stderr, "lbrun: host %s, node %" PRId32 ", %s\n",
                        watch->plan->nodes.name[node], node, text);
}

/* Did a node break away when the first rank failed, or, where none has, before mpirun ended? */
static void look_for_cause(struct watch *watch, int64_t now)
{
        static const int64_t moment_ns = 250000000;
        bool failed = watch->blame.failed.rank >= 0;
        int64_t until = failed ? watch->blame.failed_ns + moment_ns : now;
        int32_t node = watch->exchange ? exchange_broken(watch->exchange, until) : -1;
        if (node >= 0)
                node_lost(watch, node, "is gone: its connection has broken", now);
}

/* Of several nodes, and MPICH's launcher. What mpirun has printed is read a moment later. */
static void look_for_first(struct watch *watch)
{
        enum { ROUNDS = 20 };
        static const struct timespec moment = { .tv_nsec = 50000000 };
        struct news first;
        const char *host = obituary_host(watch->obituary);
        if (!watch->exchange || !blame_is_open(&watch->blame) ||
            watch->plan->program.mpi != MPI_MPICH || command_is_srun(watch->plan))
                return;
        for (int round = 0; watch->ended && !host && round < ROUNDS; round++) {
                nanosleep(&moment, NULL);
                host = obituary_host(watch->obituary);
        }
        int32_t node = host ? nodes_find(&watch->plan->nodes, host) : -1;
        if (watch->blame.failed.kind == NEWS_ENDS &&
            node == job_node_of(watch->plan->job, watch->blame.failed.rank))
                return; /* keepers of it are killed for that rank */
        if (node >= 0 && roster_first_failed(watch->roster, node, &first))
                blame_first(&watch->blame, &first);
}

/* ---- Signals ---- */

static void reap(struct watch *watch)
{
        int status;
        for (pid_t pid; (pid = waitpid(-1, &status, WNOHANG)) > 0;) {
                if (pid != watch->mpirun) {
                        roster_orphaned(watch->roster, pid);
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

static int32_t signal_ranks(struct watch *watch, int signal)
{
        int32_t count = roster_signal(watch->roster, signal);
        return count + (watch->exchange ? exchange_signal(watch->exchange, signal) : 0);
}

/* To the ranks first, which write what there is; mpirun would not leave them the time for it. */
static void pass_on(struct watch *watch, int signal, int64_t now)
{
        bool again = watch->signal != 0;
        watch->signal = signal;
        watch->blame.over = true;
        if (again)
                watch->kill_ns = now;
        else if (signal != SIGQUIT && signal_ranks(watch, signal) > 0)
                watch->pass_ns = now + PATIENCE_S * second_ns;
        else
                pass_to_mpirun(watch, now);
}

/* Ctrl-Z: all of the job, not lbrun alone. mpirun passes it on to other machines, which takes it a
 * moment. What is to be done in time is put off. */
static void suspend(struct watch *watch)
{
        int64_t *times[] = { &watch->blame.tell_ns, &watch->pass_ns, &watch->orphan_ns,
                             &watch->kill_ns };
        int64_t begin = clock_ns();
        if (!watch->plan->nodes.virtual_nodes) {
                kill(watch->mpirun, SIGTSTP);
                nanosleep(&(struct timespec){ .tv_nsec = 200000000 }, NULL);
        }
        family_signal(SIGSTOP);
        raise(SIGSTOP);
        family_signal(SIGCONT);
        for (size_t i = 0; i < sizeof(times) / sizeof(times[0]); i++)
                *times[i] += *times[i] ? clock_ns() - begin : 0;
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

/* Of ranks that have all ended well nothing failed but what was to pass on their output. */
static void give_up_mpirun(struct watch *watch)
{
        kill_all(watch);
        if (!watch->ranks_ended || watch->signal || watch->blame.failed.rank >= 0)
                return;
        watch->blame.abandoned = true;
        fprintf(stderr,
                "lbrun: mpirun has not ended, long after all ranks had: it is killed, and what it "
                "has not passed on of their output is lost\n");
}

static bool is_due(int64_t time_ns, int64_t now)
{
        return time_ns && now >= time_ns;
}

static void look_at_start(struct watch *watch, int64_t now)
{
        char text[1024];
        if (watch->blame.failed.rank >= 0 || watch->signal ||
            !roster_overdue(watch->roster, now, text, sizeof(text)))
                return;
        fprintf(stderr, "lbrun: %s: the start is given up\n", text);
        watch->overdue = watch->blame.over = true;
        watch->kill_ns = now;
}

static void do_due(struct watch *watch, int64_t now)
{
        look_at_nodes(watch, now);
        if (is_due(watch->blame.tell_ns, now)) {
                look_for_cause(watch, now);
                look_for_first(watch);
                if (watch->blame.tell_ns)
                        blame_tell(&watch->blame);
        }
        if (is_due(watch->pass_ns, now))
                pass_to_mpirun(watch, now);
        if (is_due(watch->orphan_ns, now)) {
                watch->orphan_ns = 0;
                if (family_is_stopped(watch->mpirun)) /* it has their output yet */
                        kill(-watch->mpirun, SIGCONT);
                watch->norphan += family_kill_orphans(watch->mpirun);
                if (watch->exchange)
                        exchange_signal(watch->exchange, CONTACT_END);
        }
        look_at_start(watch, now);
        if (is_due(watch->kill_ns, now))
                give_up_mpirun(watch);
}

static int timeout_ms(const struct watch *watch, int64_t now)
{
        int64_t until = earlier(watch->blame.tell_ns, earlier(watch->orphan_ns, watch->kill_ns));
        until = earlier(until, watch->pass_ns);
        until = earlier(until, roster_due_ns(watch->roster, now));
        if (watch->exchange)
                until = earlier(until, exchange_due_ns(watch->exchange, now));
        if (!until)
                return -1;
        return until <= now ? 0 : (int)((until - now) / 1000000 + 1);
}

/* Every node answers, or says that it leaves. */
static void await_words(struct watch *watch)
{
        enum { ROUNDS = 30 };
        static const struct timespec moment = { .tv_nsec = 100000000 };
        exchange_ask(watch->exchange);
        for (int round = 0; round < ROUNDS; round++) {
                nanosleep(&moment, NULL);
                look_at_news(watch, clock_ns());
                bool told = watch->blame.failed.rank >= 0 && !watch->blame.tell_ns;
                if (told || exchange_answered(watch->exchange))
                        return;
        }
        int32_t silent = exchange_silent(watch->exchange);
        if (silent >= 0)
                node_lost(watch, silent, "does not answer: it is down, hung, or cut off",
                          clock_ns());
}

/* mpirun may be quicker to end than news of other nodes to come. */
static void await_causes(struct watch *watch)
{
        bool well = WIFEXITED(watch->status) && WEXITSTATUS(watch->status) == 0;
        int64_t ended = clock_ns();
        bool told = watch->blame.failed.rank >= 0 && !watch->blame.tell_ns;
        if (!watch->exchange || well || watch->blame.over || told)
                return;
        await_words(watch);
        if (watch->blame.failed.rank < 0 || watch->blame.tell_ns)
                look_for_cause(watch, ended);
}

/* What ranks of other nodes have left, of a job that had no good end: as long as some of it comes.
 */
static void await_estates(struct watch *watch)
{
        enum { ROUNDS = 150 };
        static const struct timespec moment = { .tv_nsec = 20000000 };
        bool well = WIFEXITED(watch->status) && WEXITSTATUS(watch->status) == 0;
        bool lost = watch->blame.failed.rank >= 0 && watch->blame.failed.kind == NEWS_NODE;
        if (!watch->exchange || well || lost || !legacy_is_wanted(watch->legacy))
                return;
        exchange_signal(watch->exchange, CONTACT_ESTATES);
        struct pollfd fd = { .fd = exchange_fd(watch->exchange), .events = POLLIN };
        for (int round = 0; round < ROUNDS && !exchange_has_estates(watch->exchange); round++) {
                int64_t before = exchange_estate_bytes(watch->exchange);
                if (poll(&fd, 1, 0) != 1)
                        nanosleep(&moment, NULL);
                look_at_news(watch, clock_ns());
                if (exchange_estate_bytes(watch->exchange) > before)
                        round = 0;
        }
}

/* News first: a rank's failure comes before what follows from it. */
static void follow(struct watch *watch)
{
        struct pollfd fd[] = { { .fd = watch->news, .events = POLLIN },
                               { .fd = roster_fd(watch->roster), .events = POLLIN },
                               { .fd = watch->signals, .events = POLLIN },
                               { .fd = watch->exchange ? exchange_fd(watch->exchange) : -1,
                                 .events = POLLIN } };
        while (!watch->ended) {
                poll(fd, sizeof(fd) / sizeof(fd[0]), timeout_ms(watch, clock_ns()));
                int64_t now = clock_ns();
                look_at_news(watch, now);
                look_at_signals(watch, now);
                look_at_lost(watch, now);
                if (!watch->ended)
                        do_due(watch, now);
        }
        await_causes(watch);
        look_at_news(watch, clock_ns());
        look_at_lost(watch, clock_ns());
        look_for_first(watch);
        blame_settle(&watch->blame, watch->status);
        await_estates(watch);
}

/* ---- Its end ---- */

static bool is_node_lost(const struct watch *watch)
{
        return watch->blame.failed.rank >= 0 && watch->blame.failed.kind == NEWS_NODE;
}

static int exit_code(const struct watch *watch)
{
        if (watch->signal)
                return 128 + watch->signal;
        return watch->overdue ? LBRUN_FAILED : blame_code(&watch->blame, watch->status);
}

static void note_cause(const struct watch *watch)
{
        char *text = watch->legacy->ended_by;
        const size_t size = sizeof(watch->legacy->ended_by);
        blame_describe(&watch->blame, text, size);
        if (watch->signal)
                cause_signal(text, size, "lbrun", watch->signal);
        else if (!text[0] && WIFSIGNALED(watch->status))
                cause_signal(text, size, "mpirun", WTERMSIG(watch->status));
}

static void tell_end(const struct watch *watch)
{
        note_cause(watch);
        if (watch->signal)
                fprintf(stderr, "lbrun: ended by signal %d, %s\n", watch->signal,
                        strsignal(watch->signal));
        else if (!watch->overdue)
                blame_tell_mpirun(&watch->blame, watch->status);
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

static int start(struct watch *watch, struct outlets *outlets, struct lb_error *err)
{
        char *const *word = watch->plan->command.word;
        if (outlet_init(&outlets->output, STDOUT_FILENO, err) < 0 ||
            outlet_init(&outlets->messages, STDERR_FILENO, err) < 0 || family_adopt(err) < 0)
                return -1;
        outlets->output.obituary = &outlets->obituary;
        const int out[2] = { outlets->output.out, outlets->messages.out };
        if (start_process(word, out, &watch->mpirun, &watch->signals, err) < 0)
                return -1;
        if (outlet_start(&outlets->output, err) == 0 && outlet_start(&outlets->messages, err) == 0)
                return 0;
        kill_all(watch);
        return -1;
}

/* Returns why some of the output could not be written; of messages nobody would hear. */
static int finish(struct outlets *outlets, bool at_once)
{
        int why = outlet_finish(&outlets->output, at_once);
        outlet_finish(&outlets->messages, at_once);
        if (outlets->output.held || outlets->messages.held)
                fputs("lbrun: a process that is not of the job holds its output open: what it "
                      "prints from here on is not passed on\n",
                      stderr);
        return why;
}

static int run(struct watch *watch, struct lb_error *err)
{
        static struct outlets outlets; /* a thread that waits to write may be left behind */
        watch->obituary = &outlets.obituary;
        if (start(watch, &outlets, err) < 0) {
                finish(&outlets, true);
                return -1;
        }
        follow(watch);
        exchange_close(watch->exchange); /* nodes clean up */
        watch->exchange = NULL;
        watch->norphan += family_end();
        int why = finish(&outlets, watch->signal != 0 || is_node_lost(watch));
        int code = exit_code(watch);
        tell_end(watch);
        return tell_outlet(why, code);
}

int watch_run(const struct plan *plan, struct exchange *exchange, struct legacy *legacy,
              struct lb_error *err)
{
        struct watch watch = { .plan = plan,
                               .signals = -1,
                               .roster = roster_create(plan, err),
                               .news = -1,
                               .legacy = legacy,
                               .exchange = exchange };
        blame_init(&watch.blame, plan);
        watch.blame.apart = exchange != NULL;
        watch.news = watch.roster ? news_open(plan->job->id, err) : -1;
        int code = watch.news < 0 ? -1 : run(&watch, err);
        if (watch.news >= 0)
                close(watch.news);
        roster_destroy(watch.roster);
        exchange_close(watch.exchange);
        if (watch.signals >= 0)
                close(watch.signals);
        return code;
}
