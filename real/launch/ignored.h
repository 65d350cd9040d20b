/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef LB_REAL_LAUNCH_IGNORED_H
#define LB_REAL_LAUNCH_IGNORED_H

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>

/* Who started us wants nobody to take notice of it, as nohup does of a hang-up. */
static inline bool signal_is_ignored(int signal)
{
        struct sigaction now;
        return sigaction(signal, NULL, &now) == 0 && !(now.sa_flags & SA_SIGINFO) &&
               now.sa_handler == SIG_IGN;
}

/* Is it a signal to act on? A hang-up is one unless it is ignored. */
static inline bool signal_counts(int signal)
{
        return signal != SIGHUP || !signal_is_ignored(signal);
}

#endif
