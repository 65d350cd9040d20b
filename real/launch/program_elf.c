/* SPDX-License-Identifier: BSD-3-Clause */
#include <elf.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "real/launch/program.h"

/*
 * ELF as far as lbrun needs it. Nothing in the file is believed: every offset is checked against
 * the file's size, and every name must end inside of its table.
 */
#if defined(__x86_64__)
enum { MACHINE = EM_X86_64 };
#elif defined(__aarch64__)
enum { MACHINE = EM_AARCH64 };
#elif defined(__powerpc64__)
enum { MACHINE = EM_PPC64 };
#elif defined(__riscv)
enum { MACHINE = EM_RISCV };
#else
enum { MACHINE = EM_NONE };
#endif

struct image {
        const unsigned char *bytes;
        size_t size;
        Elf64_Ehdr header;
};

/* Copy from the file; false where it ends before. */
static bool take(const struct image *image, uint64_t at, void *to, size_t size)
{
        if (at > image->size || size > image->size - at)
                return false;
        memcpy(to, image->bytes + at, size);
        return true;
}

static bool read_section(const struct image *image, uint32_t index, Elf64_Shdr *section)
{
        if (index >= image->header.e_shnum || image->header.e_shentsize != sizeof(*section))
                return false;
        return take(image, image->header.e_shoff + (uint64_t)index * sizeof(*section), section,
                    sizeof(*section));
}

/* The text at `at` of a string table, or NULL. */
static const char *text_at(const struct image *image, const Elf64_Shdr *table, uint64_t at)
{
        if (table->sh_type == SHT_NOBITS || table->sh_offset > image->size ||
            table->sh_size > image->size - table->sh_offset || at >= table->sh_size)
                return NULL;
        const unsigned char *text = image->bytes + table->sh_offset + at;
        return memchr(text, '\0', table->sh_size - at) ? (const char *)text : NULL;
}

static bool begins(const char *text, const char *with)
{
        return strncmp(text, with, strlen(with)) == 0;
}

/*
 * C's library, or that of another language, which may be the only one that a program needs itself.
 * libmpi.so.12 is the name that MPICH and its kin share; Open MPI's numbers are 20, 40 and above.
 */
static enum mpi mpi_of_library(const char *name)
{
        static const struct {
                const char *begin;
                enum mpi mpi;
        } libraries[] = {
                { "libmpich", MPI_MPICH }, /* libmpich, libmpichfort, libmpichcxx */
                { "libmpifort.so", MPI_MPICH }, { "libmpicxx.so", MPI_MPICH },
                { "libmpi.so.12", MPI_MPICH },  { "libmpi.so", MPI_OPENMPI },
                { "libmpi_", MPI_OPENMPI }, /* libmpi_mpifh, libmpi_usempif08, libmpi_cxx */
        };
        for (size_t i = 0; i < sizeof(libraries) / sizeof(libraries[0]); i++)
                if (begins(name, libraries[i].begin))
                        return libraries[i].mpi;
        return MPI_NONE;
}

/* A program that links the runtime's shared library says no more than its name: what the section
 * of a static one says. */
static void note_library(const char *name, struct program_elf *elf)
{
        char mpi[16];
        int abi;
        if (!elf->note[0] && sscanf(name, "liblbrun-%15[a-z].so.%d", mpi, &abi) == 2)
                snprintf(elf->note, sizeof(elf->note), "lbrun abi=%d mpi=%s", abi, mpi);
}

static void read_dynamic(const struct image *image, const Elf64_Shdr *dynamic,
                         struct program_elf *elf)
{
        Elf64_Shdr names;
        Elf64_Dyn entry;
        if (!read_section(image, dynamic->sh_link, &names))
                return;
        for (uint64_t at = 0; at + sizeof(entry) <= dynamic->sh_size; at += sizeof(entry)) {
                if (!take(image, dynamic->sh_offset + at, &entry, sizeof(entry)) ||
                    entry.d_tag == DT_NULL)
                        return;
                if (entry.d_tag != DT_NEEDED)
                        continue;
                const char *name = text_at(image, &names, entry.d_un.d_val);
                if (!name)
                        continue;
                if (mpi_of_library(name) != MPI_NONE)
                        elf->needs = mpi_of_library(name);
                note_library(name, elf);
        }
}

static void read_note(const struct image *image, const Elf64_Shdr *section, struct program_elf *elf)
{
        size_t size = section->sh_size < sizeof(elf->note) - 1 ? (size_t)section->sh_size
                                                               : sizeof(elf->note) - 1;
        if (section->sh_type == SHT_NOBITS || !take(image, section->sh_offset, elf->note, size))
                size = 0;
        elf->note[size] = '\0';
}

static void read_sections(const struct image *image, struct program_elf *elf)
{
        Elf64_Shdr names, section;
        if (!read_section(image, image->header.e_shstrndx, &names))
                return;
        for (uint32_t i = 0; read_section(image, i, &section); i++) {
                const char *name = text_at(image, &names, section.sh_name);
                if (section.sh_type == SHT_DYNAMIC)
                        read_dynamic(image, &section, elf);
                else if (name && strcmp(name, ".lbrun") == 0)
                        read_note(image, &section, elf);
        }
}

static bool has_loader(const struct image *image)
{
        Elf64_Phdr part;
        for (uint64_t i = 0; i < image->header.e_phnum; i++)
                if (image->header.e_phentsize == sizeof(part) &&
                    take(image, image->header.e_phoff + i * sizeof(part), &part, sizeof(part)) &&
                    part.p_type == PT_INTERP)
                        return true;
        return false;
}

static int check_header(const struct image *image, struct lb_error *err)
{
        const Elf64_Ehdr *header = &image->header;
        if (header->e_ident[EI_CLASS] != ELFCLASS64)
                return lb_error_set(err, "it is a 32-bit program, allowed are 64-bit programs");
        const uint16_t one = 1;
        int order = *(const unsigned char *)&one ? ELFDATA2LSB : ELFDATA2MSB;
        bool other = MACHINE != EM_NONE && header->e_machine != MACHINE;
        if (header->e_ident[EI_DATA] != order || other)
                return lb_error_set(err, "it is a program for another kind of processor");
        if (header->e_type != ET_EXEC && header->e_type != ET_DYN)
                return lb_error_set(err, "it is an ELF file, but not a linked program");
        return 0;
}

int program_elf_read(struct program_elf *elf, const unsigned char *bytes, size_t size,
                     struct lb_error *err)
{
        struct image image = { .bytes = bytes, .size = size };
        *elf = (struct program_elf){ 0 };
        if (size >= 2 && memcmp(bytes, "#!", 2) == 0)
                return lb_error_set(err, "it is a script, allowed is the MPI program itself (what "
                                         "the script prepares can be done around lbrun)");
        if (size < SELFMAG || memcmp(bytes, ELFMAG, SELFMAG) != 0 ||
            !take(&image, 0, &image.header, sizeof(image.header)))
                return lb_error_set(err, "it is not a program (no ELF file)");
        if (check_header(&image, err) < 0)
                return -1;
        elf->interpreted = has_loader(&image);
        read_sections(&image, elf);
        return 0;
}
