/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * {"lbsim":"seal","request":HASH,"figure":BOOL,"runs":N,"other_build_runs":N,"remarks":TEXT,
 *  "files":[{"name":NAME,"size":N,"hash":HASH},...],"check":HASH}, the last over all text before
 * it.
 */
#include "sim/output/seal.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "base/hash.h"
#include "base/json.h"
#include "base/json_write.h"
#include "base/text.h"

enum { PATH_SIZE = 4096, CHECK_SIZE = 29 };

static bool put_path(char path[static PATH_SIZE], const char *directory, const char *name)
{
        return snprintf(path, PATH_SIZE, "%s/%s", directory, name) < PATH_SIZE;
}

static void put_check(const char *text, size_t size, char check[static CHECK_SIZE + 1])
{
        snprintf(check, CHECK_SIZE + 1, ",\"check\":\"%016" PRIx64 "\"}\n", lb_hash(text, size, 0));
}

/* What is asked for, as far as it changes what is in the files. */
static bool hash_request(const struct seal_request *request, char hash[static 17])
{
        const struct scenario *scenario = request->scenario;
        char *tree = cJSON_PrintUnformatted(scenario->tree);
        if (!tree)
                return false;
        const uint64_t ids[] = { scenario->fingerprint, scenario->defaults,
                                 scenario->build,       scenario->seed,
                                 request->compress,     (uint64_t)request->figure_size };
        snprintf(hash, 17, "%016" PRIx64,
                 lb_hash(tree, strlen(tree), lb_hash(ids, sizeof(ids), 0)));
        cJSON_free(tree);
        return true;
}

bool seal_is_remark(const char *line)
{
        return strncmp(line, "note:", 5) == 0 || strncmp(line, "warning:", 8) == 0;
}

/* ---- Writing ---- */

static bool put_file(FILE *out, const char *directory, const char *name)
{
        char path[PATH_SIZE];
        struct lb_content content;
        struct lb_error ignored;
        if (!put_path(path, directory, name) || lb_hash_file(path, &content, &ignored) < 0)
                return false;
        fputs("{\"name\":", out);
        lb_json_write_string(out, name);
        fprintf(out, ",\"size\":%" PRId64 ",\"hash\":\"%016" PRIx64 "\"}", content.size,
                content.hash);
        return true;
}

/* A figure that gnuplot did not draw is to be tried again. */
static bool is_drawn(const char *lines)
{
        return !strstr(lines, "warning:") && !strstr(lines, "note: no figure: gnuplot") &&
               !strstr(lines, "note: no figure: plots/");
}

/* All lines of one sort, each with its end. */
static char *copy_remarks(const char *lines)
{
        struct lb_text text;
        FILE *out = lb_text_begin(&text);
        if (!out)
                return NULL;
        for (const char *line = lines; *line;) {
                size_t length = strcspn(line, "\n");
                if (seal_is_remark(line))
                        fprintf(out, "%.*s\n", (int)length, line);
                line += length + (line[length] == '\n');
        }
        return lb_text_end(&text);
}

static bool put_files(FILE *out, const char *directory, const char *lines)
{
        size_t before = strlen(directory) + 1;
        bool good = put_file(out, directory, SWEEP_JOURNAL);
        for (const char *line = lines; good && *line;) {
                size_t length = strcspn(line, "\n");
                char name[PATH_SIZE];
                if (!seal_is_remark(line) && length > before) {
                        snprintf(name, sizeof(name), "%.*s", (int)(length - before), line + before);
                        fputs(",\n", out);
                        good = put_file(out, directory, name);
                }
                line += length + (line[length] == '\n');
        }
        return good;
}

static bool put_seal(FILE *out, const struct seal_request *request, const struct sweep *sweep,
                     const char *lines)
{
        char hash[17];
        char *remarks = copy_remarks(lines);
        bool good = remarks && hash_request(request, hash);
        if (good) {
                fprintf(out,
                        "{\"lbsim\":\"seal\",\"request\":\"%s\",\"figure\":%s,\"runs\":%" PRId64
                        ",\"other_build_runs\":%" PRId64 ",\"remarks\":",
                        hash, request->figure && is_drawn(lines) ? "true" : "false", sweep->ndone,
                        sweep->nother);
                lb_json_write_string(out, remarks);
                fputs(",\n\"files\":[", out);
                good = put_files(out, request->directory, lines);
                fputs("]", out);
        }
        free(remarks);
        return good;
}

static int write_text(const char *path, const char *text, size_t size, struct lb_error *err)
{
        struct lb_file file;
        char check[CHECK_SIZE + 1];
        if (lb_file_create(&file, path, err) < 0)
                return -1;
        put_check(text, size, check);
        fwrite(text, 1, size, file.stream);
        fputs(check, file.stream);
        return lb_file_commit(&file, err);
}

void seal_write(const struct seal_request *request, const struct sweep *sweep, const char *lines)
{
        char path[PATH_SIZE];
        struct lb_text whole;
        struct lb_error ignored;
        FILE *out = lb_text_begin(&whole);
        bool good = out && put_path(path, request->directory, SWEEP_SEAL) &&
                    put_seal(out, request, sweep, lines);
        char *text = lb_text_end(&whole);
        if (good && text && write_text(path, text, whole.size, &ignored) < 0)
                unlink(path);
        free(text);
}

void seal_remove(const char *directory)
{
        char path[PATH_SIZE];
        if (put_path(path, directory, SWEEP_SEAL))
                unlink(path);
}

/* ---- Checking ---- */

static const char *text_of(const cJSON *object, const char *name)
{
        const cJSON *item = cJSON_GetObjectItemCaseSensitive(object, name);
        return cJSON_IsString(item) ? item->valuestring : "";
}

static int64_t number_of(const cJSON *object, const char *name)
{
        const cJSON *item = cJSON_GetObjectItemCaseSensitive(object, name);
        return cJSON_IsNumber(item) ? (int64_t)item->valuedouble : -1;
}

static bool is_whole(const struct lb_json *doc)
{
        char check[CHECK_SIZE + 1];
        if (doc->size <= CHECK_SIZE)
                return false;
        put_check(doc->text, doc->size - CHECK_SIZE, check);
        return strcmp(doc->text + doc->size - CHECK_SIZE, check) == 0;
}

/* Is it the seal of what is asked for? A figure that is there does not hurt who wants none. */
static bool is_of(const struct lb_json *doc, const struct seal_request *request)
{
        char hash[17];
        bool drawn = cJSON_IsTrue(cJSON_GetObjectItemCaseSensitive(doc->root, "figure"));
        bool kept = number_of(doc->root, "other_build_runs") != 0;
        return is_whole(doc) && hash_request(request, hash) &&
               strcmp(text_of(doc->root, "request"), hash) == 0 && (drawn || !request->figure) &&
               (!kept || request->other_build == OTHER_BUILD_KEEP);
}

static bool is_content(const cJSON *file, const struct lb_content *content)
{
        char hash[17];
        snprintf(hash, sizeof(hash), "%016" PRIx64, content->hash);
        return content->size == number_of(file, "size") && strcmp(hash, text_of(file, "hash")) == 0;
}

static bool is_as_sealed(const struct seal_request *request, const cJSON *file)
{
        char path[PATH_SIZE];
        struct lb_content content;
        struct lb_error ignored;
        const char *name = text_of(file, "name");
        if (!put_path(path, request->directory, name))
                return false;
        bool there = lb_hash_file(path, &content, &ignored) == 0;
        if (there && is_content(file, &content))
                return true;
        if (request->notes && strcmp(name, SWEEP_JOURNAL) != 0)
                fprintf(request->notes, "lbsim: '%s' is %s: written anew\n", path,
                        there ? "not as lbsim wrote it" : "gone");
        return false;
}

static bool are_as_sealed(const struct seal_request *request, const cJSON *files)
{
        const cJSON *file;
        bool all = cJSON_IsArray(files);
        cJSON_ArrayForEach(file, files)
        {
                all = all && is_as_sealed(request, file);
        }
        return all;
}

bool seal_holds(const struct seal_request *request, struct seal *seal)
{
        char path[PATH_SIZE];
        struct lb_json doc;
        struct lb_error ignored;
        *seal = (struct seal){ 0 };
        if (!put_path(path, request->directory, SWEEP_SEAL) ||
            lb_json_open(&doc, path, &ignored) < 0)
                return false;
        bool holds = is_of(&doc, request) &&
                     are_as_sealed(request, cJSON_GetObjectItemCaseSensitive(doc.root, "files"));
        if (holds) {
                seal->nrun = number_of(doc.root, "runs");
                seal->nother = number_of(doc.root, "other_build_runs");
                seal->remarks = strdup(text_of(doc.root, "remarks"));
                holds = seal->remarks != NULL;
        }
        lb_json_close(&doc);
        return holds;
}

static bool is_other(const struct lb_json *doc, const char *name, const struct lb_content *content)
{
        const cJSON *file, *files = cJSON_GetObjectItemCaseSensitive(doc->root, "files");
        if (!is_whole(doc))
                return false;
        cJSON_ArrayForEach(file, files)
        {
                if (strcmp(text_of(file, "name"), name) == 0)
                        return !is_content(file, content);
        }
        return false;
}

bool seal_is_broken(const char *directory, const char *name)
{
        char path[PATH_SIZE];
        struct lb_json doc;
        struct lb_content content;
        struct lb_error ignored;
        if (!put_path(path, directory, name) || lb_hash_file(path, &content, &ignored) < 0 ||
            !put_path(path, directory, SWEEP_SEAL) || lb_json_open(&doc, path, &ignored) < 0)
                return false;
        bool broken = is_other(&doc, name, &content);
        lb_json_close(&doc);
        return broken;
}

void seal_finish(struct seal *seal)
{
        free(seal->remarks);
        *seal = (struct seal){ 0 };
}
