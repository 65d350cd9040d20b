/* SPDX-License-Identifier: BSD-3-Clause */
#include <omp.h>
#include <stdlib.h>

#include "real/apps/common/host.h"
#include "real/apps/common/result.h"

static int32_t node;

int host_main(const struct app *app, int argc, char **argv, host_body *body)
{
        int provided;
        MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &provided);
        struct ranks ranks = ranks_of(MPI_COMM_WORLD);
        node = ranks.rank;
        struct app_options options;
        int status = app_begin(app, argc, argv, ranks_first(&ranks), &options);
        if (status == APP_RUN)
                status = body(&ranks, &options);
        MPI_Finalize();
        return status;
}

void *host_alloc(size_t bytes)
{
        return app_alloc(bytes);
}

void host_free(void *memory)
{
        free(memory);
}

void host_constant(const void *memory, size_t bytes)
{
        (void)memory;
        (void)bytes;
}

void host_run(host_create *create, const void *context)
{
#pragma omp parallel
#pragma omp master
        create(context);
}

void host_run_there(host_create *create, const void *context)
{
        host_run(create, context);
}

void host_bring_home(void)
{
}

void host_iteration(void)
{
}

int32_t host_cores_per_node(void)
{
        return omp_get_max_threads();
}

int32_t host_ranks_per_node(const struct ranks *ranks)
{
        (void)ranks;
        return 1;
}

int32_t host_node(void)
{
        return node;
}
