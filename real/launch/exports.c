/* SPDX-License-Identifier: BSD-3-Clause */
#include "real/launch/exports.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

static const char variable[] = "SLURM_EXPORT_ENV", option[] = "--export", set[] = "--export=";

/* Is one of the list's parts of that name, set to something or not? In lists ALL and NONE are
 * written in any case. */
static bool has(const char *list, const char *name)
{
        size_t length = strlen(name);
        for (const char *part = list; part; part = strchr(part, ',')) {
                part += *part == ',';
                if (strncasecmp(part, name, length) == 0 && strchr(",=", part[length]))
                        return true;
        }
        return false;
}

/* The list with those of `names` that it would leave out, behind `before`. */
static void add(struct words *to, const char *before, const char *list, const char *const *names)
{
        struct words parts = { 0 }, joined = { 0 };
        bool none = !*list || strcasecmp(list, "NONE") == 0 || strcasecmp(list, "NIL") == 0;
        if (!none)
                words_add(&parts, list);
        for (; *names && !has(list, "ALL"); names++)
                if (!has(list, *names))
                        words_add(&parts, *names);
        words_add_joined(&joined, &parts);
        if (joined.failed)
                to->failed = true;
        else
                words_add_format(to, "%s%s", before, joined.word[0]);
        words_finish(&joined);
        words_finish(&parts);
}

static int join_variable(const char *const *names)
{
        const char *list = getenv(variable);
        struct words longer = { 0 };
        if (!list)
                return 0;
        add(&longer, "", list, names);
        int failed = longer.failed ? -1 : setenv(variable, longer.word[0], 1);
        words_finish(&longer);
        return failed;
}

int exports_join(struct words *line, char *const *launch, const char *const *names)
{
        bool options = true;
        for (int i = 0; launch[i]; i++) {
                const char *word = launch[i], *last = i > 0 ? launch[i - 1] : "-";
                /* behind a word that is neither an option nor, perhaps, one's value is the
                 * program's */
                options = options && (i == 0 || word[0] == '-' || last[0] == '-');
                if (options && strncmp(word, set, strlen(set)) == 0)
                        add(line, set, word + strlen(set), names);
                else if (options && strcmp(last, option) == 0)
                        add(line, "", word, names);
                else
                        words_add(line, word);
        }
        return join_variable(names);
}

int exports_all(void)
{
        return getenv(variable) ? setenv(variable, "ALL", 1) : 0;
}
