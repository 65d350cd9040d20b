/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The small parts of a node: which core manager is chosen, what is wrong with a start or with a
 * table of cores, whether a process is still the one it was, what a rank lets its keeper see, who
 * is counted as asleep.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "real/node/board.h"
#include "real/node/cores_impl.h"
#include "real/node/dlb.h"
#include "real/node/estate.h"
#include "real/node/futex.h"
#include "real/node/lifeline.h"
#include "real/node/process.h"
#include "tests/real/node/node_world.h"

enum { NCORE = 4 };
static const char *program;

/* ---- Core managers ---- */

/* A node of one worker. */
struct node {
        char job[32];
        struct board *board;
        struct cores_spec spec;
};
static const int32_t all_cores[1] = { NCORE };

static void node_open(struct node *node)
{
        struct lb_error err;
        world_job(node->job);
        node->board = board_open(
            &(struct board_spec){
                .job = node->job, .node = 3, .nworker = 1, .worker = 0, .ncore = NCORE },
            60, &err);
        if (!node->board)
                fail_msg("%s", err.text);
        node->spec = (struct cores_spec){ .board = node->board,
                                          .job = node->job,
                                          .node = 3,
                                          .ncore = NCORE,
                                          .nworker = 1,
                                          .worker = 0,
                                          .owned = all_cores };
}

static void node_close(struct node *node)
{
        board_close(node->board);
        assert_int_equal(world_segments(node->job), 0);
}

/* DLB where it is asked for and there; else the built-in manager, with a note to who asked. */
static void test_choose(void **state)
{
        (void)state;
        static const char note[] =
            "node 3: cores are managed by the built-in manager, not by DLB: ";
        static const struct {
                enum cores_by by;
                bool named; /* a library that is not there */
                bool noted;
        } rows[] = {
                { CORES_BY_BUILTIN, true, false }, { CORES_BY_DLB, true, true },
                { CORES_BY_AUTO, true, true },     { CORES_BY_DLB, false, true },
                { CORES_BY_AUTO, false, false },
        };
        for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
                struct cores_choice choice;
                struct lb_error err;
                struct dlb_probe probe;
                struct node node;
                unsetenv("LBRUN_DLB_LIB");
                dlb_probe(&probe);
                if (!rows[i].named && probe.path[0])
                        continue; /* it is there, on this machine */
                if (rows[i].named)
                        setenv("LBRUN_DLB_LIB", "/nowhere/libdlb.so", 1);
                node_open(&node);
                node.spec.beside = (int32_t)i; /* one more board of node 3 */
                assert_int_equal(cores_choose(&choice, rows[i].by, &node.spec, &err), 0);
                assert_ptr_equal(choice.type, &cores_builtin);
                if (rows[i].noted)
                        assert_int_equal(strncmp(choice.note, note, strlen(note)), 0);
                else
                        assert_string_equal(choice.note, "");
                choice.type->close(choice.cores);
                node_close(&node);
        }
        unsetenv("LBRUN_DLB_LIB");
}

/* What does not fit the board is refused by both managers, and by whoever chooses. */
static void test_bad_start(void **state)
{
        (void)state;
        static const int32_t few[1] = { NCORE - 1 }, none[1] = { 0 };
        static const struct {
                int32_t ncore, worker;
                const int32_t *owned;
                const char *message;
        } rows[] = {
                { NCORE, 0, none, "worker 0 of node 3 owns 0 cores: must own at least one" },
                { NCORE, 0, few, "workers of node 3 own 3 cores together: must be all 4" },
                { NCORE - 1, 0, few, "worker 0 of 1 with 3 cores: the board has 0 of 1 with 4" },
                { NCORE, 1, all_cores, "worker 1 of 1 with 4 cores: the board has 0 of 1 with 4" },
        };
        struct node node;
        node_open(&node);
        for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
                struct cores_spec spec = node.spec;
                struct cores_choice choice;
                struct lb_error err;
                spec.ncore = rows[i].ncore;
                spec.worker = rows[i].worker;
                spec.owned = rows[i].owned;
                assert_null(cores_builtin.open(&spec, &err));
                assert_non_null(strstr(err.text, rows[i].message));
                assert_int_equal(cores_choose(&choice, CORES_BY_AUTO, &spec, &err), -1);
                assert_non_null(strstr(err.text, rows[i].message));
        }
        node_close(&node);
}

/* Every way in which a table of cores can be broken is found. */
static void test_bad_table(void **state)
{
        (void)state;
        const uint64_t good = core_pack((struct core){ 0, 0, false, false });
        const struct {
                uint64_t word;
                const char *message;
        } rows[] = {
                { 0, "core 2: no such state: 0" },
                { good | UINT64_C(1) << 40, "core 2: no such state: " },
                { core_pack((struct core){ 1, 0, false, false }), "no such state" },
                { core_pack((struct core){ 0, 5, false, false }), "no such state" },
                { core_pack((struct core){ 0, CORE_NOBODY, true, false }),
                  "core 2 is asked back: owner 0 and user -1 must be " },
                { core_pack((struct core){ CORE_NOBODY, 0, false, false }),
                  "worker 0 owns 3 and borrows 1 cores, and tells 4 and 0" },
        };
        struct lb_error err;
        struct node node;
        node_open(&node);
        struct cores *cores = cores_builtin.open(&node.spec, &err);
        assert_non_null(cores);
        assert_int_equal(cores_builtin.check(cores, &err), 0);
        for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
                atomic_store(&cores->table.word[2], rows[i].word);
                assert_int_equal(cores_builtin.check(cores, &err), -1);
                if (!strstr(err.text, rows[i].message))
                        fail_msg("row %zu: %s", i, err.text);
                atomic_store(&cores->table.word[2], good);
        }
        for (int32_t c = 0; c < NCORE; c++)
                atomic_store(&cores->table.word[c],
                             core_pack((struct core){ CORE_NOBODY, CORE_NOBODY, false, false }));
        assert_int_equal(cores_builtin.check(cores, &err), -1);
        assert_string_equal(err.text, "worker 0 owns no core");
        assert_false(cores_bury(cores, 0, core_leave)); /* it lives */
        assert_false(cores_bury(cores, 1, core_leave)); /* there is none */
        assert_false(cores_bury(cores, -1, core_leave));
        cores_builtin.close(cores);
        node_close(&node);
}

/* ---- Processes ---- */

/* Known by number and start; one that was killed is gone, even before its parent has waited. */
static void test_process(void **state)
{
        (void)state;
        struct process self = process_self();
        assert_int_equal(self.pid, getpid());
        assert_true(process_alive(&self));
        struct process other = { .pid = self.pid, .start_ticks = self.start_ticks + 1 };
        assert_false(process_alive(&other)); /* the number is used again */
        assert_int_equal(process_watch(&other), -1);
        other.pid = INT32_MAX;
        assert_false(process_alive(&other));

        int told[2];
        struct process child;
        assert_int_equal(pipe(told), 0);
        pid_t pid = fork();
        if (pid == 0) {
                child = process_self();
                if (write(told[1], &child, sizeof(child)) < 0)
                        _exit(1);
                pause();
                _exit(0);
        }
        assert_int_equal(read(told[0], &child, sizeof(child)), sizeof(child));
        assert_int_equal(child.pid, pid);
        assert_true(process_alive(&child));
        int fd = process_watch(&child);
        struct pollfd watch = { .fd = fd, .events = POLLIN };
        if (fd >= 0)
                assert_int_equal(poll(&watch, 1, 0), 0);
        kill(pid, SIGKILL);
        if (fd >= 0) {
                assert_int_equal(poll(&watch, 1, 60000), 1);
                assert_false(process_alive(&child));
                close(fd);
        }
        waitpid(pid, NULL, 0);
        assert_false(process_alive(&child));
        assert_int_equal(process_watch(&child), -1);
        close(told[0]);
        close(told[1]);
}

/* ---- Lifelines ---- */

/* What the program does that has a lifeline, or, with another's number, has not. */
static int live(bool watched)
{
        if (lifeline_is_watched() != watched || getenv("LBRUN_LIFELINE"))
                return 2;
        lifeline_reach(LIFE_RUNS);
        lifeline_reach(LIFE_INIT); /* an earlier one: ignored */
        pid_t child = fork();
        if (child == 0) /* is no rank */
                _exit(lifeline_is_watched());
        int status;
        if (waitpid(child, &status, 0) != child || status != 0)
                return 3;
        lifeline_foretell(9);
        lifeline_foretell(11); /* the first counts */
        return 0;
}

static pid_t start(int fd, const char *how)
{
        char text[64];
        pid_t pid = fork();
        if (pid == 0) {
                lifeline_pass(fd);
                if (strcmp(how, "inherited") == 0) {
                        snprintf(text, sizeof(text), "%d:%d", (int)getpid() + 1, fd);
                        setenv("LBRUN_LIFELINE", text, 1); /* of another process */
                }
                execl(program, program, how, (char *)NULL);
                _exit(127);
        }
        return pid;
}

static void test_lifeline(void **state)
{
        (void)state;
        int fd, status;
        struct lifeline *line = lifeline_create(&fd);
        assert_non_null(line);
        assert_true(fd >= 0 && atomic_load(&line->pid) == 0);
        signal(SIGCHLD, SIG_DFL);
        pid_t pid = start(fd, "live");
        alarm(60);
        while (atomic_load(&line->end) == 0 && waitpid(pid, &status, WNOHANG) == 0)
                poll(NULL, 0, 5);
        assert_int_equal(atomic_load(&line->end), 10);
        lifeline_told(line);
        assert_int_equal(waitpid(pid, &status, 0), pid);
        alarm(0);
        assert_int_equal(status, 0);
        assert_int_equal(atomic_load(&line->pid), pid);
        assert_int_equal(atomic_load(&line->stage), LIFE_RUNS);
        assert_int_equal(atomic_load(&line->end), 10);
        close(fd);
}

/* No descriptor, and a variable that was inherited: nobody looks. */
static void test_no_lifeline(void **state)
{
        (void)state;
        static const char *const how[] = { "alone", "inherited" };
        int fd, status;
        struct lifeline *line = lifeline_create(&fd);
        assert_non_null(line);
        for (int i = 0; i < 2; i++) {
                pid_t pid = start(i == 0 ? -1 : fd, how[i]);
                assert_int_equal(waitpid(pid, &status, 0), pid);
                assert_int_equal(status, 0);
        }
        assert_int_equal(atomic_load(&line->pid), 0);
        close(fd);
        assert_false(lifeline_is_watched());
        assert_int_equal(atomic_load(&lifeline_own()->stage), LIFE_NONE);
        lifeline_reach(LIFE_START);
        assert_int_equal(atomic_load(&lifeline_own()->stage), LIFE_START);
}

/* ---- Estates ---- */

enum { ROWS = 300000 };

static void leave_estate(int fd, bool too_much)
{
        double *rows = NULL;
        estate_attach(fd);
        struct estate *own = estate_own();
        for (size_t count = 64, before = 0; before < ROWS; before = count, count *= 2) {
                rows = estate_realloc(ESTATE_ROWS, rows, before * sizeof(*rows),
                                      count * sizeof(*rows));
                for (size_t i = before; rows && i < count && i < ROWS; i++)
                        rows[i] += (double)i;
        }
        int *figure = estate_realloc(ESTATE_FIGURES, NULL, 0, sizeof(*figure));
        *figure = 4711;
        if (too_much)
                figure = estate_realloc(ESTATE_FIGURES, figure, sizeof(*figure), 100000);
        bool kept = rows && figure && *figure == 4711 && (!too_much || figure[24999] == 0);
        atomic_store(&own->bytes[ESTATE_ROWS], (int64_t)(ROWS * sizeof(*rows)));
        atomic_store(&own->bytes[ESTATE_FIGURES], (int64_t)sizeof(*figure));
        atomic_store(&own->worker, kept ? 3 : 0);
        raise(kept ? SIGKILL : SIGTERM);
}

static void die_with_estate(int fd, bool too_much)
{
        int status;
        pid_t pid = fork();
        if (pid == 0)
                leave_estate(fd, too_much);
        assert_int_equal(waitpid(pid, &status, 0), pid);
        assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
}

/* What a rank has written is there after its death, also where that memory has moved. */
static void test_estate(void **state)
{
        (void)state;
        int fd, figure;
        struct estate_copy copy;
        assert_non_null(lifeline_create(&fd));
        assert_int_equal(estate_read(&copy, fd), -1); /* nobody has been there */
        die_with_estate(fd, false);
        assert_int_equal(estate_read(&copy, fd), 0);
        assert_int_equal(atomic_load(&copy.head.worker), 3);
        assert_int_equal(atomic_load(&copy.head.bytes[ESTATE_ROWS]), ROWS * sizeof(double));
        const double *rows = copy.part[ESTATE_ROWS];
        for (int i = 0; i < ROWS; i++)
                if (rows[i] < i || rows[i] > i)
                        fail_msg("row %d is %g", i, rows[i]);
        memcpy(&figure, copy.part[ESTATE_FIGURES], sizeof(figure));
        assert_int_equal(figure, 4711);

        /* as it is sent from another node: all of it, or nothing */
        struct estate_copy sent;
        size_t size = estate_packed(&copy);
        char *bytes = malloc(size);
        assert_non_null(bytes);
        estate_pack(&copy, bytes);
        assert_int_equal(estate_unpack(&sent, bytes, size - 1), -1);
        assert_int_equal(estate_unpack(&sent, bytes, sizeof(int)), -1);
        assert_int_equal(estate_unpack(&sent, bytes, size), 0);
        assert_memory_equal(sent.part[ESTATE_ROWS], rows, ROWS * sizeof(double));
        estate_release(&sent);
        free(bytes);
        estate_release(&copy);
        close(fd);
        assert_int_equal(estate_read(&copy, fd), -1);
}

/* What has no room there is the rank's own memory, and nobody takes the rest for all. */
static void test_estate_void(void **state)
{
        (void)state;
        int fd;
        struct estate_copy copy;
        assert_non_null(lifeline_create(&fd));
        die_with_estate(fd, true);
        assert_int_equal(estate_read(&copy, fd), -1);
        close(fd);
        double *own = estate_realloc(ESTATE_ROWS, NULL, 0, 800);
        assert_non_null(own);
        own = estate_realloc(ESTATE_ROWS, own, 800, 80000);
        assert_true(own[0] <= 0 && own[9999] <= 0);
        estate_free(ESTATE_ROWS, own);
}

/* ---- Sleepers ---- */

static struct futex place;

static void *sleep_there(void *ticket)
{
        futex_sleep(&place, *(uint32_t *)ticket, -1);
        return NULL;
}

/* Whoever was asleep is counted out once: by the waker, or by itself where its time was over, or
 * where a wake came before it slept. */
static void test_sleepers_counted(void **state)
{
        (void)state;
        for (int i = 0; i < 200; i++) {
                pthread_t thread;
                uint32_t ticket = futex_ticket(&place);
                assert_int_equal(pthread_create(&thread, NULL, sleep_there, &ticket), 0);
                for (int k = 0; k < i % 4; k++)
                        nanosleep(&(struct timespec){ .tv_nsec = 100000 }, NULL);
                futex_wake(&place);
                futex_wake(&place);
                pthread_join(thread, NULL);
                assert_int_equal(atomic_load(&place.sleepers), 0);
        }
        futex_sleep(&place, futex_ticket(&place), 1000);
        assert_int_equal(atomic_load(&place.sleepers), 0);
}

int main(int argc, char **argv)
{
        program = argv[0];
        if (argc > 1)
                return live(strcmp(argv[1], "live") == 0);
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(test_choose),           cmocka_unit_test(test_bad_start),
                cmocka_unit_test(test_bad_table),        cmocka_unit_test(test_process),
                cmocka_unit_test(test_lifeline),         cmocka_unit_test(test_no_lifeline),
                cmocka_unit_test(test_estate),           cmocka_unit_test(test_estate_void),
                cmocka_unit_test(test_sleepers_counted),
        };
        return cmocka_run_group_tests(tests, NULL, NULL);
}
