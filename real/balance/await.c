/* SPDX-License-Identifier: BSD-3-Clause */
#include "real/balance/await.h"

#include "base/clock.h"
#include "real/mpi/polite_impl.h"

static const int64_t LOOK_NS = 1000000, LOOK_MOST_NS = 5000000;
enum { LOOK_PART = 128 }; /* of the time waited so far */

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

/* True: with this one all are there. */
static bool come(struct await *await, int64_t all)
{
        if (atomic_fetch_add(&await->arrived, 1) + 1 != all)
                return false;
        futex_wake(&await->last);
        return true;
}

void await_come(struct await *await, int64_t number, int32_t size)
{
        (void)come(await, number * size);
}

bool await_all(struct await *await, int64_t number, int32_t size, MPI_Comm own, polite_vain vain)
{
        int64_t all = number * size, start_ns = clock_ns(), waited_ns = 0;
        if (come(await, all))
                return true;
        while (atomic_load(&await->arrived) < all) {
                uint32_t ticket = futex_ticket(&await->last);
                let_mpi_go_on(own);
                int64_t pause_ns = polite_pause_ns(start_ns, look_ns(waited_ns));
                if (pause_ns > 0 && atomic_load(&await->arrived) < all)
                        futex_sleep(&await->last, ticket, pause_ns);
                waited_ns = clock_ns() - start_ns;
                if (vain(start_ns))
                        return false;
        }
        return true;
}
