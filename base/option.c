/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/option.h"

#include <argp.h>
#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"

enum { KEY_FIRST = 256, KEY_HELP = 'h' };

bool lb_option_at(const struct lb_command *command, size_t i, struct lb_option *option)
{
        static const struct lb_option help[] = {
                { "help", LB_OPTION_FLAG, .help = "print this text" },
                { .name = NULL },
        };
        const struct lb_option *tables[] = { command->options, command->program->common, help };
        for (size_t t = 0; t < sizeof(tables) / sizeof(tables[0]); t++)
                for (const struct lb_option *at = tables[t]; at && at->name; at++)
                        if (i-- == 0) {
                                *option = *at;
                                return true;
                        }
        return false;
}

static size_t own_count(const struct lb_command *command)
{
        size_t count = 0;
        while (command->options && command->options[count].name)
                count++;
        return count;
}

static size_t option_count(const struct lb_command *command)
{
        struct lb_option option;
        size_t count = 0;
        while (lb_option_at(command, count, &option))
                count++;
        return count;
}

/* ---- What is allowed ---- */

static void allowed(const struct lb_option *option, char *text, size_t size)
{
        const struct lb_param param = lb_option_param(option);
        if (lb_option_is_typed(option))
                lb_param_allowed(&param, text, size);
        else
                lb_option_value(option, text, size);
}

/* ---- Storing ---- */

static int add(struct lb_option_list *list, const char *text, struct lb_error *err)
{
        const char **grown = realloc(list->text, ((size_t)list->count + 1) * sizeof(*grown));
        if (!grown)
                return lb_error_fail(err, "out of memory");
        list->text = grown;
        list->text[list->count++] = text;
        return 0;
}

static int store_whole(const struct lb_option *option, double value, void *to)
{
        assert(option->size == sizeof(int32_t) || option->size == sizeof(int64_t));
        if (option->size == sizeof(int64_t))
                *(int64_t *)to = (int64_t)value;
        else
                *(int32_t *)to = (int32_t)value;
        return 0;
}

static int store_typed(const struct lb_option *option, const char *text, void *to,
                       struct lb_error *err)
{
        static const char digits[] = "0123456789";
        const struct lb_param param = lb_option_param(option);
        double value;
        if (option->type == LB_OPTION_PARAM)
                return lb_param_parse(&param, text ? text : "true", to, err);
        bool plain = option->type != LB_OPTION_WHOLE || text[strspn(text, digits)] == '\0';
        if (lb_param_parse(&param, plain ? text : "", &value, err) < 0) {
                const char *near = param.choices ? lb_param_nearest(&param, text) : NULL;
                char words[256];
                allowed(option, words, sizeof(words));
                return lb_error_set(err, "found '%.60s', allowed is %s%s%s%s", text, words,
                                    near ? ", did you mean '" : "", near ? near : "",
                                    near ? "'?" : "");
        }
        if (option->type == LB_OPTION_WHOLE)
                return store_whole(option, value, to);
        if (option->type == LB_OPTION_CHOICE)
                *(int *)to = (int)(option->min + value);
        else
                *(double *)to = value;
        return 0;
}

int lb_option_written(const char *text, void *to, struct lb_error *err)
{
        (void)to;
        return lb_file_check(text, err);
}

/* `text` is NULL for a flag, and for what may stand without a value. */
static int store(const struct lb_option *option, const char *text, void *options,
                 struct lb_error *err)
{
        void *to = (char *)options + option->to;
        int status = 0;
        if (option->size == 0)
                to = NULL;
        else if (option->type == LB_OPTION_FLAG)
                *(bool *)to = true;
        else if (option->type == LB_OPTION_LIST)
                status = add(to, text, err);
        else if (lb_option_is_typed(option))
                status = store_typed(option, text, to, err);
        else if (option->type != LB_OPTION_OWN)
                *(const char **)to = text;
        if (status == 0 && option->read)
                status = option->read(text, to, err);
        return status < 0 ? lb_error_prefix(err, "--%s: ", option->name) : 0;
}

static int store_fallbacks(const struct lb_command *command, void *options, struct lb_error *err)
{
        struct lb_option option;
        for (size_t i = 0; lb_option_at(command, i, &option); i++) {
                if (option.type == LB_OPTION_PARAM && option.size > 0)
                        *(double *)((char *)options + option.to) = option.param->fallback;
                if (option.fallback && store(&option, option.fallback, options, err) < 0)
                        return -1;
        }
        return 0;
}

/* ---- Reading ---- */

struct reading {
        const struct lb_command *command;
        void *options;
        struct lb_error *err;
        bool help, failed;
        const char *refused; /* the word that getopt did not take */
};

/* "--name" of "--name=value". */
static size_t name_length(const char *word)
{
        return strcspn(word, "=");
}

/* How many options a word may be short for, or 1 where it is one's whole name. */
static size_t find_named(const struct lb_command *command, const char *word,
                         struct lb_option *found)
{
        struct lb_option option;
        size_t count = 0, length = name_length(word);
        if (strncmp(word, "--", 2) != 0 || length <= 2)
                return 0;
        for (size_t i = 0; lb_option_at(command, i, &option); i++) {
                if (strncmp(option.name, word + 2, length - 2) != 0)
                        continue;
                *found = option;
                if (option.name[length - 2] == '\0')
                        return 1;
                count++;
        }
        return count;
}

/* With the dashes, so that a short name may have two letters wrong. */
static bool nearest_option(const struct lb_command *command, const char *word,
                           char near[static LB_COMMAND_NAME_SIZE])
{
        size_t count = option_count(command);
        char(*spelled)[LB_COMMAND_NAME_SIZE] = calloc(count, sizeof(*spelled));
        const char **names = calloc(count, sizeof(*names));
        const char *found = NULL;
        struct lb_option option;
        for (size_t i = 0; spelled && names && lb_option_at(command, i, &option); i++) {
                snprintf(spelled[i], LB_COMMAND_NAME_SIZE, "--%s", option.name);
                names[i] = spelled[i];
        }
        snprintf(near, LB_COMMAND_NAME_SIZE, "%s", word);
        near[name_length(near)] = '\0';
        if (spelled && names)
                found = lb_nearest_name(near, names, count);
        if (found)
                snprintf(near, LB_COMMAND_NAME_SIZE, "%s", found);
        free(names);
        free(spelled);
        return found;
}

/* Say what is wrong with a word that getopt refused. */
static int complain(const struct lb_command *command, const char *word, struct lb_error *err)
{
        struct lb_option option = { .name = NULL };
        size_t count = find_named(command, word, &option);
        char near[LB_COMMAND_NAME_SIZE], help[LB_COMMAND_NAME_SIZE], words[256];
        lb_command_name(command, help, sizeof(help));
        if (count > 1)
                return lb_error_set(err, "'%.60s' may be more than one option, see %s --help", word,
                                    help);
        if (count == 1 && option.type == LB_OPTION_FLAG)
                return lb_error_set(err, "'--%s' takes no value", option.name);
        if (count == 1) {
                allowed(&option, words, sizeof(words));
                return lb_error_set(err, "'--%s' needs a value, allowed is %s", option.name, words);
        }
        if (nearest_option(command, word, near))
                return lb_error_set(err, "unknown option '%.60s', did you mean '%s'?", word, near);
        return lb_error_set(err, "unknown option '%.60s', see %s --help", word, help);
}

/* Getopt has mostly stepped over the word that it refuses, but not within "-xyz". */
static const char *refused_word(const struct lb_command *command, const struct argp_state *state)
{
        struct lb_option option;
        const char *word = state->argv[state->next - 1];
        bool fine = word[0] != '-' || (find_named(command, word, &option) == 1 &&
                                       option.type == LB_OPTION_FLAG && !strchr(word, '='));
        return fine && state->next < state->argc ? state->argv[state->next] : word;
}

static error_t take(int key, char *text, struct argp_state *state)
{
        struct reading *reading = state->input;
        struct lb_option option;
        if (key == ARGP_KEY_ERROR && !reading->failed)
                reading->refused = refused_word(reading->command, state);
        if (key == KEY_HELP)
                reading->help = true;
        if (key == KEY_HELP)
                return 0;
        if (key < KEY_FIRST || key >= ARGP_KEY_END ||
            !lb_option_at(reading->command, (size_t)(key - KEY_FIRST), &option))
                return ARGP_ERR_UNKNOWN;
        if (reading->command->given && (size_t)(key - KEY_FIRST) < own_count(reading->command))
                ((bool *)reading->options + reading->command->given)[key - KEY_FIRST] = true;
        reading->failed = store(&option, text, reading->options, reading->err) < 0;
        return reading->failed ? EINVAL : 0;
}

static struct argp_option *argp_table(const struct lb_command *command)
{
        size_t count = option_count(command);
        struct argp_option *table = calloc(count + 1, sizeof(*table));
        struct lb_option option;
        for (size_t i = 0; table && lb_option_at(command, i, &option); i++) {
                table[i].name = option.name;
                table[i].key = i + 1 == count ? KEY_HELP : KEY_FIRST + (int)i;
                table[i].arg = option.type == LB_OPTION_FLAG ? NULL : "";
                table[i].flags = lb_option_is_optional(&option) ? OPTION_ARG_OPTIONAL : 0;
                table[i].doc = "";
        }
        return table;
}

/* Returns where the words begin, or -1. */
static int read_options(struct reading *reading, int argc, char **argv)
{
        const struct lb_command *command = reading->command;
        struct argp_option *table = argp_table(command);
        if (!table)
                return lb_error_fail(reading->err, "out of memory");
        const struct argp argp = { .options = table, .parser = take };
        unsigned flags = ARGP_NO_EXIT | ARGP_NO_ERRS | ARGP_NO_HELP;
        int first = argc;
        error_t error =
            argp_parse(&argp, argc, argv, flags | (command->in_order ? (unsigned)ARGP_IN_ORDER : 0),
                       &first, reading);
        free(table);
        if (error == 0)
                return first;
        if (reading->failed)
                return -1;
        if (reading->refused)
                return complain(command, reading->refused, reading->err);
        return lb_error_fail(reading->err, "out of memory");
}

static int check_words(const struct lb_call *call, struct lb_error *err)
{
        const struct lb_command *command = call->command;
        char name[LB_COMMAND_NAME_SIZE];
        lb_command_name(command, name, sizeof(name));
        if (call->nword < command->word_min)
                return lb_error_set(err, "%s (%s --help)", command->needed, name);
        if (call->nword > command->word_max)
                return lb_error_set(err, "unexpected argument '%.60s'%s%s (%s --help)",
                                    call->word[command->word_max], command->needed ? ": " : "",
                                    command->needed ? command->needed : "", name);
        if (!command->choices || command->word == LB_OPTION_FILE || call->nword == 0)
                return 0;
        int choice;
        struct lb_option word = { "word", LB_OPTION_CHOICE, .choices = command->choices };
        return store_typed(&word, call->word[0], &choice, err);
}

/* ---- Files that are written ---- */

/* The name of a file that was given; NULL where there is none. */
static const char *file_of(const struct lb_option *option, const void *options)
{
        if (option->type != LB_OPTION_FILE || option->size == 0)
                return NULL;
        return *(const char *const *)((const char *)options + option->to);
}

/* Against a file of another option, or a word. */
static int check_apart(const struct lb_option *written, const char *file, const char *other,
                       const char *other_is, struct lb_error *err)
{
        char is[LB_COMMAND_NAME_SIZE];
        snprintf(is, sizeof(is), "--%s", written->name);
        return other ? lb_file_apart(other, other_is, file, is, err) : 0;
}

static int check_written(const struct lb_call *call, const void *options,
                         const struct lb_option *written, struct lb_error *err)
{
        const char *file = file_of(written, options);
        struct lb_option other;
        int status = 0;
        for (size_t i = 0; file && status == 0 && lb_option_at(call->command, i, &other); i++) {
                char is[LB_COMMAND_NAME_SIZE];
                snprintf(is, sizeof(is), "--%s", other.name);
                if (strcmp(other.name, written->name) != 0)
                        status = check_apart(written, file, file_of(&other, options), is, err);
        }
        if (call->command->word != LB_OPTION_FILE)
                return status;
        for (int32_t i = 0; file && status == 0 && i < call->nword; i++)
                status = check_apart(written, file, call->word[i], "the command line's file", err);
        return status;
}

/* What is written is neither read nor written by another name. */
static int check_files(const struct lb_call *call, const void *options, struct lb_error *err)
{
        struct lb_option option;
        int status = 0;
        for (size_t i = 0; status == 0 && lb_option_at(call->command, i, &option); i++)
                if (option.written || option.read == lb_option_written)
                        status = check_written(call, options, &option, err);
        return status;
}

int lb_option_parse(const struct lb_command *command, int argc, char **argv, void *options,
                    struct lb_call *call, struct lb_error *err)
{
        struct reading reading = { .command = command, .options = options, .err = err };
        int first = store_fallbacks(command, options, err);
        if (first == 0)
                first = argc > 0 ? read_options(&reading, argc, argv) : 0;
        *call = (struct lb_call){ command, argc, argv, argc - first, argv + first };
        int status = first < 0 ? -1 : reading.help ? 1 : check_words(call, err);
        if (status == 0)
                status = check_files(call, options, err);
        if (status != 0)
                lb_option_finish(command, options);
        return status;
}

void lb_option_finish(const struct lb_command *command, void *options)
{
        struct lb_option option;
        for (size_t i = 0; lb_option_at(command, i, &option); i++) {
                struct lb_option_list *list = (void *)((char *)options + option.to);
                if (option.type != LB_OPTION_LIST)
                        continue;
                free(list->text);
                *list = (struct lb_option_list){ 0 };
        }
}
