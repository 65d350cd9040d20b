/* SPDX-License-Identifier: BSD-3-Clause */
#include "tests/real/data/twin.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

static int read_all(int file, void *data, size_t bytes)
{
        for (char *at = data; bytes > 0;) {
                ssize_t count = read(file, at, bytes);
                if (count <= 0)
                        return -1;
                at += count;
                bytes -= (size_t)count;
        }
        return 0;
}

static int write_all(int file, const void *data, size_t bytes)
{
        for (const char *at = data; bytes > 0;) {
                ssize_t count = write(file, at, bytes);
                if (count <= 0)
                        return -1;
                at += count;
                bytes -= (size_t)count;
        }
        return 0;
}

static void become_twin(const int to[2], const int from[2], const char *argument)
{
        dup2(to[0], STDIN_FILENO);
        dup2(from[1], STDOUT_FILENO);
        for (int i = 0; i < 2; i++) {
                close(to[i]);
                close(from[i]);
        }
        execl("/proc/self/exe", "twin", argument, (char *)NULL);
        _exit(127);
}

struct twin twin_start(const char *argument)
{
        int to[2], from[2];
        struct twin twin = { .pid = -1 };
        if (pipe(to) == 0 && pipe(from) == 0)
                twin.pid = fork();
        if (twin.pid < 0) {
                perror("cannot start a second process");
                exit(1);
        }
        if (twin.pid == 0)
                become_twin(to, from, argument);
        close(to[0]);
        close(from[1]);
        twin.to = to[1];
        twin.from = from[0];
        return twin;
}

int twin_end(struct twin *twin)
{
        int status = -1;
        close(twin->to);
        close(twin->from);
        if (waitpid(twin->pid, &status, 0) < 0 || !WIFEXITED(status))
                return -1;
        return WEXITSTATUS(status);
}

int twin_tell(const struct twin *twin, const void *data, size_t bytes)
{
        return write_all(twin->to, data, bytes);
}

int twin_hear(const struct twin *twin, void *data, size_t bytes)
{
        return read_all(twin->from, data, bytes);
}

int twin_read(void *data, size_t bytes)
{
        return read_all(STDIN_FILENO, data, bytes);
}

int twin_write(const void *data, size_t bytes)
{
        return write_all(STDOUT_FILENO, data, bytes);
}
