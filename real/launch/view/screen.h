/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef LB_REAL_LAUNCH_VIEW_SCREEN_H
#define LB_REAL_LAUNCH_VIEW_SCREEN_H

#include <stdbool.h>

#include "base/error.h"

struct view_lines;
struct view_model;

/*
 * The view on a terminal, by ncurses. One a process.
 *
 *      lbrun --watch: global, 4 nodes of 8 cores, 12 s     imbalance: nodes 1.04, appranks 2.31
 *      node 0  aa aa ab bb bb b- bb bb   busy 7.2 of 8, 12 wait, 2 lent
 *      ...
 *      -- decisions --
 *      -- output --
 *
 * A core is two letters, who owns it and who uses it, each on the colour of its apprank; where that
 * is too wide, one: who uses it, on the owner's colour.
 */

/* Can the terminal be drawn on? lbrun may have been built without ncurses. */
int screen_check(int terminal, struct lb_error *err) LB_MUST_CHECK;

bool screen_open(int terminal); /* or, after screen_close(), again */
void screen_close(void);        /* the terminal is as before */
void screen_resize(int terminal);
void screen_draw(const struct view_model *model, const struct view_lines *output);

/* A key that was typed; false where it asks for the end of the view. Arrows go through the nodes.
 */
bool screen_key(void);

/* What somebody who was killed has left on the terminal, but for its modes. */
void screen_repair(int terminal);

#endif
