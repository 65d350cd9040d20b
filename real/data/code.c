/* SPDX-License-Identifier: BSD-3-Clause */
/* Function pointers in terms that mean the same in another process of the same program. */
#define _GNU_SOURCE
#include "real/data/memory.h"

#include <link.h>
#include <string.h>

#include "base/hash.h"

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

static size_t padded(size_t bytes)
{
        return (bytes + 3) / 4 * 4;
}

/* The build id among the notes of one segment: a header, then a name and the id, both padded. */
static uint64_t build_id_in(const char *at, size_t bytes)
{
        ElfW(Nhdr) note;
        for (size_t size; bytes >= sizeof(note); at += size, bytes -= size) {
                memcpy(&note, at, sizeof(note));
                size = sizeof(note) + padded(note.n_namesz) + padded(note.n_descsz);
                if (size > bytes)
                        return 0;
                if (note.n_type == NT_GNU_BUILD_ID && note.n_namesz == sizeof("GNU") &&
                    memcmp(at + sizeof(note), "GNU", sizeof("GNU")) == 0)
                        return hash_of(at + sizeof(note) + padded(note.n_namesz), note.n_descsz);
        }
        return 0;
}

static uint64_t build_id_of(const struct dl_phdr_info *info)
{
        uint64_t id = 0;
        for (int i = 0; i < info->dlpi_phnum && !id; i++) {
                const ElfW(Phdr) *part = &info->dlpi_phdr[i];
                if (part->p_type == PT_NOTE)
                        id = build_id_in((const char *)(info->dlpi_addr + part->p_vaddr),
                                         part->p_memsz);
        }
        return id;
}

/* The program itself comes first. */
static uint64_t object_of(const struct dl_phdr_info *info, int index)
{
        if (index == 0)
                return 0;
        uint64_t id = build_id_of(info);
        const char *slash = strrchr(info->dlpi_name, '/');
        const char *name = slash ? slash + 1 : info->dlpi_name;
        return id ? id : hash_of(name, strlen(name));
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
