/* SPDX-License-Identifier: BSD-3-Clause */
/* What a launch line says by itself: its first program, how many ranks, what it begins with. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "real/launch/line.h"
#include "real/launch/program.h"

/* Of a list that ends with NULL; `length`: of the word's beginning, all of which counts. */
static bool is_one_of(const char *word, size_t length, const char *const *names)
{
        for (; *names; names++)
                if (strlen(*names) == length && strncmp(word, *names, length) == 0)
                        return true;
        return false;
}

bool line_has_two_values(const char *option)
{
        static const char *const names[] = { "-env", "-genv",  "--env", "--genv", "--mca",
                                             "-mca", "--gmca", "-gmca", NULL };
        return is_one_of(option, strlen(option), names);
}

/* An option's, which may be a file only where it is the second: "--oversubscribe ./app". */
static bool is_value(char *const *launch, int i)
{
        if (i > 1 && line_has_two_values(launch[i - 2]))
                return true;
        return launch[i - 1][0] == '-' && !strchr(launch[i], '/');
}

static bool is_program(char *const *launch, int i, char path[static PROGRAM_PATH_SIZE])
{
        struct lb_error err;
        return launch[i][0] != '-' && !is_value(launch, i) &&
               program_locate(launch[i], path, &err) == 0;
}

bool line_program(char *const *launch, char path[static PROGRAM_PATH_SIZE])
{
        for (int i = 1; launch[0] && launch[i]; i++)
                if (is_program(launch, i, path))
                        return true;
        return false;
}

/* "4" of "-n 4", "-n4" or "--ntasks=4"; NULL: not such an option. */
static const char *ranks_option(char *const *launch, int i)
{
        static const char *const apart[] = { "-n", "-np", "--n", "--np", "--ntasks", NULL };
        static const char *const joined[] = { "--ntasks=", "-n", NULL };
        if (is_one_of(launch[i], strlen(launch[i]), apart))
                return launch[i + 1];
        for (const char *const *name = joined; *name; name++)
                if (strncmp(launch[i], *name, strlen(*name)) == 0)
                        return launch[i] + strlen(*name);
        return NULL;
}

/* As a word of its own, or "--host=...". */
static bool names_hosts(const char *word)
{
        static const char *const names[] = { "-H",
                                             "-f",
                                             "-w",
                                             "-host",
                                             "--host",
                                             "-hosts",
                                             "--hosts",
                                             "-hostfile",
                                             "--hostfile",
                                             "-hostlist",
                                             "-machinefile",
                                             "--machinefile",
                                             "--nodelist",
                                             "--default-hostfile",
                                             NULL };
        return is_one_of(word, strcspn(word, "="), names);
}

int32_t line_ranks(char *const *launch)
{
        char path[PROGRAM_PATH_SIZE];
        bool within = false; /* a program's arguments */
        int64_t sum = 0;
        for (int i = 1; launch[0] && launch[i]; i++) {
                if (strcmp(launch[i], ":") == 0) {
                        within = false;
                        continue;
                }
                within = within || is_program(launch, i, path);
                if (!within && names_hosts(launch[i]))
                        return 0;
                const char *text = within ? NULL : ranks_option(launch, i);
                long count = text ? strtol(text, NULL, 10) : 0;
                sum += count > 0 && count < INT32_MAX - sum ? count : 0;
        }
        return (int32_t)sum;
}

static bool starts_another(const char *word)
{
        static const char *const names[] = { "env",    "time",    "nice",    "nohup",
                                             "stdbuf", "timeout", "taskset", "ionice",
                                             "setsid", "numactl", NULL };
        const char *file = basename(word);
        return is_one_of(file, strlen(file), names);
}

const char *line_begins_late(char *const *line, char *text, size_t size)
{
        text[0] = '\0';
        for (int i = 1; line[0] && line[i] && starts_another(line[0]); i++)
                if (line_is_launcher(line[i])) {
                        snprintf(text, size, " (what is before '%.100s' belongs before lbrun)",
                                 line[i]);
                        break;
                }
        return text;
}
