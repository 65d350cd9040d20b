/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * children STEPS [before]: ranks of which each runs, half way, another MPI program of one rank:
 * this one, with STEPS 0, in an environment without what the launcher said; and one before
 * MPI_Init, too. Prints what came of both.
 */
#define _GNU_SOURCE
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

extern char **environ;

static void forget_launcher(void)
{
        static const char *const begins[] = { "PMI", "OMPI_", "OPAL_", "PRTE_", "HYDRA", "HYDI" };
        for (size_t i = 0; i < sizeof(begins) / sizeof(begins[0]); i++)
                for (char **line = environ; *line;) {
                        char name[256];
                        snprintf(name, sizeof(name), "%.*s", (int)strcspn(*line, "="), *line);
                        if (strncmp(name, begins[i], strlen(begins[i])) == 0 &&
                            !strstr(name, "ALLOW_RUN_AS_ROOT") && unsetenv(name) == 0)
                                line = environ;
                        else
                                line++;
                }
}

/* `rank`: that it has of a launcher around, as in a batch job; NULL: none. */
static int run_other(const char *program, const char *rank)
{
        int status = 0;
        pid_t child = fork();
        if (child == 0) {
                forget_launcher();
                if (rank)
                        setenv("PMI_RANK", rank, 1);
                execl(program, program, "0", (char *)NULL);
                _exit(127);
        }
        waitpid(child, &status, 0);
        return WEXITSTATUS(status);
}

int main(int argc, char **argv)
{
        int rank, size, steps = argc > 1 ? atoi(argv[1]) : 0, code = 0;
        double sum = 0, all = 0;
        int before = argc > 2 ? run_other("/proc/self/exe", NULL) : 0;
        MPI_Init(&argc, &argv);
        MPI_Comm_rank(MPI_COMM_WORLD, &rank);
        MPI_Comm_size(MPI_COMM_WORLD, &size);
        for (int step = 0; step < steps; step++) {
                double mine = 1.0 / (3 + rank + step);
                nanosleep(&(struct timespec){ .tv_nsec = rank % 2 ? 1000000 : 4000000 }, NULL);
                MPI_Allreduce(&mine, &all, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
                sum += all;
                if (step == steps / 2)
                        code = run_other("/proc/self/exe", "0");
        }
        if (steps > 0 && rank == 0)
                printf("%d ranks, sum %a, the other's code %d, %d before\n", size, sum, code,
                       before);
        MPI_Finalize();
        return steps > 0 ? code : 40 + size;
}
