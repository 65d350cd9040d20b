/* SPDX-License-Identifier: BSD-3-Clause */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "real/control/job.h"
#include "real/launch/exports.h"
#include "real/launch/line.h"
#include "real/launch/preloads.h"
#include "real/launch/program.h"

/*
 * How a variable comes to the ranks, and to them alone: a launcher need not load what is preloaded.
 *
 * - Open MPI: the parameter mca_base_env_list, the line's own where it has it, which goes before
 * the environment's; -x for each program where the line has -x already, as Open MPI refuses both.
 * - Hydra (MPICH and its kin): -genv. A script that starts it has the environment, which Hydra
 * hands on.
 * - srun: its environment, which it loads itself, too: the library does nothing in it.
 */
static const char env_list[] = "OMPI_MCA_mca_base_env_list", list_name[] = "mca_base_env_list";
enum { LIST_SIZE = 3 * PROGRAM_PATH_SIZE };

static const struct {
        const char *file, *mpi;
} launchers[] = {
        { "orterun", "openmpi" },        { "prterun", "openmpi" },
        { "mpirun.openmpi", "openmpi" }, { "mpiexec.openmpi", "openmpi" },
        { "mpiexec.hydra", "mpich" },    { "mpirun.mpich", "mpich" },
        { "mpiexec.mpich", "mpich" },
};

static const char *mpi_of_file(const char *path)
{
        const char *file = basename(path);
        for (size_t i = 0; i < sizeof(launchers) / sizeof(launchers[0]); i++)
                if (strcmp(file, launchers[i].file) == 0)
                        return launchers[i].mpi;
        return NULL;
}

const char *line_mpi_of(const char *launcher)
{
        struct lb_error err;
        char path[PROGRAM_PATH_SIZE];
        const char *mpi = mpi_of_file(launcher);
        if (mpi || program_locate(launcher, path, &err))
                return mpi;
        char *end = realpath(path, NULL);
        mpi = end ? mpi_of_file(end) : NULL;
        free(end);
        return mpi;
}

static bool is_srun(const char *launcher)
{
        return strcmp(basename(launcher), "srun") == 0;
}

/* Whosever it is: not a script that starts one. */
static bool is_named_so(const char *launcher)
{
        const char *file = basename(launcher);
        return strncmp(file, "mpirun", 6) == 0 || strncmp(file, "mpiexec", 7) == 0;
}

int line_check_there(const char *launcher, struct lb_error *err)
{
        char path[PROGRAM_PATH_SIZE];
        bool named = is_srun(launcher) || is_named_so(launcher);
        return named && program_locate(launcher, path, err) != 0 ? -1 : 0;
}

bool line_is_launcher(const char *word)
{
        return is_srun(word) || line_mpi_of(word);
}

static void add_x(struct words *line, const struct line_preload *preload)
{
        words_add(line, "-x");
        preloads_add(line, "LD_PRELOAD=", preload->library);
        for (const struct line_set *set = preload->set; set->name; set++) {
                words_add(line, "-x");
                words_add_format(line, "%s=%s", set->name, set->value);
        }
}

static bool has_word(char *const *word, const char *what)
{
        for (; *word; word++)
                if (strcmp(*word, what) == 0)
                        return true;
        return false;
}

/* Programs of a line are separated by ":". */
static void line_x(struct words *line, char *const *launch, const struct line_preload *preload)
{
        for (int i = 0; launch[i]; i++) {
                words_add(line, launch[i]);
                if (i == 0 || strcmp(launch[i], ":") == 0)
                        add_x(line, preload);
        }
}

/* The loader splits its list at both, and cannot be told otherwise. */
static int check_library(const struct line_preload *preload, struct lb_error *err)
{
        if (!strpbrk(preload->library, " :"))
                return 0;
        return lb_error_set(err,
                            "'%s' cannot be preloaded: allowed is a path without ' ' and ':', so "
                            "install or build it elsewhere",
                            preload->library);
}

static int check_list(const char *value, struct lb_error *err)
{
        if (!strchr(value, ';'))
                return 0;
        return lb_error_set(err,
                            "'%s': Open MPI's list of variables for the ranks is divided by ';', "
                            "allowed is a path without",
                            value);
}

/* Cut where it is too long, which the length that is returned tells. */
static size_t append(char *list, size_t size, const char *name, const char *value)
{
        size_t used = strlen(list);
        int more = snprintf(list + used, size - used, "%s%s%s", used ? ";" : "", name, value);
        return used + (size_t)(more < 0 ? 0 : more);
}

/* What the list preloads itself, to the list's end; NULL: nothing. */
static const char *own_preloads(const char *given)
{
        static const char set[] = "LD_PRELOAD=";
        for (const char *part = given; part; part = strchr(part, ';')) {
                part += *part == ';';
                if (strncmp(part, set, strlen(set)) == 0)
                        return part + strlen(set);
        }
        return NULL;
}

/* The list that the user has, with the library before what it preloads, or else behind it. */
static size_t join_library(char list[static LIST_SIZE], const char *given, const char *library)
{
        const char *own = own_preloads(given);
        struct words preloads = { 0 };
        list[0] = '\0';
        if (own)
                words_add_format(&preloads, "%.*s%s%s%s", (int)(own - given), given, library,
                                 *own && *own != ';' ? ":" : "", own);
        else {
                preloads_add(&preloads, "LD_PRELOAD=", library);
                (void)append(list, LIST_SIZE, given ? given : "", "");
        }
        size_t size = preloads.failed ? LIST_SIZE : append(list, LIST_SIZE, preloads.word[0], "");
        words_finish(&preloads);
        return size;
}

/* And the variables that are ours. */
static int join_list(char list[static LIST_SIZE], const char *given,
                     const struct line_preload *preload, struct lb_error *err)
{
        char named[64];
        if (check_list(preload->library, err) < 0)
                return -1;
        size_t size = join_library(list, given, preload->library);
        bool failed = size >= LIST_SIZE;
        for (const struct line_set *set = preload->set; set->name; set++) {
                if (check_list(set->value, err) < 0)
                        return -1;
                snprintf(named, sizeof(named), "%s=", set->name);
                size = append(list, LIST_SIZE, named, set->value);
        }
        if (failed || size >= LIST_SIZE)
                return lb_error_fail(err, "the list of variables for the ranks is too long");
        return 0;
}

/* Is it the value of --mca mca_base_env_list? */
static bool is_list(char *const *launch, int i)
{
        return i > 1 && strcmp(launch[i - 1], list_name) == 0 && line_has_two_values(launch[i - 2]);
}

static bool has_list(char *const *launch)
{
        for (int i = 1; launch[i]; i++)
                if (is_list(launch, i))
                        return true;
        return false;
}

static int add_list(struct words *line, char *const *launch, const struct line_preload *preload,
                    struct lb_error *err)
{
        char list[LIST_SIZE];
        for (int i = 0; launch[i]; i++) {
                bool is = is_list(launch, i);
                if (is && join_list(list, launch[i], preload, err) < 0)
                        return -1;
                words_add(line, is ? list : launch[i]);
        }
        return 0;
}

static int set_list(const struct line_preload *preload, struct lb_error *err)
{
        char list[LIST_SIZE];
        if (join_list(list, getenv(env_list), preload, err) < 0)
                return -1;
        return setenv(env_list, list, 1) < 0 ? lb_error_fail(err, "out of memory") : 0;
}

static int set_environment(const struct line_preload *preload, struct lb_error *err)
{
        struct words value = { 0 };
        preloads_add(&value, "", preload->library);
        int failed = value.failed || setenv("LD_PRELOAD", value.word[0], 1) < 0;
        for (const struct line_set *set = preload->set; set->name; set++)
                failed = failed || setenv(set->name, set->value, 1) < 0;
        words_finish(&value);
        return failed ? lb_error_fail(err, "out of memory") : 0;
}

/* srun's tasks: what lbrun sets for them. */
static int let_have(struct words *line, char *const *launch, const struct line_preload *preload,
                    struct lb_error *err)
{
        char job[JOB_PART_NAME_SIZE];
        const char *names[LINE_SETS + 3] = { "LD_PRELOAD" };
        int n = 1;
        for (const struct line_set *set = preload->set; set->name; set++)
                names[n++] = set->name;
        names[n] = job_part_name(0, job);
        return exports_join(line, launch + 1, names) < 0 ? lb_error_fail(err, "out of memory") : 0;
}

static void add_genv(struct words *line, const struct line_preload *preload)
{
        words_add(line, "-genv");
        words_add(line, "LD_PRELOAD");
        preloads_add(line, "", preload->library);
        for (const struct line_set *set = preload->set; set->name; set++) {
                words_add(line, "-genv");
                words_add(line, set->name);
                words_add(line, set->value);
        }
}

static int make(struct words *line, const char *mpi, char *const *launch,
                const struct line_preload *preload, struct lb_error *err)
{
        bool hydra = strcmp(mpi, "mpich") == 0, srun = is_srun(launch[0]);
        bool openmpi = !hydra && !srun;
        if (openmpi && has_list(launch))
                return add_list(line, launch, preload, err);
        if (openmpi && has_word(launch, "-x") && !getenv(env_list)) {
                line_x(line, launch, preload);
                return 0;
        }
        words_add(line, launch[0]);
        if (srun)
                return set_environment(preload, err) < 0 ? -1
                                                         : let_have(line, launch, preload, err);
        if (hydra && !is_named_so(launch[0])) {
                if (set_environment(preload, err) < 0)
                        return -1;
        } else if (hydra) {
                add_genv(line, preload);
        } else if (set_list(preload, err) < 0) {
                return -1;
        }
        for (int i = 1; launch[i]; i++)
                words_add(line, launch[i]);
        return 0;
}

int line_make(struct words *line, const char *mpi, char *const *launch,
              const struct line_preload *preload, struct lb_error *err)
{
        struct words joined = { 0 };
        if (check_library(preload, err) < 0)
                return -1;
        preloads_join(&joined, launch, preload->library);
        int code = joined.failed ? lb_error_fail(err, "out of memory")
                                 : make(line, mpi, joined.word, preload, err);
        words_finish(&joined);
        return code;
}
