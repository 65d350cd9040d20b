/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef LB_BASE_LOADED_H
#define LB_BASE_LOADED_H

#include <elf.h>
#include <link.h> /* dl_iterate_phdr(): who includes this defines _GNU_SOURCE */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/*
 * The files that this process has loaded, as dl_iterate_phdr() shows them: which one an address is
 * of, and which build of it. Nothing needs to be linked.
 */

/* Does the object hold the address, in a segment with all these rights (PF_R, PF_W, PF_X; 0: any
 * segment)? */
static inline bool lb_loaded_holds(const struct dl_phdr_info *info, uintptr_t address,
                                   uint32_t rights)
{
        for (int i = 0; i < info->dlpi_phnum; i++) {
                const ElfW(Phdr) *part = &info->dlpi_phdr[i];
                if (part->p_type == PT_LOAD && (part->p_flags & rights) == rights &&
                    address - (info->dlpi_addr + part->p_vaddr) < part->p_memsz)
                        return true;
        }
        return false;
}

/* Its build id (ld's --build-id) among the notes of one segment, each a header, a name and a
 * content, both filled up to four bytes. NULL: not there. */
static inline const unsigned char *lb_loaded_build_in(const unsigned char *at, size_t left,
                                                      size_t *size)
{
        ElfW(Nhdr) note;
        while (left >= sizeof(note)) {
                memcpy(&note, at, sizeof(note));
                size_t name = ((size_t)note.n_namesz + 3) / 4 * 4;
                size_t all = sizeof(note) + name + ((size_t)note.n_descsz + 3) / 4 * 4;
                if (all > left)
                        return NULL;
                *size = note.n_descsz;
                if (note.n_type == NT_GNU_BUILD_ID && note.n_namesz == sizeof("GNU") &&
                    memcmp(at + sizeof(note), "GNU", sizeof("GNU")) == 0)
                        return at + sizeof(note) + name;
                at += all;
                left -= all;
        }
        return NULL;
}

/* The object's build id, *size bytes of its memory; NULL: it has none. */
static inline const unsigned char *lb_loaded_build(const struct dl_phdr_info *info, size_t *size)
{
        const unsigned char *build = NULL;
        for (int i = 0; i < info->dlpi_phnum && !build; i++) {
                const ElfW(Phdr) *part = &info->dlpi_phdr[i];
                if (part->p_type == PT_NOTE)
                        build = lb_loaded_build_in(
                            (const unsigned char *)(info->dlpi_addr + part->p_vaddr), part->p_memsz,
                            size);
        }
        return build;
}

#endif
