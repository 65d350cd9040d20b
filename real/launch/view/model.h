/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef LB_REAL_LAUNCH_VIEW_MODEL_H
#define LB_REAL_LAUNCH_VIEW_MODEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "real/node/board.h"

struct frames;
struct job;

/*
 * What a view of a job shows, from the boards (real/node/board.h) of those of its nodes that are on
 * this machine, and what others send of theirs (real/launch/view/frame.h): who owns and who uses
 * which core, how many cores are busy, and decisions, which are changes of what workers are to own.
 * Ranks tell nothing for it, so of two decisions between two looks the second is seen.
 */
struct view_worker {
        int32_t apprank;
        int64_t busy_ns, at_ns; /* as of the beginning of the period that is measured */
        double busy_cores;      /* in the last one that ended */
        int32_t target;         /* cores it is to own; 0: nobody has decided */
};

struct view_node {
        struct board *board; /* NULL: not of this machine, or not yet */
        bool seen;
        int32_t ncore, nworker;
        struct view_worker *worker; /* [nworker] as on the board */
        struct board_core *core;    /* [ncore] */
        double busy_cores;
        int32_t ready,
            lent; /* tasks that wait for a core; cores in other hands than their owner's */
};

/* The last lines of a text; a long line is cut. */
enum { VIEW_LINES = 64, VIEW_LINE_SIZE = 256 };
struct view_lines {
        int64_t count; /* of all there were; line i is text[i % VIEW_LINES] */
        char text[VIEW_LINES][VIEW_LINE_SIZE];
};

/* Add what was printed, which may begin and end within a line; control characters are left out. */
void view_lines_add(struct view_lines *lines, const char *text, size_t size);

struct view_model {
        const struct job *job;
        const struct frames *frames; /* NULL: all nodes are of this machine */
        int64_t begin_ns;            /* of the job, CLOCK_MONOTONIC */
        double at_s;                 /* of the last look, after it */
        int32_t nseen;
        struct view_node *node;                   /* [nnode] */
        double *apprank_busy;                     /* [napprank] on the nodes that are seen, cores */
        double node_imbalance, apprank_imbalance; /* max / mean of busy cores; 0: nothing is busy */
        struct view_lines decisions;
};

struct view_model *view_model_create(const struct job *job, const struct frames *frames,
                                     int64_t now_ns, struct lb_error *err);
void view_model_destroy(struct view_model *model); /* takes NULL */
void view_model_look(struct view_model *model, int64_t now_ns);

/* A letter for an apprank: a to z, A to Z, 0 to 9, and again; '-' for nobody (-1). */
char view_letter(int32_t apprank);

/* Whose the worker of a node is: the apprank, or -1 for no worker. */
int32_t view_apprank(const struct view_node *node, int32_t worker);

#endif
