/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/text.h"

#include <stdbool.h>
#include <stdlib.h>

FILE *lb_text_begin(struct lb_text *t)
{
        *t = (struct lb_text){ .text = NULL };
        t->stream = open_memstream(&t->text, &t->size);
        return t->stream;
}

/* Closing may find no memory in silence. */
char *lb_text_end(struct lb_text *t)
{
        if (!t->stream)
                return NULL;
        bool failed = ferror(t->stream) != 0;
        if (fclose(t->stream) == 0 && !failed)
                return t->text;
        free(t->text);
        return NULL;
}

/* No other text begins with its first byte, and only one can be put back. */
void lb_text_skip_mark(FILE *in)
{
        int first = getc(in);
        if (first != 0xef)
                ungetc(first, in);
        else if (getc(in) != EOF)
                getc(in);
}
