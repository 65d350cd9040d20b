/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Parameters of the systems that balance programs that nobody rewrote. A further system is one line
 * in systems[].
 */
#include "real/balance/params.h"

#include <string.h>

#include "policies/alloc.h"
#include "policies/dpb.h"
#include "policies/lend.h"
#include "policies/pack.h"
#include "policies/pack_when.h"
#include "policies/system.h"
#include "real/balance/setup.h"
#include "real/balance/team.h"

const struct lb_param balance_params[] = {
        [BALANCE_ROUND_MS] = { .name = "round_ms",
                               .unit = "ms",
                               .type = LB_PARAM_NUMBER,
                               .fallback = 10,
                               .min = 0,
                               .max = 1e6,
                               .help = "ranks compare what they measured no more often than this: "
                                       "an iteration, or several" },
        [BALANCE_LOSS] = { .name = "loss_part",
                           .unit = "",
                           .type = LB_PARAM_NUMBER,
                           .fallback = 0.03,
                           .min = 0,
                           .max = 1000,
                           .help = "balancing is undone where iterations are slower than "
                                   "unbalanced ones by this part, beyond their scatter" },
        [BALANCE_LOSS_WHOLE] = { .name = "loss_whole",
                                 .unit = "",
                                 .type = LB_PARAM_NUMBER,
                                 .fallback = 0.025,
                                 .min = 0,
                                 .max = 1,
                                 .help =
                                     "part of the run that trials that were undone, and one more "
                                     "like the last of them, may cost when the next one begins" },
        [BALANCE_LOOK] = { .name = "look_part",
                           .unit = "",
                           .type = LB_PARAM_NUMBER,
                           .fallback = 0.005,
                           .min = 0,
                           .max = 1,
                           .help = "part of the time that looking at MPI calls may take; beyond it "
                                   "they pass for a while" },
        [BALANCE_POLICY_S] = { .name = "policy_s",
                               .unit = "s",
                               .type = LB_PARAM_NUMBER,
                               .fallback = 30,
                               .min = 1,
                               .max = 1e6,
                               .help = "a policy of --policy that has not returned after so long "
                                       "ends the job" },
        [BALANCE_NPARAM] = { .name = NULL },
};

const struct lb_param packing_live_params[] = {
        { .name = "pack",
          .type = LB_PARAM_CHOICE,
          .choices = pack_names,
          .help = "which processes share a CPU: the paper's greedy rule, the fewest CPUs, or none "
                  "for comparison" },
        { .name = NULL },
};

const struct lb_param auto_live_params[] = {
        [AUTO_LIVE_ROUNDS] = { .name = "auto_rounds",
                               .unit = "rounds",
                               .type = LB_PARAM_INTEGER,
                               .fallback = 8,
                               .min = 2,
                               .max = 1e6,
                               .help = "so many are measured before a system is chosen" },
        [AUTO_LIVE_LEAST] = { .name = "auto_least",
                              .unit = "",
                              .type = LB_PARAM_NUMBER,
                              .fallback = 0.05,
                              .min = 0,
                              .max = 1,
                              .help = "part of an iteration that a system is to save, as it is "
                                      "predicted, to be chosen" },
        [AUTO_LIVE_NPARAM] = { .name = NULL },
};

static void add_packing(struct policy_params *all)
{
        policy_params_add(all, "packing", packing_live_params);
        policy_params_add(all, "packing", pack_when_params);
        for (int i = 0; pack_types[i]; i++)
                policy_params_add(all, pack_types[i]->name, pack_types[i]->params);
}

static void add_dpb(struct policy_params *all)
{
        policy_params_add(all, "dpb", dpb_live_params);
        policy_params_add(all, "team", team_params);
        for (int i = 0; dpb_types[i]; i++)
                policy_params_add(all, dpb_types[i]->name, dpb_types[i]->params);
}

static void add_dlb(struct policy_params *all)
{
        policy_params_add(all, "dlb", dlb_live_params);
        policy_params_add(all, "team", team_params);
        policy_params_add(all, "local", alloc_find("local")->params);
        policy_params_add(all, "lewi", lend_find("lewi")->params);
}

/* Of a plugin's system, beside those of what runs it: its policies' own. */
static void add_plugged(struct policy_params *all, const struct system_type *system)
{
        if (!system->host) {
                policy_params_add(all, system->alloc, alloc_find(system->alloc)->params);
                policy_params_add(all, system->lend, lend_find(system->lend)->params);
        }
        policy_params_add_plugged(all);
}

static void add_auto(struct policy_params *all)
{
        policy_params_add(all, "auto", auto_live_params);
        add_packing(all);
        add_dpb(all);
        add_dlb(all);
}

static const struct {
        const char *name;
        void (*add)(struct policy_params *all);
} systems[] = {
        { "packing", add_packing },
        { "dpb", add_dpb },
        { "dlb", add_dlb },
        { "auto", add_auto },
};

/*
 * Live, a packing that no longer fits is given up and made again, and what is measured scatters:
 * times that equal the bound but for 3 % are to share a CPU.
 */
static const struct {
        const char *name;
        double value;
} live_defaults[] = {
        { "pack_adapt", PACK_ADAPT_EXPAND },
        { "pack_tolerance", PACK_LIVE_TOLERANCE },
};

void setup_defaults(const struct policy_params *all, double *value)
{
        lb_param_defaults(all->param, value);
        for (size_t i = 0; i < sizeof(live_defaults) / sizeof(live_defaults[0]); i++) {
                int place = lb_param_find(all->param, live_defaults[i].name);
                if (place >= 0)
                        value[place] = live_defaults[i].value;
        }
}

const char *setup_host_of(const char *system)
{
        const struct system_type *type = system_find(system);
        const char *host = type ? system_for_any(type) : NULL;
        for (size_t i = 0; i < sizeof(systems) / sizeof(systems[0]); i++)
                if (strcmp(systems[i].name, host ? host : system) == 0)
                        return systems[i].name;
        return NULL;
}

bool setup_params(struct policy_params *all, const char *system)
{
        const char *host = setup_host_of(system);
        for (size_t i = 0; host && i < sizeof(systems) / sizeof(systems[0]); i++) {
                if (strcmp(systems[i].name, host) != 0)
                        continue;
                policy_params_add(all, "balance", balance_params);
                systems[i].add(all);
                if (strcmp(host, system) != 0)
                        add_plugged(all, system_find(system));
        }
        return host != NULL;
}
