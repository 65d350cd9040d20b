/* SPDX-License-Identifier: BSD-3-Clause */
#include <fcntl.h>
#include <mpi.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/*
 * probe [segment] [ACTION [RANK [NUMBER]]]: one line per rank on what it was started as, then the
 * action, in one rank or in all (-1): exit, quit, raise, abort, sleep, orphan, threads, echo,
 * await, none. `segment`: every rank leaves a shared memory segment behind, named as the runtime
 * names its own.
 */
__attribute__((section(".lbrun"), used)) static const char note[] = "lbrun abi=1 mpi=" PROBE_MPI;

static void leave_segment(const char *job)
{
        char name[128];
        const char *id = strstr(job, " id=");
        if (!id)
                return;
        id += strlen(" id=");
        snprintf(name, sizeof(name), "/lbrun-%d-%.*s-0", (int)geteuid(), (int)strcspn(id, " "), id);
        int fd = shm_open(name, O_CREAT | O_RDWR, 0600);
        if (fd >= 0)
                close(fd);
}

static void *sleep_long(void *argument)
{
        sleep(600);
        return argument;
}

/* A process that nobody waits for, in a session of its own; its main thread may end before it. */
static void leave_orphan(bool main_thread_ends)
{
        pthread_t thread;
        if (fork() != 0)
                return;
        setsid();
        if (fork() != 0)
                _exit(0);
        printf("orphan %d\n", (int)getpid());
        fflush(stdout);
        if (main_thread_ends && pthread_create(&thread, NULL, sleep_long, NULL) == 0)
                pthread_exit(NULL);
        sleep(600);
        _exit(0);
}

/* It is blocked from the beginning. */
static void await_signal(int number)
{
        int got = 0;
        sigset_t set;
        sigemptyset(&set);
        sigaddset(&set, number);
        sigwait(&set, &got);
        printf("got signal %d\n", got);
        fflush(stdout);
}

static void echo(void)
{
        char text[256];
        while (fgets(text, sizeof(text), stdin))
                printf("echo %s", text);
}

static void act(const char *action, int number)
{
        if (strcmp(action, "raise") == 0)
                raise(number);
        else if (strcmp(action, "quit") == 0)
                _exit(number); /* without MPI_Finalize() */
        else if (strcmp(action, "abort") == 0)
                MPI_Abort(MPI_COMM_WORLD, number);
        else if (strcmp(action, "sleep") == 0)
                sleep((unsigned)number);
        else if (strcmp(action, "orphan") == 0)
                leave_orphan(false);
        else if (strcmp(action, "threads") == 0)
                leave_orphan(true);
        else if (strcmp(action, "await") == 0)
                await_signal(number);
        else if (strcmp(action, "echo") == 0)
                echo();
}

int main(int argc, char **argv)
{
        int rank, size, at = 1;
        char host[128] = "";
        sigset_t blocked;
        /* A line is written whole: a terminal's buffer of 1024 bytes would cut it, and other ranks'
         * lines come between. */
        static char whole[1 << 16];
        setvbuf(stdout, whole, _IOFBF, sizeof(whole));
        sigemptyset(&blocked);
        sigaddset(&blocked, SIGUSR1);
        sigprocmask(SIG_BLOCK, &blocked, NULL);
        MPI_Init(&argc, &argv);
        MPI_Comm_rank(MPI_COMM_WORLD, &rank);
        MPI_Comm_size(MPI_COMM_WORLD, &size);
        gethostname(host, sizeof(host) - 1);
        const char *job = getenv("LBRUN_JOB");
        if (argc > at && strcmp(argv[at], "segment") == 0 && at++)
                leave_segment(job ? job : "");
        const char *action = argc > at ? argv[at] : "none";
        int who = argc > at + 1 ? atoi(argv[at + 1]) : -1;
        int number = argc > at + 2 ? atoi(argv[at + 2]) : 0;
        printf("rank %d of %d process %d host %s action %s job %s\n", rank, size, (int)getpid(),
               host, action, job ? job : "-");
        fflush(stdout);
        if (rank == who || who < 0)
                act(action, number);
        else if (strcmp(action, "raise") == 0 || strcmp(action, "abort") == 0 ||
                 strcmp(action, "quit") == 0)
                sleep(600); /* to be ended by others */
        MPI_Finalize();
        return strcmp(action, "exit") == 0 && (rank == who || who < 0) ? number : 0;
}
