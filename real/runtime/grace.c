/* SPDX-License-Identifier: BSD-3-Clause */
#include "real/runtime/grace.h"

enum { LEAST_NS = 200000, TASK_PART = 8, WORK_PART = 32 };

static int64_t more(int64_t a, int64_t b)
{
        return a > b ? a : b;
}

int64_t grace_expected(int64_t waiting, int64_t usual, bool creates)
{
        return creates ? more(waiting, usual) : waiting;
}

int64_t grace_ns(int64_t task_ns, int64_t expected, int32_t ncore)
{
        int64_t work_ns = expected * task_ns / ncore;
        return more(more(task_ns / TASK_PART, work_ns / WORK_PART), LEAST_NS);
}

bool grace_is_behind(int64_t task_ns, int64_t left, int64_t expected, int32_t ncore)
{
        return left * task_ns / ncore > grace_ns(task_ns, expected, ncore);
}
