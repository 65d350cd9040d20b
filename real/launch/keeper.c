/* SPDX-License-Identifier: BSD-3-Clause */
#include "real/launch/keeper.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "real/control/job.h"
#include "real/launch/janitor.h"
#include "real/launch/news.h"

enum { KEEPER_FAILED = 125 };

static const int caught[] = { SIGCHLD, SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGUSR1, SIGUSR2 };

static int32_t rank_of_environment(void)
{
        static const char *const names[] = { "OMPI_COMM_WORLD_RANK", "PMIX_RANK", "PMI_RANK" };
        for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
                if (getenv(names[i]))
                        return atoi(getenv(names[i]));
        return -1;
}

static void become(char *const *program, const sigset_t *mask, pid_t keeper)
{
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        if (getppid() != keeper)
                _exit(KEEPER_FAILED);
        sigprocmask(SIG_SETMASK, mask, NULL);
        execv(program[0], program);
        fprintf(stderr, "lbrun: program '%s' cannot be run: %s\n", program[0], strerror(errno));
        _exit(126);
}

/* Returns the program's status; in `set` are the signals of `caught`. */
static int stay_with(pid_t pid, const sigset_t *set)
{
        int status, signal;
        while (waitpid(pid, &status, WNOHANG) == 0)
                if (sigwait(set, &signal) == 0 && signal != SIGCHLD)
                        kill(pid, signal);
        return status;
}

static int end_as(const struct news *news, const char *job)
{
        char host[256] = "";
        if (WIFEXITED(news->status)) {
                news_send(job, news);
                return WEXITSTATUS(news->status);
        }
        int signal = WTERMSIG(news->status);
        gethostname(host, sizeof(host) - 1);
        if (!news_send(job, news))
                fprintf(stderr,
                        "lbrun: rank %d on host %s was ended by signal %d, %s (process %d)\n",
                        (int)news->rank, host, signal, strsignal(signal), (int)news->pid);
        return 128 + signal;
}

/* On a node that lbrun is not on, one keeper sees to it that nothing is left there. */
static void call_janitor(const struct job *job, int32_t rank, const struct timespec *since)
{
        if (rank < 0 || rank >= job->nworker)
                return;
        int32_t node = job->shape.worker_node[job->rank_worker[rank]];
        if (rank == job->shape.node_first[node])
                janitor_attend(job->id, since);
}

static int keep(char *const *program, const struct job *whole)
{
        const char *job = whole->id;
        struct timespec since;
        clock_gettime(CLOCK_REALTIME_COARSE, &since); /* the clock of files' times */
        sigset_t set, before;
        sigemptyset(&set);
        for (size_t i = 0; i < sizeof(caught) / sizeof(caught[0]); i++)
                sigaddset(&set, caught[i]);
        sigprocmask(SIG_BLOCK, &set, &before);
        pid_t keeper = getpid(), pid = fork();
        if (pid == 0)
                become(program, &before, keeper);
        struct news news = { .rank = rank_of_environment(), .pid = pid < 0 ? keeper : pid };
        if (pid < 0) { /* mpirun may wait for the others, which wait for this one */
                fprintf(stderr, "lbrun: cannot start '%s': %s\n", program[0], strerror(errno));
                news.status = KEEPER_FAILED << 8;
        } else {
                if (!news_send(job, &news))
                        call_janitor(whole, news.rank, &since);
                news.status = stay_with(pid, &set);
        }
        news.ended = true;
        return end_as(&news, job);
}

int keeper_main(char *const *program)
{
        struct lb_error err;
        const char *text = getenv("LBRUN_JOB");
        struct job *job = text ? job_parse(text, &err) : NULL;
        if (!job || !program[0]) {
                fprintf(stderr, "lbrun: --keep is for ranks that lbrun starts\n");
                job_destroy(job);
                return KEEPER_FAILED;
        }
        int code = keep(program, job);
        job_destroy(job);
        return code;
}
