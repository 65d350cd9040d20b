/* SPDX-License-Identifier: BSD-3-Clause */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "launch_test.h"

/* lbrun doctor: what it finds, and whether its exit code is what a live run then does. */
static struct run run;

static void expect(const char *line, int code, const char *text)
{
        run_line(&run, line);
        if (run.code != code || !strstr(run.out, text))
                fail_msg("'%s': code %d, '%s%s' lacks '%s'", line, run.code, run.out, run.err,
                         text);
}

/* Every MPI that there is is started and works. */
static void test_mpis_work(void **state)
{
        (void)state;
        run_line(&run, "doctor");
        assert_int_equal(run.code, 0);
        assert_non_null(strstr(run.out, "Live runs will work, with"));
        for (int i = 0; test_mpis[i]; i++) {
                const char *by = strcmp(test_mpis[i], "openmpi") == 0 ? "by mpirun.openmpi, MPI_TH"
                                                                      : "by mpirun.mpich, MPI_TH";
                if (!strstr(run.out, by))
                        fail_msg("no '%s': %s%s", by, run.out, run.err);
        }
}

/* A program of the runtime is told from others; its libraries are looked for, and it is not run. */
static void test_program(void **state)
{
        (void)state;
        for (int i = 0; test_mpis[i]; i++) {
                char line[64];
                snprintf(line, sizeof(line), "doctor @%s", test_mpis[i]);
                expect(line, 0, "is built for the runtime with");
                assert_non_null(strstr(run.out, "libraries          all found"));
                assert_null(strstr(run.out, "rank 0"));
        }
        expect("doctor /bin/true", 1, "is not built for the runtime");
        expect("doctor ./no-such-program", 1, "cannot be found");
}

/* A DLB that cannot be used is told from none, and neither is in the way of a live run. */
static void test_dlb(void **state)
{
        (void)state;
        setenv("LBRUN_DLB_LIB", "/bin/true", 1);
        expect("doctor", 0, "/bin/true cannot be used: ");
        assert_non_null(strstr(run.out, "--cores-by dlb falls back to the built-in manager"));
        unsetenv("LBRUN_DLB_LIB");
        expect("doctor", 0, "DLB   ");
        assert_null(strstr(run.out, "/bin/true"));
}

/* A wrong command line. */
static void test_wrong(void **state)
{
        (void)state;
        expect("doctor a b", 2, "");
        expect("doctor --format csv", 2, "");
        assert_non_null(strstr(run.err, "--format: found 'csv', allowed is one of table, json"));
        expect("doctor --what", 2, "");
        assert_non_null(strstr(run.err, "unknown option '--what'"));
}

/* Without an mpirun nothing works, and it says what to install. */
static void test_no_mpi(void **state)
{
        (void)state;
        char *path = strdup(getenv("PATH"));
        setenv("PATH", "/nowhere", 1);
        expect("doctor", 1, "install Open MPI (Debian: openmpi-bin)");
        assert_non_null(strstr(run.out, "A live run will not work"));
        setenv("PATH", path, 1);
        free(path);
}

/* An mpirun that hangs, fails or starts ranks one by one is not mistaken for one that works. */
static void test_odd_mpirun(void **state)
{
        (void)state;
        static const char *const names[] = { "mpirun.openmpi", "mpirun.mpich" };
        static const struct {
                const char *script, *message;
        } rows[] = {
                { "#!/bin/sh\necho no license; exit 3\n", "failed with exit code 3: no license" },
                { "#!/bin/sh\necho 3 1 Odd 1.0; echo 3 1 Odd 1.0\n", "did not find each other" },
                { "#!/bin/sh\necho 1 2 Odd 1.0\n", "Odd 1.0 has thread level 1, needed is 3" },
        };
        char *path = strdup(getenv("PATH"));
        assert_true(mkdir("odd", 0700) == 0 || access("odd", W_OK) == 0);
        setenv("PATH", "odd", 1);
        for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
                for (int n = 0; n < 2; n++) {
                        char file[64];
                        snprintf(file, sizeof(file), "odd/%s", names[n]);
                        FILE *out = fopen(file, "w");
                        assert_non_null(out);
                        fputs(rows[i].script, out);
                        assert_int_equal(fclose(out), 0);
                        assert_int_equal(chmod(file, 0700), 0);
                }
                expect("doctor", 1, rows[i].message);
        }
        setenv("PATH", path, 1);
        free(path);
}

/* Too little address space for cluster memory is found before a run fails by it. */
static void test_address_space(void **state)
{
        (void)state;
#ifdef __SANITIZE_ADDRESS__
        skip(); /* the sanitizer needs terabytes itself */
#endif
        struct rlimit limit, before;
        assert_int_equal(getrlimit(RLIMIT_AS, &before), 0);
        limit = before;
        limit.rlim_cur = (rlim_t)20 << 30;
        assert_int_equal(setrlimit(RLIMIT_AS, &limit), 0);
        run_line(&run, "doctor");
        assert_int_equal(setrlimit(RLIMIT_AS, &before), 0);
        assert_int_equal(run.code, 1);
        assert_non_null(strstr(run.out, "a rank cannot reserve 64 GiB"));
        assert_non_null(strstr(run.out, "ulimit -v unlimited"));
}

/* As JSON, the same findings for programs. */
static void test_json(void **state)
{
        (void)state;
        expect("doctor --format json", 0, "\"verdict\":");
        assert_non_null(strstr(run.out, "\"what\": \"shared memory\""));
}

int main(void)
{
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(test_mpis_work),     cmocka_unit_test(test_program),
                cmocka_unit_test(test_wrong),         cmocka_unit_test(test_dlb),
                cmocka_unit_test(test_no_mpi),        cmocka_unit_test(test_odd_mpirun),
                cmocka_unit_test(test_address_space), cmocka_unit_test(test_json),
        };
        return cmocka_run_group_tests(tests, test_setup, NULL);
}
