/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef LB_POLICIES_PLUGIN_H
#define LB_POLICIES_PLUGIN_H

#include "policies/alloc.h"
#include "policies/dpb.h"
#include "policies/lend.h"
#include "policies/migrate.h"
#include "policies/pack.h"
#include "policies/place.h"
#include "policies/system.h"

/*
 * A policy of one's own, without building the programs anew: a shared object that defines
 *
 *         const struct lb_plugin lb_plugin = {
 *                 .abi = LB_PLUGIN_ABI,
 *                 .system = &my_system,
 *                 .alloc = &my_alloc,
 *         };
 *
 * is a further system, for "lbsim --policy ./mine.so" and "lbrun --policy ./mine.so"; the same
 * object decides in both. policies/examples/latest.c is one, whole.
 *
 * - The system names its policies. What the plugin does not bring (NULL) must be built in.
 * - Or its host is "chameleon", and it names a migration policy, load metric and strategy:
 *   policies/examples/steady.c.
 * - Or its host is "packing" or "dpb", and it names a packing policy, or one that moves processors:
 *   policies/examples/first_fit.c. lbrun runs these, and those that allocate and lend without
 *   offloading, on programs that nobody rewrote.
 * - Names of policies are new: a plugin replaces nothing. Those of parameters may be any (letters,
 *   digits, '_'): they are keys of "system" and of lbrun --param. Where one is taken by another
 *   thing, the plugin's is called POLICY_NAME after its policy; where both are defined word for
 *   word alike, they are one (policies/params.h).
 * - Build with: cc -shared -fPIC -I SOURCE mine.c -o mine.so; what it calls of lb_policies (for
 *   instance policies/average.h) is linked into it: liblb_policies.a, liblb_base.a.
 */
enum { LB_PLUGIN_ABI = 11 }; /* grows when one of these structures changes */

struct lb_plugin {
        int abi;
        const struct system_type *system;
        const struct alloc_type *alloc;
        const struct lend_type *lend;
        const struct place_type *place;
        const struct migrate_type *migrate; /* with a system of host "chameleon" */
        const struct pack_type *pack;       /* of host "packing" */
        const struct dpb_type *dpb;         /* of host "dpb" */
};

extern const struct lb_plugin lb_plugin; /* in the shared object */

#endif
