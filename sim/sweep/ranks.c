/* SPDX-License-Identifier: BSD-3-Clause */
#include "sim/sweep/ranks.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/file.h"
#include "sim/sweep/claims.h"
#include "sim/sweep/journal.h"

enum { PATIENCE_S = 60 };

/* ---- Folders of ranks ---- */

/* Do something with each DIR/ranks/NUMBER; there need not be any. */
static int for_each(const char *directory, int (*visit)(const char *path, void *data), void *data,
                    struct lb_error *err)
{
        char ranks[LB_PATH_SIZE], path[LB_PATH_SIZE];
        if (lb_path(ranks, err, "%s/ranks", directory) < 0)
                return -1;
        DIR *folder = opendir(ranks);
        int status = 0;
        for (struct dirent *entry; folder && status == 0 && (entry = readdir(folder));) {
                if (strspn(entry->d_name, "0123456789") != strlen(entry->d_name))
                        continue;
                status = lb_path(path, err, "%s/%s", ranks, entry->d_name);
                if (status == 0)
                        status = visit(path, data);
        }
        if (folder)
                closedir(folder);
        return status;
}

struct taking {
        struct sweep *sweep;
        const struct sweep_options *options;
        struct lb_error *err;
};

/* Runs of another build are set aside in the sweep's own directory, since this one will go. */
static int take_over(const char *path, void *data)
{
        const struct taking *taking = data;
        const struct journal_options other = { .directory = path,
                                               .aside = taking->options->directory,
                                               .scenario = taking->sweep->scenario,
                                               .other_build = taking->options->other_build,
                                               .wait = taking->options->nrank > 1,
                                               .notes = taking->options->notes };
        if (!journal_there(path)) /* killed before it began */
                return 0;
        return journal_merge(taking->sweep->journal, &other, taking->sweep, taking->err);
}

static int remove_rank(const char *path, void *data)
{
        char series[LB_PATH_SIZE];
        struct lb_error ignored;
        (void)data;
        if (lb_path(series, &ignored, "%s/series", path) == 0)
                journal_remove_folder(series);
        journal_remove_folder(path);
        return 0;
}

void ranks_clean(const struct sweep_options *options)
{
        char ranks[LB_PATH_SIZE];
        struct lb_error ignored;
        if (for_each(options->directory, remove_rank, NULL, &ignored) == 0 &&
            lb_path(ranks, &ignored, "%s/ranks", options->directory) == 0)
                journal_remove_folder(ranks);
}

int ranks_gather(struct sweep *sweep, const struct sweep_options *options, struct lb_error *err)
{
        struct taking taking = { sweep, options, err };
        return for_each(options->directory, take_over, &taking, err);
}

/* ---- The beginning ---- */

/* DIR/ranks/R */
static int name_folder(const struct sweep_options *options, char path[static LB_PATH_SIZE],
                       struct lb_error *err)
{
        char name[32];
        snprintf(name, sizeof(name), "ranks/%d", options->rank);
        return lb_path(path, err, "%s/%s", options->directory, name);
}

/* A process alone also takes over what ranks that were killed have left. */
int ranks_journal(struct sweep *sweep, const struct sweep_options *options, struct lb_error *err)
{
        char path[LB_PATH_SIZE];
        struct journal_options own = { .directory = options->directory,
                                       .aside = options->directory,
                                       .scenario = sweep->scenario,
                                       .other_build = options->other_build,
                                       .notes = options->notes };
        if (options->rank > 0) {
                if (name_folder(options, path, err) < 0 || lb_make_directory(path, err) < 0)
                        return -1;
                own.directory = path;
        }
        sweep->journal = journal_open(&own, err);
        if (!sweep->journal ||
            (options->rank == 0 && journal_take_back(sweep->journal, sweep, err) < 0) ||
            journal_read(sweep->journal, sweep, err) < 0)
                return -1;
        if (options->nrank > 1)
                return 0;
        if (ranks_gather(sweep, options, err) < 0)
                return -1;
        ranks_clean(options);
        return 0;
}

/* Is the unit done by what this process knows? */
static void mark_done(const struct sweep *sweep, bool *done, int64_t count)
{
        for (int64_t u = 0; u < count; u++)
                done[u] = count == sweep->nslot ? sweep->done[u] : sweep_enough(sweep, u) >= 0;
}

/* The claims' name; its folder is `path`. */
static int name_claims(const struct sweep *sweep, const struct sweep_options *options,
                       char path[static LB_PATH_SIZE], struct claims_name *name,
                       struct lb_error *err)
{
        const struct scenario *scenario = sweep->scenario;
        *name = (struct claims_name){ .directory = path,
                                      .fingerprint = scenario->fingerprint,
                                      .build = scenario->build,
                                      .count = scenario->precision > 0 ? scenario->npoint
                                                                       : sweep->nslot };
        return lb_path(path, err, "%s/ranks", options->directory);
}

int ranks_lead(const struct sweep *sweep, const struct sweep_options *options,
               struct claims **claims, struct lb_error *err)
{
        char path[LB_PATH_SIZE];
        struct claims_name name;
        if (name_claims(sweep, options, path, &name, err) < 0 || lb_make_directory(path, err) < 0)
                return -1;
        bool *done = calloc((size_t)name.count + 1, sizeof(*done));
        if (!done)
                return lb_error_fail(err, "out of memory");
        mark_done(sweep, done, name.count);
        int status = claims_open(claims, &name, done, err);
        free(done);
        return status;
}

/* ---- Joining in ---- */

/* Has the journal of rank 0 every run already? */
static bool all_done(const struct sweep *sweep, const struct sweep_options *options)
{
        struct lb_error ignored;
        const struct journal_options of_first = { .directory = options->directory,
                                                  .scenario = sweep->scenario,
                                                  .other_build = options->other_build };
        struct sweep whole = { .scenario = sweep->scenario, .nslot = sweep->nslot };
        whole.store = store_create(options->directory, whole.nslot);
        whole.result = whole.store.result;
        whole.done = calloc((size_t)whole.nslot + 1, sizeof(*whole.done));
        if (whole.result && whole.done)
                whole.journal = journal_look(&of_first);
        bool all = whole.journal && journal_read(whole.journal, &whole, &ignored) == 0;
        if (all) {
                sweep_count(&whole);
                all = whole.ndone == whole.nrun;
        }
        sweep_finish(&whole);
        return all;
}

/* The same, looking again only where the journal has grown beyond what was seen. */
static bool finished(const struct sweep *sweep, const struct sweep_options *options, off_t *seen)
{
        char path[LB_PATH_SIZE];
        struct lb_error ignored;
        struct stat status;
        if (lb_path(path, &ignored, "%s/%s", options->directory, SWEEP_JOURNAL) < 0 ||
            stat(path, &status) < 0 || status.st_size == *seen)
                return false;
        *seen = status.st_size;
        return all_done(sweep, options);
}

int ranks_join(const struct sweep *sweep, const struct sweep_options *options,
               struct claims **claims, struct lb_error *err)
{
        const struct timespec moment = { .tv_nsec = 50 * 1000 * 1000 };
        char path[LB_PATH_SIZE];
        struct claims_name name;
        off_t seen = -1;
        if (name_claims(sweep, options, path, &name, err) < 0)
                return -1;
        for (int i = 0; i < PATIENCE_S * 20; i++) {
                if (claims_open(claims, &name, NULL, err) < 0)
                        return -1;
                if (*claims || finished(sweep, options, &seen))
                        return 0;
                if (options->stop && *options->stop)
                        return lb_error_stop(err, "interrupted before it began");
                nanosleep(&moment, NULL);
        }
        return lb_error_fail(err,
                             "'%s/claims-...' does not appear: rank 0 must be the same build of "
                             "lbsim and run the same scenario into the same --out, in a folder "
                             "that all ranks see",
                             path);
}

void ranks_leave(const struct sweep_options *options)
{
        char path[LB_PATH_SIZE];
        struct lb_error ignored;
        if (name_folder(options, path, &ignored) < 0)
                return;
        remove_rank(path, NULL);
        if (lb_path(path, &ignored, "%s/ranks", options->directory) == 0)
                rmdir(path);
}

/* ---- The end ---- */

/* Is every task of the order done by somebody? */
static int look(const struct crew_order *order, bool *done, bool *all, struct lb_error *err)
{
        if (claims_look(order->claims, done, err) < 0)
                return -1;
        *all = true;
        for (int64_t t = 0; t < order->ntask; t++)
                *all = *all && done[order->task[t].unit];
        return 0;
}

static int finish_order(struct sweep *sweep, const struct crew_order *order, bool *done,
                        const struct sweep_options *options, struct lb_error *err)
{
        const struct timespec moment = { .tv_nsec = 100 * 1000 * 1000 };
        for (;;) {
                bool all;
                if (sweep_crew_run(sweep, order, options, err) < 0 ||
                    look(order, done, &all, err) < 0)
                        return -1;
                if (all || options->rank > 0 || (options->stop && *options->stop))
                        return 0;
                nanosleep(&moment, NULL);
        }
}

int ranks_crew_run(struct sweep *sweep, const struct crew_order *order,
                   const struct sweep_options *options, struct lb_error *err)
{
        int64_t before = sweep->ndone;
        if (!order->claims)
                return sweep_crew_run(sweep, order, options, err);
        bool *done = calloc((size_t)sweep->nslot + 1, sizeof(*done)); /* at most so many units */
        if (!done)
                return lb_error_fail(err, "out of memory");
        int status = finish_order(sweep, order, done, options, err);
        sweep->nmine = sweep->ndone - before;
        free(done);
        return status;
}
