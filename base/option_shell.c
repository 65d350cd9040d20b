/* SPDX-License-Identifier: BSD-3-Clause */
/* Completion of a program's commands, options and values in bash and zsh. */
#include "base/option.h"

#include <string.h>

static const char *name_of(const struct lb_command *command)
{
        return command->name ? command->name : "";
}

/* An option's values where they are known words, separated by blanks; else "". */
void lb_option_put_words(FILE *out, const struct lb_option *option)
{
        const char *const *choices = lb_option_param(option).choices;
        const char *help, *name;
        for (int i = 0; choices && choices[i]; i++)
                fprintf(out, "%s%s", i ? " " : "", choices[i]);
        for (int i = 0; option->each && (name = option->each(i, &help)); i++)
                fprintf(out, "%s%s", i ? " " : "", name);
}

bool lb_option_has_words(const struct lb_option *option)
{
        return option->each || lb_option_param(option).choices;
}

static void put_command_names(FILE *out, const struct lb_program *program, const char *between)
{
        const char *before = "";
        for (const struct lb_command *const *at = program->commands; *at; at++) {
                if (!(*at)->name)
                        continue;
                fprintf(out, "%s%s", before, (*at)->name);
                before = between;
        }
}

/* ---- bash ---- */

/* Files are what bash completes where we offer nothing. */
static void put_bash_value(FILE *out, const struct lb_command *command,
                           const struct lb_option *option)
{
        bool folder = option->type == LB_OPTION_FOLDER;
        if (option->type == LB_OPTION_FLAG || lb_option_is_optional(option))
                return;
        fprintf(out, "    '%s --%s')\n        ", name_of(command), option->name);
        if (lb_option_has_words(option)) {
                fputs("words='", out);
                lb_option_put_words(out, option);
                fputs("' ;;\n", out);
        } else if (option->type == LB_OPTION_FILE || folder) {
                fprintf(out, "compopt %s; return ;;\n", folder ? "-o dirnames" : "-o default");
        } else {
                fputs("compopt +o default; return ;;\n", out);
        }
}

static void put_bash_options(FILE *out, const struct lb_command *command)
{
        struct lb_option option;
        fprintf(out, "    '%s') options='", name_of(command));
        for (size_t i = 0; lb_option_at(command, i, &option); i++)
                fprintf(out, "%s--%s", i ? " " : "", option.name);
        fputs("'", out);
        for (int i = 0; command->choices && command->choices[i]; i++)
                fprintf(out, "%s%s", i ? " " : " words='", command->choices[i]);
        fprintf(out, "%s ;;\n", command->choices ? "'" : "");
}

void lb_option_bash(const struct lb_program *program, FILE *out)
{
        const char *name = program->name;
        struct lb_option option;
        fprintf(out,
                "# bash completion of %s\n"
                "_%s() {\n"
                "    local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD-1]}\n"
                "    local command='' options='' words='' word\n"
                "    COMPREPLY=()\n",
                name, name);
        if (program->commands[0]->in_order)
                fputs("    for word in \"${COMP_WORDS[@]:1:COMP_CWORD-1}\"; do\n"
                      "        [[ $word == -- ]] && return\n"
                      "    done\n",
                      out);
        fputs("    # \"--name=value\" comes as three words\n"
              "    if [[ $cur == '=' ]]; then\n"
              "        cur=''\n"
              "    elif [[ $prev == '=' ]] && ((COMP_CWORD > 1)); then\n"
              "        prev=${COMP_WORDS[COMP_CWORD-2]}\n"
              "    fi\n",
              out);
        if (program->commands[1]) {
                fputs("    if ((COMP_CWORD > 1)); then\n        case ${COMP_WORDS[1]} in\n        ",
                      out);
                put_command_names(out, program, "|");
                fputs(") command=${COMP_WORDS[1]} ;;\n        esac\n    else\n        words='",
                      out);
                put_command_names(out, program, " ");
                fputs("'\n    fi\n", out);
        }
        fputs("    case $command in\n", out);
        for (const struct lb_command *const *at = program->commands; *at; at++)
                put_bash_options(out, *at);
        fputs("    esac\n    case \"$command $prev\" in\n", out);
        for (const struct lb_command *const *at = program->commands; *at; at++)
                for (size_t i = 0; lb_option_at(*at, i, &option); i++)
                        put_bash_value(out, *at, &option);
        fprintf(out,
                "    *) [[ $cur == -* ]] && words=$options ;;\n"
                "    esac\n"
                "    while IFS= read -r word; do\n"
                "        COMPREPLY+=(\"$word\")\n"
                "    done < <(compgen -W \"$words\" -- \"$cur\")\n"
                "}\n"
                "complete -o default -F _%s %s\n",
                name, name);
}

/* ---- zsh ---- */

/* Within '...[...]' or '...:...' of _arguments. */
static void put_zsh(FILE *out, const char *text)
{
        for (; *text; text++) {
                if (*text == '\'')
                        fputs("'\\'", out);
                else if (strchr("[]:\\", *text))
                        fputc('\\', out);
                fputc(*text, out);
        }
}

/* "files", "directories" or known words, as _arguments completes them. */
static void put_zsh_action(FILE *out, enum lb_option_type type)
{
        fputs(type == LB_OPTION_FILE     ? "_files"
              : type == LB_OPTION_FOLDER ? "_files -/"
                                         : " ",
              out);
}

static void put_zsh_option(FILE *out, const struct lb_option *option)
{
        char help[1024], value[128];
        lb_option_help(option, help, sizeof(help));
        lb_option_value(option, value, sizeof(value));
        bool repeats = option->type == LB_OPTION_LIST;
        fprintf(out, " \\\n            '%s--%s%s[", repeats ? "*" : "", option->name,
                option->type == LB_OPTION_FLAG  ? ""
                : lb_option_is_optional(option) ? "=-"
                                                : "=");
        put_zsh(out, help);
        fputc(']', out);
        if (option->type != LB_OPTION_FLAG) {
                fputs(lb_option_is_optional(option) ? "::" : ":", out);
                put_zsh(out, value);
                fputc(':', out);
                if (lb_option_has_words(option)) {
                        fputc('(', out);
                        lb_option_put_words(out, option);
                        fputc(')', out);
                } else {
                        put_zsh_action(out, option->type);
                }
        }
        fputc('\'', out);
}

static void put_zsh_command(FILE *out, const struct lb_command *command)
{
        struct lb_option option;
        fputs("        _arguments", out);
        for (size_t i = 0; lb_option_at(command, i, &option); i++)
                put_zsh_option(out, &option);
        if (command->in_order)
                fputs(" \\\n            '*:::program:_normal'", out);
        else if (command->choices) {
                fputs(" \\\n            '1::word:{compadd --", out);
                for (int i = 0; command->choices[i]; i++)
                        fprintf(out, " %s", command->choices[i]);
                fputs(command->word == LB_OPTION_FILE ? "; _files}'" : "}'", out);
        } else if (command->word_max > 0) {
                fputs(" \\\n            '*:argument:", out);
                put_zsh_action(out, command->word);
                fputc('\'', out);
        }
        fputs(" ;;\n", out);
}

void lb_option_zsh(const struct lb_program *program, FILE *out)
{
        fprintf(out, "#compdef %s\n_%s() {\n", program->name, program->name);
        fputs("    local -a commands\n    commands=(\n", out);
        for (const struct lb_command *const *at = program->commands; *at; at++) {
                if (!(*at)->name)
                        continue;
                fprintf(out, "        '%s:", (*at)->name);
                put_zsh(out, (*at)->summary);
                fputs("'\n", out);
        }
        fputs("    )\n    (( CURRENT == 2 )) && _describe -t commands command commands\n"
              "    case ${words[2]} in\n",
              out);
        for (const struct lb_command *const *at = program->commands; *at; at++) {
                if (!(*at)->name)
                        continue;
                fprintf(out,
                        "    %s)\n        (( CURRENT > 2 )) || return\n"
                        "        shift words\n        (( CURRENT-- ))\n",
                        (*at)->name);
                put_zsh_command(out, *at);
        }
        fputs("    *)\n", out);
        put_zsh_command(out, program->commands[0]);
        fprintf(out, "    esac\n}\n_%s \"$@\"\n", program->name);
}
