/* SPDX-License-Identifier: BSD-3-Clause */
#include <stdarg.h>
#include <string.h>

#include "sim/scenario/scenario_impl.h"

/* Where a message says that something is wrong: in the file, or in an option. */

void scenario_pointer_add(char *pointer, const char *token)
{
        size_t at = strlen(pointer);
        if (at + 1 < SCENARIO_POINTER_SIZE)
                pointer[at++] = '/';
        for (; *token && at + 3 < SCENARIO_POINTER_SIZE; token++) {
                bool escaped = *token == '~' || *token == '/';
                if (escaped)
                        pointer[at++] = '~';
                pointer[at++] = *token == '~' ? '0' : *token == '/' ? '1' : *token;
        }
        pointer[at] = '\0';
}

void scenario_pointer_add_index(char *pointer, int64_t index)
{
        char token[24];
        snprintf(token, sizeof(token), "%lld", (long long)index);
        scenario_pointer_add(pointer, token);
}

/* Did this option give the value? Of the sweep, whole or one axis of it, or the value itself. */
static bool gives(const struct scenario_set *set, const char *path, const char *pointer)
{
        static const char sweep[] = "/sweep";
        if (strcmp(set->path, path) == 0)
                return true;
        if (strncmp(pointer, sweep, sizeof(sweep) - 1) != 0)
                return false;
        size_t length = strlen(set->path);
        const char *below = pointer + sizeof(sweep) - 1;
        if (strcmp(set->path, "sweep") == 0)
                return true;
        return strncmp(set->path, "sweep.", 6) == 0 && below[0] == '/' &&
               strncmp(set->path + 6, below + 1, length - 6) == 0 &&
               strchr("/", below[1 + length - 6]);
}

const struct scenario_set *scenario_set_of(const struct scenario *scenario, const char *path,
                                           const char *pointer)
{
        const struct scenario_body *body = scenario->body;
        for (int32_t i = body->nset - 1; i >= 0; i--)
                if (gives(&body->set[i], path, pointer))
                        return &body->set[i];
        return NULL;
}

int scenario_complain(const struct scenario *scenario, const char *path, const char *pointer,
                      struct lb_error *err, const char *format, ...)
{
        char text[sizeof(err->text)];
        va_list args;
        va_start(args, format);
        vsnprintf(text, sizeof(text), format, args);
        va_end(args);
        const struct scenario_set *set = scenario_set_of(scenario, path, pointer);
        if (set)
                return lb_error_set(err, "%.300s: %s", set->option, text);
        return lb_json_complain(&scenario->json, pointer, err, "%s", text);
}
