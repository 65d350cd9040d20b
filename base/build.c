/* SPDX-License-Identifier: BSD-3-Clause */
#define _GNU_SOURCE
#include "base/build.h"

#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>

#include "base/hash.h"
#include "base/loaded.h"

struct search {
        uintptr_t address;
        char *build; /* [LB_BUILD_SIZE] empty until it is found */
};

static void put_digits(const unsigned char *byte, size_t count, char *build)
{
        for (size_t i = 0; i < count && 2 * i + 2 < LB_BUILD_SIZE; i++)
                snprintf(build + 2 * i, 3, "%02x", byte[i]);
}

static int look(struct dl_phdr_info *info, size_t size, void *data)
{
        struct search *search = data;
        (void)size;
        if (!lb_loaded_holds(info, search->address, 0))
                return 0;
        size_t count;
        const unsigned char *id = lb_loaded_build(info, &count);
        if (id)
                put_digits(id, count, search->build);
        return 1;
}

void lb_build_object(const void *address, const char *file, char build[static LB_BUILD_SIZE])
{
        struct search search = { .address = (uintptr_t)address, .build = build };
        struct lb_content content;
        struct lb_error ignored;
        *build = '\0';
        dl_iterate_phdr(look, &search);
        if (*build)
                return;
        if (lb_hash_file(file, &content, &ignored) == 0)
                snprintf(build, LB_BUILD_SIZE, "file%016" PRIx64, content.hash);
        else
                snprintf(build, LB_BUILD_SIZE, "unknown");
}

void lb_build_program(char build[static LB_BUILD_SIZE])
{
        static const char here = 0;
        lb_build_object(&here, "/proc/self/exe", build);
}
