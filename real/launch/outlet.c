/* SPDX-License-Identifier: BSD-3-Clause */
#include "real/launch/outlet.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdint.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "base/file.h"
#include "real/launch/obituary.h"

int outlet_init(struct outlet *outlet, int to, struct lb_error *err)
{
        int pair[2];
        int told = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
        if (told < 0 || pipe2(pair, O_CLOEXEC) < 0) {
                lb_error_fail(err, "cannot make a pipe: %s", strerror(errno));
                if (told >= 0)
                        close(told);
                return -1;
        }
        *outlet = (struct outlet){ .in = pair[0], .out = pair[1], .told = told, .to = to };
        return 0;
}

static size_t waiting(int in)
{
        int bytes = 0;
        return ioctl(in, FIONREAD, &bytes) == 0 && bytes > 0 ? (size_t)bytes : 0;
}

static void give(struct outlet *outlet, const char *text, size_t size, bool *lost)
{
        if (outlet->obituary)
                obituary_read(outlet->obituary, text, size);
        int why = *lost || lb_write_all(outlet->to, text, size) == 0 ? 0 : errno;
        *lost = *lost || why;
        if (why && why != EPIPE)
                outlet->why = why;
}

/* To the end, or, where somebody puts that off when the job is over, what there is then. */
static void *pass_on(void *argument)
{
        struct outlet *outlet = argument;
        struct pollfd fd[] = { { .fd = outlet->in, .events = POLLIN },
                               { .fd = outlet->told, .events = POLLIN } };
        char text[1 << 14];
        bool lost = false;
        for (size_t left = SIZE_MAX; left > 0;) {
                if (poll(fd, 2, -1) < 0)
                        continue;
                if (fd[1].revents && !(fd[0].revents & POLLHUP)) {
                        outlet->held = true;
                        left = waiting(outlet->in);
                }
                if (fd[1].revents)
                        fd[1].fd = -1;
                if (left == 0 || !fd[0].revents)
                        continue;
                ssize_t n = read(outlet->in, text, left < sizeof(text) ? left : sizeof(text));
                if (n == 0 || (n < 0 && errno != EINTR))
                        break;
                if (n > 0)
                        give(outlet, text, (size_t)n, &lost);
                left -= n > 0 && outlet->held ? (size_t)n : 0;
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

/* Waits by steps: no clock that may be set, and joins that a thread sanitizer knows. */
static bool has_ended(struct outlet *outlet)
{
        enum { GRACE_MS = 1000, STEP_MS = 2 };
        static const struct timespec step = { .tv_nsec = STEP_MS * 1000000L };
        for (int waited_ms = 0; waited_ms < GRACE_MS; waited_ms += STEP_MS) {
                if (pthread_tryjoin_np(outlet->thread, NULL) == 0)
                        return true;
                nanosleep(&step, NULL);
        }
        return pthread_tryjoin_np(outlet->thread, NULL) == 0;
}

static void release(const struct outlet *outlet)
{
        if (outlet->in > 0)
                close(outlet->in);
        if (outlet->told > 0)
                close(outlet->told);
}

/* A thread that is left behind writes for somebody who does not read. */
int outlet_finish(struct outlet *outlet, bool at_once)
{
        if (outlet->out > 0)
                close(outlet->out);
        if (outlet->runs && !has_ended(outlet)) {
                if (at_once)
                        return 0;
                eventfd_write(outlet->told, 1);
                pthread_join(outlet->thread, NULL);
        }
        release(outlet);
        return outlet->why;
}
