/* SPDX-License-Identifier: BSD-3-Clause */
#include "real/apps/common/options.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { OPTION_MAX = APP_PARAM_MAX + APP_TEXT_MAX, NAME_SIZE = 64 };

/* The application as base/option.h has it. */
struct line {
        char name[OPTION_MAX][NAME_SIZE]; /* "task-ms" for "task_ms" */
        struct lb_option option[OPTION_MAX + 1];
        struct lb_program program;
        struct lb_command command;
        const struct lb_command *commands[2];
};

static struct lb_option *add(struct line *line, size_t i, const char *name)
{
        assert(i < OPTION_MAX);
        snprintf(line->name[i], NAME_SIZE, "%s", name);
        for (char *c = line->name[i]; *c; c++)
                if (*c == '_')
                        *c = '-';
        line->option[i] = (struct lb_option){ .name = line->name[i] };
        return &line->option[i];
}

static void fill(struct line *line, const struct app *app)
{
        size_t n = 0;
        *line = (struct line){ .program = { .name = app->name, .commands = line->commands },
                               .commands = { &line->command } };
        for (const struct lb_param *param = app->param; param->name; param++, n++) {
                struct lb_option *option = add(line, n, param->name);
                option->type = LB_OPTION_PARAM;
                option->param = param;
                option->to = offsetof(struct app_options, value) + n * sizeof(double);
                option->size = sizeof(double);
        }
        assert(n <= APP_PARAM_MAX);
        for (const struct app_text *text = app->text; text && text->name; text++, n++) {
                struct lb_option *option = add(line, n, text->name);
                option->type = LB_OPTION_TEXT;
                option->value = text->form;
                option->help = text->help;
                option->to = offsetof(struct app_options, text) +
                             (size_t)(text - app->text) * sizeof(const char *);
                option->size = sizeof(const char *);
        }
        line->command = (struct lb_command){ .program = &line->program,
                                             .usage = "[OPTION]...",
                                             .about = app->summary,
                                             .options = line->option,
                                             .size = sizeof(struct app_options),
                                             .given = offsetof(struct app_options, given) };
}

int app_options_read(const struct app *app, int argc, char **argv, struct app_options *options,
                     struct lb_error *err)
{
        struct line line;
        struct lb_call call;
        fill(&line, app);
        *options = (struct app_options){ 0 };
        for (int i = 1; i < argc; i++)
                options->help = options->help || strcmp(argv[i], "--help") == 0;
        int status =
            options->help ? 1 : lb_option_parse(&line.command, argc, argv, options, &call, err);
        options->help = status == 1;
        return status < 0 ? -1 : 0;
}

void app_print_help(const struct app *app, FILE *out)
{
        struct line line;
        fill(&line, app);
        lb_command_help(&line.command, out);
}

int32_t app_list_length(const char *text)
{
        int32_t n = 1;
        for (; text && *text; text++)
                n += *text == ',';
        return n;
}

static int read_whole(const char **text, int64_t max, int64_t *number)
{
        char *end;
        if (**text < '0' || **text > '9')
                return -1;
        errno = 0;
        long long value = strtoll(*text, &end, 10);
        if (errno != 0 || value > max)
                return -1;
        *number = value;
        *text = end;
        return 0;
}

int app_read_list(const char *text, int64_t fallback, int64_t max, int32_t count, int64_t *number,
                  struct lb_error *err)
{
        for (int32_t i = 0; i < count; i++)
                number[i] = i == 0 ? fallback : 0;
        if (!text)
                return 0;
        const char *next = text;
        for (int32_t i = 0; i < app_list_length(text); i++) {
                int64_t value = 0;
                if (read_whole(&next, max, &value) != 0 || (*next && *next != ','))
                        return lb_error_set(err,
                                            "found \"%s\", allowed are whole numbers from 0 to "
                                            "%lld with commas between",
                                            text, (long long)max);
                next += *next == ',';
                if (i < count)
                        number[i] = value;
        }
        if (app_list_length(text) > count)
                return lb_error_set(err, "found %d numbers, allowed is at most %d, one for a rank",
                                    app_list_length(text), count);
        return 0;
}

int app_fail(const struct app *app, bool loud, const struct lb_error *err)
{
        if (loud)
                fprintf(stderr, "%s: %s\n", app->name, err->text);
        return lb_error_exit_code(err);
}

int app_begin(const struct app *app, int argc, char **argv, bool loud, struct app_options *options)
{
        struct lb_error err = { 0 };
        if (app_options_read(app, argc, argv, options, &err) != 0)
                return app_fail(app, loud, &err);
        if (!options->help)
                return APP_RUN;
        if (loud)
                app_print_help(app, stdout);
        return 0;
}
