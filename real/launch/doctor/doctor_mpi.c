/* SPDX-License-Identifier: BSD-3-Clause */
/* The MPIs: found, and really started. */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "real/launch/command.h"
#include "real/launch/doctor/doctor_impl.h"
#include "real/launch/words.h"

enum { PROBE_RANKS = 2, PROBE_S = 30, THREAD_MULTIPLE = 3, TEXT_SIZE = 16384 };

static const struct kind {
        const struct command_type *type;
        const char *options[8];
        const char *library[4]; /* the names of its library, as programs are linked to */
} kinds[] = {
        { &command_openmpi,
          { "--oversubscribe", "--bind-to", "none", "--host", "localhost:2", "-np", "2" },
          { "libmpi.so.40", "libmpi.so.80", "libmpi.so" } },
        { &command_mpich,
          { "-launcher", "fork", "-hosts", "localhost", "-n", "2" },
          { "libmpich.so.12", "libmpi.so.12", "libmpich.so" } },
};

static void add_all(struct words *words, const char *const *word)
{
        for (; *word; word++)
                words_add(words, *word);
}

/* Why it may not have started, by what is known to go wrong. */
static const char *advice_on(const struct kind *kind, const char *text)
{
        if (strstr(text, "as root"))
                return "do not run as root, or set OMPI_ALLOW_RUN_AS_ROOT=1 and "
                       "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1";
        if (strstr(text, "no MPI library"))
                return kind->type->mpi == MPI_OPENMPI
                           ? "install its libraries (Debian: libopenmpi3)"
                           : "install its libraries (Debian: libmpich12)";
        if (strstr(text, "No space left") || strstr(text, "shm"))
                return "free space in /dev/shm and in the directory for temporary files";
        return "start any MPI program with it by hand, and mend that first";
}

/* The line of a rank: "3 2 Open MPI v4.1.4". */
static bool read_probe(const char *text, int *level, int *ranks, char version[static 128])
{
        for (const char *line = text; line; line = strchr(line, '\n')) {
                line += *line == '\n';
                if (sscanf(line, "%d %d %127[^\n]", level, ranks, version) == 3)
                        return true;
        }
        return false;
}

/* A program of the other MPI is none of this one's business. */
static enum verdict when_missing(const struct doctor *d, enum mpi mpi)
{
        return d->program && d->program_mpi == mpi ? BAD : NOTE;
}

static void judge(struct doctor *d, const struct kind *kind, const char *mpirun, int code,
                  char *text)
{
        const char *title = mpi_title(kind->type->mpi);
        int level, ranks;
        char version[128];
        enum verdict missing = when_missing(d, kind->type->mpi);
        if (code == 124) {
                doctor_say(d, missing, title, "see whether it waits for a network or a name server",
                           "%s started nothing within %d s", mpirun, PROBE_S);
        } else if (!read_probe(text, &level, &ranks, version) || code != 0) {
                const char *advice = advice_on(kind, text);
                doctor_say(d, missing, title, advice, "%s failed with exit code %d: %.200s", mpirun,
                           code, doctor_first_line(text));
        } else if (ranks != PROBE_RANKS) {
                doctor_say(d, missing, title, "let mpirun and libraries be of one installation",
                           "%s: %s started %d ranks that did not find each other", version, mpirun,
                           PROBE_RANKS);
        } else if (level < THREAD_MULTIPLE) {
                doctor_say(d, missing, title, "use a build with MPI_THREAD_MULTIPLE",
                           "%s has thread level %d, needed is %d", version, level, THREAD_MULTIPLE);
        } else {
                d->works[kind->type->mpi] = true;
                doctor_say(d, GOOD, title, NULL, "%s by %s, MPI_THREAD_MULTIPLE", version, mpirun);
        }
}

static void start(struct doctor *d, const struct kind *kind, const char *mpirun)
{
        char self[PROGRAM_PATH_SIZE], text[TEXT_SIZE];
        struct words words = { 0 };
        ssize_t size = readlink("/proc/self/exe", self, sizeof(self) - 1);
        self[size > 0 ? size : 0] = '\0';
        words_add(&words, mpirun);
        add_all(&words, kind->options);
        words_add(&words, self);
        words_add(&words, "--probe");
        add_all(&words, kind->library);
        if (!words.failed) {
                int code = doctor_run(words.word, NULL, PROBE_S, text, sizeof(text));
                judge(d, kind, mpirun, code, text);
        }
        words_finish(&words);
}

void doctor_see_mpi(struct doctor *d)
{
        for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
                const struct kind *kind = &kinds[i];
                const char *mpirun = command_find_mpirun(kind->type);
                char advice[256];
                snprintf(advice, sizeof(advice), "install %s to run programs built with it",
                         kind->type->packages);
                if (mpirun)
                        start(d, kind, mpirun);
                else
                        doctor_say(d, when_missing(d, kind->type->mpi), mpi_title(kind->type->mpi),
                                   advice, "no mpirun of it on PATH");
        }
        if (!d->program && !d->works[MPI_OPENMPI] && !d->works[MPI_MPICH])
                doctor_say(d, BAD, "MPI", "install Open MPI or MPICH, or mend what is above",
                           "none works");
}
