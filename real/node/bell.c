/* SPDX-License-Identifier: BSD-3-Clause */
#include "real/node/bell.h"

#include <inttypes.h>
#include <stdalign.h>
#include <stdlib.h>

#include "real/node/futex.h"
#include "real/node/segment.h"

struct row {
        alignas(64) struct futex futex;
        atomic_bool attended;
};

struct bell {
        struct segment *segment;
        struct row *row; /* of the machine's ranks, in their order */
        struct row *own;
        int32_t nrank, nlocal;
        int32_t place[]; /* [nrank] row; -1: on another machine */
};

static void number_local(struct bell *bell, const bool *local)
{
        for (int32_t i = 0; i < bell->nrank; i++)
                bell->place[i] = local[i] ? bell->nlocal++ : -1;
}

static int join(struct bell *bell, const char *job, int32_t rank, struct lb_error *err)
{
        const struct segment_spec spec = {
                .job = job,
                .part = "bell",
                .nmember = bell->nlocal,
                .member = bell->place[rank],
                .bytes = (size_t)bell->nlocal * sizeof(struct row),
        };
        bell->segment = segment_open(&spec, err);
        if (!bell->segment)
                return -1;
        bell->row = segment_memory(bell->segment);
        bell->own = &bell->row[bell->place[rank]];
        return 0;
}

struct bell *bell_open(const char *job, int32_t nrank, int32_t rank, const bool *local,
                       struct lb_error *err)
{
        if (rank < 0 || rank >= nrank || !local[rank]) {
                lb_error_set(err, "rank %" PRId32 " of %" PRId32 " must be on its own machine",
                             rank, nrank);
                return NULL;
        }
        struct bell *bell = calloc(1, sizeof(*bell) + (size_t)nrank * sizeof(bell->place[0]));
        if (!bell) {
                lb_error_fail(err, "out of memory for the bells of %" PRId32 " ranks", nrank);
                return NULL;
        }
        bell->nrank = nrank;
        number_local(bell, local);
        if (join(bell, job, rank, err) == 0)
                return bell;
        lb_error_prefix(err, "bell of rank %" PRId32 ": ", rank);
        bell_close(bell);
        return NULL;
}

void bell_close(struct bell *bell)
{
        if (!bell)
                return;
        segment_close(bell->segment);
        free(bell);
}

bool bell_reaches_all(const struct bell *bell)
{
        return bell->nlocal == bell->nrank;
}

void bell_ring(struct bell *bell, int32_t rank)
{
        if (bell->place[rank] < 0)
                return;
        struct row *row = &bell->row[bell->place[rank]];
        futex_count(&row->futex);
        if (!atomic_load(&row->attended))
                futex_rouse(&row->futex);
}

void bell_attend(struct bell *bell, bool attended)
{
        atomic_store(&bell->own->attended, attended);
}

bool bell_is_attended(const struct bell *bell)
{
        return atomic_load(&bell->own->attended);
}

void bell_wake(struct bell *bell)
{
        futex_wake(&bell->own->futex);
}

uint32_t bell_ticket(const struct bell *bell)
{
        return futex_ticket(&bell->own->futex);
}

void bell_wait(struct bell *bell, uint32_t ticket, int64_t timeout_ns)
{
        futex_sleep(&bell->own->futex, ticket, timeout_ns);
}
