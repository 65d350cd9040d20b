/* SPDX-License-Identifier: BSD-3-Clause */
#define _GNU_SOURCE /* dl_iterate_phdr() */
#include "base/build.h"

#include <inttypes.h>
#include <link.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "base/hash.h"

struct search {
        uintptr_t address;
        char *build; /* [LB_BUILD_SIZE] empty until it is found */
};

static bool holds(const struct dl_phdr_info *info, uintptr_t address)
{
        for (int i = 0; i < info->dlpi_phnum; i++) {
                const ElfW(Phdr) *part = &info->dlpi_phdr[i];
                uintptr_t begin = info->dlpi_addr + part->p_vaddr;
                if (part->p_type == PT_LOAD && address >= begin && address - begin < part->p_memsz)
                        return true;
        }
        return false;
}

static void put_digits(const unsigned char *byte, size_t count, char *build)
{
        for (size_t i = 0; i < count && 2 * i + 2 < LB_BUILD_SIZE; i++)
                snprintf(build + 2 * i, 3, "%02x", byte[i]);
}

/* Names and contents of notes are filled up to four bytes. */
static size_t filled(size_t size)
{
        return (size + 3) & ~(size_t)3;
}

/* The notes of one segment, one after the other. */
static void read_notes(const unsigned char *at, size_t left, char *build)
{
        ElfW(Nhdr) note;
        while (left >= sizeof(note)) {
                memcpy(&note, at, sizeof(note));
                size_t name = filled(note.n_namesz), content = filled(note.n_descsz);
                if (name > left - sizeof(note) || content > left - sizeof(note) - name)
                        return;
                const unsigned char *text = at + sizeof(note);
                if (note.n_type == NT_GNU_BUILD_ID && note.n_namesz == 4 &&
                    memcmp(text, "GNU", 4) == 0) {
                        put_digits(text + name, note.n_descsz, build);
                        return;
                }
                at += sizeof(note) + name + content;
                left -= sizeof(note) + name + content;
        }
}

static int look(struct dl_phdr_info *info, size_t size, void *data)
{
        struct search *search = data;
        (void)size;
        if (!holds(info, search->address))
                return 0;
        for (int i = 0; i < info->dlpi_phnum && !*search->build; i++) {
                const ElfW(Phdr) *part = &info->dlpi_phdr[i];
                if (part->p_type == PT_NOTE)
                        read_notes((const unsigned char *)(info->dlpi_addr + part->p_vaddr),
                                   part->p_memsz, search->build);
        }
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
