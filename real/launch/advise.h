/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef LB_REAL_LAUNCH_ADVISE_H
#define LB_REAL_LAUNCH_ADVISE_H

/*
 * lbrun advise [--out DIR] -- LAUNCHER ... PROGRAM: lbrun measure, then lbsim gain on what was
 * measured, in a process of its own: it simulates every system, and none of it is linked here.
 * The answer is on standard output behind the program's, and a page in DIR/advice.html.
 *
 * Returns what measure_main() does; 125 as well where there is a measurement and no advice.
 * word[count] are those after "advise", NULL behind them.
 */
int advise_main(int count, char **word);

#endif
