/* SPDX-License-Identifier: BSD-3-Clause */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "sim/commands/gain_measured.h"
#include "sim/commands/gain_print.h"

/* The answer in words: the verdict first, then where the time goes, then what would change it. */

enum { LINE_SIZE = 512 + MEASURED_LAUNCH_SIZE };

static double imbalance_s(const struct gain_advice *a)
{
        return a->parts.between_s + a->parts.within_s;
}

static double percent(const struct gain_advice *a, double time_s)
{
        return 100 * time_s / a->parts.wall_s;
}

double gain_imbalance(const struct gain_advice *a)
{
        return 1 + imbalance_s(a) / a->parts.bound_s;
}

double gain_weight(const struct gain_advice *a, int32_t rank)
{
        double load_s = a->loads.total_s[rank];
        return load_s > 0 ? a->parts.bound_s * a->loads.threads / load_s : 1;
}

double gain_freed(const struct gain_advice *a, const struct gain_outcome *outcome)
{
        return (double)a->cores * a->loads.nnode - outcome->cores;
}

bool gain_is_clear(const struct gain_advice *a)
{
        double rest_s = a->parts.rest_s, far_s = GAIN_TRUST * a->parts.wall_s;
        return rest_s >= -far_s && !gain_is_unseen(a) && a->m->spawned == 0 &&
               !gain_is_apparent(a) && (a->worth || rest_s <= far_s);
}

bool gain_is_unseen(const struct gain_advice *a)
{
        return a->parts.unseen_s > GAIN_TRUST * a->parts.wall_s;
}

/* Of what the ranks did between two meetings, or in all: as much on whatever CPUs. */
static double lasting_imbalance(const struct gain_advice *a)
{
        double most_s = 0;
        if (!isnan(a->m->synchronisations))
                return a->m->synchronisations;
        for (int32_t r = 0; r < a->loads.nrank; r++)
                most_s = fmax(most_s, a->loads.total_s[r]);
        return most_s / a->loads.threads / a->parts.bound_s;
}

bool gain_is_apparent(const struct gain_advice *a)
{
        return gain_is_shared(a->m) && !a->m->by_iteration && a->worth &&
               (lasting_imbalance(a) - 1) * a->parts.bound_s < GAIN_WORTH * gain_unshared_s(a);
}

/* Calls on files are much of what the ranks have in common in MPI. */
static bool has_files(const struct gain_parts *parts)
{
        return parts->files_s > GAIN_TRUST * parts->transfer_s;
}

/* Time in MPI that every rank has is communication only where no finer imbalance hides in it. */
static const char *where_lost(const struct gain_advice *a)
{
        if (a->parts.transfer_s <= GAIN_TRUST * a->parts.wall_s)
                return "";
        if (has_files(&a->parts))
                return "; what is lost is communication and MPI's calls on files, which no "
                       "balancing gives back";
        return a->parts.transfer_known || !isnan(a->m->synchronisations)
                   ? "; what is lost is chains of ranks or communication, which no balancing gives "
                     "back"
                   : ";\nwhat is lost is chains of ranks or communication, which no balancing "
                     "gives back, or load that moves faster than it was measured";
}

/* What is waiting for CPUs that others had is no time that balancing would leave. */
static bool is_of_unshared(const struct gain_advice *a)
{
        return !a->predicted && gain_is_shared(a->m);
}

static double whole_s_of(const struct gain_advice *a)
{
        return is_of_unshared(a) ? gain_unshared_s(a) : a->parts.wall_s;
}

static void saving_line(const struct gain_advice *a, char *line, size_t size)
{
        const struct gain_parts *p = &a->parts;
        bool shared = is_of_unshared(a);
        double whole_s = whole_s_of(a);
        snprintf(line, size,
                 "Imbalance %.2f (max/avg)%s: up to %.0f %% of the time could be saved, %.0f %% "
                 "within nodes\nand %.0f %% between them.",
                 gain_imbalance(a),
                 shared ? ", of ranks that shared CPUs.\nWith a CPU for each" : "",
                 100 * imbalance_s(a) / whole_s, 100 * p->within_s / whole_s,
                 100 * p->between_s / whole_s);
}

void gain_verdict_line(const struct gain_advice *a, char *line, size_t size)
{
        double lost_s = percent(a, imbalance_s(a));
        if (a->parts.rest_s < -GAIN_TRUST * a->parts.wall_s)
                snprintf(line, size,
                         "No verdict: the rank with most load computed %.3g s on each of its "
                         "cores (%" PRId32 "), and only %.3g s passed\n(--threads T says on how "
                         "many a rank computes).",
                         gain_longest_s(&a->loads), a->loads.threads, a->parts.wall_s);
        else if (gain_is_unseen(a))
                snprintf(
                    line, size,
                    "No verdict: of its load %.3g s of a rank may be waiting for other ranks: "
                    "it was blocked outside MPI\nwhile other threads of it called MPI (unseen_s "
                    "of measured.json). Taken as load, imbalance is %.2f (max/avg).",
                    a->parts.unseen_s, gain_imbalance(a));
        else if (a->m->spawned > 0)
                snprintf(line, size,
                         "No verdict: it spawned %" PRId32
                         " ranks, and what they did was not measured.",
                         a->m->spawned);
        else if (gain_is_apparent(a))
                snprintf(
                    line, size,
                    "No verdict: ranks shared CPUs, and imbalance is %.2f (max/avg) in windows, "
                    "in which one rank may have had\nthe CPU of another, and %.2f %s.",
                    gain_imbalance(a), lasting_imbalance(a),
                    isnan(a->m->synchronisations) ? "of the whole run"
                                                  : "between synchronisations");
        else if (!gain_is_clear(a))
                snprintf(line, size,
                         "No verdict: imbalance %.2f (max/avg) costs %.1f %% of the time, but %.0f "
                         "%% is waiting that it does not explain.",
                         gain_imbalance(a), lost_s, percent(a, a->parts.rest_s));
        else if (!a->worth)
                snprintf(line, size,
                         "Not worth it: imbalance %.2f (max/avg) costs %.1f %% of the time%s.",
                         gain_imbalance(a), lost_s, where_lost(a));
        else
                saving_line(a, line, size);
}

void gain_outside_line(const struct gain_advice *a, char *line, size_t size)
{
        double inside_s = (a->m->iterations - 1) * a->m->iterations_part * a->parts.bound_s;
        double part = 1 - inside_s / imbalance_s(a);
        line[0] = '\0';
        if (a->worth && gain_is_clear(a) && part > 0.5)
                snprintf(
                    line, size,
                    "%.0f %% of that is lost before the first iteration or after the last, and "
                    "grows no more with their number;\nin them imbalance is %.2f.",
                    100 * fmin(part, 1), a->m->iterations);
}

/* Of all ranks; NAN where that is not known. With time in which they had no CPU. */
static double outside_s(const struct measured *m)
{
        double sum_s = 0;
        for (int32_t r = 0; r < m->nrank; r++)
                sum_s += fmax(m->wall_s - m->rank[r].mpi_s, 0);
        return sum_s;
}

void gain_turns_line(const struct gain_advice *a, char *line, size_t size)
{
        static const double one = 1.05;
        line[0] = '\0';
        if (a->m->nrank > 1 && a->worth && gain_is_clear(a) &&
            outside_s(a->m) <= one * a->m->wall_s)
                snprintf(line, size,
                         "But on average no more than one rank was outside MPI at a time: where "
                         "they compute in turns even\nloads save nothing of that; cores that "
                         "follow the turns do (dlb).");
}

double gain_all_cores_s(const struct gain_advice *a)
{
        double used = (double)a->loads.nrank * a->loads.threads;
        return a->parts.bound_s * fmin(1, used / ((double)a->cores * a->loads.nnode));
}

/* Systems and remedies may use what the ranks do not. */
void gain_unused_line(const struct gain_advice *a, char *line, size_t size)
{
        double less_s = a->parts.bound_s - gain_all_cores_s(a);
        double used = (double)a->loads.nrank * a->loads.threads;
        line[0] = '\0';
        if (less_s > 0 && gain_is_clear(a))
                snprintf(line, size,
                         "That is with the cores that the ranks use, %.0f of %.0f: systems that "
                         "use all could save up to %.0f %%.",
                         used, (double)a->cores * a->loads.nnode,
                         100 * (imbalance_s(a) + less_s) / whole_s_of(a));
}

void gain_nodes_line(const struct gain_advice *a, char *line, size_t size)
{
        line[0] = '\0';
        if (!a->m->nodes_known && a->loads.nrank > 1)
                snprintf(line, size,
                         "%s does not say which nodes its ranks were on: all are taken to be on "
                         "one (--appranks-per-node K: K on each)",
                         a->path);
}

/* The range that is widest is what is known least. */
void gain_assumption(const struct gain_advice *a, char *line, size_t size)
{
        double widest_s = 0;
        for (int32_t i = 0; i < a->noutcome; i++)
                widest_s = fmax(widest_s, a->outcome[i].coarse_s - a->outcome[i].fine_s);
        if (a->m->nwindow == 0)
                snprintf(line, size,
                         "the imbalance of the whole run holds all the time: %s has no windows",
                         a->path);
        else if (widest_s > fabs(a->error) * a->parts.wall_s)
                snprintf(line, size,
                         "a rank's work of %.2g s (%s) divides into %" PRId32 " to %" PRId32
                         " equal parts;\nthe size of the parts decides over %.0f %% of the time",
                         a->parts.wall_s / (double)a->loads.nwindow,
                         a->m->by_iteration ? "an iteration" : "a window", a->coarse, a->fine,
                         percent(a, widest_s));
        else
                snprintf(line, size,
                         "it goes on as in the %.3g s that were measured; the model is off by "
                         "%.1f %% without balancing",
                         a->parts.wall_s, 100 * fabs(a->error));
}

static bool gains(const struct gain_advice *a, const struct gain_outcome *outcome)
{
        return gain_less_percent(a, fmax(outcome->coarse_s, outcome->fine_s)) >= 1;
}

/* Would another number of parts change a prediction? */
static bool has_parts(const struct gain_advice *a)
{
        for (int32_t i = 0; a->coarse < a->fine && i < a->noutcome; i++)
                if (a->outcome[i].kind >= GAIN_MALLEABLE && !gain_by_regions(a, a->outcome[i].kind))
                        return true;
        return false;
}

int gain_next(const struct gain_advice *a, struct gain_next *next, struct lb_error *err)
{
        int32_t parts = (int32_t)round(sqrt((double)a->coarse * a->fine));
        char number[16], *path = (char *)(uintptr_t)a->path;
        char *const page[] = { "lbsim", "gain", path, "--html", "gain.html", NULL };
        char *const tasks[] = { "lbsim", "gain", path, "--tasks", number, NULL };
        char *const *command = NULL;
        snprintf(number, sizeof(number), "%" PRId32, parts);
        *next = (struct gain_next){ .command = NULL };
        if (!a->worth && gain_is_clear(a))
                snprintf(next->remark, sizeof(next->remark),
                         "nothing: leave the balance of this program as it is");
        else if (!a->predicted && gain_is_shared(a->m))
                snprintf(next->remark, sizeof(next->remark),
                         "measure again, with a CPU for each rank: lbrun measure --out DIR -- "
                         "LAUNCHER ... PROGRAM");
        else if (!a->predicted || !has_parts(a)) {
                command = page;
                snprintf(next->remark, sizeof(next->remark), "its loads over time");
        } else {
                command = tasks;
                snprintf(next->remark, sizeof(next->remark),
                         "or as many parts as you can make of a rank's work of %.2g s",
                         a->parts.wall_s / (double)a->loads.nwindow);
        }
        next->command = command ? lb_text_command("", command) : NULL;
        return command && !next->command ? lb_error_fail(err, "out of memory") : 0;
}

/* Of those that run live on the measured nodes, the least of the most that they may take. */
static const struct gain_outcome *best_live(const struct gain_advice *a)
{
        const struct gain_outcome *best = NULL;
        for (int32_t i = 0; i < a->noutcome; i++) {
                const struct gain_outcome *o = &a->outcome[i];
                if (o->kind != GAIN_TASKED || !system_is_live(o->system) || !gains(a, o) ||
                    o->nodes != a->loads.nnode)
                        continue;
                if (!best || o->most_s < best->most_s)
                        best = o;
        }
        return best;
}

/* Time on its OpenMP threads, or else a CPU that packing frees. */
static bool gains_as_it_is(const struct gain_advice *a, const struct gain_outcome *o)
{
        if (!o->system || !system_for_any(o->system) || o->placed || o->nodes != a->loads.nnode)
                return false;
        if (o->kind == GAIN_MALLEABLE)
                return a->m->openmp && gains(a, o);
        return o->kind == GAIN_INDIVISIBLE && gain_freed(a, o) >= 1;
}

void gain_as_it_is(const struct gain_advice *a, char *line, size_t size)
{
        const struct gain_outcome *best = NULL;
        for (int32_t i = 0; a->predicted && a->worth && i < a->noutcome; i++) {
                const struct gain_outcome *o = &a->outcome[i];
                if (gains_as_it_is(a, o) && (!best || o->most_s < best->most_s))
                        best = o;
        }
        line[0] = '\0';
        if (best && a->m->launch[0])
                snprintf(line, size, "lbrun --system %s -- %s", best->name, a->m->launch);
}

void gain_ported(const struct gain_advice *a, char *line, size_t size)
{
        const struct gain_outcome *best = a->predicted && a->worth ? best_live(a) : NULL;
        int32_t joined = best && best->joined > 1 ? best->joined : 1;
        char degree[32] = "";
        line[0] = '\0';
        if (best && !system_finds_degree(best->system))
                snprintf(degree, sizeof(degree), " --degree %" PRId32, best->degree);
        if (best)
                snprintf(line, size,
                         "lbrun --nodes %" PRId32 " --cores %" PRId32
                         " --appranks-per-node %" PRId32 "%s --system %s -- PROGRAM",
                         a->loads.nnode, a->cores, a->per_node / joined, degree, best->name);
}

/* ---- Text ---- */

static void print_part(const char *name, const struct gain_advice *a, double time_s,
                       const char *what)
{
        printf("  %-22s %9.3f s %5.1f %%   %s\n", name, time_s, percent(a, time_s), what);
}

static void print_parts(const struct gain_advice *a)
{
        char line[LINE_SIZE];
        const struct gain_parts *p = &a->parts;
        printf("\n%" PRId32 " rank%s of %" PRId32 " thread%s on %" PRId32 " node%s (%s):\n",
               a->loads.nrank, lb_s(a->loads.nrank), a->loads.threads, lb_s(a->loads.threads),
               a->loads.nnode, lb_s(a->loads.nnode), a->m->format);
        print_part(p->wall_known ? "measured" : "computing", a, p->wall_s,
                   p->wall_known ? "" : "the whole time was not measured, so this is not checked");
        print_part("  bound", a, p->bound_s,
                   gain_all_cores_s(a) < p->bound_s ? "all work over the cores that the ranks use"
                                                    : "all work over all cores");
        print_part("  between nodes", a, p->between_s, "imbalance that only offloading evens out");
        print_part("  within nodes", a, p->within_s, "imbalance among the ranks of a node");
        print_part("  communication", a, p->transfer_s,
                   p->transfer_known      ? ""
                   : gain_is_shared(a->m) ? "not known: ranks waited in MPI for CPUs, too"
                                          : "at most: the least MPI time of a rank");
        if (has_files(p))
                print_part("    in files, at most", a, p->files_s,
                           "of it: MPI_File_..., which wait for the disk, too");
        print_part("  other waiting", a, p->rest_s,
                   "finer imbalance, chains of ranks, lack of CPUs");
        if (a->baseline_s > 0 && p->wall_known)
                print_part("simulated as it is", a, a->baseline_s, "");
        gain_nodes_line(a, line, sizeof(line));
        if (line[0])
                printf("  %s\n", line);
        gain_machine_line(&a->machine, a->platform, a->extent.costs, line, sizeof(line));
        if (a->platform || a->predicted)
                printf("  %s\n", line);
        if (a->m->killed)
                printf("  some ranks were killed: this is until their last call\n");
        if (a->m->unended > 0)
                printf("  %" PRId32 " thread%s in a region that has no end in the trace: it counts "
                       "up to the trace's end\n",
                       a->m->unended, a->m->unended == 1 ? " is" : "s are");
}

/* To a tenth, without a sign where that is nothing. */
static double rounded(double value)
{
        return round(10 * value) / 10 + 0.0;
}

static struct table *make_table(const struct gain_advice *a, const struct gain_outcome *list,
                                int32_t count)
{
        static const char *const columns[] = { "for",    "system",       "degree", "least_s",
                                               "most_s", "less_percent", "nodes",  "cores",
                                               "freed",  "live",         "asks" };
        struct table *table = table_create(11, columns);
        for (int32_t i = 0; table && i < count; i++) {
                const struct gain_outcome *o = &list[i];
                char name[96];
                snprintf(name, sizeof(name), "%s%s%s", o->name, o->placed ? ", placed" : "",
                         o->joined > 1 ? ", joined" : "");
                table_row(table);
                table_text(table, gain_kind_name(o->kind));
                table_text(table, name);
                table_number(table, o->degree, 4);
                table_number(table, o->least_s, 4);
                table_number(table, o->most_s, 4);
                table_number(table, rounded(gain_less_percent(a, (o->coarse_s + o->fine_s) / 2)),
                             4);
                table_number(table, o->nodes, 4);
                table_number(table, o->cores, 4);
                table_number(table, rounded(gain_freed(a, o)), 4);
                table_text(table, gain_live(o));
                table_text(table, o->asks);
        }
        return table;
}

static int print_list(const struct gain_advice *a, const struct gain_outcome *list, int32_t count,
                      enum table_format format, struct lb_error *err)
{
        struct table *table = make_table(a, list, count);
        int status = table ? table_write(table, stdout, format) : -1;
        table_destroy(table);
        if (status < 0 && !ferror(stdout))
                return lb_error_fail(err, "out of memory for the results");
        return 0;
}

static int print_outcomes(const struct gain_advice *a, struct lb_error *err)
{
        if (a->nremedy > 0)
                printf("\nWithout a system, cheapest first:\n");
        if (a->nremedy > 0 && print_list(a, a->remedy, a->nremedy, TABLE_TEXT, err) < 0)
                return -1;
        printf("\nSystems (s of the same run; least and most over what is unknown):\n");
        return print_list(a, a->outcome, a->noutcome, TABLE_TEXT, err);
}

static void print_weights(const struct gain_advice *a)
{
        if (a->loads.nrank > 16)
                return;
        if (!gain_has_weights(&a->loads)) {
                printf("\nNo weights: a rank has hardly any work (it hands out that of others, or "
                       "waits), and may share\na CPU with another one.\n");
                return;
        }
        printf("\nWeights (work of a rank should be this times what it is):");
        for (int32_t r = 0; r < a->loads.nrank; r++)
                printf(" %.3g", gain_weight(a, r));
        printf("\n");
}

static void print_notes(const struct gain_advice *a)
{
        char line[LINE_SIZE];
        bool placed = false, joined = false;
        for (int32_t i = 0; i < a->noutcome; i++) {
                placed |= a->outcome[i].placed;
                joined |= a->outcome[i].joined > 1;
        }
        if (placed)
                printf("placed: heavy ranks beside light ones (--hostfile FILE, --rankfile FILE); "
                       "without a system "
                       "that alone gains\nnothing, as each rank has its cores\n");
        if (joined)
                printf("joined: a rank on each node with all of its cores, as offloading needs\n");
        gain_regions_line(a, line, sizeof(line));
        if (line[0])
                printf("%s\n", line);
}

static void print_few(const struct gain_advice *a)
{
        double percent[2];
        if (!a->m->by_iteration || !gain_few(a->loads.nwindow)[0])
                return;
        printf("%s\n", gain_few(a->loads.nwindow));
        if (gain_saving_range(&a->loads, percent))
                printf("With so few, imbalance costs %.0f to %.0f %% of the time of computing (95 "
                       "%%, if "
                       "iterations vary independently).\n",
                       percent[0], percent[1]);
}

static int print_prediction(const struct gain_advice *a, struct lb_error *err)
{
        bool any = false;
        if (print_outcomes(a, err) < 0)
                return -1;
        print_notes(a);
        if (a->nremedy > 0)
                print_weights(a);
        for (int32_t i = 0; i < a->noutcome; i++)
                any |= a->outcome[i].system && gains(a, &a->outcome[i]);
        if (!any)
                printf("\nNo system gains a percent for certain.\n");
        if (a->left_out[0])
                printf("Left out: %s.\n", a->left_out);
        print_few(a);
        printf("\n%s\n", gain_what_runs);
        return 0;
}

static int print_next(const struct gain_advice *a, struct lb_error *err)
{
        char line[LINE_SIZE];
        struct gain_next next;
        if (gain_next(a, &next, err) < 0)
                return -1;
        gain_as_it_is(a, line, sizeof(line));
        if (line[0])
                printf("As it is, the best runs as: %s\n", line);
        gain_ported(a, line, sizeof(line));
        if (line[0])
                printf("Ported, the best runs as: %s\n", line);
        if (next.command)
                printf("Next: %s   (%s)\n", next.command, next.remark);
        else
                printf("Next: %s\n", next.remark);
        free(next.command);
        return 0;
}

static int print_text(const struct gain_advice *a, struct lb_error *err)
{
        char line[LINE_SIZE];
        gain_verdict_line(a, line, sizeof(line));
        printf("%s\n", line);
        gain_turns_line(a, line, sizeof(line));
        if (line[0])
                printf("%s\n", line);
        gain_outside_line(a, line, sizeof(line));
        if (line[0])
                printf("%s\n", line);
        gain_unused_line(a, line, sizeof(line));
        if (line[0])
                printf("%s\n", line);
        print_parts(a);
        if (!a->predicted)
                printf("\nNo prediction: %s.\n", a->why_not);
        else if (print_prediction(a, err) < 0)
                return -1;
        gain_assumption(a, line, sizeof(line));
        if (a->predicted)
                printf("Assumed above all: %s.\n", line);
        return print_next(a, err);
}

int gain_verdict_print(const struct gain_advice *a, enum table_format format, struct lb_error *err)
{
        if (format == TABLE_TEXT)
                return print_text(a, err);
        if (format == TABLE_JSON)
                return gain_json_print(a, err);
        if (!a->predicted)
                fprintf(stderr, "lbsim gain: no prediction: %s\n", a->why_not);
        return print_list(a, a->outcome, a->noutcome, format, err);
}
