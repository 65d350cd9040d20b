/* SPDX-License-Identifier: BSD-3-Clause */
#include <dirent.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#include "real/node/cpu_groups.h"

/* ---- Arithmetic ---- */

static void assert_near(double found, double expected, double within)
{
        if (!(fabs(found - expected) <= within))
                fail_msg("found %g, expected %g", found, expected);
}

/* Quotas fill at most 0.8 of the real CPUs; what is asked must fit; slow nodes take less. */
static void test_speed(void **state)
{
        (void)state;
        static const double equal[] = { 1, 1, 1, 1 }, uneven[] = { 1, 0.5, 0.5, 0.25 };
        static const double fast[] = { 2, 1 }, crawl[] = { 1, 0.002 };
        static const struct {
                double asked, ncpu;
                int32_t nnode, ncore;
                const double *factor;
                double speed; /* 0: fails, with: */
                const char *message;
        } rows[] = {
                { 0, 2, 4, 2, equal, 0.2, NULL },
                { 0, 2, 4, 4, equal, 0.1, NULL },
                { 0, 2, 4, 3, equal, 0.133, NULL }, /* 0.1333 rounded down */
                { 0, 64, 4, 2, equal, 1, NULL },    /* no faster than a real one */
                { 0, 64, 2, 2, fast, 0.5, NULL },
                { 0, 2, 4, 2, uneven, 0.355, NULL }, /* 1.6 / 4.5 */
                { 0, 0.5, 2, 1, equal, 0.2, NULL },  /* a container with half a CPU */
                { 0.05, 2, 4, 2, equal, 0.05, NULL },
                { 0.2, 2, 4, 2, equal, 0.2, NULL },
                { 0.21, 2, 4, 2, equal, 0, "found 0.21, allowed is at most 0.2: 8 virtual CPUs" },
                { 0.6, 64, 2, 2, fast, 0, "allowed is at most 0.5" },
                { 0, 2, 4, 500, equal, 0, "allowed is at least 0.001" },
                { 0.1, 2, 2, 2, crawl, 0, "would have 0.0002 of a real one's speed" },
        };
        for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
                struct lb_error err = { .text = "" };
                double speed = -1;
                int status = cpu_groups_speed(rows[i].asked, rows[i].ncpu, rows[i].nnode,
                                              rows[i].ncore, rows[i].factor, &speed, &err);
                assert_int_equal(status, rows[i].message ? -1 : 0);
                if (rows[i].message && !strstr(err.text, rows[i].message))
                        fail_msg("row %zu: %s", i, err.text);
                if (!rows[i].message)
                        assert_near(speed, rows[i].speed, 1e-12);
        }
}

/* Any speed becomes a quota that Linux takes, and is exact to a thousandth. */
static void test_quota(void **state)
{
        (void)state;
        for (int i = 1; i <= 1000; i++) {
                double speed = i / 1000.0;
                struct cpu_quota q = cpu_groups_quota(speed);
                assert_in_range(q.period_us, 1000, 1000000);
                assert_in_range(q.quota_us, 1000, (uintmax_t)q.period_us);
                assert_near((double)q.quota_us / (double)q.period_us / speed, 1, 1e-3);
        }
        assert_int_equal(cpu_groups_quota(0.2).period_us, 5000);
        assert_int_equal(cpu_groups_quota(0.2).quota_us, 1000);
}

static void test_missed(void **state)
{
        (void)state;
        const int64_t s = 1000000000;
        assert_near(cpu_groups_missed(2 * s, 8 * s, 0.2), 0, 1e-12);
        assert_near(cpu_groups_missed(1 * s, 9 * s, 0.2), 0.5, 1e-12);
        assert_near(cpu_groups_missed(3 * s, 7 * s, 0.2), 0, 1e-12);    /* more than its own */
        assert_near(cpu_groups_missed(s / 100, s / 10, 0.2), 0, 1e-12); /* hardly wanted */
        assert_true(cpu_groups_missed(2 * s, 8 * s, 0.2) <= cpu_groups_missed_max);
        assert_true(cpu_groups_missed(18 * s, 82 * s, 0.2) > cpu_groups_missed_max);
}

/* ---- Where ---- */

static char directory[] = "/tmp/lbrun-cpu-XXXXXX";

static void put_file(const char *name, const char *text)
{
        char path[256];
        snprintf(path, sizeof(path), "%s/%s", directory, name);
        FILE *out = fopen(path, "w");
        assert_non_null(out);
        fputs(text, out);
        fclose(out);
}

static void put_directory(const char *name)
{
        char path[256];
        snprintf(path, sizeof(path), "%s/%s", directory, name);
        assert_int_equal(mkdir(path, 0700), 0);
}

/* The directory in place of each @. */
static void fill_in(char *text, size_t size, const char *from)
{
        size_t at = 0;
        for (; *from && at + sizeof(directory) < size; from++)
                if (*from == '@')
                        at += (size_t)snprintf(text + at, size - at, "%s", directory);
                else
                        text[at++] = *from;
        text[at] = '\0';
}

/* Version 1 where the cpu controller is mounted, version 2 where it is in the caller's group; the
 * caller's group, or the mount where that is of another root. */
static void test_find(void **state)
{
        (void)state;
        assert_non_null(mkdtemp(directory));
        put_directory("one");
        put_directory("one/own");
        put_directory("two");
        put_directory("two/own");
        put_file("two/own/cgroup.controllers", "cpuset cpu memory\n");
        put_file("two/cgroup.controllers", "hugetlb\n");
        static const struct {
                const char *mounts; /* @: the directory */
                const char *own;
                int version; /* 0: none, with: */
                const char *base;
        } rows[] = {
                { "c @/one cgroup rw,cpu,cpuacct 0 0\n", "4:cpuset:/no\n2:cpu,cpuacct:/own\n", 1,
                  "one/own" },
                { "c @/one cgroup rw,cpu 0 0\n", "2:cpu:/elsewhere\n", 1, "one" },
                { "c @/one cgroup rw,cpu 0 0\n", "2:cpu:/\n", 1, "one" },
                { "c @/two cgroup2 rw 0 0\nc @/one cgroup rw,cpu 0 0\n", "0::/\n1:cpu:/own\n", 1,
                  "one/own" },
                { "c @/one cgroup rw,cpuacct 0 0\nc @/two cgroup2 rw 0 0\n",
                  "1:cpuacct:/\n0::/own\n", 2, "two/own" },
                { "c @/two cgroup2 rw 0 0\n", "0::/\n", 0, "has no cpu controller: be root" },
                { "c @/one cgroup rw,cpuacct 0 0\n", "1:cpuacct:/\n", 0,
                  "no cpu controller of control groups is mounted" },
                { "", "", 0, "no cpu controller of control groups is mounted" },
        };
        for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
                char text[512], base[256];
                struct cpu_groups groups;
                struct lb_error err = { .text = "" };
                fill_in(text, sizeof(text), rows[i].mounts);
                put_file("mounts", text);
                put_file("cgroup", rows[i].own);
                int status = cpu_groups_find(&groups, directory, "12-ab", &err);
                assert_int_equal(status, rows[i].version ? 0 : -1);
                snprintf(base, sizeof(base), "%s/%s", directory, rows[i].base);
                if (status == 0) {
                        assert_int_equal(groups.version, rows[i].version);
                        assert_string_equal(groups.base, base);
                        assert_non_null(strstr(groups.top, "-12-ab"));
                } else if (!strstr(err.text, rows[i].base)) {
                        fail_msg("row %zu: %s", i, err.text);
                }
        }
}

static int count_entries(const char *path)
{
        int count = 0;
        DIR *all = opendir(path);
        assert_non_null(all);
        for (struct dirent *entry; (entry = readdir(all));)
                count += strncmp(entry->d_name, "lbrun-", 6) == 0;
        closedir(all);
        return count;
}

/* Where nothing takes a quota (here: a plain directory) it is said in one line, and nothing is
 * left. */
static void test_refused(void **state)
{
        (void)state;
        for (int version = 1; version <= 2; version++) {
                static const double factor[] = { 1 };
                struct lb_error err;
                struct cpu_groups groups = { .version = version };
                snprintf(groups.base, sizeof(groups.base), "%s/one", directory);
                snprintf(groups.top, sizeof(groups.top), "%s/one/lbrun-0-1", directory);
                assert_int_equal(cpu_groups_create(&groups, 1, 2, factor, 0.2, &err), -1);
                assert_non_null(strstr(err.text, "cannot be made in"));
                assert_non_null(strstr(err.text, "be root, or run lbrun in a delegated group"));
                assert_null(strchr(err.text, '\n'));
                assert_int_equal(err.kind, LB_ERROR_INPUT);
                assert_int_equal(count_entries(groups.base), 0);
        }
        char command[64];
        snprintf(command, sizeof(command), "rm -r %s", directory);
        assert_int_equal(system(command), 0);
}

/* ---- Real ones ---- */

static double thread_s(void)
{
        struct timespec now;
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
        return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

static double wall_s(void)
{
        struct timespec now;
        clock_gettime(CLOCK_MONOTONIC, &now);
        return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

static bool make_real(struct cpu_groups *groups, const char *job, double speed)
{
        static const double factor[] = { 1, 0.5 };
        struct lb_error err;
        if (cpu_groups_find(groups, "/proc/self", job, &err) == 0 &&
            cpu_groups_create(groups, 2, 1, factor, speed, &err) == 0)
                return true;
        print_message("skipped: %s\n", err.text);
        return false;
}

/* Out of the job's groups altogether, which only a rank's end does else. */
static void go_home(const struct cpu_groups *groups)
{
        char path[CPU_GROUPS_PATH_SIZE + 32];
        snprintf(path, sizeof(path), "%s/%s", groups->base,
                 groups->version == 2 ? "cgroup.threads" : "tasks");
        FILE *out = fopen(path, "w");
        assert_non_null(out);
        fputs("0", out);
        assert_int_equal(fclose(out), 0);
}

/* A thread that computes in a group gets no more than its quota, and what it is delayed by is
 * counted: whatever else the machine does, both together are the time. Half of it on a node of half
 * the speed. */
static void test_computes(void **state)
{
        (void)state;
        struct cpu_groups groups;
        struct lb_error err;
        char job[32];
        snprintf(job, sizeof(job), "%ld-a", (long)getpid());
        if (!make_real(&groups, job, 0.2))
                skip();
        for (int32_t node = 0; node < 2; node++) {
                assert_int_equal(cpu_groups_enter(&groups, node, 0, &err), 0);
                struct cpu_times from = cpu_times_now();
                double begin = wall_s(), cpu = thread_s();
                while (wall_s() - begin < 1)
                        continue;
                double took = wall_s() - begin, used = thread_s() - cpu;
                struct cpu_times now = cpu_times_now();
                cpu_groups_leave(&groups);
                double ready =
                    (double)(now.run_ns - from.run_ns + now.delay_ns - from.delay_ns) * 1e-9;
                assert_true(used > 0 && used < took * (node ? 0.1 : 0.2) + 0.05);
                assert_near(ready, took, 0.1 * took);
        }
        struct cpu_stat stat = cpu_groups_stat(&groups);
        assert_true(stat.periods > 0 && stat.throttled > 0 && stat.throttled_s > 0);
        go_home(&groups);
        assert_true(cpu_groups_remove(&groups));
        assert_int_not_equal(access(groups.top, F_OK), 0);
}

/* What a dead lbrun has left goes with the next one; a living one's stays, also where no process of
 * that number is to be seen. */
static void test_clean(void **state)
{
        (void)state;
        struct cpu_groups dead, alive;
        struct lb_error err;
        char job[32];
        int status;
        pid_t pid = fork();
        if (pid == 0) {
                snprintf(job, sizeof(job), "%ld-b", (long)getpid());
                _exit(make_real(&dead, job, 0.2) ? 0 : 1);
        }
        assert_int_equal(waitpid(pid, &status, 0), pid);
        if (status != 0)
                skip();
        snprintf(job, sizeof(job), "%ld-b", (long)pid);
        assert_int_equal(cpu_groups_find(&dead, "/proc/self", job, &err), 0);
        assert_int_equal(access(dead.top, F_OK), 0);
        snprintf(job, sizeof(job), "%ld-c", (long)pid);
        assert_true(make_real(&alive, job, 0.2));
        cpu_groups_clean(NULL);
        assert_int_not_equal(access(dead.top, F_OK), 0);
        assert_int_equal(access(alive.top, F_OK), 0);
        cpu_groups_clean(job);
        assert_int_not_equal(access(alive.top, F_OK), 0);
}

int main(void)
{
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(test_speed),   cmocka_unit_test(test_quota),
                cmocka_unit_test(test_missed),  cmocka_unit_test(test_find),
                cmocka_unit_test(test_refused), cmocka_unit_test(test_computes),
                cmocka_unit_test(test_clean),
        };
        return cmocka_run_group_tests(tests, NULL, NULL);
}
