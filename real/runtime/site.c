/* SPDX-License-Identifier: BSD-3-Clause */
#define _GNU_SOURCE
#include "real/runtime/site.h"

#include <dlfcn.h>
#include <execinfo.h>
#include <link.h>
#include <spawn.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/wait.h>
#include <unistd.h>

enum { FRAMES_MAX = 64 };

extern char **environ;

static const void *module_of(const void *address)
{
        Dl_info info;
        return dladdr(address, &info) ? info.dli_fbase : NULL;
}

/* The entry point is in the main program, whose functions need not be known by name. */
static bool in_main_program(const void *address)
{
        const void *module = module_of(address);
        return module && module == module_of((const void *)getauxval(AT_ENTRY));
}

/* Frames within our own part of the program come before `from`. */
static const void *in_program(const void *from)
{
        void *frame[FRAMES_MAX];
        int count = backtrace(frame, FRAMES_MAX), i = 0;
        while (i < count && frame[i] != from)
                i++;
        for (; i < count; i++)
                if (in_main_program(frame[i]))
                        return frame[i];
        return from;
}

/* What addr2line says of an address: "step at /home/me/solver.c:42", with ?? for what it does not
 * know. Empty where it cannot be asked. */
static void ask(const char *file, uintptr_t offset, char text[static SITE_SIZE])
{
        char at[32];
        int end[2];
        posix_spawn_file_actions_t actions;
        text[0] = '\0';
        snprintf(at, sizeof(at), "0x%jx", (uintmax_t)offset);
        char *word[] = { "addr2line", "-f", "-p", "-s", "-e", (char *)file, at, NULL };
        pid_t pid;
        if (pipe(end) < 0)
                return;
        posix_spawn_file_actions_init(&actions);
        posix_spawn_file_actions_adddup2(&actions, end[1], STDOUT_FILENO);
        posix_spawn_file_actions_addclose(&actions, end[0]);
        posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", 1, 0);
        bool started = posix_spawnp(&pid, word[0], &actions, NULL, word, environ) == 0;
        posix_spawn_file_actions_destroy(&actions);
        close(end[1]);
        FILE *in = fdopen(end[0], "r");
        if (!in || !fgets(text, SITE_SIZE, in))
                text[0] = '\0';
        if (in)
                fclose(in);
        if (started)
                waitpid(pid, NULL, 0);
        text[strcspn(text, "\n")] = '\0';
}

/* The file that an address is in, and where in the file it is. */
static bool locate(const void *address, char file[static SITE_SIZE], uintptr_t *offset)
{
        Dl_info info;
        struct link_map *map;
        if (!dladdr1(address, &info, (void **)&map, RTLD_DL_LINKMAP))
                return false;
        *offset = (uintptr_t)address - map->l_addr;
        ssize_t length =
            in_main_program(address) ? readlink("/proc/self/exe", file, SITE_SIZE - 1) : -1;
        if (length > 0)
                file[length] = '\0';
        else
                snprintf(file, SITE_SIZE, "%s", info.dli_fname);
        return true;
}

void site_name(char text[static SITE_SIZE], const void *from)
{
        char file[SITE_SIZE], said[SITE_SIZE], place[SITE_SIZE];
        uintptr_t offset;
        const void *address = (const char *)in_program(from) - 1; /* of the call, not behind it */
        if (!locate(address, file, &offset)) {
                snprintf(text, SITE_SIZE, "%p", address);
                return;
        }
        ask(file, offset, said);
        char *at = strstr(said, " at ");
        if (at)
                *at = '\0';
        if (at && at[4] != '?')
                snprintf(place, sizeof(place), "%s", at + 4);
        else
                snprintf(place, sizeof(place), "%.300s+0x%jx", file, (uintmax_t)offset);
        if (at && said[0] != '?')
                snprintf(text, SITE_SIZE, "%.200s (%.300s)", said, place);
        else
                snprintf(text, SITE_SIZE, "%.500s", place);
}
