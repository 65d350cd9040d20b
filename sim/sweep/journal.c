/* SPDX-License-Identifier: BSD-3-Clause */
#define _GNU_SOURCE /* memmem(), madvise() */
/*
 * A journal from its opening to its end:
 *
 *   open --> look through all blocks --> settle (journal_settle.c) --> read (journal_read.c) -->
 * append
 */
#include "base/text.h"
#include "sim/sweep/journal_impl.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/build.h"
#include "base/file.h"
#include "base/hash.h"
#include "base/json.h"
#include "base/json_write.h"
#include "policies/plugged.h"
#include "sim/scenario/libraries.h"
#include "sim/sweep/lock.h"

void journal_say(const struct journal_options *options, const char *format, ...)
{
        va_list args;
        if (!options->notes)
                return;
        va_start(args, format);
        fputs("lbsim: ", options->notes);
        vfprintf(options->notes, format, args);
        fputc('\n', options->notes);
        va_end(args);
}

/* ---- Text blocks ---- */

char *journal_head(const struct scenario *scenario)
{
        struct lb_text text;
        FILE *out = lb_text_begin(&text);
        if (!out)
                return NULL;
        fprintf(out,
                "{\"lbsim\":\"journal\",\"fingerprint\":\"%016" PRIx64
                "\",\"defaults\":\"%016" PRIx64 "\",\"metrics\":[",
                scenario->fingerprint, scenario->defaults);
        for (int m = 0; m < METRIC_COUNT; m++)
                fprintf(out, "%s\"%s\"", m > 0 ? "," : "", metric_table[m].name);
        fputs("]}\n", out);
        return lb_text_end(&text);
}

/* How many runs the sweep has, as the last member of a note; at most, where a precision is asked
 * for. */
enum { WANTED_SIZE = 64 };
static void wanted_text(const struct scenario *scenario, char text[static WANTED_SIZE])
{
        snprintf(text, WANTED_SIZE, "\"%s\":%" PRId64 "}",
                 scenario->precision > 0 ? JOURNAL_RUNS_MOST : JOURNAL_RUNS,
                 scenario->npoint * scenario->replicates);
}

/* Where a build's runs begin, and where more or fewer are asked for: what people want to know of
 * it, and what tells them why the runs are not taken. */
static char *note_text(const struct scenario *scenario)
{
        char build[LB_BUILD_SIZE], libraries[LIBRARIES_SIZE], wanted[WANTED_SIZE];
        struct lb_text text;
        FILE *out = lb_text_begin(&text);
        if (!out)
                return NULL;
        lb_build_program(build);
        fprintf(out, "{\"build\":\"%016" PRIx64 "\",\"version\":\"%s\",\"program\":\"%s\"",
                scenario->build, LB_VERSION, build);
        if (scenario->built_in !=
            scenario->build) /* what its runs of systems that are built in have */
                fprintf(out, ",\"built_in\":\"%016" PRIx64 "\"", scenario->built_in);
        for (int i = 0; plugged_at(i); i++) {
                lb_build_object(plugged_at(i)->plugin, plugged_at(i)->path, build);
                fputs(i == 0 ? ",\"plugins\":{" : ",", out);
                lb_json_write_string(out, plugged_at(i)->path);
                fprintf(out, ":\"%s\"%s", build, plugged_at(i + 1) ? "" : "}");
        }
        scenario_libraries(libraries);
        fputs(",\"libraries\":", out);
        lb_json_write_string(out, libraries);
        wanted_text(scenario, wanted);
        fprintf(out, ",%s\n", wanted);
        return lb_text_end(&text);
}

/* ---- The file ---- */

static int read_error(const struct journal *journal, struct lb_error *err)
{
        return lb_error_fail(err, "cannot read '%s': %s", journal->path, strerror(errno));
}

static int write_error(const struct journal *journal, int why, struct lb_error *err)
{
        return lb_error_fail(err, "cannot write '%s': %s", journal->path, strerror(why));
}

int journal_map(struct journal *journal, struct lb_error *err)
{
        struct stat status;
        if (fstat(journal->fd, &status) < 0)
                return read_error(journal, err);
        if (!S_ISREG(status.st_mode))
                return lb_error_set(err, "'%s' is not a file", journal->path);
        journal->size = (size_t)status.st_size;
        journal->end = status.st_size;
        if (journal->size == 0)
                return 0;
        void *bytes = mmap(NULL, journal->size, PROT_READ, MAP_SHARED, journal->fd, 0);
        if (bytes == MAP_FAILED)
                return read_error(journal, err);
        journal->bytes = bytes;
        return 0;
}

void journal_pace(const struct journal *journal, uint64_t block)
{
        enum { STEP = 4096 };
        if (block % STEP == STEP - 1)
                madvise(journal->bytes, journal->size, MADV_DONTNEED);
}

void journal_unmap(struct journal *journal)
{
        if (journal->bytes)
                munmap(journal->bytes, journal->size);
        journal->bytes = NULL;
        journal->size = 0;
}

int journal_put(struct journal *journal, enum block_kind kind, const void *content, uint32_t size,
                struct lb_error *err)
{
        struct block block = {
                .kind = kind, .content = content, .size = size, .number = journal->next
        };
        struct block_text text = block_write(&block, journal->seed);
        if (!text.bytes)
                return lb_error_fail(err, "out of memory");
        int why = lb_write_all(journal->fd, text.bytes, text.size) < 0 ? errno : 0;
        if (why == 0) {
                journal->end += (off_t)text.size;
                journal->next++;
                if (kind == BLOCK_HEAD)
                        journal->seed = block_hash(&text);
        } else if (ftruncate(journal->fd, journal->end) < 0) {
                why = errno;
        }
        free(text.bytes);
        return why ? write_error(journal, why, err) : 0;
}

/* ---- The first block ---- */

static const char *text_of(const struct lb_json *doc, const char *name)
{
        const cJSON *item = cJSON_GetObjectItemCaseSensitive(doc->root, name);
        return cJSON_IsString(item) ? item->valuestring : "";
}

/* Is the journal of this scenario, though of other defaults or metrics? */
static int compare_head(struct journal *journal, const struct block *head, struct lb_error *err)
{
        struct lb_json doc;
        char fingerprint[17];
        snprintf(fingerprint, sizeof(fingerprint), "%016" PRIx64,
                 journal->options.scenario->fingerprint);
        if (lb_json_parse(&doc, journal->path, (const char *)head->content, head->size, err) < 0)
                return -1;
        bool ours = strcmp(text_of(&doc, "fingerprint"), fingerprint) == 0;
        lb_json_close(&doc);
        journal->foreign = true;
        if (ours)
                return 0;
        if (!journal->options.aside)
                return lb_error_set(err,
                                    "directory '%s' holds results of another scenario, or of "
                                    "other files that it names",
                                    journal->directory);
        return lb_error_set(err,
                            "directory '%s' holds results of another scenario; choose another "
                            "--out, or remove '%s' to start anew",
                            journal->directory, journal->path);
}

/* Nothing, or what was left of the first write(): the journal is begun. */
static int begin_file(struct journal *journal, const char *head, struct lb_error *err)
{
        journal_unmap(journal);
        if (journal->end > 0 && ftruncate(journal->fd, 0) < 0)
                return write_error(journal, errno, err);
        journal->end = 0;
        if (journal_put(journal, BLOCK_HEAD, head, (uint32_t)strlen(head), err) < 0)
                return -1;
        return journal_map(journal, err);
}

static bool is_beginning(const struct journal *journal, const char *head)
{
        const struct block block = { .kind = BLOCK_HEAD,
                                     .content = (const unsigned char *)head,
                                     .size = (uint32_t)strlen(head) };
        struct block_text text = block_write(&block, 0);
        bool is = text.bytes && journal->size < text.size &&
                  (journal->size == 0 || memcmp(journal->bytes, text.bytes, journal->size) == 0);
        free(text.bytes);
        return is;
}

/* What may be done about an own journal; runs that are only read are nobody's to remove. */
static const char *advice(const struct journal *journal)
{
        return journal->options.aside ? "; choose another --out, or remove that file to start anew"
                                      : "";
}

static int refuse_head(const struct journal *journal, struct lb_error *err)
{
        if (blocks_magic(journal->bytes, journal->size))
                return lb_error_set(err,
                                    "'%s' is damaged in its first block, at bytes 0 to %zu, which "
                                    "says what its runs are of%s",
                                    journal->path, blocks_head_end(journal->bytes, journal->size),
                                    advice(journal));
        return lb_error_set(err,
                            "'%s' was not written by lbsim, or on a machine of another order of "
                            "bytes%s",
                            journal->path, advice(journal));
}

/* Does it hold a first block and no run at all? Of whatever scenario, nothing is lost with it. */
static bool is_without_runs(const struct journal *journal)
{
        struct block block;
        struct blocks blocks;
        if (!blocks_begin(&blocks, journal->bytes, journal->size, &block))
                return false;
        while (blocks_next(&blocks, &block))
                if (block.kind == BLOCK_RUN)
                        return false;
        return blocks.ndamaged == 0 && blocks.end == journal->size;
}

static int check_head(struct journal *journal, struct lb_error *err)
{
        char *head = journal_head(journal->options.scenario);
        struct block first;
        struct blocks blocks;
        if (!head)
                return lb_error_fail(err, "out of memory");
        int status = 0;
        if (is_beginning(journal, head))
                status = journal->options.aside ? begin_file(journal, head, err) : 0;
        else if (!blocks_begin(&blocks, journal->bytes, journal->size, &first))
                status = refuse_head(journal, err);
        else if (first.size == strlen(head) && memcmp(first.content, head, first.size) == 0)
                status = 0;
        else if (journal->options.aside && is_without_runs(journal))
                status = begin_file(journal, head, err);
        else
                status = compare_head(journal, &first, err);
        free(head);
        return status;
}

/* ---- Looking through ---- */

static void look_at_run(struct journal *journal, const struct block *block)
{
        struct journal_survey *survey = &journal->survey;
        struct record record;
        int status = journal->foreign ? record_peek(&record, block->content, block->size)
                                      : record_read(&record, block->content, block->size);
        bool bad =
            status < 0 || (!journal->foreign && record.point >= journal->options.scenario->npoint);
        if (bad && survey->nbad++ == 0)
                survey->bad = block->place;
        if (bad)
                return;
        sim_result_finish(&record.result);
        if (!journal->foreign && journal_is_own(journal->options.scenario, &record)) {
                survey->nown++;
                return;
        }
        if (survey->nother++ == 0)
                survey->other = record.build;
        if (!survey->differs[0])
                snprintf(survey->differs, sizeof(survey->differs), "another build of lbsim");
}

static bool holds(const struct block *note, const char *text)
{
        return memmem(note->content, note->size, text, strlen(text)) != NULL;
}

/* The program's own build, or that of a plugin. */
static bool holds_build(const struct block *note, const char *build)
{
        char text[LB_BUILD_SIZE + 4];
        snprintf(text, sizeof(text), ":\"%s\"", build);
        return holds(note, text);
}

/* What made another build of the one that a note is of. */
static void name_difference(const struct block *note, char text[static DIFFERS_SIZE])
{
        char build[LB_BUILD_SIZE], key[DIFFERS_SIZE];
        lb_build_program(build);
        bool other_program = !holds_build(note, build);
        snprintf(text, DIFFERS_SIZE, "%s",
                 other_program ? "another build of lbsim"
                               : "this lbsim with other plug-ins or another catalogue of graphs");
        for (int i = 0; !other_program && plugged_at(i); i++) {
                const char *path = plugged_at(i)->path, *slash = strrchr(path, '/');
                lb_build_object(plugged_at(i)->plugin, path, build);
                if (holds_build(note, build))
                        continue;
                snprintf(key, sizeof(key), "%.200s\":\"", slash ? slash + 1 : path);
                snprintf(text, DIFFERS_SIZE, "%s the plug-in '%.200s'",
                         holds(note, key) ? "another build of" : "this lbsim without", path);
                return;
        }
}

/* Notes come before the runs that they are of. */
static void look_at_note(struct journal *journal, const struct block *note)
{
        char own[48], wanted[WANTED_SIZE];
        struct journal_survey *survey = &journal->survey;
        snprintf(own, sizeof(own), "{\"build\":\"%016" PRIx64 "\"",
                 journal->options.scenario->build);
        wanted_text(journal->options.scenario, wanted);
        if (holds(note, own))
                survey->noted = holds(note, wanted); /* the last one says */
        else if (survey->nother == 0)
                name_difference(note, survey->differs);
}

void journal_look_through(struct journal *journal)
{
        struct block block;
        struct journal_survey *survey = &journal->survey;
        *survey = (struct journal_survey){ 0 };
        if (!blocks_begin(&survey->blocks, journal->bytes, journal->size, &block))
                return; /* empty */
        while (blocks_next(&survey->blocks, &block)) {
                journal_pace(journal, block.number);
                if (block.kind == BLOCK_RUN)
                        look_at_run(journal, &block);
                else
                        look_at_note(journal, &block);
        }
        journal->seed = survey->blocks.seed;
        journal->next = survey->blocks.next;
        journal->noted = survey->noted;
}

/* What a killed process left behind the last whole block. */
static int drop_torn(struct journal *journal, struct lb_error *err)
{
        const struct journal_survey *survey = &journal->survey;
        if (!journal->options.aside || survey->blocks.ndamaged > 0 ||
            survey->blocks.end == journal->size)
                return 0;
        journal->end = (off_t)survey->blocks.end;
        if (ftruncate(journal->fd, journal->end) < 0)
                return write_error(journal, errno, err);
        journal_unmap(journal);
        return journal_map(journal, err);
}

/* ---- Opening ---- */

/* Before there were checksums, runs were lines of JSON. */
static int refuse_old(const struct journal *journal, struct lb_error *err)
{
        char old[LB_PATH_SIZE];
        if (lb_path(old, err, "%s/runs.jsonl", journal->directory) < 0)
                return -1;
        if (access(journal->path, F_OK) == 0 || access(old, F_OK) < 0)
                return 0;
        return lb_error_set(err,
                            "directory '%s' holds the runs of an earlier lbsim, '%s', which have "
                            "no checksums and are not read any more%s",
                            journal->directory, old, advice(journal));
}

static struct journal *create(const struct journal_options *options, struct lb_error *err)
{
        struct journal *journal = calloc(1, sizeof(*journal));
        if (!journal) {
                lb_error_fail(err, "out of memory");
                return NULL;
        }
        journal->options = *options;
        journal->lock = journal->fd = -1;
        if (lb_path(journal->directory, err, "%s", options->directory) == 0 &&
            lb_path(journal->path, err, "%s/%s", options->directory, SWEEP_JOURNAL) == 0)
                return journal;
        journal_close(journal);
        return NULL;
}

static int open_file(struct journal *journal, struct lb_error *err)
{
        int mode = journal->options.aside ? O_RDWR | O_CREAT | O_APPEND : O_RDONLY;
        if (refuse_old(journal, err) < 0)
                return -1;
        journal->fd = open(journal->path, mode | O_CLOEXEC, 0666);
        if (journal->fd < 0)
                return write_error(journal, errno, err);
        if (journal_map(journal, err) < 0 || check_head(journal, err) < 0)
                return -1;
        journal_look_through(journal);
        if (drop_torn(journal, err) < 0)
                return -1;
        return journal_settle(journal, err);
}

struct journal *journal_open(const struct journal_options *options, struct lb_error *err)
{
        struct journal *journal = create(options, err);
        if (!journal)
                return NULL;
        journal->lock = directory_lock(options->directory, options->wait, err);
        if (journal->lock >= 0 && open_file(journal, err) == 0)
                return journal;
        journal_close(journal);
        return NULL;
}

struct journal *journal_look(const struct journal_options *options)
{
        struct lb_error ignored;
        struct journal *journal = create(options, &ignored);
        if (!journal)
                return NULL;
        journal->options.aside = NULL;
        journal->fd = open(journal->path, O_RDONLY | O_CLOEXEC);
        if (journal->fd >= 0 && journal_map(journal, &ignored) == 0 &&
            check_head(journal, &ignored) == 0 && !journal->foreign)
                return journal;
        journal_close(journal);
        return NULL;
}

bool journal_is_of_another(const char *directory, const struct scenario *scenario)
{
        struct lb_error ignored;
        const struct journal_options options = { .directory = directory, .scenario = scenario };
        struct journal *journal = create(&options, &ignored);
        if (!journal)
                return false;
        journal->fd = open(journal->path, O_RDONLY | O_CLOEXEC);
        bool another = journal->fd >= 0 && journal_map(journal, &ignored) == 0 &&
                       check_head(journal, &ignored) < 0 && journal->foreign;
        journal_close(journal);
        return another;
}

void journal_close(struct journal *journal)
{
        if (!journal)
                return;
        journal_unmap(journal);
        if (journal->fd >= 0)
                close(journal->fd);
        directory_unlock(journal->lock);
        free(journal);
}

bool journal_there(const char *directory)
{
        static const char *const names[] = { SWEEP_JOURNAL, "runs.jsonl" };
        char path[LB_PATH_SIZE];
        struct lb_error ignored;
        bool there = false;
        for (int i = 0; i < 2; i++)
                there = there || (lb_path(path, &ignored, "%s/%s", directory, names[i]) == 0 &&
                                  access(path, R_OK) == 0);
        return there;
}

/* ---- Keeping runs ---- */

void journal_series_path(const struct journal *journal, int64_t point, int32_t replicate,
                         char path[static LB_PATH_SIZE])
{
        int length = snprintf(path, LB_PATH_SIZE, "%s/series/%lld-%d.bin", journal->directory,
                              (long long)point, replicate);
        if (length >= LB_PATH_SIZE)
                path[0] = '\0'; /* there is no such file */
}

static int keep_series(const struct journal *journal, struct record *record, struct lb_error *err)
{
        char directory[LB_PATH_SIZE], path[LB_PATH_SIZE];
        struct lb_content content;
        record->series = 0;
        if (record->result.series.nsample == 0)
                return 0;
        journal_series_path(journal, record->point, record->replicate, path);
        if (lb_path(directory, err, "%s/series", journal->directory) < 0 ||
            lb_make_directory(directory, err) < 0 ||
            series_write(&record->result.series, path, err) < 0 ||
            lb_hash_file(path, &content, err) < 0)
                return -1;
        record->series = content.hash;
        return 0;
}

/* Say which build the runs that follow are of, once. */
static int put_note(struct journal *journal, struct lb_error *err)
{
        if (journal->noted)
                return 0;
        char *note = note_text(journal->options.scenario);
        if (!note)
                return lb_error_fail(err, "out of memory");
        int status = journal_put(journal, BLOCK_NOTE, note, (uint32_t)strlen(note), err);
        journal->noted = status == 0;
        free(note);
        return status;
}

int journal_keep(struct journal *journal, struct record *record, struct lb_error *err)
{
        uint32_t size;
        if (keep_series(journal, record, err) < 0)
                return -1;
        if (journal_is_own(journal->options.scenario, record) && put_note(journal, err) < 0)
                return -1;
        unsigned char *content = record_write(record, &size);
        if (!content)
                return lb_error_fail(err, "out of memory");
        int status = journal_put(journal, BLOCK_RUN, content, size, err);
        free(content);
        return status;
}

int journal_append(struct journal *journal, int64_t point, int32_t replicate,
                   const struct sim_result *result, struct lb_error *err)
{
        struct record record = { .point = point,
                                 .replicate = replicate,
                                 .build = scenario_point_built(journal->options.scenario, point),
                                 .result = *result };
        return journal_keep(journal, &record, err);
}
