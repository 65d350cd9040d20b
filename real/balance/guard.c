/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A policy of the user's own that crashes, ends the program or does not return is named, as where
 * ported programs run (real/runtime/guard.c); but for a crash, which takes its course, the rank
 * ends.
 */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/clock.h"
#include "policies/called.h"
#include "real/balance/at_once.h"
#include "real/balance/host_impl.h"
#include "real/balance/params.h"

static const int64_t LOOK_EACH_NS = 1000000000;

/* One per process, as signal handlers and exit() have no argument for it. */
static struct {
        const struct balance *b;
        pid_t pid;
        const struct called *called; /* of the thread that is balanced */
        struct called_look look;
        struct at_once *watcher;
        struct futex never;
        int32_t looks; /* in the same call, so far. Not the clock: a job may be stopped */
} guard;

/* By signal handlers, too. */
static void say(const char *text)
{
        char line[1024];
        int rank = guard.b->rank;
        int size = snprintf(line, sizeof(line), "lbrun: rank %d: %s\n", rank, text);
        size = size < (int)sizeof(line) ? size : (int)sizeof(line) - 1;
        if (write(STDERR_FILENO, line, (size_t)size) < 0)
                return;
}

void balance_fail(void *nothing, const char *text)
{
        (void)nothing;
        say(text);
        host_left(1);
        _exit(1);
}

static void on_end(int code, void *nothing)
{
        char text[2 * CALLED_WHERE_SIZE];
        (void)code;
        if (!called_is() || getpid() != guard.pid)
                return;
        called_say(&called_here, "ended the program in", "", text, sizeof(text));
        balance_fail(nothing, text);
}

static int64_t look(void *nothing)
{
        char after[64], text[2 * CALLED_WHERE_SIZE];
        int64_t lasts_ns = called_lasts_ns(guard.called, &guard.look, clock_ns());
        guard.looks = lasts_ns > 0 ? guard.looks + 1 : 0;
        double most = guard.b->param[BALANCE_POLICY_S]; /* 0: it is being loaded yet */
        if (most <= 0 || guard.looks < most)
                return LOOK_EACH_NS;
        snprintf(after, sizeof(after), " for %d s (--param policy_s)", guard.looks);
        called_say(guard.called, "has not returned from", after, text, sizeof(text));
        balance_fail(nothing, text);
        return LOOK_EACH_NS;
}

int guard_begin(const struct balance *b, struct lb_error *err)
{
        if (!setup_value(b->setup, "policy", 0)[0])
                return 0;
        guard.b = b;
        guard.pid = getpid();
        guard.called = &called_here;
        called_guard(say);
        on_exit(on_end, NULL);
        guard.watcher = at_once_start(&guard.never, look, NULL, err);
        return guard.watcher ? 0 : -1;
}

void guard_end(void)
{
        at_once_stop(guard.watcher);
        guard.watcher = NULL;
}
