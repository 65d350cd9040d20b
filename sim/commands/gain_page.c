/* SPDX-License-Identifier: BSD-3-Clause */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/file.h"
#include "plots/page.h"
#include "sim/commands/gain_measured.h"

/* The answer as a page: the verdict, where the time goes, the loads, the systems side by side. */

enum { LINE_SIZE = 512, NAME_SIZE = 96, NOTE_SIZE = 64 };

static void write_waterfall(const struct gain_advice *a, FILE *out)
{
        const struct gain_parts *p = &a->parts;
        const struct {
                const char *name;
                double length_s;
                int group;
        } step[] = {
                { "other waiting", p->rest_s, 5 },
                { p->transfer_known ? "communication" : "communication, at most", p->transfer_s,
                  4 },
                { "imbalance within nodes", p->within_s, 1 },
                { "imbalance between nodes", p->between_s, 2 },
        };
        enum { NSTEP = sizeof(step) / sizeof(step[0]) };
        struct page_bar bar[NSTEP + 2];
        char note[NSTEP + 2][NOTE_SIZE];
        double at_s = p->wall_s;
        bar[0] =
            (struct page_bar){ p->wall_known ? "measured" : "computing", note[0], 0, at_s, 0, 0 };
        for (int i = 0; i < NSTEP; i++) {
                double to_s = at_s - step[i].length_s;
                bar[i + 1] =
                    (struct page_bar){ step[i].name,     note[i + 1], fmax(0, fmin(at_s, to_s)),
                                       fmax(at_s, to_s), 0,           step[i].group };
                snprintf(note[i + 1], NOTE_SIZE, "%.1f %%", 100 * step[i].length_s / p->wall_s);
                at_s = to_s;
        }
        bar[NSTEP + 1] =
            (struct page_bar){ "bound: all work, all cores", note[NSTEP + 1], 0, p->bound_s, 0, 3 };
        snprintf(note[0], NOTE_SIZE, "%.4g s", p->wall_s);
        snprintf(note[NSTEP + 1], NOTE_SIZE, "%.4g s", p->bound_s);
        page_bars(out, "From the measured time to the bound", "s", bar, NSTEP + 2);
}

/* ranks x windows, where the loads have windows x ranks */
static int write_heat(const struct gain_advice *a, FILE *out, struct lb_error *err)
{
        int64_t nrank = a->loads.nrank, nwindow = a->loads.nwindow;
        double *value = calloc((size_t)(nrank * nwindow), sizeof(*value));
        if (!value)
                return lb_error_fail(err, "out of memory for the page");
        for (int64_t w = 0; w < nwindow; w++)
                for (int64_t r = 0; r < nrank; r++)
                        value[r * nwindow + w] = a->loads.load_s[w * nrank + r];
        struct page_heat heat = { .title = "Load of the ranks over time",
                                  .rows = "rank",
                                  .columns = "s",
                                  .unit = "s",
                                  .value = value,
                                  .nrow = nrank,
                                  .ncolumn = nwindow,
                                  .column_width = a->parts.wall_s / (double)nwindow };
        if (a->m->nwindow > 0)
                page_heat(out, &heat);
        else
                page_text(out,
                          "This measurement has no windows: loads are those of the whole run.");
        free(value);
        page_histogram(out, "How many ranks have which load", "s", a->loads.total_s, nrank);
        return 0;
}

/* ---- Systems ---- */

static void name_outcome(const struct gain_outcome *o, char name[static NAME_SIZE])
{
        char degree[32] = "";
        if (o->degree > 1)
                snprintf(degree, sizeof(degree), ", degree %" PRId32, o->degree);
        snprintf(name, NAME_SIZE, "%s%s%s%s", o->name, o->placed ? ", placed" : "",
                 o->joined > 1 ? ", joined" : "", degree);
}

static void fill_bar(const struct gain_advice *a, const struct gain_outcome *o,
                     struct page_bar *bar, char *name, char *note)
{
        double freed = (double)a->cores * a->loads.nnode - o->cores;
        name_outcome(o, name);
        if (freed >= 0.5)
                snprintf(note, NOTE_SIZE, "%.4g s, %.3g cores free", o->most_s, freed);
        else
                snprintf(note, NOTE_SIZE, "%.4g to %.4g s", o->least_s, o->most_s);
        *bar = (struct page_bar){ name, note, 0, o->least_s, o->most_s, (int)o->kind };
}

static void write_bars(const struct gain_advice *a, FILE *out)
{
        enum { NBAR = GAIN_OUTCOME_MAX + GAIN_REMEDY_MAX + 1 };
        static char name[NBAR][NAME_SIZE], note[NBAR][NOTE_SIZE];
        struct page_bar bar[NBAR];
        int32_t n = 0;
        bar[n] = (struct page_bar){ "as it is, simulated", note[n], 0, a->baseline_s, 0, 5 };
        snprintf(note[n], NOTE_SIZE, "%.4g s", a->baseline_s);
        n++;
        for (int32_t i = 0; i < a->nremedy; i++, n++)
                fill_bar(a, &a->remedy[i], &bar[n], name[n], note[n]);
        for (int32_t i = 0; i < a->noutcome; i++, n++)
                fill_bar(a, &a->outcome[i], &bar[n], name[n], note[n]);
        page_bars(out, "Predicted time: least, and in pale up to the most", "s", bar, n);
        page_text(out, "Blue: without a system. Orange: ranks as they are. Red: programs whose "
                       "threads may change. Green: programs ported to tasks. Placed: heavy ranks "
                       "beside light ones. Joined: one rank a node with all of its cores.");
}

static void write_table(const struct gain_advice *a, FILE *out)
{
        static const char *const columns[] = { "for", "what", "least s", "most s", "asks for" };
        static char text[GAIN_OUTCOME_MAX + GAIN_REMEDY_MAX][3][NAME_SIZE];
        const char *cell[(GAIN_OUTCOME_MAX + GAIN_REMEDY_MAX) * 5];
        int32_t n = a->nremedy + a->noutcome;
        for (int32_t i = 0; i < n; i++) {
                const struct gain_outcome *o =
                    i < a->nremedy ? &a->remedy[i] : &a->outcome[i - a->nremedy];
                name_outcome(o, text[i][0]);
                snprintf(text[i][1], NAME_SIZE, "%.4g", o->least_s);
                snprintf(text[i][2], NAME_SIZE, "%.4g", o->most_s);
                const char *row[] = { gain_kind_name(o->kind), text[i][0], text[i][1], text[i][2],
                                      o->asks };
                for (int32_t c = 0; c < 5; c++)
                        cell[5 * i + c] = row[c];
        }
        page_table(out, columns, 5, cell, n);
}

static int write_page(const struct gain_advice *a, FILE *out, struct lb_error *err)
{
        char line[LINE_SIZE], more[LINE_SIZE + NAME_SIZE];
        page_begin(out, "Is it out of balance, and what would balancing gain?");
        gain_verdict_line(a, line, sizeof(line));
        page_lead(out, line);
        snprintf(more, sizeof(more),
                 "%s: %" PRId32 " ranks of %" PRId32 " threads on %" PRId32 " nodes (%s).", a->path,
                 a->loads.nrank, a->loads.threads, a->loads.nnode, a->m->format);
        page_text(out, more);
        write_waterfall(a, out);
        if (write_heat(a, out, err) < 0)
                return -1;
        page_heading(out, "What would change it");
        if (a->predicted) {
                write_bars(a, out);
                write_table(a, out);
                page_text(out, "No system runs this program as it is: lbrun moves the tasks of "
                               "ported programs.");
                gain_assumption(a, line, sizeof(line));
                snprintf(more, sizeof(more), "Assumed above all: %s.", line);
        } else {
                snprintf(more, sizeof(more), "No prediction: %s.", a->why_not);
        }
        page_text(out, more);
        gain_next(a, line, sizeof(line));
        snprintf(more, sizeof(more), "Next: %s", line);
        page_text(out, more);
        page_end(out);
        return 0;
}

int gain_page_write(const struct gain_advice *a, const char *path, struct lb_error *err)
{
        struct lb_file file;
        if (lb_file_create(&file, path, err) < 0)
                return -1;
        if (write_page(a, file.stream, err) == 0)
                return lb_file_commit(&file, err);
        lb_file_abandon(&file);
        return -1;
}
