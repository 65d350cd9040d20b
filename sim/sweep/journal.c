/* SPDX-License-Identifier: BSD-3-Clause */
#include "sim/sweep/journal.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "base/json.h"
#include "sim/sweep/sweep.h"

struct journal {
        char *directory, *path;
        int lock, fd;
        char *text;         /* what was there when it was opened, up to the last end of a line */
        size_t size, begin; /* where the runs begin in it */
        off_t end;          /* where the next line goes */
};

static char *print_text(const char *format, ...) LB_PRINTF(1, 2);

/* Formatted text of any length, to be freed; NULL without memory. */
static char *print_text(const char *format, ...)
{
        char *text = NULL;
        size_t size = 0;
        FILE *out = open_memstream(&text, &size);
        if (!out)
                return NULL;
        va_list args;
        va_start(args, format);
        vfprintf(out, format, args);
        va_end(args);
        if (fclose(out) == 0)
                return text;
        free(text);
        return NULL;
}

/* ---- The lock ---- */

static int lock_refused(const struct journal *journal, int why, struct lb_error *err)
{
        if (why != EACCES && why != EAGAIN)
                return lb_error_fail(err, "cannot lock directory '%s': %s", journal->directory,
                                     strerror(why));
        struct flock who = { .l_type = F_WRLCK, .l_whence = SEEK_SET };
        if (fcntl(journal->lock, F_GETLK, &who) < 0 || who.l_type == F_UNLCK || who.l_pid <= 0)
                return lb_error_fail(err, "directory '%s' is in use by another lbsim",
                                     journal->directory);
        return lb_error_fail(err,
                             "directory '%s' is in use by another lbsim, process %ld; wait for "
                             "it or choose another --out",
                             journal->directory, (long)who.l_pid);
}

static int take_lock(struct journal *journal, bool wait, struct lb_error *err)
{
        char *path = print_text("%s/lock", journal->directory);
        if (!path)
                return lb_error_fail(err, "out of memory");
        journal->lock = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0666);
        int why = errno;
        free(path);
        if (journal->lock < 0)
                return lb_error_fail(err, "cannot write into directory '%s': %s",
                                     journal->directory, strerror(why));
        struct flock lock = { .l_type = F_WRLCK, .l_whence = SEEK_SET };
        if (fcntl(journal->lock, wait ? F_SETLKW : F_SETLK, &lock) == 0)
                return 0;
        return lock_refused(journal, errno, err);
}

/* ---- The first line ---- */

/* With the metrics' names: a journal of other metrics cannot be continued either. */
static char *first_line(const struct scenario *scenario)
{
        char *text = NULL;
        size_t size = 0;
        FILE *out = open_memstream(&text, &size);
        if (!out)
                return NULL;
        fprintf(out, "{\"lbsim\":\"runs\",\"version\":\"%s\",\"fingerprint\":\"%016llx\"",
                LB_VERSION, (unsigned long long)scenario->fingerprint);
        fputs(",\"metrics\":[", out);
        for (int m = 0; m < METRIC_COUNT; m++)
                fprintf(out, "%s\"%s\"", m > 0 ? "," : "", metric_table[m].name);
        fputs("]}\n", out);
        if (fclose(out) == 0)
                return text;
        free(text);
        return NULL;
}

static const char *text_of(const struct lb_json *doc, const char *name)
{
        const cJSON *item = cJSON_GetObjectItemCaseSensitive(doc->root, name);
        return cJSON_IsString(item) ? item->valuestring : "";
}

/* Say what the journal is of, since it is not of this scenario. */
static int refuse(const struct journal *journal, const struct scenario *scenario, size_t length,
                  struct lb_error *err)
{
        struct lb_json doc;
        if (lb_json_parse(&doc, journal->path, journal->text, length, err) < 0 ||
            strcmp(text_of(&doc, "lbsim"), "runs") != 0) {
                if (doc.root)
                        lb_json_close(&doc);
                return lb_error_set(err,
                                    "'%s' was not written by lbsim; choose another --out or "
                                    "remove that file",
                                    journal->path);
        }
        char fingerprint[17];
        snprintf(fingerprint, sizeof(fingerprint), "%016llx",
                 (unsigned long long)scenario->fingerprint);
        if (strcmp(text_of(&doc, "fingerprint"), fingerprint) != 0)
                lb_error_set(err,
                             "directory '%s' holds results of another scenario; choose another "
                             "--out, or remove '%s' to start anew",
                             journal->directory, journal->path);
        else
                lb_error_set(err,
                             "directory '%s' holds results of lbsim %s, this is another build or "
                             "version (%s); choose another --out, or remove '%s' to start anew",
                             journal->directory, text_of(&doc, "version"), LB_VERSION,
                             journal->path);
        lb_json_close(&doc);
        return -1;
}

/* ---- Opening ---- */

static int read_error(const struct journal *journal, struct lb_error *err)
{
        return lb_error_fail(err, "cannot read '%s': %s", journal->path, strerror(errno));
}

static int read_all(struct journal *journal, struct lb_error *err)
{
        struct stat status;
        if (fstat(journal->fd, &status) < 0)
                return read_error(journal, err);
        if (!S_ISREG(status.st_mode))
                return lb_error_set(err, "'%s' is not a file", journal->path);
        size_t size = (size_t)status.st_size;
        journal->text = malloc(size + 1);
        if (!journal->text)
                return lb_error_fail(err, "out of memory for '%s'", journal->path);
        while (journal->size < size) {
                ssize_t got =
                    read(journal->fd, journal->text + journal->size, size - journal->size);
                if (got < 0)
                        return read_error(journal, err);
                if (got == 0)
                        break;
                journal->size += (size_t)got;
        }
        return 0;
}

static int write_error(const struct journal *journal, int why, struct lb_error *err)
{
        return lb_error_fail(err, "cannot write '%s': %s", journal->path, strerror(why));
}

/* Up to the last end of a line. */
static size_t whole_lines(const struct journal *journal)
{
        size_t whole = journal->size;
        while (whole > 0 && journal->text[whole - 1] != '\n')
                whole--;
        return whole;
}

/* Drop what comes after the last end of a line, on disk as well. */
static int drop_unfinished(struct journal *journal, struct lb_error *err)
{
        size_t whole = whole_lines(journal);
        journal->end = (off_t)whole;
        if (whole < journal->size && ftruncate(journal->fd, journal->end) < 0)
                return write_error(journal, errno, err);
        journal->size = whole;
        return 0;
}

static int append_text(struct journal *journal, const char *text, size_t size, struct lb_error *err)
{
        ssize_t written = write(journal->fd, text, size);
        if (written == (ssize_t)size) {
                journal->end += written;
                return 0;
        }
        int why = written < 0 ? errno : ENOSPC;
        if (ftruncate(journal->fd, journal->end) < 0)
                why = errno;
        return write_error(journal, why, err);
}

/* A journal whose very first line was never finished is begun anew; any other must match. */
static int check_first_line(struct journal *journal, const struct scenario *scenario,
                            struct lb_error *err)
{
        char *line = first_line(scenario);
        if (!line)
                return lb_error_fail(err, "out of memory");
        size_t size = strlen(line);
        size_t here = journal->size < size ? journal->size : size;
        const char *end = memchr(journal->text, '\n', journal->size);
        int status = 0;
        if (end && (size_t)(end - journal->text) + 1 == size &&
            memcmp(journal->text, line, size) == 0) {
                journal->begin = size;
                status = drop_unfinished(journal, err);
        } else if (!end && memcmp(journal->text, line, here) == 0) {
                status = drop_unfinished(journal, err);
                if (status == 0)
                        status = append_text(journal, line, size, err);
        } else {
                size_t length = end ? (size_t)(end - journal->text) : journal->size;
                status = refuse(journal, scenario, length, err);
        }
        free(line);
        return status;
}

static int open_file(struct journal *journal, const struct scenario *scenario, struct lb_error *err)
{
        journal->fd = open(journal->path, O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
        if (journal->fd < 0)
                return write_error(journal, errno, err);
        if (read_all(journal, err) < 0)
                return -1;
        return check_first_line(journal, scenario, err);
}

static struct journal *create(const char *directory, struct lb_error *err)
{
        struct journal *journal = calloc(1, sizeof(*journal));
        if (!journal) {
                lb_error_fail(err, "out of memory");
                return NULL;
        }
        journal->lock = journal->fd = -1;
        journal->directory = print_text("%s", directory);
        journal->path = print_text("%s/runs.jsonl", directory);
        if (journal->directory && journal->path)
                return journal;
        lb_error_fail(err, "out of memory");
        journal_close(journal);
        return NULL;
}

struct journal *journal_open(const char *directory, const struct scenario *scenario, bool wait,
                             struct lb_error *err)
{
        struct journal *journal = create(directory, err);
        if (journal && take_lock(journal, wait, err) == 0 && open_file(journal, scenario, err) == 0)
                return journal;
        journal_close(journal);
        return NULL;
}

struct journal *journal_look(const char *directory, const struct scenario *scenario)
{
        struct lb_error ignored;
        struct journal *journal = create(directory, &ignored);
        char *line = first_line(scenario);
        size_t size = line ? strlen(line) : 0;
        if (journal)
                journal->fd = open(journal->path, O_RDONLY | O_CLOEXEC);
        bool ours = line && journal && journal->fd >= 0 && read_all(journal, &ignored) == 0 &&
                    journal->size >= size && memcmp(journal->text, line, size) == 0;
        free(line);
        if (!ours) {
                journal_close(journal);
                return NULL;
        }
        journal->begin = size;
        journal->size = whole_lines(journal);
        return journal;
}

void journal_close(struct journal *journal)
{
        if (!journal)
                return;
        if (journal->fd >= 0)
                close(journal->fd);
        if (journal->lock >= 0)
                close(journal->lock);
        free(journal->directory);
        free(journal->path);
        free(journal->text);
        free(journal);
}

/* ---- Runs ---- */

static char *series_path(const struct journal *journal, int64_t point, int32_t replicate)
{
        return print_text("%s/series/%lld-%d.bin", journal->directory, (long long)point, replicate);
}

/* Does the run's series, if it has one, come back from its file? */
static bool restore_series(const struct journal *journal, struct record *record)
{
        if (!record->series)
                return true;
        char *path = series_path(journal, record->point, record->replicate);
        bool restored = path && series_read(&record->result.series, path) == 0;
        free(path);
        return restored;
}

/* Runs beyond the replicates asked for, those without their series, and repeated ones are left.
 * What comes from another journal than the sweep's own is kept there as well. */
static int take_over(const struct journal *journal, struct sweep *sweep, struct record *record,
                     struct lb_error *err)
{
        int64_t place = 0;
        bool take = record->replicate < sweep->scenario->replicates;
        if (take) {
                place = sweep_place(sweep, record->point, record->replicate);
                take = !sweep->done[place] && restore_series(journal, record);
        }
        int status = 0;
        if (take && journal != sweep->journal)
                status = journal_append(sweep->journal, record->point, record->replicate,
                                        &record->result, err);
        if (!take || status < 0) {
                sim_result_finish(&record->result);
                return status;
        }
        sweep->result[place] = record->result;
        sweep->done[place] = true;
        sweep->ndone++;
        return 0;
}

int journal_read(struct journal *journal, struct sweep *sweep, struct lb_error *err)
{
        int64_t line = 2;
        const char *at = journal->text + journal->begin;
        const char *end = journal->text + journal->size;
        for (; at < end; line++) {
                const char *stop = memchr(at, '\n', (size_t)(end - at));
                struct record record;
                int status = record_read(&record, at, (size_t)(stop - at));
                if (status == 0 && record.point >= sweep->scenario->npoint) {
                        sim_result_finish(&record.result);
                        status = -1;
                }
                if (status < 0)
                        return lb_error_set(err,
                                            "'%s' is damaged: line %lld is not a finished run; "
                                            "remove that line to repeat its run, or the file to "
                                            "start anew",
                                            journal->path, (long long)line);
                if (take_over(journal, sweep, &record, err) < 0)
                        return -1;
                at = stop + 1;
        }
        free(journal->text);
        journal->text = NULL;
        journal->size = journal->begin = 0;
        return 0;
}

static int keep_series(const struct journal *journal, int64_t point, int32_t replicate,
                       const struct sim_series *series, struct lb_error *err)
{
        char *directory = print_text("%s/series", journal->directory);
        char *path = series_path(journal, point, replicate);
        int status = -1;
        if (!directory || !path)
                lb_error_fail(err, "out of memory");
        else if (lb_make_directory(directory, err) == 0)
                status = series_write(series, path, err);
        free(directory);
        free(path);
        return status;
}

int journal_append(struct journal *journal, int64_t point, int32_t replicate,
                   const struct sim_result *result, struct lb_error *err)
{
        struct record record = {
                .point = point,
                .replicate = replicate,
                .series = result->series.nsample > 0,
                .result = *result,
        };
        if (record.series && keep_series(journal, point, replicate, &result->series, err) < 0)
                return -1;
        char *line = record_write(&record);
        if (!line)
                return lb_error_fail(err, "out of memory");
        size_t size = strlen(line);
        line[size] = '\n'; /* in place of the NUL */
        int status = append_text(journal, line, size + 1, err);
        free(line);
        return status;
}

int journal_merge(struct journal *journal, const char *directory, bool wait, struct sweep *sweep,
                  struct lb_error *err)
{
        char *path = print_text("%s/runs.jsonl", directory);
        if (!path)
                return lb_error_fail(err, "out of memory");
        int there = access(path, R_OK);
        free(path);
        if (there < 0)
                return lb_error_set(err, "directory '%s' holds no results of lbsim to merge",
                                    directory);
        if (strcmp(directory, journal->directory) == 0)
                return 0;
        struct journal *other = journal_open(directory, sweep->scenario, wait, err);
        int status = other ? journal_read(other, sweep, err) : -1;
        journal_close(other);
        return status;
}
