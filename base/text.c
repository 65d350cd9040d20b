/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/text.h"

#include <fcntl.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

FILE *lb_text_begin(struct lb_text *t)
{
        *t = (struct lb_text){ .text = NULL };
        t->stream = open_memstream(&t->text, &t->size);
        return t->stream;
}

/* Closing may find no memory in silence. */
char *lb_text_end(struct lb_text *t)
{
        if (!t->stream)
                return NULL;
        bool failed = ferror(t->stream) != 0;
        if (fclose(t->stream) == 0 && !failed)
                return t->text;
        free(t->text);
        return NULL;
}

size_t lb_text_character(const char *text)
{
        const unsigned char *at = (const unsigned char *)text;
        if (at[0] < 0x80)
                return 1;
        if (at[0] < 0xC2 || at[0] > 0xF4)
                return 0;
        size_t length = at[0] >= 0xF0 ? 4 : at[0] >= 0xE0 ? 3 : 2;
        for (size_t i = 1; i < length; i++)
                if ((at[i] & 0xC0) != 0x80)
                        return 0;
        bool overlong = (at[0] == 0xE0 && at[1] < 0xA0) || (at[0] == 0xF0 && at[1] < 0x90);
        bool beyond = (at[0] == 0xED && at[1] > 0x9F) || (at[0] == 0xF4 && at[1] > 0x8F);
        return overlong || beyond ? 0 : length;
}

char *lb_text_read(FILE *in, size_t most, size_t *size)
{
        size_t room = 1 << 14;
        char *text = malloc(room);
        *size = 0;
        while (text) {
                *size += fread(text + *size, 1, room - 1 - *size, in);
                if (*size < room - 1 || *size > most)
                        break;
                char *larger = realloc(text, room *= 2);
                if (!larger)
                        free(text);
                text = larger;
        }
        if (text)
                text[*size] = '\0';
        return text;
}

ssize_t lb_text_file(const char *path, char *text, size_t size)
{
        size_t length = 0;
        ssize_t got = 1;
        int fd = open(path, O_RDONLY | O_CLOEXEC);
        while (fd >= 0 && got > 0 && length < size - 1) {
                got = read(fd, text + length, size - 1 - length);
                length += got > 0 ? (size_t)got : 0;
        }
        if (fd >= 0)
                close(fd);
        bool failed = fd < 0 || got < 0;
        text[failed ? 0 : length] = '\0';
        return failed ? -1 : (ssize_t)length;
}

void lb_text_add(char *text, size_t size, const char *format, ...)
{
        size_t at = strlen(text);
        va_list args;
        va_start(args, format);
        vsnprintf(text + at, size - at, format, args);
        va_end(args);
}

static void put_quoted(FILE *out, const char *word)
{
        static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
                                    "0123456789-_./:=+,@%";
        if (word[0] && word[strspn(word, plain)] == '\0') {
                fputs(word, out);
                return;
        }
        fputc('\'', out);
        for (; *word; word++)
                if (*word == '\'')
                        fputs("'\\''", out);
                else
                        fputc(*word, out);
        fputc('\'', out);
}

void lb_text_shell(FILE *out, char *const *word)
{
        for (size_t i = 0; word[i]; i++) {
                if (i > 0)
                        fputc(' ', out);
                put_quoted(out, word[i]);
        }
}

char *lb_text_command(const char *before, char *const *word)
{
        struct lb_text text;
        FILE *line = lb_text_begin(&text);
        if (line) {
                fputs(before, line);
                lb_text_shell(line, word);
        }
        return lb_text_end(&text);
}

/* No other text begins with its first byte, and only one can be put back. */
void lb_text_skip_mark(FILE *in)
{
        int first = getc(in);
        if (first != 0xef)
                ungetc(first, in);
        else if (getc(in) != EOF)
                getc(in);
}
