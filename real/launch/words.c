/* SPDX-License-Identifier: BSD-3-Clause */
#include "real/launch/words.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"

/* Takes the word. */
static void take(struct words *words, char *word)
{
        if (words->count + 2 > words->room) {
                size_t room = words->room ? 2 * words->room : 16;
                char **larger = realloc(words->word, room * sizeof(char *));
                if (larger) {
                        words->word = larger;
                        words->room = room;
                }
        }
        if (!word || words->count + 2 > words->room) {
                free(word);
                words->failed = true;
                return;
        }
        words->word[words->count++] = word;
        words->word[words->count] = NULL;
}

void words_add(struct words *words, const char *word)
{
        take(words, strdup(word));
}

void words_add_format(struct words *words, const char *format, ...)
{
        va_list args, again;
        va_start(args, format);
        va_copy(again, args);
        int length = vsnprintf(NULL, 0, format, args);
        va_end(args);
        char *word = length < 0 ? NULL : malloc((size_t)length + 1);
        if (word)
                vsnprintf(word, (size_t)length + 1, format, again);
        va_end(again);
        take(words, word);
}

void words_add_joined(struct words *words, const struct words *parts)
{
        size_t size = 1;
        for (size_t i = 0; i < parts->count; i++)
                size += strlen(parts->word[i]) + 1;
        char *word = parts->failed ? NULL : calloc(1, size), *at = word;
        for (size_t i = 0; word && i < parts->count; i++)
                at = stpcpy(stpcpy(at, i ? "," : ""), parts->word[i]);
        take(words, word);
}

void words_finish(struct words *words)
{
        for (size_t i = 0; i < words->count; i++)
                free(words->word[i]);
        free(words->word);
        *words = (struct words){ 0 };
}

void words_print_shell(char *const *word, FILE *out)
{
        lb_text_shell(out, word);
}
