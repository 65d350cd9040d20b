/* SPDX-License-Identifier: BSD-3-Clause */
/* Control groups as files. */
#include "real/node/cpu_groups.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <sched.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/text.h"

enum { TEXT_SIZE = 4096, NAME_SIZE = 64, FILE_SIZE = CPU_GROUPS_PATH_SIZE + 2 * NAME_SIZE };

/* ---- Files ---- */

static bool read_text(const char *path, char text[static TEXT_SIZE])
{
        return lb_text_file(path, text, TEXT_SIZE) >= 0;
}

static int write_text(const char *path, const char *text)
{
        int fd = open(path, O_WRONLY | O_CLOEXEC);
        if (fd < 0)
                return -1;
        ssize_t size = write(fd, text, strlen(text));
        int why = errno;
        close(fd);
        errno = why;
        return size < 0 ? -1 : 0;
}

static int put(const char *group, const char *file, const char *format, ...) LB_PRINTF(3, 4);

static int put(const char *group, const char *file, const char *format, ...)
{
        char path[FILE_SIZE], text[NAME_SIZE];
        va_list args;
        va_start(args, format);
        vsnprintf(text, sizeof(text), format, args);
        va_end(args);
        snprintf(path, sizeof(path), "%s/%s", group, file);
        return write_text(path, text);
}

/* Is `word` among those of a list? */
static bool has_word(const char *list, const char *word, const char *separators)
{
        size_t length = strlen(word);
        while (*list) {
                size_t size = strcspn(list, separators);
                if (size == length && strncmp(list, word, length) == 0)
                        return true;
                list += size + (list[size] != '\0');
        }
        return false;
}

/* ---- Where ---- */

/* The mount point: of the cpu controller of version 1, or of version 2. */
static bool find_mount(const char *proc, int version, char mount[static CPU_GROUPS_PATH_SIZE])
{
        char path[FILE_SIZE], *line = NULL, type[32], options[512];
        size_t room = 0;
        bool found = false;
        snprintf(path, sizeof(path), "%s/mounts", proc);
        FILE *in = fopen(path, "re");
        while (in && !found && getline(&line, &room, in) >= 0) {
                if (sscanf(line, "%*s %1023s %31s %511s", mount, type, options) != 3)
                        continue;
                found = version == 2 ? strcmp(type, "cgroup2") == 0
                                     : strcmp(type, "cgroup") == 0 && has_word(options, "cpu", ",");
        }
        free(line);
        if (in)
                fclose(in);
        return found;
}

/* "3:cpu,cpuacct:/path", and "0::/path" of version 2. */
static void find_own(const char *proc, int version, char own[static CPU_GROUPS_PATH_SIZE])
{
        char path[FILE_SIZE], *line = NULL;
        size_t room = 0;
        snprintf(path, sizeof(path), "%s/cgroup", proc);
        FILE *in = fopen(path, "re");
        own[0] = '\0';
        while (in && getline(&line, &room, in) >= 0) {
                char *controllers = strchr(line, ':');
                char *group = controllers ? strchr(controllers + 1, ':') : NULL;
                if (!group)
                        continue;
                *group++ = '\0';
                group[strcspn(group, "\n")] = '\0';
                bool is_it =
                    version == 2 ? controllers[1] == '\0' : has_word(controllers + 1, "cpu", ",");
                if (is_it)
                        snprintf(own, CPU_GROUPS_PATH_SIZE, "%s", group);
        }
        free(line);
        if (in)
                fclose(in);
}

/* In a container the path may be that of another root: then the mount is ours. */
static void set_base(struct cpu_groups *groups, const char *mount, const char *own)
{
        char path[2 * CPU_GROUPS_PATH_SIZE];
        struct stat status;
        snprintf(path, sizeof(path), "%s%s", mount, strcmp(own, "/") == 0 ? "" : own);
        bool there = strlen(path) < sizeof(groups->base) - NAME_SIZE && stat(path, &status) == 0;
        snprintf(groups->base, sizeof(groups->base), "%.*s", CPU_GROUPS_PATH_SIZE - NAME_SIZE - 1,
                 there ? path : mount);
}

static bool has_controller(const struct cpu_groups *groups)
{
        char path[FILE_SIZE], text[TEXT_SIZE];
        snprintf(path, sizeof(path), "%s/cgroup.controllers", groups->base);
        return read_text(path, text) && has_word(text, "cpu", " \n");
}

int cpu_groups_find(struct cpu_groups *groups, const char *proc, const char *job,
                    struct lb_error *err)
{
        char mount[CPU_GROUPS_PATH_SIZE], own[CPU_GROUPS_PATH_SIZE];
        for (groups->version = 1; groups->version <= 2; groups->version++) {
                if (!find_mount(proc, groups->version, mount))
                        continue;
                find_own(proc, groups->version, own);
                set_base(groups, mount, own);
                if (groups->version == 2 && !has_controller(groups))
                        return lb_error_set(err,
                                            "the control group '%.600s' has no cpu controller: be "
                                            "root, or run lbrun in a delegated group (systemd-run "
                                            "--user --scope -p Delegate=cpu)",
                                            groups->base);
                snprintf(groups->top, sizeof(groups->top), "%.*s/lbrun-%ju-%.31s",
                         CPU_GROUPS_PATH_SIZE - NAME_SIZE - 1, groups->base, (uintmax_t)geteuid(),
                         job);
                return 0;
        }
        return lb_error_set(err, "no cpu controller of control groups is mounted here, which the "
                                 "quotas of virtual CPUs need");
}

/* ---- Real CPUs ---- */

/* The quota of a group in CPUs, or a negative number. */
static double limit_of(const struct cpu_groups *groups)
{
        char path[FILE_SIZE], text[TEXT_SIZE], period[TEXT_SIZE];
        if (groups->version == 2) {
                double quota_us, period_us;
                snprintf(path, sizeof(path), "%s/cpu.max", groups->base);
                bool limited =
                    read_text(path, text) && sscanf(text, "%lf %lf", &quota_us, &period_us) == 2;
                return limited ? quota_us / period_us : -1;
        }
        snprintf(path, sizeof(path), "%s/cpu.cfs_quota_us", groups->base);
        if (!read_text(path, text) || atoll(text) <= 0)
                return -1;
        snprintf(path, sizeof(path), "%s/cpu.cfs_period_us", groups->base);
        return read_text(path, period) && atoll(period) > 0 ? atof(text) / atof(period) : -1;
}

double cpu_groups_real(const struct cpu_groups *groups)
{
        cpu_set_t set;
        CPU_ZERO(&set);
        double ncpu = sched_getaffinity(0, sizeof(set), &set) == 0
                          ? CPU_COUNT(&set)
                          : (double)sysconf(_SC_NPROCESSORS_ONLN);
        double limit = limit_of(groups);
        return limit > 0 && limit < ncpu ? limit : ncpu;
}

/* ---- Making and removing ---- */

static void group_path(const struct cpu_groups *groups, int32_t node, int32_t core,
                       char path[static FILE_SIZE])
{
        snprintf(path, FILE_SIZE, "%s/n%" PRId32 "c%" PRId32, groups->top, node, core);
}

static int put_quota(const struct cpu_groups *groups, const char *path, double speed)
{
        struct cpu_quota q = cpu_groups_quota(speed);
        if (groups->version == 2)
                return put(path, "cpu.max", "%" PRId64 " %" PRId64, q.quota_us, q.period_us);
        if (put(path, "cpu.cfs_period_us", "%" PRId64, q.period_us) < 0)
                return -1;
        return put(path, "cpu.cfs_quota_us", "%" PRId64, q.quota_us);
}

/* A group of threads, not of processes: what version 1 has anyway. */
static int make_group(const struct cpu_groups *groups, const char *path)
{
        if (mkdir(path, 0755) < 0)
                return -1;
        return groups->version == 2 ? put(path, "cgroup.type", "threaded") : 0;
}

/* The base may have it on already, and then be somebody's who lets us do no more. */
static int hand_down(const char *group)
{
        char path[FILE_SIZE], text[TEXT_SIZE];
        snprintf(path, sizeof(path), "%s/cgroup.subtree_control", group);
        if (read_text(path, text) && has_word(text, "cpu", " \n"))
                return 0;
        return write_text(path, "+cpu");
}

/* Before other work of the machine, as far as one may: the quotas leave that the rest. */
static void put_weight(const struct cpu_groups *groups)
{
        if (groups->version == 2)
                (void)put(groups->top, "cpu.weight", "%d", 10000);
        else
                (void)put(groups->top, "cpu.shares", "%d", 262144);
}

/*
 * A lock on a job's directory says that its lbrun lives; one in another namespace of processes
 * cannot see that. Of the process that has made the groups; NULL path: it holds none any more.
 */
static int lock(const char *path)
{
        static int held = -1;
        if (held >= 0)
                close(held);
        held = path ? open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC) : -1;
        return held >= 0 ? flock(held, LOCK_SH | LOCK_NB) : -1;
}

static bool is_locked(const char *path)
{
        int fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
        bool locked = fd >= 0 && flock(fd, LOCK_EX | LOCK_NB) < 0 && errno == EWOULDBLOCK;
        if (fd >= 0)
                close(fd);
        return locked;
}

static int make_top(const struct cpu_groups *groups)
{
        if (make_group(groups, groups->top) < 0)
                return -1;
        (void)lock(groups->top);
        if (groups->version == 1)
                return 0;
        return hand_down(groups->base) < 0 || hand_down(groups->top) < 0 ? -1 : 0;
}

static int make_all(const struct cpu_groups *groups, int32_t nnode, int32_t ncore,
                    const double *factor, double speed)
{
        char path[FILE_SIZE];
        if (make_top(groups) < 0)
                return -1;
        put_weight(groups);
        for (int32_t n = 0; n < nnode; n++)
                for (int32_t c = 0; c < ncore; c++) {
                        group_path(groups, n, c, path);
                        if (make_group(groups, path) < 0 ||
                            put_quota(groups, path, speed * factor[n]) < 0)
                                return -1;
                }
        return 0;
}

/* 0: the calling thread. */
static int move_there(const struct cpu_groups *groups, pid_t thread, const char *path)
{
        return put(path, groups->version == 2 ? "cgroup.threads" : "tasks", "%d", (int)thread);
}

static int move_here(const struct cpu_groups *groups, const char *path)
{
        return move_there(groups, 0, path);
}

int cpu_groups_create(const struct cpu_groups *groups, int32_t nnode, int32_t ncore,
                      const double *factor, double speed, struct lb_error *err)
{
        struct lb_error ignored;
        bool made = make_all(groups, nnode, ncore, factor, speed) == 0;
        bool entered = made && cpu_groups_enter(groups, 0, 0, &ignored) == 0;
        int why = errno;
        if (entered && move_here(groups, groups->base) == 0)
                return 0;
        cpu_groups_remove(groups);
        return lb_error_set(err,
                            "control groups with a quota cannot be %s in '%.600s': %s: be root, or "
                            "run lbrun in a delegated group (systemd-run --user --scope -p "
                            "Delegate=cpu)",
                            made ? "entered" : "made", groups->base, strerror(why));
}

static void each_group(const char *top, void visit(const char *path, void *user), void *user)
{
        DIR *directory = opendir(top);
        for (struct dirent *entry; directory && (entry = readdir(directory));) {
                char path[FILE_SIZE + 256];
                snprintf(path, sizeof(path), "%s/%s", top, entry->d_name);
                if (entry->d_name[0] == 'n' && strchr(entry->d_name, 'c') &&
                    entry->d_type == DT_DIR)
                        visit(path, user);
        }
        if (directory)
                closedir(directory);
}

static void remove_group(const char *path, void *user)
{
        (void)user;
        rmdir(path);
}

static bool remove_top(const char *top)
{
        each_group(top, remove_group, NULL);
        return rmdir(top) == 0 || errno == ENOENT;
}

bool cpu_groups_remove(const struct cpu_groups *groups)
{
        enum { TRIES = 100 };
        (void)lock(NULL);
        for (int i = 0; i < TRIES; i++) {
                if (remove_top(groups->top))
                        return true;
                nanosleep(&(struct timespec){ .tv_nsec = 10000000 }, NULL);
        }
        return false;
}

/* A job's id begins with the number of its lbrun's process. */
static void clean_dead(const struct cpu_groups *groups)
{
        char mine[NAME_SIZE], path[FILE_SIZE + 256];
        snprintf(mine, sizeof(mine), "lbrun-%ju-", (uintmax_t)geteuid());
        DIR *base = opendir(groups->base);
        for (struct dirent *entry; base && (entry = readdir(base));) {
                if (strncmp(entry->d_name, mine, strlen(mine)) != 0)
                        continue;
                pid_t pid = (pid_t)atol(entry->d_name + strlen(mine));
                snprintf(path, sizeof(path), "%s/%s", groups->base, entry->d_name);
                if (pid > 0 && kill(pid, 0) < 0 && errno == ESRCH && !is_locked(path))
                        remove_top(path);
        }
        if (base)
                closedir(base);
}

void cpu_groups_clean(const char *job)
{
        struct cpu_groups groups;
        struct lb_error ignored;
        if (cpu_groups_find(&groups, "/proc/self", job ? job : "none", &ignored) < 0)
                return;
        if (job)
                cpu_groups_remove(&groups);
        clean_dead(&groups);
}

/* ---- Threads ---- */

int cpu_groups_enter(const struct cpu_groups *groups, int32_t node, int32_t core,
                     struct lb_error *err)
{
        return cpu_groups_put(groups, 0, node, core, err);
}

int cpu_groups_put(const struct cpu_groups *groups, pid_t thread, int32_t node, int32_t core,
                   struct lb_error *err)
{
        char path[FILE_SIZE];
        group_path(groups, node, core, path);
        if (move_there(groups, thread, path) == 0)
                return 0;
        int why = errno;
        lb_error_fail(err, "cannot enter the control group '%.600s': %s", path, strerror(why));
        errno = why;
        return -1;
}

void cpu_groups_leave(const struct cpu_groups *groups)
{
        (void)move_here(groups, groups->top); /* else it stays a slow thread */
}

struct cpu_times cpu_times_now(void)
{
        char text[TEXT_SIZE];
        struct cpu_times times = { 0 };
        if (!read_text("/proc/thread-self/schedstat", text) ||
            sscanf(text, "%" SCNd64 " %" SCNd64, &times.run_ns, &times.delay_ns) != 2)
                return (struct cpu_times){ 0 };
        return times;
}

/* ---- Counts ---- */

/* "nr_periods 12\nnr_throttled 3\nthrottled_time 4000000\n"; version 2 says throttled_usec. */
static int64_t figure(const char *text, const char *name)
{
        const char *at = strstr(text, name);
        return at ? atoll(at + strlen(name)) : 0;
}

static void add_stat(const char *path, void *user)
{
        struct cpu_stat *sum = user;
        char file[FILE_SIZE + 256 + NAME_SIZE], text[TEXT_SIZE];
        snprintf(file, sizeof(file), "%s/cpu.stat", path);
        if (!read_text(file, text))
                return;
        sum->periods += figure(text, "nr_periods ");
        sum->throttled += figure(text, "nr_throttled ");
        sum->throttled_s += (double)figure(text, "throttled_time ") * 1e-9 +
                            (double)figure(text, "throttled_usec ") * 1e-6;
}

struct cpu_stat cpu_groups_stat(const struct cpu_groups *groups)
{
        struct cpu_stat sum = { 0 };
        each_group(groups->top, add_stat, &sum);
        return sum;
}
