/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef LB_BASE_TEXT_H
#define LB_BASE_TEXT_H

#include <stdio.h>
#include <sys/types.h>

#include "base/error.h"

/* Text in memory that is written as a stream. Stays where it is between the two calls. */
struct lb_text {
        FILE *stream;
        char *text;
        size_t size;
};

/* Returns the stream to write to; NULL: no memory. */
FILE *lb_text_begin(struct lb_text *t);

/* The whole text, the caller's to free; NULL where there was no memory for all of it. Takes one
 * that lb_text_begin() failed to begin. */
char *lb_text_end(struct lb_text *t);

/* Bytes of the UTF-8 character that a text begins with (1 at its end); 0 where there is none that
 * is valid. */
size_t lb_text_character(const char *text);

/* The ending of a plural: "" for one, also where it is a mean that is shown as 1. */
static inline const char *lb_s(double count)
{
        return count > 0.9995 && count < 1.0005 ? "" : "s";
}

/* What a stream has until its end, or until that is more than `most` bytes: text[*size], and a NUL
 * behind it, the caller's to free. NULL: no memory. */
char *lb_text_read(FILE *in, size_t most, size_t *size);

/* A small file, such as one of /proc: its first size - 1 bytes and a NUL behind them. How many that
 * are; -1: it cannot be read, and the text is empty. */
ssize_t lb_text_file(const char *path, char *text, size_t size);

/* More behind what text[size] holds, cut where it would not fit. */
void lb_text_add(char *text, size_t size, const char *format, ...) LB_PRINTF(3, 4);

/* A command line that a shell reads as these words, NULL behind them. */
void lb_text_shell(FILE *out, char *const *word);

/* The same as a text, behind `before`, the caller's to free; NULL: no memory. */
char *lb_text_command(const char *before, char *const *word);

/* Step over the byte order mark that some editors and spreadsheets put before UTF-8. At the
 * stream's beginning only. */
void lb_text_skip_mark(FILE *in);

#endif
