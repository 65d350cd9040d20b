/* SPDX-License-Identifier: BSD-3-Clause */
/* Manual pages of a program's commands, in the man macros that groff and mandoc know. */
#include "base/option.h"

#include <string.h>

/* Text as it is: no character of it is a request or an escape; '-' is one that can be typed. */
static void put(FILE *out, const char *text, size_t length)
{
        if (length > 0 && (text[0] == '.' || text[0] == '\''))
                fputs("\\&", out);
        for (size_t i = 0; i < length; i++) {
                if (text[i] == '\\')
                        fputs("\\e", out);
                else if (text[i] == '-')
                        fputs("\\-", out);
                else
                        fputc(text[i], out);
        }
}

static void put_line(FILE *out, const char *text)
{
        put(out, text, strlen(text));
        fputc('\n', out);
}

static void put_upper(FILE *out, const char *text)
{
        for (; *text; text++) {
                char upper = *text >= 'a' && *text <= 'z' ? (char)(*text - 'a' + 'A') : *text;
                put(out, &upper, 1);
        }
}

/* Paragraphs; lines that begin with a blank stay as they are. */
static void put_text(FILE *out, const char *text)
{
        bool kept = false;
        for (const char *line = text; *line;) {
                size_t length = strcspn(line, "\n");
                bool keep = line[0] == ' ';
                if (keep != kept)
                        fputs(keep ? ".PP\n.nf\n" : ".fi\n", out);
                kept = keep;
                if (length == 0)
                        fputs(line > text && line[1] && line[1] != ' ' ? ".PP\n" : "", out);
                put(out, line, length);
                fputs(length > 0 ? "\n" : "", out);
                line += length + (line[length] == '\n');
        }
        fputs(kept ? ".fi\n" : "", out);
}

/* "lbsim\-graph": what the page is called. */
static void put_page(FILE *out, const struct lb_command *command)
{
        fputs(command->program->name, out);
        if (command->name) {
                fputs("\\-", out);
                put(out, command->name, strlen(command->name));
        }
}

static void put_synopsis(FILE *out, const struct lb_command *command)
{
        char name[64];
        lb_command_name(command, name, sizeof(name));
        fputs(".SH SYNOPSIS\n.nf\n", out);
        const char *line = command->usage;
        do {
                size_t length = strcspn(line, "\n");
                fputs("\\fB", out);
                put(out, name, strlen(name));
                fputs(length > 0 ? "\\fR " : "\\fR", out);
                put(out, line, length);
                fputc('\n', out);
                line += length + (line[length] == '\n');
        } while (*line);
        fputs(".fi\n", out);
}

static void put_values(FILE *out, const struct lb_option *option)
{
        const char *name, *help;
        fputs(".RS\n", out);
        for (int i = 0; (name = option->each(i, &help)); i++) {
                fputs(".TP\n.B ", out);
                put_line(out, name);
                put_line(out, help);
        }
        fputs(".RE\n", out);
}

static void put_option(FILE *out, const struct lb_option *option)
{
        char value[128], help[1024];
        lb_option_value(option, value, sizeof(value));
        lb_option_help(option, help, sizeof(help));
        bool optional = lb_option_is_optional(option);
        fputs(".TP\n\\fB\\-\\-", out);
        put(out, option->name, strlen(option->name));
        fputs("\\fR", out);
        if (value[0]) {
                fputs(optional ? "[=\\fI" : " \\fI", out);
                put(out, value, strlen(value));
                fputs(optional ? "\\fR]" : "\\fR", out);
        }
        fputc('\n', out);
        put_line(out, help);
        if (option->each)
                put_values(out, option);
}

static void put_commands(FILE *out, const struct lb_program *program)
{
        fputs(".SH COMMANDS\n", out);
        for (const struct lb_command *const *at = program->commands; *at; at++) {
                if (!(*at)->name)
                        continue;
                fputs(".TP\n.BR ", out);
                put_page(out, *at);
                fputs(" (1)\n", out);
                put_line(out, (*at)->summary);
        }
}

static void put_others(FILE *out, const struct lb_command *command)
{
        const struct lb_program *program = command->program;
        const char *between = "";
        if (!program->commands[1])
                return;
        fputs(".SH SEE ALSO\n", out);
        for (const struct lb_command *const *at = program->commands; *at; at++) {
                if (*at == command)
                        continue;
                fputs(between, out);
                fputs(".BR ", out);
                put_page(out, *at);
                between = " (1),\n";
        }
        fputs(" (1)\n", out);
}

void lb_option_man(const struct lb_command *command, FILE *out)
{
        const struct lb_program *program = command->program;
        struct lb_option option;
        fputs(".TH ", out);
        put_upper(out, program->name);
        fputs(command->name ? "\\-" : "", out);
        put_upper(out, command->name ? command->name : "");
        fprintf(out, " 1 \"%s\" \"%s %s\" \"User Commands\"\n", program->date ? program->date : "",
                program->name, program->version);
        fputs(".SH NAME\n", out);
        put_page(out, command);
        fputs(" \\- ", out);
        put_line(out, command->name ? command->summary : program->summary);
        put_synopsis(out, command);
        fputs(".SH DESCRIPTION\n", out);
        put_text(out, command->about);
        if (!command->name && program->commands[1])
                put_commands(out, program);
        fputs(".SH OPTIONS\n", out);
        for (size_t i = 0; lb_option_at(command, i, &option); i++)
                put_option(out, &option);
        if (command->more) {
                fputs(".SH NOTES\n", out);
                put_text(out, command->more);
        }
        if (command->ends) {
                fputs(".SH EXIT STATUS\n", out);
                put_text(out, command->ends);
        }
        put_others(out, command);
}
