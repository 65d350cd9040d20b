/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Who called MPI, past the bindings of a language and libraries that only hand on. Unwinding takes
 * microseconds. But a binding is a short function with a frame of fixed size, so its own return
 * address is always as far from ours as it was the first time: one load.
 */
#define _GNU_SOURCE
#include <string.h>
#include <unistd.h>
#include <unwind.h>

#include "base/loaded.h"
#include "real/measure/rank.h"

enum { KNOWN = 256, CHECKS = 4, PATH_SIZE = 4096, SEEN = 64 };
static const int64_t UNWIND_EACH_NS = 500000;

/* How the caller of what returns to `from` is found. */
struct way {
        uint64_t from;
        enum { WAY_UNKNOWN = 0, WAY_ITSELF, WAY_NEAR, WAY_UNWIND } way;
        bool python; /* its file is an extension */
        int checks;  /* so often was it near where it was the first time */
        int64_t distance, next_ns;
        uint64_t last; /* what was found last */
};

struct climb {
        uint64_t from, found, slot;
        int above; /* frames between */
        bool passed;
};

/* A loaded file around an address; dladdr() also looks for a symbol, through all that the file has,
 * which takes milliseconds in a big library. */
struct object {
        uintptr_t address, begin; /* lowest that is loaded of it */
        const char *path;         /* empty: the program's own; NULL: none */
};

/* Where its first segment, the lowest, begins. */
static uintptr_t begin_of(const struct dl_phdr_info *info)
{
        int i = 0;
        while (info->dlpi_phdr[i].p_type != PT_LOAD)
                i++;
        return info->dlpi_addr + (info->dlpi_phdr[i].p_vaddr & ~((uintptr_t)getpagesize() - 1));
}

static int look_for(struct dl_phdr_info *info, size_t size, void *context)
{
        struct object *object = context;
        (void)size;
        if (!lb_loaded_holds(info, object->address, 0))
                return 0;
        object->path = info->dlpi_name;
        object->begin = begin_of(info);
        return 1;
}

static struct object object_around(uint64_t address)
{
        struct object object = { .address = (uintptr_t)address };
        dl_iterate_phdr(look_for, &object);
        return object;
}

static bool is_in_skipped(uint64_t address)
{
        static const char *const library[] = { "libmpi.so",   "libmpi_",    "libmpich",
                                               "libmpifort",  "libmpicxx",  "liblbrun-measure-",
                                               "libopen-pal", "libopen-rte" };
        struct object object = object_around(address);
        if (!object.path)
                return false;
        const char *name = basename(object.path);
        for (size_t i = 0; i < sizeof(library) / sizeof(library[0]); i++)
                if (strncmp(name, library[i], strlen(library[i])) == 0)
                        return true;
        for (int32_t i = 0; i < rank_self.nskip; i++)
                if (strncmp(name, rank_self.skip[i], strlen(rank_self.skip[i])) == 0)
                        return true;
        return false;
}

static uint64_t slot_of(uint64_t address)
{
        return address * 0x9e3779b97f4a7c15u >> 40;
}

/* The few addresses that unwinding comes through are the same again and again. */
static bool is_skipped(uint64_t address)
{
        static struct {
                uint64_t address;
                bool skipped;
        } seen[SEEN];
        uint64_t at = slot_of(address) % SEEN;
        if (seen[at].address != address) {
                seen[at].skipped = is_in_skipped(address);
                seen[at].address = address;
        }
        return seen[at].skipped;
}

/* By the names that Python gives them; or what ctypes calls by. */
static bool is_extension(uint64_t address)
{
        struct object object = object_around(address);
        if (!object.path)
                return false;
        const char *name = basename(object.path);
        return strstr(name, ".cpython-") || strstr(name, ".abi3.so") ||
               strncmp(name, "libffi.so", strlen("libffi.so")) == 0;
}

static _Unwind_Reason_Code step(struct _Unwind_Context *context, void *user)
{
        struct climb *climb = user;
        uint64_t address = (uint64_t)_Unwind_GetIP(context);
        if (!climb->passed) {
                climb->passed = address == climb->from;
                return _URC_NO_REASON;
        }
        climb->above++;
        if (address == 0 || is_skipped(address - 1))
                return address ? _URC_NO_REASON : _URC_END_OF_STACK;
        climb->found = address;
        climb->slot = (uint64_t)_Unwind_GetCFA(context) - sizeof(uint64_t);
        return _URC_NORMAL_STOP;
}

static uint64_t unwind(struct way *way, const void *anchor)
{
        struct climb climb = { .from = way->from };
        _Unwind_Backtrace(step, &climb);
        if (!climb.found)
                return way->from;
        int64_t distance = (int64_t)(climb.slot - (uint64_t)(uintptr_t)anchor);
        way->way = WAY_UNWIND;
#ifdef __x86_64__
        uint64_t there;
        memcpy(&there, (const void *)(uintptr_t)climb.slot, sizeof(there));
        bool near = climb.above == 1 && there == climb.found &&
                    (way->checks == 0 || distance == way->distance);
        way->checks = near ? way->checks + 1 : -1;
        if (way->checks >= CHECKS)
                way->way = WAY_NEAR;
#endif
        way->distance = distance;
        way->last = climb.found;
        return climb.found;
}

static struct way *find_way(uint64_t from)
{
        static struct way way[KNOWN];
        uint64_t at = slot_of(from);
        for (int i = 0; i < 8; i++, at++) {
                struct way *one = &way[at % KNOWN];
                if (one->from != 0 && one->from != from)
                        continue;
                if (one->way == WAY_UNKNOWN)
                        *one = (struct way){ .from = from,
                                             .way = is_skipped(from - 1) ? WAY_UNWIND : WAY_ITSELF,
                                             .python = is_extension(from - 1) };
                return one;
        }
        return NULL;
}

uint64_t caller_find(const void *from, const void *anchor)
{
        uint64_t address = (uint64_t)(uintptr_t)from;
        struct way *way = find_way(address);
        if (!way || way->way == WAY_ITSELF)
                return address;
        if (way->way == WAY_NEAR) {
                memcpy(&address, (const char *)anchor + way->distance, sizeof(address));
                return address;
        }
        int64_t now_ns = rank_wall_ns();
        if (way->checks < 0 && now_ns < way->next_ns)
                return way->last;
        way->next_ns = now_ns + UNWIND_EACH_NS;
        return unwind(way, anchor);
}

bool caller_is_python(uint64_t address)
{
        const struct way *way = find_way(address);
        return way && way->python;
}

const char *caller_module(uint64_t address, uint64_t *offset)
{
        static char path[PATH_SIZE];
        struct object object = object_around(address);
        if (!object.path)
                return NULL;
        *offset = address - object.begin;
        if (object.path[0])
                return object.path;
        ssize_t length = readlink("/proc/self/exe", path, sizeof(path) - 1);
        path[length > 0 ? length : 0] = '\0';
        return path;
}
