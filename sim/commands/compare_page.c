/* SPDX-License-Identifier: BSD-3-Clause */
#include "sim/commands/compare_page.h"

#include <string.h>

#include "base/file.h"
#include "plots/page.h"
#include "sim/output/figure_words.h"
#include "sim/output/results_page.h"

/* Of points: the swept values, then both sides in the metric's unit. */
static void head_words(const void *of, const char *name, char text[static PAGE_WORDS_SIZE])
{
        if (strcmp(name, "a") == 0 || strcmp(name, "b") == 0)
                figure_unit_words(*name == 'a' ? "A" : "B", of, text);
        else
                figure_axis_words(name, text);
}

static int write_page(const struct compare_page *page, FILE *out, struct lb_error *err)
{
        char text[1024];
        char *const word[] = { (char *)page->directory[0], (char *)page->directory[1], "--metric",
                               (char *)page->metric, NULL };
        page_begin(out, "Two folders of results, compared");
        page_lead(out, page->verdict);
        snprintf(
            text, sizeof(text),
            "A is %.300s, B is %.300s. Runs of equal seed saw the same work and are compared "
            "in pairs; a point has changed where the 95 %% interval of the difference does not "
            "hold zero. The change is that of B over A.",
            page->directory[0], page->directory[1]);
        page_text(out, text);
        page_heading(out, "Points that differ");
        if (page_of_table(out, page->table, head_words, page->metric) < 0)
                return lb_error_fail(err, "out of memory for the page");
        for (int i = 0; i < 2; i++) {
                page_heading(out, i == 0 ? "Figures of A" : "Figures of B");
                results_page_figures(out, page->directory[i], 1000 * i);
        }
        page_heading(out, "How to repeat it");
        if (page_command(out, "lbsim compare ", word) < 0)
                return lb_error_fail(err, "out of memory for the page");
        page_script(out);
        page_end(out);
        return 0;
}

int compare_page_write(const struct compare_page *page, const char *path, struct lb_error *err)
{
        struct lb_file file;
        if (lb_file_create(&file, path, err) < 0)
                return -1;
        int status = write_page(page, file.stream, err);
        if (status == 0)
                status = lb_file_commit(&file, err);
        lb_file_abandon(&file);
        return status;
}
