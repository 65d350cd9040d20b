/* SPDX-License-Identifier: BSD-3-Clause */
#include "policies/system.h"
#include "real/control/job.h"
#include "real/launch/options.h"

static const char usage[] =
    "Usage: lbrun [options] -- PROGRAM [ARGUMENTS]\n"
    "       lbrun params            what --param can set\n"
    "       lbrun doctor [PROGRAM]  what is here for live runs, and what to change\n"
    "       lbrun advise -- LAUNCHER ... PROGRAM    what balancing it would gain: lbrun advise "
    "--help\n"
    "       lbrun measure -- LAUNCHER ... PROGRAM   the loads of a program as it is: lbrun measure "
    "--help\n"
    "       lbrun --version\n"
    "\n"
    "Run an MPI program that is linked with the runtime library: one rank for every edge of the\n"
    "apprank-node graph, cores and tasks balanced by a system of policies.\n"
    "\n";

static const char options_text[] =
    "\n"
    "  --nodes N --cores C      nodes, and cores of each. Without a host file or a Slurm\n"
    "                           allocation these are virtual nodes, all on this machine\n"
    "  --appranks-per-node K    default 1\n"
    "  --degree D               nodes per apprank, its own included; default 4, at most N\n"
    "  --policy FILE.so         a policy of your own, a further system: policies/plugin.h\n"
    "  --lewi on|off            lend idle cores within a node\n"
    "  --drom on|off            move the ownership of cores\n"
    "  --load wall|cpu          what a busy core is: time in tasks (default), or processor time\n"
    "  --cores-by builtin|dlb|auto  what manages a node's cores: lbrun itself (default), an\n"
    "                           installed DLB, or DLB where it is usable\n"
    "  --param NAME=VALUE       a constant of the runtime, the graph or the system's policies;\n"
    "                           names as in lbsim\n"
    "  --seed S                 of the graph; default 1\n"
    "  --graph FILE             a graph that lbsim graph wrote, instead of --degree and --seed\n"
    "  --hostfile FILE          lines 'host slots=CORES' or 'host:CORES'\n"
    "  --virtual                virtual nodes on this machine, also within a Slurm allocation\n"
    "  --virtual-cpus           cores of virtual nodes are slow CPUs that compute, not threads "
    "that\n"
    "                           share this machine: control groups with quotas, as root or in a\n"
    "                           delegated group. All together take at most 80 % of the real CPUs\n"
    "                           (--param cpu_speed=S: each S of one). --speed makes nodes slower\n"
    "  --speed NODE:FACTOR      a node's speed for the policies' sums; may be repeated\n"
    "  --start-s S              end a start without news of a rank for so long; default 60, 0:\n"
    "                           never\n"
    "  --hung-s S               end the job where a rank has not looked for messages for so long;\n"
    "                           default 0: after a minute it is named, and the job goes on\n"
    "  --mpi openmpi|mpich|auto the MPI that the program must be built with\n"
    "  --mpi-option OPT         one more word for mpirun; may be repeated\n"
    "  --report FILE            the report at the end as JSON\n"
    "  --report-every S         write report and loads every S seconds as well. A job that is "
    "told\n"
    "                           to end (SIGTERM, SIGINT, SIGHUP) writes what there is first\n"
    "  --decisions FILE         every view and decision of the policies, FILE.<node> for each\n"
    "                           node; lbsim replay decides again\n"
    "  --loads FILE             measured work of appranks and iterations, a workload for lbsim\n"
    "  --trace FILE             what ran where and when\n"
    "  --check                  one task at a time; a task that touches cluster memory outside of\n"
    "                           its accesses ends the job and is named\n"
    "  --dry-run                print the map of ranks and the command, and run nothing\n"
    "  --quiet                  no words of lbrun's own but errors, no report printed\n"
    "  --help                   this text\n"
    "\n"
    "The exit code is that of the first rank to fail, 128 + N where signal N ended it or lbrun;\n"
    "that of MPI_Abort(), 1 for 0.\n"
    "lbrun's own: 2 wrong command line, 125 lbrun failed, 126 the program cannot be run or is not\n"
    "built for the runtime, 127 it is not found. Standard input is passed on unless it is a\n"
    "terminal. Nodes of a host file or of Slurm need the program and lbrun at the same path.\n";

void options_print_help(FILE *out)
{
        fputs(usage, out);
        fputs("  --system NAME            default global:\n", out);
        for (int i = 0; system_at(i); i++)
                if (job_runs_system(system_at(i)))
                        fprintf(out, "%29s%-9s %s\n", "", system_at(i)->name, system_at(i)->help);
        fputs(options_text, out);
}
