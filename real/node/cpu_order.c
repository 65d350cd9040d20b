/* SPDX-License-Identifier: BSD-3-Clause */
#include "real/node/cpu_order.h"

#include <sched.h>
#include <stdio.h>

const char *const cpu_hints[] = { "thread", "core", NULL };

/* The list begins with the least of them: "0,32" or "0-1". */
static int32_t physical_core(const char *system, int32_t cpu)
{
        char path[512];
        int32_t first = cpu;
        snprintf(path, sizeof(path), "%s/cpu%d/topology/thread_siblings_list", system, (int)cpu);
        FILE *in = fopen(path, "re");
        if (!in)
                return cpu;
        if (fscanf(in, "%d", &first) != 1 || first < 0 || first >= CPU_SETSIZE)
                first = cpu;
        fclose(in);
        return first;
}

int32_t cpu_order(const char *system, enum cpu_hint hint, int32_t *cpu, int32_t ncpu)
{
        cpu_set_t set;
        int32_t turn[CPU_SETSIZE], taken[CPU_SETSIZE] = { 0 }, most = 0, found = 0;
        CPU_ZERO(&set);
        sched_getaffinity(0, sizeof(set), &set);
        for (int32_t c = 0; c < CPU_SETSIZE; c++) {
                turn[c] = -1;
                if (!CPU_ISSET((size_t)c, &set))
                        continue;
                turn[c] = taken[physical_core(system, c)]++;
                most = turn[c] > most ? turn[c] : most;
        }
        int32_t last = hint == CPU_HINT_CORE ? 0 : most;
        for (int32_t at = 0; at <= last; at++)
                for (int32_t c = 0; c < CPU_SETSIZE && found < ncpu; c++)
                        if (turn[c] == at)
                                cpu[found++] = c;
        return found;
}
