/* SPDX-License-Identifier: BSD-3-Clause */
/* The calls of real/lbrun.h: their arguments are checked here. */
#include "real/lbrun.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "real/runtime/start.h"

static struct process *started(const char *call)
{
        struct process *p = &lbrun_process;
        if (!p->started)
                fail(call, "called before lbrun_start() or after lbrun_stop()");
        return p;
}

/* For calls that the main program alone may make. */
static struct process *in_main(const char *call)
{
        struct process *p = started(call);
        const struct thread *t = thread_current();
        if (!t || t->task != &p->root)
                fail(call, "called from a task or a thread of its own; only the main program may");
        return p;
}

/* ---- Life ---- */

/* A long wait of the main program in MPI: its core is free for tasks meanwhile. */
static void mpi_waits(void)
{
        struct process *p = &lbrun_process;
        lock(p);
        if (!p->stopping && p->main_thread.task == &p->root && p->main_thread.core >= 0)
                thread_release(p, &p->main_thread);
        unlock(p);
}

static void mpi_goes_on(void)
{
        struct process *p = &lbrun_process;
        lock(p);
        if (!p->stopping && p->main_thread.task == &p->root && p->main_thread.core < 0) {
                int64_t over = now_ns();
                thread_regain(p, &p->main_thread);
                account_core_wait(p, now_ns() - over);
        }
        unlock(p);
}

void lbrun_start(int *argc, char ***argv)
{
        struct process *p = &lbrun_process;
        if (p->started)
                fail("lbrun_start", "called twice");
        process_start(p, argc, argv);
        if (!p->home)
                process_serve(p);
        calls_guard(p);
        polite_set_hooks(mpi_waits, mpi_goes_on);
}

void lbrun_stop(void)
{
        struct process *p = in_main("lbrun_stop");
        lbrun_taskwait();
        if (p->migration)
                MPI_Barrier(p->world); /* with the core free for tasks of others */
        calls_unguard(p);
        polite_set_hooks(NULL, NULL); /* who leaves first will not return a core any more */
        MPI_Barrier(p->world);
        offload_stop_helpers(p);
        process_stop(p);
}

MPI_Comm lbrun_world(void)
{
        return started("lbrun_world")->world;
}

MPI_Fint lbrun_world_f(void)
{
        return MPI_Comm_c2f(lbrun_world());
}

/* ---- Memory ---- */

void *lbrun_alloc(size_t bytes)
{
        struct process *p = in_main("lbrun_alloc");
        lock(p);
        void *address = memory_alloc(p->memory, bytes);
        if (address && p->check)
                check_block(p, address, bytes);
        unlock(p);
        if (!address)
                fail("lbrun_alloc",
                     "no room for %zu bytes in %zu GiB of cluster memory; give more with --param "
                     "memory_gib=N",
                     bytes, p->memory_bytes >> 30);
        return address;
}

void lbrun_free(void *address)
{
        struct process *p = in_main("lbrun_free");
        if (!address)
                return;
        lock(p);
        size_t bytes = memory_free(p->memory, address);
        if (bytes > 0 && p->check)
                check_block(p, address, 0);
        if (bytes > 0 && where_forget(p->where, (uintptr_t)address, bytes) < 0)
                fail("lbrun_free", "out of memory");
        unlock(p);
        if (bytes == 0)
                fail("lbrun_free", "%p was not allocated by lbrun_alloc()", address);
}

/* ---- Tasks ---- */

static void check_access(const struct process *p, const struct lbrun_access *access, int i)
{
        uintptr_t begin = (uintptr_t)access->address;
        if (access->mode < LBRUN_IN || access->mode > LBRUN_INOUT)
                fail("lbrun_task",
                     "access %d: found mode %d, allowed are LBRUN_IN, LBRUN_OUT, "
                     "LBRUN_INOUT",
                     i, (int)access->mode);
        if (access->bytes > UINTPTR_MAX - begin)
                fail("lbrun_task", "access %d: %zu bytes from %p on are no memory", i,
                     access->bytes, access->address);
        bool inside =
            begin < p->memory_begin + p->memory_bytes && begin + access->bytes > p->memory_begin;
        if (p->home && access->bytes > 0 && inside && !memory_has(p->memory, begin, access->bytes))
                fail("lbrun_task",
                     "access %d: %zu bytes from %p on lie in no block that "
                     "lbrun_alloc() returned",
                     i, access->bytes, access->address);
}

/* Up to where a parent's accesses that allow the mode reach from `begin` on; `begin`: nowhere. */
static uintptr_t reach(const struct task *parent, enum lbrun_mode mode, uintptr_t begin)
{
        uintptr_t end = begin;
        for (int32_t i = 0; i < parent->naccess; i++) {
                const struct lbrun_access *a = &parent->access[i];
                uintptr_t first = (uintptr_t)a->address, last = first + a->bytes;
                if ((a->mode & mode) == mode && first <= begin && last > end)
                        end = last;
        }
        return end;
}

/* A child may touch, of the cluster memory, what its parent may: only that is here. To read what
 * the parent is to write, is fine: it has written it. */
static void check_within(const struct process *p, const struct task *parent,
                         const struct lbrun_access *access, int i)
{
        uintptr_t at = (uintptr_t)access->address, end = at + access->bytes;
        if (parent == &p->root || access->bytes == 0 || !memory_spans(p->memory, at, 1))
                return;
        while (at < end) {
                uintptr_t next = reach(parent, (enum lbrun_mode)(access->mode & LBRUN_OUT), at);
                if (next == at)
                        fail("lbrun_task",
                             "access %d: %zu bytes from %p on are not within the accesses of the "
                             "task that creates this one, or only read there",
                             i, access->bytes, access->address);
                at = next;
        }
}

/* May it run elsewhere? Not where it asks to stay, or touches memory that is not everywhere. */
static bool is_offloadable(const struct process *p, const struct task *task, uint32_t flags)
{
        bool offloadable = !(flags & LBRUN_HERE);
        for (int32_t i = 0; i < task->naccess; i++)
                offloadable &= task->access[i].bytes == 0 ||
                               memory_spans(p->memory, (uintptr_t)task->access[i].address,
                                            task->access[i].bytes);
        return offloadable;
}

static void check_options(const struct lbrun_options *options)
{
        if (!(options->cost >= 0) || isinf(options->cost))
                fail("lbrun_task", "found a cost of %g, allowed are 0 and more", options->cost);
        if (options->priority != 0 || options->cost > 0)
                atomic_store_explicit(&lbrun_process.prioritises, true, memory_order_relaxed);
}

static void check_task(lbrun_function function, size_t argument_bytes, int naccess)
{
        if (!function)
                fail("lbrun_task", "no function");
        if (argument_bytes > LBRUN_ARGUMENT_MAX)
                fail("lbrun_task", "found an argument of %zu bytes, allowed are %d", argument_bytes,
                     LBRUN_ARGUMENT_MAX);
        if (naccess < 0 || naccess > LBRUN_ACCESS_MAX)
                fail("lbrun_task", "found %d accesses, allowed are 0 to %d", naccess,
                     LBRUN_ACCESS_MAX);
}

void lbrun_task(lbrun_function function, const void *argument, size_t argument_bytes, int naccess,
                const struct lbrun_access *access, const struct lbrun_options *options)
{
        struct process *p = started("lbrun_task");
        struct thread *t = thread_current();
        if (!t)
                fail("lbrun_task", "called from a thread of the application's own");
        check_task(function, argument_bytes, naccess);
        uint32_t flags = options ? options->flags : 0;
        if (options)
                check_options(options);
        bool stays = p->nplace == 1 || (flags & LBRUN_HERE) || t->task != &p->root;
        if (naccess == 0 && stays && !p->check &&
            light_run(p, t, function, argument, argument_bytes))
                return;
        lock(p);
        for (int i = 0; i < naccess; i++)
                check_access(p, &access[i], i);
        for (int i = 0; i < naccess; i++)
                check_within(p, t->task, &access[i], i);
        struct task *task = task_take(p);
        task->function = function;
        if (options) {
                task->urgency = queue_urgency(options->priority, options->cost);
                task->cost = options->cost;
        }
        task->iteration = account_now(p);
        task_set_argument(task, argument, argument_bytes);
        task_set_accesses(task, naccess, access);
        task->offloadable = is_offloadable(p, task, flags);
        task_create(p, task, t->task);
        if (p->check)
                wait_children(p, t);
        else
                run_throttle(p, t);
        unlock(p);
}

/* All children of the caller are complete; the lock is held. */
static struct thread *wait_for_children(const char *call)
{
        struct process *p = started(call);
        struct thread *t = thread_current();
        if (!t)
                fail(call, "called from a thread of the application's own");
        lock(p);
        wait_children(p, t);
        return t;
}

void lbrun_taskwait(void)
{
        const struct thread *t = wait_for_children("lbrun_taskwait");
        struct process *p = &lbrun_process;
        if (t->task == &p->root && p->nplace > 1) {
                copies_bring_home(p);
                wait_count(p, &p->main_thread, &p->home_missing);
                copies_forget_others(p);
        }
        unlock(p);
}

void lbrun_taskwait_noflush(void)
{
        wait_for_children("lbrun_taskwait_noflush");
        unlock(&lbrun_process);
}

void lbrun_iteration(void)
{
        struct process *p = in_main("lbrun_iteration");
        lock(p);
        light_count(p, &p->main_thread);
        account_iteration(p);
        timeline_iteration(p);
        unlock(p);
}

/* ---- Where am I ---- */

int32_t lbrun_node(void)
{
        return started("lbrun_node")->node;
}

int32_t lbrun_place(void)
{
        return started("lbrun_place")->place;
}

int32_t lbrun_nnode(void)
{
        return started("lbrun_nnode")->job->nnode;
}

int32_t lbrun_cores_per_node(void)
{
        return job_mean_cores(started("lbrun_cores_per_node")->job);
}
