/* SPDX-License-Identifier: BSD-3-Clause */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/random.h"
#include "launch_test.h"
#include "real/launch/nodes.h"
#include "real/launch/options.h"

/* "n1=8 n2=8" */
static void show(const struct nodes *nodes, char *text, size_t size)
{
        size_t at = 0;
        text[0] = '\0';
        for (int32_t n = 0; n < nodes->nnode && at < size; n++)
                at += (size_t)snprintf(text + at, size - at, "%s%s=%d", n ? " " : "",
                                       nodes->name[n], (int)nodes->cores[n]);
}

static void check(size_t row, int status, struct nodes *nodes, const struct lb_error *err,
                  const char *expected, const char *message)
{
        char text[4096];
        show(nodes, text, sizeof(text));
        if (message && (status == 0 || !strstr(err->text, message)))
                fail_msg("row %zu: '%s' lacks '%s'", row, status ? err->text : text, message);
        if (!message && status != 0)
                fail_msg("row %zu: %s", row, err->text);
        if (!message)
                assert_string_equal(text, expected);
        nodes_finish(nodes);
}

/* Slurm's lists: brackets, ranges, zeros, several brackets; what is none is refused. */
static void test_slurm(void **state)
{
        (void)state;
        static const char bad[] = "is not a list of nodes", unfit[] = "does not fit the";
        static const struct {
                const char *list, *cpus, *nodes, *message;
        } rows[] = {
                { "n1", "8", "n1=8", NULL },
                { "n[1-3]", "2(x2),1", "n1=2 n2=2 n3=1", NULL },
                { "n[1-2,7],login", "4(x4)", "n1=4 n2=4 n7=4 login=4", NULL },
                { "n[008-011]", "1(x4)", "n008=1 n009=1 n010=1 n011=1", NULL },
                { "r[1-2]n[1-2]x", "9,8,7,6", "r1n1x=9 r1n2x=8 r2n1x=7 r2n2x=6", NULL },
                { "a,b,c[3]", "1,2(x1),3", "a=1 b=2 c3=3", NULL },
                { "n-1.example,n-2", "1,2", "n-1.example=1 n-2=2", NULL },
                { "", "1", NULL, bad },
                { "n1,,n2", "1(x2)", NULL, bad },
                { "n[1-", "1", NULL, bad },
                { "n[3-1]", "1", NULL, bad },
                { "n[]", "1", NULL, bad },
                { "n[1,]", "1", NULL, bad },
                { "n[a-b]", "1", NULL, bad },
                { "n[1-2-3]", "1", NULL, bad },
                { "n1]", "1", NULL, bad },
                { "n[1-99999999]", "1", NULL, bad },
                { "n[1-99999999999999999999]", "1", NULL, bad },
                { "n[1-2],n2", "1(x3)", NULL, "host 'n2' is there twice" },
                { "n[0-9][0-9][0-9][0-9]", "1", NULL, "more than 4096 nodes" },
                { "n[1-2]", "1", NULL, unfit },
                { "n[1-2]", "1(x3)", NULL, unfit },
                { "n[1-2]", "1(x2),", NULL, unfit },
                { "n[1-2]", "1(x2", NULL, unfit },
                { "n[1-2]", "x", NULL, unfit },
                { "n[1-2]", "", NULL, unfit },
                { "n1", "0", NULL, unfit },
                { "n1", "99999999999999999999", NULL, unfit },
        };
        for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
                struct nodes nodes = { 0 };
                struct lb_error err;
                int status = nodes_read_slurm(&nodes, rows[i].list, rows[i].cpus, &err);
                check(i, status, &nodes, &err, rows[i].nodes, rows[i].message);
        }
}

static void write_file(const char *text)
{
        FILE *out = fopen("hosts", "w");
        assert_non_null(out);
        fputs(text, out);
        fclose(out);
}

/* Both dialects of host files, also a last line without an end; hosts may not be repeated. */
static void test_hostfile(void **state)
{
        (void)state;
        static const struct {
                const char *text, *nodes, *message;
        } rows[] = {
                { "a slots=4\nb slots=2\n", "a=4 b=2", NULL },
                { "a:4\nb:2", "a=4 b=2", NULL },
                { "# all of them\n\n  a   slots = 4  # big\r\n\tb:3\n", "a=4 b=3", NULL },
                { "a slots=4 max_slots=8\nb max-slots=3 slots=2", "a=4 b=2", NULL },
                { "a\nb", "a=0 b=0", NULL },
                { "user@a.example:7", "user@a.example=7", NULL },
                { "::1 slots=2", "::1=2", NULL },
                { "", NULL, "host file 'hosts' has no host" },
                { "# nothing\n", NULL, "has no host" },
                { "a slots=4\na slots=4\n", NULL, "hosts:2: host 'a' is there twice" },
                { "a:2\n\na", NULL, "hosts:3: host 'a' is there twice" },
                { "a slots=0", NULL, "hosts:1: slots: found '0', allowed is a whole number" },
                { "a slots=", NULL, "slots: found ''" },
                { "a slots", NULL, "slots: found ''" },
                { "a:x", NULL, "cores of host 'a': found 'x'" },
                { "a:-1", NULL, "found '-1'" },
                { "a:99999999999999999999", NULL, "allowed is a whole number from 1 to 4096" },
                { "a 4", NULL, "found '4', allowed is a line 'host slots=N' or 'host:N'" },
                { "a cpus=4", NULL, "found 'cpus'" },
                { "a,b", NULL, "hosts:1: this is not the name of a host" },
                { "\1\2", NULL, "not the name of a host" },
        };
        for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
                struct nodes nodes = { 0 };
                struct lb_error err;
                write_file(rows[i].text);
                int status = nodes_read_hostfile(&nodes, "hosts", &err);
                check(i, status, &nodes, &err, rows[i].nodes, rows[i].message);
        }
}

/* Random texts are read or refused, and never more. */
static void test_random_texts(void **state)
{
        (void)state;
        static const char alphabet[] = "n1-[],(x)2:=\n# slots";
        struct lb_random random;
        lb_random_init(&random, 5, LB_RANDOM_TEST, 0);
        for (int i = 0; i < 5000; i++) {
                char list[24] = "", cpus[24] = "";
                for (size_t k = 0; k + 1 < sizeof(list); k++) {
                        list[k] = alphabet[lb_random_below(&random, sizeof(alphabet))];
                        cpus[k] = alphabet[lb_random_below(&random, sizeof(alphabet))];
                }
                struct nodes nodes = { 0 };
                struct lb_error err;
                if (nodes_read_slurm(&nodes, list, cpus, &err) == 0)
                        assert_true(nodes.nnode > 0);
                nodes_finish(&nodes);
                write_file(i < 1000 ? list : "a");
                if (nodes_read_hostfile(&nodes, "hosts", &err) == 0)
                        assert_true(nodes.nnode > 0);
                nodes_finish(&nodes);
        }
}

/* Where nodes come from, and how options narrow them. */
static void test_sources(void **state)
{
        (void)state;
        static const struct {
                const char *slurm, *cpus, *tasks, *hosts;
                int32_t nnode, cores, graph_nodes;
                bool virtual_nodes;
                int32_t nodes_made, cores_made;
                const char *text; /* note or message */
        } rows[] = {
                { NULL, NULL, NULL, NULL, 4, 8, 0, false, 4, 8, "4 virtual nodes of 8 cores" },
                { NULL, NULL, NULL, NULL, 0, 8, 3, false, 3, 8, "all on this machine" },
                { NULL, NULL, NULL, NULL, 2, 0, 0, false, 0, 0, "--cores is needed" },
                { "n[1-3]", "8(x3)", NULL, NULL, 0, 0, 0, false, 3, 8, "" },
                { "n[1-3]", "8(x2),4", NULL, NULL, 0, 0, 0, false, 3, 8,
                  "nodes have 4 to 8 cores" },
                { "n[1-3]", "8(x2),4", NULL, NULL, 2, 0, 0, false, 2, 8, "" },
                { "n[1-3]", "8(x3)", NULL, NULL, 0, 0, 2, false, 2, 8, "" },
                { "n[1-3]", "8(x3)", NULL, NULL, 0, 4, 0, false, 3, 4, "" },
                { "n[1-3]", "8(x3)", NULL, NULL, 2, 4, 0, true, 2, 4, "virtual" },
                { "n[1-3]", "8(x3)", NULL, "a:2\nb:2", 0, 0, 0, false, 2, 2, "" },
                { "n[1-3]", "8(x3)", NULL, NULL, 4, 0, 0, false, 0, 0, "asks for 4 nodes, there" },
                { "n[1-3]", "8(x3)", NULL, NULL, 0, 9, 0, false, 0, 0, "host 'n1' has 8" },
                { "n[1-3]", "8(x3)", NULL, NULL, 0, 0, 5, false, 0, 0, "graph file is for 5" },
                { "n[1-3]", NULL, NULL, NULL, 0, 0, 0, false, 0, 0, "CPUS_PER_NODE is not" },
                { "n[1-3]", "8(x3)", "3", NULL, 0, 0, 0, false, 0, 0, "by srun as 3 tasks" },
                { NULL, NULL, NULL, "a\nb", 0, 5, 0, false, 2, 5, "" },
                { NULL, NULL, NULL, "a\nb:3", 0, 0, 0, false, 0, 0, "host 'a' has no number" },
        };
        for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
                struct options options = { .nnode = rows[i].nnode,
                                           .cores = rows[i].cores,
                                           .virtual_nodes = rows[i].virtual_nodes,
                                           .hostfile = rows[i].hosts ? "hosts" : NULL };
                struct nodes nodes;
                struct lb_error err = { 0 };
                test_setup(NULL);
                if (rows[i].slurm)
                        setenv("SLURM_JOB_NODELIST", rows[i].slurm, 1);
                if (rows[i].cpus)
                        setenv("SLURM_JOB_CPUS_PER_NODE", rows[i].cpus, 1);
                if (rows[i].tasks)
                        setenv("SLURM_STEP_NUM_TASKS", rows[i].tasks, 1);
                if (rows[i].hosts)
                        write_file(rows[i].hosts);
                int status = nodes_init(&nodes, &options, rows[i].graph_nodes, &err);
                const char *text = status ? err.text : nodes.note;
                if ((status == 0) != (rows[i].nodes_made > 0) || !strstr(text, rows[i].text))
                        fail_msg("row %zu: '%s' lacks '%s'", i, text, rows[i].text);
                assert_int_equal(nodes.nnode, rows[i].nodes_made);
                assert_int_equal(nodes.cores_per_node, rows[i].cores_made);
                nodes_finish(&nodes);
        }
        test_setup(NULL);
}

/* Of a heterogeneous job the first part is all there is to see, or nothing: it is used where that
 * is asked for. */
static void test_parts_of_a_job(void **state)
{
        (void)state;
        for (int32_t i = 0; i < 8; i++) {
                bool first_part = i & 1, asked = i & 2, virtual_nodes = i & 4;
                struct options options = { .nnode = asked ? 2 : 0,
                                           .cores = 1,
                                           .virtual_nodes = virtual_nodes };
                struct nodes nodes;
                struct lb_error err = { 0 };
                test_setup(NULL);
                setenv("SLURM_HET_SIZE", "3", 1);
                if (first_part) {
                        setenv("SLURM_JOB_NODELIST", "n[1-2]", 1);
                        setenv("SLURM_JOB_CPUS_PER_NODE", "8(x2)", 1);
                }
                bool fits = virtual_nodes || (first_part && asked);
                assert_int_equal(nodes_init(&nodes, &options, 0, &err), fits ? 0 : -1);
                assert_int_equal(strstr(err.text, "job of 3 parts") != NULL, !fits);
                assert_int_equal(nodes.nnode, !fits ? 0 : asked ? 2 : 1);
                nodes_finish(&nodes);
        }
        test_setup(NULL);
}

/* More cores than the machine has: what that does to tasks that compute is said, and what helps. */
static void test_more_cores(void **state)
{
        (void)state;
        for (int32_t cores = 0; cores <= JOB_CORE_MAX; cores += JOB_CORE_MAX) {
                for (int virtual_cpus = 0; virtual_cpus < 2; virtual_cpus++) {
                        struct options options = { .nnode = 1,
                                                   .cores = cores,
                                                   .virtual_cpus = virtual_cpus > 0 };
                        struct nodes nodes;
                        struct lb_error err = { 0 };
                        test_setup(NULL);
                        assert_int_equal(nodes_init(&nodes, &options, 0, &err), 0);
                        bool expected = cores > 0 && virtual_cpus == 0;
                        assert_int_equal(strstr(nodes.note, "--virtual-cpus") != NULL, expected);
                        nodes_finish(&nodes);
                }
        }
}

int main(void)
{
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(test_slurm),        cmocka_unit_test(test_hostfile),
                cmocka_unit_test(test_random_texts), cmocka_unit_test(test_sources),
                cmocka_unit_test(test_more_cores),   cmocka_unit_test(test_parts_of_a_job),
        };
        return cmocka_run_group_tests(tests, test_setup, NULL);
}
