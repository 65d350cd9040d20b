/* SPDX-License-Identifier: BSD-3-Clause */
#define _GNU_SOURCE
/* Of two virtual nodes of one core, on a machine with two CPUs or more, each has a CPU of its own,
 * also where a library binds the program as it is loaded. */
#include <sched.h>
#include <stdio.h>

#include "real/lbrun.h"

enum { SKIPPED = 77 };

static int only_cpu(const cpu_set_t *set)
{
        int cpu = 0;
        while (CPU_COUNT(set) == 1 && !CPU_ISSET((size_t)cpu, set))
                cpu++;
        return CPU_COUNT(set) == 1 ? cpu : -1;
}

static cpu_set_t before;

/* As OpenMP's does with OMP_PROC_BIND. */
__attribute__((constructor)) static void bind_to_first(void)
{
        cpu_set_t one;
        size_t cpu = 0;
        sched_getaffinity(0, sizeof(before), &before);
        while (!CPU_ISSET(cpu, &before))
                cpu++;
        CPU_ZERO(&one);
        CPU_SET(cpu, &one);
        (void)sched_setaffinity(0, sizeof(one), &one);
}

int main(int argc, char **argv)
{
        cpu_set_t bound;
        int cpu[2] = { -1, -1 }, mine, rank;
        lbrun_start(&argc, &argv);
        sched_getaffinity(0, sizeof(bound), &bound);
        mine = only_cpu(&bound);
        MPI_Comm_rank(lbrun_world(), &rank);
        MPI_Allgather(&mine, 1, MPI_INT, cpu, 1, MPI_INT, lbrun_world());
        lbrun_iteration();
        lbrun_stop();
        if (CPU_COUNT(&before) < 2 || (cpu[0] < 0 && cpu[1] < 0)) /* another job has them */
                return SKIPPED;
        if (rank == 0 && (cpu[0] < 0 || cpu[1] < 0 || cpu[0] == cpu[1]))
                fprintf(stderr, "bound to CPUs %d and %d\n", cpu[0], cpu[1]);
        return cpu[0] < 0 || cpu[1] < 0 || cpu[0] == cpu[1];
}
