/* SPDX-License-Identifier: BSD-3-Clause */
#include "real/launch/keeper.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "real/control/job.h"
#include "real/launch/debris.h"
#include "real/launch/family.h"
#include "real/launch/ignored.h"
#include "real/launch/janitor.h"
#include "real/launch/news.h"
#include "real/launch/memory_group.h"
#include "real/launch/post.h"
#include "real/launch/program.h"
#include "real/launch/pulse.h"
#include "real/node/board.h"
#include "real/node/lifeline.h"

enum { KEEPER_FAILED = 125, PROGRAM_FAILED = 126, LOOK_S = 1 };

static const int caught[] = { SIGCHLD, SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGUSR1, SIGUSR2 };

struct keeper {
        const struct job *job;
        int32_t rank;
        struct post_office office;
        pid_t starter, pid; /* who started the keeper; the program */
        char starter_name[32];
        struct lifeline *line; /* NULL: there is none */
        int line_fd;
        struct pulse pulse;
        enum life_stage stage; /* as lbrun knows it */
        bool foretold;         /* the end, and lbrun knows it */
        int64_t memory_kills;  /* of the control group at the begin */
};

static bool tell(struct keeper *keeper, enum news_kind kind, int32_t value, bool last)
{
        struct news news = { .kind = (int32_t)kind,
                             .rank = keeper->rank,
                             .pid = keeper->pid,
                             .value = value,
                             .last = last };
        if (kind == NEWS_ENDED && keeper->line)
                news.seen = atomic_load(&keeper->line->seen);
        if (kind == NEWS_STARTER)
                memcpy(news.what, keeper->starter_name, sizeof(news.what));
        return post_send(&keeper->office, &news);
}

/* Where there is no lbrun on this machine. */
static void say(const struct keeper *keeper, const char *what)
{
        char host[256] = "";
        gethostname(host, sizeof(host) - 1);
        fprintf(stderr, "lbrun: rank %d on host %s %s (process %d)\n", (int)keeper->rank, host,
                what, (int)keeper->pid);
}

/* ---- The program ---- */

static void become(const struct keeper *keeper, char *const *program, const sigset_t *mask,
                   pid_t parent)
{
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        if (getppid() != parent)
                _exit(KEEPER_FAILED);
        lifeline_pass(keeper->line_fd);
        sigprocmask(SIG_SETMASK, mask, NULL);
        signal(SIGXFSZ, SIG_IGN); /* the runtime writes files of its own, and says what failed */
        execv(program[0], program);
        fprintf(stderr, "lbrun: program '%s' cannot be run: %s\n", program[0], strerror(errno));
        _exit(PROGRAM_FAILED);
}

/* The first of its node: one does for all what is to be done once there. */
static bool is_first(const struct keeper *keeper)
{
        int32_t node = keeper->office.node;
        return node >= 0 && keeper->rank == keeper->job->shape.node_first[node];
}

/* Ranks would wait for ever for one that is no rank of the job, or call each other's functions
 * where others are. */
static bool has_other_program(const struct keeper *keeper, const char *path)
{
        char content[PROGRAM_CONTENT_SIZE];
        if (!keeper->job->content[0] || !is_first(keeper))
                return false;
        program_content(path, content);
        return content[0] && strcmp(content, keeper->job->content) != 0;
}

/* Whoever started us is told apart from a thread of its that has ended, which we hear of too. */
static void look_at_starter(struct keeper *keeper)
{
        if (getppid() == keeper->starter)
                return;
        tell(keeper, NEWS_STARTER, keeper->starter, true);
        kill(keeper->pid, SIGKILL);
}

/*
 * MPICH's launcher kills all ranks of a node when one ends that has not told it so, which is the
 * last thing that MPI_Finalize() does. Of one that was left by force, the keeper tells it, and
 * waits for the answer, since a launcher that cannot answer fails.
 */
static void finalise_for(void)
{
        enum { PATIENCE_MS = 1000 };
        static const char command[] = "cmd=finalize\n";
        char answer[256];
        const char *text = getenv("PMI_FD");
        if (!text)
                return;
        struct pollfd fd = { .fd = atoi(text), .events = POLLIN };
        if (send(fd.fd, command, sizeof(command) - 1, MSG_NOSIGNAL | MSG_DONTWAIT) < 0)
                return;
        ssize_t size = 1;
        while (size > 0 && poll(&fd, 1, PATIENCE_MS) == 1) /* until it closes its end, too */
                size = recv(fd.fd, answer, sizeof(answer), MSG_DONTWAIT);
}

static void look_at_stage(struct keeper *keeper)
{
        enum life_stage stage = (enum life_stage)atomic_load(&keeper->line->stage);
        if (stage == keeper->stage)
                return;
        keeper->stage = stage;
        bool told = tell(keeper, NEWS_STAGE, (int32_t)stage, false);
        if (stage != LIFE_ABANDONED)
                return;
        finalise_for();
        if (!told)
                say(keeper, "is ended: its MPI_Finalize() has not returned");
}

/* The program waits for us: as soon as MPI knows, it may kill us. */
static void look_at_end(struct keeper *keeper)
{
        int32_t end = atomic_load(&keeper->line->end);
        if (end == 0 || keeper->foretold)
                return;
        keeper->foretold = true;
        tell(keeper, NEWS_ENDS, end - 1, atomic_load(&keeper->line->follows));
        lifeline_told(keeper->line);
}

static void look_at_pulse(struct keeper *keeper)
{
        char text[128];
        struct pulse_finding finding;
        while (pulse_find(&keeper->pulse, &finding)) {
                bool told = tell(keeper, finding.kind, finding.seconds, finding.ends);
                snprintf(text, sizeof(text), "%s for %d s%s",
                         finding.kind == NEWS_SILENT ? "has not looked for messages"
                                                     : "has been in one task",
                         (int)finding.seconds, finding.ends ? ", and is ended" : "");
                if (!told && finding.kind != NEWS_NONE)
                        say(keeper, text);
                if (finding.ends)
                        kill(keeper->pid, SIGKILL);
        }
}

static void look(struct keeper *keeper)
{
        look_at_starter(keeper);
        if (!keeper->line)
                return;
        look_at_stage(keeper);
        look_at_end(keeper);
        pulse_look(&keeper->pulse, clock_s());
        look_at_pulse(keeper);
}

/* A rank that is done has left MPI_Finalize() by force, or is in it, where it waits for one that
 * has: Open MPI's launcher then ends all, but they come to their own end. */
static void pass_on(const struct keeper *keeper, int signal)
{
        bool is_done = keeper->stage == LIFE_FINALIZE || keeper->stage == LIFE_ABANDONED;
        if (is_done && signal == SIGTERM)
                atomic_store(&keeper->line->hurry, 1);
        else
                kill(keeper->pid, signal);
}

/* Returns the program's status; in `set` are the signals of `caught`. Of a program that was made to
 * leave MPI_Finalize() only the code counts: what MPI does at exit() may fail, or last for ever. */
static int stay_with(struct keeper *keeper, const sigset_t *set)
{
        const struct timespec moment = { .tv_sec = LOOK_S };
        int status;
        while (waitpid(keeper->pid, &status, WNOHANG) == 0) {
                int signal = sigtimedwait(set, NULL, &moment);
                if (signal > 0 && signal != SIGCHLD)
                        pass_on(keeper, signal);
                look(keeper);
                if (signal != SIGCHLD && keeper->job->contact[0])
                        tell(keeper, NEWS_BEAT, 0, false);
        }
        if (!keeper->line)
                return status;
        look_at_stage(keeper);
        int code = atomic_load(&keeper->line->code);
        return keeper->stage == LIFE_ABANDONED && code > 0 ? (code - 1) << 8 : status;
}

/* ---- Its end ---- */

/* A launcher ends the others when it sees this one end, which is put off: Open MPI's cannot be told
 * of MPI_Finalize() that was left by force, and the others come to their end at about the same
 * time; a rank aborts where another has died, whose keeper is to say so. Any signal cuts it short.
 */
static void let_others_end(const struct keeper *keeper, int status)
{
        static const struct timespec abandoned = { .tv_sec = 2 },
                                     aborted = { .tv_nsec = 500000000 };
        sigset_t set;
        sigfillset(&set);
        sigdelset(&set, SIGCHLD);
        if (keeper->stage == LIFE_ABANDONED && !getenv("PMI_FD"))
                sigtimedwait(&set, NULL, &abandoned);
        else if (WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT)
                sigtimedwait(&set, NULL, &aborted);
}

/* Whoever is the last of a node leaves nothing behind: dead segments, MPI's files that nobody uses.
 */
static void clean_up(const struct keeper *keeper)
{
        board_clean(NULL);
        if (keeper->job->contact[0])
                debris_clean(&keeper->office.since);
}

/* Nobody else knows why then: the signal came from Linux. */
static void say_if_memory(const struct keeper *keeper, int status)
{
        char host[256] = "";
        if (!WIFSIGNALED(status) || WTERMSIG(status) != SIGKILL || keeper->memory_kills < 0 ||
            memory_group_kills() <= keeper->memory_kills)
                return;
        gethostname(host, sizeof(host) - 1);
        fprintf(stderr,
                "lbrun: host %s: the memory of the job's control group, %.3g GiB with shared "
                "memory, was full, and a process was killed for it: ask for more memory (Slurm: "
                "--mem), or for fewer ranks on a node\n",
                host, (double)memory_group_limit() / (1 << 30));
}

static int end_as(struct keeper *keeper, int status)
{
        char text[128];
        say_if_memory(keeper, status);
        bool follows = keeper->line && atomic_load(&keeper->line->follows);
        bool told = tell(keeper, NEWS_ENDED, status, follows);
        let_others_end(keeper, status);
        clean_up(keeper);
        if (WIFEXITED(status))
                return WEXITSTATUS(status);
        int signal = WTERMSIG(status);
        snprintf(text, sizeof(text), "was ended by signal %d, %s", signal, strsignal(signal));
        if (!told)
                say(keeper, text);
        return 128 + signal;
}

/* On a node that lbrun is not on and cannot be reached from, one keeper sees to it that nothing is
 * left there. */
static void call_janitor(const struct keeper *keeper)
{
        if (is_first(keeper))
                janitor_attend(keeper->job->id, &keeper->office.since);
}

static void open_office(struct keeper *keeper)
{
        const struct job *job = keeper->job;
        int32_t rank = keeper->rank;
        bool known = rank >= 0 && rank < job->nworker;
        keeper->office = (struct post_office){
                .job = job,
                .node = known ? job_node_of(job, rank) : -1,
                .daemon = getppid(),
                .pass = -1,
        };
        clock_gettime(CLOCK_REALTIME_COARSE, &keeper->office.since); /* the clock of files' times */
}

/* Dies with whoever started it: SIGCHLD, since it must say so first. */
static void know_starter(struct keeper *keeper)
{
        prctl(PR_SET_PDEATHSIG, SIGCHLD);
        keeper->starter = getppid();
        family_name(keeper->starter, keeper->starter_name, sizeof(keeper->starter_name));
}

/* In place of starting it. */
static int refuse(struct keeper *keeper, const char *path)
{
        keeper->pid = getpid();
        if (!tell(keeper, NEWS_OTHER, PROGRAM_FAILED << 8, false)) {
                char text[PROGRAM_PATH_SIZE];
                snprintf(text, sizeof(text), "has another program at '%.4000s' than lbrun", path);
                say(keeper, text);
        }
        return end_as(keeper, PROGRAM_FAILED << 8);
}

static int keep(struct keeper *keeper, char *const *program)
{
        open_office(keeper);
        sigset_t set, before;
        sigemptyset(&set);
        for (size_t i = 0; i < sizeof(caught) / sizeof(caught[0]); i++)
                if (signal_counts(caught[i]))
                        sigaddset(&set, caught[i]);
        sigprocmask(SIG_BLOCK, &set, &before);
        know_starter(keeper);
        keeper->memory_kills = memory_group_kills();
        keeper->line = lifeline_create(&keeper->line_fd);
        keeper->office.pass = keeper->line_fd;
        pulse_init(&keeper->pulse, keeper->line, keeper->job);
        pid_t parent = getpid();
        if (has_other_program(keeper, program[0]))
                return refuse(keeper, program[0]);
        keeper->pid = fork();
        if (keeper->pid == 0)
                become(keeper, program, &before, parent);
        if (keeper->pid < 0) { /* mpirun may wait for the others, which wait for this one */
                fprintf(stderr, "lbrun: cannot start '%s': %s\n", program[0], strerror(errno));
                keeper->pid = parent;
                return end_as(keeper, KEEPER_FAILED << 8);
        }
        if (!tell(keeper, NEWS_STARTED, 0, false))
                call_janitor(keeper);
        return end_as(keeper, stay_with(keeper, &set));
}

int keeper_main(char *const *program)
{
        struct lb_error err;
        char *text = job_from_environment();
        struct job *job = text ? job_parse(text, &err) : NULL;
        free(text);
        if (!job || !program[0]) {
                fprintf(stderr, "lbrun: --keep is for ranks that lbrun starts\n");
                job_destroy(job);
                return KEEPER_FAILED;
        }
        struct keeper keeper = { .job = job, .rank = job_rank_from_environment(), .line_fd = -1 };
        int code = keep(&keeper, program);
        job_destroy(job);
        return code;
}
