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

enum { REGIONS = 64, OFTEN = 3, AGAIN = 2, SITES = 64 };
#define FAST _Thread_local __attribute__((tls_model("initial-exec")))

/* Of the region that this thread has opened, and its part 0. */
static FAST struct {
        int depth;
        int32_t counts, numbers; /* asked for how many, for its own */
        bool both;               /* these, and not for a loop alone */
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
struct seen {
        const void *at;
        int32_t times;
};
static struct seen seen[REGIONS], numbered[REGIONS];
static struct seen sites[SITES]; /* that ask outside of regions */
static atomic_int nonce;         /* of these, have asked once */

struct openmp_asks openmp_asks(void)
{
        struct openmp_asks now = asks;
        now.holds = now.holds || atomic_load_explicit(&nonce, memory_order_relaxed) > 0;
        return now;
}

void openmp_asks_note(int32_t number)
{
        if (asks.least == 0 || number < asks.least)
                asks.least = number;
}

void openmp_asks_hold(int32_t number)
{
        asks.holds = true;
        openmp_asks_note(number);
}

void openmp_promise(int32_t threads)
{
        promised = threads;
}

void openmp_asks_part(void)
{
        if (part.many || part.counted) {
                atomic_fetch_add(&nmany, 1);
                here.both = true;
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
        here.both = here.shares = false;
}

/* Returns how often it was counted, with this; 0: there is no room. */
static int32_t count(struct seen *table, size_t size, const void *what)
{
        size_t at = ((uintptr_t)what >> 4) % size;
        for (int i = 0; i < 4; i++, at = (at + 1) % size) {
                if (table[at].at && table[at].at != what)
                        continue;
                table[at].at = what;
                return ++table[at].times;
        }
        return 0;
}

/* One that comes again and again is work; one that comes once prints something. */
static void note_fixed(const void *region)
{
        int32_t times = count(seen, REGIONS, region);
        asks.fixed += times == OFTEN || times == 0;
}

/*
 * Its threads have something each, by their numbers. If a program sums that up over a number of
 * threads that it was told before, what those put there that are no more is in the sum
 * (docs/facts.md P1).
 */
static void note_slots(const void *region)
{
        int32_t times = count(numbered, REGIONS, region);
        asks.slots = asks.slots || times == AGAIN || times == 0;
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
                openmp_asks_hold(usual(threads));
}

void openmp_asks_end(const void *region, int32_t threads)
{
        openmp_asks_part();
        if (--here.depth > 0)
                return;
        if (here.both || here.numbers > here.counts)
                note_slots(region);
        if (here.numbers <= here.counts)
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

static bool is_outside(void)
{
        return here.depth == 0 && openmp_guest.wanted();
}

/* Where it asks once it may keep the answer; where it asks again, it has another then. */
static void note_site(const void *from)
{
        int32_t times = count(sites, SITES, from);
        if (times == 0)
                asks.holds = true;
        if (times == 1)
                atomic_fetch_add(&nonce, 1);
        if (times == AGAIN) {
                atomic_fetch_sub(&nonce, 1);
                asks.again = true;
        }
}

static void begin_outside(const void *from)
{
        if (is_outside())
                note_site(from);
        if (here.depth == 0 && openmp_guest.asked && openmp_guest.meant())
                openmp_guest.asked();
}

/* Outside of regions the number is that of the next one. */
static int most_outside(const void *from)
{
        begin_outside(from);
        int32_t most = openmp_most();
        if (is_outside())
                openmp_asks_note(most);
        return (int)most;
}

int omp_get_max_threads(void);
int omp_get_max_threads_(void);
int omp_get_max_threads(void)
{
        return most_outside(__builtin_return_address(0));
}

int omp_get_max_threads_(void)
{
        return most_outside(__builtin_return_address(0));
}

#define ASK(name)                                                                                  \
        int name(void);                                                                            \
        int name##_(void);                                                                         \
        int name##_(void)                                                                          \
        {                                                                                          \
                return name();                                                                     \
        }                                                                                          \
        int name(void)

ASK(omp_get_num_procs)
{
        int32_t procs = openmp_ask(OPENMP_PROCS);
        procs = procs > promised ? procs : promised;
        if (is_outside())
                openmp_asks_hold(procs);
        return (int)procs;
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
                openmp_asks_hold(usual(threads));
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
