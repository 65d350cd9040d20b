/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * DLB as it should not be: every way in which the library can be absent, wrong, broken or in use
 * otherwise ends in one clear line, and all workers of the node on the built-in manager. With the
 * stand-in, whose folder is the only argument.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "real/node/dlb.h"
#include "tests/real/node/node_world.h"

enum { NWORKER = 3, PATIENCE_S = 60, HUNG = 5 };

static const char *folder; /* of the stand-ins */

/* What the workers of a node found, shared by their processes. */
struct found {
        struct {
                bool dlb, works;
                char note[1100];
        } worker[NWORKER];
};

/* ---- A node of which each worker chooses ---- */

struct attempt {
        const char *library; /* file in the folder, or NULL: LBRUN_DLB_LIB is not set */
        const char *quirk, *version, *arguments; /* or NULL */
        enum cores_by by;
        int32_t ncore;
        const char *message; /* NULL: DLB is used; "": it is not, and nothing is said */
};

static void set(const char *name, const char *value)
{
        if (value)
                setenv(name, value, 1);
        else
                unsetenv(name);
}

static void set_environment(const struct attempt *a)
{
        char path[1024];
        snprintf(path, sizeof(path), "%s/%s", folder, a->library ? a->library : "");
        set("LBRUN_DLB_LIB", a->library ? path : NULL);
        set("LB_DLB_QUIRK", a->quirk);
        set("LB_DLB_VERSION", a->version);
        set("DLB_ARGS", a->arguments);
}

static void end_hung(const char *text)
{
        fprintf(stderr, "%s\n", text);
        _exit(strstr(text, "killed while it held DLB's lock") ? HUNG : 1);
}

static bool lends_and_takes_back(const struct cores_type *type, struct cores *cores, int32_t core)
{
        int32_t list[4];
        bool done = type->lend(cores, core) == CORES_DONE;
        return done && type->reclaim(cores, 4, list) == 1 && list[0] == core &&
               type->drop(cores, core) == CORES_DONE && type->claim(cores, 1, list) == 1;
}

static bool open_worker(const struct attempt *a, const char *job, int32_t number,
                        struct board **board, struct cores_choice *choice)
{
        struct lb_error err;
        const int32_t owned[NWORKER] = { 2, 2, a->ncore - 4 };
        const struct board_spec board_spec = {
                .job = job, .nworker = NWORKER, .worker = number, .ncore = a->ncore
        };
        set_environment(a);
        alarm(PATIENCE_S);
        *board = board_open(&board_spec, PATIENCE_S, &err);
        const struct cores_spec spec = { .board = *board,
                                         .job = job,
                                         .ncore = a->ncore,
                                         .nworker = NWORKER,
                                         .worker = number,
                                         .owned = owned,
                                         .hung = end_hung,
                                         .patience_s = 0.2 };
        return *board && cores_choose(choice, a->by, &spec, &err) == 0;
}

/* What a worker does; returns its exit code. */
typedef int (*part)(const struct attempt *a, const char *job, int32_t number, struct found *found);

static int try_out(const struct attempt *a, const char *job, int32_t number, struct found *found)
{
        struct board *board;
        struct cores_choice choice;
        if (!open_worker(a, job, number, &board, &choice))
                return 1;
        found->worker[number].dlb = choice.type == &cores_dlb;
        memcpy(found->worker[number].note, choice.note, sizeof(choice.note));
        found->worker[number].works =
            number != 1 || lends_and_takes_back(choice.type, choice.cores, 3);
        choice.type->close(choice.cores);
        board_close(board);
        return 0;
}

static int call_until_hung(const struct attempt *a, const char *job, int32_t number,
                           struct found *found)
{
        (void)found;
        int32_t list[4];
        struct board *board;
        struct cores_choice choice;
        if (!open_worker(a, job, number, &board, &choice))
                return 1;
        for (int i = 0; i < 4; i++) {
                choice.type->lend(choice.cores, 2 * number);
                choice.type->reclaim(choice.cores, 4, list);
        }
        return 2;
}

static void run(const struct attempt *a, part play, struct found *found, int *status)
{
        char job[32];
        pid_t pid[NWORKER];
        world_job(job);
        for (int32_t w = 0; w < NWORKER; w++) {
                pid[w] = fork();
                assert_true(pid[w] >= 0);
                if (pid[w] == 0)
                        _exit(play(a, job, w, found));
        }
        for (int32_t w = 0; w < NWORKER; w++)
                waitpid(pid[w], &status[w], 0);
        if (play == call_until_hung)
                board_clean(job); /* as lbrun does */
        assert_int_equal(world_segments(job), 0);
}

static struct found *open_found(void)
{
        struct found *found =
            mmap(NULL, sizeof(*found), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
        assert_true(found != MAP_FAILED);
        return found;
}

static void check_note(const struct attempt *a, const char *note)
{
        if (!a->message || !a->message[0]) {
                assert_string_equal(note, "");
                return;
        }
        if (!strstr(note, a->message))
                fail_msg("'%s' lacks '%s'", note, a->message);
        assert_null(strchr(note, '\n'));
}

static void check_attempt(const struct attempt *a)
{
        int status[NWORKER];
        struct found *found = open_found();
        run(a, try_out, found, status);
        for (int32_t w = 0; w < NWORKER; w++) {
                if (status[w] != 0 || !found->worker[w].works ||
                    found->worker[w].dlb != (a->message == NULL))
                        fail_msg("worker %d: status %d, DLB %d, works %d; %s %s, wanted '%s'",
                                 (int)w, status[w], found->worker[w].dlb, found->worker[w].works,
                                 a->library, a->quirk ? a->quirk : "",
                                 a->message ? a->message : "DLB");
                assert_true(w == 0 || found->worker[w].note[0] == '\0');
        }
        check_note(a, found->worker[0].note);
        munmap(found, sizeof(*found));
}

/* ---- Tests ---- */

/* Then some of what follows is otherwise here. */
static bool is_installed(void)
{
        return dlopen("libdlb.so", RTLD_NOW | RTLD_LOCAL) != NULL;
}

/* DLB is used where it works, and only if all of the node can: else nobody does, and worker 0 says
 * why, in one line. With auto nothing is said where none is there. */
static void test_choice(void **state)
{
        (void)state;
        static const struct attempt attempts[] = {
                { "libdlb.so", NULL, NULL, NULL, CORES_BY_DLB, 8, NULL },
                { "libdlb.so", NULL, "3.5.0", NULL, CORES_BY_AUTO, 8, NULL },
                { "libdlb.so", NULL, "4.0.0", NULL, CORES_BY_DLB, 255, NULL },
                { "libdlb.so", "pending", NULL, NULL, CORES_BY_DLB, 8, NULL },
                { "libdlb.so", NULL, NULL, NULL, CORES_BY_BUILTIN, 8, "" },
                { NULL, NULL, NULL, NULL, CORES_BY_AUTO, 8, "" },
                { NULL, NULL, NULL, NULL, CORES_BY_DLB, 8, "libdlb.so" },
                { "none.so", NULL, NULL, NULL, CORES_BY_DLB, 8, "LBRUN_DLB_LIB: " },
                { "none.so", NULL, NULL, NULL, CORES_BY_AUTO, 8, "LBRUN_DLB_LIB: " },
                { "libdlb-intels.so", NULL, NULL, NULL, CORES_BY_DLB, 8,
                  "libdlb-intels.so' is not the DLB of BSC: has no DLB_Init" },
                { "libdlb-old.so", NULL, NULL, NULL, CORES_BY_DLB, 8,
                  "is a DLB older than 3.5: has no DLB_GetVersion, needed is 3.5 or later" },
                { "libdlb.so", NULL, "3.4.1", NULL, CORES_BY_AUTO, 8,
                  "is DLB 3.4.1, needed is 3.5 or later" },
                { "libdlb-lacking.so", NULL, NULL, NULL, CORES_BY_DLB, 8,
                  "has no DLB_CheckCpuAvailability, which every DLB from 3.5 on has" },
                { "libdlb.so", "no-start", NULL, NULL, CORES_BY_DLB, 8,
                  "(3.7.0) does not start: DLB_ERR_PERM (-8)" },
                { "libdlb.so", "no-start-first", NULL, NULL, CORES_BY_AUTO, 8,
                  "(3.7.0) does not start: DLB_ERR_PERM (-8)" },
                { "libdlb.so", "few-cpus", NULL, NULL, CORES_BY_DLB, 8,
                  "counts 2 cores, must be the node's 8: it is built without hwloc" },
                { "libdlb.so", "mixed-versions", NULL, NULL, CORES_BY_DLB, 8,
                  "workers of node 0 have different versions of DLB" },
                { "libdlb.so", NULL, NULL, NULL, CORES_BY_DLB, 256,
                  "node 0 has 256 cores, DLB works for at most 255" },
                { "libdlb.so", NULL, NULL, "--no-lewi", CORES_BY_DLB, 8,
                  "DLB_ARGS: --lewi is 'no', must be 'yes'" },
                { "libdlb.so", NULL, NULL, "--quiet --mode=async", CORES_BY_DLB, 8,
                  "DLB_ARGS: --mode is 'async', must be 'polling'" },
                { "libdlb.so", NULL, NULL, "--shm-key=mine", CORES_BY_DLB, 8,
                  "DLB_ARGS: --shm-key is 'mine', must be 'lb" },
                { "libdlb.so", NULL, NULL, "--quiet=yes --lewi=yes", CORES_BY_DLB, 8, NULL },
        };
        for (size_t i = 0; i < sizeof(attempts) / sizeof(attempts[0]); i++)
                if (attempts[i].library || !is_installed())
                        check_attempt(&attempts[i]);
}

/* Who waits in DLB for ever is ended with a hint. */
static void test_hang(void **state)
{
        (void)state;
        static const struct attempt hang = {
                .library = "libdlb.so", .quirk = "hang", .by = CORES_BY_DLB, .ncore = 8
        };
        int status[NWORKER];
        run(&hang, call_until_hung, NULL, status);
        for (int32_t w = 0; w < NWORKER; w++) {
                assert_true(WIFEXITED(status[w]));
                assert_int_equal(WEXITSTATUS(status[w]), HUNG);
        }
}

static void make_file(const char *name)
{
        char path[1024];
        snprintf(path, sizeof(path), "/dev/shm/%s", name);
        FILE *file = fopen(path, "w");
        assert_non_null(file);
        fclose(file);
}

static bool take_file(const char *name)
{
        char path[1024];
        snprintf(path, sizeof(path), "/dev/shm/%s", name);
        return unlink(path) == 0;
}

/* Of DLB's segments only those of the job, and node, are removed; a job's name is not another's
 * beginning or end. */
static void test_segments(void **state)
{
        (void)state;
        char job[32], name[6][96];
        static const struct {
                const char *before, *after; /* the job in between */
                bool of_node, of_job;
        } rows[6] = {
                { "DLB_cpuinfo_lb", "_3", true, true },
                { "DLB_async_lb", "_3", true, true },
                { "DLB_cpuinfo_lb", "_33", false, true },
                { "DLB_cpuinfo_lb", "-1_3", false, false },
                { "DLB_cpuinfo_x", "_3", false, false },
                { "XDLB_cpuinfo_lb", "_3", false, false },
        };
        for (int all = 0; all < 2; all++) {
                int want = 0;
                world_job(job);
                for (int i = 0; i < 6; i++) {
                        snprintf(name[i], sizeof(name[i]), "%s%s%s", rows[i].before, job,
                                 rows[i].after);
                        make_file(name[i]);
                        want += all ? rows[i].of_job : rows[i].of_node;
                }
                assert_int_equal(dlb_segments_clean(job, all ? -1 : 3), want);
                for (int i = 0; i < 6; i++)
                        assert_int_equal(take_file(name[i]),
                                         !(all ? rows[i].of_job : rows[i].of_node));
        }
}

/* A segment of the job's name that is left from before is no obstacle. */
static void test_left_before(void **state)
{
        (void)state;
        static const struct attempt attempt = {
                "libdlb.so", NULL, NULL, NULL, CORES_BY_DLB, 8, NULL
        };
        char job[32], next[32], name[96];
        int number;
        world_job(job);
        assert_int_equal(sscanf(strrchr(job, '-') + 1, "%d", &number), 1);
        snprintf(next, sizeof(next), "%.*s-%d", (int)(strrchr(job, '-') - job), job, number + 1);
        snprintf(name, sizeof(name), "DLB_procinfo_lb%s_0", next);
        make_file(name);
        check_attempt(&attempt);
        assert_false(take_file(name));
}

/* What is found is told without starting it. */
static void test_probe(void **state)
{
        (void)state;
        static const struct attempt good = { .library = "libdlb.so", .version = "3.6.1" };
        static const struct attempt bad = { .library = "libdlb-intels.so" };
        struct dlb_probe probe;
        pid_t pid = fork(); /* a library once loaded stays */
        if (pid == 0) {
                set_environment(&bad);
                dlb_probe(&probe);
                bool right = !probe.usable && strstr(probe.path, "libdlb-intels.so") &&
                             strstr(probe.why, "not the DLB of BSC");
                set_environment(&good);
                dlb_probe(&probe);
                right = right && probe.usable && strstr(probe.path, "/libdlb.so") &&
                        probe.major_version == 3 && probe.minor == 6 && probe.patch == 1 &&
                        probe.why[0] == '\0';
                _exit(right ? 0 : 1);
        }
        int status;
        waitpid(pid, &status, 0);
        assert_int_equal(status, 0);
}

int main(int argc, char **argv)
{
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(test_choice),   cmocka_unit_test(test_hang),
                cmocka_unit_test(test_segments), cmocka_unit_test(test_left_before),
                cmocka_unit_test(test_probe),
        };
        if (argc != 2)
                return 2;
        folder = argv[1];
        return cmocka_run_group_tests(tests, NULL, NULL);
}
