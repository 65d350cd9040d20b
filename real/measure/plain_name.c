/* SPDX-License-Identifier: BSD-3-Clause */
#include "real/measure/plain_name.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifdef LB_DEMANGLE
char *__cxa_demangle(const char *symbol, char *buffer, size_t *size, int *status);

static char *demangled(const char *symbol)
{
        return strncmp(symbol, "_Z", 2) == 0 ? __cxa_demangle(symbol, NULL, NULL, NULL) : NULL;
}
#else
static char *demangled(const char *symbol)
{
        (void)symbol;
        return NULL;
}
#endif

/* Past the bracket that closes the one at `text`; NULL: none does. */
static const char *past(const char *text)
{
        int depth = 0;
        for (; *text; text++) {
                depth += (strchr("(<{[", *text) != NULL) - (strchr(")>}]", *text) != NULL);
                if (depth == 0)
                        return text + 1;
        }
        return NULL;
}

static const char nameless[] = "(anonymous namespace)";

/* "void fe::solve<int>(int&)": what is between type and parameters, without template arguments. An
 * operator's name may have brackets of its own: such a one is left as it is. */
static bool shorten(char *name, const char *full)
{
        size_t length = 0;
        if (strstr(full, "operator"))
                return false;
        while (*full) {
                const char *end = full + 1;
                if (strncmp(full, nameless, strlen(nameless)) == 0)
                        end = full + strlen(nameless);
                else if (*full == '(')
                        break;
                else if (*full == '<' || *full == '{')
                        end = past(full);
                if (!end)
                        return false;
                size_t part = (size_t)(end - full);
                if (*full == ' ') {
                        length = 0; /* it was the type */
                } else if (*full != '<') {
                        memcpy(name + length, full, part);
                        length += part;
                }
                full = end;
        }
        name[length] = '\0';
        return length > 0;
}

static void name_cpp(char *text, size_t size, const char *full)
{
        char *name = malloc(strlen(full) + 1);
        snprintf(text, size, "%s", name && shorten(name, full) ? name : full);
        free(name);
}

void plain_name(char *text, size_t size, const char *symbol)
{
        int length = (int)strcspn(symbol, ".");
        const char *module = strncmp(symbol, "__", 2) == 0 ? strstr(symbol + 2, "_MOD_") : NULL;
        char *full = demangled(symbol);
        if (full)
                name_cpp(text, size, full);
        else if (module)
                snprintf(text, size, "%.*s::%.*s", (int)(module - symbol) - 2, symbol + 2,
                         length - (int)(module - symbol) - 5, module + 5);
        else
                snprintf(text, size, "%.*s", length > 0 ? length : (int)strlen(symbol), symbol);
        free(full);
}
