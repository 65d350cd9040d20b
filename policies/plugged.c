/* SPDX-License-Identifier: BSD-3-Clause */
#include "policies/plugged.h"

#include <stddef.h>

static struct plugged all[PLUGGED_MAX];
static int count;

const struct plugged *plugged_at(int i)
{
        return i >= 0 && i < count ? &all[i] : NULL;
}

void plugged_add(const struct plugged *plugged)
{
        if (count < PLUGGED_MAX)
                all[count++] = *plugged;
}
