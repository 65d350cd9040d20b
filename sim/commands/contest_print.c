/* SPDX-License-Identifier: BSD-3-Clause */
#include "sim/commands/contest.h"

#include <math.h>
#include <string.h>

#include "base/json_write.h"
#include "base/text.h"

/* What a policy costs, beside its time. */
static const enum metric costs[] = {
        METRIC_DECISIONS,       METRIC_OWNERSHIP_CHANGES, METRIC_OFFLOADED_FRACTION,
        METRIC_OFFLOADED_BYTES, METRIC_HELPER_RANKS,      METRIC_ENERGY_PER_ITERATION_J,
};
enum { COST_COUNT = sizeof(costs) / sizeof(costs[0]) };

struct contest_tally contest_tally(const struct contest *c, int32_t s)
{
        struct contest_tally t = { .best = -1, .worst = -1 };
        double sign = c->larger ? -1 : 1;
        for (int32_t i = 0; i < c->ncase; i++) {
                const struct paired *p = &c->cases[i].pair[s];
                double worse = sign * p->percent;
                if (p->npair == 0)
                        continue;
                t.same += !p->changed;
                t.wins += p->changed && worse < 0;
                t.losses += p->changed && worse >= 0;
                if (p->changed && worse < 0 &&
                    (t.best < 0 || worse < sign * c->cases[t.best].pair[s].percent))
                        t.best = i;
                if (p->changed && worse >= 0 &&
                    (t.worst < 0 || worse > sign * c->cases[t.worst].pair[s].percent))
                        t.worst = i;
        }
        return t;
}

static void put_extreme(struct table *table, const struct contest *c, int32_t at, int32_t s)
{
        table_number(table, at < 0 ? NAN : c->cases[at].pair[s].percent, 3);
        table_text(table, at < 0 ? "" : c->cases[at].name);
}

struct table *contest_summary(const struct contest *c)
{
        static const char *const name[] = { "against",       "wins",         "losses",
                                            "same",          "best_percent", "best_case",
                                            "worst_percent", "worst_case" };
        struct table *table = table_create(8, name);
        for (int32_t s = 1; table && s < c->nsystem; s++) {
                struct contest_tally t = contest_tally(c, s);
                table_row(table);
                table_text(table, c->system[s]);
                table_number(table, t.wins, 6);
                table_number(table, t.losses, 6);
                table_number(table, t.same, 6);
                put_extreme(table, c, t.best, s);
                put_extreme(table, c, t.worst, s);
        }
        return table;
}

struct table *contest_cases(const struct contest *c)
{
        static const char *const name[] = { "case", "against",        "pairs",  "theirs",
                                            "ours", "change_percent", "verdict" };
        struct table *table = table_create(7, name);
        for (int32_t i = 0; table && i < c->ncase; i++)
                for (int32_t s = 1; s < c->nsystem; s++) {
                        const struct paired *p = &c->cases[i].pair[s];
                        double n = (double)p->npair;
                        if (p->npair == 0)
                                continue;
                        table_row(table);
                        table_text(table, c->cases[i].name);
                        table_text(table, c->system[s]);
                        table_number(table, n, 6);
                        table_number(table, p->sum[0] / n, 4);
                        table_number(table, p->sum[1] / n, 4);
                        table_number(table, p->percent, 3);
                        table_text(table, paired_verdict(p, c->larger));
                }
        return table;
}

struct table *contest_costs(const struct contest *c)
{
        const char *name[COST_COUNT + 1] = { "system" };
        for (int m = 0; m < COST_COUNT; m++)
                name[m + 1] = metric_table[costs[m]].name;
        struct table *table = table_create(COST_COUNT + 1, name);
        for (int32_t s = 0; table && s < c->nsystem; s++) {
                table_row(table);
                table_text(table, c->system[s]);
                for (int m = 0; m < COST_COUNT; m++) {
                        int64_t n = c->ncost[s][costs[m]];
                        table_number(table, n ? c->cost[s][costs[m]] / (double)n : NAN, 4);
                }
        }
        return table;
}

/* The best system of a case by its mean, or -1. */
static int32_t best_of(const struct contest *c, int32_t i)
{
        int32_t best = -1;
        for (int32_t s = 0; s < c->nsystem; s++) {
                double value = c->cases[i].time_s[s];
                if (isfinite(value) &&
                    (best < 0 || (value < c->cases[i].time_s[best]) != c->larger))
                        best = s;
        }
        return best;
}

double contest_behind(const struct contest *c, int32_t i)
{
        int32_t best = best_of(c, i);
        if (best < 0)
                return NAN;
        double ours = c->cases[i].time_s[0], theirs = c->cases[i].time_s[best];
        if (theirs == 0)
                return ours == 0 ? 0 : INFINITY;
        return 100 * fabs(ours / theirs - 1);
}

/* By the pairs: better than every other system, than none that is better, or than some not. */
enum place { PLACE_NONE = 0, PLACE_FIRST, PLACE_LEVEL, PLACE_BEHIND };

static enum place place_of(const struct contest *c, int32_t i)
{
        enum place place = PLACE_NONE;
        for (int32_t s = 1; s < c->nsystem; s++) {
                const struct paired *p = &c->cases[i].pair[s];
                bool worse = (c->larger ? -p->percent : p->percent) >= 0;
                enum place here = !p->changed ? PLACE_LEVEL : worse ? PLACE_BEHIND : PLACE_FIRST;
                if (p->npair > 0 && here > place)
                        place = here;
        }
        return place;
}

void contest_title(const struct contest *c, char *text, size_t size)
{
        snprintf(text, size, "%.100s against %d system%s on %d case%s", c->system[0],
                 c->nsystem - 1, lb_s(c->nsystem - 1), c->ncase, lb_s(c->ncase));
}

void contest_place(const struct contest *c, char *text, size_t size)
{
        int32_t first = 0, level = 0, worst = -1;
        double most = 0;
        for (int32_t i = 0; i < c->ncase; i++) {
                enum place place = place_of(c, i);
                double behind = contest_behind(c, i);
                first += place == PLACE_FIRST;
                level += place == PLACE_LEVEL;
                if (place == PLACE_BEHIND && behind > most) {
                        most = behind;
                        worst = i;
                }
        }
        snprintf(text, size, "Best of all on %d of %d case%s", first, c->ncase, lb_s(c->ncase));
        if (level > 0)
                lb_text_add(text, size, ", level with the best on %d", level);
        if (worst >= 0 && isinf(most))
                lb_text_add(text, size, "; farthest from the best on %s: %.3g, %s has 0",
                            c->cases[worst].name, c->cases[worst].time_s[0],
                            c->system[best_of(c, worst)]);
        else if (worst >= 0)
                lb_text_add(text, size, "; farthest from the best on %s: %.3g %% behind %s",
                            c->cases[worst].name, most, c->system[best_of(c, worst)]);
        lb_text_add(text, size, ".");
}

static int print_text(const struct contest *c, struct table *const *table, FILE *out)
{
        char title[256], place[512];
        contest_place(c, place, sizeof(place));
        contest_title(c, title, sizeof(title));
        fprintf(out, "%s, by %s\n\n", title, c->metric_name);
        if (table_write(table[0], out, TABLE_TEXT) < 0)
                return -1;
        fprintf(out, "\n%s\n", place);
        fputs("\nWhat it costs, means over all runs:\n", out);
        if (table_write(table[2], out, TABLE_TEXT) < 0)
                return -1;
        fputs("\nCase by case:\n", out);
        return table_write(table[1], out, TABLE_TEXT);
}

static int print_json(const struct contest *c, struct table *const *table, FILE *out)
{
        static const char *const name[] = { "summary", "cases", "costs" };
        fputs("{ \"policy\": ", out);
        lb_json_write_string(out, c->system[0]);
        fputs(", \"metric\": ", out);
        lb_json_write_string(out, c->metric_name);
        int status = 0;
        for (int i = 0; status == 0 && i < 3; i++) {
                fprintf(out, ",\n\"%s\": ", name[i]);
                status = table_write(table[i], out, TABLE_JSON);
        }
        fputs("}\n", out);
        return status;
}

int contest_print(const struct contest *c, enum table_format format, FILE *out,
                  struct lb_error *err)
{
        struct table *table[] = { contest_summary(c), contest_cases(c), contest_costs(c) };
        int status = table[0] && table[1] && table[2] ? 0 : -1;
        if (status == 0 && format == TABLE_JSON)
                status = print_json(c, table, out);
        else if (status == 0 && format == TABLE_CSV)
                status = table_write(table[1], out, TABLE_CSV);
        else if (status == 0)
                status = print_text(c, table, out);
        for (int i = 0; i < 3; i++)
                table_destroy(table[i]);
        return status == 0 || ferror(out) ? 0 : lb_error_fail(err, "out of memory");
}
