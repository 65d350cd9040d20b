/* SPDX-License-Identifier: BSD-3-Clause */
/* Same-address memory, within a process and across two of this program. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/random.h"
#include "real/data/memory.h"
#include "tests/real/data/twin.h"

/* Where to look for a gap: an address that thread sanitizer leaves to programs, too. */
static const uintptr_t low = (uintptr_t)1 << 36;

static struct memory *make(size_t bytes)
{
        struct lb_error err;
        uintptr_t address = memory_gap(low, bytes);
        assert_true(address != 0);
        struct memory *memory = memory_create(address, bytes, &err);
        if (!memory)
                print_error("%s\n", err.text);
        assert_non_null(memory);
        return memory;
}

static bool all_are(const unsigned char *at, size_t bytes, unsigned char value)
{
        for (size_t i = 0; i < bytes; i++)
                if (at[i] != value)
                        return false;
        return true;
}

/* ---- Blocks ---- */

static unsigned char *alloc_zeroed(struct memory *memory, size_t bytes)
{
        unsigned char *block = memory_alloc(memory, bytes);
        assert_non_null(block);
        assert_int_equal((uintptr_t)block % (bytes >= 65536 ? 4096 : 64), 0);
        assert_true(all_are(block, bytes, 0));
        assert_true(memory_has(memory, (uintptr_t)block, bytes));
        return block;
}

/* Random allocations and frees: aligned, zero, apart from each other, and all of it there at the
 * end. */
static void test_random_use(void **state)
{
        (void)state;
        enum { BLOCKS = 60, SPACE = 16 << 20, STEPS = 4000 };
        struct memory *memory = make(SPACE);
        unsigned char *block[BLOCKS] = { NULL };
        size_t bytes[BLOCKS];
        struct lb_random random;
        lb_random_init(&random, 3, LB_RANDOM_TEST, 0);
        for (int step = 0; step < STEPS; step++) {
                size_t i = lb_random_below(&random, BLOCKS);
                if (block[i]) {
                        assert_true(all_are(block[i], bytes[i], (unsigned char)(i + 1)));
                        assert_true(memory_free(memory, block[i]) >= bytes[i]);
                        block[i] = NULL;
                        continue;
                }
                bytes[i] = (size_t)exp(lb_random_unit(&random) * log(300000.0));
                block[i] = alloc_zeroed(memory, bytes[i]);
                memset(block[i], (int)i + 1, bytes[i]);
        }
        for (int i = 0; i < BLOCKS; i++)
                memory_free(memory, block[i]);
        alloc_zeroed(memory, SPACE);
        memory_destroy(memory);
}

/* Full means full: a block that is freed is the only one that can be had again. */
static void test_exhaustion(void **state)
{
        (void)state;
        enum { SPACE = 1 << 20, BYTES = 100, BLOCKS = SPACE / 128 };
        struct memory *memory = make(SPACE);
        static char *block[BLOCKS];
        for (int i = 0; i < BLOCKS; i++) {
                block[i] = memory_alloc(memory, BYTES);
                assert_non_null(block[i]);
        }
        assert_null(memory_alloc(memory, 1));
        assert_null(memory_alloc(memory, 0));
        for (int i = 0; i < BLOCKS; i += 37) {
                assert_int_equal(memory_free(memory, block[i]), 128);
                assert_null(memory_alloc(memory, 129));
                assert_ptr_equal(memory_alloc(memory, BYTES), block[i]);
        }
        assert_null(memory_alloc(memory, SPACE + 1));
        assert_null(memory_alloc(memory, SIZE_MAX));
        memory_destroy(memory);
}

/* Of the gaps that have room the smallest is taken. */
static void test_best_fit(void **state)
{
        (void)state;
        static const size_t gaps[] = { 640, 6400, 128, 1024, 1088, 64000, 192, 1152, 2112, 2048 };
        enum { NGAP = sizeof(gaps) / sizeof(gaps[0]) };
        static const struct {
                size_t bytes;
                int gap;
        } cases[] = { { 1, 2 },    { 128, 2 },  { 129, 6 },  { 200, 0 },   { 950, 3 },
                      { 1025, 4 }, { 1089, 7 }, { 1153, 9 }, { 64000, 5 }, { 6401, 5 },
                      { 1984, 9 }, { 2049, 8 }, { 2113, 1 } };
        struct memory *memory = make(1 << 20);
        char *block[NGAP];
        for (int i = 0; i < NGAP; i++) {
                block[i] = memory_alloc(memory, gaps[i]);
                assert_non_null(memory_alloc(memory, 64));
        }
        for (int i = 0; i < NGAP; i++)
                assert_int_equal(memory_free(memory, block[i]), gaps[i]);
        for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
                char *found = memory_alloc(memory, cases[i].bytes);
                assert_ptr_equal(found, block[cases[i].gap]);
                memory_free(memory, found);
        }
        memory_destroy(memory);
}

/* How many pages the system has to give when these bytes are touched. */
static long faults_of_touching(char *at, size_t bytes)
{
        struct rusage before, after;
        getrusage(RUSAGE_SELF, &before);
        for (size_t i = 0; i < bytes; i += 4096)
                ((volatile char *)at)[i] = 1;
        getrusage(RUSAGE_SELF, &after);
        return after.ru_minflt - before.ru_minflt;
}

/* A large block that is freed goes back to the system: its pages must be had anew. */
static void test_returned(void **state)
{
        (void)state;
        enum { BYTES = 64 << 20 };
        struct memory *memory = make(BYTES);
        char *block = memory_alloc(memory, BYTES);
        assert_non_null(block);
        faults_of_touching(block, BYTES);
        assert_true(faults_of_touching(block, BYTES) < 16);
        assert_int_equal(memory_free(memory, block), BYTES);
        assert_true(faults_of_touching(block, BYTES) >= BYTES >> 21); /* huge pages at most */
        memory_destroy(memory);
}

/* A hundred thousand blocks, freed in another order than they came. */
static void test_many(void **state)
{
        (void)state;
        enum { MANY = 100000 };
        struct memory *memory = make((size_t)1 << 30);
        char **block = calloc(MANY, sizeof(*block));
        struct lb_random random;
        lb_random_init(&random, 5, LB_RANDOM_TEST, 0);
        assert_non_null(block);
        for (size_t i = 0; i < MANY; i++) {
                block[i] = memory_alloc(memory, 1 + lb_random_below(&random, 4000));
                assert_non_null(block[i]);
        }
        for (size_t i = 0; i < MANY; i += 2) {
                assert_true(memory_free(memory, block[i]) > 0);
                block[i] = memory_alloc(memory, 1 + lb_random_below(&random, 4000));
                assert_non_null(block[i]);
        }
        for (size_t i = 0; i < MANY; i++)
                assert_true(memory_free(memory, block[i * 7 % MANY]) > 0);
        assert_non_null(memory_alloc(memory, (size_t)1 << 30));
        memory_destroy(memory);
        free(block);
}

/* ---- What is no block ---- */

/* What was not allocated is not freed, and nothing happens. */
static void test_foreign(void **state)
{
        (void)state;
        struct memory *memory = make(1 << 20);
        char *block = memory_alloc(memory, 1000), *next = memory_alloc(memory, 1000);
        int local;
        void *wrong[] = { NULL, &local, block + 1, block + 64, block + 4096, block + (1 << 20) };
        for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++)
                assert_int_equal(memory_free(memory, wrong[i]), 0);
        assert_int_equal(memory_free(memory, block), 1024);
        assert_int_equal(memory_free(memory, block), 0);
        assert_int_equal(memory_free(memory, next), 1024);
        assert_int_equal(memory_free(memory, next), 0);
        memory_destroy(memory);
        memory_destroy(NULL);
}

/* A range is in a block only where all of it is in one and the same. */
static void test_has(void **state)
{
        (void)state;
        const size_t space = 1 << 20;
        struct memory *memory = make(space);
        uintptr_t a = (uintptr_t)memory_alloc(memory, 1024);
        uintptr_t b = (uintptr_t)memory_alloc(memory, 1024);
        assert_int_equal(b, a + 1024);
        assert_true(memory_has(memory, a, 1024));
        assert_true(memory_has(memory, a + 1023, 1));
        assert_false(memory_has(memory, a, 1025));
        assert_false(memory_has(memory, b, 1025));
        assert_false(memory_has(memory, a - 1, 2));
        assert_false(memory_has(memory, a + 1, SIZE_MAX));
        assert_false(memory_has(memory, a + space, 0));
        assert_true(memory_spans(memory, a, space));
        assert_false(memory_spans(memory, a, space + 1));
        assert_false(memory_spans(memory, a - 1, 1));
        assert_false(memory_spans(memory, a + space, 1));
        assert_false(memory_spans(memory, a + 1, SIZE_MAX));
        memory_free(memory, (void *)a);
        assert_false(memory_has(memory, a, 1));
        uintptr_t odd = (uintptr_t)memory_alloc(memory, 65),
                  none = (uintptr_t)memory_alloc(memory, 0);
        assert_true(memory_has(memory, odd, 65));
        assert_false(memory_has(memory, odd, 66));
        assert_false(memory_has(memory, odd + 66, 0));
        assert_true(memory_has(memory, none, 0));
        assert_false(memory_has(memory, none, 1));
        memory_destroy(memory);
}

/* ---- The space ---- */

/* The gap that is told is free, and not what has been taken; what is taken is refused. */
static void test_gap(void **state)
{
        (void)state;
        struct lb_error err;
        size_t bytes = (size_t)8 << 30;
        uintptr_t first = memory_gap(low + 1, bytes);
        assert_int_equal(first % (1 << 30), 0);
        assert_true(first > low);
        struct memory *memory = memory_create(first, bytes, &err);
        assert_non_null(memory);
        assert_null(memory_create(first + bytes / 2, bytes, &err));
        assert_non_null(strstr(err.text, "cannot reserve 8 GiB"));
        assert_non_null(strstr(err.text, "something else is mapped there"));
        assert_true(memory_gap(first, bytes) >= first + bytes);
        memory_destroy(memory);
        assert_int_equal(memory_gap(first, bytes), first);
        assert_int_equal(memory_gap(first, SIZE_MAX / 2), 0);
        assert_int_equal(memory_gap((uintptr_t)1 << 47, bytes), 0);
}

/* Where the address space is limited, the message says so. */
static void test_limit(void **state)
{
        (void)state;
        uintptr_t address = memory_gap(low, (size_t)8 << 30);
        pid_t child = fork();
        if (child == 0) {
                struct rlimit limit = { 1 << 30, 1 << 30 };
                struct lb_error err = { .text = "" };
                setrlimit(RLIMIT_AS, &limit);
                bool refused = !memory_create(address, (size_t)8 << 30, &err);
                _exit(refused && strstr(err.text, "raise ulimit -v") ? 0 : 1);
        }
        int status;
        assert_int_equal(waitpid(child, &status, 0), child);
        assert_int_equal(status, 0);
}

/* Told to a twin: where memory was made, and what is in it. */
struct place {
        uintptr_t space, block;
        size_t bytes;
};

static int twin_makes_the_same(void)
{
        struct place place;
        struct lb_error err;
        if (twin_read(&place, sizeof(place)) < 0)
                return 1;
        struct memory *memory = memory_create(place.space, place.bytes, &err);
        if (!memory)
                return 2;
        if (twin_read((void *)place.block, 1 << 16) < 0)
                return 3;
        for (size_t i = 0; i < 1 << 16; i++)
                ((unsigned char *)place.block)[i] ^= 0xff;
        int status = twin_write((void *)place.block, 1 << 16);
        memory_destroy(memory);
        return status < 0 ? 4 : 0;
}

/* Another process has the same space at the same address, so that pointers into it mean the same.
 */
static void test_two_processes(void **state)
{
        (void)state;
        struct place place = { .bytes = (size_t)4 << 30 };
        struct lb_error err;
        place.space = memory_gap(low, place.bytes);
        struct memory *memory = memory_create(place.space, place.bytes, &err);
        assert_non_null(memory);
        unsigned char *block = memory_alloc(memory, 1 << 16);
        place.block = (uintptr_t)block;
        memset(block, 0x35, 1 << 16);
        struct twin twin = twin_start("memory");
        assert_int_equal(twin_tell(&twin, &place, sizeof(place)), 0);
        assert_int_equal(twin_tell(&twin, block, 1 << 16), 0);
        assert_int_equal(twin_hear(&twin, block, 1 << 16), 0);
        assert_int_equal(twin_end(&twin), 0);
        assert_true(all_are(block, 1 << 16, 0x35 ^ 0xff));
        memory_destroy(memory);
}

/* ---- Pages ---- */

/* Does the mapping that begins at an address ask for large pages? */
static bool asks_for_large(const void *address)
{
        FILE *maps = fopen("/proc/self/smaps", "r");
        char *line = NULL, begin[32];
        size_t room = 0;
        bool is_it = false, asks = false;
        assert_non_null(maps);
        int length = snprintf(begin, sizeof(begin), "%lx-", (unsigned long)(uintptr_t)address);
        while (!asks && getline(&line, &room, maps) > 0) {
                bool flags = strncmp(line, "VmFlags:", 8) == 0;
                asks = is_it && flags && strstr(line, " hg") != NULL;
                is_it = (is_it && !flags) || strncmp(line, begin, (size_t)length) == 0;
        }
        free(line);
        fclose(maps);
        return asks;
}

/* Only where it is said that most will be touched; and blocks are zero then as well. */
static void test_large_pages(void **state)
{
        enum { LARGE = 8 << 20 };
        (void)state;
        if (access("/sys/kernel/mm/transparent_hugepage/enabled", F_OK) != 0)
                skip();
        struct memory *memory = make((size_t)64 << 20);
        unsigned char *block = alloc_zeroed(memory, LARGE);
        assert_false(asks_for_large(block));
        memory_fill(memory);
        assert_true(asks_for_large(block));
        for (int i = 0; i < 3; i++) {
                memset(block, 1, LARGE);
                assert_int_equal(memory_free(memory, block), LARGE);
                block = alloc_zeroed(memory, LARGE);
        }
        memory_destroy(memory);
}

int main(int argc, char **argv)
{
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(test_random_use),  cmocka_unit_test(test_exhaustion),
                cmocka_unit_test(test_best_fit),    cmocka_unit_test(test_returned),
                cmocka_unit_test(test_many),        cmocka_unit_test(test_foreign),
                cmocka_unit_test(test_has),         cmocka_unit_test(test_gap),
                cmocka_unit_test(test_limit),       cmocka_unit_test(test_two_processes),
                cmocka_unit_test(test_large_pages),
        };
        if (argc > 1 && strcmp(argv[1], "memory") == 0)
                return twin_makes_the_same();
        return cmocka_run_group_tests(tests, NULL, NULL);
}
