/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/param.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/number.h"
#include "base/text.h"

size_t lb_param_count(const struct lb_param *table)
{
        size_t count = 0;
        while (table && table[count].name)
                count++;
        return count;
}

int lb_param_find(const struct lb_param *table, const char *name)
{
        for (int i = 0; table && table[i].name; i++)
                if (strcmp(table[i].name, name) == 0)
                        return i;
        return -1;
}

void lb_param_defaults(const struct lb_param *table, double *value)
{
        for (size_t i = 0; table && table[i].name; i++)
                value[i] = table[i].fallback;
}

int lb_param_choice(const struct lb_param *param, const char *word)
{
        for (int i = 0; param->choices && param->choices[i]; i++)
                if (strcmp(param->choices[i], word) == 0)
                        return i;
        return -1;
}

static int choice_count(const struct lb_param *param)
{
        int count = 0;
        while (param->choices && param->choices[count])
                count++;
        return count;
}

/* Is the value one that the type can have at all? */
static bool fits_type(const struct lb_param *param, double value)
{
        switch (param->type) {
        case LB_PARAM_NUMBER:
                return isfinite(value);
        case LB_PARAM_INTEGER:
                return isfinite(value) && floor(value) == value;
        case LB_PARAM_SWITCH:
                return value == 0 || value == 1;
        case LB_PARAM_CHOICE:
                return value >= 0 && value < choice_count(param) && floor(value) == value;
        case LB_PARAM_NONE:
                break;
        }
        return false;
}

/* Whole numbers with all their digits, others with as many as tell them apart from their
 * neighbours. */
static void format_number(double value, char *text, size_t size)
{
        char shortest[LB_NUMBER_SIZE];
        lb_number_text(value, shortest);
        if (floor(value) == value && fabs(value) <= 0x1p53)
                snprintf(text, size, "%.0f", value + 0.0);
        else
                snprintf(text, size, "%s", shortest);
}

int lb_param_check(const struct lb_param *param, double value, struct lb_error *err)
{
        bool ranged = param->type == LB_PARAM_NUMBER || param->type == LB_PARAM_INTEGER;
        if (fits_type(param, value) && (!ranged || (value >= param->min && value <= param->max)))
                return 0;
        char allowed[256], found[40];
        lb_param_allowed(param, allowed, sizeof(allowed));
        format_number(value, found, sizeof(found));
        return lb_error_set(err, "found %s, allowed is %s", found, allowed);
}

static int parse_number(const struct lb_param *param, const char *text, double *value)
{
        char *end;
        *value = lb_number_read(text, &end);
        bool plain = text[0] != '\0' && strchr("+-.0123456789", text[0]) && !strpbrk(text, "xXnN");
        return plain && *end == '\0' && fits_type(param, *value) ? 0 : -1;
}

static int parse_switch(const char *text, double *value)
{
        static const char *const words[] = { "false", "true", "off", "on", "0", "1", "no", "yes" };
        for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
                if (strcmp(text, words[i]) == 0) {
                        *value = (double)(i % 2);
                        return 0;
                }
        }
        return -1;
}

int lb_param_parse(const struct lb_param *param, const char *text, double *value,
                   struct lb_error *err)
{
        int status;
        if (param->type == LB_PARAM_SWITCH) {
                status = parse_switch(text, value);
        } else if (param->type == LB_PARAM_CHOICE) {
                *value = lb_param_choice(param, text);
                status = *value < 0 ? -1 : 0;
        } else {
                status = parse_number(param, text, value);
        }
        if (status == 0)
                return lb_param_check(param, *value, err);
        char allowed[256];
        lb_param_allowed(param, allowed, sizeof(allowed));
        return lb_error_set(err, "found '%.60s', allowed is %s", text, allowed);
}

void lb_param_format(const struct lb_param *param, double value, char *text, size_t size)
{
        if (param->type == LB_PARAM_SWITCH)
                snprintf(text, size, "%s", value != 0 ? "true" : "false");
        else if (param->type == LB_PARAM_CHOICE && fits_type(param, value))
                snprintf(text, size, "\"%s\"", param->choices[(int)value]);
        else
                format_number(value, text, size);
}

void lb_list_names(const char *const *names, size_t count, char *text, size_t size)
{
        text[0] = '\0';
        for (size_t i = 0; i < count; i++)
                lb_text_add(text, size, "%s%s", i ? ", " : "", names[i]);
}

static void list_choices(const struct lb_param *param, char *text, size_t size)
{
        size_t at = (size_t)snprintf(text, size, "one of "), count = 0;
        while (param->choices && param->choices[count])
                count++;
        if (at < size)
                lb_list_names(param->choices, count, text + at, size - at);
}

void lb_param_allowed(const struct lb_param *param, char *text, size_t size)
{
        const char *unit = param->unit ? param->unit : "";
        const char *space = unit[0] ? " " : "";
        switch (param->type) {
        case LB_PARAM_NUMBER:
                snprintf(text, size, "a number from %.10g to %.10g%s%s", param->min, param->max,
                         space, unit);
                break;
        case LB_PARAM_INTEGER:
                snprintf(text, size, "a whole number from %.16g to %.16g%s%s", param->min,
                         param->max, space, unit);
                break;
        case LB_PARAM_SWITCH:
                snprintf(text, size, "true or false");
                break;
        case LB_PARAM_CHOICE:
                list_choices(param, text, size);
                break;
        case LB_PARAM_NONE:
                snprintf(text, size, "nothing");
                break;
        }
}

enum { NAME_MAX_LENGTH = 63 };

static int least(int a, int b, int c)
{
        int ab = a < b ? a : b;
        return ab < c ? ab : c;
}

/* Levenshtein's distance, one row at a time; names longer than NAME_MAX_LENGTH are far from
 * anything. */
static int distance(const char *a, const char *b)
{
        int row[NAME_MAX_LENGTH + 1];
        int na = (int)strnlen(a, NAME_MAX_LENGTH + 1), nb = (int)strnlen(b, NAME_MAX_LENGTH + 1);
        if (na > NAME_MAX_LENGTH || nb > NAME_MAX_LENGTH)
                return NAME_MAX_LENGTH;
        for (int j = 0; j <= nb; j++)
                row[j] = j;
        for (int i = 1; i <= na; i++) {
                int diagonal = row[0];
                row[0] = i;
                for (int j = 1; j <= nb; j++) {
                        int above = row[j];
                        row[j] =
                            least(above + 1, row[j - 1] + 1, diagonal + (a[i - 1] != b[j - 1]));
                        diagonal = above;
                }
        }
        return row[nb];
}

const char *lb_nearest_name(const char *word, const char *const *names, size_t count)
{
        const char *nearest = NULL;
        int best = (int)strnlen(word, NAME_MAX_LENGTH) / 2 + 1;
        for (size_t i = 0; i < count; i++) {
                int d = distance(word, names[i]);
                if (d < best) {
                        best = d;
                        nearest = names[i];
                }
        }
        return nearest;
}

const char *lb_param_nearest(const struct lb_param *param, const char *word)
{
        return lb_nearest_name(word, param->choices, (size_t)choice_count(param));
}
