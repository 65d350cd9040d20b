/* SPDX-License-Identifier: BSD-3-Clause */
/* The MPIs: found, and really started. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/self.h"
#include "real/launch/command.h"
#include "real/launch/doctor/doctor_impl.h"
#include "real/launch/doctor/sample.h"
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

/* Nodes with which nothing comes of it; false: all have talked. */
static bool judge_nodes(struct doctor *d, const struct kind *kind, const char *mpirun, char *text)
{
        static const struct {
                const char *word, *found, *advice;
        } rows[] = {
                { "node", "started no rank on",
                  "see how it reaches nodes: ssh without a password, "
                  "or --launcher srun; lbrun at the same path there" },
                { "talked", "started, but no message came back from",
                  "see which network it takes, and whether a firewall stands between nodes" },
        };
        char list[256];
        enum verdict missing = when_missing(d, kind->type->mpi);
        for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
                int count = doctor_missing(d, text, rows[i].word, list, sizeof(list));
                if (count > 0) {
                        doctor_say(d, missing, mpi_title(kind->type->mpi), rows[i].advice,
                                   "%s %s %s", mpirun, rows[i].found, list);
                        return true;
                }
        }
        return false;
}

static void see_finalize(struct doctor *d, const struct kind *kind, const char *text, int ranks)
{
        int done = 0;
        for (; (text = strstr(text, "done ")); text++)
                done++;
        if (done < ranks)
                doctor_say(d, NOTE, mpi_title(kind->type->mpi),
                           "lbrun ends such ranks when the job is done (--param finalize_s)",
                           "%d of %d ranks do not come out of MPI_Finalize() within %d s",
                           ranks - done, ranks, DOCTOR_FINALIZE_S);
}

/* How many ranks said that they talked with the first. */
static int count_talks(const char *text)
{
        int talks = 0;
        for (; (text = strstr(text, "talked ")); text++)
                talks++;
        return talks;
}

/* What is printed besides the doctor's own lines. */
static const char *first_complaint(char *text)
{
        static const char *const own[] = { "node ", "talked ", "done " };
        size_t i = 0;
        while (i < sizeof(own) / sizeof(own[0])) {
                if (strncmp(text, own[i], strlen(own[i])) != 0) {
                        i++;
                        continue;
                }
                text += strcspn(text, "\n");
                text += *text == '\n';
                i = 0;
        }
        return doctor_first_line(text);
}

static void judge(struct doctor *d, const struct kind *kind, const char *mpirun, int code,
                  char *text)
{
        const char *title = mpi_title(kind->type->mpi);
        int level, ranks, expected = d->nodes.nnode ? (int)d->nodes.nnode : PROBE_RANKS;
        char version[128];
        enum verdict missing = when_missing(d, kind->type->mpi);
        bool talked = count_talks(text) == expected;
        if (code == 124 && !strstr(text, "node ")) {
                doctor_say(d, missing, title, "see whether it waits for a network or a name server",
                           "%s started nothing within %d s", mpirun, PROBE_S);
        } else if (!read_probe(text, &level, &ranks, version) || (code != 0 && !talked)) {
                if (code == 124 && d->nodes.nnode && judge_nodes(d, kind, mpirun, text))
                        return;
                const char *advice = advice_on(kind, text);
                doctor_say(d, missing, title, advice, "%s failed with exit code %d: %.200s", mpirun,
                           code, first_complaint(text));
        } else if (ranks != expected) {
                doctor_say(d, missing, title, "let mpirun and libraries be of one installation",
                           "%s: %s started %d ranks that did not find each other", version, mpirun,
                           expected);
        } else if (level < THREAD_MULTIPLE) {
                doctor_say(d, missing, title, "use a build with MPI_THREAD_MULTIPLE",
                           "%s has thread level %d, needed is %d", version, level, THREAD_MULTIPLE);
        } else if (!talked) {
                doctor_say(d, missing, title, "see which network it takes",
                           "%s: %d ranks by %s, of which not all answer", version, ranks, mpirun);
        } else {
                d->works[kind->type->mpi] = true;
                doctor_say(d, GOOD, title, NULL, "%s by %s, MPI_THREAD_MULTIPLE%s", version, mpirun,
                           d->nodes.nnode ? ", a message to each node and back" : "");
                see_finalize(d, kind, text, ranks);
                if (d->nodes.nnode)
                        doctor_compare(d, text);
        }
}

static int line_here(const struct kind *kind, const char *mpirun, struct words *words,
                     struct lb_error *err)
{
        char self[LB_SELF_SIZE];
        lb_self_file(self);
        words_add(words, mpirun);
        add_all(words, kind->options);
        words_add(words, self);
        words_add(words, "--probe");
        words_add(words, "-");
        add_all(words, kind->library);
        return words->failed ? lb_error_fail(err, "out of memory") : 0;
}

static void start(struct doctor *d, const struct kind *kind, const char *mpirun)
{
        struct words words = { 0 };
        struct lb_error err;
        size_t size = TEXT_SIZE + (size_t)d->nodes.nnode * SAMPLE_LINE_SIZE;
        char *text = malloc(size);
        int status = !text ? lb_error_fail(&err, "out of memory")
                     : d->nodes.nnode
                         ? doctor_line_across(d, kind->type, kind->library, &words, &err)
                         : line_here(kind, mpirun, &words, &err);
        if (status == 0) {
                int code = doctor_run(words.word, NULL, PROBE_S, text, size);
                judge(d, kind, words.word[0], code, text);
        } else {
                doctor_say(d, when_missing(d, kind->type->mpi), mpi_title(kind->type->mpi), NULL,
                           "cannot be started: %s", err.text);
        }
        words_finish(&words);
        free(text);
}

/* Across nodes, the MPI of another program is not asked for: the launcher's options are not its. */
static bool is_asked_for(const struct doctor *d, const struct kind *kind)
{
        return !d->nodes.nnode || d->program_mpi == MPI_NONE || d->program_mpi == kind->type->mpi;
}

static void see_kind(struct doctor *d, const struct kind *kind)
{
        const char *mpirun = command_find_mpirun(kind->type);
        char advice[256];
        snprintf(advice, sizeof(advice), "install %s to run programs built with it",
                 kind->type->packages);
        if (mpirun || (d->nodes.nnode && getenv("SLURM_JOB_ID")))
                start(d, kind, mpirun);
        else
                doctor_say(d, when_missing(d, kind->type->mpi), mpi_title(kind->type->mpi), advice,
                           "no mpirun of it on PATH");
}

void doctor_see_mpi(struct doctor *d)
{
        for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++)
                if (is_asked_for(d, &kinds[i]))
                        see_kind(d, &kinds[i]);
        if (!d->program && !d->works[MPI_OPENMPI] && !d->works[MPI_MPICH])
                doctor_say(d, BAD, "MPI", "install Open MPI or MPICH, or mend what is above",
                           "none works");
}
