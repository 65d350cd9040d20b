/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef LB_REAL_BALANCE_CHOICE_H
#define LB_REAL_BALANCE_CHOICE_H

/*
 * What lbrun --system auto tells the ranks: the file CHOICE_FILE in the job's directory, with the
 * name of a system of balance_systems[], or CHOICE_NONE, once all ranks have measured
 * (leaf.measured). No MPI here: both read the same.
 */
#define CHOICE_FILE "choice"
#define CHOICE_NONE "none"
enum { CHOICE_SIZE = 64 };

#endif
