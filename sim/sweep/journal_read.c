/* SPDX-License-Identifier: BSD-3-Clause */
/* From journals into a sweep: its own, those of other directories, what this build left before. */
#include <dirent.h>
#include <inttypes.h>
#include <string.h>

#include "base/file.h"
#include "base/hash.h"
#include "sim/sweep/crew.h"
#include "sim/sweep/journal_impl.h"

bool journal_is_own(const struct scenario *scenario, const struct record *record)
{
        return record->point < scenario->npoint &&
               record->build == scenario_point_built(scenario, record->point);
}

bool journal_wants(const struct journal *journal, const struct record *record)
{
        return journal->options.other_build == OTHER_BUILD_KEEP ||
               journal_is_own(journal->options.scenario, record);
}

/* Does the run's series, if it has one, come back from its file as it was written? */
static bool restore_series(const struct journal *journal, struct record *record)
{
        char path[LB_PATH_SIZE];
        struct lb_content content;
        struct lb_error ignored;
        if (!record->series)
                return true;
        journal_series_path(journal, record->point, record->replicate, path);
        return lb_hash_file(path, &content, &ignored) == 0 && content.hash == record->series &&
               series_read(&record->result.series, path) == 0;
}

/* Runs beyond the replicates asked for, those without their series, those that are not wanted, and
 * repeated ones are left. What comes from another journal than the sweep's own is kept there as
 * well. */
static int take_over(const struct journal *journal, struct sweep *sweep, struct record *record,
                     struct lb_error *err)
{
        int64_t place = 0;
        bool take = record->point < sweep->scenario->npoint &&
                    record->replicate < sweep->scenario->replicates &&
                    journal_wants(journal, record);
        if (take) {
                place = sweep_place(sweep, record->point, record->replicate);
                take = !sweep->done[place] && restore_series(journal, record);
        }
        int status = 0;
        if (take && journal != sweep->journal)
                status = journal_keep(sweep->journal, record, err);
        if (!take || status < 0) {
                sim_result_finish(&record->result);
                return status;
        }
        sweep_take(sweep, place, &record->result);
        sweep->nother += !journal_is_own(sweep->scenario, record);
        return 0;
}

/* The runs of this build, or those of all others. */
static int read_runs(struct journal *journal, struct sweep *sweep, bool own, struct lb_error *err)
{
        struct blocks blocks;
        struct block block;
        struct record record;
        int status = 0;
        bool more =
            !journal->foreign && blocks_begin(&blocks, journal->bytes, journal->size, &block);
        while (more && status == 0 && blocks_next(&blocks, &block)) {
                journal_pace(journal, block.number);
                if (block.kind != BLOCK_RUN ||
                    record_peek(&record, block.content, block.size) < 0 ||
                    own != journal_is_own(sweep->scenario, &record))
                        continue;
                if (record_read(&record, block.content, block.size) == 0)
                        status = take_over(journal, sweep, &record, err);
        }
        return status;
}

int journal_read(struct journal *journal, struct sweep *sweep, struct lb_error *err)
{
        int status = read_runs(journal, sweep, true, err);
        if (status == 0 && journal->options.other_build == OTHER_BUILD_KEEP)
                status = read_runs(journal, sweep, false, err);
        journal_unmap(journal);
        return status;
}

static struct journal *open_other(const struct journal_options *other, struct lb_error *err)
{
        if (journal_there(other->directory))
                return journal_open(other, err);
        lb_error_set(err, "directory '%s' holds no results of lbsim to merge", other->directory);
        return NULL;
}

int journal_check(const struct journal_options *other, struct lb_error *err)
{
        struct journal *journal = open_other(other, err);
        journal_close(journal);
        return journal ? 0 : -1;
}

int journal_merge(struct journal *journal, const struct journal_options *other, struct sweep *sweep,
                  struct lb_error *err)
{
        if (strcmp(other->directory, journal->directory) == 0)
                return 0;
        struct journal *from = open_other(other, err);
        int status = from ? journal_read(from, sweep, err) : -1;
        journal_close(from);
        return status;
}

/* Take the runs of one folder back; it goes where it held nothing else. */
static int take_folder(const char *folder, struct journal *journal, struct sweep *sweep,
                       struct lb_error *err)
{
        struct journal_options options = journal->options;
        options.directory = folder;
        options.aside = NULL;
        options.other_build = OTHER_BUILD_ANEW;
        options.notes = NULL;
        struct journal *from = journal_open(&options, err);
        if (!from)
                return -1;
        bool all_own = from->survey.nother == 0 && !from->foreign;
        int status = journal_read(from, sweep, err);
        journal_close(from);
        if (status == 0 && all_own)
                journal_remove_aside(folder);
        return status;
}

int journal_take_back(struct journal *journal, struct sweep *sweep, struct lb_error *err)
{
        char name[2][JOURNAL_ASIDE_SIZE], path[LB_PATH_SIZE];
        journal_aside_name(journal->options.scenario->build, name[0]);
        journal_aside_name(journal->options.scenario->built_in, name[1]);
        DIR *folder = opendir(journal->directory);
        int status = 0;
        for (struct dirent *entry; folder && status == 0 && (entry = readdir(folder));) {
                if (strncmp(entry->d_name, name[0], strlen(name[0])) != 0 &&
                    strncmp(entry->d_name, name[1], strlen(name[1])) != 0)
                        continue;
                status = lb_path(path, err, "%s/%s", journal->directory, entry->d_name);
                if (status == 0 && journal_there(path))
                        status = take_folder(path, journal, sweep, err);
        }
        if (folder)
                closedir(folder);
        return status;
}
