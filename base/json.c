/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/json.h"

#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/json_scan.h"
#include "base/text.h"

/* Read a stream to its end into text[*size]. NULL: err is filled. */
static char *slurp(FILE *in, size_t *size, struct lb_error *err)
{
        errno = 0;
        char *text = lb_text_read(in, LB_JSON_SIZE_MAX, size);
        if (!text)
                lb_error_fail(err, "out of memory");
        else if (ferror(in))
                lb_error_set(err, "%s", strerror(errno));
        else if (*size > LB_JSON_SIZE_MAX)
                lb_error_set(err, "it is larger than %d MiB", LB_JSON_SIZE_MAX >> 20);
        else
                return text;
        free(text);
        return NULL;
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

struct key {
        const cJSON *item;
        size_t index; /* among its siblings */
};

static int by_name(const void *a, const void *b)
{
        const struct key *x = a, *y = b;
        int order = strcmp(x->item->string, y->item->string);
        return order ? order : (x->index > y->index) - (x->index < y->index);
}

/* The second member of an object with a key that it has already, or NULL. Returns -1 out of memory.
 */
static int repeated_member(const cJSON *object, const cJSON **repeated)
{
        size_t count = (size_t)cJSON_GetArraySize(object), i = 0;
        struct key *key = malloc((count + 1) * sizeof(*key));
        if (!key)
                return -1;
        const cJSON *child;
        cJSON_ArrayForEach(child, object)
        {
                key[i] = (struct key){ child, i };
                i++;
        }
        qsort(key, count, sizeof(*key), by_name);
        *repeated = NULL;
        for (i = 1; i < count && !*repeated; i++)
                if (strcmp(key[i - 1].item->string, key[i].item->string) == 0)
                        *repeated = key[i].item;
        free(key);
        return 0;
}

/* Looks through the tree, whose depth is limited, in the order of the text. Returns -1 out of
 * memory. */
static int find_repeated(const cJSON *item, const cJSON **repeated)
{
        *repeated = NULL;
        if (cJSON_IsObject(item) && repeated_member(item, repeated) < 0)
                return -1;
        for (const cJSON *child = item->child; child && !*repeated; child = child->next)
                if (child->child && find_repeated(child, repeated) < 0)
                        return -1;
        return 0;
}

/* Count values in the order of the text up to `sought`; true where it was met. */
static bool count_up_to(const cJSON *item, const cJSON *sought, long long *count)
{
        if (item == sought)
                return true;
        ++*count;
        for (const cJSON *child = item->child; child; child = child->next)
                if (count_up_to(child, sought, count))
                        return true;
        return false;
}

static int complain_repeated(const struct lb_json *doc, const cJSON *repeated, struct lb_error *err)
{
        long long index = 0;
        int line = 1, column = 1;
        count_up_to(doc->root, repeated, &index);
        long long at = json_scan_nth(doc->text, doc->size, index);
        if (at >= 0)
                place_of(doc->text, (size_t)at, &line, &column);
        return lb_error_set(err, "%s:%d:%d: key \"%.60s\" stands twice in one object", doc->file,
                            line, column, repeated->string);
}

/* Where a string that begins at text[at] ends: at its closing quote, or with the text. */
static size_t string_end(const char *text, size_t size, size_t at)
{
        for (at++; at < size && text[at] != '"'; at++)
                at += text[at] == '\\';
        return at;
}

/* Comments become blanks, so that all else keeps its place. */
static void blank_comments(char *text, size_t size)
{
        for (size_t at = 0; at < size; at++) {
                if (text[at] == '"')
                        at = string_end(text, size, at);
                else if (text[at] == '/' && text[at + 1] == '/')
                        while (at < size && text[at] != '\n' && text[at] != '\0')
                                text[at++] = ' ';
        }
}

/* So does what editors put before UTF-8. */
static void blank_mark(char *text, size_t size)
{
        static const char mark[] = "\xef\xbb\xbf";
        size_t length = strlen(mark);
        if (size >= length && memcmp(text, mark, length) == 0)
                memset(text, ' ', length);
}

static int parse(struct lb_json *doc, struct lb_error *err)
{
        struct json_fault fault;
        const cJSON *repeated;
        int line, column;
        if (json_scan_check(doc->text, doc->size, &fault) < 0) {
                place_of(doc->text, fault.at, &line, &column);
                return lb_error_set(err, "%s:%d:%d: not JSON: %s", doc->file, line, column,
                                    fault.what);
        }
        doc->root = cJSON_ParseWithLength(doc->text, doc->size + 1);
        if (!doc->root || find_repeated(doc->root, &repeated) < 0)
                return lb_error_fail(err, "%s: out of memory", doc->file);
        return repeated ? complain_repeated(doc, repeated, err) : 0;
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
                blank_mark(doc->text, size);
                blank_comments(doc->text, size);
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

bool lb_json_add_number(cJSON *object, const char *key, double number)
{
        cJSON *item = isfinite(number) ? cJSON_CreateNumber(number) : cJSON_CreateNull();
        return item && cJSON_AddItemToObject(object, key, item);
}

int lb_json_print(cJSON *tree, bool whole, FILE *out, struct lb_error *err)
{
        char *text = tree && whole ? cJSON_Print(tree) : NULL;
        cJSON_Delete(tree);
        if (!text)
                return lb_error_fail(err, "out of memory for JSON");
        fprintf(out, "%s\n", text);
        cJSON_free(text);
        return 0;
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
