/* SPDX-License-Identifier: BSD-3-Clause */
/* The nodes of a host file or an allocation: how a rank comes to each, and how they differ. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "real/launch/doctor/doctor_impl.h"
#include "real/launch/doctor/sample.h"
#include "real/launch/plan.h"
#include "real/launch/words.h"

int doctor_line_across(const struct doctor *d, const struct command_type *type,
                       const char *const *library, struct words *line, struct lb_error *err)
{
        struct plan plan;
        struct program program = { .mpi = type->mpi };
        struct words rest = { 0 };
        struct options options = d->options;
        snprintf(program.path, sizeof(program.path), "%s", d->program ? d->program_path : "-");
        words_add(&rest, program.path);
        for (; *library; library++)
                words_add(&rest, *library);
        options.program = rest.word;
        int status = rest.failed ? lb_error_fail(err, "out of memory")
                                 : plan_probe(&plan, &options, &program, err);
        words_finish(&rest);
        if (status < 0)
                return -1;
        *line = plan.command;
        plan.command = (struct words){ 0 };
        if (job_to_environment(plan.job_text) < 0) /* Open MPI's mpirun hands it on, as a job's */
                status = lb_error_fail(err, "out of memory");
        plan_finish(&plan);
        return status;
}

/* ---- Who has spoken ---- */

/* The name up to the first dot, as ranks say it. */
static bool has_line(const char *text, const char *word, const char *name)
{
        char line[32 + SAMPLE_HOST_SIZE];
        int size = snprintf(line, sizeof(line), "%s %.*s", word, (int)strcspn(name, "."), name);
        for (const char *at = strstr(text, line); at; at = strstr(at + 1, line))
                if ((at == text || at[-1] == '\n') && strchr(" \n", at[size]))
                        return true;
        return false;
}

int doctor_missing(const struct doctor *d, const char *text, const char *word, char *list,
                   size_t size)
{
        int count = 0;
        list[0] = '\0';
        for (int32_t n = 0; n < d->nodes.nnode; n++) {
                if (has_line(text, word, d->nodes.name[n]))
                        continue;
                lb_text_add(list, size, "%s%s", count++ ? ", " : "", d->nodes.name[n]);
        }
        return count;
}

/* ---- How they differ ---- */

/* `here`: of this process, which the nodes' are held against; ranks speak in any order. */
typedef bool is_wrong(const struct doctor *d, const struct sample *sample,
                      const struct sample *here, int32_t node);

static int32_t node_of(const struct doctor *d, const struct sample *sample)
{
        for (int32_t n = 0; n < d->nodes.nnode; n++) {
                size_t size = strcspn(d->nodes.name[n], ".");
                if (strlen(sample->host) == size &&
                    strncmp(d->nodes.name[n], sample->host, size) == 0)
                        return n;
        }
        return -1;
}

static bool few_cpus(const struct doctor *d, const struct sample *s, const struct sample *here,
                     int32_t node)
{
        (void)here;
        return node >= 0 && s->cpus < d->nodes.cores[node];
}

static bool little_shared(const struct doctor *d, const struct sample *s, const struct sample *here,
                          int32_t node)
{
        (void)d, (void)here, (void)node;
        return s->shared_mib < LEAST_SHARED_MIB;
}

static bool reserves_not(const struct doctor *d, const struct sample *s, const struct sample *here,
                         int32_t node)
{
        (void)d, (void)here, (void)node;
        return !s->reserves;
}

static bool few_processes(const struct doctor *d, const struct sample *s, const struct sample *here,
                          int32_t node)
{
        (void)d, (void)here, (void)node;
        return s->processes >= 0 && s->processes < LEAST_PROCESSES;
}

static bool few_files(const struct doctor *d, const struct sample *s, const struct sample *here,
                      int32_t node)
{
        (void)d, (void)here, (void)node;
        return s->files >= 0 && s->files < LEAST_FILES;
}

static bool other_lbrun(const struct doctor *d, const struct sample *s, const struct sample *here,
                        int32_t node)
{
        (void)d, (void)node;
        return s->lbrun != here->lbrun;
}

static bool other_program(const struct doctor *d, const struct sample *s, const struct sample *here,
                          int32_t node)
{
        (void)node;
        return d->program && (s->program == 0 || s->program != here->program);
}

static const struct {
        is_wrong *is;
        enum verdict verdict;
        const char *what, *wrong, *right, *advice;
} differences[] = {
        { few_cpus, BAD, "cores of nodes", "a rank may use fewer than the job counts on",
          "a rank may use all that the job counts on",
          "ask for whole nodes (--exclusive, --cpus-per-task), or give --cores" },
        { reserves_not, BAD, "addresses of nodes", "a rank cannot reserve its memory's", NULL,
          doctor_advice_memory },
        { little_shared, BAD, "memory of nodes", "/dev/shm is missing, or full",
          "/dev/shm has enough free",
          "remove what is left there (lbrun clean), or make it larger" },
        { few_processes, NOTE, "limits of nodes", "few processes and threads", NULL,
          "ulimit -u: there is a thread for every core of every rank" },
        { few_files, NOTE, "limits of nodes", "few open files", NULL, "ulimit -n 1024" },
        { other_lbrun, BAD, "lbrun of nodes", "another lbrun at the same path",
          "the same lbrun everywhere", "install one build on all nodes" },
        { other_program, BAD, "program of nodes", "another program, or none, at the same path",
          "the same program everywhere", "copy the program to a file system that all nodes see" },
};

static void see_difference(struct doctor *d, const char *text, const struct sample *here,
                           size_t which)
{
        char list[256] = "";
        int count = 0;
        struct sample sample;
        while ((text = sample_find(&sample, text))) {
                if (!differences[which].is(d, &sample, here, node_of(d, &sample)))
                        continue;
                lb_text_add(list, sizeof(list), "%s%s", count++ ? ", " : "", sample.host);
        }
        if (count > 0)
                doctor_say(d, differences[which].verdict, differences[which].what,
                           differences[which].advice, "%s: %s", list, differences[which].wrong);
        else if (differences[which].right && (d->program || differences[which].is != other_program))
                doctor_say(d, GOOD, differences[which].what, NULL, "%s", differences[which].right);
}

/* Lines "talked HOST OFFSET". */
static void see_clocks(struct doctor *d, const char *text)
{
        static const double most_s = 1;
        char host[SAMPLE_HOST_SIZE], worst[SAMPLE_HOST_SIZE] = "";
        double offset_s, most_off_s = 0;
        for (text = strstr(text, "talked "); text; text = strstr(text + 1, "talked ")) {
                if (sscanf(text, "talked %63s %lf", host, &offset_s) != 2 ||
                    fabs(offset_s) <= fabs(most_off_s))
                        continue;
                most_off_s = offset_s;
                memcpy(worst, host, sizeof(worst));
        }
        if (fabs(most_off_s) > most_s)
                doctor_say(d, NOTE, "clocks of nodes",
                           "let a time service set them: times of files and logs do not agree "
                           "(lbrun's own reports and traces do)",
                           "that of %s is %.3g s off", worst, most_off_s);
        else
                doctor_say(d, GOOD, "clocks of nodes", NULL, "they agree within %.0f s", most_s);
}

void doctor_compare(struct doctor *d, const char *text)
{
        if (d->compared)
                return;
        d->compared = true;
        struct sample here;
        sample_take(&here, d->program ? d->program_path : "-");
        for (size_t i = 0; i < sizeof(differences) / sizeof(differences[0]); i++)
                see_difference(d, text, &here, i);
        see_clocks(d, text);
}
