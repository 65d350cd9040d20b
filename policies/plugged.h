/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef LB_POLICIES_PLUGGED_H
#define LB_POLICIES_PLUGGED_H

#include "base/error.h"
#include "policies/plugin.h"

/*
 * The plugins of this process, for the lookups of policies/ beside what is built in. The one thing
 * here that can be written: at the start, before there are threads and before anything is looked
 * up.
 */
enum { PLUGGED_MAX = 8, PLUGGED_PATH_SIZE = 1024, PLUGGED_PARAM_MAX = 32, PLUGGED_NAME_MAX = 31 };

struct plugged {
        const struct lb_plugin *plugin;
        char path[PLUGGED_PATH_SIZE]; /* absolute */
};

/* Plugin 0 .., or NULL beyond the last. */
const struct plugged *plugged_at(int i);

/*
 * Load a shared object and take in its plugin (policies/plugged_load.c, target
 * lb_policies_plugged). Fails, naming the file and what is allowed, where it is none, is for
 * another ABI, lacks a part, or takes a name that there is already. The same file again is nothing
 * new.
 */
int plugged_load(const char *file, struct lb_error *err) LB_MUST_CHECK;

/* For plugged_load(): put one behind the others. */
void plugged_add(const struct plugged *plugged);

#endif
