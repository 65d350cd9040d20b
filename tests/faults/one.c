/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * One fault at a time, for programs that preload this: FAULT="CALL N ERRNO" lets the N-th call of
 * that name in the process fail with that error; N = 0: none. How many there were is written to the
 * file FAULT_COUNT, if that is set, so that the next run may take each in turn. Processes that are
 * started from it are not touched.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/types.h>
#include <sys/uio.h>
#include <unistd.h>

static char name[32];
static int nth, why;
static pid_t own;
static atomic_int count;

__attribute__((constructor)) static void begin(void)
{
        const char *text = getenv("FAULT");
        if (!text || sscanf(text, "%31s %d %d", name, &nth, &why) != 3)
                name[0] = '\0';
        own = getpid();
        unsetenv("FAULT");
}

__attribute__((destructor)) static void end(void)
{
        const char *file = getenv("FAULT_COUNT");
        FILE *out = file && name[0] && getpid() == own ? fopen(file, "w") : NULL;
        if (!out)
                return;
        fprintf(out, "%d\n", atomic_load(&count));
        fclose(out);
}

static bool fails(const char *call)
{
        if (!name[0] || strcmp(call, name) != 0 || getpid() != own)
                return false;
        if (atomic_fetch_add(&count, 1) + 1 != nth)
                return false;
        errno = why;
        return true;
}

#define REAL(type, call) ((type)dlsym(RTLD_NEXT, #call))

ssize_t write(int fd, const void *data, size_t size)
{
        return fails("write") ? -1
                              : REAL(ssize_t(*)(int, const void *, size_t), write)(fd, data, size);
}

int fsync(int fd)
{
        return fails("fsync") ? -1 : REAL(int (*)(int), fsync)(fd);
}

int rename(const char *from, const char *to)
{
        return fails("rename") ? -1 : REAL(int (*)(const char *, const char *), rename)(from, to);
}

int ftruncate(int fd, off_t size)
{
        return fails("ftruncate") ? -1 : REAL(int (*)(int, off_t), ftruncate)(fd, size);
}

int fclose(FILE *file)
{
        bool failed = fails("fclose");
        int status = REAL(int (*)(FILE *), fclose)(file);
        if (failed)
                errno = why;
        return failed ? EOF : status;
}

FILE *fopen(const char *path, const char *mode)
{
        return fails("fopen") ? NULL
                              : REAL(FILE * (*)(const char *, const char *), fopen)(path, mode);
}

void *mmap(void *at, size_t size, int protection, int flags, int fd, off_t offset)
{
        return fails("mmap") ? MAP_FAILED
                             : REAL(void *(*)(void *, size_t, int, int, int, off_t),
                                    mmap)(at, size, protection, flags, fd, offset);
}

pid_t fork(void)
{
        return fails("fork") ? -1 : REAL(pid_t(*)(void), fork)();
}

int pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*run)(void *),
                   void *argument)
{
        if (fails("pthread_create"))
                return why;
        return REAL(int (*)(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *),
                    pthread_create)(thread, attributes, run, argument);
}

/* dlsym() may itself allocate: the C library's own names for these are called. */
extern void *__libc_malloc(size_t size);
extern void *__libc_calloc(size_t members, size_t size);
extern void *__libc_realloc(void *memory, size_t size);

void *malloc(size_t size)
{
        return fails("malloc") ? NULL : __libc_malloc(size);
}

void *calloc(size_t members, size_t size)
{
        return fails("calloc") ? NULL : __libc_calloc(members, size);
}

void *realloc(void *memory, size_t size)
{
        return fails("realloc") ? NULL : __libc_realloc(memory, size);
}
