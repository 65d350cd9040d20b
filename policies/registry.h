/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef LB_POLICIES_REGISTRY_H
#define LB_POLICIES_REGISTRY_H

#include <string.h>

#include "policies/plugged.h"

/*
 * What a room's list of policies becomes, for the file of the room that all of them share: the
 * table of those built in, and their look-up. `each` names them one by one, NULL-ended.
 */
#define POLICY_FIND(kind, each)                                                                    \
        const struct kind##_type *kind##_find(const char *name)                                    \
        {                                                                                          \
                for (int i = 0; (each); i++)                                                       \
                        if (strcmp((each)->name, name) == 0)                                       \
                                return (each);                                                     \
                return NULL;                                                                       \
        }

#define POLICY_ENTRY(type) &type,
#define POLICY_ENTRY_NAMED(type, name) &type,

/* TYPES is the list of the room, ENTRY what fits its lines. Of a kind that plugins may bring as
 * well, behind those built in. */
#define POLICY_REGISTRY(kind, TYPES, ENTRY)                                                        \
        const struct kind##_type *const kind##_types[] = { TYPES(ENTRY) NULL };                    \
        const struct kind##_type *kind##_at(int i)                                                 \
        {                                                                                          \
                int nbuiltin = (int)(sizeof(kind##_types) / sizeof(kind##_types[0])) - 1;          \
                if (i < nbuiltin)                                                                  \
                        return kind##_types[i];                                                    \
                for (int p = 0, n = nbuiltin; plugged_at(p); p++)                                  \
                        if (plugged_at(p)->plugin->kind && n++ == i)                               \
                                return plugged_at(p)->plugin->kind;                                \
                return NULL;                                                                       \
        }                                                                                          \
        POLICY_FIND(kind, kind##_at(i))

#endif
