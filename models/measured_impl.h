/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef LB_MODELS_MEASURED_IMPL_H
#define LB_MODELS_MEASURED_IMPL_H

#include "models/measured.h"

/* What the readers of measurements share (private to this room). */

/* Make room for ranks, all unknown. */
int measured_ranks(struct measured *m, int64_t nrank, const char *file,
                   struct lb_error *err) LB_MUST_CHECK;

/* Make room for windows without load. */
int measured_windows(struct measured *m, int64_t nwindow, const char *file,
                     struct lb_error *err) LB_MUST_CHECK;

/* A rank computes on so many cores. */
void measured_cores(struct measured *m, int32_t cores);

/* Ranks are on the same node where their hosts have the same name. */
void measured_name_nodes(struct measured *m);

/* What a reader needs to begin with: fills what is there. */
int measured_read_lbrun(struct measured *m, const char *directory,
                        struct lb_error *err) LB_MUST_CHECK;
int measured_read_talp(struct measured *m, const char *file, struct lb_error *err) LB_MUST_CHECK;
int measured_read_mpip(struct measured *m, const char *file, struct lb_error *err) LB_MUST_CHECK;
int measured_read_prv(struct measured *m, const char *file, struct lb_error *err) LB_MUST_CHECK;
int measured_read_otf2(struct measured *m, const char *file, struct lb_error *err) LB_MUST_CHECK;
int measured_read_csv(struct measured *m, const char *file, struct lb_error *err) LB_MUST_CHECK;

#endif
