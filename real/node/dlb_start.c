/* SPDX-License-Identifier: BSD-3-Clause */
/* Starting DLB: its arguments, and the machine it believes to be on. */
#include <dirent.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "real/node/cores_dlb_impl.h"
#include "real/node/dlb.h"
#include "real/node/segment_impl.h"

/*
 * What must be so after the start, since DLB_ARGS of the environment overrides the arguments. An
 * option that a version does not have is not asked for, and need not be.
 */
static const struct {
        const char *option, *value;
} needed[] = {
        { "--lewi", "yes" },
        { "--drom", "yes" },
        { "--mode", "polling" },
        { "--lewi-affinity", "mask" },
        { "--lewi-respect-cpuset", "yes" },
        { "--lewi-max-parallelism", "0" },
        { "--lewi-color", "0" },
        { "--lewi-mpi-calls", "none" },
        { "--lewi-keep-one-cpu", "no" },
        { "--ompt", "no" },
        { "--mngo", "no" },
        { "--preinit-pid", "0" },
};

static const char arguments[] =
    "--lewi --drom --mode=polling --lewi-affinity=mask --lewi-mpi-calls=none --no-ompt "
    "--no-barrier --no-talp --quiet --shm-size-multiplier=4 --shm-key=";

/* ---- The machine ---- */

/*
 * DLB learns from hwloc what cores there are, at the first call and once for all. A machine of
 * nothing but the node's cores, on which their numbers are the job's: so virtual nodes work, and
 * cores with hardware threads are lent one by one, as by the built-in manager. What DLB believes
 * binds no thread: that is the runtime's.
 */
enum { NVARIABLE = 3 };
static const char *const variables[NVARIABLE] = { "HWLOC_SYNTHETIC", "HWLOC_XMLFILE",
                                                  "HWLOC_COMPONENTS" };

static void put(const char *name, const char *value)
{
        if (value)
                setenv(name, value, 1);
        else
                unsetenv(name);
}

static void pretend_machine(int32_t ncore, char *before[static NVARIABLE])
{
        char text[32];
        for (int i = 0; i < NVARIABLE; i++) {
                const char *value = getenv(variables[i]);
                before[i] = value ? strdup(value) : NULL;
                unsetenv(variables[i]);
        }
        snprintf(text, sizeof(text), "core:%" PRId32 " 1", ncore);
        put(variables[0], text);
}

static void stop_pretending(char *before[static NVARIABLE])
{
        for (int i = 0; i < NVARIABLE; i++) {
                put(variables[i], before[i]);
                free(before[i]);
        }
}

/* ---- Start ---- */

static int complain_start(const struct cores_dlb *dlb, int answer, struct lb_error *err)
{
        const char *hint = "";
        char name[32];
        dlb_answer_name(answer, name, sizeof(name));
        if (answer == DLB_STARTED)
                hint = ": something else has started it in this process, or tried to "
                       "(libdlb_mpi.so preloaded, OpenMP, DLB_AUTO_INIT)";
        if (answer == DLB_NOT_ALLOWED)
                hint =
                    ": it does not believe in these cores, perhaps for being built without hwloc";
        return lb_error_fail(err, "'%.200s' (%d.%d.%d) does not start: %s%s", dlb->library.path,
                             dlb->library.major_version, dlb->library.minor, dlb->library.patch,
                             name, hint);
}

static int check_option(const struct cores_dlb *dlb, const char *option, const char *value,
                        struct lb_error *err)
{
        char found[4096] = ""; /* the interface has no size; the longest option is a path */
        if (dlb->library.get_variable(option, found) != DLB_DONE || strcmp(found, value) == 0)
                return 0;
        return lb_error_set(err, "DLB_ARGS: %s is '%.60s', must be '%.60s'", option, found, value);
}

static int check_options(const struct cores_dlb *dlb, struct lb_error *err)
{
        for (size_t i = 0; i < sizeof(needed) / sizeof(needed[0]); i++)
                if (check_option(dlb, needed[i].option, needed[i].value, err) < 0)
                        return -1;
        return check_option(dlb, "--shm-key", dlb->key, err);
}

static int check_cpus(const struct cores_dlb *dlb, int32_t ncore, struct lb_error *err)
{
        int count = 0;
        if (dlb->library.count_cpus(&count) == DLB_DONE && count == ncore)
                return 0;
        return lb_error_fail(err,
                             "'%.200s' counts %d cores, must be the node's %" PRId32
                             ": it is built without hwloc, or was in use before",
                             dlb->library.path, count, ncore);
}

int dlb_start(struct cores_dlb *dlb, int32_t ncore, struct lb_error *err)
{
        char text[sizeof(arguments) + DLB_KEY_SIZE], *before[NVARIABLE];
        snprintf(text, sizeof(text), "%s%s", arguments, dlb->key);
        pretend_machine(ncore, before);
        int answer = dlb->library.init(0, &dlb->mine, text);
        stop_pretending(before);
        if (answer != DLB_DONE)
                return complain_start(dlb, answer, err);
        if (check_options(dlb, err) == 0 && check_cpus(dlb, ncore, err) == 0)
                return 0;
        dlb->library.finalize();
        return -1;
}

void dlb_stop(struct cores_dlb *dlb)
{
        dlb_watch_step(dlb->count);
        dlb->library.finalize();
        dlb_watch_step(dlb->count);
}

/* ---- What it leaves ---- */

/* DLB_<module>_lb<job>_<node> */
static bool is_of_job(const char *name, const char *job, int32_t node)
{
        char key[DLB_KEY_SIZE], number[16];
        snprintf(key, sizeof(key), "_lb%.31s_", job);
        snprintf(number, sizeof(number), "%" PRId32, node);
        const char *at = strstr(name, key);
        if (strncmp(name, "DLB_", 4) != 0 || !at)
                return false;
        at += strlen(key);
        if (node >= 0)
                return strcmp(at, number) == 0;
        return at[0] && at[strspn(at, "0123456789")] == '\0';
}

int dlb_segments_clean(const char *job, int32_t node)
{
        int count = 0;
        struct stat file;
        DIR *directory = opendir(SEGMENT_DIRECTORY);
        for (struct dirent *entry; directory && (entry = readdir(directory));)
                if (is_of_job(entry->d_name, job, node) &&
                    fstatat(dirfd(directory), entry->d_name, &file, AT_SYMLINK_NOFOLLOW) == 0 &&
                    file.st_uid == geteuid())
                        count += unlinkat(dirfd(directory), entry->d_name, 0) == 0;
        if (directory)
                closedir(directory);
        return count;
}
