/* SPDX-License-Identifier: BSD-3-Clause */
#include "real/node/dlb_library.h"

#include <dlfcn.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "real/node/dlb.h"

enum { OLDEST_MAJOR = 3, OLDEST_MINOR = 5 };

/* By where each goes. Those that no other library has come first, then one that old versions lack.
 */
static const struct {
        const char *name;
        size_t offset;
} symbols[] = {
        { "DLB_Init", offsetof(struct dlb_library, init) },
        { "DLB_DROM_SetProcessMask", offsetof(struct dlb_library, set_mask) },
        { "DLB_GetVersion", offsetof(struct dlb_library, get_version) },
        { "DLB_Finalize", offsetof(struct dlb_library, finalize) },
        { "DLB_GetVariable", offsetof(struct dlb_library, get_variable) },
        { "DLB_DROM_GetNumCpus", offsetof(struct dlb_library, count_cpus) },
        { "DLB_LendCpu", offsetof(struct dlb_library, lend) },
        { "DLB_BorrowCpu", offsetof(struct dlb_library, borrow) },
        { "DLB_ReclaimCpu", offsetof(struct dlb_library, reclaim) },
        { "DLB_ReturnCpu", offsetof(struct dlb_library, give_back) },
        { "DLB_CheckCpuAvailability", offsetof(struct dlb_library, is_mine) },
        { "DLB_PollDROM_Update", offsetof(struct dlb_library, poll) },
};
enum { INIT, SET_MASK, GET_VERSION, NSYMBOL = sizeof(symbols) / sizeof(symbols[0]) };

/* POSIX allows it, ISO C has no such conversion. */
static bool find(struct dlb_library *library, void *handle, size_t i)
{
        void *symbol = dlsym(handle, symbols[i].name);
        memcpy((char *)library + symbols[i].offset, &symbol, sizeof(symbol));
        return symbol;
}

/* The real file, for people. */
static void note_path(struct dlb_library *library)
{
        Dl_info info;
        void *symbol;
        memcpy(&symbol, &library->init, sizeof(symbol));
        if (dladdr(symbol, &info) && info.dli_fname)
                snprintf(library->path, sizeof(library->path), "%s", info.dli_fname);
}

static void *open_file(struct dlb_library *library, struct lb_error *err)
{
        const char *name = getenv("LBRUN_DLB_LIB");
        bool named = name && name[0];
        snprintf(library->path, sizeof(library->path), "%s", named ? name : "libdlb.so");
        void *handle = dlopen(library->path, RTLD_NOW | RTLD_LOCAL);
        if (handle)
                return handle;
        const char *why = dlerror();
        if (named)
                lb_error_set(err, "LBRUN_DLB_LIB: %.300s", why ? why : "cannot be loaded");
        else
                lb_error_set(err, "%.300s; set LBRUN_DLB_LIB to its file if it is elsewhere",
                             why ? why : "libdlb.so cannot be loaded");
        if (!named)
                library->path[0] = '\0';
        return NULL;
}

static int find_all(struct dlb_library *library, void *handle, struct lb_error *err)
{
        for (size_t i = 0; i < NSYMBOL; i++) {
                if (find(library, handle, i))
                        continue;
                if (i == INIT || i == SET_MASK)
                        return lb_error_set(err, "'%.300s' is not the DLB of BSC: has no %s",
                                            library->path, symbols[i].name);
                if (i == GET_VERSION)
                        return lb_error_set(err,
                                            "'%.300s' is a DLB older than %d.%d: has no %s, needed "
                                            "is %d.%d or later",
                                            library->path, OLDEST_MAJOR, OLDEST_MINOR,
                                            symbols[i].name, OLDEST_MAJOR, OLDEST_MINOR);
                return lb_error_set(err, "'%.300s' has no %s, which every DLB from %d.%d on has",
                                    library->path, symbols[i].name, OLDEST_MAJOR, OLDEST_MINOR);
        }
        return 0;
}

static int check_version(struct dlb_library *library, struct lb_error *err)
{
        int version[3] = { 0 };
        library->get_version(&version[0], &version[1], &version[2]);
        library->major_version = version[0];
        library->minor = version[1];
        library->patch = version[2];
        if (version[0] > OLDEST_MAJOR || (version[0] == OLDEST_MAJOR && version[1] >= OLDEST_MINOR))
                return 0;
        return lb_error_set(err, "'%.300s' is DLB %d.%d.%d, needed is %d.%d or later",
                            library->path, version[0], version[1], version[2], OLDEST_MAJOR,
                            OLDEST_MINOR);
}

int dlb_library_load(struct dlb_library *library, struct lb_error *err)
{
        *library = (struct dlb_library){ 0 };
        void *handle = RTLD_DEFAULT;
        if (!find(library, handle, INIT)) {
                handle = open_file(library, err);
                if (!handle)
                        return -1;
        }
        if (find(library, handle, INIT))
                note_path(library);
        if (find_all(library, handle, err) < 0)
                return -1;
        return check_version(library, err);
}

void dlb_answer_name(int answer, char *text, size_t size)
{
        static const char *const names[] = {
                "UNKNOWN", "NOINIT", "INIT",  "DISBLD", "NOSHMEM", "NOPROC", "PDIRTY", "PERM",
                "TIMEOUT", "NOCBK",  "NOENT", "NOCOMP", "REQST",   "NOMEM",  "NOPOL",
        };
        int count = sizeof(names) / sizeof(names[0]);
        if (answer < 0 && -answer <= count)
                snprintf(text, size, "DLB_ERR_%s (%d)", names[-answer - 1], answer);
        else
                snprintf(text, size, "%d", answer);
}

void dlb_probe(struct dlb_probe *probe)
{
        struct lb_error err;
        struct dlb_library library;
        *probe = (struct dlb_probe){ 0 };
        probe->usable = dlb_library_load(&library, &err) == 0;
        snprintf(probe->path, sizeof(probe->path), "%s", library.path);
        probe->major_version = library.major_version;
        probe->minor = library.minor;
        probe->patch = library.patch;
        if (!probe->usable)
                snprintf(probe->why, sizeof(probe->why), "%.511s", err.text);
}
