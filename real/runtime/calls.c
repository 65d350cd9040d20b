/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What the runtime makes of the program's MPI calls, whatever language they come from: ends of MPI
 * that would leave helpers behind, and collective calls in which helpers would have to take part,
 * which never do: they would wait for ever.
 */
#include "real/interpose/interpose.h"
#include "real/runtime/process.h"
#include "real/runtime/site.h"

/* One per process by nature: MPI calls have no argument for it. */
static struct {
        atomic_bool armed;
        MPI_Group helpers;
        int seen; /* attribute of a communicator that was looked at: has it helpers? */
} guard;

static const char NO_HELPERS, HAS_HELPERS; /* their addresses are values of the attribute */

static bool meets_helpers(MPI_Group group)
{
        MPI_Group both;
        int size = 0;
        PMPI_Group_intersection(group, guard.helpers, &both);
        PMPI_Group_size(both, &size);
        PMPI_Group_free(&both);
        PMPI_Group_free(&group);
        return size > 0;
}

static bool look(MPI_Comm comm)
{
        MPI_Group group;
        int between;
        PMPI_Comm_group(comm, &group);
        bool found = meets_helpers(group);
        PMPI_Comm_test_inter(comm, &between);
        if (!between)
                return found;
        PMPI_Comm_remote_group(comm, &group);
        return meets_helpers(group) || found;
}

static bool has_helpers(MPI_Comm comm)
{
        void *value;
        int known;
        PMPI_Comm_get_attr(comm, guard.seen, &value, &known);
        if (known)
                return value == &HAS_HELPERS;
        bool found = look(comm);
        PMPI_Comm_set_attr(comm, guard.seen, found ? (void *)&HAS_HELPERS : (void *)&NO_HELPERS);
        return found;
}

static _Noreturn void refuse(const struct interpose_call *call)
{
        char place[SITE_SIZE];
        site_name(place, call->from);
        fail(
            interpose_title(call->name),
            "called on %s, of which helper ranks are a part, that never make this call; call it on "
            "lbrun_world() instead, at %s",
            call->comm == MPI_COMM_WORLD ? "MPI_COMM_WORLD"
                                         : "a communicator made from MPI_COMM_WORLD",
            place);
}

static void on_call(const struct interpose_call *call)
{
        if (call->name == INTERPOSE_Abort) /* MPICH calls exit() where comm is not all ranks */
                fail_expect_end();
        else if (call->name == INTERPOSE_Finalize && lbrun_process.started)
                fail("MPI_Finalize", "called before lbrun_stop(), which ends MPI itself unless the "
                                     "program has initialised it");
        else if (call->comm != MPI_COMM_NULL && atomic_load(&guard.armed) &&
                 has_helpers(call->comm))
                refuse(call);
        serve_call(call);
}

void calls_start(void)
{
        polite_set_told(on_call);
}

void calls_guard(const struct process *p)
{
        MPI_Group all, world;
        int size;
        if (p->alone)
                return;
        PMPI_Comm_group(p->all, &all);
        PMPI_Comm_group(p->world, &world);
        PMPI_Group_difference(all, world, &guard.helpers);
        PMPI_Group_size(guard.helpers, &size);
        PMPI_Group_free(&all);
        PMPI_Group_free(&world);
        PMPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, MPI_COMM_NULL_DELETE_FN, &guard.seen, NULL);
        atomic_store(&guard.armed, size > 0);
}

void calls_unguard(const struct process *p)
{
        if (p->alone)
                return;
        atomic_store(&guard.armed, false);
        PMPI_Group_free(&guard.helpers);
        PMPI_Comm_free_keyval(&guard.seen);
}
