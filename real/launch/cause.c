/* SPDX-License-Identifier: BSD-3-Clause */
#include "real/launch/cause.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>

void cause_signal(char *text, size_t size, const char *who, int signal)
{
        snprintf(text, size, "%s was ended by signal %d, %s", who, signal, strsignal(signal));
}

void cause_rank(char *text, size_t size, const char *rank, bool whole, int status, int64_t pid)
{
        if (WIFSIGNALED(status))
                snprintf(text, size, "%s, was ended by signal %d, %s (process %" PRId64 ")", rank,
                         WTERMSIG(status), strsignal(WTERMSIG(status)), pid);
        else
                snprintf(text, size, "%s, ended %swith exit code %d (process %" PRId64 ")", rank,
                         whole ? "the job " : "", WEXITSTATUS(status), pid);
}
