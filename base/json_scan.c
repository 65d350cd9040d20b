/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/json_scan.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct scan {
        const char *text;
        size_t size, at;
        int depth;
        struct json_fault *fault;
        const char *pointer; /* what is left of the one looked for; NULL: not below here */
        long long index;     /* of the next value, less the one looked for */
        long long found;
};

static int value(struct scan *s);

static int fail(struct scan *s, const char *what)
{
        s->fault->at = s->at;
        s->fault->what = what;
        return -1;
}

static char peek(const struct scan *s)
{
        return s->at < s->size ? s->text[s->at] : '\0';
}

static void space(struct scan *s)
{
        while (s->at < s->size && memchr(" \t\r\n", s->text[s->at], 4))
                s->at++;
}

static int word(struct scan *s, const char *w)
{
        size_t n = strlen(w);
        if (s->size - s->at < n || memcmp(s->text + s->at, w, n) != 0)
                return fail(s, "expected a value");
        s->at += n;
        return 0;
}

static bool digits(struct scan *s)
{
        size_t from = s->at;
        while (peek(s) >= '0' && peek(s) <= '9')
                s->at++;
        return s->at > from;
}

static int number(struct scan *s)
{
        size_t from = s->at;
        if (peek(s) == '-')
                s->at++;
        if (peek(s) == '0')
                s->at++;
        else if (!digits(s))
                return fail(s, "expected a value");
        if (peek(s) == '.') {
                s->at++;
                if (!digits(s))
                        return fail(s, "expected a digit after the decimal point");
        }
        if (peek(s) == 'e' || peek(s) == 'E') {
                s->at++;
                if (peek(s) == '+' || peek(s) == '-')
                        s->at++;
                if (!digits(s))
                        return fail(s, "expected a digit in the exponent");
        }
        size_t length = s->at - from;
        bool finite = length <= JSON_NUMBER_MAX && isfinite(strtod(s->text + from, NULL));
        if (finite)
                return 0;
        s->at = from;
        return fail(s, length > JSON_NUMBER_MAX ? "a number has more than 60 characters"
                                                : "the number is too large");
}

/* Length of the UTF-8 sequence here, 0 if it is none (overlong forms and surrogates are none). */
static size_t utf8(const struct scan *s)
{
        const unsigned char *c = (const unsigned char *)s->text + s->at;
        size_t left = s->size - s->at;
        size_t n = c[0] < 0x80                   ? 1
                   : c[0] >= 0xc2 && c[0] < 0xe0 ? 2
                   : c[0] >= 0xe0 && c[0] < 0xf0 ? 3
                   : c[0] >= 0xf0 && c[0] < 0xf5 ? 4
                                                 : 0;
        if (n == 0 || n > left)
                return 0;
        for (size_t i = 1; i < n; i++)
                if ((c[i] & 0xc0) != 0x80)
                        return 0;
        if ((c[0] == 0xe0 && c[1] < 0xa0) || (c[0] == 0xed && c[1] > 0x9f) ||
            (c[0] == 0xf0 && c[1] < 0x90) || (c[0] == 0xf4 && c[1] > 0x8f))
                return 0;
        return n;
}

static int hex4(const struct scan *s, size_t at)
{
        int code = 0;
        if (s->size - at < 4)
                return -1;
        for (size_t i = at; i < at + 4; i++) {
                const char *hex = "0123456789abcdef0123456789ABCDEF";
                const char *place = s->text[i] ? strchr(hex, s->text[i]) : NULL;
                if (!place)
                        return -1;
                code = code * 16 + (int)((place - hex) & 15);
        }
        return code;
}

/* \uXXXX, or a pair of them for a character beyond 16 bits. NUL would cut C strings short. */
static int unicode_escape(struct scan *s)
{
        int code = hex4(s, s->at + 1);
        if (code <= 0)
                return fail(s, "\\u needs four hexadecimal digits, not all zero");
        s->at += 5;
        if (code < 0xd800 || code > 0xdfff)
                return 0;
        bool pair = code < 0xdc00 && s->size - s->at >= 6 && s->text[s->at] == '\\' &&
                    s->text[s->at + 1] == 'u';
        int low = pair ? hex4(s, s->at + 2) : -1;
        if (low < 0xdc00 || low > 0xdfff)
                return fail(s, "half a surrogate pair");
        s->at += 6;
        return 0;
}

static int escape(struct scan *s)
{
        s->at++;
        if (peek(s) == 'u')
                return unicode_escape(s);
        if (s->at >= s->size || !memchr("\"\\/bfnrt", s->text[s->at], 8))
                return fail(s, "unknown escape in a string");
        s->at++;
        return 0;
}

static int string(struct scan *s)
{
        size_t from = s->at++;
        while (s->at < s->size && peek(s) != '"') {
                size_t n = utf8(s);
                if (n == 0)
                        return fail(s, "a string is not UTF-8");
                if ((unsigned char)peek(s) < 0x20)
                        return fail(s, "a control character in a string");
                if (peek(s) == '\\') {
                        if (escape(s) < 0)
                                return -1;
                } else {
                        s->at += n;
                }
        }
        if (s->at >= s->size) {
                s->at = from;
                return fail(s, "a string is not closed");
        }
        s->at++;
        return 0;
}

/* Does a raw key (without escapes, as ours are) equal the next step of the pointer? Returns what is
 * left. */
static const char *step(const char *pointer, const char *key, size_t size)
{
        if (!pointer || *pointer != '/')
                return NULL;
        const char *p = pointer + 1;
        size_t i = 0;
        for (; *p && *p != '/'; p++, i++) {
                char c = *p;
                if (c == '~' && (p[1] == '0' || p[1] == '1'))
                        c = *++p == '0' ? '~' : '/';
                if (i >= size || key[i] != c)
                        return NULL;
        }
        return i == size ? p : NULL;
}

/* One member or element: its value, looked into only if the pointer leads there. */
static int member(struct scan *s, const char *key, size_t size)
{
        const char *pointer = s->pointer;
        s->pointer = step(pointer, key, size);
        int status = value(s);
        s->pointer = pointer;
        return status;
}

static int object_member(struct scan *s)
{
        space(s);
        if (peek(s) != '"')
                return fail(s, "expected a key in double quotes");
        size_t from = s->at + 1;
        if (string(s) < 0)
                return -1;
        size_t size = s->at - 1 - from;
        space(s);
        if (peek(s) != ':')
                return fail(s, "expected ':'");
        s->at++;
        return member(s, s->text + from, size);
}

static int array_member(struct scan *s, long long index)
{
        char key[24];
        int size = snprintf(key, sizeof(key), "%lld", index);
        return member(s, key, (size_t)size);
}

/* The inside of an object or array, from its opening bracket on. */
static int container(struct scan *s, bool object)
{
        const char close = object ? '}' : ']';
        if (++s->depth > JSON_DEPTH_MAX)
                return fail(s, "nested too deeply (at most 200 levels)");
        s->at++;
        space(s);
        bool more = peek(s) != close;
        for (long long index = 0; more; index++) {
                if ((object ? object_member(s) : array_member(s, index)) < 0)
                        return -1;
                space(s);
                more = peek(s) == ',';
                if (more)
                        s->at++;
                else if (peek(s) != close)
                        return fail(s, object ? "expected ',' or '}'" : "expected ',' or ']'");
        }
        s->at++;
        s->depth--;
        return 0;
}

static int value(struct scan *s)
{
        space(s);
        if (s->at >= s->size)
                return fail(s, "the text ends too early");
        bool sought = (s->pointer && *s->pointer == '\0') || s->index == 0;
        s->index++;
        if (sought && s->found < 0)
                s->found = (long long)s->at;
        switch (peek(s)) {
        case '{':
                return container(s, true);
        case '[':
                return container(s, false);
        case '"':
                return string(s);
        case 't':
                return word(s, "true");
        case 'f':
                return word(s, "false");
        case 'n':
                return word(s, "null");
        default:
                return number(s);
        }
}

int json_scan_check(const char *text, size_t size, struct json_fault *fault)
{
        struct scan s = { .text = text, .size = size, .fault = fault, .index = 1, .found = -1 };
        if (value(&s) < 0)
                return -1;
        space(&s);
        return s.at < size ? fail(&s, "text after the end of the document") : 0;
}

long long json_scan_find(const char *text, size_t size, const char *pointer)
{
        struct json_fault fault;
        struct scan s = { .text = text, .size = size, .fault = &fault, .index = 1, .found = -1 };
        s.pointer = pointer;
        return value(&s) < 0 ? -1 : s.found;
}

long long json_scan_nth(const char *text, size_t size, long long index)
{
        struct json_fault fault;
        struct scan s = { .text = text, .size = size, .fault = &fault, .index = -index };
        s.found = -1;
        return value(&s) < 0 ? -1 : s.found;
}
