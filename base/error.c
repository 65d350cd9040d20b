/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/error.h"

#include <errno.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

/* Messages quote what was found: what would move a terminal's cursor is shown as '?'. */
static void make_printable(char *text)
{
        for (; *text; text++)
                if (((unsigned char)*text < ' ' && *text != '\n') || *text == '\177')
                        *text = '?';
}

LB_PRINTF(3, 0)
static void fill(struct lb_error *err, enum lb_error_kind kind, const char *format, va_list args)
{
        err->kind = kind;
        vsnprintf(err->text, sizeof(err->text), format, args);
        make_printable(err->text);
}

int lb_error_set(struct lb_error *err, const char *format, ...)
{
        va_list args;
        va_start(args, format);
        fill(err, LB_ERROR_INPUT, format, args);
        va_end(args);
        return -1;
}

int lb_error_fail(struct lb_error *err, const char *format, ...)
{
        va_list args;
        va_start(args, format);
        fill(err, LB_ERROR_OTHER, format, args);
        va_end(args);
        return -1;
}

static bool is_of_name(int why)
{
        static const int of_name[] = { ENOENT, ENOTDIR,      EISDIR, EACCES, EPERM,
                                       EROFS,  ENAMETOOLONG, ELOOP,  EEXIST };
        for (size_t i = 0; i < sizeof(of_name) / sizeof(of_name[0]); i++)
                if (why == of_name[i])
                        return true;
        return false;
}

int lb_error_name(struct lb_error *err, int why, const char *format, ...)
{
        char text[sizeof(err->text)];
        va_list args;
        va_start(args, format);
        vsnprintf(text, sizeof(text), format, args);
        va_end(args);
        return (is_of_name(why) ? lb_error_set : lb_error_fail)(err, "%s: %s", text, strerror(why));
}

int lb_error_stop(struct lb_error *err, const char *format, ...)
{
        va_list args;
        va_start(args, format);
        fill(err, LB_ERROR_STOPPED, format, args);
        va_end(args);
        return -1;
}

int lb_error_prefix(struct lb_error *err, const char *format, ...)
{
        char text[sizeof(err->text)];
        memcpy(text, err->text, sizeof(text));

        va_list args;
        va_start(args, format);
        int written = vsnprintf(err->text, sizeof(err->text), format, args);
        va_end(args);

        make_printable(err->text);
        size_t at = written < 0 ? 0 : (size_t)written;
        if (at < sizeof(err->text))
                snprintf(err->text + at, sizeof(err->text) - at, "%s", text);
        return -1;
}

/* By its number: anything may be there. */
static bool is_kind(const struct lb_error *err)
{
        unsigned kind;
        memcpy(&kind, &err->kind, sizeof(kind));
        return kind <= LB_ERROR_STOPPED;
}

bool lb_error_accept(struct lb_error *err)
{
        bool known = is_kind(err);
        err->text[known ? sizeof(err->text) - 1 : 0] = '\0';
        make_printable(err->text);
        if (!known || err->kind == LB_ERROR_NONE)
                err->kind = LB_ERROR_OTHER;
        return known;
}

int lb_error_exit_code(const struct lb_error *err)
{
        static const int code[] = {
                [LB_ERROR_NONE] = 0,
                [LB_ERROR_INPUT] = 2,
                [LB_ERROR_OTHER] = 1,
                [LB_ERROR_STOPPED] = 130,
        };
        return is_kind(err) ? code[err->kind] : code[LB_ERROR_OTHER];
}
