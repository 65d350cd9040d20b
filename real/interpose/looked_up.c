/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A program may load MPI's library, or OpenMP's, itself and look its functions up there, by dlsym()
 * (MPI.jl, Python's ctypes and threadpoolctl): it gets those of this layer. dlsym() answers
 * RTLD_NEXT and RTLD_DEFAULT by where it is called from, so that this one jumps to the C library's
 * and is never between the two. Only for libraries that are preloaded, and where the jump is known.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "real/openmp/openmp.h"

#if defined(__GLIBC__) && (defined(__x86_64__) || defined(__aarch64__))

enum { NAME_SIZE = 128 }; /* longer ones are not MPI's */

typedef void *look_up(void *handle, const char *name);

/* A sanitizer looks functions up before it has begun. */
#define EARLY __attribute__((no_sanitize("address", "undefined", "thread")))

look_up *interpose_look_up(void *handle, const char *name, const void *caller);

#ifdef __x86_64__
#define SINCE "GLIBC_2.2.5"
__asm__(".text\n"
        ".globl dlsym\n"
        ".type dlsym, @function\n"
        "dlsym:\n"
        "        .cfi_startproc\n"
        "        pushq %rdi\n"
        "        .cfi_adjust_cfa_offset 8\n"
        "        pushq %rsi\n"
        "        .cfi_adjust_cfa_offset 8\n"
        "        movq 16(%rsp), %rdx\n" /* who calls */
        "        subq $8, %rsp\n"
        "        .cfi_adjust_cfa_offset 8\n"
        "        call interpose_look_up\n"
        "        addq $8, %rsp\n"
        "        .cfi_adjust_cfa_offset -8\n"
        "        popq %rsi\n"
        "        .cfi_adjust_cfa_offset -8\n"
        "        popq %rdi\n"
        "        .cfi_adjust_cfa_offset -8\n"
        "        jmp *%rax\n"
        "        .cfi_endproc\n"
        ".size dlsym, .-dlsym\n");
#else
#define SINCE "GLIBC_2.17"
__asm__(".text\n"
        ".globl dlsym\n"
        ".type dlsym, %function\n"
        "dlsym:\n"
        "        .cfi_startproc\n"
        "        stp x29, x30, [sp, #-32]!\n"
        "        .cfi_def_cfa_offset 32\n"
        "        .cfi_offset x29, -32\n"
        "        .cfi_offset x30, -24\n"
        "        stp x0, x1, [sp, #16]\n"
        "        mov x2, x30\n" /* who calls */
        "        bl interpose_look_up\n"
        "        mov x16, x0\n"
        "        ldp x0, x1, [sp, #16]\n"
        "        ldp x29, x30, [sp], #32\n"
        "        .cfi_restore x30\n"
        "        .cfi_restore x29\n"
        "        .cfi_def_cfa_offset 0\n"
        "        br x16\n"
        "        .cfi_endproc\n"
        ".size dlsym, .-dlsym\n");
#endif

/* The C library's. */
EARLY static look_up *find_behind(void)
{
        static _Atomic(look_up *) known;
        look_up *behind = atomic_load_explicit(&known, memory_order_relaxed);
        if (behind)
                return behind;
        void *symbol = dlvsym(RTLD_NEXT, "dlsym", SINCE);
        memcpy(&behind, &symbol, sizeof(behind));
        atomic_store_explicit(&known, behind, memory_order_relaxed);
        return behind;
}

/* In this library. */
static const char within;

static bool is_of_one_library(const void *function, const void *other)
{
        Dl_info of_function, of_other;
        return other && dladdr(function, &of_function) && dladdr(other, &of_other) &&
               of_function.dli_fbase == of_other.dli_fbase;
}

static bool is_mpi(const char *name)
{
        return strncmp(name, "MPI_", strlen("MPI_")) == 0;
}

/*
 * This library's function of that name, whatever the program itself has under it. What is found in
 * MPI's library is behind all tools that have that name, too, and may be what one of them looks for
 * in order to call it: it is PMPI_X.
 */
static void *find_own(look_up *behind, const char *name)
{
        char full[NAME_SIZE];
        int size = snprintf(full, sizeof(full), "%s%s", is_mpi(name) ? "P" : "", name);
        Dl_info own;
        void *library = size < NAME_SIZE && dladdr(&within, &own)
                            ? dlopen(own.dli_fname, RTLD_LAZY | RTLD_NOLOAD)
                            : NULL;
        if (!library)
                return NULL;
        void *symbol = behind(library, full);
        (void)dlclose(library);
        return is_of_one_library(symbol, &within) ? symbol : NULL;
}

static bool is_replaced(look_up *behind, const char *name, const void *found)
{
        if (is_mpi(name))
                return is_of_one_library(found, behind(RTLD_NEXT, "PMPI_Get_library_version"));
        return found == openmp_next(name);
}

/* What dlsym() is for a name of MPI's or OpenMP's: another library's function of that name stays.
 */
static void *look_up_either(void *handle, const char *name)
{
        look_up *behind = find_behind();
        void *found = behind(handle, name);
        void *own = found && is_replaced(behind, name, found) ? find_own(behind, name) : NULL;
        return own ? own : found;
}

/* Who answers this call of dlsym(): in its place, with its arguments. */
EARLY look_up *interpose_look_up(void *handle, const char *name, const void *caller)
{
        bool is_library = handle != RTLD_NEXT && handle != RTLD_DEFAULT;
        bool is_ours = is_library && (is_mpi(name) || strncmp(name, "omp_", strlen("omp_")) == 0) &&
                       !is_of_one_library(caller, &within);
        return is_ours ? look_up_either : find_behind();
}

#endif
