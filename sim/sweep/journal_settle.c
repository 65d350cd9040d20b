/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Damage, and runs of other builds. Either way the journal is written anew with what is good and
 * ours; of other builds all that was there stays, under another name:
 *
 *   DIR/runs.journal, results.csv, ... --> DIR/build-XXXXXXXX/
 */
#include "sim/sweep/journal_impl.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "base/text.h"

void journal_aside_name(uint64_t build, char name[static JOURNAL_ASIDE_SIZE])
{
        snprintf(name, JOURNAL_ASIDE_SIZE, "build-%08" PRIx64, build >> 32);
}

/* ---- Setting aside ---- */

/* What lies beside a journal and tells of its runs. */
static const char *const results[] = {
        SWEEP_SEAL,
        "results.csv",
        "results.csv.zst",
        "results.partial.csv",
        "results.partial.csv.zst",
        "results.json",
        "results.partial.json",
        "results.jsonl.zst",
        "results.partial.jsonl.zst",
        "summary.csv",
        "summary.partial.csv",
        "series.csv",
        "series.csv.zst",
        "series.partial.csv",
        "series.partial.csv.zst",
        "workers.csv",
        "workers.csv.zst",
        "workers.partial.csv",
        "workers.partial.csv.zst",
        "overview.txt",
        "series",
};
enum { NRESULT = sizeof(results) / sizeof(results[0]) };

int sweep_check_apart(const char *directory, const char *file, struct lb_error *err)
{
        char own[LB_PATH_SIZE];
        for (int i = -2; i < NRESULT; i++) {
                const char *name = i == -2 ? SWEEP_JOURNAL : i == -1 ? "lock" : results[i];
                if (lb_path(own, err, "%s/%s", directory, name) < 0)
                        return -1;
                if (lb_file_same(own, file))
                        return lb_error_set(err, "'%.300s' is a file of the sweep itself", file);
        }
        return 0;
}

/* A new folder for a build: build-XXXXXXXX, or with -2, -3, .. behind it. */
static int make_aside(const struct journal *journal, uint64_t build, char path[static LB_PATH_SIZE],
                      struct lb_error *err)
{
        enum { TRIES = 10000 };
        char name[JOURNAL_ASIDE_SIZE];
        journal_aside_name(build, name);
        size_t length = strlen(name);
        for (int try = 1; try <= TRIES; try++) {
                if (try > 1)
                        snprintf(name + length, sizeof(name) - length, "-%d", try);
                if (lb_path(path, err, "%s/%s", journal->options.aside, name) < 0)
                        return -1;
                if (mkdir(path, 0777) == 0)
                        return 0;
                if (errno != EEXIST)
                        break;
        }
        return lb_error_fail(err, "cannot make directory '%s': %s", path, strerror(errno));
}

/* The journal itself stays until the new one takes its name, where the file system allows it. */
static int set_aside(const struct journal *journal, const char *folder, struct lb_error *err)
{
        char from[LB_PATH_SIZE], to[LB_PATH_SIZE];
        if (lb_path(to, err, "%s/%s", folder, SWEEP_JOURNAL) < 0)
                return -1;
        if (link(journal->path, to) < 0 && rename(journal->path, to) < 0)
                return lb_error_fail(err, "cannot move '%s' to '%s': %s", journal->path, to,
                                     strerror(errno));
        for (int i = 0; i < NRESULT; i++) {
                if (lb_path(from, err, "%s/%s", journal->directory, results[i]) < 0 ||
                    lb_path(to, err, "%s/%s", folder, results[i]) < 0)
                        return -1;
                if (rename(from, to) < 0 && errno != ENOENT)
                        return lb_error_fail(err, "cannot move '%s' to '%s': %s", from, to,
                                             strerror(errno));
        }
        return 0;
}

void journal_remove_folder(const char *path)
{
        char inner[LB_PATH_SIZE];
        struct lb_error ignored;
        DIR *folder = opendir(path);
        for (struct dirent *entry; folder && (entry = readdir(folder));)
                if (entry->d_name[0] != '.' &&
                    lb_path(inner, &ignored, "%s/%s", path, entry->d_name) == 0)
                        unlink(inner);
        if (folder)
                closedir(folder);
        rmdir(path);
}

void journal_remove_aside(const char *directory)
{
        char series[LB_PATH_SIZE];
        struct lb_error ignored;
        if (lb_path(series, &ignored, "%s/series", directory) == 0)
                journal_remove_folder(series);
        journal_remove_folder(directory);
}

/* ---- Writing anew ---- */

static bool is_kept(const struct journal *journal, const struct block *block)
{
        struct record record;
        if (block->kind != BLOCK_RUN)
                return block->kind == BLOCK_NOTE;
        if (record_read(&record, block->content, block->size) < 0)
                return false;
        sim_result_finish(&record.result);
        return journal_wants(journal, &record) && record.point < journal->options.scenario->npoint;
}

static int write_blocks(struct journal *journal, FILE *out, struct lb_error *err)
{
        struct blocks blocks;
        struct block block;
        char *head = journal_head(journal->options.scenario);
        if (!head)
                return lb_error_fail(err, "out of memory");
        const struct block first = { .kind = BLOCK_HEAD,
                                     .content = (const unsigned char *)head,
                                     .size = (uint32_t)strlen(head) };
        struct block_text text = block_write(&first, 0);
        uint64_t number = 1, seed = text.bytes ? block_hash(&text) : 0;
        bool more = blocks_begin(&blocks, journal->bytes, journal->size, &block);
        free(head);
        while (text.bytes) {
                fwrite(text.bytes, 1, text.size, out); /* a failed write is found by the commit */
                free(text.bytes);
                do {
                        more = more && !journal->foreign && blocks_next(&blocks, &block);
                } while (more && !is_kept(journal, &block));
                if (!more)
                        return 0;
                block.number = number++;
                text = block_write(&block, seed);
        }
        return lb_error_fail(err, "out of memory");
}

static int reopen(struct journal *journal, struct lb_error *err)
{
        journal_unmap(journal);
        close(journal->fd);
        journal->fd = open(journal->path, O_RDWR | O_APPEND | O_CLOEXEC);
        if (journal->fd < 0)
                return lb_error_fail(err, "cannot write '%s': %s", journal->path, strerror(errno));
        journal->foreign = false;
        if (journal_map(journal, err) < 0)
                return -1;
        journal_look_through(journal);
        return 0;
}

static int write_anew(struct journal *journal, struct lb_error *err)
{
        struct lb_file file;
        if (lb_file_create(&file, journal->path, err) < 0)
                return -1;
        if (write_blocks(journal, file.stream, err) < 0) {
                lb_file_abandon(&file);
                return -1;
        }
        if (lb_file_commit(&file, err) < 0)
                return -1;
        return reopen(journal, err);
}

/* ---- What is to be done ---- */

/* A block that is not what was written; what it held is simulated again. */
static void say_damage(const struct journal *journal)
{
        const struct journal_survey *survey = &journal->survey;
        const struct blocks *blocks = &survey->blocks;
        if (blocks->ndamaged > 0)
                journal_say(&journal->options,
                            "'%s' is damaged at %" PRId64 " place%s, first in block %" PRIu64
                            ", bytes %zu to %zu: the runs in there are simulated anew",
                            journal->path, blocks->ndamaged, lb_s((double)blocks->ndamaged),
                            blocks->damage_number, blocks->damage_begin, blocks->damage_end);
        if (survey->nbad > 0)
                journal_say(&journal->options,
                            "'%s' has %" PRId64 " block%s that hold no run that can be, the first "
                            "at byte %zu: simulated anew",
                            journal->path, survey->nbad, lb_s((double)survey->nbad), survey->bad);
}

enum { OTHERS_SIZE = LB_PATH_SIZE + DIFFERS_SIZE + 128 };

/* Which runs are another build's, and of what it is another one. */
static const char *others_of(const struct journal *journal, char text[static OTHERS_SIZE])
{
        const struct journal_survey *survey = &journal->survey;
        snprintf(text, OTHERS_SIZE,
                 "%" PRId64 " run%s in '%s' %s of %s (%08" PRIx64 ", this is %08" PRIx64 ")",
                 survey->nother, lb_s((double)survey->nother), journal->directory,
                 survey->nother == 1 ? "is" : "are", survey->differs, survey->other >> 32,
                 journal->options.scenario->build >> 32);
        return text;
}

static int refuse_other(const struct journal *journal, struct lb_error *err)
{
        char others[OTHERS_SIZE];
        return lb_error_set(err,
                            "%s; --other-build keep takes them as they are, --other-build anew "
                            "simulates them again",
                            others_of(journal, others));
}

static int refuse_defaults(const struct journal *journal, struct lb_error *err)
{
        return lb_error_set(err,
                            "the runs in '%s' are of %s, with other metrics or other defaults of "
                            "parameters, and cannot be kept; simulate anew, into another --out or "
                            "without --other-build keep",
                            journal->directory, journal->survey.differs);
}

/* `anew`: set what is there aside, with results and all. */
static int leave_others(struct journal *journal, struct lb_error *err)
{
        char folder[LB_PATH_SIZE], others[OTHERS_SIZE];
        others_of(journal, others);
        if (make_aside(journal, journal->survey.other, folder, err) < 0 ||
            set_aside(journal, folder, err) < 0 || write_anew(journal, err) < 0)
                return -1;
        journal_say(&journal->options,
                    "%s: set aside in '%s', and not used (--other-build keep takes them as they "
                    "are)",
                    others, folder);
        return 0;
}

/* Where nothing may be changed, what is not wanted is passed over by journal_read(). */
static int settle_read_only(const struct journal *journal)
{
        char others[OTHERS_SIZE];
        say_damage(journal);
        if (journal->survey.nother > 0)
                journal_say(&journal->options, "%s: %s", others_of(journal, others),
                            journal->options.other_build == OTHER_BUILD_KEEP ? "kept" : "left out");
        return 0;
}

int journal_settle(struct journal *journal, struct lb_error *err)
{
        const struct journal_survey *survey = &journal->survey;
        enum other_build choice = journal->options.other_build;
        char others[OTHERS_SIZE];
        if (journal->foreign && choice == OTHER_BUILD_KEEP)
                return refuse_defaults(journal, err);
        if (survey->nother > 0 && choice == OTHER_BUILD_REFUSE)
                return refuse_other(journal, err);
        if (!journal->options.aside)
                return settle_read_only(journal);
        say_damage(journal);
        if (survey->nother > 0 && choice == OTHER_BUILD_ANEW)
                return leave_others(journal, err);
        if (survey->nother > 0)
                journal_say(&journal->options, "%s: kept", others_of(journal, others));
        if (journal->foreign || survey->blocks.ndamaged > 0 || survey->nbad > 0)
                return write_anew(journal, err);
        return 0;
}
