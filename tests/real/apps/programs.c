/* SPDX-License-Identifier: BSD-3-Clause */
#include "tests/real/apps/programs.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#include <cmocka.h>

/* MPI libraries keep memory to the end; as root, as in containers, Open MPI runs only when told. */
static const char prelude[] = "exec 2>&1 </dev/null; cd \"" PROGRAMS "\" || exit 99; "
                              "export ASAN_OPTIONS=detect_leaks=0 OMP_NUM_THREADS=2 "
                              "OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1; "
                              "timeout 120 ";

static int exit_code(int status)
{
        return WIFEXITED(status) && WEXITSTATUS(status) != 124 ? WEXITSTATUS(status) : -1;
}

void programs_run(struct output *output, const char *format, ...)
{
        char command[4096];
        size_t at = sizeof(prelude) - 1;
        va_list args;
        memcpy(command, prelude, sizeof(prelude));
        va_start(args, format);
        int length = vsnprintf(command + at, sizeof(command) - at, format, args);
        va_end(args);
        assert_true(length > 0 && (size_t)length < sizeof(command) - at);
        FILE *pipe = popen(command, "r");
        assert_non_null(pipe);
        size_t n = fread(output->text, 1, sizeof(output->text) - 1, pipe);
        output->text[n] = '\0';
        output->status = exit_code(pclose(pipe));
}

void programs_value(const struct output *output, const char *key, char *value, size_t size)
{
        const char *found = NULL, *next = output->text;
        while ((next = strstr(next, key)))
                found = next += strlen(key);
        if (!found)
                fail_msg("no \"%s\" in:\n%s", key, output->text);
        size_t length = strcspn(found, "\n");
        assert_true(length < size);
        memcpy(value, found, length);
        value[length] = '\0';
}

void programs_expect(const struct output *output, int status)
{
        if (output->status != status)
                fail_msg("exit code %d, expected %d:\n%s", output->status, status, output->text);
}
