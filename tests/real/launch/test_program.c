/* SPDX-License-Identifier: BSD-3-Clause */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/random.h"
#include "launch_test.h"
#include "real/launch/program.h"

static unsigned char *read_file(const char *path, size_t *size)
{
        FILE *in = fopen(path, "rb");
        assert_non_null(in);
        unsigned char *bytes = malloc(1 << 24);
        assert_non_null(bytes);
        *size = fread(bytes, 1, 1 << 24, in);
        fclose(in);
        return bytes;
}

static void write_program(const char *path, const void *bytes, size_t size, mode_t mode)
{
        unlink(path);
        FILE *out = fopen(path, "wb");
        assert_non_null(out);
        assert_int_equal(fwrite(bytes, 1, size, out), size);
        fclose(out);
        assert_int_equal(chmod(path, mode), 0);
}

/* A program's MPI is read from its section, and agrees with the library that it links. */
static void test_found(void **state)
{
        (void)state;
        for (int i = 0; test_mpis[i]; i++) {
                char path[512], name[64];
                struct program program;
                struct lb_error err;
                snprintf(path, sizeof(path), "%s/probe-%s", PROBES, test_mpis[i]);
                assert_int_equal(program_find(&program, path, &err), 0);
                assert_string_equal(mpi_name(program.mpi), test_mpis[i]);
                assert_string_equal(program.path, path);

                snprintf(name, sizeof(name), "probe-%s", test_mpis[i]);
                char *before = strdup(getenv("PATH"));
                setenv("PATH", "/nowhere::" PROBES, 1);
                assert_int_equal(program_find(&program, name, &err), 0);
                assert_string_equal(program.path, path);
                setenv("PATH", before, 1);
                free(before);
        }
}

/* What cannot be run says why, with env(1)'s exit codes. */
static void test_refused(void **state)
{
        (void)state;
        write_program("script", "#!/bin/sh\n", 10, 0755);
        write_program("text", "hello", 5, 0755);
        write_program("empty", "", 0, 0755);
        write_program("plain", "hello", 5, 0644);
        static const struct {
                const char *name;
                int code;
                const char *message;
        } rows[] = {
                { "./none", 127, "program './none' cannot be found: No such file" },
                { "no-such-program", 127, "program 'no-such-program' is not found on PATH" },
                { "text", 127, "did you mean './text'?" },
                { "", 127, "is not found" },
                { "./script/x", 127, "cannot be found: Not a directory" },
                { "/", 126, "is not a file, but a directory" },
                { "./plain", 126, "cannot be run: Permission denied" },
                { "./script", 126, "it is a script" },
                { "./text", 126, "it is not a program (no ELF file)" },
                { "./empty", 126, "it is empty" },
                { LBRUN, 126, "is not built for the runtime (it links no MPI library): link it" },
        };
        for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
                struct program program;
                struct lb_error err;
                assert_int_equal(program_find(&program, rows[i].name, &err), rows[i].code);
                if (!strstr(err.text, rows[i].message))
                        fail_msg("row %zu: '%s' lacks '%s'", i, err.text, rows[i].message);
        }
}

/* A Fortran or C++ program may need no library of MPI but its language's, and is told which MPI. */
static void test_languages(void **state)
{
        (void)state;
        static const struct {
                const char *name, *message;
        } rows[] = {
                { "mpi_mpifh", "(it links Open MPI)" }, { "mpi_usempif08", "(it links Open MPI)" },
                { "mpi_cxx", "(it links Open MPI)" },   { "mpichfort", "(it links MPICH)" },
                { "mpifort", "(it links MPICH)" },
        };
        for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
                struct program program;
                struct lb_error err;
                char path[512];
                snprintf(path, sizeof(path), "%s/needs-%s", PROBES, rows[i].name);
                assert_int_equal(program_find(&program, path, &err), 126);
                if (!strstr(err.text, rows[i].message))
                        fail_msg("'%s' lacks '%s'", err.text, rows[i].message);
        }
}

static unsigned char *find_note(unsigned char *bytes, size_t size)
{
        static const char note[] = "lbrun abi=1 mpi=";
        for (size_t i = 0; i + sizeof(note) < size; i++)
                if (memcmp(bytes + i, note, sizeof(note) - 1) == 0)
                        return bytes + i;
        return NULL;
}

/* Another version of the runtime, another MPI than is linked, and an MPI that nobody knows. */
static void test_other_notes(void **state)
{
        (void)state;
        if (!test_mpis[0])
                skip();
        static const struct {
                const char *note, *message;
        } rows[] = {
                { "lbrun abi=9 mpi=", "another version of the runtime (found 'lbrun abi=9 mpi=" },
                { "LBRUN ABI=1 MPI=", "another version of the runtime" },
                { "lbrun abi=1 mpi=x", "is built for MPI 'x" },
        };
        char path[512];
        size_t size;
        snprintf(path, sizeof(path), "%s/probe-%s", PROBES, test_mpis[0]);
        for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
                struct program program;
                struct lb_error err;
                unsigned char *bytes = read_file(path, &size), *note = find_note(bytes, size);
                assert_non_null(note);
                memcpy(note, rows[i].note, strlen(rows[i].note));
                write_program("other", bytes, size, 0755);
                free(bytes);
                assert_int_equal(program_find(&program, "./other", &err), 126);
                if (!strstr(err.text, rows[i].message))
                        fail_msg("row %zu: '%s' lacks '%s'", i, err.text, rows[i].message);
        }
}

/* The runtime library of one MPI with the library of the other. */
static void test_mixed(void **state)
{
        (void)state;
        if (!test_mpis[0] || !test_mpis[1])
                skip();
        char path[512];
        size_t size;
        struct program program;
        struct lb_error err;
        snprintf(path, sizeof(path), "%s/probe-openmpi", PROBES);
        unsigned char *bytes = read_file(path, &size), *note = find_note(bytes, size);
        memcpy(note + strlen("lbrun abi=1 mpi="), "mpich\0", 6);
        write_program("other", bytes, size, 0755);
        free(bytes);
        assert_int_equal(program_find(&program, "./other", &err), 126);
        assert_non_null(strstr(err.text, "with the runtime library for MPICH, but links Open MPI"));
}

/* A damaged or cut program is read or refused: no access outside of it (the sanitizers look on). */
static void test_damaged(void **state)
{
        (void)state;
        if (!test_mpis[0])
                skip();
        struct lb_random random;
        struct program_elf elf;
        struct lb_error err;
        char path[512];
        size_t size;
        lb_random_init(&random, 11, LB_RANDOM_TEST, 0);
        snprintf(path, sizeof(path), "%s/probe-%s", PROBES, test_mpis[0]);
        unsigned char *bytes = read_file(path, &size);
        uint64_t table;
        memcpy(&table, bytes + 40, sizeof(table)); /* e_shoff */
        for (int i = 0; i < 20000; i++) {
                unsigned char before[3];
                size_t at[3];
                for (int k = 0; k < 3; k++) {
                        size_t from = lb_random_below(&random, 2) ? table : 16;
                        at[k] = from + lb_random_below(&random, from == 16 ? 48 : size - table);
                        before[k] = bytes[at[k]];
                        bytes[at[k]] = (unsigned char)lb_random_next(&random);
                }
                if (program_elf_read(&elf, bytes, size, &err) == 0)
                        assert_true(strlen(elf.note) < sizeof(elf.note));
                for (int k = 2; k >= 0; k--)
                        bytes[at[k]] = before[k];
        }
        for (size_t cut = 0; cut < size; cut += 1 + cut / 16) {
                unsigned char *part = malloc(cut + 1);
                memcpy(part, bytes, cut);
                unsigned char *tight = realloc(part, cut ? cut : 1);
                if (program_elf_read(&elf, tight, cut, &err) == 0)
                        assert_true(elf.note[0] == '\0' || elf.note[0] == 'l');
                free(tight);
        }
        free(bytes);
}

int main(void)
{
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(test_found),     cmocka_unit_test(test_refused),
                cmocka_unit_test(test_languages), cmocka_unit_test(test_other_notes),
                cmocka_unit_test(test_mixed),     cmocka_unit_test(test_damaged),
        };
        return cmocka_run_group_tests(tests, test_setup, NULL);
}
