/* SPDX-License-Identifier: BSD-3-Clause */
#include "real/apps/common/options.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { NAME_MAX_LENGTH = 64 };

/* "--task-ms" for "task_ms". */
static void spell(const char *name, char option[static NAME_MAX_LENGTH])
{
        snprintf(option, NAME_MAX_LENGTH, "--%s", name);
        for (char *c = option; *c; c++)
                if (*c == '_')
                        *c = '-';
}

static bool is_name(const char *name, const char *word, size_t length)
{
        char option[NAME_MAX_LENGTH];
        spell(name, option);
        return strlen(option) == length && strncmp(option, word, length) == 0;
}

static size_t text_count(const struct app_text *text)
{
        size_t n = 0;
        while (text && text[n].name)
                n++;
        return n;
}

static int unknown(const struct app *app, const char *word, size_t length, struct lb_error *err)
{
        char spelled[APP_PARAM_MAX + APP_TEXT_MAX][NAME_MAX_LENGTH], asked[NAME_MAX_LENGTH];
        const char *names[APP_PARAM_MAX + APP_TEXT_MAX];
        size_t n = 0;
        for (size_t i = 0; i < lb_param_count(app->param); i++)
                spell(app->param[i].name, spelled[n++]);
        for (size_t i = 0; i < text_count(app->text); i++)
                spell(app->text[i].name, spelled[n++]);
        for (size_t i = 0; i < n; i++)
                names[i] = spelled[i];
        snprintf(asked, sizeof(asked), "%.*s", (int)length, word);
        const char *near = lb_nearest_name(asked, names, n);
        return lb_error_set(err, "unknown option \"%s\"%s%s, see --help", asked,
                            near ? ", did you mean " : "", near ? near : "");
}

/* An option as it stands on the command line: its name, and its value where it has one. */
struct word {
        const char *name;
        size_t length;
        const char *value; /* after '=', or the next argument, or NULL */
        int used;          /* arguments, where the value is taken */
};

static struct word split(int left, char **argv)
{
        const char *equal = strchr(argv[0], '=');
        if (equal)
                return (struct word){ argv[0], (size_t)(equal - argv[0]), equal + 1, 1 };
        return (struct word){ argv[0], strlen(argv[0]), left > 1 ? argv[1] : NULL, 2 };
}

static int read_param(const struct lb_param *param, const struct word *word, double *value,
                      struct lb_error *err)
{
        bool joined = word->used == 1;
        if (param->type == LB_PARAM_SWITCH && !joined) {
                *value = 1;
                return 1;
        }
        char allowed[256];
        lb_param_allowed(param, allowed, sizeof(allowed));
        if (!word->value)
                return lb_error_set(err, "%s: found no value, allowed is %s", word->name, allowed);
        if (lb_param_parse(param, word->value, value, err) != 0)
                return lb_error_prefix(err, "%.*s: ", (int)word->length, word->name);
        return word->used;
}

/* Reads one option; returns how many arguments it took, or -1. */
static int read_option(const struct app *app, int left, char **argv, struct app_options *options,
                       struct lb_error *err)
{
        struct word word = split(left, argv);
        for (size_t i = 0; i < lb_param_count(app->param); i++) {
                if (!is_name(app->param[i].name, word.name, word.length))
                        continue;
                options->given[i] = true;
                return read_param(&app->param[i], &word, &options->value[i], err);
        }
        for (size_t i = 0; i < text_count(app->text); i++) {
                if (!is_name(app->text[i].name, word.name, word.length))
                        continue;
                if (!word.value)
                        return lb_error_set(err, "%s: found no value, allowed is %s", word.name,
                                            app->text[i].form);
                options->text[i] = word.value;
                return word.used;
        }
        return unknown(app, word.name, word.length, err);
}

int app_options_read(const struct app *app, int argc, char **argv, struct app_options *options,
                     struct lb_error *err)
{
        assert(lb_param_count(app->param) <= APP_PARAM_MAX);
        assert(text_count(app->text) <= APP_TEXT_MAX);
        *options = (struct app_options){ 0 };
        lb_param_defaults(app->param, options->value);
        for (int i = 1; i < argc; i++)
                options->help = options->help || strcmp(argv[i], "--help") == 0;
        for (int i = 1; i < argc && !options->help;) {
                int used = read_option(app, argc - i, argv + i, options, err);
                if (used < 0)
                        return -1;
                i += used;
        }
        return 0;
}

static void print_param(const struct lb_param *param, FILE *out)
{
        char option[NAME_MAX_LENGTH], allowed[256], fallback[64];
        spell(param->name, option);
        if (param->type == LB_PARAM_SWITCH) {
                fprintf(out, "  %-22s %s\n", option, param->help);
                return;
        }
        lb_param_allowed(param, allowed, sizeof(allowed));
        lb_param_format(param, param->fallback, fallback, sizeof(fallback));
        snprintf(option + strlen(option), sizeof(option) - strlen(option), " %s",
                 param->type == LB_PARAM_INTEGER ? "N" : "X");
        fprintf(out, "  %-22s %s (%s; default %s%s%s)\n", option, param->help, allowed, fallback,
                param->unit ? " " : "", param->unit ? param->unit : "");
}

void app_print_help(const struct app *app, FILE *out)
{
        fprintf(out, "%s: %s\n\n", app->name, app->summary);
        for (const struct lb_param *param = app->param; param->name; param++)
                print_param(param, out);
        for (const struct app_text *text = app->text; text && text->name; text++) {
                char option[NAME_MAX_LENGTH];
                snprintf(option, sizeof(option), "--%s %s", text->name, text->form);
                fprintf(out, "  %-22s %s\n", option, text->help);
        }
        fprintf(out, "  %-22s %s\n", "--help", "print this and end");
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
