/* SPDX-License-Identifier: BSD-3-Clause */
#include <errno.h>
#include <string.h>
#include <sys/stat.h>

#include "base/text.h"
#include "models/trace_impl.h"

/* Measured work as CSV: plain numbers, no quotes, lines that end in a newline or in CR LF. */

enum { LINE_SIZE = 256 };

/* Read line number `line` into text[LINE_SIZE], without its end. Returns 1, 0 at the end, or -1. */
static int read_line(FILE *in, const struct trace_file *file, int32_t line, char *text,
                     struct lb_error *err)
{
        errno = 0;
        if (!fgets(text, LINE_SIZE, in)) {
                if (!ferror(in))
                        return 0;
                return lb_error_set(err, "cannot read '%.300s': %s", file->name, strerror(errno));
        }
        size_t length = strlen(text);
        bool ended = length > 0 && text[length - 1] == '\n';
        if (!ended && !feof(in))
                return trace_complain(file, line, TRACE_NPARAM, err,
                                      "found a NUL byte or more than %d characters, allowed is a "
                                      "line of text",
                                      LINE_SIZE - 2);
        if (ended)
                text[--length] = '\0';
        if (length > 0 && text[length - 1] == '\r')
                text[--length] = '\0';
        return 1;
}

/* Which column is which; false where these are not the columns of measured work. */
static bool find_columns(const char *text, struct trace_file *file)
{
        bool has[TRACE_NPARAM] = { false };
        file->ncolumn = 0;
        for (const char *at = text; at; at = strchr(at, ',') ? strchr(at, ',') + 1 : NULL) {
                size_t length = strcspn(at, ",");
                enum trace_param c = TRACE_ITERATION;
                while (c < TRACE_NPARAM && (strlen(trace_params[c].name) != length ||
                                            strncmp(trace_params[c].name, at, length) != 0))
                        c++;
                if (c == TRACE_NPARAM || has[c])
                        return false;
                has[c] = true;
                file->order[file->ncolumn++] = c;
        }
        file->has_tasks = has[TRACE_TASKS];
        return has[TRACE_ITERATION] && has[TRACE_APPRANK] && has[TRACE_WORK_S] &&
               (has[TRACE_TASKS] || !has[TRACE_COST]);
}

bool trace_is_header(const char *text)
{
        char line[LINE_SIZE];
        struct trace_file file = { .name = "" };
        size_t length = strcspn(text, "\r\n");
        if (length >= sizeof(line))
                return false;
        memcpy(line, text, length);
        line[length] = '\0';
        return find_columns(line, &file);
}

static int read_header(FILE *in, struct trace_file *file, struct lb_error *err)
{
        char text[LINE_SIZE] = "";
        if (read_line(in, file, 1, text, err) < 0)
                return -1;
        if (find_columns(text, file))
                return 0;
        return trace_complain(
            file, 1, TRACE_NPARAM, err,
            "found \"%.60s\", allowed is the line "
            "\"iteration,apprank,work_s,tasks\", in any order, without the last or "
            "with \"cost\" and \"serial_s\"",
            text);
}

static int complain_count(const struct trace_file *file, int32_t line, int32_t count,
                          struct lb_error *err)
{
        char names[LINE_SIZE] = "";
        for (int i = 0; i < file->ncolumn; i++)
                lb_text_add(names, sizeof(names), "%s %s", i ? "," : "",
                            trace_params[file->order[i]].name);
        return trace_complain(file, line, TRACE_NPARAM, err, "found %d value%s, allowed are %d:%s",
                              count, lb_s(count), file->ncolumn, names);
}

/* Cut a line into its fields, each of which stays in text. */
static int split(char *text, struct trace_file *file, int32_t line, char **field,
                 struct lb_error *err)
{
        int32_t count = 0;
        for (char *at = text; at; count++) {
                char *comma = strchr(at, ',');
                if (count < file->ncolumn) {
                        field[file->order[count]] = at;
                        file->column[file->order[count]] = (int32_t)(at - text) + 1;
                }
                if (comma)
                        *comma++ = '\0';
                at = comma;
        }
        return count == file->ncolumn ? 0 : complain_count(file, line, count, err);
}

static int read_row(struct trace *trace, struct trace_file *file, int32_t line, char *text,
                    struct lb_error *err)
{
        char *field[TRACE_NPARAM];
        double value[TRACE_NPARAM] = { 0 };
        struct lb_error why;
        if (text[0] == '\0')
                return trace_complain(file, line, TRACE_NPARAM, err,
                                      "found an empty line, allowed is a row");
        if (split(text, file, line, field, err) < 0)
                return -1;
        for (int i = 0; i < file->ncolumn; i++) {
                enum trace_param c = file->order[i];
                if (lb_param_parse(&trace_params[c], field[c], &value[c], &why) < 0)
                        return trace_complain(file, line, c, err, "%s: %s", trace_params[c].name,
                                              why.text);
                value[c] += 0.0; /* no negative zero */
        }
        if (!file->has_tasks)
                trace_guess_tasks(trace, value);
        return trace_add(trace, file, line, value, err);
}

static int read_rows(FILE *in, struct trace *trace, struct trace_file *file, struct lb_error *err)
{
        char text[LINE_SIZE];
        int32_t line = 2;
        int more = read_line(in, file, line, text, err);
        for (; more > 0; more = read_line(in, file, ++line, text, err))
                if (read_row(trace, file, line, text, err) < 0)
                        return -1;
        return more;
}

static int read_all(FILE *in, struct trace *trace, struct trace_file *file, struct lb_error *err)
{
        lb_text_skip_mark(in);
        return read_header(in, file, err) < 0 ? -1 : read_rows(in, trace, file, err);
}

int trace_read_csv(struct trace *trace, struct trace_file *file, struct lb_error *err)
{
        struct stat status;
        int result = -1;
        FILE *in = fopen(file->name, "rb");
        if (!in || fstat(fileno(in), &status) < 0)
                lb_error_set(err, "cannot read '%.300s': %s", file->name, strerror(errno));
        else if (S_ISDIR(status.st_mode))
                lb_error_set(err, "cannot read '%.300s': it is a directory", file->name);
        else
                result = read_all(in, trace, file, err);
        if (in)
                fclose(in);
        return result;
}
