/* SPDX-License-Identifier: BSD-3-Clause */
#include <string.h>

#include "sim/scenario/scenario_impl.h"

/* What a user may have meant by a key or a path that there is not. */

enum { PATH_MAX_LENGTH = 96, NAMES_MAX = 256 };

/* Keys of the root that are not sections, into names[count ..]. Returns the new count. */
static size_t add_root_names(const char **names, size_t count)
{
        for (int i = 0; i < ROOT_NPARAM; i++)
                names[count++] = scenario_root_params[i].name;
        for (int i = 0; scenario_root_words[i]; i++)
                names[count++] = scenario_root_words[i];
        return count;
}

/* The paths of a section, into paths[count .. max-1]. Returns the new count. */
static size_t add_paths(char (*paths)[PATH_MAX_LENGTH], size_t count, size_t max,
                        enum scenario_section section)
{
        size_t ntarget = lb_param_count(scenario_section_table(section));
        for (int i = 0; scenario_list_name(section, i); i++)
                ntarget++;
        for (size_t i = 0; i < ntarget && count < max; i++)
                scenario_target_path((struct scenario_target){ section, (int)i }, paths[count++],
                                     PATH_MAX_LENGTH);
        return count;
}

const char *scenario_nearest_path(const char *word, char *near, size_t size)
{
        enum { PATHS_MAX = NAMES_MAX - 16 };
        char paths[PATHS_MAX][PATH_MAX_LENGTH];
        const char *names[NAMES_MAX];
        const char *found = NULL;
        size_t npath = 0;
        for (int s = 0; s < SECTION_COUNT; s++)
                npath = add_paths(paths, npath, PATHS_MAX, (enum scenario_section)s);
        for (size_t i = 0; i < npath; i++) {
                names[i] = paths[i];
                if (!found && strcmp(strrchr(paths[i], '.') + 1, word) == 0)
                        found = paths[i]; /* "degree" alone means graph.degree */
        }
        if (!found)
                found = lb_nearest_name(word, names, add_root_names(names, npath));
        if (!found)
                return NULL;
        snprintf(near, size, "%s", found);
        return near;
}

const char *scenario_nearest_key(enum scenario_section section, const char *word)
{
        const char *names[NAMES_MAX];
        size_t count = 0;
        if (section == SECTION_COUNT) {
                count = add_root_names(names, count);
        } else {
                const struct lb_param *table = scenario_section_table(section);
                for (; table[count].name; count++)
                        names[count] = table[count].name;
                for (int i = 0; scenario_list_name(section, i); i++)
                        names[count++] = scenario_list_name(section, i);
        }
        for (int s = 0; s < SECTION_COUNT; s++) {
                const char *path = scenario_section_path((enum scenario_section)s);
                const char *dot = strrchr(path, '.');
                const char *key = dot ? dot + 1 : path;
                if (scenario_section_find(section, key) == s)
                        names[count++] = key;
        }
        return lb_nearest_name(word, names, count);
}
