/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Scenarios, one after another in one process: for valid.py, which could not start so many. A line
 * of standard input is "THREADS FILE"; the answer is a line: "0 SUM" of all metrics of all runs, or
 * "2 MESSAGE" where the scenario is refused, "1 MESSAGE" where a run fails.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/python/interface.h"

static uint64_t sum_of(const struct lbsim *run)
{
        int64_t stride;
        uint64_t sum = 0;
        const double *metrics = lbsim_metrics(run, &stride);
        int64_t count = lbsim_npoint(run) * lbsim_nreplicate(run);
        for (int64_t i = 0; metrics && i < count; i++) {
                const char *row = (const char *)metrics + i * stride;
                for (size_t k = 0; k < (size_t)lbsim_nmetric() * sizeof(double); k++)
                        sum = sum * 31 + (unsigned char)row[k];
        }
        return sum;
}

/* On one line. */
static void refuse(int code)
{
        char text[1100];
        snprintf(text, sizeof(text), "%s", lbsim_error());
        for (char *c = text; (c = strchr(c, '\n'));)
                *c = ' ';
        printf("%d %s\n", code, text);
}

static void run(const char *file, int32_t threads)
{
        struct lbsim *run = lbsim_open(file, NULL, 0);
        if (!run)
                refuse(2);
        else if (lbsim_simulate(run, threads) < 0)
                refuse(1);
        else
                printf("0 %016" PRIx64 "\n", sum_of(run));
        lbsim_close(run);
}

int main(void)
{
        char line[4096];
        setvbuf(stdout, NULL, _IOLBF, 0);
        while (fgets(line, sizeof(line), stdin)) {
                char *file = strchr(line, ' ');
                line[strcspn(line, "\n")] = '\0';
                if (file)
                        run(file + 1, (int32_t)strtol(line, NULL, 10));
        }
        return 0;
}
