/* SPDX-License-Identifier: BSD-3-Clause */
#define _GNU_SOURCE
#include "real/interpose/interpose.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/*
 * What is behind this layer: the tools' MPI_X, NULL where the next one is MPI's own; and PMPI_X, of
 * MPI or of another layer like this one (the program's runtime is before a preloaded library).
 */
static struct {
        struct interpose_calls tool, mpi;
        atomic_bool known;
} behind;

/* In this thread: entries below which all is MPI's, and how often the guest has hidden what it
 * calls. */
#define FAST _Thread_local __attribute__((tls_model("initial-exec")))
static FAST int below, hidden;

/* What is to be put back where a call does not return. */
struct passage {
        struct interpose_call *call; /* NULL: it has returned */
        uintptr_t frame;             /* on the stack, which grows down */
        int below, hidden;
};

/* In this thread: the call that the program has made, within which all others are. Of its own
 * memory, since that of a call that was left by longjmp() is gone. */
static FAST struct {
        uintptr_t frame; /* 0: none */
        int below, hidden;
        bool told; /* to the guest, which waits for its end */
        struct interpose_call call;
} made;

/* Calls that pass at once, by the guest's wish. */
static atomic_bool passed[INTERPOSE_COUNT];

/* ---- Who is behind ---- */

/* Where MPI's own code is; its names with and without P need not have one address. */
static const void *home_of(const void *function)
{
        Dl_info info;
        return function && dladdr(function, &info) ? info.dli_fbase : NULL;
}

static void *next_of(const char *name)
{
        return dlsym(RTLD_NEXT, name);
}

static void find(const char *name, const void *home, void *tool, void *mpi)
{
        void *function = next_of(name), *plain = next_of(name + 1);
        if (plain == function || home_of(plain) == home)
                plain = NULL;
        memcpy(mpi, &function, sizeof(function));
        memcpy(tool, &plain, sizeof(plain));
}

static void look_behind(void)
{
        const void *home = home_of(next_of("PMPI_Get_library_version"));
#define CALL(kind, name, nonblocking, comm, parameters, arguments)                                 \
        find("PMPI_" #name, home, &behind.tool.name, &behind.mpi.name);
#include "real/interpose/calls.h"
        atomic_store_explicit(&behind.known, true, memory_order_release);
}

/* ---- In and out ---- */

static void know_behind(void)
{
        static pthread_once_t once = PTHREAD_ONCE_INIT;
        if (!atomic_load_explicit(&behind.known, memory_order_acquire))
                pthread_once(&once, look_behind);
}

void interpose_hide(bool begins)
{
        hidden += begins ? 1 : -1;
}

/* Whoever ends MPI, its guest knows. */
static bool is_hidden(const struct interpose_call *call)
{
        return hidden > 0 && call->kind != INTERPOSE_LIFE;
}

static void tell_end(struct interpose_call *call, int code)
{
        bool told = made.told;
        made.told = false;
        if (told) {
                call->failed = code != MPI_SUCCESS;
                below++;
                interpose_guest.leave(call);
        }
        below = made.below;
        made.frame = 0;
}

/*
 * A call may be left by longjmp(), from an error handler or from a handler of signals, and nobody
 * is told. The next one has its frame where that one's was, or above it: it has ended as one that
 * failed, and what this thread calls now is not below it.
 */
__attribute__((cold, noinline)) static void end_left(void)
{
        struct interpose_call call = made.call;
        hidden = made.hidden;
        call.found = NULL; /* may be gone */
        tell_end(&call, MPI_ERR_OTHER);
}

static void enter(struct passage *passage)
{
        know_behind();
        if (made.frame && passage->frame >= made.frame)
                end_left();
        passage->below = below;
        passage->hidden = hidden;
        if (made.frame)
                return;
        made.frame = passage->frame;
        made.below = below;
        made.hidden = hidden;
        made.call = *passage->call;
        made.told = !is_hidden(passage->call);
        if (!made.told)
                return;
        below++; /* what the guest calls is MPI's */
        interpose_guest.enter(passage->call);
        below--;
}

static int leave(const struct passage *passage, struct interpose_call *call, int code)
{
        if (made.frame == passage->frame)
                tell_end(call, code);
        return code;
}

__attribute__((noinline)) void interpose_pretend(void)
{
        struct interpose_call call = { INTERPOSE_Test, INTERPOSE_LOCAL,
                                       MPI_COMM_NULL,  __builtin_return_address(0),
                                       NULL,           MPI_WIN_NULL,
                                       false };
        struct passage passage = { &call, (uintptr_t)__builtin_frame_address(0), 0, 0 };
        __typeof__(made) outer = made;
        int inner = below;
        made.frame = 0;
        below = 0;
        enter(&passage);
        (void)leave(&passage, &call, MPI_SUCCESS);
        made = outer;
        below = inner;
}

/* Is a call of PMPI_X that of the program, which the guest does, where it `can`? Not where it is
 * MPI's, or the guest's to wait. */
static bool go_below(const struct interpose_call *call, bool can)
{
        if (below++ > 0 || is_hidden(call))
                return false;
        bool own = can && (!interpose_guest.own || interpose_guest.own(call));
        if (!own && interpose_guest.plain)
                interpose_guest.plain(call);
        return own;
}

static int come_up(int code)
{
        below--;
        return code;
}

/*
 * A call may be left by an exception (an error handler in C++ that throws): it has ended as one
 * that failed, and what this thread calls next is not below it. What was entered below has ended
 * before.
 */
__attribute__((cold, noinline)) static void abandon(const struct passage *passage)
{
        below = passage->below;
        hidden = passage->hidden;
        (void)leave(passage, passage->call, MPI_ERR_OTHER);
}

static inline void end_passage(const struct passage *passage)
{
        if (passage->call)
                abandon(passage);
}

#define PASSAGE __attribute__((cleanup(end_passage))) struct passage

static int come_out(struct passage *passage, int code)
{
        struct interpose_call *call = passage->call;
        passage->call = NULL;
        return leave(passage, call, code);
}

/* Who is behind is known: the guest asked for it. */
static bool passes(enum interpose_name name)
{
        return atomic_load_explicit(&passed[name], memory_order_acquire);
}

void interpose_pass(bool (*which)(enum interpose_name name, enum interpose_kind kind))
{
        static const enum interpose_kind kinds[] = {
#define CALL(kind, name, nonblocking, comm, parameters, arguments)                                 \
        [INTERPOSE_##name] = INTERPOSE_##kind,
#include "real/interpose/calls.h"
        };
        know_behind();
        for (int name = INTERPOSE_NONE + 1; name < INTERPOSE_COUNT; name++)
                atomic_store_explicit(&passed[name], which((enum interpose_name)name, kinds[name]),
                                      memory_order_release);
}

/* What a call that polls says it found: FOUND(Test) is its argument, FOUND(Send) NULL. What
 * MPI_Win_sync() brought the program sees in its memory: where it calls it again at once, nothing.
 */
static const int nothing = 0;
#define FOUND_Iprobe ~, flag
#define FOUND_Improbe ~, flag
#define FOUND_Parrived ~, flag
#define FOUND_Request_get_status ~, flag
#define FOUND_Test ~, flag
#define FOUND_Testall ~, flag
#define FOUND_Testany ~, flag
#define FOUND_Testsome ~, outcount
#define FOUND_Win_sync ~, &nothing
#define FOUND_Win_test ~, flag
#define FOUND(name) SECOND(FOUND_##name, NULL, ~)
/* That no epoch ends with MPI_MODE_NOPRECEDE all ranks say, and none may wait then. */
#define FENCE_Win_fence ~, assert &MPI_MODE_NOPRECEDE ? MPI_WIN_NULL : win
#define FENCE(name) SECOND(FENCE_##name, MPI_WIN_NULL, ~)
#define SECOND(...) SECOND_OF(__VA_ARGS__)
#define SECOND_OF(first, second, ...) second

/* clang-format off */
#define CALL(kind, name, nonblocking, comm, parameters, arguments)                                 \
        int MPI_##name parameters                                                                  \
        {                                                                                          \
                if (passes(INTERPOSE_##name))                                                      \
                        return behind.tool.name ? behind.tool.name arguments                       \
                                                : behind.mpi.name arguments;                       \
                struct interpose_call call = { INTERPOSE_##name, INTERPOSE_##kind, comm,           \
                                               __builtin_return_address(0), FOUND(name),           \
                                               FENCE(name), false };                               \
                PASSAGE passage = { &call, (uintptr_t)__builtin_frame_address(0), 0, 0 };          \
                enter(&passage);                                                                   \
                return come_out(&passage, behind.tool.name ? behind.tool.name arguments            \
                                                           : PMPI_##name arguments);               \
        }                                                                                          \
                                                                                                   \
        int PMPI_##name parameters                                                                 \
        {                                                                                          \
                if (passes(INTERPOSE_##name))                                                      \
                        return behind.mpi.name arguments;                                          \
                struct interpose_call call = { INTERPOSE_##name, INTERPOSE_##kind, comm,           \
                                               __builtin_return_address(0), FOUND(name),           \
                                               FENCE(name), false };                               \
                PASSAGE passage = { &call, (uintptr_t)__builtin_frame_address(0), 0, 0 };          \
                enter(&passage);                                                                   \
                bool own = go_below(&call, interpose_guest.instead.name != NULL);                  \
                return come_out(&passage, come_up(own ? interpose_guest.instead.name arguments     \
                                                      : behind.mpi.name arguments));               \
        }
/* clang-format on */
#include "real/interpose/calls.h"

const char *interpose_title(enum interpose_name name)
{
        static const char *const title[] = {
                [INTERPOSE_NONE] = "no call",
#define CALL(kind, name, nonblocking, comm, parameters, arguments)                                 \
        [INTERPOSE_##name] = "MPI_" #name,
#include "real/interpose/calls.h"
        };
        return title[name];
}
