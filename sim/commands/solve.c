/* SPDX-License-Identifier: BSD-3-Clause */
#include "sim/commands/commands.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/json.h"
#include "policies/lp.h"
#include "policies/solve.h"
#include "sim/commands/solve_file.h"

static const char help[] =
    "usage: lbsim solve INSTANCE.json [--solver exact|lexicographic|lp] [--format json|table]\n"
    "\n"
    "Solve one global core allocation: cores per apprank and node such that the largest\n"
    "load / cores is least, then the fewest cores off the home nodes, then the fewest cores\n"
    "moved.\n"
    "\n"
    "  --solver exact  the integer optimum (default)\n"
    "  --solver lexicographic\n"
    "                  after the worst apprank the next worst, and so on\n"
    "  --solver lp     the linear program of the paper, rounded node by node\n"
    "  --format json   one JSON document (default)\n"
    "  --format table  a table to read\n"
    "\n"
    "INSTANCE.json, home node first; \"owned\" (cores owned now) may be left out:\n"
    "  {\"cores\": [48, 48],\n"
    "   \"appranks\": [{\"load\": 60, \"nodes\": [0, 1]}, {\"load\": 20.5, \"nodes\": [1, 0]}],\n"
    "   \"owned\": [[47, 1], [47, 1]]}\n";

enum solver { SOLVER_EXACT, SOLVER_LEXICOGRAPHIC, SOLVER_LP };
enum format { FORMAT_JSON, FORMAT_TABLE };
static const char *const solvers[] = { "exact", "lexicographic", "lp", NULL };
static const char *const formats[] = { "json", "table", NULL };

struct options {
        const char *file;
        int solver, format;
        bool help;
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

/* "exact, lexicographic, lp". */
static const char *listed(const char *const *choices, char text[static 64])
{
        size_t used = 0;
        for (int i = 0; choices[i]; i++)
                used += (size_t)snprintf(text + used, 64 - used, "%s%s", i ? ", " : "", choices[i]);
        return text;
}

/* The place of a word in a NULL-ended list, or -1. */
static int choose(const char *option, const char *word, const char *const *choices,
                  struct lb_error *err)
{
        char text[64];
        for (int i = 0; choices[i]; i++)
                if (word && strcmp(word, choices[i]) == 0)
                        return i;
        if (!word)
                return lb_error_set(err, "%s needs a value, one of %s", option,
                                    listed(choices, text));
        return lb_error_set(err, "%s \"%s\", must be one of %s", option, word,
                            listed(choices, text));
}

/* Does an argument give this option? Its value is behind '=' or the next argument. */
static bool option_value(char **argv, int *i, const char *option, const char **value)
{
        size_t length = strlen(option);
        if (strncmp(argv[*i], option, length) != 0)
                return false;
        if (argv[*i][length] == '=') {
                *value = argv[*i] + length + 1;
                return true;
        }
        if (argv[*i][length] != '\0')
                return false;
        *value = argv[*i + 1];
        if (*value)
                ++*i;
        return true;
}

static int parse(char **argv, struct options *options, struct lb_error *err)
{
        const char *value;
        for (int i = 1; argv[i]; i++) {
                if (strcmp(argv[i], "--help") == 0) {
                        options->help = true;
                } else if (option_value(argv, &i, "--solver", &value)) {
                        if ((options->solver = choose("--solver", value, solvers, err)) < 0)
                                return -1;
                } else if (option_value(argv, &i, "--format", &value)) {
                        if ((options->format = choose("--format", value, formats, err)) < 0)
                                return -1;
                } else if (argv[i][0] == '-' && argv[i][1]) {
                        return lb_error_set(err, "unknown option \"%s\", see lbsim solve --help",
                                            argv[i]);
                } else if (options->file) {
                        return lb_error_set(err, "one instance at a time, found \"%s\" and \"%s\"",
                                            options->file, argv[i]);
                } else {
                        options->file = argv[i];
                }
        }
        if (!options->file && !options->help)
                return lb_error_set(err, "no instance given, see lbsim solve --help");
        return 0;
}

/* The shortest text that reads back as the same number. */
static const char *number(double value, char text[static 32])
{
        for (int digits = 15; digits <= 17; digits++) {
                snprintf(text, 32, "%.*g", digits, value);
                if (strtod(text, NULL) == value)
                        break;
        }
        return text;
}

/* [[...], ...]: one list per apprank, of whole cores or of fractions. */
static void print_lists(const struct answer *answer, const char *name, const double *fractional)
{
        const struct lb_shape *shape = &answer->file->shape;
        char text[32];
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
        char text[32];
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

static int run(const struct options *options, struct lb_error *err)
{
        struct lb_json doc;
        struct solve_file file;
        if (lb_json_open(&doc, options->file, err))
                return -1;
        int status = solve_file_init(&file, &doc, err);
        lb_json_close(&doc);
        if (status == 0) {
                status = solve_and_print(options, &file, err);
                solve_file_finish(&file);
        }
        return status;
}

int command_solve(int argc, char **argv)
{
        (void)argc;
        struct options options = { 0 };
        struct lb_error err = { 0 };
        int status = parse(argv, &options, &err);
        if (status == 0 && options.help)
                fputs(help, stdout);
        else if (status == 0)
                status = run(&options, &err);
        if (status == 0 && (fflush(stdout) || ferror(stdout)))
                status = lb_error_fail(&err, "cannot write standard output");
        if (status)
                fprintf(stderr, "lbsim: %s\n", err.text);
        return lb_error_exit_code(&err);
}
