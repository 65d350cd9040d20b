/* SPDX-License-Identifier: BSD-3-Clause */
#include <inttypes.h>
#include <math.h>

#include "base/text.h"
#include "real/measure/measurement.h"
#include "real/measure/rank_file.h"

static void print_factor(FILE *out, const char *name, double value, const char *what)
{
        if (isnan(value))
                fprintf(out, "  %-28s      -   %s\n", name, what);
        else
                fprintf(out, "  %-28s %6.3f   %s\n", name, value, what);
}

/* Load that is no computing of any thread: of a system's CPUs it need not become less. */
static void print_blocked(const struct measurement *m, FILE *out)
{
        double sum_s = 0, most_s = 0, load_s = 0;
        for (int32_t i = 0; i < m->nrank; i++) {
                double blocked_s = measurement_blocked_s(m->rank[i]);
                sum_s += blocked_s;
                most_s = fmax(most_s, blocked_s);
                load_s += 1e-9 * meter_load_ns(&m->rank[i]->meter);
        }
        if (sum_s > 0.1 * load_s)
                fprintf(
                    out,
                    "  %.0f %% of the load was no computing: ranks were blocked outside MPI "
                    "(files, sleep, a GPU), up to %.2f s\n  of one; further CPUs do not shorten "
                    "that, and tasks take it elsewhere only if it can be done there\n",
                    fmin(100, 100 * sum_s / load_s), most_s);
}

static void print_ended(const struct measurement *m, FILE *out)
{
        if (m->killed > 0)
                fprintf(
                    out,
                    "  %d rank%s ended without a word; what they did until their last call is in\n",
                    m->killed, lb_s(m->killed));
        if (m->exited > 0)
                fprintf(out, "  %d rank%s ended without MPI_Finalize\n", m->exited,
                        lb_s(m->exited));
}

static void print_files(const struct measurement *m, FILE *out)
{
        double files_s = 0, in_s = 0;
        for (int32_t i = 0; i < m->nrank; i++) {
                files_s += measurement_files_s(m->rank[i]);
                in_s += 1e-9 * (double)m->rank[i]->meter.in_ns;
        }
        if (files_s > 0.1 * in_s)
                fprintf(out,
                        "  %.0f %% of the time in MPI was in calls on files: what of it the disk "
                        "took is no communication\n",
                        100 * files_s / in_s);
}

/* What it has besides. */
static void print_means(const struct measurement *m, FILE *out)
{
        if (m->spawned > 0)
                fprintf(out, "  %d rank%s %s spawned; what they did is not in\n", m->spawned,
                        lb_s(m->spawned), m->spawned == 1 ? "was" : "were");
        if (m->rank[0]->gpu[0])
                fprintf(
                    out,
                    "  it has libraries for GPUs (%s): waiting for one is load, what it does is "
                    "not seen\n",
                    m->rank[0]->gpu);
        if (m->rank[0]->shared_windows > 0)
                fprintf(out,
                        "  it has %d window%s of shared memory (MPI_Win_allocate_shared): a rank "
                        "that waits for another's\n  word there, outside MPI's calls, is said to "
                        "work\n",
                        m->rank[0]->shared_windows, lb_s(m->rank[0]->shared_windows));
        if (m->rank[0]->team_tasks)
                fprintf(out, "  it has OpenMP tasks that are detached or reduce; what threads do "
                             "of those at barriers "
                             "is not in\n");
}

static void print_threads(const struct measurement *m, FILE *out)
{
        double other_s = 0, helped_s = 0, unseen_s = 0;
        int64_t other_calls = 0;
        for (int32_t i = 0; i < m->nrank; i++) {
                other_s += 1e-9 * m->rank[i]->other_cpu_ns;
                other_calls += m->rank[i]->other_calls;
                helped_s += 1e-9 * m->rank[i]->helper_load_ns;
                unseen_s = fmax(unseen_s, measurement_unseen_s(m->rank[i]));
        }
        bool others = other_s > 0.05 * m->wall_s;
        if (others)
                fprintf(out,
                        "  threads outside OpenMP regions used %.2f s of processor time, which is "
                        "not in; where the\n  first waits for them outside MPI, that is load, as "
                        "long as they have a CPU\n",
                        other_s);
        if (others && m->team > 0 && isnan(m->pop.parallel_efficiency))
                fputs("  threads of OpenMP teams may spin while they wait for a region, on CPUs "
                      "that others need:\n  OMP_WAIT_POLICY=passive lets them sleep\n",
                      out);
        if (other_calls == 0)
                return;
        fprintf(out,
                "  %" PRId64 " of the MPI calls were other threads' than the first; what these "
                "compute between them (%.2f s)\n  is load, and so is the first's waiting for them "
                "outside MPI",
                other_calls, helped_s);
        if (unseen_s > 0.01 * m->wall_s)
                fprintf(out, ": up to %.2f s of a rank, in which it may have waited for another",
                        unseen_s);
        fputc('\n', out);
}

static void print_doubts(const struct measurement *m, FILE *out)
{
        if (isnan(m->pop.parallel_efficiency))
                fprintf(out,
                        "  CPUs were shared: %.0f %% of the time outside MPI a rank could run and "
                        "had none, so\n  efficiencies say nothing; the loads are without that "
                        "time, and "
                        "hold\n",
                        100 * m->delayed_part);
        print_blocked(m, out);
        print_ended(m, out);
        print_files(m, out);
        print_means(m, out);
        print_threads(m, out);
}

/* What moves within so many is not seen. */
static void print_folded(const struct measurement *m, FILE *out)
{
        if (m->synchronisations_per_interval > 1)
                fprintf(out,
                        "  there were %" PRId64 " synchronisations, kept by %" PRId64
                        " together: between single ones imbalance is at\n  least that\n",
                        m->synchronisations, m->synchronisations_per_interval);
}

static void print_iterations(const struct measurement *m, FILE *out)
{
        if (m->niteration == 0)
                fprintf(out, "  no iterations were found: %s\n",
                        m->why_none ? m->why_none : "none");
        else
                fprintf(
                    out,
                    "  %" PRId64 " iteration%s, each begins with an %s; %.0f %% of the load is in "
                    "them\n",
                    m->niteration, lb_s((double)m->niteration), m->mark, 100 * m->iterations_part);
}

static void print_regions(const struct measurement *m, FILE *out)
{
        for (int32_t i = 0; i < m->nregion; i++) {
                const struct measurement_pop *region = &m->region[i];
                fprintf(out, "  region %d: %.3f s, load %.3f s", region->level, region->elapsed_s,
                        region->useful_s);
                if (!isnan(region->parallel_efficiency))
                        fprintf(out, ", efficiency %.3f, load balance %.3f, communication %.3f",
                                region->parallel_efficiency, region->load_balance,
                                region->communication_efficiency);
                fputc('\n', out);
        }
}

/* The work that ends with a call, and what the ranks waited there for the slowest. */
static void print_sites(const struct measurement *m, FILE *out)
{
        enum { SHOWN = 5 };
        fputs("  load before  imbalance   in the call       calls  call site\n", out);
        for (int32_t i = 0; i < m->nsite && i < SHOWN; i++) {
                const struct measurement_site *site = &m->site[i];
                fprintf(out, "  %9.3f s  %9.3f  %10.3f s  %10" PRId64 "  %s %s\n", site->before_s,
                        isnan(site->imbalance) ? 0 : site->imbalance, site->mpi_s, site->calls,
                        site->title, site->place);
        }
}

void measurement_print(const struct measurement *m, const char *directory, FILE *out)
{
        fprintf(out, "%d rank%s on %d node%s, %.3f s, %" PRId64 " MPI calls\n", m->nrank,
                lb_s(m->nrank), m->nnode, lb_s(m->nnode), m->wall_s, m->calls);
        print_factor(out, "imbalance of the run", m->run, "max/avg of load outside MPI");
        print_factor(out, "  between synchronisations", m->intervals, "the same, summed over them");
        print_factor(out, "  in windows", m->windows, "the same, in windows of half a second");
        if (m->niteration > 0)
                print_factor(out, "  of iterations", m->iterations, "the same, summed over them");
        print_factor(out, "parallel efficiency", m->pop.parallel_efficiency,
                     "load over all time of all ranks");
        print_factor(out, "  load balance", m->pop.load_balance, "avg/max");
        print_factor(out, "    within nodes", m->pop.load_balance_within, "");
        print_factor(out, "    between nodes", m->pop.load_balance_between, "");
        print_factor(out, "  communication", m->pop.communication_efficiency,
                     "of the rank with most load");
        if (m->team > 0)
                print_factor(out, "  OpenMP", m->pop.openmp_efficiency,
                             "work of all threads over their time outside MPI");
        print_folded(m, out);
        print_iterations(m, out);
        print_regions(m, out);
        print_sites(m, out);
        print_doubts(m, out);
        fprintf(
            out,
            "  measuring cost %.2f %% of the time; in %s: measured.json, loads.csv, talp.json\n",
            m->overhead_percent, directory);
}
