/* SPDX-License-Identifier: BSD-3-Clause */
#include <inttypes.h>
#include <stdlib.h>

#include "base/text.h"
#include "policies/alloc.h"
#include "real/control/job.h"
#include "real/launch/command.h"
#include "real/launch/plan.h"

static const char *host_of(const struct plan *plan, int32_t node)
{
        return plan->nodes.virtual_nodes ? "virtual" : plan->nodes.name[node];
}

static const char *role_of(const struct lb_shape *shape, int32_t worker)
{
        return shape->worker_home[worker] ? "home" : "helper";
}

void plan_describe_rank(const struct plan *plan, int32_t rank, char *text, size_t size)
{
        const struct job *job = plan->job;
        int32_t worker = job->rank_worker[rank], node = job->shape.worker_node[worker];
        snprintf(text, size, "rank %" PRId32 ", %s of apprank %" PRId32 " on %s%s%snode %" PRId32,
                 rank, role_of(&job->shape, worker), job->shape.worker_apprank[worker],
                 job->virtual_nodes ? "virtual " : "host ",
                 job->virtual_nodes ? "" : host_of(plan, node), job->virtual_nodes ? "" : ", ",
                 node);
}

static void print_rank(const struct plan *plan, int32_t rank, const int32_t *owned, FILE *out)
{
        const struct job *job = plan->job;
        int32_t worker = job->rank_worker[rank];
        fprintf(out, "%6" PRId32 " %8" PRId32 " %6" PRId32 "  %-8s %-6s %6" PRId32 "\n", rank,
                job->shape.worker_apprank[worker], job->shape.worker_node[worker],
                host_of(plan, job->shape.worker_node[worker]), role_of(&job->shape, worker),
                owned[worker]);
}

static void print_map(const struct plan *plan, FILE *out)
{
        struct lb_error err;
        const struct job *job = plan->job;
        int32_t *owned = calloc((size_t)job->nworker + 1, sizeof(*owned));
        if (!owned || job_initial(job, owned, &err) < 0) {
                free(owned);
                return;
        }
        fprintf(out, "%6s %8s %6s  %-8s %-6s %6s\n", "rank", "apprank", "node", "host", "role",
                "cores");
        for (int32_t rank = 0; rank < job->nworker; rank++)
                print_rank(plan, rank, owned, out);
        free(owned);
}

static void print_environment(const char *text, FILE *out)
{
        char name[JOB_PART_NAME_SIZE];
        for (int32_t i = 0; i < job_text_parts(text); i++) {
                char *part = job_text_part(text, i);
                char *words[] = { part, NULL };
                fprintf(out, "%s%s=", i ? " " : "", job_part_name(i, name));
                words_print_shell(words, out);
                free(part);
        }
}

void plan_print(const struct plan *plan, FILE *out)
{
        const struct job *job = plan->job;
        char cores[32];
        job_describe_cores(job, cores, sizeof(cores));
        fprintf(out,
                "system %s, LeWI %s, DROM %s: %" PRId32 " apprank%s on %" PRId32 " %s%s of %s"
                " cores, degree %" PRId32 ", %" PRId32 " rank%s",
                job->system, job->lewi ? "on" : "off", job->drom ? "on" : "off", job->napprank,
                lb_s(job->napprank), job->nnode, job->virtual_nodes ? "virtual node" : "node",
                lb_s(job->nnode), cores, job->degree, job->nworker, lb_s(job->nworker));
        if (job_grows(job))
                fprintf(out, " (%" PRId32 " sleep until they are needed)", job_sleeping(job));
        fputs("\n\n", out);
        print_map(plan, out);
        fputc('\n', out);
        if (plan->program.mpi == MPI_OPENMPI && command_is_root_refused())
                fputs("OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 ", out);
        print_environment(plan->job_text, out);
        fputs(" \\\n", out);
        words_print_shell(plan->command.word, out);
        fputc('\n', out);
}
