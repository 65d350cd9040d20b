/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What a program asks of its threads: how many there are, and which number one has. Who never asks
 * may have any number of them; who asks may have sized something by the answer; and a region whose
 * threads ask who they are, but not how many, and share no loop, divides its work by a number that
 * it knew before (docs/facts.md P1). The static loops of gcc ask both, once each: how many, and
 * right after that who. Where all threads ask both otherwise, they divide work by the answer; where
 * some ask how many (omp single, omp master), or none asks who it is, somebody may keep it.
 */
#define _GNU_SOURCE
#include <link.h>
#include <stdatomic.h>
#include <string.h>

#include "real/openmp/openmp.h"
#include "real/openmp/openmp_impl.h"

enum { REGIONS = 64, OFTEN = 3 };
#define FAST _Thread_local __attribute__((tls_model("initial-exec")))

/* Of the region that this thread has opened, and its part 0. */
static FAST struct {
        int depth;
        int32_t counts, numbers; /* asked for how many, for its own */
        bool shares;
} here;

/* This thread, in its part of a region. */
static FAST struct {
        bool counted; /* it asked how many, and not yet who it is */
        bool many;    /* and so not for a loop */
        bool who;
} part;

static atomic_int nmany;   /* threads of the region that asked how many, and not for a loop */
static atomic_bool learnt; /* one of these does not know who it is */
static atomic_bool told;   /* there was a region that the guest is told of */
static int32_t promised;   /* threads that there may be */

static struct openmp_asks asks; /* hints, of whatever thread */
static struct {
        const void *region;
        int32_t fixed;
} seen[REGIONS];

struct openmp_asks openmp_asks(void)
{
        return asks;
}

void openmp_asks_note(int32_t number)
{
        if (asks.least == 0 || number < asks.least)
                asks.least = number;
}

void openmp_promise(int32_t threads)
{
        promised = threads;
}

void openmp_asks_part(void)
{
        if (part.many || part.counted) {
                atomic_fetch_add(&nmany, 1);
                if (!part.who)
                        atomic_store(&learnt, true);
        }
        part.counted = part.many = part.who = false;
}

void openmp_asks_share(void)
{
        here.shares = true;
}

void openmp_asks_begin(void)
{
        if (here.depth++ > 0)
                return;
        here.counts = here.numbers = 0;
        part.counted = part.many = part.who = false;
        here.shares = false;
}

/* One that comes again and again is work; one that comes once prints something. */
static void note_fixed(const void *region)
{
        size_t at = ((uintptr_t)region >> 4) % REGIONS;
        for (int i = 0; i < 4; i++, at = (at + 1) % REGIONS) {
                if (seen[at].region && seen[at].region != region)
                        continue;
                seen[at].region = region;
                asks.fixed += ++seen[at].fixed == OFTEN;
                return;
        }
        asks.fixed++; /* so many of them */
}

/* A region that names its number tells nothing of that of others. */
static int32_t usual(int32_t threads)
{
        int32_t most = openmp_most();
        return threads > most ? threads : most;
}

void openmp_asks_join(int32_t threads)
{
        if (here.depth > 0)
                return;
        int32_t many = atomic_load(&nmany) > 0 ? atomic_exchange(&nmany, 0) : 0;
        bool alone = many > 0 && threads == 1 && usual(threads) == 1;
        if (many > 0 && (atomic_exchange(&learnt, false) || many < threads || alone))
                openmp_asks_note(usual(threads));
}

void openmp_asks_end(const void *region, int32_t threads)
{
        openmp_asks_part();
        if (--here.depth > 0 || here.numbers <= here.counts)
                return;
        openmp_asks_note(threads);
        if (here.counts == 0 && !here.shares)
                note_fixed(region);
}

/* ---- Data of threads' own ---- */

/*
 * threadprivate and thread_local lie in the block that each thread has of an object (PT_TLS).
 * OpenMP keeps them from region to region as long as teams stay as large; of a smaller one part is
 * not there, and gone for good where the runtime ends the threads. That they are read again nobody
 * sees.
 */
struct object {
        uintptr_t begin, end; /* in memory; end 0: none */
        bool keeps;
};

static void add_segment(struct object *object, uintptr_t base, const ElfW(Phdr) * segment)
{
        uintptr_t begin = base + segment->p_vaddr, end = begin + segment->p_memsz;
        if (segment->p_type == PT_TLS)
                object->keeps = segment->p_memsz > 0;
        if (segment->p_type != PT_LOAD)
                return;
        object->begin = object->end == 0 || begin < object->begin ? begin : object->begin;
        object->end = end > object->end ? end : object->end;
}

struct search {
        uintptr_t address;
        struct object found;
};

static int look_for(struct dl_phdr_info *info, size_t size, void *context)
{
        struct search *search = context;
        struct object object = { .end = 0 };
        (void)size;
        for (int i = 0; i < info->dlpi_phnum; i++)
                add_segment(&object, info->dlpi_addr, &info->dlpi_phdr[i]);
        if (search->address < object.begin || search->address >= object.end)
                return 0;
        search->found = object;
        return 1;
}

/* Those whose regions this thread has opened last: a program's, and some libraries'. */
void openmp_asks_open(const void *region)
{
        enum { OBJECTS = 4 };
        static FAST struct object known[OBJECTS];
        static FAST unsigned next;
        atomic_store(&told, true); /* before any thread of it can ask */
        struct search search = { .address = (uintptr_t)region };
        for (int i = 0; i < OBJECTS; i++)
                if (search.address >= known[i].begin && search.address < known[i].end)
                        return;
        if (!dl_iterate_phdr(look_for, &search)) /* made at run time: of no object, and known so */
                search.found = (struct object){ search.address, search.address + 1, false };
        known[next++ % OBJECTS] = search.found;
        openmp_environment_opens(search.found.begin, search.found.end);
        if (search.found.keeps)
                asks.keeps = true;
}

/* ---- The names ---- */

static void begin_outside(void)
{
        if (here.depth == 0 && openmp_guest.asked && openmp_guest.meant())
                openmp_guest.asked();
}

/* Outside of regions the number is that of the next one; who asks there may keep the answer. */
static int note_outside(int number)
{
        if (here.depth == 0 && openmp_guest.wanted())
                openmp_asks_note(number);
        return number;
}

#define ASK(name)                                                                                  \
        int name(void);                                                                            \
        int name##_(void);                                                                         \
        int name##_(void)                                                                          \
        {                                                                                          \
                return name();                                                                     \
        }                                                                                          \
        int name(void)

ASK(omp_get_max_threads)
{
        begin_outside();
        return note_outside((int)openmp_most());
}

ASK(omp_get_num_procs)
{
        int32_t procs = openmp_ask(OPENMP_PROCS);
        return note_outside((int)(procs > promised ? procs : promised));
}

/* In regions that the guest is not told of, before MPI_Init(), anybody's question counts. */
ASK(omp_get_num_threads)
{
        int32_t threads = openmp_ask(OPENMP_THREADS);
        bool heard = openmp_here.parts > 0 || atomic_load_explicit(&told, memory_order_relaxed);
        here.counts++;
        part.many = part.many || part.counted;
        part.counted = true;
        if (threads > 1 && !heard && openmp_guest.wanted())
                openmp_asks_note(usual(threads));
        return (int)threads;
}

ASK(omp_get_thread_num)
{
        here.numbers++;
        part.counted = false;
        part.who = true;
        return (int)openmp_thread();
}

void omp_set_num_threads(int threads);
void omp_set_num_threads_(const int32_t *threads);
void omp_set_num_threads_8_(const int64_t *threads);
void omp_set_num_threads(int threads)
{
        if (openmp_guest.wanted() && here.depth == 0) {
                asks.sets++;
                asks.least = threads;
        }
        openmp_set_most(threads);
}

void omp_set_num_threads_(const int32_t *threads)
{
        omp_set_num_threads(*threads);
}

void omp_set_num_threads_8_(const int64_t *threads)
{
        omp_set_num_threads((int)*threads);
}
