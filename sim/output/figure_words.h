/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef LB_SIM_OUTPUT_FIGURE_WORDS_H
#define LB_SIM_OUTPUT_FIGURE_WORDS_H

#include <stdbool.h>
#include <stddef.h>

#include "sim/scenario/scenario.h"

/* What figures and pages say of parameters and metrics: words with units, never their names. */

enum { FIGURE_WORDS_SIZE = 256 };

/* Of a path or metric along an axis: "Cores per node", "Network latency (µs)". */
void figure_axis_words(const char *path, char text[static FIGURE_WORDS_SIZE]);

/* Any words, with the unit of a metric behind: "Ours (s)". */
void figure_unit_words(const char *words, const char *metric, char text[static FIGURE_WORDS_SIZE]);

/* Of one value of it, for a legend: "8 cores per node", "not packed"; empty where it goes without
 * saying. */
void figure_value_words(const char *path, const char *value, char text[static FIGURE_WORDS_SIZE]);

/* The same where it never goes without saying: "iterations 20". */
void figure_axis_value_words(const char *path, const char *value,
                             char text[static FIGURE_WORDS_SIZE]);

/* A text for the data and the words of a figure, into plain[size]: signs that gnuplot would take
 * for the end of a text or of a part look alike, and no character is cut. May be the text itself,
 * once it is plain, as all words here are. */
void figure_plain(const char *text, char *plain, size_t size);

/* Add words behind others, with ", " between. */
void figure_add_words(char text[static FIGURE_WORDS_SIZE], const char *words);

/* The values of a point in those swept columns that `wants` says, with ", " between. */
void figure_point_words(const struct scenario *scenario, int64_t point,
                        bool (*wants)(const char *path), char text[static FIGURE_WORDS_SIZE]);

/* The same without the column on an axis, and with values that go without saying where points are
 * told apart by all but their axis. */
void figure_other_words(const struct scenario *scenario, int64_t point,
                        bool (*wants)(const char *path), int32_t axis,
                        char text[static FIGURE_WORDS_SIZE]);

/* Of the words of two axes: "Time per iteration by offloading degree". */
void figure_title_words(const char *x, const char *y, char title[static FIGURE_WORDS_SIZE]);

/* Is a swept path about the system and its switches, or its graph? */
bool figure_of_system(const char *path);
bool figure_not_of_system(const char *path);

#endif
