/* SPDX-License-Identifier: BSD-3-Clause */
#include <ctype.h>
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "real/control/job.h"
#include "real/launch/nodes.h"

/* Host files, in the dialects of Open MPI and MPICH. getline() also gives a last line that does not
 * end, which several readers of such files lose. */

static int parse_count(const char *text, int32_t *count, struct lb_error *err)
{
        char *end;
        errno = 0;
        long value = strtol(text, &end, 10);
        if (!isdigit((unsigned char)text[0]) || *end || errno || value < 1 || value > JOB_CORE_MAX)
                return lb_error_set(err, "found '%.60s', allowed is a whole number from 1 to %d",
                                    text, JOB_CORE_MAX);
        *count = (int32_t)value;
        return 0;
}

/* "host:N"; more than one colon is an address of IPv6. */
static int split_colon(char *host, int32_t *cores, struct lb_error *err)
{
        char *colon = strchr(host, ':');
        if (!colon || strchr(colon + 1, ':'))
                return 0;
        *colon = '\0';
        if (parse_count(colon + 1, cores, err) < 0)
                return lb_error_prefix(err, "cores of host '%.60s': ", host);
        return 0;
}

static int parse_option(char *word, int32_t *cores, struct lb_error *err)
{
        char *equals = strchr(word, '=');
        if (equals)
                *equals = '\0';
        if (strcmp(word, "max_slots") == 0 || strcmp(word, "max-slots") == 0)
                return 0;
        if (strcmp(word, "slots") != 0)
                return lb_error_set(
                    err, "found '%.60s', allowed is a line 'host slots=N' or 'host:N'", word);
        if (parse_count(equals ? equals + 1 : "", cores, err) < 0)
                return lb_error_prefix(err, "slots: ");
        return 0;
}

/* "slots = 4" is "slots=4". */
static void close_gaps(char *line)
{
        char *to = line;
        for (char *from = line; *from; from++) {
                bool blank = isspace((unsigned char)*from);
                bool after = to > line && to[-1] == '=';
                if (blank && (after || from[strspn(from, " \t")] == '='))
                        continue;
                *to++ = *from;
        }
        *to = '\0';
}

static int parse_line(struct nodes *nodes, char *line, struct lb_error *err)
{
        static const char blanks[] = " \t\r\n\v\f";
        line[strcspn(line, "#")] = '\0';
        close_gaps(line);
        char *rest, *host = strtok_r(line, blanks, &rest), *word;
        int32_t cores = 0;
        if (!host)
                return 0;
        for (const char *c = host; *c; c++)
                if (!isgraph((unsigned char)*c) || strchr(",=;'\"\\", *c))
                        return lb_error_set(err, "this is not the name of a host");
        if (split_colon(host, &cores, err) < 0)
                return -1;
        while ((word = strtok_r(NULL, blanks, &rest)))
                if (parse_option(word, &cores, err) < 0)
                        return -1;
        return nodes_add(nodes, host, cores, err);
}

static int read_lines(struct nodes *nodes, FILE *in, const char *file, struct lb_error *err)
{
        char *line = NULL;
        size_t room = 0;
        int status = 0;
        for (int number = 1; status == 0 && getline(&line, &room, in) >= 0; number++) {
                int32_t before = nodes->nnode;
                status = parse_line(nodes, line, err);
                if (nodes->nnode > before)
                        nodes->line[before] = number;
                if (status < 0)
                        lb_error_prefix(err, "%s:%d: ", file, number);
        }
        free(line);
        if (status == 0 && ferror(in))
                return lb_error_set(err, "host file '%s' cannot be read: %s", file,
                                    strerror(errno));
        return status;
}

int nodes_read_hostfile(struct nodes *nodes, const char *file, struct lb_error *err)
{
        FILE *in = fopen(file, "re");
        if (!in)
                return lb_error_set(err, "host file '%s' cannot be read: %s", file,
                                    strerror(errno));
        lb_text_skip_mark(in);
        int status = read_lines(nodes, in, file, err);
        fclose(in);
        if (status == 0 && nodes->nnode == 0)
                return lb_error_set(err,
                                    "host file '%s' has no host, allowed are lines "
                                    "'host slots=N' or 'host:N'",
                                    file);
        return status;
}
