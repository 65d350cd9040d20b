/* SPDX-License-Identifier: BSD-3-Clause */
/* Function pointers in terms that mean the same in another process of the same program. */
#define _GNU_SOURCE
#include "real/data/memory.h"

#include <string.h>

#include "base/hash.h"
#include "base/loaded.h"

struct search {
        uintptr_t address; /* looked for, or found */
        struct memory_code code;
        int index;
        bool found;
};

static uint64_t hash_of(const void *data, size_t bytes)
{
        uint64_t hash = lb_hash_of_none;
        lb_hash_add(&hash, data, bytes);
        return hash ? hash : 1; /* 0 is the program */
}

static uint64_t build_id_of(const struct dl_phdr_info *info)
{
        size_t size;
        const unsigned char *id = lb_loaded_build(info, &size);
        return id ? hash_of(id, size) : 0;
}

/* The program itself comes first. */
static uint64_t object_of(const struct dl_phdr_info *info, int index)
{
        if (index == 0)
                return 0;
        uint64_t id = build_id_of(info);
        const char *name = basename(info->dlpi_name);
        return id ? id : hash_of(name, strlen(name));
}

static int look_for_address(struct dl_phdr_info *info, size_t size, void *context)
{
        struct search *search = context;
        (void)size;
        int index = search->index++;
        if (!lb_loaded_holds(info, search->address, PF_X))
                return 0;
        search->code.object = object_of(info, index);
        search->code.offset = search->address - info->dlpi_addr;
        search->found = true;
        return 1;
}

static int look_for_object(struct dl_phdr_info *info, size_t size, void *context)
{
        struct search *search = context;
        (void)size;
        if (object_of(info, search->index++) != search->code.object)
                return 0;
        search->address = info->dlpi_addr + search->code.offset;
        search->found = lb_loaded_holds(info, search->address, PF_X);
        return 1;
}

int memory_code_from(const void *function, struct memory_code *code)
{
        struct search search = { .address = (uintptr_t)function };
        dl_iterate_phdr(look_for_address, &search);
        *code = search.code;
        return search.found ? 0 : -1;
}

void *memory_code_to(const struct memory_code *code)
{
        struct search search = { .code = *code };
        dl_iterate_phdr(look_for_object, &search);
        return search.found ? (void *)search.address : NULL;
}
