/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The guest of the layer that measures; with it, a library that is preloaded. The thread that
 * initialises MPI is measured, from then to MPI_Finalize. Does nothing where $LBRUN_MEASURE is not
 * set, and in what is no MPI program.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <link.h>
#include <mpi.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#include "real/interpose/interpose.h"
#include "real/measure/rank_file.h"

static const int64_t WINDOW_NS = 500000000;
enum { WRONG_MPI = 125 };

/* One per process by nature: MPI calls have no argument for it. */
static struct {
        struct rank_file *file; /* NULL: nothing is measured, or not any more */
        const char *directory;
        int64_t realtime_ns; /* of the monotonic clock's zero */
        pid_t pid;           /* a child that it forks is no rank */
        int schedstat;
        atomic_int_fast64_t other_calls;
} self = { .schedstat = -1 };

static _Thread_local __attribute__((tls_model("initial-exec"))) bool measured;

/* ---- Clocks ---- */

static int64_t read_clock(clockid_t clock)
{
        struct timespec now;
        clock_gettime(clock, &now);
        return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

/* The same for all ranks, and never set back while the program runs. */
static int64_t wall_ns(void)
{
        return self.realtime_ns + read_clock(CLOCK_MONOTONIC);
}

/* Second field of schedstat: time on a run queue. */
static int64_t delay_ns(void)
{
        char text[96];
        long long delay;
        ssize_t length =
            self.schedstat >= 0 ? pread(self.schedstat, text, sizeof(text) - 1, 0) : -1;
        if (length <= 0)
                return -1;
        text[length] = '\0';
        return sscanf(text, "%*s %lld", &delay) == 1 ? delay : -1;
}

static int64_t sleeps(void)
{
        struct rusage usage;
        return getrusage(RUSAGE_THREAD, &usage) == 0 ? usage.ru_nvcsw : 0;
}

static struct meter_reading read_all(void)
{
        return (struct meter_reading){ wall_ns(), read_clock(CLOCK_THREAD_CPUTIME_ID), delay_ns(),
                                       sleeps() };
}

/* What we cost, of which some calls tell. */
static void measure_costs(struct rank_file *file)
{
        enum { TIMES = 64 };
        int64_t start_ns = read_clock(CLOCK_MONOTONIC);
        for (int i = 0; i < TIMES; i++)
                (void)read_clock(CLOCK_MONOTONIC);
        int64_t middle_ns = read_clock(CLOCK_MONOTONIC);
        for (int i = 0; i < TIMES; i++)
                (void)read_clock(CLOCK_THREAD_CPUTIME_ID);
        int64_t end_ns = read_clock(CLOCK_MONOTONIC);
        file->call_cost_ns = 2.5 * (double)(middle_ns - start_ns) / TIMES;
        file->read_cost_ns = (double)(end_ns - middle_ns) / TIMES;
}

/* ---- Is this the right library? ---- */

#ifdef OPEN_MPI
static const char *const other_library[] = { "libmpich.so", "libmpi.so.12", NULL };
static const char other_title[] = "MPICH", own_title[] = "Open MPI";
#else
static const char *const other_library[] = { "libmpi.so.40", "libmpi.so.20", NULL };
static const char other_title[] = "Open MPI", own_title[] = "MPICH";
#endif

static int is_other(struct dl_phdr_info *info, size_t size, void *user)
{
        (void)size;
        (void)user;
        const char *name = strrchr(info->dlpi_name, '/');
        for (int i = 0; name && other_library[i]; i++)
                if (strncmp(name + 1, other_library[i], strlen(other_library[i])) == 0)
                        return 1;
        return 0;
}

static void path_of(char path[static PATH_MAX], const char *end)
{
        char host[RANK_FILE_HOST_SIZE] = "host";
        gethostname(host, sizeof(host) - 1);
        snprintf(path, PATH_MAX, "%s/%s-%ld.%s", self.directory, host, (long)getpid(), end);
}

/* The program was started by the launcher of one MPI and has the other: it would run as so many
 * programs of one rank each, or end in the wrong library. */
static void check_mpi(void)
{
        char path[PATH_MAX];
        if (!dl_iterate_phdr(is_other, NULL))
                return;
        path_of(path, "wrong");
        FILE *file = fopen(path, "w");
        if (file) {
                fprintf(file, "'%s' is built with %s, its launcher is that of %s\n",
                        program_invocation_name, other_title, own_title);
                fclose(file);
        }
        _exit(WRONG_MPI);
}

__attribute__((constructor)) static void load(void)
{
        self.directory = getenv(RANK_FILE_VARIABLE);
        if (self.directory)
                check_mpi();
}

/* ---- Begin and end ---- */

static int32_t expected_ranks(void)
{
        static const char *const name[] = { "OMPI_COMM_WORLD_SIZE", "PMI_SIZE",
                                            "SLURM_STEP_NUM_TASKS" };
        for (size_t i = 0; i < sizeof(name) / sizeof(name[0]); i++)
                if (getenv(name[i]))
                        return (int32_t)atoi(getenv(name[i]));
        return 0;
}

static struct rank_file *map_file(void)
{
        char path[PATH_MAX];
        path_of(path, "rank");
        int fd = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0644);
        void *map = MAP_FAILED;
        if (fd >= 0 && ftruncate(fd, sizeof(struct rank_file)) == 0)
                map =
                    mmap(NULL, sizeof(struct rank_file), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
        if (map == MAP_FAILED)
                fprintf(stderr, "lbrun measure: '%s' cannot be written: %s\n", path,
                        strerror(errno));
        if (fd >= 0)
                close(fd);
        return map == MAP_FAILED ? NULL : map;
}

static void describe(struct rank_file *file)
{
        MPI_Comm parent;
        PMPI_Comm_get_parent(&parent);
        PMPI_Comm_rank(MPI_COMM_WORLD, &file->rank);
        PMPI_Comm_size(MPI_COMM_WORLD, &file->size);
        file->spawned = parent != MPI_COMM_NULL;
        file->expected = expected_ranks();
        file->pid = self.pid;
        gethostname(file->host, sizeof(file->host) - 1);
        snprintf(file->program, sizeof(file->program), "%s", program_invocation_name);
}

static void begin(void)
{
        check_mpi();
        self.pid = getpid();
        struct rank_file *file = map_file();
        if (!file)
                return;
        self.realtime_ns = read_clock(CLOCK_REALTIME) - read_clock(CLOCK_MONOTONIC);
        char path[64];
        snprintf(path, sizeof(path), "/proc/self/task/%ld/schedstat", (long)gettid());
        self.schedstat = open(path, O_RDONLY | O_CLOEXEC);
        describe(file);
        measure_costs(file);
        measured = true;
        struct meter_reading now = read_all();
        meter_start(&file->meter, &now, WINDOW_NS);
        memcpy(file->magic, RANK_FILE_MAGIC, sizeof(RANK_FILE_MAGIC));
        self.file = file;
}

static void end(enum rank_file_state state)
{
        struct rank_file *file = self.file;
        self.file = NULL;
        if (measured) {
                struct meter_reading now = read_all();
                meter_end(&file->meter, &now);
                file->other_cpu_ns = (double)(read_clock(CLOCK_PROCESS_CPUTIME_ID) - now.cpu_ns);
        }
        file->other_calls = atomic_load(&self.other_calls);
        file->state = (int32_t)state;
}

__attribute__((destructor)) static void unload(void)
{
        if (self.file && getpid() == self.pid)
                end(RANK_EXITED);
}

/* ---- Calls ---- */

/* None returns before all of comm have come. */
static bool synchronises(const struct interpose_call *call)
{
        int size = 0;
        switch (call->name) {
        case INTERPOSE_Barrier:
        case INTERPOSE_Allgather:
        case INTERPOSE_Allgatherv:
        case INTERPOSE_Alltoall:
        case INTERPOSE_Alltoallv:
        case INTERPOSE_Alltoallw:
#if MPI_VERSION >= 4
        case INTERPOSE_Allgather_c:
        case INTERPOSE_Allgatherv_c:
        case INTERPOSE_Alltoall_c:
        case INTERPOSE_Alltoallv_c:
        case INTERPOSE_Alltoallw_c:
#endif
                break;
        default:
                if (call->kind != INTERPOSE_MEET)
                        return false;
        }
        if (call->comm == MPI_COMM_WORLD)
                return true;
        return call->comm != MPI_COMM_NULL && PMPI_Comm_size(call->comm, &size) == MPI_SUCCESS &&
               size == self.file->size;
}

static void read_clocks(struct meter *meter)
{
        int64_t now_ns = meter->last_ns;
        meter_cpu(meter, now_ns, read_clock(CLOCK_THREAD_CPUTIME_ID));
        if (meter_wants_delay(meter))
                meter_delay(meter,
                            &(struct meter_reading){ .delay_ns = delay_ns(), .sleeps = sleeps() });
}

static void enter(const struct interpose_call *call)
{
        if (!self.file)
                return;
        if (!measured) {
                atomic_fetch_add_explicit(&self.other_calls, 1, memory_order_relaxed);
                return;
        }
        struct meter *meter = &self.file->meter;
        if (meter_enter(meter, wall_ns()))
                read_clocks(meter);
        if (synchronises(call))
                meter_synchronised(meter);
        if (call->name == INTERPOSE_Finalize)
                end(RANK_FINALIZED);
}

static void leave(const struct interpose_call *call)
{
        if (self.file && measured && meter_leave(&self.file->meter, wall_ns()))
                read_clocks(&self.file->meter);
        else if (!self.file && self.directory && self.pid == 0 &&
                 (call->name == INTERPOSE_Init || call->name == INTERPOSE_Init_thread))
                begin();
}

const struct interpose_guest interpose_guest = { .enter = enter, .leave = leave };
