/* SPDX-License-Identifier: BSD-3-Clause */
#define _GNU_SOURCE
#include "real/measure/clocks.h"

#include <fcntl.h>
#include <stdio.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/clock.h"

static int schedstat = -1; /* of the one thread of a process that is measured */

static int64_t reading_ns(clockid_t clock)
{
        enum { TIMES = 64 };
        int64_t least_ns = INT64_MAX, last_ns = clock_of_ns(clock);
        for (int i = 0; i < TIMES; i++) {
                int64_t now_ns = clock_of_ns(clock);
                if (now_ns - last_ns < least_ns)
                        least_ns = now_ns - last_ns;
                last_ns = now_ns;
        }
        return least_ns;
}

void clocks_weigh(struct meter *meter)
{
        meter->clock_ns = reading_ns(CLOCK_MONOTONIC);
        meter->reading_ns = reading_ns(CLOCK_THREAD_CPUTIME_ID);
}

void clocks_open(void)
{
        char path[64];
        snprintf(path, sizeof(path), "/proc/self/task/%ld/schedstat", (long)gettid());
        schedstat = open(path, O_RDONLY | O_CLOEXEC);
}

/* The first two fields of schedstat: processor time, and time on a run queue. */
static int read_times(int fd, int64_t *cpu_ns, int64_t *delay_ns)
{
        char text[96];
        long long cpu, delay;
        ssize_t length = fd >= 0 ? pread(fd, text, sizeof(text) - 1, 0) : -1;
        if (length <= 0)
                return -1;
        text[length] = '\0';
        if (sscanf(text, "%lld %lld", &cpu, &delay) != 2)
                return -1;
        *cpu_ns = cpu;
        *delay_ns = delay;
        return 0;
}

static int64_t read_delay(int fd)
{
        int64_t cpu_ns, delay_ns;
        return read_times(fd, &cpu_ns, &delay_ns) < 0 ? -1 : delay_ns;
}

int64_t clocks_delay_ns(void)
{
        return read_delay(schedstat);
}

int64_t clocks_own_delay_ns(void)
{
        int fd = open("/proc/thread-self/schedstat", O_RDONLY | O_CLOEXEC);
        int64_t delay_ns = read_delay(fd);
        if (fd >= 0)
                close(fd);
        return delay_ns;
}

int clocks_of_thread(long tid, int64_t *cpu_ns, int64_t *delay_ns)
{
        char path[64];
        snprintf(path, sizeof(path), "/proc/self/task/%ld/schedstat", tid);
        int fd = open(path, O_RDONLY | O_CLOEXEC);
        int failed = read_times(fd, cpu_ns, delay_ns);
        if (fd >= 0)
                close(fd);
        return failed;
}

int64_t clocks_sleeps(void)
{
        struct rusage usage;
        return getrusage(RUSAGE_THREAD, &usage) == 0 ? usage.ru_nvcsw : 0;
}

struct meter_reading clocks_all(int64_t zero_ns)
{
        return (struct meter_reading){ .wall_ns = zero_ns + clock_ns(),
                                       .cpu_ns = clock_cpu_ns(),
                                       .delay_ns = clocks_delay_ns(),
                                       .sleeps = clocks_sleeps() };
}

static int64_t ns_of(const struct timeval *time)
{
        return (int64_t)time->tv_sec * 1000000000 + (int64_t)time->tv_usec * 1000;
}

/* How long there was anybody on the machine who waited for a CPU; -1: not known. */
static int64_t pressed_ns(void)
{
        char text[128];
        long long total_us;
        int fd = open("/proc/pressure/cpu", O_RDONLY | O_CLOEXEC);
        ssize_t length = fd >= 0 ? read(fd, text, sizeof(text) - 1) : -1;
        if (fd >= 0)
                close(fd);
        text[length > 0 ? length : 0] = '\0';
        return sscanf(text, "some %*s %*s %*s total=%lld", &total_us) == 1 ? 1000 * total_us : -1;
}

struct meter_children clocks_children(const struct meter_children *last)
{
        struct rusage usage;
        if (getrusage(RUSAGE_CHILDREN, &usage) != 0)
                return *last;
        struct meter_children now = { .cpu_ns = ns_of(&usage.ru_utime) + ns_of(&usage.ru_stime),
                                      .preempted = usage.ru_nivcsw,
                                      .pressed_ns = last->pressed_ns };
        if (now.cpu_ns != last->cpu_ns)
                now.pressed_ns = pressed_ns();
        return now;
}

void clocks_feed(struct meter *meter, const struct clocks_beside *beside)
{
        meter_cpu(meter, meter->last_ns, clock_cpu_ns());
        if (beside)
                beside->help(meter);
        if (!meter_wants_delay(meter))
                return;
        int64_t begin_ns = clock_ns();
        struct meter_reading now = { .delay_ns = clocks_delay_ns(), .sleeps = clocks_sleeps() };
        if (beside) {
                now.others = beside->others();
                now.children = clocks_children(&meter->children);
        }
        meter_delay(meter, &now);
        int64_t lasted_ns = clock_ns() - begin_ns;
        meter_own(meter, lasted_ns, clock_cpu_ns());
}
