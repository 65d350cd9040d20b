/* SPDX-License-Identifier: BSD-3-Clause */
#define _GNU_SOURCE
#include "real/measure/place.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "real/measure/plain_name.h"

static void name_by_offset(const struct place *place)
{
        if (place->module[0])
                snprintf(place->text, place->size, "%s+0x%" PRIx64, basename(place->module),
                         place->offset);
        else
                snprintf(place->text, place->size, "elsewhere");
}

#ifdef LB_LIBDW
#include <elfutils/libdwfl.h>

static char *no_path; /* of separate debug files: the usual one */

static const Dwfl_Callbacks callbacks = {
        .find_elf = dwfl_build_id_find_elf,
        .find_debuginfo = dwfl_standard_find_debuginfo,
        .section_address = dwfl_offline_section_address,
        .debuginfo_path = &no_path,
};

/* Anywhere but at 0, which means none. A program that must be where it is linked for stays there.
 */
static const GElf_Addr BASE = 0x10000000;

/* The function around an address, as far as the table has been read. */
struct around {
        const struct place *place;
        GElf_Addr address, begin;
        const char *symbol; /* NULL: none yet */
        int rank;
};

static int rank_of(const GElf_Sym *symbol)
{
        static const int rank[] = { [STB_LOCAL] = 1, [STB_WEAK] = 2, [STB_GLOBAL] = 3 };
        unsigned char binding = GELF_ST_BIND(symbol->st_info);
        return binding < sizeof(rank) / sizeof(rank[0]) ? rank[binding] : 0;
}

static bool is_code(const GElf_Sym *symbol)
{
        switch (GELF_ST_TYPE(symbol->st_info)) {
        case STT_FUNC:
        case STT_GNU_IFUNC:
        case STT_NOTYPE:
                return symbol->st_size > 0;
        default:
                return false;
        }
}

/* The innermost of those that are around it, and of its names the one that most can see. */
static void consider(struct around *one, const char *name, const GElf_Sym *symbol, GElf_Addr begin)
{
        int rank = rank_of(symbol);
        if (one->address < begin || one->address - begin >= symbol->st_size)
                return;
        if (one->symbol && (begin < one->begin || (begin == one->begin && rank <= one->rank)))
                return;
        one->symbol = name;
        one->begin = begin;
        one->rank = rank;
}

/* A big library has a quarter of a million of them: one reading for all. */
static void find_symbols(Dwfl_Module *module, struct around *around, size_t count)
{
        int n = dwfl_module_getsymtab(module);
        for (int i = 1; i < n; i++) {
                GElf_Sym symbol;
                GElf_Addr begin;
                GElf_Word section;
                const char *name =
                    dwfl_module_getsym_info(module, i, &symbol, &begin, &section, NULL, NULL);
                if (!name || !name[0] || section == SHN_UNDEF || !is_code(&symbol))
                        continue;
                for (size_t k = 0; k < count; k++)
                        consider(&around[k], name, &symbol, begin);
        }
}

static void describe(const struct around *one, Dwfl_Module *module)
{
        int line = 0;
        char function[101] = "?";
        Dwfl_Line *where = dwfl_module_getsrc(module, one->address);
        const char *source = where ? dwfl_lineinfo(where, NULL, &line, NULL, NULL, NULL) : NULL;
        if (one->symbol)
                plain_name(function, sizeof(function), one->symbol);
        if (source)
                snprintf(one->place->text, one->place->size, "%s (%.100s:%d)", function,
                         basename(source), line);
        else if (one->symbol)
                snprintf(one->place->text, one->place->size, "%s", function);
}

static Dwfl_Module *report(Dwfl *session, const char *file)
{
        dwfl_report_begin(session);
        Dwfl_Module *module = dwfl_report_elf(session, file, file, -1, BASE, false);
        dwfl_report_end(session, NULL, NULL);
        return module;
}

/* Those of `places` that are in the file of the first, of which `around` has room for each. */
static void name_those_in(const struct place *places, size_t count, struct around *around)
{
        size_t found = 0;
        Dwarf_Addr start = 0;
        Dwfl *session = dwfl_begin(&callbacks);
        Dwfl_Module *module = session ? report(session, places[0].module) : NULL;
        if (module)
                dwfl_module_info(module, NULL, &start, NULL, NULL, NULL, NULL, NULL);
        for (size_t i = 0; module && i < count; i++)
                if (strcmp(places[i].module, places[0].module) == 0)
                        around[found++] = (struct around){ .place = &places[i],
                                                           .address = start + places[i].offset };
        if (found > 0)
                find_symbols(module, around, found);
        for (size_t i = 0; i < found; i++)
                describe(&around[i], module);
        if (session)
                dwfl_end(session);
}

static bool is_first_in(const struct place *places, size_t i)
{
        for (size_t k = 0; k < i; k++)
                if (strcmp(places[k].module, places[i].module) == 0)
                        return false;
        return true;
}

/* libdw itself asks servers that this names, and waits for each up to 90 s. */
static const char SERVERS[] = "DEBUGINFOD_URLS";

static void name_by_file(const struct place *places, size_t count)
{
        const char *servers = getenv(SERVERS);
        char *kept = servers ? strdup(servers) : NULL;
        struct around *around = calloc(count, sizeof(*around));
        unsetenv(SERVERS);
        for (size_t i = 0; around && i < count; i++)
                if (places[i].module[0] && is_first_in(places, i))
                        name_those_in(&places[i], count - i, around);
        if (kept)
                setenv(SERVERS, kept, 1);
        free(kept);
        free(around);
}
#else
static void name_by_file(const struct place *places, size_t count)
{
        (void)places;
        (void)count;
}
#endif

void place_name(const struct place *places, size_t count)
{
        for (size_t i = 0; i < count; i++)
                name_by_offset(&places[i]);
        if (count > 0)
                name_by_file(places, count);
}
