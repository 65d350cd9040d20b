/* SPDX-License-Identifier: BSD-3-Clause */
/* Who is where: nodes, ranks of each, and on which CPUs each is at home. */
#define _GNU_SOURCE
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/number.h"
#include "real/balance/host_impl.h"
#include "real/mpi/together.h"
#include "real/openmp/openmp.h"

/* ---- Nodes ---- */

/* 0 or 1: nodes are those that there are. */
static int virtual_nodes_of(const struct balance *b)
{
        return atoi(setup_value(b->setup, "nodes", 0));
}

/* Those that share memory; or so many virtual ones on one machine, in blocks of ranks. */
static int split(struct balance *b, struct lb_error *err)
{
        int virtual_nodes = virtual_nodes_of(b), together = 0;
        MPI_Comm machine;
        machines_split(b->world, &machine);
        PMPI_Comm_size(machine, &together);
        if (virtual_nodes <= 1) {
                b->mates = machine;
                return 0;
        }
        int color = (int)((int64_t)b->rank * virtual_nodes / b->size);
        PMPI_Comm_split(machine, color, b->rank, &b->mates);
        PMPI_Comm_free(&machine);
        if (together != b->size || virtual_nodes > b->size)
                return lb_error_set(err,
                                    "--nodes: found %d virtual nodes for %d ranks, of which %d are "
                                    "on this machine; allowed are at most as many as ranks, all on "
                                    "one machine",
                                    virtual_nodes, b->size, together);
        return 0;
}

/* Nodes are numbered in the order of their first ranks. */
static int number_nodes(struct balance *b, struct lb_error *err)
{
        int32_t first = b->rank;
        PMPI_Comm_rank(b->mates, &b->mate);
        PMPI_Comm_size(b->mates, &b->nmate);
        PMPI_Bcast(&first, 1, MPI_INT32_T, 0, b->mates);
        b->node_of = calloc((size_t)b->size, sizeof(*b->node_of));
        b->mate_rank = calloc((size_t)b->nmate, sizeof(*b->mate_rank));
        int32_t *first_of = calloc((size_t)b->size, sizeof(*first_of));
        if (!b->node_of || !b->mate_rank || !first_of) {
                free(first_of);
                return lb_error_fail(err, "out of memory for %d ranks", b->size);
        }
        PMPI_Allgather(&first, 1, MPI_INT32_T, first_of, 1, MPI_INT32_T, b->world);
        PMPI_Allgather(&b->rank, 1, MPI_INT32_T, b->mate_rank, 1, MPI_INT32_T, b->mates);
        for (int32_t i = 0; i < b->size; i++)
                b->node_of[i] = first_of[i] == i ? b->nnode++ : b->node_of[first_of[i]];
        b->node = b->node_of[b->rank];
        free(first_of);
        return 0;
}

/* ---- CPUs ---- */

static void limit_of(const struct balance *b, char *limit, size_t size)
{
        char host[LEAF_HOST_SIZE], list[SETUP_VALUE_SIZE];
        limit[0] = '\0';
        if (sscanf(setup_value(b->setup, "cpu_limit", 0), "%255s %1099s", host, list) == 2 &&
            strcmp(host, b->leaf->host) == 0)
                snprintf(limit, size, "%s", list);
}

/* Virtual nodes of a machine have equal parts of it. */
static void take_part(const struct balance *b, cpu_set_t *set)
{
        int virtual_nodes = virtual_nodes_of(b), seen = 0;
        int ncpu = CPU_COUNT(set), part = virtual_nodes > 0 ? ncpu / virtual_nodes : ncpu;
        for (size_t cpu = 0; cpu < CPU_SETSIZE && virtual_nodes > 1; cpu++)
                if (CPU_ISSET(cpu, set)) {
                        if (seen / (part > 0 ? part : 1) != b->node)
                                CPU_CLR(cpu, set);
                        seen++;
                }
}

/* A launcher may bind ranks to CPUs that the line's own mask has not. The same set in each. */
static void add_own(struct balance *b, const cpu_set_t *own)
{
        if (virtual_nodes_of(b) > 1)
                return;
        for (int32_t i = 0; i < b->nmate; i++)
                CPU_OR(&b->cpus.allowed, &b->cpus.allowed, &own[i]);
}

static int find_homes(struct balance *b, struct lb_error *err)
{
        cpu_set_t *own = calloc((size_t)b->nmate, sizeof(*own));
        b->home = calloc((size_t)b->nmate, sizeof(*b->home));
        if (!own || !b->home) {
                free(own);
                return lb_error_fail(err, "out of memory for %d ranks", b->nmate);
        }
        PMPI_Allgather(&b->cpus.own, sizeof(*own), MPI_BYTE, own, sizeof(*own), MPI_BYTE, b->mates);
        add_own(b, own);
        take_part(b, &b->cpus.allowed);
        int code = cpus_homes(own, b->nmate, &b->cpus.allowed, b->home, err);
        free(own);
        return code;
}

/* Virtual CPUs: "NODES CPUS,SPEED,SPEED..."; each rank is in the group of its own from here on. */
static int enter_group(struct balance *b, const char *spec, struct lb_error *err)
{
        char *at;
        long nodes = strtol(spec, &at, 10), cores = strtol(at, &at, 10);
        for (int32_t n = 0; n <= b->node && *at == ','; n++)
                b->speed = lb_number_read(at + 1, &at);
        b->group_cores = (int32_t)cores;
        if (nodes != b->nnode)
                return lb_error_set(err,
                                    "--virtual-cpus: found %d nodes, allowed are the %ld "
                                    "virtual ones",
                                    b->nnode, nodes);
        if (b->nmate > b->group_cores)
                return lb_error_set(err,
                                    "found %d ranks on %d virtual CPUs of a node, allowed are "
                                    "at most as many ranks as CPUs",
                                    b->nmate, b->group_cores);
        if (cpu_groups_find(&b->groups, "/proc/self", setup_value(b->setup, "job", 0), err) < 0)
                return -1;
        b->virtual_cpus = true;
        (void)cpus_set(0, &b->cpus.allowed);
        return cpu_groups_enter(&b->groups, b->node, b->mate, err);
}

static int find_cpus(struct balance *b, struct lb_error *err)
{
        char limit[SETUP_VALUE_SIZE];
        const char *virtual_cpus = setup_value(b->setup, "cpus", 0);
        limit_of(b, limit, sizeof(limit));
        if (cpus_look(&b->cpus, limit, err) < 0)
                return -1;
        return virtual_cpus[0] ? enter_group(b, virtual_cpus, err) : 0;
}

/* ---- Together ---- */

int balance_agree(struct balance *b, int code, struct lb_error *err)
{
        int32_t mine = code < 0 ? b->rank : INT32_MAX, first;
        if (b->apart)
                return code;
        PMPI_Allreduce(&mine, &first, 1, MPI_INT32_T, MPI_MIN, b->world);
        if (first == INT32_MAX)
                return 0;
        PMPI_Bcast(err, sizeof(*err), MPI_BYTE, first, b->world);
        return -1;
}

static void find_openmp(struct balance *b)
{
        int32_t here = openmp_kind() != OPENMP_NONE, any = 0;
        PMPI_Allreduce(&here, &any, 1, MPI_INT32_T, MPI_MAX, b->world);
        b->openmp = any != 0;
}

int host_find_place(struct balance *b, struct lb_error *err)
{
        PMPI_Comm_dup(MPI_COMM_WORLD, &b->world);
        b->speed = 1;
        find_openmp(b);
        if (balance_agree(b, split(b, err), err) < 0 ||
            balance_agree(b, number_nodes(b, err), err) < 0 ||
            balance_agree(b, find_cpus(b, err), err) < 0)
                return -1;
        return b->virtual_cpus ? 0 : balance_agree(b, find_homes(b, err), err);
}

void host_forget_place(struct balance *b)
{
        cpus_finish(&b->cpus);
        free(b->home);
        free(b->node_of);
        free(b->mate_rank);
}

/* ---- Moving ---- */

void balance_move(struct balance *b, int32_t mate)
{
        struct lb_error err;
        bool moved = b->virtual_cpus
                         ? cpu_groups_put(&b->groups, b->first, b->node, mate, &err) == 0
                         : cpus_move(&b->cpus, &b->home[mate]);
        if (!moved)
                fprintf(stderr, "lbrun: rank %d could not be moved to another CPU: %s\n", b->rank,
                        b->virtual_cpus ? err.text : strerror(errno));
}

void balance_move_back(struct balance *b)
{
        if (b->virtual_cpus)
                balance_move(b, b->mate);
        else
                cpus_restore(&b->cpus);
}
