/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * POP's factors, over ranks and the threads of their teams:
 *
 *      parallel efficiency = load balance * communication efficiency * OpenMP efficiency
 *
 * The first two are of the time that a rank was outside MPI, waiting for its team or not; the last
 * says how much of it its threads worked.
 */
#include <math.h>
#include <stdbool.h>
#include <string.h>

#include "real/measure/measurement.h"
#include "real/measure/rank_file.h"

static const double SHARED_PART = 0.1; /* so much delay, and factors of efficiency mean nothing */

/* Of a rank, in s. */
struct part {
        double wall, load, mpi, wait;
};

static struct part part_of(const struct rank_file *file, int32_t level)
{
        const struct meter *meter = &file->meter;
        if (level == 0)
                return (struct part){ 1e-9 * (double)(meter->end_ns - meter->start_ns),
                                      1e-9 * meter_load_ns(meter), 1e-9 * (double)meter->in_ns,
                                      1e-9 * (double)meter->wait_ns };
        for (int i = 0; i < RANK_REGIONS; i++) {
                const struct rank_region *region = &file->region[i];
                if (region->level == level && !region->open)
                        return (struct part){ 1e-9 * region->wall_ns, 1e-9 * region->load_ns,
                                              1e-9 * region->mpi_ns, 1e-9 * region->wait_ns };
        }
        return (struct part){ 0 };
}

/* Of the thread that calls MPI: outside it, and not kept from a CPU. */
static double busy_of(const struct rank_file *file, const struct part *part)
{
        double team = file->meter.team_ns, all = meter_load_ns(&file->meter);
        double own = all > 0 ? part->load * (all - team) / all : part->load;
        return own + part->wait;
}

/* Of the ranks on the machine of rank i, where i is its first: their average; -1 elsewhere. */
static double of_node(const struct measurement *m, int32_t i, int32_t level, bool mpi)
{
        double sum = 0;
        int32_t ranks = 0;
        for (int32_t j = 0; j < m->nrank; j++) {
                if (strcmp(m->rank[i]->host, m->rank[j]->host) != 0)
                        continue;
                if (j < i)
                        return -1;
                struct part part = part_of(m->rank[j], level);
                sum += mpi ? part.mpi : busy_of(m->rank[j], &part);
                ranks++;
        }
        return sum / ranks;
}

static void make(struct measurement *m, struct measurement_pop *pop, int32_t level)
{
        double most = 0, sum = 0, most_of_node = 0, threads = 0;
        *pop = (struct measurement_pop){ .level = level,
                                         .least_mpi_rank_s = INFINITY,
                                         .least_mpi_node_s = INFINITY };
        m->nnode = 0;
        for (int32_t i = 0; i < m->nrank; i++) {
                struct part part = part_of(m->rank[i], level);
                double busy = busy_of(m->rank[i], &part), node = of_node(m, i, level, false);
                threads += measurement_threads(m->rank[i]);
                pop->elapsed_s = fmax(pop->elapsed_s, part.wall);
                pop->useful_s += part.load;
                pop->mpi_s += part.mpi;
                pop->wait_s += part.wait;
                pop->least_mpi_rank_s = fmin(pop->least_mpi_rank_s, part.mpi);
                most = fmax(most, busy);
                sum += busy;
                if (node < 0)
                        continue;
                m->nnode++;
                most_of_node = fmax(most_of_node, node);
                pop->least_mpi_node_s = fmin(pop->least_mpi_node_s, of_node(m, i, level, true));
        }
        double average = sum / m->nrank;
        bool known = m->delayed_part <= SHARED_PART && average > 0 && pop->elapsed_s > 0;
        pop->load_balance = known ? average / most : NAN;
        pop->load_balance_between = known ? average / most_of_node : NAN;
        pop->load_balance_within = known ? most_of_node / most : NAN;
        pop->communication_efficiency = known ? most / pop->elapsed_s : NAN;
        pop->parallel_efficiency = known ? pop->useful_s / (pop->elapsed_s * threads) : NAN;
        pop->openmp_efficiency =
            m->team > 0 ? pop->parallel_efficiency / (average / pop->elapsed_s) : NAN;
}

static void add_region(struct measurement *m, const struct rank_region *region)
{
        int32_t at = 0;
        if (region->level == 0 || region->open)
                return;
        while (at < m->nregion && m->region[at].level != region->level)
                at++;
        if (at == MEASUREMENT_REGIONS)
                return;
        if (at == m->nregion) {
                m->nregion++;
                make(m, &m->region[at], region->level);
        }
        if (region->visits > m->region[at].visits)
                m->region[at].visits = region->visits;
}

void measurement_make_pop(struct measurement *m)
{
        double most = 0, sum = 0;
        for (int32_t i = 0; i < m->nrank; i++) {
                most = fmax(most, m->load_s[i]);
                sum += m->load_s[i];
        }
        m->run = sum > 0 ? most * m->nrank / sum : NAN;
        make(m, &m->pop, 0);
        for (int32_t i = 0; i < m->nrank; i++)
                for (int k = 0; k < RANK_REGIONS; k++)
                        add_region(m, &m->rank[i]->region[k]);
}
