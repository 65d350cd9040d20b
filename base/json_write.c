/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/json_write.h"

#include <math.h>
#include <stdbool.h>

#include "base/number.h"

/* Bytes of the UTF-8 character at text, 0 where there is none that is valid. */
static size_t utf8_length(const char *text)
{
        const unsigned char *at = (const unsigned char *)text;
        if (at[0] < 0x80)
                return 1;
        if (at[0] < 0xC2 || at[0] > 0xF4)
                return 0;
        size_t length = at[0] >= 0xF0 ? 4 : at[0] >= 0xE0 ? 3 : 2;
        for (size_t i = 1; i < length; i++)
                if ((at[i] & 0xC0) != 0x80)
                        return 0;
        bool overlong = (at[0] == 0xE0 && at[1] < 0xA0) || (at[0] == 0xF0 && at[1] < 0x90);
        bool beyond = (at[0] == 0xED && at[1] > 0x9F) || (at[0] == 0xF4 && at[1] > 0x8F);
        return overlong || beyond ? 0 : length;
}

void lb_json_write_string(FILE *out, const char *text)
{
        fputc('"', out);
        while (*text) {
                size_t length = utf8_length(text);
                if (length == 0)
                        fputs("\xEF\xBF\xBD", out);
                else if (*text == '"' || *text == '\\')
                        fprintf(out, "\\%c", *text);
                else if ((unsigned char)*text < 0x20)
                        fprintf(out, "\\u%04x", (unsigned)*text);
                else
                        fwrite(text, 1, length, out);
                text += length ? length : 1;
        }
        fputc('"', out);
}

void lb_json_write_number(FILE *out, double number)
{
        char text[LB_NUMBER_SIZE];
        lb_number_text(number, text);
        fputs(isfinite(number) ? text : "null", out);
}
