/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef LB_REAL_LAUNCH_NEWS_H
#define LB_REAL_LAUNCH_NEWS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"

/*
 * What the keepers of ranks (real/launch/keeper.h) tell the lbrun of their machine, in the order in
 * which it happens: datagrams to a socket that is named by the job in Linux' abstract namespace, so
 * that nothing is left behind.
 */
struct news {
        int32_t rank;
        int32_t pid;
        bool ended;
        int32_t status; /* as wait(2) has it */
};

/* lbrun's end: not blocking. Returns a descriptor, or -1. */
int news_open(const char *job, struct lb_error *err) LB_MUST_CHECK;

/* The next of them; false where there is none now. */
bool news_receive(int fd, struct news *news);

/* A keeper's end; false where no lbrun of the job is on this machine. */
bool news_send(const char *job, const struct news *news);

#endif
