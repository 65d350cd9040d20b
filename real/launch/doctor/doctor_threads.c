/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The program under its launcher, tried: may its parallel regions have another number of threads
 * from one to the next? It runs as it is, then with numbers that change all the time
 * (real/balance).
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/self.h"
#include "real/launch/doctor/doctor_impl.h"
#include "real/launch/words.h"

enum { TRIAL_S = 60, TEXT_SIZE = 1 << 20, PATH_SIZE = 4096, OVER = 124 };

/* This program, with the trial's parameters before the launch line. */
static int run_with(char *const *launch, const char *const *param, char *text)
{
        char own[LB_SELF_SIZE];
        struct words line = { 0 };
        lb_self_file(own);
        words_add(&line, own);
        words_add(&line, "--system");
        words_add(&line, "dpb");
        words_add(&line, "--param");
        words_add(&line, "threads_first=4"); /* so that there are some to leave out */
        for (; *param; param++) {
                words_add(&line, "--param");
                words_add(&line, *param);
        }
        words_add(&line, "--");
        for (; *launch; launch++)
                words_add(&line, *launch);
        int code = line.failed ? OVER : doctor_run(line.word, NULL, TRIAL_S, text, TEXT_SIZE);
        words_finish(&line);
        return code;
}

static const char *says(const char *text)
{
        static char what[128];
        const char *line = strstr(text, "\n  threads ");
        size_t at = line ? strspn(line + 11, " ") : 0;
        if (!line)
                return "nothing was seen of them";
        snprintf(what, sizeof(what), "%.*s", (int)strcspn(line + 11 + at, "\n"), line + 11 + at);
        return what;
}

static void judge(struct doctor *d, int code, int changed)
{
        static const char affinity[] = "lbrun --param malleable=affinity moves CPUs alone";
        if (changed == OVER && code != OVER)
                doctor_say(d, BAD, "threads", affinity,
                           "with other numbers of threads it does not end within %d s", TRIAL_S);
        else if (changed != code)
                doctor_say(d, BAD, "threads", affinity,
                           "with other numbers of threads from region to region it ends with %d, "
                           "else with %d",
                           changed, code);
        else
                doctor_say(d, GOOD, "threads",
                           "compare its results yourself; --param malleable=threads lets lbrun "
                           "change them at any region",
                           "with other numbers of threads from region to region it %s",
                           code == OVER ? "runs on as without" : "ends as without");
}

void doctor_try_threads(struct doctor *d, char *const *launch)
{
        static const char *const as_it_is[] = { "processors=fixed", "malleable=affinity", NULL };
        static const char *const by_itself[] = { "processors=fixed", NULL };
        static const char *const changing[] = { "processors=fixed", "malleable=threads",
                                                "threads_trial=1", NULL };
        char *text = malloc(TEXT_SIZE);
        if (!text)
                return;
        int code = run_with(launch, as_it_is, text);
        if (code != 0 && code != OVER) {
                doctor_say(d, BAD, "program", NULL, "ends with %d as it is: %.200s", code,
                           doctor_first_line(text));
        } else {
                run_with(launch, by_itself, text);
                doctor_say(d, GOOD, "malleable", NULL, "threads of its regions: %s", says(text));
                judge(d, code, run_with(launch, changing, text));
        }
        free(text);
}
