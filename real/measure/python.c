/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The line of a Python program that calls MPI, asked of the interpreter in this process by names of
 * its stable interface. Nothing is linked.
 *
 * - An extension that calls MPI (mpi4py) has given the interpreter's lock back before. It is taken
 *   again only where the interpreter has no other thread, so that nobody can hold it: waiting for
 *   it in a call of MPI could wait for ever.
 * - Asking makes an object of the frame, which could start a garbage collection, so that is off.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stddef.h>
#include <string.h>

#include "real/measure/rank.h"

/* What Python has since 3.10; pointers are to its own structures. */
#define NAMES(X)                                                                                   \
        X(void *, PyGILState_GetThisThreadState, (void))                                           \
        X(int, PyGILState_Ensure, (void))                                                          \
        X(void, PyGILState_Release, (int))                                                         \
        X(void *, PyInterpreterState_Head, (void))                                                 \
        X(void *, PyInterpreterState_Next, (void *))                                               \
        X(void *, PyInterpreterState_ThreadHead, (void *))                                         \
        X(void *, PyThreadState_Next, (void *))                                                    \
        X(void *, PyEval_GetFrame, (void))                                                         \
        X(void *, PyFrame_GetCode, (void *))                                                       \
        X(int, PyFrame_GetLineNumber, (void *))                                                    \
        X(void *, PyObject_GetAttrString, (void *, const char *))                                  \
        X(const char *, PyUnicode_AsUTF8, (void *))                                                \
        X(void, PyErr_Clear, (void))                                                               \
        X(int, PyGC_Disable, (void))                                                               \
        X(int, PyGC_Enable, (void))                                                                \
        X(void, Py_DecRef, (void *))

static struct {
#define X(type, name, parameters) type(*name) parameters;
        NAMES(X)
#undef X
        void *(*current)(void); /* the thread that has the lock */
        bool known;
} python;

static bool find(const char *name, void *function)
{
        void *address = dlsym(RTLD_DEFAULT, name);
        memcpy(function, &address, sizeof(address));
        return address != NULL;
}

bool python_find(void)
{
        bool all = true;
#define X(type, name, parameters) all = find(#name, &python.name) && all;
        NAMES(X)
#undef X
        python.known = all && (find("PyThreadState_GetUnchecked", &python.current) ||
                               find("_PyThreadState_UncheckedGet", &python.current));
        return python.known;
}

/* ---- The lock ---- */

struct visit {
        bool taken, collects;
        int state;
};

static bool is_alone(const void *own)
{
        void *interpreter = python.PyInterpreterState_Head();
        if (!interpreter || python.PyInterpreterState_Next(interpreter))
                return false;
        void *thread = python.PyInterpreterState_ThreadHead(interpreter);
        return thread == own && !python.PyThreadState_Next(thread);
}

static bool enter(struct visit *visit)
{
        void *own = python.known ? python.PyGILState_GetThisThreadState() : NULL;
        if (!own)
                return false;
        visit->taken = python.current() != own;
        if (visit->taken && !is_alone(own))
                return false;
        if (visit->taken)
                visit->state = python.PyGILState_Ensure();
        visit->collects = python.PyGC_Disable() != 0;
        return true;
}

static void leave(const struct visit *visit)
{
        if (visit->collects)
                python.PyGC_Enable();
        if (visit->taken)
                python.PyGILState_Release(visit->state);
}

/* ---- Where it is ---- */

static uint64_t place_of(void *frame)
{
        void *code = python.PyFrame_GetCode(frame);
        uint64_t line = (uint64_t)python.PyFrame_GetLineNumber(frame) & 0x7ffff;
        uint64_t place = PYTHON_PLACE | line << 44 | (uint64_t)(uintptr_t)code >> 4;
        python.Py_DecRef(code);
        return place;
}

uint64_t python_place(void)
{
        struct visit visit = { 0 };
        uint64_t place = 0;
        if (!enter(&visit))
                return 0;
        void *frame = python.PyEval_GetFrame();
        if (frame)
                place = place_of(frame);
        leave(&visit);
        return place;
}

/* The code is kept for ever, and with it its name and its address: another one has another place.
 */
static const char *file_of(void *code)
{
        void *name = python.PyObject_GetAttrString(code, "co_filename");
        const char *file = name ? python.PyUnicode_AsUTF8(name) : NULL;
        if (!file)
                python.PyErr_Clear();
        if (name)
                python.Py_DecRef(name);
        return file;
}

const char *python_file(uint64_t *line)
{
        struct visit visit = { 0 };
        const char *file = NULL;
        if (!enter(&visit))
                return NULL;
        void *frame = python.PyEval_GetFrame();
        if (frame) {
                *line = (uint64_t)python.PyFrame_GetLineNumber(frame);
                file = file_of(python.PyFrame_GetCode(frame));
        }
        leave(&visit);
        return file;
}
