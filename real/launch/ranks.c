/* SPDX-License-Identifier: BSD-3-Clause */
#include "real/launch/ranks.h"

#include <signal.h>
#include <stdlib.h>

#include "real/launch/news.h"

int ranks_init(struct ranks *ranks, int32_t count, struct lb_error *err)
{
        ranks->count = count;
        ranks->pid = calloc((size_t)count + 1, sizeof(*ranks->pid));
        return ranks->pid ? 0 : lb_error_fail(err, "out of memory");
}

void ranks_finish(struct ranks *ranks)
{
        free(ranks->pid);
        *ranks = (struct ranks){ 0 };
}

void ranks_note(struct ranks *ranks, const struct news *news)
{
        if (news->rank >= 0 && news->rank < ranks->count)
                ranks->pid[news->rank] = news->ended ? 0 : (pid_t)news->pid;
}

int32_t ranks_signal(const struct ranks *ranks, int signal)
{
        int32_t count = 0;
        for (int32_t i = 0; i < ranks->count; i++)
                if (ranks->pid[i] > 0)
                        count += kill(ranks->pid[i], signal) == 0;
        return count;
}
