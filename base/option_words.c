/* SPDX-License-Identifier: BSD-3-Clause */
/* What is said of an option, in --help as in a manual page. */
#include "base/option.h"

#include <string.h>

#include "base/text.h"

struct lb_param lb_option_param(const struct lb_option *option)
{
        if (option->param)
                return *option->param;
        struct lb_param param = { .name = option->name,
                                  .type = LB_PARAM_NUMBER,
                                  .min = option->min,
                                  .max = option->max,
                                  .choices = option->choices };
        if (option->type == LB_OPTION_WHOLE)
                param.type = LB_PARAM_INTEGER;
        if (option->type == LB_OPTION_CHOICE)
                param.type = LB_PARAM_CHOICE;
        return param;
}

bool lb_option_is_typed(const struct lb_option *option)
{
        return option->type >= LB_OPTION_WHOLE;
}

bool lb_option_is_optional(const struct lb_option *option)
{
        return option->optional ||
               (option->type == LB_OPTION_PARAM && option->param->type == LB_PARAM_SWITCH);
}

static const char *letter(const struct lb_param *param)
{
        return param->type == LB_PARAM_INTEGER  ? "N"
               : param->type == LB_PARAM_SWITCH ? "true|false"
                                                : "X";
}

void lb_option_value(const struct lb_option *option, char *text, size_t size)
{
        const struct lb_param param = lb_option_param(option);
        text[0] = '\0';
        if (option->value)
                snprintf(text, size, "%s", option->value);
        else if (param.choices)
                for (size_t i = 0; param.choices[i]; i++)
                        lb_text_add(text, size, "%s%s", i ? "|" : "", param.choices[i]);
        else if (option->type != LB_OPTION_FLAG)
                snprintf(text, size, "%s", letter(&param));
}

/* "1 to 1024", where that says something; else "". */
static void say_range(const struct lb_option *option, char *text, size_t size)
{
        const struct lb_param param = lb_option_param(option);
        bool ranged = param.type == LB_PARAM_NUMBER || param.type == LB_PARAM_INTEGER;
        const char *unit = param.unit ? param.unit : "";
        text[0] = '\0';
        if (lb_option_is_typed(option) && ranged)
                snprintf(text, size, "%.10g to %.16g%s%s", param.min, param.max, unit[0] ? " " : "",
                         unit);
}

static void say_fallback(const struct lb_option *option, char *text, size_t size)
{
        const struct lb_param param = lb_option_param(option);
        text[0] = '\0';
        if (option->fallback)
                snprintf(text, size, "default %s", option->fallback);
        else if (!option->param || param.type == LB_PARAM_SWITCH)
                return;
        else if (param.choices)
                snprintf(text, size, "default %s", param.choices[(int)param.fallback]);
        else
                snprintf(text, size, "default %.15g", param.fallback);
}

void lb_option_help(const struct lb_option *option, char *text, size_t size)
{
        char range[96], fallback[96];
        say_range(option, range, sizeof(range));
        say_fallback(option, fallback, sizeof(fallback));
        const char *help = option->help ? option->help : option->param->help;
        if (!range[0] && !fallback[0])
                snprintf(text, size, "%s", help);
        else
                snprintf(text, size, "%s (%s%s%s)", help, range,
                         range[0] && fallback[0] ? "; " : "", fallback);
}
