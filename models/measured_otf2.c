/* SPDX-License-Identifier: BSD-3-Clause */
#include <inttypes.h>
#include <math.h>
#include <otf2/otf2.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "models/measured_impl.h"

/*
 * A trace in the Open Trace Format 2, as Score-P writes it (traces.otf2 and what lies beside it):
 * definitions, then the events of each location, one after the other. Load of a thread is the time
 * inside any region that is neither MPI nor a barrier of its team; a rank is a location group of
 * type process, in the order of MPI_COMM_WORLD where the trace has it.
 *
 * Windows are half a second, or longer where there would be more than WINDOW_MOST.
 */
enum { WINDOW_MOST = 4096, DEPTH_MOST = 1 << 20 };

/* What is defined, by its number; sorted once all is there. */
struct item {
        uint64_t id, value; /* of a location: its group; of a region: its kind */
        uint64_t more;      /* of a group: its node of the system's tree; of a node: its parent */
        char *text;         /* of a string */
};

struct list {
        struct item *item;
        size_t count;
};

enum kind { KIND_WORK = 0, KIND_BARRIER, KIND_MPI };

struct reader {
        const char *file;
        struct measured *m;
        OTF2_Reader *otf2;
        struct list strings, nodes, groups, locations, regions;
        uint64_t *world; /* [nworld] locations in the order of ranks, or NULL */
        uint64_t nworld;
        uint64_t resolution, begin, length, window; /* ticks */
        /* of the location that is read */
        int32_t rank;
        bool first; /* of its rank */
        unsigned char *stack;
        size_t depth, room;
        uint64_t last, mpi;
        bool failed;
        struct lb_error *err;
};

static int complain(struct reader *r, const char *what)
{
        if (!r->failed)
                lb_error_set(r->err, "%.300s: %s", r->file, what);
        r->failed = true;
        return -1;
}

/* What the library would print; the first is the cause. */
static OTF2_ErrorCode on_error(void *given, const char *file, uint64_t line, const char *function,
                               OTF2_ErrorCode code, const char *format, va_list more)
{
        struct reader *r = given;
        (void)file;
        (void)line;
        (void)function;
        (void)format;
        (void)more;
        if (!r->failed)
                lb_error_set(r->err, "%.300s: this trace cannot be read: %s", r->file,
                             OTF2_Error_GetDescription(code));
        r->failed = true;
        return code;
}

/* ---- Lists ---- */

static int add(struct reader *r, struct list *list, struct item item)
{
        if ((list->count & (list->count - 1)) == 0) { /* full: at each power of two */
                size_t room = list->count ? 2 * list->count : 1;
                struct item *grown = realloc(list->item, room * sizeof(*grown));
                if (!grown)
                        return complain(r, "out of memory for its definitions");
                list->item = grown;
        }
        list->item[list->count++] = item;
        return 0;
}

static int by_id(const void *left, const void *right)
{
        const struct item *a = left, *b = right;
        return (a->id > b->id) - (a->id < b->id);
}

static struct item *find(const struct list *list, uint64_t id)
{
        struct item key = { .id = id };
        return list->count ? bsearch(&key, list->item, list->count, sizeof(key), by_id) : NULL;
}

static const char *string(const struct reader *r, uint64_t id)
{
        const struct item *item = find(&r->strings, id);
        return item ? item->text : "";
}

static void sort(struct list *list)
{
        if (list->count)
                qsort(list->item, list->count, sizeof(*list->item), by_id);
}

/* ---- Definitions ---- */

static OTF2_CallbackCode ended(int status)
{
        return status < 0 ? OTF2_CALLBACK_INTERRUPT : OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode on_clock(void *given, uint64_t resolution, uint64_t begin, uint64_t length,
                                  uint64_t realtime)
{
        struct reader *r = given;
        (void)realtime;
        r->resolution = resolution;
        r->begin = begin;
        r->length = length;
        return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode on_string(void *given, OTF2_StringRef self, const char *text)
{
        struct reader *r = given;
        char *copy = strdup(text);
        if (!copy)
                return ended(complain(r, "out of memory for its definitions"));
        return ended(add(r, &r->strings, (struct item){ .id = self, .text = copy }));
}

static OTF2_CallbackCode on_node(void *given, OTF2_SystemTreeNodeRef self, OTF2_StringRef name,
                                 OTF2_StringRef class, OTF2_SystemTreeNodeRef parent)
{
        struct reader *r = given;
        (void)class;
        return ended(add(r, &r->nodes, (struct item){ .id = self, .value = name, .more = parent }));
}

static OTF2_CallbackCode on_group(void *given, OTF2_LocationGroupRef self, OTF2_StringRef name,
                                  OTF2_LocationGroupType type, OTF2_SystemTreeNodeRef parent,
                                  OTF2_LocationGroupRef creator)
{
        struct reader *r = given;
        (void)name;
        (void)creator;
        if (type != OTF2_LOCATION_GROUP_TYPE_PROCESS)
                return OTF2_CALLBACK_SUCCESS;
        return ended(add(r, &r->groups,
                         (struct item){ .id = self, .value = r->groups.count, .more = parent }));
}

static OTF2_CallbackCode on_location(void *given, OTF2_LocationRef self, OTF2_StringRef name,
                                     OTF2_LocationType type, uint64_t events,
                                     OTF2_LocationGroupRef group)
{
        struct reader *r = given;
        (void)name;
        (void)events;
        if (type != OTF2_LOCATION_TYPE_CPU_THREAD)
                return OTF2_CALLBACK_SUCCESS;
        return ended(add(r, &r->locations, (struct item){ .id = self, .value = group }));
}

static OTF2_CallbackCode on_region(void *given, OTF2_RegionRef self, OTF2_StringRef name,
                                   OTF2_StringRef canonical, OTF2_StringRef description,
                                   OTF2_RegionRole role, OTF2_Paradigm paradigm,
                                   OTF2_RegionFlag flags, OTF2_StringRef file, uint32_t begin,
                                   uint32_t end)
{
        struct reader *r = given;
        (void)name;
        (void)canonical;
        (void)description;
        (void)flags;
        (void)file;
        (void)begin;
        (void)end;
        bool barrier =
            role == OTF2_REGION_ROLE_BARRIER || role == OTF2_REGION_ROLE_IMPLICIT_BARRIER;
        enum kind kind = paradigm == OTF2_PARADIGM_MPI ? KIND_MPI
                         : barrier                     ? KIND_BARRIER
                                                       : KIND_WORK;
        return ended(add(r, &r->regions, (struct item){ .id = self, .value = kind }));
}

/* The locations of MPI's world, in the order of ranks. */
static OTF2_CallbackCode on_members(void *given, OTF2_GroupRef self, OTF2_StringRef name,
                                    OTF2_GroupType type, OTF2_Paradigm paradigm,
                                    OTF2_GroupFlag flags, uint32_t count, const uint64_t *member)
{
        struct reader *r = given;
        (void)self;
        (void)name;
        (void)flags;
        if (type != OTF2_GROUP_TYPE_COMM_LOCATIONS || paradigm != OTF2_PARADIGM_MPI || count == 0 ||
            r->world)
                return OTF2_CALLBACK_SUCCESS;
        r->world = malloc(count * sizeof(*r->world));
        if (!r->world)
                return ended(complain(r, "out of memory for its definitions"));
        memcpy(r->world, member, count * sizeof(*r->world));
        r->nworld = count;
        return OTF2_CALLBACK_SUCCESS;
}

static int read_definitions(struct reader *r)
{
        uint64_t count;
        OTF2_GlobalDefReader *reader = OTF2_Reader_GetGlobalDefReader(r->otf2);
        OTF2_GlobalDefReaderCallbacks *on = OTF2_GlobalDefReaderCallbacks_New();
        if (!reader || !on) {
                OTF2_GlobalDefReaderCallbacks_Delete(on);
                return complain(r, "its definitions cannot be read");
        }
        OTF2_GlobalDefReaderCallbacks_SetClockPropertiesCallback(on, on_clock);
        OTF2_GlobalDefReaderCallbacks_SetStringCallback(on, on_string);
        OTF2_GlobalDefReaderCallbacks_SetSystemTreeNodeCallback(on, on_node);
        OTF2_GlobalDefReaderCallbacks_SetLocationGroupCallback(on, on_group);
        OTF2_GlobalDefReaderCallbacks_SetLocationCallback(on, on_location);
        OTF2_GlobalDefReaderCallbacks_SetRegionCallback(on, on_region);
        OTF2_GlobalDefReaderCallbacks_SetGroupCallback(on, on_members);
        OTF2_ErrorCode code = OTF2_Reader_RegisterGlobalDefCallbacks(r->otf2, reader, on, r);
        OTF2_GlobalDefReaderCallbacks_Delete(on);
        if (code == OTF2_SUCCESS)
                code = OTF2_Reader_ReadAllGlobalDefinitions(r->otf2, reader, &count);
        if (code != OTF2_SUCCESS || r->failed)
                return complain(r, "its definitions cannot be read");
        sort(&r->strings);
        sort(&r->nodes);
        sort(&r->groups);
        sort(&r->regions);
        return 0;
}

/* ---- Ranks ---- */

/* A group's value becomes its rank. */
static int number_ranks(struct reader *r)
{
        for (size_t i = 0; i < r->groups.count && r->world; i++)
                r->groups.item[i].value = UINT64_MAX;
        for (uint64_t rank = 0; rank < r->nworld; rank++) {
                const struct item *location = NULL;
                for (size_t i = 0; i < r->locations.count && !location; i++)
                        if (r->locations.item[i].id == r->world[rank])
                                location = &r->locations.item[i];
                struct item *group = location ? find(&r->groups, location->value) : NULL;
                if (!group || group->value != UINT64_MAX)
                        return complain(r, "found a rank without a process of its own");
                group->value = rank;
        }
        if (r->world && r->nworld != r->groups.count)
                return complain(r, "found processes that are no ranks");
        return measured_ranks(r->m, (int64_t)r->groups.count, r->file, r->err);
}

/* Score-P's tree is machine, node, process: the name above the process is that of its node. */
static void name_hosts(struct reader *r)
{
        for (size_t i = 0; i < r->groups.count; i++) {
                const struct item *group = &r->groups.item[i];
                const struct item *node = find(&r->nodes, group->more);
                struct measured_rank *rank = &r->m->rank[group->value];
                snprintf(rank->host, sizeof(rank->host), "%s", node ? string(r, node->value) : "");
        }
        measured_name_nodes(r->m);
}

static int count_threads(struct reader *r)
{
        int32_t *threads = calloc(r->groups.count, sizeof(*threads));
        if (!threads)
                return complain(r, "out of memory for its ranks");
        for (size_t i = 0; i < r->locations.count; i++) {
                const struct item *group = find(&r->groups, r->locations.item[i].value);
                if (group)
                        threads[group->value]++;
        }
        int status = 0;
        for (size_t i = 0; i < r->groups.count && status == 0; i++) {
                if (threads[i] < 1 || threads[i] > 4096)
                        status = complain(r, "allowed are ranks of 1 to 4096 threads");
                else
                        measured_cores(r->m, threads[i]);
        }
        free(threads);
        return status;
}

static int prepare(struct reader *r)
{
        if (r->resolution == 0 || r->length == 0 || r->length > UINT64_MAX / 4)
                return complain(r, "found no time, allowed is a trace with a clock that ran");
        if (number_ranks(r) < 0 || count_threads(r) < 0)
                return -1;
        name_hosts(r);
        r->m->wall_s = (double)r->length / (double)r->resolution;
        r->window = r->resolution / 2 + 1;
        while (r->length / r->window >= WINDOW_MOST ||
               (double)(r->length / r->window + 1) * r->m->nrank > (1 << 26))
                r->window *= 2;
        for (int32_t i = 0; i < r->m->nrank; i++)
                r->m->rank[i].load_s = r->m->rank[i].mpi_s = 0;
        return measured_windows(r->m, (int64_t)((r->length + r->window - 1) / r->window), r->file,
                                r->err);
}

/* ---- Events ---- */

static void add_load(struct reader *r, uint64_t begin, uint64_t end)
{
        double tick_s = 1 / (double)r->resolution;
        r->m->rank[r->rank].load_s += (double)(end - begin) * tick_s;
        while (begin < end) {
                uint64_t w = begin / r->window, until = (w + 1) * r->window;
                until = until < end ? until : end;
                r->m->window_load_s[w * (uint64_t)r->m->nrank + (uint64_t)r->rank] +=
                    (double)(until - begin) * tick_s;
                begin = until;
        }
}

/* What was until now: MPI anywhere in the stack, a barrier on top of it, or work. */
static int pass(struct reader *r, uint64_t time)
{
        if (time < r->begin || time - r->begin > r->length || time - r->begin < r->last)
                return complain(r, "found an event outside of the trace's time, or before another");
        time -= r->begin;
        if (r->mpi > 0 && r->first)
                r->m->rank[r->rank].mpi_s += (double)(time - r->last) / (double)r->resolution;
        if (r->mpi == 0 && r->depth > 0 && r->stack[r->depth - 1] == KIND_WORK)
                add_load(r, r->last, time);
        r->last = time;
        return 0;
}

static OTF2_CallbackCode on_enter(OTF2_LocationRef location, OTF2_TimeStamp time, uint64_t position,
                                  void *given, OTF2_AttributeList *attributes,
                                  OTF2_RegionRef region)
{
        struct reader *r = given;
        const struct item *item = find(&r->regions, region);
        (void)location;
        (void)position;
        (void)attributes;
        if (!item)
                return ended(complain(r, "found a region that is not defined"));
        if (pass(r, time) < 0)
                return OTF2_CALLBACK_INTERRUPT;
        if (r->depth == r->room) {
                size_t room = r->room ? 2 * r->room : 64;
                unsigned char *grown = room <= DEPTH_MOST ? realloc(r->stack, room) : NULL;
                if (!grown)
                        return ended(complain(r, "regions within regions, too deep"));
                r->stack = grown;
                r->room = room;
        }
        r->stack[r->depth++] = (unsigned char)item->value;
        r->mpi += item->value == KIND_MPI;
        return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode on_leave(OTF2_LocationRef location, OTF2_TimeStamp time, uint64_t position,
                                  void *given, OTF2_AttributeList *attributes,
                                  OTF2_RegionRef region)
{
        struct reader *r = given;
        (void)location;
        (void)position;
        (void)attributes;
        (void)region;
        if (r->depth == 0)
                return ended(complain(r, "found the end of a region that did not begin"));
        if (pass(r, time) < 0)
                return OTF2_CALLBACK_INTERRUPT;
        r->mpi -= r->stack[--r->depth] == KIND_MPI;
        return OTF2_CALLBACK_SUCCESS;
}

/* What has no end in the trace, as where a rank was killed, lasts until the trace ends. */
static int end_open(struct reader *r)
{
        if (r->depth == 0)
                return 0;
        r->m->unended++;
        return pass(r, r->begin + r->length);
}

static int read_location(struct reader *r, uint64_t location, OTF2_EvtReaderCallbacks *on)
{
        uint64_t count;
        OTF2_DefReader *definitions = OTF2_Reader_GetDefReader(r->otf2, location);
        if (definitions) { /* the clock of its machine, set right */
                (void)OTF2_Reader_ReadAllLocalDefinitions(r->otf2, definitions, &count);
                OTF2_Reader_CloseDefReader(r->otf2, definitions);
        }
        OTF2_EvtReader *events = OTF2_Reader_GetEvtReader(r->otf2, location);
        if (!events || OTF2_Reader_RegisterEvtCallbacks(r->otf2, events, on, r) != OTF2_SUCCESS)
                return complain(r, "its events cannot be read");
        r->depth = 0;
        r->last = r->mpi = 0;
        OTF2_ErrorCode code = OTF2_Reader_ReadAllLocalEvents(r->otf2, events, &count);
        OTF2_Reader_CloseEvtReader(r->otf2, events);
        if (code != OTF2_SUCCESS || r->failed)
                return complain(r, "its events cannot be read");
        return end_open(r);
}

static int read_locations(struct reader *r, OTF2_EvtReaderCallbacks *on)
{
        bool *seen = calloc((size_t)r->m->nrank, sizeof(*seen));
        int status = seen ? 0 : complain(r, "out of memory for its ranks");
        for (size_t i = 0; i < r->locations.count && status == 0; i++) {
                const struct item *group = find(&r->groups, r->locations.item[i].value);
                if (!group)
                        continue;
                r->rank = (int32_t)group->value;
                r->first = !seen[r->rank];
                seen[r->rank] = true;
                status = read_location(r, r->locations.item[i].id, on);
        }
        free(seen);
        return status;
}

static int read_events(struct reader *r)
{
        OTF2_EvtReaderCallbacks *on = OTF2_EvtReaderCallbacks_New();
        if (!on)
                return complain(r, "out of memory");
        OTF2_EvtReaderCallbacks_SetEnterCallback(on, on_enter);
        OTF2_EvtReaderCallbacks_SetLeaveCallback(on, on_leave);
        for (size_t i = 0; i < r->locations.count; i++)
                OTF2_Reader_SelectLocation(r->otf2, r->locations.item[i].id);
        bool local = OTF2_Reader_OpenDefFiles(r->otf2) == OTF2_SUCCESS;
        int status = OTF2_Reader_OpenEvtFiles(r->otf2) == OTF2_SUCCESS ? read_locations(r, on) : -1;
        if (local)
                OTF2_Reader_CloseDefFiles(r->otf2);
        OTF2_Reader_CloseEvtFiles(r->otf2);
        OTF2_EvtReaderCallbacks_Delete(on);
        return status < 0 ? complain(r, "its events cannot be read") : 0;
}

/* ---- All of it ---- */

static void finish(struct reader *r)
{
        for (size_t i = 0; i < r->strings.count; i++)
                free(r->strings.item[i].text);
        free(r->strings.item);
        free(r->nodes.item);
        free(r->groups.item);
        free(r->locations.item);
        free(r->regions.item);
        free(r->world);
        free(r->stack);
        if (r->otf2)
                OTF2_Reader_Close(r->otf2);
}

int measured_read_otf2(struct measured *m, const char *file, struct lb_error *err)
{
        struct reader r = { .file = file, .m = m, .err = err };
        OTF2_ErrorCallback before = OTF2_Error_RegisterCallback(on_error, &r);
        r.otf2 = OTF2_Reader_Open(file);
        int status = -1;
        r.failed = r.failed && r.otf2; /* why it is none does not matter */
        if (!r.otf2)
                complain(&r, "this is no anchor file of a trace (traces.otf2), or a damaged one");
        else if (OTF2_Reader_SetSerialCollectiveCallbacks(r.otf2) != OTF2_SUCCESS)
                complain(&r, "out of memory");
        else
                status = read_definitions(&r) == 0 && prepare(&r) == 0 ? read_events(&r) : -1;
        finish(&r);
        OTF2_Error_RegisterCallback(before, NULL);
        return status;
}
