/* SPDX-License-Identifier: BSD-3-Clause */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "sim/commands/gain_measured.h"
#include "sim/engine/host.h"

/* What systems ask of a program, and which of them are simulated. */

/* What each system takes a program to be, and asks of who has it. Those that are not named move
 * tasks. */
static const struct {
        const char *system;
        enum gain_kind kind;
        const char *asks;
} kinds[] = {
        { "baseline", GAIN_KIND_NONE, "nothing: as it is" },
        { "packing", GAIN_INDIVISIBLE, "nothing of the program" },
        { "dlb", GAIN_MALLEABLE, "OpenMP regions whose threads may change" },
        { "dpb", GAIN_MALLEABLE, "OpenMP regions whose threads may change" },
        { NULL, GAIN_TASKED, "port: work as tasks of lbrun.h" },
};

enum gain_kind gain_kind_of(const struct system_type *system, const char **asks)
{
        size_t i = 0;
        const char *as = system_for_any(system);
        as = as ? as : system->name;
        while (kinds[i].system && strcmp(kinds[i].system, as) != 0)
                i++;
        if (asks)
                *asks = kinds[i].asks;
        return kinds[i].kind;
}

const char *gain_kind_name(enum gain_kind kind)
{
        static const char *const name[] = { [GAIN_KIND_NONE] = "any",
                                            [GAIN_INDIVISIBLE] = "ranks as they are",
                                            [GAIN_MALLEABLE] = "threads",
                                            [GAIN_TASKED] = "tasks" };
        return name[kind];
}

const char gain_what_runs[] =
    "lbrun runs packing on this program as it is, dlb and dpb on its OpenMP threads, and the "
    "tasks\n"
    "of programs that were ported (live: ported); the others are simulated alone.";

const char *gain_live(const struct gain_outcome *outcome)
{
        if (!outcome->system || outcome->kind == GAIN_KIND_NONE)
                return "";
        if (system_for_any(outcome->system))
                return "as it is";
        return system_is_live(outcome->system) ? "ported" : "no";
}

/* ---- A choice of them ---- */

static bool is_in(const char *list, const char *name)
{
        size_t length = strlen(name);
        for (const char *at = list; at; at = strchr(at, ',')) {
                at += *at == ',';
                if (strncmp(at, name, length) == 0 && strspn(at + length, ",") == (at[length] > 0))
                        return true;
        }
        return false;
}

int gain_systems_of(const char *list, const enum gain_kind kinds_of[static 2],
                    char names[static GAIN_NAMES_SIZE])
{
        size_t size = 0;
        int count = 0;
        names[0] = '\0';
        for (int i = 0; system_at(i); i++) {
                const struct system_type *system = system_at(i);
                enum gain_kind kind = gain_kind_of(system, NULL);
                if (kind < kinds_of[0] || kind > kinds_of[1] ||
                    (list && !is_in(list, system->name)))
                        continue;
                if (size + strlen(system->name) + 2 > GAIN_NAMES_SIZE)
                        break;
                size += (size_t)snprintf(names + size, GAIN_NAMES_SIZE - size, "%s%s",
                                         count++ ? "," : "", system->name);
        }
        return count;
}

int32_t gain_read_list(const char *option, const char *text, int32_t highest, const char *why,
                       int32_t list[static GAIN_LIST_MAX], struct lb_error *err)
{
        int32_t count = 0;
        for (const char *at = text; at; count++) {
                char *end;
                long value = strtol(at, &end, 10);
                bool fine = *at >= '0' && *at <= '9' && (*end == ',' || *end == '\0') &&
                            value >= 1 && value <= highest;
                if (!fine || count == GAIN_LIST_MAX)
                        return lb_error_set(err,
                                            "%s %.60s: allowed are up to %d whole numbers from 1 "
                                            "to %" PRId32 "%s with commas between them",
                                            option, text, GAIN_LIST_MAX, highest, why);
                for (int32_t i = 0; i < count; i++)
                        if (list[i] == value)
                                return lb_error_set(err, "%s %.60s: found %ld twice", option, text,
                                                    value);
                list[count] = (int32_t)value;
                at = *end ? end + 1 : NULL;
        }
        return count;
}

int gain_check_degrees(const char *list, int32_t nnode, struct lb_error *err)
{
        int32_t degree[GAIN_LIST_MAX];
        if (!list)
                return 0;
        return gain_read_list("--degrees", list, nnode, ", the number of nodes,", degree, err) < 0
                   ? -1
                   : 0;
}

/* Is the name at `at` one of those before it in the list? */
static bool is_named_before(const char *list, const char *at)
{
        size_t length = strcspn(at, ",");
        for (const char *other = list; other < at; other += strcspn(other, ",") + 1)
                if (strcspn(other, ",") == length && strncmp(other, at, length) == 0)
                        return true;
        return false;
}

int gain_check_systems(const char *list, struct lb_error *err)
{
        char all[GAIN_NAMES_SIZE], name[GAIN_NAMES_SIZE];
        static const enum gain_kind any[] = { GAIN_KIND_NONE, GAIN_TASKED };
        for (const char *at = list; at; at = strchr(at, ',')) {
                at += *at == ',';
                snprintf(name, sizeof(name), "%.*s", (int)strcspn(at, ","), at);
                if (is_named_before(list, at))
                        return lb_error_set(err, "--systems %.200s: found '%.60s' twice", list,
                                            name);
                if (system_find(name))
                        continue;
                gain_systems_of(NULL, any, all);
                return lb_error_set(err, "--systems %.200s: found '%.60s', allowed is one of %s",
                                    list, name, all);
        }
        return 0;
}

/* ---- Of tasks that wait for each other ---- */

/* Processors, or processes, move, whatever the order of their tasks. */
static bool keeps_order(const struct system_type *system)
{
        const struct sim_host *host = system->host ? sim_host_find(system->host) : NULL;
        return !host || host->ordered;
}

static int check_ordered(const char *list, const char *allowed, struct lb_error *err)
{
        for (int i = 0; system_at(i); i++)
                if (is_in(list, system_at(i)->name) && !keeps_order(system_at(i)))
                        return lb_error_set(err,
                                            "--systems %.200s: found '%s', which is simulated "
                                            "without the order of tasks, and these wait for each "
                                            "other; allowed is one of %s",
                                            list, system_at(i)->name, allowed);
        return 0;
}

int gain_ordered_systems(const char *list, char names[static GAIN_NAMES_SIZE],
                         char left_out[static GAIN_LEFT_OUT_SIZE], struct lb_error *err)
{
        char others[GAIN_LEFT_OUT_SIZE - 80] = "";
        names[0] = left_out[0] = '\0';
        for (int i = 0; system_at(i); i++) {
                const char *name = system_at(i)->name;
                if (keeps_order(system_at(i)))
                        lb_text_add(names, GAIN_NAMES_SIZE, "%s%s", names[0] ? "," : "", name);
                else
                        lb_text_add(others, sizeof(others), "%s%s", others[0] ? ", " : "", name);
        }
        if (list) {
                if (check_ordered(list, names, err) < 0)
                        return -1;
                snprintf(names, GAIN_NAMES_SIZE, "%s", list);
        } else if (others[0]) {
                snprintf(left_out, GAIN_LEFT_OUT_SIZE,
                         "left out, as they are simulated without the order of tasks: %s", others);
        }
        return 0;
}
