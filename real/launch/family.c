/* SPDX-License-Identifier: BSD-3-Clause */
#include "real/launch/family.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/text.h"
#include "real/control/job.h"

struct process {
        pid_t pid, parent, group;
        bool ours, zombie, stopped;
        char name[FAMILY_NAME_SIZE];
};

struct processes {
        struct process *process;
        size_t count, room;
};

int family_adopt(struct lb_error *err)
{
        if (prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) == 0)
                return 0;
        return lb_error_fail(err, "cannot become the parent of what is left behind: %s",
                             strerror(errno));
}

/* "pid (name) state parent group ...", where a name may have anything in it. */
static bool read_process(const char *pid, struct process *process)
{
        char path[64], text[512];
        snprintf(path, sizeof(path), "/proc/%.20s/stat", pid);
        if (lb_text_file(path, text, sizeof(text)) < 0)
                return false;
        int parent, group;
        char state;
        const char *open = strchr(text, '('), *close = strrchr(text, ')');
        if (!open || !close || sscanf(close + 1, " %c %d %d", &state, &parent, &group) != 3)
                return false;
        *process = (struct process){
                .pid = (pid_t)atoi(pid),
                .parent = parent,
                .group = group,
                .zombie = state == 'Z',
                .stopped = state == 'T',
        };
        snprintf(process->name, sizeof(process->name), "%.*s", (int)(close - open - 1), open + 1);
        return true;
}

static void append(struct processes *all, const struct process *process)
{
        if (all->count == all->room) {
                size_t room = all->room ? 2 * all->room : 256;
                struct process *larger = realloc(all->process, room * sizeof(*larger));
                if (!larger)
                        return;
                all->process = larger;
                all->room = room;
        }
        all->process[all->count++] = *process;
}

static void read_all(struct processes *all)
{
        struct process process;
        DIR *proc = opendir("/proc");
        for (struct dirent *entry; proc && (entry = readdir(proc));)
                if (isdigit((unsigned char)entry->d_name[0]) &&
                    read_process(entry->d_name, &process))
                        append(all, &process);
        if (proc)
                closedir(proc);
}

static bool parent_is_ours(const struct processes *all, const struct process *process)
{
        if (process->parent == getpid())
                return true;
        for (size_t i = 0; i < all->count; i++)
                if (all->process[i].pid == process->parent)
                        return all->process[i].ours;
        return false;
}

/* Mark descendants, generation by generation. */
static size_t mark(struct processes *all)
{
        size_t count = 0, before;
        do {
                before = count;
                for (size_t i = 0; i < all->count; i++) {
                        struct process *process = &all->process[i];
                        if (process->ours || !parent_is_ours(all, process))
                                continue;
                        process->ours = true;
                        count++;
                }
        } while (count > before);
        return count;
}

/*
 * The descendants, allocated. A zombie, too: where it cannot be reaped, threads of its process are
 * still there.
 */
static size_t list(pid_t **pid)
{
        struct processes all = { 0 };
        read_all(&all);
        size_t ours = mark(&all), count = 0;
        *pid = ours ? calloc(ours, sizeof(pid_t)) : NULL;
        for (size_t i = 0; *pid && i < all.count; i++)
                if (all.process[i].ours)
                        (*pid)[count++] = all.process[i].pid;
        free(all.process);
        return count;
}

bool family_is_alone(pid_t pid)
{
        struct processes all = { 0 };
        read_all(&all);
        bool alone = all.count > 0;
        for (size_t i = 0; i < all.count; i++)
                alone = alone && (all.process[i].parent != pid || all.process[i].zombie);
        free(all.process);
        return alone;
}

bool family_is_stopped(pid_t pid)
{
        char number[24];
        struct process process;
        snprintf(number, sizeof(number), "%d", (int)pid);
        return read_process(number, &process) && process.stopped;
}

void family_name(pid_t pid, char *name, size_t size)
{
        char path[64];
        snprintf(path, sizeof(path), "/proc/%d/comm", (int)pid);
        if (lb_text_file(path, name, size) > 0)
                name[strcspn(name, "\n")] = '\0';
}

/* No look at all processes: this is asked all the time. */
void family_children(pid_t parent, void (*take)(void *user, pid_t pid, const char *name, bool dead),
                     void *user)
{
        char path[64], word[32];
        struct process child;
        snprintf(path, sizeof(path), "/proc/%d/task/%d/children", (int)parent, (int)parent);
        FILE *in = fopen(path, "re");
        while (in && fscanf(in, "%31s", word) == 1)
                if (read_process(word, &child) && child.parent == parent)
                        take(user, child.pid, child.name, child.zombie);
        if (in)
                fclose(in);
}

/* Again until there are no others: they may fork meanwhile. */
void family_signal(int signal)
{
        enum { ROUNDS = 3 };
        pid_t *pid;
        for (int round = 0; round < ROUNDS; round++) {
                size_t count = list(&pid);
                for (size_t i = 0; i < count; i++)
                        kill(pid[i], signal);
                free(pid);
        }
}

void family_continue(void)
{
        struct processes all = { 0 };
        read_all(&all);
        mark(&all);
        for (size_t i = 0; i < all.count; i++)
                if (all.process[i].ours && all.process[i].stopped)
                        kill(all.process[i].pid, SIGCONT);
        free(all.process);
}

/* Its environment, as it was when the process began. */
static bool has_job(pid_t pid, const char *job)
{
        static const char variable[] = "LBRUN_JOB=";
        const size_t length = sizeof(variable) - 1;
        char path[64], *word = NULL;
        size_t room = 0;
        struct stat status;
        bool found = false;
        snprintf(path, sizeof(path), "/proc/%d", (int)pid);
        if (stat(path, &status) < 0 || status.st_uid != geteuid())
                return false;
        snprintf(path, sizeof(path), "/proc/%d/environ", (int)pid);
        FILE *in = fopen(path, "re");
        while (in && !found && getdelim(&word, &room, '\0', in) > 0)
                found = strncmp(word, variable, length) == 0 &&
                        (!job || job_text_is(word + length, job));
        free(word);
        if (in)
                fclose(in);
        return found;
}

int32_t family_signal_job(const char *job, int signal)
{
        struct processes all = { 0 };
        int32_t count = 0;
        read_all(&all);
        for (size_t i = 0; i < all.count; i++)
                all.process[i].ours = has_job(all.process[i].pid, job);
        mark(&all);
        for (size_t i = 0; i < all.count; i++) {
                const struct process *process = &all.process[i];
                if (!process->ours || process->pid == getpid() || process->zombie)
                        continue;
                if (signal)
                        kill(process->pid, signal);
                count++;
        }
        free(all.process);
        return count;
}

static pid_t parent_of(const struct processes *all, pid_t pid)
{
        for (size_t i = 0; i < all->count; i++)
                if (all->process[i].pid == pid)
                        return all->process[i].parent;
        return 0;
}

static bool is_below(const struct processes *all, pid_t pid, pid_t other)
{
        for (; pid > 0; pid = parent_of(all, pid))
                if (pid == other)
                        return true;
        return false;
}

void family_under(pid_t top, void (*take)(void *user, pid_t pid), void *user)
{
        struct processes all = { 0 };
        read_all(&all);
        for (size_t i = 0; i < all.count; i++) {
                const struct process *process = &all.process[i];
                if (!process->zombie &&
                    (process->group == top || is_below(&all, process->pid, top)))
                        take(user, process->pid);
        }
        free(all.process);
}

int32_t family_kill_left(const char *job, pid_t daemon)
{
        struct processes all = { 0 };
        int32_t count = 0;
        read_all(&all);
        for (size_t i = 0; i < all.count; i++) {
                const struct process *process = &all.process[i];
                pid_t pid = process->pid;
                if (process->zombie || pid == getpid() || is_below(&all, pid, daemon) ||
                    is_below(&all, daemon, pid) || !has_job(pid, job))
                        continue;
                count += kill(pid, SIGKILL) == 0;
        }
        free(all.process);
        return count;
}

int32_t family_kill_orphans(pid_t kept)
{
        struct processes all = { 0 };
        int32_t killed = 0;
        read_all(&all);
        for (size_t i = 0; i < all.count; i++) {
                const struct process *process = &all.process[i];
                if (process->parent != getpid() || process->pid == kept ||
                    waitpid(process->pid, NULL, WNOHANG) == process->pid)
                        continue;
                kill(process->pid, SIGKILL);
                killed++;
        }
        free(all.process);
        return killed;
}

/* Reap the dead, kill the others. Returns how many those were. */
static int32_t sweep(int signal)
{
        while (waitpid(-1, NULL, WNOHANG) > 0)
                ;
        pid_t *pid;
        size_t count = list(&pid);
        for (size_t i = 0; signal && i < count; i++)
                kill(pid[i], signal);
        free(pid);
        return (int32_t)count;
}

/* Again and again, since they may fork while they are killed; a process that the kernel does not
 * let go of is not waited for longer than some seconds. */
int32_t family_end(void)
{
        enum { GRACE = 100, ROUNDS = 600 };
        int32_t killed = 0;
        for (int round = 0; round < ROUNDS; round++) {
                int32_t alive = sweep(round < GRACE ? 0 : SIGKILL);
                if (alive == 0)
                        break;
                if (round == GRACE)
                        killed = alive;
                nanosleep(&(struct timespec){ .tv_nsec = 10000000 }, NULL);
        }
        return killed;
}
