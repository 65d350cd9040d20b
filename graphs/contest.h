/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef LB_GRAPHS_CONTEST_H
#define LB_GRAPHS_CONTEST_H

#include "graphs/catalogue.h"

/*
 * The search behind the catalogue. Candidates in turn: random and greedy graphs, lifts of all
 * periods, and, up to CONTEST_SWAP_NODE_MAX nodes, the best one so far with the nodes of some pairs
 * of edges exchanged, chosen so that its worst set gets another node. Beyond, an unsymmetric graph
 * of degree 4 can hardly be certified. The best has the greatest isoperimetric number, then the
 * least second singular value.
 *
 * spec: size and seed; its trials are the candidates. `defender`, the present entry or NULL, is
 * beaten or stays: *won is false then, and out->graph NULL; one that stays and is not certified
 * exactly is judged again with the budget, and wins over itself if more is known then. budget:
 * vertices of the search tree that the certificate may take, 0 for graph_judge()'s default. A
 * function of its arguments alone.
 */
enum { CONTEST_SWAP_NODE_MAX = 64 };

int contest_run(const struct graph_spec *spec, const struct catalogue_entry *defender,
                int64_t budget, struct catalogue_entry *out, bool *won,
                struct lb_error *err) LB_MUST_CHECK;

#endif
