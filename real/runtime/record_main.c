/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What the main program of an apprank does itself, between its tasks and its waits, is recorded as
 * tasks that stay: what it creates after that comes after it. What is shorter than RECORD_PART_NS,
 * and the time that it spends in MPI, is not.
 */
#include "real/mpi/transport.h"
#include "real/runtime/record.h"

/* Tasks that it executed at once, and that are not counted so far (light.c). */
static int64_t light_ns(const struct process *p)
{
        return p->main_thread.light_count * p->main_thread.light_ns;
}

void record_main_goes_on(struct process *p)
{
        if (!record_is_on(p))
                return;
        p->record->main = (struct record_main){ now_ns(), polite_mpi_ns(), light_ns(p) };
}

/* The caller is the main program, which alone changes that. */
void record_main_waited(struct process *p, int64_t ns)
{
        if (record_is_on(p) && p->record->main.since_ns > 0)
                p->record->main.since_ns += ns;
}

void record_main_stops(struct process *p)
{
        if (!record_is_on(p) || p->record->main.since_ns == 0)
                return;
        struct record_main since = p->record->main;
        int64_t own_ns = now_ns() - since.since_ns - (polite_mpi_ns() - since.mpi_ns) -
                         (light_ns(p) - since.light_ns);
        p->record->main.since_ns = 0;
        if (own_ns > RECORD_PART_NS)
                record_main_part(p, own_ns);
}
