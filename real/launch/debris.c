/* SPDX-License-Identifier: BSD-3-Clause */
#include "real/launch/debris.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "real/launch/words.h"

static const char directory[] = "/dev/shm";
enum { PATH_SIZE = 4096 };

/* ---- Shared memory ---- */

static bool is_mpis(const char *name)
{
        static const char *const beginnings[] = { "vader_segment.", "sm_segment.", "mpich_shar_tmp",
                                                  "ucx_shm_posix_" };
        for (size_t i = 0; i < sizeof(beginnings) / sizeof(beginnings[0]); i++)
                if (strncmp(name, beginnings[i], strlen(beginnings[i])) == 0)
                        return true;
        return false;
}

static bool is_since(const struct timespec *time, const struct timespec *since)
{
        return time->tv_sec > since->tv_sec ||
               (time->tv_sec == since->tv_sec && time->tv_nsec >= since->tv_nsec);
}

static void find_files(struct words *files, const struct timespec *since)
{
        struct stat status;
        DIR *shm = opendir(directory);
        for (struct dirent *entry; shm && (entry = readdir(shm));)
                if (is_mpis(entry->d_name) &&
                    fstatat(dirfd(shm), entry->d_name, &status, AT_SYMLINK_NOFOLLOW) == 0 &&
                    S_ISREG(status.st_mode) && status.st_uid == geteuid() &&
                    is_since(&status.st_ctim, since))
                        words_add_format(files, "%s/%s", directory, entry->d_name);
        if (shm)
                closedir(shm);
}

/* Somebody uses what the text names: it is no debris. */
static void keep_used(struct words *files, const char *text)
{
        for (size_t i = 0; i < files->count; i++)
                if (strstr(text, files->word[i]))
                        files->word[i][0] = '\0';
}

static void look_at_maps(struct words *files, const char *pid)
{
        char path[64], *line = NULL;
        size_t room = 0;
        snprintf(path, sizeof(path), "/proc/%.20s/maps", pid);
        FILE *in = fopen(path, "re");
        while (in && getline(&line, &room, in) >= 0)
                if (strchr(line, '/'))
                        keep_used(files, line);
        free(line);
        if (in)
                fclose(in);
}

static void look_at_open(struct words *files, const char *pid)
{
        char path[64], target[512];
        snprintf(path, sizeof(path), "/proc/%.20s/fd", pid);
        DIR *fds = opendir(path);
        for (struct dirent *entry; fds && (entry = readdir(fds));) {
                ssize_t size = readlinkat(dirfd(fds), entry->d_name, target, sizeof(target) - 1);
                target[size < 0 ? 0 : size] = '\0';
                keep_used(files, target);
        }
        if (fds)
                closedir(fds);
}

/* ---- Open MPI's session directories ---- */

static int remove_one(const char *path, const struct stat *status, int type, struct FTW *walk)
{
        (void)status;
        (void)type;
        (void)walk;
        remove(path);
        return 0;
}

/* "pid.N": of mpirun, whose process it names. */
static bool is_gone(const char *name)
{
        long pid = strncmp(name, "pid.", 4) == 0 ? atol(name + 4) : 0;
        return pid > 0 && kill((pid_t)pid, 0) < 0 && errno == ESRCH;
}

/* "jf.N": of a daemon on another node than mpirun's, which maps files in there from its first
 * moment on. */
static bool is_of_daemon(const char *name, const struct stat *status)
{
        enum { FIRST_MOMENT_S = 1 };
        return strncmp(name, "jf.", 3) == 0 && time(NULL) > status->st_mtim.tv_sec + FIRST_MOMENT_S;
}

/* Of a user on this machine: one directory for each mpirun or daemon. */
static void find_sessions(struct words *files, const char *top, const struct timespec *since)
{
        struct stat status;
        DIR *all = opendir(top);
        for (struct dirent *entry; all && (entry = readdir(all));)
                if (fstatat(dirfd(all), entry->d_name, &status, AT_SYMLINK_NOFOLLOW) == 0 &&
                    S_ISDIR(status.st_mode) && status.st_uid == geteuid() &&
                    is_since(&status.st_ctim, since) &&
                    (is_gone(entry->d_name) || is_of_daemon(entry->d_name, &status)))
                        words_add_format(files, "%s/%s", top, entry->d_name);
        if (all)
                closedir(all);
}

/* "ompi.HOST.UID", where HOST may be cut at its first '.': names it or, `cut`, says that there is
 * no other. */
static bool name_sessions(char top[static PATH_SIZE], bool cut)
{
        static const char *const names[] = { "TMPDIR", "TEMP", "TMP" };
        char host[256] = "";
        const char *base = NULL;
        for (size_t i = 0; i < sizeof(names) / sizeof(names[0]) && !base; i++)
                base = getenv(names[i]);
        gethostname(host, sizeof(host) - 1);
        if (cut && !strchr(host, '.'))
                return false;
        if (cut)
                host[strcspn(host, ".")] = '\0';
        snprintf(top, PATH_SIZE, "%s/ompi.%s.%ju", base ? base : "/tmp", host,
                 (uintmax_t)geteuid());
        return true;
}

bool debris_remove_tree(const char *path)
{
        enum { OPEN_MAX_AT_ONCE = 16 };
        nftw(path, remove_one, OPEN_MAX_AT_ONCE, FTW_DEPTH | FTW_PHYS);
        return access(path, F_OK) < 0;
}

/* ---- All of it ---- */

static int32_t remove_unused(const struct words *files)
{
        int32_t count = 0;
        for (size_t i = 0; i < files->count; i++)
                if (files->word[i][0])
                        count += unlink(files->word[i]) == 0 || debris_remove_tree(files->word[i]);
        return count;
}

/* Files first, then processes: the maker of a file that is there already has it by then. */
int32_t debris_clean(const struct timespec *since)
{
        char top[PATH_SIZE];
        struct words files = { 0 };
        find_files(&files, since);
        for (int cut = 0; cut < 2; cut++)
                if (name_sessions(top, cut))
                        find_sessions(&files, top, since);
        DIR *proc = files.count > 0 ? opendir("/proc") : NULL;
        for (struct dirent *entry; proc && (entry = readdir(proc));) {
                if (!isdigit((unsigned char)entry->d_name[0]))
                        continue;
                look_at_maps(&files, entry->d_name);
                look_at_open(&files, entry->d_name);
        }
        int32_t count = proc ? remove_unused(&files) : 0;
        if (proc)
                closedir(proc);
        words_finish(&files);
        for (int cut = 0; cut < 2; cut++)
                if (name_sessions(top, cut))
                        rmdir(top); /* where nothing else is in it */
        return count;
}
