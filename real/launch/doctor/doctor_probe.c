/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A rank without MPI's headers: lbrun is built for neither MPI. What both have in common is enough:
 * the functions below have the same types in both but for handles, and MPI_THREAD_MULTIPLE is 3.
 */
#include <dlfcn.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "real/launch/doctor/doctor.h"
#include "real/launch/doctor/doctor_impl.h"
#include "real/launch/doctor/sample.h"

enum { FAILED = 1, THREAD_MULTIPLE = 3, VERSION_SIZE = 8192 };

/* A function's address in a variable of its type; -1 where there is none. */
static int find(void *library, const char *name, void *function)
{
        void *address = dlsym(library, name);
        memcpy(function, &address, sizeof(address));
        if (address)
                return 0;
        printf("the library has no %s\n", name);
        return -1;
}

/*
 * Handles are numbers in one and addresses in the other: a word holds both, and an int is taken
 * from the low half of a word on the processors that either runs on.
 */
struct calls {
        intptr_t world, byte;
        void *no_status;
        int (*start)(int *, char ***, int, int *), (*stop)(void), (*say)(char *, int *);
        int (*rank)(intptr_t, int *), (*size)(intptr_t, int *);
        int (*send)(const void *, int, intptr_t, int, int, intptr_t);
        int (*receive)(void *, int, intptr_t, int, int, intptr_t, void *);
};

static int find_calls(void *library, struct calls *c)
{
        enum { MPICH_WORLD = 0x44000000, MPICH_BYTE = 0x4c00010d };
        void *world = dlsym(library, "ompi_mpi_comm_world");
        c->world = world ? (intptr_t)world : MPICH_WORLD;
        c->byte = world ? (intptr_t)dlsym(library, "ompi_mpi_byte") : MPICH_BYTE;
        c->no_status = world ? NULL : (void *)1;
        const struct {
                const char *name;
                void *function;
        } rows[] = { { "MPI_Init_thread", &c->start },
                     { "MPI_Finalize", &c->stop },
                     { "MPI_Get_library_version", &c->say },
                     { "MPI_Comm_rank", &c->rank },
                     { "MPI_Comm_size", &c->size },
                     { "MPI_Send", &c->send },
                     { "MPI_Recv", &c->receive } };
        for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
                if (find(library, rows[i].name, rows[i].function) < 0)
                        return -1;
        return 0;
}

/* A line at once, that no other rank's comes between. */
static void say_line(const char *format, ...) LB_PRINTF(1, 2);
static void say_line(const char *format, ...)
{
        va_list args;
        va_start(args, format);
        vprintf(format, args);
        va_end(args);
        putchar('\n');
        fflush(stdout);
}

/* ---- A message each way ---- */

struct letter {
        char host[SAMPLE_HOST_SIZE];
        double now_s; /* wall clock */
};

static void talk_to(const struct calls *c, int rank)
{
        struct letter letter = { .now_s = clock_of_s(CLOCK_REALTIME) };
        c->send(&letter, sizeof(letter), c->byte, rank, 0, c->world);
        c->receive(&letter, sizeof(letter), c->byte, rank, 0, c->world, c->no_status);
        say_line("talked %s %.3f", letter.host, letter.now_s - clock_of_s(CLOCK_REALTIME));
}

static void answer(const struct calls *c, const struct sample *sample)
{
        struct letter letter;
        c->receive(&letter, sizeof(letter), c->byte, 0, 0, c->world, c->no_status);
        letter = (struct letter){ .now_s = clock_of_s(CLOCK_REALTIME) };
        memcpy(letter.host, sample->host, sizeof(letter.host));
        c->send(&letter, sizeof(letter), c->byte, 0, 0, c->world);
}

/* ---- A rank ---- */

/* Of a level that is too low nothing more is asked. */
static int talk(const struct calls *c, const struct sample *sample)
{
        char version[VERSION_SIZE];
        int length = 0, level = -1, rank = 0, ranks = 0;
        if (c->start(NULL, NULL, THREAD_MULTIPLE, &level) != 0) {
                say_line("MPI_Init_thread() failed");
                return FAILED;
        }
        c->say(version, &length);
        c->rank(c->world, &rank);
        c->size(c->world, &ranks);
        version[strcspn(version, ",\n")] = '\0';
        for (char *v = version; *v; v++)
                *v = *v == '\t' ? ' ' : *v;
        say_line("%d %d %s", level, ranks, version);
        if (rank == 0)
                say_line("talked %s 0", sample->host);
        for (int other = 1; rank == 0 && other < ranks; other++)
                talk_to(c, other);
        if (rank != 0)
                answer(c, sample);
        alarm(DOCTOR_FINALIZE_S); /* which ends this process */
        if (c->stop() != 0)
                return FAILED;
        alarm(0);
        say_line("done %s", sample->host);
        return 0;
}

int doctor_probe_main(char *const *word)
{
        const char *why = "none given";
        char line[SAMPLE_LINE_SIZE];
        struct sample sample;
        struct calls calls;
        sample_take(&sample, *word++);
        sample_format(&sample, line);
        say_line("%s", line);
        for (; *word; word++) {
                void *library = dlopen(*word, RTLD_NOW | RTLD_GLOBAL);
                if (library)
                        return find_calls(library, &calls) < 0 ? FAILED : talk(&calls, &sample);
                why = dlerror();
        }
        printf("no MPI library can be loaded: %s\n", why);
        return FAILED;
}
