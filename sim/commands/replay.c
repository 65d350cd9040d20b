/* SPDX-License-Identifier: BSD-3-Clause */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/text.h"
#include "policies/lp.h"
#include "policies/replay.h"
#include "sim/commands/commands.h"

static const char *const kinds[REPLAY_NKIND] = {
        [REPLAY_ALLOC] = "allocation", [REPLAY_LEND] = "lending", [REPLAY_PLACE] = "placement",
        [REPLAY_DPB] = "processors",   [REPLAY_PACK] = "packing", [REPLAY_MIGRATE] = "migration",
        [REPLAY_GROW] = "growth",
};

static void print_table(const struct replay *replay)
{
        printf("%-12s %-10s %8s %13s %12s %12s\n", "policy", "kind", "states", "measurements",
               "decisions", "differences");
        for (int32_t i = 0; i < replay->npolicy; i++) {
                const struct replay_policy *p = &replay->policy[i];
                printf("%-12s %-10s %8" PRId64 " %13" PRId64 " %12" PRId64 " %12" PRId64 "\n",
                       p->name, kinds[p->kind], p->states, p->observations, p->decisions,
                       p->differences);
        }
        printf("\n%" PRId64 " file%s, %" PRId64 " records", replay->nfile,
               lb_s((double)replay->nfile), replay->nrecord);
        if (replay->nincomplete > 0)
                printf(", %" PRId64 " line%s incomplete: the job was killed", replay->nincomplete,
                       lb_s((double)replay->nincomplete));
        printf("\n");
        if (replay->ndifference > 0)
                printf("first difference: %s\n", replay->first);
}

/* The files of all nodes, where there is none of the name itself. */
static int replay_nodes(struct replay *replay, const char *file, struct lb_error *err)
{
        char path[4096];
        int64_t before = replay->nfile;
        for (int32_t node = 0; node < INT32_MAX; node++) {
                int size = snprintf(path, sizeof(path), "%s.%" PRId32, file, node);
                if (size < 0 || (size_t)size >= sizeof(path) || access(path, F_OK) < 0)
                        break;
                if (replay_file(replay, path, err) < 0)
                        return -1;
        }
        if (replay->nfile > before)
                return 0;
        return lb_error_set(err, "found neither \"%s\" nor \"%s.0\", must be a decision log", file,
                            file);
}

static int replay_name(struct replay *replay, const char *file, struct lb_error *err)
{
        return access(file, F_OK) < 0 ? replay_nodes(replay, file, err)
                                      : replay_file(replay, file, err);
}

static int run(const struct lb_call *call, void *options, struct lb_error *err)
{
        struct replay replay = { .find_alloc = lp_alloc_find };
        (void)options;
        for (int32_t i = 0; i < call->nword; i++)
                if (replay_name(&replay, call->word[i], err) < 0)
                        return -1;
        print_table(&replay);
        return replay.ndifference > 0;
}

const struct lb_command command_replay = {
        .program = &lbsim_program,
        .name = "replay",
        .summary = "decide again what a live job, or a run, decided",
        .usage = "FILE...",
        .about =
            "Decide again what the policies of a live job decided (lbrun --decisions FILE), or "
            "of a simulated run (lbsim trace --decisions FILE), and compare bit for bit. FILE is "
            "the name that lbrun was given, for all of the "
            "job's nodes (FILE.0, FILE.1, ...), or one of these files.",
        .ends = "0 all decisions agree, 1 some differ, 2 a file is damaged or no decision log.",
        .word = LB_OPTION_FILE,
        .word_min = 1,
        .word_max = INT32_MAX,
        .needed = "no decision log given",
        .run = run,
};
