/* SPDX-License-Identifier: BSD-3-Clause */
/* Who has started a rank, and ranks that have lost that. */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "real/interpose/interpose.h"

bool interpose_is_launched(void)
{
        static const char *const names[] = { "PMI_RANK",  "PMI_FD",
                                             "PMI_PORT",  "OMPI_COMM_WORLD_SIZE",
                                             "PMIX_RANK", "SLURM_PROCID" };
        for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
                if (getenv(names[i]))
                        return true;
        return false;
}

static bool is_proxy(pid_t pid)
{
        char path[64], name[32] = "";
        snprintf(path, sizeof(path), "/proc/%d/comm", (int)pid);
        FILE *in = fopen(path, "re");
        if (!in)
                return false;
        bool read = fgets(name, sizeof(name), in) != NULL;
        fclose(in);
        return read && strcmp(name, "hydra_pmi_proxy\n") == 0;
}

/* The proxy has one thread, whose end is that of the process. */
void interpose_follow_proxy(void)
{
        pid_t parent = getppid();
        if (!is_proxy(parent) || prctl(PR_SET_PDEATHSIG, SIGKILL) < 0)
                return;
        if (getppid() != parent)
                raise(SIGKILL);
}
