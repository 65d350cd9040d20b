/* SPDX-License-Identifier: BSD-3-Clause */
/* Reading scenarios/published.json. */
#include "sim/output/published.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "base/text.h"

enum { POINTER_SIZE = 64 };

static const char *const claims[] = {
        [CLAIM_ABOUT] = "about",
        [CLAIM_AT_MOST] = "at most",
        [CLAIM_AT_LEAST] = "at least",
        [CLAIM_WITHHELD] = "withheld",
        NULL,
};
static const char *const overs[] = {
        [OVER_MEAN] = "mean", [OVER_MAX] = "max", [OVER_MIN] = "min", [OVER_MEDIAN] = "median", NULL
};
static const char *const kinds[] = {
        [AS_VALUE] = "value", [AS_RATIO] = "ratio", [AS_REDUCTION] = "reduction", NULL
};
const char *const published_reads[] = { [READ_TEXT] = "text",
                                        [READ_TABLE] = "table",
                                        [READ_FIGURE] = "figure",
                                        [READ_WORDS] = "words",
                                        NULL };
const char *const published_froms[] = { [FROM_STATE] = "state",
                                        [FROM_MEASURED] = "measured",
                                        [FROM_OPEN] = "open",
                                        [FROM_PAPER] = "paper",
                                        [FROM_ASSUMED] = "assumed",
                                        [FROM_DRAW] = "draw",
                                        NULL };
static const char *const keys[] = { "paper",     "place",         "quantity", "unit",  "note",
                                    "cause",     "reading",       "claim",    "value", "tolerance",
                                    "read",      "reading_error", "metric",   "over",  "as",
                                    "set",       "scenario",      "against",  "quick", "then",
                                    "then_from", "then_of",       "again" };

struct reader {
        const struct lb_json *doc;
        const cJSON *row;
        int32_t index;
        struct lb_error *err;
};

static int complain(const struct reader *r, const char *key, const cJSON *item, const char *allowed)
{
        char pointer[POINTER_SIZE], found[80];
        bool there = item != NULL;
        snprintf(pointer, sizeof(pointer), "/rows/%d%s%s", r->index, there ? "/" : "",
                 there ? key : "");
        if (!there)
                return lb_json_complain(r->doc, pointer, r->err, "\"%s\" is missing", key);
        lb_json_show(item, found, sizeof(found));
        return lb_json_complain(r->doc, pointer, r->err, "found %s, allowed is %s", found, allowed);
}

static const cJSON *member(const struct reader *r, const char *key)
{
        return cJSON_GetObjectItemCaseSensitive(r->row, key);
}

/* true or false into *flag; missing: false. */
static int read_flag(const struct reader *r, const char *key, bool *flag)
{
        const cJSON *item = member(r, key);
        *flag = cJSON_IsTrue(item);
        return item && !cJSON_IsBool(item) ? complain(r, key, item, "true or false") : 0;
}

/* Text into *text; one that may be missing stays NULL. */
static int read_text(const struct reader *r, const char *key, bool must, const char **text)
{
        const cJSON *item = member(r, key);
        if (!item && !must)
                return 0;
        if (!cJSON_IsString(item) || item->valuestring[0] == '\0')
                return complain(r, key, item, "a text");
        *text = item->valuestring;
        return 0;
}

/* A word of a list into *place; missing: the first. */
static int read_word(const struct reader *r, const char *key, const char *const *words, int *place)
{
        const cJSON *item = member(r, key);
        *place = 0;
        if (!item)
                return 0;
        char allowed[160] = "one of";
        for (int i = 0; words[i]; i++) {
                if (cJSON_IsString(item) && strcmp(words[i], item->valuestring) == 0) {
                        *place = i;
                        return 0;
                }
                lb_text_add(allowed, sizeof(allowed), "%s %s", i ? "," : "", words[i]);
        }
        return complain(r, key, item, allowed);
}

static int read_number(const struct reader *r, const char *key, bool must, double *number)
{
        const cJSON *item = member(r, key);
        if (!item && !must)
                return 0;
        if (!cJSON_IsNumber(item))
                return complain(r, key, item, "a number");
        *number = item->valuedouble;
        return 0;
}

static int read_metric(const struct reader *r, enum metric *metric)
{
        const cJSON *item = member(r, "metric");
        int found = cJSON_IsString(item) ? metric_find(item->valuestring, METRIC_COUNT) : -1;
        if (found < 0)
                return complain(r, "metric", item, "a column of results.csv");
        *metric = (enum metric)found;
        return 0;
}

/* Append the options of a list, the key's or one in it, to a run's. */
static int append_set(const struct reader *r, const char *key, const cJSON *list,
                      struct published_run *run)
{
        const cJSON *item;
        if (list && !cJSON_IsArray(list))
                return complain(r, key, list, "a list of PATH=VALUE");
        cJSON_ArrayForEach(item, list)
        {
                if (!cJSON_IsString(item) || run->nset == PUBLISHED_SET_MAX)
                        return complain(r, key, list, "a list of at most 16 times PATH=VALUE");
                run->set[run->nset++] = item->valuestring;
        }
        return 0;
}

static int read_set(const struct reader *r, const char *key, struct published_run *run)
{
        return append_set(r, key, member(r, key), run);
}

static int read_claim(const struct reader *r, struct published_row *row)
{
        int claim, over, as, read;
        if (read_word(r, "claim", claims, &claim) < 0 || read_word(r, "over", overs, &over) < 0 ||
            read_word(r, "as", kinds, &as) < 0 || read_word(r, "read", published_reads, &read) < 0)
                return -1;
        row->read = (enum published_read)read;
        row->claim = (enum published_claim)claim;
        row->over = (enum published_over)over;
        row->as = (enum published_as)as;
        row->tolerance = 0.1;
        if (read_number(r, "value", claim != CLAIM_WITHHELD, &row->value) < 0 ||
            read_number(r, "tolerance", false, &row->tolerance) < 0 ||
            read_number(r, "reading_error", false, &row->reading_error) < 0)
                return -1;
        return 0;
}

static int read_runs(const struct reader *r, struct published_row *row)
{
        if (read_text(r, "scenario", true, &row->run.scenario) < 0 ||
            read_set(r, "set", &row->run) < 0)
                return -1;
        row->against = row->run;
        if (row->as != AS_VALUE && !member(r, "against"))
                return complain(r, "against", NULL, "");
        return read_set(r, "against", &row->against);
}

/* The row's runs with the options of its cause. */
static int read_then(const struct reader *r, struct published_row *row)
{
        static const char *const sides[] = { "both", "run", "against", NULL };
        enum { BOTH, RUN, AGAINST };
        const cJSON *list = member(r, "then"), *item;
        struct published_then *then = &row->then;
        int from, side;
        if (read_word(r, "then_from", published_froms, &from) < 0 ||
            read_word(r, "then_of", sides, &side) < 0)
                return -1;
        then->from = (enum published_from)from;
        if (list && (!cJSON_IsArray(list) || !row->cause))
                return complain(r, "then", list,
                                "one or two lists of PATH=VALUE, beside a \"cause\"");
        if (then->from == FROM_DRAW && (list || !row->cause))
                return complain(r, "then_from", member(r, "then_from"),
                                "\"draw\" beside a \"cause\" and without \"then\"");
        cJSON_ArrayForEach(item, list)
        {
                int32_t i = then->count++;
                if (i == PUBLISHED_THEN_MAX)
                        return complain(r, "then", list, "one or two lists of PATH=VALUE");
                then->run[i] = row->run;
                then->against[i] = row->against;
                if ((side != AGAINST && append_set(r, "then", item, &then->run[i]) < 0) ||
                    (side != RUN && append_set(r, "then", item, &then->against[i]) < 0))
                        return -1;
        }
        return 0;
}

static int check_keys(const struct reader *r)
{
        const cJSON *item;
        cJSON_ArrayForEach(item, r->row)
        {
                size_t count = sizeof(keys) / sizeof(keys[0]), i = 0;
                while (i < count && strcmp(keys[i], item->string) != 0)
                        i++;
                if (i == count)
                        return complain(r, item->string, item, "no such key");
        }
        return 0;
}

static int read_row(const struct reader *r, struct published_row *row)
{
        if (!cJSON_IsObject(r->row) || check_keys(r) < 0)
                return cJSON_IsObject(r->row)
                           ? -1
                           : lb_json_complain(r->doc, "/rows", r->err, "a row must be an object");
        if (read_flag(r, "quick", &row->quick) < 0 || read_flag(r, "again", &row->again) < 0 ||
            read_text(r, "paper", true, &row->paper) < 0 ||
            read_text(r, "place", true, &row->place) < 0 ||
            read_text(r, "quantity", true, &row->quantity) < 0 ||
            read_text(r, "unit", false, &row->unit) < 0 ||
            read_text(r, "note", false, &row->note) < 0 ||
            read_text(r, "cause", false, &row->cause) < 0 ||
            read_text(r, "reading", false, &row->reading) < 0 || read_claim(r, row) < 0 ||
            read_metric(r, &row->metric) < 0)
                return -1;
        if (row->again && (r->index == 0 || row[-1].value != row->value ||
                           row[-1].claim != row->claim || strcmp(row[-1].paper, row->paper) != 0))
                return complain(r, "again", member(r, "again"),
                                "that only behind a row with the same published number");
        return read_runs(r, row) < 0 ? -1 : read_then(r, row);
}

static int read_rows(struct published *published, const struct lb_json *doc, struct lb_error *err)
{
        const cJSON *rows = cJSON_GetObjectItemCaseSensitive(doc->root, "rows");
        if (!cJSON_IsArray(rows) || cJSON_GetArraySize(rows) == 0)
                return lb_json_complain(doc, "", err, "\"rows\" must be a list of rows");
        published->row = calloc((size_t)cJSON_GetArraySize(rows), sizeof(*published->row));
        if (!published->row)
                return lb_error_fail(err, "out of memory");
        struct reader reader = { .doc = doc, .err = err };
        cJSON_ArrayForEach(reader.row, rows)
        {
                if (read_row(&reader, &published->row[published->nrow++]) < 0)
                        return -1;
                reader.index++;
        }
        return 0;
}

int published_open(struct published *published, const char *file, struct lb_error *err)
{
        *published = (struct published){ 0 };
        struct lb_json *doc = calloc(1, sizeof(*doc));
        if (!doc)
                return lb_error_fail(err, "out of memory");
        if (lb_json_open(doc, file, err) < 0) {
                free(doc);
                return -1;
        }
        published->document = doc;
        if (read_rows(published, doc, err) == 0)
                return 0;
        published_close(published);
        return -1;
}

void published_close(struct published *published)
{
        if (published->document)
                lb_json_close(published->document);
        free(published->document);
        free(published->row);
        *published = (struct published){ 0 };
}
