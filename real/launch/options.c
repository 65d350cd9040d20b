/* SPDX-License-Identifier: BSD-3-Clause */
#include "real/launch/options.h"

#include <errno.h>
#include <getopt.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/param.h"
#include "real/control/job.h"

enum option_id {
        OPTION_NONE = 0,
        OPTION_SYSTEM,
        OPTION_NODES,
        OPTION_CORES,
        OPTION_APPRANKS_PER_NODE,
        OPTION_DEGREE,
        OPTION_LEWI,
        OPTION_DROM,
        OPTION_LOAD,
        OPTION_CORES_BY,
        OPTION_PARAM,
        OPTION_SEED,
        OPTION_GRAPH,
        OPTION_HOSTFILE,
        OPTION_VIRTUAL,
        OPTION_VIRTUAL_CPUS,
        OPTION_SPEED,
        OPTION_START_S,
        OPTION_HUNG_S,
        OPTION_MPI,
        OPTION_MPI_OPTION,
        OPTION_REPORT,
        OPTION_REPORT_EVERY,
        OPTION_DECISIONS,
        OPTION_LOADS,
        OPTION_POLICY,
        OPTION_TRACE,
        OPTION_CHECK,
        OPTION_DRY_RUN,
        OPTION_QUIET,
        OPTION_HELP,
        OPTION_COUNT
};

/* In the order of the ids. */
static const struct option table[] = {
        { "system", required_argument, NULL, OPTION_SYSTEM },
        { "nodes", required_argument, NULL, OPTION_NODES },
        { "cores", required_argument, NULL, OPTION_CORES },
        { "appranks-per-node", required_argument, NULL, OPTION_APPRANKS_PER_NODE },
        { "degree", required_argument, NULL, OPTION_DEGREE },
        { "lewi", required_argument, NULL, OPTION_LEWI },
        { "drom", required_argument, NULL, OPTION_DROM },
        { "load", required_argument, NULL, OPTION_LOAD },
        { "cores-by", required_argument, NULL, OPTION_CORES_BY },
        { "param", required_argument, NULL, OPTION_PARAM },
        { "seed", required_argument, NULL, OPTION_SEED },
        { "graph", required_argument, NULL, OPTION_GRAPH },
        { "hostfile", required_argument, NULL, OPTION_HOSTFILE },
        { "virtual", no_argument, NULL, OPTION_VIRTUAL },
        { "virtual-cpus", no_argument, NULL, OPTION_VIRTUAL_CPUS },
        { "speed", required_argument, NULL, OPTION_SPEED },
        { "start-s", required_argument, NULL, OPTION_START_S },
        { "hung-s", required_argument, NULL, OPTION_HUNG_S },
        { "mpi", required_argument, NULL, OPTION_MPI },
        { "mpi-option", required_argument, NULL, OPTION_MPI_OPTION },
        { "report", required_argument, NULL, OPTION_REPORT },
        { "report-every", required_argument, NULL, OPTION_REPORT_EVERY },
        { "decisions", required_argument, NULL, OPTION_DECISIONS },
        { "loads", required_argument, NULL, OPTION_LOADS },
        { "policy", required_argument, NULL, OPTION_POLICY },
        { "trace", required_argument, NULL, OPTION_TRACE },
        { "check", no_argument, NULL, OPTION_CHECK },
        { "dry-run", no_argument, NULL, OPTION_DRY_RUN },
        { "quiet", no_argument, NULL, OPTION_QUIET },
        { "help", no_argument, NULL, OPTION_HELP },
        { NULL, 0, NULL, 0 },
};

/* Options that are a whole number, and those that are text, by where they go. */
static const struct {
        size_t offset;
        int32_t max;
} wholes[OPTION_COUNT] = {
        [OPTION_NODES] = { offsetof(struct options, nnode), JOB_NODE_MAX },
        [OPTION_CORES] = { offsetof(struct options, cores), JOB_CORE_MAX },
        [OPTION_APPRANKS_PER_NODE] = { offsetof(struct options, appranks_per_node), JOB_CORE_MAX },
        [OPTION_DEGREE] = { offsetof(struct options, degree), JOB_NODE_MAX },
};
static const struct {
        bool is_text, is_file;
        size_t offset;
} texts[OPTION_COUNT] = {
        [OPTION_SYSTEM] = { true, false, offsetof(struct options, system) },
        [OPTION_LOAD] = { true, false, offsetof(struct options, load) },
        [OPTION_CORES_BY] = { true, false, offsetof(struct options, cores_by) },
        [OPTION_SEED] = { true, false, offsetof(struct options, seed) },
        [OPTION_START_S] = { true, false, offsetof(struct options, start_s) },
        [OPTION_HUNG_S] = { true, false, offsetof(struct options, hung_s) },
        [OPTION_GRAPH] = { true, true, offsetof(struct options, graph) },
        [OPTION_HOSTFILE] = { true, true, offsetof(struct options, hostfile) },
        [OPTION_REPORT_EVERY] = { true, false, offsetof(struct options, report_every) },
        [OPTION_REPORT] = { true, true, offsetof(struct options, report) },
        [OPTION_DECISIONS] = { true, true, offsetof(struct options, decisions) },
        [OPTION_POLICY] = { true, true, offsetof(struct options, policy) },
        [OPTION_LOADS] = { true, true, offsetof(struct options, loads) },
        [OPTION_TRACE] = { true, true, offsetof(struct options, trace) },
};

static int parse_whole(const char *text, int32_t max, int32_t *value, struct lb_error *err)
{
        char *end;
        errno = 0;
        long number = strtol(text, &end, 10);
        bool digits = text[0] >= '0' && text[0] <= '9' && *end == '\0';
        if (!digits || errno == ERANGE || number < 1 || number > max)
                return lb_error_set(
                    err, "found '%.60s', allowed is a whole number from 1 to %" PRId32, text, max);
        *value = (int32_t)number;
        return 0;
}

static int parse_switch(const char *text, enum options_switch *value, struct lb_error *err)
{
        if (strcmp(text, "on") == 0)
                *value = SWITCH_ON;
        else if (strcmp(text, "off") == 0)
                *value = SWITCH_OFF;
        else
                return lb_error_set(err, "found '%.60s', allowed is on or off", text);
        return 0;
}

static int parse_mpi(const char *text, enum mpi *mpi, struct lb_error *err)
{
        *mpi = MPI_NONE;
        for (enum mpi m = MPI_OPENMPI; m <= MPI_MPICH; m++)
                if (strcmp(text, mpi_name(m)) == 0)
                        *mpi = m;
        if (*mpi == MPI_NONE && strcmp(text, "auto") != 0)
                return lb_error_set(err, "found '%.60s', allowed is openmpi, mpich or auto", text);
        return 0;
}

static int parse_text(enum option_id id, char *text, struct options *options, struct lb_error *err)
{
        if (texts[id].is_file && (text[0] == '\0' || strlen(text) >= JOB_PATH_SIZE))
                return lb_error_set(err, "found a name of %zu bytes, allowed are 1 to %d",
                                    strlen(text), JOB_PATH_SIZE - 1);
        *(const char **)((char *)options + texts[id].offset) = text;
        return 0;
}

static int parse_option(enum option_id id, char *text, struct options *options,
                        struct lb_error *err)
{
        if (wholes[id].max)
                return parse_whole(text, wholes[id].max,
                                   (int32_t *)((char *)options + wholes[id].offset), err);
        if (texts[id].is_text)
                return parse_text(id, text, options, err);
        switch (id) {
        case OPTION_LEWI:
                return parse_switch(text, &options->lewi, err);
        case OPTION_DROM:
                return parse_switch(text, &options->drom, err);
        case OPTION_MPI:
                return parse_mpi(text, &options->mpi, err);
        case OPTION_PARAM:
                options->param[options->nparam++] = text;
                return 0;
        case OPTION_SPEED:
                options->speed[options->nspeed++] = text;
                return 0;
        case OPTION_MPI_OPTION:
                options->mpi_option[options->nmpi_option++] = text;
                return 0;
        case OPTION_VIRTUAL:
                options->virtual_nodes = true;
                return 0;
        case OPTION_VIRTUAL_CPUS:
                options->virtual_cpus = true;
                return 0;
        case OPTION_CHECK:
                options->check = true;
                return 0;
        case OPTION_DRY_RUN:
                options->dry_run = true;
                return 0;
        case OPTION_QUIET:
                options->quiet = true;
                return 0;
        case OPTION_HELP:
                options->help = true;
                return 0;
        default:
                return 0;
        }
}

static int complain_option(int code, const char *argument, struct lb_error *err)
{
        if (code == ':')
                return lb_error_set(err, "'%.60s' needs a value", argument);
        const char *names[OPTION_COUNT];
        for (size_t i = 0; i + 1 < OPTION_COUNT; i++)
                names[i] = table[i].name;
        char word[64];
        snprintf(word, sizeof(word), "%.63s", argument + strspn(argument, "-"));
        word[strcspn(word, "=")] = '\0';
        const char *near = lb_nearest_name(word, names, OPTION_COUNT - 1);
        if (near && strcmp(near, word) == 0)
                return lb_error_set(err, "'--%s' takes no value", near);
        if (near)
                return lb_error_set(err, "unknown option '%.60s', did you mean '--%s'?", argument,
                                    near);
        return lb_error_set(err, "unknown option '%.60s', see lbrun --help", argument);
}

static int parse(struct options *options, int argc, char **argv, struct lb_error *err)
{
        optind = 0; /* start afresh */
        opterr = 0;
        int id, place = 0;
        while ((id = getopt_long(argc, argv, "+:", table, &place)) != -1) {
                if (id == '?' || id == ':')
                        return complain_option(id, argv[optind - 1], err);
                if (parse_option((enum option_id)id, optarg, options, err) < 0)
                        return lb_error_prefix(err, "--%s: ", table[id - 1].name);
        }
        if (options->help)
                return 0;
        if (optind >= argc)
                return lb_error_set(err, "no program is given, allowed is lbrun [options] -- "
                                         "PROGRAM [ARGUMENTS], see lbrun --help");
        options->program = argv + optind;
        if (options->report_every && !options->report && !options->loads)
                return lb_error_set(err,
                                    "--report-every needs a file to write: --report or --loads");
        if (options->virtual_nodes && options->hostfile)
                return lb_error_set(err, "--virtual does not go with --hostfile");
        return 0;
}

int options_init(struct options *options, int argc, char **argv, struct lb_error *err)
{
        size_t room = (size_t)argc + 1;
        *options = (struct options){
                .param = calloc(room, sizeof(char *)),
                .speed = calloc(room, sizeof(char *)),
                .mpi_option = calloc(room, sizeof(char *)),
        };
        int status = options->param && options->speed && options->mpi_option
                         ? parse(options, argc, argv, err)
                         : lb_error_fail(err, "out of memory");
        if (status < 0)
                options_finish(options);
        return status;
}

void options_finish(struct options *options)
{
        free(options->param);
        free(options->speed);
        free(options->mpi_option);
        *options = (struct options){ 0 };
}
