/* SPDX-License-Identifier: BSD-3-Clause */
/* What is constant stays where tasks have read it: a case of interface.c. */
#define _DEFAULT_SOURCE
#include <stdbool.h>

#include "real/lbrun.h"
#include "tests/real/runtime/claims.h"
#include "tests/real/runtime/interface.h"

enum { PIECES = 40 };

struct piece {
        const long *in;
        long *out; /* [2] what it read, and where */
};

static void look(void *argument)
{
        const struct piece *piece = argument;
        in_ms(1);
        piece->out[0] = *piece->in;
        piece->out[1] = lbrun_node();
}

static void look_at_all(long *in, long *out)
{
        for (int i = 0; i < PIECES; i++) {
                struct piece piece = { in + i, out + 2 * i };
                struct lbrun_access access[] = {
                        { LBRUN_IN, in + i, sizeof(*in) },
                        { LBRUN_OUT, out + 2 * i, 2 * sizeof(*out) },
                };
                lbrun_task(look, &piece, sizeof(piece), 2, access, NULL);
        }
        lbrun_taskwait();
}

static void fill(long *in, long value)
{
        for (int i = 0; i < PIECES; i++)
                in[i] = value + i;
}

static void check_all(const long *out, long value, const char *claim)
{
        for (int i = 0; i < PIECES; i++)
                check(out[2 * i] == value + i, claim, (double)out[2 * i]);
}

static void set(void *argument)
{
        fill(*(long **)argument, 400);
}

/* Where a task has read it, it stays, and is not looked at at home: that it was written there,
 * which is not allowed, is not seen. Until it is said again. */
static void test_stays(long *in, long *out)
{
        long node[PIECES];
        for (int i = 0; i < PIECES; i++)
                node[i] = out[2 * i + 1];
        fill(in, 200);
        look_at_all(in, out);
        for (int i = 0; i < PIECES; i++) {
                long found = out[2 * i] - i, there = out[2 * i + 1];
                bool away = there != lbrun_node();
                check(found == 200 || (found == 100 && away), "read at home", (double)found);
                check(found == 100 || !away || there != node[i], "it stays", (double)found);
        }
}

void test_constant(void)
{
        long *in = lbrun_alloc(PIECES * sizeof(*in)), *out = lbrun_alloc(2 * PIECES * sizeof(*out));
        fill(in, 100);
        lbrun_constant(in, PIECES * sizeof(*in));
        look_at_all(in, out);
        check_all(out, 100, "what is constant");
        test_stays(in, out);
        fill(in, 300);
        lbrun_constant(in, PIECES * sizeof(*in));
        look_at_all(in, out);
        check_all(out, 300, "what is constant anew");
        struct lbrun_access access = { LBRUN_INOUT, in, PIECES * sizeof(*in) };
        lbrun_task(set, &in, sizeof(in), 1, &access, NULL);
        lbrun_taskwait();
        look_at_all(in, out);
        check_all(out, 400, "what a task wrote");
        fill(in, 500); /* it is not constant any more */
        look_at_all(in, out);
        check_all(out, 500, "what the main program wrote");
        lbrun_constant(in, 0);
        lbrun_free(in);
        lbrun_free(out);
}
