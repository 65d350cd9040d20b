/* SPDX-License-Identifier: BSD-3-Clause */
#define _GNU_SOURCE /* realpath() */
/* lbsim init policy NAME: the example of policies/examples, under another name. */
#include "base/self.h"
#include "sim/commands/init.h"

#include <ctype.h>
#include <errno.h>
#include <limits.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/data.h"
#include "base/file.h"
#include "policies/alloc.h"
#include "policies/plugged.h"
#include "policies/system.h"

enum { NAME_MAX_LENGTH = PLUGGED_NAME_MAX, LINE_SIZE = 4096 };

/* The example's name, which its files hold as a word. */
static const char example[] = "latest";

static const struct {
        const char *folder, *from, *to; /* to: NULL: the policy's name and this ending */
        const char *ending;
        bool needed;
} files[] = {
        { "policies/examples", "latest.c", NULL, ".c", true },
        { "policies/examples", "latest.json", NULL, ".json", true },
        { "policies/examples", "Makefile", "Makefile", NULL, true },
        { "policies/examples", "test.sh", "test.sh", NULL, true },
        { "real/apps/port", "after.c", "job.c", NULL, false },
};
enum { FILE_COUNT = sizeof(files) / sizeof(files[0]) };

static int check_name(const char *name, struct lb_error *err)
{
        size_t length = strlen(name);
        bool valid = islower((unsigned char)name[0]) && length <= NAME_MAX_LENGTH;
        for (size_t i = 0; valid && i < length; i++)
                valid = islower((unsigned char)name[i]) || isdigit((unsigned char)name[i]) ||
                        name[i] == '_';
        if (!valid)
                return lb_error_set(err,
                                    "found '%.60s', allowed is a name of a-z, 0-9 and '_' that "
                                    "begins with a letter, up to %d of them",
                                    name, NAME_MAX_LENGTH);
        if (system_find(name) || alloc_find(name) || strcmp(name, "policy") == 0)
                return lb_error_set(err, "'%s' is the name of a system or policy that there is",
                                    name);
        return 0;
}

/* Where headers are: beside the folder of the example in the source, or as installed. */
static void find_include(char path[static LB_DATA_PATH_SIZE])
{
        static const char header[] = "/policies/plugin.h";
        char *whole = NULL;
        if (lb_data_find("policies", "plugin.h", path) ||
            lb_data_find("../../include/lbsim/policies", "plugin.h", path))
                whole = realpath(path, NULL);
        snprintf(path, LB_DATA_PATH_SIZE, "%s", whole ? whole : "");
        if (whole)
                path[strlen(path) - (sizeof(header) - 1)] = '\0';
        free(whole);
}

/* A variable of the Makefile has the value of here. */
static bool write_variable(const char *line, FILE *out)
{
        char value[LB_DATA_PATH_SIZE];
        if (strncmp(line, "INCLUDE =", 9) == 0) {
                find_include(value);
                return fprintf(out, "INCLUDE = %s\n", value) > 0;
        }
        if (strncmp(line, "LBSIM =", 7) == 0 || strncmp(line, "LBRUN =", 7) == 0) {
                lb_self_sister(line[3] == 'I' ? "lbsim" : "lbrun", value);
                return fprintf(out, "%.5s = %s\n", line, value) > 0;
        }
        return false;
}

static void write_renamed(const char *line, const char *name, FILE *out)
{
        const char *at;
        for (; (at = strstr(line, example)); line = at + strlen(example))
                fprintf(out, "%.*s%s", (int)(at - line), line, name);
        fputs(line, out);
}

/* Where it is written: under a name of its own until it is whole. */
struct folder {
        const char *name;
        char path[NAME_MAX_LENGTH + 16];
};

enum { PATH_SIZE = 2 * NAME_MAX_LENGTH + 32 };
static void path_of(int i, const struct folder *folder, char path[static PATH_SIZE])
{
        snprintf(path, PATH_SIZE, "%s/%s%s", folder->path, files[i].to ? files[i].to : folder->name,
                 files[i].to ? "" : files[i].ending);
}

static int copy(int i, const struct folder *folder, struct lb_error *err)
{
        char from[LB_DATA_PATH_SIZE], to[PATH_SIZE], line[LINE_SIZE];
        struct lb_file file;
        if (!lb_data_find(files[i].folder, files[i].from, from))
                return files[i].needed ? lb_error_fail(err, "%s/%s is not installed",
                                                       files[i].folder, files[i].from)
                                       : 0;
        FILE *in = fopen(from, "r");
        if (!in)
                return lb_error_fail(err, "cannot read '%s': %s", from, strerror(errno));
        path_of(i, folder, to);
        int status = lb_file_create(&file, to, err);
        while (status == 0 && fgets(line, sizeof(line), in))
                if (!write_variable(line, file.stream))
                        write_renamed(line, folder->name, file.stream);
        if (status == 0)
                status = lb_file_commit(&file, err);
        lb_file_abandon(&file);
        fclose(in);
        return status;
}

/* What was written of a folder that was ours to make. */
static void remove_all(const struct folder *folder)
{
        char path[PATH_SIZE];
        for (int i = 0; i < FILE_COUNT; i++) {
                path_of(i, folder, path);
                unlink(path);
        }
        rmdir(folder->path);
}

/* mkdtemp() lets nobody else in. */
static mode_t mode_of_new(void)
{
        mode_t mask = umask(0);
        umask(mask);
        return 0777 & ~mask;
}

static int fill(const struct folder *folder, struct lb_error *err)
{
        for (int i = 0; i < FILE_COUNT; i++)
                if (copy(i, folder, err) < 0)
                        return -1;
        if (chmod(folder->path, mode_of_new()) < 0 || rename(folder->path, folder->name) < 0)
                return lb_error_fail(err, "cannot make '%s': %s", folder->name, strerror(errno));
        return 0;
}

int init_policy(const char *name, struct lb_error *err)
{
        struct folder folder = { .name = name };
        struct stat status;
        if (check_name(name, err) < 0)
                return -1;
        if (lstat(name, &status) == 0)
                return lb_error_set(err, "'%s' is there already", name);
        snprintf(folder.path, sizeof(folder.path), ".%s.XXXXXX", name);
        if (!mkdtemp(folder.path))
                return lb_error_name(err, errno, "cannot make '%s'", name);
        if (fill(&folder, err) < 0) {
                remove_all(&folder);
                return -1;
        }
        fprintf(stderr, "lbsim init: wrote %s/%s.c; next: make -C %s test\n", name, name, name);
        return 0;
}
