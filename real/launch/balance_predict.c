/* SPDX-License-Identifier: BSD-3-Clause */
/* The prediction beside the run: lbsim simulates the same system on the loads that were measured.
 */
#include <errno.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "real/balance/params.h"
#include "real/balance/setup.h"
#include "real/launch/advise.h"
#include "real/launch/balance_report.h"
#include "real/launch/words.h"

enum { PATH_SIZE = ADVISE_PATH_SIZE + 64, ITERATIONS = 12, TEXT_SIZE = 4096 };

/* As many iterations as packing needs to settle, all alike. */
static bool write_loads(const struct balance_report *report, const char *path)
{
        FILE *out = fopen(path, "we");
        if (!out)
                return false;
        fputs("iteration,apprank,work_s,tasks\n", out);
        for (int iteration = 0; iteration < ITERATIONS; iteration++)
                for (int32_t i = 0; i < report->count; i++)
                        fprintf(out, "%d,%d,%.9g,1\n", iteration, i, report->leaf[i].load_s);
        return fclose(out) == 0;
}

/* The runtime's own are not lbsim's. */
static void add_params(struct words *line, const struct lb_option_list *param)
{
        words_add(line, "--set");
        words_add_format(line, "system.pack_tolerance=%.17g", setup_live_default("pack_tolerance"));
        for (int32_t i = 0; i < param->count; i++) {
                char name[64];
                const char *text = param->text[i];
                text += strncmp(text, "system.", 7) == 0 ? 7 : 0;
                snprintf(name, sizeof(name), "%.*s", (int)strcspn(text, "="), text);
                if (lb_param_find(balance_params, name) >= 0)
                        continue;
                words_add(line, "--set");
                words_add_format(line, "system.%s", text);
        }
}

static void add_line(struct words *line, const struct balance_report *report, const char *loads,
                     const struct lb_option_list *param)
{
        char path[ADVISE_PATH_SIZE];
        const struct leaf *first = report->leaf;
        words_add(line, advise_lbsim(path));
        words_add(line, "gain");
        words_add(line, loads);
        words_add(line, "--serial");
        words_add(line, "--quiet");
        words_add(line, "--cores");
        words_add_format(line, "%d", first->nmate);
        words_add(line, "--appranks-per-node");
        words_add_format(line, "%d", first->nmate);
        words_add(line, "--systems");
        words_add(line, report->system);
        words_add(line, "--format");
        words_add(line, "json");
        add_params(line, param);
}

/* What it prints, into text[TEXT_SIZE]; its own words are not for the user. */
static bool run(const struct words *line, char *text)
{
        int ends[2], status = -1;
        size_t used = 0;
        ssize_t got;
        if (pipe(ends) < 0)
                return false;
        pid_t pid = fork();
        if (pid == 0) {
                dup2(ends[1], STDOUT_FILENO);
                if (!freopen("/dev/null", "w", stderr))
                        _exit(125);
                signal(SIGPIPE, SIG_DFL);
                close(ends[0]);
                execvp(line->word[0], line->word);
                _exit(127);
        }
        close(ends[1]);
        while (pid > 0 && used < TEXT_SIZE - 1 &&
               (got = read(ends[0], text + used, TEXT_SIZE - 1 - used)) > 0)
                used += (size_t)got;
        close(ends[0]);
        text[used] = '\0';
        while (pid > 0 && waitpid(pid, &status, 0) < 0 && errno == EINTR)
                ;
        return pid > 0 && WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

static double number_after(const char *text, const char *name)
{
        const char *at = strstr(text, name);
        return at ? strtod(at + strlen(name), NULL) : 0;
}

/* Of equal nodes, with loads, in the order of ranks. */
static bool is_simulated(const struct balance_report *report)
{
        double most_s = 0;
        for (int32_t i = 0; i < report->count; i++) {
                const struct leaf *leaf = &report->leaf[i];
                if (leaf->nmate != report->leaf[0].nmate || leaf->rank != i ||
                    leaf->node != i / leaf->nmate)
                        return false;
                most_s = fmax(most_s, leaf->load_s);
        }
        return most_s > 0 && report->count == report->leaf[0].size;
}

void balance_predict(struct balance_report *report, const char *directory,
                     const struct lb_option_list *param)
{
        char loads[PATH_SIZE], text[TEXT_SIZE];
        struct words line = { 0 };
        if (strcmp(report->system, "packing") != 0 || report->count == 0 || !is_simulated(report))
                return;
        snprintf(loads, sizeof(loads), "%.4000s/loads.csv", directory);
        add_line(&line, report, loads, param);
        if (!line.failed && write_loads(report, loads) && run(&line, text)) {
                double most_s = 0, simulated_s = number_after(text, "\"time_per_iteration_s\": ");
                for (int32_t i = 0; i < report->count; i++)
                        most_s = fmax(most_s, report->leaf[i].load_s);
                /* what an iteration lasts beyond the loads is not simulated */
                report->simulated_s = simulated_s + fmax(report->leaf[0].without_s - most_s, 0);
                report->simulated_cpus = (int32_t)number_after(text, "\"cores_used\": ");
        }
        words_finish(&line);
}
