/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * --check: what a task touches of cluster memory is compared with its accesses. One task of an
 * apprank runs at a time, at each of its places in turn, and its creator waits for it; meanwhile,
 * where it runs,
 *
 * - pages without an access of the task are protected: who reads or writes there is ended by
 *   SIGSEGV, and named by the handler (guard.c); pages that it only reads are protected from
 * writes;
 * - of pages that an access covers in part, the rest is compared before and after: a write is found
 *   there, a read is not.
 *
 * Private memory cannot be compared; a task that uses it is found where it crashes at a helper.
 */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <ucontext.h>

#include "real/runtime/process.h"

enum { PAGE = 4096 };

struct page {
        uintptr_t begin;
        unsigned char copy[PAGE];
};

/* A task that runs; its creator, where that is a task here, waits. */
struct frame {
        const struct task *task;
        struct page *page; /* [npage] written, and covered in part */
        int32_t npage;
        struct lbrun_access *granted; /* [ngranted] by lbrun_taskwait_on(), of what is weak */
        int32_t ngranted;
        struct frame *outer;
};

struct check {
        struct frame *frame;
        int32_t next_place;
};

struct block_message {
        uint64_t address, bytes;
};

/* ---- Accesses ---- */

static bool is_in(const struct process *p, const struct lbrun_access *access)
{
        return access->bytes > 0 &&
               memory_spans(p->memory, (uintptr_t)access->address, access->bytes);
}

static bool writes(const struct task *task, uintptr_t at)
{
        for (int32_t i = 0; i < task->naccess; i++) {
                const struct lbrun_access *access = &task->access[i];
                uintptr_t begin = (uintptr_t)access->address;
                if ((access->mode & LBRUN_OUT) && at >= begin && at - begin < access->bytes)
                        return true;
        }
        return weak_reach(task, LBRUN_OUT, at) > at; /* its children may */
}

static uintptr_t page_of(uintptr_t at)
{
        return at / PAGE * PAGE;
}

/* ---- Protection ---- */

static void protect(uintptr_t begin, size_t bytes, int how)
{
        if (mprotect((void *)begin, bytes, how) < 0)
                fail("--check",
                     "cannot protect %zu bytes from %p on; there may be too many accesses", bytes,
                     (void *)begin);
}

static void protect_accesses(const struct process *p, int32_t naccess,
                             const struct lbrun_access *accesses, enum lbrun_mode mode, int how)
{
        for (int32_t i = 0; i < naccess; i++) {
                const struct lbrun_access *access = &accesses[i];
                uintptr_t begin = (uintptr_t)access->address, end = begin + access->bytes;
                if ((access->mode & mode) && is_in(p, access))
                        protect(page_of(begin), page_of(end + PAGE - 1) - page_of(begin), how);
        }
}

static void protect_for(const struct process *p, const struct frame *frame)
{
        const struct task *task = frame->task;
        protect(p->memory_begin, p->memory_bytes, PROT_NONE);
        protect_accesses(p, task->naccess, task->access, LBRUN_IN, PROT_READ);
        protect_accesses(p, frame->ngranted, frame->granted, LBRUN_IN, PROT_READ);
        protect_accesses(p, task->naccess, task->access, LBRUN_OUT, PROT_READ | PROT_WRITE);
        protect_accesses(p, frame->ngranted, frame->granted, LBRUN_OUT, PROT_READ | PROT_WRITE);
}

/* ---- Pages in part ---- */

static void add_page(struct frame *frame, uintptr_t begin)
{
        for (int32_t i = 0; i < frame->npage; i++)
                if (frame->page[i].begin == begin)
                        return;
        struct page *page = &frame->page[frame->npage++];
        page->begin = begin;
        memcpy(page->copy, (const void *)begin, PAGE);
}

static void copy_pages(const struct process *p, struct frame *frame)
{
        const struct task *task = frame->task;
        frame->page = malloc((2 * (size_t)task->naccess + 1) * sizeof(*frame->page));
        if (!frame->page)
                fail("--check", "out of memory");
        for (int32_t i = 0; i < task->naccess; i++) {
                const struct lbrun_access *access = &task->access[i];
                uintptr_t begin = (uintptr_t)access->address, end = begin + access->bytes;
                if (!(access->mode & LBRUN_OUT) || !is_in(p, access))
                        continue;
                if (begin % PAGE)
                        add_page(frame, page_of(begin));
                if (end % PAGE)
                        add_page(frame, page_of(end));
        }
}

/* Where it is: in a block, if the address is in one. */
static void locate(const struct process *p, char *text, size_t size, uintptr_t at)
{
        uintptr_t begin;
        size_t bytes = memory_block(p->memory, at, &begin);
        if (bytes)
                snprintf(text, size, "byte %zu of the %zu bytes that lbrun_alloc() gave at %p",
                         (size_t)(at - begin), bytes, (void *)begin);
        else
                snprintf(text, size, "in no block that lbrun_alloc() has given");
}

static void compare_page(const struct process *p, const struct frame *frame,
                         const struct page *page)
{
        const unsigned char *now = (const unsigned char *)page->begin;
        char name[512], where[256];
        for (uintptr_t i = 0; i < PAGE; i++) {
                if (now[i] == page->copy[i] || writes(frame->task, page->begin + i))
                        continue;
                guard_name_task(name, sizeof(name), frame->task);
                locate(p, where, sizeof(where), page->begin + i);
                fail("--check",
                     "task %s has written address %p, which is not among its accesses: %s", name,
                     (void *)(page->begin + i), where);
        }
}

/* ---- Tasks ---- */

void check_begin(struct process *p, const struct task *task)
{
        struct frame *frame = calloc(1, sizeof(*frame));
        if (!frame)
                fail("--check", "out of memory");
        *frame = (struct frame){ .task = task, .outer = p->check->frame };
        if (frame->outer)
                protect(p->memory_begin, p->memory_bytes, PROT_READ | PROT_WRITE);
        copy_pages(p, frame);
        p->check->frame = frame;
        protect_for(p, frame);
}

/* Its creator waits, may be for a further task whose data comes, and resumes after that. */
void check_end(struct process *p)
{
        struct frame *frame = p->check->frame;
        p->check->frame = frame->outer;
        protect(p->memory_begin, p->memory_bytes, PROT_READ | PROT_WRITE);
        for (int32_t i = 0; i < frame->npage; i++)
                compare_page(p, frame, &frame->page[i]);
        free(frame->granted);
        free(frame->page);
        free(frame);
}

void check_pause(struct process *p)
{
        if (p->check->frame)
                protect(p->memory_begin, p->memory_bytes, PROT_READ | PROT_WRITE);
}

void check_resume(struct process *p)
{
        if (p->check->frame)
                protect_for(p, p->check->frame);
}

void check_grant(struct process *p, int32_t naccess, const struct lbrun_access *access)
{
        struct frame *frame = p->check->frame;
        if (!frame || naccess == 0)
                return;
        size_t all = (size_t)frame->ngranted + (size_t)naccess;
        struct lbrun_access *grown = realloc(frame->granted, all * sizeof(*grown));
        if (!grown)
                fail("--check", "out of memory");
        memcpy(grown + frame->ngranted, access, (size_t)naccess * sizeof(*grown));
        frame->granted = grown;
        frame->ngranted += naccess;
}

void check_withdraw(struct process *p)
{
        if (p->check->frame)
                p->check->frame->ngranted = 0;
}

int32_t check_place(struct process *p, const struct task *task)
{
        return task->offloadable ? p->check->next_place++ % p->nplace : 0;
}

/* "writes" where the processor tells. */
static const char *verb(const void *context)
{
#if defined(__x86_64__)
        const ucontext_t *machine = context;
        return machine->uc_mcontext.gregs[REG_ERR] & 2 ? "writes" : "reads";
#else
        (void)context;
        return "touches";
#endif
}

int check_describe(const struct process *p, char *text, size_t size, const void *address,
                   const void *context)
{
        const struct thread *t = thread_current();
        char name[512], where[256];
        guard_name_task(name, sizeof(name), t->task);
        locate(p, where, sizeof(where), (uintptr_t)address);
        return snprintf(text, size,
                        "lbrun: rank %d (apprank %d%s, node %d): --check: task %s %s address %p, "
                        "which is not among its accesses%s: %s\n",
                        p->rank, p->apprank, p->home ? "" : ", helper", p->node, name,
                        verb(context), address,
                        verb(context)[0] == 'w' ? " as one that it writes" : "", where);
}

/* ---- Blocks, as helpers know them ---- */

void check_block(struct process *p, void *address, size_t bytes)
{
        struct block_message block = { (uint64_t)(uintptr_t)address, bytes };
        for (int32_t place = 1; place < p->nplace; place++) {
                struct transport_post post = { .destination = place_rank(p, place),
                                               .kind = MESSAGE_BLOCK,
                                               .body = &block,
                                               .body_bytes = sizeof(block) };
                transport_post(p->transport, &post);
        }
}

/* The same calls in the same order give the same blocks. */
void check_on_block(void *user, const struct transport_message *message)
{
        struct process *p = user;
        struct block_message block;
        message_read(message, &block, sizeof(block));
        lock(p);
        if (block.bytes > 0)
                memory_alloc(p->memory, block.bytes);
        else
                memory_free(p->memory, (void *)(uintptr_t)block.address);
        unlock(p);
}

/* ---- Life ---- */

void check_start(struct process *p)
{
        if (p->job->param[JOB_CHECK] == 0)
                return;
        p->check = calloc(1, sizeof(*p->check));
        if (!p->check)
                fail("lbrun_start", "out of memory");
}

void check_stop(struct process *p)
{
        free(p->check);
        p->check = NULL;
}
