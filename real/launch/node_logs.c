/* SPDX-License-Identifier: BSD-3-Clause */
#include "real/launch/node_logs.h"

#include <fcntl.h>
#include <glob.h>
#include <inttypes.h>
#include <libgen.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "real/control/job.h"

/* Opening the directory makes NFS ask for what others have put there. */
static void look_at(const char *path, struct stat *status)
{
        char directory[JOB_PATH_SIZE + 16];
        snprintf(directory, sizeof(directory), "%s", path);
        int fd = open(dirname(directory), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
        if (fd >= 0)
                close(fd);
        if (stat(path, status) < 0)
                *status = (struct stat){ .st_nlink = 0 };
}

static void look(const char *file, int32_t node, struct stat *status)
{
        char path[JOB_PATH_SIZE + 16];
        snprintf(path, sizeof(path), "%s.%" PRId32, file, node);
        look_at(path, status);
}

/* Characters that a pattern would take for its own. */
static void quote(char *pattern, const char *file)
{
        for (; *file; file++) {
                if (strchr("*?[]\\", *file))
                        *pattern++ = '\\';
                *pattern++ = *file;
        }
        strcpy(pattern, ".[0-9]*");
}

/* Of FILE.0 and on: one more than the last that is there. */
static int32_t count_there(const char *file)
{
        enum { NODES_MAX = 1 << 20 };
        char pattern[2 * JOB_PATH_SIZE + 16];
        int32_t count = 0;
        glob_t found = { .gl_pathc = 0 };
        quote(pattern, file);
        if (glob(pattern, GLOB_NOSORT, NULL, &found) == 0)
                for (size_t i = 0; i < found.gl_pathc; i++) {
                        char *end;
                        long n = strtol(strrchr(found.gl_pathv[i], '.') + 1, &end, 10);
                        if (*end == '\0' && n >= count && n < NODES_MAX)
                                count = (int32_t)n + 1;
                }
        globfree(&found);
        return count;
}

int node_logs_begin(struct node_logs *logs, const char *file, int32_t nnode, struct lb_error *err)
{
        *logs = (struct node_logs){ .file = file, .count = nnode ? nnode : count_there(file) };
        logs->before = calloc((size_t)logs->count + 1, sizeof(*logs->before));
        if (!logs->before)
                return lb_error_fail(err, "out of memory for %" PRId32 " nodes", logs->count);
        for (int32_t n = 0; n < logs->count; n++) {
                look(file, n, &logs->before[n]);
                if (nnode == 0 || !S_ISDIR(logs->before[n].st_mode))
                        continue;
                node_logs_finish(logs);
                return lb_error_set(err, "cannot write '%s.%" PRId32 "': Is a directory", file, n);
        }
        return 0;
}

static bool is_written(const struct stat *before, const struct stat *now)
{
        return now->st_nlink > 0 &&
               (before->st_nlink == 0 || before->st_ino != now->st_ino ||
                before->st_size != now->st_size || before->st_mtim.tv_sec != now->st_mtim.tv_sec ||
                before->st_mtim.tv_nsec != now->st_mtim.tv_nsec);
}

static int32_t missing(const struct node_logs *logs, int32_t nnode, int32_t *first)
{
        const struct stat none = { .st_nlink = 0 };
        int32_t count = 0;
        *first = -1;
        for (int32_t n = nnode - 1; n >= 0; n--) {
                struct stat now;
                look(logs->file, n, &now);
                if (is_written(n < logs->count ? &logs->before[n] : &none, &now))
                        continue;
                *first = n;
                count++;
        }
        return count;
}

void node_logs_tell(const struct node_logs *logs, int32_t nnode, char *const *host, bool failed)
{
        int32_t first, count = missing(logs, nnode, &first);
        char others[64] = "";
        if (count == 0 || (failed && count == nnode))
                return;
        if (count > 1)
                snprintf(others, sizeof(others), ", nor are %" PRId32 " others", count - 1);
        fprintf(stderr,
                "lbrun: --decisions: '%s.%" PRId32 "' of node %" PRId32 " (%s) is not here%s: name "
                "a file that all nodes share, or copy them here before lbsim replay\n",
                logs->file, first, first, host ? host[first] : "virtual", others);
}

void node_logs_finish(struct node_logs *logs)
{
        free(logs->before);
        logs->before = NULL;
}

/* ---- Of the whole job ---- */

enum { NFILE = sizeof(((struct job_files *)0)->before) / sizeof(struct stat) };

static const char *path_of(const struct job *job, int file)
{
        const char *const path[NFILE] = { job->report, job->loads, job->trace,
                                          job->tasks_ordered ? "" : job->tasks };
        return path[file];
}

void job_files_begin(struct job_files *files, const struct job *job)
{
        *files = (struct job_files){ 0 };
        for (int i = 0; i < NFILE; i++)
                look_at(path_of(job, i), &files->before[i]);
}

void job_files_tell(const struct job_files *files, const struct job *job, const char *host)
{
        static const char *const option[NFILE] = { "report", "loads", "trace", "tasks" };
        for (int i = 0; i < NFILE; i++) {
                struct stat now;
                const char *path = path_of(job, i);
                look_at(path, &now);
                if (!path[0] || lb_file_in_place(path) || is_written(&files->before[i], &now))
                        continue;
                if (!host)
                        fprintf(stderr,
                                "lbrun: --%s: '%s' was not written: the program ended without "
                                "lbrun_stop()\n",
                                option[i], path);
                else
                        fprintf(stderr,
                                "lbrun: --%s: '%s' is not here, but on host %s, whose rank has "
                                "written it: name a file that all nodes share\n",
                                option[i], path, host);
        }
}
