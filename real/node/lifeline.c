/* SPDX-License-Identifier: BSD-3-Clause */
#include "real/node/lifeline.h"

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "real/node/estate.h"

static const char variable[] = "LBRUN_LIFELINE";

static struct lifeline alone;
static _Atomic(struct lifeline *) own;

static struct lifeline *map(int fd)
{
        void *page = mmap(NULL, sizeof(struct lifeline), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
        return page == MAP_FAILED ? NULL : page;
}

struct lifeline *lifeline_create(int *fd)
{
        *fd = memfd_create("lbrun-lifeline", MFD_CLOEXEC);
        off_t size = estate_is_allowed() ? (off_t)estate_end() : (off_t)sizeof(struct lifeline);
        if (*fd >= 0 && ftruncate(*fd, size) == 0) {
                struct lifeline *line = map(*fd);
                if (line)
                        return line;
        }
        if (*fd >= 0)
                close(*fd);
        *fd = -1;
        return NULL;
}

void lifeline_pass(int fd)
{
        char text[64];
        unsetenv(variable);
        if (fd < 0 || fcntl(fd, F_SETFD, 0) < 0)
                return;
        snprintf(text, sizeof(text), "%d:%d", (int)getpid(), fd);
        setenv(variable, text, 1);
}

/* The number is of a descriptor of this very process, unless the variable was inherited. */
static struct lifeline *inherit(void)
{
        int pid, fd;
        struct stat file;
        const char *text = getenv(variable);
        if (!text || sscanf(text, "%d:%d", &pid, &fd) != 2 || pid != getpid())
                return NULL;
        bool known = fstat(fd, &file) == 0;
        bool has_estate = known && file.st_size == (off_t)estate_end();
        bool fits = has_estate || (known && file.st_size == (off_t)sizeof(struct lifeline));
        struct lifeline *line = fits ? map(fd) : NULL;
        if (line && has_estate)
                estate_attach(fd);
        if (line) {
                close(fd);
                atomic_store(&line->pid, (int32_t)getpid());
        }
        return line;
}

/* Before main(), when there is one thread, no child, and no file of the program's own. */
__attribute__((constructor)) static void attach(void)
{
        struct lifeline *line = inherit();
        unsetenv(variable);
        atomic_store(&own, line ? line : &alone);
}

struct lifeline *lifeline_own(void)
{
        struct lifeline *line = atomic_load(&own);
        return line && atomic_load(&line->pid) == getpid() ? line : &alone;
}

bool lifeline_is_watched(void)
{
        return lifeline_own() != &alone;
}

/* Without a keeper, or after its death, the signal comes to a process that ignores it. */
void lifeline_reach(enum life_stage stage)
{
        struct lifeline *line = lifeline_own();
        if (atomic_load(&line->stage) >= (int32_t)stage)
                return;
        atomic_store(&line->stage, (int32_t)stage);
        if (line != &alone)
                kill(getppid(), SIGCHLD);
}

/* ---- The end of the job ---- */

static atomic_bool silent; /* another's end, or this one's is told already */

void lifeline_follow(int32_t rank)
{
        atomic_store(&silent, true);
        atomic_store(&lifeline_own()->seen, rank + 1);
        atomic_store(&lifeline_own()->follows, 1);
}

void lifeline_doubt(void)
{
        atomic_store(&lifeline_own()->follows, 1);
}

void lifeline_foretell(int32_t status)
{
        static const int64_t patience_ns = 500000000;
        struct lifeline *line = lifeline_own();
        if (line == &alone || atomic_exchange(&silent, true))
                return;
        uint32_t ticket = futex_ticket(&line->told);
        atomic_store(&line->end, status + 1);
        kill(getppid(), SIGCHLD);
        futex_sleep(&line->told, ticket, patience_ns);
}

void lifeline_told(struct lifeline *line)
{
        futex_wake(&line->told);
}
