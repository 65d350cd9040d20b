/* SPDX-License-Identifier: BSD-3-Clause */
/* The calls of real/lbrun.h: their arguments are checked here. */
#include "real/lbrun.h"

#include <inttypes.h>
#include <string.h>

#include "real/runtime/start.h"

struct process *api_started(const char *call)
{
        struct process *p = &lbrun_process;
        if (!p->started)
                fail(call, "called before lbrun_start() or after lbrun_stop()");
        return p;
}

struct thread *api_thread(const char *call)
{
        struct thread *t = thread_current();
        if (!t)
                fail(call, "called from a thread of the application's own");
        return t;
}

/* For calls that the main program alone may make. */
static struct process *in_main(const char *call)
{
        struct process *p = api_started(call);
        const struct thread *t = thread_current();
        if (!t || t->task != &p->root)
                fail(call, "called from a task or a thread of its own; only the main program may");
        return p;
}

/* ---- Life ---- */

void lbrun_start(int *argc, char ***argv)
{
        struct process *p = &lbrun_process;
        if (p->started)
                fail("lbrun_start", "called twice");
        process_start(p, argc, argv);
        if (!p->home)
                process_serve(p);
        calls_guard(p);
        serve_start(p);
}

void lbrun_stop(void)
{
        struct process *p = in_main("lbrun_stop");
        lbrun_taskwait();
        MPI_Barrier(p->world); /* with the core free for tasks of others, here and at helpers */
        calls_unguard(p);
        serve_stop();
        MPI_Barrier(p->world);
        offload_stop_helpers(p);
        process_stop(p);
}

MPI_Comm lbrun_world(void)
{
        const struct process *p = api_started("lbrun_world");
        if (p->world == MPI_COMM_NULL)
                fail("lbrun_world", "called by a task in a helper rank, which is no part of it; "
                                    "create the task with LBRUN_HERE");
        return p->world;
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

/* Does an unfinished task access any of it? */
static bool is_used(const struct process *p, uintptr_t begin, size_t bytes)
{
        return p->root.domain && access_uses(p->root.domain, begin, bytes);
}

void lbrun_free(void *address)
{
        struct process *p = in_main("lbrun_free");
        if (!address)
                return;
        lock(p);
        uintptr_t begin;
        size_t block_bytes = memory_block(p->memory, (uintptr_t)address, &begin);
        if (block_bytes > 0 && is_used(p, begin, block_bytes))
                fail("lbrun_free", "a task that has not finished uses %p: lbrun_taskwait() first",
                     address);
        size_t bytes = memory_free(p->memory, address);
        if (bytes > 0 && p->check)
                check_block(p, address, 0);
        if (bytes > 0 && where_forget(p->where, (uintptr_t)address, bytes) < 0)
                fail("lbrun_free", "out of memory");
        unlock(p);
        if (bytes == 0)
                fail("lbrun_free", "%p was not allocated by lbrun_alloc()", address);
}

void lbrun_constant(const void *address, size_t bytes)
{
        struct process *p = in_main("lbrun_constant");
        uintptr_t begin = (uintptr_t)address;
        if (bytes == 0)
                return;
        lock(p);
        if (!memory_has(p->memory, begin, bytes))
                fail("lbrun_constant",
                     "%zu bytes from %p on lie in no block that lbrun_alloc() returned", bytes,
                     address);
        if (is_used(p, begin, bytes))
                fail("lbrun_constant",
                     "a task that has not finished uses some of the %zu bytes from %p on: "
                     "lbrun_taskwait() first",
                     bytes, address);
        if (where_settle(p->where, begin, bytes) < 0)
                fail("lbrun_constant", "out of memory");
        unlock(p);
}

void *lbrun_address(const void *something)
{
        return (void *)(uintptr_t)something;
}

/* ---- Waiting ---- */

/* All children of the caller are complete; the lock is held. */
static struct thread *wait_for_children(const char *call)
{
        struct process *p = api_started(call);
        struct thread *t = api_thread(call);
        lock(p);
        if (t->task == &p->root)
                migrate_begin(p);
        wait_children(p, t);
        if (t->task == &p->root)
                migrate_end(p);
        return t;
}

void lbrun_taskwait(void)
{
        const struct thread *t = wait_for_children("lbrun_taskwait");
        struct process *p = &lbrun_process;
        if (t->task == &p->root && p->nplace > 1) {
                copies_bring_home(p);
                wait_count(p, &p->main_thread, &p->home_missing);
                where_forget_others(p->where);
        }
        unlock(p);
}

void lbrun_taskwait_noflush(void)
{
        wait_for_children("lbrun_taskwait_noflush");
        unlock(&lbrun_process);
}

static void wait(void *argument)
{
        (void)argument;
}

/* A task that nobody executes: it is ordered, placed here and gets its data as any other. */
void lbrun_taskwait_on(int naccess, const struct lbrun_access *access)
{
        struct process *p = api_started("lbrun_taskwait_on");
        struct thread *t = api_thread("lbrun_taskwait_on");
        struct submission s = { .call = "lbrun_taskwait_on",
                                .function = wait,
                                .naccess = naccess,
                                .access = access,
                                .options = { .flags = LBRUN_HERE } };
        submit_check(&s, access);
        if (reduce_count(&s) > 0)
                fail(s.call, "waits reduce nothing");
        for (int i = 0; i < naccess; i++)
                if (weak_is(&access[i]))
                        fail(s.call, "access %d is weak: there is nothing to wait for", i);
        lock(p);
        struct task *task = submit_make(p, t, &s);
        if (p->check)
                check_pause(p);
        task->is_wait = true;
        task->unfinished = 1;
        task_create(p, task, t->task);
        wait_task(p, t, task);
        if (p->check) {
                check_grant(p, naccess, access);
                check_resume(p);
        }
        unlock(p);
}

void lbrun_iteration(void)
{
        struct process *p = in_main("lbrun_iteration");
        lock(p);
        light_count(p, &p->main_thread);
        account_iteration(p);
        record_iteration(p);
        control_iteration(p->control, now_ns());
        costs_iteration(&p->costs);
        timeline_iteration(p);
        unlock(p);
}

/* ---- Where am I ---- */

int32_t lbrun_node(void)
{
        return api_started("lbrun_node")->node;
}

int32_t lbrun_place(void)
{
        return api_started("lbrun_place")->place;
}

int32_t lbrun_nnode(void)
{
        return api_started("lbrun_nnode")->job->nnode;
}

int32_t lbrun_cores_per_node(void)
{
        return job_mean_cores(api_started("lbrun_cores_per_node")->job);
}
