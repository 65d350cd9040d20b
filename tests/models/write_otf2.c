/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A trace as Score-P's measurement of an MPI program leaves it, in DIR/traces.otf2: four ranks on
 * two nodes, ten iterations of 0.8 s that each end with an Allreduce, then 0.2 s of MPI_Finalize.
 * Ranks are defined last first: their order is MPI's. With `threads` each has a team of two, whose
 * second thread does half of the work and waits at a barrier.
 *
 * Usage: write_otf2 DIR [threads | twisted | open]        twisted: an event before the one before
 * it; open: the first rank is killed in its last step, a second before the end
 */
#include <otf2/otf2.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NRANK = 4, BEGIN = 5000, MS = 1000000, NREGION = 5 };
enum { MAIN, SOLVE, ALLREDUCE, FINALIZE, BARRIER };

static const uint64_t load_ms[NRANK] = { 800, 800, 200, 200 };
static bool threads, twisted, is_open;

static void need(OTF2_ErrorCode code)
{
        if (code == OTF2_SUCCESS)
                return;
        fprintf(stderr, "write_otf2: %s\n", OTF2_Error_GetDescription(code));
        exit(1);
}

static OTF2_FlushType before_flush(void *given, OTF2_FileType type, OTF2_LocationRef location,
                                   void *caller, bool final)
{
        (void)given, (void)type, (void)location, (void)caller, (void) final;
        return OTF2_FLUSH;
}

static OTF2_TimeStamp after_flush(void *given, OTF2_FileType type, OTF2_LocationRef location)
{
        (void)given, (void)type, (void)location;
        return BEGIN;
}

/* Ranks count down, so that their order is not that of locations. */
static uint64_t location_of(int rank, int thread)
{
        return (uint64_t)(NRANK - 1 - rank) | (uint64_t)thread << 32;
}

/* ---- Events ---- */

static void enter(OTF2_EvtWriter *out, uint64_t ms, OTF2_RegionRef region)
{
        need(OTF2_EvtWriter_Enter(out, NULL, BEGIN + ms * MS, region));
}

static void leave(OTF2_EvtWriter *out, uint64_t ms, OTF2_RegionRef region)
{
        need(OTF2_EvtWriter_Leave(out, NULL, BEGIN + ms * MS, region));
}

static void write_master(OTF2_EvtWriter *out, int rank)
{
        uint64_t share_ms = load_ms[rank] / (threads ? 2 : 1);
        enter(out, 0, MAIN);
        for (uint64_t i = 0; i < 10; i++) {
                enter(out, 800 * i, SOLVE);
                if (is_open && rank == 0 && i == 9)
                        return;
                leave(out, 800 * i + share_ms, SOLVE);
                enter(out, 800 * i + share_ms, ALLREDUCE);
                leave(out, 800 * (i + 1), ALLREDUCE);
        }
        enter(out, 8000, FINALIZE);
        leave(out, 8200, FINALIZE);
        leave(out, 8200, MAIN);
}

static void write_thread(OTF2_EvtWriter *out, int rank)
{
        for (uint64_t i = 0; i < 10; i++) {
                enter(out, 800 * i, SOLVE);
                enter(out, 800 * i + load_ms[rank] / 2, BARRIER);
                leave(out, 800 * i + 500, BARRIER);
                leave(out, 800 * i + 500, SOLVE);
        }
}

static void write_events(OTF2_Archive *archive, int rank, int thread)
{
        OTF2_EvtWriter *out = OTF2_Archive_GetEvtWriter(archive, location_of(rank, thread));
        if (thread == 0)
                write_master(out, rank);
        else
                write_thread(out, rank);
        need(OTF2_Archive_CloseEvtWriter(archive, out));
        OTF2_DefWriter *local = OTF2_Archive_GetDefWriter(archive, location_of(rank, thread));
        need(OTF2_Archive_CloseDefWriter(archive, local));
}

/* ---- Definitions ---- */

static const char *const strings[] = {
        "",     "main", "solve", "MPI_Allreduce", "MPI_Finalize", "!$omp barrier", "machine",
        "node", "n0",   "n1",    "rank",          "thread"
};
enum { S_MACHINE = 6, S_NODE, S_N0, S_N1, S_RANK, S_THREAD };

static void define_tree(OTF2_GlobalDefWriter *out)
{
        for (uint32_t i = 0; i < sizeof(strings) / sizeof(strings[0]); i++)
                need(OTF2_GlobalDefWriter_WriteString(out, i, strings[i]));
        need(OTF2_GlobalDefWriter_WriteSystemTreeNode(out, 0, S_MACHINE, S_MACHINE,
                                                      OTF2_UNDEFINED_SYSTEM_TREE_NODE));
        for (uint32_t n = 0; n < 2; n++)
                need(OTF2_GlobalDefWriter_WriteSystemTreeNode(out, 1 + n, S_N0 + n, S_NODE, 0));
}

static void define_regions(OTF2_GlobalDefWriter *out)
{
        static const struct {
                OTF2_RegionRole role;
                OTF2_Paradigm paradigm;
        } region[NREGION] = {
                [MAIN] = { OTF2_REGION_ROLE_FUNCTION, OTF2_PARADIGM_COMPILER },
                [SOLVE] = { OTF2_REGION_ROLE_FUNCTION, OTF2_PARADIGM_USER },
                [ALLREDUCE] = { OTF2_REGION_ROLE_COLL_ALL2ALL, OTF2_PARADIGM_MPI },
                [FINALIZE] = { OTF2_REGION_ROLE_FUNCTION, OTF2_PARADIGM_MPI },
                [BARRIER] = { OTF2_REGION_ROLE_IMPLICIT_BARRIER, OTF2_PARADIGM_OPENMP },
        };
        for (uint32_t i = 0; i < NREGION; i++)
                need(OTF2_GlobalDefWriter_WriteRegion(out, i, 1 + i, 1 + i, 0, region[i].role,
                                                      region[i].paradigm, OTF2_REGION_FLAG_NONE, 0,
                                                      0, 0));
}

static void define_rank(OTF2_GlobalDefWriter *out, int rank)
{
        uint32_t group = (uint32_t)(NRANK - 1 - rank);
        need(OTF2_GlobalDefWriter_WriteLocationGroup(
            out, group, S_RANK, OTF2_LOCATION_GROUP_TYPE_PROCESS, rank < 2 ? 1 : 2,
            OTF2_UNDEFINED_LOCATION_GROUP));
        for (int t = 0; t <= threads; t++)
                need(OTF2_GlobalDefWriter_WriteLocation(out, location_of(rank, t), S_THREAD,
                                                        OTF2_LOCATION_TYPE_CPU_THREAD, t ? 40 : 44,
                                                        group));
}

static void write_definitions(OTF2_Archive *archive)
{
        OTF2_GlobalDefWriter *out = OTF2_Archive_GetGlobalDefWriter(archive);
        uint64_t length = (uint64_t)8200 * MS, world[NRANK];
        need(OTF2_GlobalDefWriter_WriteClockProperties(out, 1000000000, BEGIN,
                                                       twisted ? length / 2 : length, 0));
        define_tree(out);
        define_regions(out);
        for (int r = NRANK - 1; r >= 0; r--) {
                define_rank(out, r);
                world[r] = location_of(r, 0);
        }
        need(OTF2_GlobalDefWriter_WriteGroup(out, 0, S_RANK, OTF2_GROUP_TYPE_COMM_LOCATIONS,
                                             OTF2_PARADIGM_MPI, OTF2_GROUP_FLAG_NONE, NRANK,
                                             world));
        need(OTF2_Archive_CloseGlobalDefWriter(archive, out));
}

int main(int argc, char **argv)
{
        static const OTF2_FlushCallbacks flush = { before_flush, after_flush };
        threads = argc > 2 && strcmp(argv[2], "threads") == 0;
        twisted = argc > 2 && strcmp(argv[2], "twisted") == 0;
        is_open = argc > 2 && strcmp(argv[2], "open") == 0;
        OTF2_Archive *archive =
            argc > 1 ? OTF2_Archive_Open(argv[1], "traces", OTF2_FILEMODE_WRITE, 1 << 20, 1 << 20,
                                         OTF2_SUBSTRATE_POSIX, OTF2_COMPRESSION_NONE)
                     : NULL;
        if (!archive)
                return 1;
        need(OTF2_Archive_SetFlushCallbacks(archive, &flush, NULL));
        need(OTF2_Archive_SetSerialCollectiveCallbacks(archive));
        need(OTF2_Archive_OpenEvtFiles(archive));
        need(OTF2_Archive_OpenDefFiles(archive));
        for (int r = 0; r < NRANK; r++)
                for (int t = 0; t <= threads; t++)
                        write_events(archive, r, t);
        need(OTF2_Archive_CloseDefFiles(archive));
        need(OTF2_Archive_CloseEvtFiles(archive));
        write_definitions(archive);
        need(OTF2_Archive_Close(archive));
        return 0;
}
