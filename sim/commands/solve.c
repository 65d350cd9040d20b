/* SPDX-License-Identifier: BSD-3-Clause */
#include "sim/commands/commands.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/json.h"
#include "base/number.h"
#include "policies/lp.h"
#include "policies/solve.h"
#include "sim/commands/solve_file.h"

enum solver { SOLVER_EXACT, SOLVER_LEXICOGRAPHIC, SOLVER_LP };
enum format { FORMAT_JSON, FORMAT_TABLE };
static const char *const solvers[] = { "exact", "lexicographic", "lp", NULL };
static const char *const formats[] = { "json", "table", NULL };

struct options {
        int solver, format;
};

/* What is printed. */
struct answer {
        const struct solve_file *file;
        const char *solver;
        struct solve_result result;
        int32_t *owned_cores;               /* [nworker] */
        bool *apprank_in_cut, *node_in_cut; /* [napprank], [nnode], or NULL */
        double *fractional;                 /* [nworker], or NULL */
        double fractional_objective;
};

static const char *number(double value, char text[static LB_NUMBER_SIZE])
{
        lb_number_text(value, text);
        return text;
}

/* [[...], ...]: one list per apprank, of whole cores or of fractions. */
static void print_lists(const struct answer *answer, const char *name, const double *fractional)
{
        const struct lb_shape *shape = &answer->file->shape;
        char text[LB_NUMBER_SIZE];
        printf("  \"%s\": [", name);
        for (int32_t a = 0; a < shape->napprank; a++) {
                printf("%s\n    [", a ? "," : "");
                int32_t first = shape->apprank_first[a];
                for (int32_t w = first; w < shape->apprank_first[a + 1]; w++) {
                        if (w > first)
                                printf(", ");
                        if (fractional)
                                printf("%s", number(fractional[w], text));
                        else
                                printf("%d", answer->owned_cores[w]);
                }
                printf("]");
        }
        printf("\n  ]");
}

/* The numbers of a set, separated by commas. */
static void print_set(const bool *member, int32_t count)
{
        const char *separator = "";
        for (int32_t i = 0; i < count; i++) {
                if (!member[i])
                        continue;
                printf("%s%d", separator, i);
                separator = ", ";
        }
}

static void print_cut(const struct answer *answer, const char *before, const char *between,
                      const char *after)
{
        printf("%s", before);
        print_set(answer->apprank_in_cut, answer->file->shape.napprank);
        printf("%s", between);
        print_set(answer->node_in_cut, answer->file->shape.nnode);
        printf("%s", after);
}

static void print_json(const struct answer *answer)
{
        const struct solve_result *result = &answer->result;
        char text[LB_NUMBER_SIZE];
        printf("{\n  \"solver\": \"%s\",\n", answer->solver);
        printf("  \"objective\": %s,\n", number(result->objective, text));
        printf("  \"offloaded_cores\": %lld,\n", (long long)result->offloaded_cores);
        if (answer->file->owned_cores)
                printf("  \"moved_cores\": %lld,\n", (long long)result->moved_cores);
        if (answer->fractional) {
                printf("  \"fractional_objective\": %s,\n",
                       number(answer->fractional_objective, text));
                print_lists(answer, "fractional", answer->fractional);
                printf(",\n");
        } else {
                print_cut(answer, "  \"cut\": { \"appranks\": [", "], \"nodes\": [", "] },\n");
        }
        print_lists(answer, "allocation", NULL);
        printf("\n}\n");
}

static void print_table(const struct answer *answer)
{
        const struct lb_shape *shape = &answer->file->shape;
        const struct solve_result *result = &answer->result;
        printf("objective %.6g (largest load / cores), solver %s\n", result->objective,
               answer->solver);
        if (answer->fractional)
                printf("before rounding %.6g\n", answer->fractional_objective);
        printf("cores off home %lld", (long long)result->offloaded_cores);
        if (answer->file->owned_cores)
                printf(", moved %lld", (long long)result->moved_cores);
        if (answer->apprank_in_cut && result->cut_appranks > 0)
                print_cut(answer, "\nno less: appranks ", " have workers on nodes ",
                          " only, which are full");
        printf("\n\n%7s %12s %8s %12s  cores@node, home first\n", "apprank", "load", "cores",
               "load/cores");
        for (int32_t a = 0; a < shape->napprank; a++) {
                int64_t cores = 0;
                int32_t first = shape->apprank_first[a], end = shape->apprank_first[a + 1];
                for (int32_t w = first; w < end; w++)
                        cores += answer->owned_cores[w];
                printf("%7d %12.6g %8lld %12.6g ", a, answer->file->load[a], (long long)cores,
                       answer->file->load[a] / (double)cores);
                for (int32_t w = first; w < end; w++)
                        printf(" %d@%d", answer->owned_cores[w], shape->worker_node[w]);
                printf("\n");
        }
}

static int solve_with_lp(struct answer *answer, struct lb_error *err)
{
        const struct solve_file *file = answer->file;
        struct solve_instance instance = { &file->shape, file->load, file->owned_cores };
        answer->fractional = calloc((size_t)file->shape.nworker, sizeof(double));
        if (!answer->fractional)
                return lb_error_fail(err, "out of memory for %d workers", file->shape.nworker);
        struct solve_lp *lp = solve_lp_create(&file->shape, err);
        if (!lp)
                return -1;
        int status = solve_lp_run(lp, file->load, answer->fractional, answer->owned_cores,
                                  &answer->fractional_objective, err);
        solve_lp_destroy(lp);
        if (status == 0)
                solve_evaluate(&instance, answer->owned_cores, &answer->result);
        return status;
}

static int solve_with_flow(struct answer *answer, bool lexicographic, struct lb_error *err)
{
        int (*solve)(const struct solve_instance *, void *, int32_t *, struct solve_result *,
                     struct lb_error *) = lexicographic ? solve_lexicographic : solve_exact;
        const struct solve_file *file = answer->file;
        struct solve_instance instance = { &file->shape, file->load, file->owned_cores };
        void *workspace = malloc(solve_workspace_size(&file->shape));
        answer->apprank_in_cut = calloc((size_t)file->shape.napprank + 1, sizeof(bool));
        answer->node_in_cut = calloc((size_t)file->shape.nnode + 1, sizeof(bool));
        int status = -1;
        if (!workspace || !answer->apprank_in_cut || !answer->node_in_cut)
                lb_error_fail(err, "out of memory for %d workers", file->shape.nworker);
        else
                status = solve(&instance, workspace, answer->owned_cores, &answer->result, err);
        if (status == 0)
                solve_cut(&file->shape, workspace, answer->apprank_in_cut, answer->node_in_cut);
        free(workspace);
        return status;
}

static int solve_and_print(const struct options *options, const struct solve_file *file,
                           struct lb_error *err)
{
        struct answer answer = { .file = file, .solver = solvers[options->solver] };
        answer.owned_cores = calloc((size_t)file->shape.nworker, sizeof(int32_t));
        if (!answer.owned_cores)
                return lb_error_fail(err, "out of memory for %d workers", file->shape.nworker);
        int status = options->solver == SOLVER_LP
                         ? solve_with_lp(&answer, err)
                         : solve_with_flow(&answer, options->solver == SOLVER_LEXICOGRAPHIC, err);
        if (status == 0 && options->format == FORMAT_JSON)
                print_json(&answer);
        else if (status == 0)
                print_table(&answer);
        free(answer.fractional);
        free(answer.apprank_in_cut);
        free(answer.node_in_cut);
        free(answer.owned_cores);
        return status;
}

static int run(const struct lb_call *call, void *options, struct lb_error *err)
{
        struct lb_json doc;
        struct solve_file file;
        if (lb_json_open(&doc, call->word[0], err))
                return -1;
        int status = solve_file_init(&file, &doc, err);
        lb_json_close(&doc);
        if (status == 0) {
                status = solve_and_print(options, &file, err);
                solve_file_finish(&file);
        }
        if (status == 0 && (fflush(stdout) || ferror(stdout)))
                status = lb_error_fail(err, "cannot write standard output");
        return status;
}

static const struct lb_option options_table[] = {
        { "solver", LB_OPTION_CHOICE, NULL,
          "exact: the integer optimum; lexicographic: after the worst apprank the next worst, and "
          "so on; lp: the linear program of the paper, rounded node by node",
          LB_OPTION_TO(struct options, solver), .choices = solvers, .fallback = "exact" },
        { "format", LB_OPTION_CHOICE, NULL, "one JSON document, or a table to read",
          LB_OPTION_TO(struct options, format), .choices = formats, .fallback = "json" },
        { .name = NULL },
};

const struct lb_command command_solve = {
        .program = &lbsim_program,
        .name = "solve",
        .summary = "solve one global core allocation",
        .usage = "INSTANCE.json [OPTION]...",
        .about = "Solve one global core allocation: cores per apprank and node such that the "
                 "largest load / cores is least, then the fewest cores off the home nodes, then "
                 "the fewest cores moved.",
        .more = "INSTANCE.json, home node first; \"owned\" (cores owned now) may be left out:\n"
                "\n"
                "  {\"cores\": [48, 48],\n"
                "   \"appranks\": [{\"load\": 60, \"nodes\": [0, 1]}, {\"load\": 20.5, "
                "\"nodes\": [1, 0]}],\n"
                "   \"owned\": [[47, 1], [47, 1]]}",
        .options = options_table,
        .size = sizeof(struct options),
        .word = LB_OPTION_FILE,
        .word_min = 1,
        .word_max = 1,
        .needed = "one instance is needed",
        .run = run,
};
