/* SPDX-License-Identifier: BSD-3-Clause */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/option.h"

/* One option of each type; the parser, --help, the page and the completions come from this. */
struct pair {
        int first, second;
};
struct given {
        bool quiet;
        const char *name, *file, *folder, *maybe;
        struct lb_option_list set;
        int32_t count;
        int64_t many;
        double ratio, degree, spin;
        int colour;
        struct pair pair;
        bool was[13];
};

static int read_pair(const char *text, void *to, struct lb_error *err)
{
        struct pair *pair = to;
        if (sscanf(text, "%d:%d", &pair->first, &pair->second) == 2)
                return 0;
        return lb_error_set(err, "found '%s', allowed is A:B", text);
}

static const char *each_name(int i, const char **help)
{
        static const char *const names[] = { "one", "two", NULL };
        *help = "a name";
        return names[i];
}

static const char *const colours[] = { "red", "green", NULL };
static const struct lb_param params[] = {
        { .name = "degree",
          .type = LB_PARAM_INTEGER,
          .fallback = 4,
          .min = 1,
          .max = 9,
          .help = "nodes per apprank" },
        { .name = "spin", .type = LB_PARAM_SWITCH, .max = 1, .help = "burn the time" },
        { .name = NULL },
};

static const struct lb_option table[] = {
        { "quiet", LB_OPTION_FLAG, NULL, "no words", LB_OPTION_TO(struct given, quiet) },
        { "name", LB_OPTION_TEXT, "NAME", "a text", LB_OPTION_TO(struct given, name),
          .fallback = "nobody", .each = each_name },
        { "file", LB_OPTION_FILE, "FILE", "a file", LB_OPTION_TO(struct given, file) },
        { "folder", LB_OPTION_FOLDER, "DIR", "a folder", LB_OPTION_TO(struct given, folder) },
        { "maybe", LB_OPTION_TEXT, "X", "may stand alone", LB_OPTION_TO(struct given, maybe),
          .optional = true },
        { "set", LB_OPTION_LIST, "P=V", "one more", LB_OPTION_TO(struct given, set) },
        { "count", LB_OPTION_WHOLE, NULL, "a number", LB_OPTION_TO(struct given, count), .min = 1,
          .max = 64, .fallback = "3" },
        { "many", LB_OPTION_WHOLE, NULL, "a large one", LB_OPTION_TO(struct given, many),
          .max = 1e12 },
        { "ratio", LB_OPTION_NUMBER, NULL, "a fraction", LB_OPTION_TO(struct given, ratio),
          .max = 1 },
        { "colour", LB_OPTION_CHOICE, NULL, "a choice", LB_OPTION_TO(struct given, colour),
          .min = 1, .choices = colours },
        { "pair", LB_OPTION_OWN, "A:B", "two", LB_OPTION_TO(struct given, pair),
          .read = read_pair },
        { "degree", LB_OPTION_PARAM, .param = &params[0], LB_OPTION_TO(struct given, degree) },
        { "spin", LB_OPTION_PARAM, .param = &params[1], LB_OPTION_TO(struct given, spin) },
        { .name = NULL },
};

static const struct lb_program program;
static int seen; /* by run_it: words */

static int run_it(const struct lb_call *call, void *options, struct lb_error *err)
{
        (void)options;
        seen = call->nword;
        return call->nword < 3 ? call->nword : lb_error_fail(err, "too many to run");
}

static const struct lb_command plain = {
        .program = &program,
        .usage = "[FILE...]",
        .about = ".first words of a page's line, a 'quote' and a back\\slash.\n\n  kept as it is",
        .options = table,
        .size = sizeof(struct given),
        .given = offsetof(struct given, was),
        .word_max = 3,
        .run = run_it,
};
static const struct lb_command ordered = {
        .program = &program,
        .name = "ordered",
        .summary = "the first word ends the options",
        .usage = "-- PROGRAM",
        .about = "Run.",
        .options = table,
        .size = sizeof(struct given),
        .word_min = 1,
        .word_max = INT32_MAX,
        .needed = "a program is needed",
        .in_order = true,
        .run = run_it,
};
static const struct lb_command *const commands[] = { &plain, &ordered, NULL };
static const struct lb_program program = {
        .name = "lbtest", .version = "1", .summary = "nothing", .commands = commands
};

static int read_line(const struct lb_command *command, const char *line, struct given *given,
                     struct lb_call *call, struct lb_error *err)
{
        enum { WORDS_MAX = 32 };
        static char text[256], *argv[WORDS_MAX];
        int argc = 1;
        argv[0] = (char *)(uintptr_t) "lbtest";
        snprintf(text, sizeof(text), "%s", line);
        for (char *rest = text, *word; (word = strtok_r(rest, " ", &rest)) && argc < WORDS_MAX - 1;)
                argv[argc++] = word;
        argv[argc] = NULL;
        *given = (struct given){ 0 };
        *err = (struct lb_error){ 0 };
        return lb_option_parse(command, argc, argv, given, call, err);
}

/* Each type arrives where the table says, in both spellings and shortened; the last one wins. */
static void test_values(void **state)
{
        (void)state;
        struct given g;
        struct lb_call call;
        struct lb_error err;
        assert_int_equal(read_line(&plain, "", &g, &call, &err), 0);
        assert_string_equal(g.name, "nobody");
        assert_true(g.count == 3 && g.degree == 4 && g.spin == 0 && !g.was[6] && !g.quiet);
        assert_int_equal(read_line(&plain,
                                   "--quiet a --name=x --file f --folder d --maybe --set p --cou 9 "
                                   "--set=q b --many 999999999999",
                                   &g, &call, &err),
                         0);
        assert_true(g.quiet && g.count == 9 && g.was[6] && g.was[4] && !g.maybe);
        assert_true(g.many == 999999999999);
        assert_string_equal(g.name, "x");
        assert_string_equal(g.folder, "d");
        assert_int_equal(g.set.count, 2);
        assert_string_equal(g.set.text[1], "q");
        assert_int_equal(call.nword, 2);
        assert_string_equal(call.word[1], "b");
        lb_option_finish(&plain, &g);
        assert_null(g.set.text);
        assert_int_equal(read_line(&plain,
                                   "--ratio .5 --colour red --colour green --pair 3:4 --degree 2 "
                                   "--spin --maybe=m -- --quiet",
                                   &g, &call, &err),
                         0);
        assert_true(g.ratio == .5 && g.colour == 2 && g.pair.second == 4 && g.degree == 2);
        assert_true(g.spin == 1 && !g.quiet && call.nword == 1);
        assert_string_equal(g.maybe, "m");
}

/* What is wrong is named, with what is allowed and what may be meant. */
static void test_wrong(void **state)
{
        (void)state;
        static const struct {
                const char *line, *message;
        } wrong[] = {
                { "--quite", "unknown option '--quite', did you mean '--quiet'?" },
                { "--nmae=3", "unknown option '--nmae=3', did you mean '--name'?" },
                { "--zzzzzzzz", "unknown option '--zzzzzzzz', see lbtest --help" },
                { "--fi x --fo y --f z", "'--f' may be more than one option" },
                { "-z", "unknown option '-z'" },
                { "--quiet -z", "unknown option '-z'" },
                { "--quiet=yes", "'--quiet' takes no value" },
                { "--count", "'--count' needs a value, allowed is a whole number from 1 to 64" },
                { "--name", "'--name' needs a value, allowed is NAME" },
                { "--count 65", "--count: found '65', allowed is a whole number from 1 to 64" },
                { "--count 3.0", "--count: found '3.0', allowed is" },
                { "--count 1e1", "--count: found '1e1', allowed is" },
                { "--count -1", "--count: found '-1', allowed is" },
                { "--ratio nan", "--ratio: found 'nan', allowed is a number from 0 to 1" },
                { "--colour gren",
                  "--colour: found 'gren', allowed is one of red, green, did you mean 'green'?" },
                { "--colour xyzzy", "--colour: found 'xyzzy', allowed is one of red, green" },
                { "--pair 3", "--pair: found '3', allowed is A:B" },
                { "--degree 10", "--degree: found 10, allowed is a whole number from 1 to 9" },
                { "--spin=maybe", "--spin: found 'maybe', allowed is true or false" },
                { "--set a a b c d", "unexpected argument 'd' (lbtest --help)" },
        };
        for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
                struct given g;
                struct lb_call call;
                struct lb_error err;
                int status = read_line(&plain, wrong[i].line, &g, &call, &err);
                if (status != -1 || strncmp(err.text, wrong[i].message, strlen(wrong[i].message)))
                        fail_msg("%s: %d, %s", wrong[i].line, status, err.text);
                assert_int_equal(lb_error_exit_code(&err), 2);
                assert_null(g.set.text);
        }
}

/* Behind the first word options are not ours. */
static void test_in_order(void **state)
{
        (void)state;
        struct given g;
        struct lb_call call;
        struct lb_error err;
        assert_int_equal(read_line(&ordered, "--count 5 prog --quiet", &g, &call, &err), 0);
        assert_true(g.count == 5 && !g.quiet && call.nword == 2);
        assert_string_equal(call.word[1], "--quiet");
        assert_int_equal(read_line(&ordered, "-- --quiet x", &g, &call, &err), 0);
        assert_true(!g.quiet && call.nword == 2);
        assert_int_equal(read_line(&ordered, "--quiet", &g, &call, &err), -1);
        assert_string_equal(err.text, "a program is needed (lbtest ordered --help)");
}

static void test_run(void **state)
{
        (void)state;
        char *argv[] = { (char *)(uintptr_t) "lbtest", (char *)(uintptr_t) "--set=1",
                         (char *)(uintptr_t) "w", NULL };
        assert_int_equal(lb_command_run(&plain, 3, argv), 1);
        assert_int_equal(seen, 1);
        assert_ptr_equal(lb_command_find(&program, "ordered"), &ordered);
        assert_null(lb_command_find(&program, "orderd"));
        assert_string_equal(lb_command_nearest(&program, "orderd"), "ordered");
        assert_null(lb_command_nearest(&program, "orderd.json"));
        assert_null(lb_command_nearest(&program, "-orderd"));
}

enum { TEXT_SIZE = 1 << 16 };

static char *text_of(void (*print)(const struct lb_command *, FILE *))
{
        static char text[TEXT_SIZE];
        FILE *out = fmemopen(text, sizeof(text), "w");
        assert_non_null(out);
        print(&plain, out);
        assert_int_equal(fclose(out), 0);
        return text;
}

static void print_bash(const struct lb_command *command, FILE *out)
{
        lb_option_bash(command->program, out);
}

static void print_zsh(const struct lb_command *command, FILE *out)
{
        lb_option_zsh(command->program, out);
}

/* Every option that the parser takes is in the help, on the page and in both completions. */
static void test_pages(void **state)
{
        (void)state;
        static const struct {
                void (*print)(const struct lb_command *, FILE *);
                const char *form;
        } writers[] = { { lb_command_help, "\n  --%s" },
                        { lb_option_man, "\\fB\\-\\-%s\\fR" },
                        { print_bash, "--%s" },
                        { print_zsh, "--%s" } };
        struct lb_option option;
        for (size_t w = 0; w < sizeof(writers) / sizeof(writers[0]); w++) {
                const char *text = text_of(writers[w].print);
                size_t i = 0;
                for (; lb_option_at(&plain, i, &option); i++) {
                        char word[64];
                        size_t at = (size_t)(strstr(writers[w].form, "%s") - writers[w].form);
                        snprintf(word, sizeof(word), "%.*s%s%s", (int)at, writers[w].form,
                                 option.name, writers[w].form + at + 2);
                        if (!strstr(text, word))
                                fail_msg("'%s' is not in %s", word, text);
                }
                assert_int_equal(i, sizeof(table) / sizeof(table[0])); /* and --help */
        }
        assert_non_null(strstr(text_of(lb_command_help), "a number (1 to 64; default 3)\n"));
        assert_non_null(strstr(text_of(lb_command_help), "\n  --colour red|green "));
        assert_non_null(strstr(text_of(lb_option_man), "\n\\&.first words"));
        assert_non_null(strstr(text_of(lb_option_man), "back\\eslash"));
        assert_non_null(strstr(text_of(lb_option_man), ".nf\n  kept as it is\n.fi\n"));
}

int main(void)
{
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(test_values),   cmocka_unit_test(test_wrong),
                cmocka_unit_test(test_in_order), cmocka_unit_test(test_run),
                cmocka_unit_test(test_pages),
        };
        return cmocka_run_group_tests(tests, NULL, NULL);
}
