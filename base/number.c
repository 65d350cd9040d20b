/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/number.h"

#include <locale.h>
#include <stdio.h>
#include <stdlib.h>

/* This thread's locale is C's until the other call. Where memory runs out, it stays as it is. */
static locale_t enter_plain(void)
{
        return uselocale(newlocale(LC_ALL_MASK, "C", (locale_t)0));
}

static void leave_plain(locale_t before)
{
        locale_t plain = uselocale(before);
        if (plain != before)
                freelocale(plain);
}

void lb_number_text(double number, char text[static LB_NUMBER_SIZE])
{
        locale_t before = enter_plain();
        for (int digits = 15; digits <= 17; digits++) {
                snprintf(text, LB_NUMBER_SIZE, "%.*g", digits, number);
                if (strtod(text, NULL) == number)
                        break;
        }
        leave_plain(before);
}

double lb_number_read(const char *text, char **end)
{
        locale_t before = enter_plain();
        double number = strtod(text, end);
        leave_plain(before);
        return number;
}

bool lb_number_is(const char *text, double *number)
{
        char *end;
        *number = lb_number_read(text, &end);
        return end != text && *end == '\0';
}
