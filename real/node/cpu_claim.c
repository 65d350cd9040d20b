/* SPDX-License-Identifier: BSD-3-Clause */
/* The name of the socket says it all: "lbrun-cpus-PID-" and a digit for every four CPUs. */
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "real/node/cpu_order.h"

#define PREFIX "lbrun-cpus-"
enum { DIGITS = 80, CPUS_TOLD = 4 * DIGITS };

static int32_t digit_of(char c)
{
        static const char digits[] = "0123456789abcdef";
        const char *at = c ? strchr(digits, c) : NULL;
        return at ? (int32_t)(at - digits) : 0;
}

static bool is_told(const char *digits, int32_t cpu)
{
        return cpu < CPUS_TOLD && (size_t)(cpu / 4) < strlen(digits) &&
               (digit_of(digits[cpu / 4]) >> (cpu % 4) & 1);
}

static int32_t count_shared(const char *digits, const int32_t *cpu, int32_t ncpu, int32_t *shared)
{
        int32_t count = 0;
        for (int32_t c = 0; c < ncpu; c++)
                if (is_told(digits, cpu[c]) && count++ == 0)
                        *shared = cpu[c];
        return count;
}

/* Linux lists the sockets of this network namespace, abstract ones with '@' before the name. */
static int32_t look(const int32_t *cpu, int32_t ncpu, int32_t *shared)
{
        char *line = NULL;
        size_t room = 0;
        int32_t most = 0;
        FILE *in = fopen("/proc/net/unix", "re");
        while (in && getline(&line, &room, in) > 0) {
                char *name = strstr(line, "@" PREFIX), *digits = name ? strrchr(name, '-') : NULL;
                int32_t first = 0, count = 0;
                if (digits)
                        count = count_shared(digits + 1, cpu, ncpu, &first);
                if (count > most) {
                        most = count;
                        *shared = first;
                }
        }
        free(line);
        if (in)
                fclose(in);
        return most;
}

static void tell(const int32_t *cpu, int32_t ncpu)
{
        struct sockaddr_un name = { .sun_family = AF_UNIX };
        int32_t word[DIGITS] = { 0 };
        int length =
            snprintf(name.sun_path + 1, sizeof(name.sun_path) - 1, PREFIX "%d-", (int)getpid());
        for (int32_t c = 0; c < ncpu; c++)
                if (cpu[c] < CPUS_TOLD)
                        word[cpu[c] / 4] |= 1 << (cpu[c] % 4);
        int32_t size = DIGITS;
        while (size > 0 && word[size - 1] == 0)
                size--;
        for (int32_t d = 0; d < size && (size_t)length + 2 < sizeof(name.sun_path); d++)
                name.sun_path[1 + length++] = "0123456789abcdef"[word[d]];
        int fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
        if (fd >= 0 &&
            bind(fd, (struct sockaddr *)&name,
                 (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 + (size_t)length)) < 0)
                close(fd);
}

int32_t cpu_claim(const int32_t *cpu, int32_t ncpu, int32_t *shared)
{
        int32_t count = look(cpu, ncpu, shared);
        tell(cpu, ncpu);
        return count;
}
