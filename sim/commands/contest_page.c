/* SPDX-License-Identifier: BSD-3-Clause */
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/option.h"
#include "plots/page.h"
#include "sim/commands/contest.h"
#include "sim/output/figure_words.h"

static const char reading[] =
    "Runs of equal seed saw the same work and are compared in pairs. A win or a loss is a case in "
    "which the 95 % interval of the difference does not hold zero, as that of one case in twenty "
    "does by chance where nothing differs; changes are in per cent of the other system's.";

/* Both sides in the metric's unit. */
static void head_words(const void *of, const char *name, char text[static PAGE_WORDS_SIZE])
{
        bool ours = strcmp(name, "ours") == 0;
        if (ours || strcmp(name, "theirs") == 0)
                figure_unit_words(ours ? "Ours" : "Theirs", of, text);
        else
                figure_axis_words(name, text);
}

static int write_table(FILE *out, const struct contest *contest, const char *heading,
                       struct table *table)
{
        page_heading(out, heading);
        int status = table ? page_of_table(out, table, head_words, contest->metric_name) : -1;
        table_destroy(table);
        return status;
}

/* A bar for each of the others: cases won, in pale those that are alike. */
static void draw_tallies(FILE *out, const struct contest *contest)
{
        struct page_bar bar[CONTEST_SYSTEMS_MAX];
        char note[CONTEST_SYSTEMS_MAX][64], title[80];
        for (int32_t s = 1; s < contest->nsystem; s++) {
                struct contest_tally t = contest_tally(contest, s);
                snprintf(note[s], sizeof(note[s]), "%d won, %d alike, %d lost", t.wins, t.same,
                         t.losses);
                bar[s] =
                    (struct page_bar){ contest->system[s], note[s], 0, t.wins, t.wins + t.same, 3 };
        }
        snprintf(title, sizeof(title), "Cases won, and in pale those alike, of %d", contest->ncase);
        page_bars(out, title, "", bar + 1, contest->nsystem - 1);
}

/* How far it is behind, where it is. */
static void draw_distances(FILE *out, const struct contest *contest)
{
        double *behind = malloc((size_t)contest->ncase * sizeof(*behind));
        for (int32_t i = 0; behind && i < contest->ncase; i++)
                behind[i] = contest_behind(contest, i);
        if (behind)
                page_histogram(out, "How many cases are how far behind the best system", "%",
                               behind, contest->ncase);
        free(behind);
}

static int write_page(const struct contest *contest, const struct lb_call *call, FILE *out,
                      struct lb_error *err)
{
        char text[1024];
        contest_title(contest, text, sizeof(text));
        page_begin(out, text);
        contest_place(contest, text, sizeof(text));
        page_lead(out, text);
        page_text(out, reading);
        draw_tallies(out, contest);
        draw_distances(out, contest);
        char metric[FIGURE_WORDS_SIZE];
        figure_axis_words(contest->metric_name, metric);
        snprintf(text, sizeof(text), "Against each system, by: %s", metric);
        if (write_table(out, contest, text, contest_summary(contest)) < 0 ||
            write_table(out, contest, "What it costs, means over all runs",
                        contest_costs(contest)) < 0 ||
            write_table(out, contest, "Case by case", contest_cases(contest)) < 0)
                return lb_error_fail(err, "out of memory for the page");
        page_heading(out, "How to repeat it");
        if (page_command(out, "lbsim ", call->argv) < 0)
                return lb_error_fail(err, "out of memory for the page");
        page_script(out);
        page_end(out);
        return 0;
}

int contest_page_write(const struct contest *contest, const struct lb_call *call, const char *path,
                       struct lb_error *err)
{
        struct lb_file file;
        if (lb_file_create(&file, path, err) < 0)
                return -1;
        int status = write_page(contest, call, file.stream, err);
        if (status == 0)
                status = lb_file_commit(&file, err);
        lb_file_abandon(&file);
        return status;
}
