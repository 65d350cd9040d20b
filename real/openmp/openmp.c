/* SPDX-License-Identifier: BSD-3-Clause */
#define _GNU_SOURCE
#include "real/openmp/openmp.h"

#include <dlfcn.h>
#include <stdatomic.h>
#include <string.h>

#include "base/loaded.h"
#include "real/openmp/openmp_impl.h"

/* Looked up once; the same answer in each thread. */
static _Atomic(int (*)(void)) answer[OPENMP_QUESTIONS];

atomic_bool openmp_is_tool;
_Thread_local __attribute__((tls_model("initial-exec"))) struct openmp_here openmp_here;

static bool is_name(const char *path, const char *library)
{
        return strncmp(basename(path), library, strlen(library)) == 0;
}

static bool is_library(const char *path)
{
        return is_name(path, "libgomp.") || is_name(path, "libomp.") || is_name(path, "libomp-") ||
               is_name(path, "libiomp");
}

static int is_openmp(struct dl_phdr_info *info, size_t size, void *path)
{
        (void)size;
        if (!is_library(info->dlpi_name))
                return 0;
        *(const char **)path = info->dlpi_name;
        return 1;
}

static int is_around(struct dl_phdr_info *info, size_t size, void *address)
{
        (void)size;
        bool holds = lb_loaded_holds(info, (uintptr_t)address, 0);
        return holds ? 1 + is_library(info->dlpi_name) : 0;
}

/* A library of OpenMP's may ask for each of its regions, and then from one place. */
bool openmp_is_library(const void *address)
{
        static _Atomic(const void *) known;
        if (atomic_load_explicit(&known, memory_order_relaxed) == address)
                return true;
        bool is = dl_iterate_phdr(is_around, (void *)(uintptr_t)address) == 2;
        if (is)
                atomic_store_explicit(&known, address, memory_order_relaxed);
        return is;
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

/* Libraries that were ever loaded. */
static int count_loaded(struct dl_phdr_info *info, size_t size, void *count)
{
        (void)size;
        *(unsigned long long *)count = info->dlpi_adds;
        return 1;
}

/* One that is there stays; whether one has come is looked for where any library has. */
enum openmp_kind openmp_kind(void)
{
        static _Atomic(enum openmp_kind) known;
        static _Atomic unsigned long long looked;
        const char *path = NULL;
        unsigned long long loaded = 0;
        if (atomic_load(&openmp_is_tool))
                return OPENMP_OMPT;
        if (atomic_load(&known) != OPENMP_NONE)
                return atomic_load(&known);
        (void)dl_iterate_phdr(count_loaded, &loaded);
        if (atomic_exchange(&looked, loaded) == loaded || !dl_iterate_phdr(is_openmp, &path))
                return OPENMP_NONE;
        atomic_store(&known, is_name(path, "libgomp") ? OPENMP_GOMP : OPENMP_UNSEEN);
        return atomic_load(&known);
}

static const struct {
        const char *name;
        int32_t without; /* OpenMP */
} questions[OPENMP_QUESTIONS] = {
        [OPENMP_MOST] = { "omp_get_max_threads", 1 },
        [OPENMP_NUMBER] = { "omp_get_thread_num", 0 },
        [OPENMP_THREADS] = { "omp_get_num_threads", 1 },
        [OPENMP_PROCS] = { "omp_get_num_procs", 1 },
        [OPENMP_LIMIT] = { "omp_get_thread_limit", INT32_MAX },
        [OPENMP_LEVELS] = { "omp_get_max_active_levels", 1 },
        [OPENMP_LEVEL] = { "omp_get_active_level", 0 },
};

int32_t openmp_ask(enum openmp_question question)
{
        int (*function)(void) = atomic_load_explicit(&answer[question], memory_order_relaxed);
        if (!function) {
                void *symbol = openmp_next(questions[question].name);
                if (!symbol)
                        return questions[question].without;
                memcpy(&function, &symbol, sizeof(symbol));
                atomic_store_explicit(&answer[question], function, memory_order_relaxed);
        }
        return (int32_t)function();
}

int32_t openmp_most(void)
{
        return openmp_ask(OPENMP_MOST);
}

int32_t openmp_limit(void)
{
        return openmp_ask(OPENMP_LIMIT);
}

int32_t openmp_thread(void)
{
        return openmp_ask(OPENMP_NUMBER);
}

bool openmp_may_nest(void)
{
        return openmp_ask(OPENMP_LEVELS) > 1;
}

bool openmp_is_single(int32_t threads)
{
        if (threads == 1 || (threads == 0 && openmp_most() == 1))
                return true;
        return openmp_ask(OPENMP_LEVEL) >= openmp_ask(OPENMP_LEVELS);
}

static void tell(_Atomic(void (*)(int)) *known, const char *name, int number)
{
        void (*function)(int) = atomic_load_explicit(known, memory_order_relaxed);
        if (!function) {
                void *symbol = openmp_next(name);
                if (!symbol)
                        return;
                memcpy(&function, &symbol, sizeof(symbol));
                atomic_store_explicit(known, function, memory_order_relaxed);
        }
        function(number);
}

void openmp_set_most(int32_t threads)
{
        static _Atomic(void (*)(int)) known;
        tell(&known, "omp_set_num_threads", (int)threads);
}

void openmp_set_spin(int32_t spin_ms)
{
        static _Atomic(void (*)(int)) known;
        tell(&known, "kmp_set_blocktime", (int)spin_ms);
}
