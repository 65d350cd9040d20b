/* SPDX-License-Identifier: BSD-3-Clause */
#include "real/launch/plan.h"

#include <errno.h>
#include <inttypes.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "base/self.h"
#include "graphs/cache.h"
#include "graphs/fit.h"
#include "plots/trace.h"
#include "policies/grow.h"
#include "policies/system.h"
#include "real/control/job.h"
#include "real/launch/command.h"
#include "real/launch/options.h"
#include "real/launch/settings.h"
#include "real/launch/sleepers.h"
#include "real/node/cpu_order.h"

enum { NOTE_SETTINGS, NOTE_NODES, NOTE_DEGREE, NOTE_GRAPH, NOTE_ROOT, NOTE_CPUS };

static const struct lb_param speed_param = {
        .name = "speed", .type = LB_PARAM_NUMBER, .fallback = 1, .min = 0.001, .max = 1000
};

/* ---- Graph ---- */

/* Of a system at degree 1. */
static const char *why_without(const struct job *job)
{
        return job_migrates(job) ? "has no helper ranks, any rank takes tasks of any other"
                                 : "does not offload";
}

/* A graph file, if there is one, tells how many nodes there are, so it is read first. */
static int read_graph(struct graph **graph, const struct options *options, const struct job *job,
                      struct lb_error *err)
{
        *graph = NULL;
        if (!options->graph)
                return 0;
        if (!system_find(job->system)->offloads)
                return lb_error_set(err, "--graph: system %s %s, and it has no graph", job->system,
                                    why_without(job));
        *graph = graph_read_json(options->graph, err);
        if (!*graph)
                return lb_error_prefix(err, "--graph: ");
        return 0;
}

static int check_graph(const struct graph *graph, const struct options *options,
                       const struct job *job, struct lb_error *err)
{
        if (graph->nnode != job->nnode || graph->napprank != job->napprank)
                return lb_error_set(err,
                                    "--graph: '%s' is for %" PRId32 " nodes and %" PRId32
                                    " appranks, this job has %" PRId32 " and %" PRId32,
                                    options->graph, graph->nnode, graph->napprank, job->nnode,
                                    job->napprank);
        if (options->degree && options->degree != graph->degree)
                return lb_error_set(err,
                                    "--graph: '%s' is of degree %" PRId32 ", --degree is %" PRId32,
                                    options->graph, graph->degree, options->degree);
        return 0;
}

/* Workers of a node that has the most, for a degree. */
static int32_t degree_of(struct plan *plan, const struct options *options,
                         const struct settings *settings)
{
        const struct job *job = plan->job;
        const struct system_type *system = system_find(job->system);
        if (!system->offloads && !system_finds_degree(system)) {
                if (options->degree > 1)
                        snprintf(plan->note[NOTE_DEGREE], sizeof(plan->note[0]),
                                 job_migrates(job) ? "system %s %s: --degree means nothing"
                                                   : "system %s %s: it runs at degree 1",
                                 job->system, why_without(job));
                return 1;
        }
        if (options->degree)
                return options->degree;
        int32_t degree = system_finds_degree(system) ? (int32_t)job->grow_param[GROW_DEGREE]
                                                     : (int32_t)settings->graph[GRAPH_DEGREE];
        return degree < job->nnode ? degree : job->nnode;
}

/* More than that from the start, where the graph grows and nodes have the cores; the catalogue
 * need not have such a graph. */
static int32_t start_degree(const struct job *job, const struct graph_spec *spec)
{
        const struct system_type *system = system_find(job->system);
        int32_t cores = job->cores_per_node;
        if (!system->grow || system_finds_degree(system) || spec->method == GRAPH_METHOD_CATALOGUE)
                return spec->degree;
        for (int32_t n = 0; n < job->nnode; n++)
                cores = job_node_cores(job, n) < cores ? job_node_cores(job, n) : cores;
        return grow_start_degree(job->grow_param, spec->degree, job->nnode, cores,
                                 (job->napprank + job->nnode - 1) / job->nnode);
}

/* A degree that nobody asked for is lowered until all workers have a core. One that was asked for
 * is taken, and job_set_edges() knows whether helpers may be without. */
static struct graph *make_fitting(struct plan *plan, struct graph_spec *spec, bool asked,
                                  struct lb_error *err)
{
        int32_t first = spec->degree;
        for (;; spec->degree--) {
                struct graph *graph = graph_obtain(spec, err);
                if (!graph || !plan->job->cores || graph_fit(&graph, plan->job->cores, err) == 0 ||
                    asked) {
                        if (spec->degree < first)
                                snprintf(plan->note[NOTE_DEGREE], sizeof(plan->note[0]),
                                         "degree %" PRId32
                                         ": nodes have too few cores for %" PRId32,
                                         spec->degree, first);
                        return graph;
                }
                graph_destroy(graph);
                if (spec->degree == 1)
                        return NULL;
        }
}

static struct graph *make_graph(struct plan *plan, const struct options *options,
                                const struct settings *settings, struct lb_error *err)
{
        const struct job *job = plan->job;
        struct graph_spec spec = graph_spec_from(job->napprank, job->nnode, settings->graph);
        spec.degree = degree_of(plan, options, settings);
        if (spec.degree > job->nnode) {
                lb_error_set(err,
                             "--degree: found %" PRId32 ", allowed is 1 to %" PRId32
                             ", the number of nodes",
                             spec.degree, job->nnode);
                return NULL;
        }
        int32_t degree = spec.degree;
        spec.degree = start_degree(job, &spec);
        if (spec.degree > degree)
                snprintf(plan->note[NOTE_DEGREE], sizeof(plan->note[0]),
                         "degree %" PRId32 " from the start: nodes have the cores (degree %" PRId32
                         ": --param grow_start_cores=0)",
                         spec.degree, degree);
        return make_fitting(plan, &spec, options->degree > 0, err);
}

static int take_graph(struct plan *plan, const struct graph *graph, struct lb_error *err)
{
        struct job *job = plan->job;
        job->degree = graph->degree;
        snprintf(plan->note[NOTE_GRAPH], sizeof(plan->note[0]), "%s%s",
                 graph->note[0] ? "graph: " : "", graph->note);
        return sleepers_add(job, graph, err);
}

/* ---- Sizes ---- */

static int32_t *copy_cores(const struct nodes *nodes)
{
        int32_t *cores = calloc((size_t)nodes->nnode + 1, sizeof(*cores));
        if (cores)
                memcpy(cores, nodes->cores, (size_t)nodes->nnode * sizeof(*cores));
        return cores;
}

static int set_sizes(struct plan *plan, const struct options *options, const struct graph *graph,
                     struct lb_error *err)
{
        struct job *job = plan->job;
        int32_t per_node = options->appranks_per_node;
        if (nodes_init(&plan->nodes, options, graph ? graph->nnode : 0, err) < 0)
                return -1;
        snprintf(plan->note[NOTE_NODES], sizeof(plan->note[0]), "%s", plan->nodes.note);
        job->virtual_nodes = plan->nodes.virtual_nodes;
        job->nnode = plan->nodes.nnode;
        job->cores_per_node = plan->nodes.cores_per_node;
        if (plan->nodes.cores && !(job->cores = copy_cores(&plan->nodes)))
                return lb_error_fail(err, "out of memory");
        if (per_node == 0 && graph && graph->nnode == job->nnode &&
            graph->napprank % graph->nnode == 0)
                per_node = graph->napprank / graph->nnode;
        int64_t napprank = (int64_t)job->nnode * (per_node ? per_node : 1);
        if (napprank > JOB_APPRANK_MAX)
                return lb_error_set(err,
                                    "--appranks-per-node: %" PRId64 " appranks are more than %d",
                                    napprank, JOB_APPRANK_MAX);
        job->napprank = (int32_t)napprank;
        return 0;
}

static int set_speed(double *speed, int32_t nnode, const char *text, struct lb_error *err)
{
        char *end;
        long node = strtol(text, &end, 10);
        if (text[0] < '0' || text[0] > '9' || *end != ':' || node >= nnode)
                return lb_error_set(err,
                                    "found '%.60s', allowed is NODE:FACTOR, nodes 0 to %" PRId32,
                                    text, nnode - 1);
        return lb_param_parse(&speed_param, end + 1, &speed[node], err);
}

int plan_speeds(double *speed, int32_t nnode, const struct options *options, struct lb_error *err)
{
        for (int32_t i = 0; i < options->speed.count; i++)
                if (set_speed(speed, nnode, options->speed.text[i], err) < 0)
                        return lb_error_prefix(err, "--speed: ");
        return 0;
}

/* ---- Virtual CPUs ---- */

static int set_cpus(struct plan *plan, struct lb_error *err)
{
        struct job *job = plan->job;
        double *speed = &job->param[JOB_CPU_SPEED];
        if (job->param[JOB_VIRTUAL_CPUS] == 0)
                return 0;
        if (!job->virtual_nodes)
                return lb_error_set(err, "--virtual-cpus: found nodes of a host file or of Slurm, "
                                         "allowed are virtual nodes (--virtual)");
        if (cpu_groups_find(&plan->cpus, "/proc/self", job->id, err) < 0 ||
            cpu_groups_speed(*speed, cpu_groups_real(&plan->cpus), job->nnode, job->cores_per_node,
                             job->speed, speed, err) < 0)
                return lb_error_prefix(err, "--virtual-cpus: ");
        snprintf(plan->note[NOTE_CPUS], sizeof(plan->note[0]),
                 "%" PRId32 " virtual CPUs that compute at %.3g of a real one's speed",
                 job->nnode * job->cores_per_node, *speed);
        return 0;
}

/* ---- Files ---- */

/* The whole path, as ranks may run elsewhere. */
static int make_path(char *path, const char *file, struct lb_error *err)
{
        char directory[JOB_PATH_SIZE] = "";
        if (file[0] != '/' && !getcwd(directory, sizeof(directory)))
                return lb_error_fail(err, "%s", strerror(errno));
        int size =
            snprintf(path, JOB_PATH_SIZE, "%s%s%s", directory, directory[0] ? "/" : "", file);
        if (size >= JOB_PATH_SIZE)
                return lb_error_set(err, "its path has %d bytes, allowed are %d", size,
                                    JOB_PATH_SIZE - 1);
        return 0;
}

/* Where nobody could write, better told now than when the job is done. */
int plan_path(char path[static JOB_PATH_SIZE], const char *file, struct lb_error *err)
{
        return make_path(path, file, err) < 0 ? -1 : lb_file_check(path, err);
}

/* Files that a run writes, by what lbrun calls them. */
enum { FILE_REPORT, FILE_DECISIONS, FILE_LOADS, FILE_TRACE, FILE_TASKS, NFILE };
enum { BESIDE_SIZE = JOB_PATH_SIZE + 16 };
static const char *const file_option[] = { "report", "decisions", "loads", "trace", "tasks" };

static int set_file(char *path, const char *file, int which, struct lb_error *err)
{
        if (which == FILE_TRACE && trace_check_name(file, err) < 0)
                return -1;
        return plan_path(path, file, err);
}

/* The name of a file that is written beside the one that an option names, number 0 ..: each node's
 * decisions, what goes with a trace. false: there are no more. */
static bool beside(const struct job *job, int which, int number, char name[static BESIDE_SIZE])
{
        if (which == FILE_DECISIONS && number < job->nnode) {
                snprintf(name, BESIDE_SIZE, "%s.%d", job->decisions, number);
                return true;
        }
        return which == FILE_TRACE && trace_beside(job->trace, number, name, BESIDE_SIZE);
}

/* What one option writes beside its file is no file of another's. */
static int check_beside(const struct job *job, const char *const *path, int which,
                        struct lb_error *err)
{
        char name[BESIDE_SIZE];
        for (int number = 0; beside(job, which, number, name); number++)
                for (int k = 0; k < NFILE; k++)
                        if (k != which && path[k][0] && lb_file_same(name, path[k]))
                                return lb_error_set(err, "--%s and --%s: both write '%s'",
                                                    file_option[which], file_option[k], name);
        return 0;
}

static int set_files(struct job *job, const struct options *options, struct lb_error *err)
{
        char *const path[NFILE] = { job->report, job->decisions, job->loads, job->trace,
                                    job->tasks };
        const char *const file[NFILE] = { options->report, options->decisions, options->loads,
                                          options->trace, options->tasks };
        for (int i = 0; i < NFILE; i++) {
                if (file[i] && set_file(path[i], file[i], i, err) < 0)
                        return lb_error_prefix(err, "--%s: ", file_option[i]);
        }
        for (int i = 0; i < NFILE; i++)
                if (file[i] && check_beside(job, (const char *const *)path, i, err) < 0)
                        return -1;
        job->tasks_ordered = options->tasks_ordered;
        return 0;
}

/* ---- All of it ---- */

int plan_id(char id[static JOB_ID_SIZE], struct lb_error *err)
{
        uint64_t random = 0;
        if (getrandom(&random, sizeof(random), 0) != sizeof(random))
                return lb_error_fail(err, "no random numbers: %s", strerror(errno));
        snprintf(id, JOB_ID_SIZE, "%ld-%08" PRIx32, (long)getpid(), (uint32_t)random);
        return 0;
}

static int set_id(struct job *job, bool dry_run, struct lb_error *err)
{
        if (!dry_run)
                return plan_id(job->id, err);
        snprintf(job->id, sizeof(job->id), "dry-run");
        return 0;
}

static int make_job(struct plan *plan, const struct options *options, struct lb_error *err)
{
        struct settings settings = { .job = plan->job };
        struct graph *graph = NULL;
        if (settings_apply(&settings, options, err) < 0 ||
            read_graph(&graph, options, plan->job, err) < 0)
                return -1;
        snprintf(plan->note[NOTE_SETTINGS], sizeof(plan->note[0]), "%s", settings.note);
        int status = set_sizes(plan, options, graph, err);
        if (status == 0 && graph)
                status = check_graph(graph, options, plan->job, err);
        if (status == 0 && !graph)
                status = (graph = make_graph(plan, options, &settings, err)) ? 0 : -1;
        if (status == 0)
                status = take_graph(plan, graph, err);
        graph_destroy(graph);
        return status;
}

/* Virtual nodes that have no more cores than the machine has CPUs are given these, one for each
 * core, as real nodes are: on any CPU two cores would often share one. Unless another job has them.
 */
static bool may_bind(const struct plan *plan)
{
        const struct job *job = plan->job;
        int32_t cpu[CPU_SETSIZE], ncore = 0, first;
        if (!job->virtual_nodes || job->param[JOB_VIRTUAL_CPUS] != 0)
                return false;
        for (int32_t node = 0; node < job->nnode && ncore <= CPU_SETSIZE; node++)
                ncore += job->shape.cores[node];
        enum cpu_hint hint = (enum cpu_hint)job->param[JOB_HINT];
        return ncore <= CPU_SETSIZE && cpu_order(CPU_ORDER_SYSTEM, hint, cpu, ncore) == ncore &&
               cpu_claim(cpu, ncore, &first) == 0;
}

static int complete_job(struct plan *plan, const struct options *options, struct lb_error *err)
{
        plan->job = job_create(err);
        if (!plan->job || make_job(plan, options, err) < 0 ||
            plan_speeds(plan->job->speed, plan->job->nnode, options, err) < 0 ||
            set_files(plan->job, options, err) < 0 ||
            set_id(plan->job, options->dry_run, err) < 0 || set_cpus(plan, err) < 0)
                return -1;
        plan->job->bound = !options->dry_run && may_bind(plan);
        plan->job_text = job_format(plan->job);
        if (!plan->job_text)
                return lb_error_fail(err, "out of memory");
        /* Half of what Linux gives arguments and environment: the rest is the user's. */
        if (strlen(plan->job_text) >= (size_t)sysconf(_SC_ARG_MAX) / 2)
                return lb_error_set(err,
                                    "the job of %" PRId32 " ranks does not fit the "
                                    "environment: take fewer nodes or a lower degree, or raise "
                                    "the limit of the stack (ulimit -s), a quarter of which it is",
                                    plan->job->nworker);
        return 0;
}

static int check_mpi(const struct program *program, enum mpi asked, struct lb_error *err)
{
        if (asked == MPI_NONE || asked == program->mpi)
                return 0;
        return lb_error_set(err, "--mpi: program '%s' is built for %s, found %s", program->path,
                            mpi_name(program->mpi), mpi_name(asked));
}

/* Where this program is: each rank is kept by it. */
static int find_keeper(struct plan *plan, struct lb_error *err)
{
        return lb_self_file(plan->keeper)
                   ? 0
                   : lb_error_fail(err, "cannot read /proc/self/exe: %s", strerror(errno));
}

static int build(struct plan *plan, const struct options *options, struct lb_error *err)
{
        enum { LBRUN_FAILED = 125 };
        if (complete_job(plan, options, err) < 0)
                return err->kind == LB_ERROR_INPUT ? 2 : LBRUN_FAILED;
        int code = program_find(&plan->program, options->program[0], err);
        if (code)
                return code;
        if (check_mpi(&plan->program, options->mpi, err) < 0)
                return 2;
        if (plan->program.mpi == MPI_OPENMPI && command_is_root_refused())
                snprintf(plan->note[NOTE_ROOT], sizeof(plan->note[0]),
                         "running as root: Open MPI is told that it may "
                         "(OMPI_ALLOW_RUN_AS_ROOT and OMPI_ALLOW_RUN_AS_ROOT_CONFIRM)");
        if (find_keeper(plan, err) < 0 || command_build(plan, options, err) < 0)
                return err->kind == LB_ERROR_INPUT ? 2 : LBRUN_FAILED;
        if (options->hostfile && !options->dry_run && !command_is_srun(plan) &&
            nodes_check_here(&plan->nodes, options->hostfile,
                             (enum cpu_hint)plan->job->param[JOB_HINT], err) < 0)
                return 2;
        return 0;
}

int plan_init(struct plan *plan, const struct options *options, struct lb_error *err)
{
        *plan = (struct plan){ 0 };
        int code = build(plan, options, err);
        if (code)
                plan_finish(plan);
        return code;
}

/* System baseline has one rank for an apprank, and there is one apprank on each node. */
int plan_probe(struct plan *plan, const struct options *options, const struct program *program,
               struct lb_error *err)
{
        struct options simple = *options;
        simple.system = "baseline";
        simple.dry_run = true;
        *plan = (struct plan){ .probes = true, .program = *program };
        if (complete_job(plan, &simple, err) == 0 && find_keeper(plan, err) == 0 &&
            command_build(plan, &simple, err) == 0)
                return 0;
        plan_finish(plan);
        return -1;
}

void plan_finish(struct plan *plan)
{
        job_destroy(plan->job);
        nodes_finish(&plan->nodes);
        words_finish(&plan->command);
        free(plan->job_text);
        *plan = (struct plan){ 0 };
}
