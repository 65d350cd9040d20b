/* SPDX-License-Identifier: BSD-3-Clause */
#include "sim/output/published_report.h"

#include <math.h>
#include <string.h>

#include "base/file.h"
#include "plots/table.h"
#include "sim/scenario/scenario.h"

static const char *const verdicts[] = { [VERDICT_AGREES] = "agrees",
                                        [VERDICT_DIFFERS] = "differs",
                                        [VERDICT_PREDICTION] = "prediction" };

/* Which rules of a system that has several ran: as the paper says, or as its code does. */
static const char *state_of(const struct published_result *result)
{
        return scenario_section_table(SECTION_SYSTEM)[SYSTEM_AS].choices[result->as];
}

static void claim_text(const struct published_row *row, char *text, size_t size)
{
        static const char *const words[] = {
                [CLAIM_ABOUT] = "", [CLAIM_AT_MOST] = "<= ", [CLAIM_AT_LEAST] = ">= "
        };
        if (row->claim == CLAIM_WITHHELD)
                snprintf(text, size, "withheld");
        else
                snprintf(text, size, "%s%.4g", words[row->claim], row->value);
}

/* Is there something to say: why it differs, or what a prediction rests on? */
static bool explained(const struct published_row *row, const struct published_result *result)
{
        return row->note && published_judge(row, result) != VERDICT_AGREES;
}

/* A word for programs, and what people want to know next: by which rules, or why not. */
static void verdict_text(const struct published_row *row, const struct published_result *result,
                         char *text, size_t size)
{
        enum published_verdict verdict = published_judge(row, result);
        if (verdict == VERDICT_AGREES && result->as > 0)
                snprintf(text, size, "%s as %s", verdicts[verdict], state_of(result));
        else if (verdict == VERDICT_DIFFERS)
                snprintf(text, size, "%s: %s%s", verdicts[verdict],
                         row->cause  ? row->cause
                         : row->note ? "see below"
                                     : "unknown",
                         published_computed(row, result) ? " (computed)" : "");
        else
                snprintf(text, size, "%s", verdicts[verdict]);
}

/* Relative to what is published, percent; NaN where nothing is. */
static double difference_percent(const struct published_row *row,
                                 const struct published_result *result)
{
        if (row->claim == CLAIM_WITHHELD || row->value == 0)
                return NAN;
        return 100 * (result->value - row->value) / fabs(row->value);
}

/* What it is with what its cause changes, where that comes from, and whether it agrees then. */
static void add_then(struct table *table, const struct published_row *row,
                     const struct published_result *result)
{
        bool any = published_can_compute(row) && published_judge(row, result) == VERDICT_DIFFERS;
        table_number(table, any ? result->then_least : NAN, 4);
        table_number(table, any ? result->then_most : NAN, 4);
        table_text(table, any ? published_froms[row->then.from] : "");
        table_text(table, !any ? "" : published_computed(row, result) ? "yes" : "no");
}

/* How it was read, the spread of the draws, which rules ran, and the texts. */
static void add_rest(struct table *table, const struct published_row *row,
                     const struct published_result *result)
{
        bool given = row->claim != CLAIM_WITHHELD, explains = explained(row, result);
        table_text(table, published_reads[row->read]);
        table_number(table, row->claim == CLAIM_ABOUT ? published_margin(row) : NAN, 3);
        table_number(table, given ? row->value : NAN, 6);
        table_number(table, given && row->value != 0 ? result->value / row->value : NAN, 4);
        table_number(table, result->least, 4);
        table_number(table, result->most, 4);
        table_number(table, result->percentile, 3);
        table_text(table, state_of(result));
        table_text(table, explains && row->cause ? row->cause : "");
        add_then(table, row, result);
        table_text(table, row->reading ? row->reading : "");
        table_text(table, explains ? row->note : "");
}

/* For people without the long texts, which print_reasons() gives. */
static struct table *make_table(const struct report *r, bool whole)
{
        static const char *const names[] = {
                "paper",     "place",     "quantity",   "unit",
                "published", "simulated", "half_ci95",  "difference_percent",
                "verdict",   "read",      "margin",     "value",
                "ratio",     "least",     "most",       "percentile",
                "state",     "cause",     "then_least", "then_most",
                "then_from", "computed",  "reading",    "explanation"
        };
        enum { NAMES = sizeof(names) / sizeof(names[0]), SHORT = 9 };
        struct table *table = table_create(whole ? NAMES : SHORT, names);
        for (int32_t i = 0; table && i < r->published->nrow; i++) {
                const struct published_row *row = &r->published->row[i];
                char claim[48], verdict[160];
                if (!r->wanted[i])
                        continue;
                claim_text(row, claim, sizeof(claim));
                verdict_text(row, &r->result[i], verdict, sizeof(verdict));
                table_row(table);
                table_text(table, row->paper);
                table_word(table, row->place);
                table_text(table, row->quantity);
                table_text(table, row->unit ? row->unit : "");
                table_text(table, claim);
                table_number(table, r->result[i].value, 4);
                table_number(table, r->result[i].half_width, 2);
                table_number(table, difference_percent(row, &r->result[i]), 3);
                table_text(table, verdict);
                if (whole)
                        add_rest(table, row, &r->result[i]);
        }
        return table;
}

static void print_markdown(const struct report *r, FILE *out)
{
        fputs("| paper | place | quantity | published | simulated | difference | verdict |\n"
              "|---|---|---|---|---|---|---|\n",
              out);
        for (int32_t i = 0; i < r->published->nrow; i++) {
                const struct published_row *row = &r->published->row[i];
                const struct published_result *result = &r->result[i];
                char claim[48], verdict[160], change[32] = "";
                if (!r->wanted[i])
                        continue;
                claim_text(row, claim, sizeof(claim));
                verdict_text(row, result, verdict, sizeof(verdict));
                if (isfinite(difference_percent(row, result)))
                        snprintf(change, sizeof(change), "%+.1f %%",
                                 difference_percent(row, result));
                fprintf(out, "| %s | %s | %s%s%s | %s | ", row->paper, row->place, row->quantity,
                        row->unit ? ", " : "", row->unit ? row->unit : "", claim);
                if (isfinite(result->value))
                        fprintf(out, "%.4g", result->value);
                if (isfinite(result->half_width))
                        fprintf(out, " ± %.2g", result->half_width);
                fprintf(out, " | %s | %s |\n", change, verdict);
        }
}

static void print_line(const struct published_row *row, const char *text, const char *title,
                       bool *any, FILE *out)
{
        if (!*any)
                fprintf(out, "\n%s:\n\n", title);
        fprintf(out, "- %s, %s: %s\n", row->place, row->quantity, text);
        *any = true;
}

/* Why they differ or what they rest on, a line for each row with this verdict. */
static void print_reasons(const struct report *r, enum published_verdict verdict, const char *title,
                          FILE *out)
{
        bool any = false;
        for (int32_t i = 0; i < r->published->nrow; i++) {
                const struct published_row *row = &r->published->row[i];
                if (!r->wanted[i] || published_judge(row, &r->result[i]) != verdict)
                        continue;
                if (row->note || verdict == VERDICT_DIFFERS)
                        print_line(row, row->note ? row->note : "no reason is known", title, &any,
                                   out);
        }
}

/* How words were read as numbers. */
static void print_readings(const struct report *r, FILE *out)
{
        bool any = false;
        for (int32_t i = 0; i < r->published->nrow; i++)
                if (r->wanted[i] && r->published->row[i].reading)
                        print_line(&r->published->row[i], r->published->row[i].reading,
                                   "Words of the papers, read as numbers", &any, out);
}

/* Of the rows that have a number: is it met within a tenth, or as well as it could be read? */
static bool near(const struct published_row *row, const struct published_result *result)
{
        return fabs(result->value - row->value) <= fmax(0.1, row->reading_error) * fabs(row->value);
}

/* Published numbers, each once however many states of the rules it is simulated by. */
static void print_numbers(const struct report *r, FILE *out)
{
        int32_t number = 0, met = 0, again = 0;
        bool counts = false;
        for (int32_t i = 0; i < r->published->nrow; i++) {
                const struct published_row *row = &r->published->row[i];
                if (!r->wanted[i] || row->claim != CLAIM_ABOUT)
                        continue;
                bool first = !row->again || !r->wanted[i - 1], is_near = near(row, &r->result[i]);
                counts = counts && !first;
                number += first;
                again += !first;
                met += is_near && !counts;
                counts = counts || is_near;
        }
        if (again)
                fprintf(out,
                        "Of %d numbers, each counted once, %d are met by one state of the rules at "
                        "least.\n",
                        number, met);
}

/* How many agree, and of the others how many do with what their cause changes, by its source. */
static void print_counts(const struct report *r, FILE *out)
{
        int32_t agree = 0, judged = 0, number = 0, close = 0, computed = 0,
                from[FROM_COUNT] = { 0 };
        for (int32_t i = 0; i < r->published->nrow; i++) {
                const struct published_row *row = &r->published->row[i];
                const struct published_result *result = &r->result[i];
                if (!r->wanted[i] || row->claim == CLAIM_WITHHELD)
                        continue;
                judged++;
                agree += published_judge(row, result) == VERDICT_AGREES;
                number += row->claim == CLAIM_ABOUT;
                close += row->claim == CLAIM_ABOUT && near(row, result);
                computed += published_computed(row, result);
                from[row->then.from] += published_computed(row, result);
        }
        fprintf(out,
                "\n%d of %d rows agree (of %d numbers %d are within a tenth or the reading error)",
                agree, judged, number, close);
        fprintf(out, "; of the other %d, %d do with what their cause changes", judged - agree,
                computed);
        for (int i = 0, any = 0; i < FROM_COUNT; i++)
                if (from[i])
                        fprintf(out, "%s%s %d", any++ ? ", " : " (from: ", published_froms[i],
                                from[i]);
        fputs(computed ? ").\n" : ".\n", out);
        print_numbers(r, out);
}

static void print_remarks(const struct report *r, FILE *out)
{
        print_counts(r, out);
        print_reasons(r, VERDICT_DIFFERS, "Why they differ", out);
        print_reasons(r, VERDICT_PREDICTION, "What predictions rest on", out);
}

int report_print(const struct report *r, enum report_format format, FILE *out, struct lb_error *err)
{
        static const enum table_format formats[] = {
                [REPORT_TABLE] = TABLE_TEXT, [REPORT_CSV] = TABLE_CSV, [REPORT_JSON] = TABLE_JSON
        };
        int status = 0;
        if (format == REPORT_MARKDOWN) {
                print_markdown(r, out);
        } else {
                struct table *table = make_table(r, format != REPORT_TABLE);
                status = table ? table_write(table, out, formats[format]) : -1;
                table_destroy(table);
        }
        if (format == REPORT_TABLE || format == REPORT_MARKDOWN)
                print_remarks(r, out);
        if (format == REPORT_MARKDOWN)
                print_readings(r, out);
        if (status < 0 && !ferror(out))
                return lb_error_fail(err, "out of memory for the results");
        return 0;
}

static int name_file(char path[static LB_PATH_SIZE], const char *directory,
                     enum report_format format, struct lb_error *err)
{
        static const char *const endings[] = {
                [REPORT_CSV] = "csv", [REPORT_JSON] = "json", [REPORT_MARKDOWN] = "md"
        };
        return lb_path(path, err, "%s/reproduce.%s", directory, endings[format]);
}

static int write_file(const struct report *r, const char *directory, enum report_format format,
                      struct lb_error *err)
{
        char path[LB_PATH_SIZE];
        struct lb_file file;
        if (name_file(path, directory, format, err) < 0 || lb_file_create(&file, path, err) < 0)
                return -1;
        int status = report_print(r, format, file.stream, err);
        if (status == 0)
                status = lb_file_commit(&file, err);
        lb_file_abandon(&file);
        return status;
}

int report_prepare(const char *directory, struct lb_error *err)
{
        char path[LB_PATH_SIZE];
        if (lb_make_directory(directory, err) < 0 ||
            name_file(path, directory, REPORT_CSV, err) < 0)
                return -1;
        return lb_file_check(path, err);
}

int report_write(const struct report *r, const char *directory, struct lb_error *err)
{
        if (write_file(r, directory, REPORT_CSV, err) < 0 ||
            write_file(r, directory, REPORT_JSON, err) < 0 ||
            write_file(r, directory, REPORT_MARKDOWN, err) < 0)
                return -1;
        return 0;
}
