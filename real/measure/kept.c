/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * By restartable sequences (rseq(2)): a thread names a critical section in an area that the C
 * library has told Linux of, and whenever the thread loses its CPU outside of that section, or has
 * a signal, Linux takes the name away. Ours is a section of no length, so nothing is ever
 * restarted. A program that has sections of its own takes it away as well, and sets it to nothing
 * in the end: more looks then say no.
 */
#define _GNU_SOURCE
#include "real/measure/kept.h"

#include <dlfcn.h>
#include <stddef.h>
#include <stdint.h>
#include <time.h>

#include "base/clock.h"

/* As Linux has them (linux/rseq.h), whatever the headers of this machine know. */
struct area {
        uint32_t cpu_id_start, cpu_id;
        uint64_t section;
};

struct section {
        uint32_t version, flags;
        uint64_t start, length, abort;
} __attribute__((aligned(32)));

#if defined(__x86_64__)
enum { SIGNATURE = 0x53053053 };
#elif defined(__aarch64__)
enum { SIGNATURE = (int)0xd428bc00 };
#else
enum { SIGNATURE = 0 }; /* not tried */
#endif

static const int32_t landing[2] = { SIGNATURE, 0 }; /* Linux looks for it before `abort` */
static struct section nothing;
static volatile uint64_t *named; /* of the thread; NULL: not known */

static void name_it(void)
{
        *named = (uintptr_t)&nothing;
}

/* Some systems know the area and never touch it. */
static bool is_taken_away(void)
{
        name_it();
        bool stays = *named != 0;
        nanosleep(&(struct timespec){ .tv_nsec = 50000 }, NULL);
        return stays && *named == 0;
}

bool kept_begin(void)
{
        const ptrdiff_t *offset = dlsym(RTLD_DEFAULT, "__rseq_offset");
        const unsigned *size = dlsym(RTLD_DEFAULT, "__rseq_size");
        named = NULL;
        if (SIGNATURE == 0 || !offset || !size || *size == 0)
                return false;
        nothing =
            (struct section){ .start = (uintptr_t)&landing[1], .abort = (uintptr_t)&landing[1] };
        char *area = (char *)__builtin_thread_pointer() + *offset;
        named = (volatile uint64_t *)(void *)(area + offsetof(struct area, section));
        if (is_taken_away())
                name_it();
        else
                named = NULL;
        return named != NULL;
}

static bool stays(void)
{
        return *named == (uintptr_t)&nothing;
}

/* It may lose the CPU between a look at the name and the clock: then the time is one after that,
 * and nothing would tell of it. So the name must have stayed while the clock was read. */
int64_t kept_look(bool *kept)
{
        *kept = named && stays();
        for (;;) {
                if (named && !stays())
                        name_it();
                int64_t now_ns = clock_ns();
                if (!named || stays())
                        return now_ns;
                *kept = false;
        }
}
