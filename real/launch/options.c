/* SPDX-License-Identifier: BSD-3-Clause */
#include "real/launch/options.h"

#include <string.h>

#include "policies/system.h"
#include "real/balance/team.h"
#include "real/control/job.h"

const char *const options_launchers[] = { "auto", "mpirun", "mpiexec", "srun", NULL };
const char *const options_mpis[] = { "auto", "openmpi", "mpich", NULL };
static const char *const switches[] = { "off", "on", NULL };

/* All systems, since each runs live: in programs that are linked with the runtime, in those under a
 * launch line, or in both. */
static const char *each_system(int i, const char **help)
{
        int s = 0;
        while (s < i && system_at(s))
                s++;
        *help = system_at(s) ? system_at(s)->help
                             : "the best of dlb, dpb and packing, by how the job begins";
        return system_at(s) ? system_at(s)->name : s == i ? "auto" : NULL;
}

static int read_name(const char *text, void *to, struct lb_error *err)
{
        (void)to;
        if (text[0] != '\0' && strlen(text) < JOB_PATH_SIZE)
                return 0;
        return lb_error_set(err, "found a name of %zu bytes, allowed are 1 to %d", strlen(text),
                            JOB_PATH_SIZE - 1);
}

#define WHOLE(name, value, help, member, most)                                                     \
        {                                                                                          \
                name, LB_OPTION_WHOLE, value, help, LB_OPTION_TO(struct options, member),          \
                    .min = 1, .max = most                                                          \
        }
#define NAMED(name, value, help, member)                                                           \
        {                                                                                          \
                name, LB_OPTION_FILE, value, help, LB_OPTION_TO(struct options, member),           \
                    .read = read_name                                                              \
        }
#define WRITTEN(name, value, help, member)                                                         \
        {                                                                                          \
                name, LB_OPTION_FILE, value, help, LB_OPTION_TO(struct options, member),           \
                    .read = read_name, .written = true                                             \
        }

const struct lb_option options_table[] = {
        { "system", LB_OPTION_TEXT, "NAME",
          "the system of policies; default global, or --policy's. Before a launcher: packing, dpb, "
          "dlb, auto",
          LB_OPTION_TO(struct options, system), .each = each_system },
        WHOLE("nodes", "N",
              "nodes. Without a host file or a Slurm allocation these are virtual nodes, all on "
              "this machine",
              nnode, JOB_NODE_MAX),
        WHOLE("cores", "C", "cores of each node", cores, JOB_CORE_MAX),
        WHOLE("appranks-per-node", "K", "appranks of each node; default 1", appranks_per_node,
              JOB_CORE_MAX),
        WHOLE("degree", "D", "nodes per apprank, its own included; default 4, at most N", degree,
              JOB_NODE_MAX),
        NAMED("policy", "FILE.so", "a policy of your own, a further system: policies/plugin.h",
              policy),
        { "lewi", LB_OPTION_CHOICE, NULL, "lend idle cores within a node",
          LB_OPTION_TO(struct options, lewi), .min = SWITCH_OFF, .choices = switches },
        { "drom", LB_OPTION_CHOICE, NULL, "move the ownership of cores",
          LB_OPTION_TO(struct options, drom), .min = SWITCH_OFF, .choices = switches },
        { "load", LB_OPTION_TEXT, NULL, "what a busy core is: time in tasks, or processor time",
          LB_OPTION_TO(struct options, load), .param = &job_params[JOB_LOAD] },
        { "hint", LB_OPTION_TEXT, NULL,
          "what a core is where physical cores have several hardware threads: each of these, or "
          "the "
          "whole core, whose other threads stay idle",
          LB_OPTION_TO(struct options, hint), .param = &job_params[JOB_HINT] },
        { "cores-by", LB_OPTION_TEXT, NULL,
          "what manages a node's cores: lbrun itself, an installed DLB, or DLB where it is usable",
          LB_OPTION_TO(struct options, cores_by), .param = &job_params[JOB_CORES_BY] },
        { "param", LB_OPTION_LIST, "NAME=VALUE",
          "a constant of the runtime, the graph or the system's policies (lbrun params); names as "
          "in lbsim; may be repeated",
          LB_OPTION_TO(struct options, param) },
        { "seed", LB_OPTION_TEXT, "S", "of the graph; default 1",
          LB_OPTION_TO(struct options, seed) },
        NAMED("graph", "FILE", "a graph that lbsim graph wrote, instead of --degree and --seed",
              graph),
        NAMED("hostfile", "FILE", "lines 'host slots=CORES' or 'host:CORES'", hostfile),
        { "virtual", LB_OPTION_FLAG, NULL,
          "virtual nodes on this machine, also within a Slurm allocation",
          LB_OPTION_TO(struct options, virtual_nodes) },
        { "virtual-cpus", LB_OPTION_FLAG, NULL,
          "cores of virtual nodes are slow CPUs that compute, not threads that share this machine: "
          "control groups with quotas, as root or in a delegated group. All together take at most "
          "80 % of the real CPUs (--param cpu_speed=S: each S of one); --speed makes nodes slower",
          LB_OPTION_TO(struct options, virtual_cpus) },
        { "speed", LB_OPTION_LIST, "NODE:FACTOR",
          "a node's speed for the policies' sums; may be repeated",
          LB_OPTION_TO(struct options, speed) },
        { "start-s", LB_OPTION_TEXT, "S",
          "end a start without news of a rank for so long; default 60, 0: never",
          LB_OPTION_TO(struct options, start_s) },
        { "hung-s", LB_OPTION_TEXT, "S",
          "end the job where a rank has not looked for messages for so long; default 0: after a "
          "minute it is named, and the job goes on",
          LB_OPTION_TO(struct options, hung_s) },
        { "mpi", LB_OPTION_CHOICE, NULL, "the MPI that the program must be built with",
          LB_OPTION_TO(struct options, mpi), .min = MPI_NONE, .choices = options_mpis,
          .fallback = "auto" },
        { "launcher", LB_OPTION_CHOICE, NULL,
          "what starts the ranks: mpirun or mpiexec of the program's MPI, or Slurm's srun "
          "(--mpi=pmix for "
          "Open MPI, pmi2 for MPICH; --mpi-option --mpi=TYPE for another). Default: mpirun; srun "
          "where "
          "there is none, within an allocation of Slurm",
          LB_OPTION_TO(struct options, launcher), .min = LAUNCHER_AUTO,
          .choices = options_launchers, .fallback = "auto" },
        { "mpi-option", LB_OPTION_LIST, "OPT", "one more word for the launcher; may be repeated",
          LB_OPTION_TO(struct options, mpi_option) },
        WRITTEN("report", "FILE", "the report at the end as JSON", report),
        { "report-every", LB_OPTION_TEXT, "S",
          "write report and loads every S seconds as well. A job that is told to end (SIGTERM, "
          "SIGINT, SIGHUP) writes what there is first",
          LB_OPTION_TO(struct options, report_every) },
        WRITTEN("decisions", "FILE",
                "every view and decision of the policies, FILE.<node> for each node; lbsim replay "
                "decides again",
                decisions),
        WRITTEN("loads", "FILE", "measured work of appranks and iterations, a workload for lbsim",
                loads),
        WRITTEN("tasks", "FILE",
                "measured tasks of appranks and iterations, each with those that it came after, "
                "which lbsim simulates",
                tasks),
        WRITTEN("trace", "FILE", "what ran where and when, FILE.prv or FILE.json", trace),
        WRITTEN(
            "html", "PAGE",
            "one HTML page about the run: cores over time, moves, iterations, every figure; report "
            "and trace are kept beside it unless named",
            html),
        { "watch", LB_OPTION_FLAG, NULL,
          "while it runs, the job on the terminal: who owns and who uses each core, "
          "imbalance, decisions, what is printed; q ends the view alone",
          LB_OPTION_TO(struct options, watch) },
        { "compare", LB_OPTION_FLAG, NULL,
          "after the job: the same system simulated on the loads it had, its time beside the live "
          "one",
          LB_OPTION_TO(struct options, compare) },
        { "check", LB_OPTION_FLAG, NULL,
          "one task at a time; a task that touches cluster memory outside of its accesses ends the "
          "job and is named",
          LB_OPTION_TO(struct options, check) },
        { "or-run", LB_OPTION_FLAG, NULL,
          "a program as it is, under its launcher: where it cannot be balanced, run it all the "
          "same",
          LB_OPTION_TO(struct options, or_run) },
        { "fill", LB_OPTION_TEXT, "COMMAND",
          "with packing: a second job for the CPUs that are freed on this machine, by sh(1)",
          LB_OPTION_TO(struct options, fill) },
        WRITTEN("freed-cpus", "FILE",
                "with packing: lines 'host CPUS', written whenever CPUs are freed or used again",
                freed_cpus),
        { "malleable", LB_OPTION_TEXT, NULL,
          "with dpb, dlb and auto: what may change of a program's threads, any number in each "
          "region; at most what it was told; or their CPUs alone. auto: by what it asks",
          LB_OPTION_TO(struct options, malleable), .param = &team_params[TEAM_MALLEABLE] },
        { "dry-run", LB_OPTION_FLAG, NULL,
          "print the map of ranks and the command, and run nothing",
          LB_OPTION_TO(struct options, dry_run) },
        { "quiet", LB_OPTION_FLAG, NULL, "no words of lbrun's own but errors, no report printed",
          LB_OPTION_TO(struct options, quiet) },
        { "version", LB_OPTION_FLAG, NULL, "print version, build, commit, compiler and libraries",
          LB_OPTION_TO(struct options, version) },
        { .name = NULL },
};

int options_check(const struct options *options, struct lb_error *err)
{
        if (options->report_every && !options->report && !options->loads && !options->html)
                return lb_error_set(
                    err, "--report-every needs a file to write: --report, --loads or --html");
        if (options->virtual_nodes && options->hostfile)
                return lb_error_set(err, "--virtual does not go with --hostfile");
        return 0;
}
