/* SPDX-License-Identifier: BSD-3-Clause */
#include "real/apps/common/host.h"
#include "real/lbrun.h"

int host_main(const struct app *app, int argc, char **argv, host_body *body)
{
        lbrun_start(&argc, &argv);
        struct ranks ranks = ranks_of(lbrun_world());
        struct app_options options;
        int status = app_begin(app, argc, argv, ranks_first(&ranks), &options);
        if (status == APP_RUN)
                status = body(&ranks, &options);
        lbrun_stop();
        return status;
}

void *host_alloc(size_t bytes)
{
        return lbrun_alloc(bytes > 0 ? bytes : 1);
}

void host_free(void *memory)
{
        lbrun_free(memory);
}

void host_constant(const void *memory, size_t bytes)
{
        lbrun_constant(memory, bytes);
}

void host_run(host_create *create, const void *context)
{
        create(context);
        lbrun_taskwait();
}

void host_run_there(host_create *create, const void *context)
{
        create(context);
        lbrun_taskwait_noflush();
}

void host_bring_home(void)
{
        lbrun_taskwait();
}

void host_iteration(void)
{
        lbrun_iteration();
}

int32_t host_cores_per_node(void)
{
        return lbrun_cores_per_node();
}

int32_t host_ranks_per_node(const struct ranks *ranks)
{
        int32_t per_node = ranks->nrank / lbrun_nnode();
        return per_node > 0 ? per_node : 1;
}

int32_t host_node(void)
{
        return lbrun_node();
}
