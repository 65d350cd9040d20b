/* SPDX-License-Identifier: BSD-3-Clause */
#define _DEFAULT_SOURCE /* MAP_ANONYMOUS, in pages.h */
#include "real/balance/setup.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/pages.h"

enum { LINES_MAX = 512, LINE_SIZE = SETUP_VALUE_SIZE + 64 };

struct setup {
        char *line[LINES_MAX];
        int32_t count;
};

static int read_lines(struct setup *setup, FILE *in)
{
        char line[LINE_SIZE];
        while (setup->count < LINES_MAX && fgets(line, sizeof(line), in)) {
                line[strcspn(line, "\n")] = '\0';
                setup->line[setup->count] = strdup(line);
                if (!setup->line[setup->count])
                        return -1;
                setup->count++;
        }
        return ferror(in) ? -1 : 0;
}

struct setup *setup_read(const char *directory, struct lb_error *err)
{
        char path[LINE_SIZE];
        snprintf(path, sizeof(path), "%s/" SETUP_FILE, directory);
        FILE *in = fopen(path, "re");
        if (!in) {
                lb_error_fail(err,
                              "'%s' cannot be read: %s; lbrun makes that directory where it is "
                              "called, which must be on a file system that all nodes share",
                              path, strerror(errno));
                return NULL;
        }
        struct setup *setup = calloc(1, sizeof(*setup));
        if (!setup || read_lines(setup, in) < 0) {
                lb_error_fail(err, "'%s' cannot be read", path);
                setup_destroy(setup);
                setup = NULL;
        }
        fclose(in);
        return setup;
}

void setup_destroy(struct setup *setup)
{
        for (int32_t i = 0; setup && i < setup->count; i++)
                free(setup->line[i]);
        free(setup);
}

const char *setup_value(const struct setup *setup, const char *name, int32_t i)
{
        size_t length = strlen(name);
        for (int32_t k = 0; k < setup->count; k++) {
                const char *line = setup->line[k];
                if (strncmp(line, name, length) == 0 && line[length] == ' ' && i-- == 0)
                        return line + length + 1;
        }
        return "";
}

/* ---- Parameters ---- */

int setup_set(const struct policy_params *all, const char *text, double *value,
              struct lb_error *err)
{
        static const char section[] = "system.";
        char name[POLICY_PARAM_NAME_SIZE];
        if (strncmp(text, section, sizeof(section) - 1) == 0)
                text += sizeof(section) - 1;
        size_t length = strcspn(text, "=");
        if (text[length] != '=' || length == 0 || length >= sizeof(name))
                return lb_error_set(err, "found '%.60s', allowed is NAME=VALUE", text);
        snprintf(name, sizeof(name), "%.*s", (int)length, text);
        int place = lb_param_find(all->param, name);
        if (place < 0)
                return lb_error_set(err, "unknown parameter '%s' of this system", name);
        if (lb_param_parse(&all->param[place], text + length + 1, &value[place], err) < 0)
                return lb_error_prefix(err, "%s: ", name);
        return 0;
}

static int fill(const struct setup *setup, const struct policy_params *all, double *value,
                struct lb_error *err)
{
        const char *text;
        setup_defaults(all, value);
        for (int32_t i = 0; (text = setup_value(setup, "param", i))[0]; i++)
                if (setup_set(all, text, value, err) < 0)
                        return -1;
        return 0;
}

int setup_table(const struct setup *setup, const char *owner, const struct lb_param *table,
                double *value, struct lb_error *err)
{
        struct policy_params *all = pages_get(sizeof(*all));
        double *values = calloc(POLICY_PARAM_MAX + 1, sizeof(*values));
        int code = -1;
        if (!all || !values || !setup_params(all, setup_value(setup, "system", 0)))
                lb_error_fail(err, "out of memory");
        else
                code = fill(setup, all, values, err);
        if (code == 0)
                policy_params_values(all, values, owner, table, value);
        free(values);
        pages_free(all, sizeof(*all));
        return code;
}
