/* SPDX-License-Identifier: BSD-3-Clause */
#include "real/launch/outlet.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

int outlet_init(struct outlet *outlet, int to, struct lb_error *err)
{
        int pair[2];
        if (pipe2(pair, O_CLOEXEC) < 0)
                return lb_error_fail(err, "cannot make a pipe: %s", strerror(errno));
        *outlet = (struct outlet){ .in = pair[0], .out = pair[1], .to = to };
        return 0;
}

/* One call may write a part. */
static int write_all(int to, const char *text, size_t size)
{
        while (size > 0) {
                ssize_t n = write(to, text, size);
                if (n < 0 && errno == EINTR)
                        continue;
                if (n < 0)
                        return errno;
                text += n;
                size -= (size_t)n;
        }
        return 0;
}

static void *pass_on(void *argument)
{
        struct outlet *outlet = argument;
        char text[1 << 14];
        bool lost = false;
        for (ssize_t n; (n = read(outlet->in, text, sizeof(text))) != 0;) {
                if (n < 0 && errno != EINTR)
                        break;
                int why = n > 0 && !lost ? write_all(outlet->to, text, (size_t)n) : 0;
                lost = lost || why;
                if (why && why != EPIPE)
                        outlet->why = why;
        }
        return NULL;
}

int outlet_start(struct outlet *outlet, struct lb_error *err)
{
        close(outlet->out);
        outlet->out = -1;
        int why = pthread_create(&outlet->thread, NULL, pass_on, outlet);
        if (why)
                return lb_error_fail(err, "cannot start a thread: %s", strerror(why));
        outlet->runs = true;
        return 0;
}

/* A thread that is left behind writes for somebody who does not read. */
int outlet_finish(struct outlet *outlet, bool at_once)
{
        enum { GRACE_S = 1 };
        struct timespec until;
        if (outlet->out > 0)
                close(outlet->out);
        if (!outlet->runs) {
                if (outlet->in > 0)
                        close(outlet->in);
                return 0;
        }
        clock_gettime(CLOCK_REALTIME, &until);
        until.tv_sec += GRACE_S;
        if (at_once && pthread_timedjoin_np(outlet->thread, NULL, &until) != 0)
                return 0;
        if (!at_once)
                pthread_join(outlet->thread, NULL);
        close(outlet->in);
        return outlet->why;
}
