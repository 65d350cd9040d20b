/* SPDX-License-Identifier: BSD-3-Clause */
#include "policies/host/decision_log_impl.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

#include "base/file.h"
#include "policies/replay.h"

enum { FLUSH_BYTES = 1 << 16 };

/* ---- Text ---- */

static void give_up(struct decision_log *log, const char *why)
{
        if (!log->failed && log->failure)
                lb_error_fail(log->failure, "%s", why);
        else if (!log->failed)
                fprintf(stderr, "%s: cannot write decisions to \"%s\": %s; the log ends here\n",
                        log->program, log->path, why);
        log->failed = true;
        log->used = log->line = 0;
}

static void put(struct decision_log *log, const char *text, size_t size)
{
        if (log->used + size > log->size) {
                size_t larger = 2 * (log->used + size) + FLUSH_BYTES;
                char *memory = realloc(log->text, larger);
                if (!memory) {
                        give_up(log, "out of memory");
                        return;
                }
                log->text = memory;
                log->size = larger;
        }
        memcpy(log->text + log->used, text, size);
        log->used += size;
}

void log_put_word(struct decision_log *log, const char *word)
{
        put(log, word, strlen(word));
        put(log, " ", 1);
}

/* By hand, since there may be several numbers per task, and since a program's locale is its own. */
void log_put_int(struct decision_log *log, int64_t value)
{
        char text[24];
        size_t at = sizeof(text);
        uint64_t left = value < 0 ? -(uint64_t)value : (uint64_t)value;
        text[--at] = ' ';
        do {
                text[--at] = (char)('0' + left % 10);
                left /= 10;
        } while (left > 0);
        if (value < 0)
                text[--at] = '-';
        put(log, text + at, sizeof(text) - at);
}

void log_put_ints(struct decision_log *log, const int32_t *value, int32_t count)
{
        for (int32_t i = 0; i < count; i++)
                log_put_int(log, value[i]);
}

/* Exactly: a whole number of 53 bits times a power of two. */
void log_put_number(struct decision_log *log, double value)
{
        char text[40];
        int exponent = 0;
        uint64_t digits = (uint64_t)ldexp(frexp(fabs(value), &exponent), 53);
        exponent -= 53;
        for (; digits > 0 && digits % 2 == 0; exponent++)
                digits /= 2;
        snprintf(text, sizeof(text), "%s0x%" PRIx64 "p%d", signbit(value) ? "-" : "", digits,
                 digits ? exponent : 0);
        log_put_word(log, text);
}

void log_put_numbers(struct decision_log *log, const double *value, int32_t count)
{
        for (int32_t i = 0; i < count; i++)
                log_put_number(log, value[i]);
}

void log_put_switches(struct decision_log *log, const bool *value, int32_t count)
{
        for (int32_t i = 0; i < count; i++)
                log_put_int(log, value[i]);
}

void log_end(struct decision_log *log)
{
        char text[16];
        size_t size = log->used - log->line;
        if (log->failed)
                return;
        snprintf(text, sizeof(text), "~%08" PRIx32 "\n",
                 replay_check(log->text + log->line, size - 1));
        put(log, text, 10);
        log->line = log->used;
        if (log->used >= FLUSH_BYTES)
                decision_log_flush(log);
}

bool log_begin(struct decision_log *log, const char *what)
{
        if (!log || log->failed)
                return false;
        log_put_int(log, log->writer);
        log_put_int(log, log->nrecord++);
        log_put_word(log, what);
        return true;
}

/* ---- File ---- */

static int lock(int fd)
{
        while (flock(fd, LOCK_EX) < 0)
                if (errno != EINTR)
                        return -1;
        return 0;
}

/* Does the file end in the middle of a line? Its writer was killed. */
static bool ends_torn(int fd)
{
        off_t end = lseek(fd, 0, SEEK_END);
        char last;
        return end > 0 && pread(fd, &last, 1, end - 1) == 1 && last != '\n';
}

/* Does the file's first line begin with ours? */
static bool is_ours(const struct decision_log *log)
{
        char found[sizeof(log->first)];
        size_t size = strlen(log->first);
        return pread(log->fd, found, size, 0) == (ssize_t)size &&
               memcmp(found, log->first, size) == 0;
}

/* Why not; NULL: it is written. */
static const char *append(const struct decision_log *log)
{
        if (!is_ours(log))
                return "another job writes its decisions there now";
        int status = ends_torn(log->fd) ? lb_write_all(log->fd, "\n", 1) : 0;
        if (status == 0)
                status = lb_write_all(log->fd, log->text, log->used);
        return status < 0 ? strerror(errno) : NULL;
}

void decision_log_flush(struct decision_log *log)
{
        if (!log || log->failed || log->used == 0)
                return;
        bool locked = lock(log->fd) == 0;
        const char *why = append(log);
        if (locked)
                flock(log->fd, LOCK_UN);
        if (why)
                give_up(log, why);
        log->used = log->line = 0;
}

/* The first line, which tells by the id whether the file is this job's or an older one's. */
static int put_header(struct decision_log *log, const struct decision_log_spec *spec)
{
        log_put_word(log, REPLAY_MAGIC);
        log_put_word(log, spec->id);
        log_put_int(log, spec->node);
        log_put_word(log, spec->about);
        log_end(log);
        return log->failed ? -1 : 0;
}

/* One writer empties the file; before the others write, it has begun. */
static int begin_file(struct decision_log *log, const struct decision_log_spec *spec)
{
        if (!spec->begins)
                return 0;
        if (lock(log->fd) < 0)
                return -1;
        int status = ftruncate(log->fd, 0);
        if (status == 0)
                status = put_header(log, spec);
        if (status == 0)
                status = lb_write_all(log->fd, log->text, log->used);
        log->used = log->line = 0;
        int why = errno;
        flock(log->fd, LOCK_UN);
        errno = why;
        return status;
}

struct decision_log *decision_log_open(const struct decision_log_spec *spec, struct lb_error *err)
{
        struct decision_log *log = calloc(1, sizeof(*log));
        if (!log) {
                lb_error_fail(err, "out of memory");
                return NULL;
        }
        log->writer = spec->writer;
        log->program = spec->program;
        log->failure = spec->failure;
        snprintf(log->path, sizeof(log->path), "%s", spec->file);
        snprintf(log->first, sizeof(log->first), "%s %s ", REPLAY_MAGIC, spec->id);
        log->fd = open(log->path, O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
        if (log->fd >= 0 && begin_file(log, spec) == 0)
                return log;
        lb_error_fail(err, "cannot write decisions to \"%s\": %s", log->path, strerror(errno));
        decision_log_close(log);
        return NULL;
}

struct decision_log *decision_log_join(const struct decision_log *first, int32_t writer)
{
        struct decision_log *log = first ? calloc(1, sizeof(*log)) : NULL;
        if (!log)
                return NULL;
        log->joined = true;
        log->fd = first->fd;
        log->program = first->program;
        log->failure = first->failure;
        memcpy(log->path, first->path, sizeof(log->path));
        memcpy(log->first, first->first, sizeof(log->first));
        log->writer = writer;
        return log;
}

void decision_log_close(struct decision_log *log)
{
        if (!log)
                return;
        if (log->fd >= 0) {
                decision_log_flush(log);
                if (!log->joined)
                        close(log->fd);
        }
        free(log->text);
        free(log);
}
