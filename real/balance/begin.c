/* SPDX-License-Identifier: BSD-3-Clause */
/* How the host begins: the ranks that there are, what lbrun wants of them, and the log. */
#include <mpi.h>
#include <stdio.h>
#include <string.h>

#include "policies/plugged.h"
#include "real/balance/host_impl.h"
#include "real/balance/params.h"

int host_count_ranks(struct balance *b, struct lb_error *err)
{
        PMPI_Comm_rank(MPI_COMM_WORLD, &b->rank);
        PMPI_Comm_size(MPI_COMM_WORLD, &b->size);
        return b->size > 1 ? 0
                           : lb_error_set(err, "found a program of one rank, allowed are two or "
                                               "more: there is nothing to balance");
}

static const struct balance_system *find_system(const char *name)
{
        for (int i = 0; balance_systems[i]; i++)
                if (strcmp(balance_systems[i]->name, name) == 0)
                        return balance_systems[i];
        return NULL;
}

int host_read_setup(struct balance *b, struct lb_error *err)
{
        const char *plugin;
        b->setup = setup_read(b->directory, err);
        if (!b->setup)
                return -1;
        if (guard_begin(b, err) < 0)
                return -1;
        for (int32_t i = 0; (plugin = setup_value(b->setup, "policy", i))[0]; i++)
                if (plugged_load(plugin, err) < 0)
                        return -1;
        const char *name = setup_value(b->setup, "system", 0);
        const char *host = setup_host_of(name);
        b->system = host ? find_system(host) : NULL;
        if (!b->system)
                return lb_error_fail(err, "system '%s' is not in this library", name);
        b->plugged = strcmp(host, name) == 0 ? NULL : system_find(name);
        if (setup_table(b->setup, "balance", balance_params, b->param, err) < 0)
                return -1;
        trial_init(&b->trial, b->param[BALANCE_LOSS], b->param[BALANCE_LOSS_WHOLE]);
        return 0;
}

int host_open_log(struct balance *b, struct lb_error *err)
{
        char file[SETUP_VALUE_SIZE + 16], about[256];
        const char *decisions = setup_value(b->setup, "decisions", 0);
        if (decisions[0] == '\0' || b->mate != 0)
                return 0;
        snprintf(file, sizeof(file), "%s.%d", decisions, b->node);
        snprintf(about, sizeof(about), "{\"system\": \"%s\", \"ranks\": %d, \"nodes\": %d}",
                 setup_value(b->setup, "system", 0), b->size, b->nnode);
        b->log =
            decision_log_open(&(struct decision_log_spec){ .program = "lbrun",
                                                           .file = file,
                                                           .id = setup_value(b->setup, "job", 0),
                                                           .about = about,
                                                           .node = b->node,
                                                           .begins = true },
                              err);
        return b->log ? 0 : -1;
}
