/* SPDX-License-Identifier: BSD-3-Clause */
#include "policies/replay.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "policies/replay_impl.h"

/* ---- Reading ---- */

int replay_complain(struct replay_line *line, const char *what)
{
        if (!line->broken)
                lb_error_set(line->err, "%s:%" PRId64 ": %s", line->file, line->number, what);
        line->broken = true;
        return -1;
}

char *replay_word(struct replay_line *line)
{
        char *word = line->at;
        char *end = word ? strchr(word, ' ') : NULL;
        if (!end || end == word) {
                replay_complain(line, "the record ends too early");
                return "";
        }
        *end = '\0';
        line->at = end + 1;
        return word;
}

int64_t replay_int(struct replay_line *line, int64_t min, int64_t max)
{
        char *word = replay_word(line), *end, text[160];
        if (line->broken)
                return min;
        errno = 0;
        long long value = strtoll(word, &end, 10);
        if (errno == 0 && *end == '\0' && value >= min && value <= max)
                return value;
        snprintf(text, sizeof(text),
                 "found \"%.40s\", must be a whole number from %" PRId64 " to %" PRId64, word, min,
                 max);
        replay_complain(line, text);
        return min;
}

double replay_number(struct replay_line *line, double min, double max)
{
        char *word = replay_word(line), *end, text[160];
        if (line->broken)
                return min;
        double value = strtod(word, &end);
        if (*end == '\0' && value >= min && value <= max)
                return value;
        snprintf(text, sizeof(text), "found \"%.40s\", must be a number from %g to %g", word, min,
                 max);
        replay_complain(line, text);
        return min;
}

int32_t *replay_ints(struct replay_line *line, int32_t *value, int32_t count, int32_t max)
{
        for (int32_t i = 0; i < count && !line->broken; i++)
                value[i] = (int32_t)replay_int(line, 0, max);
        return value;
}

void replay_equals(struct replay_line *line)
{
        if (strcmp(replay_word(line), "=") != 0)
                replay_complain(line, "expected \"=\" before the decision");
}

void replay_end(struct replay_line *line)
{
        if (!line->broken && *line->at != '\0')
                replay_complain(line, "the record goes on where it should end");
}

/* ---- Counting ---- */

struct replay_policy *replay_count(struct replay *replay, enum replay_kind kind, const char *name)
{
        for (int32_t i = 0; i < replay->npolicy; i++)
                if (replay->policy[i].kind == kind && replay->policy[i].name == name)
                        return &replay->policy[i];
        struct replay_policy *policy = &replay->policy[replay->npolicy++];
        *policy = (struct replay_policy){ .name = name, .kind = kind };
        return policy;
}

static void list(char *text, size_t size, const int64_t *value, int32_t count)
{
        text[0] = '\0';
        for (int32_t i = 0; i < count && strlen(text) + 1 < size; i++)
                lb_text_add(text, size, "%s%" PRId64, i ? " " : "", value[i]);
}

static void describe(struct replay *replay, const struct replay_line *line,
                     const struct replay_policy *policy, const struct replay_answer *answer)
{
        char now[320], then[320];
        int32_t from = 0;
        while (answer->now[from] == answer->then[from])
                from++;
        list(now, sizeof(now), answer->now + from, answer->count - from);
        list(then, sizeof(then), answer->then + from, answer->count - from);
        snprintf(replay->first, sizeof(replay->first),
                 "%s:%" PRId64 ": %s of worker %" PRId32 " at %.6f s, %s %" PRId32
                 ": decides %s now, decided %s then",
                 line->file, line->number, policy->name, line->worker,
                 (double)answer->time_ns * 1e-9, answer->what, from, now, then);
}

void replay_compare(struct replay *replay, const struct replay_line *line,
                    struct replay_policy *policy, const struct replay_answer *answer)
{
        if (line->broken)
                return;
        policy->decisions++;
        if (memcmp(answer->now, answer->then, (size_t)answer->count * sizeof(int64_t)) == 0)
                return;
        if (replay->ndifference++ == 0)
                describe(replay, line, policy, answer);
        policy->differences++;
}

/* ---- Lines ---- */

/* The state of one worker's policies, made when it is first met. */
static struct replay_worker *find_worker(struct replay_log *log, struct replay_line *line)
{
        for (int32_t i = 0; i < log->nworker; i++)
                if (log->worker[i].number == line->worker)
                        return &log->worker[i];
        size_t bytes = (size_t)(log->nworker + 1) * sizeof(*log->worker);
        struct replay_worker *worker = realloc(log->worker, bytes);
        if (!worker) {
                line->broken = true;
                lb_error_fail(line->err, "out of memory");
                return NULL;
        }
        log->worker = worker;
        worker += log->nworker++;
        *worker = (struct replay_worker){ .number = line->worker };
        return worker;
}

static void check_sequence(struct replay_line *line, struct replay_worker *worker, int64_t number)
{
        char text[160];
        if (line->broken || number == worker->nrecord++)
                return;
        snprintf(text, sizeof(text),
                 "record %" PRId64 " of worker %" PRId32 ", expected its record %" PRId64
                 ": the log is damaged",
                 number, line->worker, worker->nrecord - 1);
        replay_complain(line, text);
}

static const struct {
        const char *name;
        void (*replay)(struct replay *replay, struct replay_line *line,
                       struct replay_worker *worker);
} records[] = {
        { "alloc", replay_begin_alloc },     { "observe", replay_observe },
        { "decide", replay_decide },         { "lend", replay_begin_lend },
        { "lending", replay_lending },       { "place", replay_begin_place },
        { "placing", replay_placing },       { "refill", replay_refill },
        { "dpb", replay_begin_dpb },         { "moving", replay_moving },
        { "pack", replay_begin_pack },       { "packing", replay_packing },
        { "migrate", replay_begin_migrate }, { "load", replay_load },
        { "migrating", replay_migrating },   { "replicating", replay_replicating },
        { "regraph", replay_regraph },       { "grow", replay_begin_grow },
        { "watching", replay_watching },     { "growing", replay_growing },
        { "finished", replay_finished },     { "costs", replay_costs },
};

static void replay_record(struct replay *replay, struct replay_log *log, struct replay_line *line)
{
        line->worker = (int32_t)replay_int(line, 0, INT32_MAX);
        int64_t number = replay_int(line, 0, INT64_MAX);
        const char *name = replay_word(line);
        struct replay_worker *worker = line->broken ? NULL : find_worker(log, line);
        if (!worker)
                return;
        check_sequence(line, worker, number);
        for (size_t i = 0; i < sizeof(records) / sizeof(records[0]); i++) {
                if (line->broken || strcmp(records[i].name, name) != 0)
                        continue;
                records[i].replay(replay, line, worker);
                replay->nrecord++;
                return;
        }
        replay_complain(line, "unknown kind of record");
}

static int is_no_log(struct replay_line *line)
{
        line->broken = false;
        return replay_complain(line, "not a decision log, its first line must begin with "
                                     "\"" REPLAY_MAGIC "\"");
}

static void check_header(struct replay_line *line, bool whole)
{
        const char *magic = replay_word(line);
        if (line->broken || strcmp(magic, REPLAY_MAGIC) != 0) {
                is_no_log(line);
        } else if (!whole) {
                replay_complain(line, "its first line is incomplete, there is nothing to replay");
        }
}

/*
 * Cut the checksum off. A line without its end was being written when its writer was killed; a
 * complete one must be right.
 */
static bool open_line(struct replay_line *line, size_t size)
{
        char text[120], check[16];
        if (size < 11 || line->at[size - 1] != '\n' || line->at[size - 10] != '~' ||
            line->at[size - 11] != ' ')
                return false;
        snprintf(check, sizeof(check), "%08" PRIx32, replay_check(line->at, size - 11));
        if (memcmp(check, line->at + size - 9, 8) != 0 || memchr(line->at, '\0', size)) {
                snprintf(text, sizeof(text),
                         "damaged: its checksum is %.8s, that of what is there is %s",
                         line->at + size - 9, check);
                replay_complain(line, text);
        }
        line->at[size - 10] = '\0';
        return true;
}

static void replay_line(struct replay *replay, struct replay_log *log, struct replay_line *line)
{
        bool whole = open_line(line, (size_t)line->length);
        if (line->broken)
                return;
        if (line->number == 1)
                check_header(line, whole);
        else if (whole)
                replay_record(replay, log, line);
        else
                replay->nincomplete += line->at[0] != '\n';
}

static int replay_lines(struct replay *replay, struct replay_log *log, FILE *stream,
                        struct replay_line *line)
{
        ssize_t size;
        int first = getc(stream); /* a file of other bytes may have no line that ends */
        if (first != EOF && first != REPLAY_MAGIC[0]) {
                line->number = 1;
                return is_no_log(line);
        }
        ungetc(first, stream); /* EOF is none */
        while ((size = getline(&log->text, &log->size, stream)) > 0) {
                line->at = log->text;
                line->length = size;
                line->number++;
                replay_line(replay, log, line);
                if (line->broken)
                        return -1;
        }
        if (ferror(stream))
                return lb_error_set(line->err, "cannot read \"%s\": %s", line->file,
                                    strerror(errno));
        return line->number > 0 ? 0 : replay_complain(line, "empty, not a decision log");
}

static void log_finish(struct replay_log *log)
{
        for (int32_t i = 0; i < log->nworker; i++)
                replay_worker_finish(&log->worker[i]);
        free(log->worker);
        free(log->text);
}

int replay_file(struct replay *replay, const char *file, struct lb_error *err)
{
        FILE *stream = fopen(file, "r");
        if (!stream)
                return lb_error_set(err, "cannot read \"%s\": %s", file, strerror(errno));
        struct replay_line line = { .file = file, .err = err };
        struct replay_log log = { 0 };
        int status = replay_lines(replay, &log, stream, &line);
        log_finish(&log);
        fclose(stream);
        replay->nfile += status == 0;
        return status;
}
