/* SPDX-License-Identifier: BSD-3-Clause */
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "sim/scenario/scenario_impl.h"

/* What a user may have meant by a scenario's file that there is not. */

static const char ending[] = ".json";

/* Without its ending, which would make any two names alike. Returns whether it had it. */
static bool cut_ending(char *name)
{
        size_t length = strlen(name), end = sizeof(ending) - 1;
        if (length <= end || strcmp(name + length - end, ending) != 0)
                return false;
        name[length - end] = '\0';
        return true;
}

static int is_scenario(const struct dirent *entry)
{
        char name[sizeof(entry->d_name)];
        snprintf(name, sizeof(name), "%s", entry->d_name);
        return name[0] != '.' && cut_ending(name);
}

/* The nearest of a folder's files. */
static bool find_in(const char *folder, const char *stem, char near[static LB_DATA_PATH_SIZE])
{
        struct dirent **entry = NULL;
        int count = scandir(*folder ? folder : ".", &entry, is_scenario, alphasort);
        const char **name = calloc(count > 0 ? (size_t)count : 1, sizeof(*name));
        const char *found = NULL;
        for (int i = 0; i < count && name; i++) {
                (void)cut_ending(entry[i]->d_name);
                name[i] = entry[i]->d_name;
        }
        if (count > 0 && name)
                found = lb_nearest_name(stem, name, (size_t)count);
        bool fits = found && snprintf(near, LB_DATA_PATH_SIZE, "%s%s%s", folder, found, ending) <
                                 LB_DATA_PATH_SIZE;
        for (int i = 0; i < count; i++)
                free(entry[i]);
        free(entry);
        free(name);
        return fits;
}

/* A path into its folder, with the slash, and its name. */
static void split(char *path, char folder[static LB_DATA_PATH_SIZE], char **name)
{
        char *slash = strrchr(path, '/');
        *name = slash ? slash + 1 : path;
        snprintf(folder, LB_DATA_PATH_SIZE, "%.*s", (int)(*name - path), path);
}

bool scenario_nearest_file(const char *file, char near[static LB_DATA_PATH_SIZE])
{
        char path[LB_DATA_PATH_SIZE], folder[LB_DATA_PATH_SIZE], ours[LB_DATA_PATH_SIZE];
        char *stem, *schema;
        if (access(file, F_OK) == 0 || errno != ENOENT ||
            snprintf(path, sizeof(path), "%s", file) >= (int)sizeof(path))
                return false;
        split(path, folder, &stem);
        (void)cut_ending(stem);
        if (find_in(folder, stem, near))
                return true;
        if (!lb_data_find("scenarios", "scenario.schema.json", ours))
                return false;
        split(ours, folder, &schema);
        return find_in(folder, stem, near);
}
