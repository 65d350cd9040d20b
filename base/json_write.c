/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/json_write.h"

#include <math.h>
#include <stdbool.h>

#include "base/number.h"
#include "base/text.h"

void lb_json_write_string(FILE *out, const char *text)
{
        fputc('"', out);
        while (*text) {
                size_t length = lb_text_character(text);
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
