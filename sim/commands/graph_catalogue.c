/* SPDX-License-Identifier: BSD-3-Clause */
#include "sim/commands/graph_catalogue.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/data.h"
#include "base/file.h"
#include "graphs/contest.h"

enum { PATH_SIZE = LB_DATA_PATH_SIZE };

static bool is_asked_for(const struct catalogue_request *request,
                         const struct catalogue_entry *entry)
{
        return (!request->napprank || request->napprank == entry->napprank) &&
               (!request->nnode || request->nnode == entry->nnode) &&
               (!request->degree || request->degree == entry->degree);
}

/* What is known of the isoperimetric number. */
static const char *certificate(const struct catalogue_entry *entry)
{
        if (catalogue_is_optimal(entry))
                return "optimal";
        return catalogue_is_exact(entry) ? "exact" : "bounds";
}

static void print_title(void)
{
        printf("%8s %5s %6s  %13s %8s %8s  %-11s %15s  %s\n", "appranks", "nodes", "degree",
               "isoperimetric", "proven", "ceiling", "certificate", "second singular",
               "method, seed");
}

static void print_row(const struct catalogue_entry *entry)
{
        printf("%8" PRId32 " %5" PRId32 " %6" PRId32 "  %13.6f %8.6f %8.6f  %-11s %15.6f  %s",
               entry->napprank, entry->nnode, entry->degree, ratio_value(entry->set),
               ratio_value(entry->proven), ratio_value(entry->ceiling), certificate(entry),
               entry->second_singular, entry->method);
        if (entry->period < entry->nnode)
                printf(" of period %" PRId32, entry->period);
        printf(", %" PRIu64 "\n", entry->seed);
}

static void print_json(const struct catalogue_entry *entry, bool first)
{
        printf("%s  { \"appranks\": %" PRId32 ", \"nodes\": %" PRId32 ", \"degree\": %" PRId32
               ", \"isoperimetric\": %.17g, \"proven\": %.17g, \"ceiling\": %.17g, "
               "\"certificate\": \"%s\", \"second_singular\": %.9f, \"method\": \"%s\", "
               "\"seed\": %" PRIu64 ", \"period\": %" PRId32 " }",
               first ? "" : ",\n", entry->napprank, entry->nnode, entry->degree,
               ratio_value(entry->set), ratio_value(entry->proven), ratio_value(entry->ceiling),
               certificate(entry), entry->second_singular, entry->method, entry->seed,
               entry->period);
}

/* What is done with each entry asked for; `count` is how many there were before. */
typedef int entry_action(const struct catalogue_request *request,
                         const struct catalogue_entry *entry, int32_t count, struct lb_error *err);

static int list_entry(const struct catalogue_request *request, const struct catalogue_entry *entry,
                      int32_t count, struct lb_error *err)
{
        (void)err;
        if (request->json) {
                print_json(entry, count == 0);
                return 0;
        }
        if (count == 0)
                print_title();
        print_row(entry);
        return 0;
}

static int verify_entry(const struct catalogue_request *request,
                        const struct catalogue_entry *entry, int32_t count, struct lb_error *err)
{
        (void)count;
        bool whole;
        if (catalogue_verify(entry, request->budget, &whole, err))
                return -1;
        printf("%" PRId32 " appranks on %" PRId32 " nodes, degree %" PRId32 ": %s\n",
               entry->napprank, entry->nnode, entry->degree,
               whole ? "verified" : "no better set found within the budget");
        return 0;
}

static int visit_file(const char *file, const struct catalogue_request *request,
                      entry_action *action, int32_t *count, struct lb_error *err)
{
        struct catalogue catalogue;
        if (catalogue_read(file, &catalogue, err))
                return -1;
        int failed = 0;
        for (int32_t i = 0; i < catalogue.count && !failed; i++) {
                if (!is_asked_for(request, &catalogue.entry[i]))
                        continue;
                failed = action(request, &catalogue.entry[i], *count, err);
                ++*count;
        }
        catalogue_finish(&catalogue);
        return failed;
}

/* The file asked for, or the user's own and the shipped one. */
static int visit(const struct catalogue_request *request, entry_action *action,
                 struct lb_error *err)
{
        static bool (*const places[])(char *, size_t) = { catalogue_user_file,
                                                          catalogue_shipped_file };
        char file[PATH_SIZE];
        int32_t count = 0;
        if (request->file && visit_file(request->file, request, action, &count, err))
                return -1;
        for (size_t i = 0; !request->file && i < sizeof(places) / sizeof(places[0]); i++)
                if (places[i](file, sizeof(file)) && access(file, F_OK) == 0 &&
                    visit_file(file, request, action, &count, err))
                        return -1;
        if (count == 0 && !request->json)
                return lb_error_set(err, "the catalogue has no graph of this size");
        return 0;
}

int catalogue_list(const struct catalogue_request *request, struct lb_error *err)
{
        if (request->json)
                printf("[\n");
        int failed = visit(request, list_entry, err);
        if (request->json)
                printf("\n]\n");
        return failed;
}

int catalogue_verify_all(const struct catalogue_request *request, struct lb_error *err)
{
        return visit(request, verify_entry, err);
}

/* ---- Extend ---- */

/* The file to extend, and the directory of the user's own made. */
static int find_target(const struct catalogue_request *request, char file[static PATH_SIZE],
                       struct lb_error *err)
{
        char directory[PATH_SIZE];
        if (request->file) {
                if (snprintf(file, PATH_SIZE, "%s", request->file) >= PATH_SIZE)
                        return lb_error_set(err, "--catalogue: the name is too long");
                return 0;
        }
        if (!catalogue_user_file(file, PATH_SIZE) ||
            !graph_cache_directory(directory, sizeof(directory)))
                return lb_error_set(err, "no directory for a catalogue: set LBSIM_CACHE, or name a "
                                         "file with --catalogue=FILE");
        return lb_make_directory(directory, err);
}

/* The entry of the size there is from now on is *entry; its graph stays the catalogue's. */
static int extend(const struct catalogue_request *request, struct catalogue *catalogue,
                  struct catalogue_entry *entry, bool *won, struct lb_error *err)
{
        struct graph_spec spec = { .napprank = request->napprank,
                                   .nnode = request->nnode,
                                   .degree = request->degree,
                                   .method = GRAPH_METHOD_CATALOGUE,
                                   .seed = request->seed,
                                   .trials = (int32_t)request->trials };
        const struct catalogue_entry *defender =
            catalogue_find(catalogue, spec.napprank, spec.nnode, spec.degree);
        if (contest_run(&spec, defender, request->budget, entry, won, err))
                return -1;
        if (*won)
                return catalogue_put(catalogue, entry, err);
        if (!defender)
                return lb_error_fail(err, "no graph of this size was found: try more than %d",
                                     spec.trials);
        *entry = *defender;
        return 0;
}

int catalogue_extend(const struct catalogue_request *request, struct lb_error *err)
{
        char file[PATH_SIZE];
        struct catalogue catalogue = { 0 };
        if (find_target(request, file, err) ||
            (access(file, F_OK) == 0 && catalogue_read(file, &catalogue, err)))
                return -1;
        bool won;
        struct catalogue_entry entry;
        int failed = extend(request, &catalogue, &entry, &won, err);
        if (!failed && won)
                failed = catalogue_write(&catalogue, file, err);
        if (!failed) {
                print_row(&entry);
                fprintf(stderr, won ? "put into %s\n" : "nothing better was found than in %s\n",
                        file);
        }
        catalogue_finish(&catalogue);
        return failed;
}
