/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef LB_SIM_SCENARIO_SCENARIO_IMPL_H
#define LB_SIM_SCENARIO_SCENARIO_IMPL_H

#include "base/data.h"
#include "models/workload.h"
#include "policies/params.h"
#include "sim/scenario/scenario.h"

/*
 * What the parts of the scenario reader share (private to it).
 *
 *   file --json--> tree --set--> tree --read--> base values, axes --expand--> points --check-->
 *
 * - A pointer is a place in the JSON text ("/sweep/graph.degree/2"), a path is what users write
 *   ("graph.degree").
 */

/* One settable thing: a section's parameter, or with an index beyond its table one of its values
 * that are not numbers, its "lists". */
struct scenario_target {
        enum scenario_section section;
        int index;
};
enum { TARGET_SPEED = PLATFORM_NPARAM, TARGET_LOAD_MS = WORKLOAD_NPARAM, TARGET_FILE };
enum { SECTION_LISTS_MAX = 2 };

/* Keys beside the sections that are numbers. */
enum scenario_root_param {
        ROOT_REPLICATES,
        ROOT_PRECISION,
        ROOT_REPLICATES_MOST,
        ROOT_SEED,
        ROOT_NPARAM
};
extern const struct lb_param scenario_root_params[];

/* The table of the system section, and which policy each of its parameters is of. */
const struct policy_params *scenario_system_params(void);

/* Keys beside the sections that are not, NULL-ended. */
extern const char *const scenario_root_words[];

/* The elements of the lists platform.speed (objects of these) and workload.load_ms (numbers). */
enum speed_param { SPEED_NODE, SPEED_FACTOR, SPEED_EVERY, SPEED_LINK, SPEED_JOINED, SPEED_NPARAM };
enum { SPEED_NEEDED = SPEED_FACTOR + 1 }; /* the first ones must be there */
extern const struct lb_param scenario_speed_params[];
extern const struct lb_param scenario_load_param;

/* The target of a path ("platform.speed"); -1 where there is none. */
int scenario_target_find(const char *path, struct scenario_target *target);

/* The path of a target, into path[size]. */
void scenario_target_path(struct scenario_target target, char *path, size_t size);

/* The parameter of a target, NULL where it is a list or a file. */
const struct lb_param *scenario_target_param(struct scenario_target target);

/* The name of a section's list `number` (0 ..), or NULL where it has no more. */
const char *scenario_list_name(enum scenario_section section, int number);

/* The index of the target that is a section's list of a name, or -1. */
int scenario_list_find(enum scenario_section section, const char *name);

/* Is it workload.file, a string? */
bool scenario_target_is_file(struct scenario_target target);

/* What a user may have meant by `word`: the nearest path or key to set, or NULL. Into near[size].
 */
const char *scenario_nearest_path(const char *word, char *near, size_t size);

/* The nearest key of an object of the file: of a section, or of the root for SECTION_COUNT. */
const char *scenario_nearest_key(enum scenario_section section, const char *word);

/* The scenario nearest to a file that there is not: beside it, or of those that come with the
 * program. false: there is that file, or none is near. */
bool scenario_nearest_file(const char *file, char near[static LB_DATA_PATH_SIZE]);

/* The inner section that a key of a section (SECTION_COUNT: of the root) opens, or -1. */
int scenario_section_find(enum scenario_section outer, const char *key);

/* One value as read. */
struct scenario_cell {
        double number;
        struct platform_speed *speed; /* [count], NULL for anything else */
        double *load_ms;              /* [count], likewise */
        struct trace *trace;          /* what is in a file of loads, likewise */
        struct taskgraph *graph;      /* what is in a file of tasks, likewise */
        int32_t count;
};
void scenario_cell_finish(struct scenario_cell *cell);

/* What a system makes of the section "graph". */
enum scenario_graph_use {
        GRAPH_USE_ALL,
        GRAPH_USE_BUT_DEGREE, /* it finds the degree itself, maybe from a graph on */
        GRAPH_USE_NONE,
        GRAPH_NUSE
};

bool scenario_target_matters(const struct scenario_target *target, enum scenario_graph_use use);

struct scenario_axis {
        char *key; /* as it stands in "sweep" */
        bool tied; /* its values are arrays, one element for each path */
        int32_t npath, nvalue;
        char **path;                    /* [npath] */
        struct scenario_target *target; /* [npath] */
        struct scenario_cell *cell;     /* [nvalue][npath] */
        char **text;                    /* [nvalue][npath] as they stand in results */
        int32_t *first[GRAPH_NUSE]; /* [nvalue] the first value equal to this one in what matters */
};

/* A --set or --seed that was applied. */
struct scenario_set {
        char *path;   /* "graph.degree" */
        char *option; /* "--set graph.degree=4" */
};

struct scenario_body {
        double *value[SECTION_COUNT]; /* without the sweep; one allocation, value[0] */
        bool *given[SECTION_COUNT]; /* set by the user; likewise. With SECTION_LISTS_MAX places for
                                       lists. */
        struct scenario_cell speed, load, file;
        struct scenario_axis *axis; /* [naxis], in the file's order */
        int32_t naxis, ncolumn;
        struct scenario_set *set; /* [nset] */
        int32_t nset;
        uint64_t include_hash; /* of the machine that is included; 0: none */
};

/* Parameters of all sections together. */
size_t scenario_value_count(void);

/* Memory for values, at their defaults, and what was given; `given` has more places per section,
 * for its lists. -1: out of memory, without a message. */
int scenario_make_values(struct scenario_body *body);

/* Read a section of a file. */
int scenario_section_read(struct scenario *scenario, enum scenario_section section,
                          const char *pointer, const cJSON *object,
                          struct lb_error *err) LB_MUST_CHECK;

/* The path of a file named in a scenario, to be freed: relative to the scenario, in an option to
 * where we are. NULL: out of memory, without a message. */
char *scenario_file_beside(const struct scenario *scenario, const char *path_of,
                           const char *pointer, const char *name);

/* What "include" names becomes the defaults: sim/scenario/include.c. */
int scenario_include(struct scenario *scenario, struct lb_error *err) LB_MUST_CHECK;

/* Set pointers to the sections in one allocation of scenario_value_count() values. */
void scenario_value_split(double *all, double **value);

/* ---- Messages ---- */

/* The --set or --seed that gave the value at a place, NULL where the file did. */
const struct scenario_set *scenario_set_of(const struct scenario *scenario, const char *path,
                                           const char *pointer);

/*
 * Complain about a value: at its option where --set or --seed gave it, else at its place in the
 * file. `path` is what an option would have named. Returns -1.
 */
int scenario_complain(const struct scenario *scenario, const char *path, const char *pointer,
                      struct lb_error *err, const char *format, ...) LB_PRINTF(5, 6);

enum { SCENARIO_POINTER_SIZE = 512 };

/* Append "/token", escaped, to a JSON pointer in pointer[SCENARIO_POINTER_SIZE]. */
void scenario_pointer_add(char *pointer, const char *token);
void scenario_pointer_add_index(char *pointer, int64_t index);

/* ---- Steps of scenario_open(): each fails with -1 and leaves the rest to scenario_close() ---- */

int scenario_set_apply(struct scenario *scenario, const struct scenario_options *options,
                       struct lb_error *err) LB_MUST_CHECK;
int scenario_read(struct scenario *scenario, struct lb_error *err) LB_MUST_CHECK;
int scenario_sweep_read(struct scenario *scenario, struct lb_error *err) LB_MUST_CHECK;
int scenario_expand(struct scenario *scenario, bool for_others, struct lb_error *err) LB_MUST_CHECK;
void scenario_identify(struct scenario *scenario); /* fills its hashes */

/* All parameters and their defaults, as they are in the sections' tables. */
typedef const struct lb_param *scenario_tables(enum scenario_section section);
void scenario_hash_defaults(scenario_tables *tables, uint64_t *hash);
void scenario_axis_finish(struct scenario_axis *axis);

/* Read a target's value from JSON at a place. On failure *cell is empty. */
int scenario_cell_read(const struct scenario *scenario, struct scenario_target target,
                       const char *pointer, const cJSON *item, struct scenario_cell *cell,
                       struct lb_error *err) LB_MUST_CHECK;

/* ---- Keys that nothing reads ---- */

/* Fails where a key is given that no system and no model of the scenario reads: where those are
 * swept, one of them is enough. `for_others`: what an option sets is fine. */
int scenario_check_used(const struct scenario *scenario, bool for_others,
                        struct lb_error *err) LB_MUST_CHECK;

/* The systems that read a target, "global, dynamic"; empty where all do. */
void scenario_users(struct scenario_target target, char *text, size_t size);

/* ---- Points ---- */

/* Is the point's workload of the model of that name? */
bool scenario_is_model(const struct scenario_point *point, const char *name);

/*
 * The number of the value that a combination has in the axis of a target. *axis is that axis, NULL
 * where the target is not swept; *place is the target's place in it.
 */
int32_t scenario_value_at(const struct scenario *scenario, int64_t combination,
                          struct scenario_target target, const struct scenario_axis **axis,
                          int32_t *place);

/* The place in the file of a target that is given: in its section, or its axis of the sweep. Into
 * pointer[SCENARIO_POINTER_SIZE]. */
void scenario_locate(const struct scenario *scenario, struct scenario_target target, char *pointer);

/* The configuration of a combination, not checked. -1: out of memory. */
int scenario_point_build(const struct scenario *scenario, int64_t combination,
                         struct scenario_point *out, struct lb_error *err) LB_MUST_CHECK;

/* What is wrong with a combination, if anything. */
enum scenario_verdict { VERDICT_FINE = 0, VERDICT_SKIP, VERDICT_ERROR };

/* Judge a combination: err is filled for VERDICT_ERROR, and for VERDICT_SKIP where `explain`. */
enum scenario_verdict scenario_judge(const struct scenario *scenario, int64_t combination,
                                     const struct scenario_point *point, bool explain,
                                     struct lb_error *err);

#endif
