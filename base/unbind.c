/* SPDX-License-Identifier: BSD-3-Clause */
#define _GNU_SOURCE
#include "base/unbind.h"

#include <sched.h>

static cpu_set_t first;
static int known;

/* Before libraries are set up, sanitizers too: nothing but system calls. */
__attribute__((no_sanitize("address", "thread", "undefined"))) static void look(void)
{
        known = sched_getaffinity(0, sizeof(first), &first) == 0;
}

__attribute__((section(".preinit_array"), used)) static void (*const before_libraries)(void) = look;

void lb_unbind(void)
{
        cpu_set_t now;
        if (known && sched_getaffinity(0, sizeof(now), &now) == 0 && !CPU_EQUAL(&now, &first))
                (void)sched_setaffinity(0, sizeof(first), &first);
}
