/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The same work in SimGrid's S4U, as a reference for speed and as an oracle for time: nodes of 48 cores,
 * 100 tasks per core, one actor per core that takes its node's tasks one after the other.
 *
 *   simgrid_peer MODE CORES TASKS_PER_CORE TASK_NS...    one TASK_NS per node
 *
 * MODE sleep: a task is a sleep (SimGrid's cheapest form); execute: a computation on the node's cores;
 * offload: as execute, and every fourth task is sent to the next node through a mailbox.
 * Prints: tasks, processor seconds, simulated nanoseconds, peak memory in KiB.
 */
#include <simgrid/s4u.hpp>

#include <sys/resource.h>

#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <string>
#include <vector>

namespace sg4 = simgrid::s4u;

static std::vector<long long> left;
static std::vector<double> task_s;
static std::string mode;

static void run_task(double seconds)
{
        if (mode == "sleep")
                sg4::this_actor::sleep_for(seconds);
        else
                sg4::this_actor::execute(seconds * 1e9);
}

static void core(size_t node)
{
        auto *next = sg4::Mailbox::by_name("node" + std::to_string((node + 1) % left.size()));
        auto *own = sg4::Mailbox::by_name("node" + std::to_string(node));
        while (left[node] > 0) {
                long long task = left[node]--;
                double seconds = task_s[node];
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
                auto *host = zone->create_host("node" + std::to_string(n), "1Gf")->set_core_count(cores);
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
        if (argc < 5) {
                std::fprintf(stderr, "usage: simgrid_peer MODE CORES TASKS_PER_CORE TASK_NS...\n");
                return 2;
        }
        mode = argv[1];
        int cores = std::atoi(argv[2]);
        long long per_core = std::atoll(argv[3]);
        for (int i = 4; i < argc; i++) {
                left.push_back(per_core * cores);
                task_s.push_back(std::atof(argv[i]) * 1e-9);
        }
        make_platform(left.size(), cores);
        for (size_t n = 0; n < left.size(); n++)
                for (int c = 0; c < cores; c++)
                        sg4::Actor::create("core", engine.host_by_name("node" + std::to_string(n)), core, n);
        std::clock_t start = std::clock();
        engine.run();
        double seconds = double(std::clock() - start) / CLOCKS_PER_SEC;
        struct rusage usage;
        getrusage(RUSAGE_SELF, &usage);
        std::printf("%lld %.4f %.0f %ld\n", per_core * cores * (long long)left.size(), seconds,
                    sg4::Engine::get_clock() * 1e9, usage.ru_maxrss);
        return 0;
}
