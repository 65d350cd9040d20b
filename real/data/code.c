/* SPDX-License-Identifier: BSD-3-Clause */
/* Function pointers in terms that mean the same in another process of the same program. */
#define _GNU_SOURCE
#include <link.h>
#include <string.h>

#include "real/data/memory.h"

struct search {
        uintptr_t address; /* looked for, or found */
        struct memory_code code;
        int index;
        bool found;
};

/* The program itself comes first and has no name of its own. */
static uint64_t object_of(const struct dl_phdr_info *info, int index)
{
        if (index == 0)
                return 0;
        uint64_t hash = 14695981039346656037u; /* FNV-1a of the file's name without its folder */
        const char *slash = strrchr(info->dlpi_name, '/');
        for (const char *c = slash ? slash + 1 : info->dlpi_name; *c; c++)
                hash = (hash ^ (unsigned char)*c) * 1099511628211u;
        return hash ? hash : 1;
}

static bool contains(const struct dl_phdr_info *info, uintptr_t address)
{
        for (int i = 0; i < info->dlpi_phnum; i++) {
                const ElfW(Phdr) *part = &info->dlpi_phdr[i];
                uintptr_t begin = info->dlpi_addr + part->p_vaddr;
                if (part->p_type == PT_LOAD && (part->p_flags & PF_X) && address >= begin &&
                    address - begin < part->p_memsz)
                        return true;
        }
        return false;
}

static int look_for_address(struct dl_phdr_info *info, size_t size, void *context)
{
        struct search *search = context;
        (void)size;
        int index = search->index++;
        if (!contains(info, search->address))
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
        search->found = contains(info, search->address);
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
