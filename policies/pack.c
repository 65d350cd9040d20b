/* SPDX-License-Identifier: BSD-3-Clause */
#include "policies/pack_impl.h"

#include <string.h>

const struct pack_type *const pack_types[] = { &pack_subset_sum, &pack_exact, NULL };

const struct pack_type *pack_find(const char *name)
{
        for (int i = 0; pack_types[i]; i++)
                if (strcmp(pack_types[i]->name, name) == 0)
                        return pack_types[i];
        return NULL;
}
