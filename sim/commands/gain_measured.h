/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef LB_SIM_COMMANDS_GAIN_MEASURED_H
#define LB_SIM_COMMANDS_GAIN_MEASURED_H

#include "models/measured.h"
#include "sim/commands/gain_machine.h"
#include "sim/commands/gain_print.h"
#include "sim/scenario/scenario.h"

/*
 * What would be gained for a program that was measured as it is (private to this room): where its
 * time goes, remedies that need no system, and every system simulated on its loads.
 *
 * - Work is what was measured, window by window. Waiting is never an input, it comes out of the
 *   simulation; time to transfer is added, as no system makes it less.
 * - Where the simulated time without balancing and the measured one are further apart than
 *   GAIN_TRUST, nothing is predicted.
 */
#define GAIN_TRUST 0.1  /* of the measured time */
#define GAIN_WORTH 0.03 /* of the measured time: less imbalance is not worth a change */

struct gain_request {
        const char *path, *html, *rankfile, *hostfile;    /* NULL: not given */
        const char *systems, *degrees, *nodes, *platform; /* the same */
        int32_t cores, appranks_per_node, iterations;     /* 0: not given */
        enum gain_division division;
        int32_t parts;
        const char *const *set;
        int32_t nset;
        enum table_format format;
        bool quiet;
};

int gain_measured(const struct gain_request *request, struct lb_error *err) LB_MUST_CHECK;

/* ---- Where the time goes (gain_parts.c) ---- */

/* Loads in windows; where there are none, the whole run in equal parts. */
struct gain_loads {
        int32_t nrank, nnode, threads; /* threads: cores that a rank computes on */
        const int32_t *node;           /* [nrank] */
        int64_t nwindow;
        double *load_s;  /* [nwindow][nrank] */
        double *total_s; /* [nrank] */
};

/* Seconds; they add up to wall_s. */
struct gain_parts {
        double wall_s;
        double bound_s;    /* all work over the cores that the ranks use */
        double between_s;  /* imbalance between nodes */
        double within_s;   /* within nodes */
        double transfer_s; /* of MPI */
        double files_s;    /* of transfer_s, at most: calls on files, of the rank with least */
        double unseen_s;   /* of a rank's load, at most: may be waiting for other ranks */
        double rest_s;     /* waiting that the loads do not explain: finer imbalance, no CPU */
        bool transfer_known, wall_known;
};

int gain_loads_fill(struct gain_loads *loads, const struct measured *m, int32_t threads,
                    struct lb_error *err) LB_MUST_CHECK;
void gain_loads_finish(struct gain_loads *loads);
/* -1: out of memory. */
int gain_parts_fill(struct gain_parts *parts, const struct gain_loads *loads,
                    const struct measured *m, struct lb_error *err) LB_MUST_CHECK;

/* The sum over windows of the largest load of a rank, per thread. */
double gain_longest_s(const struct gain_loads *loads);

/* What imbalance costs of the time of computing, as a 95 % interval for a run of many iterations
 * like the 2 to 9 measured: leaving out one at a time (jackknife), with Student's t. False: another
 * number of them. Iterations are taken to vary independently; a drift is not in it. */
bool gain_saving_range(const struct gain_loads *loads, double percent[static 2]);

/* Heavy ranks beside light ones: place[i] is the rank that sits i-th, node after node, each with
 * nrank / nnode of them. -1: out of memory. */
int gain_place(const struct gain_loads *loads, int32_t *place, struct lb_error *err) LB_MUST_CHECK;

/* The time of computing if ranks place[g * size ..] were one with all their threads. */
double gain_joined_s(const struct gain_loads *loads, const int32_t *place, int32_t size);

/* The time of computing if the partition gave each rank the same in the whole run. */
double gain_weighted_s(const struct gain_loads *loads);

/* ---- What systems would do ---- */

/* What a program must be for it. */
enum gain_kind { GAIN_KIND_NONE = 0, GAIN_INDIVISIBLE, GAIN_MALLEABLE, GAIN_TASKED };

struct gain_outcome {
        const struct system_type *system; /* NULL: a remedy without one */
        const char *name;
        int32_t degree, nodes;
        enum gain_kind kind;
        bool placed;             /* with heavy ranks beside light ones */
        int32_t joined;          /* so many of the measured ranks are one */
        double least_s, most_s;  /* predicted, all that is unknown included */
        double coarse_s, fine_s; /* with few and many parts */
        double cores;
        const char *asks;
};

enum { GAIN_REMEDY_MAX = 8, GAIN_NAMES_SIZE = 1024 };

/* How much is simulated: gain_extent.c. */
struct gain_extent {
        int64_t nwindow; /* iterations, each one or several of .. */
        int64_t nload;   /* .. so many of the loads' windows; the others are like them */
        int32_t repeats; /* of all of them */
        const char *replicates, *degrees; /* as a scenario has them */
        bool costs;                       /* with cheap and dear constants, too */
};

struct gain_advice {
        const char *path, *platform; /* platform: file of the machine's constants, or NULL */
        const struct measured *m;
        struct gain_machine machine;
        struct gain_loads loads;
        struct gain_parts parts;
        struct gain_extent extent;
        int32_t per_node, cores;  /* of a node; per_node 0: nodes differ */
        int32_t coarse, fine;     /* parts of a rank's work in a window */
        double regions;           /* parallel ones in it of the rank with most; 0: not known */
        double baseline_s, error; /* simulated; off from the measured time, of it */
        bool predicted, worth;
        char why_not[320];            /* where nothing is predicted */
        char left_out[256];           /* of what could be simulated, and why; "" for nothing */
        struct gain_outcome *outcome; /* [noutcome] */
        int32_t noutcome;
        struct gain_outcome remedy[GAIN_REMEDY_MAX];
        int32_t nremedy;
        int32_t *place;       /* [nrank] as gain_place() */
        int32_t *node_placed; /* [nrank] the node of each rank there */
        int32_t *order;       /* [nrank] ranks node after node, as they were measured */
};

/* ---- Predictions (gain_predict.c, gain_remedy.c) ---- */

/* Is --nodes a list of numbers? */
/* Are --nodes numbers of nodes? Lifts *most to the largest. */
int gain_check_nodes(const struct gain_request *request, int32_t *most,
                     struct lb_error *err) LB_MUST_CHECK;

/* How ranks are put on nodes for a simulation. */
struct gain_setup {
        const char *systems;
        const int32_t *place;                   /* [nrank] in the order of nodes */
        bool placed;                            /* heavy beside light */
        enum gain_costs costs;                  /* of the machine's constants */
        int32_t joined, nnode, per_node, cores; /* joined: so many ranks are one */
};

/* What the ranks joined with the i-th do in an iteration of a->extent, one window of the loads or
 * several, under systems that take a program to be alike. Of the work serial_s cannot be divided:
 * what is in no parallel region, and as long as such last that keep their number of threads. Of
 * tasks, which it would have to become, all can. */
struct gain_work {
        double work_s, serial_s;
};
struct gain_work gain_work_of(const struct gain_advice *a, const struct gain_setup *setup,
                              enum gain_kind kind, int64_t iteration, int32_t i);

/* ---- Parallel regions (gain_regions.c) ---- */

/* Of an iteration of the rank with most, as many alike; 0: they were not counted. */
double gain_regions(const struct measured *m);

/* Are such systems simulated by them, and not by a range of parts? */
bool gain_by_regions(const struct gain_advice *a, enum gain_kind kind);

/* Into how many parts a rank's work in a window is divided on a node of so many cores: few, many.
 */
void gain_parts_of(const struct gain_advice *a, enum gain_kind kind, int32_t cores,
                   int32_t parts[static 2]);

/* The whole run under a system whose lent CPUs come with a rank's next region (models/forkjoin.h);
 * 0: it is none, or regions are not known. */
int gain_lending_s(const struct gain_advice *a, const struct gain_setup *setup,
                   const struct scenario_point *point, double *time_s,
                   struct lb_error *err) LB_MUST_CHECK;

/* ---- How much is simulated (gain_extent.c) ---- */

/* a->extent, as much as there is time for. */
void gain_extent_fill(struct gain_advice *a, const struct gain_request *request);

/* No system, into a->baseline_s; then every one on ranks as they are; then in other ways, and on
 * other nodes, into a->outcome. */
int gain_predict_baseline(struct gain_advice *a, const struct gain_request *request,
                          struct lb_error *err) LB_MUST_CHECK;
int gain_predict_plain(struct gain_advice *a, const struct gain_request *request,
                       struct lb_error *err) LB_MUST_CHECK;
int gain_predict_others(struct gain_advice *a, const struct gain_request *request,
                        struct lb_error *err) LB_MUST_CHECK;

/* What needs no system, into a->remedy. */
void gain_find_remedies(struct gain_advice *a);

/* By how much the simulation is off without balancing, a prediction may be. */
void gain_widen(const struct gain_advice *a, struct gain_outcome *outcome);

/* --rankfile and --hostfile: heavy ranks beside light ones. */
int gain_write_places(const struct gain_advice *a, const struct gain_request *request,
                      struct lb_error *err) LB_MUST_CHECK;

/* ---- Systems (gain_systems.c) ---- */

/* What a system takes a program to be, and, where it is wanted, asks of who has it. */
enum gain_kind gain_kind_of(const struct system_type *system, const char **asks);
const char *gain_kind_name(enum gain_kind kind);
/* Those of the list "a,b" (NULL: all) whose kind is from kinds[0] to kinds[1], as such a list.
 * Returns how many. */
int gain_systems_of(const char *list, const enum gain_kind kinds[static 2],
                    char names[static GAIN_NAMES_SIZE]);
/* Is --systems a list of systems? */
int gain_check_systems(const char *list, struct lb_error *err) LB_MUST_CHECK;
/* Of tasks that wait for each other: those of the list, which all have to simulate their order, or
 * for NULL all that do, and in a line which others are left out. */
int gain_ordered_systems(const char *list, char names[static GAIN_NAMES_SIZE],
                         char left_out[static GAIN_LEFT_OUT_SIZE],
                         struct lb_error *err) LB_MUST_CHECK;
/* NULL: none are given. More than the nodes would leave out all systems that offload. */
int gain_check_degrees(const char *list, int32_t nnode, struct lb_error *err) LB_MUST_CHECK;

/* "2,4,8" of an option; how many, or -1 with a message. why: behind the highest that is allowed. */
enum { GAIN_LIST_MAX = 16 };
int32_t gain_read_list(const char *option, const char *text, int32_t highest, const char *why,
                       int32_t list[static GAIN_LIST_MAX], struct lb_error *err);
/* Max / mean over the ranks, of windows. */
double gain_imbalance(const struct gain_advice *a);
/* Has every rank enough work to say what more of it would take? Not one that hands out work. */
bool gain_has_weights(const struct gain_loads *loads);
/* The work of a rank should be so many times what it is; 1 where it has none. */
double gain_weight(const struct gain_advice *a, int32_t rank);
/* Cores of the measured nodes that are not used; below 0: more are. */
double gain_freed(const struct gain_advice *a, const struct gain_outcome *outcome);
/* Would lbrun run it? "as it is": on any program; "ported": a program whose work is tasks of
 * lbrun.h; "no": it is simulated alone; "" for what is no system. */
const char *gain_live(const struct gain_outcome *outcome);

/* What it means, for people. */
extern const char gain_what_runs[];
/* Less time than without balancing, simulated like it. */
double gain_less_percent(const struct gain_advice *a, double time_s);

/* Is waiting explained well enough for a verdict? */
bool gain_is_clear(const struct gain_advice *a);

/* May much of a rank's load be waiting, while other threads of it were in MPI? */
bool gain_is_unseen(const struct gain_advice *a);

/* Did ranks wait for CPUs that others had, so that times are longer than their work? */
bool gain_is_shared(const struct measured *m);

/* The measured time, as it would be with a CPU for each. */
double gain_unshared_s(const struct gain_advice *a);

/* Did they, and is the imbalance that it would take seen in windows alone, in which one rank may
 * have had the CPU of another? */
bool gain_is_apparent(const struct gain_advice *a);

/* In words: gain_verdict.c. line[size] */
void gain_verdict_line(const struct gain_advice *a, char *line, size_t size);
/* How the best of the systems for programs as they are runs this one; "" where none gains. */
void gain_as_it_is(const struct gain_advice *a, char *line, size_t size);
/* Where most of what imbalance costs is not in the iterations, so that a longer run loses no more
 * of it; "" elsewhere. */
void gain_outside_line(const struct gain_advice *a, char *line, size_t size);
/* Where on average no more than one rank was outside MPI at a time, so that they may compute in
 * turns; "" elsewhere. */
void gain_turns_line(const struct gain_advice *a, char *line, size_t size);
/* Where --cores says that nodes have more cores than the ranks use: what all of them would save; ""
 * elsewhere. */
void gain_unused_line(const struct gain_advice *a, char *line, size_t size);
/* parts.bound_s of the cores that nodes have, in use or not. */
double gain_all_cores_s(const struct gain_advice *a);
/* Where the measurement does not say on which nodes its ranks were; "" where it does. */
void gain_nodes_line(const struct gain_advice *a, char *line, size_t size);
/* The regions by which threads are simulated; "" where they are not known. */
void gain_regions_line(const struct gain_advice *a, char *line, size_t size);
void gain_assumption(const struct gain_advice *a, char *line, size_t size);
/* A command that runs as it stands here, NULL for none, the caller's to free, and what to say of
 * it. Returns -1 with a message: no memory. */
struct gain_next {
        char *command, remark[160];
};
int gain_next(const struct gain_advice *a, struct gain_next *next,
              struct lb_error *err) LB_MUST_CHECK;
/* How the best system runs once the program is ported; "" where none gains for certain. */
void gain_ported(const struct gain_advice *a, char *line, size_t size);
/* As JSON: gain_json.c. */
int gain_json_print(const struct gain_advice *a, struct lb_error *err) LB_MUST_CHECK;
int gain_verdict_print(const struct gain_advice *a, enum table_format format,
                       struct lb_error *err) LB_MUST_CHECK;

/* As a page: gain_page.c. */
int gain_page_write(const struct gain_advice *a, const char *file,
                    struct lb_error *err) LB_MUST_CHECK;

#endif
