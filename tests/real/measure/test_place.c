/* SPDX-License-Identifier: BSD-3-Clause */
/* Places are named by the functions around them, and a file with many is read once for all. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <elfutils/libdwfl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "real/measure/place.h"

/* many_0 to many_49999, of four bytes each. */
__asm__(".text\n"
        ".altmacro\n"
        ".macro function number\n"
        ".type many_\\number, %function\n"
        "many_\\number:\n"
        ".skip 4\n"
        ".size many_\\number, 4\n"
        ".endm\n"
        ".set number, 0\n"
        ".rept 50000\n"
        "function %number\n"
        ".set number, number + 1\n"
        ".endr\n"
        ".noaltmacro\n");
extern const char many_first __asm__("many_0");
extern const char __executable_start;

enum { PLACES = 20, NAME = 64 };
static char file[4096], text[PLACES][NAME];
static struct place place[PLACES];

static uint64_t offset_of(unsigned number)
{
        return (uint64_t)((uintptr_t)&many_first - (uintptr_t)&__executable_start) + 4 * number + 2;
}

static void fill(void)
{
        FILE *self = fopen("/proc/self/cmdline", "r");
        assert_non_null(self);
        assert_true(fread(file, 1, sizeof(file) - 1, self) > 0);
        (void)fclose(self);
        for (unsigned i = 0; i < PLACES; i++)
                place[i] = (struct place){ .module = file,
                                           .offset = offset_of(2500 * i + 7),
                                           .text = text[i],
                                           .size = NAME };
}

static void test_each_by_its_function(void **state)
{
        (void)state;
        fill();
        place_name(place, PLACES);
        for (unsigned i = 0; i < PLACES; i++) {
                char name[NAME];
                snprintf(name, sizeof(name), "many_%u", 2500 * i + 7);
                assert_string_equal(text[i], name);
        }
}

static void test_what_is_not_known(void **state)
{
        (void)state;
        fill();
        place[0].module = "";
        place[1].module = "/no/such/file.so";
        place[1].offset = 0x1234;
        place_name(place, 3);
        assert_string_equal(text[0], "elsewhere");
        assert_string_equal(text[1], "file.so+0x1234");
        assert_string_equal(text[2], "many_5007");
        place_name(place, 0);
}

/* In libdw's place, which it asks: how often is a symbol of a file looked at? */
static int64_t nlook;

const char *dwfl_module_getsym_info(Dwfl_Module *module, int index, GElf_Sym *symbol,
                                    GElf_Addr *address, GElf_Word *section, Elf **elf,
                                    Dwarf_Addr *bias)
{
        static const char *(*real)(Dwfl_Module *, int, GElf_Sym *, GElf_Addr *, GElf_Word *, Elf **,
                                   Dwarf_Addr *);
        if (!real)
                *(void **)&real = dlsym(RTLD_NEXT, "dwfl_module_getsym_info");
        nlook++;
        return real(module, index, symbol, address, section, elf, bias);
}

static int64_t looks(size_t count)
{
        nlook = 0;
        place_name(place, count);
        return nlook;
}

static void test_one_reading_for_all(void **state)
{
        (void)state;
        fill();
        int64_t one = looks(1);
        assert_true(one >= 50000);
        assert_int_equal(looks(PLACES), one);
}

int main(void)
{
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(test_each_by_its_function),
                cmocka_unit_test(test_what_is_not_known),
                cmocka_unit_test(test_one_reading_for_all),
        };
        return cmocka_run_group_tests(tests, NULL, NULL);
}
