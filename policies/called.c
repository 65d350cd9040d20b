/* SPDX-License-Identifier: BSD-3-Clause */
#include "policies/called.h"

#include <stdarg.h>
#include <stdio.h>

_Thread_local CALLED_AT_ONCE struct called called_here;

void called_where(const char *format, ...)
{
        va_list args;
        va_start(args, format);
        vsnprintf(called_here.where, sizeof(called_here.where), format, args);
        va_end(args);
}

int64_t called_lasts_ns(const struct called *called, struct called_look *look, int64_t now_ns)
{
        uint64_t count = atomic_load_explicit(&called->count, memory_order_relaxed);
        bool inside = atomic_load_explicit(&called->policy, memory_order_acquire) != NULL;
        if (!inside || count != look->count || look->since_ns == 0) {
                *look = (struct called_look){ .count = count, .since_ns = inside ? now_ns : 0 };
                return 0;
        }
        return now_ns - look->since_ns;
}

/* No snprintf(): signal handlers come here. */
static size_t put(char *text, size_t size, size_t at, const char *more)
{
        for (; *more && at + 1 < size; more++)
                text[at++] = *more;
        text[at] = '\0';
        return at;
}

size_t called_say(const struct called *called, const char *between, const char *after, char *text,
                  size_t size)
{
        const char *policy = atomic_load_explicit(&called->policy, memory_order_acquire);
        const char *function = atomic_load_explicit(&called->function, memory_order_relaxed);
        size_t at = put(text, size, 0, "policy '");
        at = put(text, size, at, policy ? policy : "");
        at = put(text, size, at, "' ");
        at = put(text, size, at, between);
        at = put(text, size, at, " ");
        at = put(text, size, at, function ? function : "");
        at = put(text, size, at, "()");
        at = put(text, size, at, after);
        if (!called->where[0])
                return at;
        at = put(text, size, at, " (");
        at = put(text, size, at, called->where);
        return put(text, size, at, ")");
}
