/* SPDX-License-Identifier: BSD-3-Clause */
#define _DEFAULT_SOURCE /* MAP_ANONYMOUS */
/*
 * Several processes do all that a core manager allows, at random and as fast as they can, while
 * somebody who knows nothing of core managers watches: an array in which every process marks the
 * cores that it uses, and where it finds no other's mark.
 */
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/random.h"
#include "real/node/dlb.h"
#include "tests/real/node/node_world.h"

enum { NWORKER = 4, NCORE = 8, PATIENCE_S = 120, START_S = 5, HUNG_S = 2 };
static const int32_t owned[NWORKER] = { 3, 1, 2, 2 };

/* Shared by the test and its processes. */
struct watch {
        _Atomic int32_t mark[NCORE]; /* worker + 1; 0: nobody */
        _Atomic bool doomed[NWORKER];
        _Atomic bool stop;
        bool kills;              /* there will be */
        bool locks;              /* the manager has a lock that the dead may hold */
        _Atomic int64_t changes; /* that were allowed */
        char complaint[NWORKER][1200];
};

struct actor {
        struct watch *watch;
        const struct cores_type *type;
        struct board *board;
        struct cores *cores;
        int32_t number;
        bool using[NCORE];
        struct lb_random random;
        int64_t changes;
        bool wrong;
};

static void complain(struct actor *a, const char *what, int32_t core, int32_t found)
{
        if (!a->wrong)
                snprintf(a->watch->complaint[a->number], sizeof(a->watch->complaint[0]),
                         "worker %d, core %d: %s (%d)", (int)a->number, (int)core, what,
                         (int)found);
        a->wrong = true;
}

static int32_t some(struct actor *a, int32_t below)
{
        return (int32_t)lb_random_below(&a->random, (uint64_t)below);
}

/* The mark of one that was killed stays; it is no user. */
static void start_using(struct actor *a, int32_t core)
{
        int32_t found = atomic_exchange(&a->watch->mark[core], a->number + 1);
        if (found != 0 && !a->watch->doomed[found - 1])
                complain(a, "is in use by worker", core, found - 1);
        a->using[core] = true;
}

static void stop_using(struct actor *a, int32_t core)
{
        int32_t found = atomic_exchange(&a->watch->mark[core], 0);
        if (found != a->number + 1)
                complain(a, "was taken by worker", core, found - 1);
        a->using[core] = false;
}

/* --- what an actor does: each is tried on a random core or with a random number --- */

static void use(struct actor *a, int32_t core)
{
        if (!a->using[core] && a->type->usable(a->cores, core))
                start_using(a, core);
}

static void rest(struct actor *a, int32_t core)
{
        if (a->using[core])
                stop_using(a, core);
}

static void lend(struct actor *a, int32_t core)
{
        if (!a->using[core])
                a->changes += a->type->lend(a->cores, core) == CORES_DONE;
}

static void giveback(struct actor *a, int32_t core)
{
        if (!a->using[core])
                a->changes += a->type->giveback(a->cores, core) == CORES_DONE;
}

static void drop(struct actor *a, int32_t core)
{
        if (!a->using[core])
                a->changes += a->type->drop(a->cores, core) == CORES_DONE;
}

/* As a runtime does at the end of a task. */
static void boundary(struct actor *a, int32_t core)
{
        if (!a->type->must_return(a->cores, core))
                return;
        rest(a, core);
        giveback(a, core);
        if (a->type->must_return(a->cores, core))
                complain(a, "must still be returned", core, a->number);
}

/* What is listed is new and usable. */
static void take(struct actor *a, const int32_t *core, int32_t count)
{
        for (int32_t i = 0; i < count; i++) {
                if (a->using[core[i]] || !a->type->usable(a->cores, core[i]))
                        complain(a, "was listed and is not new", core[i], a->number);
                else
                        start_using(a, core[i]);
        }
        a->changes += count;
}

static void borrow(struct actor *a, int32_t max)
{
        int32_t core[NCORE];
        take(a, core, a->type->borrow(a->cores, max, core));
}

static void reclaim(struct actor *a, int32_t max)
{
        int32_t core[NCORE];
        take(a, core, a->type->reclaim(a->cores, max, core));
}

/* A core that came back may be in use already: usable() told so before. */
static void returned(struct actor *a, int32_t max)
{
        int32_t core[NCORE], count = a->type->returned(a->cores, max, core);
        for (int32_t i = 0; i < count; i++)
                if (!a->type->usable(a->cores, core[i]))
                        complain(a, "has returned and is not usable", core[i], a->number);
        a->changes += count;
}

static void claim(struct actor *a, int32_t max)
{
        int32_t core[NCORE], listed = 0, count = a->type->claim(a->cores, max, core);
        while (listed < max && core[listed] >= 0)
                listed++;
        if (listed > count)
                complain(a, "was listed and not claimed", core[listed - 1], count);
        take(a, core, listed);
}

static void check(struct actor *a, int32_t core)
{
        struct lb_error err;
        for (int32_t i = 0; i < NCORE; i++)
                if (a->using[i] && !a->type->usable(a->cores, i))
                        complain(a, "is in use and no longer usable", i, a->number);
        if (a->type->check(a->cores, &err) < 0)
                complain(a, err.text, core, a->number);
}

/* Who is alive is not buried by it. */
static void bury(struct actor *a, int32_t core)
{
        if (board_dead(a->board) >= 0)
                a->type->bury(a->cores, core % NWORKER);
}

typedef void (*action)(struct actor *a, int32_t core_or_count);
static const action actions[] = {
        use,      rest,   lend,    lend,  giveback, drop,     boundary,
        boundary, borrow, reclaim, claim, check,    returned, bury,
};

static void act(struct actor *a)
{
        while (!atomic_load(&a->watch->stop) && !a->wrong) {
                action todo = actions[some(a, sizeof(actions) / sizeof(actions[0]))];
                todo(a, some(a, NCORE));
        }
        for (int32_t core = 0; core < NCORE; core++)
                rest(a, core);
        atomic_fetch_add(&a->watch->changes, a->changes);
}

enum { EXCUSED = 4, HUNG = 5 };

/* DLB waits for ever for the lock of who was killed in a call. */
static void end_hung(const char *text)
{
        (void)text;
        _exit(HUNG);
}

/* Does a worker fail to start for a good reason: another was killed, before or after it came? */
static bool excused(const struct watch *watch, const struct lb_error *err)
{
        bool killed = false;
        for (int32_t w = 0; w < NWORKER; w++)
                killed = killed || watch->doomed[w];
        return killed && (strstr(err->text, "died while") || strstr(err->text, "is still empty"));
}

static int play(struct watch *watch, const struct cores_type *type, const char *job, int32_t number)
{
        struct lb_error err;
        struct actor a = { .watch = watch, .type = type, .number = number };
        const struct board_spec board = {
                .job = job, .nworker = NWORKER, .worker = number, .ncore = NCORE
        };
        lb_random_init(&a.random, 7, LB_RANDOM_TEST, (uint64_t)number);
        alarm(PATIENCE_S);
        a.board = board_open(&board, watch->kills ? START_S : PATIENCE_S, &err);
        if (!a.board)
                return excused(watch, &err) ? EXCUSED : 1;
        const struct cores_spec spec = { .board = a.board,
                                         .job = job,
                                         .ncore = NCORE,
                                         .nworker = NWORKER,
                                         .worker = number,
                                         .owned = owned,
                                         .hung = end_hung,
                                         .patience_s = HUNG_S };
        a.cores = type->open(&spec, &err);
        if (!a.cores)
                return excused(watch, &err) ? EXCUSED : 2;
        act(&a);
        type->close(a.cores);
        board_close(a.board);
        return a.wrong ? 3 : 0;
}

static struct watch *open_watch(void)
{
        struct watch *watch =
            mmap(NULL, sizeof(*watch), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
        assert_true(watch != MAP_FAILED);
        return watch;
}

static void start(pid_t *pid, struct watch *watch, const struct cores_type *type, const char *job)
{
        for (int32_t w = 0; w < NWORKER; w++) {
                pid[w] = fork();
                assert_true(pid[w] >= 0);
                if (pid[w] == 0)
                        _exit(play(watch, type, job, w));
        }
}

/* With DLB, which also ends who starts when its lock is held by the dead. */
static bool is_excuse(const struct watch *watch, int status)
{
        if (WIFEXITED(status) && WEXITSTATUS(status) == EXCUSED)
                return true;
        bool hung = WIFEXITED(status) && WEXITSTATUS(status) == HUNG;
        bool aborted = WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT;
        return watch->kills && watch->locks && (hung || aborted);
}

/* Who gave up at the start was not the last: those who were killed later leave what the next run
 * cleans. */
static void finish(const pid_t *pid, struct watch *watch, const char *job)
{
        bool gave_up = false;
        int hung = 0;
        watch->stop = true;
        for (int32_t w = 0; w < NWORKER; w++) {
                int status = -1;
                waitpid(pid[w], &status, 0);
                bool excuse = is_excuse(watch, status);
                gave_up = gave_up || excuse;
                hung += WIFEXITED(status) && WEXITSTATUS(status) == HUNG;
                if (status != 0 && !excuse && !watch->doomed[w])
                        fail_msg("worker %d: status %d: %s", (int)w, status, watch->complaint[w]);
        }
        if (gave_up)
                board_clean(NULL);
        dlb_segments_clean(job, -1); /* as lbrun does */
        assert_int_equal(world_segments(job), 0);
        if (hung > 0)
                printf("%s: a lock was held by the dead\n", job);
        munmap(watch, sizeof(*watch));
}

static void sleep_us(int64_t us)
{
        const struct timespec pause = { us / 1000000, us % 1000000 * 1000 };
        nanosleep(&pause, NULL);
}

/* The user of a core is unique at every instant, nobody loses a core that it uses, and something
 * happens. */
static void test_unique_user(void **state)
{
        char job[32];
        pid_t pid[NWORKER];
        struct watch *watch = open_watch();
        world_job(job);
        start(pid, watch, *state, job);
        sleep_us(2000000);
        watch->stop = true;
        for (int32_t w = 0; w < NWORKER; w++)
                waitid(P_PID, (id_t)pid[w], &(siginfo_t){ 0 }, WEXITED | WNOWAIT);
        assert_true(watch->changes > 1000);
        finish(pid, watch, job);
}

/* All but one are killed, each at a random moment (while starting, too), and the others go on, or
 * are told that they cannot; at the end all is gone. */
static void test_kills(void **state)
{
        struct lb_random random;
        bool locks = *state != &cores_builtin;
        lb_random_init(&random, 11, LB_RANDOM_TEST, 0);
        for (int round = 0; round < (locks ? 20 : 60); round++) {
                char job[32];
                pid_t pid[NWORKER];
                struct watch *watch = open_watch();
                int32_t survivor = (int32_t)lb_random_below(&random, NWORKER);
                watch->kills = true;
                watch->locks = locks;
                world_job(job);
                start(pid, watch, *state, job);
                for (int32_t w = 0; w < NWORKER; w++) {
                        sleep_us((int64_t)lb_random_below(&random, round % 2 ? 2000 : 20000));
                        if (w == survivor)
                                continue;
                        watch->doomed[w] = true;
                        kill(pid[w], SIGKILL);
                        waitid(P_PID, (id_t)pid[w], &(siginfo_t){ 0 },
                               WEXITED | (round % 3 ? 0 : WNOWAIT)); /* it stays a zombie */
                }
                sleep_us(5000);
                finish(pid, watch, job);
        }
}

int main(int argc, char **argv)
{
        const struct cores_type *type = world_manager(argc, argv);
        const struct CMUnitTest tests[] = {
                cmocka_unit_test_prestate(test_unique_user, (void *)type),
                cmocka_unit_test_prestate(test_kills, (void *)type),
        };
        return type ? cmocka_run_group_tests(tests, NULL, NULL) : WORLD_SKIP;
}
