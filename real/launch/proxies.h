/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef LB_REAL_LAUNCH_PROXIES_H
#define LB_REAL_LAUNCH_PROXIES_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "real/launch/family.h"

struct hosts;

/*
 * What MPICH's launcher has started, one process for each node: the node's proxy, or what starts
 * that elsewhere (ssh). The launcher (4.0.2) goes on waiting where one has died of a signal that it
 * is told nothing of (SIGPIPE), and the other nodes' ranks may wait in MPI for those that died with
 * it. It does not wait for the process that it had started for that node, which stays a zombie, as
 * it does where all ranks of the node are done.
 *
 * A zombie has no command line, which says what node it was for: they are noted while it lives. {0}
 * are none.
 */
struct proxy {
        pid_t pid;
        bool dead;
        char name[FAMILY_NAME_SIZE], words[512];
};

struct proxies {
        int32_t count;
        struct proxy *proxy;
};

/* Now and then while the launcher runs. Returns how many have ended. */
int32_t proxies_look(struct proxies *proxies, pid_t launcher);
void proxies_finish(struct proxies *proxies);

/* One that has ended before the ranks of its node, and that node's name, "" where it is not known.
 * NULL: none has. Of those whose node is not known it is the last. */
const struct proxy *proxies_lost(const struct proxies *proxies, const struct hosts *hosts,
                                 const char **host);

#endif
