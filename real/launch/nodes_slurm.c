/* SPDX-License-Identifier: BSD-3-Clause */
#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "real/control/job.h"
#include "real/launch/nodes.h"

/*
 * Slurm's compressed lists: "r[1-2]n[01-03],login" and "8(x3),4". Names may have several brackets,
 * numbers keep their leading zeros.
 */
enum { NAME_SIZE = 256 };

struct expansion {
        struct nodes *nodes;
        const char *list; /* for messages */
        struct lb_error *err;
};

static int expand_rest(const struct expansion *x, char *name, size_t at, const char *rest,
                       size_t size);

static int malformed(const struct expansion *x)
{
        return lb_error_set(x->err, "SLURM_JOB_NODELIST '%.200s' is not a list of nodes", x->list);
}

static int number(const struct expansion *x, const char **text, long *value)
{
        char *end;
        errno = 0;
        if (!isdigit((unsigned char)**text))
                return malformed(x);
        *value = strtol(*text, &end, 10);
        *text = end;
        return errno ? malformed(x) : 0;
}

/* "1" or "01-17", followed by the rest of the name, rest[size], for each. */
static int expand_range(const struct expansion *x, char *name, size_t at, const char *range,
                        size_t range_size, const char *rest, size_t size)
{
        const char *text = range, *end = range + range_size;
        long first = 0, last;
        if (number(x, &text, &first) < 0)
                return -1;
        int width = (int)(text - range);
        last = first;
        if (text < end && *text == '-') {
                text++;
                if (number(x, &text, &last) < 0)
                        return -1;
        }
        if (text != end || last < first || last - first >= JOB_NODE_MAX)
                return malformed(x);
        for (long i = first; i <= last; i++) {
                int length = snprintf(name + at, NAME_SIZE - at, "%0*ld", width, i);
                if (length < 0 || (size_t)length >= NAME_SIZE - at)
                        return malformed(x);
                if (expand_rest(x, name, at + (size_t)length, rest, size) < 0)
                        return -1;
        }
        return 0;
}

/* The ranges between brackets, each with what follows the closing one. */
static int expand_brackets(const struct expansion *x, char *name, size_t at, const char *open,
                           size_t size)
{
        const char *close = memchr(open, ']', size);
        if (!close)
                return malformed(x);
        const char *rest = close + 1;
        size_t rest_size = size - (size_t)(rest - open);
        for (const char *range = open + 1; range <= close;) {
                size_t length = strcspn(range, ",]");
                if (expand_range(x, name, at, range, length, rest, rest_size) < 0)
                        return -1;
                range += length + 1;
        }
        return 0;
}

/* name[at] is made; rest[size] is to come. */
static int expand_rest(const struct expansion *x, char *name, size_t at, const char *rest,
                       size_t size)
{
        const char *open = memchr(rest, '[', size);
        size_t plain = open ? (size_t)(open - rest) : size;
        if (at + plain + 1 >= NAME_SIZE)
                return malformed(x);
        memcpy(name + at, rest, plain);
        name[at + plain] = '\0';
        if (open)
                return expand_brackets(x, name, at + plain, open, size - plain);
        if (strpbrk(name, "[] \t,") || !name[0])
                return malformed(x);
        return nodes_add(x->nodes, name, 0, x->err);
}

/* Where the entry ends: a comma outside of brackets, or the end. */
static size_t entry_size(const char *list)
{
        size_t size = 0;
        for (int depth = 0; list[size] && (list[size] != ',' || depth > 0); size++)
                depth += (list[size] == '[') - (list[size] == ']');
        return size;
}

static int expand_list(const struct expansion *x)
{
        char name[NAME_SIZE];
        const char *rest = x->list;
        while (rest) {
                size_t size = entry_size(rest);
                if (expand_rest(x, name, 0, rest, size) < 0)
                        return -1;
                rest = rest[size] ? rest + size + 1 : NULL;
        }
        return 0;
}

/* "8(x3)" or "8": 8 cores for the next three nodes, or one. Returns the nodes covered, or -1. */
static int32_t read_cpus(struct nodes *nodes, int32_t from, const char **text)
{
        char *end;
        if (!isdigit((unsigned char)**text))
                return -1;
        long cores = strtol(*text, &end, 10), times = 1;
        if (strncmp(end, "(x", 2) == 0) {
                if (!isdigit((unsigned char)end[2]))
                        return -1;
                times = strtol(end + 2, &end, 10);
                if (*end++ != ')')
                        return -1;
        }
        if (cores < 1 || cores > JOB_CORE_MAX || times < 1 || times > nodes->nnode - from)
                return -1;
        for (long i = 0; i < times; i++)
                nodes->cores[from + i] = (int32_t)cores;
        *text = end;
        return from + (int32_t)times;
}

int nodes_read_slurm(struct nodes *nodes, const char *nodelist, const char *cpus,
                     struct lb_error *err)
{
        struct expansion x = { .nodes = nodes, .list = nodelist, .err = err };
        if (expand_list(&x) < 0)
                return -1;
        const char *rest = cpus;
        int32_t done = 0;
        while ((done = read_cpus(nodes, done, &rest)) >= 0 && *rest == ',')
                rest++;
        if (done == nodes->nnode && *rest == '\0')
                return 0;
        return lb_error_set(err,
                            "SLURM_JOB_CPUS_PER_NODE '%.100s' does not fit the %d nodes of "
                            "SLURM_JOB_NODELIST '%.100s'",
                            cpus, (int)nodes->nnode, nodelist);
}
