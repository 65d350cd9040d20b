/* SPDX-License-Identifier: BSD-3-Clause */
/* What a rank's main program has recorded: every task, each after ones that come before it, and
 * where it is within one, after those that are so, too. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "real/runtime/record.h"
#include "tests/real/runtime/late_world.h"

/* whole[]: of each task the one that it is within, or it itself. */
static void check_line(int32_t number, const char *line, int32_t *whole)
{
        const char *at = line;
        for (int i = 0; i < 6; i++) /* behind iteration, apprank, seconds, bytes, stays, priority */
                at = strchr(at, ',') + 1;
        bool is_within = *at != ',';
        char *end = (char *)at;
        whole[number] = is_within ? (int32_t)strtol(at, &end, 10) : number;
        bool fine = !is_within || (whole[number] < number && end[1] != '\0');
        for (at = end + 1; fine && *at; at = end) {
                long after = strtol(at, &end, 10);
                fine = end != at && after >= 0 && after < number;
                fine = fine && (!is_within || whole[after] == whole[number]);
        }
        if (!fine)
                late_die("task %d of what is recorded is '%s'", (int)number, line);
}

static void check_lines(char *text, int32_t nnode)
{
        char *rest = NULL;
        int32_t number = 0, *whole = calloc((size_t)nnode + 1, sizeof(*whole));
        if (!whole)
                late_die("out of memory");
        for (char *line = strtok_r(text, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest))
                check_line(number++, line, whole);
        free(whole);
        if (number != nnode)
                late_die("%d tasks are written of %d", (int)number, (int)nnode);
}

void late_check_record(struct process *p)
{
        char *text = NULL;
        size_t size = 0;
        FILE *out = open_memstream(&text, &size);
        record_iteration(p);
        if (!out || p->record->reason != RECORD_FINE || p->record->nkept != 1)
                late_die("nothing is recorded");
        if (!record_print(p->record->kept, 0, 0, out) || fclose(out) != 0)
                late_die("out of memory");
        check_lines(text, p->record->kept->nnode);
        free(text);
}
