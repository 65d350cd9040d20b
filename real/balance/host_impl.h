/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef LB_REAL_BALANCE_HOST_IMPL_H
#define LB_REAL_BALANCE_HOST_IMPL_H

#include "real/balance/host.h"

/* The process ends where its MPI is not the one that this library is for; once when it is loaded,
 * and before MPI begins, as interpreters load theirs late. */
void host_check_mpi(void);

/* Private to this room: the host's beginning and end. */
void host_begin(void);
void host_end(void);
/* The process ends the job before MPI's end, with this exit code. */
void host_left(int code);

/* What a plugin's policy does that ends or holds the program is told (guard.c): from before it is
 * loaded until the host's end. */
int guard_begin(const struct balance *b, struct lb_error *err) LB_MUST_CHECK;
void guard_end(void);

/* Is anything to be balanced in this process? And is this the thread whose calls are told? */
bool host_is_wanted(void);
bool host_is_balanced(void);

/* Calls of the thread that is balanced pass now, unseen but for meetings; and: is it time to look
 * again? By that thread, outside of calls. */
bool host_rests(void);
void host_attend(void);

/* The thread that is balanced is there from now on, outside of calls. */
void host_go(struct balance *b, enum meter_place place);

/* The load of this rank so far, ns, as if its CPU were whole. `reads`: the thread that is balanced
 * asks, and looks at its calls. */
double host_load_ns(struct balance *b, bool reads);

/* The ranks that there are (begin.c): fails where there is nothing to balance. What lbrun wants of
 * them, and with which parameters. The log of decisions, by the first rank of each node, in
 * FILE.NODE. */
int host_count_ranks(struct balance *b, struct lb_error *err) LB_MUST_CHECK;
int host_read_setup(struct balance *b, struct lb_error *err) LB_MUST_CHECK;
int host_open_log(struct balance *b, struct lb_error *err) LB_MUST_CHECK;

/* Who is where: nodes, mates, homes, the host's communicators (place.c). Collective; what a rank
 * finds wrong is in err, and the others go on to where all agree. */
int host_find_place(struct balance *b, struct lb_error *err) LB_MUST_CHECK;
void host_forget_place(struct balance *b);

#endif
