/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/json.h"

#include <errno.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/json_scan.h"

/* Read a stream to its end into text[*size], NUL-terminated. NULL: err is filled. */
static char *slurp(FILE *in, size_t *size, struct lb_error *err)
{
        size_t room = 1 << 14;
        char *text = malloc(room);
        *size = 0;
        while (text) {
                *size += fread(text + *size, 1, room - *size - 1, in);
                if (*size < room - 1)
                        break;
                char *larger = room < LB_JSON_SIZE_MAX ? realloc(text, 2 * room) : NULL;
                if (!larger)
                        free(text);
                text = larger;
                room *= 2;
        }
        if (!text) {
                lb_error_set(err, "larger than %d MiB", LB_JSON_SIZE_MAX >> 20);
                return NULL;
        }
        if (ferror(in)) {
                lb_error_set(err, "%s", strerror(errno));
                free(text);
                return NULL;
        }
        text[*size] = '\0';
        return text;
}

static char *read_file(const char *file, size_t *size, struct lb_error *err)
{
        struct stat status;
        char *text = NULL;
        FILE *in = fopen(file, "rb");
        if (!in || fstat(fileno(in), &status) < 0)
                lb_error_set(err, "cannot read '%s': %s", file, strerror(errno));
        else if (S_ISDIR(status.st_mode))
                lb_error_set(err, "cannot read '%s': it is a directory", file);
        else if (!(text = slurp(in, size, err)))
                lb_error_prefix(err, "cannot read '%s': ", file);
        if (in)
                fclose(in);
        return text;
}

int lb_json_open(struct lb_json *doc, const char *file, struct lb_error *err)
{
        size_t size = 0;
        memset(doc, 0, sizeof(*doc));
        char *text = read_file(file, &size, err);
        if (!text)
                return -1;
        int status = lb_json_parse(doc, file, text, size, err);
        free(text);
        return status;
}

static void place_of(const char *text, size_t at, int *line, int *column)
{
        *line = 1;
        *column = 1;
        for (size_t i = 0; i < at; i++) {
                (*column)++;
                if (text[i] == '\n') {
                        (*line)++;
                        *column = 1;
                }
        }
}

static int by_name(const void *a, const void *b)
{
        return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* A key that an object has twice, or NULL. Out of memory counts as none: cJSON keeps both. */
static const char *repeated_key(const cJSON *object)
{
        size_t count = (size_t)cJSON_GetArraySize(object), i = 0;
        const char **name = count > 1 ? malloc(count * sizeof(*name)) : NULL;
        if (!name)
                return NULL;
        const cJSON *child;
        cJSON_ArrayForEach(child, object) name[i++] = child->string;
        qsort(name, count, sizeof(*name), by_name);
        const char *found = NULL;
        for (i = 1; i < count && !found; i++)
                if (strcmp(name[i - 1], name[i]) == 0)
                        found = name[i];
        free(name);
        return found;
}

/* Looks through the whole tree (its depth is limited); returns the first repeated key. */
static const char *find_repeated(const cJSON *item)
{
        const char *found = cJSON_IsObject(item) ? repeated_key(item) : NULL;
        for (const cJSON *child = item->child; child && !found; child = child->next)
                if (child->child)
                        found = find_repeated(child);
        return found;
}

static int parse(struct lb_json *doc, struct lb_error *err)
{
        struct json_fault fault;
        int line, column;
        if (json_scan_check(doc->text, doc->size, &fault) < 0) {
                place_of(doc->text, fault.at, &line, &column);
                return lb_error_set(err, "%s:%d:%d: not JSON: %s", doc->file, line, column,
                                    fault.what);
        }
        doc->root = cJSON_ParseWithLength(doc->text, doc->size + 1);
        if (!doc->root)
                return lb_error_fail(err, "%s: out of memory", doc->file);
        const char *key = find_repeated(doc->root);
        return key ? lb_error_set(err, "%s: key \"%.60s\" stands twice in one object", doc->file,
                                  key)
                   : 0;
}

int lb_json_parse(struct lb_json *doc, const char *file, const char *text, size_t size,
                  struct lb_error *err)
{
        memset(doc, 0, sizeof(*doc));
        doc->size = size;
        doc->file = strdup(file);
        doc->text = malloc(size + 1);
        int status = -1;
        if (!doc->file || !doc->text) {
                lb_error_fail(err, "%s: out of memory", file);
        } else {
                memcpy(doc->text, text, size);
                doc->text[size] = '\0';
                status = parse(doc, err);
        }
        if (status < 0)
                lb_json_close(doc);
        return status;
}

void lb_json_close(struct lb_json *doc)
{
        cJSON_Delete(doc->root);
        free(doc->text);
        free(doc->file);
        memset(doc, 0, sizeof(*doc));
}

int lb_json_place(const struct lb_json *doc, const char *pointer, int *line, int *column)
{
        long long at = doc->text ? json_scan_find(doc->text, doc->size, pointer) : -1;
        if (at < 0)
                return -1;
        place_of(doc->text, (size_t)at, line, column);
        return 0;
}

int lb_json_complain(const struct lb_json *doc, const char *pointer, struct lb_error *err,
                     const char *format, ...)
{
        char text[sizeof(err->text)];
        va_list args;
        va_start(args, format);
        vsnprintf(text, sizeof(text), format, args);
        va_end(args);
        const char *at = pointer[0] ? pointer : "";
        const char *colon = pointer[0] ? ": " : "";
        int line, column;
        if (lb_json_place(doc, pointer, &line, &column) < 0)
                return lb_error_set(err, "%s: %s%s%s", doc->file, at, colon, text);
        return lb_error_set(err, "%s:%d:%d: %s%s%s", doc->file, line, column, at, colon, text);
}

const char *lb_json_kind(const cJSON *item)
{
        if (!item)
                return "nothing";
        if (cJSON_IsNumber(item))
                return "a number";
        if (cJSON_IsString(item))
                return "a string";
        if (cJSON_IsBool(item))
                return "true or false";
        if (cJSON_IsArray(item))
                return "an array";
        return cJSON_IsObject(item) ? "an object" : "null";
}

void lb_json_show(const cJSON *item, char *text, size_t size)
{
        if (cJSON_IsNumber(item))
                snprintf(text, size, "%.10g", item->valuedouble);
        else if (cJSON_IsString(item))
                snprintf(text, size, "\"%.60s\"", item->valuestring);
        else if (cJSON_IsBool(item))
                snprintf(text, size, "%s", cJSON_IsTrue(item) ? "true" : "false");
        else
                snprintf(text, size, "%s", lb_json_kind(item));
}
