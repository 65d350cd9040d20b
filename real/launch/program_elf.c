/* SPDX-License-Identifier: BSD-3-Clause */
#include <elf.h>
#include <gelf.h>
#include <libelf.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "real/launch/program.h"

/* ELF as far as lbrun needs it, read by libelf, which believes nothing in the file either. */
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

static void read_dynamic(Elf *image, Elf_Scn *section, const GElf_Shdr *header,
                         struct program_elf *elf)
{
        GElf_Dyn entry;
        Elf_Data *data = elf_getdata(section, NULL);
        for (int i = 0; data && gelf_getdyn(data, i, &entry) && entry.d_tag != DT_NULL; i++) {
                const char *name = entry.d_tag == DT_NEEDED
                                       ? elf_strptr(image, header->sh_link, entry.d_un.d_val)
                                       : NULL;
                if (!name)
                        continue;
                if (mpi_of_library(name) != MPI_NONE)
                        elf->needs = mpi_of_library(name);
                note_library(name, elf);
        }
}

static void read_note(Elf_Scn *section, struct program_elf *elf)
{
        const Elf_Data *data = elf_rawdata(section, NULL);
        size_t size = data && data->d_buf ? data->d_size : 0;
        size = size < sizeof(elf->note) - 1 ? size : sizeof(elf->note) - 1;
        if (size > 0)
                memcpy(elf->note, data->d_buf, size);
        elf->note[size] = '\0';
}

static void read_sections(Elf *image, struct program_elf *elf)
{
        size_t names;
        GElf_Shdr header;
        if (elf_getshdrstrndx(image, &names) != 0)
                return;
        for (Elf_Scn *section = NULL; (section = elf_nextscn(image, section));) {
                const char *name = gelf_getshdr(section, &header)
                                       ? elf_strptr(image, names, header.sh_name)
                                       : NULL;
                if (name && header.sh_type == SHT_DYNAMIC)
                        read_dynamic(image, section, &header, elf);
                else if (name && strcmp(name, ".lbrun") == 0)
                        read_note(section, elf);
        }
}

static bool has_loader(Elf *image)
{
        size_t count;
        GElf_Phdr part;
        if (elf_getphdrnum(image, &count) != 0)
                return false;
        for (size_t i = 0; i < count; i++)
                if (gelf_getphdr(image, (int)i, &part) && part.p_type == PT_INTERP)
                        return true;
        return false;
}

static int check_header(const GElf_Ehdr *header, struct lb_error *err)
{
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

static int read_image(struct program_elf *elf, Elf *image, struct lb_error *err)
{
        GElf_Ehdr header;
        if (!image || elf_kind(image) != ELF_K_ELF || !gelf_getehdr(image, &header))
                return lb_error_set(err, "it is not a program (no ELF file)");
        if (check_header(&header, err) < 0)
                return -1;
        elf->interpreted = has_loader(image);
        read_sections(image, elf);
        return 0;
}

int program_elf_read(struct program_elf *elf, const unsigned char *bytes, size_t size,
                     struct lb_error *err)
{
        *elf = (struct program_elf){ 0 };
        if (size >= 2 && memcmp(bytes, "#!", 2) == 0)
                return lb_error_set(err, "it is a script, allowed is the MPI program itself (what "
                                         "the script prepares can be done around lbrun)");
        elf_version(EV_CURRENT);
        Elf *image = elf_memory((char *)(uintptr_t)bytes, size); /* which it only reads */
        int status = read_image(elf, image, err);
        elf_end(image);
        return status;
}
