/* SPDX-License-Identifier: BSD-3-Clause */
#define _GNU_SOURCE
#include "real/measure/rank.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <link.h>
#include <pthread.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/left.h"
#include "base/number.h"
#include "real/measure/clocks.h"
#include "real/measure/helpers.h"
#include "real/measure/kept.h"
#include "real/measure/others.h"

static const int64_t WINDOW_NS = 500000000;

struct rank rank_self = { .next_ns = INT64_MAX };
_Thread_local __attribute__((tls_model("initial-exec"))) bool rank_measured;

static struct {
        int64_t realtime_ns; /* of the monotonic clock's zero */
        int64_t from_ns, for_ns;
        int64_t ranks;      /* of the job */
        int64_t between_ns; /* that the meter takes between two calls */
        double beside_ns;   /* as the part to measure began */
        unsigned gpus;      /* libraries for GPUs as MPI began, bits of struct gpu_library */
        unsigned mpi_gpus;  /* those that were there when it had, besides */
        clockid_t clock;    /* of the measured thread */
} own;

/* ---- Clocks ---- */

int64_t rank_wall_ns(void)
{
        return own.realtime_ns + clock_ns();
}

int64_t rank_now_ns(void)
{
        return own.realtime_ns + kept_look(&rank_self.file->meter.kept);
}

int64_t rank_cpu_ns(void)
{
        return clock_cpu_ns();
}

/* What they have of the processor while they wait in MPI is nothing that they do for the rank. */
static struct meter_others read_others(void)
{
        struct meter_others now = others_read();
        now.cpu_ns -= helpers_in_cpu_ns();
        return now;
}

static struct meter_reading read_all(void)
{
        static const struct meter_children none = { .cpu_ns = -1 };
        struct meter_reading now = clocks_all(own.realtime_ns);
        now.others = read_others();
        now.children = clocks_children(rank_self.file ? &rank_self.file->meter.children : &none);
        return now;
}

/* The same, of the measured thread, by another. False: it has ended, and nobody knows. */
static bool read_from_afar(struct meter_reading *now)
{
        const struct meter *meter = &rank_self.file->meter;
        struct timespec used;
        if (own.clock == 0 || clock_gettime(own.clock, &used) != 0)
                return false;
        *now = read_all();
        now->cpu_ns = (int64_t)used.tv_sec * 1000000000 + used.tv_nsec;
        now->sleeps = meter->sleeps + 1; /* it may have */
        if (now->delay_ns < 0)
                now->delay_ns = meter->delay_ns;
        return true;
}

void rank_read_clocks(void)
{
        static const struct clocks_beside beside = { helpers_tell, read_others };
        clocks_feed(&rank_self.file->meter, &beside);
}

/* ---- Files ---- */

void rank_note(const char *end, const char *text)
{
        (void)left_note(rank_self.directory, end, text);
}

/* Many ranks keep less each. */
static int64_t share(int64_t of_all, int64_t least, int64_t most)
{
        int64_t room = of_all / own.ranks;
        return room < least ? least : room > most ? most : room;
}

static int64_t interval_room(void)
{
        return share(1 << 22, 1 << 12, METER_INTERVALS);
}

int64_t rank_loop_room(void)
{
        return share(1 << 20, 1 << 10, LOOP_ROOM);
}

/* All that will be written. 0, or an error number. */
static int reserve(int fd)
{
        const struct {
                size_t from, size;
        } part[] = {
                { 0, offsetof(struct rank_file, meter.interval) },
                { offsetof(struct rank_file, meter.interval),
                  (size_t)interval_room() * sizeof(struct meter_interval) },
                { offsetof(struct rank_file, sites), sizeof(struct site_table) },
        };
        const size_t loop =
            offsetof(struct loop_record, load_ns) + (size_t)rank_loop_room() * sizeof(double);
        int failed = ftruncate(fd, sizeof(struct rank_file)) == 0 ? 0 : errno;
        for (size_t i = 0; !failed && i < sizeof(part) / sizeof(part[0]); i++)
                failed = left_reserve(fd, part[i].from, part[i].size);
        for (size_t i = 0; !failed && i < LOOP_RECORDS; i++)
                failed = left_reserve(fd, offsetof(struct rank_file, loop[i]), loop);
        return failed;
}

/* Where the directory itself is not there it is private to lbrun's node, or gone: nothing would be
 * measured of a job that may take hours, which is better said at its begin. */
static void end_unseen(void)
{
        char host[RANK_FILE_HOST_SIZE] = "this host";
        gethostname(host, sizeof(host) - 1);
        fprintf(stderr,
                "lbrun measure: host %s does not see '%s': --out must name a directory on a file "
                "system that all nodes share; the job is ended\n",
                host, rank_self.directory);
        _exit(2);
}

static void say_unwritten(const char *path, int code)
{
        char text[2 * PATH_MAX];
        if (code == ENOENT && access(rank_self.directory, F_OK) < 0)
                end_unseen();
        snprintf(text, sizeof(text), "'%s' cannot be written: %s", path, strerror(code));
        unlink(path);
        fprintf(stderr, "lbrun measure: %s\n", text);
        rank_note("wrong", text);
}

static struct rank_file *map_file(void)
{
        char path[PATH_MAX];
        left_path(path, rank_self.directory, "rank");
        int fd = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0644);
        int failed = fd < 0 ? errno : reserve(fd);
        void *map = MAP_FAILED;
        if (!failed)
                map =
                    mmap(NULL, sizeof(struct rank_file), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
        if (map == MAP_FAILED)
                say_unwritten(path, failed ? failed : errno);
        if (fd >= 0)
                close(fd);
        return map == MAP_FAILED ? NULL : map;
}

/* Lines that lbrun wrote. */
static void read_setup(void)
{
        char path[PATH_MAX], word[16], value[64];
        snprintf(path, sizeof(path), "%s/" RANK_FILE_SETUP, rank_self.directory);
        FILE *file = fopen(path, "re");
        while (file && fscanf(file, "%15s %63s", word, value) == 2) {
                if (strcmp(word, "from") == 0)
                        own.from_ns = (int64_t)(1e9 * lb_number_read(value, NULL));
                if (strcmp(word, "for") == 0)
                        own.for_ns = (int64_t)(1e9 * lb_number_read(value, NULL));
                if (strcmp(word, "skip") == 0 && rank_self.nskip < 8)
                        strcpy(rank_self.skip[rank_self.nskip++], value);
        }
        if (file)
                fclose(file);
}

/* ---- Libraries for GPUs ---- */

/* Of programs: an MPI may bring such libraries itself, to look at the machine (UCX). */
static const char *const gpu_title[] = { "CUDA", "HIP", "oneAPI" };
static const struct gpu_library {
        const char *file;
        unsigned bit; /* of its title */
} gpu_library[] = {
        { "libcuda.so", 1u << 0 },      { "libcudart.so", 1u << 0 },
        { "libamdhip64.so", 1u << 1 },  { "libhsa-runtime64.so", 1u << 1 },
        { "libze_loader.so", 1u << 2 },
};

static int note_gpu(struct dl_phdr_info *info, size_t size, void *bits)
{
        const char *name = basename(info->dlpi_name);
        (void)size;
        for (size_t i = 0; i < sizeof(gpu_library) / sizeof(gpu_library[0]); i++)
                if (strncmp(name, gpu_library[i].file, strlen(gpu_library[i].file)) == 0)
                        *(unsigned *)bits |= gpu_library[i].bit;
        return 0;
}

static unsigned gpus_now(void)
{
        unsigned bits = 0;
        dl_iterate_phdr(note_gpu, &bits);
        return bits;
}

static void name_gpus(struct rank_file *file)
{
        unsigned bits = own.gpus | (gpus_now() & ~own.mpi_gpus);
        file->gpu[0] = '\0';
        for (size_t i = 0; i < sizeof(gpu_title) / sizeof(gpu_title[0]); i++)
                if (bits & 1u << i) {
                        strcat(file->gpu, file->gpu[0] ? ", " : "");
                        strcat(file->gpu, gpu_title[i]);
                }
}

void rank_mpi_begins(void)
{
        own.gpus = gpus_now();
}

/* ---- Begin and end ---- */

static void start_meter(struct rank_file *file, const struct meter_reading *at)
{
        meter_start(&file->meter, at, WINDOW_NS);
        clocks_weigh(&file->meter);
        file->meter.intervals.room = interval_room();
        if (file->meter.clock_ns < own.between_ns)
                file->meter.clock_ns = own.between_ns;
}

static void start(struct rank_file *file)
{
        struct meter_reading now = read_all();
        start_meter(file, &now);
        file->before = own.from_ns > 0;
        if (file->before)
                rank_self.next_ns = now.wall_ns + own.from_ns;
        else if (own.for_ns > 0)
                rank_self.next_ns = now.wall_ns + own.for_ns;
}

bool rank_begin(int32_t ranks, void (*describe)(struct rank_file *file))
{
        rank_self.pid = (long)getpid();
        own.ranks = ranks;
        struct rank_file *file = map_file();
        if (!file)
                return false;
        if (pthread_getcpuclockid(pthread_self(), &own.clock) != 0)
                own.clock = 0;
        own.realtime_ns = clock_of_ns(CLOCK_REALTIME) - clock_ns();
        clocks_open();
        read_setup();
        file->pid = rank_self.pid;
        gethostname(file->host, sizeof(file->host) - 1);
        snprintf(file->program, sizeof(file->program), "%s", program_invocation_name);
        own.mpi_gpus = gpus_now() & ~own.gpus;
        name_gpus(file);
        describe(file);
        rank_measured = true;
        others_leave();
        kept_begin();
        start(file);
        memcpy(file->magic, RANK_FILE_MAGIC, sizeof(RANK_FILE_MAGIC));
        rank_self.file = file;
        return true;
}

void rank_restart(int64_t between_ns)
{
        struct rank_file *file = rank_self.file;
        own.between_ns = between_ns;
        memset(&file->sites, 0, sizeof(file->sites));
        file->cost = (struct cost){ 0 };
        start(file);
}

void rank_own(void)
{
        struct meter *meter = &rank_self.file->meter;
        meter_own(meter, rank_wall_ns() - meter->last_ns, rank_cpu_ns());
}

/* What other threads had that do not call MPI, and those of the team. */
static double beside_ns(struct rank_file *file)
{
        helpers_sum(file);
        return (double)(clock_of_ns(CLOCK_PROCESS_CPUTIME_ID) - rank_cpu_ns()) -
               file->helper_cpu_ns;
}

static void end_at(enum rank_file_state state, const struct meter_reading *at)
{
        struct rank_file *file = rank_self.file;
        rank_self.file = NULL;
        rank_self.next_ns = INT64_MAX;
        if (at)
                meter_end(&file->meter, at);
        double beside_now_ns = beside_ns(file);
        if (at)
                file->other_cpu_ns =
                    beside_now_ns - own.beside_ns - (file->meter.team_ns - file->meter.help_ns);
        name_gpus(file);
        file->state = (int32_t)state;
}

/* With the last that others did for it. */
static void tell_last(struct meter *meter, const struct meter_reading *at)
{
        meter_go(meter, at->wall_ns, (enum meter_place)meter->place);
        meter_cpu(meter, at->wall_ns, at->cpu_ns);
        helpers_tell_until(meter, at->wall_ns);
}

void rank_end(enum rank_file_state state)
{
        struct meter_reading now;
        bool known = true;
        if (rank_measured)
                now = read_all();
        else
                known = read_from_afar(&now);
        if (known) {
                helpers_awaited(&rank_self.file->meter, now.wall_ns);
                tell_last(&rank_self.file->meter, &now);
        }
        end_at(state, known ? &now : NULL);
}

/* ---- A part of the run ---- */

static int64_t between(int64_t from, int64_t to, double part)
{
        return from + (int64_t)(part * (double)(to - from));
}

/* What the clocks showed at a time since they were read, had all gone on evenly. */
static struct meter_reading read_back(const struct meter *meter, int64_t at_ns)
{
        struct meter_reading now = read_all();
        double cpu_part =
            (double)(at_ns - meter->cpu_wall_ns) / (double)(now.wall_ns - meter->cpu_wall_ns + 1);
        double delay_part = (double)(at_ns - meter->delay_wall_ns) /
                            (double)(now.wall_ns - meter->delay_wall_ns + 1);
        now.cpu_ns = between(meter->cpu_ns, now.cpu_ns, cpu_part);
        if (now.delay_ns >= 0)
                now.delay_ns = between(meter->delay_ns, now.delay_ns, delay_part);
        now.others.cpu_ns = between(meter->others.cpu_ns, now.others.cpu_ns, delay_part);
        now.others.delay_ns = between(meter->others.delay_ns, now.others.delay_ns, delay_part);
        now.wall_ns = at_ns;
        return now;
}

static void start_part(struct rank_file *file, const struct meter_reading *at)
{
        int32_t place = file->meter.place;
        own.beside_ns = beside_ns(file);
        helpers_part();
        start_meter(file, at);
        file->meter.place = place;
        file->before = 0;
        file->cost = (struct cost){ 0 };
        loop_restart(file->loop);
        file->parallel = file->before_window = (struct alike){ 0 };
        file->window_regions = 0;
        file->outside_ns = file->named_ns = file->single_ns = file->joined_ns = 0;
        memset(file->region, 0, sizeof(file->region));
        for (int i = 0; i <= SITE_ROOM; i++) {
                file->sites.site[i].calls = 0;
                file->sites.site[i].before_ns = file->sites.site[i].inside_ns = 0;
        }
        rank_self.next_ns = own.for_ns > 0 ? at->wall_ns + own.for_ns : INT64_MAX;
}

void rank_cross(void)
{
        struct rank_file *file = rank_self.file;
        struct meter_reading at = read_back(&file->meter, rank_self.next_ns);
        tell_last(&file->meter, &at);
        if (!file->before) {
                end_at(RANK_FINALIZED, &at);
                return;
        }
        at.sleeps = file->meter.sleeps; /* it may have slept since the time, too */
        start_part(file, &at);
        if (rank_wall_ns() >= rank_self.next_ns)
                rank_cross();
}

/* ---- Regions ---- */

/* With the opposite sign at its begin: so much is added to what the region has. */
static void account(struct rank_region *region, double sign)
{
        const struct meter *meter = &rank_self.file->meter;
        region->wall_ns += sign * (double)(meter->last_ns - meter->start_ns);
        region->load_ns += sign * meter_load_ns(meter);
        region->mpi_ns += sign * (double)meter->in_ns;
        region->wait_ns += sign * (double)meter->wait_ns;
}

static void close_region(struct rank_region *region)
{
        if (region->open)
                account(region, 1);
        region->open = 0;
}

static void open_region(struct rank_region *region, int32_t level)
{
        if (region->open)
                return;
        region->level = level;
        region->visits++;
        region->open = 1;
        account(region, -1);
}

void rank_region(int32_t level)
{
        struct rank_region *region = rank_self.file->region;
        struct meter *meter = &rank_self.file->meter;
        meter_go(meter, rank_now_ns(), (enum meter_place)meter->place);
        rank_read_clocks();
        for (int i = 0; i < RANK_REGIONS; i++) {
                if (level == 0 || (level < 0 && region[i].level == -level))
                        close_region(&region[i]);
                if (level > 0 && (region[i].level == level || region[i].level == 0)) {
                        open_region(&region[i], level);
                        return;
                }
        }
}
