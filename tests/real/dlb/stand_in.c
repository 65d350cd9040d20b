/* SPDX-License-Identifier: BSD-3-Clause */
#define _GNU_SOURCE
/*
 * A stand-in for BSC's libdlb.so: the entry points that lbrun's core manager calls, and no others,
 * as the real library answers them in polling mode (transcript-*.txt, recorded there). Written from
 * what it does, with none of its code. A cluster is not needed to test with it, nor to test what
 * the real one does only when it is broken: LB_DLB_QUIRK is one of
 *
 *   no-start         DLB_Init() fails, sticks, and DLB_Finalize() crashes after that
 *   no-start-first   the same, only for who owns core 0
 *   few-cpus         counts two cores, whatever the machine
 *   pending          changes of masks are refused until they are polled
 *   hang             the third call of DLB_LendCpu() never returns
 *   mixed-versions   a version of its own in each process
 *
 * and LB_DLB_VERSION a version, as in 3.4.1 (without: 3.7.0). Compiled with LACKS_VERSION it has no
 * DLB_GetVersion(), with LACKS_CHECK no DLB_CheckCpuAvailability().
 */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <unistd.h>

enum { CPUS_MAX = 256, PROCESS_MAX = 1024, NAME_SIZE = 128, VALUE_SIZE = 64 };
enum {
        NOTHING = 2,
        NOTED = 1,
        DONE = 0,
        STARTED = -3,
        PENDING = -7,
        FORBIDDEN = -8,
        UNKNOWN = -11
};

struct cpu {
        int32_t owner, guest; /* process ids; 0: none */
        bool lent;
};

struct node {
        bool ready;
        pthread_mutex_t lock; /* not robust, as the real one */
        int32_t process[PROCESS_MAX];
        struct cpu cpu[CPUS_MAX];
};

static struct {
        bool started, failed, pending;
        int32_t me, ncpu;
        int lends;
        struct node *node;
        char file[NAME_SIZE];
} dlb;

/* ---- Options ---- */

static struct option {
        const char *name, *unset;
        char value[VALUE_SIZE];
} options[] = {
        { "lewi", "no", "" },
        { "drom", "no", "" },
        { "mode", "polling", "" },
        { "lewi-affinity", "auto", "" },
        { "lewi-respect-cpuset", "yes", "" },
        { "lewi-max-parallelism", "0", "" },
        { "lewi-color", "0", "" },
        { "lewi-mpi-calls", "all", "" },
        { "lewi-keep-one-cpu", "no", "" },
        { "ompt", "yes", "" },
        { "barrier", "yes", "" },
        { "quiet", "no", "" },
        { "preinit-pid", "0", "" },
        { "shm-key", "", "" },
        { "shm-size-multiplier", "1", "" },
        { "talp", "no", "" },
};
enum { NOPTION = sizeof(options) / sizeof(options[0]) };

static struct option *find_option(const char *name, size_t length)
{
        for (int i = 0; i < NOPTION; i++)
                if (strlen(options[i].name) == length &&
                    strncmp(options[i].name, name, length) == 0)
                        return &options[i];
        return NULL;
}

/* --name, --no-name or --name=value */
static void read_option(const char *word)
{
        const char *name = strncmp(word, "--", 2) == 0 ? word + 2 : word,
                   *equals = strchr(word, '=');
        bool no = strncmp(name, "no-", 3) == 0;
        name += no ? 3 : 0;
        struct option *option = find_option(name, equals ? (size_t)(equals - name) : strlen(name));
        if (option)
                snprintf(option->value, VALUE_SIZE, "%s", equals ? equals + 1 : no ? "no" : "yes");
}

static void read_options(const char *text)
{
        char copy[1024], *rest = copy;
        snprintf(copy, sizeof(copy), "%s", text ? text : "");
        for (char *word = strtok_r(copy, " ", &rest); word; word = strtok_r(NULL, " ", &rest))
                read_option(word);
}

static bool quirk(const char *name)
{
        const char *set = getenv("LB_DLB_QUIRK");
        return set && strcmp(set, name) == 0;
}

/* ---- Shared memory ---- */

static void lock(void)
{
        pthread_mutex_lock(&dlb.node->lock);
}

static void unlock(void)
{
        pthread_mutex_unlock(&dlb.node->lock);
}

static void prepare(struct node *node)
{
        pthread_mutexattr_t shared;
        if (node->ready)
                return;
        pthread_mutexattr_init(&shared);
        pthread_mutexattr_setpshared(&shared, PTHREAD_PROCESS_SHARED);
        pthread_mutex_init(&node->lock, &shared);
        pthread_mutexattr_destroy(&shared);
        node->ready = true;
}

static bool attach(void)
{
        snprintf(dlb.file, sizeof(dlb.file), "/DLB_cpuinfo_%s", find_option("shm-key", 7)->value);
        int fd = shm_open(dlb.file, O_CREAT | O_RDWR | O_CLOEXEC, 0600);
        if (fd < 0 || flock(fd, LOCK_EX) < 0 || ftruncate(fd, sizeof(struct node)) < 0)
                return false;
        dlb.node = mmap(NULL, sizeof(struct node), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
        if (dlb.node != MAP_FAILED) {
                prepare(dlb.node);
                for (int i = 0; i < PROCESS_MAX; i++)
                        if (dlb.node->process[i] == 0) {
                                dlb.node->process[i] = dlb.me;
                                break;
                        }
        }
        flock(fd, LOCK_UN);
        close(fd);
        return dlb.node != MAP_FAILED;
}

/* The last one removes it; one that was killed never leaves. */
static void detach(void)
{
        bool empty = true;
        for (int i = 0; i < PROCESS_MAX; i++) {
                if (dlb.node->process[i] == dlb.me)
                        dlb.node->process[i] = 0;
                empty = empty && dlb.node->process[i] == 0;
        }
        if (empty)
                shm_unlink(dlb.file);
}

static int32_t count_cpus(void)
{
        const char *machine = getenv("HWLOC_SYNTHETIC");
        if (quirk("few-cpus"))
                return 2;
        if (machine && strncmp(machine, "core:", 5) == 0)
                return (int32_t)strtol(machine + 5, NULL, 10);
        return (int32_t)sysconf(_SC_NPROCESSORS_ONLN);
}

/* ---- Start and end ---- */

static int take_cpus(const cpu_set_t *mask)
{
        for (int32_t i = 0; i < CPU_SETSIZE; i++)
                if (CPU_ISSET((size_t)i, mask) &&
                    (i >= dlb.ncpu || i >= CPUS_MAX || dlb.node->cpu[i].owner))
                        return FORBIDDEN;
        for (int32_t i = 0; i < dlb.ncpu; i++)
                if (CPU_ISSET((size_t)i, mask))
                        dlb.node->cpu[i] = (struct cpu){ .owner = dlb.me, .guest = dlb.me };
        return DONE;
}

int DLB_Init(int ncpus, const cpu_set_t *mask, const char *arguments);
int DLB_Init(int ncpus, const cpu_set_t *mask, const char *arguments)
{
        (void)ncpus;
        if (dlb.started)
                return STARTED;
        dlb.started = true;
        dlb.failed = true;
        dlb.me = getpid();
        dlb.ncpu = count_cpus();
        for (int i = 0; i < NOPTION; i++)
                snprintf(options[i].value, VALUE_SIZE, "%s", options[i].unset);
        read_options(arguments);
        read_options(getenv("DLB_ARGS"));
        if (quirk("no-start") || (quirk("no-start-first") && CPU_ISSET(0, mask)))
                return FORBIDDEN;
        if (!attach())
                return UNKNOWN;
        lock();
        int answer = quirk("few-cpus") ? DONE : take_cpus(mask);
        unlock();
        dlb.failed = answer != DONE;
        dlb.pending = quirk("pending");
        return answer;
}

/* Who leaves a core that it does not own. */
static void free_guest(struct cpu *cpu)
{
        cpu->guest = cpu->owner && !cpu->lent ? cpu->owner : 0;
}

int DLB_Finalize(void);
int DLB_Finalize(void)
{
        if (!dlb.started)
                return NOTHING;
        if (dlb.failed)
                raise(SIGSEGV);
        lock();
        for (int32_t i = 0; i < dlb.ncpu && i < CPUS_MAX; i++) {
                struct cpu *cpu = &dlb.node->cpu[i];
                bool guest = cpu->guest == dlb.me;
                if (cpu->owner == dlb.me)
                        *cpu = (struct cpu){ .guest = guest ? 0 : cpu->guest };
                else if (guest && cpu->owner)
                        free_guest(cpu);
        }
        detach();
        unlock();
        dlb.started = false;
        return DONE;
}

/* ---- What it is ---- */

#ifndef LACKS_VERSION
static int version_part(int part)
{
        int version[3] = { 3, 7, 0 };
        const char *set = getenv("LB_DLB_VERSION");
        if (set && sscanf(set, "%d.%d.%d", &version[0], &version[1], &version[2]) != 3)
                abort();
        if (quirk("mixed-versions") && part == 2)
                return getpid() % 256;
        return version[part];
}

int DLB_GetVersion(int *major, int *minor, int *patch);
int DLB_GetVersion(int *major, int *minor, int *patch)
{
        *major = version_part(0);
        *minor = version_part(1);
        *patch = version_part(2);
        return DONE;
}

static bool is_before_3_6(void)
{
        return version_part(1) < 6;
}
#else
static bool is_before_3_6(void)
{
        return true;
}
#endif

int DLB_GetVariable(const char *name, char *value);
int DLB_GetVariable(const char *name, char *value)
{
        const char *plain = name + strspn(name, "-");
        const struct option *option = find_option(plain, strlen(plain));
        if (!option)
                return UNKNOWN;
        strcpy(value, option->value);
        return DONE;
}

int DLB_DROM_GetNumCpus(int *count);
int DLB_DROM_GetNumCpus(int *count)
{
        *count = dlb.ncpu;
        return DONE;
}

/* ---- One core ---- */

typedef int (*operation)(struct cpu *cpu);

static int operate(operation todo, int number)
{
        if (number < 0 || number >= dlb.ncpu)
                return FORBIDDEN;
        lock();
        int answer = todo(&dlb.node->cpu[number]);
        unlock();
        return answer;
}

static int lend(struct cpu *cpu)
{
        if (!cpu->owner && !is_before_3_6())
                return DONE; /* a guest stays there */
        cpu->lent = cpu->lent || cpu->owner == dlb.me;
        if (cpu->guest == dlb.me)
                free_guest(cpu);
        return DONE;
}

static int borrow(struct cpu *cpu)
{
        bool own = cpu->owner == dlb.me;
        if (!cpu->owner)
                return is_before_3_6() ? NOTHING : FORBIDDEN;
        if (cpu->guest || (!own && !cpu->lent))
                return NOTHING;
        cpu->guest = dlb.me;
        cpu->lent = !own;
        return DONE;
}

static int reclaim(struct cpu *cpu)
{
        if (cpu->owner != dlb.me)
                return FORBIDDEN;
        cpu->lent = false;
        if (cpu->guest == dlb.me)
                return NOTHING;
        if (cpu->guest)
                return NOTED;
        cpu->guest = dlb.me;
        return DONE;
}

static int give_back(struct cpu *cpu)
{
        if (cpu->guest != dlb.me)
                return FORBIDDEN;
        if (cpu->owner == dlb.me || cpu->lent)
                return NOTHING;
        free_guest(cpu);
        return DONE;
}

int DLB_LendCpu(int number);
int DLB_LendCpu(int number)
{
        while (quirk("hang") && dlb.lends >= 2)
                pause();
        dlb.lends++;
        return operate(lend, number);
}

int DLB_BorrowCpu(int number);
int DLB_BorrowCpu(int number)
{
        return operate(borrow, number);
}

int DLB_ReclaimCpu(int number);
int DLB_ReclaimCpu(int number)
{
        return operate(reclaim, number);
}

int DLB_ReturnCpu(int number);
int DLB_ReturnCpu(int number)
{
        return operate(give_back, number);
}

#ifndef LACKS_CHECK
static int check(struct cpu *cpu)
{
        bool own = cpu->owner == dlb.me;
        if (!own && !cpu->lent)
                return FORBIDDEN;
        if (cpu->guest == 0)
                cpu->guest = dlb.me;
        if (cpu->guest == dlb.me)
                return DONE;
        return own && cpu->lent ? NOTHING : NOTED;
}

int DLB_CheckCpuAvailability(int number);
int DLB_CheckCpuAvailability(int number)
{
        return operate(check, number);
}
#endif

/* ---- Masks ---- */

static void set_cpu(struct cpu *cpu, bool mine)
{
        bool guest = cpu->guest == dlb.me;
        if (mine && cpu->owner != dlb.me)
                *cpu = (struct cpu){ .owner = dlb.me, .guest = cpu->guest ? cpu->guest : dlb.me };
        else if (!mine && cpu->owner == dlb.me)
                *cpu = (struct cpu){ .guest = guest ? 0 : cpu->guest };
        else if (!mine && guest && cpu->owner && !cpu->lent)
                free_guest(cpu); /* on its own initiative */
}

static bool is_foreign(const cpu_set_t *mask)
{
        for (int32_t i = 0; i < dlb.ncpu; i++) {
                int32_t owner = dlb.node->cpu[i].owner;
                if (CPU_ISSET((size_t)i, mask) && owner && owner != dlb.me)
                        return true;
        }
        return false;
}

/* Of the caller only, and without stealing: lbrun does neither to others. */
int DLB_DROM_SetProcessMask(int pid, const cpu_set_t *mask, int flags);
int DLB_DROM_SetProcessMask(int pid, const cpu_set_t *mask, int flags)
{
        if (pid != 0 || flags != 0)
                return FORBIDDEN;
        if (dlb.pending)
                return PENDING;
        lock();
        bool foreign = is_foreign(mask);
        for (int32_t i = 0; i < dlb.ncpu && !foreign; i++)
                set_cpu(&dlb.node->cpu[i], CPU_ISSET((size_t)i, mask));
        unlock();
        dlb.pending = quirk("pending");
        return foreign ? FORBIDDEN : DONE;
}

int DLB_PollDROM_Update(void);
int DLB_PollDROM_Update(void)
{
        bool pending = dlb.pending;
        dlb.pending = false;
        return pending ? DONE : NOTHING;
}
