/* SPDX-License-Identifier: BSD-3-Clause */
#include "real/node/process.h"

#include <dirent.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/text.h"

struct stat_line {
        char state;
        int64_t nthread;
        int64_t start_ticks;
};

/* The program's name, in parentheses, may hold anything: fields count from the last one. */
static int parse_stat(const char *text, struct stat_line *line)
{
        const char *name_end = strrchr(text, ')');
        if (!name_end)
                return -1;
        int got = sscanf(name_end + 1,
                         " %c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %*u %*u %*d %*d %*d %*d"
                         " %" SCNd64 " %*d %" SCNd64,
                         &line->state, &line->nthread, &line->start_ticks);
        return got == 3 ? 0 : -1;
}

static int look_up(int32_t pid, struct stat_line *line)
{
        char path[32], text[1024];
        snprintf(path, sizeof(path), "/proc/%" PRId32 "/stat", pid);
        return lb_text_file(path, text, sizeof(text)) > 0 ? parse_stat(text, line) : -1;
}

struct process process_self(void)
{
        struct process self = { .pid = (int32_t)getpid() };
        struct stat_line line;
        if (look_up(self.pid, &line) == 0)
                self.start_ticks = line.start_ticks;
        return self;
}

/*
 * A zombie whose other threads still run (its main thread has ended by itself) is alive. Without
 * /proc the process id alone has to do.
 */
bool process_alive(const struct process *process)
{
        struct stat_line line;
        if (process->start_ticks == 0 || look_up(process->pid, &line) < 0)
                return kill(process->pid, 0) == 0;
        bool ended = (line.state == 'Z' || line.state == 'X') && line.nthread <= 1;
        return !ended && line.start_ticks == process->start_ticks;
}

int process_watch(const struct process *process)
{
#ifdef SYS_pidfd_open
        int fd = (int)syscall(SYS_pidfd_open, process->pid, 0);
        if (fd >= 0 && process_alive(process))
                return fd;
        if (fd >= 0)
                close(fd);
#else
        (void)process;
#endif
        return -1;
}

bool process_threads(int32_t pid, bool (*visit)(void *user, int32_t thread), void *user)
{
        char path[32] = "/proc/self/task";
        bool done = true;
        if (pid)
                snprintf(path, sizeof(path), "/proc/%" PRId32 "/task", pid);
        DIR *threads = opendir(path);
        for (struct dirent *entry; threads && (entry = readdir(threads));)
                if (entry->d_name[0] != '.')
                        done = visit(user, (int32_t)atoi(entry->d_name)) && done;
        if (threads)
                closedir(threads);
        return threads && done;
}
