/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/csv.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "base/zstd.h"

/* ---- Cells ---- */

struct reader {
        struct lb_csv *csv;
        char *at;
        int64_t line, count, capacity; /* cells so far */
        struct lb_error *err;
};

static int complain(const struct reader *r, const char *what)
{
        return lb_error_set(r->err, "%.300s:%lld: %s", r->csv->file, (long long)r->line, what);
}

static int add(struct reader *r, char *cell)
{
        struct lb_csv *csv = r->csv;
        if (r->count == r->capacity) {
                int64_t capacity = r->capacity ? 2 * r->capacity : 1024;
                char **grown = realloc(csv->cell, (size_t)capacity * sizeof(*grown));
                if (!grown)
                        return lb_error_fail(r->err, "out of memory for '%.300s'", csv->file);
                csv->cell = grown;
                r->capacity = capacity;
        }
        csv->cell[r->count++] = cell;
        return 0;
}

/* A cell in quotes, which are taken off; stops behind it. */
static int read_quoted(struct reader *r, char **cell)
{
        char *from = ++r->at, *to = from;
        *cell = from;
        while (*from && !(from[0] == '"' && from[1] != '"')) {
                if (*from == '\n')
                        r->line++;
                from += *from == '"';
                *to++ = *from++;
        }
        if (!*from)
                return complain(r, "a quote that does not end");
        *to = '\0';
        r->at = from + 1;
        return 0;
}

/* One cell; *ends is the character behind it, '\n' or the separator, or NUL at the end of the file.
 */
static int read_cell(struct reader *r, char *ends)
{
        char *cell = r->at;
        const char ending[] = { r->csv->separator, '\r', '\n', '\0' };
        if (*r->at == '"') {
                if (read_quoted(r, &cell) < 0)
                        return -1;
        } else {
                r->at += strcspn(r->at, ending);
        }
        char *stop = r->at;
        if (r->at[0] == '\r' && r->at[1] == '\n')
                r->at++;
        *ends = *r->at;
        if (*ends && *ends != r->csv->separator && *ends != '\n')
                return complain(r, "something behind a quote, allowed is a comma");
        r->at += *ends != '\0';
        *stop = '\0';
        return add(r, cell);
}

static int by_name(const void *a, const void *b)
{
        return strcmp(*(char *const *)a, *(char *const *)b);
}

/* Of two columns of one name nobody would know which is meant. */
static int check_header(const struct reader *r)
{
        size_t count = (size_t)r->count;
        char text[96] = "", **name = malloc(count * sizeof(*name));
        if (!name)
                return lb_error_fail(r->err, "out of memory for '%.300s'", r->csv->file);
        memcpy(name, r->csv->cell, count * sizeof(*name));
        qsort(name, count, sizeof(*name), by_name);
        for (size_t c = 1; c < count; c++)
                if (*name[c] && strcmp(name[c], name[c - 1]) == 0)
                        snprintf(text, sizeof(text), "found column \"%.50s\" twice", name[c]);
        free(name);
        return *text ? complain(r, text) : 0;
}

static int read_row(struct reader *r)
{
        int64_t before = r->count;
        char ends = r->csv->separator;
        while (ends == r->csv->separator)
                if (read_cell(r, &ends) < 0)
                        return -1;
        int64_t found = r->count - before;
        r->csv->ncolumn = before == 0 ? (int32_t)found : r->csv->ncolumn;
        if (before == 0 && check_header(r) < 0)
                return -1;
        if (found != r->csv->ncolumn) {
                char text[96];
                snprintf(text, sizeof(text), "found %lld cells, the header has %d",
                         (long long)found, r->csv->ncolumn);
                return complain(r, text);
        }
        r->line++;
        return 0;
}

/* ---- The file ---- */

/* Why a text that holds NUL is none. */
static const char *no_text(const char *text)
{
        return strncmp(text, "\x1f\x8b", 2) == 0   ? "it is compressed, expand it first (gunzip)"
               : strncmp(text, "BZh", 3) == 0      ? "it is compressed, expand it first (bunzip2)"
               : strncmp(text, "\3757zXZ", 5) == 0 ? "it is compressed, expand it first (unxz)"
                                                   : "a NUL character";
}

/* Returns 0 or what errno would be; text is NULL without memory. */
static int read_stream(struct lb_csv *csv, FILE *in, size_t *size)
{
        errno = 0;
        lb_text_skip_mark(in);
        csv->text = lb_text_read(in, SIZE_MAX, size);
        return ferror(in) ? errno : 0;
}

static int read_file(struct lb_csv *csv, FILE *in, struct lb_error *err)
{
        size_t size = 0;
        int why = in ? read_stream(csv, in, &size) : errno;
        if (why)
                return lb_error_set(err, "cannot read '%.300s': %s", csv->file,
                                    lb_zstd_strerror(why));
        if (!csv->text)
                return lb_error_fail(err, "out of memory for '%.300s'", csv->file);
        if (size == 0 || strlen(csv->text) != size)
                return lb_error_set(err, "%.300s: not CSV: %s", csv->file,
                                    size ? no_text(csv->text) : "the file is empty");
        return 0;
}

/* What parts the cells of the first line: the first of these outside quotes, else a comma. */
static char separator_of(const char *text)
{
        bool quoted = false;
        for (; *text && *text != '\n'; text++) {
                quoted ^= *text == '"';
                if (!quoted && strchr(",;\t", *text))
                        return *text;
        }
        return ',';
}

/* Begin behind the line in which Excel names the separator, as "sep=;", and end before empty ones.
 */
static void trim(struct reader *r)
{
        size_t size = strlen(r->at);
        while (size > 0 && strchr("\r\n", r->at[size - 1]))
                r->at[--size] = '\0';
        bool named = strncmp(r->at, "sep=", 4) == 0 && r->at[4] && strchr(",;\t", r->at[4]) &&
                     r->at[5 + (r->at[5] == '\r')] == '\n';
        if (named) {
                r->at = strchr(r->at, '\n') + 1;
                r->line++;
        }
        r->csv->separator = separator_of(r->at);
}

int lb_csv_read(struct lb_csv *csv, FILE *in, const char *file, bool any, struct lb_error *err)
{
        int why = errno;
        *csv = (struct lb_csv){ .file = strdup(file), .separator = ',' };
        if (!csv->file)
                return lb_error_fail(err, "out of memory");
        errno = why;
        int status = read_file(csv, in, err);
        struct reader reader = { .csv = csv, .at = csv->text, .line = 1, .err = err };
        if (status == 0 && any)
                trim(&reader);
        if (status == 0 && !*reader.at)
                status = complain(&reader, "found no header line");
        while (status == 0 && *reader.at)
                status = read_row(&reader);
        if (status < 0) {
                lb_csv_close(csv);
                return -1;
        }
        csv->nrow = reader.count / csv->ncolumn - 1;
        return 0;
}

/* ---- Row by row ---- */

/* Is a quote open behind the line at `text`, where one was or was not before it? As read_cell()
 * sees it: a quote counts where it begins a cell. */
static bool ends_quoted(const char *text, char separator, bool quoted)
{
        const char *at = text;
        for (;;) {
                if (!quoted && *at == '"') {
                        quoted = true;
                        at++;
                }
                while (quoted) {
                        at = strchr(at, '"');
                        if (!at)
                                return true;
                        quoted = at[1] == '"';
                        at += quoted ? 2 : 1;
                }
                at = strchr(at, separator);
                if (!at++)
                        return false;
        }
}

/* The next line, ended as it is in the file, into a buffer of getline()'s; 1, or 0 at the end. */
static int take_line(const struct lb_csv *csv, FILE *in, char **text, size_t *size,
                     struct lb_error *err)
{
        errno = 0;
        ssize_t length = getline(text, size, in);
        int why = errno;
        if (length < 0 && why == ENOMEM)
                return lb_error_fail(err, "out of memory for '%.300s'", csv->file);
        if (ferror(in))
                return lb_error_set(err, "cannot read '%.300s': %s", csv->file,
                                    lb_zstd_strerror(why));
        if (length > 0 && strlen(*text) != (size_t)length)
                return lb_error_set(err, "%.300s: not CSV: %s", csv->file, no_text(*text));
        return length > 0;
}

/* A further line of the row, whose last cell has several; as take_line(). */
static int join_line(struct lb_csv *csv, FILE *in, size_t *from, struct lb_error *err)
{
        char *line = NULL;
        size_t size = 0;
        int status = take_line(csv, in, &line, &size, err);
        size_t add = status == 1 ? strlen(line) + 1 : 0;
        if (*from + add > csv->row_size) {
                size_t wanted = 2 * (*from + add);
                char *grown = realloc(csv->row_text, wanted);
                csv->row_text = grown ? grown : csv->row_text;
                csv->row_size = grown ? wanted : csv->row_size;
                if (!grown)
                        status = lb_error_fail(err, "out of memory for '%.300s'", csv->file);
        }
        if (status == 1)
                memcpy(csv->row_text + *from, line, add);
        free(line);
        return status;
}

/* All lines of one row into row_text; 1, or 0 at the end of the file. */
static int take_row(struct lb_csv *csv, FILE *in, struct lb_error *err)
{
        int status = take_line(csv, in, &csv->row_text, &csv->row_size, err);
        if (status < 1)
                return status;
        size_t from = 0;
        bool quoted = ends_quoted(csv->row_text, csv->separator, false);
        while (status == 1 && quoted) {
                from += strlen(csv->row_text + from);
                status = join_line(csv, in, &from, err);
                if (status == 1)
                        quoted = ends_quoted(csv->row_text + from, csv->separator, true);
        }
        return status < 0 ? -1 : 1;
}

/* Cells of the row that was taken, behind the header's where there is one. */
static int cut_row(struct lb_csv *csv, struct lb_error *err)
{
        struct reader reader = { .csv = csv,
                                 .at = csv->row_text,
                                 .line = csv->line,
                                 .count = csv->ncolumn,
                                 .capacity = csv->ncolumn ? 2 * (int64_t)csv->ncolumn : 0,
                                 .err = err };
        int status = read_row(&reader);
        csv->line = reader.line;
        return status;
}

/* The header as it was cut is kept, with room for the cells of a row. */
static int keep_header(struct lb_csv *csv, struct lb_error *err)
{
        char **cell = realloc(csv->cell, 2 * (size_t)csv->ncolumn * sizeof(*cell));
        if (!cell)
                return lb_error_fail(err, "out of memory for '%.300s'", csv->file);
        csv->cell = cell;
        csv->text = csv->row_text;
        csv->row_text = NULL;
        csv->row_size = 0;
        csv->before = -1;
        return 0;
}

static int take_header(struct lb_csv *csv, FILE *in, struct lb_error *err)
{
        if (!in)
                return lb_error_set(err, "cannot read '%.300s': %s", csv->file,
                                    lb_zstd_strerror(errno));
        errno = 0;
        lb_text_skip_mark(in);
        int status = take_row(csv, in, err);
        if (status == 0)
                return lb_error_set(err, "%.300s: not CSV: the file is empty", csv->file);
        return status < 0 || cut_row(csv, err) < 0 ? -1 : keep_header(csv, err);
}

int lb_csv_begin(struct lb_csv *csv, FILE *in, const char *file, struct lb_error *err)
{
        int why = errno;
        *csv = (struct lb_csv){ .file = strdup(file), .separator = ',', .line = 1 };
        if (!csv->file)
                return lb_error_fail(err, "out of memory");
        errno = why;
        if (take_header(csv, in, err) == 0)
                return 0;
        lb_csv_close(csv);
        return -1;
}

int lb_csv_next(struct lb_csv *csv, FILE *in, struct lb_error *err)
{
        csv->nrow = 0;
        int status = take_row(csv, in, err);
        if (status < 1)
                return status;
        if (cut_row(csv, err) < 0)
                return -1;
        csv->before++;
        csv->nrow = 1;
        return 1;
}

int lb_csv_open(struct lb_csv *csv, const char *file, struct lb_error *err)
{
        FILE *in = fopen(file, "r");
        int status = lb_csv_read(csv, in, file, false, err);
        if (in)
                fclose(in);
        return status;
}

void lb_csv_close(struct lb_csv *csv)
{
        free(csv->file);
        free(csv->text);
        free(csv->row_text);
        free(csv->cell);
        *csv = (struct lb_csv){ 0 };
}
