/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef LB_BASE_OPTION_H
#define LB_BASE_OPTION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "base/error.h"
#include "base/param.h"

/*
 * Command lines as tables. A program has commands, a command has options; from these tables come
 * the parser (GNU argp), --help, the manual pages and the completion of bash, zsh and fish.
 *
 * - An option writes its value to a place in the command's struct of options. It is read as
 *   "--name VALUE" or "--name=VALUE", may be shortened while it is unambiguous, and the last of
 *   several wins unless it makes a list. --help and -h are everywhere.
 * - Texts stay those of argv. What is not given keeps its `fallback`, else zero.
 * - Text for people is paragraphs, separated by an empty line, each one long line; lines that
 *   begin with a blank are shown as they are.
 */

enum lb_option_type {
        LB_OPTION_NONE = 0,
        LB_OPTION_FLAG,   /* bool: true where it is given; takes no value */
        LB_OPTION_TEXT,   /* const char * */
        LB_OPTION_FILE,   /* const char *, the name of a file */
        LB_OPTION_FOLDER, /* const char *, the name of a directory */
        LB_OPTION_OWN,    /* what `read` makes of the text */
        LB_OPTION_LIST,   /* struct lb_option_list: each one more of it */
        LB_OPTION_WHOLE,  /* int32_t or int64_t, by `size`: digits, from min to max */
        LB_OPTION_NUMBER, /* double, from min to max */
        LB_OPTION_CHOICE, /* an int or enum: min + the place among `choices` */
        LB_OPTION_PARAM,  /* double, as `param` says; a switch may stand without a value */
};

/* Texts of argv; the array is the list's own. */
struct lb_option_list {
        const char **text; /* [count] */
        int32_t count;
};

/* Checks a value that was stored at `to`, or stores it there for LB_OPTION_OWN. */
typedef int lb_option_read(const char *text, void *to, struct lb_error *err);

/* The i-th value that an option can have and a sentence on it; NULL behind the last. */
typedef const char *lb_option_each(int i, const char **help);

struct lb_option {
        const char *name; /* without dashes; NULL ends a table */
        enum lb_option_type type;
        const char *value;            /* what the value is called: "DIR"; NULL: its choices, or N */
        const char *help;             /* lower case, no full stop; range and fallback are added */
        size_t to, size;              /* LB_OPTION_TO(); 0, 0: stored nowhere, `read` does it all */
        double min, max;              /* inclusive */
        const char *const *choices;   /* NULL-ended; of a text only what may be completed */
        const struct lb_param *param; /* likewise */
        const char *fallback;         /* as it would be given */
        lb_option_read *read;
        lb_option_each *each; /* for people and completion only */
        bool written;         /* FILE: no other option and no word names the same file */
        bool optional;        /* "--name" alone stores no text, "--name=VALUE" does */
};

#define LB_OPTION_TO(structure, member)                                                            \
        .to = offsetof(structure, member), .size = sizeof(((structure *)0)->member)

/* For `read` of an option that names a file to be written: could it be? (base/file.h) */
lb_option_read lb_option_written;

/* A command line that was read. */
struct lb_call {
        const struct lb_command *command;
        int argc;
        char **argv; /* options first, then `word` */
        int32_t nword;
        char **word; /* [nword + 1] what is no option, ended by NULL */
};

struct lb_command {
        const struct lb_program *program;
        const char *name;    /* NULL: what the program does without one */
        const char *summary; /* one line, lower case, no full stop */
        const char *usage;   /* a line for each form, what follows the name */
        const char *about;   /* text before the options */
        const char *more;    /* text after them, or NULL */
        const char *ends;    /* its exit codes, where there is more to say than 0, 1 and 2 */
        const struct lb_option *options; /* or NULL */
        size_t size;                     /* of the struct that they fill */
        size_t given;                    /* where it has a bool for each of `options`, or 0 */
        int32_t word_min, word_max;      /* how many words it takes */
        enum lb_option_type word;        /* FILE or FOLDER: how they are completed */
        const char *const *choices;      /* one of these; with FILE: or a file */
        const char *needed;              /* "one folder of results is needed" */
        bool in_order;                   /* the first word ends the options */
        int (*run)(const struct lb_call *call, void *options, struct lb_error *err);
        /* run returns the exit code, or -1: then lb_error_exit_code() */
};

struct lb_program {
        const char *name, *version, *summary;
        const char *date;               /* of the version, as 2026-01-31: stands on manual pages */
        int failed;                     /* exit code where it is nobody's fault; 0: 1 */
        const struct lb_option *common; /* options of all commands, or NULL */
        const struct lb_command *const *commands; /* NULL-ended; the first is the nameless one */
};

/*
 * Read argv[1 ..] into *options, of command->size. Returns 0, 1 where --help is asked for, or
 * -1. Words that are no options are moved behind those that are.
 */
int lb_option_parse(const struct lb_command *command, int argc, char **argv, void *options,
                    struct lb_call *call, struct lb_error *err) LB_MUST_CHECK;

/* Free the lists; after lb_option_parse() only. */
void lb_option_finish(const struct lb_command *command, void *options);

/* Read, run, print "program command: message" on standard error. argv[0] is the command's name.
 * Returns the exit code. */
int lb_command_run(const struct lb_command *command, int argc, char **argv);

/* The command of that name, or NULL. */
const struct lb_command *lb_command_find(const struct lb_program *program, const char *name);

/* A command's name that `word` may have been meant for, or NULL. A word that could be a file's
 * name or an option is not. */
const char *lb_command_nearest(const struct lb_program *program, const char *word);

void lb_command_help(const struct lb_command *command, FILE *out);

/* "lbsim graph" into text[size]. */
enum { LB_COMMAND_NAME_SIZE = 64 };
void lb_command_name(const struct lb_command *command, char *text, size_t size);

/* ---- For the writers of pages ---- */

/* How the option's value is called, "N" or "table|csv|json"; "" where it takes none. */
void lb_option_value(const struct lb_option *option, char *text, size_t size);

/* The sentence of help, with range and fallback, without what `each` adds. */
void lb_option_help(const struct lb_option *option, char *text, size_t size);

/* May it stand without a value? Is its value more than text? What may it be then? */
bool lb_option_is_optional(const struct lb_option *option);
bool lb_option_is_typed(const struct lb_option *option);
struct lb_param lb_option_param(const struct lb_option *option);

/* Option i of a command, common ones and --help after its own; false behind the last. */
bool lb_option_at(const struct lb_command *command, size_t i, struct lb_option *option);

void lb_option_man(const struct lb_command *command, FILE *out);
bool lb_option_has_words(const struct lb_option *option);
void lb_option_put_words(FILE *out, const struct lb_option *option); /* between blanks */
void lb_option_bash(const struct lb_program *program, FILE *out);
void lb_option_zsh(const struct lb_program *program, FILE *out);
void lb_option_fish(const struct lb_program *program, FILE *out);

/*
 * "lbsim --pages DIR" writes what is installed beside a program: DIR/man/man1/lbsim.1 and a page
 * for each command, DIR/bash-completion/completions/lbsim, DIR/zsh/site-functions/_lbsim,
 * DIR/fish/vendor_completions.d/lbsim.fish.
 * Returns -1 where argv does not ask for it, else the exit code.
 */
int lb_program_pages(const struct lb_program *program, int argc, char **argv);

/* What "--version" prints: version, build (base/build.h), and where it is known the commit, the
 * compiler and the libraries, a line each. */
void lb_program_version(const struct lb_program *program, FILE *out);

#endif
