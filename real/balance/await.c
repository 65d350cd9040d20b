/* SPDX-License-Identifier: BSD-3-Clause */
#include "real/balance/await.h"

#include <mpi.h>
#include <stdalign.h>
#include <stdatomic.h>

#include "base/clock.h"
#include "real/mpi/polite_impl.h"

static const int64_t LOOK_NS = 1000000, LOOK_MOST_NS = 5000000;
enum { LOOK_PART = 128 }; /* of the time waited so far */

struct await {
        alignas(64) atomic_int waiting; /* ranks */
        struct futex last;
        struct seat {
                alignas(64) _Atomic int64_t come; /* so often */
        } seat[];
};

/* After so long a wait. */
static int64_t look_ns(int64_t waited_ns)
{
        int64_t part_ns = waited_ns / LOOK_PART;
        part_ns = part_ns > LOOK_NS ? part_ns : LOOK_NS;
        return part_ns < LOOK_MOST_NS ? part_ns : LOOK_MOST_NS;
}

static void let_mpi_go_on(MPI_Comm own)
{
        int found;
        PMPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, own, &found, MPI_STATUS_IGNORE);
}

size_t await_bytes(int32_t nmate)
{
        return sizeof(struct await) + (size_t)nmate * sizeof(struct seat);
}

static bool are_there(const struct await *await, const struct balance *b, int64_t number,
                      int32_t size)
{
        int32_t come = 0;
        for (int32_t i = 0; i < b->nmate; i++)
                come += atomic_load(&await->seat[i].come) >= number;
        return come >= size;
}

/* Who begins to wait is seen here, or sees this. */
void await_come(struct await *await, const struct balance *b, int64_t number, int32_t size)
{
        atomic_store(&await->seat[b->mate].come, number);
        if (atomic_load(&await->waiting) > 0 && are_there(await, b, number, size))
                futex_wake(&await->last);
}

static bool wait_for(struct await *await, const struct balance *b, int64_t number, int32_t size,
                     polite_vain vain)
{
        int64_t start_ns = clock_ns(), waited_ns = 0;
        while (!are_there(await, b, number, size)) {
                uint32_t ticket = futex_ticket(&await->last);
                let_mpi_go_on(b->world);
                int64_t pause_ns = polite_pause_ns(start_ns, look_ns(waited_ns));
                if (pause_ns > 0 && !are_there(await, b, number, size))
                        futex_sleep(&await->last, ticket, pause_ns);
                waited_ns = clock_ns() - start_ns;
                if (vain(start_ns))
                        return false;
        }
        return true;
}

bool await_all(struct await *await, const struct balance *b, int64_t number, int32_t size,
               polite_vain vain)
{
        atomic_fetch_add(&await->waiting, 1);
        await_come(await, b, number, size);
        bool all = wait_for(await, b, number, size, vain);
        atomic_fetch_sub(&await->waiting, 1);
        return all;
}
