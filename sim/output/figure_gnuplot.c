/* SPDX-License-Identifier: BSD-3-Clause */
#include "sim/output/figure_gnuplot.h"

#include <errno.h>
#include <spawn.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/file.h"
#include "base/data.h"

extern char **environ;

enum { PATH_SIZE = 4096 };

enum outcome { OUTCOME_DRAWN = 0, OUTCOME_MISSING, OUTCOME_FAILED };

static bool put_path(char path[static PATH_SIZE], const char *directory, const char *name,
                     const char *ending)
{
        int size = snprintf(path, PATH_SIZE, "%s/%s.%s", directory, name, ending);
        return size > 0 && size < PATH_SIZE;
}

static bool find_script(const char *name, char path[static LB_DATA_PATH_SIZE])
{
        char file[256];
        snprintf(file, sizeof(file), "%s.gp", name);
        return lb_data_find("plots", file, path);
}

static enum outcome wait_for(pid_t child)
{
        int status;
        while (waitpid(child, &status, 0) < 0)
                if (errno != EINTR)
                        return OUTCOME_FAILED;
        if (WIFEXITED(status) && WEXITSTATUS(status) == 127)
                return OUTCOME_MISSING;
        return WIFEXITED(status) && WEXITSTATUS(status) == 0 ? OUTCOME_DRAWN : OUTCOME_FAILED;
}

/* Run a program with what it says to standard error in `messages`. */
static enum outcome run(const char *const *argument, FILE *messages)
{
        char *argv[16] = { NULL };
        for (size_t i = 0; argument[i] && i < 15; i++)
                memcpy(&argv[i], &argument[i], sizeof(argv[i])); /* execv()'s missing const */
        posix_spawn_file_actions_t actions;
        posix_spawn_file_actions_init(&actions);
        posix_spawn_file_actions_adddup2(&actions, fileno(messages), STDERR_FILENO);
        posix_spawn_file_actions_adddup2(&actions, fileno(messages), STDOUT_FILENO);
        pid_t child;
        /* The terminal of the user's sessions is opened first of all; gnuplot ends where it cannot
         * be. */
        unsetenv("GNUTERM");
        int status = posix_spawnp(&child, argv[0], &actions, NULL, argv, environ);
        posix_spawn_file_actions_destroy(&actions);
        return status == 0 ? wait_for(child) : OUTCOME_MISSING;
}

/* What a failed gnuplot had to say. */
static void show_messages(FILE *messages, FILE *notes)
{
        char line[512];
        rewind(messages);
        while (fgets(line, sizeof(line), messages)) {
                line[strcspn(line, "\n")] = '\0';
                if (line[strspn(line, " \t^")] != '\0')
                        fprintf(notes, "warning: gnuplot: %s\n", line);
        }
}

/* gnuplot writes into the temporary file, which then gets its name. */
static enum outcome draw_as(const struct gnuplot_job *job, const char *script, const char *kind,
                            FILE *notes)
{
        char data[PATH_SIZE], output[PATH_SIZE];
        struct lb_file file;
        struct lb_error err = { .kind = LB_ERROR_NONE };
        FILE *messages = tmpfile();
        enum outcome outcome = OUTCOME_FAILED;
        if (!messages || !put_path(data, job->directory, job->file, "dat") ||
            !put_path(output, job->directory, job->file, kind)) {
                lb_error_fail(&err, "no temporary file, or the name is too long");
        } else if (lb_file_create(&file, output, &err) == 0) {
                char name[PATH_SIZE];
                lb_file_open_name(&file, name, sizeof(name));
                const char *const argv[] = { "gnuplot", "-d", "-c",      script,    data,
                                             name,      kind, job->word, job->size, NULL };
                outcome = run(argv, messages);
                if (outcome == OUTCOME_FAILED)
                        show_messages(messages, notes);
                if (outcome != OUTCOME_DRAWN)
                        lb_file_abandon(&file);
                else if (lb_file_commit(&file, &err) < 0)
                        outcome = OUTCOME_FAILED;
                else
                        fprintf(notes, "%s\n", output);
        }
        if (outcome == OUTCOME_FAILED)
                fprintf(notes, "warning: cannot draw %s.%s%s%s\n", job->file, kind,
                        err.kind == LB_ERROR_NONE ? "" : ": ",
                        err.kind == LB_ERROR_NONE ? "" : err.text);
        if (messages)
                fclose(messages);
        return outcome;
}

void gnuplot_draw(const struct gnuplot_job *job, FILE *notes)
{
        static const char *const kinds[] = { "svg", "pdf", "png" };
        char script[LB_DATA_PATH_SIZE];
        if (!find_script(job->script, script)) {
                fprintf(notes,
                        "note: no figure: plots/%s.gp was not found (in $LBSIM_DATA, or where "
                        "lbsim was installed)\n",
                        job->script);
                return;
        }
        for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
                if (draw_as(job, script, kinds[i], notes) != OUTCOME_MISSING)
                        continue;
                fprintf(notes, "note: no figure: gnuplot is not installed\n");
                return;
        }
}
