/* SPDX-License-Identifier: BSD-3-Clause */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/build.h"
#include "base/hash.h"

/* What is on disk was hashed by other builds: XXH3's published values of nothing, and of one seed.
 */
static void test_known_values(void **state)
{
        (void)state;
        assert_true(lb_hash("", 0, 0) == UINT64_C(0x2D06800538D394C2));
        assert_true(lb_hash("", 0, UINT64_C(0x9E3779B185EBCA8D)) == UINT64_C(0xA8A6B918B2F0364A));
}

/* Published values of FNV-1a, in one piece or two, and the first number of splitmix64 of seed 0:
 * fingerprints of scenarios and checksums of examples are of these. */
static void test_small(void **state)
{
        (void)state;
        uint64_t hash = lb_hash_of_none;
        lb_hash_add(&hash, "foo", 3);
        lb_hash_add(&hash, "bar", 3);
        assert_true(hash == UINT64_C(0x85944171f73967e8));
        hash = lb_hash_of_none;
        lb_hash_add(&hash, "a", 1);
        assert_true(hash == UINT64_C(0xaf63dc4c8601ec8c));
        assert_true(lb_hash_mix(UINT64_C(0x9e3779b97f4a7c15)) == UINT64_C(0xe220a8397b1dcdaf));
}

/* A file hashes as its bytes do, whatever its size; any other byte shows. */
static void test_file(void **state)
{
        (void)state;
        static const size_t sizes[] = { 0, 1, 1000, 1 << 20, (1 << 20) + 1, 3 << 20 };
        unsigned char *bytes = malloc(3 << 20);
        assert_non_null(bytes);
        for (size_t i = 0; i < 3 << 20; i++)
                bytes[i] = (unsigned char)(i * 2654435761u >> 13);
        for (size_t s = 0; s < sizeof(sizes) / sizeof(sizes[0]); s++) {
                struct lb_content content;
                struct lb_error err;
                FILE *out = fopen("hashed.bin", "wb");
                assert_non_null(out);
                assert_int_equal(fwrite(bytes, 1, sizes[s], out), sizes[s]);
                assert_int_equal(fclose(out), 0);
                assert_int_equal(lb_hash_file("hashed.bin", &content, &err), 0);
                assert_int_equal(content.size, sizes[s]);
                assert_true(content.hash == lb_hash(bytes, sizes[s], 0));
                if (sizes[s] == 0)
                        continue;
                bytes[sizes[s] / 2] ^= 1;
                assert_true(content.hash != lb_hash(bytes, sizes[s], 0));
                bytes[sizes[s] / 2] ^= 1;
        }
        free(bytes);
}

static void test_no_file(void **state)
{
        (void)state;
        struct lb_content content;
        struct lb_error err;
        assert_int_equal(lb_hash_file("none.bin", &content, &err), -1);
        assert_non_null(strstr(err.text, "cannot read 'none.bin'"));
        assert_int_equal(lb_hash_file("/dev/zero", &content, &err), -1); /* without an end */
        assert_non_null(strstr(err.text, "no regular file"));
}

/* The program's build is the linker's note, the same whoever asks; of what is in no loaded object
 * it is the hash of the file. */
static void test_build(void **state)
{
        (void)state;
        char program[LB_BUILD_SIZE], object[LB_BUILD_SIZE];
        lb_build_program(program);
        assert_int_equal(strlen(program), 40);
        assert_int_equal(strspn(program, "0123456789abcdef"), 40);
        static const char here = 0;
        lb_build_object(&here, "hashed.bin", object);
        assert_string_equal(object, program);
        lb_build_object(NULL, "hashed.bin", object);
        assert_int_equal(strncmp(object, "file", 4), 0);
        lb_build_object(NULL, "none.bin", object);
        assert_string_equal(object, "unknown");
}

int main(void)
{
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(test_known_values), cmocka_unit_test(test_small),
                cmocka_unit_test(test_file),         cmocka_unit_test(test_no_file),
                cmocka_unit_test(test_build),
        };
        return cmocka_run_group_tests(tests, NULL, NULL);
}
