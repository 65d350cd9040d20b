/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The same work in SimGrid's S4U, as a reference for speed and as an oracle for time: nodes of 48
 * cores, 100 tasks per core, one actor per core that takes its node's tasks one after the other.
 *
 *   simgrid_peer MODE CORES TASKS_PER_CORE JITTER_CV TASK_NS...    one TASK_NS per node
 *
 * MODE sleep: a task is a sleep (SimGrid's cheapest form); execute: a computation on the node's
 * cores; offload: as execute, and every fourth task is sent to the next node through a mailbox. The
 * tasks of a node scatter around its TASK_NS with lbsim's own jitter where JITTER_CV is not 0.
 * Prints: tasks, processor seconds, simulated nanoseconds, peak memory in KiB.
 */
#include <simgrid/s4u.hpp>

#include <sys/resource.h>

#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <string>
#include <vector>

extern "C" {
#include "models/workload.h"
}

namespace sg4 = simgrid::s4u;

static std::vector<long long> first; /* by node, the next task to start */
static long long ntask;              /* of every node */
static std::vector<double> task_ms;
static struct workload *workload;
static std::string mode;

/* The same durations as bench_sim's: the jitter is a function of seed, node and task. */
static struct workload *make_workload(int cores, int per_core, double jitter_cv)
{
        double param[WORKLOAD_NPARAM];
        lb_param_defaults(workload_params, param);
        param[WORKLOAD_MODEL] = lb_param_choice(&workload_params[WORKLOAD_MODEL], "given");
        param[WORKLOAD_JITTER] = lb_param_choice(&workload_params[WORKLOAD_JITTER], "lognormal");
        param[WORKLOAD_JITTER_CV] = jitter_cv;
        param[WORKLOAD_TASKS_PER_CORE] = per_core;
        int32_t nnode = (int32_t)task_ms.size();
        struct workload_spec spec = { nnode, cores, 1, param, task_ms.data(), nnode, 1, nullptr };
        struct lb_error err;
        struct workload *made = workload_create(&spec, &err);
        if (made)
                return made;
        std::fprintf(stderr, "simgrid_peer: %s\n", err.text);
        std::exit(2);
}

static double task_seconds(size_t node, long long task)
{
        return (double)workload_task_ns(workload, (int32_t)node, 0, task) * 1e-9;
}

static void run_task(double seconds)
{
        if (mode == "sleep")
                sg4::this_actor::sleep_for(seconds);
        else
                sg4::this_actor::execute(seconds * 1e9);
}

static void core(size_t node)
{
        auto *next = sg4::Mailbox::by_name("node" + std::to_string((node + 1) % first.size()));
        auto *own = sg4::Mailbox::by_name("node" + std::to_string(node));
        while (first[node] < ntask) {
                long long task = first[node]++;
                double seconds = task_seconds(node, task);
                if (mode == "offload" && task % 4 == 0) {
                        next->put_init(new double(seconds), 1)->detach();
                        auto *received = own->get<double>();
                        seconds = *received;
                        delete received;
                }
                run_task(seconds);
        }
}

static void make_platform(size_t nnode, int cores)
{
        auto *zone = sg4::create_star_zone("cluster");
        for (size_t n = 0; n < nnode; n++) {
                auto *host =
                    zone->create_host("node" + std::to_string(n), "1Gf")->set_core_count(cores);
                auto *link = zone->create_split_duplex_link("link" + std::to_string(n), "12.5GBps")
                                 ->set_latency("750ns");
                host->seal();
                link->seal();
                zone->add_route(host->get_netpoint(), nullptr, nullptr, nullptr,
                                { { link, sg4::LinkInRoute::Direction::UP } }, true);
        }
        zone->seal();
}

int main(int argc, char **argv)
{
        sg4::Engine engine(&argc, argv);
        if (argc < 6) {
                std::fprintf(
                    stderr, "usage: simgrid_peer MODE CORES TASKS_PER_CORE JITTER_CV TASK_NS...\n");
                return 2;
        }
        mode = argv[1];
        int cores = std::atoi(argv[2]);
        ntask = std::atoll(argv[3]) * cores;
        for (int i = 5; i < argc; i++)
                task_ms.push_back(std::atof(argv[i]) * 1e-6);
        first.resize(task_ms.size());
        workload = make_workload(cores, std::atoi(argv[3]), std::atof(argv[4]));
        make_platform(first.size(), cores);
        for (size_t n = 0; n < first.size(); n++)
                for (int c = 0; c < cores; c++)
                        sg4::Actor::create("core", engine.host_by_name("node" + std::to_string(n)),
                                           core, n);
        std::clock_t start = std::clock();
        engine.run();
        double seconds = double(std::clock() - start) / CLOCKS_PER_SEC;
        struct rusage usage;
        getrusage(RUSAGE_SELF, &usage);
        std::printf("%lld %.4f %.0f %ld\n", ntask * (long long)first.size(), seconds,
                    sg4::Engine::get_clock() * 1e9, usage.ru_maxrss);
        workload_destroy(workload);
        return 0;
}
