/* SPDX-License-Identifier: BSD-3-Clause */
#include <stdatomic.h>
#include <stddef.h>

#include "real/measure/clocks.h"
#include "real/measure/guest.h"
#include "real/measure/others.h"
#include "real/measure/rank.h"
#include "real/openmp/openmp.h"

/*
 * Processor time of a thread counts while it works in a region of its rank's team; not while it
 * waits there or spins after it. What tells of regions is the layer of real/openmp.
 */
static const int64_t READ_EACH_NS = 500000, IDLE_NS = 1000000;

/* What the team's other threads did since the thread that is measured last looked. */
static struct {
        atomic_int_fast64_t work_ns;
        int64_t fork_ns;
        bool named;       /* the region names its number of threads */
        atomic_int inner; /* threads of the largest team within this one */
} team;

/* Of the thread that is measured, outside teams: regions of one thread that it is in; when the
 * outermost began, 0: it is not timed. All are, until that would take a hundredth of the time; then
 * some at random, as moments of measuring are. */
static const int64_t SINGLES_PART = 100, SINGLES_SPARE = 1000, READINGS_NS = 50;
static struct {
        int32_t depth;
        int64_t begin_ns, since_ns, count; /* timed so many, since the first of them began */
        struct cost sample;
} single;

/* Of a thread: work since its clock was last read is known in wall time only. */
static _Thread_local __attribute__((tls_model("initial-exec"))) struct {
        int depth; /* regions and tasks that it is in */
        bool works;
        int64_t start_ns, work_ns; /* of the stretch it is in; of those since the reading */
        int64_t read_ns, cpu_ns;   /* the last reading, and when */
        /* work without a CPU: not known yet whether it was blocked; the last reading of that */
        bool blocks; /* it has been seen */
        int64_t idle_ns, delay_ns, delay_read_ns, sleeps;
} self;

static void add_work(int64_t work_ns)
{
        atomic_fetch_add_explicit(&team.work_ns, work_ns, memory_order_relaxed);
}

static void read_delay(int64_t now_ns)
{
        self.delay_ns = clocks_own_delay_ns();
        self.sleeps = clocks_sleeps();
        self.delay_read_ns = now_ns;
}

/* Blocked is what was neither CPU time nor time on a run queue; who never slept was not. */
static void settle_idle(int64_t now_ns)
{
        int64_t delay_ns = self.delay_ns, sleeps = self.sleeps;
        read_delay(now_ns);
        int64_t blocked_ns = self.idle_ns - (self.delay_ns - delay_ns);
        if (delay_ns >= 0 && self.sleeps != sleeps && blocked_ns > 0)
                add_work(blocked_ns);
        self.idle_ns = 0;
        self.blocks = true;
}

/*
 * Work is what it used of the processor, as far as it was in a region, and what it was blocked
 * there. A thread that sleeps between regions used no more than that; one that spins used more.
 */
static void read_clock(int64_t now_ns)
{
        int64_t cpu_ns = rank_cpu_ns(), used_ns = cpu_ns - self.cpu_ns;
        if (self.read_ns == 0) {
                others_leave();
                read_delay(now_ns);
        } else {
                add_work(used_ns < self.work_ns ? used_ns : self.work_ns);
                self.idle_ns += used_ns < self.work_ns ? self.work_ns - used_ns : 0;
        }
        self.work_ns = 0;
        self.read_ns = now_ns;
        self.cpu_ns = cpu_ns;
}

/* Delay while it waited is none of the work's. */
static void begin_stretch(void)
{
        int64_t now_ns = rank_wall_ns();
        if (now_ns - self.read_ns >= READ_EACH_NS)
                read_clock(now_ns);
        if (self.blocks && now_ns - self.delay_read_ns >= IDLE_NS)
                settle_idle(now_ns);
        self.start_ns = now_ns;
        self.works = true;
}

static void end_stretch(void)
{
        int64_t now_ns = rank_wall_ns();
        self.work_ns += now_ns - self.start_ns;
        self.works = false;
        if (now_ns - self.read_ns >= READ_EACH_NS)
                read_clock(now_ns);
        if (self.idle_ns >= IDLE_NS)
                settle_idle(now_ns);
}

/* A part begins or ends before the clocks are read again, as it lies between two readings. */
static void go(enum meter_place place)
{
        struct rank_file *file = rank_self.file;
        if (!file || guest_cross())
                return;
        if (meter_go(&file->meter, rank_now_ns(), place))
                rank_read_clocks();
        if (cost_is_next(&file->cost))
                cost_add(&file->cost, rank_wall_ns() - file->meter.last_ns);
}

/* ---- The thread that is measured ---- */

static bool is_wanted(void)
{
        return rank_self.directory != NULL;
}

/* And regions within its regions, whichever thread of the team opens them. */
static bool is_meant(void)
{
        return rank_self.file && (rank_measured || self.depth > 0);
}

bool team_pause(void)
{
        if (self.depth == 0)
                return false;
        if (rank_measured)
                go(METER_TEAM);
        else if (self.works)
                end_stretch();
        return true;
}

bool team_resume(void)
{
        if (self.depth == 0)
                return false;
        if (rank_measured)
                go(METER_OUT);
        else if (!self.works)
                begin_stretch();
        return true;
}

static void pause_part(void)
{
        (void)team_pause();
}

static void resume_part(void)
{
        (void)team_resume();
}

/* Load up to here was outside of regions; and, since then, in one. */
static void leave_outside(struct rank_file *file)
{
        double load_ns = meter_load_ns(&file->meter);
        file->outside_ns += load_ns - file->joined_ns;
        file->joined_ns = load_ns;
}

static void leave_region(struct rank_file *file)
{
        double load_ns = meter_load_ns(&file->meter);
        if (team.named)
                file->named_ns += load_ns - file->joined_ns;
        file->joined_ns = load_ns;
}

/* Until its part begins it waits for the others, which may be late from the last region; so it
 * does within a region. */
static int32_t fork_team(int32_t most)
{
        if (self.depth > 0) {
                pause_part();
                return 0;
        }
        atomic_store(&team.inner, 1);
        team.named = most == 0;
        team.fork_ns = rank_wall_ns();
        go(METER_TEAM);
        if (rank_self.file)
                leave_outside(rank_self.file);
        return 0;
}

static void count_region(struct rank_file *file, double weight, int64_t from_ns, int64_t to_ns)
{
        int64_t window = to_ns / file->meter.window_ns;
        if (window != file->window) {
                file->window_regions += alike_since(&file->before_window, &file->parallel);
                file->before_window = file->parallel;
                file->window = window;
        }
        alike_add(&file->parallel, weight, 1e-9 * (double)(to_ns - from_ns));
}

static void join_inner(int32_t threads)
{
        int known = atomic_load(&team.inner);
        while (threads > known && !atomic_compare_exchange_weak(&team.inner, &known, threads))
                ;
        resume_part();
}

static void join_team(int32_t threads)
{
        struct rank_file *file = rank_self.file;
        if (self.depth > 0) {
                join_inner(threads);
                return;
        }
        if (!file)
                return;
        go(METER_OUT);
        threads *= atomic_load(&team.inner);
        if (threads > file->threads)
                file->threads = threads;
        double work_ns = (double)atomic_exchange(&team.work_ns, 0);
        int64_t from_ns = team.fork_ns > file->meter.start_ns ? team.fork_ns : file->meter.start_ns;
        if (file->meter.last_ns > from_ns) {
                if (single.depth == 0)
                        count_region(file, 1, from_ns, file->meter.last_ns);
                if (work_ns > 0)
                        meter_team(&file->meter, from_ns, file->meter.last_ns, work_ns);
        }
        leave_region(file);
}

static void begin_single(void)
{
        if (!rank_measured || self.depth > 0 || single.depth++ > 0)
                return;
        single.begin_ns = cost_is_next(&single.sample) ? rank_wall_ns() : 0;
        if (single.since_ns == 0)
                single.since_ns = single.begin_ns;
}

/* It stands for those since the one before. */
static void time_single(struct rank_file *file, int64_t now_ns)
{
        struct cost *sample = &single.sample;
        double weight = sample->weight > 0 ? (double)sample->weight : 1;
        if (file && single.begin_ns >= file->meter.start_ns) {
                count_region(file, weight, single.begin_ns, now_ns);
                file->single_ns += weight * (double)(now_ns - single.begin_ns);
        }
        cost_add(sample, now_ns - single.begin_ns);
        single.count++;
        if ((single.count - SINGLES_SPARE) * READINGS_NS * SINGLES_PART < now_ns - single.since_ns)
                sample->left = sample->weight = 0;
}

static void end_single(void)
{
        if (rank_measured && self.depth == 0 && single.depth > 0 && --single.depth == 0 &&
            single.begin_ns != 0)
                time_single(rank_self.file, rank_wall_ns());
}

/* ---- All threads ---- */

static void start_part(void)
{
        if (self.depth++ > 0)
                resume_part();
        else if (rank_measured)
                go(METER_OUT);
        else
                begin_stretch();
}

static void stop_part(void)
{
        if (--self.depth > 0)
                pause_part();
        else if (rank_measured)
                go(METER_TEAM);
        else if (self.works)
                end_stretch();
}

/* Its part waits, or is over. */
static void begin_task(void)
{
        self.depth++;
        if (rank_measured)
                go(METER_OUT);
        else if (!self.works)
                begin_stretch();
}

static void end_task(void)
{
        self.depth--;
        if (rank_measured)
                go(METER_TEAM);
        else if (self.works)
                end_stretch();
}

static void note_tasks(void)
{
        if (rank_self.file)
                rank_self.file->team_tasks = 1;
}

const struct openmp_guest openmp_guest = {
        .wanted = is_wanted,
        .meant = is_meant,
        .fork = fork_team,
        .join = join_team,
        .start = start_part,
        .stop = stop_part,
        .pause = pause_part,
        .resume = resume_part,
        .task_begin = begin_task,
        .task_end = end_task,
        .tasks_unseen = note_tasks,
        .single_begin = begin_single,
        .single_end = end_single,
};
