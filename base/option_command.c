/* SPDX-License-Identifier: BSD-3-Clause */
/* Which command is meant, and running it. */
#include "base/option.h"

#include <stdlib.h>
#include <string.h>

const struct lb_command *lb_command_find(const struct lb_program *program, const char *name)
{
        for (const struct lb_command *const *at = program->commands; *at; at++)
                if ((*at)->name && strcmp((*at)->name, name) == 0)
                        return *at;
        return NULL;
}

const char *lb_command_nearest(const struct lb_program *program, const char *word)
{
        enum { COMMANDS_MAX = 64 };
        const char *names[COMMANDS_MAX];
        size_t count = 0;
        for (const struct lb_command *const *at = program->commands; *at; at++)
                if ((*at)->name && count < COMMANDS_MAX)
                        names[count++] = (*at)->name;
        return word[0] == '-' || strpbrk(word, "./") ? NULL : lb_nearest_name(word, names, count);
}

void lb_command_name(const struct lb_command *command, char *text, size_t size)
{
        snprintf(text, size, "%s%s%s", command->program->name, command->name ? " " : "",
                 command->name ? command->name : "");
}

int lb_command_run(const struct lb_command *command, int argc, char **argv)
{
        struct lb_call call;
        struct lb_error err = { .kind = LB_ERROR_NONE };
        char name[LB_COMMAND_NAME_SIZE];
        void *options = calloc(1, command->size + 1);
        int code = options ? lb_option_parse(command, argc, argv, options, &call, &err)
                           : lb_error_fail(&err, "out of memory");
        if (code == 0) {
                code = command->run(&call, options, &err);
                lb_option_finish(command, options);
        } else if (code == 1) {
                lb_command_help(command, stdout);
                code = 0;
        }
        free(options);
        if (code >= 0)
                return code;
        lb_command_name(command, name, sizeof(name));
        fprintf(stderr, "%s: %s\n", name, err.text);
        bool failed = err.kind == LB_ERROR_OTHER && command->program->failed;
        return failed ? command->program->failed : lb_error_exit_code(&err);
}
