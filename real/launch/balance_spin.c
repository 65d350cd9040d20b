/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * How long threads of gcc's teams spin once they have nothing to do. Unless it is told otherwise a
 * team that had as many CPUs as threads when the program was loaded does so for 300000 turns of a
 * loop, some milliseconds (libgomp, config/linux/wait.h), on CPUs that another rank has meanwhile.
 * It can be told by its environment alone, before it begins, and in turns.
 *
 * A team with more threads than that spins for 1000 turns, but knows of its own process alone:
 * where all ranks together have more threads than there are CPUs we tell it. Two ranks of two
 * threads on two CPUs (docs/facts.md P3): with 1 ms a thread has the CPU that the one it waits for
 * needs.
 */
#include <inttypes.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "real/balance/params.h"
#include "real/launch/balance_impl.h"

enum { TURNS = 2000, TRIES = 5, CROWDED_TURNS = 1000 };

static const char variable[] = "GOMP_SPINCOUNT";

/* Of a rank; 0: as many as it has CPUs. On the line as NAME=4, or after NAME alone. */
static int64_t threads_said(char *const *line)
{
        static const char name[] = "OMP_NUM_THREADS";
        const char *said = getenv(name);
        for (char *const *word = line; *word; word++) {
                if (strcmp(*word, name) == 0 && word[1] && atoi(word[1]) > 0)
                        said = word[1];
                else if (strncmp(*word, name, strlen(name)) == 0 && (*word)[strlen(name)] == '=')
                        said = *word + strlen(name) + 1;
        }
        return said ? strtol(said, NULL, 10) : 0;
}

/* A batch system, or the user, has given the launcher machines that are not on the line. */
static bool has_machines(void)
{
        static const char *const files[] = { "PBS_NODEFILE",    "PE_HOSTFILE",
                                             "LSB_HOSTS",       "LSB_DJOB_HOSTFILE",
                                             "HYDRA_HOST_FILE", "OMPI_MCA_orte_default_hostfile" };
        const char *nodes = getenv("SLURM_JOB_NUM_NODES");
        for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++)
                if (getenv(files[i]))
                        return true;
        return nodes && strcmp(nodes, "1") != 0;
}

/* More threads than CPUs, as far as the line says: of ranks that are all on this machine. */
static bool is_crowded(char *const *line)
{
        cpu_set_t cpus;
        CPU_ZERO(&cpus);
        if (sched_getaffinity(0, sizeof(cpus), &cpus) != 0)
                return false;
        int64_t ncpu = CPU_COUNT(&cpus), threads = threads_said(line), ranks = line_ranks(line);
        return !has_machines() && ranks > 1 && (threads > 0 ? threads : ncpu) > ncpu / ranks;
}

/* As libgomp has it. */
static inline void relax(void)
{
#if defined(__x86_64__) || defined(__i386__)
        __builtin_ia32_pause();
#else
        __asm__ volatile("" ::: "memory");
#endif
}

static int64_t spin_ns(const int *address)
{
        int64_t begin_ns = clock_ns();
        for (int i = 0; i < TURNS && __atomic_load_n(address, __ATOMIC_RELAXED) == 0; i++)
                relax();
        return clock_ns() - begin_ns;
}

/* The least of some: in others the thread had no CPU meanwhile. */
static int64_t turns_per_ms(void)
{
        int never = 0;
        int64_t least_ns = INT64_MAX;
        for (int i = 0; i < TRIES; i++) {
                int64_t took_ns = spin_ns(&never);
                least_ns = took_ns < least_ns ? took_ns : least_ns;
        }
        return TURNS * (int64_t)1000000 / (least_ns > 0 ? least_ns : 1);
}

/* By the user, in the environment or on the line. */
static bool is_said(char *const *line)
{
        static const char *const names[] = { variable, "OMP_WAIT_POLICY" };
        for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
                if (getenv(names[i]))
                        return true;
                for (char *const *word = line; *word; word++)
                        if (strstr(*word, names[i]))
                                return true;
        }
        return false;
}

struct line_set balance_spin(char *const *line, char text[static BALANCE_SPIN_SIZE])
{
        if (is_said(line))
                return (struct line_set){ NULL, NULL };
        int64_t turns = is_crowded(line) ? CROWDED_TURNS : BALANCE_SPIN_MS * turns_per_ms();
        snprintf(text, BALANCE_SPIN_SIZE, "%" PRId64, turns);
        return (struct line_set){ variable, text };
}
