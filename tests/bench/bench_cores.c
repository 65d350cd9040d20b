/* SPDX-License-Identifier: BSD-3-Clause */
#define _GNU_SOURCE /* affinity */
/*
 * The core managers: how long after a worker has acted another one sees it. Two processes, pinned
 * to two cores of the machine where it has them, which share a node of CORES cores.
 *
 *   bench_cores [CORES]
 *
 * Prints median and 90th percentile, from before the call of the one to after the call of the other
 * that succeeds, and then what single calls cost: of the built-in manager and, where LBRUN_DLB_LIB
 * names one, of DLB, in the same run.
 */
#include <errno.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "real/node/board.h"
#include "real/node/cores.h"
#include "real/node/dlb.h"

enum { NSAMPLE = 2000, NCALL = 1000000, CORES_MAX = 1024, SETTLE_NS = 3000, ASLEEP_NS = 150000 };

/* Shared by both processes. */
struct meeting {
        _Atomic int64_t step; /* both count their steps: 4 a sample */
        _Atomic int64_t acted_ns;
        _Atomic int64_t seen_ns[NSAMPLE];
};

struct side {
        struct meeting *meeting;
        struct board *board;
        struct cores *cores;
        int32_t worker, core; /* the core that moves: the last of the first worker's */
        int64_t step;
        bool is_back;
};

/* What is measured: `act` by the first worker, `see` by the second until it returns true; then both
 * undo it, the second one first. */
struct row {
        const char *name;
        bool asleep; /* the second sleeps until it is woken */
        void (*prepare)(struct side *first);
        void (*follow)(struct side *second);
        void (*act)(struct side *first);
        bool (*see)(struct side *second);
        void (*clear)(struct side *second);
        void (*undo)(struct side *first);
};

enum { NMANAGER = 2, NROW = 4, NCALLS = 5 };
static const struct cores_type *const managers[NMANAGER] = { &cores_builtin, &cores_dlb };
static const struct cores_type *type; /* the one that is measured */

static struct {
        double median_us[NROW], p90_us[NROW], call_ns[NCALLS];
} results[NMANAGER];

static int64_t now_ns(void)
{
        struct timespec t;
        clock_gettime(CLOCK_MONOTONIC, &t);
        return t.tv_sec * INT64_C(1000000000) + t.tv_nsec;
}

static void must(bool done, const char *what)
{
        if (done)
                return;
        fprintf(stderr, "bench_cores: %s: '%s' failed\n", type ? type->name : "", what);
        exit(1);
}

/* Both processes count steps together. */
static void await(struct side *s, int64_t step)
{
        while (atomic_load(&s->meeting->step) < step)
                ;
}

static void step_on(struct side *s)
{
        atomic_fetch_add(&s->meeting->step, 1);
}

/* --- what the rows do --- */

static void nothing(struct side *s)
{
        (void)s;
}

static void lend(struct side *s)
{
        must(type->lend(s->cores, s->core) == CORES_DONE, "lend");
}

static bool borrow(struct side *s)
{
        int32_t core;
        return type->borrow(s->cores, 1, &core) == 1;
}

static void borrow_now(struct side *s)
{
        must(borrow(s), "borrow");
}

static void giveback(struct side *s)
{
        must(type->giveback(s->cores, s->core) == CORES_DONE, "give back");
}

static void take_back(struct side *s)
{
        int32_t core;
        must(type->reclaim(s->cores, 1, &core) == 1, "reclaim");
}

/* The borrower may return it before this call does. */
static void ask_back(struct side *s)
{
        int32_t core;
        s->is_back = type->reclaim(s->cores, 1, &core) == 1;
}

static bool must_return(struct side *s)
{
        return type->must_return(s->cores, s->core);
}

static void take_returned(struct side *s)
{
        int32_t core;
        must(s->is_back || type->returned(s->cores, 1, &core) == 1, "take returned");
}

static void drop(struct side *s)
{
        must(type->drop(s->cores, s->core) == CORES_DONE, "drop");
}

static bool claim(struct side *s)
{
        int32_t core;
        return type->claim(s->cores, 1, &core) == 1;
}

static void claim_now(struct side *s)
{
        must(claim(s), "claim");
}

static const struct row rows[NROW] = {
        { "lend to borrow, both polling", false, nothing, nothing, lend, borrow, giveback,
          take_back },
        { "lend to borrow, borrower asleep", true, nothing, nothing, lend, borrow, giveback,
          take_back },
        { "reclaim to seen by the borrower", false, lend, borrow_now, ask_back, must_return,
          giveback, take_returned },
        { "drop to claimed by the new owner", false, nothing, nothing, drop, claim, drop,
          claim_now },
};

/* --- the two sides of a sample --- */

static void wait_ns(int64_t ns)
{
        int64_t until = now_ns() + ns;
        while (now_ns() < until)
                ;
}

static void lead(struct side *s, const struct row *row)
{
        row->prepare(s);
        step_on(s);
        await(s, s->step + 2);
        wait_ns(row->asleep ? ASLEEP_NS : SETTLE_NS);
        s->meeting->acted_ns = now_ns();
        row->act(s);
        await(s, s->step + 3);
        row->undo(s);
        step_on(s);
        s->step += 4;
}

static void sleep_until_seen(struct side *s, const struct row *row)
{
        for (;;) {
                uint32_t ticket = board_ticket(s->board);
                if (row->see(s))
                        return;
                board_wait(s->board, ticket, -1);
        }
}

static void follow(struct side *s, const struct row *row, int sample)
{
        await(s, s->step + 1);
        row->follow(s);
        board_worker(s->board, s->worker)->ready = row->asleep;
        step_on(s);
        if (row->asleep)
                sleep_until_seen(s, row);
        else
                while (!row->see(s))
                        ;
        s->meeting->seen_ns[sample] = now_ns() - s->meeting->acted_ns;
        row->clear(s);
        step_on(s);
        await(s, s->step + 4);
        s->step += 4;
}

/* --- both processes --- */

static void pin(int cpu)
{
        cpu_set_t set;
        CPU_ZERO(&set);
        CPU_SET((unsigned)cpu, &set);
        if (sched_setaffinity(0, sizeof(set), &set) < 0)
                fprintf(stderr, "bench_cores: cannot pin to core %d: %s\n", cpu, strerror(errno));
}

static void open_side(struct side *s, const char *job, int32_t worker, int32_t ncore)
{
        struct lb_error err;
        const int32_t owned[] = { ncore / 2, ncore - ncore / 2 };
        const struct board_spec board = {
                .job = job, .nworker = 2, .worker = worker, .ncore = ncore
        };
        pin(worker);
        alarm(300); /* where the other one has failed, this one would wait for ever */
        s->worker = worker;
        s->core = owned[0] - 1;
        s->board = board_open(&board, 60, &err);
        const struct cores_spec spec = { .board = s->board,
                                         .job = job,
                                         .ncore = ncore,
                                         .nworker = 2,
                                         .worker = worker,
                                         .owned = owned };
        if (s->board)
                s->cores = type->open(&spec, &err);
        if (s->board && s->cores)
                return;
        fprintf(stderr, "bench_cores: %s\n", err.text);
        exit(1);
}

static void close_side(struct side *s)
{
        type->close(s->cores);
        board_close(s->board);
}

static int by_size(const void *a, const void *b)
{
        int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
        return (x > y) - (x < y);
}

static void note_row(int manager, int row, const struct meeting *meeting)
{
        static int64_t sorted[NSAMPLE];
        for (int i = 0; i < NSAMPLE; i++)
                sorted[i] = meeting->seen_ns[i];
        qsort(sorted, NSAMPLE, sizeof(sorted[0]), by_size);
        results[manager].median_us[row] = (double)sorted[NSAMPLE / 2] * 1e-3;
        results[manager].p90_us[row] = (double)sorted[NSAMPLE * 9 / 10] * 1e-3;
}

static void run_first(struct side *s, int manager)
{
        for (int r = 0; r < NROW; r++) {
                for (int i = 0; i < NSAMPLE; i++)
                        lead(s, &rows[r]);
                note_row(manager, r, s->meeting);
        }
}

static void run_second(struct side *s)
{
        for (int r = 0; r < NROW; r++)
                for (int i = 0; i < NSAMPLE; i++)
                        follow(s, &rows[r], i);
}

/* --- single calls --- */

static void lend_and_take_back(struct side *s)
{
        lend(s);
        take_back(s);
}

static void borrow_in_vain(struct side *s)
{
        borrow(s);
}

static void look_usable(struct side *s)
{
        type->usable(s->cores, s->core);
}

static void look_dead(struct side *s)
{
        board_dead(s->board);
}

static void wake_awake(struct side *s)
{
        board_wake(s->board, 0);
}

static const struct {
        const char *name;
        void (*call)(struct side *s);
} calls[NCALLS] = {
        { "lend and reclaim", lend_and_take_back },
        { "borrow, nothing there", borrow_in_vain },
        { "usable", look_usable },
        { "wake, nobody asleep", wake_awake },
        { "look for the dead", look_dead },
};

static void measure_calls(struct side *s, int manager)
{
        for (int c = 0; c < NCALLS; c++) {
                int64_t begin = now_ns();
                for (int i = 0; i < NCALL; i++)
                        calls[c].call(s);
                results[manager].call_ns[c] = (double)(now_ns() - begin) / NCALL;
        }
}

/* --- both managers --- */

static void measure(int manager, int32_t ncore)
{
        char job[32];
        struct side side = { 0 };
        type = managers[manager];
        snprintf(job, sizeof(job), "bench-%d-%d", (int)getpid(), manager);
        side.meeting = mmap(NULL, sizeof(*side.meeting), PROT_READ | PROT_WRITE,
                            MAP_SHARED | MAP_ANONYMOUS, -1, 0);
        must(side.meeting != MAP_FAILED, "mmap");
        pid_t pid = fork();
        must(pid >= 0, "fork");
        open_side(&side, job, pid == 0, ncore);
        if (pid == 0) {
                run_second(&side);
                close_side(&side);
                _exit(0);
        }
        run_first(&side, manager);
        measure_calls(&side, manager);
        close_side(&side);
        waitpid(pid, NULL, 0);
        munmap(side.meeting, sizeof(*side.meeting));
}

static void print_results(int nmanager, int32_t ncore)
{
        char title[64];
        snprintf(title, sizeof(title), "us, node of %d cores", (int)ncore);
        printf("%-34s", title);
        for (int m = 0; m < nmanager; m++)
                printf(" %8s %8s", managers[m]->name, "p90");
        for (int r = 0; r < NROW; r++) {
                printf("\n%-34s", rows[r].name);
                for (int m = 0; m < nmanager; m++)
                        printf(" %8.2f %8.2f", results[m].median_us[r], results[m].p90_us[r]);
        }
        printf("\n\n%-34s", "ns a call, one process at work");
        for (int c = 0; c < NCALLS; c++) {
                printf("\n%-34s", calls[c].name);
                for (int m = 0; m < nmanager; m++)
                        printf(" %8.1f %8s", results[m].call_ns[c], "");
        }
        printf("\n");
}

int main(int argc, char **argv)
{
        int32_t ncore = argc > 1 ? (int32_t)strtol(argv[1], NULL, 10) : 8;
        int nmanager = getenv("LBRUN_DLB_LIB") ? NMANAGER : 1;
        if (ncore < 4 || ncore > (nmanager > 1 ? DLB_CORES_MAX : CORES_MAX)) {
                fprintf(stderr, "bench_cores: %s cores: must be 4 to %d\n", argv[1],
                        nmanager > 1 ? DLB_CORES_MAX : CORES_MAX);
                return 2;
        }
        for (int m = 0; m < nmanager; m++)
                measure(m, ncore);
        print_results(nmanager, ncore);
        return 0;
}
