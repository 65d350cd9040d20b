/* SPDX-License-Identifier: BSD-3-Clause */
/* What --help prints. */
#include "base/option.h"

#include <string.h>

enum { WIDTH = 79, HELP_COLUMN = 27, VALUE_COLUMN = HELP_COLUMN + 10 };

static void put_blanks(FILE *out, int count)
{
        fprintf(out, "%*s", count > 0 ? count : 0, "");
}

/* One paragraph of length bytes from column `at` on, its other lines from column `indent`. */
static void put_words(FILE *out, const char *text, size_t length, int indent, int at)
{
        const char *end = text + length;
        bool first = true;
        while (text < end) {
                int word = (int)strcspn(text, " \n");
                word = word < end - text ? word : (int)(end - text);
                if (!first && at + 1 + word > WIDTH) {
                        fputc('\n', out);
                        put_blanks(out, indent);
                        at = indent;
                } else if (!first) {
                        fputc(' ', out);
                        at++;
                }
                fwrite(text, 1, (size_t)word, out);
                at += word;
                text += word + (text + word < end);
                first = false;
        }
        fputc('\n', out);
}

/* What is to stand at `column`, behind a title that was printed up to column `at`. */
static void put_entry(FILE *out, const char *help, int at, int column)
{
        if (at + 1 > column)
                fputc('\n', out);
        put_blanks(out, at + 1 > column ? column : column - at);
        put_words(out, help, strlen(help), column, column);
}

static void put_text(FILE *out, const char *text)
{
        fputc('\n', out);
        for (const char *line = text; *line;) {
                size_t length = strcspn(line, "\n");
                if (line[0] == ' ')
                        fprintf(out, "%.*s\n", (int)length, line);
                else
                        put_words(out, line, length, 0, 0);
                line += length + (line[length] == '\n');
        }
}

static void put_usage(FILE *out, const struct lb_command *command)
{
        char name[64];
        lb_command_name(command, name, sizeof(name));
        const char *before = "Usage:", *line = command->usage;
        do {
                int length = (int)strcspn(line, "\n");
                fprintf(out, "%s %s%s%.*s\n", before, name, length ? " " : "", length, line);
                line += length + (line[length] == '\n');
                before = "   or:";
        } while (*line);
}

static void put_commands(FILE *out, const struct lb_program *program)
{
        enum { COLUMN = 14 };
        fputs("\nCommands:\n", out);
        for (const struct lb_command *const *at = program->commands; *at; at++)
                if ((*at)->name)
                        put_entry(out, (*at)->summary, fprintf(out, "  %s", (*at)->name), COLUMN);
}

static void put_option(FILE *out, const struct lb_option *option)
{
        char value[128], help[1024];
        lb_option_value(option, value, sizeof(value));
        lb_option_help(option, help, sizeof(help));
        const char *optional = lb_option_is_optional(option) ? "[=" : NULL;
        int at = fprintf(out, "  --%s%s%s%s", option->name,
                         optional   ? optional
                         : value[0] ? " "
                                    : "",
                         value, optional ? "]" : "");
        put_entry(out, help, at, HELP_COLUMN);
        const char *name, *sentence;
        for (int i = 0; option->each && (name = option->each(i, &sentence)); i++) {
                put_blanks(out, HELP_COLUMN);
                put_entry(out, sentence, HELP_COLUMN + fprintf(out, "%s", name), VALUE_COLUMN);
        }
}

void lb_command_help(const struct lb_command *command, FILE *out)
{
        struct lb_option option;
        put_usage(out, command);
        put_text(out, command->about);
        if (!command->name && command->program->commands[1])
                put_commands(out, command->program);
        fputs("\nOptions:\n", out);
        for (size_t i = 0; lb_option_at(command, i, &option); i++)
                put_option(out, &option);
        if (command->more)
                put_text(out, command->more);
        if (command->ends) {
                fputs("\nExit status:", out);
                put_text(out, command->ends);
        }
}
