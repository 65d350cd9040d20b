/* SPDX-License-Identifier: BSD-3-Clause */
#include "real/launch/clean.h"

#include <inttypes.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <time.h>

#include "real/launch/debris.h"
#include "real/launch/family.h"
#include "real/launch/options.h"
#include "real/node/board.h"
#include "real/node/cpu_groups.h"

struct request {
        bool all;
};

/* Keepers and ranks; told first, since they may have something to write. */
static int32_t end_jobs(void)
{
        enum { GRACE = 60, ROUNDS = 100 };
        int32_t ended = 0;
        for (int round = 0; round < ROUNDS; round++) {
                int signal = round == 0 ? SIGTERM : round < GRACE ? 0 : SIGKILL;
                int32_t count = family_signal_job(NULL, signal);
                ended = count > ended ? count : ended;
                if (count == 0)
                        break;
                nanosleep(&(struct timespec){ .tv_nsec = 100000000 }, NULL);
        }
        return ended;
}

static int run(const struct lb_call *call, void *given, struct lb_error *err)
{
        const struct request *request = given;
        const struct timespec ever = { 0 };
        (void)call;
        (void)err;
        int32_t ended = request->all ? end_jobs() : 0;
        int32_t segments = board_clean(NULL);
        cpu_groups_clean(NULL);
        int32_t debris = debris_clean(&ever);
        printf("%" PRId32 " process%s ended, %" PRId32 " of lbrun's and %" PRId32
               " of MPI's files removed\n",
               ended, ended == 1 ? "" : "es", segments, debris);
        return 0;
}

static const struct lb_option options[] = {
        { "all", LB_OPTION_FLAG, NULL, "end live jobs of this user on this node first",
          LB_OPTION_TO(struct request, all) },
        { .name = NULL },
};

const struct lb_command clean_command = {
        .program = &lbrun_program,
        .name = "clean",
        .summary = "remove what jobs that are gone have left on this node",
        .usage = "[OPTION]...",
        .about =
            "Remove what jobs of this user that are gone have left on this node: shared memory, "
            "files of MPI libraries, control groups. What a living process uses stays. For the "
            "epilog of a batch system, run as the job's user.",
        .ends = "0; 2 wrong command line.",
        .options = options,
        .size = sizeof(struct request),
        .run = run,
};
