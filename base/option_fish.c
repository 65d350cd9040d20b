/* SPDX-License-Identifier: BSD-3-Clause */
/* Completion of a program's commands, options and values in fish. */
#include "base/option.h"

#include <string.h>

/* Within '...'. */
static void put_quoted(FILE *out, const char *text)
{
        fputc('\'', out);
        for (; *text; text++) {
                if (*text == '\'' || *text == '\\')
                        fputc('\\', out);
                fputc(*text, out);
        }
        fputc('\'', out);
}

/* Where the command's words and options may stand. */
static void put_condition(FILE *out, const struct lb_command *command)
{
        if (command->name) {
                fprintf(out, " -n '__fish_seen_subcommand_from %s'", command->name);
                return;
        }
        fputs(" -n 'not __fish_seen_subcommand_from", out);
        for (const struct lb_command *const *at = command->program->commands; *at; at++)
                if ((*at)->name)
                        fprintf(out, " %s", (*at)->name);
        if (command->in_order)
                fputs("; and not contains -- -- (commandline -opc)", out);
        fputc('\'', out);
}

static void put_option(FILE *out, const struct lb_command *command, const struct lb_option *option)
{
        char help[1024];
        lb_option_help(option, help, sizeof(help));
        fprintf(out, "complete -c %s", command->program->name);
        put_condition(out, command);
        fprintf(out, " -l %s", option->name);
        if (option->type != LB_OPTION_FLAG && !lb_option_is_optional(option)) {
                bool file = option->type == LB_OPTION_FILE;
                bool folder = option->type == LB_OPTION_FOLDER;
                fputs(file ? " -r -F" : " -x", out);
                if (folder)
                        fputs(" -a '(__fish_complete_directories)'", out);
                else if (lb_option_has_words(option)) {
                        fputs(" -a '", out);
                        lb_option_put_words(out, option);
                        fputc('\'', out);
                }
        }
        fputs(" -d ", out);
        put_quoted(out, help);
        fputc('\n', out);
}

static void put_command(FILE *out, const struct lb_command *command)
{
        struct lb_option option;
        if (command->name) {
                fprintf(out, "complete -c %s -n __fish_use_subcommand -a %s -d ",
                        command->program->name, command->name);
                put_quoted(out, command->summary);
                fputc('\n', out);
        }
        for (int i = 0; command->choices && command->choices[i]; i++) {
                fprintf(out, "complete -c %s", command->program->name);
                put_condition(out, command);
                fprintf(out, "%s -a %s\n", command->word == LB_OPTION_FILE ? "" : " -f",
                        command->choices[i]);
        }
        for (size_t i = 0; lb_option_at(command, i, &option); i++)
                put_option(out, command, &option);
}

void lb_option_fish(const struct lb_program *program, FILE *out)
{
        fprintf(out, "# fish completion of %s\n", program->name);
        for (const struct lb_command *const *at = program->commands; *at; at++)
                put_command(out, *at);
}
