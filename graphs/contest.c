/* SPDX-License-Identifier: BSD-3-Clause */
#include "graphs/contest.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/random.h"
#include "graphs/ceiling.h"
#include "graphs/expand.h"
#include "graphs/judge.h"
#include "graphs/lift.h"
#include "graphs/spectrum.h"

enum {
        TRIAL_EFFORT = 1 << 23, /* branch and bound per candidate: vertices times edges */
        SWAPS_MAX = 3,
        PROBES = 200,
};

struct candidate {
        struct graph *graph;
        struct expansion worst;
        double second_singular;
        char method[16];
        uint64_t seed;
        int32_t period;
};

struct contest {
        const struct graph_spec *spec;
        int32_t size_max;
        struct candidate best;
        struct lb_random random;
};

static void candidate_finish(struct candidate *candidate)
{
        graph_destroy(candidate->graph);
        expansion_finish(&candidate->worst);
        *candidate = (struct candidate){ 0 };
}

static struct ratio ratio_of(const struct candidate *candidate)
{
        return (struct ratio){ candidate->worst.nnode, candidate->worst.size };
}

/* ---- Judge ---- */

/* Is the candidate behind, by its worst set and, if that is as good, by its spectrum? */
static bool is_behind(const struct contest *contest, const struct candidate *candidate)
{
        if (!contest->best.graph)
                return false;
        int order = ratio_compare(ratio_of(candidate), ratio_of(&contest->best));
        if (order != 0)
                return order < 0;
        return candidate->second_singular >= contest->best.second_singular - 1e-9;
}

/* What is behind after the quick look at sets is not looked at closely. */
static int judge_candidate(const struct contest *contest, struct candidate *candidate, bool *behind,
                           struct lb_error *err)
{
        struct spectrum spectrum;
        int64_t budget = TRIAL_EFFORT / (candidate->graph->nedge + 64);
        if (spectrum_compute(candidate->graph, &spectrum, err) ||
            expansion_guess(candidate->graph, contest->size_max, &candidate->worst, err))
                return -1;
        candidate->second_singular = spectrum.second_singular;
        *behind = is_behind(contest, candidate);
        if (*behind)
                return 0;
        if (expansion_improve(candidate->graph, contest->size_max, budget, false, &candidate->worst,
                              err))
                return -1;
        *behind = is_behind(contest, candidate);
        return 0;
}

/* ---- Candidates ---- */

static bool is_within(const int32_t *node, int32_t count, int32_t which)
{
        for (int32_t i = 0; i < count; i++)
                if (node[i] == which)
                        return true;
        return false;
}

/* Appranks a of the worst set, b outside it, and a helper of each to exchange. */
struct swap {
        int32_t a, b, i, j;
};

static bool draw_swap(struct contest *contest, const bool *member, const bool *covered,
                      const int32_t *node, struct swap *swap)
{
        const struct expansion *worst = &contest->best.worst;
        int32_t degree = contest->spec->degree;
        uint64_t nhelper = (uint64_t)degree - 1;
        for (int probe = 0; probe < PROBES; probe++) {
                struct lb_random *random = &contest->random;
                swap->a = worst->set[lb_random_below(random, (uint64_t)worst->size)];
                swap->b = (int32_t)lb_random_below(random, (uint64_t)contest->spec->napprank);
                swap->i = 1 + (int32_t)lb_random_below(random, nhelper);
                swap->j = 1 + (int32_t)lb_random_below(random, nhelper);
                const int32_t *a = node + swap->a * degree, *b = node + swap->b * degree;
                if (!member[swap->b] && !covered[b[swap->j]] && !is_within(a, degree, b[swap->j]) &&
                    !is_within(b, degree, a[swap->i]))
                        return true;
        }
        return false;
}

static void mark_worst(const struct contest *contest, bool *member, bool *covered)
{
        const struct graph *graph = contest->best.graph;
        const struct expansion *worst = &contest->best.worst;
        for (int32_t i = 0; i < worst->size; i++) {
                int32_t a = worst->set[i];
                member[a] = true;
                for (int32_t e = graph->apprank_first[a]; e < graph->apprank_first[a + 1]; e++)
                        covered[graph->edge_node[e]] = true;
        }
}

/* The best graph with some edges exchanged. */
static struct graph *make_swapped(struct contest *contest, struct lb_error *err)
{
        const struct graph *graph = contest->best.graph;
        bool *member = calloc((size_t)graph->napprank, sizeof(bool));
        bool *covered = calloc((size_t)graph->nnode, sizeof(bool));
        int32_t *node = malloc((size_t)graph->nedge * sizeof(*node));
        struct graph *swapped = NULL;
        if (!member || !covered || !node) {
                lb_error_fail(err, "out of memory for a graph of %d edges", graph->nedge);
                goto done;
        }
        memcpy(node, graph->edge_node, (size_t)graph->nedge * sizeof(*node));
        mark_worst(contest, member, covered);
        uint64_t nswap = 1 + lb_random_below(&contest->random, SWAPS_MAX);
        struct swap swap;
        while (nswap-- > 0 && draw_swap(contest, member, covered, node, &swap)) {
                int32_t *a = &node[swap.a * graph->degree + swap.i];
                int32_t *b = &node[swap.b * graph->degree + swap.j];
                int32_t kept = *a;
                *a = *b;
                *b = kept;
        }
        swapped = lift_expand(contest->spec, graph->nnode, node, err);
done:
        free(member);
        free(covered);
        free(node);
        return swapped;
}

/* The divisors of the nodes, the nodes excepted, in turn. */
static int32_t choose_period(int32_t nnode, int32_t turn)
{
        int32_t count = 0, period = 0;
        for (int32_t i = 1; i < nnode; i++)
                count += nnode % i == 0;
        if (count == 0)
                return 1;
        for (int32_t which = turn % count; which >= 0; which--)
                for (period++; nnode % period != 0;)
                        period++;
        return period;
}

static void name(struct candidate *candidate, const char *method)
{
        snprintf(candidate->method, sizeof(candidate->method), "%s", method);
}

/* Every other one is a swap, where these are; the others in turn lifts, random and greedy. */
static void make_candidate(struct contest *contest, int32_t trial, struct candidate *candidate,
                           struct lb_error *err)
{
        struct graph_spec spec = *contest->spec;
        bool swaps = contest->best.graph && spec.nnode <= CONTEST_SWAP_NODE_MAX;
        spec.seed = lb_random_next(&contest->random) >> 11;
        *candidate = (struct candidate){ .seed = spec.seed, .period = spec.nnode };
        if (swaps && trial % 2) {
                name(candidate, "swap");
                candidate->seed = contest->spec->seed;
                candidate->graph = make_swapped(contest, err);
        } else if (trial / 2 % 4 < 2) {
                name(candidate, "lift");
                candidate->period = choose_period(spec.nnode, trial / 4 + trial / 2 % 2);
                candidate->graph = lift_create(&spec, candidate->period, err);
        } else {
                bool random = trial / 2 % 4 == 2;
                spec.method = random ? GRAPH_METHOD_RANDOM : GRAPH_METHOD_GREEDY;
                name(candidate, graph_method_name(spec.method));
                candidate->graph = graph_create(&spec, err);
        }
}

static int try_candidate(struct contest *contest, int32_t trial, bool *challenged,
                         struct lb_error *err)
{
        struct candidate candidate;
        make_candidate(contest, trial, &candidate, err);
        if (!candidate.graph)
                return 0; /* not every size has every kind */
        bool behind = true;
        int failed = judge_candidate(contest, &candidate, &behind, err);
        if (!failed && !behind) {
                candidate_finish(&contest->best);
                contest->best = candidate;
                *challenged = true;
        } else {
                candidate_finish(&candidate);
        }
        return failed;
}

/* ---- Contest ---- */

static int invite_defender(struct contest *contest, const struct catalogue_entry *defender,
                           struct lb_error *err)
{
        struct candidate candidate = { .seed = defender->seed, .period = defender->period };
        name(&candidate, defender->method);
        candidate.graph =
            lift_expand(contest->spec, defender->nnode, defender->graph->edge_node, err);
        bool behind;
        if (!candidate.graph || judge_candidate(contest, &candidate, &behind, err)) {
                candidate_finish(&candidate);
                return -1;
        }
        contest->best = candidate;
        return 0;
}

static int certify(const struct candidate *best, int64_t budget, struct catalogue_entry *out,
                   struct lb_error *err)
{
        struct graph_judgement judgement;
        if (graph_judge(best->graph, budget, &judgement, err))
                return -1;
        out->set = (struct ratio){ judgement.set_nnode, judgement.set_size };
        out->proven = (struct ratio){ judgement.lower_nnode, judgement.lower_size };
        out->ceiling = ceiling_of(out->napprank, out->nnode, out->degree);
        out->second_singular = judgement.second_singular;
        snprintf(out->method, sizeof(out->method), "%s", best->method);
        out->seed = best->seed;
        out->period = best->period;
        graph_judgement_finish(&judgement);
        return 0;
}

/* Is an entry better than the defender, or the defender itself with more known about it? */
static bool has_won(const struct catalogue_entry *entry, const struct catalogue_entry *defender,
                    bool challenged)
{
        if (!defender)
                return true;
        int order = ratio_compare(entry->set, defender->set);
        if (!challenged)
                return order < 0 || ratio_compare(entry->proven, defender->proven) > 0;
        if (order == 0)
                return entry->second_singular < defender->second_singular - 1e-9;
        return order > 0;
}

/* The defender, and then all candidates; *challenged is set where one of them is the best. */
static int hold_contest(struct contest *contest, const struct catalogue_entry *defender,
                        bool *challenged, struct lb_error *err)
{
        if (defender && invite_defender(contest, defender, err))
                return -1;
        for (int32_t i = 0; i < contest->spec->trials; i++)
                if (try_candidate(contest, i, challenged, err))
                        return -1;
        return 0;
}

static int check_size(const struct graph_spec *spec, struct lb_error *err)
{
        if (graph_check_spec(spec, err))
                return -1;
        if (spec->napprank % spec->nnode == 0 && spec->degree > 1 && spec->degree < spec->nnode)
                return 0;
        return lb_error_set(err,
                            "%d appranks on %d nodes, degree %d: the catalogue is of biregular "
                            "graphs of degree 2 to nodes - 1",
                            spec->napprank, spec->nnode, spec->degree);
}

int contest_run(const struct graph_spec *spec, const struct catalogue_entry *defender,
                int64_t budget, struct catalogue_entry *out, bool *won, struct lb_error *err)
{
        *won = false;
        *out = (struct catalogue_entry){ .napprank = spec->napprank,
                                         .nnode = spec->nnode,
                                         .degree = spec->degree };
        if (check_size(spec, err))
                return -1;
        struct contest contest = { .spec = spec,
                                   .size_max = spec->napprank > 1 ? spec->napprank / 2 : 1 };
        lb_random_init(&contest.random, spec->seed, LB_RANDOM_GRAPH, UINT64_MAX - 1);
        bool challenged = false;
        int failed = hold_contest(&contest, defender, &challenged, err);
        bool open = challenged || (defender && !catalogue_is_exact(defender));
        if (!failed && open) {
                failed = certify(&contest.best, budget, out, err);
                *won = !failed && has_won(out, defender, challenged);
        }
        if (*won) {
                out->graph = contest.best.graph;
                contest.best.graph = NULL;
        }
        candidate_finish(&contest.best);
        return failed;
}
