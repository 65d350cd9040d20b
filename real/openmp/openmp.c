/* SPDX-License-Identifier: BSD-3-Clause */
#define _GNU_SOURCE
#include "real/openmp/openmp.h"

#include <dlfcn.h>
#include <link.h>
#include <stdatomic.h>
#include <string.h>

#include "real/openmp/openmp_impl.h"

/* Looked up once; the same answer in each thread. */
static _Atomic(int (*)(void)) most_of, thread_of;
static _Atomic(void (*)(int)) set_most;

atomic_bool openmp_is_tool;

static bool is_name(const char *path, const char *library)
{
        const char *name = strrchr(path, '/');
        return name && strncmp(name + 1, library, strlen(library)) == 0;
}

static int is_openmp(struct dl_phdr_info *info, size_t size, void *path)
{
        (void)size;
        if (!is_name(info->dlpi_name, "libgomp.") && !is_name(info->dlpi_name, "libomp.") &&
            !is_name(info->dlpi_name, "libomp-") && !is_name(info->dlpi_name, "libiomp"))
                return 0;
        *(const char **)path = info->dlpi_name;
        return 1;
}

/* An interpreter's modules have theirs where nobody else sees it. */
void *openmp_next(const char *name)
{
        const char *path = NULL;
        void *symbol = dlsym(RTLD_NEXT, name);
        if (symbol || !dl_iterate_phdr(is_openmp, &path))
                return symbol;
        void *library = dlopen(path, RTLD_LAZY | RTLD_NOLOAD);
        return library ? dlsym(library, name) : NULL;
}

enum openmp_kind openmp_kind(void)
{
        const char *path = NULL;
        if (atomic_load(&openmp_is_tool))
                return OPENMP_OMPT;
        if (!dl_iterate_phdr(is_openmp, &path))
                return OPENMP_NONE;
        return is_name(path, "libgomp") ? OPENMP_GOMP : OPENMP_UNSEEN;
}

typedef int (*get)(void);
static int ask(_Atomic(get) *known, const char *name, int none)
{
        get function = atomic_load_explicit(known, memory_order_relaxed);
        if (!function) {
                void *symbol = openmp_next(name);
                if (!symbol)
                        return none;
                memcpy(&function, &symbol, sizeof(symbol));
                atomic_store_explicit(known, function, memory_order_relaxed);
        }
        return function();
}

int32_t openmp_most(void)
{
        return (int32_t)ask(&most_of, "omp_get_max_threads", 1);
}

int32_t openmp_thread(void)
{
        return (int32_t)ask(&thread_of, "omp_get_thread_num", 0);
}

void openmp_set_most(int32_t threads)
{
        void (*function)(int) = atomic_load_explicit(&set_most, memory_order_relaxed);
        if (!function) {
                void *symbol = openmp_next("omp_set_num_threads");
                if (!symbol)
                        return;
                memcpy(&function, &symbol, sizeof(symbol));
                atomic_store_explicit(&set_most, function, memory_order_relaxed);
        }
        function(threads);
}
