/* SPDX-License-Identifier: BSD-3-Clause */
#include "real/launch/preloads.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

static const char name[] = "LD_PRELOAD", set[] = "LD_PRELOAD=", exported[] = "--export=";

static bool begins(const char *word, const char *what)
{
        return strncmp(word, what, strlen(what)) == 0;
}

static bool is_env(const char *word)
{
        return strcmp(basename(word), "env") == 0;
}

/* After env, options and variables are of it, until its program. */
static bool still_env(bool in_env, const char *word)
{
        return is_env(word) || (in_env && (word[0] == '-' || strchr(word, '=')));
}

/* Where srun's list sets it; NULL: it does not. */
static const char *in_list(const char *word)
{
        if (!begins(word, exported))
                return NULL;
        for (const char *part = word + strlen(exported); part; part = strchr(part, ',')) {
                part += *part == ',';
                if (begins(part, set))
                        return part + strlen(set);
        }
        return NULL;
}

static void add_joined(struct words *line, const char *word, const char *value, const char *library)
{
        words_add_format(line, "%.*s%s%s%s", (int)(value - word), word, library, *value ? ":" : "",
                         value);
}

void preloads_add(struct words *line, const char *before, const char *library)
{
        const char *also = getenv(name);
        words_add_format(line, "%s%s%s%s", before, library, also && also[0] ? ":" : "",
                         also ? also : "");
}

void preloads_join(struct words *line, char *const *launch, const char *library)
{
        const char *last = "", *last_but_one = "";
        bool in_env = false;
        for (int i = 0; launch[i]; i++) {
                const char *word = launch[i], *value = in_list(word);
                bool of_x = strcmp(last, "-x") == 0;
                bool named =
                    strcmp(last_but_one, "-env") == 0 || strcmp(last_but_one, "-genv") == 0;
                in_env = still_env(in_env, word);
                if ((of_x || in_env) && begins(word, set))
                        value = word + strlen(set);
                else if (named && strcmp(last, name) == 0)
                        value = word;
                if (of_x && strcmp(word, name) == 0)
                        preloads_add(line, set, library);
                else if (value)
                        add_joined(line, word, value, library);
                else
                        words_add(line, word);
                last_but_one = last;
                last = word;
        }
}
