/* SPDX-License-Identifier: BSD-3-Clause */
/* Decision logs: what controls write, the replay decides again; what is wrong with a log is found.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/random.h"
#include "policies/replay.h"
#include "policies/host/decision_log.h"
#include "tests/real/control/world.h"

struct text {
        char *at;
        size_t size;
};

static struct text read_file(const char *path)
{
        FILE *stream = fopen(path, "r");
        assert_non_null(stream);
        assert_int_equal(fseek(stream, 0, SEEK_END), 0);
        struct text text = { .size = (size_t)ftell(stream) };
        rewind(stream);
        text.at = calloc(1, text.size + 1);
        assert_int_equal(fread(text.at, 1, text.size, stream), text.size);
        fclose(stream);
        return text;
}

static void write_file(const char *path, const char *text, size_t size)
{
        FILE *stream = fopen(path, "w");
        assert_non_null(stream);
        assert_int_equal(fwrite(text, 1, size, stream), size);
        assert_int_equal(fclose(stream), 0);
}

static int replay_text(struct replay *replay, const char *text, size_t size, struct lb_error *err)
{
        *replay = (struct replay){ 0 };
        write_file("changed", text, size);
        return replay_file(replay, "changed", err);
}

/* A short job's log, of node 0. */
static struct text make_log(const char *system, int32_t nnode, bool boundary)
{
        struct world_spec spec = {
                .system = system,
                .nnode = nnode,
                .ncore = 6,
                .napprank = 2 * nnode,
                .degree = nnode,
                .boundary = boundary,
                .borrow_ahead = 1,
                .ntask = { 90, 20, 40, 10 },
                .task_ms = { 31, 17, 23, 45 },
                .decisions = "decisions",
        };
        struct world *world = world_create(&spec);
        for (int i = 0; i < 8; i++)
                world_iterate(world);
        world_destroy(world);
        return read_file("decisions.0");
}

static const struct replay_policy *policy_of(const struct replay *replay, enum replay_kind kind)
{
        for (int32_t i = 0; i < replay->npolicy; i++)
                if (replay->policy[i].kind == kind)
                        return &replay->policy[i];
        return NULL;
}

/* Whatever policies a job has, all that they decided is decided again, on all nodes. */
static void logs_of_all_systems_agree(void **unused)
{
        (void)unused;
        static const char *const systems[] = { "baseline", "dlb", "local", "global" };
        for (int i = 0; i < 8; i++) {
                bool talk = i / 2 >= 2 && i % 2; /* helpers own nothing */
                struct world_spec spec = {
                        .system = systems[i / 2],
                        .nnode = 3,
                        .ncore = talk ? 4 : 10,
                        .napprank = 6,
                        .degree = i / 2 < 2 ? 1 : 3,
                        .boundary = i % 2,
                        .borrow_ahead = 2 * (i % 2),
                        .ntask = { 200, 30, 10, 50, 60, 70 },
                        .task_ms = { 19, 7, 31, 11, 23, 5 },
                        .decisions = "all",
                };
                struct world *world = world_create(&spec);
                for (int k = 0; k < 8; k++)
                        world_iterate(world);
                int64_t decisions = world_figures(world).decisions;
                int32_t nworker = world->job->nworker;
                world_destroy(world);

                struct replay replay = { 0 };
                struct lb_error err;
                static const char *const files[] = { "all.0", "all.1", "all.2" };
                for (int n = 0; n < 3; n++)
                        if (replay_file(&replay, files[n], &err) < 0)
                                fail_msg("%s", err.text);
                assert_int_equal(replay.ndifference, 0);
                assert_int_equal(replay.nincomplete, 0);
                assert_int_equal(policy_of(&replay, REPLAY_LEND)->states, nworker);
                assert_int_equal(policy_of(&replay, REPLAY_PLACE)->states, spec.napprank);
                assert_true(policy_of(&replay, REPLAY_PLACE)->decisions > 8 * 420);
                const struct replay_policy *alloc = policy_of(&replay, REPLAY_ALLOC);
                assert_int_equal(alloc ? alloc->decisions : 0, decisions);
                assert_int_equal(decisions > 0, i >= 2);
        }
}

/* A new job's log replaces an old one of the same name; the log tells of the job. */
static void a_log_is_of_one_job(void **unused)
{
        (void)unused;
        struct text first = make_log("local", 2, false), second = make_log("local", 2, false);
        assert_memory_equal(first.at, REPLAY_MAGIC " test-", strlen(REPLAY_MAGIC " test-"));
        assert_non_null(strstr(second.at, " system=local "));
        assert_null(strstr(strchr(second.at, '\n'), REPLAY_MAGIC));
        assert_int_not_equal(memcmp(first.at, second.at, 40), 0);
        free(first.at);
        free(second.at);
}

/* Where two jobs write to one name at a time, the log is the second's; the first, which goes on,
 * does not get into it. */
static void two_jobs_do_not_mix(void **unused)
{
        (void)unused;
        struct world_spec spec = { .system = "baseline",
                                   .nnode = 1,
                                   .ncore = 4,
                                   .napprank = 1,
                                   .degree = 1,
                                   .decisions = "mixed" };
        struct job *job = world_job(&spec);
        struct lb_error err;
        struct decision_log *log[2];
        static const char *const ids[] = { "mixed-first", "mixed-second" };
        for (int i = 0; i < 2; i++) {
                log[i] = decision_log_open(&(struct decision_log_spec){ .program = "lbrun",
                                                                        .file = "mixed.0",
                                                                        .id = ids[i],
                                                                        .about = "a job",
                                                                        .begins = true },
                                           &err);
                assert_non_null(log[i]);
        }
        for (int round = 0; round < 4; round++) {
                job->shape.poll_s = round % 2 ? 0.5 : 0.25;
                decision_log_begin_alloc(log[round % 2], alloc_find("static"), &job->shape, NULL);
                decision_log_flush(log[round % 2]);
        }
        decision_log_close(log[0]);
        decision_log_close(log[1]);
        struct text text = read_file("mixed.0");
        assert_non_null(strstr(text.at, "mixed-second"));
        assert_non_null(strstr(text.at, "static 1 1 1 0x1p-1 "));
        assert_null(strstr(text.at, "mixed-first"));
        assert_null(strstr(text.at, "static 1 1 1 0x1p-2 "));
        free(text.at);
        job_destroy(job);
}

/* Any bit that flips is noticed: the log is refused, or a line of it no longer counts. */
static void a_flipped_bit_is_found(void **unused)
{
        (void)unused;
        struct text log = make_log("global", 2, false);
        struct lb_random random;
        lb_random_init(&random, 21, LB_RANDOM_TEST, 0);
        for (int i = 0; i < 300; i++) {
                size_t at = (size_t)lb_random_below(&random, log.size);
                char bit = (char)(1 << lb_random_below(&random, 8));
                struct replay replay;
                struct lb_error err = { 0 };
                log.at[at] = (char)(log.at[at] ^ bit);
                int status = replay_text(&replay, log.at, log.size, &err);
                assert_true(status < 0 || replay.nincomplete > 0);
                assert_true(status == 0 || err.kind == LB_ERROR_INPUT);
                log.at[at] = (char)(log.at[at] ^ bit);
        }
        free(log.at);
}

/* A log that is cut anywhere is good up to its last whole line. */
static void a_truncated_log_is_good_to_its_last_line(void **unused)
{
        (void)unused;
        struct text log = make_log("local", 2, true);
        size_t header = (size_t)(strchr(log.at, '\n') - log.at) + 1;
        struct lb_random random;
        lb_random_init(&random, 22, LB_RANDOM_TEST, 0);
        for (int i = 0; i < 200; i++) {
                size_t size = (size_t)lb_random_below(&random, log.size);
                struct replay replay;
                struct lb_error err;
                int status = replay_text(&replay, log.at, size, &err);
                assert_int_equal(status, size < header ? -1 : 0);
                if (status < 0)
                        continue;
                int64_t lines = 0;
                for (size_t k = header; k < size; k++)
                        lines += log.at[k] == '\n';
                assert_int_equal(replay.nrecord, lines);
                assert_int_equal(replay.nincomplete, log.at[size - 1] != '\n');
                assert_int_equal(replay.ndifference, 0);
        }
        free(log.at);
}

/* A line with its checksum, into text; returns its length. */
static size_t compose(char *text, size_t size, const char *line)
{
        return (size_t)snprintf(text, size, "%s ~%08" PRIx32 "\n", line,
                                replay_check(line, strlen(line)));
}

/* Small logs: records of a worker, what comes of them or what is said about them. */
static const char *const place2 = "3 0 place locality 2 4 0x1p1 0x0p0 0x0p0 0x0p0";
static const char *const lend2 = "3 0 lend lewi 2 3 0x0p0 0x0p0 0x0p0";
static const char *const local2 = "3 0 alloc local 1 2 2 0x1p-1 4 4 0 1 2 0 0 0 1 1 1 0 2 0 1 "
                                  "0x1p0 0x5p1 0x0p0 0x0p0";

static const struct {
        const char *record[4];
        int64_t ndifference;
        const char *message; /* part of what is said; NULL: nothing is wrong */
} cases[] = {
        { { place2, "3 1 placing 5 1 0 0 0 1 1 1 1 1 1 1 1 = 0" }, 0, NULL },
        { { place2, "3 1 placing 5000000 1 0 0 0 1 1 1 1 1 1 1 1 = 1" },
          1,
          "changed:3: locality of worker 3 at 0.005000 s, place of a task, number 0: decides 0 "
          "now, decided 1 then" },
        { { place2, "3 1 refill 5 2 1 0 9 0 0 4 4 4 4 4 4 = 8" }, 0, NULL },
        { { place2, "3 1 refill 5 2 1 0 9 0 0 4 4 4 4 4 4 = 9" },
          1,
          "tasks taken, number 0: decides 8 now, decided 9 then" },
        { { place2, "3 1 finished 7 5 2 1 0 9 0 0 4 4 4 4 4 4 = 8" }, 0, NULL },
        { { place2, "3 1 finished 0 5 2 1 0 9 0 0 4 4 4 4 4 4 = 8" }, 0, "found \"0\"" },
        { { lend2, "3 1 lending 5 1 0 0 3 3 0 0 0 0 0 0 0 0 0 0 0 0 0 0 = 1 -1 0" }, 0, NULL },
        { { lend2, "3 1 lending 5 1 0 0 3 3 0 0 0 0 0 0 0 0 0 0 0 0 0 0 7 0 = 1 -1 0" }, 0, NULL },
        { { lend2, "3 1 lending 5 1 0 0 3 3 0 0 0 0 0 0 0 0 0 0 0 0 0 0 7 = 1 -1 0" },
          0,
          "found \"=\"" },
        { { lend2, "3 1 lending 5 1 0 0 3 3 0 0 0 0 0 0 0 0 0 0 0 0 0 0 = 1 0 0" },
          1,
          "action, borrower, count from number 1: decides -1 0 now, decided 0 0 then" },
        { { local2, "3 1 observe 1 500000000 0x3p0 0x1p0 2 2",
            "3 2 decide 1 500000000 0x3p0 0x1p0 2 2 = 3 1" },
          0,
          NULL },
        { { local2, "3 1 observe 1 500000000 0x3p0 0x1p0 2 2",
            "3 2 decide 1 500000000 0x3p0 0x1p0 2 2 = 2 2" },
          1,
          "changed:4: local of worker 3 at 0.000000 s, cores from its worker 0: decides 3 1 now, "
          "decided 2 2 then" },
        { { place2, "3 2 placing 5 1 0 0 0 1 1 1 1 1 1 1 1 = 0" },
          0,
          "changed:3: record 2 of worker 3, expected its record 1" },
        { { place2, place2 }, 0, "record 0 of worker 3, expected its record 1" },
        { { place2, "3 1 place locality 2 4 0x1p1 0x0p0 0x0p0 0x0p0" }, 0, "a second time" },
        { { "3 0 placing 5 1 0 0 0 = 0" }, 0, "placement policy has not been made before" },
        { { "3 0 lending 5 1 0 0 = 0" }, 0, "lending policy has not been made before" },
        { { "3 0 observe 5 1 = 0" }, 0, "allocation policy has not been made before" },
        { { "3 0 dance" }, 0, "unknown kind of record" },
        { { "3 0 place fancy 2 0" }, 0, "no placement policy \"fancy\"" },
        { { "3 0 lend fancy 2 0" }, 0, "no lending policy \"fancy\"" },
        { { "3 0 alloc global-lp 1 1 1" }, 0, "no allocation policy \"global-lp\"" },
        { { "3 0 place locality 2 99 0x1p1" },
          0,
          "found \"99\", must be a whole number from 0 to " },
        { { place2, "3 1 placing 5 1 0 0 0 1 1 1 1 1 1 1 1 0 1 = 0" }, 0, NULL },
        { { place2, "3 1 placing 5 1 0 0 0 1 1 1 1 1 1 1 1 0 = 0" }, 0, "found \"=\"" },
        { { place2, "3 1 refill 5 2 1 0 9 0 0 4 0 4 0 4 0 0 1 = 2" }, 0, NULL },
        { { place2, "3 1 refill 5 2 1 0 9 0 0 4 0 4 0 4 0 = 0" }, 0, NULL },
        { { "3 0 place locality 2 4 0x1p-1 0x0p0 0x0p0 0x0p0" },
          0,
          "parameter place_tasks_per_core" },
        { { "3 0 place locality 999999 4" }, 0, "found \"999999\"" },
        { { "x 0 place" }, 0, "found \"x\"" },
        { { place2, "3 1 placing 5 1 0 2 0 1 1 1 1 1 1 1 1 = 0" }, 0, "found \"2\"" },
        { { place2, "3 1 placing 5 9 0 0 0 1 1 1 1 1 1 1 1 = 0" }, 0, "found \"9\"" },
        { { place2, "3 1 placing 5 1 0 0 0 1 1 1 1 1 1 1 1 0" }, 0, "ends too early" },
        { { place2, "3 1 placing 5 1 0 0 0 1 1 1 1 1 1 1 1 0 1 0" }, 0, "expected \"=\"" },
        { { place2, "3 1 placing 5 1 0 0 0 1 1 1 1 1 1 1" }, 0, "ends too early" },
        { { place2, "3 1 placing 5 1 0 0 0 1 1 1 1 1 1 1 1 = 0 0" }, 0, "goes on" },
        { { "3 0 alloc local 2 2 2 0x1p-1 4 4 4 0 1 2 0 1 0 1 1 1 0 1 2 0 1 0x1p0 0x5p1 0x0p0 "
            "0x0p0" },
          0,
          "a policy of one node is given several" },
        { { "3 0 alloc local 1 2 2 0x1p-1 4 4 0 2 2 0 0 0 1 1 1 0 2 0 1 0x1p0 0x5p1 0x0p0 0x0p0" },
          0,
          "do not fit together" },
        { { "3 0 alloc local 1 2 2 0x1p-1 4 4 0 1 2 0 0 0 1 1 1 0 2 1 0 0x1p0 0x5p1 0x0p0 0x0p0" },
          0,
          "do not fit together" },
        { { local2, "3 1 observe 1 500000000 nan 0x1p0 2 2" }, 0, "found \"nan\"" },
        { { local2, "3 1 observe 1 500000000 -0x1p0 0x1p0 2 2" }, 0, "found \"-0x1p0\"" },
};

/* Each small log gives what the table says: nothing, a difference with place and values, a message.
 */
static void small_logs_give_what_they_should(void **unused)
{
        (void)unused;
        for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
                char text[4096];
                size_t size = compose(text, sizeof(text), REPLAY_MAGIC " job 0 {}");
                for (int k = 0; k < 4 && cases[i].record[k]; k++)
                        size += compose(text + size, sizeof(text) - size, cases[i].record[k]);
                struct replay replay;
                struct lb_error err = { 0 };
                int status = replay_text(&replay, text, size, &err);
                const char *said = status < 0 ? err.text : replay.first;
                if (!cases[i].message && status < 0)
                        fail_msg("case %d: %s", (int)i, err.text);
                if (cases[i].message && !strstr(said, cases[i].message))
                        fail_msg("case %d: said \"%s\", not \"%s\"", (int)i, said,
                                 cases[i].message);
                assert_int_equal(replay.ndifference, cases[i].ndifference);
                assert_int_equal(status < 0, cases[i].message && cases[i].ndifference == 0);
        }
}

/* Write a log with one number of one of its lines changed, and checksums that are right again. */
static size_t mutate(char *to, size_t room, const struct text *log, struct lb_random *random)
{
        static const char *const words[] = { "0",     "1",      "2",   "7",    "-1", "2147483647",
                                             "0x1p0", "0x1p70", "nan", "9999", "=",  "local" };
        size_t nline = 0, size = 0;
        for (size_t i = 0; i < log->size; i++)
                nline += log->at[i] == '\n';
        size_t chosen = 1 + (size_t)lb_random_below(random, nline - 1), number = 0;
        const char *word = words[lb_random_below(random, sizeof(words) / sizeof(words[0]))];
        for (const char *at = log->at; *at; number++) {
                const char *end = strchr(at, '\n');
                char line[4096], changed[4096];
                snprintf(line, sizeof(line), "%.*s", (int)(end - at) - 10, at);
                char *space = line + lb_random_below(random, strlen(line));
                while (space > line && *space != ' ')
                        space--;
                snprintf(changed, sizeof(changed), "%.*s %s%s", (int)(space - line), line, word,
                         strchr(space + 1, ' ') ? strchr(space + 1, ' ') : "");
                size += compose(to + size, room - size, number == chosen ? changed : line);
                at = end + 1;
        }
        return size;
}

/* Whatever is in a log, it is replayed or refused: nothing else happens. */
static void any_log_is_safe_to_replay(void **unused)
{
        (void)unused;
        struct text log = make_log("global", 2, false);
        log.at[40 * 1024] = '\0'; /* enough of it */
        strrchr(log.at, '\n')[1] = '\0';
        log.size = strlen(log.at);
        size_t room = log.size + 8192;
        char *text = calloc(1, room);
        struct lb_random random;
        lb_random_init(&random, 24, LB_RANDOM_TEST, 0);
        int refused = 0;
        for (int i = 0; i < 1500; i++) {
                struct replay replay;
                struct lb_error err = { 0 };
                int status = replay_text(&replay, text, mutate(text, room, &log, &random), &err);
                assert_int_equal(status < 0, err.kind == LB_ERROR_INPUT);
                refused += status < 0;
        }
        assert_in_range(refused, 100, 1400);
        free(text);
        free(log.at);
}

/* A worker that was killed while it wrote spoils its last line and nobody else's. */
static void one_worker_killed_leaves_the_others_lines_good(void **unused)
{
        (void)unused;
        char text[4096];
        struct replay replay;
        struct lb_error err;
        size_t size = compose(text, sizeof(text), REPLAY_MAGIC " job 0 {}");
        size += compose(text + size, sizeof(text) - size, place2);
        size += (size_t)snprintf(text + size, sizeof(text) - size, "3 1 placing 5 1 0 0 0 1 1\n");
        size += compose(text + size, sizeof(text) - size, "4 0 lend lewi 1 3 0x0p0 0x0p0 0x0p0");
        assert_int_equal(replay_text(&replay, text, size, &err), 0);
        assert_int_equal(replay.nincomplete, 1);
        assert_int_equal(replay.nrecord, 2);
}

/* As the controls of a job open theirs: the node's first worker begins the file. */
static struct decision_log *open_log(const struct job *job, int32_t worker, struct lb_error *err)
{
        char file[JOB_PATH_SIZE + 2];
        snprintf(file, sizeof(file), "%s.0", job->decisions);
        return decision_log_open(
            &(struct decision_log_spec){ .program = "test",
                                         .file = file,
                                         .id = job->id,
                                         .about = "{}",
                                         .writer = worker,
                                         .begins = job->shape.node_worker[0] == worker },
            err);
}

/* A worker that writes records without end. */
static void write_for_ever(const struct job *job, int32_t worker)
{
        struct lb_error err;
        struct decision_log *log = open_log(job, worker, &err);
        decision_log_begin_lend(log, lend_find("lewi"), 1, job->lend_param);
        int32_t one = 1, zero = 0;
        struct lend_view view = { 0,     LEND_OWNED_IDLE, 0,     1,     0,     &one,  &zero,
                                  &zero, &zero,           &zero, &zero, &zero, &zero, &zero };
        struct lend_decision decision = { .action = LEND_LEND, .borrower = -1 };
        if (!log)
                _exit(1);
        for (view.time_ns = 0;; view.time_ns++) {
                decision_log_lend(log, &view, &decision);
                if (view.time_ns % 10 == worker)
                        decision_log_flush(log);
        }
}

static void wait_for_bytes(const char *path, off_t size)
{
        struct stat file = { .st_size = 0 };
        for (int ms = 0; ms < 60000 && file.st_size < size; ms++) {
                nanosleep(&(struct timespec){ .tv_nsec = 1000000 }, NULL);
                if (stat(path, &file) < 0)
                        file.st_size = 0;
        }
        assert_true(file.st_size >= size);
}

/* Workers write to one file at the same time, and are killed: at most a line each is spoilt. */
static void a_killed_job_leaves_a_good_log(void **unused)
{
        (void)unused;
        enum { NWORKER = 4 };
        struct world_spec spec = { .system = "dlb",
                                   .nnode = 1,
                                   .ncore = 4,
                                   .napprank = NWORKER,
                                   .degree = 1,
                                   .decisions = "killed" };
        struct job *job = world_job(&spec);
        pid_t pid[NWORKER];
        unlink("killed.0"); /* an earlier run's would be long enough at once */
        for (int32_t w = 0; w < NWORKER; w++) {
                pid[w] = fork();
                if (pid[w] == 0)
                        write_for_ever(job, w);
        }
        wait_for_bytes("killed.0", 1 << 20);
        for (int32_t w = 0; w < NWORKER; w++) {
                nanosleep(&(struct timespec){ .tv_nsec = 10000000 }, NULL);
                kill(pid[w], SIGKILL);
                waitpid(pid[w], NULL, 0);
        }
        struct replay replay = { 0 };
        struct lb_error err;
        if (replay_file(&replay, "killed.0", &err) < 0)
                fail_msg("%s", err.text);
        assert_int_equal(replay.ndifference, 0);
        assert_in_range(replay.nincomplete, 0, NWORKER);
        assert_true(replay.nrecord > 0);
        job_destroy(job);
}

/* What is no decision log is called that. */
static void other_files_are_refused(void **unused)
{
        (void)unused;
        static const struct {
                const char *text, *message;
        } files[] = {
                { "", "empty, not a decision log" },
                { "\n", "not a decision log, its first line" },
                { "time,apprank\n1,2\n", "not a decision log, its first line must begin with" },
                { "{\"system\": 1}", "not a decision log" },
                { REPLAY_MAGIC " job 0 {", "its first line is incomplete" },
        };
        struct replay replay;
        struct lb_error err;
        for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++) {
                assert_int_equal(replay_text(&replay, files[i].text, strlen(files[i].text), &err),
                                 -1);
                if (!strstr(err.text, files[i].message))
                        fail_msg("file %d: said \"%s\"", (int)i, err.text);
                assert_int_equal(err.kind, LB_ERROR_INPUT);
        }
        /* Nor is one read to an end of its first line that never comes. */
        int end[2];
        char name[32];
        assert_int_equal(pipe(end), 0);
        assert_int_equal(write(end[1], "", 1), 1);
        snprintf(name, sizeof(name), "/dev/fd/%d", end[0]);
        alarm(60);
        assert_int_equal(replay_file(&replay, name, &err), -1);
        alarm(0);
        assert_non_null(strstr(err.text, ":1: not a decision log"));
        close(end[0]);
        close(end[1]);
        assert_int_equal(replay_file(&replay, "nowhere/log", &err), -1);
        assert_non_null(strstr(err.text, "cannot read \"nowhere/log\""));
}

/* Numbers come back exactly: extremes and any bit pattern of a positive number. */
static void numbers_are_exact(void **unused)
{
        (void)unused;
        static const double extremes[] = { 0, 0x1p-1074, 0x1.fffffffffffffp1023, 0.1, 1.0 / 3 };
        struct world_spec spec = { .system = "dlb",
                                   .nnode = 1,
                                   .ncore = 4,
                                   .napprank = 1,
                                   .degree = 1,
                                   .decisions = "numbers" };
        struct job *job = world_job(&spec);
        struct lb_error err;
        struct lb_random random;
        lb_random_init(&random, 23, LB_RANDOM_TEST, 0);
        for (int i = 0; i < 500; i++) {
                uint64_t bits = lb_random_next(&random) & 0x7fefffffffffffff;
                double value, found;
                memcpy(&value, &bits, sizeof(value));
                value = i < 5 ? extremes[i] : value;
                snprintf(job->id, sizeof(job->id), "numbers-%d", i);
                struct decision_log *log = open_log(job, 0, &err);
                job->shape.poll_s = value;
                decision_log_begin_alloc(log, alloc_find("static"), &job->shape, NULL);
                decision_log_close(log);
                struct text text = read_file("numbers.0");
                const char *at = strstr(text.at, "static 1 1 1 ");
                assert_non_null(at);
                found = strtod(at + strlen("static 1 1 1 "), NULL);
                assert_memory_equal(&found, &value, sizeof(value));
                free(text.at);
        }
        job_destroy(job);
}

/* A log that cannot be written is said before the job starts. */
static void a_log_that_cannot_be_written_is_refused(void **unused)
{
        (void)unused;
        struct world_spec spec = { .system = "dlb",
                                   .nnode = 1,
                                   .ncore = 4,
                                   .napprank = 1,
                                   .degree = 1,
                                   .decisions = "nowhere/log" };
        struct job *job = world_job(&spec);
        struct lb_error err;
        assert_null(open_log(job, 0, &err));
        assert_string_equal(
            err.text, "cannot write decisions to \"nowhere/log.0\": No such file or directory");
        job_destroy(job);
}

int main(void)
{
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(logs_of_all_systems_agree),
                cmocka_unit_test(a_log_is_of_one_job),
                cmocka_unit_test(two_jobs_do_not_mix),
                cmocka_unit_test(a_flipped_bit_is_found),
                cmocka_unit_test(a_truncated_log_is_good_to_its_last_line),
                cmocka_unit_test(small_logs_give_what_they_should),
                cmocka_unit_test(any_log_is_safe_to_replay),
                cmocka_unit_test(one_worker_killed_leaves_the_others_lines_good),
                cmocka_unit_test(a_killed_job_leaves_a_good_log),
                cmocka_unit_test(other_files_are_refused),
                cmocka_unit_test(numbers_are_exact),
                cmocka_unit_test(a_log_that_cannot_be_written_is_refused),
        };
        return cmocka_run_group_tests(tests, NULL, NULL);
}
