/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/data.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/self.h"

/* Where it was installed, as seen from the program itself, so that the whole may be moved. */
static const char *beside_program(char place[static LB_DATA_PATH_SIZE])
{
        char program[LB_DATA_PATH_SIZE];
        if (!lb_self_folder(program))
                return NULL;
        int length = snprintf(place, LB_DATA_PATH_SIZE, "%s/%s", program, LB_DATA_FROM_PROGRAM);
        return length < LB_DATA_PATH_SIZE ? place : NULL;
}

/* What a build tree's cache says of `key`, a place. */
static bool read_cache(const char *tree, const char *key, char place[static LB_DATA_PATH_SIZE])
{
        char cache[LB_DATA_PATH_SIZE + 16], line[LB_DATA_PATH_SIZE + 64];
        snprintf(cache, sizeof(cache), "%s/CMakeCache.txt", tree);
        FILE *in = fopen(cache, "r");
        bool found = false;
        while (in && !found && fgets(line, sizeof(line), in)) {
                line[strcspn(line, "\n")] = '\0';
                found = strncmp(line, key, strlen(key)) == 0;
        }
        if (in)
                fclose(in);
        return found &&
               snprintf(place, LB_DATA_PATH_SIZE, "%s", line + strlen(key)) < LB_DATA_PATH_SIZE;
}

/* The build tree that the program is in, if it is in one. */
static const char *build_tree(char folder[static LB_DATA_PATH_SIZE])
{
        char cache[LB_DATA_PATH_SIZE + 16];
        char *slash;
        if (!lb_self_folder(folder))
                return NULL;
        while ((slash = strrchr(folder, '/'))) {
                snprintf(cache, sizeof(cache), "%s/CMakeCache.txt", folder);
                if (access(cache, R_OK) == 0)
                        return folder;
                *slash = '\0';
        }
        return NULL;
}

/* Its source: asked of the tree, so that no program holds a path of where it was built. */
static const char *source_of(const char *tree, char place[static LB_DATA_PATH_SIZE])
{
        return tree && read_cache(tree, "CMAKE_HOME_DIRECTORY:INTERNAL=", place) ? place : NULL;
}

/* Where the source is when it was moved, or copied, together with the tree in it. */
static const char *moved_source_of(const char *tree, const char *source,
                                   char place[static LB_DATA_PATH_SIZE])
{
        char made[LB_DATA_PATH_SIZE];
        size_t above = source ? strlen(source) : 0;
        if (!source || !read_cache(tree, "CMAKE_CACHEFILE_DIR:INTERNAL=", made) ||
            strncmp(made, source, above) != 0 || made[above] != '/')
                return NULL;
        size_t below = strlen(made + above), length = strlen(tree);
        if (length <= below || strcmp(tree + length - below, made + above) != 0)
                return NULL;
        memcpy(place, tree, length - below);
        place[length - below] = '\0';
        return place;
}

bool lb_data_find(const char *folder, const char *name, char path[static LB_DATA_PATH_SIZE])
{
        char beside[LB_DATA_PATH_SIZE], root[LB_DATA_PATH_SIZE];
        char place[LB_DATA_PATH_SIZE], moved[LB_DATA_PATH_SIZE];
        const char *tree = build_tree(root), *source = source_of(tree, place);
        const char *const places[] = { getenv("LBSIM_DATA"), beside_program(beside), tree,
                                       moved_source_of(tree, source, moved), source };
        for (size_t i = 0; i < sizeof(places) / sizeof(places[0]); i++) {
                if (!places[i] || snprintf(path, LB_DATA_PATH_SIZE, "%s/%s/%s", places[i], folder,
                                           name) >= LB_DATA_PATH_SIZE)
                        continue;
                if (access(path, R_OK) == 0)
                        return true;
        }
        return false;
}

bool lb_data_machine(char path[static LB_DATA_PATH_SIZE])
{
        const char *file = getenv("LBSIM_MACHINE"), *settings = getenv("XDG_CONFIG_HOME");
        const char *home = getenv("HOME");
        int length = LB_DATA_PATH_SIZE;
        if (file && file[0])
                length = snprintf(path, LB_DATA_PATH_SIZE, "%s", file);
        else if (settings && settings[0])
                length = snprintf(path, LB_DATA_PATH_SIZE, "%s/lbsim/machine.json", settings);
        else if (home && home[0])
                length = snprintf(path, LB_DATA_PATH_SIZE, "%s/.config/lbsim/machine.json", home);
        return length < LB_DATA_PATH_SIZE;
}
