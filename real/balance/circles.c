/* SPDX-License-Identifier: BSD-3-Clause */
#include "real/balance/circles.h"

#include <stdatomic.h>
#include <stdlib.h>

#include "base/hash.h"
#include "real/balance/await.h"
#include "real/balance/ordered.h"
#include "real/balance/waits.h"

/* A program with more of them has those that came first. */
enum { CIRCLES_MAX = 256 };

/* In the node's memory; a place for each circle follows. */
struct keys {
        _Atomic uint64_t of[CIRCLES_MAX]; /* of its ranks; 0: free */
};

/* This rank's own. */
struct circle {
        struct await *place; /* NULL: these ranks do not all share memory, or are one */
        int32_t size;
        _Atomic int64_t calls;
        atomic_bool forgone; /* it was waited for in vain */
};

struct circles {
        const struct balance *b;
        MPI_Group world;
        int of_comm, of_window; /* attributes: struct circle */
        struct keys *keys;
        struct circle *of_world; /* NULL: not known yet */
        struct circle none, circle[CIRCLES_MAX];
};

size_t circles_bytes(int32_t nmate)
{
        return sizeof(struct keys) + CIRCLES_MAX * await_bytes(nmate);
}

static struct await *place_of(const struct circles *c, size_t at)
{
        return (struct await *)((char *)(c->keys + 1) + at * await_bytes(c->b->nmate));
}

struct circles *circles_create(const struct balance *b, void *board)
{
        struct circles *c = calloc(1, sizeof(*c));
        if (!c)
                return NULL;
        c->b = b;
        c->keys = board;
        PMPI_Comm_group(MPI_COMM_WORLD, &c->world);
        PMPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, MPI_COMM_NULL_DELETE_FN, &c->of_comm, NULL);
        PMPI_Win_create_keyval(MPI_WIN_NULL_COPY_FN, MPI_WIN_NULL_DELETE_FN, &c->of_window, NULL);
        return c;
}

void circles_destroy(struct circles *circles)
{
        if (!circles)
                return;
        PMPI_Comm_free_keyval(&circles->of_comm);
        PMPI_Win_free_keyval(&circles->of_window);
        PMPI_Group_free(&circles->world);
        free(circles);
}

/* ---- Which circle ---- */

/* The same for the same ranks, in any order; 0: some are not of this node. */
static uint64_t key_of(const struct circles *c, MPI_Group group, int32_t size)
{
        uint64_t key = 0;
        for (int32_t i = 0; i < size; i++) {
                int rank = MPI_UNDEFINED;
                PMPI_Group_translate_ranks(group, 1, &i, c->world, &rank);
                if (rank == MPI_UNDEFINED || c->b->node_of[rank] != c->b->node)
                        return 0;
                key += lb_hash_mix((uint64_t)rank + 1);
        }
        return key;
}

/* Who comes first takes a place for all. NULL: there is none left. */
static struct circle *find(struct circles *c, uint64_t key)
{
        for (uint64_t i = 0; i < CIRCLES_MAX; i++) {
                size_t at = (key + i) % CIRCLES_MAX;
                uint64_t taken = 0;
                if (atomic_compare_exchange_strong(&c->keys->of[at], &taken, key) || taken == key)
                        return &c->circle[at];
        }
        return NULL;
}

static struct circle *circle_of(struct circles *c, MPI_Group group)
{
        int size = 0;
        PMPI_Group_size(group, &size);
        uint64_t key = size > 1 ? key_of(c, group, size) : 0;
        struct circle *circle = key ? find(c, key) : NULL;
        if (!circle)
                return &c->none;
        circle->place = place_of(c, (size_t)(circle - c->circle));
        circle->size = size;
        return circle;
}

static struct circle *of_comm(struct circles *c, MPI_Comm comm)
{
        struct circle *circle = NULL;
        MPI_Group group;
        int found = 0, between = 1;
        if (comm == MPI_COMM_WORLD && c->of_world)
                return c->of_world;
        if (PMPI_Comm_get_attr(comm, c->of_comm, &circle, &found) != MPI_SUCCESS)
                return &c->none;
        if (found)
                return circle;
        circle = &c->none;
        if (PMPI_Comm_test_inter(comm, &between) == MPI_SUCCESS && !between &&
            PMPI_Comm_group(comm, &group) == MPI_SUCCESS) {
                circle = circle_of(c, group);
                PMPI_Group_free(&group);
        }
        PMPI_Comm_set_attr(comm, c->of_comm, circle);
        if (comm == MPI_COMM_WORLD)
                c->of_world = circle;
        return circle;
}

static struct circle *of_window(struct circles *c, MPI_Win window)
{
        struct circle *circle = NULL;
        MPI_Group group;
        int found = 0;
        if (PMPI_Win_get_attr(window, c->of_window, &circle, &found) != MPI_SUCCESS)
                return &c->none;
        if (found)
                return circle;
        circle = &c->none;
        if (PMPI_Win_get_group(window, &group) == MPI_SUCCESS) {
                circle = circle_of(c, group);
                PMPI_Group_free(&group);
        }
        PMPI_Win_set_attr(window, c->of_window, circle);
        return circle;
}

/* ---- Waiting ---- */

static struct circle *find_circle(struct circles *c, const struct interpose_call *call)
{
        if (call->fence != MPI_WIN_NULL)
                return of_window(c, call->fence);
        if (call->comm != MPI_COMM_NULL && interpose_is_meeting(call))
                return of_comm(c, call->comm);
        return &c->none;
}

void circles_come(struct circles *circles, const struct interpose_call *call, bool politely)
{
        if (!ordered_in_all_ranks())
                return;
        struct circle *circle = find_circle(circles, call);
        if (!circle->place)
                return;
        int64_t number = atomic_fetch_add(&circle->calls, 1) + 1;
        if (!politely || atomic_load(&circle->forgone))
                await_come(circle->place, circles->b, number, circle->size);
        else if (!await_all(circle->place, circles->b, number, circle->size, waits_long))
                atomic_store(&circle->forgone, true);
}
