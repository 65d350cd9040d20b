/* SPDX-License-Identifier: BSD-3-Clause */
/* What is refused of a command line with a launch line on it, before anything is made. */
#include <stdlib.h>
#include <string.h>

#include "policies/alloc.h"
#include "policies/plugged.h"
#include "real/balance/setup.h"
#include "real/launch/balance_auto.h"
#include "real/launch/balance_fill.h"
#include "real/launch/balance_impl.h"
#include "real/launch/line.h"
#include "real/launch/settings.h"

/* Of programs that are linked with the runtime library. */
static int check_options(const struct options *o, struct lb_error *err)
{
        const struct {
                const char *name;
                bool given;
        } other[] = {
                { "appranks-per-node", o->appranks_per_node > 0 },
                { "degree", o->degree > 0 },
                { "graph", o->graph },
                { "hostfile", o->hostfile },
                { "load", o->load },
                { "hint", o->hint },
                { "html", o->html },
                { "watch", o->watch },
                { "virtual", o->virtual_nodes },
                { "loads", o->loads },
                { "tasks", o->tasks },
                { "trace", o->trace },
                { "check", o->check },
                { "report-every", o->report_every },
                { "start-s", o->start_s },
                { "hung-s", o->hung_s },
                { "mpi-option", o->mpi_option.count > 0 },
                { "launcher", o->launcher != LAUNCHER_AUTO },
                { "dry-run", o->dry_run },
                { "seed", o->seed },
                { "speed", o->speed.count > 0 && !o->virtual_cpus },
                { "cores", o->cores > 0 && !o->virtual_cpus },
        };
        for (size_t i = 0; i < sizeof(other) / sizeof(other[0]); i++)
                if (other[i].given)
                        return lb_error_set(err,
                                            "--%s is for programs that are linked with the runtime "
                                            "library, not for a launch line ('%s')",
                                            other[i].name, o->program[0]);
        if (o->virtual_cpus && o->cores == 0)
                return lb_error_set(err, "--virtual-cpus needs --cores C, the virtual CPUs of each "
                                         "node");
        return 0;
}

/* What is done with CPUs that are freed. */
static int check_freed(const struct balancing *b, struct lb_error *err)
{
        const struct options *o = b->options;
        const char *host = setup_host_of(b->system);
        const char *option = o->fill ? "fill" : o->freed_cpus ? "freed-cpus" : NULL;
        bool frees = strcmp(host, "packing") == 0 || strcmp(host, "auto") == 0;
        if (option && !frees)
                return lb_error_set(err,
                                    "--%s: system %s frees no CPUs, allowed are packing and auto",
                                    option, b->system);
        return o->fill ? balance_fill_check(o->fill, err) : 0;
}

void balance_name_options(const struct options *o, char text[BALANCE_NAMED][BALANCE_NAMED_SIZE])
{
        static const char *const value[] = { [SWITCH_OFF] = "false", [SWITCH_ON] = "true" };
        memset(text, 0, sizeof(char[BALANCE_NAMED][BALANCE_NAMED_SIZE]));
        if (o->cores_by)
                snprintf(text[0], BALANCE_NAMED_SIZE, "cores_by=%.60s", o->cores_by);
        if (o->malleable)
                snprintf(text[3], BALANCE_NAMED_SIZE, "malleable=%.60s", o->malleable);
        if (o->lewi != SWITCH_UNSET)
                snprintf(text[1], BALANCE_NAMED_SIZE, "lewi=%s", value[o->lewi]);
        if (o->drom != SWITCH_UNSET)
                snprintf(text[2], BALANCE_NAMED_SIZE, "drom=%s", value[o->drom]);
}

static int check_params(const struct balancing *b, const struct policy_params *all, double *value,
                        struct lb_error *err)
{
        const struct options *o = b->options;
        char named[BALANCE_NAMED][BALANCE_NAMED_SIZE];
        balance_name_options(o, named);
        for (int32_t i = 0; i < o->param.count; i++)
                if (setup_set(all, o->param.text[i], value, err) < 0)
                        return lb_error_prefix(err, "--param: ");
        for (int i = 0; i < BALANCE_NAMED; i++)
                if (named[i][0] && setup_set(all, named[i], value, err) < 0)
                        return lb_error_prefix(err, "--system %s: '%s': ", b->system, named[i]);
        return 0;
}

/* Its system is the one to use, where no other is named. */
static int take_policy(struct balancing *b, struct lb_error *err)
{
        const struct options *o = b->options;
        b->system = o->system;
        if (!o->policy)
                return 0;
        if (settings_take_policy(o->policy, NULL, err) < 0)
                return lb_error_prefix(err, "--policy: ");
        const struct system_type *system = plugged_at(0)->plugin->system;
        b->system = o->system ? o->system : system->name;
        const struct alloc_type *alloc = system->host ? NULL : alloc_find(system->alloc);
        if (strcmp(b->system, system->name) != 0 || !alloc || alloc->scope == ALLOC_SCOPE_NODE)
                return 0;
        return lb_error_set(err,
                            "--policy: '%s' allocates over all nodes, allowed on a launch line are "
                            "policies of one node (ALLOC_SCOPE_NODE)",
                            alloc->name);
}

static int check_system(struct balancing *b, struct lb_error *err)
{
        const struct options *o = b->options;
        if (take_policy(b, err) < 0)
                return -1;
        const char *system = b->system;
        struct policy_params *all = calloc(1, sizeof(*all));
        double *value = calloc(POLICY_PARAM_MAX + 1, sizeof(*value));
        int code = 0;
        if (!all || !value)
                code = lb_error_fail(err, "out of memory");
        else if (!system || !setup_params(all, system))
                code = lb_error_set(
                    err,
                    "--system: found %s%s%s; a program under its own launcher "
                    "('%s') can have packing, dpb, dlb, auto, or a plugin's system that works as "
                    "one of the first three: --system auto takes what is best for it. Others "
                    "balance programs that are linked with the runtime library, which lbrun starts "
                    "itself",
                    system ? "'" : "", system ? system : "none", system ? "'" : "", o->program[0]);
        if (code == 0 && strcmp(system, "auto") == 0)
                code = balance_auto_check(err);
        if (code == 0)
                code = check_params(b, all, value, err);
        free(all);
        free(value);
        return code;
}

static int check_launcher(struct balancing *b, struct lb_error *err)
{
        const struct options *o = b->options;
        char path[PROGRAM_PATH_SIZE], late[PROGRAM_PATH_SIZE];
        const char *launcher = o->program[0], *system = o->system ? o->system : "auto";
        if (line_check_there(launcher, err) != 0)
                return -1;
        b->mpi = o->mpi != MPI_NONE ? mpi_name(o->mpi) : line_mpi_of(launcher);
        if (!line_is_launcher(launcher))
                return lb_error_set(err,
                                    "--system %s: '%s' is no launcher: write the line that starts "
                                    "the program, as in 'lbrun --system %s -- mpirun -n 4 ./app'%s",
                                    system, launcher, system,
                                    line_begins_late(o->program, late, sizeof(late)));
        if (!b->mpi)
                return lb_error_set(err,
                                    "'%s' starts programs of any MPI: name it by --mpi openmpi or "
                                    "--mpi mpich",
                                    launcher);
        if (program_locate(launcher, path, err) != 0)
                return -1;
        return line_library(b->library, sizeof(b->library), "balance", b->mpi, err);
}

/* Where that is seen beforehand. */
static int check_program(const struct balancing *b, struct lb_error *err)
{
        char path[PROGRAM_PATH_SIZE];
        if (b->options->or_run || !line_program(b->options->program, path) ||
            !program_is_static(path))
                return 0;
        return lb_error_set(err,
                            "'%.300s' is linked statically, so that nothing can be preloaded; "
                            "allowed are programs that load their libraries, or --or-run, which "
                            "runs it as it is",
                            path);
}

int balance_check(struct balancing *b, struct lb_error *err)
{
        return check_launcher(b, err) < 0 || check_system(b, err) < 0 ||
                       check_options(b->options, err) < 0 || check_program(b, err) < 0 ||
                       check_freed(b, err) < 0
                   ? -1
                   : 0;
}
