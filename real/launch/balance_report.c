/* SPDX-License-Identifier: BSD-3-Clause */
#include "real/launch/balance_report.h"

#include <dirent.h>
#include <errno.h>
#include <glob.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/json_write.h"
#include "base/text.h"
#include "real/balance/team.h"
#include "real/control/report.h"
#include "real/launch/cause.h"

enum { PATH_SIZE = 4096 };

/* ---- Reading ---- */

static int add_leaf(struct balance_report *report, FILE *in, struct lb_error *err)
{
        struct leaf *leaf = realloc(report->leaf, (size_t)(report->count + 1) * sizeof(*leaf));
        if (!leaf)
                return lb_error_fail(err, "out of memory");
        report->leaf = leaf;
        struct leaf *new = &leaf[report->count];
        if (fread(new, sizeof(*new), 1, in) != 1 || strcmp(new->magic, LEAF_MAGIC) != 0)
                return 0;
        if (new->wrong[0])
                snprintf(report->wrong, sizeof(report->wrong), "%.*s", (int)sizeof(new->wrong) - 1,
                         new->wrong);
        if (new->size == 0)
                return 0;
        new->host[LEAF_HOST_SIZE - 1] = new->freed[LEAF_TEXT_SIZE - 1] = '\0';
        report->count++;
        return 0;
}

static int read_file(struct balance_report *report, const char *path, struct lb_error *err)
{
        const char *end = strrchr(path, '.');
        bool rank = end && strcmp(end, ".rank") == 0, wrong = end && strcmp(end, ".wrong") == 0;
        FILE *in = rank || wrong ? fopen(path, "re") : NULL;
        int code = 0;
        if (in && rank)
                code = add_leaf(report, in, err);
        if (in && wrong && fgets(report->wrong, sizeof(report->wrong), in))
                report->wrong[strcspn(report->wrong, "\n")] = '\0';
        if (in)
                fclose(in);
        return code;
}

static int by_rank(const void *a, const void *b)
{
        const struct leaf *x = a, *y = b;
        return (x->rank > y->rank) - (x->rank < y->rank);
}

int balance_report_read(struct balance_report *report, const char *directory, struct lb_error *err)
{
        char path[PATH_SIZE];
        int code = 0;
        DIR *entries = opendir(directory);
        for (struct dirent *entry; code == 0 && entries && (entry = readdir(entries));) {
                snprintf(path, sizeof(path), "%s/%s", directory, entry->d_name);
                code = read_file(report, path, err);
        }
        if (entries)
                closedir(entries);
        if (report->count > 0)
                qsort(report->leaf, (size_t)report->count, sizeof(*report->leaf), by_rank);
        return code;
}

void balance_report_finish(struct balance_report *report)
{
        free(report->leaf);
        report->leaf = NULL;
        report->count = 0;
}

/* ---- How it ended ---- */

static int32_t count_state(const struct balance_report *report, enum leaf_state state)
{
        int32_t count = 0;
        for (int32_t i = 0; i < report->count; i++)
                count += report->leaf[i].state == (int32_t)state;
        return count;
}

const struct leaf *balance_report_first(const struct balance_report *report, enum leaf_state state)
{
        const struct leaf *first = NULL;
        for (int32_t i = 0; i < report->count; i++) {
                const struct leaf *leaf = &report->leaf[i];
                if (leaf->state == (int32_t)state && (!first || leaf->left_ns < first->left_ns))
                        first = leaf;
        }
        return first;
}

/* Who of several was killed first, and who for it, is the launcher's knowledge. */
static void describe_dead(struct balance_report *report, int code)
{
        const struct leaf *dead = balance_report_first(report, LEAF_RUNS);
        int32_t others = count_state(report, LEAF_RUNS) - 1;
        char more[64] = "";
        if (others > 0)
                snprintf(more, sizeof(more), " and %" PRId32 " other%s", others, lb_s(others));
        snprintf(report->ended_by, sizeof(report->ended_by),
                 "rank %" PRId32 " (process %" PRId64
                 " on host %s)%s did not come to MPI_Finalize(): the launcher ended with "
                 "exit code %d",
                 dead->rank, dead->pid, dead->host, more, code);
}

void balance_report_end(struct balance_report *report, int signal, int code)
{
        const struct leaf *left = balance_report_first(report, LEAF_LEFT);
        char rank[LEAF_HOST_SIZE + 32];
        report->cut = report->count == 0 ? code != 0
                                         : count_state(report, LEAF_FINALIZED) < report->leaf->size;
        report->ended_by[0] = '\0';
        if (!report->cut)
                return;
        if (signal) {
                cause_signal(report->ended_by, sizeof(report->ended_by), "lbrun", signal);
        } else if (left) {
                snprintf(rank, sizeof(rank), "rank %" PRId32 " on host %s", left->rank, left->host);
                cause_rank(report->ended_by, sizeof(report->ended_by), rank, false, left->code << 8,
                           left->pid);
        } else if (count_state(report, LEAF_RUNS) > 0) {
                describe_dead(report, code);
        }
}

/* ---- Energy ---- */

double balance_joules(void)
{
        glob_t found;
        double sum = -1;
        if (glob("/sys/class/powercap/intel-rapl:?/energy_uj", 0, NULL, &found) != 0)
                return -1;
        for (size_t i = 0; i < found.gl_pathc; i++) {
                double microjoules;
                FILE *in = fopen(found.gl_pathv[i], "re");
                if (in && fscanf(in, "%lf", &microjoules) == 1)
                        sum = (sum < 0 ? 0 : sum) + 1e-6 * microjoules;
                if (in)
                        fclose(in);
        }
        globfree(&found);
        return sum;
}

/* ---- Sums ---- */

struct sums {
        int32_t ncpu, nfreed, nnode;
        double freed_cpu_s;
};

static struct sums add_up(const struct balance_report *report)
{
        struct sums sums = { 0 };
        for (int32_t i = 0; i < report->count; i++) {
                const struct leaf *leaf = &report->leaf[i];
                if (leaf->mate != 0)
                        continue;
                sums.nnode++;
                sums.ncpu += leaf->ncpu;
                sums.nfreed += leaf->nfreed;
                sums.freed_cpu_s += leaf->freed_cpu_s;
        }
        return sums;
}

/* ---- Telling ---- */

double balance_live_s(const struct balance_report *report)
{
        const struct leaf *first = report->leaf;
        if (report->count == 0 || first->unknown)
                return 0;
        return first->with_s > 0 ? first->with_s : first->without_s;
}

static double sum_of(const struct balance_report *report, enum leaf_figure figure)
{
        double sum = 0;
        for (int32_t i = 0; i < report->count; i++)
                sum += report->leaf[i].figure[figure];
        return sum;
}

/* What was done without, and what would help. */
static void print_untimed(const struct balance_report *report, FILE *out)
{
        const struct leaf *first = report->leaf;
        if (first->changes > 0)
                fputs("                            CPUs moved by what ranks measured of their own "
                      "iterations; not compared\n",
                      out);
        else if (sum_of(report, LEAF_DECISIONS) > 0)
                fputs("                            ranks measured their own iterations: nothing "
                      "was to be changed\n",
                      out);
        else
                fputs("                            so nothing was tried: let it run for more "
                      "iterations; those without such\n"
                      "                            calls are timed after the first second\n",
                      out);
}

/* Who changed nothing says why. */
static void print_unmeasured(const struct balance_report *report, FILE *out)
{
        const struct leaf *first = report->leaf;
        fputs("  iterations                none measured: ", out);
        if (first->meetings == 0)
                fputs("the ranks never all met in one collective call, nor repeat their waits\n",
                      out);
        else
                fprintf(out, "the ranks all met in %ld collective call%s only\n",
                        (long)first->meetings, lb_s((double)first->meetings));
        print_untimed(report, out);
}

/* Half the 95 % interval of how the two differ, as a part of the one before. */
static double uncertain(const struct leaf *leaf)
{
        double before_s = leaf->without_error_s * leaf->with_s / leaf->without_s;
        return 1.96 * hypot(leaf->with_error_s, before_s) / leaf->without_s;
}

static void print_times(const struct balance_report *report, FILE *out)
{
        const struct leaf *first = report->leaf;
        if (first->unknown) {
                fprintf(out, "  iterations                %s: the collective calls do not repeat\n",
                        first->with_s > 0 ? "not compared" : "none known");
                return;
        }
        if (first->with_s > 0 && first->without_s > 0)
                fprintf(out,
                        "  iterations (median)       %.4g s balanced, %.4g s before (%+.1f %%, "
                        "give or take %.2g)\n",
                        first->with_s, first->without_s,
                        100 * (first->with_s / first->without_s - 1), 100 * uncertain(first));
        else if (first->without_s > 0)
                fprintf(out, "  iterations (median)       %.4g s, %s\n", first->without_s,
                        first->changes > 0 ? "none after the change was compared"
                                           : "nothing was to be changed");
        else if (first->with_s <= 0)
                print_unmeasured(report, out);
        if (report->simulated_s > 0)
                fprintf(out,
                        "  predicted                 %.4g s on %d CPUs, by lbsim from the loads "
                        "that were measured%s\n",
                        report->simulated_s, report->simulated_cpus,
                        first->regions > 0 ? ", if regions divide evenly" : "");
        else if (first->predicted_s > 0)
                fprintf(out, "  predicted                 %.4g s\n", first->predicted_s);
}

static void print_energy(const struct balance_report *report, FILE *out)
{
        if (report->joules >= 0)
                fprintf(out, "  energy                    %.4g J, all of this machine\n",
                        report->joules);
        else
                fprintf(out, "  energy                    cannot be read here\n");
}

/* ---- Of systems that move CPUs among ranks ---- */

static bool moves_cpus(const struct balance_report *report)
{
        return report->count > 0 && report->leaf->figure[LEAF_CPUS] > 0;
}

enum { SHOWN = 16 };

static void print_list(const struct balance_report *report, enum leaf_figure figure, FILE *out)
{
        for (int32_t i = 0; i < report->count && i < SHOWN; i++)
                fprintf(out, " %.0f", report->leaf[i].figure[figure]);
        fputs(report->count > SHOWN ? " ..." : "", out);
}

static size_t malleable_of(const struct leaf *leaf)
{
        return (size_t)leaf->figure[LEAF_MALLEABLE];
}

/* The ranks of which a line tells, where not of all: the programs of a job may differ. */
static void print_ranks_of(const struct balance_report *report, size_t malleable, int32_t count,
                           FILE *out)
{
        int32_t shown = 0;
        fprintf(out, " (rank%s", lb_s(count));
        for (int32_t i = 0; i < report->count && shown < SHOWN; i++)
                if (malleable_of(&report->leaf[i]) == malleable && ++shown)
                        fprintf(out, " %d", report->leaf[i].rank);
        fputs(count > SHOWN ? " ...)" : ")", out);
}

static void print_threads(const struct balance_report *report, FILE *out)
{
        static const char *const says[] = {
                [MALLEABLE_AUTO] = "as the program has them",
                [MALLEABLE_THREADS] = "as many as CPUs",
                [MALLEABLE_ASKED] = "as many as CPUs, at most what the program was told",
                [MALLEABLE_AFFINITY] = "as the program has them: its work is divided by them",
                [MALLEABLE_KEEPS] =
                    "as the program has them: they have data of their own (--malleable "
                    "threads where that is scratch)",
                [MALLEABLE_NONE] = "one: no OpenMP library is seen, only CPUs move",
        };
        const char *title = "threads";
        for (size_t malleable = 0; malleable < sizeof(says) / sizeof(says[0]); malleable++) {
                int32_t count = 0;
                for (int32_t i = 0; i < report->count; i++)
                        count += malleable_of(&report->leaf[i]) == malleable;
                if (count == 0)
                        continue;
                fprintf(out, "  %-25s %s", title, says[malleable]);
                title = "";
                if (count < report->count)
                        print_ranks_of(report, malleable, count, out);
                fputc('\n', out);
        }
}

static void print_cpus(const struct balance_report *report, FILE *out)
{
        fputs("  CPUs of the ranks        ", out);
        print_list(report, LEAF_CPUS, out);
        fputs("; at first", out);
        print_list(report, LEAF_CPUS_FIRST, out);
        fputc('\n', out);
        print_threads(report, out);
        if (sum_of(report, LEAF_LENT) > 0)
                fprintf(out, "  CPUs lent                 %.0f times, %.0f borrowed\n",
                        sum_of(report, LEAF_LENT), sum_of(report, LEAF_BORROWED));
}

void balance_report_print(const struct balance_report *report, FILE *out)
{
        struct sums sums = add_up(report);
        const struct leaf *first = report->leaf;
        if (report->count == 0)
                return;
        fprintf(out, "lbrun: %s%s%s: %d rank%s on %d CPU%s of %d node%s\n", report->system,
                report->chosen ? ", " : "", report->chosen ? report->chosen : "", first->size,
                lb_s(first->size), sums.ncpu, lb_s(sums.ncpu), sums.nnode, lb_s(sums.nnode));
        if (moves_cpus(report))
                print_cpus(report, out);
        else
                fprintf(out, "  CPUs freed                %d at the end; %.4g CPU-seconds in all\n",
                        sums.nfreed, sums.freed_cpu_s);
        print_times(report, out);
        if (first->undone > 0)
                fprintf(out, "  undone                    %ld times, as it was slower\n",
                        (long)first->undone);
        print_energy(report, out);
}

static void write_node(const struct leaf *leaf, bool more, FILE *out)
{
        fputs("    {\"host\": ", out);
        lb_json_write_string(out, leaf->host);
        fprintf(out, ", \"ranks\": %d, \"cpus\": %d, \"freed\": %d, \"freed_cpus\": ", leaf->nmate,
                leaf->ncpu, leaf->nfreed);
        lb_json_write_string(out, leaf->freed);
        fputs(", \"freed_cpu_s\": ", out);
        lb_json_write_number(out, leaf->freed_cpu_s);
        fprintf(out, "}%s\n", more ? "," : "");
}

static void write_number(FILE *out, const char *name, double number)
{
        fprintf(out, "  \"%s\": ", name);
        lb_json_write_number(out, number);
        fputs(",\n", out);
}

/* What is not known is null. */
static double known(double number)
{
        return number > 0 ? number : (double)INFINITY;
}

static void write_ranks(const struct balance_report *report, FILE *out)
{
        fputs("  \"rank\": [\n", out);
        for (int32_t i = 0; i < report->count; i++) {
                const struct leaf *leaf = &report->leaf[i];
                const double *figure = leaf->figure;
                fprintf(out,
                        "    {\"load_s\": %.9g, \"work_s\": %.9g, \"serial_s\": %.9g, \"regions\": "
                        "%.9g, \"cpus\": %.0f, "
                        "\"cpus_first\": %.0f, \"threads_max\": %.0f, "
                        "\"lent\": %.0f, \"borrowed\": %.0f}%s\n",
                        leaf->load_s, leaf->work_s, leaf->serial_s, leaf->regions,
                        figure[LEAF_CPUS], figure[LEAF_CPUS_FIRST], figure[LEAF_BOUND],
                        figure[LEAF_LENT], figure[LEAF_BORROWED], i + 1 < report->count ? "," : "");
        }
        fputs("  ],\n", out);
}

static void write_all(const struct balance_report *report, FILE *out)
{
        static const struct leaf none;
        struct sums sums = add_up(report);
        const struct leaf *first = report->count > 0 ? report->leaf : &none;
        const struct leaf *timed = first->unknown ? &none : first;
        int32_t left = sums.nnode;
        fprintf(out, "{\n  \"system\": \"%s\",\n  \"ranks\": %d,\n", report->system, first->size);
        if (report->chosen)
                fprintf(out, "  \"chosen\": \"%s\",\n", report->chosen);
        write_number(out, "duration_s", report->duration_s);
        report_write_end(!report->cut, report->ended_by[0] ? report->ended_by : NULL, out);
        fputs(",\n", out);
        fputs("  \"statistic\": \"median\",\n", out);
        write_number(out, "unbalanced_s", known(timed->without_s));
        write_number(out, "unbalanced_scatter_s", known(timed->without_scatter_s));
        write_number(out, "balanced_s", known(timed->with_s));
        write_number(out, "balanced_scatter_s", known(timed->with_scatter_s));
        write_number(out, "predicted_s",
                     known(report->simulated_s > 0 ? report->simulated_s : timed->predicted_s));
        write_number(out, "predicted_cpus", known(report->simulated_cpus));
        write_number(out, "policy_s", known(timed->predicted_s));
        write_number(out, "energy_J", report->joules < 0 ? (double)INFINITY : report->joules);
        fprintf(out, "  \"rounds\": %ld,\n  \"meetings\": %ld,\n  \"changes\": %ld,\n",
                (long)first->rounds, (long)first->meetings, (long)first->changes);
        fprintf(out, "  \"undone\": %ld,\n  \"cpus\": %d,\n  \"freed\": %d,\n", (long)first->undone,
                sums.ncpu, sums.nfreed);
        write_number(out, "freed_cpu_s", sums.freed_cpu_s);
        write_ranks(report, out);
        fputs("  \"nodes\": [\n", out);
        for (int32_t i = 0; i < report->count; i++)
                if (report->leaf[i].mate == 0)
                        write_node(&report->leaf[i], --left > 0, out);
        fputs("  ]\n}\n", out);
}

int balance_report_write(const struct balance_report *report, const char *path,
                         struct lb_error *err)
{
        struct lb_file file;
        if (lb_file_create(&file, path, err) < 0)
                return -1;
        write_all(report, file.stream);
        return lb_file_commit(&file, err);
}
