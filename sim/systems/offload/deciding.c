/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The log of decisions of a run, for lbsim replay: nodes write what is allocated and lent there,
 * appranks what is placed, and the last writer what is decided for all nodes.
 */
#include "sim/systems/offload/machine.h"

static int join(const struct machine *m, struct decision_log **log, int32_t writer,
                struct lb_error *err)
{
        *log = decision_log_join(m->log, writer);
        return *log ? 0 : lb_error_fail(err, "out of memory for the log of decisions");
}

int deciding_create(struct machine *m, struct lb_error *err)
{
        if (!m->spec->decisions)
                return 0;
        if (m->spec->grow)
                return lb_error_set(err,
                                    "decisions cannot be written of a system whose graph "
                                    "changes: found system \"%s\"",
                                    m->spec->system->name);
        m->log = decision_log_open(&(struct decision_log_spec){ .program = "lbsim",
                                                                .file = m->spec->decisions,
                                                                .id = "lbsim",
                                                                .about = "{}",
                                                                .writer = m->nnode + m->napprank,
                                                                .begins = true },
                                   err);
        if (!m->log)
                return -1;
        for (int32_t n = 0; n < m->nnode; n++)
                if (join(m, &m->node[n].log, n, err) < 0)
                        return -1;
        for (int32_t a = 0; a < m->napprank; a++)
                if (join(m, &m->apprank[a].log, m->nnode + a, err) < 0)
                        return -1;
        return 0;
}

void deciding_destroy(struct machine *m)
{
        for (int32_t n = 0; m->node && n < m->nnode; n++)
                decision_log_close(m->node[n].log);
        for (int32_t a = 0; m->apprank && a < m->napprank; a++)
                decision_log_close(m->apprank[a].log);
        decision_log_close(m->log);
}
