/* SPDX-License-Identifier: BSD-3-Clause */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/text.h"
#include "plots/page.h"
#include "sim/commands/gain_measured.h"

/* The answer as a page: the verdict, where the time goes, the loads, the systems side by side. */

enum { LINE_SIZE = 512 + MEASURED_LAUNCH_SIZE, NAME_SIZE = 96, NOTE_SIZE = 64, RANGE_SIZE = 56 };

static void write_waterfall(const struct gain_advice *a, FILE *out)
{
        const struct gain_parts *p = &a->parts;
        const struct {
                const char *name;
                double length_s;
                int group;
        } step[] = {
                { "other waiting", p->rest_s, 5 },
                { p->transfer_known      ? "communication"
                  : gain_is_shared(a->m) ? "communication, not known"
                                         : "communication, at most",
                  p->transfer_s, 4 },
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
            (struct page_bar){ gain_all_cores_s(a) < p->bound_s ? "bound: all work, cores in use"
                                                                : "bound: all work, all cores",
                               note[NSTEP + 1],
                               0,
                               p->bound_s,
                               0,
                               3 };
        snprintf(note[0], NOTE_SIZE, "%.4g s", p->wall_s);
        snprintf(note[NSTEP + 1], NOTE_SIZE, "%.4g s", p->bound_s);
        page_bars(out, "From the measured time to the bound", "s", bar, NSTEP + 2);
}

/* ranks x windows, where the loads have windows x ranks */
static int write_heat(const struct gain_advice *a, FILE *out, struct lb_error *err)
{
        int64_t nrank = a->loads.nrank, nwindow = a->loads.nwindow;
        bool iterations = a->m->by_iteration;
        double *value = calloc((size_t)(nrank * nwindow), sizeof(*value));
        if (!value)
                return lb_error_fail(err, "out of memory for the page");
        for (int64_t w = 0; w < nwindow; w++)
                for (int64_t r = 0; r < nrank; r++)
                        value[r * nwindow + w] = a->loads.load_s[w * nrank + r];
        struct page_heat heat = { .title = iterations ? "Load of the ranks by iteration"
                                                      : "Load of the ranks over time",
                                  .rows = "rank",
                                  .columns = iterations ? "iterations" : "s",
                                  .unit = "s",
                                  .value = value,
                                  .nrow = nrank,
                                  .ncolumn = nwindow,
                                  .column_width =
                                      iterations ? 0 : a->parts.wall_s / (double)nwindow };
        if (a->m->nwindow > 0)
                page_heat(out, &heat);
        else
                page_text(out,
                          "This measurement has no windows: loads are those of the whole run.");
        free(value);
        page_histogram(out, "How many ranks have which load", "s", a->loads.total_s, nrank);
        return 0;
}

/* ---- Call sites ---- */

enum { SITES_MOST = 20, SITE_COLUMNS = 6 };

static void number_text(char text[static 32], int digits, double value)
{
        snprintf(text, 32, "%s", "");
        if (isfinite(value))
                snprintf(text, 32, "%.*f", digits, value);
}

static void write_sites(const struct gain_advice *a, FILE *out)
{
        static const char *const columns[SITE_COLUMNS] = { "load before, s", "imbalance",
                                                           "in the call, s", "calls",
                                                           "call",           "where" };
        int32_t n = a->m->nsite < SITES_MOST ? a->m->nsite : SITES_MOST;
        if (n == 0)
                return;
        page_heading(out, "Where it calls MPI");
        page_text(out, "The work of all ranks that leads up to each call, heaviest first: much of "
                       "it, and unevenly spread, is what to turn into tasks.");
        page_table_begin(out, columns, SITE_COLUMNS);
        for (int32_t i = 0; i < n; i++) {
                const struct measured_site *site = &a->m->site[i];
                char calls[32], before[32], imbalance[32], inside[32];
                number_text(calls, 0, site->calls);
                number_text(before, 3, site->load_before_s);
                number_text(imbalance, 2, site->imbalance_before);
                number_text(inside, 3, site->mpi_s);
                const char *const cell[SITE_COLUMNS] = { before, imbalance,  inside,
                                                         calls,  site->call, site->place };
                page_table_row(out, cell, SITE_COLUMNS);
        }
        page_table_end(out);
}

/* ---- Systems ---- */

static void name_outcome(const struct gain_outcome *o, int32_t measured_nodes,
                         char name[static NAME_SIZE])
{
        char degree[32] = "", nodes[32] = "";
        if (o->nodes != measured_nodes)
                snprintf(nodes, sizeof(nodes), ", %" PRId32 " node%s", o->nodes, lb_s(o->nodes));
        if (o->degree > 1)
                snprintf(degree, sizeof(degree), ", degree %" PRId32, o->degree);
        snprintf(name, NAME_SIZE, "%s%s%s%s%s", o->name, o->placed ? ", placed" : "",
                 o->joined > 1 ? ", joined" : "", degree, nodes);
}

/* "7.5 to 10", or the one where they are alike as far as they are shown. */
static void put_range(double least, double most, char text[static RANGE_SIZE])
{
        char one[24], other[24];
        snprintf(one, sizeof(one), "%.4g", least);
        snprintf(other, sizeof(other), "%.4g", most);
        bool alike = strcmp(one, other) == 0;
        snprintf(text, RANGE_SIZE, "%s%s%s", one, alike ? "" : " to ", alike ? "" : other);
}

static void fill_bar(const struct gain_advice *a, const struct gain_outcome *o,
                     struct page_bar *bar, char *name, char *note)
{
        char range[RANGE_SIZE];
        double freed = gain_freed(a, o);
        name_outcome(o, a->loads.nnode, name);
        put_range(o->least_s, o->most_s, range);
        if (freed >= 0.5)
                snprintf(note, NOTE_SIZE, "%.4g s, %.3g core%s free", o->most_s, freed,
                         lb_s(freed));
        else
                snprintf(note, NOTE_SIZE, "%s s", range);
        *bar = (struct page_bar){ name, note, 0, o->least_s, o->most_s, (int)o->kind };
}

/* Of several degrees the best alone: the table has all. */
static bool is_best_degree(const struct gain_advice *a, const struct gain_outcome *o)
{
        for (int32_t i = 0; i < a->noutcome; i++) {
                const struct gain_outcome *other = &a->outcome[i];
                if (other->system == o->system && other->nodes == o->nodes &&
                    other->placed == o->placed && other->joined == o->joined &&
                    (other->most_s < o->most_s || (other->most_s <= o->most_s && other < o)))
                        return false;
        }
        return true;
}

struct bars {
        struct page_bar *bar;
        char (*name)[NAME_SIZE], (*note)[NOTE_SIZE];
        int32_t count;
};

static void add_bar(struct bars *b, const struct gain_advice *a, const struct gain_outcome *o)
{
        int32_t n = b->count++;
        fill_bar(a, o, &b->bar[n], b->name[n], b->note[n]);
}

static void fill_bars(struct bars *b, const struct gain_advice *a)
{
        b->bar[0] = (struct page_bar){ "as it is, simulated", b->note[0], 0, a->baseline_s, 0, 5 };
        snprintf(b->note[0], NOTE_SIZE, "%.4g s", a->baseline_s);
        b->count = 1;
        for (int32_t i = 0; i < a->nremedy; i++)
                add_bar(b, a, &a->remedy[i]);
        for (int32_t i = 0; i < a->noutcome; i++)
                if (is_best_degree(a, &a->outcome[i]))
                        add_bar(b, a, &a->outcome[i]);
}

static int write_bars(const struct gain_advice *a, FILE *out, struct lb_error *err)
{
        size_t most = (size_t)a->noutcome + (size_t)a->nremedy + 1;
        struct bars b = { .bar = calloc(most, sizeof(*b.bar)),
                          .name = calloc(most, sizeof(*b.name)),
                          .note = calloc(most, sizeof(*b.note)) };
        bool fine = b.bar && b.name && b.note;
        if (fine) {
                fill_bars(&b, a);
                page_bars(out, "Predicted time: least, and in pale up to the most", "s", b.bar,
                          b.count);
                page_text(out, "Blue: without a system. Orange: ranks as they are. Red: programs "
                               "whose threads may change. Green: programs ported to tasks; the "
                               "best degree of each. Placed: heavy ranks beside light ones. "
                               "Joined: one rank a node with all of its cores.");
        }
        free(b.bar);
        free(b.name);
        free(b.note);
        return fine ? 0 : lb_error_fail(err, "out of memory for the page");
}

/* What a row of the table says, ready to be shown. */
struct row {
        char name[NAME_SIZE], nodes[16], least[32], most[32], less[RANGE_SIZE], freed[32];
};

static void fill_row(const struct gain_advice *a, const struct gain_outcome *o, struct row *row)
{
        name_outcome(o, o->nodes, row->name);
        snprintf(row->nodes, sizeof(row->nodes), "%" PRId32, o->nodes);
        snprintf(row->least, sizeof(row->least), "%.4g", o->least_s);
        snprintf(row->most, sizeof(row->most), "%.4g", o->most_s);
        put_range(round(gain_less_percent(a, o->most_s)) + 0.0,
                  round(gain_less_percent(a, o->least_s)) + 0.0, row->less);
        snprintf(row->freed, sizeof(row->freed), "%.3g", round(10 * gain_freed(a, o)) / 10 + 0.0);
}

enum { NCOLUMN = 9 };

static void write_table(const struct gain_advice *a, FILE *out)
{
        static const char *const columns[NCOLUMN] = { "for",         "what",   "nodes",
                                                      "least s",     "most s", "less time, %",
                                                      "cores freed", "live",   "asks for" };
        page_table_begin(out, columns, NCOLUMN);
        for (int32_t i = 0; i < a->nremedy + a->noutcome; i++) {
                const struct gain_outcome *o =
                    i < a->nremedy ? &a->remedy[i] : &a->outcome[i - a->nremedy];
                struct row row;
                fill_row(a, o, &row);
                const char *const cell[NCOLUMN] = { gain_kind_name(o->kind),
                                                    row.name,
                                                    row.nodes,
                                                    row.least,
                                                    row.most,
                                                    row.less,
                                                    row.freed,
                                                    gain_live(o),
                                                    o->asks };
                page_table_row(out, cell, NCOLUMN);
        }
        page_table_end(out);
}

/* A paragraph, where there is something to say. */
static void write_line(const struct gain_advice *a, const char *before,
                       void (*say)(const struct gain_advice *a, char *line, size_t size), FILE *out)
{
        char line[LINE_SIZE], more[2 * LINE_SIZE];
        say(a, line, sizeof(line));
        snprintf(more, sizeof(more), "%s%s", before, line);
        if (line[0])
                page_text(out, more);
}

static void write_answer(const struct gain_advice *a, FILE *out)
{
        char line[LINE_SIZE], more[2 * LINE_SIZE];
        gain_verdict_line(a, line, sizeof(line));
        page_lead(out, line);
        write_line(a, "", gain_turns_line, out);
        write_line(a, "", gain_outside_line, out);
        write_line(a, "", gain_unused_line, out);
        snprintf(more, sizeof(more),
                 "%s%s%s: %" PRId32 " rank%s of %" PRId32 " thread%s on %" PRId32 " node%s (%s).",
                 a->m->program, a->m->program[0] ? ", " : "", a->path, a->loads.nrank,
                 lb_s(a->loads.nrank), a->loads.threads, lb_s(a->loads.threads), a->loads.nnode,
                 lb_s(a->loads.nnode), a->m->format);
        page_text(out, more);
        write_line(a, "", gain_nodes_line, out);
}

static int write_prediction(const struct gain_advice *a, FILE *out, struct lb_error *err)
{
        char line[LINE_SIZE], more[2 * LINE_SIZE];
        if (!a->predicted) {
                snprintf(more, sizeof(more), "No prediction: %s.", a->why_not);
                page_text(out, more);
                return 0;
        }
        if (write_bars(a, out, err) < 0)
                return -1;
        write_table(a, out);
        write_line(a, "", gain_regions_line, out);
        page_text(out, gain_what_runs);
        gain_machine_line(&a->machine, a->platform, a->extent.costs, line, sizeof(line));
        snprintf(more, sizeof(more), "The %s.", line);
        page_text(out, more);
        gain_assumption(a, line, sizeof(line));
        snprintf(more, sizeof(more), "Assumed above all: %s.", line);
        page_text(out, more);
        return 0;
}

static int write_next(const struct gain_advice *a, FILE *out, struct lb_error *err)
{
        struct lb_text text;
        struct gain_next next;
        if (gain_next(a, &next, err) < 0)
                return -1;
        FILE *line = lb_text_begin(&text);
        if (line && next.command)
                fprintf(line, "Next: %s (%s)", next.command, next.remark);
        else if (line)
                fprintf(line, "Next: %s", next.remark);
        free(next.command);
        char *more = lb_text_end(&text);
        if (!more)
                return lb_error_fail(err, "out of memory");
        page_text(out, more);
        free(more);
        write_line(a, "As it is, the best runs as: ", gain_as_it_is, out);
        write_line(a, "Ported, the best runs as: ", gain_ported, out);
        return 0;
}

static int write_page(const struct gain_advice *a, FILE *out, struct lb_error *err)
{
        page_begin(out, "Is it out of balance, and what would balancing gain?");
        write_answer(a, out);
        write_waterfall(a, out);
        if (write_heat(a, out, err) < 0)
                return -1;
        write_sites(a, out);
        page_heading(out, "What would change it");
        if (write_prediction(a, out, err) < 0)
                return -1;
        if (write_next(a, out, err) < 0)
                return -1;
        page_script(out);
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
