/* SPDX-License-Identifier: BSD-3-Clause */
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "launch_test.h"

#include "real/control/job.h"
#include "real/launch/blame.h"
#include "real/launch/plan.h"

/* Who is to blame, for ends in the orders in which they come when the machine is loaded. */
enum { RANKS = 4, NEWS_MAX = 5, EXIT = 256, ENDS_IN_DOUBT = 1000 };
static struct plan plan;

static int setup(void **state)
{
        (void)state;
        plan = (struct plan){ .job = test_job(), .nodes.virtual_nodes = true };
        if (!plan.job)
                return -1;
        return 0;
}

static int teardown(void **state)
{
        (void)state;
        job_destroy(plan.job);
        return 0;
}

struct end {
        int kind; /* of news, or ENDS_IN_DOUBT */
        int32_t rank, value;
};

static bool take(struct blame *blame, enum news_kind kind, int32_t rank, int32_t value, int64_t now)
{
        const struct news news = {
                .kind = (int32_t)kind, .rank = rank, .pid = 10 + rank, .value = value
        };
        return blame_take(blame, &news, now);
}

static void take_row(struct blame *blame, const struct end *end, int64_t now)
{
        bool doubt = end->kind == ENDS_IN_DOUBT;
        const struct news news = { .kind = doubt ? NEWS_ENDS : end->kind,
                                   .rank = end->rank,
                                   .pid = 10 + end->rank,
                                   .value = end->value,
                                   .last = doubt };
        (void)blame_take(blame, &news, now);
}

struct row {
        const char *what;
        enum mpi mpi;
        struct end end[NEWS_MAX];
        int status; /* of mpirun */
        int code;
        const char *told, *not_told; /* part of what is said; NULL: nothing, any */
};

static const struct row rows[] = {
        { "MPI_Abort(), and MPICH's launcher kills all keepers",
          MPI_MPICH,
          { { NEWS_ENDS, 1, 5 * EXIT }, { NEWS_KEEPER, 0, 9 }, { NEWS_KEEPER, 1, 9 } },
          5 * EXIT,
          5,
          "rank 1, helper of apprank 1 on virtual node 0, ended the job with exit code 5 (process "
          "11)",
          "keeper" },
        { "the same, the keepers' ends first",
          MPI_MPICH,
          { { NEWS_KEEPER, 0, 9 }, { NEWS_ENDS, 1, 5 * EXIT } },
          9 * EXIT,
          5,
          "ended the job with exit code 5 (process 11)",
          "keeper" },
        { "MPI_Abort() with 0",
          MPI_OPENMPI,
          { { NEWS_ENDS, 3, 0 } },
          0,
          1,
          "rank 3, home of apprank 1 on virtual node 1, ended the job with exit code 0",
          NULL },
        { "a rank ends the job by a launcher's signal, and no other has ended",
          MPI_OPENMPI,
          { { NEWS_ENDS, 2, 15 } },
          15,
          143,
          "lbrun: rank 2, helper of apprank 0 on virtual node 1, was ended by signal 15",
          "before all were done" },
        { "MPI has ended the job by itself",
          MPI_MPICH,
          { { NEWS_KEEPER, 0, 9 }, { NEWS_KEEPER, 1, 9 }, { NEWS_KEEPER, 2, 9 } },
          15 * EXIT,
          15,
          "lbrun: mpirun ended with exit code 15",
          "keeper" },
        { "somebody has killed a keeper",
          MPI_MPICH,
          { { NEWS_KEEPER, 2, 9 }, { NEWS_KEEPER, 1, 9 } },
          9 * EXIT,
          137,
          "the keeper of rank 2, helper of apprank 0 on virtual node 1, was killed",
          "rank 1, " },
        { "the same, and Open MPI's launcher tells the others to end, known first",
          MPI_OPENMPI,
          { { NEWS_ENDED, 0, 15 }, { NEWS_KEEPER, 2, 9 }, { NEWS_ENDED, 1, 15 } },
          137 * EXIT,
          137,
          "the keeper of rank 2, ",
          "lbrun: rank 0" },
        { "the same, and a rank writes to a daemon that has gone for it",
          MPI_OPENMPI,
          { { NEWS_KEEPER, 2, 9 }, { NEWS_ENDED, 0, 13 }, { NEWS_ENDED, 1, 15 } },
          137 * EXIT,
          137,
          "the keeper of rank 2, ",
          "lbrun: rank 0" },
        { "a rank leaves without a word, and Open MPI's launcher ends, then kills the others",
          MPI_OPENMPI,
          { { NEWS_ENDED, 2, 0 }, { NEWS_ENDED, 0, 15 }, { NEWS_KEEPER, 1, 9 } },
          1 * EXIT,
          1,
          "rank 2, helper of apprank 0 on virtual node 1, ended with exit code 0 (process 12), "
          "before all were done",
          "keeper" },
        { "a rank is told to end, and MPICH's launcher kills the others",
          MPI_MPICH,
          { { NEWS_ENDED, 2, 15 }, { NEWS_KEEPER, 0, 9 }, { NEWS_KEEPER, 1, 9 } },
          143 * EXIT,
          143,
          "rank 2, helper of apprank 0 on virtual node 1, was ended by signal 15",
          "keeper" },
        { "the same, and the launcher says that it killed",
          MPI_MPICH,
          { { NEWS_ENDED, 2, 15 }, { NEWS_KEEPER, 0, 9 }, { NEWS_KEEPER, 1, 9 } },
          9 * EXIT,
          143,
          "rank 2, helper of apprank 0 on virtual node 1, was ended by signal 15",
          "mpirun" },
        { "the same, and MPI fails in another for it, whose code the launcher has",
          MPI_MPICH,
          { { NEWS_ENDED, 2, 15 }, { NEWS_KEEPER, 0, 9 } },
          15 * EXIT,
          143,
          "rank 2, helper of apprank 0 on virtual node 1, was ended by signal 15",
          "mpirun" },
        { "the same, and another has ended the job, by its keeper unknown",
          MPI_MPICH,
          { { NEWS_ENDED, 2, 15 }, { NEWS_KEEPER, 0, 9 } },
          5 * EXIT,
          5,
          "mpirun ended with exit code 5",
          "keeper" },
        { "a rank is killed",
          MPI_MPICH,
          { { NEWS_ENDED, 3, 9 }, { NEWS_KEEPER, 0, 9 } },
          137 * EXIT,
          137,
          "rank 3, home of apprank 1 on virtual node 1, was ended by signal 9",
          "keeper" },
        { "the same, and MPI fails in another for it, whose code the launcher has",
          MPI_MPICH,
          { { NEWS_ENDED, 3, 9 }, { NEWS_KEEPER, 0, 9 } },
          15 * EXIT,
          137,
          "rank 3, home of apprank 1 on virtual node 1, was ended by signal 9",
          "mpirun" },
        { "the same, and keepers that the launcher kills for it on another node are known first",
          MPI_MPICH,
          { { NEWS_KEEPER, 0, 9 }, { NEWS_ENDED, 3, 9 }, { NEWS_KEEPER, 2, 9 } },
          137 * EXIT,
          137,
          "rank 3, home of apprank 1 on virtual node 1, was ended by signal 9",
          "keeper" },
        { "the same, of one that is told to end",
          MPI_MPICH,
          { { NEWS_KEEPER, 0, 9 }, { NEWS_ENDED, 3, 15 }, { NEWS_KEEPER, 2, 9 } },
          143 * EXIT,
          143,
          "rank 3, home of apprank 1 on virtual node 1, was ended by signal 15",
          "keeper" },
        { "a rank is killed, and Open MPI's launcher tells the others to end, known first",
          MPI_OPENMPI,
          { { NEWS_ENDED, 0, 15 }, { NEWS_ENDED, 1, 15 }, { NEWS_ENDED, 2, 9 } },
          137 * EXIT,
          137,
          "rank 2, helper of apprank 0 on virtual node 1, was ended by signal 9",
          "lbrun: rank 0" },
        { "a rank is killed, and MPI fails in another, known first",
          MPI_MPICH,
          { { ENDS_IN_DOUBT, 0, 1 * EXIT }, { NEWS_KEEPER, 1, 9 }, { NEWS_ENDED, 3, 9 } },
          137 * EXIT,
          137,
          "lbrun: rank 3, home of apprank 1 on virtual node 1, was ended by signal 9",
          "lbrun: rank 0" },
        { "MPI fails in a rank, and in no other",
          MPI_MPICH,
          { { ENDS_IN_DOUBT, 0, 1 * EXIT }, { NEWS_KEEPER, 1, 9 }, { NEWS_KEEPER, 0, 9 } },
          1 * EXIT,
          1,
          "lbrun: rank 0, home of apprank 0 on virtual node 0, ended the job with exit code 1",
          "keeper" },
        { "the same, a keeper's end known first",
          MPI_MPICH,
          { { NEWS_KEEPER, 2, 9 }, { ENDS_IN_DOUBT, 0, 1 * EXIT }, { NEWS_KEEPER, 0, 9 } },
          1 * EXIT,
          1,
          "lbrun: rank 0, home of apprank 0 on virtual node 0, ended the job with exit code 1",
          "keeper" },
        { "a keeper is killed, and MPI fails in a rank",
          MPI_MPICH,
          { { NEWS_KEEPER, 2, 9 }, { ENDS_IN_DOUBT, 0, 1 * EXIT }, { NEWS_KEEPER, 0, 9 } },
          9 * EXIT,
          137,
          "the keeper of rank 2, helper of apprank 0 on virtual node 1, was killed",
          "lbrun: rank 0" },
        { "a keeper is killed, and a rank that was reading its rank's memory aborts",
          MPI_MPICH,
          { { NEWS_KEEPER, 2, 9 }, { NEWS_ENDED, 0, 6 }, { NEWS_KEEPER, 1, 9 } },
          9 * EXIT,
          137,
          "the keeper of rank 2, helper of apprank 0 on virtual node 1, was killed",
          "lbrun: rank 0" },
        { "a rank is killed, and another that was reading its memory aborts, known first",
          MPI_MPICH,
          { { NEWS_ENDED, 0, 6 }, { NEWS_ENDED, 3, 9 }, { NEWS_KEEPER, 1, 9 } },
          134 * EXIT,
          137,
          "lbrun: rank 3, home of apprank 1 on virtual node 1, was ended by signal 9",
          "lbrun: rank 0" },
        { "the same, by another signal, and two that say so before they abort",
          MPI_MPICH,
          { { NEWS_ENDS, 0, 6 },
            { NEWS_ENDS, 1, 6 },
            { NEWS_ENDED, 0, 6 },
            { NEWS_ENDED, 3, 14 },
            { NEWS_KEEPER, 2, 9 } },
          134 * EXIT,
          142,
          "lbrun: rank 3, home of apprank 1 on virtual node 1, was ended by signal 14",
          "lbrun: rank 0" },
        { "a rank aborts, and the launcher kills the others",
          MPI_MPICH,
          { { NEWS_ENDED, 0, 6 }, { NEWS_KEEPER, 3, 9 }, { NEWS_KEEPER, 1, 9 } },
          134 * EXIT,
          134,
          "lbrun: rank 0, home of apprank 0 on virtual node 0, was ended by signal 6",
          "lbrun: rank 3" },
        { "the same, and the launcher tells them to end",
          MPI_OPENMPI,
          { { NEWS_ENDED, 0, 6 }, { NEWS_ENDED, 3, 15 }, { NEWS_ENDED, 1, 15 } },
          134 * EXIT,
          134,
          "lbrun: rank 0, home of apprank 0 on virtual node 0, was ended by signal 6",
          "lbrun: rank 3" },
        { "a rank crashes, and another tells of its own end later",
          MPI_OPENMPI,
          { { NEWS_ENDS, 1, 11 }, { NEWS_ENDS, 0, 1 * EXIT }, { NEWS_ENDED, 1, 11 } },
          139 * EXIT,
          139,
          "rank 1, helper of apprank 1 on virtual node 0, was ended by signal 11",
          "lbrun: rank 0" },
        { "a launcher's process is killed, and its keepers",
          MPI_MPICH,
          { { NEWS_KEEPER, 1, 9 }, { NEWS_STARTER, 0, 99 } },
          9 * EXIT,
          137,
          "mpirun's '' was killed",
          "keeper of" },
        { "all is well",
          MPI_MPICH,
          { { NEWS_ENDED, 0, 0 },
            { NEWS_ENDED, 1, 0 },
            { NEWS_ENDED, 2, 0 },
            { NEWS_ENDED, 3, 0 } },
          0,
          0,
          NULL,
          "lbrun" },
};

/* What is said on stderr meanwhile. */
static void say(const struct row *row, struct blame *blame, char *text, size_t size)
{
        FILE *file = tmpfile();
        assert_non_null(file);
        fflush(stderr);
        int kept = dup(STDERR_FILENO);
        dup2(fileno(file), STDERR_FILENO);
        for (int i = 0; i < NEWS_MAX && row->end[i].kind; i++)
                take_row(blame, &row->end[i], i);
        blame_settle(blame, row->status);
        blame_tell_mpirun(blame, row->status);
        fflush(stderr);
        dup2(kept, STDERR_FILENO);
        close(kept);
        rewind(file);
        text[fread(text, 1, size - 1, file)] = '\0';
        fclose(file);
}

static void test_rows(void **state)
{
        (void)state;
        for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
                char text[2048];
                struct blame blame;
                plan.program.mpi = rows[i].mpi;
                blame_init(&blame, &plan);
                say(&rows[i], &blame, text, sizeof(text));
                int code = blame_code(&blame, rows[i].status);
                if (code != rows[i].code || (rows[i].told && !strstr(text, rows[i].told)) ||
                    (rows[i].not_told && strstr(text, rows[i].not_told)))
                        fail_msg("%s: code %d\n%s", rows[i].what, code, text);
        }
}

/* An end that may follow from another is told when none has come; the first failure ends all. */
static void test_wait(void **state)
{
        (void)state;
        struct blame blame;
        plan.program.mpi = MPI_OPENMPI;
        blame_init(&blame, &plan);
        assert_true(take(&blame, NEWS_ENDED, 1, SIGTERM, 1000));
        assert_true(blame.tell_ns > 1000);
        assert_false(take(&blame, NEWS_ENDED, 2, SIGTERM, 1001));
        assert_false(take(&blame, NEWS_ENDED, 3, 4 * EXIT, 1002));
        assert_int_equal(blame.tell_ns, 0);
        assert_int_equal(blame.failed.rank, 3);
        assert_int_equal(blame.nended, 3);
        assert_false(take(&blame, NEWS_ENDS, 0, 5 * EXIT, 1003));
        assert_int_equal(blame_code(&blame, 143 * EXIT), 4);
}

/* While lbrun itself ends the job, and when mpirun is killed, nobody fails. */
static void test_over(void **state)
{
        (void)state;
        struct blame blame;
        blame_init(&blame, &plan);
        blame.over = true;
        assert_false(take(&blame, NEWS_ENDED, 1, SIGTERM, 1));
        blame_init(&blame, &plan);
        assert_true(take(&blame, NEWS_KEEPER, 1, SIGKILL, 1));
        blame.bereft = true;
        blame_settle(&blame, SIGKILL);
        assert_int_equal(blame.failed.rank, -1);
        assert_int_equal(blame_code(&blame, SIGKILL), 137);
}

/* Of ranks on several nodes one that fails has to wait a moment: its peer's node may be lost, which
 * is then the cause. Once told it stays. */
static void test_node(void **state)
{
        (void)state;
        static char *const names[] = { "n0", "n1" };
        struct blame blame;
        plan.nodes = (struct nodes){ .nnode = 2, .name = (char **)(uintptr_t)names };
        for (int late = 0; late < 2; late++) {
                blame_init(&blame, &plan);
                blame.apart = true;
                assert_true(take(&blame, NEWS_ENDED, 0, SIGPIPE, 1));
                assert_true(blame.tell_ns > 0);
                assert_false(take(&blame, NEWS_ENDED, 1, SIGSEGV, 2));
                if (late)
                        blame_tell(&blame);
                assert_false(blame_node(&blame, 1, "is gone", 3));
                assert_int_equal(blame.tell_ns, 0);
                assert_int_equal(blame.failed.rank, late ? 0 : 2);
                assert_int_equal(blame_code(&blame, 255 * EXIT), 128 + (late ? SIGPIPE : SIGKILL));
        }
        blame_init(&blame, &plan);
        blame.apart = true;
        assert_true(take(&blame, NEWS_ENDS, 0, 1 * EXIT, 1)); /* an MPI call of it has failed */
        assert_false(take(&blame, NEWS_ENDED, 0, 1 * EXIT, 2));
        assert_false(blame_node(&blame, 1, "is gone", 3));
        assert_int_equal(blame.failed.rank, 2);
        blame_init(&blame, &plan);
        assert_true(blame_node(&blame, 0, "is gone", 3));
        assert_false(blame_node(&blame, 1, "is gone", 4));
        assert_int_equal(blame.failed.rank, 0);
        plan.nodes = (struct nodes){ .virtual_nodes = true };
}

/* What may be a launcher's doing, or follow from another's end, gives way to what is known better,
 * until it is told. */
static void test_first(void **state)
{
        (void)state;
        static const struct {
                enum news_kind kind;
                int32_t value;
                bool open;
        } kinds[] = { { NEWS_KEEPER, SIGKILL, true },
                      { NEWS_ENDED, SIGABRT, true },
                      { NEWS_ENDED, SIGTERM, true },
                      { NEWS_ENDED, SIGSEGV, false },
                      { NEWS_ENDS, 5 * EXIT, false } };
        const struct news first = { .kind = NEWS_KEEPER, .rank = 2, .value = SIGKILL };
        plan.program.mpi = MPI_MPICH;
        for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
                struct blame blame;
                blame_init(&blame, &plan);
                blame.apart = true;
                assert_false(blame_is_open(&blame));
                assert_true(take(&blame, kinds[i].kind, 0, kinds[i].value, 1));
                assert_int_equal(blame_is_open(&blame), kinds[i].open);
                if (!kinds[i].open)
                        continue;
                blame_first(&blame, &first);
                assert_int_equal(blame.failed.rank, 2);
                assert_int_equal(blame_code(&blame, 9 * EXIT), 137);
                blame_tell(&blame);
                assert_false(blame_is_open(&blame));
        }
}

/* A rank that ends since it has seen another die does not take its place, whoever is known first.
 */
static void test_follower(void **state)
{
        (void)state;
        const struct news follower = {
                .kind = NEWS_ENDED, .rank = 3, .value = 1 * EXIT, .last = 1
        };
        for (int first = 0; first < 2; first++) {
                struct blame blame;
                blame_init(&blame, &plan);
                if (first)
                        assert_true(blame_take(&blame, &follower, 1));
                assert_int_equal(take(&blame, NEWS_KEEPER, 2, SIGKILL, 2), !first);
                if (!first)
                        assert_false(blame_take(&blame, &follower, 1));
                assert_true(blame.tell_ns > 0);
                assert_int_equal(blame.failed.rank, first ? 3 : 2);
        }
}

/* Where it is known whose death that was, that one failed, whoever is known first, and whether Open
 * MPI's launcher has the follower's code or not; not another that is killed meanwhile. */
static void test_seen(void **state)
{
        (void)state;
        static const struct {
                int32_t killed, seen;
                enum news_kind kind;
                int failed, code;
        } ends[] = { { 2, 2, NEWS_KEEPER, 2, 137 },
                     { 2, 2, NEWS_ENDED, 2, 137 },
                     { 1, 2, NEWS_KEEPER, 3, 1 } };
        enum { NROW = sizeof(ends) / sizeof(ends[0]) };
        plan.program.mpi = MPI_OPENMPI;
        for (int i = 0; i < 2 * NROW; i++) {
                bool follower_first = i < NROW;
                int k = i % NROW;
                struct blame blame;
                const struct news follower = { .kind = NEWS_ENDED,
                                               .rank = 3,
                                               .value = 1 * EXIT,
                                               .last = 1,
                                               .seen = ends[k].seen + 1 };
                blame_init(&blame, &plan);
                blame.apart = true;
                if (follower_first)
                        (void)blame_take(&blame, &follower, 1);
                (void)take(&blame, ends[k].kind, ends[k].killed, SIGKILL, 2);
                if (!follower_first)
                        (void)blame_take(&blame, &follower, 3);
                if (!follower_first && ends[k].killed != ends[k].seen)
                        continue; /* mpirun's code says which, as ever */
                assert_int_equal(blame.failed.rank, ends[k].failed);
                blame_settle(&blame, 1 * EXIT);
                assert_int_equal(blame_code(&blame, 1 * EXIT), ends[k].code);
        }
}

int main(void)
{
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(test_rows),  cmocka_unit_test(test_wait),
                cmocka_unit_test(test_over),  cmocka_unit_test(test_node),
                cmocka_unit_test(test_first), cmocka_unit_test(test_follower),
                cmocka_unit_test(test_seen),
        };
        return cmocka_run_group_tests(tests, setup, teardown);
}
