/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef LB_SIM_SCENARIO_SCENARIO_H
#define LB_SIM_SCENARIO_SCENARIO_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "base/error.h"
#include "base/json.h"
#include "base/param.h"
#include "models/platform.h"
#include "policies/system.h"

/*
 * Scenarios: what to simulate, as JSON. The parameter tables of the rooms are the contract; the
 * JSON Schema in scenarios/ is written from them.
 *
 * - A scenario file holds one description and, in "sweep", lists of values at dotted paths; its
 *   points are their cross product. A point is a complete, checked configuration.
 * - An axis may tie several paths: "platform.nodes,graph.degree": [[2, 2], [4, 3]].
 * - The file, --set and sweep values are held to the same rules; a message names the file's place
 *   or the option.
 * - --set of a swept path replaces its values by the one; --set sweep.PATH=[...] makes an axis.
 */

/* Sections with a parameter table: the scenario's objects, in the order they are shown. */
enum scenario_section {
        SECTION_PLATFORM,
        SECTION_NETWORK, /* platform.network */
        SECTION_POWER,   /* platform.power */
        SECTION_GRAPH,
        SECTION_WORKLOAD,
        SECTION_SYSTEM, /* name, as, lewi, drom, then the union of all policies' parameters */
        SECTION_RUNTIME,
        SECTION_OUTPUT,
        SECTION_COUNT
};

/* The first places of the system section's table; the policies' parameters follow. */
enum system_param { SYSTEM_NAME, SYSTEM_AS, SYSTEM_LEWI, SYSTEM_DROM, SYSTEM_NPARAM_OWN };

enum output_param {
        OUTPUT_FIGURE,        /* choice: none, imbalance_sweep, ...: see sim/output/figure.c */
        OUTPUT_SERIES_S,      /* interval of the time series; 0: none */
        OUTPUT_WORKERS,       /* switch: series of busy and owned cores per worker as well */
        OUTPUT_CLAIM_AT_MOST, /* what figure "claim" holds the results against */
        OUTPUT_CLAIM_FREED,
        OUTPUT_NPARAM
};
extern const struct lb_param output_params[];

/* Dotted path ("platform.network") and table of a section. The system table is made once per
 * process. */
const char *scenario_section_path(enum scenario_section section);
const struct lb_param *scenario_section_table(enum scenario_section section);

/* One point: a configuration without sweep, checked. */
struct scenario_point {
        double *value[SECTION_COUNT];       /* each [lb_param_count(table)] */
        const struct platform_speed *speed; /* [nspeed]; belongs to the scenario */
        int32_t nspeed;
        const double *load_ms; /* [nload] workload.load_ms, or NULL; belongs to the scenario */
        int32_t nload;
        const struct trace *trace;     /* what is in workload.file, or NULL; likewise */
        const struct taskgraph *graph; /* the same where that is a file of tasks */
        const struct system_type *system;
        bool lewi, drom;      /* as they are in effect */
        int32_t degree;       /* as it is in effect: 1 for systems that do not offload */
        int32_t start_degree; /* of the graph that it starts with: that, or more */
        bool grows;           /* further helpers may come */
        int32_t napprank;
};

struct taskgraph;
struct trace;
struct scenario_body; /* private: sim/scenario/scenario_impl.h */

struct scenario {
        char *name, *description;
        struct lb_json json;      /* the file's text, for messages */
        cJSON *tree;              /* the file with --set and --seed applied */
        int32_t replicates;       /* at most so many runs of every point ... */
        int32_t replicates_least; /* ... and at least so many; the same where precision is 0 */
        double precision;         /* of time_per_iteration_s that is enough, or 0: half the 95%
                                     confidence interval over the mean */
        uint64_t seed;
        int64_t npoint;   /* points that can run */
        int64_t nskipped; /* combinations that cannot be (degree > nodes, imbalance > appranks) or
                             that repeat another */
        int64_t *combination; /* [npoint] place in the cross product, last axis fastest */
        /* Hashes of what decides what a run gives: where all three are equal, so are the results of
         * point p, replicate r. */
        uint64_t fingerprint; /* of what is written in the scenario and the files that it names */
        uint64_t defaults;    /* of what is not written: parameters' defaults, systems */
        uint64_t build;       /* of the program and the plugins: base/build.h; ... */
        uint64_t built_in;    /* ... without these: of what plugins decide nothing in */
        struct scenario_body *body;
};

/* --set options as given: "graph.degree=4". */
struct scenario_options {
        const char *const *set; /* [nset] */
        int32_t nset;
        const char *seed; /* --seed, or NULL */
        bool for_others;  /* what is set may be for systems of other scenarios that get the same */
};

/* Read, apply --set, check everything, every point included. On failure *scenario is empty. */
int scenario_open(struct scenario *scenario, const char *file,
                  const struct scenario_options *options, struct lb_error *err) LB_MUST_CHECK;

/* The same of a text, of which `file` is but the name: in messages, and what its files lie beside.
 */
int scenario_open_text(struct scenario *scenario, const char *file, const char *text,
                       const struct scenario_options *options, struct lb_error *err) LB_MUST_CHECK;
void scenario_close(struct scenario *scenario);

/* The build that decides in a point: a plugin does in those of its system alone. */
uint64_t scenario_point_built(const struct scenario *scenario, int64_t point);

/* The configuration of point 0 .. npoint-1. Thread-safe. On failure *out is empty. */
int scenario_point_get(const struct scenario *scenario, int64_t point, struct scenario_point *out,
                       struct lb_error *err) LB_MUST_CHECK;
void scenario_point_finish(struct scenario_point *point);

/*
 * The swept paths, in the file's order: the columns of the results. An axis "a,b" of "sweep" ties
 * several paths, each of which is a column of its own. column: 0 .. scenario_ncolumn() - 1.
 */
int32_t scenario_ncolumn(const struct scenario *scenario);

/* The dotted path of a column ("graph.degree"); belongs to the scenario. */
const char *scenario_column(const struct scenario *scenario, int32_t column);

/* Do two columns move together, as paths of one axis "a,b"? */
bool scenario_columns_tied(const struct scenario *scenario, int32_t a, int32_t b);

/*
 * The value of a column at a point as it stands in results ("4", "global", "true"); belongs to the
 * scenario. For a system that does not offload graph.degree reads "1", whatever it was set to.
 */
const char *scenario_point_text(const struct scenario *scenario, int64_t point, int32_t column);

/* Does a column make a difference to a system? Those of the graph do not where nothing is
 * offloaded, nor does the degree to who finds it. */
bool scenario_column_matters(const struct scenario *scenario, int32_t column,
                             const struct system_type *system);

/* The point whose runs are those of a place in the cross product, where it may be left out since
 * its system makes no difference of it; -1: it cannot be. */
int64_t scenario_point_of(const struct scenario *scenario, int64_t combination);

/* The parameters of a policy or host `owner`, from the point's system values: copies into
 * value[lb_param_count(table)]. */
void scenario_policy_values(const struct scenario_point *point, const char *owner,
                            const struct lb_param *table, double *value);

/* How many tasks all iterations of a point have, about. */
double scenario_tasks(const struct scenario_point *point);

/* Print the JSON Schema (draft-07) of scenarios. */
int scenario_print_schema(FILE *out);

/* Print all parameters, section by section, for --help. */
void scenario_print_help(FILE *out);

#endif
