/* SPDX-License-Identifier: BSD-3-Clause */
#include "real/launch/nodes.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/text.h"
#include "real/control/job.h"
#include "real/launch/options.h"

static int grow(struct nodes *nodes)
{
        int32_t room = nodes->room ? 2 * nodes->room : 16;
        char **name = realloc(nodes->name, (size_t)room * sizeof(char *));
        if (name)
                nodes->name = name;
        int32_t *cores = realloc(nodes->cores, (size_t)room * sizeof(int32_t));
        if (cores)
                nodes->cores = cores;
        int32_t *line = realloc(nodes->line, (size_t)room * sizeof(int32_t));
        if (line)
                nodes->line = line;
        if (!name || !cores || !line)
                return -1;
        nodes->room = room;
        return 0;
}

int32_t nodes_find(const struct nodes *nodes, const char *name)
{
        for (int32_t n = 0; n < nodes->nnode; n++)
                if (strcmp(nodes->name[n], name) == 0)
                        return n;
        return -1;
}

int nodes_add(struct nodes *nodes, const char *name, int32_t cores, struct lb_error *err)
{
        if (nodes_find(nodes, name) >= 0)
                return lb_error_set(err,
                                    "host '%.200s' is there twice, allowed is one line a host with "
                                    "all of its cores",
                                    name);
        if (nodes->nnode == JOB_NODE_MAX)
                return lb_error_set(err, "there are more than %d nodes", JOB_NODE_MAX);
        if (nodes->nnode == nodes->room && grow(nodes) < 0)
                return lb_error_fail(err, "out of memory");
        char *copy = strdup(name);
        if (!copy)
                return lb_error_fail(err, "out of memory");
        nodes->cores[nodes->nnode] = cores;
        nodes->line[nodes->nnode] = 0;
        nodes->name[nodes->nnode++] = copy;
        return 0;
}

void nodes_finish(struct nodes *nodes)
{
        for (int32_t n = 0; nodes->name && n < nodes->nnode; n++)
                free(nodes->name[n]);
        free(nodes->name);
        free(nodes->cores);
        free(nodes->line);
        *nodes = (struct nodes){ 0 };
}

/* ---- Hosts ---- */

static int limit_nodes(struct nodes *nodes, int32_t asked, const char *who, struct lb_error *err)
{
        if (asked > nodes->nnode)
                return lb_error_set(err, "%s %" PRId32 " nodes, there are %" PRId32, who, asked,
                                    nodes->nnode);
        while (asked > 0 && nodes->nnode > asked)
                free(nodes->name[--nodes->nnode]);
        return 0;
}

static int complete_cores(struct nodes *nodes, int32_t asked, struct lb_error *err)
{
        int32_t least = 0, most = 0;
        for (int32_t n = 0; n < nodes->nnode; n++) {
                int32_t cores = nodes->cores[n] ? nodes->cores[n] : asked;
                if (cores == 0)
                        return lb_error_set(err,
                                            "host '%.200s' has no number of cores: write "
                                            "'%.200s slots=N', or give --cores",
                                            nodes->name[n], nodes->name[n]);
                if (asked > cores)
                        return lb_error_set(
                            err, "--cores asks for %" PRId32 " cores, host '%.200s' has %" PRId32,
                            asked, nodes->name[n], cores);
                nodes->cores[n] = asked ? asked : cores;
                least = n == 0 || cores < least ? cores : least;
                most = cores > most ? cores : most;
        }
        nodes->cores_per_node = asked ? asked : most;
        if (!asked && least < most)
                snprintf(nodes->note, sizeof(nodes->note),
                         "nodes have %" PRId32 " to %" PRId32 " cores", least, most);
        return 0;
}

static int finish_hosts(struct nodes *nodes, const struct options *options, int32_t graph_nodes,
                        struct lb_error *err)
{
        if (limit_nodes(nodes, options->nnode, "--nodes asks for", err) < 0)
                return -1;
        if (options->nnode == 0 &&
            limit_nodes(nodes, graph_nodes, "the graph file is for", err) < 0)
                return -1;
        return complete_cores(nodes, options->cores, err);
}

static int32_t usable(enum cpu_hint hint)
{
        int32_t cpu[JOB_CORE_MAX];
        return cpu_order(CPU_ORDER_SYSTEM, hint, cpu, JOB_CORE_MAX);
}

/* Slurm counts hardware threads. How many a physical core has is taken from this machine. */
static void count_cores(struct nodes *nodes, const struct options *options)
{
        int32_t cores = usable(CPU_HINT_CORE), threads = usable(CPU_HINT_THREAD);
        if (!options->hint || strcmp(options->hint, cpu_hints[CPU_HINT_CORE]) != 0 || cores == 0)
                return;
        for (int32_t n = 0; n < nodes->nnode; n++)
                if (nodes->cores[n] >= threads / cores)
                        nodes->cores[n] /= threads / cores;
}

static int read_hosts(struct nodes *nodes, const struct options *options, struct lb_error *err)
{
        if (options->hostfile)
                return nodes_read_hostfile(nodes, options->hostfile, err);
        const char *tasks = getenv("SLURM_STEP_NUM_TASKS"), *cpus;
        if (tasks && atoi(tasks) > 1)
                return lb_error_set(err,
                                    "lbrun was started by srun as %.20s tasks: start it once, "
                                    "without srun, and it starts the ranks",
                                    tasks);
        cpus = getenv("SLURM_JOB_CPUS_PER_NODE");
        if (!cpus)
                return lb_error_set(err, "SLURM_JOB_NODELIST is set, but SLURM_JOB_CPUS_PER_NODE "
                                         "is not: give --hostfile, or --virtual to use this "
                                         "machine alone");
        if (nodes_read_slurm(nodes, getenv("SLURM_JOB_NODELIST"), cpus, err) < 0)
                return -1;
        count_cores(nodes, options);
        return 0;
}

/* ---- Virtual nodes ---- */

static int32_t processors(void)
{
        long count = sysconf(_SC_NPROCESSORS_ONLN);
        return count < 1 ? 1 : count > JOB_CORE_MAX ? JOB_CORE_MAX : (int32_t)count;
}

static int make_virtual(struct nodes *nodes, const struct options *options, int32_t graph_nodes,
                        struct lb_error *err)
{
        nodes->virtual_nodes = true;
        nodes->nnode = options->nnode ? options->nnode : graph_nodes ? graph_nodes : 1;
        nodes->cores_per_node = options->cores;
        if (options->cores == 0 && nodes->nnode > 1)
                return lb_error_set(err,
                                    "--cores is needed: how many cores each of the %" PRId32
                                    " virtual nodes has",
                                    nodes->nnode);
        if (options->cores == 0)
                nodes->cores_per_node = processors();
        snprintf(nodes->note, sizeof(nodes->note),
                 "%" PRId32 " virtual node%s of %" PRId32
                 " core%s, all on this machine with its %" PRId32 " processor%s%s",
                 nodes->nnode, lb_s(nodes->nnode), nodes->cores_per_node,
                 lb_s(nodes->cores_per_node), processors(), lb_s(processors()),
                 !options->virtual_cpus &&
                         (int64_t)nodes->nnode * nodes->cores_per_node > processors()
                     ? ": tasks that compute, not sleep, take longer than on so many cores; "
                       "--virtual-cpus makes each a slow one that computes"
                     : "");
        return 0;
}

/* A heterogeneous job of Slurm: a batch script has the nodes of its first part, salloc none. */
static int check_parts(const struct options *options, bool allocated, struct lb_error *err)
{
        const char *parts = getenv("SLURM_HET_SIZE");
        if (!parts || atoi(parts) < 2 || options->hostfile || options->virtual_nodes ||
            (allocated && options->nnode > 0))
                return 0;
        return lb_error_set(err,
                            "the allocation is a heterogeneous job of %.20s parts, of which MPI's "
                            "launchers see the first at most: allocate the nodes as one part (they "
                            "may be unequal); in a batch script --nodes takes those of the first",
                            parts);
}

int nodes_init(struct nodes *nodes, const struct options *options, int32_t graph_nodes,
               struct lb_error *err)
{
        *nodes = (struct nodes){ 0 };
        bool allocated = getenv("SLURM_JOB_NODELIST") != NULL;
        int failed;
        if (check_parts(options, allocated, err) < 0)
                return -1;
        if (options->hostfile || (allocated && !options->virtual_nodes))
                failed = read_hosts(nodes, options, err) ||
                         finish_hosts(nodes, options, graph_nodes, err);
        else
                failed = make_virtual(nodes, options, graph_nodes, err);
        if (failed)
                nodes_finish(nodes);
        return failed ? -1 : 0;
}

bool nodes_is_here(const struct nodes *nodes, int32_t node)
{
        char host[256] = "";
        const char *name = nodes->name[node];
        gethostname(host, sizeof(host) - 1);
        size_t size = strcspn(name, ".");
        return strcspn(host, ".") == size && strncmp(name, host, size) == 0;
}

/* The ranks of a launcher that starts them here inherit what lbrun may use. */
int nodes_check_here(const struct nodes *nodes, const char *file, enum cpu_hint hint,
                     struct lb_error *err)
{
        for (int32_t n = 0; n < nodes->nnode; n++) {
                bool here = nodes_is_here(nodes, n) || strcmp(nodes->name[n], "localhost") == 0;
                int32_t cpus = here && nodes->line[n] > 0 ? usable(hint) : JOB_CORE_MAX;
                if (nodes->cores[n] > cpus)
                        return lb_error_set(err,
                                            "%s:%" PRId32 ": host '%.200s' has %" PRId32
                                            " cores for the job, and is this machine, of which "
                                            "lbrun may use %" PRId32
                                            "%s: give it as many (--cores for all), or use virtual "
                                            "nodes (--virtual)",
                                            file, nodes->line[n], nodes->name[n], nodes->cores[n],
                                            cpus,
                                            hint == CPU_HINT_CORE ? " physical cores (--hint core)"
                                            : cpus == 1           ? " processor"
                                                                  : " processors");
        }
        return 0;
}
