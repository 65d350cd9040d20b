/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What deciding costs: time over the bound by number of nodes, for every way that decisions are
 * paid and divided (ICPP'22, 5.4.2), and how many decisions there were (plots/policy_cost.gp).
 */
#include <math.h>
#include <string.h>

#include "base/text.h"
#include "sim/output/figure_dots.h"
#include "sim/output/figure_impl.h"
#include "sim/output/figure_words.h"

enum { WAYS_MAX = 64 };

struct ways {
        int count;
        char words[WAYS_MAX][FIGURE_WORDS_SIZE];
};

static bool of_way(const char *path)
{
        return strcmp(path, "platform.nodes") != 0;
}

/* The place of a text among those before, or of a new one. */
static int place_of(struct ways *ways, const char *words)
{
        int i = 0;
        while (i < ways->count && strcmp(ways->words[i], words) != 0)
                i++;
        if (i == ways->count && i < WAYS_MAX)
                snprintf(ways->words[ways->count++], FIGURE_WORDS_SIZE, "%s", words);
        return i;
}

static bool refuse(const struct scenario *scenario, const struct figure_rows *rows, char *why,
                   size_t size)
{
        struct ways ways = { 0 };
        for (int64_t i = 0; i < rows->nrow; i++) {
                char words[FIGURE_WORDS_SIZE], other[FIGURE_WORDS_SIZE];
                figure_point_words(scenario, rows->row[i].point, of_way, words);
                if (place_of(&ways, words) == WAYS_MAX) {
                        snprintf(why, size, "it has room for %d ways of deciding", WAYS_MAX);
                        return true;
                }
                for (int64_t j = 0; j < i; j++) {
                        figure_point_words(scenario, rows->row[j].point, of_way, other);
                        if (rows->row[i].nodes != rows->row[j].nodes || strcmp(words, other) != 0)
                                continue;
                        snprintf(why, size, "two points are '%.150s' on %d nodes", words,
                                 rows->row[i].nodes);
                        return true;
                }
        }
        return false;
}

static void write_data(FILE *out, const struct figure_input *input)
{
        static const char *const metrics[] = { "ratio_to_optimal", "decisions" };
        struct ways ways = { 0 }, groups = { 0 };
        figure_dots_begin(out, metrics, 2);
        for (int64_t i = 0; i < input->rows->nrow; i++) {
                const struct figure_row *r = &input->rows->row[i];
                char group[32], words[FIGURE_WORDS_SIZE];
                snprintf(group, sizeof(group), "%d node%s", r->nodes, lb_s(r->nodes));
                figure_point_words(input->sweep->scenario, r->point, of_way, words);
                const struct figure_dot dot = {
                        .group = place_of(&groups, group),
                        .variant = place_of(&ways, words),
                        .group_words = group,
                        .variant_words = words[0] ? words : r->system,
                        .system = r->system,
                        .published = NAN,
                        .metric = { r->ratio,
                                    figure_interval(input->sweep, r->point, METRIC_DECISIONS) },
                };
                figure_dots_put(out, &dot, 2);
        }
}

const struct figure_type figure_policy_cost = {
        .name = "policy_cost",
        .place = "node count and what else is swept",
        .refuse = refuse,
        .write = write_data,
};
