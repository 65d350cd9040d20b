/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef LB_SIM_COMMANDS_GRAPH_CACHE_H
#define LB_SIM_COMMANDS_GRAPH_CACHE_H

#include <stdbool.h>

#include "base/error.h"

/* lbsim graph --cache WORD: "list" prints what is in the cache of graphs (graphs/cache.h), "clear"
 * empties it. */
int graph_cache_check(const char *word, struct lb_error *err) LB_MUST_CHECK;
int graph_cache_work(const char *word, bool json, struct lb_error *err) LB_MUST_CHECK;

#endif
