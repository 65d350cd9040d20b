/* SPDX-License-Identifier: BSD-3-Clause */
#include "real/control/job_impl.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "policies/alloc.h"
#include "policies/lend.h"
#include "policies/grow.h"
#include "policies/host/params.h"
#include "policies/migrate.h"
#include "policies/place.h"
#include "policies/system.h"
#include "real/node/cores.h"
#include "real/node/cpu_order.h"

static const char *const comm_cores[] = { "shared", "taken", NULL };
static const char *const loads[] = { "wall", "cpu", NULL };
static const char *const managers[] = { "builtin", "dlb", "auto", NULL };

const struct lb_param job_params[] = {
        [JOB_POLL_S] = HOST_PARAM_POLL_S,
        [JOB_POLL_ITERATIONS] = HOST_PARAM_POLL_ITERATIONS,
        [JOB_MESSAGE_POLL_US] = { .name = "message_poll_us",
                                  .unit = "us",
                                  .type = LB_PARAM_NUMBER,
                                  .fallback = 1000,
                                  .min = 1,
                                  .max = 1e6,
                                  .help = "an idle worker looks for messages of other machines "
                                          "this often" },
        [JOB_SPIN_US] = { .name = "spin_us",
                          .unit = "us",
                          .type = LB_PARAM_NUMBER,
                          .fallback = 50,
                          .min = 0,
                          .max = 1e6,
                          .help = "after a message a worker keeps looking for the next so long" },
        [JOB_OWNERSHIP] = HOST_PARAM_OWNERSHIP,
        [JOB_ASK] = HOST_PARAM_ASK,
        [JOB_ASK_WAITING] = HOST_PARAM_ASK_WAITING,
        [JOB_TALK_ONLY] = HOST_PARAM_TALK_ONLY,
        [JOB_LOAD] = { .name = "load",
                       .unit = "",
                       .type = LB_PARAM_CHOICE,
                       .fallback = JOB_LOAD_WALL,
                       .choices = loads,
                       .help = "what a busy core is: time in tasks, or processor time of tasks" },
        [JOB_MEMORY_GIB] = { .name = "memory_gib",
                             .unit = "GiB",
                             .type = LB_PARAM_INTEGER,
                             .fallback = 64,
                             .min = 1,
                             .max = 16384,
                             .help = "cluster memory of an apprank: address space, taken when "
                                     "touched" },
        [JOB_CORES_BY] = { .name = "cores_by",
                           .unit = "",
                           .type = LB_PARAM_CHOICE,
                           .fallback = CORES_BY_BUILTIN,
                           .choices = managers,
                           .help = "what manages a node's cores: the built-in manager, an "
                                   "installed DLB, or DLB where it is usable" },
        [JOB_REPORT_EVERY_S] = { .name = "report_every_s",
                                 .unit = "s",
                                 .type = LB_PARAM_NUMBER,
                                 .fallback = 0,
                                 .min = 0,
                                 .max = 1e6,
                                 .help = "the report and the loads are written this often while "
                                         "the job runs; 0: at its end only" },
        [JOB_POLICY_S] = { .name = "policy_s",
                           .unit = "s",
                           .type = LB_PARAM_NUMBER,
                           .fallback = 30,
                           .min = 1,
                           .max = 1e6,
                           .help = "a policy that has not returned after so long ends the job; it "
                                   "is named when a sixth of that is over" },
        [JOB_CHECK] = { .name = "check",
                        .unit = "",
                        .type = LB_PARAM_SWITCH,
                        .max = 1,
                        .help = "run one task at a time, and end the job where one touches cluster "
                                "memory that is not among its accesses" },
        [JOB_QUIET] = { .name = "quiet",
                        .unit = "",
                        .type = LB_PARAM_SWITCH,
                        .max = 1,
                        .help = "print no report" },
        [JOB_START_S] = { .name = "start_s",
                          .unit = "s",
                          .type = LB_PARAM_NUMBER,
                          .fallback = 60,
                          .min = 0,
                          .max = 1e6,
                          .help = "a start without news of a rank for so long, and a second more "
                                  "for each "
                                  "node of several, is ended; 0: never" },
        [JOB_FINALIZE_S] = { .name = "finalize_s",
                             .unit = "s",
                             .type = LB_PARAM_NUMBER,
                             .fallback = 10,
                             .min = 0,
                             .max = 1e6,
                             .help = "an MPI_Finalize() that lasts so long after all ranks have "
                                     "come to it is left; 0: never" },
        [JOB_HUNG_S] = { .name = "hung_s",
                         .unit = "s",
                         .type = LB_PARAM_NUMBER,
                         .fallback = 0,
                         .min = 0,
                         .max = 1e6,
                         .help = "a rank that looks for no messages for so long is ended; 0: "
                                 "after a minute it is only named" },
        [JOB_NODE_S] = { .name = "node_s",
                         .unit = "s",
                         .type = LB_PARAM_NUMBER,
                         .fallback = 8,
                         .min = 0,
                         .max = 1e6,
                         .help = "a node that is silent for so long, its kernel too, is lost, "
                                 "and the job ended; 0: never" },
        [JOB_VIRTUAL_CPUS] = { .name = "virtual_cpus",
                               .unit = "",
                               .type = LB_PARAM_SWITCH,
                               .max = 1,
                               .help = "cores of virtual nodes are slow CPUs that compute: control "
                                       "groups with quotas of processor time" },
        [JOB_CPU_SPEED] = { .name = "cpu_speed",
                            .unit = "",
                            .type = LB_PARAM_NUMBER,
                            .fallback = 0,
                            .min = 0,
                            .max = 1,
                            .help = "speed of a virtual CPU in those of a real one; 0: as fast as "
                                    "they all can be with 80 % of the real ones" },
        [JOB_MIGRATE] = { .name = "migrate",
                          .unit = "",
                          .type = LB_PARAM_CHOICE,
                          .choices = migrate_names,
                          .help = "which rank gets tasks (system chameleon): the counterpart in "
                                  "the order of loads, the least loaded, or none" },
        [JOB_EXCHANGE_US] = { .name = "exchange_us",
                              .unit = "us",
                              .type = LB_PARAM_NUMBER,
                              .fallback = 50,
                              .min = 0,
                              .max = 1e9,
                              .help = "ranks that migrate tasks tell each other loads this often "
                                      "at most, but at once that they have nothing to do" },
        [JOB_COMM_CORE] = { .name = "comm_core",
                            .unit = "",
                            .type = LB_PARAM_CHOICE,
                            .fallback = JOB_COMM_CORE_SHARED,
                            .choices = comm_cores,
                            .help = "where the thread for messages of a rank that migrates tasks "
                                    "runs: it shares the rank's cores, or has the last of them to "
                                    "itself" },
        [JOB_HINT] = { .name = "hint",
                       .unit = "",
                       .type = LB_PARAM_CHOICE,
                       .fallback = CPU_HINT_THREAD,
                       .choices = cpu_hints,
                       .help =
                           "where physical cores have several hardware threads: each is a core, "
                           "or a physical core is, of which one thread is used" },
        [JOB_NPARAM] = { .name = NULL },
};

/* ---- Life cycle ---- */

struct job *job_create(struct lb_error *err)
{
        struct job *job = calloc(1, sizeof(*job));
        if (job)
                lb_param_defaults(job_params, job->param);
        else
                lb_error_fail(err, "out of memory");
        return job;
}

void job_destroy(struct job *job)
{
        if (!job)
                return;
        job_shape_free(&job->shape);
        free(job->alloc_param);
        free(job->lend_param);
        free(job->place_param);
        free(job->migrate_param);
        free(job->grow_param);
        free(job->sleeps);
        free(job->speed);
        free(job->cores);
        free(job->rank_worker);
        free(job->worker_rank);
        free(job);
}

/* ---- System ---- */

bool job_migrates(const struct job *job)
{
        return system_migrates(system_find(job->system));
}

bool job_grows(const struct job *job)
{
        return job->sleeps != NULL;
}

int32_t job_sleeping(const struct job *job)
{
        int32_t count = 0;
        for (int32_t w = 0; job->sleeps && w < job->nworker; w++)
                count += job->sleeps[w];
        return count;
}

bool job_may_own_none(const struct job *job, int32_t worker)
{
        bool sleeps = job->sleeps && job->sleeps[worker];
        return sleeps || lb_shape_least(&job->shape, worker) == 0;
}

static const char *migration(const struct job *job, const struct system_type *system)
{
        if (!system_migrates(system) || system->migrate)
                return system->migrate;
        return migrate_names[(int)job->param[JOB_MIGRATE]];
}

const char *job_policy_name(const struct job *job, enum job_policy policy)
{
        const struct system_type *system = system_find(job->system);
        if (!system)
                return NULL;
        const struct system_type *cores =
            system_migrates(system) ? system_find("baseline") : system;
        const char *const names[JOB_NPOLICY] = { [JOB_ALLOC] = cores->alloc,
                                                 [JOB_LEND] = cores->lend,
                                                 [JOB_PLACE] = cores->place,
                                                 [JOB_MIGRATION] = migration(job, system),
                                                 [JOB_GROWTH] = system->grow };
        return names[policy];
}

const struct lb_param *job_policy_params(const struct job *job, enum job_policy policy)
{
        const char *name = job_policy_name(job, policy);
        if (!name)
                return NULL;
        if (policy == JOB_ALLOC)
                return alloc_find(name)->params;
        if (policy == JOB_MIGRATION)
                return migrate_find(name)->params;
        if (policy == JOB_GROWTH)
                return grow_find(name)->params;
        return policy == JOB_LEND ? lend_find(name)->params : place_find(name)->params;
}

double *job_policy_values(const struct job *job, enum job_policy policy)
{
        double *const values[JOB_NPOLICY] = { [JOB_ALLOC] = job->alloc_param,
                                              [JOB_LEND] = job->lend_param,
                                              [JOB_PLACE] = job->place_param,
                                              [JOB_MIGRATION] = job->migrate_param,
                                              [JOB_GROWTH] = job->grow_param };
        return values[policy];
}

static int default_values(double **values, const struct lb_param *table)
{
        free(*values);
        *values = calloc((table ? lb_param_count(table) : 0) + 1, sizeof(double));
        if (!*values)
                return -1;
        if (table)
                lb_param_defaults(table, *values);
        return 0;
}

bool job_runs_system(const struct system_type *system)
{
        return system_is_live(system);
}

static int unknown_system(const char *name, struct lb_error *err)
{
        enum { MOST = 32 };
        char allowed[256];
        const char *names[MOST];
        size_t count = 0;
        for (int i = 0; system_at(i) && count < MOST; i++)
                if (job_runs_system(system_at(i)))
                        names[count++] = system_at(i)->name;
        lb_list_names(names, count, allowed, sizeof(allowed));
        const char *near = lb_nearest_name(name, names, count);
        return lb_error_set(err, "found '%.60s', allowed is one of %s%s%s%s", name, allowed,
                            near ? "; did you mean '" : "", near ? near : "", near ? "'?" : "");
}

int job_set_system(struct job *job, const char *name, struct lb_error *err)
{
        const struct system_type *system = system_find(name);
        if (!system)
                return unknown_system(name, err);
        if (!job_runs_system(system))
                return lb_error_set(err, "system %s runs in lbsim only", name);
        snprintf(job->system, sizeof(job->system), "%s", system->name);
        job->lewi = system->lewi;
        job->drom = system->drom;
        if (default_values(&job->alloc_param, job_policy_params(job, JOB_ALLOC)) < 0 ||
            default_values(&job->lend_param, job_policy_params(job, JOB_LEND)) < 0 ||
            default_values(&job->place_param, job_policy_params(job, JOB_PLACE)) < 0 ||
            default_values(&job->migrate_param, job_policy_params(job, JOB_MIGRATION)) < 0 ||
            default_values(&job->grow_param, job_policy_params(job, JOB_GROWTH)) < 0)
                return lb_error_fail(err, "out of memory");
        return 0;
}

/* ---- Cores ---- */

int32_t job_node_cores(const struct job *job, int32_t node)
{
        return job->cores ? job->cores[node] : job->cores_per_node;
}

static int32_t all_cores(const struct job *job)
{
        int32_t sum = 0;
        for (int32_t n = 0; n < job->nnode; n++)
                sum += job_node_cores(job, n);
        return sum;
}

int32_t job_mean_cores(const struct job *job)
{
        return (all_cores(job) + job->nnode - 1) / job->nnode;
}

void job_describe_cores(const struct job *job, char *text, size_t size)
{
        int32_t least = job->cores_per_node;
        for (int32_t n = 0; n < job->nnode; n++)
                least = job_node_cores(job, n) < least ? job_node_cores(job, n) : least;
        if (least < job->cores_per_node)
                snprintf(text, size, "%" PRId32 " to %" PRId32, least, job->cores_per_node);
        else
                snprintf(text, size, "%" PRId32, least);
}

/* ---- Alone ---- */

struct job *job_alone(struct lb_error *err)
{
        struct job *job = job_create(err);
        if (!job)
                return NULL;
        snprintf(job->id, sizeof(job->id), "alone-%ld-%" PRIx64, (long)getpid(),
                 (uint64_t)clock_ns() / 1000000);
        job->virtual_nodes = true;
        job->nnode = job->cores_per_node = job->napprank = job->degree = 1;
        const int32_t first[] = { 0, 1 }, node[] = { 0 };
        if (job_set_system(job, "baseline", err) == 0 && job_set_edges(job, first, node, err) == 0)
                return job;
        job_destroy(job);
        return NULL;
}
