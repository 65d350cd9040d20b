/* SPDX-License-Identifier: BSD-3-Clause */
#include "real/launch/measure_place.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "real/launch/claim.h"
#include "real/launch/line.h"
#include "real/measure/rank_file.h"

enum { PATH_SIZE = PROGRAM_PATH_SIZE, DIRECTORIES_MAX = 10000 };
#define RANKS "ranks-"

bool measure_place_is_measured(const char *directory)
{
        char path[PATH_SIZE];
        snprintf(path, sizeof(path), "%s/measured.json", directory);
        return access(path, F_OK) == 0;
}

/* Nobody else writes here: ranks' directories are of a job whose lbrun was killed. */
static void remove_left(const char *directory)
{
        char ranks[PATH_SIZE], setup[2 * PATH_SIZE];
        DIR *entries = opendir(directory);
        for (struct dirent *entry; entries && (entry = readdir(entries));) {
                if (strncmp(entry->d_name, RANKS, strlen(RANKS)) != 0 ||
                    snprintf(ranks, sizeof(ranks), "%s/%s", directory, entry->d_name) >= PATH_SIZE)
                        continue;
                snprintf(setup, sizeof(setup), "%s/" RANK_FILE_SETUP, ranks);
                if (access(setup, F_OK) == 0)
                        line_remove(ranks);
                else
                        rmdir(ranks); /* where nothing is in it */
        }
        if (entries)
                closedir(entries);
}

static struct claim *claim_here(const char *directory, bool *taken, struct lb_error *err)
{
        char path[PATH_SIZE];
        *taken = false;
        if (snprintf(path, sizeof(path), "%s/measured.json", directory) >= PATH_SIZE) {
                lb_error_set(err, "'%.60s...': too long a name", directory);
                return NULL;
        }
        struct claim *claim =
            lb_make_directory(directory, err) == 0 ? claim_try(path, taken, err) : NULL;
        if (!claim || !measure_place_is_measured(directory))
                return claim;
        claim_destroy(claim);
        *taken = true;
        lb_error_set(err,
                     "'%s': it has a measurement already; name another directory, or remove it",
                     directory);
        return NULL;
}

/* *taken: it is another's, or has a measurement. */
static struct claim *try(const char *directory, bool *fresh, bool *taken, struct lb_error *err)
{
        *fresh = access(directory, F_OK) < 0;
        struct claim *claim = claim_here(directory, taken, err);
        if (claim)
                remove_left(directory);
        else
                lb_error_prefix(err, "--out: ");
        return claim;
}

struct claim *measure_place_claim(const char *directory, bool *fresh, struct lb_error *err)
{
        bool taken;
        return try(directory, fresh, &taken, err);
}

struct claim *measure_place_choose(char name[static MEASURE_PLACE_NAME], bool *fresh,
                                   struct lb_error *err)
{
        struct claim *claim = NULL;
        bool taken = true;
        strcpy(name, "measured");
        for (int n = 2; n < DIRECTORIES_MAX && !claim && taken; n++) {
                if (!measure_place_is_measured(name))
                        claim = try(name, fresh, &taken, err);
                if (!claim && taken)
                        snprintf(name, MEASURE_PLACE_NAME, "measured-%d", n);
        }
        if (!claim && taken)
                lb_error_set(err,
                             "measurements or jobs are in all of measured to '%s': name a "
                             "directory by --out",
                             name);
        return claim;
}

int measure_place_of_ranks(const char *directory, char ranks[static PROGRAM_PATH_SIZE],
                           struct lb_error *err)
{
        char *whole = realpath(directory, NULL);
        int size = whole ? snprintf(ranks, PATH_SIZE, "%s/" RANKS "XXXXXX", whole) : PATH_SIZE;
        free(whole);
        if (size >= PATH_SIZE || !mkdtemp(ranks))
                return lb_error_set(err, "--out '%s' cannot be written: %s", directory,
                                    strerror(errno));
        return chmod(ranks, 0755);
}
