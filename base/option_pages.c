/* SPDX-License-Identifier: BSD-3-Clause */
/* The files that are installed beside a program. */
#include "base/option.h"

#include <string.h>

#include "base/file.h"

enum { PATH_SIZE = 4096 };

/* Into DIR/folder/<page><ending>, of a command or of the program. */
struct page {
        const char *folder, *before, *ending;
        void (*command)(const struct lb_command *command, FILE *out);
        void (*program)(const struct lb_program *program, FILE *out);
};

static int write_page(const struct page *page, const struct lb_command *command, const char *folder,
                      struct lb_error *err)
{
        char path[PATH_SIZE];
        struct lb_file file;
        int length = snprintf(path, sizeof(path), "%s/%s", folder, page->folder);
        if (length < 0 || (size_t)length >= sizeof(path) - 2 * LB_COMMAND_NAME_SIZE)
                return lb_error_set(err, "'%.60s...' is too long for a path", folder);
        if (lb_make_directory(path, err) < 0)
                return -1;
        snprintf(path + length, sizeof(path) - (size_t)length, "/%s%s%s%s%s", page->before,
                 command->program->name, command->name ? "-" : "",
                 command->name ? command->name : "", page->ending);
        if (lb_file_create(&file, path, err) < 0)
                return -1;
        if (page->command)
                page->command(command, file.stream);
        else
                page->program(command->program, file.stream);
        int status = lb_file_commit(&file, err);
        lb_file_abandon(&file);
        return status;
}

static int write_pages(const struct lb_program *program, const char *folder, struct lb_error *err)
{
        static const struct page manual = { "man/man1", "", ".1", lb_option_man, NULL };
        static const struct page completions[] = {
                { "bash-completion/completions", "", "", NULL, lb_option_bash },
                { "zsh/site-functions", "_", "", NULL, lb_option_zsh },
                { "fish/vendor_completions.d", "", ".fish", NULL, lb_option_fish },
        };
        for (const struct lb_command *const *at = program->commands; *at; at++)
                if (write_page(&manual, *at, folder, err) < 0)
                        return -1;
        for (size_t i = 0; i < sizeof(completions) / sizeof(completions[0]); i++)
                if (write_page(&completions[i], program->commands[0], folder, err) < 0)
                        return -1;
        return 0;
}

int lb_program_pages(const struct lb_program *program, int argc, char **argv)
{
        struct lb_error err = { .kind = LB_ERROR_NONE };
        if (argc != 3 || strcmp(argv[1], "--pages") != 0)
                return -1;
        if (write_pages(program, argv[2], &err) < 0)
                fprintf(stderr, "%s: --pages: %s\n", program->name, err.text);
        return lb_error_exit_code(&err);
}
