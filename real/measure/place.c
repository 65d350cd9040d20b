/* SPDX-License-Identifier: BSD-3-Clause */
#include "real/measure/place.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "real/measure/plain_name.h"

static const char *file_name(const char *path)
{
        const char *slash = strrchr(path, '/');
        return slash ? slash + 1 : path;
}

static void name_by_offset(char *text, size_t size, const char *module, uint64_t offset)
{
        if (module[0])
                snprintf(text, size, "%s+0x%" PRIx64, file_name(module), offset);
        else
                snprintf(text, size, "elsewhere");
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

/* Anywhere but at 0, which means none. */
static const GElf_Addr BASE = 0x10000000;

static void describe(char *text, size_t size, Dwfl_Module *module, uint64_t offset)
{
        int line = 0;
        const char *symbol = dwfl_module_addrname(module, BASE + offset);
        char function[101] = "?";
        Dwfl_Line *where = dwfl_module_getsrc(module, BASE + offset);
        const char *source = where ? dwfl_lineinfo(where, NULL, &line, NULL, NULL, NULL) : NULL;
        if (symbol)
                plain_name(function, sizeof(function), symbol);
        if (source)
                snprintf(text, size, "%s (%.100s:%d)", function, file_name(source), line);
        else if (symbol)
                snprintf(text, size, "%s", function);
}

void place_name(char *text, size_t size, const char *module, uint64_t offset)
{
        name_by_offset(text, size, module, offset);
        Dwfl *session = module[0] ? dwfl_begin(&callbacks) : NULL;
        if (!session)
                return;
        dwfl_report_begin(session);
        Dwfl_Module *found = dwfl_report_elf(session, module, module, -1, BASE, false);
        dwfl_report_end(session, NULL, NULL);
        if (found)
                describe(text, size, found, offset);
        dwfl_end(session);
}
#else
void place_name(char *text, size_t size, const char *module, uint64_t offset)
{
        name_by_offset(text, size, module, offset);
}
#endif
